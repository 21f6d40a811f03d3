"""The tests by name, against scipy and statsmodels on the same data, and what each must never do."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.stats import bootstrap, permutation_test, ttest_ind, wilcoxon
from statsmodels.stats.contingency_tables import mcnemar

from quorate._errors import InputError
from quorate.data.summaries import Counts, Probabilities, Values
from quorate.inference.means import mean_test
from quorate.inference.outcome import Outcome
from quorate.inference.procedures import Terms, find_procedure, pair_pivot, procedure_names
from quorate.inference.scored_systems import ScoredPair, score_systems
from quorate.metrics import find_metric

LEVELS = np.array([0.0, 1.0, 2.0, 3.0])
NAMED = ["default", "permutation", "bootstrap", "wilcoxon", "welch"]


def ask(seed: int = 0, **how: Any) -> Terms:
    return Terms(np.random.default_rng(seed), **how)


def counts_match(n: int, metric: str = "agreement", seed: int = 0, raters: int = 5) -> ScoredPair:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(4), size=n)
    worse = 0.7 * p + 0.3 * rng.dirichlet(np.ones(4), size=n)
    g, a, b = (Counts(rng.multinomial(k, q), LEVELS) for k, q in ((raters, p), (1, p), (1, worse)))
    return score_systems(find_metric(metric, positive=1), g, [a, b]).pair(0, 1)


def values_match(n: int, seed: int = 0) -> ScoredPair:
    """Continuous scores: no two differences are equal."""
    rng = np.random.default_rng(seed)
    g, a, b = (Values(rng.normal(shift, 1, (n, 1)), np.ones(n, dtype=int)) for shift in (0.0, 0.1, 0.4))
    return score_systems(find_metric("mae"), g, [a, b]).pair(0, 1)


def run(name: str, match: ScoredPair, **how: Any) -> Outcome:
    return find_procedure(name).run(match, ask(**how))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("metric", ["agreement", "crps"])
def test_permutation_of_few_items_equals_scipys_exact_one(seed: int, metric: str) -> None:
    match = counts_match(10, metric, seed)
    theirs = permutation_test(
        (match.values_a, match.values_b),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        permutation_type="samples",
        n_resamples=2**11,
        vectorized=True,
    )
    assert float(run("permutation", match).p_value) == pytest.approx(theirs.pvalue, rel=1e-9)


def test_permutation_of_many_items_equals_scipys_random_one() -> None:
    match = counts_match(200, seed=1)
    theirs = permutation_test(
        (match.values_a, match.values_b),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        permutation_type="samples",
        n_resamples=9999,
        vectorized=True,
        rng=0,
    ).pvalue
    ours = float(run("permutation", match).p_value)
    p = (ours + theirs) / 2
    assert 0.001 < p < 0.999
    assert abs(ours - theirs) <= 5 * np.sqrt(2 * p * (1 - p) / 9999)


def test_permutation_of_a_set_score_equals_every_swap() -> None:
    match = counts_match(8, "f1", seed=2)
    metric, observed = match.metric, abs(float(match.score_a) - float(match.score_b))
    beyond, a, b = 0, match.a, match.b
    assert isinstance(a, Counts)
    assert isinstance(b, Counts)
    for swap in itertools.product((False, True), repeat=8):
        mask = np.array(swap)[:, None]
        left = Counts(np.where(mask, b.counts, a.counts))
        right = Counts(np.where(mask, a.counts, b.counts))
        difference = float(metric.score(match.raters, left)) - float(metric.score(match.raters, right))
        beyond += abs(difference) >= observed - 1e-9
    exact = beyond / 2**8
    got = float(run("permutation", match).p_value)
    assert abs(got - exact) <= 5 * np.sqrt(exact * (1 - exact) / 9999) + 1e-4


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [8, 30, 120])
def test_wilcoxon_equals_scipy(n: int, seed: int) -> None:
    match = values_match(n, seed)
    assert float(run("wilcoxon", match).p_value) == pytest.approx(wilcoxon(match.differences).pvalue, rel=1e-12)


@pytest.mark.parametrize("metric", ["agreement", "accuracy"])
def test_wilcoxon_with_ties_and_zeros_equals_scipy(metric: str) -> None:
    for n in (9, 11, 14, 60):
        match = counts_match(n, metric, seed=n, raters=3)
        d = np.round(match.differences, 9)
        assert float(run("wilcoxon", match).p_value) == pytest.approx(wilcoxon(d).pvalue, rel=1e-12)


def test_wilcoxons_estimate_is_the_median_of_walsh_averages() -> None:
    match = values_match(41, 5)
    d = match.differences
    walsh = np.sort([(d[i] + d[j]) / 2 for i in range(41) for j in range(i, 41)])
    outcome = run("wilcoxon", match)
    # The statistic changes sign at the median; it is a step function, so the crossing is between two of them.
    middle = np.searchsorted(walsh, float(outcome.difference))
    assert abs(middle - len(walsh) / 2) <= 1.5


def test_wilcoxons_interval_equals_the_inverted_normal_test() -> None:
    match = values_match(60, 6)
    outcome, d = run("wilcoxon", match), match.differences

    def p_at(theta: float) -> float:
        return float(wilcoxon(d - theta, method="approx", correction=False).pvalue)

    for end, outward in ((float(outcome.low), -1), (float(outcome.high), 1)):
        assert p_at(end + outward * 1e-6) <= 0.05 + 1e-9
        assert p_at(end - outward * 1e-3) > 0.05


def test_wilcoxon_of_three_items_has_no_interval() -> None:
    # Σ ranks / sqrt(Σ ranks²) = 6 / sqrt(14) = 1.6 at most: it cannot reach 1.96, so nothing is excluded.
    outcome = run("wilcoxon", values_match(3))
    assert np.isneginf(outcome.low)
    assert np.isposinf(outcome.high)


@pytest.mark.parametrize("seed", range(4))
def test_welch_equals_scipy(seed: int) -> None:
    match = counts_match(40, seed=seed)
    theirs, ours = ttest_ind(match.values_a, match.values_b, equal_var=False), run("welch", match)
    interval = theirs.confidence_interval(0.95)
    assert float(ours.p_value) == pytest.approx(theirs.pvalue, rel=1e-10)
    np.testing.assert_allclose([ours.low, ours.high], [interval.low, interval.high], rtol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_mcnemar_equals_statsmodels(seed: int) -> None:
    match = counts_match(60, "accuracy", seed, raters=1)
    a, b = match.values_a, match.values_b
    table = [[int(((a == i) & (b == j)).sum()) for j in (1, 0)] for i in (1, 0)]
    ours = run("mcnemar", match)
    assert float(ours.p_value) == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-10)
    assert float(ours.difference) == pytest.approx((table[0][1] - table[1][0]) / 60, abs=1e-12)
    assert (float(ours.p_value) <= 0.05) == (float(ours.low) > 0 or float(ours.high) < 0)


def test_mcnemar_without_a_discordant_item() -> None:
    match = counts_match(10, "accuracy", raters=1)
    same = score_systems(match.metric, match.raters, [match.a, match.a]).pair(0, 1)
    assert float(run("mcnemar", same).p_value) == 1.0


def test_mcnemar_refuses_fractions() -> None:
    with pytest.raises(InputError, match="0 or 1"):
        run("mcnemar", counts_match(20, "agreement"))
    with pytest.raises(InputError, match="0 or 1"):
        run("mcnemar", counts_match(20, "f1"))


@pytest.mark.parametrize("seed", range(3))
def test_bootstrap_t_equals_a_plain_one(seed: int) -> None:
    # Draw by draw: T* = (mean* − mean) / se*, p = P(|T*| ≥ |T|), interval mean ∓ q se with q the 95 % quantile of |T*|.
    match = values_match(40, seed)
    d, rng = match.differences, np.random.default_rng(100 + seed)
    se = d.std(ddof=1) / np.sqrt(40)
    samples = rng.choice(d, (9999, 40))
    pivots = np.abs((samples.mean(1) - d.mean()) / (samples.std(1, ddof=1) / np.sqrt(40)))
    p = (pivots >= abs(d.mean() / se)).mean()
    ours = run("bootstrap", match)
    assert abs(float(ours.p_value) - p) <= 5 * np.sqrt(2 * max(p * (1 - p), 1e-4) / 9999)
    # Error of a 95 % quantile of 9999 draws: sqrt(.95 · .05 / 9999) of probability, read off the sorted pivots.
    step = 5 * np.sqrt(2 * 0.95 * 0.05 / 9999)
    low, high = np.quantile(pivots, [0.95 - step, 0.95 + step]) * se
    assert low <= float(ours.high - ours.difference) <= high


def test_bootstrap_t_and_scipys_bca_agree_on_many_items() -> None:
    # Both are second-order correct: on 2000 items their ends differ by far less than the interval is wide (1 / N).
    match = values_match(2000, 9)
    theirs = bootstrap((match.differences,), np.mean, n_resamples=2000, method="BCa", rng=0).confidence_interval
    ours = run("bootstrap", match)
    width = theirs.high - theirs.low
    # An end from 2000 draws has the error sqrt(.025 · .975 / 2000) / φ(1.96) = 0.06 se = 0.015 widths.
    assert abs(float(ours.low) - theirs.low) <= 5 * 0.015 * width
    assert abs(float(ours.high) - theirs.high) <= 5 * 0.015 * width


def test_the_default_of_an_item_score_is_the_t_test() -> None:
    match = counts_match(30)
    ours, plain = run("default", match), mean_test(match.differences)
    assert float(ours.p_value) == float(plain.p_value)
    assert float(ours.low) == float(plain.low)


def test_the_default_of_a_set_score_is_swapped_up_to_200_items_that_carry_weight_and_t_beyond() -> None:
    for n, exact in ((30, False), (150, False), (700, True)):
        match = counts_match(n, "f1")
        assert match.form is not None
        carrying = int(match.form.carrying.sum())
        assert (carrying > 200) == exact
        pivot = pair_pivot(match, ask()).outcome(0.95)
        assert float(pivot.df) == carrying - 1
        assert (float(run("default", match).p_value) == float(pivot.p_value)) == exact
    clusters = np.arange(30) // 3
    match = counts_match(30, "f1")
    clustered = run("default", match, clusters=clusters)
    assert float(clustered.p_value) == float(mean_test(match.differences, clusters=clusters).p_value)


@pytest.mark.parametrize("metric", ["f1", "spearman", "auc", "rmse", "emd_of_means"])
def test_the_default_of_a_set_score_estimates_its_difference(metric: str) -> None:
    match = counts_match(60, metric, seed=3)
    sign = 1 if match.metric.better == "high" else -1
    expected = sign * (float(match.score_a) - float(match.score_b))
    assert float(run("default", match).difference) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("metric", ["agreement", "accuracy", "wins:agreement", "f1"])
def test_p_and_interval_agree_about_0(name: str, metric: str) -> None:
    # Few raters and few items make a lattice on which the statistic often sits exactly on its bound.
    decided = 0
    for seed in range(20):
        outcome = run(name, counts_match(12, metric, seed, raters=1), resamples=999)
        outside = bool(outcome.low > 0) or bool(outcome.high < 0)
        if not np.isnan(outcome.low):
            rejected = float(outcome.p_value) <= 0.05
            # Wilcoxon's p leaves out zeros, its interval does not: it may hold 0 where p is small, never the reverse.
            assert (outside <= rejected) if name == "wilcoxon" else (outside == rejected)
            decided += outside
    assert decided < 20


@pytest.mark.parametrize("name", ["permutation", "bootstrap"])
def test_p_and_interval_agree_where_p_is_the_level(name: str) -> None:
    # 19 or 99 draws make p = 0.1 or 0.05 exactly, and 1 − 0.9 is not 0.1 in binary.
    at_level = 0
    for seed in range(60):
        for confidence, resamples in ((0.9, 19), (0.95, 19), (0.8, 99)):
            match = counts_match(9, "crps", seed, raters=3)
            outcome = run(name, match, confidence=confidence, resamples=resamples, seed=seed)
            outside = bool(outcome.low > 0) or bool(outcome.high < 0)
            assert outside == (float(outcome.p_value) <= 1 - confidence + 1e-9)
            at_level += abs(float(outcome.p_value) - (1 - confidence)) < 1e-9
    assert at_level > 0


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("metric", ["agreement", "crps", "f1", "wins:agreement"])
def test_swapping_the_systems_mirrors_the_outcome(name: str, metric: str) -> None:
    match = counts_match(40, metric, seed=4)
    back = score_systems(match.metric, match.raters, [match.b, match.a]).pair(0, 1)
    one, two = run(name, match), run(name, back)
    assert float(one.difference) == pytest.approx(-float(two.difference), abs=1e-9)
    if name not in ("bootstrap",):  # its draws are other ones
        assert float(one.p_value) == pytest.approx(float(two.p_value), abs=0.02 if metric == "f1" else 1e-9)


@pytest.mark.parametrize("name", NAMED)
def test_equal_differences_and_no_difference(name: str) -> None:
    right, wrong, g = np.tile([1, 0], (7, 1)), np.tile([0, 1], (7, 1)), Counts(np.tile([3, 0], (7, 1)))
    certain = score_systems(find_metric("agreement"), g, [Counts(right), Counts(wrong)]).pair(0, 1)
    outcome = run(name, certain)
    assert float(outcome.p_value) == pytest.approx(2.0**-6)
    # 2 (1 − π)^7 = 0.05, and a share π of the items at −1 moves the mean by 2 π.
    assert float(outcome.low) == pytest.approx(1 - 2 * (1 - 0.025 ** (1 / 7)), abs=1e-6)
    twins = score_systems(find_metric("agreement"), g, [Counts(right), Counts(right)]).pair(0, 1)
    none = run(name, twins, reach=1.0)
    assert float(none.p_value) == 1.0
    np.testing.assert_allclose([none.low, none.high], np.array([-1, 1]) * (1 - 0.025 ** (1 / 7)), rtol=1e-6)


@pytest.mark.parametrize("name", NAMED)
def test_an_undefined_score_is_no_evidence(name: str) -> None:
    # System A never answers the positive category: precision 0 / 0.
    rng = np.random.default_rng(8)
    g = Counts(rng.multinomial(3, [0.5, 0.5], size=20))
    never, sometimes = Counts(np.tile([1, 0], (20, 1))), Counts(rng.multinomial(1, [0.5, 0.5], size=20))
    outcome = run(name, score_systems(find_metric("precision", positive=1), g, [never, sometimes]).pair(0, 1))
    assert float(outcome.p_value) == 1.0
    assert np.isnan(outcome.difference)


@pytest.mark.parametrize("name", ["permutation", "bootstrap", "wilcoxon", "welch", "mcnemar"])
def test_only_the_default_knows_clusters(name: str) -> None:
    with pytest.raises(InputError, match="clusters"):
        run(name, counts_match(10), clusters=np.arange(10) // 2)


def test_the_permutation_test_reports_the_standard_error() -> None:
    match = counts_match(50)
    assert float(run("permutation", match).se) == pytest.approx(match.differences.std(ddof=1) / np.sqrt(50), rel=1e-12)


def test_probabilities_are_tested_like_answers() -> None:
    rng = np.random.default_rng(10)
    p = rng.dirichlet(np.ones(3), size=50)
    g = Counts(rng.multinomial(5, p))
    forecasts = [Probabilities(0.8 * p + 0.2 / 3), Probabilities(np.full((50, 3), 1 / 3))]
    outcome = run("default", score_systems(find_metric("brier"), g, forecasts).pair(0, 1))
    assert float(outcome.low) > 0


def test_an_unknown_test_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="default, permutation, bootstrap"):
        find_procedure("t-test")
    for name in ("published:some:all", "published:all", "published:all:none", "published:bootstrap:all:x"):
        with pytest.raises(InputError, match="published:ITEMS:ANSWERS"):
            find_procedure(name)
    assert procedure_names()[0] == "default"
    assert find_procedure("default").note == ""
    assert all(find_procedure(name).note for name in ("wilcoxon", "welch", "mcnemar", "published:all:all"))


def called(truth: list[int], *systems: list[int], metric: str) -> ScoredPair:
    """A score of systems that say 1 or 0, of items that are 1 or 0."""
    raters, *said = (Counts(np.eye(2, dtype=np.int64)[each]) for each in (truth, *systems))
    return score_systems(find_metric(metric, positive=1), raters, said).pair(0, 1)


def test_equal_scores_of_unlike_systems_have_p_of_one() -> None:
    """Each calls one of eleven rightly; jackknife and mean are equal on paper only."""
    truth = [1, 1, *[0] * 10]
    a, b = [1, 0, *[1] * 10], [0, 1, *[1] * 10]
    outcome = run("default", called(truth, a, b, metric="precision"))
    assert float(outcome.p_value) == 1.0


@pytest.mark.parametrize("metric", ["recall", "precision", "f1", "auc"])
def test_the_interval_of_few_failures_reaches_farther_than_twice_what_was_seen(metric: str) -> None:
    truth = [1] * 25 + [0] * 25
    fails = [0, *truth[1:]] if metric != "precision" else [*truth[:-1], 1]
    pair = called(truth, fails, truth, metric=metric)
    outcome = run("default", pair, reach=1.0)
    assert float(outcome.low) < 3 * float(outcome.difference)
    assert float(outcome.p_value) == 1.0
    assert float(outcome.high) >= 0


def test_systems_told_apart_by_swaps_have_an_interval_without_0() -> None:
    truth = [1] * 20 + [0] * 20
    worse = [*[0] * 6, *truth[6:]]  # all six swaps one way: 2 / 2^6
    outcome = run("default", called(truth, worse, truth, metric="recall"), reach=1.0)
    assert float(outcome.p_value) <= 0.05
    assert float(outcome.high) < 0
