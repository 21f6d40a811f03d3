"""Tested pairs judged together, once: every verdict holds for the whole family at once.

Pairs, ranks and sets of systems that are not told apart all follow from these verdicts. The pairs within groups of
items are another family; beside them stands whether a difference varies by group.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.comparing.tested_pairs import PairTest, TestedPair, run_pair_tests
from quorate.data.evaluation import Evaluation
from quorate.inference.multiplicity import Family, heterogeneity, max_t
from quorate.inference.outcome import Verdict, decisive_ends, holm, mean_test, verdict
from quorate.inference.scored_systems import ScoredSystems
from quorate.inference.units import Unit, item_groups


@dataclass(frozen=True)
class JudgedPair:
    """A tested pair with its verdict; `p`, `low` and `high` hold for the whole family if there is one.

    `confidence` is the level its interval has when it stands alone.
    """

    tested: TestedPair
    verdict: Verdict
    p: float
    low: float
    high: float
    confidence: float
    in_family: bool

    @property
    def ends(self) -> tuple[float, float]:
        """The interval that decides who is better; the difference where only the sign test speaks."""
        return decisive_ends(float(self.tested.outcome.difference), self.low, self.high, self.p, self.tested.test.level)


@dataclass(frozen=True)
class Heterogeneity:
    """The test that a pair's difference by one metric is the same in all groups: Welch's F."""

    metric: str
    a: str
    b: str
    f: float
    p_value: float
    by: str
    p_adjusted: float


def judge(tested: Sequence[TestedPair], key: str) -> list[JudgedPair]:
    """Decide every pair; several are judged as one family, alone each stands for itself.

    `key` names the family, to which the randomness belongs.
    """
    if len(tested) > 1:
        family = _family(tested, key)
    else:
        p, low, high = (_numbers(tested, name) for name in ("p_value", "low", "high"))
        family = Family(p, tested[0].test.confidence, low, high)
    return [_judged(pair, family, i, len(tested) > 1) for i, pair in enumerate(tested)]


def _judged(tested: TestedPair, family: Family, i: int, in_family: bool) -> JudgedPair:
    p, low, high = (float(x[i]) for x in (family.p_adjusted, family.low, family.high))
    decided = verdict(
        float(tested.outcome.difference),
        low,
        high,
        p,
        level=tested.test.level,
        margin=tested.test.margin,
        identical=tested.alike,
    )
    return JudgedPair(tested, decided, p, low, high, family.confidence, in_family)


def _family(tested: Sequence[TestedPair], key: str) -> Family:
    """Judge together: max-T for the default test, Bonferroni for tests whose joint law is not known.

    No comparison becomes easier in a family: its interval holds the one it has alone, and its p is not smaller. (A set
    score of few items has a resampled pivot alone and the t pivot in the family.)
    """
    several, test = len(tested), tested[0].test
    p, low, high, df = (_numbers(tested, name) for name in ("p_value", "low", "high", "df"))
    bonferroni = np.minimum(p * several, 1.0)
    if not test.procedure.pivotal:
        joint = 1 - test.level / several
        again = [pair.at(joint) for pair in tested]
        ends = (np.array([float(end) for end in side]) for side in zip(*((o.low, o.high) for o in again), strict=True))
        return Family(bonferroni, joint, *ends)
    df = np.where(np.isfinite(df), df, [pair.n_items - 1.0 for pair in tested])
    family = max_t(
        _numbers(tested, "difference"),
        _numbers(tested, "se"),
        _correlations(tested),
        df,
        confidence=test.confidence,
        rng=generator(test.seed, "compare", "family", key),
    )
    varies = np.isfinite(family.low)
    return Family(
        np.where(varies, np.maximum(family.p_adjusted, p), bonferroni),
        family.confidence,
        np.where(varies, np.minimum(family.low, low), low),
        np.where(varies, np.maximum(family.high, high), high),
    )


def _numbers(tested: Sequence[TestedPair], name: str) -> Array:
    return np.array([float(getattr(pair.outcome, name)) for pair in tested])


def _correlations(tested: Sequence[TestedPair]) -> list[Array]:
    """Correlation of the estimates on the same items, from what each unit adds to each."""
    correlations = []
    for _, pairs in groupby(tested, key=lambda pair: pair.test.block):
        influence = _influences(list(pairs))
        covariance = influence @ influence.T
        spread = np.sqrt(np.diag(covariance))
        scale = np.where(spread > 0, spread, 1.0)
        correlations.append(covariance / scale[:, None] / scale)
    return correlations


def _influences(tested: Sequence[TestedPair]) -> Array:
    """What each unit adds to each estimate, ``(pair, unit)``; items where a metric knows no raters."""
    crossed = [pair.crossed.influence for pair in tested if pair.crossed is not None]
    if len(crossed) == len(tested):
        return np.stack(crossed)
    clusters = tested[0].test.unit.clusters
    influence = np.stack([pair.scored.differences - pair.scored.differences.mean() for pair in tested])
    return influence if clusters is None else np.stack([np.bincount(clusters, weights=row) for row in influence])


def judge_groups(
    scored: Sequence[ScoredSystems],
    names: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    test: PairTest,
    *,
    by: str | None,
    evaluation: Evaluation,
    choose_unit: Callable[..., Unit],
) -> tuple[dict[str, list[JudgedPair]], tuple[Heterogeneity, ...]]:
    """Compare within groups of two items or more, each with the unit that fits who rated what there."""
    if by is None:
        return {}, ()
    ratings = evaluation.ratings
    codes, grouping = item_groups(ratings, by, "--by"), ratings.item_groups[by]
    tested: dict[str, list[TestedPair]] = {}
    for code, label in enumerate(np.unique(grouping.code)):
        kept, name = codes == code, grouping.names[label]
        items = np.flatnonzero(kept)
        if len(items) >= 2:
            unit = test.unit
            if unit.clusters is not None or unit.roster is not None:  # else nobody comes back in any group
                theirs = {system: part.keep(kept) for system, part in evaluation.rated.items()}
                unit = choose_unit(ratings.keep(kept), rated=theirs, within_group=True)
            within = [systems.take(items) for systems in scored]
            tested[name] = run_pair_tests(within, names, pairs, test.within(kept, unit, name))
    if not tested:
        raise InputError(f"--by {by}: no group has two items or more.")
    judged = iter(judge([pair for group in tested.values() for pair in group], f"by {by}"))
    groups = {name: [next(judged) for _ in group] for name, group in tested.items()}
    return groups, _heterogeneity([list(same) for same in zip(*tested.values(), strict=True)], by)


def _heterogeneity(pairs: Sequence[Sequence[TestedPair]], by: str) -> tuple[Heterogeneity, ...]:
    """Test whether the difference of each pair is the same in all groups; Holm's p for all."""
    rows = []
    for same in pairs:
        tests = [mean_test(pair.scored.differences, clusters=pair.test.unit.clusters) for pair in same]
        difference, se, df = (np.array([float(getattr(test, x)) for test in tests]) for x in ("difference", "se", "df"))
        f, p = heterogeneity(difference, se, df + 1)
        rows.append(Heterogeneity(same[0].scored.metric.name, same[0].a, same[0].b, f, p, by, p))
    adjusted = holm(np.array([row.p_value for row in rows])).tolist()
    return tuple(replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True))
