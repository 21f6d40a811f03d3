"""How to read ratings: one group of options, passed to the reader as they were given."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import quorate
from quorate._question import parameter_docs
from quorate.data.read_ratings import read_ratings
from quorate.data.reading import Reading

NAMES = [each.name for each in fields(Reading) if each.name != "seed"]


def test_nothing_is_passed_on_where_nothing_is_said() -> None:
    assert Reading().reading == {}


def test_what_was_said_is_passed_on() -> None:
    asked = Reading(item_column="doc,turn", order="low, high", columns=["a, b", "c"], duplicates="last", seed=4)
    assert asked.reading == {
        "item_column": "doc,turn",
        "order": ("low", "high"),
        "columns": ("a, b", "c"),
        "duplicates": "last",
    }


def test_every_option_has_its_line_of_help() -> None:
    docs = parameter_docs(Reading)
    assert [name for name in NAMES if not docs[name]] == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"item_column": "doc"}, 2),
        ({"item_column": "doc,part"}, 3),
    ],
)
def test_the_reader_follows_the_options(options: dict[str, Any], expected: int, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("doc,part,rater,response\n1,x,ann,a\n1,y,ann,b\n2,x,ann,a\n")
    assert read_ratings(path, **Reading(**options).reading).n_items == expected
    assert quorate.describe(path, **options).ratings.n_items == expected
