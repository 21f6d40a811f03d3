"""Run comparisons and judge them together: every pair by every metric, alone and as one family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.data.answers import Answers
from quorate.inference.answer_values import splits_by_rater
from quorate.inference.by_rater import ByRater, difference_by_rater
from quorate.inference.multiplicity import Family, max_t
from quorate.inference.outcome import Outcome
from quorate.inference.procedures import Procedure, Terms
from quorate.inference.roster import Roster
from quorate.inference.runs import RunVariance, run_variance, with_runs
from quorate.inference.scored_systems import ScoredPair, ScoredSystems
from quorate.inference.units import Unit
from quorate.inference.verdict import Verdict, decisive_ends, verdict
from quorate.metrics.metric import Metric

__all__ = ["Asked", "Contest", "Judged", "judge", "run_contests"]


@dataclass(frozen=True)
class Asked:
    """How every pair is tested."""

    procedure: Procedure
    unit: Unit
    confidence: float
    margin: float | None
    resamples: int
    seed: int
    answers: Mapping[str, Answers] = field(default_factory=dict)

    def runs_of(self, match: ScoredPair, systems: tuple[str, str], items: Array) -> list[RunVariance]:
        """Return what the runs of two systems add to the variance, where they have names and answered every item."""
        if not self.answers or match.raters is None or self.procedure.name != "default":
            return []
        named = [self.answers[name] for name in systems if self.answers[name].run is not None]
        if not named:
            return []
        kept = np.zeros(len(named[0].answered), dtype=bool)
        kept[items] = True
        found = [run_variance(match.metric, match.raters, answers.keep(kept)) for answers in named]
        return [part for part in found if part is not None]

    def clusters_of(self, items: Array) -> Array | None:
        """Return the clusters of some items, numbered from 0."""
        clusters = self.unit.clusters
        return None if clusters is None else np.unique(clusters[items], return_inverse=True)[1]

    def rosters_of(self, metric: Metric, names: Sequence[str], items: Array) -> list[Roster] | None:
        """Return who answered some items, or rated each system on them; None where raters do not count as drawn."""
        roster = self.unit.roster
        if roster is None or not splits_by_rater(metric):
            return None
        rosters = [self.unit.rated[name] for name in names] if self.unit.rated else [roster]
        taken = rosters if len(items) == roster.n_items else [each.take(items) for each in rosters]
        return taken if self.unit.rated else taken * len(names)

    def unit_of(self, metric: Metric) -> Unit:
        """Return what counts as drawn for a metric: items alone where it cannot be split by rater."""
        return self.unit if splits_by_rater(metric) or self.unit.roster is None else Unit(clusters=self.unit.clusters)


@dataclass(frozen=True)
class Contest:
    """One comparison that was run: two systems by one metric on some items; `block` names these items.

    Where raters count as drawn, `seen` is the contest in the eyes of each rater.
    """

    metric: Metric
    a: str
    b: str
    items: Array
    match: ScoredPair
    outcome: Outcome
    block: str
    seen: ByRater | None = None


def run_contests(
    fields: list[ScoredSystems], names: list[str], pairs: list[tuple[int, int]], ask: Asked, items: Array, block: str
) -> list[Contest]:
    """Run every pair by every metric."""
    contests = []
    for each in fields:
        rosters = ask.rosters_of(each.metric, names, items)
        for a, b in pairs:
            match, seen = each.pair(a, b), None
            if rosters is None:
                outcome = _outcome(match, names[a], names[b], ask, items, block, ask.confidence)
            else:
                fixed = ask.unit.items_fixed
                seen = difference_by_rater(each, a, b, rosters, ask.confidence, items_fixed=fixed)
                runs = ask.runs_of(match, (names[a], names[b]), items)
                outcome = with_runs(seen.outcome, runs, ask.confidence)
            contests.append(Contest(each.metric, names[a], names[b], items, match, outcome, block, seen))
    return contests


def _outcome(match: ScoredPair, a: str, b: str, ask: Asked, items: Array, block: str, confidence: float) -> Outcome:
    """Run the test; its randomness belongs to the comparison, so that another level reads the same law."""
    rng = generator(ask.seed, "compare", block, match.metric.name, a, b)
    outcome = ask.procedure.run(match, Terms(rng, confidence, ask.clusters_of(items), ask.resamples))
    return with_runs(outcome, ask.runs_of(match, (a, b), items), confidence)


@dataclass(frozen=True)
class Judged:
    """A comparison with its verdict; `p`, `low` and `high` hold for the whole family if there is one.

    `confidence` is the level its interval has when it stands alone.
    """

    contest: Contest
    verdict: Verdict
    p: float
    low: float
    high: float
    confidence: float
    in_family: bool

    def ends(self, level: float) -> tuple[float, float]:
        """Return the interval that decides who is better; the difference itself where only the sign test speaks."""
        return decisive_ends(float(self.contest.outcome.difference), self.low, self.high, self.p, level)


def judge(contests: list[Contest], ask: Asked, key: str) -> list[Judged]:
    """Decide every comparison; several are judged as one family, alone each stands for itself."""
    outcomes = [contest.outcome for contest in contests]
    p, low, high = (np.array([float(getattr(o, x)) for o in outcomes]) for x in ("p_value", "low", "high"))
    family = Family(p, ask.confidence, low, high) if len(contests) == 1 else _family(contests, ask, key)
    return [_judged(contest, family, i, ask, len(contests) > 1) for i, contest in enumerate(contests)]


def _judged(contest: Contest, family: Family, i: int, ask: Asked, in_family: bool) -> Judged:
    p, low, high = (float(x[i]) for x in (family.p_adjusted, family.low, family.high))
    decided = verdict(
        float(contest.outcome.difference),
        low,
        high,
        p,
        level=1 - ask.confidence,
        margin=ask.margin,
        identical=not np.any(contest.match.differences),
    )
    return Judged(contest, decided, p, low, high, family.confidence, in_family)


def _family(contests: list[Contest], ask: Asked, key: str) -> Family:
    """Judge together: max-T for the default test, Bonferroni for tests whose joint law is not known.

    No comparison becomes easier in a family: its interval holds the one it has alone, and its p is not smaller. (A set
    score of few items has a resampled pivot alone and the t pivot in the family.)
    """
    several = len(contests)
    p, low, high, difference, se, df = (
        np.array([float(getattr(contest.outcome, x)) for contest in contests])
        for x in ("p_value", "low", "high", "difference", "se", "df")
    )
    joint = 1 - (1 - ask.confidence) / several
    if ask.procedure.name != "default":
        again = [_outcome(c.match, c.a, c.b, ask, c.items, c.block, joint) for c in contests]
        low, high = (np.array([float(getattr(outcome, side)) for outcome in again]) for side in ("low", "high"))
        return Family(np.minimum(p * several, 1.0), joint, low, high)
    df = np.where(np.isfinite(df), df, [len(contest.items) - 1.0 for contest in contests])
    rng = generator(ask.seed, "compare", "family", key)
    family = max_t(difference, se, _correlations(contests, ask), df, confidence=ask.confidence, rng=rng)
    spread = np.isfinite(family.low)
    return Family(
        np.where(spread, np.maximum(family.p_adjusted, p), np.minimum(p * several, 1.0)),
        family.confidence,
        np.where(spread, np.minimum(family.low, low), low),
        np.where(spread, np.maximum(family.high, high), high),
    )


def _correlations(contests: list[Contest], ask: Asked) -> list[Array]:
    """Correlation of the estimates on the same items, from what each item, cluster or rater adds to each of them."""
    found = []
    for _, group in groupby(contests, key=lambda contest: contest.block):
        part = list(group)
        influence = _influences(part, ask)
        covariance = influence @ influence.T
        spread = np.sqrt(np.diag(covariance))
        scale = np.where(spread > 0, spread, 1.0)
        found.append(covariance / scale[:, None] / scale)
    return found


def _influences(contests: list[Contest], ask: Asked) -> Array:
    """What each unit adds to each estimate, ``(contest, unit)``; items alone where some metric knows no raters."""
    by_rater = [contest.seen.influence for contest in contests if contest.seen is not None]
    if len(by_rater) == len(contests):
        return np.stack(by_rater)
    clusters = ask.clusters_of(contests[0].items)
    influence = np.stack([c.match.differences - c.match.differences.mean() for c in contests])
    return influence if clusters is None else np.stack([np.bincount(clusters, weights=row) for row in influence])
