"""What `compare` found: pairs, a ranking, groups of items; with the tables people read."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import ceil
from typing import Any, ClassVar

import numpy as np
import polars as pl

from quorate._text import Sentence
from quorate._typing import Array
from quorate.comparing.assessment import SystemScore
from quorate.comparing.data_sheet import comparison_data_sheet
from quorate.comparing.judged_pairs import Heterogeneity, JudgedPair
from quorate.comparing.judges import Judge, RaterScore
from quorate.comparing.leaderboard import Standing
from quorate.comparing.sentences import Settling, comparison_sentence, pair_sentence
from quorate.comparing.tested_pairs import TestedPair
from quorate.comparing.words import comparison_notes, comparison_tables
from quorate.data.evaluation import EvaluationKind
from quorate.data.preferences import Votes
from quorate.data.summaries import Counts, Summary
from quorate.inference.crossed import effective_number
from quorate.inference.outcome import Outcome, Verdict
from quorate.inference.sample_size import DesignEffect, items_beside_raters, items_to_see
from quorate.inference.scored_systems import ScoredPair
from quorate.inference.vote_scores import vote_shares
from quorate.results.result import Result, plain
from quorate.results.table import Table

VOTE_FIELDS = ("win", "tie", "loss", "first_shown_effect", "first_shown_low", "first_shown_high", "win_rate")
"""What is said of votes only."""
BINS = 21
"""Bars of a histogram of item differences; odd, so that no difference has a bar of its own."""


@dataclass(frozen=True)
class Pair:
    """System a against system b by one metric; a positive difference means a is better, whatever the metric.

    `better` says whether high or low scores are good, `estimand` what the scores are scores of, `scope` of which items
    and raters the result is said. Where raters count as drawn, `n_raters` is their number, `effective_raters` what they
    amount to given how unequally often they answered, `rater_effect` how much larger the variance is than with the same
    raters again, and `df` the degrees of freedom of the interval.

    `low`, `high` and `p_value` are those of this pair alone; with several comparisons `p_adjusted`, `low_adjusted` and
    `high_adjusted` hold for all at once and decide the verdict.

    `excess_a` and `excess_b` are the scores less what the raters' own spread costs any system, over the items with two
    raters or more; None for metrics other than brier.

    Of votes side by side, `win`, `tie` and `loss` are the shares for a, of ties and for b: of two systems the mean over
    items, of several the votes between these two, None if there are none. `first_shown_effect` is what being shown
    first adds to the margin, with its interval; None where sides are not known.
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
    sentence: Sentence
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
    win: float | None = None
    tie: float | None = None
    loss: float | None = None
    first_shown_effect: float | None = None
    first_shown_low: float | None = None
    first_shown_high: float | None = None

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
        With ``by``: the test that a pair's difference is the same in every group, by metric and pair.
    design_effects
        For each column that groups the items: how many groups, and how much larger the variance is if groups are
        drawn, not items, for the median pair and the worst one.
    family
        Which comparisons were judged together, in words.
    sides
        Of votes: what being shown first is worth, in words.
    unit_reason
        Why items, raters or groups count as drawn at random; empty if the unit was asked for.
    differences
        Of every pair, the difference on each item, positive where a is better, ``(item,)``; for scores of the whole set
        what each item adds to the difference.
    items
        The names of these items; none where each item has one system only.
    kind
        What came in: answers, rated outputs, or the scores of one scorer.
    ceiling
        What a rater scores against the others by the first metric; None where that is not known.
    judges, rater_scores, raters_per_item
        With ``baseline="raters"``: every system as a judge, every rater left out, and the median number of raters.
    scores, target_score
        Of one system alone, or against a bar: each system's score with its interval, and the bar; then there are no
        pairs.
    baseline, margin, by
        As they were asked for.
    """

    verb: ClassVar[str] = "compare"
    pairs: tuple[Pair, ...]
    ranking: tuple[Standing, ...]
    tied: tuple[tuple[str, ...], ...] = ()
    groups: tuple[Group, ...] = ()
    heterogeneity: tuple[Heterogeneity, ...] = ()
    design_effects: Mapping[str, DesignEffect] = field(default_factory=dict)
    family: str = ""
    unit_reason: str = ""
    sides: str = ""
    differences: tuple[Array, ...] = field(default=(), repr=False, compare=False)
    items: "pl.Series | None" = field(default=None, repr=False, compare=False)
    kind: EvaluationKind = "answers"
    ceiling: float | None = None
    judges: tuple[Judge, ...] = ()
    rater_scores: tuple[RaterScore, ...] = ()
    raters_per_item: float | None = None
    scores: tuple[SystemScore, ...] = ()
    target_score: float | None = None
    baseline: str | None = None
    margin: float | None = None
    by: str | None = None

    def item_bins(self, pair: int = 0) -> list[tuple[float, float, int]]:
        """Return a histogram of a pair's differences on items that are known: from, to, items; 0 is in the middle."""
        values = self.differences[pair][np.isfinite(self.differences[pair])]
        reach = float(np.abs(values).max(initial=0)) or 1.0
        edges = np.linspace(-reach, reach, BINS + 1) * BINS / (BINS - 1)
        sizes, _ = np.histogram(values, edges)
        return [(float(a), float(b), int(n)) for a, b, n in zip(edges, edges[1:], sizes, strict=False)]

    def sentence(self) -> Sentence:
        """Say the verdict: of the pair, against the baseline, or who could be best."""
        return comparison_sentence(self)

    def tables(self) -> Mapping[str, Table]:
        """Return the ranking, the pairs, the groups, and a single pair's differences on items."""
        return comparison_tables(self)

    def notes(self) -> Sequence[str]:
        """Say what is estimated, what counts as drawn, and what drawing groups would do."""
        return comparison_notes(self)

    def data_sheet(self) -> str:
        """Return what a paper reports of the comparison."""
        return comparison_data_sheet(self)

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object; judges, and scores of systems by themselves, where these were asked."""
        names = [
            "kind",
            "pairs",
            "ranking",
            "tied",
            "groups",
            "heterogeneity",
            "design_effects",
            "family",
            "unit_reason",
            *(name for name in ("scores", "judges", "rater_scores") if getattr(self, name)),
        ]
        content = {name: plain(getattr(self, name)) for name in names}
        if self.kind != "preferences":
            groups = [group["pairs"] for group in content["groups"]]
            for row in [*content["ranking"], *(pair for pairs in [content["pairs"], *groups] for pair in pairs)]:
                for name in VOTE_FIELDS:
                    row.pop(name, None)
        return content

    def to_frame(self) -> pl.DataFrame:
        """Return one row per pair (and group), or per score; what is not known is null."""
        if self.scores:
            return pl.DataFrame([plain(asdict(each)) for each in self.scores], infer_schema_length=None)
        rows = [{"group": None, **plain(asdict(pair))} for pair in self.pairs]
        rows += [{"group": group.group, **plain(asdict(pair))} for group in self.groups for pair in group.pairs]
        names = ("p_adjusted", "low_adjusted", "high_adjusted", "low", "high", "se", "df", "excess_a", "excess_b")
        numbers = dict.fromkeys((*names, *VOTE_FIELDS[:-1], "effective_raters", "rater_effect"), pl.Float64)
        frame = pl.DataFrame(rows, infer_schema_length=None, schema_overrides=numbers).drop("sentence")
        if self.kind != "preferences":
            frame = frame.drop(VOTE_FIELDS[:-1])
        return frame if self.groups else frame.drop("group")


def pair_row(judged: JudgedPair, votes: Votes | None = None, side: Outcome | None = None) -> Pair:
    """Return one judged pair with its sentence; of votes, also how they fell and what being shown first did."""
    tested = judged.tested
    scored, outcome, test = tested.scored, judged.outcome, tested.test
    metric, unit = scored.metric, test.unit_of(scored.metric)
    joint: dict[str, Any] = {"p_adjusted": judged.p, "low_adjusted": judged.low, "high_adjusted": judged.high}
    pair = Pair(
        metric=metric.name,
        a=tested.a,
        b=tested.b,
        score_a=float(scored.score_a),
        score_b=float(scored.score_b),
        difference=float(outcome.difference),
        se=float(outcome.se),
        low=float(outcome.low),
        high=float(outcome.high),
        confidence=test.confidence,
        p_value=float(outcome.p_value),
        test=test.procedure.name,
        unit=unit.name,
        scope=unit.scope,
        n_items=tested.n_items,
        verdict=judged.verdict,
        sentence=Sentence(""),
        better=metric.better,
        estimand=metric.estimand(scored.raters if scored.raters is not None else scored.a, scored.a, scored.b),
        excess_a=_excess(scored, scored.a),
        excess_b=_excess(scored, scored.b),
        **_rater_numbers(tested, not unit.items_fixed),
        **(joint if judged.in_family else {}),
        **({} if votes is None else _vote_numbers(tested, votes, side)),
    )
    sentence = pair_sentence(pair, metric, test.margin, _settling_items(judged), _counted(tested))
    return replace(pair, sentence=sentence)


def _vote_numbers(tested: TestedPair, votes: Votes, side: Outcome | None) -> dict[str, Any]:
    counts = tested.scored.raters
    shares = vote_shares(votes, tested.a, tested.b, counts if isinstance(counts, Counts) else None)
    numbers: dict[str, Any] = {"win": shares.win, "tie": shares.tie, "loss": shares.loss}
    if side is not None:
        numbers |= {"first_shown_effect": side.difference, "first_shown_low": side.low, "first_shown_high": side.high}
    return {name: None if np.isnan(value) else float(value) for name, value in numbers.items()}


def _excess(scored: ScoredPair, system: Summary) -> float | None:
    """Score less the raters' own spread, over items with two raters or more; None if there are none."""
    if scored.metric.excess is None or not isinstance(scored.raters, Counts):
        return None
    excess = scored.metric.excess(scored.raters, system)
    known = ~np.isnan(excess)
    return float(excess[known].mean()) if known.any() else None


def _rater_numbers(tested: TestedPair, items_drawn: bool) -> dict[str, Any]:
    """How many raters there are, what they amount to, and what they add to the variance."""
    weight, pivot = tested.rater_weight, tested.pivot
    if weight is None or pivot is None:
        return {}
    items = float(pivot.variance.items.variance)
    return {
        "n_raters": int(np.count_nonzero(weight)),
        "effective_raters": float(effective_number(weight)),
        "rater_effect": float(pivot.variance.total) / items if items_drawn and items > 0 else None,
        "df": float(tested.outcome.df),
    }


def _counted(tested: TestedPair) -> int:
    """How many items count in the score: of recall, the positives."""
    pivot = tested.pivot
    return tested.n_items if pivot is None or pivot.n_units is None else int(pivot.n_units)


def _settling_items(judged: JudgedPair) -> Settling | None:
    """How many items would settle the margin; None if there is no margin or spread."""
    tested, margin = judged.tested, judged.tested.test.margin
    if not margin or not tested.outcome.se > 0 or tested.scored.metric.shown is not None:
        return None
    variance, level = float(tested.outcome.se) ** 2, judged.confidence
    of_others = 0.0 if tested.pivot is None else float(tested.pivot.variance.of_others)
    share = _counted(tested) / tested.n_items
    fewest = ceil(items_to_see(margin / tested.reach, level) / share)

    def items(distance: float) -> int | None:
        needed = items_beside_raters(variance, of_others, tested.n_items, distance, level)
        return None if needed is None else max(needed, fewest)

    if_equal = items(margin)
    if if_equal is None or if_equal > tested.n_items:
        return Settling(fewest, if_equal)
    apart = abs(float(tested.outcome.difference) + margin)
    return Settling(fewest, items(max(apart, 1e-3 * margin)), as_seen=True)
