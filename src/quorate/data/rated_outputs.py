"""Read ratings of the systems' own outputs: each row says which system's output was rated, and may say by whom and
of which run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._text import count
from quorate._typing import Array
from quorate.data.answers import Answers, check_systems
from quorate.data.columns import (
    JOINT,
    RATER,
    REPEAT,
    RESPONSE,
    RUN,
    SYSTEM,
    find_column,
    find_items,
    named_columns,
    to_long,
)
from quorate.data.inputs import Source, open_input
from quorate.data.numerals import read_numerals
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import on_scale, one_per_pair, refuse_idle, text_table
from quorate.data.reading import Reading
from quorate.data.scale import Scale, as_numbers
from quorate.data.several_inputs import refuse_idle_choice
from quorate.data.tables import InputTable, as_text
from quorate.data.tally import encode, tally

ON_THEIR_OWN = "are each drawn on their own, and averaged; --run-column names runs that may be lucky on all items"


def system_column(ratings: Ratings) -> str | None:
    """Return the column that says whose output was rated, of ratings that were read without it."""
    others = [name for name in ratings.other_columns if name not in (*ratings.item_groups, *ratings.rater_groups)]
    return find_column(SYSTEM, others, None, ratings.name)


@dataclass(frozen=True)
class RatedOutputs:
    """The ratings each system got.

    Parameters
    ----------
    ratings
        By system, sorted by name, on the same items; where each item has one system, those of all items for each.
    runs
        Of systems whose runs have names: the single ratings with the run they were given to.
    split
        Where each item has one system only: the items of each, ``(item,)``; empty elsewhere.
    one_scorer
        Whether one rater, or none with a name, gave every mark, at most one to each output.
    notes
        What was left out.
    """

    ratings: Mapping[str, Ratings]
    runs: Mapping[str, Answers] = field(default_factory=dict)
    split: Mapping[str, Array] = field(default_factory=dict)
    one_scorer: bool = False
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> Ratings:
        """The ratings of one system, for what all share: items, scale, name."""
        return next(iter(self.ratings.values()))


def read_rated_outputs(
    source: Source,
    system_column: str,
    *,
    run_column: str | None = None,
    missing: str = "error",
    systems: Sequence[str] | None = None,
    reading: Reading | None = None,
    split: bool = False,
) -> RatedOutputs:
    """Read ratings of the systems' own outputs, by system, on the same items and scale.

    The source is long, with a column that says which system's output was rated. Systems not wanted only help to find
    the scale. If a system was not rated on an item, `missing` says ``"drop"`` to leave it out, or ``"error"``; with
    `split` each item may have one system only.
    """
    rows = _open_rows(source, system_column, run_column, systems, Reading() if reading is None else reading)
    if split and (items := rows.split()):
        whole = rows.tally(rows.frame)
        runs = {name: rows.runs(rows.of(name), whole) for name in items} if rows.shared else {}
        return RatedOutputs(dict.fromkeys(items, whole), runs, items, rows.one_scorer)
    parts = {name: rows.tally(rows.of(name)) for name in rows.names}
    kept, notes = _on_common_items(rows.table.name, parts, missing)
    runs = {name: rows.runs(rows.of(name), part) for name, part in kept.items()} if rows.shared else {}
    return RatedOutputs(kept, runs, one_scorer=rows.one_scorer, notes=notes)


def read_outputs_apart(
    source: Source, system_column: str, *, run_column: str | None = None, reading: Reading | None = None
) -> tuple[Ratings, dict[str, Ratings]]:
    """Read ratings of outputs as they are: with each system's output of an item as an item, and by system."""
    rows = _open_rows(source, system_column, run_column, None, Reading() if reading is None else reading)
    key = pl.concat_str([pl.col("item"), pl.col(system_column)], separator=JOINT).alias("item")
    whole = rows.tally(rows.frame.with_columns(key))
    return whole, {name: rows.tally(rows.of(name)) for name in rows.names}


@dataclass(frozen=True)
class _RatedRows:
    """The ratings of the systems wanted, row by row, on one scale; `system` and `run` name their columns.

    `shared` says that a run is the same on all items; else its number only tells the answers to one item apart.
    """

    frame: pl.DataFrame
    table: InputTable
    scale: Scale
    columns: Mapping[str, str]
    notes: tuple[str, ...]
    system: str
    run: str | None
    shared: bool

    @property
    def names(self) -> list[str]:
        """The systems, sorted."""
        return [str(name) for name in self.frame[self.system].unique().sort()]

    def of(self, name: str) -> pl.DataFrame:
        """Return the rows of one system."""
        return self.frame.filter(pl.col(self.system) == name)

    def tally(self, part: pl.DataFrame) -> Ratings:
        """Return some rows as ratings."""
        aside = [self.system, *([self.run] if self.run else [])]
        return tally(
            part.drop(aside), self.scale, self.table.name, n_rows=part.height, columns=self.columns, notes=self.notes
        )

    def split(self) -> dict[str, Array]:
        """Return the items of each system, ``(item,)``; none where an item has several."""
        system_of = self.frame.select("item", self.system).unique().sort("item")
        if system_of["item"].is_duplicated().any() or system_of[self.system].n_unique() < 2:
            return {}
        return {name: (system_of[self.system] == name).arg_true().to_numpy() for name in self.names}

    def runs(self, part: pl.DataFrame, ratings: Ratings) -> Answers:
        """Return the single ratings of one system, those of items that are left, with their runs."""
        place = pl.DataFrame({"item": ratings.items}).with_row_index("code")
        there = part.join(place, on="item", how="inner", maintain_order="left").sort("code")
        item, response = there["code"].cast(pl.Int32).to_numpy(), there["response"].cast(pl.Int32).to_numpy()
        return Answers(ratings.summary, item, encode(there[self.run or ""])[0], response)

    @property
    def one_scorer(self) -> bool:
        """Whether one rater, or none with a name, gave every mark, at most one to each output."""
        raters = self.frame["rater"].n_unique() if "rater" in self.frame.columns else 1
        outputs = ["item", self.system, *([self.run] if self.run else [])]
        once = "count" not in self.frame.columns and not self.frame.select(outputs).is_duplicated().any()
        return once and raters == 1


def _open_rows(
    source: Source, system_column: str, run_column: str | None, systems: Sequence[str] | None, reading: Reading
) -> _RatedRows:
    keys = partial(_told_apart_by, system_column, run_column, reading)
    opened = open_input(source, reading=reading, keys=keys, duplicates=reading.duplicates)
    named_columns([system_column], opened.frame.columns, "--rated-system", opened.name)
    refuse_idle_choice(opened, reading)
    refuse_idle(opened.name, "holds ratings of outputs, no votes", reading, ("preferences",))
    run, shared = _find_runs(opened, system_column, run_column)
    long = to_long(opened, reading, aside=[system_column, *([run] if run else [])])
    table, truth = _truth_as_numbers(_with_systems(text_table(long.table), system_column), reading)
    run = run if run in table.frame.columns and "count" not in table.frame.columns else None
    kind = "interval" if reading.order is None and _two_numbers(table, reading) else None
    scale, frame, notes = on_scale(table, long.columns["response"], reading, kind)
    frame, more = one_per_pair(table, frame, reading.duplicates, system_column, *([run] if run else []))
    check_systems(systems, frame[system_column].unique().to_list())
    if systems is not None:
        frame = frame.filter(pl.col(system_column).is_in(list(systems)))
    if run is not None:
        frame = _with_runs(table, frame, run)
    role = RUN if shared else REPEAT
    columns = {**long.columns, "system": system_column, **({role.name: run} if run else {})}
    again = not shared and run is not None and frame[run].n_unique() > 1
    if again:
        more = [*more, f"an item's answers in column {run} {ON_THEIR_OWN}"]
    told = (*long.notes, *truth, *notes, *more)
    return _RatedRows(frame, table, scale, columns, told, system_column, run, shared and run is not None)


def _find_runs(table: InputTable, system_column: str, run_column: str | None) -> tuple[str | None, bool]:
    """Return the column that tells runs apart, and whether a run is the same on all items."""
    run = find_column(RUN, table.frame.columns, run_column, table.name, taken=(system_column,))
    repeat = find_column(REPEAT, table.frame.columns, None, table.name, taken=(system_column,))
    return (run, True) if run is not None else (repeat, False)


def _told_apart_by(system: str, run_column: str | None, reading: Reading, names: Sequence[str]) -> Sequence[str]:
    """Return the columns that tell ratings of outputs apart; none where they are not found."""
    where = "the table"
    run = find_column(RUN, names, run_column, where, taken=(system,))
    run = run or find_column(REPEAT, names, None, where, taken=(system,))
    response = find_column(RESPONSE, names, reading.response_column, where, (system, run))
    items = find_items(names, reading.item_column, where, (system, run))
    if reading.layout not in (None, "long") or not items or response is None:
        return ()
    rater = find_column(RATER, names, reading.rater_column, where, taken=(response,))
    return [name for name in names if name in {*items, rater, response, system, run}]


def _truth_as_numbers(table: InputTable, reading: Reading) -> tuple[InputTable, tuple[str, ...]]:
    """Read marks that are all true or false as 1 and 0, of which there is a mean, unless a scale is declared."""
    marks = table.frame["response"].str.strip_chars().str.to_lowercase()
    labels = marks.drop_nulls().unique()
    if reading.scale or reading.order or labels.is_empty() or not labels.is_in(["true", "false"]).all():
        return table, ()
    numbers = marks.replace({"true": "1", "false": "0"})
    read = replace(table, frame=table.frame.with_columns(numbers.alias("response")))
    return read, ("true is read as 1 and false as 0",)


def _two_numbers(table: InputTable, reading: Reading) -> bool:
    """Tell whether all marks are two numbers, such as 0 and 1: of marks there is a mean."""
    labels = table.frame["response"].drop_nulls().unique()
    return len(labels) <= 2 and as_numbers(read_numerals(labels, reading.decimal, table.name).labels) is not None


def _with_systems(table: InputTable, column: str) -> InputTable:
    if column not in table.frame.columns or column in ("item", "rater", "response", "count"):
        raise InputError(
            f"--rated-system {column}: that column is read as item, rater or response; name the one with the systems."
        )
    names = as_text(table.frame[column], table.name)
    lost = names.is_null() & table.frame["response"].is_not_null()
    if lost.any():
        raise InputError(f"{table.at(lost.arg_max() or 0, column)} is empty; say which system was rated.")
    return replace(table, frame=table.frame.with_columns(names.alias(column)))


def _with_runs(table: InputTable, frame: pl.DataFrame, run: str) -> pl.DataFrame:
    """Return the frame with its runs as text; refuse a mark that belongs to none."""
    names = as_text(frame[run], table.name)
    if names.null_count():
        empty = as_text(table.frame[run], table.name).is_null() & table.frame["response"].is_not_null()
        raise InputError(f"{table.at(empty.arg_max() or 0, run)} is empty; fill it in.")
    return frame.with_columns(names.alias(run))


def _on_common_items(name: str, parts: dict[str, Ratings], missing: str) -> tuple[dict[str, Ratings], tuple[str, ...]]:
    """Keep the items every system was rated on, or refuse if one is missing; say what was left out."""
    items = pl.concat([part.items for part in parts.values()])
    seen = items.value_counts()
    common = seen.filter(seen["count"] == len(parts))[items.name].implode()
    for system, part in parts.items():
        lost = seen.height - part.n_items
        if lost and missing == "error":
            raise InputError(
                f"{name}: {lost} of {seen.height} items were not rated for system '{system}'; add their ratings, or "
                "leave those items out with --missing drop."
            )
    kept = {system: part.keep(np.asarray(part.items.is_in(common))) for system, part in parts.items()}
    n_kept = next(iter(kept.values())).n_items
    if not n_kept:
        raise InputError(f"{name}: no item was rated for every system; name fewer systems with --systems.")
    lost = seen.height - n_kept
    return kept, (f"{count(lost, 'item')} left out, for a system was not rated there (--missing)",) if lost else ()
