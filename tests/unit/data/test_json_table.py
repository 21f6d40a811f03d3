"""JSON is bounded by what it takes in memory, not by its bytes alone."""

import pytest

from quorate._errors import InputError
from quorate.data.json_table import parse_json


def test_json_that_is_all_brackets_is_refused_before_it_is_parsed() -> None:
    """[[],[],…] takes forty times its bytes; as much text takes only its own, and an object per line may be more."""
    most = 1 << 20
    brackets = b"[" + b"[]," * 10_000 + b"[]]"
    with pytest.raises(InputError, match=r"x\.json has 0 MB of JSON in one piece, which would take 0\.0 GB of memory"):
        parse_json("x.json", brackets, most_memory=most)
    assert len(parse_json("x.json", b'["' + b"x" * len(brackets) + b'"]', most_memory=most)) == 1
    assert len(parse_json("x.jsonl", b'{"a": [1, 2]}\n' * 10_000, most_memory=most)) == 10_000
