"""Variances known on few draws: Student's t for one part, plain draws for several, and what counts once."""

import numpy as np
import pytest
from scipy.stats import norm, t

from quorate.inference.uncertain_variance import Part, UncertainVariance, stacked_variances

NONE = Part(np.zeros(()), np.inf)


@pytest.mark.parametrize("df", [1.0, 2.5, 9.0, 400.0])
@pytest.mark.parametrize("far", [0.5, 2.0, 6.0])
def test_one_part_is_students_t(df: float, far: float) -> None:
    alone = UncertainVariance(Part(np.asarray(4.0), df))
    assert float(alone.tail(np.asarray(2 * far))) == pytest.approx(2 * t.sf(far, df), rel=1e-12)


@pytest.mark.parametrize("df", [2.0, 5.0, 40.0])
@pytest.mark.parametrize("far", [0.5, 2.0, 4.0])
def test_another_part_alone_is_students_t_by_quadrature(df: float, far: float) -> None:
    other = UncertainVariance(NONE, (Part(np.asarray(4.0), df),))
    assert float(other.tail(np.asarray(2 * far))) == pytest.approx(2 * t.sf(far, df), rel=1e-3)


@pytest.mark.parametrize("parts", [((0.5, 60.0), (1.0, 3.0)), ((1.0, 20.0), (0.4, 5.0), (0.3, 2.0))])
def test_several_parts_against_draws(parts: tuple[tuple[float, float], ...]) -> None:
    rng, size = np.random.default_rng(4), 400_000
    total = sum(v * df / rng.chisquare(df, size) for v, df in parts)
    items, *others = (Part(np.asarray(v), df) for v, df in parts)
    variance = UncertainVariance(items, tuple(others))
    for far in (1.0, 3.0, 6.0):
        tails = 2 * norm.sf(far / np.sqrt(total))
        error = 5 * tails.std() / np.sqrt(size)
        # Eight nodes of the lesser parts are exact to about half a percent.
        assert abs(float(variance.tail(np.asarray(far))) - tails.mean()) <= error + 0.005 * tails.mean()


def test_what_another_part_holds_counts_once_and_never_below_0() -> None:
    part = Part(np.array([3.0, 1.0]), 4.0, less=2.0)
    assert part.added.tolist() == [1.0, 0.0]
    variance = UncertainVariance(Part(np.array([1.0, 1.0]), 9.0), (part,))
    assert variance.total.tolist() == [2.0, 1.0]
    assert variance.at(3.0).tolist() == [4.0, 3.0]
    assert variance.df.tolist() == 4.0


def test_a_part_that_is_not_known_is_not_0() -> None:
    # A team of one tells nothing of other people: the whole variance is unknown, and nothing is evidence.
    variance = UncertainVariance(Part(np.asarray(1.0), 9.0), (Part(np.asarray(np.nan), 0.0),))
    assert np.isnan(variance.total)
    assert float(variance.tail(np.asarray(100.0))) == pytest.approx(1.0)


def test_draws_of_a_part_stand_for_its_law() -> None:
    rng = np.random.default_rng(1)
    drawn = Part(np.asarray(1.0), 6.0, draws=6 / rng.chisquare(6, 200_000))
    tails = 2 * norm.sf(2 / np.sqrt(drawn.draws if drawn.draws is not None else 1.0))
    found = UncertainVariance(NONE, (drawn,)).tail(np.asarray(2.0))
    # Draws take turns with the eight nodes of the items, whose weights are uneven: worth a quarter of their number.
    assert abs(float(found) - 2 * t.sf(2, 6)) <= 5 * tails.std() / np.sqrt(50_000)


def test_stacked_variances_are_those_of_each() -> None:
    each = [UncertainVariance(Part(np.asarray(v), 9.0), (Part(np.asarray(1.0), v),)) for v in (1.0, 3.0)]
    both = stacked_variances(each)
    far = np.array([2.0, 2.0])
    np.testing.assert_allclose(both.tail(far), [float(one.tail(np.asarray(2.0))) for one in each])
    np.testing.assert_allclose(both.rows(slice(1, 2)).total, each[1].total)
