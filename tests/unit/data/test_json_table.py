"""JSON is read no further than memory allows, whatever its size on disk."""

import json

import pytest

from quorate._errors import InputError
from quorate.data.json_table import MOST_LINES, memory_of, parse_json


def test_few_bytes_that_would_fill_the_memory_are_refused_before_they_are_read() -> None:
    with pytest.raises(InputError, match=r"would take about .* GB of memory; write CSV"):
        parse_json("x.json", b"[" + b"{}," * 20_000_000 + b"{}]")
    assert len(parse_json("x.json", b"[" + b"{}," * 1000 + b"{}]")) == 1001


def test_lines_are_counted_together_and_long_texts_by_what_is_kept_of_them() -> None:
    rows = [{"id": number, "text": "[{," * 5000} for number in range(50)]
    data = b"\n".join(json.dumps(row).encode() for row in rows)
    kept = parse_json("x.jsonl", data, most=100_000, most_memory=memory_of(b"{,[") * 8000)
    assert len({row["text"] for row in kept}) == 1
    with pytest.raises(InputError, match="so many values"):
        parse_json("x.jsonl", b'{"a": [1, 2, 3]}\n' * 1000, most=100, most_memory=memory_of(b"{[,,") * 500)


def test_an_inspect_log_in_one_piece_is_told_the_way_out() -> None:
    log = {"version": 2, "eval": {"model": "m"}, "samples": ["x" * 1000]}
    with pytest.raises(InputError, match="inspect log convert --to eval"):
        parse_json("log.json", json.dumps(log, indent=1).encode(), most=100)


def test_lines_in_which_nothing_stands_are_counted_before_they_are_read() -> None:
    with pytest.raises(InputError, match="more than 5,000,000 lines of JSON"):
        parse_json("x.jsonl", b"{}\n" * (MOST_LINES + 1), most=100)
    assert len(parse_json("x.jsonl", b"{}\n" * 100, most=100)) == 100
