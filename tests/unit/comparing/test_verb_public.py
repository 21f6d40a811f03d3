"""Raters of public data: what `describe` and `compare` say of them is what was found by looking at the tables."""

from pathlib import Path

import numpy as np

from quorate import compare, describe


def table(shared: Path, name: str, part: str = "annotations") -> Path:
    return next((shared / name).glob(f"{part}.csv*"))


def test_two_groups_of_raters_lean_apart(shared: Path) -> None:
    found = describe(table(shared, "hs_brexit"))
    [left, right] = found.to_dict()["rater_groups"]["rater_group"]
    assert (left["raters"], right["raters"], left["towards"], right["towards"]) == (3, 3, "0", "1")
    assert left["agree_within"] > right["agree_within"] > left["agree_across"]
    assert found.effective_raters == 6


def test_raters_who_always_answer_the_same_are_named(shared: Path) -> None:
    # Found by hand: four of 123 raters give one answer on at least 98 % of the items.
    found = describe(table(shared, "dices_350"))
    assert found.habits is not None
    assert found.ratings.raters is not None
    named = [found.ratings.raters[int(j)] for j in np.flatnonzero(found.habits.always)]
    assert named == ["r007", "r062", "r081", "r100"]


def test_three_experts_say_less_than_their_items(shared: Path) -> None:
    found = compare(
        table(shared, "summeval_experts"),
        table(shared, "summeval_experts", "predictions"),
        systems=["gpt-4o", "gpt-4o-mini", "mistral-v03", "llama-31"],
    )
    effects = [pair.rater_effect for pair in found.pairs if pair.rater_effect is not None]
    assert np.median(effects) > 10
    assert {pair.n_raters for pair in found.pairs} == {3}
    assert any("Only 3 raters" in warning for warning in found.warnings)


def test_busy_raters_count_for_few(shared: Path) -> None:
    found = describe(table(shared, "md_agreement"))
    assert found.ratings.n_raters == 819
    assert found.effective_raters is not None
    assert found.effective_raters < 150
    # One rater answered 1,988 items and leans to "offensive".
    assert found.habits is not None
    busiest = int(found.habits.responses.argmax())
    assert found.habits.responses[busiest] == 1988
    assert found.habits.leaning[busiest] > 0.2


def test_batches_are_found(shared: Path) -> None:
    from quorate.data.read_ratings import read_ratings
    from quorate.inference.units import choose_unit

    unit = choose_unit(read_ratings(table(shared, "csc_devtest")))
    assert unit.name == "batches"
    assert unit.reason.startswith("Items come in 188 batches")
