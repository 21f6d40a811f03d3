"""Logs in which something is odd: a reader returns a table, or refuses in a sentence; nothing else comes out of it."""

import json
import random
from typing import Any

import pytest

from quorate._errors import InputError
from quorate.data.formats.registry import JSON_FORMATS, read_json_log
from quorate.data.json_table import parse_json
from quorate.data.reading import LogChoice
from tests.hostile.logs import FILES, SMALL, contents, mutate_at


def tried(content: Any) -> str:
    """Say what came of a log: read, refused, or unknown."""
    try:
        log = read_json_log("log.json", parse_json("log.json", json.dumps(content).encode()), LogChoice())
    except InputError as error:
        return "refused" if str(error)[-1] in ".?)" else f"no sentence: {error}"
    return "unknown" if log is None else "read"


@pytest.mark.parametrize("name", [*SMALL, *FILES])
def test_what_is_odd_is_read_or_refused(name: str) -> None:
    whole = contents()[name]
    outcomes = set()
    for number in range(60):
        rng = random.Random(f"{name}/{number}")
        content = json.loads(json.dumps(whole))
        for _ in range(rng.choice([1, 1, 2, 5])):
            mutate_at(content, rng)
        outcomes.add(tried(content))
    assert outcomes <= {"read", "refused", "unknown"}
    assert outcomes != {"unknown"}  # else nothing would have been tried


def test_every_format_is_tried() -> None:
    known = [any(each.recognises(parsed(content)) for content in contents().values()) for each in JSON_FORMATS]
    assert all(known)


def parsed(content: Any) -> Any:
    return parse_json("log.json", json.dumps(content).encode())
