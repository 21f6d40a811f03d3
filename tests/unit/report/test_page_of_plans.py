"""The page of a plan names the people who are needed, marks them, and leaves out nothing that the terminal says."""

from typing import Any

import pytest

import quorate
from quorate.planning.grid_sweep import sweep
from quorate.planning.grids import Grid
from quorate.planning.result import Planned
from quorate.report import plots, to_page


@pytest.fixture(scope="module")
def board() -> Planned:
    """A plan of votes between three systems, whose pilot had too few people."""
    return quorate.plan("example:preferences", win_rate=0.6)


def test_the_people_who_are_needed_are_marked_and_stand_among_the_facts(board: Planned) -> None:
    people = board.people
    assert people is not None
    assert people.used > people.pool  # the pilot's people cannot reach the goal
    [mark] = [each for each in plots.plan_people(board).data if each.mode == "markers"]
    assert list(mark.y) == [100 * row.size.power for row in board.by_pool if row.pool == people.used]
    assert dict(to_page(board).facts)["people"] == str(people.used)


def test_votes_for_each_pair_and_the_other_design_are_on_the_page(board: Planned) -> None:
    assert "Votes for each pair" in [section.title for section in to_page(board).sections]
    rated = quorate.plan("example:replies", rated_system="system", difference=0.3)
    said = [text for section in to_page(rated).sections for text in section.text]
    assert any(text.startswith("As in the pilot") for text in said)


def test_a_data_sheet_names_people_pairs_and_what_is_ruled_out(board: Planned) -> None:
    assert board.people is not None
    assert f"rated by {board.people.used} people" in board.data_sheet()
    assert "two-sided at 5 % over all 3 pairs" in board.data_sheet()
    alike = quorate.plan("dices", difference=0, margin=0.05, goal="equivalence=.8")
    assert "a difference of 0.050 or more in agreement is ruled out" in alike.data_sheet()
    assert "a loss of 0.050 or more" in quorate.plan("dices", difference=0, margin=0.05).data_sheet()


def test_a_cost_at_sizes_that_were_asked_for_promises_no_goal() -> None:
    asked = plots.plan(quorate.plan("dices", effect=0.3, items=[50, 200], raters=[1, 3]))
    assert asked.layout.title.text == "Cost by raters per item, at the items asked for"


def test_studies_that_cost_the_same_are_those_of_a_budget_only_where_there_is_one() -> None:
    """Where items hardly differ, two raters of one are worth as much as one rater of two."""
    variance = {"item": 0.0001, "rest": 0.3}
    asked = plots.plan(quorate.plan(variance=variance, difference=0.03, raters=[1, 2, 5]))
    assert asked.layout.title.text == "Cost by raters per item, for the goal"
    bought = plots.plan(quorate.plan(variance=variance, difference=0.03, budget=2000))
    assert bought.layout.title.text == "Power by raters per item, for the budget"


def test_settings_of_a_sweep_that_are_not_drawn_are_said() -> None:
    dices = {"dices": (5.22, 0.86, 2.75)}
    many = sweep(Grid(dices, ("agreement", "accuracy"), (0.1, 0.2, 0.3), ((60, 60, 1),), answers=1))
    assert to_page(many).sections[0].title == "At a glance: the first 4 of 6 settings"
    few = sweep(Grid(dices, ("agreement",), (0.3,), ((60, 60, 1),), answers=1))
    assert to_page(few).sections[0].title == "At a glance"


def test_technical_metrics_of_a_plan_are_explained_and_no_power_is_below_nothing() -> None:
    several = to_page(quorate.plan("dices", effect=0.3, metric=["accuracy", "total_variation"], raters=[1, 3]))
    said = "\n".join(text for section in several.sections for text in section.text)
    assert "Accuracy: share of the system's answers that are what most raters of the item said" in said
    assert "Total_variation: half the summed gaps" in said
    margin = quorate.plan("dices", difference=0, margin=0.05, goal="equivalence=.8", raters=[1, 10])
    words = {word for line in plots.plan_sizes(margin).data[0].text for word in line}
    assert "0" in words
    assert "-0" not in words


def test_a_plan_with_a_margin_shows_the_margin_and_no_difference_of_nothing() -> None:
    alike = quorate.plan("dices", difference=0, margin=0.05, goal="equivalence=.8")
    facts = dict(to_page(alike).facts)
    assert facts["margin"] == "0.050"
    assert "difference" not in facts
    assert plots.plan_sizes(alike).layout.title.text.endswith("margin 0.050 in agreement")
    better = dict(to_page(quorate.plan("dices", difference=0.02, margin=0.05)).facts)
    assert (better["margin"], better["difference"]) == ("0.050", "0.020")


def test_what_people_can_ever_see_is_held_against_the_margin() -> None:
    pilot = ("example:support", "example:support-answers")
    sentence = quorate.plan(pilot=pilot, difference=0, margin=0.05, raters=[1]).sentence()
    assert "smallest difference you can ever see" not in sentence


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"difference": 0.05}, "calls the better system better"),
        ({"difference": 0.0, "margin": 0.05}, "lies above a loss as large as the margin"),
        ({"difference": 0.0, "margin": 0.05, "goal": "equivalence=.8"}, "lies within the margin on both sides"),
    ],
)
def test_the_page_says_what_its_power_is_the_chance_of(asked: dict[str, Any], said: str) -> None:
    [power, *_] = to_page(quorate.plan("dices", **asked)).method
    assert said in power
    assert "{" not in power
