"""Argilla's records, written by its own code, nested and flat."""

from pathlib import Path

from tests.formats.reading import read, reasons


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


def test_rankings_are_written_from_the_best_down() -> None:
    ranking = [{"value": "a", "rank": 1}, {"value": "b", "rank": 2}]
    record = {"id": "q", "fields": {}, "suggestions": {}, "responses": {"best": [{"value": ranking, "user_id": "u"}]}}
    assert read([record]).frame["response"].to_list() == ["a>b"]
