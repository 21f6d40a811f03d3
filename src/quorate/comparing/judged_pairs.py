"""Tested pairs judged together, once: every verdict holds for the whole family at once.

Pairs, ranks and sets of systems that are not told apart all follow from these verdicts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.comparing.tested_pairs import TestedPair
from quorate.inference.multiplicity import Family, max_t
from quorate.inference.outcome import Verdict, decisive_ends, verdict

__all__ = ["JudgedPair", "judge"]


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
        """The interval that decides who is better; the difference itself where only the sign test speaks."""
        return decisive_ends(float(self.tested.outcome.difference), self.low, self.high, self.p, self.tested.test.level)


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
    """Correlation of the estimates on the same items, from what each item, cluster or rater adds to each of them."""
    correlations = []
    for _, pairs in groupby(tested, key=lambda pair: pair.test.block):
        influence = _influences(list(pairs))
        covariance = influence @ influence.T
        spread = np.sqrt(np.diag(covariance))
        scale = np.where(spread > 0, spread, 1.0)
        correlations.append(covariance / scale[:, None] / scale)
    return correlations


def _influences(tested: Sequence[TestedPair]) -> Array:
    """What each unit adds to each estimate, ``(pair, unit)``; items alone where some metric knows no raters."""
    crossed = [pair.crossed.influence for pair in tested if pair.crossed is not None]
    if len(crossed) == len(tested):
        return np.stack(crossed)
    clusters = tested[0].test.unit.clusters
    influence = np.stack([pair.scored.differences - pair.scored.differences.mean() for pair in tested])
    return influence if clusters is None else np.stack([np.bincount(clusters, weights=row) for row in influence])
