"""What a log of another tool becomes: a long table, the field behind each column, and what was left out and why."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import polars as pl

from quorate._errors import InputError
from quorate._text import printable
from quorate.data.columns import listed
from quorate.data.formats.packed_rows import ASIDE, Row, aside
from quorate.data.json_records import JsonRecords
from quorate.data.json_values import loads_json
from quorate.data.reading import LogChoice
from quorate.data.tables import as_text

Kind: TypeAlias = Literal["ratings", "scores", "rated", "preferences"]
"""People about items; numbers about outputs; people about outputs; votes between two outputs."""

ROLES = ("item", "rater", "system", "run", "repeat", "response", "system_a", "system_b", "winner", "turn")
MOST_GROUPS, LONGEST_GROUP = 20, 60
"""Fields kept to group items by, and the letters of a value that may name a group."""
DIGITS = 12
"""Digits of a hash that names an item."""


class ChoiceError(InputError):
    """A log of which one of several scores or filters must be chosen, or which has not the one that was."""


class AbsentError(ChoiceError):
    """A log that has not the score or filter that was asked for; another of the same folder may have it."""


class AbsentFilterError(AbsentError):
    """A log that may have the score, but not the filter that was asked for."""


@dataclass(frozen=True)
class DroppedRows:
    """Why rows of a log are not in the table, and how many."""

    reason: str
    rows: int


@dataclass(frozen=True)
class LogTable:
    """A log as a long table.

    Parameters
    ----------
    frame
        Text columns item, response and, as far as the log knows them, rater, system, run and groups of items;
        of votes item, rater, system_a, system_b and winner.
    tool
        What wrote the log, such as ``"an Inspect log"``.
    kind
        What a row is.
    mapping
        The field of the log behind each column.
    dropped
        What was left out.
    notes
        What a reader of the table should know.
    scope
        The task or data set, where the log names one; items of different ones are never the same.
    details
        What tells two logs of one system apart, such as its solver.
    low_is_good
        Whether the tool says that a low score is the better one.
    """

    frame: pl.DataFrame
    tool: str
    kind: Kind
    mapping: Mapping[str, str]
    dropped: tuple[DroppedRows, ...] = ()
    notes: tuple[str, ...] = ()
    scope: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    low_is_good: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """What a load report says of the log: where the columns are from, what was left out, what to know."""
        fields_ = ", ".join(f"{role} = {name}" for role, name in self.mapping.items())
        left = [f"left out {each.rows:,}: {each.reason}" for each in self.dropped]
        return (f"{self.tool}: {fields_}", *left, *self.notes)


@dataclass(frozen=True)
class Layout:
    """What all logs of a tool have in common.

    `called` is what the tool calls the things one of which is chosen: scores, questions. `shared_runs` says that a run
    has something in common on all its items, such as the examples in the prompt; else an item is asked several times.
    """

    tool: str
    kind: Kind
    mapping: Mapping[str, str]
    called: str = "scores"
    shared_runs: bool = False


def log_table(
    name: str,
    layout: Layout,
    rows: pl.DataFrame,
    choice: LogChoice,
    dropped: Sequence[DroppedRows] = (),
    notes: Sequence[str] = (),
    scope: str = "",
    details: Mapping[str, str] | None = None,
) -> LogTable:
    """Choose one score of a log, of packed rows; those without a value are counted and left out."""
    if rows.is_empty():
        raise _empty(name, layout, dropped)
    frame, chosen, others = _one_question(name, rows.drop(aside(rows)), layout, choice)
    value = "winner" if layout.kind == "preferences" else "response"
    kept = frame.filter(pl.col(value).is_not_null() & pl.col("item").is_not_null())
    lost = [*dropped, *others, DroppedRows("no value", frame.height - kept.height)]
    if kept.is_empty():
        raise _empty(name, layout, lost)
    known = [column for column in kept.columns if kept[column].null_count() < kept.height]
    order = [role for role in ROLES if role in known] + [column for column in known if column not in ROLES]
    mapping = {role: source for role, source in layout.mapping.items() if role in known}
    if chosen:
        mapping[value] = mapping[value].replace("NAME", chosen)
    called = {} if layout.shared_runs else {"run": "repeat"}
    return LogTable(
        kept.select(order).rename(called, strict=False),
        layout.tool,
        layout.kind,
        {called.get(role, role): source for role, source in mapping.items()},
        tuple(each for each in lost if each.rows),
        tuple(notes),
        scope,
        details or {},
    )


def _empty(name: str, layout: Layout, lost: Sequence[DroppedRows]) -> InputError:
    why = "; ".join(f"{each.rows:,} left out: {each.reason}" for each in lost if each.rows)
    return InputError(f"{name} is {layout.tool}, but holds no value to read{f' ({why})' if why else ''}; check it.")


def refuse_absent(name: str, frame: pl.DataFrame, layout: Layout, choice: LogChoice) -> list[str]:
    """Return the scores of a log; refuse one that has not the score asked for."""
    there: list[str] = frame["question"].drop_nulls().unique().sort().to_list()
    if choice.score is not None and choice.score not in there:
        raise AbsentError(
            f"{name} has no {layout.called[:-1]} '{choice.score}', only {listed(there, 12)}; name one of them."
        )
    return there


def _one_question(
    name: str, frame: pl.DataFrame, layout: Layout, choice: LogChoice
) -> tuple[pl.DataFrame, str, list[DroppedRows]]:
    """Keep the values of one score, the one asked for or the only one."""
    if "question" not in frame.columns:
        if choice.score is not None:
            raise InputError(f"{name} is {layout.tool} with one score without a name; leave --score out.")
        return frame, "", []
    there = refuse_absent(name, frame, layout, choice)
    if choice.score is None and len(there) > 1:
        raise ChoiceError(f"{name} has several {layout.called}: {listed(there, 12)}; {choice.advice}.")
    wanted = choice.score or (there[0] if there else "")
    kept = frame.filter(pl.col("question").is_null() | (pl.col("question") == wanted)).drop("question")
    others = frame.height - kept.height
    reason = f"another of the {layout.called}, not {wanted}"
    return kept, wanted, [DroppedRows(reason, others)] if others else []


def stack(names: Sequence[str], logs: Sequence[LogTable]) -> LogTable:
    """Put logs one below the other; items of different tasks stay apart, and so do logs of one system."""
    if len({log.kind for log in logs}) > 1:
        other = next(place for place, log in enumerate(logs) if log.kind != logs[0].kind)
        raise InputError(
            f"{names[0]} holds {logs[0].kind} and {names[other]} {logs[other].kind}; compare logs of one kind."
        )
    scoped = len({log.scope for log in logs}) > 1
    frames = [_in_scope(log) if scoped else log.frame for log in logs]
    frame = pl.concat(frames, how="diagonal")
    order = [role for role in ROLES if role in frame.columns]
    mapping = {role: source for log in reversed(logs) for role, source in log.mapping.items()}
    reasons = dict.fromkeys(each.reason for log in logs for each in log.dropped)
    totals = {
        reason: sum(each.rows for log in logs for each in log.dropped if each.reason == reason) for reason in reasons
    }
    return replace(
        logs[0],
        frame=frame.select(*order, pl.exclude(order)),
        tool=" and ".join(dict.fromkeys(log.tool for log in logs)),
        mapping={role: mapping[role] for role in ROLES if role in mapping},
        dropped=tuple(DroppedRows(reason, rows) for reason, rows in totals.items()),
        notes=tuple(dict.fromkeys(note for log in logs for note in log.notes)),
        scope="" if scoped else logs[0].scope,
        low_is_good=any(log.low_is_good for log in logs),
    )


def _in_scope(log: LogTable) -> pl.DataFrame:
    """Name items with their task, which becomes a group of theirs too."""
    if not log.scope:
        return log.frame
    scope = pl.lit(log.scope)
    return log.frame.with_columns(pl.concat_str(scope, pl.lit(" | "), "item").alias("item"), scope.alias("task"))


def text(value: object) -> str | None:
    """Write a value of JSON as a cell: true and false in small letters; what is no single value is missing."""
    match value:
        case None | "":
            return None
        case bool():
            return str(value).lower()
        case str():
            return value
    return None


def grade(value: object) -> str | None:
    """Write a score as a cell: a verdict true or false counts 1 or 0."""
    return str(int(value)) if isinstance(value, bool) else text(value)


def digest(*parts: object) -> str:
    """Name a thing by what it holds, whatever the order of its keys."""
    written = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(written.encode(errors="surrogatepass")).hexdigest()[:DIGITS]


def short(value: object, most: int = 40) -> str:
    """Write a thing on one short line, for people."""
    return printable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str), most)


def groups_of(metadata: object) -> Row:
    """Return the short single values among an item's further fields, by which items may be grouped."""
    if not isinstance(metadata, dict):
        return {}
    cells = {f"{key}": text(value) for key, value in list(metadata.items())[:MOST_GROUPS]}
    taken = (*ROLES, "question", "count")
    return {
        key: cell
        for key, cell in cells.items()
        if cell is not None and len(cell) <= LONGEST_GROUP and key not in taken and not key.startswith(ASIDE)
    }


def ranked_votes(places: Sequence[tuple[str, str]]) -> Iterator[Row]:
    """Return a vote between any two systems that were put in order, each given with its place; equal places tie."""
    for (a, first), (b, second) in combinations(places, 2):
        order = float(first) - float(second)
        yield {"system_a": a, "system_b": b, "winner": a if order < 0 else b if order > 0 else "tie"}


def records_of(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as JSON would give them: numbers as text, NaN missing, lists and objects kept."""
    made: list[dict[str, Any]] = loads_json(json.dumps(frame.to_dicts(), default=str))
    return made


def text_cells(name: str, frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table with every value as text, lists and objects kept."""
    return frame.with_columns(
        as_text(column, name) for column in frame.iter_columns() if not column.dtype.is_nested()
    ).to_dicts()


def objects(content: object) -> list[dict[str, Any]]:
    """Return the objects among the members of a list; one object is a list of itself."""
    return list(each_object(content.kept() if isinstance(content, JsonRecords) else content))


def each_object(content: object) -> Iterator[dict[str, Any]]:
    """Go through the objects among the members of a list, or among records, of which one is held at a time."""
    members = content if isinstance(content, list | JsonRecords) else [content]
    return (each for each in members if isinstance(each, dict))


def first_object(content: object) -> dict[str, Any]:
    """Return the first object of a list, or the object itself; an empty one if there is none."""
    head = content[0] if isinstance(content, list) and content else content
    head = head.first if isinstance(head, JsonRecords) else head
    return head if isinstance(head, dict) else {}


def is_list(content: object) -> bool:
    """Tell whether parsed JSON is a list, or records."""
    return isinstance(content, list | JsonRecords)


def part(record: Mapping[str, Any], *keys: str) -> Any:
    """Return what stands under nested keys, None where one is not there."""
    found: Any = record
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found
