"""Groups of items: each with the unit that fits who rated what there; one batch is no sample of batches."""

from typing import Any

import numpy as np
import pytest

from quorate import compare
from quorate.inference.outcome import mean_test

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
    assert all((np.isfinite(pair.low) and pair.p_value < 1) or pair.difference == 0 for pair in varying)
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
    assert all("every item differs alike" in group.pairs[0].sentence for group in result.groups)
