"""Contests: orientation, wins, and the identities every metric obeys."""

from collections.abc import Callable

import numpy as np
import pytest

from quorate.data.summaries import Counts, Means
from quorate.metrics import contest, find_metric, item_terms, metric_names, scores
from quorate.metrics.metric import Variant

LEVELS = np.array([0.0, 1.0, 3.0])
COMPARING = [name for name in metric_names() if name != "mean_rating"]


@pytest.fixture
def panel() -> tuple[Counts, Counts, Counts]:
    rng = np.random.default_rng(11)
    p = rng.dirichlet(np.ones(3), size=40)
    raters, a, b = (Counts(rng.multinomial(k, p), LEVELS) for k in (5, 2, 2))
    return raters, a, b


def changed(panel: tuple[Counts, Counts, Counts], change: Callable[[Counts], Counts]) -> tuple[Counts, Counts, Counts]:
    """The same raters and systems, all changed alike."""
    raters, a, b = panel
    return change(raters), change(a), change(b)


@pytest.mark.parametrize("name", [*COMPARING, "wins:emd", "wins:agreement"])
@pytest.mark.parametrize("variant", ["default", "paper"])
def test_swapping_flips_the_sign_and_a_system_ties_with_itself(
    name: str, variant: Variant, panel: tuple[Counts, Counts, Counts]
) -> None:
    raters, a, b = panel
    metric = find_metric(name, variant=variant, positive=2)
    forward = contest(metric, raters, a, b)
    np.testing.assert_array_equal(forward, -contest(metric, raters, b, a))
    np.testing.assert_array_equal(contest(metric, raters, a, a), np.zeros_like(forward))
    assert np.any(forward != 0)


@pytest.mark.parametrize("name", COMPARING)
def test_positive_means_a_is_better(name: str) -> None:
    # A gives the raters' own answers, B the worst: a mirror image.
    raters = Counts(np.array([[5, 0, 0], [0, 0, 5], [0, 5, 0], [5, 0, 0]]), LEVELS)
    a = Counts(raters.counts // 5, LEVELS)
    b = Counts(np.array([[0, 0, 1], [1, 0, 0], [1, 0, 0], [0, 0, 1]]), LEVELS)
    assert contest(find_metric(name, positive=2), raters, a, b).mean() > 0


@pytest.mark.parametrize("name", COMPARING)
def test_relabelling_items_changes_nothing(name: str, panel: tuple[Counts, Counts, Counts]) -> None:
    order = np.random.default_rng(1).permutation(40)
    metric = find_metric(name, positive=0)
    raters, a, b = panel
    shuffled = contest(metric, *(raters.take(order), a.take(order), b.take(order)))
    original = contest(metric, raters, a, b)
    np.testing.assert_allclose(shuffled, original[order] if original.ndim else original, atol=1e-14)


@pytest.mark.parametrize(
    "name", ["agreement", "brier", "cross_entropy", "accuracy", "total_variation", "kl", "jensen_shannon"]
)
def test_relabelling_categories_changes_nothing(name: str, panel: tuple[Counts, Counts, Counts]) -> None:
    metric = find_metric(name)
    turned = contest(metric, *changed(panel, lambda s: Counts(s.counts[:, [2, 0, 1]])))
    np.testing.assert_allclose(turned, contest(metric, *panel), atol=1e-14)


def test_first_category_ties_depend_on_the_labels(panel: tuple[Counts, Counts, Counts]) -> None:
    # Negative control of the identity above: the papers' tie rule breaks it.
    metric = find_metric("accuracy", variant="paper")
    turned = contest(metric, *changed(panel, lambda s: Counts(s.counts[:, [2, 0, 1]])))
    assert not np.array_equal(turned, contest(metric, *panel))


@pytest.mark.parametrize("name", ["crps", "mae", "emd", "rmse", "emd_of_means"])
def test_scaling_the_numbers_scales_the_loss(name: str, panel: tuple[Counts, Counts, Counts]) -> None:
    moved = changed(panel, lambda s: Counts(s.counts, 10 * LEVELS - 7))
    metric = find_metric(name)
    np.testing.assert_allclose(contest(metric, *moved), 10 * contest(metric, *panel), atol=1e-12)


def test_for_labels_brier_is_one_minus_agreement_and_agreement_is_one_minus_total_variation() -> None:
    rng = np.random.default_rng(2)
    raters, system = (
        Counts(rng.multinomial(5, [0.5, 0.3, 0.2], size=30)),
        Counts(rng.multinomial(1, [0.4, 0.3, 0.3], size=30)),
    )
    agreement, brier, tv = (find_metric(n).score(raters, system) for n in ("agreement", "brier", "total_variation"))
    np.testing.assert_allclose(brier, 1 - agreement, atol=1e-15)
    np.testing.assert_allclose(tv, 1 - agreement, atol=1e-15)


def test_kl_difference_is_a_cross_entropy_difference(panel: tuple[Counts, Counts, Counts]) -> None:
    kl, cross = (contest(find_metric(name), *panel) for name in ("kl", "cross_entropy"))
    np.testing.assert_allclose(kl, cross, atol=1e-13)


def test_wins_are_signs_and_scores_are_shares_of_rivals_beaten(panel: tuple[Counts, Counts, Counts]) -> None:
    raters, a, b = panel
    wins, mae = find_metric("wins", numbers=True), find_metric("mae")
    sign = contest(wins, raters, a, b)
    np.testing.assert_array_equal(sign, np.sign(contest(mae, raters, a, b)))
    won_a, won_b = scores(wins, raters, [a, b])
    np.testing.assert_array_equal(won_a - won_b, sign)
    assert set(np.unique(won_a)) <= {0.0, 1.0}
    three = scores(find_metric("wins:mae"), raters, [a, b, Counts(np.roll(b.counts, 1, axis=0), LEVELS)])
    assert set(np.unique(three)) <= {0.0, 0.5, 1.0}


def test_bare_wins_on_a_nominal_scale_go_by_total_variation(panel: tuple[Counts, Counts, Counts]) -> None:
    nominal = changed(panel, lambda s: Counts(s.counts))
    by_tv = contest(find_metric("wins:total_variation"), *nominal)
    np.testing.assert_array_equal(contest(find_metric("wins"), *nominal), by_tv)


def test_rated_systems_are_compared_by_the_ratings_they_got() -> None:
    good, bad = Counts(np.array([[0, 1, 2], [0, 2, 0]]), LEVELS), Counts(np.array([[2, 1, 0], [0, 1, 0]]), LEVELS)
    # Means 7/3 and 1 against 1/3 and 1.
    np.testing.assert_allclose(contest(find_metric("mean_rating"), None, good, bad), [2.0, 0.0], atol=1e-15)
    np.testing.assert_array_equal(contest(find_metric("wins:mean_rating"), None, good, bad), [1.0, 0.0])


def test_scores_equal_on_paper_tie() -> None:
    # |0.1 + 0.2 − 0.3| against 0: equal on paper, 5.6e-17 apart in floats.
    raters = Means(np.array([0.3]), np.array([1]))
    a, b = Means(np.array([0.1 + 0.2]), np.array([1])), Means(np.array([0.3]), np.array([1]))
    assert find_metric("mae").score(raters, a) != 0
    assert contest(find_metric("wins:mae"), raters, a, b) == 0
    assert contest(find_metric("mae"), raters, a, b) == 0


def test_item_terms_carry_set_scores(panel: tuple[Counts, Counts, Counts]) -> None:
    raters, a, b = panel
    for name in ("rmse", "cosine", "precision", "recall", "f1"):
        metric = find_metric(name, positive=0)
        assert metric.combine is not None
        direct = [metric.score(raters, s) for s in (a, b)]
        through = [metric.combine(t.sum(-2)) for t in item_terms(metric, raters, [a, b])]
        np.testing.assert_allclose(through, direct, atol=1e-14)
        np.testing.assert_allclose(scores(metric, raters, [a, b]), direct, atol=1e-14)
