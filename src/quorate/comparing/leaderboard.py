"""A leaderboard: the ranks each system may hold, and which are not told apart, from pairs judged once.

A system ranks behind all that beat it and before all that it beats [mogstad2024]. The verdict of a pair that
was asked for is the pair's own, so that ranks and pairs never contradict each other. Who beats whom is read from the
interval beside 0: a margin, which asks from one side only, changes no rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from quorate._typing import Array
from quorate.comparing.judged_pairs import JudgedPair, judge
from quorate.comparing.tested_pairs import PairTest, estimate_score, run_pair_tests
from quorate.inference.multiplicity import rank_bounds, tied_sets
from quorate.inference.scored_systems import ScoredSystems

Positions = tuple[int, int]


@dataclass(frozen=True)
class Standing:
    """A system's score with interval, and the ranks it may hold given all comparisons at once.

    It could be best if no other is told to be better; a scattered system may be so below one that is beaten. The
    ceiling is what a rater scores against the others, None where that is not known.
    Of votes, `win_rate` is the chance to be preferred to another system, mean over the others.
    """

    metric: str
    system: str
    score: float
    low: float
    high: float
    rank_low: int
    rank_high: int
    could_be_best: bool
    ceiling: float | None = None
    win_rate: float | None = None


def rank_systems(
    systems: ScoredSystems,
    names: Sequence[str],
    pairs: Sequence[Positions],
    judged: Sequence[JudgedPair],
    test: PairTest,
    ceiling: float | None = None,
) -> tuple[tuple[Standing, ...], tuple[tuple[str, ...], ...]]:
    """Order the systems by one metric, and say which are not told apart.

    Parameters
    ----------
    systems, names
        The systems, scored by that metric, and their names.
    pairs, judged
        The pairs that were asked for, by position, and their verdicts by that metric.
    test
        The test they were put to; pairs that were not asked for are put to it now.
    ceiling
        What a rater scores against the others.
    """
    low, high = _ends(systems, names, pairs, judged, test)
    everyone = list(combinations(range(len(names)), 2))
    best, worst = rank_bounds(low, high, everyone, len(names))
    standings = []
    for position, name in enumerate(names):
        score = estimate_score(systems, position, names, test)
        ends = float(score.difference), float(score.low), float(score.high)
        places = int(best[position]), int(worst[position])
        standings.append(
            Standing(systems.metric.name, name, *ends, *places, places[0] == 1, ceiling, win_rate(systems, position))
        )
    sign = -1.0 if systems.metric.better == "high" else 1.0
    standings.sort(key=lambda standing: (np.isnan(standing.score), sign * standing.score, standing.system))
    place = {standing.system: i for i, standing in enumerate(standings)}
    cliques = tied_sets(low, high, everyone, len(names))
    tied = [sorted((names[i] for i in clique), key=place.__getitem__) for clique in cliques]
    tied.sort(key=lambda group: [place[name] for name in group])
    return tuple(standings), tuple(map(tuple, tied))


def win_rate(systems: ScoredSystems, position: int) -> float | None:
    """Return how often a system is preferred to another, where that was asked; of two it is the score."""
    if systems.strengths is not None:
        return float(systems.strengths.win_rates[position])
    return float(systems.scores[position]) if systems.metric.reads_votes else None


def _ends(
    systems: ScoredSystems,
    names: Sequence[str],
    pairs: Sequence[Positions],
    judged: Sequence[JudgedPair],
    test: PairTest,
) -> tuple[Array, Array]:
    """Return the deciding interval of every two systems, ``(pair,)`` each.

    With a baseline only some pairs were asked for. The others are judged in the family of all pairs, which is stricter,
    and those that were asked for keep their verdict.
    """
    asked = dict(zip(pairs, judged, strict=True))
    everyone = list(combinations(range(len(names)), 2))
    others = [pair for pair in everyone if pair not in asked]
    if not everyone:
        return np.empty(0), np.empty(0)
    if others:
        tested = dict(zip(others, run_pair_tests([systems], names, others, test), strict=True))
        tested |= {pair: each.tested for pair, each in asked.items()}
        whole = judge([tested[pair] for pair in everyone], "ranking")
        asked = dict(zip(everyone, whole, strict=True)) | asked
    low, high = np.array([asked[pair].ends for pair in everyone]).T
    return low, high
