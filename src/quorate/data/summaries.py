"""All a metric needs of an item's answers: counts, probabilities, a mean or sorted values.

The raters' answers and each system's answers are reduced once to one of four forms. Leading axes
are free (replicates of a simulation, say), the item axis comes next, so one data set and ten
thousand are the same code.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array


@dataclass(frozen=True)
class Counts:
    """How often each category was answered, per item.

    Parameters
    ----------
    counts
        Answers per category, ``(..., item, category)``; every item has at least one answer.
    levels
        The number each category stands for, ``(category,)``; None on a nominal scale.
    """

    counts: Array
    levels: Array | None = None

    @cached_property
    def size(self) -> Array:
        """Answers per item, ``(..., item)``."""
        size: Array = self.counts.sum(-1)
        return size

    @cached_property
    def share(self) -> Array:
        """Share of an item's answers in each category, ``(..., item, category)``."""
        share: Array = self.counts / self.size[..., None]
        return share

    @cached_property
    def mean(self) -> Array:
        """Mean answer per item, ``(..., item)``; needs numeric levels."""
        mean: Array = self.share @ ordered_levels(self)
        return mean

    def take(self, items: Array | slice | int) -> "Counts":
        """Pick items of one data set, or one data set of many, by position or mask."""
        return Counts(self.counts[items], self.levels)


@dataclass(frozen=True)
class Probabilities:
    """A system's whole answer distribution, ``(..., item, category)``."""

    share: Array
    levels: Array | None = None

    @cached_property
    def size(self) -> Array:
        """Infinite: a probability vector is what endless answers would show."""
        return np.full(self.share.shape[:-1], np.inf)

    @cached_property
    def mean(self) -> Array:
        """Expected answer per item, ``(..., item)``; needs numeric levels."""
        mean: Array = self.share @ ordered_levels(self)
        return mean

    def take(self, items: Array | slice | int) -> "Probabilities":
        """Pick items of one data set, or one data set of many, by position or mask."""
        return Probabilities(self.share[items], self.levels)


@dataclass(frozen=True)
class Means:
    """The mean answer and the number of answers per item, both ``(..., item)``."""

    mean: Array
    size: Array

    def take(self, items: Array | slice | int) -> "Means":
        """Pick items of one data set, or one data set of many, by position or mask."""
        return Means(self.mean[items], self.size[items])


@dataclass(frozen=True)
class Values:
    """Numeric answers sorted within each item, ``(..., item, answer)``.

    Only the first ``size`` answers of an item count; what stands behind them is never read as an
    answer.
    """

    values: Array
    size: Array

    @cached_property
    def present(self) -> Array:
        """True where an answer stands, ``(..., item, answer)``."""
        present: Array = np.arange(self.values.shape[-1]) < self.size[..., None]
        return present

    @cached_property
    def mean(self) -> Array:
        """Mean answer per item, ``(..., item)``."""
        mean: Array = np.where(self.present, self.values, 0.0).sum(-1) / self.size
        return mean

    def take(self, items: Array | slice | int) -> "Values":
        """Pick items of one data set, or one data set of many, by position or mask."""
        return Values(self.values[items], self.size[items])


Summary: TypeAlias = Counts | Probabilities | Means | Values


def ordered_levels(summary: Counts | Probabilities) -> Array:
    """Return the number each category stands for, ``(category,)``, or refuse a nominal scale."""
    if summary.levels is None:
        raise InputError(
            "this metric needs numbers, but the scale is nominal: "
            "use agreement or brier, or declare --scale ordinal with --order"
        )
    return summary.levels


def ratio(above: Array, below: Array) -> Array:
    """Divide, with nan where the divisor is zero."""
    return np.asarray(above / np.where(below == 0, np.nan, below))
