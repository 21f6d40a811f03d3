"""What every result can do, shown on a small one and on a description."""

import json
import pickle
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest

import quorate
from quorate._errors import InputError
from quorate._text import Sentence
from quorate._version import __version__
from quorate.describing.result import Description
from quorate.results.result import Result, plain
from quorate.results.table import Table


@dataclass(frozen=True)
class Point:
    """Part of a result."""

    x: float
    y: tuple[float, ...] = ()


@dataclass(frozen=True)
class Sum(Result):
    """A result of a verb that does not exist."""

    verb: ClassVar[str] = "sum"
    value: float = 0.0

    def sentence(self) -> Sentence:
        return Sentence(f"It is <{self.value:g}>.")

    def content(self) -> dict[str, Any]:
        return {"value": self.value, "points": [Point(nan, (1.0, inf))], "by": {"a": Point(2.0)}}

    def to_frame(self) -> pl.DataFrame:
        return pl.DataFrame({"value": [self.value]})

    def tables(self) -> Mapping[str, Table]:
        return {
            "parts": Table("Parts", ("part", "n"), [("a", "1")]),
            "none": Table("Nothing", ("part",), []),
            "behind": Table("Behind the plot", ("x",), [("3",)], numbers=True),
        }

    def notes(self) -> Sequence[str]:
        return ["A note."]


@pytest.fixture(scope="module")
def description() -> Description:
    return quorate.describe("example:support", seed=3)


def test_a_result_reads_sentence_tables_notes_and_warnings() -> None:
    text = str(Sum(value=3, warnings=("take care.",)))
    assert text == "It is <3>.\n\nParts\n  part  n\n  a     1\n\nA note.\n\nWarning: take care."


def test_a_sentence_is_text_that_knows_its_headline() -> None:
    said = Sentence("a is better than b", "the difference is 0.1.", mark=";")
    assert said == "a is better than b; the difference is 0.1."
    assert (said.head, said.rest) == ("a is better than b", "the difference is 0.1.")
    whole = Sentence("There is nothing to buy.")
    assert (whole, whole.head, whole.rest) == ("There is nothing to buy.", "There is nothing to buy", "")
    again = pickle.loads(pickle.dumps(said))
    assert (again, again.head, again.rest) == (said, said.head, said.rest)


def test_the_object_for_json_begins_with_what_every_result_says() -> None:
    made = Sum(value=3, seed=7, settings={"metric": "mae"}, warnings=("take care.",)).to_dict()
    assert list(made) == ["schema", "version", "seed", "settings", "warnings", "sentence", "value", "points", "by"]
    assert made["schema"] == "quorate.sum/1"
    assert (made["version"], made["seed"], made["settings"]) == (__version__, 7, {"metric": "mae"})
    assert (made["warnings"], made["sentence"]) == (["take care."], "It is <3>.")


def test_numbers_json_does_not_know_are_null() -> None:
    made = Sum(value=nan, settings={"margin": inf}).to_dict()
    assert made["value"] is None
    assert made["settings"] == {"margin": None}
    assert made["points"] == [{"x": None, "y": [1.0, None]}]
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def test_what_cannot_be_known_of_a_description_is_null_in_json() -> None:
    made = quorate.describe({"item": [1, 2], "response": ["a", "b"]}).to_dict()
    assert made["agreement"] == {"alpha": None, "low": None, "high": None}
    assert json.loads(json.dumps(made, allow_nan=False)) == made


@pytest.mark.parametrize("value", [None, True, 3, "text", 0.5, {"a": [1, None]}])
def test_plain_values_stay_as_they_are(value: Any) -> None:
    assert plain(value) == value


def test_a_result_can_be_kept_and_read_again(description: Description) -> None:
    again = pickle.loads(pickle.dumps(description))
    assert str(again) == str(description)
    assert again.to_dict() == description.to_dict()
    assert again.to_frame().equals(description.to_frame())
    assert again.to_html() == description.to_html()


def test_settings_seed_and_inputs_are_those_of_the_question(description: Description) -> None:
    assert description.seed == 3
    assert description.settings["ratings"] == "example:support"
    assert (description.settings["top"], description.settings["confidence"]) == (5, 0.95)
    assert description.inputs == ("example:support",)
    assert "seed" not in description.settings


def test_settings_of_options_given_as_text_and_as_lists_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("item,rater,response\n1,a,low\n1,b,high\n")
    told = [quorate.describe(path, order=order).settings for order in ("low,high", ["low", "high"])]
    assert told[0] == told[1]
    assert told[0]["order"] == ["low", "high"]


def test_the_load_report_says_what_was_read(description: Description) -> None:
    assert any("120 items" in line for line in description.load_report)


def test_terminal_and_page_show_the_same_tables(description: Description) -> None:
    text, page = str(description), description.to_html()
    disputed = description.tables()["disputed"]
    assert len(disputed.rows) == 5
    for words in [disputed.caption, *disputed.header, *(cell for row in disputed.rows for cell in row)]:
        assert words in text
        assert words in page


def test_the_table_is_there_as_a_pandas_frame_too(description: Description) -> None:
    pytest.importorskip("pandas")
    frame = description.to_pandas()
    assert list(frame.columns) == description.to_frame().columns
    assert len(frame) == 120


def test_without_pandas_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="to_frame gives a Polars frame"):
        Sum().to_pandas()


def test_a_notebook_shows_the_sentence_warnings_and_table_escaped() -> None:
    page = Sum(value=3, warnings=("a < b",))._repr_html_()
    assert "<strong>It is &lt;3&gt;.</strong>" in page
    assert "<em>a &lt; b</em>" in page
    assert "value" in page
