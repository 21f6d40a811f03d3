"""Numbers as people write them: with a decimal comma, marks between thousands, and words where there is none."""

import polars as pl

from quorate._errors import InputError
from quorate.data.reading import DecimalMark

MISSING_WORDS = [
    *("na", "n/a", "n.a.", "n. a.", "nan", "null", "none", ".", "-", "–", "—", "#n/a"),
    *("k.a.", "k. a.", "k.a", "ka", "keine angabe", "#nv"),
]
"""What stands for a number nobody gave, in lower case; in a column of words each may be an answer."""
WHOLE, WITH_COMMA, WITH_POINT = r"^\s*[-+]?\d+\s*$", r"^\s*[-+]?\d*,\d+\s*$", r"^\s*[-+]?\d*\.\d+\s*$"
THOUSANDS = r"^\s*[-+]?[1-9]\d{0,2},\d{3}\s*$"
"""A comma with three digits behind it, which may stand between thousands."""


def is_missing_word(cells: pl.Series) -> pl.Series:
    """Tell which cells hold what stands for a number nobody gave."""
    return cells.str.strip_chars().str.to_lowercase().is_in(MISSING_WORDS).fill_null(False)


def find_commas(labels: pl.Series) -> pl.Series:
    """Return those of the different labels that are numbers with a comma; none if most labels are no numbers."""
    comma = labels.filter(labels.str.contains(WITH_COMMA))
    numbers, words = labels.str.contains(WHOLE).sum() + len(comma), (~is_missing_word(labels)).sum()
    return comma.clear() if 2 * numbers < words or labels.str.contains(WITH_POINT).any() else comma


def guess_decimal(labels: pl.Series) -> DecimalMark | None:
    """Return a comma if it can only be the decimal mark of the numbers among some labels."""
    comma = find_commas(labels)
    return "," if len(comma) and not comma.str.contains(THOUSANDS).all() else None


def with_points(cells: pl.Series, decimal: DecimalMark) -> pl.Series:
    """Write the numbers among some cells with a decimal point and nothing between thousands; other cells stay."""
    between = "." if decimal == "," else ","
    number = rf"^\s*[-+]?(\d{{1,3}}(\{between}\d{{3}})+|\d*)(\{decimal}\d+)?([eE][-+]?\d+)?\s*$"
    plain = cells.str.strip_chars().str.replace_all(between, "", literal=True).str.replace(decimal, ".", literal=True)
    return pl.select(pl.when(cells.str.contains(number)).then(plain).otherwise(cells)).to_series().alias(cells.name)


def read_decimals(cells: pl.Series, decimal: DecimalMark | None, place: str) -> tuple[pl.Series, tuple[str, ...]]:
    """Return a column of text with decimal points, and what was recognised; refuse a comma that may mean two things."""
    if decimal is not None:
        return with_points(cells, decimal), ()
    comma = find_commas(cells.drop_nulls().unique()) if cells.str.contains(",", literal=True).any() else cells.clear()
    if not len(comma):
        return cells, ()
    if comma.str.contains(THOUSANDS).all():
        raise InputError(
            f"{place}: the comma in '{comma[0]}' may be a decimal comma or stand between thousands; say --decimal , or "
            "--decimal . for a point."
        )
    return with_points(cells, ","), ("numbers have a decimal comma (--decimal)",)
