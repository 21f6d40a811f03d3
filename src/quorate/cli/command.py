"""A command from a question: its options are the fields of the record, its help the record's words."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from functools import wraps
from typing import Annotated, Any, get_args, get_type_hints

from cyclopts import Group, Parameter

from quorate._question import Question, flag_of, parameter_docs
from quorate.cli.output import OUTPUT, OutputOptions
from quorate.cli.whole_numbers import WHOLE
from quorate.results.files import check_output

Options = inspect.Parameter
FIRST, MORE = Group("What people need first", sort_key=0), Group("More options", sort_key=2)
GROUPS = {
    "Population (name exactly one)": Group("Population (name exactly one)", sort_key=1),
    "Long work": Group("Long work", sort_key=3),
    "Reading the data": Group("Reading the data", sort_key=4),
    "Output": OUTPUT,
}
"""Headings of the help; an option that belongs to none is needed first, or one of more."""
PYTHON_ALONE = re.compile(r"[.;] [Ii]n Python also [^.]*(?=\.)")
"""What a command line cannot be given."""
WIDEST = 79
"""Letters of an example, which an ordinary terminal does not break."""


def command(run: Callable[..., int]) -> Callable[..., int]:
    """Spread the question of a command over single options, and refuse to write over what it reads.

    The command is a function of a question, of options of its own, and of an `OutputOptions` named output.
    """
    first, *own = (_with_default(each) for each in inspect.signature(run, eval_str=True).parameters.values())
    record = first.annotation
    options = sorted([*_options(record), *own], key=lambda each: (each.kind, _place(record, each.name)))
    files = {each.name for each in fields(record) if each.metadata.get("source")}

    def ask(given: inspect.BoundArguments) -> tuple[Question, dict[str, Any]]:
        """Return the question that was asked, and the options that are the command's own."""
        given.apply_defaults()
        rest = {each.name: given.arguments.pop(each.name) for each in own}
        # A list may repeat or take commas: the record reads both alike; names of files may hold commas.
        asked = {
            name: ",".join(value) if isinstance(value, list) and name not in files else value
            for name, value in given.arguments.items()
        }
        return record(**asked), rest

    @wraps(run)
    def spread(*args: Any, **kwargs: Any) -> int:
        question, rest = ask(inspect.Signature(options).bind(*args, **kwargs))
        output: OutputOptions = rest["output"]
        check_output(output.output, question.inputs())
        return run(question, **rest)

    spread.__dict__["ask"] = ask
    spread.__dict__["__signature__"] = inspect.Signature(options, return_annotation=int)
    spread.__doc__ = _with_help(inspect.cleandoc(run.__doc__ or ""), parameter_docs(record))
    spread.__annotations__ = {each.name: each.annotation for each in options}
    return spread


def _with_help(doc: str, docs: Mapping[str, str]) -> str:
    """Add what the record says of its fields to what the command says of its own options."""
    heading = "Parameters\n----------"
    said, _, own = doc.partition(f"\n\n{heading}")
    # A paragraph is one line, which the terminal breaks where it ends; examples keep their lines.
    lines = [_pasted(part) if "\n  " in part else part.replace("\n", " ") for part in said.split("\n\n")]
    fields_said = (f"{name}\n    {PYTHON_ALONE.sub('', line)}" for name, line in docs.items())
    return "\n".join(["\n\n".join([*lines, heading + own]), *fields_said])


def _pasted(examples: str) -> str:
    """Break long examples at an option, so that what is copied from a terminal is still one command."""
    lines = examples.split("\n")
    for place, line in enumerate(lines):  # which goes on with what is put behind
        at = line.rfind(" -", 8, WIDEST - 2) if len(line) > WIDEST else -1
        if at > 0:
            lines[place : place + 1] = [f"{line[:at]} \\", f"      {line[at + 1 :]}"]
    return "\n".join(lines)


def _with_default(each: inspect.Parameter) -> inspect.Parameter:
    """Spread where the result goes over options of its own."""
    if not (isinstance(each.annotation, type) and issubclass(each.annotation, OutputOptions)):
        return each
    where = each.annotation
    return each.replace(default=where(), annotation=Annotated[where, Parameter(name="*")], kind=Options.KEYWORD_ONLY)


def _options(record: type[Question]) -> Iterator[inspect.Parameter]:
    """Each field as a parameter of the command."""
    hints = get_type_hints(record)
    for each in fields(record):
        if each.metadata.get("cli") is not False:
            kind = Options.KEYWORD_ONLY if each.kw_only else Options.POSITIONAL_OR_KEYWORD
            default = Options.empty if each.default is MISSING else each.default
            needed = each.name in record.first.split() or (not each.kw_only and each.default is MISSING)
            group = FIRST if needed else GROUPS.get(_heading(record, each.name), MORE)
            typed = _type(each, hints)
            shown = Parameter(
                name=flag_of(each.name, each.metadata.get("flag")),
                group=group,
                show=each.name not in record.silent.split(),
                show_default=_listed if default not in (None, False, 0, "", (), Options.empty) else False,
                show_choices="," not in [one for part in get_args(typed) for one in get_args(part)],
            )
            read = (WHOLE,) if typed in (int, int | None) else ()
            yield Options(each.name, kind, default=default, annotation=Annotated[typed, shown, *read])


def _listed(default: Any) -> Any:
    """Return a default as it would be typed."""
    return ",".join(default) if isinstance(default, tuple) else default


def _place(record: type[Question], name: str) -> int:
    """What people need first stands first; the others keep their order."""
    first = record.first.split()
    return first.index(name) if name in first else len(first)


def _type(each: "Field[Any]", hints: Mapping[str, Any]) -> Any:
    typed = each.metadata.get("cli")
    return hints[each.name] if typed is None else typed if each.default is MISSING else typed | None


def _heading(record: type[Question], name: str) -> str:
    """The heading under which help lists an option: that of the record which declares it."""
    home = next(kind for kind in record.__mro__ if name in inspect.get_annotations(kind))
    heading: str = home.__dict__.get("heading", "")
    return heading
