"""A question: one frozen record of everything that is asked of a verb, its inputs included.

Each option is spelled once, as a field of the record with its line in the record's docstring. The command line reads
its options from there, the verb in Python takes its keywords from there, the record parses and checks itself once when
it is made, and the settings of a result are written from it.
"""

import difflib
import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, ParamSpec, Protocol, TypeVar, runtime_checkable

from quorate._errors import InputError

QUESTIONS = {
    "describe": "What have I got, how much do my raters disagree, and who rated what?",
    "plan": "How many items and raters must I buy?",
    "compare": "Is system A really better than B, or is my leaderboard noise?",
    "estimate": "How good is my classifier, given cheap votes and a few expert labels?",
    "convert": "What is in my log, as a table?",
    "fit": "Which population do my ratings look like?",
    "simulate": "Give me data from a population.",
    "audit": "Can I trust this test at my numbers of items and raters?",
    "reproduce": "Do you get the papers' numbers?",
    "presets": "Which populations are known by name?",
}
"""The questions people bring, by the verb that answers each; help and reports say them."""
ROOMS = {
    "describe": "describing",
    "plan": "planning",
    "sweep": "planning",
    "compare": "comparing",
    "estimate": "estimating",
    "convert": "converting",
    "fit": "fitting",
    "simulate": "simulating",
    "audit": "auditing",
    "reproduce": "reproducing",
    "presets": "simulating",
}
"""Where each verb lives, and below `report` and `cli.verbs` its page and its command."""

LARGEST_SIZE = 10**9
"""Items that can be asked for."""
MOST_RATERS = 10_000
"""Raters, or answers of a system, per item."""
MOST_SIZES, LONGEST_RANGE = 10_000, 30
"""Sizes in one question, and letters of one of its ranges."""
MOST_WORKERS = 512
MOST_MARGIN = 1e50
"""No score is larger, or its square would be lost."""
NAMED_FILE = re.compile(r"([^=/\\:?*]+)=(.+)", re.DOTALL)
"""A file with the name of its system before it."""
Asked = ParamSpec("Asked")
Record = TypeVar("Record")
Answer = TypeVar("Answer")
Value = TypeVar("Value")


def option(
    default: Value, *, parse: Callable[[str, Any], Any] | None = None, cli: Any = None, flag: str | None = None
) -> Value:
    """Declare a field of a question.

    Parameters
    ----------
    default
        What holds if nothing is said.
    parse
        Turns what was typed, or given in Python, into what the verb reads; called with the option's name and the value,
        unless it is None.
    cli
        The type the command line reads, where it is not the field's own; False for what only Python asks.
    flag
        The name on the command line, where it is not the field's.
    """
    made: Value = field(default=default, metadata={"parse": parse, "cli": cli, "flag": flag})
    return made


def split_name(given: str | Path) -> tuple[str | None, str]:
    """Split ``name=file``, which names the system of a file; a file that is called so is none."""
    match = NAMED_FILE.fullmatch(str(given))
    if match is None or os.path.exists(given):
        return None, str(given)
    return match[1], match[2]


class File(str):
    """The name of a file on the command line, so that help calls it so."""

    __slots__ = ()


def source(default: Any = MISSING, *, flag: str | None = None) -> Any:
    """Declare a field that names data: a path, ``-``, ``example:NAME``, a mapping, a frame, or data already read.

    Without a default it must be given.
    """
    return field(default=default, metadata={"cli": File, "flag": flag, "source": True})


def sources() -> Any:
    """Declare a field that names any number of data, none by default; one may stand alone."""
    return field(default=(), metadata={"cli": list[File], "source": True, "parse": _listed})


def _listed(flag: str, value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


@runtime_checkable
class Named(Protocol):
    """Data already read, which know their name."""

    @property
    def name(self) -> str:
        """What to call the data."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked.

    Parameters
    ----------
    seed
        Seed of all randomness; the same seed gives the same numbers.
    """

    heading: ClassVar[str] = "Output"
    first: ClassVar[str] = ""
    """The options people need first, in their order; help lists the others below."""
    silent: ClassVar[str] = ""
    """Options that only say why they do nothing here; help leaves them out."""
    seed: int = 0

    def __post_init__(self) -> None:
        for each in fields(self):
            parse, value = each.metadata.get("parse"), getattr(self, each.name)
            flag = flag_of(each.name, each.metadata.get("flag"))
            if each.type is not Any:  # else it may name a file, by any bytes
                _check_text(flag, value)
            if parse is not None and value is not None:
                object.__setattr__(self, each.name, parse(flag, value))
        if not isinstance(self.seed, int) or self.seed < 0:
            raise InputError(f"--seed cannot be {self.seed}; use a whole number from 0 up.")
        self.check()

    def check(self) -> None:
        """Refuse what cannot be asked; called once, when the question is made."""

    def settings(self, **resolved: Any) -> dict[str, Any]:
        """Return every option as a plain value; what the verb resolved replaces what was asked."""
        asked = {
            each.name: (_name if each.metadata.get("source") else _plain)(getattr(self, each.name))
            for each in fields(self)
            if each.name != "seed"
        }
        return asked | {name: _plain(value) for name, value in resolved.items()}

    def given(self, group: "type[Question]") -> dict[str, Any]:
        """Return the options of a group that were given; those left at their default are not named."""
        values = {each.name: (getattr(self, each.name), each.default) for each in fields(group) if each.name != "seed"}
        return {name: value for name, (value, default) in values.items() if value != default}

    def inputs(self) -> tuple[str, ...]:
        """Return the files that are read, as they were named; standard input is ``-``."""
        named = [getattr(self, each.name) for each in fields(self) if each.metadata.get("source")]
        several = [one for each in named for one in (each if isinstance(each, list | tuple) else [each])]
        return tuple(split_name(each)[1] for each in several if isinstance(each, str | Path))


def asks(name: str, question: Callable[Asked, Record], answer: Callable[[Record], Answer]) -> Callable[Asked, Answer]:
    """Make a verb: a function of the fields of a question, which makes the record and answers it.

    Its signature and its help begin with what people need first.
    """
    signature = inspect.signature(question)
    first = getattr(question, "first", "").split()

    @wraps(answer)
    def verb(*args: Asked.args, **kwargs: Asked.kwargs) -> Answer:
        unknown = next((key for key in kwargs if key not in signature.parameters), None)
        if unknown is not None:
            close = difflib.get_close_matches(unknown, signature.parameters, n=1)
            hint = f"; did you mean {close[0]}?" if close else f"; see help(quorate.{name})."
            raise TypeError(f"{unknown} is not an option of quorate.{name}{hint}")
        return answer(question(*args, **kwargs))

    def place(each: str) -> int:
        return first.index(each) if each in first else len(first)

    ordered = sorted(
        signature.parameters.values(), key=lambda each: (each.kind, each.kind.value > 1 and place(each.name))
    )
    shown = signature.replace(parameters=ordered, return_annotation=inspect.signature(answer).return_annotation)
    verb.__dict__["__signature__"] = shown
    verb.__name__ = verb.__qualname__ = name
    if isinstance(question, type):
        docs = parameter_docs(question)
        needed_first = {each: docs[each] for each in sorted(docs, key=place)}
        verb.__doc__ = _with_parameters(answer.__doc__ or "", needed_first)
    return verb


def parameter_docs(question: type) -> dict[str, str]:
    """Return the line of each field, from the docstrings of the record and its parents."""
    docs: dict[str, str] = {}
    names: list[str] = []
    for kind in reversed(question.__mro__):
        _, _, section = inspect.cleandoc(kind.__dict__.get("__doc__") or "").partition("Parameters\n----------\n")
        for line in section.split("\n\n")[0].splitlines():
            if line.startswith(" "):
                docs |= {name: f"{docs[name]} {line.strip()}".strip() for name in names}
            else:
                names = line.split(", ")
                docs |= dict.fromkeys(names, "")
    return docs


def _with_parameters(doc: str, docs: Mapping[str, str]) -> str:
    """Put what the record says of its fields before the examples of a verb."""
    text, _, examples = inspect.cleandoc(doc).partition("Examples\n--------\n")
    section = "\n".join(f"{name}\n    {line}" for name, line in docs.items())
    parts = [text.strip(), f"Parameters\n----------\n{section}"]
    return "\n\n".join([*parts, f"Examples\n--------\n{examples}"] if examples else parts) + "\n"


def flag_of(name: str, flag: str | None = None) -> str:
    """Return what an option is called on the command line."""
    return flag or "--" + name.replace("_", "-")


def words(flag: str, value: str | Sequence[str]) -> tuple[str, ...]:
    """Split a text at its commas; a sequence stays as it is, for a name may hold a comma."""
    return tuple(word.strip() for word in value.split(",")) if isinstance(value, str) else tuple(value)


def numbers(flag: str, value: int | str | Sequence[int | str]) -> tuple[int, ...]:
    """Read whole numbers: 3, or 1,3,5, or 1-10, or a sequence of such."""
    parts = [value] if isinstance(value, int | str) else list(value)
    whole: list[int] = []
    for word in (word.strip() for part in parts for word in str(part).split(",")):
        low, dash, high = word.partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()) or len(word) > LONGEST_RANGE:
            raise InputError(f"{flag} {word[:30]} is not a number, list or range; write 3, or 1,3,5, or 1-10.")
        first, last = int(low), int(high or low)
        if first > last:
            raise InputError(f"{flag} {word} runs backwards; write the smaller number first.")
        check_size(flag, last, LARGEST_SIZE, least=0)
        if last - first + len(whole) >= MOST_SIZES:
            raise InputError(f"{flag} {word} asks for {last - first + 1:,} sizes; ask for {MOST_SIZES:,} at most.")
        whole += range(first, last + 1)
    return tuple(whole)


def _check_text(flag: str, value: object) -> None:
    """Refuse what was typed in another encoding than this machine's, which leaves half characters."""
    texts = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    if any(isinstance(text, str) and not text.isascii() and re.search("[\ud800-\udfff]", text) for text in texts):
        raise InputError(f"{flag} is not UTF-8 text; type it again.")


def check_share(flag: str, value: float, usual: str = "0.95") -> None:
    """Refuse what is no share between 0 and 1, such as a level of confidence, and name a usual one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        shown = f"{value:g}" if isinstance(value, float) else value
        raise InputError(f"{flag} {shown} is not between 0 and 1; {usual} is usual.")


def check_size(flag: str, value: int, most: int, *, least: int = 1) -> None:
    """Refuse a size below what means something, or above what can be done."""
    if value < least:
        raise InputError(f"{flag} {value} must be at least {least}.")
    if value > most:
        shown = f"{value:.3g}" if value < 10**300 else f"of {value.bit_length()} bits"
        raise InputError(f"{flag} {shown} is more than can be done; ask for {most:,} at most.")


def up_to(most: int) -> Callable[[str, int], int]:
    """Return what reads a size from 0 up to the most that can be done."""

    def parse(flag: str, value: int) -> int:
        check_size(flag, value, most, least=0)
        return value

    return parse


def check_workers(workers: int) -> None:
    """Refuse fewer processes than one, or more than any machine runs."""
    check_size("--workers", workers, MOST_WORKERS)


def _plain(value: Any) -> Any:
    """Return a setting as JSON can hold it; a record by its own dictionary."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Mapping():
            return {str(key): _plain(each) for key, each in value.items()}
        case tuple() | list() | range():
            return [_plain(each) for each in value]
    return str(value)


def _name(data: Any) -> Any:
    """Return what to call data: the path as it was given, or what kind of thing it is."""
    match data:
        case None | str():
            return "-" if data == "/dev/stdin" else data
        case Path():
            return str(data)
        case list() | tuple():
            return [_name(each) for each in data]
        case Mapping():
            return "the data"
        case Named():
            return data.name
    return "the data frame"
