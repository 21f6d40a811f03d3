"""Read what the raters said from a file, standard input or any data frame.

Rules: an empty cell is missing, nothing else is (in a column of numbers, NaN and NA too); rows without a response are
dropped and counted; nothing is imputed; rows are never aligned by their order.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack

import polars as pl

from quorate._errors import InputError
from quorate.data.columns import named_columns
from quorate.data.layouts import Long, to_long
from quorate.data.ratings import Ratings
from quorate.data.scale import Scale, as_numbers, infer_scale
from quorate.data.tables import Table, open_table
from quorate.data.tally import encode, tally

__all__ = ["Reading", "Source", "read_rated_systems", "read_ratings"]

Source: TypeAlias = Any
"""A path, ``-`` for standard input, ``example:NAME``, a mapping of columns, or any data frame narwhals knows."""

MISSING_WORDS = ["na", "n/a", "nan", "null", "none", "."]  # missing only in a column of numbers


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
    long = _open_long(source, reading)
    table = _text_table(long.table)
    scale, frame, notes = _on_scale(table, reading.get("scale"), reading.get("order"))
    frame, more = _one_per_pair(table, frame, reading.get("duplicates") or "keep", long.ordered)
    return tally(frame, scale, table.name, n_rows=long.n_rows, columns=long.columns, notes=(*long.notes, *notes, *more))


def read_rated_systems(
    source: Source, system_column: str, *, missing: str = "error", **reading: Unpack[Reading]
) -> dict[str, Ratings]:
    """Read ratings of the systems' own outputs: one set of ratings per system, on the same items and scale.

    Parameters
    ----------
    source
        As for `read_ratings`; long, with a column that says which system's output was rated.
    system_column
        That column.
    missing
        For items on which some system was not rated: ``"error"``, or ``"drop"`` to leave them out.
    **reading
        Options of `Reading`.

    Examples
    --------
    >>> rated = {"item": ["a", "a", "b", "b"], "system": ["x", "y", "x", "y"], "rating": [1, 5, 2, 3]}
    >>> {name: ratings.summary.mean.tolist() for name, ratings in read_rated_systems(rated, "system").items()}
    {'x': [1.0, 2.0], 'y': [5.0, 3.0]}
    """
    long = _open_long(source, reading)
    table = _text_table(long.table)
    named_columns([system_column], table.frame.columns, "--rated-system", table.name)
    scale, frame, notes = _on_scale(table, reading.get("scale"), reading.get("order"))
    frame, more = _one_per_pair(table, frame, reading.get("duplicates") or "keep", long.ordered, system_column)
    parts = {
        str(name): tally(
            part.drop(system_column),
            scale,
            table.name,
            n_rows=part.height,
            columns={**long.columns, "system": system_column},
            notes=(*long.notes, *notes, *more),
        )
        for (name,), part in sorted(frame.group_by(system_column))
    }
    return _on_common_items(table.name, parts, missing)


def _on_common_items(name: str, parts: dict[str, Ratings], missing: str) -> dict[str, Ratings]:
    items = pl.concat([part.items for part in parts.values()])
    seen = items.value_counts()
    common = seen.filter(seen["count"] == len(parts))[items.name].implode()
    for system, part in parts.items():
        lost = seen.height - part.n_items
        if lost and missing == "error":
            raise InputError(
                f"{name}: {lost} of {seen.height} items were not rated for system '{system}'; add their ratings, or "
                "leave those items out with --missing drop."
            )
    kept = {system: part.keep(part.items.is_in(common).to_numpy()) for system, part in parts.items()}
    if not next(iter(kept.values())).n_items:
        raise InputError(f"{name}: no item was rated for every system; name fewer systems with --systems.")
    return kept


def _open_long(source: Source, reading: Reading) -> Long:
    """Open a source and bring it into the long layout."""
    item, rater, response = reading.get("item_column"), reading.get("rater_column"), reading.get("response_column")
    if isinstance(source, str | Path):
        table = open_table(source)
    elif isinstance(source, Mapping):
        table = Table(pl.DataFrame(dict(source), strict=False), "the data")
    elif isinstance(source, pl.DataFrame):
        table = Table(source, "the data frame")
    else:
        from quorate.data.frames import from_frame

        return from_frame(source, item_column=item, rater_column=rater, response_column=response)
    return to_long(
        table,
        item_column=item,
        rater_column=rater,
        response_column=response,
        layout=reading.get("layout"),
        columns=reading.get("columns"),
    )


def _text_table(table: Table) -> Table:
    """Return the table with text in its main columns, refusing rows that have a response but no item."""
    frame = table.frame.with_columns(
        _text(table.frame[name]) for name in ("item", "rater", "response") if name in table.frame.columns
    )
    lost = frame["item"].is_null()
    if lost.any() and "response" in frame.columns:
        lost &= frame["response"].is_not_null()
        if lost.any():
            raise InputError(f"{table.at(lost.arg_max() or 0)} has a response but no item; name the item or remove it.")
    return Table(frame, table.name, table.first_row)


def _text(column: pl.Series) -> pl.Series:
    """Write a column as text; whole numbers stored as floats lose their ``.0``, NaN is missing."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = column.drop_nulls()
        if (whole == whole.round()).all() and (whole.abs() < 2**53).all():
            column = column.cast(pl.Int64)
    elif column.dtype.is_nested():
        raise InputError(f"Column '{column.name}' holds lists or objects; give one value per row.")
    return column.cast(pl.String)


def _on_scale(table: Table, kind: str | None, order: Sequence[str] | None) -> tuple[Scale, pl.DataFrame, list[str]]:
    """Infer or check the scale and replace responses by codes, dropping rows without one."""
    notes = []
    code, names = encode(table.frame["response"])
    labels = names.drop_nulls()
    words = labels.filter(labels.str.to_lowercase().is_in(MISSING_WORDS))
    if len(words) and not order and kind != "nominal" and len(words) < len(labels):
        numeric = labels.filter(~labels.is_in(words.implode()))
        if as_numbers(numeric) is not None:
            notes.append(f"'{words[0]}' in a column of numbers is read as missing (--scale nominal to keep it)")
            labels = numeric
    if labels.is_empty():
        raise InputError(f"{table.name} has no usable rows: no row has a response.")
    scale = infer_scale(labels, kind, order)
    places = scale.code(labels)
    if places.null_count():
        _refuse_label(table, labels.filter(places.is_null()), scale)
    place = pl.DataFrame({"label": labels, "place": places.cast(pl.Int32)})
    of_name = names.to_frame("label").join(place, on="label", how="left", maintain_order="left")["place"]
    frame = table.frame.with_columns(of_name.fill_null(-1).gather(code).alias("response"))
    dropped = frame.filter(pl.col("response") < 0).drop("response")
    if dropped.height:
        frame = frame.filter(pl.col("response") >= 0)
        lost = dropped.height - dropped.select(pl.all_horizontal(pl.all().is_null()).sum()).item()
        if lost:
            notes.append(f"{lost} {'row' if lost == 1 else 'rows'} without a response dropped")
    return scale, frame, notes


def _refuse_label(table: Table, wrong: pl.Series, scale: Scale) -> None:
    index = table.frame["response"].is_in(wrong.implode()).arg_max() or 0
    raise InputError(
        f"{table.at(index, 'response')}: '{table.frame['response'][index]}' is not on the declared scale "
        f"({', '.join(scale.categories[:12])}); fix it or add it to --order."
    )


def _one_per_pair(
    table: Table, frame: pl.DataFrame, rule: str, ordered: bool, *more_keys: str
) -> tuple[pl.DataFrame, list[str]]:
    """Apply the rule for raters who answer an item more than once."""
    keys = ["item", "rater", *more_keys]
    if rule not in ("keep", "first", "last", "error"):
        raise InputError(f"'{rule}' is not a rule for duplicates; use --duplicates keep, first, last or error.")
    if rule == "keep" or "rater" not in frame.columns:
        return frame, []
    if not ordered:
        raise InputError("This data frame's engine keeps no row order; use --duplicates keep.")
    known = table.frame.filter(pl.col("response").is_not_null())
    again = known.select(pl.struct(keys).is_duplicated()).to_series() & known["rater"].is_not_null()
    if rule == "error" and again.any():
        row = known.row(again.arg_max() or 0, named=True)
        raise InputError(
            f"{table.name}: rater '{row['rater']}' answered item '{row['item']}' more than once; "
            "remove the extra rows or use --duplicates keep, first or last."
        )
    kept = frame.unique(subset=keys, keep="first" if rule == "first" else "last", maintain_order=True)
    return kept, [f"{frame.height - kept.height} repeated answers dropped, the {rule} kept (--duplicates)"]
