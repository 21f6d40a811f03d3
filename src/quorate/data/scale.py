"""The scale of responses: nominal, ordinal or interval, inferred or declared.

Inferred: text, or two values, is nominal; up to 11 distinct whole numbers are ordinal (a guess that
is reported); other numbers are interval. Numbers keep their value as level, text levels count 0, 1,
2 … in their order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from quorate._errors import InputError
from quorate._text import count, printable
from quorate._typing import Array

if TYPE_CHECKING:
    import polars as pl

Kind: TypeAlias = Literal["nominal", "ordinal", "interval"]

MOST_ORDINAL_LEVELS = 11  # 0 … 10 is the longest rating scale in common use
LONGEST_LIST = 60  # characters of categories shown
MOST_CATEGORIES = 5000  # more different labels than this are free text
LARGEST = 1e50  # of larger numbers the fourth power is lost, and with it any spread
LONG = r"^[+-]?\d{16,}(?:\.0*)?$"  # a whole number of more digits than a float surely keeps
MOST_COUNTED_LEVELS = 100  # more distinct numbers than this are kept as sorted values, not as counts


@dataclass(frozen=True)
class Scale:
    """What a response can be.

    Parameters
    ----------
    categories
        The distinct responses in order, as text; empty if there are more than a hundred different
        numbers.
    levels
        The number each response stands for, ascending; None on a nominal scale.
    guessed
        True if the kind was inferred from numbers and may be wrong.
    unit
        A sign such as % that all responses carried, and that was left out.
    """

    kind: Kind
    categories: tuple[str, ...]
    levels: Array | None = field(compare=False)
    guessed: bool = False
    unit: str = ""

    @property
    def counted(self) -> bool:
        """True if an item's answers are best summarised by counts per category."""
        return bool(self.categories)

    @property
    def n_levels(self) -> int:
        """How many different responses the scale has."""
        return len(self.categories) if self.levels is None else len(self.levels)

    def __str__(self) -> str:
        if self.kind == "interval" and self.levels is not None:
            return f"interval, {format_number(self.levels[0])} to {format_number(self.levels[-1])}"
        n_categories = count(len(self.categories), "category", "categories")
        return f"{self.kind}, {n_categories}: {printable(', '.join(self.categories), LONGEST_LIST)}"

    def code(self, labels: "pl.Series") -> "pl.Series":
        """Return the position of each label on the scale, null for a label that is not on it."""
        import polars as pl

        numbers = self.levels if self.categories == () else _numbers_of(self.categories)
        if numbers is None:
            place = pl.DataFrame({"label": self.categories}).with_row_index("code")
            return labels.to_frame("label").join(place, on="label", how="left", maintain_order="left")["code"]
        label = _to_floats(labels).to_numpy()
        code = np.searchsorted(numbers, label).clip(max=len(numbers) - 1)
        return pl.Series("code", np.where(numbers[code] == label, code, -1)).replace(-1, None)


def infer_scale(labels: "pl.Series", kind: str | None = None, order: Sequence[str] | None = None) -> Scale:
    """Return the scale of distinct responses, as text and none missing, or the declared one.

    An order, from low to high, makes the scale ordinal unless `kind` says otherwise.
    """
    declared = _check_kind(kind)
    if order:
        return _of_order(list(order), declared or "ordinal")
    numbers = as_numbers(labels)
    if numbers is None:
        return _of_text(sorted(set(labels.to_list())), declared)
    return _of_numbers(np.unique(numbers), declared)


def as_numbers(labels: "pl.Series") -> Array | None:
    """Return the labels as finite numbers, or None if one of them is not a number, or would become another."""
    numbers = _to_floats(labels)
    if not numbers.is_finite().fill_null(False).all() or inexact(labels).any():
        return None
    return numbers.to_numpy()


def _numbers_of(labels: Sequence[str]) -> Array | None:
    import polars as pl

    return as_numbers(pl.Series(labels))


def inexact(labels: "pl.Series") -> "pl.Series":
    """True for whole numbers of more digits than a float keeps: two of them could become one."""
    import polars as pl

    text = labels.cast(pl.String).str.strip_chars()
    long = text.str.contains(LONG).fill_null(False)
    if not long.any():
        return long
    whole = text.set(~long, None).str.replace(r"\.0*$", "")
    return pl.Series([digits is not None and _changes(digits) for digits in whole])


def oversized(labels: "pl.Series") -> "pl.Series":
    """True for numbers too large to calculate with."""
    return (_to_floats(labels).abs() > LARGEST).fill_null(False)


def interval_scale(levels: Array) -> Scale:
    """Return the interval scale with these ascending levels."""
    return _of_numbers(levels, "interval")


def format_number(number: float) -> str:
    """Write a number the short way: 3 for 3.0, 0.1 for 0.1."""
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _changes(digits: str) -> bool:
    """Tell whether a whole number is another one as a float; the longest floats have 309 digits."""
    return len(digits) > 310 or int(float(digits)) != int(digits)


def _to_floats(labels: "pl.Series") -> "pl.Series":
    import polars as pl

    return labels.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)


def _check_kind(kind: str | None) -> Kind | None:
    match kind:
        case None | "nominal" | "ordinal" | "interval":
            return kind
        case _:
            raise InputError(f"'{kind}' is not a scale; use --scale nominal, ordinal or interval.")


def _of_order(order: list[str], kind: Kind) -> Scale:
    if len(set(order)) < len(order):
        raise InputError(f"--order names a category twice ({', '.join(order)}); name each once.")
    numbers = _numbers_of(order)
    if numbers is not None:  # numbers keep their value, whatever the order they are listed in
        return _of_numbers(np.sort(numbers), kind)
    if kind == "interval":
        raise InputError("--scale interval needs numbers, but --order names text; use --scale ordinal.")
    return Scale(kind, tuple(order), None if kind == "nominal" else np.arange(float(len(order))))


def _of_text(labels: list[str], kind: Kind | None) -> Scale:
    if kind == "ordinal":
        raise InputError(f"--scale ordinal needs the order from low to high, such as --order {','.join(labels[:6])}.")
    if kind == "interval":
        word = next(label for label in labels if _numbers_of([label]) is None)
        raise InputError(f"--scale interval needs numbers, but a response is '{word}'; use --scale nominal.")
    return Scale("nominal", tuple(labels), None)


def _of_numbers(numbers: Array, kind: Kind | None) -> Scale:
    guess = kind is None
    if kind is None:
        whole = len(numbers) <= MOST_ORDINAL_LEVELS and (numbers == np.rint(numbers)).all()
        kind = "nominal" if len(numbers) <= 2 else "ordinal" if whole else "interval"
    listed = kind != "interval" or len(numbers) <= MOST_COUNTED_LEVELS
    categories = tuple(format_number(x) for x in numbers.tolist()) if listed else ()
    return Scale(kind, categories, None if kind == "nominal" else numbers, guess and kind == "ordinal")
