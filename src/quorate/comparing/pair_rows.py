"""What is told of judged pairs: one row of numbers each, with its sentence."""

from dataclasses import replace
from typing import Any

import numpy as np

from quorate.comparing.groups import GroupVerdicts
from quorate.comparing.judged_pairs import JudgedPair
from quorate.comparing.result import Group, Pair
from quorate.comparing.tested_pairs import TestedPair
from quorate.comparing.words import pair_sentence
from quorate.data.summaries import Counts, Summary
from quorate.inference.crossed import effective_number
from quorate.inference.sample_size import items_beside_raters
from quorate.inference.scored_systems import ScoredPair
from quorate.results.result import Sentence

__all__ = ["group_row", "pair_row"]


def pair_row(judged: JudgedPair) -> Pair:
    """Return one judged pair with its sentence."""
    tested, scored, outcome, test = judged.tested, judged.tested.scored, judged.tested.outcome, judged.tested.test
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
    )
    return replace(pair, sentence=pair_sentence(pair, metric.title, test.margin, _settling_items(judged)))


def group_row(group: GroupVerdicts) -> Group:
    """Return the judged pairs of one group of items."""
    return Group(group.group, group.judged[0].tested.n_items, tuple(pair_row(pair) for pair in group.judged))


def _excess(scored: ScoredPair, system: Summary) -> float | None:
    """Score less the raters' own spread, mean over the items with two raters or more; None if there is none."""
    if scored.metric.excess is None or not isinstance(scored.raters, Counts):
        return None
    excess = scored.metric.excess(scored.raters, system)
    known = ~np.isnan(excess)
    return float(excess[known].mean()) if known.any() else None


def _rater_numbers(tested: TestedPair, items_drawn: bool) -> dict[str, Any]:
    """How many raters there are, what they amount to, and what counting them as drawn does to the variance."""
    if tested.crossed is None:
        return {}
    weight, variance = tested.crossed.rater_weight, tested.crossed.variance
    return {
        "n_raters": int(np.count_nonzero(weight)),
        "effective_raters": float(effective_number(weight)),
        "rater_effect": float(variance.variance / variance.item) if items_drawn and variance.item > 0 else None,
        "df": float(tested.outcome.df),
    }


def _settling_items(judged: JudgedPair) -> int | None:
    """How many items would settle the margin; None without one, without a spread, or if none would."""
    tested, margin = judged.tested, judged.tested.test.margin
    if not margin or not tested.outcome.se > 0:
        return None
    of_raters = 0.0 if tested.crossed is None else float(tested.crossed.variance.of_raters)
    return items_beside_raters(float(tested.outcome.se) ** 2, of_raters, tested.n_items, margin, judged.confidence)
