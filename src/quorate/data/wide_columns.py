"""Which columns of a wide table hold what raters said: those that look alike; a remark or a row's number does not."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate.data.numerals import is_missing_word, read_numerals
from quorate.data.scale import MOST_ORDINAL_LEVELS
from quorate.data.tally import encode

MOSTLY = 0.5
"""Share of a column's cells that say what kind of column it is."""
TELLING = 10
"""Cells of columns of words that would share some if they were raters'."""


@dataclass(frozen=True)
class WideColumn:
    """What stands in a column.

    Parameters
    ----------
    cells
        The cells in which something stands, as text.
    numbers
        The numbers among them.
    """

    name: str
    cells: pl.Series
    numbers: pl.Series

    @property
    def numeric(self) -> bool:
        """Whether most of it are numbers."""
        return len(self.numbers) > MOSTLY * len(self.cells)

    @property
    def counts_rows(self) -> bool:
        """Whether its numbers go up by one from row to row; of many, in whatever order the rows come."""
        many = len(self.numbers) > MOST_ORDINAL_LEVELS
        steps = (self.numbers.sort() if many else self.numbers).diff()[1:]
        return len(steps) > 1 and len(self.numbers) == len(self.cells) and bool((steps == 1).all())


def split_alike(name: str, columns: Sequence[pl.Series]) -> tuple[list[str], list[str]]:
    """Return the columns that look alike and those that do not; `name` is what to call the table.

    Each column is text. Of numbers, those far from what the others hold, and those that count rows, are unlike; of
    words, those that others do not use; where most columns hold the one kind, those that hold the other. Many words of
    which no column shares one are refused: they are no raters'.
    """
    looks = [_look(column) for column in columns]
    filled = [look for look in looks if len(look.cells) and not look.counts_rows]
    numeric = [look for look in filled if look.numeric]
    words = [look for look in filled if not look.numeric]
    if len(filled) < 2:
        return [column.name for column in columns], []
    if len(numeric) == len(words):
        raise InputError(
            f"{name}: as many columns hold numbers ({numeric[0].name} …) as words ({words[0].name} …); name those of "
            "the raters with --columns."
        )
    alike = _near(numeric) if len(numeric) > len(words) else _sharing(words)
    if not alike and len(words) > len(numeric) and min(len(look.cells) for look in words) >= TELLING:
        raise InputError(
            f"{name}: no column holds the words of another ({words[0].name}: {words[0].cells[0]}, {words[1].name}: "
            f"{words[1].cells[0]} …), as those of raters would; if each has a column, name them with --columns, and if "
            "a row is one response, name the columns with --item-column, --rater-column and --response-column."
        )
    kept = {look.name for look in (alike if len(alike) > 1 else filled)}
    return [look.name for look in looks if look.name in kept], [look.name for look in looks if look.name not in kept]


def _look(column: pl.Series) -> WideColumn:
    cells = column.filter(~is_missing_word(column)).drop_nulls()
    return WideColumn(column.name, cells, _plain(cells).str.strip_chars().cast(pl.Float64, strict=False).drop_nulls())


def _plain(cells: pl.Series) -> pl.Series:
    """Return the cells with plain numbers; what may be read in two ways is refused once the columns are known."""
    code, names = encode(cells)
    with suppress(InputError):
        return read_numerals(names, None, "").labels.gather(code)
    return cells


def _near(columns: Sequence[WideColumn]) -> list[WideColumn]:
    """Columns of numbers of which most lie near the range that columns usually have."""
    ends = np.array([(look.numbers.min(), look.numbers.max()) for look in columns], dtype=float)
    low, high = np.median(ends, axis=0).tolist()
    reach = high - low
    return [
        look
        for look in columns
        if look.numbers.is_between(low - reach, high + reach).sum() >= MOSTLY * len(look.numbers)
    ]


def _sharing(columns: Sequence[WideColumn]) -> list[WideColumn]:
    """Columns of words of which most are used in another column too."""
    used = pl.concat([look.cells.unique().alias("word") for look in columns]).value_counts()
    shared = used.filter(used["count"] > 1)["word"].implode()
    return [look for look in columns if look.cells.is_in(shared).sum() >= MOSTLY * len(look.cells)]
