"""Turn any layout into a long table, a row per response: long, wide (a column per rater) or counts (per category)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from quorate._errors import InputError
from quorate.data.columns import ITEM, RATER, RESPONSE, find_column, guess_column, named_columns, plain
from quorate.data.tables import Table

__all__ = ["Long", "to_long"]

# A column whose name holds one of these words says something about an item; it is never a rater or a category.
ASIDE = re.compile(r"(^|_)(label|gold|truth|split|text|source|domain|lang|total|count|majority|task|question)($|_)")
RATER_NAME = re.compile(r"^(r|w|a|ann|rater|worker|annotator|coder|judge|observer|user|reviewer|expert)_?\d+$")
MOST_WIDE_LABELS = 20  # a table with more distinct cells than this is not taken for ratings by column
STEADY = 0.9  # share of rows with the usual number of votes that makes a table of whole numbers one of counts


@dataclass(frozen=True)
class Long:
    """A table with columns ``item``, ``rater`` (if known), ``response``, ``count`` (if counted) and further ones.

    `columns` says which column of the file plays which role, `notes` what else was guessed, `n_rows` how many rows
    the source has, `ordered` whether these rows stand in the order of the source.
    """

    table: Table
    columns: dict[str, str]
    notes: tuple[str, ...]
    n_rows: int
    ordered: bool = True


def to_long(
    table: Table,
    *,
    item_column: str | None = None,
    rater_column: str | None = None,
    response_column: str | None = None,
    layout: str | None = None,
    columns: Sequence[str] | None = None,
) -> Long:
    """Recognise the layout of a table and return it long."""
    if layout not in (None, "long", "wide", "counts"):
        raise InputError(f"'{layout}' is not a layout; use --layout long, wide or counts.")
    names = table.frame.columns
    response = find_column(RESPONSE, names, response_column, table.name)
    if layout is None and response is None:
        response = _only_one_left(table, item_column, rater_column)
    if layout == "long" or (layout is None and response is not None):
        return _long(table, item_column, rater_column, response)
    item = _item_columns(table, item_column)
    chosen = named_columns(columns, names, "--columns", table.name) if columns else _answer_columns(table, item)
    if layout is None:
        layout = _guess_layout(table, chosen)
    return _counts(table, item, chosen) if layout == "counts" else _wide(table, item, chosen)


def _only_one_left(table: Table, item_column: str | None, rater_column: str | None) -> str | None:
    """With item and rater known and one column left, that one must be the response."""
    names = table.frame.columns
    known = {item_column or guess_column(ITEM, names), rater_column or guess_column(RATER, names)}
    left = [name for name in names if name not in known]
    return left[0] if len(names) == 3 and None not in known and len(left) == 1 else None


def _long(table: Table, item_column: str | None, rater_column: str | None, response: str | None) -> Long:
    names = table.frame.columns
    if response is None:
        raise InputError(f"{table.name} has no response column; name it with --response-column.")
    rater = find_column(RATER, [n for n in names if n != response], rater_column, table.name)
    items = _item_columns(table, item_column, taken=(response, rater))
    if not items:
        raise InputError(f"{table.name} has no item column; name it with --item-column.")
    used = {rater, response, *items, "item", "rater", "response"}
    frame = table.frame.select(
        _joined(items).alias("item"),
        *([pl.col(rater).alias("rater")] if rater else []),
        pl.col(response).alias("response"),
        *(pl.col(name) for name in names if name not in used),
    )
    roles = {"item": ",".join(items), **({"rater": rater} if rater else {}), "response": response}
    return Long(Table(frame, table.name, table.first_row), roles, (), table.frame.height)


def _item_columns(table: Table, given: str | None, taken: Sequence[str | None] = ()) -> list[str]:
    names = [name for name in table.frame.columns if name not in taken]
    if given is not None and given not in names:
        return named_columns([part.strip() for part in given.split(",")], names, ITEM.flag, table.name)
    found = find_column(ITEM, names, given, table.name)
    return [found] if found else []


def _joined(items: Sequence[str]) -> pl.Expr:
    if len(items) == 1:
        return pl.col(items[0])
    return pl.concat_str([pl.col(c).cast(pl.String) for c in items], separator=" | ")


def _answer_columns(table: Table, items: Sequence[str]) -> list[str]:
    found = [n for n in table.frame.columns if n not in items and not ASIDE.search(plain(n))]
    if len(found) < 2:
        raise InputError(
            f"{table.name} has no column that looks like a response, only {', '.join(table.frame.columns[:8])}; "
            "name it with --response-column, or say --layout wide or counts and name the --columns."
        )
    return found


def _guess_layout(table: Table, columns: Sequence[str]) -> str:
    """Columns named like raters are wide; whole numbers with a steady sum are counts; few distinct cells are wide."""
    if all(RATER_NAME.match(plain(name)) for name in columns):
        return "wide"
    if _steady_sums(table.frame, columns):
        return "counts"
    cells = pl.concat([table.frame[name].cast(pl.String) for name in columns], rechunk=False)
    if cells.n_unique() <= MOST_WIDE_LABELS:
        return "wide"
    raise InputError(
        f"{table.name}: cannot tell what its columns hold; say --layout wide (a column per rater) or "
        "--layout counts (a column per category), with --columns to name them, or --response-column."
    )


def _steady_sums(frame: pl.DataFrame, columns: Sequence[str]) -> bool:
    numbers = frame.select(pl.col(name).cast(pl.Int64, strict=False) for name in columns)
    if sum(numbers.null_count().row(0)) or not (numbers.min_horizontal() >= 0).all():
        return False
    sums = numbers.sum_horizontal()
    usual = sums.mode().max()
    return isinstance(usual, int) and usual > 1 and int((sums == usual).sum()) >= STEADY * len(sums)


def _wide(table: Table, items: Sequence[str], raters: Sequence[str]) -> Long:
    notes: tuple[str, ...] = (f"wide layout, a column per rater: {', '.join(raters[:6])} (--layout, --columns)",)
    frame = table.frame
    if items:
        frame = frame.with_columns(_joined(items).alias("item"))
    else:
        frame = frame.with_columns(pl.int_range(1, pl.len() + 1).alias("item"))
        notes += ("no item column: each row is an item, named by its number (--item-column)",)
    index = ["item", *(n for n in table.frame.columns if n not in {*items, *raters, "item", "rater", "response"})]
    frame = frame.select(*index, *(pl.col(name).cast(pl.String) for name in raters))
    long = frame.unpivot(on=list(raters), index=index, variable_name="rater", value_name="response")
    roles = {"item": ",".join(items) or "row number", "rater": "column name", "response": "cell"}
    return Long(Table(long, table.name), roles, notes, table.frame.height)


def _counts(table: Table, items: Sequence[str], categories: Sequence[str]) -> Long:
    if not items:
        raise InputError(f"{table.name} has no item column; name it with --item-column.")
    frame = table.frame.with_columns(_joined(items).alias("item"))
    for name in categories:
        bad = frame[name].cast(pl.Int64, strict=False).fill_null(-1) < 0
        if bad.any():
            where = table.at(int(bad.arg_max() or 0), name)
            raise InputError(
                f"{where}: '{frame[name][bad.arg_max() or 0]}' is not a count; use whole numbers from 0 up."
            )
    index = ["item", *(n for n in table.frame.columns if n not in {*items, *categories, "item", "response", "count"})]
    frame = frame.select(*index, *(pl.col(name).cast(pl.Int64) for name in categories))
    long = frame.unpivot(on=list(categories), index=index, variable_name="response", value_name="count")
    roles = {"item": ",".join(items), "response": "column name"}
    note = f"counts layout, a column per category: {', '.join(categories[:6])} (--layout, --columns)"
    return Long(Table(long.filter(pl.col("count") > 0), table.name), roles, (note,), table.frame.height)
