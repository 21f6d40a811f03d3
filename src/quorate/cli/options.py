"""Options that every verb shares, and the one way results reach the terminal or a file.

Nothing heavy is imported here at start: ``quorate --help`` reads every command's file.
"""

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Group, Parameter

from quorate._errors import InputError

if TYPE_CHECKING:
    from quorate._result import Result
    from quorate.data.ratings import Ratings
    from quorate.data.read import Reading

__all__ = ["OutputOptions", "ReadingOptions", "report_loading", "say", "show", "split", "write"]

READING = Group.create_ordered("Reading the data")
OUTPUT = Group.create_ordered("Output")


@Parameter(name="*", group=READING)
@dataclass(frozen=True)
class ReadingOptions:
    """How to read the ratings.

    Parameters
    ----------
    item_column
        Column that names the item; several with commas (item,system) form one key.
    rater_column
        Column that names the rater.
    response_column
        Column that holds the response.
    scale
        Scale of the responses; inferred if not given.
    order
        Categories from low to high, with commas: low,mid,high.
    duplicates
        What to do when a rater answers the same item again.
    layout
        One row per response, one column per rater, or one column of counts per category; recognised if not given.
    columns
        In a wide or counts layout, the columns that hold raters or categories, with commas.
    """

    item_column: str | None = None
    rater_column: str | None = None
    response_column: str | None = None
    scale: Literal["nominal", "ordinal", "interval"] | None = None
    order: list[str] | None = None
    duplicates: Literal["keep", "first", "last", "error"] = "keep"
    layout: Literal["long", "wide", "counts"] | None = None
    columns: list[str] | None = None

    def reading(self) -> "Reading":
        """Return the options as the verbs take them."""
        from quorate.data.read import Reading

        return Reading(
            item_column=self.item_column,
            rater_column=self.rater_column,
            response_column=self.response_column,
            scale=self.scale,
            order=split(self.order),
            duplicates=self.duplicates,
            layout=self.layout,
            columns=split(self.columns),
        )


@Parameter(name="*", group=OUTPUT)
@dataclass(frozen=True)
class OutputOptions:
    """Where the result goes.

    Parameters
    ----------
    json
        Print one JSON object instead of text.
    output
        Write the table to this file (.csv, .parquet or .json).
    seed
        Seed of all randomness; the same seed gives the same numbers.
    quiet
        Say nothing on stderr but errors.
    """

    json: bool = False
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None
    seed: int = 0
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"])] = False


def split(words: str | Sequence[str] | None) -> list[str] | None:
    """Split a list option, which may repeat or take commas."""
    if words is None:
        return None
    return [word.strip() for part in ([words] if isinstance(words, str) else words) for word in part.split(",")]


def say(line: str, options: OutputOptions) -> None:
    """Talk to the person at the terminal: stderr, unless quiet."""
    if not options.quiet:
        print(line, file=sys.stderr)


def report_loading(ratings: "Ratings", options: OutputOptions) -> None:
    """Print the load report of the ratings."""
    from quorate.data.report import load_report

    say("\n".join(load_report(ratings)) + "\n", options)


def show(result: "Result", options: OutputOptions) -> None:
    """Write the result's table if asked, then print the result: text for people or JSON for scripts."""
    if options.output is not None:
        write(result, options.output)
    if options.json:
        print(json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False))
        return
    print(result)
    if options.output is not None:
        say(f"\nwritten: {options.output}", options)


def write(result: "Result", path: Path) -> None:
    """Write the result's table, or nothing at all: a file appears only when it is complete."""
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".parquet", ".json"):
        raise InputError(f"Cannot write {path}: end its name in .csv, .parquet or .json.")
    try:
        handle, partial = tempfile.mkstemp(dir=path.parent, suffix=suffix)
        os.close(handle)
    except OSError as error:
        raise InputError(f"Cannot write {path} ({error.strerror}); choose another place with -o.") from None
    try:
        _write_as(result, Path(partial), suffix)
        Path(partial).replace(path)
    finally:
        Path(partial).unlink(missing_ok=True)


def _write_as(result: "Result", path: Path, suffix: str) -> None:
    if suffix == ".json":
        path.write_text(json.dumps(result.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    elif suffix == ".csv":
        result.to_frame().write_csv(path)
    else:
        result.to_frame().write_parquet(path)
