from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from quorate._question import parameter_docs
from quorate.app.forms import hidden, screen_form
from quorate.app.screens import SCREENS


@pytest.mark.parametrize("verb", SCREENS)
def test_a_form_shows_every_option_with_the_records_own_words(verb: str) -> None:
    screen = SCREENS[verb]
    form, record = screen_form(screen), screen.question
    docs = parameter_docs(record)
    assert all(each.help == docs[each.name] for each in form.fields.values())
    assert [each.name for each in form.first] == [name for name in screen.first if name in form.fields]
    shown = {each.name for each in fields(record) if each.metadata.get("cli") is not False} - hidden(record)
    assert set(form.fields) == {name for name in shown if record.__dataclass_fields__[name].type is not Any} | {
        each.name for each in fields(record) if each.metadata.get("source") and each.name not in hidden(record)
    }


def test_no_field_takes_a_path() -> None:
    """What names data is a file of the private folder; other fields are no paths, and `population`, which may be one, \
is not asked."""
    for screen in SCREENS.values():
        for name, each in screen_form(screen).fields.items():
            declared = screen.question.__dataclass_fields__[name]
            assert each.kind == "file" or declared.type not in (Any, Path)
        assert "population" not in screen_form(screen).fields


def test_kinds_follow_the_types() -> None:
    plan, audit = (screen_form(SCREENS[verb]).fields for verb in ("plan", "audit"))
    kinds = {name: plan[name].kind for name in ("preset", "from_ratings", "difference", "missing", "goal", "scale")}
    assert kinds == {
        "preset": "menu", "from_ratings": "file", "difference": "number", "missing": "menu", "goal": "text",
        "scale": "menu",
    }  # fmt: skip
    assert ("dices", True) in [(value, shown.startswith("dices – ")) for value, shown in plan["preset"].choices]
    assert [value for value, _ in plan["scale"].choices] == ["nominal", "ordinal", "interval"]
    assert audit["items"].required
    assert audit["test"].default == "default"


def test_what_is_empty_usual_or_unknown_is_not_asked() -> None:
    form = screen_form(SCREENS["plan"])
    query = [
        ("preset", "dices"),
        ("difference", " 0.05 "),
        ("goal", ""),
        ("missing", "error"),
        ("grid", "x"),
        ("go", "1"),
    ]
    assert form.read(query) == {"preset": "dices", "difference": "0.05"}
    assert form.read([("difference", "1"), ("difference", "2")]) == {"difference": "2"}


def test_where_work_is_done_is_not_for_a_page_to_say() -> None:
    audit = screen_form(SCREENS["audit"]).fields
    assert not {"workers", "cluster", "shard", "resume"} & set(audit)
    assert "cluster" in screen_form(SCREENS["estimate"]).fields  # a column there
    assert "baseline_file" not in screen_form(SCREENS["compare"]).fields  # it would be written


def test_an_empty_field_says_what_it_means_and_what_does_nothing_is_not_asked() -> None:
    plan, audit = (screen_form(SCREENS[verb]).fields for verb in ("plan", "audit"))
    assert (plan["raters"].usual, audit["raters"].usual) == ("any, or 1-5", "")  # an audit is of one number
    assert audit["null"].usual == "there is one to see"
    assert "expert_price" not in plan
    assert "with_answers" not in audit
