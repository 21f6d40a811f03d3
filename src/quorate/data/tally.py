"""Reduce a long table to `Ratings`: names become codes, equal rows one row with a count."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._text import count as count_of
from quorate._typing import Array
from quorate.data.look_alikes import name_words
from quorate.data.name_hashes import NameHashes
from quorate.data.ratings import Grouping, Ratings, row_slices, smallest_codes
from quorate.data.scale import Scale
from quorate.data.tables import InputTable, as_text

MISSING = "(missing)"
"""The group of items or raters whose cell in a grouping column is empty."""


FEW_ROWS = 1 << 20
"""Rows looked at before all of them."""


def tally(
    frame: pl.DataFrame,
    scale: Scale,
    name: str,
    *,
    n_rows: int,
    columns: Mapping[str, str],
    notes: Sequence[str] = (),
    names: Mapping[str, pl.Series] | None = None,
    hint: str | None = None,
) -> Ratings:
    """Return the ratings of a long table.

    Parameters
    ----------
    frame
        Columns ``item`` and, if known, ``rater`` as text, ``response`` as codes on the scale,
        ``count`` if rows stand for several responses, and columns that describe items or raters.
    name, n_rows, columns, notes
        What the load report says: the file, its rows, which column plays which role, what was
        guessed or dropped.
    names
        Of columns that hold codes: the sorted text each code stands for, null first.
    hint
        A column that tells repeated answers apart, if it is known and not part of the frame.
    """
    frame, names, notes = _name_strangers(frame, dict(names or {}), list(notes))
    item, items = _encoded(frame, "item", names)
    frame = frame.drop("item")  # of a large table, what is coded is let go of
    rater, raters = _encoded(frame, "rater", names) if "rater" in frame.columns else (None, None)
    frame = frame.drop("rater", strict=False)
    response = frame["response"].to_numpy()
    count = frame["count"].to_numpy() if "count" in frame.columns else ones(frame.height)
    groups = _groupings(frame, names)
    del frame
    item_groups = _describing(groups, item, len(items), most=len(items) - 1)
    rater_groups = {} if rater is None or raters is None else _describing(groups, rater, len(raters), most=len(raters))
    loose = {name: group for name, group in groups.items() if name not in {**item_groups, **rater_groups}}
    if hint is None and loose and rater is not None:
        hint = _told_apart_by(loose, item, rater, count)
    if hint is not None:
        notes.append(f"raters answered items again; --item-column {columns.get('item')},{hint} tells them apart")
    notes += name_words(items, raters)
    codes = [item, np.zeros(1, dtype=np.int32) if rater is None else rater, response]
    del item, rater, response, groups, loose  # of a large table, what is sorted is let go of
    rows = _distinct_rows(codes, count, 1 if raters is None else len(raters), scale.n_levels)
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


def encode(column: pl.Series) -> tuple[Array, pl.Series]:
    """Return the code of each cell, ``(row,)``, and the sorted distinct cells, null first."""
    hashes = column.hash().to_numpy()
    keys = np.sort(hashes)
    found = NameHashes(keys[_changes(keys)])
    place = found.find(hashes)[0]
    row = np.empty(len(found.keys), dtype=np.int64)
    row[place] = np.arange(len(place))
    names = column.gather(row).sort()
    rank = np.empty(len(names), dtype=np.int32)
    rank[found.find(names.hash().to_numpy())[0]] = np.arange(len(names), dtype=np.int32)
    codes: Array = rank[place]
    if names.gather(codes).eq_missing(column).all():
        return codes, names
    return _encode_slowly(column)  # two names share a hash: once in ten million tables of two million names


def code_names(column: pl.Series, names: pl.Series) -> pl.Series:
    """Return the place of each cell among different names, ``(row,)``; null for one that is not among them."""
    hashes = names.hash().to_numpy()
    order = np.argsort(hashes).astype(np.int32)
    found = NameHashes(hashes[order])
    del hashes
    code = np.empty(len(column), dtype=np.int32)
    for rows in row_slices(len(column)):
        part = column[rows]
        place, there = found.find(part.hash().to_numpy())
        if not there or not names.gather(order[place]).equals(part):  # another name, or two that share a hash
            return _code_slowly(column, names)
        code[rows] = order[place]
    return pl.Series(code)


def _code_slowly(column: pl.Series, names: pl.Series) -> pl.Series:
    place = names.to_frame("name").with_row_index("code")
    return column.to_frame("name").join(place, on="name", how="left", nulls_equal=True, maintain_order="left")["code"]


def _encoded(frame: pl.DataFrame, column: str, names: Mapping[str, pl.Series]) -> tuple[Array, pl.Series]:
    """Return the same of a column that may hold codes already, without names whose rows are gone."""
    if column not in names:
        return encode(frame[column])
    codes, known = frame[column].to_numpy(), names[column]
    there = np.zeros(len(known), dtype=bool)
    there[codes] = True
    if there.all():
        return codes, known
    place = np.cumsum(there, dtype=np.int32) - 1
    return place[codes], known.filter(there)


def _encode_slowly(column: pl.Series) -> tuple[Array, pl.Series]:
    names = column.unique().sort()
    return _code_slowly(column, names).cast(pl.Int32).to_numpy(), names


def _name_strangers(
    frame: pl.DataFrame, names: dict[str, pl.Series], notes: list[str]
) -> tuple[pl.DataFrame, dict[str, pl.Series], list[str]]:
    """Without any rater name data are anonymous; a few nameless responses are a person each."""
    if "rater" not in frame.columns:
        return frame, names, notes
    nameless = int(InputTable(frame, "", names=names).missing("rater").sum())
    if nameless == frame.height:
        return frame.drop("rater"), names, [*notes, "the rater column is empty: raters are unknown"]
    if nameless == 0:
        return frame, names, notes
    frame = InputTable(frame, "", names=names).decoded()
    named, strangers = frame.filter(pl.col("rater").is_not_null()), frame.filter(pl.col("rater").is_null())
    strangers = strangers.sort("item", "response")  # so that their numbers do not depend on the order of the file
    if "count" in frame.columns:
        rows = np.repeat(np.arange(strangers.height), strangers["count"])
        strangers = strangers[rows].with_columns(pl.lit(1, dtype=pl.Int64).alias("count"))
    numbered = pl.format("(unknown {})", pl.int_range(1, pl.len() + 1)).alias("rater")
    said = f"{count_of(strangers.height, 'response')} without a rater; each counts as a different person's"
    return pl.concat([named, strangers.with_columns(numbered)]), {}, [*notes, said]


def _groupings(frame: pl.DataFrame, coded: Mapping[str, pl.Series]) -> dict[str, Grouping]:
    """Code the columns that sort rows into groups; one that differs in most rows does not."""
    groups = {}
    for name in frame.columns:
        if name in ("item", "rater", "response", "count"):
            continue
        try:
            code, names = _grouped(frame, name, coded)
        except InputError:  # lists, objects, bytes: nothing groups by them
            continue
        if len(names) <= max(1, frame.height // 2):
            groups[name] = Grouping(tuple(names.to_list()), code)
    return groups


def _grouped(frame: pl.DataFrame, column: str, coded: Mapping[str, pl.Series]) -> tuple[Array, pl.Series]:
    """Return the group of each row, ``(row,)``, and the sorted names, with a word for the empty ones."""
    if column not in coded:
        return encode(as_text(frame[column]).fill_null(MISSING))
    code, names = _encoded(frame, column, coded)
    if not names.null_count():
        return code, names
    place, named = encode(names.fill_null(MISSING))
    return place[code], named


def _describing(groups: Mapping[str, Grouping], code: Array, n: int, most: int) -> dict[str, Grouping]:
    """Keep groupings that say one thing of each item (or rater), in at most `most` groups."""
    found = {}
    for name, group in groups.items():
        of_each = np.zeros(n, dtype=np.int32)
        for rows in (slice(0, FEW_ROWS), slice(None)):  # a few mostly show that it says several things
            of_each[code[rows]] = group.code[rows]
            if len(group.names) > most or (of_each[code[rows]] != group.code[rows]).any():
                break
        else:
            found[name] = Grouping(group.names, of_each)
    return found


def _told_apart_by(groups: Mapping[str, Grouping], item: Array, rater: Array, count: Array) -> str | None:
    """Name a column that tells repeated answers apart: it may be part of the item's name."""
    n_raters = int(rater.max()) + 1

    def all_distinct(code: Array, n_codes: int) -> bool:
        if not _once(item, count, n_raters, n_codes):
            return int(_distinct_rows([item, rater, code], count, n_raters, n_codes)[3].max()) == 1
        return bool(_changes(_sorted_keys([item, rater, code], n_raters, n_codes)).all())

    if all_distinct(np.zeros(1, dtype=np.int32), 1):
        return None
    return next((name for name, group in groups.items() if all_distinct(group.code, len(group.names))), None)


def _once(item: Array, count: Array, n_raters: int, n_levels: int) -> bool:
    """Tell whether rows count once each, and fit an integer each."""
    return bool((count == 1).all()) and (int(item.max()) + 1) * n_raters * n_levels < 2**63


def _distinct_rows(codes: list[Array], count: Array, n_raters: int, n_levels: int) -> tuple[Array, Array, Array, Array]:
    """Sort codes of item, rater and response and add up the counts of equal rows; the list is emptied on the way."""
    if _once(codes[0], count, n_raters, n_levels):
        key = _sorted_keys(codes, n_raters, n_levels)
        codes.clear()
        return _distinct_keys(key, n_raters, n_levels)
    columns = np.broadcast_arrays(*codes)
    order = np.lexsort(columns[::-1])
    rows = [column[order].astype(np.int32, copy=False) for column in columns]
    starts = np.flatnonzero(np.logical_or.reduce([_changes(column) for column in rows]))
    item, rater, response = (column[starts] for column in rows)
    rater, response = rater.astype(smallest_codes(n_raters)), response.astype(smallest_codes(n_levels))
    return item, rater, response, np.add.reduceat(count[order], starts)


def _distinct_keys(key: Array, n_raters: int, n_levels: int) -> tuple[Array, Array, Array, Array]:
    """Do the same for rows that count once, by one sorted integer per row: five times faster."""
    fresh = _changes(key)
    size = int(np.count_nonzero(fresh))
    count = ones(size)
    if size < len(key):
        starts = np.flatnonzero(fresh).astype(np.int32 if len(key) < 2**31 else np.int64)
        count = np.diff(starts, append=starts.dtype.type(len(key)))
        del starts
    item = np.empty(size, dtype=np.int32)
    rater, response = (np.empty(size, dtype=smallest_codes(n)) for n in (n_raters, n_levels))
    done = 0
    for rows in row_slices(len(key)):
        part = key[rows][fresh[rows]]
        place = slice(done, done + len(part))
        response[place], part = part % np.uint64(n_levels), part // np.uint64(n_levels)
        rater[place], item[place] = part % np.uint64(n_raters), part // np.uint64(n_raters)
        done = place.stop
    return item, rater, response, count


def _sorted_keys(codes: Sequence[Array], n_raters: int, n_levels: int) -> Array:
    """Return one integer for each row, sorted, of its item, rater and response."""
    key = codes[0].astype(np.uint64)  # unsigned numbers divide ten times faster
    for size, code in ((n_raters, codes[1]), (n_levels, codes[2])):
        key *= np.uint64(size)
        np.add(key, code, out=key, dtype=np.uint64, casting="unsafe")  # codes are never negative
    key.sort()
    return key


def ones(n: int) -> Array:
    """Return as many ones, which take the room of one."""
    return np.broadcast_to(np.int64(1), n)


def _changes(codes: Array) -> Array:
    """True where a code differs from the one before it."""
    changes = np.ones(len(codes), dtype=bool)
    np.not_equal(codes[1:], codes[:-1], out=changes[1:])
    return changes
