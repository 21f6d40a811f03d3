"""Run comparisons and judge them together: every pair by every metric, alone and as one family."""

from dataclasses import dataclass

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.inference.families import Family, max_t
from quorate.inference.matchup import Field, Matchup
from quorate.inference.outcome import Outcome
from quorate.inference.procedures import Ask, Procedure
from quorate.inference.verdict import Verdict, verdict
from quorate.metrics.metric import Metric

__all__ = ["Asked", "Contest", "Judged", "judge", "run_contests"]


@dataclass(frozen=True)
class Asked:
    """How every pair is tested."""

    procedure: Procedure
    unit: str
    clusters: Array | None
    confidence: float
    margin: float | None
    resamples: int
    seed: int

    def clusters_of(self, items: Array) -> Array | None:
        """Return the clusters of some items, numbered from 0."""
        return None if self.clusters is None else np.unique(self.clusters[items], return_inverse=True)[1]


@dataclass(frozen=True)
class Contest:
    """One comparison that was run: two systems by one metric on some items."""

    metric: Metric
    a: str
    b: str
    items: Array
    match: Matchup
    outcome: Outcome


def run_contests(
    fields: list[Field], names: list[str], pairs: list[tuple[int, int]], ask: Asked, items: Array, key: str
) -> list[Contest]:
    """Run every pair by every metric."""
    contests = []
    for field in fields:
        for a, b in pairs:
            match = field.matchup(a, b)
            rng = generator(ask.seed, "compare", key, field.metric.name, names[a], names[b])
            outcome = ask.procedure.run(match, Ask(rng, ask.confidence, ask.clusters_of(items), ask.resamples))
            contests.append(Contest(field.metric, names[a], names[b], items, match, outcome))
    return contests


@dataclass(frozen=True)
class Judged:
    """A comparison with its verdict; `p`, `low` and `high` hold for the whole family if there is one."""

    contest: Contest
    verdict: Verdict
    p: float
    low: float
    high: float
    in_family: bool


def judge(contests: list[Contest], ask: Asked, n_items: int, key: str) -> list[Judged]:
    """Decide every comparison; several are judged as one family, alone each stands for itself."""
    if len(contests) == 1:
        outcome = contests[0].outcome
        return [_judged(contests[0], ask, float(outcome.p_value), float(outcome.low), float(outcome.high), False)]
    family = _family(contests, ask, n_items, key)
    return [
        _judged(contest, ask, float(family.p_adjusted[i]), float(family.low[i]), float(family.high[i]), True)
        for i, contest in enumerate(contests)
    ]


def _judged(contest: Contest, ask: Asked, p: float, low: float, high: float, in_family: bool) -> Judged:
    decided = verdict(
        float(contest.outcome.difference),
        low,
        high,
        p,
        level=1 - ask.confidence,
        margin=ask.margin,
        identical=not np.any(contest.match.differences),
    )
    return Judged(contest, decided, p, low, high, in_family)


def _family(contests: list[Contest], ask: Asked, n_items: int, key: str) -> Family:
    """Judge together: max-T for the default test, Bonferroni for tests whose joint law is not known."""
    if ask.procedure.name != "default":
        joint = 1 - (1 - ask.confidence) / len(contests)
        again = [
            ask.procedure.run(
                c.match,
                Ask(generator(ask.seed, "family", key, i), joint, ask.clusters_of(c.items), ask.resamples),
            )
            for i, c in enumerate(contests)
        ]
        p = np.minimum(np.array([float(c.outcome.p_value) for c in contests]) * len(contests), 1.0)
        low, high = (np.array([float(getattr(outcome, side)) for outcome in again]) for side in ("low", "high"))
        return Family(p, np.nan, low, high)
    difference, se = (np.array([float(getattr(c.outcome, x)) for c in contests]) for x in ("difference", "se"))
    df = min(float(c.outcome.df) if np.isfinite(c.outcome.df) else len(c.items) - 1.0 for c in contests)
    rng = generator(ask.seed, "compare", "family", key)
    correlation = _correlation(contests, ask.clusters, n_items)
    return max_t(difference, se, correlation, max(df, 1.0), confidence=ask.confidence, rng=rng)


def _correlation(contests: list[Contest], clusters: Array | None, n_items: int) -> Array:
    """Correlation of the estimates, from what each item (or cluster) adds to each of them."""
    influence = np.zeros((len(contests), n_items))
    for row, contest in zip(influence, contests, strict=True):
        d = contest.match.differences
        row[contest.items] = (d - d.mean()) / len(d)
    if clusters is not None:
        influence = np.stack([np.bincount(clusters, weights=row) for row in influence])
    covariance = influence @ influence.T
    spread = np.sqrt(np.diag(covariance))
    scale = np.where(spread > 0, spread, 1.0)
    correlation: Array = covariance / scale[:, None] / scale
    return correlation
