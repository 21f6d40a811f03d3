"""Rows of a lazy table as codes: names become numbers while they are read, so no text of a row is ever held.

A rating takes twelve bytes then, and ten million names a few hundred megabytes; the table may be larger than memory.
"""

from collections.abc import Sequence

import polars as pl

from quorate.data.columns import JOINT
from quorate.data.scans import collect_lazy

MOST_DISTINCT = 0.6
"""A column that differs in more than half of the rows groups nothing; so many may be estimated too few or too many."""


def code_rows(
    lazy: pl.LazyFrame, items: Sequence[str], rater: str, response: str, extras: Sequence[str], name: str
) -> pl.DataFrame | None:
    """Return ``item``, ``rater``, ``response`` and further columns as categories; None where one is no plain text."""
    schema = lazy.collect_schema()
    if not all(_plain(schema[column]) for column in (*items, rater, response)):
        return None
    others = [n for n in extras if _plain(schema[n]) and n not in ("item", "rater", "response", "count")]
    whole, grouping = _look(lazy, [*items, rater, response, *others], others, name)
    parts = [_text(column, schema[column], column in whole) for column in items]
    item = parts[0] if len(parts) == 1 else pl.concat_str(parts, separator=JOINT)
    columns = {"item": item} | {
        role: _text(column, schema[column], column in whole)
        for role, column in {"rater": rater, "response": response, **{n: n for n in grouping}}.items()
    }
    coded = (text.cast(pl.Categorical(pl.Categories.random())).alias(role) for role, text in columns.items())
    return _in_one_piece(collect_lazy(lazy.select(coded), name).get_columns())


def _in_one_piece(columns: list[pl.Series]) -> pl.DataFrame:
    """Put the parts of each column together, one column after the other: else all are copied when one is replaced."""
    for place, column in enumerate(columns):
        columns[place] = column.rechunk()
    return pl.DataFrame(columns)


def _plain(kind: pl.DataType) -> bool:
    return not kind.is_nested() and kind not in (pl.Binary, pl.Object, pl.Duration, pl.Null)


def _look(lazy: pl.LazyFrame, columns: Sequence[str], others: Sequence[str], name: str) -> tuple[set[str], list[str]]:
    """Return the columns of floats that are whole numbers, and those of the others that may sort rows into groups."""
    schema = lazy.collect_schema()
    floats = [column for column in columns if schema[column].is_float()]
    if not floats and not others:
        return set(), []
    tests = [_whole(column).alias(f"whole {column}") for column in floats]
    sizes = [pl.col(column).approx_n_unique().alias(f"size {column}") for column in others]
    [seen] = collect_lazy(lazy.select(pl.len().alias("rows"), *tests, *sizes), name).to_dicts()
    return (
        {column for column in floats if seen[f"whole {column}"]},
        [column for column in others if seen[f"size {column}"] <= max(2, MOST_DISTINCT * seen["rows"])],
    )


def _whole(column: str) -> pl.Expr:
    numbers = pl.col(column).fill_nan(None)
    return ((numbers == numbers.round()) & (numbers.abs() < 2**53)).all()


def _text(column: str, kind: pl.DataType, whole: bool) -> pl.Expr:
    """Write a column as `as_text` does."""
    cell = pl.col(column)
    if kind.is_float():
        cell = cell.fill_nan(None)
    return (cell.cast(pl.Int64) if whole else cell).cast(pl.String)
