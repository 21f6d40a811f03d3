"""Read ratings of the systems' own outputs: which translation, summary or reply was rated how."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from quorate._errors import InputError
from quorate.data.columns import named_columns
from quorate.data.inputs import Source, engine_frame, open_input
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import on_scale, one_per_pair, open_long, text_table
from quorate.data.reading import Reading
from quorate.data.systems import check_systems
from quorate.data.tables import InputTable, as_text
from quorate.data.tally import tally

__all__ = ["read_rated_systems"]


def read_rated_systems(
    source: Source,
    system_column: str,
    *,
    missing: str = "error",
    systems: Sequence[str] | None = None,
    reading: Reading | None = None,
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
    systems
        The systems wanted; the others only help to find the scale.
    reading
        How to read them.
    """
    if missing not in ("error", "drop"):
        raise InputError(f"'{missing}' is not a rule for missing ratings; use --missing error or drop.")
    reading = Reading() if reading is None else reading
    # A frame is fetched whole: tallied by its engine it would lose the column of the systems.
    whole = source if engine_frame(source) is None else open_input(source).frame
    long = open_long(whole, reading)
    table = _with_systems(text_table(long.table), system_column)
    scale, frame, notes = on_scale(table, long.columns["response"], reading.scale, reading.order)
    frame, more = one_per_pair(table, frame, reading.duplicates, system_column)
    check_systems(systems, frame[system_column].unique().to_list())
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
        if systems is None or name in systems
    }
    return _on_common_items(table.name, parts, missing)


def _with_systems(table: InputTable, column: str) -> InputTable:
    named_columns([column], table.frame.columns, "--rated-system", table.name)
    if column in ("item", "rater", "response", "count"):
        raise InputError(f"--rated-system {column}: that column names the {column}; name the one with the systems.")
    names = as_text(table.frame[column], table.name)
    lost = names.is_null() & table.frame["response"].is_not_null()
    if lost.any():
        raise InputError(f"{table.at(lost.arg_max() or 0, column)} is empty; say which system was rated.")
    return replace(table, frame=table.frame.with_columns(names.alias(column)))


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
