"""Label Studio's JSON, and the JSON_MIN and CSV its own converter made of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from quorate._errors import InputError
from quorate.data.inputs import open_input
from quorate.data.reading import LogReading
from tests.formats.reading import read, reasons

STARS = {("1", "1"): "4", ("1", "2"): "4", ("2", "1"): "5", ("2", "2"): "3", ("3", "1"): "4", ("3", "2"): "4"}
"""What `make_fixtures` lets raters 1 and 2 say of tasks 1 to 3."""


def test_cancelled_annotations_are_none_and_one_question_is_read(logs: Path) -> None:
    with pytest.raises(InputError, match="has several questions: quality, stars"):
        open_input(logs / "label-studio.json")
    log = read((logs / "label-studio.json").read_bytes(), "stars")
    assert {(i, r): x for i, r, x in log.frame.select("item", "rater", "response").rows()} == STARS
    assert reasons(log)["cancelled or skipped by the rater"] == 1
    quality = read((logs / "label-studio.json").read_bytes(), "quality")
    assert quality.frame.filter(item="2", rater="2")["response"].to_list() == ["bad"]


@pytest.mark.parametrize("name", ["label-studio-min.json", "label-studio.csv"])
def test_short_exports_say_the_same_ratings_unwrapped(logs: Path, name: str) -> None:
    table = open_input(logs / name, reading=LogReading(score="stars"))
    assert {(i, r): x for i, r, x in table.frame.select("item", "rater", "response").rows()} == STARS
    words = open_input(logs / name, reading=LogReading(score="quality")).frame
    assert sorted(words["response"]) == ["bad", *["good"] * 5]


@pytest.mark.parametrize("name", ["label-studio-pairs.json", "label-studio-pairs-min.json", "label-studio-pairs.csv"])
def test_comparisons_are_votes_between_systems_in_every_export(logs: Path, name: str) -> None:
    """By sides the first rater would be undecided, who always prefers the new system, shown left or right."""
    table = open_input(logs / name, reading=LogReading(score="pick"))
    assert table.log is not None
    assert table.log.kind == "preferences"
    won = {(i, r): x for i, r, x in table.frame.select("item", "rater", "winner").rows()}
    assert won == {(str(i), r): "new" if r == "1" or i % 2 else "old" for i in (1, 2, 3) for r in ("1", "2")}
    choices = open_input(logs / name, reading=LogReading(score="quality")).frame["response"]
    assert choices.to_list() == ["bad+good", "good"] * 3  # the data's own field `quality` is none of the choices


def test_what_a_model_predicted_is_no_rating_and_an_empty_answer_is_counted() -> None:
    result = [{"from_name": "q", "to_name": "text", "type": "rating", "value": {"rating": 1}}]
    predicted = {"predictions": [{"model_version": "m", "score": 0.9, "result": result}]}
    log = read([annotated(1, said(7, "rating", 4)) | predicted, annotated(2, {**said(7, "rating", 4), "result": []})])
    assert log.frame.select("item", "response").rows() == [("1", "4")]
    assert reasons(log) == {"nothing was answered": 1}
    skipped = [annotated(1, said(7, "rating", 4), said(8, "rating", 2, skipped=True))]
    assert read(skipped).frame["rater"].to_list() == ["7"]


def task(number: int, who: Any, value: dict[str, Any], **data: str) -> dict[str, Any]:
    result = [{"from_name": "pick", "to_name": "t", "type": "x", "value": value}]
    given = {"id": number, "completed_by": who, "result": result, "was_cancelled": False}
    return {"id": number, "data": data, "annotations": [given], "predictions": [12]}


def test_a_side_that_was_selected_is_a_vote_between_the_task_s_systems() -> None:
    person = {"id": 3, "email": "ann@x.org"}
    content = [
        task(1, person, {"selected": "left"}, model_a="new", model_b="old"),
        task(2, person, {"selected": "left"}, model_a="old", model_b="new"),
    ]
    log = read(content)
    assert log.kind == "preferences"
    assert log.frame.select("item", "rater", "system_a", "system_b", "winner").rows() == [
        ("1", "ann@x.org", "new", "old", "new"),
        ("2", "ann@x.org", "old", "new", "old"),
    ]
    plain = read([task(1, 5, {"selected": "right"})])
    assert plain.frame.select("system_a", "system_b", "winner").rows() == [("left", "right", "right")]


def test_several_choices_are_one_label_and_said_so() -> None:
    log = read([task(1, 5, {"choices": ["b", "a"]}), task(2, 5, {"choices": ["a"]})])
    assert log.frame["response"].to_list() == ["a+b", "a"]
    assert any("several choices" in note for note in log.notes)


def test_old_exports_have_completions(logs: Path) -> None:
    tasks = json.loads((logs / "label-studio.json").read_text())
    for each in tasks:
        each["completions"] = each.pop("annotations")
    assert read(tasks, "stars").frame.height == 6


def annotated(number: int, *given: dict[str, Any]) -> dict[str, Any]:
    return {"id": number, "data": {"text": "…"}, "annotations": list(given)}


def said(who: int, kind: str, value: Any, **more: Any) -> dict[str, Any]:
    result = [{"from_name": "q", "to_name": "text", "type": kind, "value": {kind: value}}]
    return {"id": who, "completed_by": who, "result": result, **more}


def test_a_ranking_is_a_vote_between_any_two() -> None:
    log = read([annotated(1, said(7, "ranker", {"rank": ["b", "a", "c"]}))])
    assert log.kind == "preferences"
    votes = log.frame.select("system_a", "system_b", "winner").rows()
    assert votes == [
        ("b", "a", "b"),
        ("b", "c", "b"),
        ("a", "c", "a"),
    ]
    with pytest.raises(InputError, match="holds no value to read"):  # sorted into boxes, nothing is better
        read([annotated(1, said(7, "ranker", {"good": ["a"], "bad": ["b"]}))])


def test_the_ground_truth_is_no_rating_unless_there_is_nothing_else() -> None:
    gold = said(9, "rating", 1, ground_truth=True)
    log = read([annotated(1, said(7, "rating", 4), gold), annotated(2, said(7, "rating", 5))])
    assert log.frame.select("rater", "response").rows() == [("7", "4"), ("7", "5")]
    assert reasons(log) == {"marked as ground truth, which is an expert's label": 1}
    assert read([annotated(1, gold)]).frame["rater"].to_list() == ["9"]
