"""Read what the raters said.

Rules: an empty cell is missing, nothing else is (in a column of numbers, NaN and NA too); rows
without a response are dropped and counted; nothing is imputed; rows are never aligned by their
order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._question import asks, flag_of, source
from quorate._text import count
from quorate._typing import Array
from quorate.data.columns import RATER, RESPONSE, Long, find_column, find_items, listed, to_long
from quorate.data.inputs import Source, engine_frame, open_input
from quorate.data.look_alikes import code_words, response_words
from quorate.data.numerals import WITH_POINT, Numerals, is_missing_word, read_numerals
from quorate.data.ratings import Ratings
from quorate.data.reading import LogReading, Reading
from quorate.data.scale import (
    MOST_CATEGORIES,
    MOST_COUNTED_LEVELS,
    Scale,
    as_numbers,
    inexact,
    infer_scale,
    oversized,
)
from quorate.data.steady import steady
from quorate.data.tables import InputTable, as_text
from quorate.data.tally import encode, tally

MOST_CELLS, SLACK = 50_000_000, 8
"""Cells of a table of items × categories, or × responses; or so many times the responses there are."""


@dataclass(frozen=True)
class RatingsQuestion(LogReading):
    """What to read.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, ``example:NAME``, a mapping of columns, or a data frame.
    """

    source: Any = source()


def load_ratings(source: Source, reading: Reading) -> Ratings:
    """Read ratings; those read before pass through, and then `reading` may say nothing."""
    if isinstance(source, Ratings):
        refuse_options("ratings", reading)
        return source
    long = open_long(source, reading)
    table = text_table(long.table)
    scale, frame, notes = on_scale(table, long.columns["response"], reading)
    frame, more = one_per_pair(table, frame, reading.duplicates)
    notes = [*long.notes, *notes, *more]
    name, n_rows, columns, others, hint = table.name, long.n_rows, long.columns, long.others, long.told_apart_by
    names, rows = {role: each for role, each in table.names.items() if role != "response"}, [frame]
    del long, table, frame  # a large table is let go of while its tally is made
    ratings = tally(rows.pop(), scale, name, n_rows=n_rows, columns=columns, notes=notes, names=names, hint=hint)
    _refuse_uneven(ratings)
    return replace(ratings, other_columns=others)


def _answer(question: RatingsQuestion) -> Ratings:
    """Read ratings and reduce them to a tally; ratings that were read before pass through.

    Examples
    --------
    >>> ratings = read_ratings({"task": ["t1", "t1", "t2"], "worker": ["a", "b", "a"], "label": [1, 5, 3]})
    >>> ratings.n_items, ratings.n_raters, str(ratings.scale)
    (2, 2, 'ordinal, 3 categories: 1, 3, 5')
    """
    with steady(question.source):
        return load_ratings(question.source, question)


read_ratings = asks("read_ratings", RatingsQuestion, _answer)


def _refuse_uneven(ratings: Ratings) -> None:
    """Refuse what would take many times the memory of its ratings: items × the most of any item, or × categories."""
    width = ratings.scale.n_levels if ratings.scale.counted else int(ratings.size.max())
    cells = ratings.n_items * width
    if cells <= max(MOST_CELLS, SLACK * ratings.n_responses):
        return
    raise InputError(
        f"{ratings.name}: {count(ratings.n_items, 'item')} with up to {width:,} "
        f"{'different responses' if ratings.scale.counted else 'responses'} each take too much memory; check "
        "--item-column and --response-column, or read a part."
    )


def refuse_options(what: str, reading: Reading) -> None:
    """Refuse to be told how to read what is read already."""
    if reading.reading:
        flag = flag_of(next(iter(reading.reading)))
        raise InputError(f"The {what} are read already, so {flag} would do nothing; leave it out, or give the file.")


def refuse_idle(name: str, holds: str, reading: Reading, options: Sequence[str]) -> None:
    """Refuse options that mean nothing for what a table holds; that its rows are long is no news of any."""
    idle = [each for each in options if each in reading.reading and reading.reading[each] != "long"]
    if idle:
        raise InputError(f"{name} {holds}, so {flag_of(idle[0])} would do nothing; leave it out.")


def open_long(source: Source, reading: Reading) -> Long:
    """Open a source and bring it into the long layout; a data frame is tallied by its own engine."""
    frame = engine_frame(source)
    as_is = not (reading.columns or reading.missing_values)
    if frame is not None and as_is and reading.layout in (None, "long"):
        from quorate.data.frames import tally_long

        long = tally_long(frame, reading, *([str(source)] if isinstance(source, str | Path) else []))
        if long is not None:
            return long
    keys = partial(_told_apart_by, reading)
    return to_long(open_input(source, reading=reading, keys=keys, duplicates=reading.duplicates), reading)


def _told_apart_by(reading: Reading, names: Sequence[str]) -> Sequence[str]:
    """Return all columns, those of a long table if the first or last row counts; none if items have no name."""
    where = "the table"
    response = find_column(RESPONSE, names, reading.response_column, where)
    rater = find_column(RATER, names, reading.rater_column, where, taken=(response,))
    items = find_items(names, reading.item_column, where, taken=(response, rater))
    if not items:
        return ()
    long = response is not None and not reading.columns and reading.layout in (None, "long")
    in_order = reading.duplicates in ("first", "last")
    return [name for name in names if name in {*items, rater, response}] if long and in_order else names


def text_table(table: InputTable) -> InputTable:
    """Return the table with text in its main columns; refuse a response without an item."""
    named = [name for name in ("item", "rater", "response") if name in table.frame.columns and name not in table.names]
    frame = table.frame.with_columns(as_text(table.frame[name], table.name) for name in named)
    lost = table.missing("item")
    if lost.any() and "response" in frame.columns:
        lost &= ~table.missing("response")
        if lost.any():
            raise InputError(
                f"{table.at(lost.arg_max() or 0)} has a response but no item; name the item or remove the row."
            )
    return replace(table, frame=frame)


def one_per_pair(table: InputTable, frame: pl.DataFrame, rule: str, *more_keys: str) -> tuple[pl.DataFrame, list[str]]:
    """Apply the rule for raters who answer an item (and `more_keys`) more than once."""
    keys = ["item", "rater", *more_keys]
    if rule not in ("keep", "first", "last", "error"):
        raise InputError(f"'{rule}' is not a rule for duplicates; use --duplicates keep, first, last or error.")
    if rule == "keep" or "rater" not in frame.columns:
        return frame, []
    if rule == "error":
        _refuse_repeats(table, keys)
        return frame, []
    # A nameless rater is a different person each time, and so never repeats.
    named = ~replace(table, frame=frame).missing("rater")
    last = frame.select(pl.struct(keys).is_last_distinct()).to_series()
    first = frame.select(pl.struct(keys).is_first_distinct()).to_series()
    kept = frame.filter(~named | (first if rule == "first" else last))
    lost = frame.height - kept.height
    return kept, [f"{count(lost, 'repeated answer')} dropped, the {rule} kept (--duplicates)"] if lost else []


def _refuse_repeats(table: InputTable, keys: list[str]) -> None:
    answered = ~(table.missing("response") | table.missing("rater"))
    pairs = table.frame.select(pl.struct(keys)).to_series()
    again = answered & pairs.set(~answered, None).is_duplicated()
    if "count" in table.frame.columns:
        again |= answered & (table.frame["count"] > 1)
    if again.any():
        index = table.frame.height - 1 - (again.reverse().arg_max() or 0)
        rater, item = (table.cell(index, role) for role in ("rater", "item"))
        raise InputError(
            f"{table.at(index)}: rater '{rater}' answered item '{item}' more than once; "
            "remove the extra rows, or use --duplicates keep, first or last."
        )


def on_scale(
    table: InputTable, column: str, reading: Reading, kind: str | None = None
) -> tuple[Scale, pl.DataFrame, list[str]]:
    """Infer or check the scale and replace responses by codes, dropping rows without one.

    `kind` is what the scale is taken for if nothing was declared.
    """
    kind, order = reading.scale or kind, reading.order
    code, names = _encoded(table)
    said = Numerals(names)
    if kind != "nominal" and (order is None or as_numbers(pl.Series(order)) is not None):
        said = read_numerals(names, reading.decimal, f"{table.name}, column '{column}'")
    if not said.labels.eq_missing(names).all():
        cells = said.labels.gather(code).alias("response")
        coded = {role: each for role, each in table.names.items() if role != "response"}
        table = replace(table, frame=table.frame.with_columns(cells), names=coded)
        code, names = encode(cells)
    labels, notes = _labels(table, names.drop_nulls(), kind, order)
    notes = [*said.notes, *notes]
    _refuse_non_numbers(table, column, labels, kind)
    if kind != "nominal":
        _refuse_oversized(table, column, labels)
    try:
        scale = replace(infer_scale(labels, kind, order), unit=said.unit)
    except InputError as error:
        raise InputError(f"{table.name}: {error}") from None
    if scale.counted and scale.n_levels > MOST_CATEGORIES:
        raise InputError(
            f"{table.name}, column '{column}': responses look like free text: {scale.n_levels:,} different ones; name "
            "the ratings with --response-column."
        )
    if scale.levels is not None and order is None:
        notes += code_words(scale.levels)
    places = scale.code(labels)
    if places.null_count():
        _refuse_label(table, column, labels.filter(places.is_null()), scale)
    place = pl.DataFrame({"label": labels, "place": places.cast(pl.Int32)})
    of_name = names.to_frame("label").join(place, on="label", how="left", maintain_order="left")["place"]
    on_it = of_name.fill_null(-1).to_numpy().astype(np.min_scalar_type(-scale.n_levels))
    frame = table.frame.with_columns(pl.Series("response", on_it[code]))
    dropped = frame.filter(pl.col("response") < 0).drop("response")
    if dropped.height:
        frame = frame.filter(pl.col("response") >= 0)
        still = {role: each for role, each in table.names.items() if role != "response"}
        lost = InputTable(replace(table, frame=dropped, names=still).decoded(), table.name).n_rows
        notes += [f"{count(lost, 'cell' if table.stacked else 'row')} without a response dropped"] if lost else []
    return scale, frame, notes


def _encoded(table: InputTable) -> tuple[Array, pl.Series]:
    """Return the code of each response, ``(row,)``, and the sorted distinct responses, null first."""
    column = table.frame["response"]
    return (column.to_numpy(), table.names["response"]) if "response" in table.names else encode(column)


def _labels(
    table: InputTable, labels: pl.Series, kind: str | None, order: Sequence[str] | None
) -> tuple[pl.Series, list[str]]:
    """Return the distinct responses, without words for a missing number, and notes."""
    if labels.is_empty():
        why = "no row has a response; check --response-column" if table.frame.height else "only a header"
        raise InputError(f"{table.name} has no usable rows: {why}.")
    missing = is_missing_word(labels)
    if not missing.any() or order or kind == "nominal":
        return labels, _odd_labels(labels)
    word, numbers = labels.filter(missing)[0], labels.filter(~missing)
    if numbers.is_empty():
        raise InputError(
            f"{table.name} has no usable rows: every response is '{word}', which means missing; say --scale nominal "
            "to keep it as a category."
        )
    if as_numbers(numbers) is None:
        return labels, _odd_labels(labels)
    words = " and ".join(f"'{each}'" for each in labels.filter(missing)[:3])
    return numbers, [f"{words} in a column of numbers is read as missing (--scale nominal to keep it)"]


def _odd_labels(labels: pl.Series) -> list[str]:
    """Point at labels that may be the same or no answer, at numbers that are words, and at words among numbers."""
    notes = response_words(labels) if len(labels) <= MOST_COUNTED_LEVELS else []
    words = labels.filter(_not_numbers(labels))
    if len(labels) > 2 and len(words) == len(labels) and words.str.contains(r"^\s*[-+]?\d").all():
        notes.append(f"responses such as '{words[0]}' begin with a number but are words; write numbers to count with")
    if 0 < len(words) < len(labels) / 2:
        notes.append(f"'{words[0]}' is not a number, so all responses are read as text (--scale interval to insist)")
    return notes


def _refuse_non_numbers(table: InputTable, column: str, labels: pl.Series, kind: str | None) -> None:
    """Refuse words on an interval scale, and among decimal numbers unless all are declared nominal."""
    wrong = labels.filter(_not_numbers(labels))
    if kind in ("nominal", "ordinal") or not len(wrong):
        return
    if kind == "interval":
        problem, advice = "is not a number", "fix it, or say --scale nominal"
    elif 2 * len(wrong) < len(labels) and labels.str.contains(WITH_POINT).any():
        problem = "stands among numbers with decimals"
        advice = f"say --missing-values '{wrong[0]}' to leave it out, or --scale nominal to take all for words"
    else:
        return
    index = _first(table, wrong)
    raise InputError(f"{table.at(index, column)}: '{table.cell(index, 'response')}' {problem}; {advice}.")


def _refuse_oversized(table: InputTable, column: str, labels: pl.Series) -> None:
    """Refuse numbers whose spread no float can hold."""
    wrong = labels.filter(oversized(labels))
    if len(wrong) and as_numbers(labels) is not None:
        index = _first(table, wrong)
        raise InputError(
            f"{table.at(index, column)}: {table.cell(index, 'response')} is too large to calculate with; fix it, "
            "or say --scale nominal."
        )


def _not_numbers(labels: pl.Series) -> pl.Series:
    finite = labels.str.strip_chars().cast(pl.Float64, strict=False).is_finite().fill_null(False)
    return ~finite | inexact(labels)


def _refuse_label(table: InputTable, column: str, wrong: pl.Series, scale: Scale) -> None:
    index = _first(table, wrong)
    raise InputError(
        f"{table.at(index, column)}: '{table.cell(index, 'response')}' is not on the declared scale "
        f"({listed(scale.categories, 12)}); fix it or add it to --order."
    )


def _first(table: InputTable, labels: pl.Series) -> int:
    return table.cells("response").is_in(labels.implode()).arg_max() or 0
