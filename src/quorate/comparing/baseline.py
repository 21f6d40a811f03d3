"""A stored baseline: one system's answers, or the ratings or scores of its outputs, written once and compared with."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from quorate._errors import InputError
from quorate.comparing.question import CompareQuestion
from quorate.data.answers import check_systems
from quorate.data.columns import SYSTEM, find_column, listed, named_columns
from quorate.data.inputs import Source, open_input
from quorate.data.several_inputs import gather
from quorate.data.tables import InputTable, as_text
from quorate.results.files import write_csv, written_whole

FLAG = "--baseline-file"
MEASURED = "measured"
"""Column of a stored log that says which of its scores was stored."""


@dataclass(frozen=True)
class StoredBaseline:
    """What was stored: which system, in how many rows; `alone` if no other system is there to compare with."""

    path: Path
    system: str
    n_rows: int
    alone: bool


def store_baseline(question: CompareQuestion) -> StoredBaseline | None:
    """Write the baseline's rows, if a file is named that is not there yet; a file that is there is never touched."""
    path = _path(question)
    if path is None or os.path.exists(path):
        return None
    if path.suffix.lower() != ".csv" or not os.path.isdir(path.parent):
        raise InputError(f"{FLAG} {path} cannot be written: end its name in .csv, in a folder that is there.")
    table, column = _systems_table(question)
    names = as_text(table.frame[column], table.name).unique().drop_nulls().sort().to_list()
    name = question.baseline if question.baseline is not None else names[0]
    check_systems([name], names)
    if question.baseline is None and len(names) > 1:
        raise InputError(
            f"{table.name} has several systems ({listed(names)}); name the one to store in {path} with --baseline."
        )
    rows = table.frame.filter(as_text(table.frame[column], table.name) == name)
    if table.log is not None:
        rows = rows.with_columns(pl.lit(table.log.mapping["response"]).alias(MEASURED))
    with written_whole(path, FLAG) as file:
        write_csv(_texts(rows, table.name), file, keep_formulas=True)
    return StoredBaseline(path, name, rows.height, alone=len(names) == 1)


def with_stored_baseline(question: CompareQuestion) -> CompareQuestion:
    """Return the question with the rows of the stored baseline among those of the systems.

    A system of the same name there is another version, so the stored one is called its baseline; with ``--baseline``
    the stored one stands for it.
    """
    path = _path(question)
    if path is None:
        return question
    if not os.path.exists(path):
        raise InputError(f"There is no file {path}; the command, or assert_not_worse, writes it once.")
    table, column = _systems_table(question)
    stored = _stored(path, table)
    named_columns([column], stored.frame.columns, "--system-column", stored.name)
    then = _texts(stored.frame, stored.name)
    names = then[column].drop_nulls().unique().sort().to_list()
    if len(names) != 1 or question.baseline not in (None, *names):
        raise InputError(f"{path} holds {listed(names)}; it must hold one system, the one --baseline names if it does.")
    [name] = names
    now = _texts(table.frame, table.name)
    if question.baseline is not None:
        now = now.filter(pl.col(column) != name)
    whole_rows = now.height == table.frame.height and stored.first_row is not None
    called = f"{name} (baseline)" if name in now[column] else name
    both = pl.concat([now, then.with_columns(pl.lit(called).alias(column))], how="diagonal")
    whole = replace(
        table,
        frame=both,
        first_row=table.first_row if whole_rows else None,
        below=((now.height, str(path), stored.first_row or 1),),
        paths=(*(table.paths or (table.name,)), str(path)),
        notes=(*table.notes, f"baseline '{called}' from {path}"),
    )
    if question.rated_system is not None or table.log is not None:
        return replace(
            question, ratings=whole, answers=None, more=(), rated_system=column, baseline=called, baseline_file=None
        )
    return replace(question, answers=whole, baseline=called, baseline_file=None)


def _stored(path: Path, table: InputTable) -> InputTable:
    """Open the baseline; refuse one that was stored of another score than is read now."""
    stored = open_input(path)
    if MEASURED not in stored.frame.columns:
        return stored
    then, now = stored.frame[MEASURED][0], None if table.log is None else table.log.mapping["response"]
    if then != now:
        raise InputError(
            f"{path} was stored of {then}, and {table.name} is read for {now or 'what stands in a table'}; read the "
            "same score, or store another baseline."
        )
    return replace(stored, frame=stored.frame.drop(MEASURED))


def _path(question: CompareQuestion) -> Path | None:
    return None if question.baseline_file is None else Path(str(question.baseline_file))


def _systems_table(question: CompareQuestion) -> tuple[InputTable, str]:
    """Return the table that says which system each row is of, and its column."""
    source: Source = question.ratings if question.rated_system is not None else question.answers
    if question.rated_system is None and isinstance(question.ratings, str | Path):
        given = gather(question.ratings, question.answers, question.more, None, question)
        if given.rated_system is not None:  # logs of other tools, which say so themselves
            return given.ratings, given.rated_system
    if source is None:
        raise InputError(f"{FLAG} stores a system's answers: give them, or --rated-system COLUMN.")
    table = open_input(source, reading=question if question.rated_system is not None else question.for_others)
    names = table.frame.columns
    if question.rated_system is not None:
        return table, named_columns([question.rated_system], names, "--rated-system", table.name)[0]
    column = find_column(SYSTEM, names, question.system_column, table.name)
    if column is None:
        raise InputError(f"{table.name} has no system column, only {listed(names)}; name it with {SYSTEM.flag}.")
    return table, column


def _texts(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    return pl.DataFrame([as_text(frame[column], name) for column in frame.columns])
