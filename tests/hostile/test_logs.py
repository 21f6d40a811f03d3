"""Logs in which something is odd: a reader returns a table, or refuses in a sentence; nothing else comes out of it."""

import json
import random
from contextlib import suppress
from typing import Any

import polars as pl
import pytest

from quorate._errors import InputError
from quorate.data.dates import with_plain_dates
from quorate.data.formats.registry import JSON_FORMATS, TABLE_FORMATS, read_json_log, read_table_log
from quorate.data.json_table import parse_json
from quorate.data.reading import LogChoice
from tests.hostile.logs import FILES, SMALL, contents, mutate_at
from tests.hostile.tables import odd_kinds


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


@pytest.mark.parametrize("name", SMALL)
def test_every_key_may_hold_what_it_should_not(name: str) -> None:
    """A value of another kind under a key, wherever it stands: what only some of the records had would be left out."""
    kinds: tuple[Any, ...] = (None, True, 0.5, "x", [], [1, "a"], {"a": 1}, [{}])
    outcomes = {tried(replaced(SMALL[name], key, kind)) for key in keys_of(SMALL[name]) for kind in kinds}
    assert outcomes <= {"read", "refused", "unknown"}
    assert len(outcomes) > 1  # else nothing would have been tried


def keys_of(content: Any) -> set[str]:
    """Return all names of keys in nested data."""
    within = list(content.values()) if isinstance(content, dict) else content if isinstance(content, list) else []
    return {*(content if isinstance(content, dict) else ()), *(key for each in within for key in keys_of(each))}


def replaced(content: Any, key: str, value: Any) -> Any:
    """Return nested data in which a value stands under each key of that name."""
    if isinstance(content, dict):
        return {name: value if name == key else replaced(each, key, value) for name, each in content.items()}
    return [replaced(each, key, value) for each in content] if isinstance(content, list) else content


TABLES = (
    "question_id model_a model_b winner judge turn",
    "example_id error feedback.quality",
    "example_id repetition_number annotation_q_score annotation_q_label annotation_q_annotator_kind",
    "id annotator annotation_id lead_time quality",
    "sample_id eval_id id epoch score_match metadata_x error",
    "trace_id request assessments",
    "id q.responses q.responses.users",
    "doc metric model_response",
)


@pytest.mark.parametrize("names", TABLES)
def test_columns_of_any_kind_are_read_or_refused(names: str) -> None:
    """Tables of other tools, in which one column after the other holds lists, bytes, dates and whatnot."""
    good, rng = pl.DataFrame({name: ["1", "2", "1"] for name in names.split()}), random.Random(names)
    for series in good.iter_columns():
        for make in odd_kinds(series, rng):
            with suppress(InputError):
                table = with_plain_dates(good.with_columns(make().alias(series.name)))  # as whatever reads a file does
                read = read_table_log("log.parquet", table, LogChoice())
                assert read is not None


def test_every_table_is_tried() -> None:
    assert all(any(each.recognises(names.split()) for names in TABLES) for each in TABLE_FORMATS)


def test_every_format_is_tried() -> None:
    known = [any(each.recognises(parsed(content)) for content in contents().values()) for each in JSON_FORMATS]
    assert all(known)


def parsed(content: Any) -> Any:
    return parse_json("log.json", json.dumps(content).encode())
