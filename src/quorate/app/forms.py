"""A form from a question: its fields are those of the record, its help the record's words."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Literal, get_args, get_origin, get_type_hints

from quorate._question import Question, flag_of, parameter_docs
from quorate._tasks import Execution
from quorate.app.screens import HIDDEN, Screen, Slider

LONGEST_VALUE = 4000
USUAL = {
    "preset": "choose one",
    "null": "there is one to see",
    "layout": "recognised",
    "decimal": "recognised",
    "goal": "power=.8",
    "raters": "any, or 1-5",
    "pool": "anyone",
    "max_per_rater": "no limit",
    "budget": "no limit",
    "metric": "what fits the scale",
    "systems": "all",
    "order": "low,mid,high",
    "threshold": "0.5",
    "margin": "none",
    "by": "no groups",
    "baseline": "each other",
    "rated_system": "outputs were not rated",
    "target_width": "any width",
}
"""What an empty field means, or how to write it."""


@dataclass(frozen=True)
class FormField:
    """One option as a form shows it.

    Parameters
    ----------
    name, flag, label, help
        The record's name for it, the command line's, and what people read.
    kind
        What to show: ``file``, ``menu``, ``switch``, ``number`` or ``text``.
    choices
        Values of a menu with what to call each.
    default
        What holds if nothing is said, as text.
    required
        Whether something must be said.
    positional
        Whether a command names it by its place alone.
    several
        Whether it may be given more than once.
    slider
        The range to drag in, if there is one.
    usual
        What to show in an empty field.
    """

    name: str
    flag: str
    label: str
    help: str
    kind: Literal["file", "menu", "switch", "number", "text"]
    choices: Sequence[tuple[str, str]] = ()
    default: str = ""
    required: bool = False
    positional: bool = False
    several: bool = False
    slider: Slider | None = None
    usual: str = ""


@dataclass(frozen=True)
class Form:
    """The fields of a screen: those people need first, and the rest."""

    first: Sequence[FormField]
    rest: Sequence[FormField]

    @cached_property
    def fields(self) -> dict[str, FormField]:
        """Every field by its name."""
        return {each.name: each for each in (*self.first, *self.rest)}

    def read(self, query: Sequence[tuple[str, str]]) -> dict[str, str]:
        """Return what was filled in; what is no field, empty, or the default, is not asked."""
        given: dict[str, list[str]] = {}
        for name, value in query:
            known = self.fields.get(name)
            text = value.strip()[:LONGEST_VALUE]
            if known is not None and text not in ("", known.default):
                given.setdefault(name, []).append(text)
        return {name: "\n".join(values if self.fields[name].several else values[-1:]) for name, values in given.items()}


@cache
def form_of(screen_fields: "FormSource") -> Form:
    """Return the form of a record."""
    record, first = screen_fields.record, screen_fields.first
    hints, docs = get_type_hints(record), parameter_docs(record)
    every = {
        each.name: _field(each, hints[each.name], docs.get(each.name, ""), screen_fields)
        for each in fields(record)
        if each.name not in hidden(record) and each.metadata.get("cli") is not False and _shown(each)
    }
    return Form([every[name] for name in first if name in every], [every[name] for name in every if name not in first])


@dataclass(frozen=True)
class FormSource:
    """What a form is made from: a record, the fields people need first, and what a screen knows of them."""

    record: type[Question]
    first: tuple[str, ...] = ()
    sliders: tuple[tuple[str, Slider], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()


def hidden(record: type[Question]) -> set[str]:
    """Return the fields no form shows: what does nothing, and how and where long work is done."""
    return {*HIDDEN, *record.silent.split(), *(Execution.__annotations__ if issubclass(record, Execution) else ())}


def _leading(record: type[Question]) -> list[str]:
    """Return the data a command names by their places: the first fields, up to one that no form shows."""
    places = [each.name for each in fields(record) if not each.kw_only]
    return places[: next((i for i, name in enumerate(places) if name in HIDDEN), len(places))]


def screen_form(screen: Screen) -> Form:
    """Return the form of a screen."""
    return form_of(
        FormSource(screen.question, screen.first, tuple(screen.sliders.items()), tuple(screen.labels.items()))
    )


def _shown(each: "Field[Any]") -> bool:
    """Whether a page may ask it: data by their content, and nothing else that could be a path."""
    return bool(each.metadata.get("source")) or each.type is not Any


def _field(each: "Field[Any]", hint: Any, doc: str, made_from: FormSource) -> FormField:
    kind, choices = _kind(each, hint)
    default = "" if each.default is MISSING or each.default is None else _text(each.default)
    return FormField(
        name=each.name,
        flag=flag_of(each.name, each.metadata.get("flag")),
        label=dict(made_from.labels).get(each.name, each.name.replace("_", " ").capitalize()),
        help=doc,
        kind=kind,
        choices=choices,
        default=default,
        required=each.default is MISSING,
        positional=each.name in _leading(made_from.record),
        several=bool(each.metadata.get("source")) and get_origin(each.metadata.get("cli")) is list,
        slider=dict(made_from.sliders).get(each.name),
        usual="" if each.default is MISSING else USUAL.get(each.name, ""),
    )


def _kind(each: "Field[Any]", hint: Any) -> tuple[Any, Sequence[tuple[str, str]]]:
    if each.metadata.get("source"):
        return "file", ()
    if each.name == "preset":
        return "menu", preset_choices()
    parts = [
        part for part in (get_args(hint) if get_origin(hint) is not Literal else (hint,)) if part is not type(None)
    ]
    options = [part for part in parts or (hint,) if get_origin(part) is Literal]
    if options and len(parts) == 1:
        return "menu", [(str(value), str(value)) for value in get_args(options[0])]
    if hint is bool:
        return "switch", ()
    plain = set(parts or (hint,))
    return ("number" if plain <= {int, float} else "text"), ()


def _text(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else ""
        case float():
            return f"{value:g}"
        case list() | tuple():
            return ",".join(map(_text, value))
    return str(value)


@cache
def preset_choices() -> tuple[tuple[str, str], ...]:
    """Return the populations that have a name, with what each is."""
    text = (files("quorate.populations") / "presets.toml").read_text(encoding="utf-8")
    listed: Mapping[str, Mapping[str, str]] = tomllib.loads(text)
    return tuple((name, f"{name} – {preset['description']}"[:110]) for name, preset in listed.items())
