"""Systems by themselves: each one's score with its interval, and whether it reaches a bar."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Literal, TypeAlias

import numpy as np

from quorate._text import Sentence, count, joined, number, p_number, p_words, percent
from quorate.comparing.tested_pairs import PairTest, score_pivot
from quorate.inference.outcome import holm
from quorate.inference.scored_systems import ScoredSystems
from quorate.results.table import Column, Table, interval, table_of

BarVerdict: TypeAlias = Literal["passes", "fails", "inconclusive"]
COLUMNS = {key: Column(key) for key in ("system", "metric", "score", "interval", "p", "verdict")}
SAYS = {
    "passes": "so it reaches",
    "fails": "so it does not reach",
    "inconclusive": "but the data do not tell it apart from",
}
SIDES = {
    "passes": ("reaches", "reach"),
    "fails": ("misses", "miss"),
    "inconclusive": ("is not told apart from", "are not told apart from"),
}
"""What one of several scores does to the bar, and what more of them do."""


@dataclass(frozen=True)
class SystemScore:
    """A system's score; against a bar, with the p-value of the bar and a verdict.

    `p_value` is that of this score alone; of several, `p_adjusted` holds for all at once and decides the verdict.
    """

    system: str
    metric: str
    score: float
    low: float
    high: float
    confidence: float
    n_items: int
    unit: str
    better: str
    estimand: str
    p_value: float | None = None
    p_adjusted: float | None = None
    verdict: BarVerdict | None = None


def scores_sentence(scores: Sequence[SystemScore], target: float | None) -> Sentence:
    """Say the score, and whether it reaches the bar."""
    if len(scores) > 1:
        return _several(scores, target)
    [score], digits = scores, _decimals(scores)
    spoken = score.metric.replace("_", " ")
    head = f"{score.system} has {spoken} {number(score.score, digits)}{_ends(score, digits)}"
    meaning = "" if score.estimand == spoken else f"{score.estimand}; "
    on = f"{meaning}{count(score.n_items, 'item')}, unit {score.unit}"
    return Sentence(head if score.verdict is None else f"{head}, {SAYS[score.verdict]} {target:g}", f"{on}.", " –")


def scores_table(scores: Sequence[SystemScore], target: float | None, ceiling: float | None) -> Table:
    """Return a row per system and metric."""
    digits = _decimals(scores)
    rows = [
        {
            "system": each.system,
            "metric": each.metric,
            "score": number(each.score, digits),
            "interval": interval(each.low, each.high, digits) if isfinite(each.high - each.low) else None,
            "p": None if each.p_value is None else p_number(_p(each)),
            "verdict": each.verdict,
        }
        for each in scores
    ]
    caption = "Scores" if target is None else f"Scores against a bar of {target:g}"
    notes = []
    if len(scores) > 1 and target is not None:
        notes.append(f"p and verdicts hold for {len(scores)} scores at once (Holm).")
    if ceiling is not None:
        notes.append(f"Human ceiling: a rater scores {number(ceiling, digits)} against the others.")
    return table_of(caption, rows, COLUMNS, note="\n".join(notes))


def assess(
    scored: Sequence[ScoredSystems], names: Sequence[str], test: PairTest, target: float | None
) -> list[SystemScore]:
    """Score every system by every metric, and test each score against the bar."""
    rows = [_assessed(systems, place, names, test, target) for systems in scored for place in range(len(names))]
    if target is None:
        return [row for row, _ in rows]
    p = np.array([1.0 if row.p_value is None else row.p_value for row, _ in rows])
    adjusted = holm(p).tolist() if len(rows) > 1 else p.tolist()
    return [
        _judged(row, side, joint, test.level, several=len(rows) > 1)
        for (row, side), joint in zip(rows, adjusted, strict=True)
    ]


def _assessed(
    systems: ScoredSystems, place: int, names: Sequence[str], test: PairTest, target: float | None
) -> tuple[SystemScore, float]:
    """Return a score, and on which side of the bar it lies: 1 good, −1 bad."""
    pivot, centre = score_pivot(systems, place, names, test)
    metric = systems.metric
    failures_count = target is not None and pivot.reach is not None
    pivot = replace(pivot, unseen=failures_count)
    outcome = pivot.outcome(test.confidence)
    p, side = None, 0.0
    if target is not None:
        p = float(pivot.p_value(np.asarray(target - centre)))
        side = float(np.sign(float(pivot.estimate) + centre - target)) * (1.0 if metric.better == "high" else -1.0)
    answers = systems.systems[place]
    row = SystemScore(
        system=names[place],
        metric=metric.name,
        score=float(outcome.difference) + centre,
        low=float(outcome.low) + centre,
        high=float(outcome.high) + centre,
        confidence=test.confidence,
        n_items=len(systems.values[place]),
        unit=test.unit_of(metric).name,
        better=metric.better,
        estimand=metric.estimand(systems.raters if systems.raters is not None else answers, answers),
        p_value=p,
    )
    return row, side


def _judged(row: SystemScore, side: float, joint: float, level: float, *, several: bool) -> SystemScore:
    decided = joint <= level and side != 0
    verdict: BarVerdict = ("passes" if side > 0 else "fails") if decided else "inconclusive"
    return replace(row, verdict=verdict, p_adjusted=joint if several else None)


def _several(scores: Sequence[SystemScore], target: float | None) -> Sentence:
    """Say which systems reach the bar, or all scores of one."""
    first, digits = scores[0], _decimals(scores)
    on = f"{count(first.n_items, 'item')}, unit {first.unit}"
    if target is None:
        said = [f"{each.metric} {number(each.score, digits)}{_ends(each, digits)}" for each in scores]
        return Sentence(f"{first.system} has {said[0]}", f"{', '.join(said[1:])} – {on}.", ",")
    one = len({each.metric for each in scores}) == 1
    parts: list[str] = []
    for verdict, words in SIDES.items():
        there = [
            each.system if one else f"{each.system} by {each.metric}" for each in scores if each.verdict == verdict
        ]
        if there:
            of = "" if parts else f" of {len(scores)} {'systems' if one else 'scores'}"
            bar = "it" if parts else f"{target:g} by {first.metric.replace('_', ' ')}" if one else f"{target:g}"
            parts.append(f"{len(there)}{of} {words[len(there) > 1]} {bar}: {joined(there, 'and', 4)}")
    return Sentence(parts[0], f"{'; '.join([*parts[1:], ''])}{on}, all scores counted.", ";")


def _ends(score: SystemScore, digits: int) -> str:
    if not isfinite(score.high - score.low):
        return " (no interval)"
    ends = f"{percent(score.confidence)} interval {number(score.low, digits)} to {number(score.high, digits)}"
    return f" ({ends}{'' if score.p_value is None else f', {p_words(_p(score))}'})"


def _p(score: SystemScore) -> float:
    """Return the p-value that decides."""
    p = score.p_value if score.p_adjusted is None else score.p_adjusted
    return 0.0 if p is None else p


def _decimals(scores: Sequence[SystemScore]) -> int:
    """Three decimals, or as many as two figures of the shortest interval need."""
    halves = [
        0.5 * (each.high - each.low) for each in scores if isfinite(each.high - each.low) and each.high > each.low
    ]
    return min(max(3, 1 - int(np.floor(np.log10(min(halves, default=1.0))))), 9)
