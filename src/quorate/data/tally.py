"""Reduce a long table to the tally of `Ratings`: names become codes, equal rows become one row with a count."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from quorate._typing import Array
from quorate.data.ratings import Grouping, Ratings
from quorate.data.scale import Scale

__all__ = ["encode", "tally"]


def tally(
    frame: pl.DataFrame, scale: Scale, name: str, *, n_rows: int, columns: Mapping[str, str], notes: Sequence[str] = ()
) -> Ratings:
    """Return the ratings of a long table.

    Parameters
    ----------
    frame
        Columns ``item`` and, if known, ``rater`` as text, ``response`` as codes on the scale, ``count`` if rows stand
        for several responses, and columns that describe items or raters.
    scale
        The scale the codes point into.
    name, n_rows, columns, notes
        What the load report says: the file, its rows, which column plays which role, what was guessed or dropped.

    Examples
    --------
    >>> from quorate.data.scale import infer_scale
    >>> frame = pl.DataFrame({"item": ["b", "a", "b"], "response": [0, 1, 0]})
    >>> ratings = tally(frame, infer_scale(pl.Series(["no", "yes"])), "votes", n_rows=3, columns={})
    >>> ratings.item.tolist(), ratings.response.tolist(), ratings.count.tolist()
    ([0, 1], [1, 0], [1, 2])
    """
    frame, notes = _name_strangers(frame, list(notes))
    frame, items = encode(frame, "item")
    raters = None
    if "rater" in frame.columns:
        frame, raters = encode(frame, "rater")
    item, response = _codes(frame, "item"), _codes(frame, "response")
    rater = None if raters is None else _codes(frame, "rater")
    count = frame["count"].to_numpy() if "count" in frame.columns else np.ones(frame.height, dtype=np.int64)
    groups = _groupings(frame)
    item_groups = _describing(groups, item, len(items), most=len(items) - 1)
    rater_groups = {} if rater is None or raters is None else _describing(groups, rater, len(raters), most=len(raters))
    rows = _distinct_rows(item, rater, response, count, scale.n_levels, 1 if raters is None else len(raters))
    return Ratings(
        items=items,
        raters=raters,
        scale=scale,
        item=rows[0],
        rater=None if raters is None else rows[1],
        response=rows[2],
        count=rows[3],
        item_groups=item_groups,
        rater_groups={key: group for key, group in rater_groups.items() if key not in item_groups},
        name=name,
        n_rows=n_rows,
        columns=dict(columns),
        notes=tuple(notes),
    )


def encode(frame: pl.DataFrame, column: str) -> tuple[pl.DataFrame, pl.Series]:
    """Replace a text column by its codes, and return the sorted names they point into."""
    names = frame[column].unique().sort()
    place = pl.DataFrame({column: names}).with_row_index("code")
    coded = frame.join(place, on=column, how="left", maintain_order="left")
    return coded.drop(column).rename({"code": column}), names


def _name_strangers(frame: pl.DataFrame, notes: list[str]) -> tuple[pl.DataFrame, list[str]]:
    """Without any rater name the data are anonymous; a few nameless responses count as different people each."""
    if "rater" not in frame.columns:
        return frame, notes
    nameless = frame["rater"].null_count()
    if nameless == frame.height:
        return frame.drop("rater"), [*notes, "the rater column is empty: raters are unknown"]
    if nameless == 0:
        return frame, notes
    numbered = pl.format("(unknown {})", pl.col("rater").is_null().cum_sum())
    frame = frame.with_columns(pl.coalesce("rater", numbered).alias("rater"))
    return frame, [*notes, f"{nameless} responses have no rater; each counts as a different person"]


def _codes(frame: pl.DataFrame, column: str) -> Array:
    return frame[column].cast(pl.Int32).to_numpy()


def _groupings(frame: pl.DataFrame) -> dict[str, Grouping]:
    """Code the columns that sort rows into groups; a column with a different cell in most rows is not one."""
    groups = {}
    for name in frame.columns:
        if name in ("item", "rater", "response", "count") or frame[name].dtype.is_nested():
            continue
        cells = frame.select(pl.col(name).cast(pl.String).fill_null("(missing)").alias(name))
        if cells[name].n_unique() <= max(1, frame.height // 2):
            coded, names = encode(cells, name)
            groups[name] = Grouping(tuple(names.to_list()), _codes(coded, name))
    return groups


def _describing(groups: Mapping[str, Grouping], code: Array, n: int, most: int) -> dict[str, Grouping]:
    """Keep the groupings that say one thing of each item (or rater) and have at most `most` groups."""
    found = {}
    for name, group in groups.items():
        of_each = np.zeros(n, dtype=np.int32)
        of_each[code] = group.code
        if len(group.names) <= most and (of_each[code] == group.code).all():
            found[name] = Grouping(group.names, of_each)
    return found


def _distinct_rows(
    item: Array, rater: Array | None, response: Array, count: Array, n_levels: int, n_raters: int
) -> tuple[Array, Array, Array, Array]:
    """Sort by item, rater and response and add up the counts of equal rows."""
    pair = item.astype(np.int64)
    if rater is not None:
        pair = pair * n_raters + rater
    if len(pair) and int(pair.max()) < 2**62 // n_levels:  # one integer key per row sorts three times faster
        key = pair * n_levels + response
        order = np.argsort(key, kind="stable") if (count != 1).any() else None
        key = np.sort(key) if order is None else key[order]
        starts = np.flatnonzero(np.diff(key, prepend=-1))
        pair, response = np.divmod(key[starts], n_levels)
    else:
        order = np.lexsort((response, pair))
        pair, response = pair[order], response[order]
        starts = np.flatnonzero(np.diff(pair, prepend=-1) | np.diff(response, prepend=-1))
        pair, response = pair[starts], response[starts]
    ordered = count if order is None else count[order]
    item, rater = np.divmod(pair, n_raters)
    total = np.add.reduceat(ordered, starts)
    return item.astype(np.int32), rater.astype(np.int32), response.astype(np.int32), total
