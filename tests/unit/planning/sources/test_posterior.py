"""What may be true given a pilot: of raters, far out where they differ, and alike where that fits as well."""

import numpy as np
import pytest

from quorate._typing import Array
from quorate.planning.laws.study_law import chi_squares
from quorate.planning.sources.posterior import TALL, RaterSquare, component_posterior, item_posterior

ITEM, REST = 0.2, 0.4


def full_table(mean_square: float, n_items: int = 80, n_raters: int = 6) -> RaterSquare:
    """A full table whose raters have this mean square: a cell weighs 1/NR, and items cancel."""
    share = (n_raters - 1) / (n_items * n_raters**2)
    return RaterSquare(share * mean_square, 0.0, share * n_items, share, n_raters - 1.0)


def truths(mean_square: float, rest: float = REST) -> Array:
    table = full_table(mean_square)
    alike = float(table.alike(ITEM, rest))
    return np.asarray((table.ratios(alike, np.random.default_rng(1)) - 1) * alike / table.of_rater)


def test_the_truth_given_few_raters_lies_higher_than_what_they_showed() -> None:
    # MS = 0.4 + 80 · 0.05 = 4.4 on 5 degrees of freedom; the median of 5 / χ²₅ is 5 / 4.351. Eleven times what raters
    # who are alike would show, so that they hardly may be.
    rater = truths(4.4)
    assert (rater == 0).mean() < 0.01
    assert np.median(rater) == pytest.approx((4.4 * 5 / 4.351 - 0.4) / 80, rel=0.05)
    assert np.median(rater) > 0.05  # control: other pilots given the truth, 4.4 χ²₅ / 5, lie below


@pytest.mark.parametrize("mean_square", [0.1, 0.4, 1.0])
def test_the_chance_that_raters_are_alike_is_their_share_of_the_likelihood(mean_square: float) -> None:
    # With F = MS / σ²: φ = 1 has exp(−5F/2), others the mean of φ^(−5/2) exp(−5F/2φ) over log φ: even odds.
    f = mean_square / 0.4
    log_phi = np.linspace(0, np.log(max(f, 1.0)) + TALL, 300_001)
    others = np.exp(-2.5 * (log_phi + f * np.exp(-log_phi))).mean()
    alike = np.exp(-2.5 * f)
    assert (truths(mean_square) == 0).mean() == pytest.approx(alike / (alike + others), abs=0.01)


def test_raters_who_differ_less_than_chance_are_taken_for_alike_more_often() -> None:
    shares = [(truths(square) == 0).mean() for square in (0.1, 0.4, 1.0, 4.0)]
    assert shares == sorted(shares, reverse=True)


def test_components_hold_what_items_and_answers_may_be() -> None:
    values = np.random.default_rng(3).normal(size=80)
    items = item_posterior(values, np.full(80, 0.4), np.full(80, 6), 9.0, np.random.default_rng(1))
    item, rater, rest = component_posterior((0.2, 0.0, 0.4), 6.0, full_table(0.4), items, np.random.default_rng(2))
    assert item.shape == rater.shape == rest.shape
    assert 0.2 < np.median(item) < 0.24  # more than was seen, for the item that was not; 0.2205 over many seeds
    assert np.allclose(rest, 0.4)
    assert (rater >= 0).all()


def test_other_items_move_raters_with_the_rest_and_do_not_make_them_differ() -> None:
    # Rare differences: how many items differ is hardly known, and every component goes with it. Were the pilot's own
    # square read against other items' answers, few of which differ, raters would seem to differ by chance alone.
    values = np.where(np.arange(50) < 5, 1.0, 0.0)
    items = item_posterior(values, np.where(values > 0, 0.8, 0.0), np.full(50, 6), 1.0, np.random.default_rng(1))
    table = full_table(0.08, n_items=50)
    item, rater, rest = component_posterior((0.05, 0.0, 0.08), 6.0, table, items, np.random.default_rng(2))
    ratio = rater * table.of_rater / table.alike(item, rest)
    alone = table.ratios(float(table.alike(0.05, 0.08)), np.random.default_rng(2)) - 1
    assert np.allclose(ratio, alone, atol=1e-12)
    assert rest.std() > 0.2 * rest.mean()  # control: the rest itself is hardly known


def test_limits_hold_as_often_as_they_say_and_a_mean_that_believes_in_likeness_does_not() -> None:
    # Raters who show 2.5 times the squares of raters alike, on 5 degrees of freedom: pilots at the middles of equally
    # likely classes. How often the upper limit, of 95 %, lies below the truth.
    def missed(name: str) -> float:
        low = []
        for luck in chi_squares(5.0, 200):
            draw = getattr(full_table(2.5 * REST * float(luck)), name)
            low.append(
                np.quantile(draw(float(full_table(1.0).alike(ITEM, REST)), np.random.default_rng(1)), 0.95) < 2.5
            )
        return float(np.mean(low))

    assert missed("limits") == pytest.approx(0.05, abs=0.01)
    assert missed("ratios") > 0.1  # control
