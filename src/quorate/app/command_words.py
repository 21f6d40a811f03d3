"""The words a form stands for: on the command line, to copy and to be read, and in Python."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields

from quorate._question import Question
from quorate.app.forms import Form, FormField


def safe_words(verb: str, form: Form, values: Mapping[str, str]) -> list[str]:
    """Return the words to parse; each value is tied to its option, so that none is taken for another option."""
    return [verb, *(word for name, value in values.items() for word in _tied(form.fields[name], value))]


def command(verb: str, form: Form, values: Mapping[str, str]) -> str:
    """Return the command a person would type for the same question."""
    inputs = [values[each.name] for each in form.fields.values() if each.positional and each.name in values]
    places = [value for given in inputs for value in given.split("\n")]
    options = [
        word
        for each in form.fields.values()
        if each.name in values and not each.positional
        for word in _typed(each, values[each.name])
    ]
    return shlex.join(["quorate", verb, *places, *options])


def python(verb: str, question: Question, names: Sequence[str]) -> str:
    """Return the same question in Python; `names` are the options that were given."""
    asked = [each.name for each in fields(question) if each.name in names]
    given = ", ".join(f"{name}={_literal(getattr(question, name))}" for name in asked)
    return f"import quorate\n\nresult = quorate.{verb}({given})\nprint(result)\n"


def flags_named(sentence: str, form: Form) -> list[str]:
    """Return the fields a refusal is about, by the options it names."""
    named = re.findall(r"--[a-z][a-z-]*", sentence)
    by_flag = {each.flag: each.name for each in form.fields.values()}
    return [by_flag[flag] for flag in named if flag in by_flag]


def blamed_field(sentence: str, form: Form, values: Mapping[str, str]) -> str | None:
    """Return the field beside which a refusal stands: one whose value or file it names, else one it advises."""
    named = flags_named(sentence, form)
    for name, value in values.items():
        if any(f"'{part}'" in sentence for part in value.split(",")) or sentence.startswith(
            f"{form.fields[name].flag} "
        ):
            return name
    files = [name for name, value in values.items() if form.fields[name].kind == "file" and _names(sentence, value)]
    columns = [name for name in named if form.fields[name].kind != "file"]
    return next(iter([*columns, *files, *named]), None)


def _names(sentence: str, identity: str) -> bool:
    return any(name in sentence for name in names_of(identity.split("\n")))


def _tied(field: FormField, value: str) -> list[str]:
    if field.kind == "switch":
        return [field.flag]
    return [f"{field.flag}={each}" for each in value.split("\n")]


def _typed(field: FormField, value: str) -> list[str]:
    if field.kind == "switch":
        return [field.flag]
    each = value.split("\n")
    return [word for one in each for word in ([f"{field.flag}={one}"] if one.startswith("-") else [field.flag, one])]


def _literal(value: object) -> str:
    match value:
        case tuple() | list():
            return f"[{', '.join(map(_literal, value))}]" if len(value) != 1 else _literal(value[0])
    return repr(value)


def names_of(sources: Sequence[str]) -> list[str]:
    """Return what to call the files of some identities."""
    return [source if source.startswith("example:") else source.partition(":")[2] or source for source in sources]
