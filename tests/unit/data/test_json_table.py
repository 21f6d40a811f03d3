"""JSON is read no further than memory allows, whatever its size on disk."""

import json
from typing import Any

import pytest

from quorate._errors import InputError
from quorate.data.json_records import JsonRecords
from quorate.data.json_table import json_frame, parse_json, too_much

ROWS: list[dict[str, Any]] = [{"id": k, "said": "yes", "text": "[{,\n" * 20, "odd": [1]} for k in range(50)]
LINES = b"\n".join(json.dumps(row).encode() for row in ROWS)
LIST = json.dumps(ROWS, indent=1).encode()


def test_few_bytes_that_would_fill_the_memory_are_refused_before_they_are_read() -> None:
    with pytest.raises(InputError, match=r"would take about .* GB of memory; write CSV"):
        parse_json("x.json", b'{"a": [' + b"{}," * 20_000_000 + b"{}]}")
    assert len(parse_json("x.json", b"[" + b"{}," * 1000 + b"{}]")) == 1001


def test_one_object_of_millions_of_names_is_refused_before_it_is_read() -> None:
    """Counted like values of a list, 110 MB of them took 2 GB, and twice as many ever more."""
    names = b",".join(b'"k%d":1' % k for k in range(6_000_000))
    for data in (b"{%b}" % names, b'{"a":{%b}}' % names):
        with pytest.raises(InputError, match=r"would take about 1\.7 GB of memory; write CSV"):
            parse_json("x.json", data)
    few = b",".join(b'"k%d":1' % k for k in range(20_000))
    with pytest.raises(InputError, match="20,000 columns, more than 10,000"):
        json_frame("x.json", parse_json("x.json", b"[{%b}]" % few, small=10))
    assert len(parse_json("x.json", b"{%b}" % few)) == 20_000  # negative control


@pytest.mark.parametrize("data", [LINES, LIST, b"\xef\xbb\xbf" + LINES, b"\n \n" + LINES + b"\n\n"])
def test_many_records_say_what_they_say_at_once(data: bytes) -> None:
    whole, records = parse_json("x", data), parse_json("x", data, small=10)
    assert isinstance(records, JsonRecords)
    assert list(records) == list(records) == whole  # they can be gone through again
    assert records.first == whole[0]
    frames = [json_frame("x", content) for content in (whole, records)]
    assert frames[0].select(sorted(frames[0].columns)).equals(frames[1].select(sorted(frames[1].columns)))


def test_a_table_with_a_field_that_only_later_rows_have_is_laid_out_whole() -> None:
    rows = [{"id": k} for k in range(60_000)] + [{"id": 1, "late": "x"}, {"id": [2], "late": "y"}]
    frame = json_frame("x", parse_json("x", "\n".join(map(json.dumps, rows)).encode(), small=10))
    assert (frame.height, frame["late"].count()) == (60_002, 2)
    assert frame["id"].dtype.is_nested()  # no verb reads it


def test_json_in_one_piece_is_no_records() -> None:
    for content in ({"a": 1}, {"rows": ROWS}):
        assert parse_json("x", json.dumps(content, indent=1).encode(), small=10) == parse_json(
            "x", json.dumps(content).encode() + b"\n"
        )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (LINES.replace(b'{"id": 9', b'{"id" 9'), "row 10 is not valid JSON"),
        (LINES.replace(b'"id": 9,', b'"id": 9, "id": 8,'), "row 10 has an object that names 'id' twice"),
        (LINES.replace(b'"id": 9, "said": "yes"', b'"id": 9, "said": "\xff"'), "row 10 is not UTF-8"),
        (LIST.replace(b'"id": 9', b'"id" 9'), "record 10 is not valid JSON"),
        (LIST.replace(b'"id": 9,', b'"id": 9, "id": 8,'), "record 10 has an object that names 'id' twice"),
        (LIST[:-1], "record 51 is not valid JSON, or not whole"),
        (LIST + b"]", "record 51 is not valid JSON"),
        (b'[{"a": 1} {"a": 2}]', "record 2 is not valid JSON"),
        (b"[" * 100_000, "record 1 is nested too deeply"),
        (LIST.replace(b"yes", b"\xff", 1), "record 1 is not UTF-8"),
    ],
)
def test_what_is_wrong_among_records_is_named_with_its_place(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        list(parse_json("x", data, small=10))


def test_members_that_end_where_the_window_does_are_whole() -> None:
    numbers = list(range(400_000))  # two million letters, of which any may be the last of a window
    records = parse_json("x", json.dumps(numbers).encode(), small=10)
    assert list(map(int, records)) == numbers


def test_records_that_must_be_held_together_are_refused_where_they_would_fill_the_memory() -> None:
    records = parse_json("x", LINES, small=10)
    assert len(records.kept()) == 50
    with pytest.raises(InputError, match="so many values that they would take"):
        records.kept(most=10_000)


def test_json_in_one_piece_is_told_the_way_out() -> None:
    for log, advice in (
        ({"version": 2, "eval": {"model": "m"}, "samples": ["x" * 1000]}, "inspect log convert --to eval"),
        ({"evalId": "e", "results": {"results": []}}, "promptfoo eval -o results.jsonl"),
        ({"rows": []}, "write an object per line"),
    ):
        with pytest.raises(InputError, match=advice):
            parse_json("log.json", json.dumps(log, indent=1).encode(), most=10)
        assert advice in str(too_much("log.json", json.dumps(log).encode(), 1 << 31))
