"""Data frames of pandas, DuckDB, Ibis, PySpark, Dask, Arrow, and queries of SQLite, grouped by their own engine.

The engine counts equal (item, rater, response) rows; only that tally travels into this process.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from narwhals.exceptions import NarwhalsError

from quorate._errors import InputError
from quorate.data.coding import code_rows
from quorate.data.columns import RATER, RESPONSE, UNUSED_COUNT, Long, find_column, find_items, item_key
from quorate.data.dates import with_plain_dates
from quorate.data.reading import Reading
from quorate.data.scans import collect_lazy
from quorate.data.sqlite_query import SqliteQuery
from quorate.data.tables import InputTable, emptied
from quorate.data.tally import MISSING

NAME = "the data frame"
ENGINES = ("duckdb", "ibis", "pyspark")
"""Engines whose own errors are about the data; others' are not known."""
TIMES, PLACE = "how often", "which row"  # names no column of the user should have
ENDS = {"first": "min", "last": "max"}
"""Which place of equal rows counts, by the rule for duplicates."""


def open_frame(source: Any) -> Any:
    """Take a data frame or relation of any engine, or refuse what is none."""
    if isinstance(source, SqliteQuery):
        return source
    try:
        frame = nw.from_native(source)
    except TypeError:
        raise InputError(
            f"A {type(source).__name__} is not a table; give a path, a mapping of columns or a data frame."
        ) from None
    except NarwhalsError:
        raise InputError(f"{NAME} has two columns of one name; rename or drop one.") from None
    if isinstance(frame, nw.DataFrame):
        refuse_names(NAME, frame.columns)
        return _with_index(frame)
    rows = frame.to_native()
    if isinstance(rows, pl.LazyFrame) and column_names(frame):  # which refuses a table whose columns cannot be told
        return nw.from_native(with_plain_dates(rows))
    return frame


def _with_index(frame: Any) -> Any:
    """Take an index that has names, as pandas makes one of items, for columns."""
    index = nw.maybe_get_index(frame)
    names = [] if index is None else list(index.names)
    if not names or not all(isinstance(name, str) and name not in frame.columns for name in names):
        return frame
    return nw.from_native(frame.to_native().reset_index())


def refuse_names(where: str, names: Sequence[object]) -> None:
    """Refuse columns that are called by a number, or by several texts one above the other."""
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise InputError(f"{where} has a column called {odd[0]!r}, which is no text; rename its columns.")


@contextmanager
def handed_over(name: str) -> Iterator[None]:
    """Refuse cells that the library of a frame in memory cannot group or hand over: lists, objects, half characters."""
    try:
        yield
    except InputError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:  # each library has errors of its own
        said = str(error).partition("\n")[0][:200]
        raise InputError(f"{name} cannot be read ({said}); write its columns as text or numbers.") from None


def column_names(frame: Any) -> list[str]:
    """Return the columns of a frame."""
    if isinstance(frame, SqliteQuery):
        return list(frame.names)
    try:
        return list(frame.collect_schema().names())
    except (NarwhalsError, pl.exceptions.PolarsError, OSError) as error:
        said = str(error).partition("\n")[0][:200]
        raise InputError(f"{NAME} cannot be read ({said}); check what it is made of.") from None


def collect(frame: Any, name: str = NAME) -> pl.DataFrame:
    """Bring a whole frame into this process, in the order of its rows."""
    if isinstance(frame, SqliteQuery):
        return frame.rows()
    if isinstance(frame.to_native(), pl.LazyFrame):
        return collect_lazy(frame.to_native(), name)
    if isinstance(frame, nw.LazyFrame):
        try:
            frame = frame.collect(backend="polars")
        except Exception as error:
            engine = type(error).__module__.partition(".")[0].lstrip("_")
            if engine not in ENGINES:
                raise
            said = str(error).partition("\n")[0]
            raise InputError(f"{name} cannot be read to its end: {engine} says '{said}'; check it.") from None
    with handed_over(name):
        whole: pl.DataFrame = frame.to_polars()
    return with_plain_dates(whole)


def fetch_distinct(
    frame: Any, keys: Sequence[str], name: str = NAME, *, duplicates: str = "keep"
) -> pl.DataFrame | None:
    """Let the engine group rows that are equal in some columns; return each as often as it occurred, sorted.

    If the first or last of `duplicates` counts, they are sorted by their first or last place in the frame instead.
    Further columns come along if they are constant in each group. None for a frame of this process, where the keys
    cannot be grouped by, and where places count and rows have none, or a further column tells equal rows apart.
    """
    if not keys or not _can_group(frame, keys):
        return None
    end = ENDS.get(duplicates)
    numbered = frame if end is None else _numbered(frame)
    if numbered is None:
        return None
    names = column_names(frame)
    extras = [column for column in names if column not in keys]
    counted, steady, plain = _counted(numbered, list(keys), extras, name, end)
    if end is not None and len(steady) < len(plain):
        return None
    counted = counted.sort(keys if end is None else PLACE)
    cells = {key: counted[key] for key in keys} | {column: counted[f"<{column}"].alias(column) for column in steady}
    there = pl.DataFrame([cells[column] for column in names if column in cells])  # one of them may be called *
    return there[np.repeat(np.arange(counted.height), counted[TIMES].to_numpy())]


def _can_group(frame: Any, keys: Sequence[str]) -> bool:
    """Tell whether a frame lies elsewhere and its engine can tell these columns' cells apart."""
    if isinstance(frame, SqliteQuery):
        return True
    schema = frame.collect_schema()
    return isinstance(frame, nw.LazyFrame) and not any(_unlike_text(schema[key]) for key in keys)


def _has_plain(frame: Any, keys: Sequence[str]) -> bool:
    """Tell whether the library of a frame in memory can group by these columns; an engine elsewhere is asked later."""
    return not isinstance(frame, nw.DataFrame) or not any(_unlike_text(frame.schema[key]) for key in keys)


def _unlike_text(kind: Any) -> bool:
    return bool(kind.is_nested()) or kind in (nw.Binary, nw.Object, nw.Unknown)


def _numbered(frame: Any) -> Any | None:
    """Let the engine number its rows in the order it would give them in; None for one that is not known."""
    if isinstance(frame, SqliteQuery):
        return frame
    rows, engine = frame.to_native(), frame.implementation
    if engine.is_polars():
        rows = rows.with_row_index(PLACE)
    elif engine.is_duckdb():
        rows = rows.project(f'*, row_number() OVER () AS "{PLACE}"')
    elif engine.is_ibis():
        import ibis

        rows = rows.mutate(ibis.row_number().name(PLACE))
    elif engine.is_pyspark():
        from pyspark.sql.functions import monotonically_increasing_id

        rows = rows.withColumn(PLACE, monotonically_increasing_id())
    elif engine.is_dask():
        rows = rows.assign(**{PLACE: 1})
        rows = rows.assign(**{PLACE: rows[PLACE].cumsum()})
    else:
        return None
    return nw.from_native(rows)


def tally_long(frame: Any, reading: Reading, name: str = NAME) -> Long | None:
    """Let the frame's engine tally a long table; None if it has no column of responses or items.

    With raters the tally is about as long as the table: of a lazy table of polars its rows come as codes instead, in
    their order. None also if that counts and the engine gives a tally.
    """
    names = column_names(frame)
    response = find_column(RESPONSE, names, reading.response_column, name)
    rater = find_column(RATER, names, reading.rater_column, name, taken=(response,))
    items = find_items(names, reading.item_column, name, taken=(response, rater))
    if response is None or not items:
        return None
    roles = {"item": ",".join(items), **({"rater": rater} if rater else {}), "response": response}
    extras = [column for column in names if column not in (*items, rater, response)]
    lazy = None if isinstance(frame, SqliteQuery) else frame.to_native()
    notes = (UNUSED_COUNT,) if "count" in extras else ()
    if rater is not None and isinstance(lazy, pl.LazyFrame):
        coded = code_rows(lazy, items, rater, response, extras, name)
        if coded is not None:
            codes, named = coded
            return Long(InputTable(codes, name, first_row=None, names=named), roles, notes, codes.height, tuple(extras))
    if reading.duplicates in ENDS or not _has_plain(frame, [*items, *([rater] if rater else []), response]):
        return None
    counted, n_rows, loose = _tally(frame, items, rater, response, extras)
    apart = None if rater is None or not loose else _told_apart_by(frame, items, rater, response, loose)
    return Long(InputTable(counted, name, first_row=None), roles, notes, n_rows, tuple(extras), apart)


def group_rows(frame: Any, keys: list[str], ends: list[Any]) -> Any:
    """Let the engine group rows by keys and count them, and take further ends of each group."""
    return frame.group_by(keys, drop_null_keys=False).agg(nw.len().alias(TIMES), *ends)


def _counted(
    frame: Any, keys: list[str], extras: Sequence[str], name: str = NAME, end: str | None = None
) -> tuple[pl.DataFrame, list[str], list[str]]:
    """Return the distinct keys, how often each occurs, and further columns as text.

    Beside it: those of the further columns that are constant in each group, and those that were looked at. With `end`,
    min or max, rows of the frame are numbered, and each group comes with its first or last place.
    """
    if isinstance(frame, SqliteQuery):
        counted, steady = frame.counted(keys, extras, TIMES, PLACE, end)
        return counted, steady, list(extras)
    schema = frame.collect_schema()
    plain = [
        name for name in extras if schema[name] in (nw.String, nw.Boolean, nw.Categorical) or schema[name].is_integer()
    ]
    texts = [nw.col(name).cast(nw.String).fill_null(MISSING).alias(f"<{name}") for name in plain]
    ends = [end for name in plain for end in (nw.col(f"<{name}").min(), nw.col(f"<{name}").max().alias(f">{name}"))]
    places = [] if end is None else [nw.col(PLACE).min() if end == "min" else nw.col(PLACE).max()]
    chosen = [*keys, *(f"<{name}" for name in plain), *([PLACE] if places else [])]
    with handed_over(name) if isinstance(frame, nw.DataFrame) else nullcontext():
        grouped = group_rows(frame.with_columns(texts).select(chosen), keys, [*ends, *places])
    counted = collect(grouped, name)
    return counted, [name for name in plain if (counted[f"<{name}"] == counted[f">{name}"]).all()], plain


def _tally(
    frame: Any, items: list[str], rater: str | None, response: str, extras: list[str]
) -> tuple[pl.DataFrame, int, list[str]]:
    """Group by item, rater and response; further columns survive if constant in each group, others are named."""
    counted, steady, plain = _counted(frame, [*items, *([rater] if rater else []), response], extras)
    counted = counted.with_columns(map(emptied, counted))
    others = [name for name in steady if name not in ("item", "rater", "response", "count")]
    result = pl.DataFrame(
        [
            item_key(InputTable(counted, NAME), items),
            *([counted[rater].alias("rater")] if rater else []),
            counted[response].alias("response"),
            counted[TIMES].cast(pl.Int64).alias("count"),
            *(counted[f"<{name}"].alias(name) for name in others),
        ]
    )
    return result, int(counted[TIMES].sum()), [name for name in plain if name not in steady]


def _told_apart_by(frame: Any, items: list[str], rater: str, response: str, loose: list[str]) -> str | None:
    """Let the engine look for a column that tells repeated answers apart and does not differ in most rows."""
    n_rows, *sizes = _n_distinct(_with_cells(frame, response), loose)
    named = _with_cells(frame, response, rater)
    few = [name for name, size in zip(loose, sizes, strict=True) if size <= max(1, n_rows // 2)]
    return next((name for name in few if _most_alike(named, [*items, rater, name]) == 1), None)


def _with_cells(frame: Any, *names: str) -> Any:
    if isinstance(frame, SqliteQuery):
        return frame.with_cells(*names)
    return frame.filter(*(~nw.col(name).is_null() for name in names))


def _n_distinct(frame: Any, names: Sequence[str]) -> tuple[int, ...]:
    if isinstance(frame, SqliteQuery):
        return frame.n_distinct(names)
    return collect(frame.select(nw.len().alias(TIMES), *(nw.col(name).n_unique() for name in names))).row(0)


def _most_alike(frame: Any, keys: list[str]) -> int:
    if isinstance(frame, SqliteQuery):
        return frame.most_alike(keys)
    return int(collect(group_rows(frame.select(keys), keys, []).select(nw.col(TIMES).max())).item())
