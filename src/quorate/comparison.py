"""What `compare` found: pairs, a ranking, groups."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any, ClassVar

import polars as pl

from quorate._result import Result
from quorate._typing import Array
from quorate.inference.verdict import Verdict

__all__ = ["Comparison", "Group", "Pair", "Standing"]


@dataclass(frozen=True)
class Pair:
    """System a against system b by one metric; a positive difference means a is better, whatever the metric.

    `better` says whether high or low scores are good, `estimand` what the scores are scores of, `scope` of which items
    and raters the result is said. Where raters count as drawn, `n_raters` is their number, `effective_raters` what they
    amount to given how unequally often they answered, `rater_effect` how much larger the variance is than with the same
    raters again, and `df` the degrees of freedom of the interval.

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

    @property
    def deciding(self) -> tuple[float, float, float]:
        """Interval and p-value that decide the verdict: low, high, p."""
        if self.p_adjusted is None or self.low_adjusted is None or self.high_adjusted is None:
            return self.low, self.high, self.p_value
        return self.low_adjusted, self.high_adjusted, self.p_adjusted


@dataclass(frozen=True)
class Standing:
    """A system's place: its score with interval, and the ranks it may hold given all comparisons at once."""

    metric: str
    system: str
    score: float
    low: float
    high: float
    rank_low: int
    rank_high: int
    could_be_best: bool


@dataclass(frozen=True)
class Group:
    """The pairs within one group of items."""

    group: str
    n_items: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Comparison(Result):
    """The answer of `compare`: print it, `to_dict` it, or take `to_frame` with one row per pair (and group).

    Parameters
    ----------
    pairs
        Every comparison asked for.
    ranking
        The systems from best to worst, by the first metric.
    tied
        The largest sets of systems of which none is told apart from another, by the first metric.
    groups
        With ``by``: the pairs within each group of items.
    heterogeneity
        With ``by``: p-value of the test that a pair's difference is the same in every group, by metric and pair.
    design_effects
        For each column that groups the items: how many groups, and how much larger the variance is if groups are
        drawn, not items, for the median pair and the worst one.
    family
        Which comparisons were judged together, in words.
    unit_reason
        Why items, raters or groups count as drawn at random; empty if the unit was asked for.
    loading
        The load report of the answers.
    differences
        Of every pair, the difference on each item, positive where a is better, ``(item,)``; for scores of the whole set
        what each item adds to the difference.
    """

    verb: ClassVar[str] = "compare"
    pairs: tuple[Pair, ...]
    ranking: tuple[Standing, ...]
    tied: tuple[tuple[str, ...], ...] = ()
    groups: tuple[Group, ...] = ()
    heterogeneity: tuple[Mapping[str, Any], ...] = ()
    design_effects: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    family: str = ""
    unit_reason: str = ""
    loading: tuple[str, ...] = ()
    differences: tuple[Array, ...] = field(default=(), repr=False, compare=False)

    def sentence(self) -> str:
        """Say the verdict: of the pair, of every system against the baseline, or who could be best."""
        from quorate.comparison_text import sentence

        return sentence(self)

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return {
            "pairs": [_plain(asdict(pair)) for pair in self.pairs],
            "ranking": [_plain(asdict(standing)) for standing in self.ranking],
            "tied": [list(group) for group in self.tied],
            "groups": [
                {"group": g.group, "n_items": g.n_items, "pairs": [_plain(asdict(pair)) for pair in g.pairs]}
                for g in self.groups
            ],
            "heterogeneity": [_plain(dict(row)) for row in self.heterogeneity],
            "design_effects": {column: _plain(dict(effect)) for column, effect in self.design_effects.items()},
            "family": self.family,
            "unit_reason": self.unit_reason,
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per pair, with a column ``group`` if groups were asked for; what is not known is null."""
        rows = [{"group": None, **_plain(asdict(pair))} for pair in self.pairs]
        rows += [{"group": group.group, **_plain(asdict(pair))} for group in self.groups for pair in group.pairs]
        names = ("p_adjusted", "low_adjusted", "high_adjusted", "low", "high", "se", "df")
        numbers = dict.fromkeys((*names, "effective_raters", "rater_effect"), pl.Float64)
        frame = pl.DataFrame(rows, infer_schema_length=None, schema_overrides=numbers).drop("sentence")
        return frame if self.groups else frame.drop("group")

    def __str__(self) -> str:
        from quorate.comparison_text import full_text

        return full_text(self)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Replace numbers JSON does not know by null."""
    return {key: None if isinstance(value, float) and not isfinite(value) else value for key, value in row.items()}
