"""From what raters wrote to codes on a scale: infer or check the scale, drop empty responses, point at odd ones."""

from collections.abc import Sequence

import polars as pl

from quorate._errors import InputError
from quorate._text import count
from quorate.data.columns import listed
from quorate.data.scale import MOST_COUNTED_LEVELS, Scale, as_numbers, infer_scale
from quorate.data.tables import InputTable
from quorate.data.tally import encode

__all__ = ["on_scale"]

MISSING_WORDS = ["na", "n/a", "nan", "null", "none", "."]  # missing only in a column of numbers


def on_scale(
    table: InputTable, column: str, kind: str | None, order: Sequence[str] | None
) -> tuple[Scale, pl.DataFrame, list[str]]:
    """Infer or check the scale and replace responses by codes, dropping rows without one."""
    code, names = encode(table.frame["response"])
    labels, notes = _labels(table, names.drop_nulls(), kind, order)
    _refuse_non_numbers(table, column, labels, kind)
    try:
        scale = infer_scale(labels, kind, order)
    except InputError as error:
        raise InputError(f"{table.name}: {error}") from None
    places = scale.code(labels)
    if places.null_count():
        _refuse_label(table, column, labels.filter(places.is_null()), scale)
    place = pl.DataFrame({"label": labels, "place": places.cast(pl.Int32)})
    of_name = names.to_frame("label").join(place, on="label", how="left", maintain_order="left")["place"]
    frame = table.frame.with_columns(of_name.fill_null(-1).gather(code).alias("response"))
    dropped = frame.filter(pl.col("response") < 0).drop("response")
    if dropped.height:
        frame = frame.filter(pl.col("response") >= 0)
        lost = InputTable(dropped, table.name).n_rows
        notes += [f"{count(lost, 'row')} without a response dropped"] if lost else []
    return scale, frame, notes


def _labels(
    table: InputTable, labels: pl.Series, kind: str | None, order: Sequence[str] | None
) -> tuple[pl.Series, list[str]]:
    """Return the distinct responses, without the words that mean a missing number, and notes on odd ones."""
    if labels.is_empty():
        why = "no row has a response; check --response-column" if table.frame.height else "only a header"
        raise InputError(f"{table.name} has no usable rows: {why}.")
    missing = labels.str.to_lowercase().is_in(MISSING_WORDS)
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
    return numbers, [f"'{word}' in a column of numbers is read as missing (--scale nominal to keep it)"]


def _odd_labels(labels: pl.Series) -> list[str]:
    """Point at labels that differ only in case or spaces, and at a few words among numbers."""
    notes = []
    if len(labels) <= MOST_COUNTED_LEVELS:
        alike = labels.filter(labels.str.strip_chars().str.to_lowercase().is_duplicated())
        if len(alike):
            shown = " and ".join(f"'{label}'" for label in alike[:2])
            notes.append(f"responses {shown} differ only in case or spaces; they count as different")
    words = labels.filter(_not_numbers(labels))
    if 0 < len(words) < len(labels) / 2:
        notes.append(f"'{words[0]}' is not a number, so all responses are read as text (--scale interval to insist)")
    return notes


def _refuse_non_numbers(table: InputTable, column: str, labels: pl.Series, kind: str | None) -> None:
    """Refuse words on an interval scale, and decimal commas unless they are declared nominal."""
    if kind in ("nominal", "ordinal") or as_numbers(labels) is not None:
        return
    if labels.str.contains(r"^\s*[-+]?\d+(,\d+)?\s*$").all():
        problem, advice = "has a decimal comma", "write a point, or say --scale nominal"
        wrong = labels.filter(labels.str.contains(",", literal=True))
    elif kind == "interval":
        problem, advice = "is not a number", "fix it, or say --scale nominal"
        wrong = labels.filter(_not_numbers(labels))
    else:
        return
    index = _first(table, wrong)
    raise InputError(f"{table.at(index, column)}: '{table.frame['response'][index]}' {problem}; {advice}.")


def _not_numbers(labels: pl.Series) -> pl.Series:
    return ~labels.str.strip_chars().cast(pl.Float64, strict=False).is_finite().fill_null(False)


def _refuse_label(table: InputTable, column: str, wrong: pl.Series, scale: Scale) -> None:
    index = _first(table, wrong)
    raise InputError(
        f"{table.at(index, column)}: '{table.frame['response'][index]}' is not on the declared scale "
        f"({listed(scale.categories, 12)}); fix it or add it to --order."
    )


def _first(table: InputTable, labels: pl.Series) -> int:
    return table.frame["response"].is_in(labels.implode()).arg_max() or 0
