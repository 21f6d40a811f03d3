"""What `compare` found: pairs, a ranking, groups – and how it is said."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isnan
from typing import Any, ClassVar

import polars as pl

from quorate._result import Result
from quorate._text import number, percent, table
from quorate.inference.verdict import Verdict

__all__ = ["Comparison", "Group", "Pair", "Standing"]

LISTED_GROUPS = 20


@dataclass(frozen=True)
class Pair:
    """System a against system b by one metric; a positive difference means a is better, whatever the metric.

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
    p_adjusted: float | None = None
    low_adjusted: float | None = None
    high_adjusted: float | None = None


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
    groups
        With ``by``: the pairs within each group of items.
    heterogeneity
        With ``by``: p-value of the test that a pair's difference is the same in every group, by metric and pair.
    design_effects
        For each column that groups the items: how much larger the variance is if its groups are drawn, not items.
    family
        Which comparisons were judged together, in words.
    """

    verb: ClassVar[str] = "compare"
    pairs: tuple[Pair, ...]
    ranking: tuple[Standing, ...]
    groups: tuple[Group, ...] = ()
    heterogeneity: tuple[Mapping[str, Any], ...] = ()
    design_effects: Mapping[str, float] = field(default_factory=dict)
    family: str = ""

    def sentence(self) -> str:
        """Say the verdict: of the pair, or who could be best."""
        if len(self.pairs) == 1:
            return self.pairs[0].sentence
        best = [standing.system for standing in self.ranking if standing.could_be_best]
        metric, n = self.ranking[0].metric, self.pairs[0].n_items
        if len(best) == 1:
            return (
                f"{best[0]} is best of {len(self.ranking)} systems by {metric} on {n:,} items, all comparisons counted."
            )
        listed = ", ".join(best[:-1]) + f" or {best[-1]}"
        return (
            f"The best of {len(self.ranking)} systems by {metric} may be {listed}: on {n:,} items the data do not tell "
            "them apart, counting all comparisons."
        )

    def content(self) -> dict[str, Any]:
        """Return the fields of the contract."""
        return {
            "pairs": [_plain(asdict(pair)) for pair in self.pairs],
            "ranking": [_plain(asdict(standing)) for standing in self.ranking],
            "groups": [
                {"group": g.group, "n_items": g.n_items, "pairs": [_plain(asdict(pair)) for pair in g.pairs]}
                for g in self.groups
            ],
            "heterogeneity": [dict(row) for row in self.heterogeneity],
            "design_effects": dict(self.design_effects),
            "family": self.family,
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per pair, with a column ``group`` if groups were asked for."""
        rows = [{"group": None, **asdict(pair)} for pair in self.pairs]
        rows += [{"group": group.group, **asdict(pair)} for group in self.groups for pair in group.pairs]
        frame = pl.DataFrame(rows, infer_schema_length=None).drop("sentence")
        return frame if self.groups else frame.drop("group")

    def __str__(self) -> str:
        parts = [self.sentence()]
        if len(self.pairs) > 1:
            parts.append(_ranking_table(self.ranking))
            parts.append("\n".join([_pair_table(self.pairs), self.family]))
        else:
            parts.append(_pair_table(self.pairs))
        if self.groups:
            parts.append(self._group_part())
        if self.design_effects:
            effects = ", ".join(f"{column} {number(effect, 1)}" for column, effect in self.design_effects.items())
            parts.append(f"Design effects (variance if groups are drawn, over variance if items are): {effects}")
        return "\n\n".join(parts + [f"Warning: {warning}" for warning in self.warnings])

    def _group_part(self) -> str:
        lines = [
            f"{row['a']} − {row['b']} by {row['metric']}: {_same_or_not(row['p_value'])} ({_p_words(row['p_value'])})"
            for row in self.heterogeneity
        ]
        many = len(self.pairs) > 1
        rows = [
            [
                group.group,
                *([f"{pair.a} − {pair.b}", pair.metric] if many else []),
                *_pair_cells(pair),
                f"{pair.n_items:,}",
            ]
            for group in self.groups
            for pair in group.pairs
        ]
        header = ["group", *(["pair", "metric"] * many), *CELLS, "items"]
        shown = table(rows[:LISTED_GROUPS], header)
        more = f"\n  … {len(rows) - LISTED_GROUPS} more rows (-o groups.csv)" if len(rows) > LISTED_GROUPS else ""
        return "\n".join(["Groups", *lines, shown + more])


CELLS = ["difference", "interval", "p", "verdict"]


def _pair_cells(pair: Pair) -> list[str]:
    p = pair.p_value if pair.p_adjusted is None else pair.p_adjusted
    low = pair.low if pair.low_adjusted is None else pair.low_adjusted
    high = pair.high if pair.high_adjusted is None else pair.high_adjusted
    interval = "–" if isnan(low) else f"{number(low)} to {number(high)}"
    return [
        number(pair.difference),
        interval,
        _p_words(p).removeprefix("p = ").removeprefix("p "),
        pair.verdict.replace("_", " "),
    ]


def _pair_table(pairs: Sequence[Pair]) -> str:
    rows = [
        [pair.a, pair.b, pair.metric, number(pair.score_a), number(pair.score_b), *_pair_cells(pair)] for pair in pairs
    ]
    return table(rows, ["a", "b", "metric", "score a", "score b", *CELLS])


def _ranking_table(ranking: Sequence[Standing]) -> str:
    rows = [
        [
            s.system,
            number(s.score),
            f"{number(s.low)} to {number(s.high)}",
            f"{s.rank_low}" if s.rank_low == s.rank_high else f"{s.rank_low} to {s.rank_high}",
            "yes" if s.could_be_best else "no",
        ]
        for s in ranking
    ]
    return table(rows, ["system", "score", "interval", "rank", "could be best"])


def _same_or_not(p: float) -> str:
    return (
        "the difference is not the same in all groups" if p <= 0.05 else "no sign that the difference varies by group"
    )


def _p_words(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Replace numbers JSON does not know by null."""
    return {key: None if isinstance(value, float) and isnan(value) else value for key, value in row.items()}


def pair_sentence(pair: Pair, metric_title: str, margin: float | None, settle: int | None) -> str:
    """Say a verdict in one sentence: who, by how much, of what, over which units – and what would settle it."""
    if pair.verdict == "identical":
        return f"{pair.a} and {pair.b} are identical: same {metric_title} on every one of {pair.n_items:,} items."
    scores = f"{metric_title} {number(pair.score_a)} against {number(pair.score_b)}"
    cells = _pair_cells(pair)
    interval = (
        "no interval, every item differs alike"
        if cells[1] == "–"
        else f"{percent(pair.confidence)} interval {cells[1]}"
    )
    joint = "" if pair.p_adjusted is None else ", all comparisons counted"
    p = _p_words(pair.p_value if pair.p_adjusted is None else pair.p_adjusted)
    found = f"difference {cells[0]} ({interval}, {p}{joint})"
    head = {
        "a_better": f"{pair.a} is better than {pair.b}",
        "b_better": f"{pair.b} is better than {pair.a}" if margin is None else f"{pair.a} is worse than {pair.b}",
        "equivalent": f"{pair.a} and {pair.b} are equivalent within {number(margin)}",
        "not_worse": f"{pair.a} is not worse than {pair.b} by {number(margin)} or more",
        "inconclusive": f"The data do not tell {pair.a} and {pair.b} apart",
    }[pair.verdict]
    what = f"{pair.estimand}; {pair.n_items:,} items, unit {pair.unit}"
    tail = ""
    if pair.verdict == "inconclusive":
        tail = " Say which difference matters with --margin to learn how many items would settle it."
        if margin is not None and settle is not None:
            tail = f" About {settle:,} items rated like these would settle a margin of {number(margin)}; decide it now."
    return f"{head}: {scores}, {found} – {what}.{tail}"
