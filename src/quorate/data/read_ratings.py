"""Read what the raters said from a file, standard input or any data frame.

Rules: an empty cell is missing, nothing else is (in a column of numbers, NaN and NA too); rows without a response are
dropped and counted; nothing is imputed; rows are never aligned by their order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack

import polars as pl

from quorate._errors import InputError
from quorate._text import count
from quorate.data.layouts import Long, to_long
from quorate.data.ratings import Ratings
from quorate.data.responses import on_scale
from quorate.data.tables import Table, as_text, open_table
from quorate.data.tally import tally

__all__ = ["Reading", "Source", "one_per_pair", "open_long", "read_ratings", "text_table"]

Source: TypeAlias = Any
"""A path, ``-`` for standard input, ``example:NAME``, a mapping of columns, or any data frame narwhals knows."""


class Reading(TypedDict, total=False):
    """How to read ratings; every verb takes these options, the command line as ``--item-column`` and so on.

    item_column, rater_column, response_column : the columns; `item_column` may name several, with commas.
    scale : ``"nominal"``, ``"ordinal"`` or ``"interval"``, inferred if not given.
    order : the categories from low to high.
    duplicates : what to do when a rater answers an item again: ``"keep"``, ``"first"``, ``"last"`` or ``"error"``.
    layout : ``"long"``, ``"wide"`` or ``"counts"``, recognised if not given.
    columns : in a wide or counts layout, the columns that hold raters or categories.
    """

    item_column: str | None
    rater_column: str | None
    response_column: str | None
    scale: str | None
    order: Sequence[str] | None
    duplicates: str
    layout: str | None
    columns: Sequence[str] | None


def read_ratings(source: Source, **reading: Unpack[Reading]) -> Ratings:
    """Read ratings and reduce them to a tally; ratings that were read before pass through.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, ``example:NAME``, a mapping of columns, or a data frame.
    **reading
        Options of `Reading`.

    Examples
    --------
    >>> ratings = read_ratings({"task": ["t1", "t1", "t2"], "worker": ["a", "b", "a"], "label": [1, 5, 3]})
    >>> ratings.n_items, ratings.n_raters, str(ratings.scale)
    (2, 2, 'ordinal, 3 categories: 1, 3, 5')
    """
    if isinstance(source, Ratings):
        return source
    long = open_long(source, reading)
    table = text_table(long.table)
    scale, frame, notes = on_scale(table, long.columns["response"], reading.get("scale"), reading.get("order"))
    frame, more = one_per_pair(table, frame, reading.get("duplicates") or "keep")
    return tally(frame, scale, table.name, n_rows=long.n_rows, columns=long.columns, notes=(*long.notes, *notes, *more))


def open_long(source: Source, reading: Reading) -> Long:
    """Open a source and bring it into the long layout."""
    names = {
        "item_column": reading.get("item_column"),
        "rater_column": reading.get("rater_column"),
        "response_column": reading.get("response_column"),
    }
    layout, columns = reading.get("layout"), reading.get("columns")
    if isinstance(source, str | Path):
        table = open_table(source)
    elif isinstance(source, Mapping):
        table = _of_mapping(source)
    elif isinstance(source, pl.DataFrame):
        table = Table(source, "the data frame")
    else:
        from quorate.data.frames import collect, open_frame, tally_long

        frame = open_frame(source)
        in_order = reading.get("duplicates") in ("first", "last")
        if not in_order and not columns and layout in (None, "long"):
            long = tally_long(frame, **names)
            if long is not None:
                return long
        table = collect(frame)
    return to_long(table, **names, layout=layout, columns=columns)


def _of_mapping(source: Mapping[str, Any]) -> Table:
    try:
        return Table(pl.DataFrame(dict(source), strict=False), "the data")
    except pl.exceptions.PolarsError:
        raise InputError("The columns of the data do not have the same length; give each as many cells.") from None


def text_table(table: Table) -> Table:
    """Return the table with text in its main columns, refusing rows that have a response but no item."""
    frame = table.frame.with_columns(
        as_text(table.frame[name], table.name) for name in ("item", "rater", "response") if name in table.frame.columns
    )
    lost = frame["item"].is_null()
    if lost.any() and "response" in frame.columns:
        lost &= frame["response"].is_not_null()
        if lost.any():
            raise InputError(
                f"{table.at(lost.arg_max() or 0)} has a response but no item; name the item or remove the row."
            )
    return replace(table, frame=frame)


def one_per_pair(table: Table, frame: pl.DataFrame, rule: str, *more_keys: str) -> tuple[pl.DataFrame, list[str]]:
    """Apply the rule for raters who answer an item more than once (more keys: the same item and system, say)."""
    keys = ["item", "rater", *more_keys]
    if rule not in ("keep", "first", "last", "error"):
        raise InputError(f"'{rule}' is not a rule for duplicates; use --duplicates keep, first, last or error.")
    if rule == "keep" or "rater" not in frame.columns:
        return frame, []
    if rule == "error":
        _refuse_repeats(table, keys)
        return frame, []
    # A nameless rater is a different person each time, and so never repeats.
    named = frame["rater"].is_not_null()
    last = frame.select(pl.struct(keys).is_last_distinct()).to_series()
    first = frame.select(pl.struct(keys).is_first_distinct()).to_series()
    kept = frame.filter(~named | (first if rule == "first" else last))
    lost = frame.height - kept.height
    return kept, [f"{count(lost, 'repeated answer')} dropped, the {rule} kept (--duplicates)"] if lost else []


def _refuse_repeats(table: Table, keys: list[str]) -> None:
    answered = table.frame["response"].is_not_null() & table.frame["rater"].is_not_null()
    pairs = table.frame.select(pl.struct(keys)).to_series()
    again = answered & pairs.set(~answered, None).is_duplicated()
    if "count" in table.frame.columns:
        again |= answered & (table.frame["count"] > 1)
    if again.any():
        index = table.frame.height - 1 - (again.reverse().arg_max() or 0)
        row = table.frame.row(index, named=True)
        raise InputError(
            f"{table.at(index)}: rater '{row['rater']}' answered item '{row['item']}' more than once; "
            "remove the extra rows, or use --duplicates keep, first or last."
        )
