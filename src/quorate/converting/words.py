"""How a conversion reads: a sentence, which field became which column, what was left out, the first rows."""

from collections.abc import Sequence

import polars as pl

from quorate._text import Sentence, count, number, printable
from quorate.data.formats.log_table import DroppedRows, LogTable
from quorate.results.table import Column, Table, integer, table_of

FIRST, LONGEST = 5, 40
"""Rows that are shown, and letters of a cell."""
KINDS = {"ratings": "rating", "scores": "score", "rated": "rating of outputs", "preferences": "vote"}
PLURALS = {"rated": "ratings of outputs"}


def sentence(log: LogTable) -> Sentence:
    """Say how much was read of what."""
    frame = log.frame
    size = count(frame.height, KINDS[log.kind], PLURALS.get(log.kind))
    parts = [count(frame[name].n_unique(), name) for name in ("item", "system", "rater") if name in frame.columns]
    return Sentence(f"{size} on {', '.join(parts)}", f"read from {log.tool}.", ",")


def mapping_table(log: LogTable) -> Table:
    """Return a row per column: the field it comes from."""
    known = [{"column": column, "field": log.mapping.get(column, column)} for column in log.frame.columns]
    return table_of("Where the columns are from", known, {"column": Column("column"), "field": Column("field")})


def dropped_table(dropped: Sequence[DroppedRows]) -> Table:
    """Return a row per reason to leave something out."""
    rows = [{"rows": each.rows, "reason": each.reason} for each in dropped]
    return table_of("Left out", rows, {"rows": Column("rows", integer), "reason": Column("reason")})


def first_rows(frame: pl.DataFrame) -> Table:
    """Return the first rows of the table."""
    rows = [[_cell(cell) for cell in row] for row in frame.head(FIRST).rows()]
    return Table(f"The first {len(rows)} of {frame.height:,} rows", tuple(frame.columns), rows)


def _cell(cell: object) -> str:
    return "–" if cell is None else number(cell) if isinstance(cell, float) else printable(str(cell), LONGEST)
