"""Families of item means and sds: distribution functions against scipy, and what is refused."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from quorate import InputError
from quorate.populations.families import Family, FoldedNormal, Triangular, TruncatedNormal, Uniform

X = np.linspace(-0.5, 1.5, 401)

CASES = [
    (Uniform(0.1, 0.7), stats.uniform(0.1, 0.6)),
    (TruncatedNormal(-0.5, 1.0, 0.0, 0.82), stats.truncnorm(0.5, 1.32, -0.5, 1.0)),
    (TruncatedNormal(0.4, 0.2, 0.0, 1.0), stats.truncnorm(-2, 3, 0.4, 0.2)),
    (FoldedNormal(0.19, 0.11), stats.foldnorm(0.19 / 0.11, scale=0.11)),
    (FoldedNormal(0.0, 0.28, fold=0.1), stats.foldnorm(0.0, loc=0.1, scale=0.28)),
    (Triangular(-0.05, 0.21, 0.45), stats.triang(0.26 / 0.5, -0.05, 0.5)),
    (Triangular(0.0, 0.0, 1.0), stats.triang(0.0, 0.0, 1.0)),
    (Triangular(0.0, 1.0, 1.0), stats.triang(1.0, 0.0, 1.0)),
]


@pytest.mark.parametrize(("family", "reference"), CASES)
def test_distribution_functions_equal_scipy(family: Family, reference: stats.rv_continuous) -> None:
    np.testing.assert_allclose(family.cdf(X), reference.cdf(X), atol=1e-12)


@pytest.mark.parametrize(("family", "reference"), CASES)
def test_draws_follow_the_distribution_function(family: Family, reference: stats.rv_continuous) -> None:
    # Kolmogorov's bound at z = 5: P(sqrt(n) D > 2.7) is below 1e-6.
    values = np.sort(family.draw((20_000,), rng=np.random.default_rng(3)))
    gap = np.abs(reference.cdf(values) - np.arange(1, 20_001) / 20_000).max()
    assert np.sqrt(20_000) * gap < 2.7


def test_clipping_moves_mass_to_the_ends() -> None:
    family = FoldedNormal(0.0, 0.28, clip_low=0.0, clip_high=0.8)
    values = family.draw((1000, 100), rng=np.random.default_rng(0))
    beyond = 2 * stats.norm.sf(0.8 / 0.28)
    share = (values == 0.8).mean()
    assert abs(share - beyond) < 5 * np.sqrt(beyond * (1 - beyond) / values.size)
    assert family.cdf(np.array([0.8 - 1e-12])) == pytest.approx(1 - beyond)
    assert family.cdf(np.array([0.8])) == 1.0


def test_truncation_far_in_the_tail_keeps_its_digits() -> None:
    family = TruncatedNormal(0.0, 1.0, 9.0, 10.0)
    values = family.draw((1000,), rng=np.random.default_rng(0))
    assert values.min() >= 9.0
    exact = stats.truncnorm(9.0, 10.0)
    assert abs(values.mean() - exact.mean()) < 5 * exact.std() / np.sqrt(1000)
    assert family.cdf(np.array([9.0, 9.109, 10.0])) == pytest.approx(
        [0.0, 1 - stats.norm.sf(9.109) / stats.norm.sf(9.0), 1.0], abs=1e-3
    )


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: TruncatedNormal(0.0, 1.0, 1.0, 0.0), "needs low < high"),
        (lambda: TruncatedNormal(0.0, 0.01, 5.0, 6.0), "impossible truncation"),
        (lambda: TruncatedNormal(0.0, 0.0, 0.0, 1.0), "sd of a truncated-normal family must be positive"),
        (lambda: FoldedNormal(0.0, -1.0), "must be positive"),
        (lambda: FoldedNormal(float("nan"), 1.0), "must be a finite number"),
        (lambda: Uniform(1.0, 1.0), "needs low < high"),
        (lambda: Triangular(0.0, 2.0, 1.0), "low ≤ peak ≤ high"),
        (lambda: Triangular(0.0, 0.5, 1.0, clip_low=0.7, clip_high=0.2), "needs low < high"),
        (lambda: Uniform(0.0, float("inf")), "must be a finite number"),
    ],
)
def test_impossible_families_are_refused(make: Callable[[], object], word: str) -> None:
    with pytest.raises(InputError, match=word):
        make()
