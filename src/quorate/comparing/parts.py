"""What a comparison is made of: pairs, places of the systems, groups of items; plain data, without words."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from quorate._typing import Array
from quorate.comparing.groups import Heterogeneity
from quorate.comparing.leaderboard import Standing
from quorate.inference.verdict import Verdict
from quorate.results.result import Result

__all__ = ["Compared", "Group", "Pair", "Standing"]


@dataclass(frozen=True)
class Pair:
    """System a against system b by one metric; a positive difference means a is better, whatever the metric.

    `better` says whether high or low scores are good, `estimand` what the scores are scores of, `scope` of which items
    and raters the result is said. Where raters count as drawn, `n_raters` is their number, `effective_raters` what they
    amount to given how unequally often they answered, `rater_effect` how much larger the variance is than with the same
    raters again, and `df` the degrees of freedom of the interval.

    `excess_a` and `excess_b` are the scores less what the raters' own spread costs any system, over the items with two
    raters or more; None for metrics other than brier.

    `low`, `high` and `p_value` are those of this pair alone; with several comparisons `p_adjusted`, `low_adjusted` and
    `high_adjusted` hold for all at once and decide the verdict.
    """

    metric: str
    a: str
    b: str
    score_a: float
    score_b: float
    difference: float
    se: float
    low: float
    high: float
    confidence: float
    p_value: float
    test: str
    unit: str
    n_items: int
    verdict: Verdict
    sentence: str
    estimand: str
    better: str
    scope: str = ""
    n_raters: int | None = None
    effective_raters: float | None = None
    rater_effect: float | None = None
    df: float | None = None
    p_adjusted: float | None = None
    low_adjusted: float | None = None
    high_adjusted: float | None = None
    excess_a: float | None = None
    excess_b: float | None = None

    @property
    def deciding(self) -> tuple[float, float, float]:
        """Interval and p-value that decide the verdict: low, high, p."""
        if self.p_adjusted is None or self.low_adjusted is None or self.high_adjusted is None:
            return self.low, self.high, self.p_value
        return self.low_adjusted, self.high_adjusted, self.p_adjusted


@dataclass(frozen=True)
class Group:
    """The pairs within one group of items."""

    group: str
    n_items: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Compared(Result):
    """Everything that was compared; `Comparison` says what the fields are, and puts them into words."""

    pairs: tuple[Pair, ...]
    ranking: tuple[Standing, ...]
    tied: tuple[tuple[str, ...], ...] = ()
    groups: tuple[Group, ...] = ()
    heterogeneity: tuple[Heterogeneity, ...] = ()
    design_effects: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    family: str = ""
    unit_reason: str = ""
    loading: tuple[str, ...] = ()
    differences: tuple[Array, ...] = field(default=(), repr=False, compare=False)
