"""Where data come from: a path, standard input, an example, columns or a data frame.

`examples/make_bundled.py` makes the examples.
"""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from quorate._errors import InputError
from quorate.data.content import read_content
from quorate.data.tables import InputTable, parse_table

Source: TypeAlias = Any
"""A path, ``-`` for standard input, ``example:NAME``, a mapping of columns, or any data frame narwhals knows."""

STANDARD_INPUT = ("-", "/dev/stdin")

EXAMPLES = {
    "support": "replies of a support bot, no / unsure / yes: 120 items, 5 of 14 raters each (nominal, sparse)",
    "support-answers": "what two systems answered on `support`, a label per item; atlas is truly better",
    "support-probabilities": "the same two systems' probabilities of no, unsure and yes",
    "summaries": "summaries rated 1 to 5: 80 items, all by 4 raters (ordinal, crossed)",
    "summaries-answers": "what two systems answered on `summaries`, three runs each; atlas is truly better",
    "moderation": "votes on posts that may break the rules, 0 / 1: 600 items, 3 to 5 of 40 voters each",
    "moderation-experts": "expert labels of 60 of these posts, a random sample",
    "moderation-scores": "a classifier's score for each of these posts",
}
"""Name and content of each; ``example:NAME`` stands for the file wherever a path is taken."""


def open_input(source: Source, name: str | None = None) -> InputTable:
    """Open a source as a table; `name` is what to call data that are no file."""
    table = _open(source, name)
    for column in table.frame.columns:
        if column.startswith("^") and column.endswith("$"):  # polars takes it for a pattern
            raise InputError(f"{table.name} has a column called '{column}', which cannot be read; rename it.")
    return table


def _open(source: Source, name: str | None) -> InputTable:
    if isinstance(source, str | Path):
        return parse_table(*_read_bytes(source))
    if isinstance(source, Mapping):
        return InputTable(_of_mapping(source), name or "the data")
    if isinstance(source, pl.DataFrame):
        return InputTable(source, name or "the data frame")
    from quorate.data.frames import collect, open_frame

    return InputTable(collect(open_frame(source)), name or "the data frame")


def engine_frame(source: Source) -> Any | None:
    """Return the frame of another engine, which may count its own rows; else None."""
    if isinstance(source, str | Path | Mapping | pl.DataFrame):
        return None
    from quorate.data.frames import open_frame

    return open_frame(source)


def input_paths(*sources: Source) -> tuple[str, ...]:
    """Return the files of sources, resolved; standard input is ``-``, data in memory are none."""
    named = [source for source in sources if isinstance(source, str | Path)]
    return tuple("-" if str(source) in STANDARD_INPUT else str(_find_path(source).resolve()) for source in named)


def example_path(name: str) -> Path:
    """Return the file of a bundled example."""
    if name not in EXAMPLES:
        raise InputError(f"There is no example '{name}'; there are {', '.join(EXAMPLES)}.")
    return Path(str(files("quorate.data") / "bundled" / f"{name}.csv"))


def _find_path(source: str | Path) -> Path:
    """Return the file a source names; ``example:NAME`` is a bundled one."""
    if str(source).startswith("example:"):
        return example_path(str(source).removeprefix("example:"))
    return Path(source)


def _read_bytes(source: str | Path) -> tuple[str, bytes, str]:
    name = str(source)
    if name in STANDARD_INPUT:
        return "standard input", read_content("standard input", None), ""
    path = _find_path(source)
    suffixes = [s.lower() for s in path.suffixes if s.lower() != ".gz"]
    return name, read_content(name, path), suffixes[-1] if suffixes else ""


def _of_mapping(source: Mapping[str, Any]) -> pl.DataFrame:
    try:
        return pl.DataFrame(dict(source), strict=False)
    except pl.exceptions.PolarsError:
        raise InputError("The columns of the data do not have the same length; give each as many cells.") from None
