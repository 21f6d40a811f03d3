"""Langfuse's scores, by its documentation."""

from pathlib import Path

import pytest

from quorate._errors import InputError
from tests.formats.reading import read, read_file


def test_a_category_is_its_word_and_the_author_the_rater() -> None:
    common = {"id": "1", "traceId": "t1", "name": "tone", "source": "ANNOTATION", "authorUserId": "u1"}
    scores = [
        {**common, "dataType": "CATEGORICAL", "value": 0, "stringValue": "rude"},
        {**common, "dataType": "NUMERIC", "value": 0.5, "traceId": "t2"},
    ]
    assert read({"data": scores, "meta": {}}).frame.select("item", "rater", "response").rows() == [
        ("t1", "u1", "rude"),
        ("t2", "u1", "0.5"),
    ]


def test_what_langfuse_wrote_keeps_people_and_judges_apart(logs: Path) -> None:
    with pytest.raises(InputError, match=r"tone \(ANNOTATION\), tone \(EVAL\)"):
        read_file(logs / "langfuse.json")
    log = read_file(logs / "langfuse.json", "tone (ANNOTATION)")
    wanted = [(f"t{k}", who, ("cold", "warm")[k % 2]) for k in range(3) for who in ("ann", "ben")]
    assert log.frame.select("item", "rater", "response").rows() == wanted


def test_the_newer_interface_names_what_a_score_is_about(logs: Path) -> None:
    log = read_file(logs / "langfuse-v3.json")
    rows = log.frame.select("item", "response").unique(maintain_order=True).rows()
    assert rows == [
        ("t0", "2.5"),
        ("t1", "3.5"),
        ("t2", "4.5"),
    ]
