"""The verb plan: definitions, prices, what it says, and what it refuses."""

import json
import pickle
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from quorate._errors import InputError
from quorate.data.answers import Systems, read_systems
from quorate.data.inputs import example_path
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import read_ratings
from quorate.fitting.verb import fit
from quorate.metrics.metric import Metric
from quorate.planning.result import Planned
from quorate.planning.scenario import Scenario
from quorate.planning.sources.population import item_law
from quorate.planning.verb import plan
from quorate.populations.population import Population

DICES = "dices"
ROW = {
    *("n_items", "n_raters", "responses", "cost", "power", "power_error"),
    *("expected_p", "expected_p_error", "difference", "ci_width", "detectable"),
}


@cache
def usual() -> Planned:
    """What several tests look at."""
    return plan(DICES, difference=0.05)


def test_one_answer_and_no_item_price_say_one_rater_and_why() -> None:
    found = usual()
    assert found.best.n_raters == 1
    assert found.best.difference == pytest.approx(0.05, abs=1e-5)
    assert 0.8 <= found.best.power < 0.805
    assert "One rater per item, because a new item tells more" in found.sentence()
    costs = [row.cost for row in found.by_raters]
    assert costs == sorted(costs)  # every further rater costs more than it brings


@pytest.mark.parametrize("difference", [0.03, 0.08])
def test_dear_items_want_the_raters_of_the_formula(difference: float) -> None:
    found = plan(DICES, difference=difference, item_price=10.0)
    # K* = sqrt(10 σ_w² / σ_b²), from the exact variances at one and at many raters: Var d = σ_b² + σ_w² / K
    assert found.effect is not None
    setting = Scenario(_dices(), _agreement(), found.effect)
    one, two = (item_law(setting, k, target=0.01).sd ** 2 for k in (1, 2))
    within, between = 2 * (one - two), 2 * two - one
    formula = np.sqrt(10 * within / between)
    cost_there = min(row.cost for row in found.by_raters if abs(row.n_raters - formula) <= 1)
    assert abs(found.best.n_raters - formula) <= 1 or cost_there <= 1.01 * found.best.cost
    assert "items cost money too" in found.sentence()


def test_very_dear_items_look_beyond_the_usual_numbers() -> None:
    found = plan(DICES, difference=0.05, item_price=1000.0)
    assert found.best.n_raters > 50


def test_json_has_the_fields_of_the_contract() -> None:
    content = usual().to_dict()
    json.dumps(content, allow_nan=False)
    assert content["schema"] == "quorate.plan/1"
    assert set(content["best"]) == ROW
    assert set(content["by_raters"][0]) == ROW
    assert content["effect"] == pytest.approx(0.05 / 0.178, rel=0.01)  # the difference is linear in ε
    names = [option["name"] for option in content["options"]]
    assert names[0] == "recommended"
    assert names[-1] == "buy nothing"
    assert 3 <= len(names) <= 4
    for option in content["options"]:
        assert {"cost", "n_items", "n_raters", "detectable", "inconclusive", "assumption"} <= set(option)
        assert option["inconclusive"] == pytest.approx(1 - option["power"], abs=0.01)
    assert content["grid"] == []


def test_fixed_sizes_give_the_grid() -> None:
    found = plan(DICES, difference=0.05, items=(200, 400), raters=(1, 3))
    assert [(row.n_items, row.n_raters) for row in found.grid] == [(200, 1), (400, 1), (200, 3), (400, 3)]
    alone = plan(DICES, difference=0.05, items=(1,), raters=(4,))
    assert (alone.best.power, len(alone.grid)) == (0.0, 1)
    assert alone.to_dict()["best"]["ci_width"] is None
    assert any("goal is not met" in warning for warning in alone.warnings)


def test_the_table_that_is_written_has_usual_sizes_when_none_was_asked_for() -> None:
    frame = usual().to_frame()
    assert {"metric", "effect"} | ROW == set(frame.columns)
    assert len(frame) == 45
    assert frame["n_raters"].unique().sort().to_list() == [1, 2, 3, 5, 10]


def test_a_budget_alone_buys_power_and_money_counts_if_there_is_a_price() -> None:
    ratings = plan(DICES, difference=0.05, budget=500)
    assert (ratings.best.n_items, ratings.best.n_raters) == (500, 1)
    money = plan(DICES, difference=0.05, budget=500, item_price=4.0, rating_price=1.0)
    assert money.best.cost <= 500
    assert money.best.power == max(row.power for row in money.by_raters if row.n_items >= 30)
    enough = plan(DICES, difference=0.05, budget=50_000, goal="power=.8")
    assert enough.best.cost < 2000  # a goal stops there


def test_a_score_makes_a_less_than_a_random_rater() -> None:
    found = plan(DICES, difference=0.05, score=0.45)
    assert "for A" in found.sentence()
    with pytest.raises(InputError, match=r"agreement lies between 0\.333 and 0\.511"):
        plan(DICES, difference=0.03, score=0.8)


def test_systems_that_agree_need_fewer_items() -> None:
    apart, together = usual(), plan(DICES, difference=0.05, systems_agree=0.6)
    assert together.best.n_items < 0.9 * apart.best.n_items
    assert together.best.difference == pytest.approx(0.05, rel=0.02)


def test_differences_of_panel_metrics_hold_at_so_many_raters() -> None:
    settings: dict[str, Any] = {"metric": "total_variation", "difference": 0.03, "items": (100,)}
    at_five = plan(DICES, **settings, raters=(5,))
    at_two = plan(DICES, **settings, raters=(2,), at_raters=2)
    assert at_five.best.difference == pytest.approx(0.03, rel=0.03)
    assert at_two.best.difference == pytest.approx(0.03, rel=0.03)


def test_a_margin_plans_for_no_worse_or_for_equivalence() -> None:
    worse = plan(DICES, effect=0.0, margin=0.05)
    assert "rules out" in worse.sentence()
    assert worse.best.power >= 0.8
    equal = plan(DICES, difference=0.0, margin=0.05, goal="equivalence=.8")
    assert "differ by less than 0.050" in equal.sentence()
    assert equal.best.n_items > worse.best.n_items
    assert worse.effect == equal.effect == 0.0


def test_next_purchases() -> None:
    some = plan(DICES, difference=0.05, have=(200, 3))
    assert [option.name for option in some.options] == ["more items", "buy nothing"]
    assert some.best.n_items > 200
    assert some.best.cost == pytest.approx(3 * (some.best.n_items - 200))
    assert "Decide that number now" in some.sentence()
    enough = plan(DICES, difference=0.05, have=(5000, 1))
    assert enough.options[0].name == "buy nothing"
    assert "are enough" in enough.sentence()
    assert enough.best.cost == 0


def test_papers_habits() -> None:
    found = plan(DICES, effect=0.4, variant="paper", metric="total_variation", goal="p=.05", raters=(10, 20))
    assert found.settings["answers"] == "raters"
    assert found.settings["min_items"] == 1
    assert found.best.n_items < 30
    assert "expected p" in found.sentence()
    row = plan(DICES, effect=0.4, variant="paper", metric="accuracy", items=(400,), raters=(2,)).best
    # Alg. 3: distance of the 2.5 and 97.5 % quantiles of Γ, not the t interval
    usual = plan(DICES, effect=0.4, answers="raters", metric="accuracy", items=(400,), raters=(2,)).best
    assert row.ci_width != usual.ci_width


def test_several_metrics_say_which_needs_least() -> None:
    found = plan(DICES, effect=0.4, metric=["agreement", "total_variation"], raters=(1, 2))
    assert set(found.by_metric or {}) == {"agreement", "total_variation"}
    assert "By total_variation it takes as much." in found.sentence()  # with one rater they are the same
    assert "wins:kl" in plan(DICES, effect=0.4, metric=["agreement", "wins:kl"], raters=(1, 2)).sentence()
    assert found.best.cost == min(row.cost for row in (found.by_metric or {}).values())


def test_the_same_seed_gives_the_same_plan() -> None:
    ask: dict[str, Any] = {"difference": 0.05, "answers": "probabilities", "raters": (1,)}
    first, again, other = (plan(DICES, **ask, seed=seed) for seed in (0, 0, 1))
    assert first.to_dict() == again.to_dict()
    assert first.best.n_items == pytest.approx(other.best.n_items, rel=0.05)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        ({}, "Say what must be seen"),
        ({"difference": 0.3}, "at most 0.178"),
        ({"difference": -0.1}, "must be a number from 0 up"),
        ({"difference": 0.0}, "nothing to see"),
        ({"effect": 0.0}, "nothing to see"),
        ({"effect": 1.5}, "between 0 and 1"),
        ({"difference": 0.1, "effect": 0.1}, "not both"),
        ({"difference": 0.1, "goal": "power=2"}, "not a goal"),
        ({"difference": 0.1, "goal": "equivalence=.8"}, "needs --margin"),
        ({"difference": 0.1, "budget": 0.5}, "buys nothing"),
        ({"difference": 0.1, "budget": 12, "item_price": 20.0}, "buys nothing"),
        ({"difference": 0.1, "margin": -0.1}, "above 0"),
        ({"difference": 0.1, "confidence": 1.0}, "not between 0 and 1"),
        ({"difference": 0.1, "rating_price": -1.0}, "negative"),
        ({"difference": 0.1, "items": (0,)}, "from 1 up"),
        ({"difference": 0.1, "metric": ["agreement", "brier"]}, "different units"),
        ({"difference": 0.1, "metric": "crps"}, "makes no sense on a nominal scale"),
        ({"difference": 0.1, "metric": "wins", "score": 0.4}, "wins has none"),
        ({"difference": 0.1, "systems_agree": 0.99}, "at most"),
        ({"difference": 0.1, "systems_agree": 0.6, "answers": 5}, "one answer each"),
        ({"effect": 0.1, "score": 0.4}, "not the better one"),
        ({"difference": 0.1, "metric": "f1", "positive": "Maybe"}, "not a category"),
        ({"difference": 1e-5}, "out of reach"),
    ],
)
def test_what_cannot_be_asked(ask: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        plan(DICES, **ask)


def _pilot(n: int = 60, k: int = 3) -> tuple[Ratings, Systems]:
    rng = np.random.default_rng(4)
    rows: dict[str, list[str]] = {"item": [], "rater": [], "response": []}
    answers: dict[str, list[str]] = {"item": [], "system": [], "response": []}
    for i in range(n):
        share = rng.beta(2, 1)
        for j in range(k):
            rows["item"].append(f"i{i}")
            rows["rater"].append(f"r{i}-{j}")
            rows["response"].append("yes" if rng.random() < share else "no")
        for system, skill in (("good", 0.95), ("poor", 0.6)):
            answers["item"].append(f"i{i}")
            answers["system"].append(system)
            answers["response"].append("yes" if (share > 0.5) == (rng.random() < skill) else "no")
    return read_systems(answers, read_ratings(rows))


def test_a_pilot_with_answers_needs_no_effect() -> None:
    found = plan(pilot=_pilot(), systems=("good", "poor"), difference=0.1)
    assert found.effect is None
    assert found.pilot is not None
    assert found.pilot["items_low"] <= found.best.n_items <= found.pilot["items_high"]
    assert 0 < found.pilot["assurance"] < 1
    assert 0 <= found.pilot["replay"] <= 1
    assert found.best.difference == pytest.approx(0.1)
    assert np.isnan(found.best.expected_p)
    assert "60 pilot items, good against poor" in found.sentence()


def test_a_pilot_of_one_rater_each_is_planned_with_one_and_says_so() -> None:
    found = plan(pilot=_pilot(k=1), difference=0.1)
    assert {row.n_raters for row in found.by_raters} == {1}
    assert any("one rater per item" in warning for warning in found.warnings)
    with pytest.raises(InputError, match="ask for fewer with --raters"):
        plan(pilot=_pilot(k=1), difference=0.1, raters=(3,))


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        ({}, "With a pilot say --difference"),
        ({"difference": 0.1, "systems": ("good",)}, "about two systems"),
        ({"difference": 0.1, "systems": ("good", "best")}, "no system 'best'"),
        ({"difference": 0.1, "answers": 5}, "--answers has no meaning"),
        ({"difference": 0.1, "score": 0.5}, "--score has no meaning"),
        ({"difference": 0.1, "metric": "crps"}, "makes no sense on a nominal scale"),
        ({"difference": 0.0}, "nothing to see"),
    ],
)
def test_what_cannot_be_asked_of_a_pilot(ask: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        plan(pilot=_pilot(), **ask)


def test_identical_systems_are_no_pilot() -> None:
    ratings, systems = _pilot()
    same = {"item": [f"i{i}" for i in range(60)] * 2, "system": ["a"] * 60 + ["b"] * 60, "response": ["yes"] * 120}
    with pytest.raises(InputError, match="score the same on every pilot item"):
        plan(pilot=read_systems(same, ratings), difference=0.1)
    assert systems.names == ("good", "poor")


def _dices() -> Population:
    from quorate.populations.choice import find_preset

    return find_preset(DICES).population


def _agreement() -> Metric:
    from quorate.metrics import find_metric

    return find_metric("agreement")


def test_one_size_may_be_given_as_a_number() -> None:
    one, listed = (plan("dices", difference=0.05, items=n, raters=k) for n, k in ((200, 3), ([200], [3])))
    assert one.best == listed.best


def test_sizes_may_be_written_as_on_the_command_line() -> None:
    written = plan(DICES, difference=0.05, items="100-102", raters="1,3", have="200,3", goal="power=.8", answers="1")
    assert {(size.n_items, size.n_raters) for size in written.grid} == {(n, k) for n in (100, 101, 102) for k in (1, 3)}
    assert written.settings["have"] == [200, 3]


def test_a_plan_can_be_pickled_and_still_knows_usual_sizes() -> None:
    planned = usual()
    again = pickle.loads(pickle.dumps(planned))
    assert again.to_dict() == planned.to_dict()
    assert again.to_frame().equals(planned.to_frame())
    pilot = plan(pilot=_pilot(), systems=("good", "poor"), difference=0.1)
    assert pickle.loads(pickle.dumps(pilot)).to_dict() == pilot.to_dict()


def test_settings_name_the_population_and_every_option() -> None:
    settings = plan(DICES, difference=0.05, items=(100,), raters=(1, 2), precision=0.01).settings
    assert settings["population"] == {"name": "dices", **_dices().parameters()}
    assert (settings["items"], settings["raters"], settings["precision"]) == ([100], [1, 2], 0.01)
    assert (settings["metric"], settings["answers"], settings["positive"]) == (["agreement"], 1, None)


def test_settings_name_the_pilot_and_its_systems() -> None:
    ratings, systems = _pilot()
    given = plan(pilot=(ratings, systems), systems=("good", "poor"), difference=0.1)
    assert given.settings["pilot"] == [ratings.name, systems.name]
    assert given.settings["systems"] == ["good", "poor"]
    read = plan(from_ratings="example:support", with_answers="example:support-answers", difference=0.05)
    assert read.settings["from_ratings"] == "example:support"
    assert read.settings["with_answers"] == "example:support-answers"
    assert read.settings["systems"] == ["atlas", "birch"]
    assert any("example:support-answers: 2 systems" in line for line in read.load_report)


def test_ratings_may_be_resampled_or_fitted_in_python() -> None:
    resampled = plan(resample="example:summaries", resample_unit="items", effect=0.4, items=(50,), raters=(1,))
    assert resampled.settings["population"]["kind"] == "empirical"
    fitted = plan(from_ratings="example:support", difference=0.05, items=(50,), raters=(1,))
    assert fitted.settings["population"]["kind"] == "dirichlet"
    assert any("looks most like" in line for line in fitted.load_report)


def test_a_population_that_does_not_fit_its_ratings_is_a_warning() -> None:
    # Half the items split 5 to 5 or nearly, a quarter is all yes, a quarter all no: no beta has such shares.
    votes = [["yes"] * k + ["no"] * (10 - k) for k in (10, 5, 5, 0) * 40]
    ratings = {"item": np.repeat(np.arange(160), 10).tolist(), "response": [word for item in votes for word in item]}
    planned = plan(from_ratings=ratings, effect=0.3, items=(50,), raters=(1,))
    assert any("consider --resample" in warning for warning in planned.warnings)
    assert planned.to_dict()["warnings"] == list(planned.warnings)
    fitted = fit(ratings)
    alone = plan(fitted.population, effect=0.3, items=(50,), raters=(1,))  # of which nothing is known
    again = plan(fitted.to_dict(), effect=0.3, items=(50,), raters=(1,))  # what `fit -o` writes
    assert again.warnings == (*fitted.warnings, *alone.warnings)
    assert set(fitted.warnings) & set(planned.warnings)


def test_two_systems_are_planned_for_though_a_third_has_gaps() -> None:
    answers = {"item": [], "system": [], "response": []}  # type: dict[str, list[str]]
    names = [f"i{i}" for i in range(40)]
    for system, n in (("good", 40), ("poor", 40), ("late", 7)):
        answers["item"] += names[:n]
        answers["system"] += [system] * n
        answers["response"] += ["yes" if system == "good" else "no"] * n
    votes = np.random.default_rng(3).choice(["yes", "no"], 120, p=[0.7, 0.3]).tolist()
    ratings = {"item": names * 3, "rater": [f"r{j}" for j in range(120)], "response": votes}
    ask: dict[str, Any] = {"from_ratings": ratings, "with_answers": answers, "difference": 0.1}
    assert plan(**ask, systems="good,poor").settings["systems"] == ["good", "poor"]
    with pytest.raises(InputError, match="did not answer"):
        plan(**ask)


def test_data_come_first_in_every_spelling() -> None:
    files = "example:support", "example:support-answers"
    asked = [
        plan(*files, difference=0.05),
        plan(from_ratings=files[0], with_answers=files[1], difference=0.05),
        plan(pilot=files, difference=0.05),
        plan(pl.read_csv(example_path("support")), pl.read_csv(example_path("support-answers")), difference=0.05),
    ]
    assert len({str(each.sentence()) for each in asked}) == 1


def test_a_pilot_that_was_read_says_what_was_read_and_may_be_half_read() -> None:
    ratings = read_ratings("example:support")
    read = plan(pilot=read_systems("example:support-answers", ratings), difference=0.05)
    half = plan(pilot=(ratings, "example:support-answers"), difference=0.05)
    files = plan("example:support", "example:support-answers", difference=0.05)
    assert read.load_report == half.load_report == files.load_report != ()
    assert read.sentence() == half.sentence() == files.sentence()


def test_a_pilot_of_ratings_alone_is_what_stands_first() -> None:
    first = plan("example:support", difference=0.1, items=400, raters=3)
    assert plan(pilot="example:support", difference=0.1, items=400, raters=3).sentence() == first.sentence()
    with pytest.raises(InputError, match="name no other ratings"):
        plan(pilot="example:support", from_ratings="example:summaries", difference=0.1)
    with pytest.raises(InputError, match="--scale says how a file of ratings is read"):
        plan(pilot=_pilot(), scale="nominal", difference=0.1)


def test_a_pilot_whose_items_all_differ_alike_has_a_range() -> None:
    """Items vary by exactly nothing, which is no reason to know nothing of the range."""
    cells = [(f"i{k}", f"r{r}", "yes" if (k + r) % 4 else "no") for k in range(40) for r in range(4)]
    ratings = dict(zip(("item", "rater", "response"), map(list, zip(*cells, strict=True)), strict=True))
    items = [f"i{k}" for k in range(40)]
    answers = {"item": items * 2, "system": ["a"] * 40 + ["b"] * 40, "response": ["yes"] * 40 + ["no"] * 40}
    found = plan(ratings, answers, difference=0.3).to_dict()["pilot"]
    assert 0 < found["assurance"] <= 1
    assert 1 < found["items_low"] <= found["items_high"]
