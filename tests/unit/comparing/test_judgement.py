"""Families of contests: what is judged together, on which terms, and groups of items."""

import itertools

import numpy as np
import pytest

from quorate.comparing.judgement import Asked, Contest, judge, run_contests
from quorate.data.summaries import Counts, Probabilities
from quorate.inference.design_effects import design_effects
from quorate.inference.outcome import mean_test
from quorate.inference.procedures import find_procedure
from quorate.inference.scored_systems import ScoredSystems, score_systems
from quorate.inference.units import Unit
from quorate.metrics import find_metric

LEVELS = np.array([0.0, 1.0, 2.0])
NAMES = ["a", "b", "c"]
PAIRS = list(itertools.combinations(range(3), 2))


def field(n: int, metric: str = "agreement", seed: int = 0) -> ScoredSystems:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3), size=n)
    laws = (p, 0.8 * p + 0.2 / 3, 0.6 * p + 0.4 / 3)
    systems = [Counts(rng.multinomial(1, law), LEVELS) for law in laws]
    return score_systems(find_metric(metric, positive=1), Counts(rng.multinomial(5, p), LEVELS), systems)


def asked(test: str = "default", clusters: np.ndarray | None = None, confidence: float = 0.95) -> Asked:
    return Asked(find_procedure(test), Unit(clusters=clusters), confidence, None, 999, 0)


def run(
    fields: list[ScoredSystems], ask: Asked, pairs: list[tuple[int, int]] = PAIRS, block: str = "all"
) -> list[Contest]:
    n = fields[0].values[0].shape[-1]
    return run_contests(fields, NAMES, pairs, ask, np.arange(n), block)


def test_alone_a_comparison_stands_for_itself() -> None:
    [judged] = judge(run([field(50)], asked(), [(0, 1)]), asked(), "all")
    outcome = judged.contest.outcome
    assert not judged.in_family
    assert (judged.p, judged.low, judged.high) == (float(outcome.p_value), float(outcome.low), float(outcome.high))


@pytest.mark.parametrize("test", ["default", "permutation", "bootstrap", "welch", "wilcoxon"])
@pytest.mark.parametrize("metric", ["agreement", "f1"])
@pytest.mark.parametrize("n", [20, 60])
def test_no_comparison_becomes_easier_in_a_family(test: str, metric: str, n: int) -> None:
    ask = asked(test)
    for judged in judge(run([field(n, metric)], ask), ask, "all"):
        alone = judged.contest.outcome
        assert judged.in_family
        assert judged.p >= float(alone.p_value)
        assert judged.low <= float(alone.low)
        assert judged.high >= float(alone.high)
        outside = judged.low > 0 or judged.high < 0
        if test != "wilcoxon":
            assert outside == (judged.p <= 0.05)


def test_named_tests_are_corrected_by_bonferroni_on_the_same_law() -> None:
    ask = asked("permutation")
    contests = run([field(40)], ask)
    at_joint = run([field(40)], asked("permutation", confidence=1 - 0.05 / 3))
    for judged, alone, joint in zip(judge(contests, ask, "all"), contests, at_joint, strict=True):
        assert judged.p == min(1.0, 3 * float(alone.outcome.p_value))
        assert judged.low == float(joint.outcome.low)
        assert float(joint.outcome.p_value) == float(alone.outcome.p_value)


def test_equal_differences_keep_their_sign_test_in_a_family() -> None:
    # a is right and b wrong on each of 12 items: p = 2^−11 alone, three times that among three pairs.
    n = 12
    yes, no = np.tile([1, 0], (n, 1)), np.tile([0, 1], (n, 1))
    mixed = np.where(np.arange(n)[:, None] % 3 == 0, no, yes)
    three = score_systems(find_metric("agreement"), Counts(3 * yes), [Counts(x) for x in (yes, no, mixed)])
    judged = judge(run([three], asked()), asked(), "all")
    assert judged[0].p == 3 * 2.0**-11
    assert judged[0].verdict == "a_better"
    assert judged[0].ends(0.05) == (1.0, 1.0)
    same = score_systems(find_metric("agreement"), Counts(3 * yes), [Counts(x) for x in (yes, yes, mixed)])
    twin = judge(run([same], asked()), asked(), "all")[0]
    assert (twin.verdict, twin.p, twin.low, twin.high) == ("identical", 1.0, 0.0, 0.0)


def test_the_order_of_pairs_does_not_matter_to_a_pair() -> None:
    ask, f = asked("permutation"), field(40)
    forth = {(c.a, c.b): float(c.outcome.p_value) for c in run([f], ask)}
    back = {(c.a, c.b): float(c.outcome.p_value) for c in run([f], ask, PAIRS[::-1])}
    assert forth == back


def test_a_small_group_does_not_decide_for_the_others() -> None:
    whole = field(202)
    small, large = np.arange(2), np.arange(2, 202)
    ask, contests = asked(), []
    for name, items in (("small", small), ("large", large)):
        contests += run_contests([whole.take(items)], NAMES, [(0, 2)], ask, items, name)
    judged = judge(contests, ask, "by")
    alone = mean_test(whole.take(large).pair(0, 2).differences)
    # Two comparisons: the interval grows from the 95 % to about the 97.5 % quantile, 2.26 / 1.97 = 1.15 times.
    growth = (judged[1].high - judged[1].low) / float(alone.high - alone.low)
    assert 1.1 < growth < 1.2


def test_clusters_are_counted_in_the_correlation() -> None:
    f, clusters = field(60), np.arange(60) // 6
    ask = asked(clusters=clusters)
    judged = judge(run([f], ask), ask, "all")
    for each in judged:
        assert float(each.contest.outcome.df) == 9
        assert each.p >= float(each.contest.outcome.p_value)


@pytest.mark.parametrize("metric", ["agreement", "crps", "wins:agreement", "f1", "total_variation"])
def test_taking_items_is_scoring_those_items(metric: str) -> None:
    whole, items = field(30, metric), np.array([3, 4, 9, 10, 11, 20, 28])
    taken = whole.take(items).pair(0, 1)
    fresh = score_systems(
        find_metric(metric, positive=1), whole.raters.take(items), [s.take(items) for s in whole.systems]
    ).pair(0, 1)
    np.testing.assert_allclose(taken.differences, fresh.differences, atol=1e-12)
    np.testing.assert_allclose([taken.score_a, taken.score_b], [fresh.score_a, fresh.score_b], atol=1e-12)


def test_groups_are_scored_on_the_terms_of_the_whole() -> None:
    # System b answers once on item 0: crps subtracts no spread anywhere, also not in a group without item 0.
    rng = np.random.default_rng(3)
    raters = Counts(rng.multinomial(4, [0.3, 0.3, 0.4], size=10), LEVELS)
    many = rng.multinomial(3, [0.3, 0.3, 0.4], size=10)
    fewer = many.copy()
    fewer[0] = [1, 0, 0]
    whole = score_systems(find_metric("crps"), raters, [Counts(many, LEVELS), Counts(fewer, LEVELS)])
    part = whole.take(np.arange(5, 10))
    np.testing.assert_array_equal(part.values[0], whole.values[0][5:10])
    np.testing.assert_array_equal(part.pair(0, 1).differences, 0.0)


def test_design_effects_by_hand() -> None:
    # Four pages of three items that always agree within a page: d = 1, 1, 1, 0, 0, 0, 0, …: only pages vary.
    # Plain: s² / 12, s² = Σ(d − ¼)² / 11 = 2.25 / 11. Clustered: 4/3 Σ_g (Σ d − ¾)² / 144 = 4/3 · 6.75 / 144.
    right = np.array([True] * 3 + [False] * 9)
    yes, no = np.tile([1, 0], (12, 1)), np.tile([0, 1], (12, 1))
    f = score_systems(find_metric("agreement"), Counts(yes), [Counts(yes), Counts(np.where(right[:, None], no, yes))])
    groupings = {"page": np.arange(12) // 3, "all": np.zeros(12, dtype=int), "item": np.arange(12)}
    found = design_effects(f, [(0, 1)], groupings)
    assert set(found) == {"page"}
    expected = (4 / 3 * 6.75 / 144) / (2.25 / 11 / 12)
    assert found["page"].median == pytest.approx(expected, rel=1e-9)
    assert found["page"].groups == 4


def test_identical_systems_have_no_design_effect() -> None:
    forecast = Probabilities(np.full((6, 3), 1 / 3))
    f = score_systems(find_metric("brier"), field(6).raters, [forecast, forecast])
    assert design_effects(f, [(0, 1)], {"page": np.arange(6) // 2}) == {}
