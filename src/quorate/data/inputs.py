"""Where data come from: a path, standard input, an example, a mapping of columns or a data frame; opened once, here."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from quorate._errors import InputError
from quorate.data.tables import STANDARD_INPUT, InputTable, find_path, open_table

__all__ = ["Source", "engine_frame", "input_paths", "open_input"]

Source: TypeAlias = Any
"""A path, ``-`` for standard input, ``example:NAME``, a mapping of columns, or any data frame narwhals knows."""


def open_input(source: Source, name: str | None = None) -> InputTable:
    """Open a source as a table; `name` is what to call data that are no file.

    Examples
    --------
    >>> open_input({"item": ["a"], "response": ["yes"]}).frame.rows()
    [('a', 'yes')]
    """
    if isinstance(source, str | Path):
        return open_table(source)
    if isinstance(source, Mapping):
        return InputTable(_of_mapping(source), name or "the data")
    if isinstance(source, pl.DataFrame):
        return InputTable(source, name or "the data frame")
    from quorate.data.frames import collect, open_frame

    return InputTable(collect(open_frame(source)), name or "the data frame")


def engine_frame(source: Source) -> Any | None:
    """Return the frame of another engine, which may count its own rows; None for every other source."""
    if isinstance(source, str | Path | Mapping | pl.DataFrame):
        return None
    from quorate.data.frames import open_frame

    return open_frame(source)


def input_paths(*sources: Source) -> tuple[str, ...]:
    """Return the files that sources stand for, resolved; standard input is ``-``, data in memory are none."""
    named = [source for source in sources if isinstance(source, str | Path)]
    return tuple("-" if str(source) in STANDARD_INPUT else str(find_path(source).resolve()) for source in named)


def _of_mapping(source: Mapping[str, Any]) -> pl.DataFrame:
    try:
        return pl.DataFrame(dict(source), strict=False)
    except pl.exceptions.PolarsError:
        raise InputError("The columns of the data do not have the same length; give each as many cells.") from None
