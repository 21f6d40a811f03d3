"""Open what the systems answered as a table with known columns."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate.data.columns import ITEM, RESPONSE, RUN, SYSTEM, Role, find_column, named_columns
from quorate.data.read import _text as as_text
from quorate.data.scale import Scale
from quorate.data.tables import Table, open_table

__all__ = ["open_answers"]


def open_answers(
    source: Any, scale: Scale, given: Mapping[str, str | None], like: Mapping[str, str | None]
) -> tuple[Table, dict[str, str], list[str]]:
    """Open answers as a table with columns item, system, row, and response or probabilities (and run).

    Parameters
    ----------
    source
        A path, ``-``, ``example:NAME``, a mapping of columns or a data frame.
    scale
        The scale of the ratings; a column named like each of its categories holds probabilities.
    given
        Columns the user named, by role: item, system, response, run; they must be there.
    like
        Columns of the ratings by role, taken where the answers have them too.

    Returns
    -------
    table, columns, probabilities
        The table, which column plays which role, and the names of its probability columns.

    Examples
    --------
    >>> from quorate.data.scale import infer_scale
    >>> answers = {"doc": ["d1"], "part": [2], "model": ["m1"], "no": [0.3], "yes": [0.7]}
    >>> open_answers(answers, infer_scale(pl.Series(["no", "yes"])), {}, {"item": "doc,part"})[0].frame.rows()
    [('d1 | 2', 'm1', 0.3, 0.7, 0)]
    """
    table = _table(source)
    names = table.frame.columns
    if not table.frame.height:
        raise InputError(f"{table.name} has a header but no answers; it needs one row per item and system.")
    items = _item_columns(table, given.get("item"), like.get("item"))
    system = _needed(SYSTEM, table, given.get("system"))
    probabilities = [c for c in scale.categories if c in names]
    free = [n for n in names if n not in (*probabilities, *items, system)]
    shared = like.get("response") if like.get("response") in free else None
    response = find_column(RESPONSE, free, given.get("response") or shared, table.name)
    if response is None and len(probabilities) < max(1, len(scale.categories)):
        raise InputError(
            f"{table.name} has neither a response column nor one probability column per category "
            f"({', '.join(scale.categories[:8])}); name the column with --response-column."
        )
    run = find_column(RUN, names, given.get("run"), table.name)
    columns = {"item": ",".join(items), "system": system, "response": response, "run": run}
    text = pl.concat_str([as_text(table.frame[c]) for c in items], separator=" | ")
    frame = table.frame.select(
        text.alias("item"),
        *(as_text(table.frame[c]).alias(role) for role, c in columns.items() if c and role != "item"),
        *(pl.col(column).cast(pl.Float64, strict=False).alias(f"p_{column}") for column in probabilities),
        pl.int_range(pl.len()).alias("row"),
    )
    for role in ("item", "system"):
        if frame[role].null_count():
            raise InputError(f"{table.at(frame[role].is_null().arg_max() or 0, columns[role])}: empty; fill it in.")
    played = {role: column for role, column in columns.items() if column}
    return Table(frame, table.name, table.first_row), played, [f"p_{column}" for column in probabilities]


def _item_columns(table: Table, given: str | None, like: str | None) -> list[str]:
    """Return the columns that name the item, several if the ratings' items are named by several."""
    names = table.frame.columns
    parts = [part.strip() for part in (given or like or "").split(",")]
    if given is not None and given not in names:
        return named_columns(parts, names, ITEM.flag, table.name)
    if given is None and like is not None and like not in names and all(part in names for part in parts):
        return parts
    return [_needed(ITEM, table, given or (like if like in names else None))]


def _table(source: Any) -> Table:
    if isinstance(source, str | Path):
        return open_table(source)
    if isinstance(source, Mapping):
        return Table(pl.DataFrame(dict(source), strict=False), "the answers")
    if isinstance(source, pl.DataFrame):
        return Table(source, "the answers")
    import narwhals as nw

    frame: Any = nw.from_native(source)
    return Table(frame.lazy().collect(backend="polars").to_native(), "the answers")


def _needed(role: Role, table: Table, given: str | None) -> str:
    found = find_column(role, table.frame.columns, given, table.name)
    if found is None:
        raise InputError(f"{table.name} has no {role.name} column; name it with {role.flag}.")
    return named_columns([found], table.frame.columns, role.flag, table.name)[0]
