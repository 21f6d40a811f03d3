"""Rows of a lazy table as codes: names become numbers while they are read, so no text of a row is ever held.

The engine finds the different names, and then, a part of the rows at a time, their hashes, which are looked up among
those of the names. A rating takes seven to twelve bytes then; the table may be larger than memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from quorate._typing import Array
from quorate.data.columns import JOINT
from quorate.data.name_hashes import NameHashes, SeenHashes
from quorate.data.ratings import smallest_codes
from quorate.data.scans import collect_lazy
from quorate.data.tables import emptied

MOST_DISTINCT = 0.6
"""A column that differs in more than half of the rows groups nothing; so many may be estimated too few or too many."""


OTHER_HASH = 1
"""Seed of a second hash."""


def code_rows(
    lazy: pl.LazyFrame, items: Sequence[str], rater: str, response: str, extras: Sequence[str], name: str
) -> tuple[pl.DataFrame, dict[str, pl.Series]] | None:
    """Return ``item``, ``rater``, ``response`` and further columns as codes, and the sorted names of each, null first.

    None where one is no plain text, or hashes do not tell names apart.
    """
    schema = lazy.collect_schema()
    if not all(_plain(schema[column]) for column in (*items, rater, response)):
        return None
    others = [n for n in extras if _plain(schema[n]) and n not in ("item", "rater", "response", "count")]
    whole, grouping = _look(lazy, [*items, rater, response, *others], others, name)
    parts = [_text(column, schema[column], column in whole) for column in items]
    item = parts[0] if len(parts) == 1 else pl.concat_str([each.replace("", None) for each in parts], separator=JOINT)
    texts = {"item": item} | {
        role: _text(column, schema[column], column in whole)
        for role, column in {"rater": rater, "response": response, **{n: n for n in grouping}}.items()
    }
    books: dict[str, _Names] = {}
    for role, text in texts.items():
        book = _Names.of(lazy.select(text.alias(role)), role, name)
        if book is None:
            return None
        books[role] = book
    coded = (books[role].coded(text).alias(role) for role, text in texts.items())
    codes = _in_one_piece(collect_lazy(lazy.select(coded), name).get_columns())
    if any(book.lost for book in books.values()):
        return None
    return codes, {role: emptied(book.names) for role, book in books.items()}


@dataclass(frozen=True)
class _Names:
    """The sorted different names of a column, their hashes, and the code of each hash, ``(name,)``.

    `lost` is not empty if a row had a name that is not among them.
    """

    names: pl.Series
    hashes: NameHashes
    code: Array
    lost: list[bool] = field(default_factory=list)

    @classmethod
    def of(cls, column: pl.LazyFrame, role: str, name: str) -> "_Names | None":
        """Let the engine find the names of a column; None if two share a hash, once in a million tables.

        Rows are left out by another hash. If two names share that one, the name left out is missed in `coded`.
        """
        seen = SeenHashes()

        def first(rows: pl.DataFrame) -> pl.DataFrame:
            return rows.filter(pl.Series(seen.are_new(rows[role].hash(OTHER_HASH).to_numpy())))

        names = collect_lazy(column.map_batches(first, streamable=True).unique(), name)[role].sort()
        hashes = names.hash().to_numpy()
        order = np.argsort(hashes)
        keys = hashes[order]
        if (keys[1:] == keys[:-1]).any():
            return None
        return cls(names, NameHashes(keys), order.astype(smallest_codes(len(names))))

    def coded(self, text: pl.Expr) -> pl.Expr:
        """Replace names by codes, a part of the rows at a time."""
        kind = pl.Series(self.code[:0]).dtype
        return text.hash().map_batches(self._codes, return_dtype=kind, is_elementwise=True)

    def _codes(self, hashes: pl.Series) -> pl.Series:
        place, found = self.hashes.find(hashes.to_numpy())
        if not found:
            self.lost.append(True)
            return pl.Series(np.zeros_like(self.code, shape=len(hashes)))
        return pl.Series(self.code[place])


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
