"""How to read files and ratings: the options every verb that takes a table shares."""

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from quorate._errors import InputError
from quorate._question import Question, option, up_to, words

DecimalMark: TypeAlias = Literal[",", "."]
MOST_SKIPPED = 10_000
"""Lines above a header that anybody could want to skip."""


def parse_encoding(flag: str, value: str) -> str:
    """Refuse an encoding nobody knows, and what encodes no text, such as base64."""
    try:
        b"abcd".decode(codecs.lookup(value).name)
    except UnicodeDecodeError:  # known, and these letters are none of its
        return value
    except (LookupError, ValueError):
        raise InputError(f"{flag} {value} is not known; usual ones are utf-8, cp1252 and utf-16.") from None
    return value


def parse_decimal(flag: str, value: str) -> str:
    """Refuse other marks than a comma or a point."""
    if value not in (",", "."):
        raise InputError(f"{flag} '{value}' is not a decimal mark; use a comma or a point.")
    return value


@dataclass(frozen=True)
class LogChoice:
    """Which of several scores, and of several filters, a log of another tool is read for.

    `advice` says how one is chosen.
    """

    score: str | None = None
    filter: str | None = None
    advice: str = "write the table of one first: quorate convert LOG --score NAME -o long.csv"


@dataclass(frozen=True, kw_only=True)
class FileReading(Question):
    """How to read files as people have them.

    Parameters
    ----------
    encoding
        Encoding of text files, such as cp1252 or utf-16; UTF-8, and what Windows writes, are recognised.
    missing_values
        What stands where nothing was said, with commas: k.A.,n/a. An empty cell is always missing.
    skip_rows
        Lines above the header of the first file; a title there is recognised.
    decimal
        The decimal mark of numbers, ',' or '.'; a comma is recognised where it can be nothing else.
    """

    heading: ClassVar[str] = "Reading the data"
    encoding: str | None = option(None, parse=parse_encoding)
    missing_values: Sequence[str] | None = option(None, parse=words, cli=list[str])
    skip_rows: int = option(0, parse=up_to(MOST_SKIPPED))
    decimal: DecimalMark | None = option(None, parse=parse_decimal)

    @property
    def for_others(self) -> "FileReading":
        """How to read the other files of a question: lines to skip are those of the first one."""
        return FileReading(encoding=self.encoding, missing_values=self.missing_values, decimal=self.decimal)

    @property
    def choice(self) -> LogChoice:
        """What to read a log of another tool for."""
        return LogChoice()


@dataclass(frozen=True, kw_only=True)
class Reading(FileReading):
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
        One row per response, one column per rater, or one column of counts per category; recognised
        if not given.
    columns
        In a wide or counts layout, the columns that hold raters or categories, with commas.
    preferences
        Rows are votes between two systems' outputs: item, rater, system_a, system_b, winner; recognised by the names of
        its columns if not given.
    """

    heading: ClassVar[str] = "Reading the data"
    item_column: str | None = None
    rater_column: str | None = None
    response_column: str | None = None
    scale: Literal["nominal", "ordinal", "interval"] | None = None
    order: Sequence[str] | None = option(None, parse=words, cli=list[str])
    duplicates: Literal["keep", "first", "last", "error"] = "keep"
    layout: Literal["long", "wide", "counts"] | None = None
    columns: Sequence[str] | None = option(None, parse=words, cli=list[str])
    preferences: bool = False

    @property
    def reading(self) -> dict[str, Any]:
        """The options given; those left at their default are not named."""
        return self.given(Reading)


@dataclass(frozen=True, kw_only=True)
class LogReading(Reading):
    """How to read ratings and logs of other tools.

    Parameters
    ----------
    score
        In a log of another tool that holds several scores or questions, the one to read.
    filter
        In a log of lm-eval that holds several filters, the one to read.
    """

    heading: ClassVar[str] = "Reading the data"
    score: str | None = None
    filter: str | None = None

    @property
    def reading(self) -> dict[str, Any]:
        """The options given; those left at their default are not named."""
        return self.given(LogReading)

    @property
    def choice(self) -> LogChoice:
        """What to read a log of another tool for."""
        return LogChoice(self.score, self.filter, "choose one with --score NAME")

    @property
    def for_others(self) -> FileReading:
        """How to read the other files of a question: lines to skip are those of the first one."""
        return LogReading(
            encoding=self.encoding,
            missing_values=self.missing_values,
            decimal=self.decimal,
            score=self.score,
            filter=self.filter,
        )
