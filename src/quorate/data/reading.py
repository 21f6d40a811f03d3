"""How to read ratings: the options every verb that takes a table shares."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from quorate._question import Question, option, words


@dataclass(frozen=True, kw_only=True)
class Reading(Question):
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

    @property
    def reading(self) -> dict[str, Any]:
        """The options given; those left at their default are not named."""
        given = {each.name: getattr(self, each.name) for each in fields(Reading) if each.name != "seed"}
        return {name: value for name, value in given.items() if value != Reading.__dataclass_fields__[name].default}
