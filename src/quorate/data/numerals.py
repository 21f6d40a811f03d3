"""Numbers as people write them: decimal commas, marks between thousands, signs, and words where there is none."""

from dataclasses import dataclass

import polars as pl

from quorate._errors import InputError
from quorate.data.reading import DecimalMark

MISSING_WORDS = [
    *("na", "n/a", "n.a.", "n. a.", "nan", "null", "none", ".", "-", "–", "—", "#n/a"),
    *("k.a.", "k. a.", "k.a", "ka", "keine angabe", "#nv"),
]
"""What stands for a number nobody gave, in lower case; in a column of words each may be an answer."""
WHOLE, WITH_COMMA, WITH_POINT = r"^\s*[-+]?\d+\s*$", r"^\s*[-+]?\d*,\d+\s*$", r"^\s*[-+]?\d*\.\d+\s*$"
THOUSANDS, POINT_THOUSANDS = (rf"^\s*[-+]?[1-9]\d{{0,2}}{mark}\d{{3}}\s*$" for mark in (",", r"\."))
"""A mark with three digits behind it, which may stand between thousands."""
SURE_COMMA, SURE_POINT = (
    rf"^\s*[-+]?[1-9]\d{{0,2}}(({between}\d{{3}})+{decimal}\d+|({between}\d{{3}}){{2,}})\s*$"
    for between, decimal in ((r"\.", ","), (",", r"\."))
)
"""Thousands that leave no doubt about the decimal mark: 1.234,5 and 1,234.5, or a mark that stands twice."""
GAP = r"['’ \x{a0}\x{202f}]"
SPACED = rf"^\s*[-+]?\d{{1,3}}({GAP}\d{{3}})+([.,]\d+)?\s*$"
"""Thousands with a space or an apostrophe between them."""
SIGN = r"%|‰|\p{Sc}|EUR|USD|GBP|CHF|JPY|CNY|INR"
SIGNED = rf"^\s*([-+−]?)\s*({SIGN})?\s*([-+−]?)([\d.,][\d.,'’ \x{{a0}}\x{{202f}}]*(?:[eE][-+]?\d+)?)\s*({SIGN})?\s*$"
"""A number with or without a sign before or behind it, or a long minus."""
UNUSUAL = rf"[,−]|{SIGN}|\d{GAP}\d{{3}}|\d\.\d{{3}}"
"""What a plain number does not have, and a point that may stand between thousands."""
ONE_WAY = "write all of them one way, or say --scale nominal to take them for words"


@dataclass(frozen=True)
class Numerals:
    """Labels, the numbers among them plain; the sign all of those carried, and what was recognised."""

    labels: pl.Series
    unit: str = ""
    notes: tuple[str, ...] = ()


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
    return _where(cells.str.contains(number), plain, cells)


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


def read_numerals(labels: pl.Series, decimal: DecimalMark | None, place: str) -> Numerals:
    """Return distinct labels with plain numbers: no sign that all carry, no marks between thousands, a decimal point.

    Labels of which most are words stay as they are; numbers written in two ways are refused.
    """
    words = labels.filter(~is_missing_word(labels)).drop_nulls()
    wordy = decimal is None and 2 * words.str.contains(SIGNED).sum() < len(words)
    if wordy or not words.str.contains(UNUSUAL).any():
        return Numerals(labels)
    bare, unit, signs = _without_sign(labels, words, place)
    spaced = bare.str.contains(SPACED).fill_null(False)
    bare = _where(spaced, bare.str.replace_all(GAP, ""), bare)
    gaps = ("spaces and apostrophes between thousands are left out",) if spaced.any() else ()
    sure = decimal or _sure_decimal(bare.drop_nulls(), place)
    plain, marks = read_decimals(bare, sure, place)
    if sure is not None and decimal is None:
        mark, between = ("comma", "points") if sure == "," else ("point", "commas")
        marks = (f"numbers have a decimal {mark} and {between} between thousands (--decimal)",)
    elif sure is None and not marks:
        marks = _point_words(plain.drop_nulls())
    return Numerals(plain, unit, (*signs, *gaps, *marks))


def _without_sign(labels: pl.Series, words: pl.Series, place: str) -> tuple[pl.Series, str, tuple[str, ...]]:
    """Take a sign such as % off the numbers that all carry it; refuse it where some do and others do not."""
    parts = labels.str.extract_groups(SIGNED).struct.unnest().fill_null("")
    before, left, after, number, right = parts.get_columns()
    sign = left + right
    minus = (before + after).str.replace("−", "-", literal=True)
    bare = _where(number != "", minus + number.str.strip_chars(), labels)
    signed = labels.filter(sign != "")
    if signed.is_empty():
        return bare, "", ()
    others = labels.filter((number != "") & (sign != sign.filter(sign != "")[0]) & labels.is_in(words.implode()))
    if len(others):
        raise InputError(f"{place}: '{signed[0]}' and '{others[0]}' do not carry the same sign; {ONE_WAY}.")
    unit, first = sign.filter(sign != "")[0], bare.filter(sign != "")[0]
    return bare, unit, (f"the sign {unit} is left out: '{signed[0]}' is read as {first} (--scale nominal to keep it)",)


def _sure_decimal(labels: pl.Series, place: str) -> DecimalMark | None:
    """Return the decimal mark that thousands leave no doubt about; refuse two ways to write them."""
    comma, point = (labels.filter(labels.str.contains(sure)) for sure in (SURE_COMMA, SURE_POINT))
    if comma.is_empty() and point.is_empty():
        return None
    pattern, unlike = (WITH_POINT, POINT_THOUSANDS) if len(comma) else (WITH_COMMA, THOUSANDS)
    odd = labels.filter(labels.str.contains(pattern) & ~labels.str.contains(unlike))
    clash = point if len(comma) and len(point) else odd
    if len(clash):
        first = comma if len(comma) else point
        raise InputError(f"{place}: '{first[0]}' and '{clash[0]}' do not have the same decimal mark; {ONE_WAY}.")
    return "," if len(comma) else "."


def _point_words(labels: pl.Series) -> tuple[str, ...]:
    """Say how a point is read that may stand between thousands, if all of them may."""
    points = labels.filter(labels.str.contains(WITH_POINT))
    if points.is_empty() or not points.str.contains(POINT_THOUSANDS).all():
        return ()
    return (f"the point in '{points[0]}' is a decimal point (--decimal , if it stands between thousands)",)


def _where(those: pl.Series, plain: pl.Series, cells: pl.Series) -> pl.Series:
    return pl.select(pl.when(those).then(plain).otherwise(cells)).to_series().alias(cells.name)
