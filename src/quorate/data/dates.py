"""Dates of years that no calendar has, as databases write infinity and wrong units come to; libraries fail at them."""

from typing import TypeVar

import polars as pl

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)
DAY = 86_400
FIRST, LAST = -719_000, 2_932_000
"""Days since 1970, within the years 1 to 9999 in every zone."""
PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}


def with_plain_dates(frame: Frame) -> Frame:
    """Return a table whose columns of dates are text, the number where there is no such date, if there is one."""
    kinds = {name: kind for name, kind in frame.collect_schema().items() if kind in (pl.Date, pl.Datetime)}
    if isinstance(frame, pl.DataFrame):
        kinds = {name: kind for name, kind in kinds.items() if not frame.select(_is_date(name, kind).all()).item()}
    return frame.with_columns(_as_text(name, kind) for name, kind in kinds.items())


def _is_date(name: str, kind: pl.DataType) -> pl.Expr:
    """Tell which cells are dates of a calendar; an empty one is null."""
    per_day = DAY * PER_SECOND[kind.time_unit] if isinstance(kind, pl.Datetime) else 1
    return (pl.col(name).to_physical().cast(pl.Int64) // per_day).is_between(FIRST, LAST)


def _as_text(name: str, kind: pl.DataType) -> pl.Expr:
    date = pl.when(_is_date(name, kind)).then(pl.col(name)).cast(pl.String)
    return date.fill_null(pl.col(name).to_physical().cast(pl.String)).alias(name)
