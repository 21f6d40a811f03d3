"""What tests of ratings share: how they are compared, and parts that are known to be there."""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.summaries import Counts, Probabilities, Summary

__all__ = ["Same", "known", "share_of"]

Same: TypeAlias = Callable[[Ratings, Ratings], None]
"""Asserts that two sets of ratings are the same."""

Value = TypeVar("Value")


def known(value: Value | None) -> Value:
    """Return a value that must be there."""
    assert value is not None
    return value


def share_of(summary: Summary) -> Array:
    """Return the share of each category of a summary that has categories."""
    assert isinstance(summary, Counts | Probabilities)
    return summary.share
