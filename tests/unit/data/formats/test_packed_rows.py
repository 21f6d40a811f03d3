"""Rows in columns: what a log says is the same whether its records are held at once or gone through."""

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from quorate._errors import InputError
from quorate.data.formats.packed_rows import RECORD, CrowdError, Row, last_of_each, numbered, packed, told_apart
from quorate.data.formats.registry import read_json_log
from quorate.data.json_records import JsonRecords
from quorate.data.json_table import parse_json
from quorate.data.reading import LogChoice
from quorate.data.tables import parse_large_json
from tests.hostile.logs import LOGS, contents

CHOICES = (LogChoice(), LogChoice("exact_match", "strict-match"), LogChoice("correct"), LogChoice("quality"))


def said(content: object, choice: LogChoice) -> object:
    """Return all of a log that was read, or why it was refused."""
    try:
        log = read_json_log("log", content, choice)
    except InputError as error:
        return str(error)
    return None if log is None else (log.frame.to_dicts(), log.words, log.kind, log.scope, log.details)


def as_lines(path: Path) -> bytes:
    """Return the records of a file, a line each, and one that is no object."""
    content = parse_json(path.name, path.read_bytes())
    lines = path.read_text().splitlines() if path.suffix == ".jsonl" else map(json.dumps, content)
    return "\n".join([*lines, '"no object"']).encode()


WRITTEN = [path for path in sorted(LOGS.rglob("*.json*")) if isinstance(parse_json("", path.read_bytes()), list)]
MADE = {name: content for name, content in contents().items() if isinstance(content, list)}


@pytest.mark.parametrize("data", [*map(as_lines, WRITTEN), *(json.dumps(each).encode() for each in MADE.values())])
def test_records_gone_through_say_what_they_say_at_once(data: bytes) -> None:
    records = parse_json("log", data + b"\n", small=1)
    assert isinstance(records, JsonRecords)
    for choice in CHOICES:
        assert said(records, choice) == said(parse_json("log", data), choice)


def test_rows_are_packed_some_at_a_time_and_know_their_record() -> None:
    def records() -> Iterator[list[Row]]:
        for k in range(50_000):
            yield [{"item": str(k)}, {"item": str(k), "late": "x"}] if k == 49_999 else [{"item": str(k)}]

    frame = packed(records(), "never")
    assert frame["item"].to_list() == [*map(str, range(50_000)), "49999"]
    assert frame[RECORD].to_list() == [*range(50_000), 49_999]
    assert (frame["late"].count(), frame["never"].count()) == (1, 0)
    assert packed([], "item").columns == [RECORD, "item"]


def test_rows_that_would_fill_the_memory_are_refused() -> None:
    with pytest.raises(CrowdError):
        packed(([{"item": "x" * 100}] for _ in range(1000)), most=10_000)


def test_records_are_numbered_with_all_their_rows_and_the_last_one_stays() -> None:
    rows = packed([{"item": i, "question": q} for q in "xy"] for i in "abaa")
    assert numbered(rows, "item")["run"].to_list() == ["1", "1", "1", "1", "2", "2", "3", "3"]
    assert last_of_each(rows, "item")[RECORD].to_list() == [1, 1, 3, 3]


def test_a_question_of_several_sources_is_named_with_them() -> None:
    rows = packed([{"question": q, "from": source}] for q, source in ("ax", "ay", "bx", "bx"))
    assert told_apart(rows, "from")["question"].to_list() == ["a (x)", "a (y)", "b", "b"]


def test_a_large_file_is_gone_through_and_one_in_a_piece_refused(tmp_path: Path) -> None:
    rows = [{"item": f"i{k}", "rater": "a", "response": str(k % 2)} for k in range(100)]
    path = tmp_path / "ratings.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    table = parse_large_json("ratings.jsonl", path, most=100)
    assert table is not None
    assert table.frame.equals(pl.DataFrame(rows))
    assert parse_large_json("ratings.jsonl", path) is None  # so small that it is read at once
    path.write_text(json.dumps({"evalId": "e", "results": {"results": rows}}))
    with pytest.raises(InputError, match=r"0 MB in one piece; write JSON lines: promptfoo eval -o results.jsonl"):
        parse_large_json("ratings.jsonl", path, most=100)
    path.write_text("item,rater,response\n" * 100)
    assert parse_large_json("ratings.jsonl", path, most=100) is None
