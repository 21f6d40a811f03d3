"""From judged contests to what a comparison says of them: pairs, groups of items, and a ranking."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from quorate._errors import InputError
from quorate.comparing.judgement import Asked, Contest, Judged, judge, run_contests
from quorate.comparing.parts import Group, Pair, Standing
from quorate.comparing.words import pair_sentence
from quorate.data.ratings import Ratings
from quorate.inference.by_rater import score_by_rater
from quorate.inference.multiplicity import heterogeneity, rank_bounds, tied_sets
from quorate.inference.outcome import Outcome, mean_test
from quorate.inference.pvalues import holm
from quorate.inference.rater_parts import effective_number
from quorate.inference.sample_size import items_beside_raters
from quorate.inference.scored_systems import ScoredSystems
from quorate.inference.units import item_groups

__all__ = ["told_groups", "told_pair", "told_ranking"]


def told_pair(judged: Judged, ask: Asked) -> Pair:
    """Return one judged contest with its sentence."""
    contest, match, outcome = judged.contest, judged.contest.match, judged.contest.outcome
    joint: dict[str, Any] = {"p_adjusted": judged.p, "low_adjusted": judged.low, "high_adjusted": judged.high}
    unit = ask.unit_of(contest.metric)
    pair = Pair(
        metric=contest.metric.name,
        a=contest.a,
        b=contest.b,
        score_a=float(match.score_a),
        score_b=float(match.score_b),
        difference=float(outcome.difference),
        se=float(outcome.se),
        low=float(outcome.low),
        high=float(outcome.high),
        confidence=ask.confidence,
        p_value=float(outcome.p_value),
        test=ask.procedure.name,
        unit=unit.name,
        scope=unit.scope,
        n_items=len(contest.items),
        verdict=judged.verdict,
        sentence="",
        better=contest.metric.better,
        estimand=contest.metric.estimand(match.raters if match.raters is not None else match.a, match.a, match.b),
        **_rater_numbers(contest, not unit.items_fixed),
        **(joint if judged.in_family else {}),
    )
    settle = None
    if ask.margin and pair.se > 0:
        raters = 0.0 if contest.seen is None else float(contest.seen.spread.of_raters)
        settle = items_beside_raters(pair.se**2, raters, pair.n_items, ask.margin, judged.confidence)
    return replace(pair, sentence=pair_sentence(pair, contest.metric.title, ask.margin, settle))


def _rater_numbers(contest: Contest, items_drawn: bool) -> dict[str, Any]:
    """How many raters there are, what they amount to, and what counting them as drawn does to the variance."""
    if contest.seen is None:
        return {}
    weight, spread = contest.seen.rater_weight, contest.seen.spread
    return {
        "n_raters": int(np.count_nonzero(weight)),
        "effective_raters": float(effective_number(weight)),
        "rater_effect": float(spread.variance / spread.item) if items_drawn and spread.item > 0 else None,
        "df": float(contest.outcome.df),
    }


def told_groups(
    fields: list[ScoredSystems],
    names: list[str],
    pairs: list[tuple[int, int]],
    ask: Asked,
    ratings: Ratings,
    by: str | None,
) -> tuple[tuple[Group, ...], tuple[dict[str, Any], ...]]:
    """Compare within groups of items: first whether the difference varies, then each group, as one family."""
    if by is None:
        return (), ()
    codes, labels = item_groups(ratings, by, "--by"), ratings.item_groups[by]
    runs = []
    for code, label in enumerate(np.unique(labels.code)):
        items = np.flatnonzero(codes == code)
        if len(items) >= 2:
            within, name = [field.take(items) for field in fields], labels.names[label]
            runs.append((name, run_contests(within, names, pairs, ask, items, f"group {name}")))
    if not runs:
        raise InputError(f"--by {by}: no group has two items or more.")
    judged = iter(judge([contest for _, part in runs for contest in part], ask, f"by {by}"))
    groups = tuple(
        Group(name, len(part[0].items), tuple(told_pair(next(judged), ask) for _ in part)) for name, part in runs
    )
    return groups, _heterogeneity([list(same) for same in zip(*(part for _, part in runs), strict=True)], ask, by)


def _heterogeneity(contests: list[list[Contest]], ask: Asked, by: str) -> tuple[dict[str, Any], ...]:
    """Test for every pair and metric whether its difference is the same in all groups."""
    rows = []
    for same in contests:
        tests = [mean_test(c.match.differences, clusters=ask.clusters_of(c.items)) for c in same]
        difference, se, df = (np.array([float(getattr(test, x)) for test in tests]) for x in ("difference", "se", "df"))
        f, p = heterogeneity(difference, se, df + 1)
        rows.append({"metric": same[0].metric.name, "a": same[0].a, "b": same[0].b, "f": f, "p_value": p, "by": by})
    adjusted = holm(np.array([row["p_value"] for row in rows])).tolist()
    return tuple({**row, "p_adjusted": p} for row, p in zip(rows, adjusted, strict=True))


def told_ranking(
    field: ScoredSystems, names: list[str], ask: Asked
) -> tuple[tuple[Standing, ...], tuple[tuple[str, ...], ...]]:
    """Order the systems by one metric, and say which are not told apart; both from all its pairs judged at once."""
    everyone, items = list(combinations(range(len(names)), 2)), np.arange(field.values[0].shape[-1])
    judged = judge(run_contests([field], names, everyone, ask, items, "all"), ask, "ranking")
    low, high = np.array([each.ends(1 - ask.confidence) for each in judged]).T
    best, worst = rank_bounds(low, high, everyone, len(names))
    standings = []
    for position, name in enumerate(names):
        score = _standing(field, position, names, ask)
        places = int(best[position]), int(worst[position])
        ends = float(score.difference), float(score.low), float(score.high)
        standings.append(Standing(field.metric.name, name, *ends, *places, could_be_best=places[0] == 1))
    high_first = field.metric.better == "high"
    standings.sort(key=lambda s: (np.isnan(s.score), -s.score if high_first else s.score, s.system))
    order = [standing.system for standing in standings]
    tied = [sorted((names[i] for i in group), key=order.index) for group in tied_sets(low, high, everyone, len(names))]
    return tuple(standings), tuple(tuple(group) for group in sorted(tied, key=lambda g: [order.index(x) for x in g]))


def _standing(field: ScoredSystems, position: int, names: list[str], ask: Asked) -> Outcome:
    """Return one system's score with its interval; wins have no value per answer of one system alone."""
    values = field.values[position]
    rosters = ask.rosters_of(field.metric, names, np.arange(values.shape[-1]))
    if rosters is None or field.metric.contest_of is not None:
        return mean_test(values, ask.confidence, ask.unit.clusters)
    return score_by_rater(field, position, rosters, ask.confidence, items_fixed=ask.unit.items_fixed).outcome
