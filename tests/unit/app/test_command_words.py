import shlex

from quorate.app.command_words import blamed_field, command, python, safe_words
from quorate.app.forms import screen_form
from quorate.app.screens import SCREENS
from quorate.cli import read_question

COMPARE = screen_form(SCREENS["compare"])


def test_a_value_is_never_taken_for_an_option() -> None:
    values = {"ratings": "a.csv", "metric": "--grid", "by": "-o"}
    words = safe_words("compare", COMPARE, values)
    assert words == ["compare", "--ratings=a.csv", "--metric=--grid", "--by=-o"]
    question = read_question(words)
    assert question.settings()["by"] == "-o"
    assert question.settings()["metric"] == ["--grid"]


def test_the_command_is_what_a_person_would_type() -> None:
    values = {"margin": "-0.5", "ratings": "my ratings.csv", "answers": "a.csv", "by": "it's"}
    words = shlex.split(command("compare", COMPARE, values))
    assert words == ["quorate", "compare", "my ratings.csv", "a.csv", "--margin=-0.5", "--by", "it's"]


def test_more_files_stand_behind_the_first_ones() -> None:
    values = {"ratings": "a.csv", "answers": "b.csv", "more": "c.csv\nd e.csv"}
    assert COMPARE.fields["more"].several
    assert command("compare", COMPARE, values) == "quorate compare a.csv b.csv c.csv 'd e.csv'"
    asked = read_question(safe_words("compare", COMPARE, values)).settings()
    assert asked["more"] == ["c.csv", "d e.csv"]
    assert asked == read_question(["compare", "a.csv", "b.csv", "c.csv", "d e.csv"]).settings()


def test_python_asks_the_same() -> None:
    values = {"ratings": "a.csv", "answers": "b.csv", "systems": "x,y", "margin": "0.02", "metric": "agreement"}
    question = read_question(safe_words("compare", COMPARE, values))
    assert python("compare", question, list(values)) == (
        "import quorate\n\n"
        "result = quorate.compare(ratings='a.csv', answers='b.csv', metric='agreement', systems=['x', 'y'], "
        "margin=0.02)\nprint(result)\n"
    )


def test_a_refusal_stands_beside_what_caused_it() -> None:
    values = {"ratings": "0" * 32 + ":a.csv", "metric": "foo,agreement", "margin": "-1"}
    for sentence, field in (
        ("--margin -1 must be above 0; leave it out to ask only who is better.", "margin"),
        ("unknown metric 'foo': use one of agreement.", "metric"),
        ("a.csv has no item column, only x; name it with --item-column.", "item_column"),
        ("a.csv is empty; it needs a header row and one row per response.", "ratings"),
        ("Give --rated-system COLUMN.", "rated_system"),
        ("Something else.", None),
    ):
        assert blamed_field(sentence, COMPARE, values) == field
