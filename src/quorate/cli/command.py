"""A command from a question: its options are the fields of the record, its help the record's words."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from functools import wraps
from typing import Annotated, Any, get_type_hints

from cyclopts import Group, Parameter

from quorate._question import Question, flag_of, parameter_docs
from quorate.cli.output import OUTPUT, OutputOptions
from quorate.results.files import check_output

Options = inspect.Parameter
GROUPS = {title: Group.create_ordered(title) for title in ("Population (name exactly one)", "Reading the data")}
GROUPS["Output"] = OUTPUT
"""Headings of the help, in their order; an option that belongs to none is a parameter."""


def command(run: Callable[..., int]) -> Callable[..., int]:
    """Spread the question of a command over single options, and refuse to write over what it reads.

    The command is a function of a question, of options of its own, and of an `OutputOptions` named output.
    """
    first, *own = (_with_default(each) for each in inspect.signature(run, eval_str=True).parameters.values())
    record = first.annotation
    options = sorted([*_options(record), *own], key=lambda each: each.kind)

    @wraps(run)
    def spread(*args: Any, **kwargs: Any) -> int:
        given = inspect.Signature(options).bind(*args, **kwargs)
        given.apply_defaults()
        rest = {each.name: given.arguments.pop(each.name) for each in own}
        output: OutputOptions = rest["output"]
        # A list may repeat or take commas: the record reads both alike.
        asked = {name: ",".join(value) if isinstance(value, list) else value for name, value in given.arguments.items()}
        question: Question = record(**asked)
        check_output(output.output, question.inputs())
        return run(question, **rest)

    spread.__dict__["__signature__"] = inspect.Signature(options, return_annotation=int)
    spread.__doc__ = _with_help(inspect.cleandoc(run.__doc__ or ""), parameter_docs(record))
    spread.__annotations__ = {each.name: each.annotation for each in options}
    return spread


def _with_help(doc: str, docs: Mapping[str, str]) -> str:
    """Add what the record says of its fields to what the command says of its own options."""
    heading = "Parameters\n----------"
    text = doc if heading in doc else f"{doc}\n\n{heading}"
    return "\n".join([text, *(f"{name}\n    {line}" for name, line in docs.items())])


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
            name, group = flag_of(each.name, each.metadata.get("flag")), GROUPS.get(_heading(record, each.name))
            shown = Parameter(name=name) if group is None else Parameter(name=name, group=group)
            yield Options(each.name, kind, default=default, annotation=Annotated[_type(each, hints), shown])


def _type(each: "Field[Any]", hints: Mapping[str, Any]) -> Any:
    typed = each.metadata.get("cli")
    return hints[each.name] if typed is None else typed if each.default is MISSING else typed | None


def _heading(record: type[Question], name: str) -> str:
    """The heading under which help lists an option: that of the record which declares it."""
    home = next(kind for kind in record.__mro__ if name in inspect.get_annotations(kind))
    heading: str = home.__dict__.get("heading", "")
    return heading
