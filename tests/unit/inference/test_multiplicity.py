"""Several comparisons at once: limits of max-T, ranks and tied sets pair by pair, Welch's F against statsmodels."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2, multivariate_normal, norm, t
from statsmodels.stats.oneway import anova_oneway

from quorate._typing import Array
from quorate.inference.joint_errors import ErrorColumns
from quorate.inference.multiplicity import DRAWS, Family, JointErrors, heterogeneity, max_t, rank_bounds, tied_sets
from quorate.inference.pivot import Pivot, outcomes_of
from quorate.inference.uncertain_variance import Part, UncertainVariance

Z = 5.0


def pivot_of(estimate: float, df: float, variance: float = 1.0) -> Pivot:
    """A difference with a variance of 1, whose items do not say more than that."""
    part = Part(np.asarray(variance), df)
    return Pivot(np.asarray(estimate), estimate + np.array([-1.0, 1.0]), UncertainVariance(part), units_given=True)


def errors(correlation: Array, df: float) -> JointErrors:
    """Errors with this correlation: items are the rows of a root of it."""
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0))
    return JointErrors([ErrorColumns(np.eye(len(root)), root)], df)


def family(difference: Array, correlation: Array, df: float, confidence: float = 0.95) -> Family:
    pivots = [pivot_of(float(d), df) for d in difference]
    return max_t(pivots, [errors(correlation, df)], confidence=confidence, rng=np.random.default_rng(0))


def bound(p: float) -> float:
    """Five Monte-Carlo errors of a share of DRAWS draws, and one draw for the + 1."""
    return float(Z * np.sqrt(p * (1 - p) / DRAWS) + 1 / DRAWS)


@pytest.mark.parametrize("m", [2, 5, 30])
def test_independent_comparisons_give_sidak(m: int) -> None:
    got = family(np.linspace(1, 4, m), np.eye(m), 1e6)
    for z, p in zip(np.linspace(1, 4, m), got.p_adjusted, strict=True):
        exact = 1 - (1 - 2 * norm.sf(z)) ** m
        assert abs(p - exact) <= bound(exact)
    assert np.abs(got.confidence**m - 0.95).max() <= bound(0.05)


def test_perfectly_correlated_comparisons_cost_nothing() -> None:
    got = family(np.array([2.0, 2.0, -2.0]), np.array([[1.0, 1, -1], [1, 1, -1], [-1, -1, 1]]), 12)
    alone = 2 * t.sf(2, 12)
    assert np.abs(got.p_adjusted - alone).max() <= bound(alone)
    assert np.abs(got.confidence - 0.95).max() <= bound(0.05)


@pytest.mark.parametrize("rho", [0.3, 0.5, 0.9])
def test_two_correlated_comparisons_equal_the_bivariate_normal(rho: float) -> None:
    law = multivariate_normal(np.zeros(2), [[1, rho], [rho, 1]])
    z = 2.1
    inside = law.cdf([z, z]) - law.cdf([-z, z]) - law.cdf([z, -z]) + law.cdf([-z, -z])
    got = family(np.array([z, 0.0]), np.array([[1, rho], [rho, 1]]), 1e6)
    assert abs(got.p_adjusted[0] - (1 - inside)) <= bound(1 - inside)


@pytest.mark.parametrize("df", [5, 10, 40])
def test_few_items_make_all_errors_large_together(df: int) -> None:
    # Multivariate t: the items' scale s is common, P(max |T| ≥ q) = E[1 − (1 − 2 Φ(−q s))^m], s² ~ χ²_df / df.
    m, q = 4, 2.8
    common = quad(lambda x: (1 - (1 - 2 * norm.sf(q * np.sqrt(x / df))) ** m) * chi2.pdf(x, df), 0, 20 * df)[0]
    got = family(np.array([q, 0.0, 0.0, 0.0]), np.eye(m), df).p_adjusted[0]
    assert abs(got - common) <= bound(common)
    assert got <= m * 2 * t.sf(q, df) + bound(common)  # Bonferroni


def test_blocks_are_independent_and_each_keeps_its_degrees_of_freedom() -> None:
    # One comparison on two items (df = 1) beside nine on 1000: its wide interval is its own affair.
    df = [1.0] + [999.0] * 9
    pivots = [pivot_of(3.5, each) for each in df]
    blocks = [errors(np.eye(1), each) for each in df]
    got = max_t(pivots, blocks, confidence=0.95, rng=np.random.default_rng(0))
    for p, each in zip(got.p_adjusted, df, strict=True):
        exact = 1 - (1 - 2 * t.sf(3.5, each)) ** 10
        assert abs(p - exact) <= bound(exact)
    assert np.abs(got.confidence**10 - 0.95).max() <= bound(0.05)


def test_p_and_joint_interval_agree_about_0() -> None:
    pivots = [pivot_of(float(d), 30) for d in np.linspace(-5, 5, 60)]
    got = max_t(pivots, [errors(np.eye(60), 30)], confidence=0.95, rng=np.random.default_rng(0))
    rejected = got.p_adjusted <= 0.05
    outside = np.array([bool(each.low > 0 or each.high < 0) for each in outcomes_of(pivots, got.confidence)])
    assert int((rejected != outside).sum()) <= 2  # a draw decides at the edge, on either side
    assert rejected.any()
    assert not rejected.all()


def test_comparisons_without_spread_are_left_out() -> None:
    pivots = [pivot_of(d, 20, variance) for d, variance in ((1.0, 0.0), (2.0, 1.0), (3.0, np.nan))]
    got = max_t(pivots, [errors(np.eye(3), 20)], confidence=0.95, rng=np.random.default_rng(0))
    alone = 2 * t.sf(2, 20)
    assert abs(got.p_adjusted[1] - alone) <= bound(alone)
    assert np.isnan(got.p_adjusted[[0, 2]]).all()
    nothing = max_t(pivots[:1], [errors(np.eye(1), 20)], confidence=0.95, rng=np.random.default_rng(0))
    assert np.isnan(nothing.p_adjusted).all()


def plain_ranks(ends: dict[tuple[int, int], tuple[float, float]], n: int) -> tuple[list[int], list[int]]:
    """Ranks as the definition has them: one more than those that beat it, all less those it beats."""
    best, worst = [], []
    for system in range(n):
        beaten = sum((a == system and high < 0) or (b == system and low > 0) for (a, b), (low, high) in ends.items())
        beats = sum((a == system and low > 0) or (b == system and high < 0) for (a, b), (low, high) in ends.items())
        best.append(1 + beaten)
        worst.append(n - beats)
    return best, worst


@pytest.mark.parametrize("seed", range(5))
def test_ranks_and_tied_sets_pair_by_pair(seed: int) -> None:
    rng, n = np.random.default_rng(seed), 6
    pairs = list(itertools.combinations(range(n), 2))
    middle = rng.normal(size=len(pairs))
    low, high = middle - 0.7, middle + 0.7
    ends = dict(zip(pairs, zip(low.tolist(), high.tolist(), strict=True), strict=True))
    best, worst = rank_bounds(low, high, pairs, n)
    assert (best.tolist(), worst.tolist()) == plain_ranks(ends, n)
    undecided = {pair for pair, (left, right) in ends.items() if left <= 0 <= right}
    cliques = [
        set(group)
        for size in range(2, n + 1)
        for group in itertools.combinations(range(n), size)
        if all(pair in undecided for pair in itertools.combinations(group, 2))
    ]
    largest = sorted(sorted(c) for c in cliques if not any(c < other for other in cliques))
    assert tied_sets(low, high, pairs, n) == largest


def test_missing_intervals_decide_nothing() -> None:
    nan = np.array([np.nan])
    best, worst = rank_bounds(nan, nan, [(0, 1)], 2)
    assert (best.tolist(), worst.tolist()) == ([1, 1], [2, 2])
    assert tied_sets(nan, nan, [(0, 1)], 2) == [[0, 1]]
    assert tied_sets(np.array([0.1]), np.array([0.2]), [(0, 1)], 2) == []


@pytest.mark.parametrize("seed", range(3))
def test_heterogeneity_equals_welchs_anova(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = [rng.normal(0.3 * k, 1 + k, size) for k, size in enumerate((8, 20, 5, 60))]
    theirs = anova_oneway(groups, use_var="unequal", welch_correction=True)
    f, p = heterogeneity(
        np.array([g.mean() for g in groups]),
        np.array([g.std(ddof=1) / np.sqrt(len(g)) for g in groups]),
        np.array([len(g) for g in groups]),
    )
    assert f == pytest.approx(theirs.statistic, rel=1e-10)
    assert p == pytest.approx(theirs.pvalue, rel=1e-9)


def test_groups_that_say_nothing_are_left_out() -> None:
    d, se, n = np.array([0.0, 1.0, 9.0, 5.0]), np.array([0.3, 0.3, 0.0, np.nan]), np.array([20, 20, 20, 1])
    assert heterogeneity(d, se, n) == heterogeneity(d[:2], se[:2], n[:2])
    assert heterogeneity(d[2:], se[2:], n[2:]) == (0.0, 1.0)
