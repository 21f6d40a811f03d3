"""Options of commands that do not read their question yet."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, TypeAlias

from cyclopts import Group, Parameter

from quorate.cli.output import DirectoryOptions, OutputOptions, Whole, say, show, working, write

__all__ = [
    "DirectoryOptions",
    "Level",
    "OutputOptions",
    "ReadingOptions",
    "Whole",
    "say",
    "show",
    "split",
    "working",
    "write",
]

READING = Group.create_ordered("Reading the data")


def _share(hint: object, value: float) -> None:
    if not 0 < value < 1:
        raise ValueError("use a share between 0 and 1, such as 0.95")


Level: TypeAlias = Annotated[float, Parameter(validator=_share)]
"""An option that takes a share between 0 and 1, such as a level of confidence."""


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

    def reading(self) -> dict[str, Any]:
        """Return the options as the verbs take them."""
        from quorate.data.reading import Reading

        return Reading(**asdict(self)).reading


def split(words: str | Sequence[str] | None) -> list[str] | None:
    """Split a list option, which may repeat or take commas."""
    if words is None:
        return None
    return [word.strip() for part in ([words] if isinstance(words, str) else words) for word in part.split(",")]
