"""What a log says in rows, packed into columns some thousand at a time, so that no log is held as objects.

A record of a log gives several rows, one for each of its scores. What is only needed on the way stands in columns whose
names begin with a sign no log's own have.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

import polars as pl

Row: TypeAlias = dict[str, str | None]
"""A value a log holds: item, rater, system, run, response, what it answers (`question`), and groups of the item."""
ASIDE = "\0"
"""What the name of a column begins with that is no part of the table."""
RECORD = f"{ASIDE}record"
"""The number of the record a row is from."""
AT_ONCE = 20_000
"""Records that are packed together."""
MOST = 3 << 29
"""Bytes that packed rows may take."""


class CrowdError(Exception):
    """Rows that would take too much memory, however they are packed."""

    def __init__(self, size: int) -> None:
        super().__init__(f"{size:,} bytes")
        self.size = size


def packed(records: Iterable[Iterable[Row]], *columns: str, most: int = MOST) -> pl.DataFrame:
    """Return the rows of records as columns of text – `columns` in any case –, with the number of their record."""
    found, number, size, parts = iter(records), 0, 0, [_columns([], 0, columns)]
    while some := [list(rows) for rows in islice(found, AT_ONCE)]:
        parts.append(_columns(some, number, columns))
        size += int(parts[-1].estimated_size())
        if size > most:
            raise CrowdError(size)
        number += len(some)
    return pl.concat(parts, how="diagonal")


def one_each(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Return records that give one row each."""
    return ([row] for row in rows)


def aside(frame: pl.DataFrame) -> list[str]:
    """Return the columns that are no part of the table."""
    return [name for name in frame.columns if name.startswith(ASIDE)]


def records_in(frame: pl.DataFrame) -> int:
    """Count the records that rows are from."""
    return frame[RECORD].n_unique()


def numbered(frame: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Number the records that share an item, or all of `keys`, in their order: their runs."""
    run = pl.col(RECORD).rle_id().over(keys) + 1
    return frame.with_columns(run.cast(pl.String).alias("run"))


def last_of_each(frame: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Keep of records that share all of `keys` the rows of the last one."""
    return frame.filter(pl.col(RECORD) == pl.col(RECORD).max().over(keys))


def told_apart(frame: pl.DataFrame, source: str) -> pl.DataFrame:
    """Name the source beside a question that has several: what people and machines say is never mixed."""
    several = pl.col(source).n_unique().over("question") > 1
    both = pl.format("{} ({})", "question", pl.col(source).fill_null("None"))
    return frame.with_columns(pl.when(several).then(both).otherwise("question").alias("question")).drop(source)


def _columns(records: Sequence[Sequence[Row]], number: int, columns: Sequence[str]) -> pl.DataFrame:
    rows = [row for record in records for row in record]
    places = [place for place, record in enumerate(records, number) for _ in record]
    keys = dict.fromkeys([*(key for row in rows for key in row), *columns])
    cells = {key: pl.Series([row.get(key) for row in rows], dtype=pl.String) for key in keys}
    return pl.DataFrame({RECORD: pl.Series(places, dtype=pl.UInt32), **cells})
