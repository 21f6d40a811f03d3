"""Any data frame narwhals knows – pandas, DuckDB, Ibis, PySpark, Dask, Arrow – grouped by its own engine.

The engine counts equal (item, rater, response) rows; only that tally travels into this process.
"""

from typing import Any

import narwhals as nw
import polars as pl

from quorate._errors import InputError
from quorate.data.columns import ITEM, RATER, RESPONSE, find_column, named_columns
from quorate.data.layouts import Long
from quorate.data.tables import Table

__all__ = ["from_frame"]


def from_frame(
    source: Any, *, item_column: str | None = None, rater_column: str | None = None, response_column: str | None = None
) -> Long:
    """Let the frame's engine tally a long table.

    Examples
    --------
    >>> import pandas
    >>> votes = pandas.DataFrame({"task": ["t1", "t1"], "label": ["yes", "yes"]})
    >>> from_frame(votes).table.frame.rows()
    [('t1', 'yes', 2)]
    """
    try:
        frame: Any = nw.from_native(source)
    except TypeError:
        raise InputError(
            f"A {type(source).__name__} is not a table; give a path, a mapping of columns or a data frame."
        ) from None
    where = "the data frame"
    names = frame.collect_schema().names()
    response = find_column(RESPONSE, names, response_column, where)
    rater = find_column(RATER, [name for name in names if name != response], rater_column, where)
    items = _items(item_column, [name for name in names if name not in (response, rater)], where)
    if response is None or not items:
        missing = RESPONSE if response is None else ITEM
        raise InputError(f"The data frame has no {missing.name} column; name it with {missing.flag}.")
    roles = {"item": ",".join(items), **({"rater": rater} if rater else {}), "response": response}
    extras = [name for name in names if name not in (*items, rater, response)]
    counted, n_rows = _tally(frame, items, rater, response, extras)
    return Long(Table(counted, where), roles, (), n_rows=n_rows, ordered=False)


def _items(given: str | None, names: list[str], where: str) -> list[str]:
    if given is not None and given not in names:
        return named_columns([part.strip() for part in given.split(",")], names, ITEM.flag, where)
    found = find_column(ITEM, names, given, where)
    return [found] if found else []


def _tally(
    frame: Any, items: list[str], rater: str | None, response: str, extras: list[str]
) -> tuple[pl.DataFrame, int]:
    """Group by item, rater and response in the engine; further columns survive if they are constant in each group."""
    schema = frame.collect_schema()
    plain = [
        name for name in extras if schema[name] in (nw.String, nw.Boolean, nw.Categorical) or schema[name].is_integer()
    ]
    keys = [*items, *([rater] if rater else []), response]
    both = [f(nw.col(name)).alias(f"{end}{name}") for name in plain for f, end in ((_low, "<"), (_high, ">"))]
    grouped = frame.group_by(keys, drop_null_keys=False).agg(nw.len().alias("count"), *both)
    if isinstance(grouped, nw.LazyFrame):
        grouped = grouped.collect(backend="polars")
    counted: pl.DataFrame = grouped.to_polars().with_columns(pl.col("count").cast(pl.Int64))
    steady = [name for name in plain if counted[f"<{name}"].eq_missing(counted[f">{name}"]).all()]
    item = pl.concat_str([pl.col(c).cast(pl.String) for c in items], separator=" | ") if items[1:] else pl.col(items[0])
    result = counted.select(
        item.alias("item"),
        *([pl.col(rater).alias("rater")] if rater else []),
        pl.col(response).alias("response"),
        "count",
        *(pl.col(f"<{name}").alias(name) for name in steady if name not in ("item", "rater", "response", "count")),
    )
    return result, int(counted["count"].sum())


def _low(column: nw.Expr) -> nw.Expr:
    return column.cast(nw.String).min()


def _high(column: nw.Expr) -> nw.Expr:
    return column.cast(nw.String).max()
