"""Families of pairs: what is judged together, and on which terms."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from quorate import compare
from quorate.comparing import tested_pairs
from quorate.comparing.judged_pairs import judge
from quorate.comparing.tested_pairs import PairTest, run_pair_tests
from quorate.data.summaries import Counts
from quorate.inference.means import mean_test
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


def asked(test: str = "default", clusters: np.ndarray | None = None, confidence: float = 0.95) -> PairTest:
    return PairTest(find_procedure(test), Unit(clusters=clusters), confidence, resamples=999)


def run(
    fields: list[ScoredSystems], test: PairTest, pairs: list[tuple[int, int]] = PAIRS
) -> list[tested_pairs.TestedPair]:
    return run_pair_tests(fields, NAMES, pairs, test)


def test_alone_a_comparison_stands_for_itself() -> None:
    [judged] = judge(run([field(50)], asked(), [(0, 1)]), "all")
    outcome = judged.tested.outcome
    assert not judged.in_family
    assert (judged.p, judged.low, judged.high) == (float(outcome.p_value), float(outcome.low), float(outcome.high))


@pytest.mark.parametrize("test", ["default", "permutation", "bootstrap", "welch", "wilcoxon"])
@pytest.mark.parametrize("metric", ["agreement", "f1"])
@pytest.mark.parametrize("n", [20, 60])
def test_no_comparison_becomes_easier_in_a_family(test: str, metric: str, n: int) -> None:
    ask = asked(test)
    for judged in judge(run([field(n, metric)], ask), "all"):
        alone = judged.tested.outcome
        assert judged.in_family
        assert judged.p >= float(alone.p_value)
        assert judged.low <= float(alone.low)
        assert judged.high >= float(alone.high)
        outside = judged.low > 0 or judged.high < 0
        if test != "wilcoxon":
            assert outside == (judged.p <= 0.05)


def test_named_tests_are_corrected_by_bonferroni_on_the_same_law() -> None:
    ask = asked("permutation")
    tested = run([field(40)], ask)
    at_joint = run([field(40)], asked("permutation", confidence=1 - 0.05 / 3))
    for judged, alone, joint in zip(judge(tested, "all"), tested, at_joint, strict=True):
        assert judged.p == min(1.0, 3 * float(alone.outcome.p_value))
        assert judged.low == float(joint.outcome.low)
        assert float(joint.outcome.p_value) == float(alone.outcome.p_value)


def test_equal_differences_keep_their_sign_test_in_a_family() -> None:
    # a is right and b wrong on each of 12 items: p = 2^−11 alone, three times that among three pairs.
    n = 12
    yes, no = np.tile([1, 0], (n, 1)), np.tile([0, 1], (n, 1))
    mixed = np.where(np.arange(n)[:, None] % 3 == 0, no, yes)
    three = score_systems(find_metric("agreement"), Counts(3 * yes), [Counts(x) for x in (yes, no, mixed)])
    judged = judge(run([three], asked()), "all")
    assert judged[0].p == pytest.approx(3 * 2.0**-11)
    assert judged[0].verdict == "a_better"
    # 2 (1 − π)^12 = 0.05 / 3, and a share π of the items at −1 moves the mean by 2 π.
    assert judged[0].ends == pytest.approx((1 - 2 * (1 - (0.05 / 6) ** (1 / 12)), 1.0), abs=1e-6)
    same = score_systems(find_metric("agreement"), Counts(3 * yes), [Counts(x) for x in (yes, yes, mixed)])
    twin = judge(run([same], asked()), "all")[0]
    assert (twin.verdict, twin.p) == ("identical", 1.0)
    assert twin.high == pytest.approx(1 - (0.05 / 6) ** (1 / 12), abs=1e-6)


def test_the_order_of_pairs_does_not_matter_to_a_pair() -> None:
    ask, f = asked("permutation"), field(40)
    forth = {(c.a, c.b): float(c.outcome.p_value) for c in run([f], ask)}
    back = {(c.a, c.b): float(c.outcome.p_value) for c in run([f], ask, PAIRS[::-1])}
    assert forth == back


def test_a_small_group_does_not_decide_for_the_others() -> None:
    whole = field(202)
    small, large = np.arange(2), np.arange(2, 202)
    ask, tested = asked(), []
    for name, items in (("small", small), ("large", large)):
        tested += run([whole.take(items)], replace(ask, block=name), [(0, 2)])
    judged = judge(tested, "by")
    alone = mean_test(whole.take(large).pair(0, 2).differences)
    # Two comparisons: the interval grows from the 95 % to about the 97.5 % quantile, 2.26 / 1.97 = 1.15 times.
    growth = (judged[1].high - judged[1].low) / float(alone.high - alone.low)
    assert 1.1 < growth < 1.2


def test_clusters_are_counted_in_the_correlation() -> None:
    f, clusters = field(60), np.arange(60) // 6
    ask = asked(clusters=clusters)
    judged = judge(run([f], ask), "all")
    for each in judged:
        assert float(each.tested.outcome.df) == 9
        assert each.p >= float(each.tested.outcome.p_value)


Columns = dict[str, list[Any]]


def batches(n_groups: int = 24, n_items: int = 8, n_raters: int = 3, seed: int = 0) -> tuple[Columns, Columns]:
    """Every group has raters of its own, who answer all of its items."""
    rng = np.random.default_rng(seed)
    ratings: Columns = {"item": [], "rater": [], "response": [], "group": [], "half": []}
    answers: Columns = {"item": [], "system": [], "response": []}
    for group in range(n_groups):
        for item in range(n_items):
            name = f"g{group:02}-i{item}"
            yes = rng.random()
            for rater in range(n_raters):
                ratings["item"].append(name)
                ratings["rater"].append(f"g{group:02}-r{rater}")
                ratings["response"].append("yes" if rng.random() < yes else "no")
                ratings["group"].append(f"g{group:02}")
                ratings["half"].append("first" if group < n_groups - 1 else "last")
            for system, noise in (("a", 0.2), ("b", 0.6)):
                answers["item"].append(name)
                answers["system"].append(system)
                answers["response"].append("yes" if rng.random() < (1 - noise) * yes + noise / 2 else "no")
    return ratings, answers


@pytest.mark.parametrize("unit", ["auto", "batches"])
def test_a_group_that_is_one_batch_is_judged_by_its_items_and_raters(unit: str) -> None:
    result = compare(*batches(), by="group", unit=unit)
    assert result.pairs[0].unit == "batches"
    pairs = [group.pairs[0] for group in result.groups]
    assert len(pairs) == 24
    assert {pair.unit for pair in pairs} == {"items+raters"}
    varying = [pair for pair in pairs if pair.se > 0]
    assert len(varying) > 20
    assert all((np.isfinite(pair.low) and pair.p_value < 1) or abs(pair.difference) < 1e-12 for pair in varying)
    assert "every item differs alike" not in " ".join(pair.sentence for pair in varying)
    assert "Within 24 of 24 groups of group the unit is items+raters: it fits who rated what there." in result.warnings


def test_each_group_has_the_unit_of_its_own() -> None:
    # 23 batches in one half, one in the other.
    result = compare(*batches(), by="half")
    assert [(group.group, group.pairs[0].unit) for group in result.groups] == [
        ("first", "batches"),
        ("last", "items+raters"),
    ]
    assert "Within 1 of 2 groups of half the unit is items+raters: it fits who rated what there." in result.warnings


def test_a_group_that_is_one_cluster_is_judged_by_its_items() -> None:
    ratings, answers = batches()
    ratings["rater"] = [f"{item}-{rater}" for item, rater in zip(ratings["item"], ratings["rater"], strict=True)]
    result = compare(ratings, answers, by="half", unit="cluster:group")
    assert [group.pairs[0].unit for group in result.groups] == ["cluster:group", "items"]
    assert result.groups[1].pairs[0].se > 0


def test_groups_of_one_rater_are_judged_by_their_items() -> None:
    ratings, answers = batches()
    ratings["rater"] = ["x" if half == "last" else r for half, r in zip(ratings["half"], ratings["rater"], strict=True)]
    result = compare(ratings, answers, by="half", unit="items+raters")
    assert [group.pairs[0].unit for group in result.groups] == ["items+raters", "items"]


def test_one_cluster_is_no_sample_of_clusters() -> None:
    outcome = mean_test(np.array([0.0, 1.0, 1.0, 0.0, 1.0]), clusters=np.zeros(5, dtype=int))
    assert np.isnan(outcome.se)
    assert np.isnan(outcome.low)
    assert float(outcome.p_value) == 1.0


def test_items_that_do_differ_alike_are_said_to() -> None:
    # Everybody says the same of an item, a too, b never: the difference is 1 on every item of every group.
    ratings, answers = batches(n_groups=2)
    ratings["response"] = ["yes" if str(item)[-1] in "0246" else "no" for item in ratings["item"]]
    answers["response"] = [
        "yes" if (str(item)[-1] in "0246") == (system == "a") else "no"
        for item, system in zip(answers["item"], answers["system"], strict=True)
    ]
    result = compare(ratings, answers, by="group")
    assert any("differ by the same amount on every item" in warning for warning in result.warnings)
    for group in result.groups:
        assert group.pairs[0].se == 0
        assert group.pairs[0].high == 1
