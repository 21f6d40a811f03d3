"""Argilla's records, written by its own code, nested and flat."""

import json
from pathlib import Path

import polars as pl

from tests.formats.reading import read, read_frame, reasons


def test_only_submitted_answers_of_flat_records_count(logs: Path) -> None:
    log = read((logs / "argilla-flat.json").read_bytes())
    assert log.frame.select("item", "response").rows() == [("q0", "3"), ("q1", "4"), ("q2", "5")]
    assert log.frame["rater"].n_unique() == 1
    assert reasons(log) == {"a draft, or discarded by the rater": 3}
    assert log.frame["topic"].to_list() == ["even", "odd", "even"]


def test_nested_records_hide_what_was_discarded_and_that_is_said(logs: Path) -> None:
    log = read((logs / "argilla.json").read_bytes())
    assert log.frame.height == 6
    assert any("does not say which responses were only drafts" in note for note in log.notes)


def test_a_ranking_is_a_vote_between_any_two() -> None:
    ranking = [{"value": "b", "rank": 2}, {"value": "a", "rank": 1}, {"value": "c", "rank": 2}]
    answers = {"best": [{"value": ranking, "user_id": "u"}], "tags": [{"value": ["y", "x"], "user_id": "u"}]}
    record = {"id": "q", "fields": {}, "suggestions": {}, "responses": answers}
    log = read([record], "best")
    assert log.kind == "preferences"
    votes = log.frame.select("system_a", "system_b", "winner").rows()
    assert votes == [
        ("a", "b", "a"),
        ("a", "c", "a"),
        ("b", "c", "tie"),
    ]
    labels = read([record], "tags")
    assert (labels.kind, labels.frame.rows()) == ("ratings", [("q", "u", "y+x")])


def test_a_saved_data_set_is_read_like_flat_records(logs: Path) -> None:
    frame = pl.DataFrame(json.loads((logs / "argilla-flat.json").read_text()))
    saved, flat = read_frame(frame), read((logs / "argilla-flat.json").read_bytes())
    assert saved.frame.equals(flat.frame)
    assert reasons(saved) == reasons(flat)


def test_drafts_are_no_answers_either() -> None:
    flat = {"q.responses": [4, 1], "q.responses.users": ["u", "v"], "q.responses.status": ["submitted", "draft"]}
    log = read([{"id": "a", "status": "pending", **flat}])
    assert log.frame.rows() == [("a", "u", "4")]
    assert reasons(log) == {"a draft, or discarded by the rater": 1}
