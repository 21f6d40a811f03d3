"""A question parses, checks and tells itself, and makes the verb that asks it."""

import inspect
import json
import pickle
from collections.abc import Sequence
from dataclasses import KW_ONLY, FrozenInstanceError, dataclass, fields
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import quorate
from quorate._errors import InputError
from quorate._question import (
    Question,
    asks,
    check_share,
    check_size,
    flag_of,
    numbers,
    option,
    parameter_docs,
    source,
    split_name,
    words,
)
from quorate.describing.question import DescribeQuestion
from quorate.describing.verb import describe


@dataclass(frozen=True, kw_only=True)
class Weather(Question):
    """What the weather is like.

    Parameters
    ----------
    wind, rain
        How strong, from 0 up,
        in any unit.
    """

    wind: float = 0.0
    rain: float = 0.0


@dataclass(frozen=True)
class Walk(Weather):
    """Where to walk.

    Parameters
    ----------
    start
        Where to begin.
    days
        On which days.
    friends
        Who comes along.
    """

    start: Any = source()
    end: Any = source(None, flag="--to")
    _: KW_ONLY
    days: Sequence[int] | str = option((1,), parse=numbers)
    friends: Sequence[str] | str | None = option(None, parse=words)

    def check(self) -> None:
        if self.wind < 0:
            raise InputError("--wind must blow")


def walked(walk: Walk) -> list[str]:
    """Say who walks.

    Examples
    --------
    >>> walk("home", friends="ann")
    ['ann 0']
    """
    return [f"{friend} {walk.seed}" for friend in walk.friends or ()]


walk = asks("walk", Walk, walked)


def test_fields_are_parsed_when_the_question_is_made() -> None:
    asked = Walk("home", days="1-3,5", friends="ann, bob")
    assert (asked.days, asked.friends) == ((1, 2, 3, 5), ("ann", "bob"))
    assert Walk("home", days=[2], friends=["ann, of course", "eve"]).friends == ("ann, of course", "eve")


def test_nothing_is_parsed_where_nothing_is_said() -> None:
    asked = Walk("home")
    assert (asked.days, asked.friends, asked.end) == ((1,), None, None)


def test_a_value_that_cannot_be_parsed_is_named_by_its_option() -> None:
    with pytest.raises(InputError, match="--days two is not a number, list or range"):
        Walk("home", days="two")


def test_a_question_checks_itself() -> None:
    with pytest.raises(InputError, match="--wind must blow"):
        Walk("home", wind=-1)


@pytest.mark.parametrize("seed", [-1, 0.5, "7", None])
def test_a_seed_is_a_whole_number_from_0_up(seed: Any) -> None:
    with pytest.raises(InputError, match=f"--seed cannot be {seed}; use a whole number"):
        Walk("home", seed=seed)


def test_a_question_is_frozen() -> None:
    asked: Any = Walk("home")
    with pytest.raises(FrozenInstanceError):
        asked.wind = 3.0


def test_settings_name_every_option_and_input_but_the_seed() -> None:
    settings = Walk(Path("a/home.csv"), "-", days="1-2", friends=["ann"], wind=2.5, seed=7).settings()
    assert settings == {
        "start": "a/home.csv",
        "end": "-",
        "days": [1, 2],
        "friends": ["ann"],
        "wind": 2.5,
        "rain": 0.0,
    }
    assert json.loads(json.dumps(settings)) == settings


def test_what_the_verb_resolved_stands_in_place_of_what_was_asked() -> None:
    asked = Walk("home", days=[1])
    assert asked.settings(days=range(2, 4), path={"by": ("lake", Path("wood"))}) == asked.settings() | {
        "days": [2, 3],
        "path": {"by": ["lake", "wood"]},
    }


@pytest.mark.parametrize(
    ("data", "name", "inputs"),
    [
        ("ratings.csv", "ratings.csv", ("ratings.csv",)),
        (Path("a") / "ratings.csv", "a/ratings.csv", ("a/ratings.csv",)),
        ("-", "-", ("-",)),
        ("/dev/stdin", "-", ("/dev/stdin",)),
        ("example:support", "example:support", ("example:support",)),
        ({"item": [1], "response": [1]}, "the data", ()),
        (pl.DataFrame({"item": [1], "response": [1]}), "the data frame", ()),
    ],
)
def test_data_are_named_by_what_was_given_and_files_are_inputs(data: Any, name: str, inputs: tuple[str, ...]) -> None:
    asked = Walk(data)
    assert (asked.settings()["start"], asked.inputs()) == (name, inputs)


def test_inputs_are_told_in_their_order() -> None:
    assert Walk("a.csv", Path("b.csv")).inputs() == ("a.csv", "b.csv")


def test_data_already_read_know_their_name() -> None:
    ratings = describe("example:support").ratings
    asked = DescribeQuestion(ratings)
    assert (asked.settings()["ratings"], asked.inputs()) == (ratings.name, ())


def test_the_lines_of_fields_come_from_all_records() -> None:
    assert parameter_docs(Walk) == {
        "seed": "Seed of all randomness; the same seed gives the same numbers.",
        "wind": "How strong, from 0 up, in any unit.",
        "rain": "How strong, from 0 up, in any unit.",
        "start": "Where to begin.",
        "days": "On which days.",
        "friends": "Who comes along.",
    }


def test_every_option_of_a_verb_has_its_line() -> None:
    docs = parameter_docs(DescribeQuestion)
    assert [each.name for each in fields(DescribeQuestion) if not docs.get(each.name)] == []


def test_a_verb_answers_the_question_made_of_its_keywords() -> None:
    assert walk("home", friends="ann,bob", seed=3) == ["ann 3", "bob 3"]
    assert walk(start="home") == []


def test_a_verb_refuses_what_the_question_refuses() -> None:
    with pytest.raises(InputError, match="--wind"):
        walk("home", wind=-1)
    misspelt: Any = {"winds": 1}
    with pytest.raises(TypeError, match="winds"):
        walk("home", **misspelt)


def test_a_verb_has_the_signature_of_the_record() -> None:
    signature = inspect.signature(walk)
    assert list(signature.parameters) == ["start", "end", "seed", "wind", "rain", "days", "friends"]
    kinds = {name for name, each in signature.parameters.items() if each.kind is inspect.Parameter.KEYWORD_ONLY}
    assert kinds == {"seed", "wind", "rain", "days", "friends"}
    assert signature.parameters["start"].default is inspect.Parameter.empty
    assert signature.return_annotation == list[str]
    assert (walk.__name__, walk.__qualname__) == ("walk", "walk")


def test_a_verb_tells_its_parameters_before_its_examples() -> None:
    doc = inspect.getdoc(walk) or ""
    title, parameters, examples = (doc.index(part) for part in ("Say who walks.", "Parameters\n----", "Examples\n----"))
    assert title < parameters < examples
    assert "friends\n    Who comes along.\n" in doc
    assert doc.endswith('>>> walk("home", friends="ann")\n[\'ann 0\']')


def test_a_question_can_be_sent_to_another_process() -> None:
    asked = DescribeQuestion("ratings.csv", order="low,high", seed=4)
    assert pickle.loads(pickle.dumps(asked)) == asked


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 95.0, float("nan")])
def test_a_share_lies_between_0_and_1(share: float) -> None:
    with pytest.raises(InputError, match="--confidence"):
        check_share("--confidence", share)


def test_a_usual_share_passes() -> None:
    check_share("--confidence", 0.95)


@pytest.mark.parametrize("value", ["", "3-", "-3", "5-3", "1-x", "1.5", "a", "1,,2", [1.5], [True]])
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="--raters"):
        numbers("--raters", value)


@pytest.mark.parametrize(
    ("value", "read"),
    [(3, (3,)), ("1,3,5", (1, 3, 5)), ("1-3, 7", (1, 2, 3, 7)), ([1, "2-3"], (1, 2, 3)), (range(2, 4), (2, 3))],
)
def test_numbers_are_single_listed_or_a_range(value: Any, read: tuple[int, ...]) -> None:
    assert numbers("--raters", value) == read


def test_words_are_split_at_commas_but_a_sequence_stays_as_it_is() -> None:
    assert words("--systems", "a, b") == ("a", "b")
    assert words("--order", ["Yes, fully", "no"]) == ("Yes, fully", "no")


def test_an_option_is_called_like_its_field_unless_it_has_a_flag() -> None:
    assert (flag_of("item_column"), flag_of("from_ratings", "--from")) == ("--item-column", "--from")


def test_a_name_that_no_file_can_have_is_still_split() -> None:
    assert split_name("new=" + "x" * 5000) == ("new", "x" * 5000)


def test_a_size_beyond_a_float_is_refused_in_a_sentence() -> None:
    with pytest.raises(InputError, match=r"--items of 16610 bits is more than can be done; ask for 10 at most"):
        check_size("--items", 10**5000, 10)


def test_help_and_signature_of_a_verb_begin_with_what_people_need_first() -> None:
    signature, help_text = inspect.signature(quorate.plan), quorate.plan.__doc__ or ""
    keywords = [each.name for each in signature.parameters.values() if each.kind is each.KEYWORD_ONLY]
    assert keywords.index("difference") < keywords.index("seed")
    assert help_text.index("\ndifference\n") < help_text.index("\nseed\n")
    assert next(iter(signature.parameters)) == "population"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("diference", r"of quorate.plan; did you mean difference\?"),
        ("xyz", r"of quorate.plan; see help\(quorate.plan\)."),
    ],
)
def test_an_option_that_is_none_is_refused_with_the_one_that_is_near(typed: str, said: str) -> None:
    misspelt: Any = {typed: 0.05}
    with pytest.raises(TypeError, match=f"{typed} is not an option {said}"):
        quorate.plan("dices", **misspelt)
