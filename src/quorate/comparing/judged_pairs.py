"""Tested pairs judged together, once: every verdict holds for the whole family at once.

Pairs, ranks and sets of systems that are not told apart all follow from these verdicts. The pairs within groups of
items are another family; beside them stands whether a difference varies by group.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.comparing.tested_pairs import PairTest, TestedPair, run_pair_tests
from quorate.data.evaluation import Evaluation
from quorate.inference.joint_errors import ErrorColumns, lone_columns
from quorate.inference.means import mean_pivot
from quorate.inference.multiplicity import Family, JointErrors, heterogeneity, max_t
from quorate.inference.outcome import Outcome, Verdict, decisive_ends, holm, verdict
from quorate.inference.pivot import Pivot
from quorate.inference.scored_systems import ScoredSystems
from quorate.inference.uncertain_variance import UncertainVariance
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
        family = Family(p, np.array([tested[0].test.confidence]), low, high)
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
    return JudgedPair(tested, decided, p, low, high, float(family.confidence[i]), in_family)


def _family(tested: Sequence[TestedPair], key: str) -> Family:
    """Judge together: max-T for the default test, Bonferroni for tests whose joint law is not known.

    No comparison becomes easier in a family: its interval holds the one it has alone, and its p is not smaller. (A set
    score of few items has a resampled pivot alone and the t pivot in the family.)
    """
    several, test = len(tested), tested[0].test
    p, low, high = (_numbers(tested, name) for name in ("p_value", "low", "high"))
    bonferroni, joint = np.minimum(p * several, 1.0), 1 - test.level / several
    pivots = [pair.pivot for pair in tested if pair.pivot is not None]
    if len(pivots) < several:
        ends = _ends_at([pair.at(joint) for pair in tested])
        return Family(bonferroni, np.full(several, joint), *ends)
    rng = generator(test.seed, "compare", "family", key)
    family = max_t(pivots, _joint_errors(tested), confidence=test.confidence, rng=rng)
    varies = np.isfinite(family.low)
    still_low, still_high = _ends_at(
        [
            pair.outcome if known else pivot.outcome(joint)
            for pair, pivot, known in zip(tested, pivots, varies, strict=True)
        ]
    )
    return Family(
        np.where(varies, np.maximum(family.p_adjusted, p), bonferroni),
        np.where(varies, family.confidence, joint),
        np.where(varies, np.fmin(family.low, low), still_low),
        np.where(varies, np.fmax(family.high, high), still_high),
    )


def _numbers(tested: Sequence[TestedPair], name: str) -> Array:
    return np.array([float(getattr(pair.outcome, name)) for pair in tested])


def _ends_at(outcomes: Sequence[Outcome]) -> tuple[Array, Array]:
    low, high = np.array([[float(each.low), float(each.high)] for each in outcomes]).T
    return low, high


def _joint_errors(tested: Sequence[TestedPair]) -> list[JointErrors]:
    """How the pairs err together on each set of items; a pair alone on its items errs by itself."""
    blocks = []
    for _, pairs in groupby(tested, key=lambda pair: pair.test.block):
        same = list(pairs)
        pivots = [pair.pivot for pair in same if pair.pivot is not None]
        columns: dict[int, ErrorColumns] = {}
        for pair, pivot in zip(same, pivots, strict=True):
            own = pair.errors if pair.errors is not None else lone_columns(pivot)
            columns.setdefault(id(own) if pair.errors is not None else id(pair), own)
        items = pivots[0].variance.items
        blocks.append(JointErrors(list(columns.values()), float(items.df), _item_scale(list(columns.values()), pivots)))
    return blocks


def _item_scale(columns: Sequence[ErrorColumns], pivots: Sequence[Pivot]) -> float:
    """The variance of items over the sum of squares of what units add, for the median pair."""
    squares = np.concatenate([((each.contrasts @ each.items) ** 2).sum(-1) for each in columns])
    variances = np.array([float(pivot.variance.items.variance) for pivot in pivots])
    known = np.isfinite(variances) & (squares > 0)
    return float(np.median(variances[known] / squares[known])) if known.any() else 1.0


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
        difference, se, df = (np.array(each) for each in zip(*_group_numbers(same), strict=True))
        f, p = heterogeneity(difference, se, df + 1)
        rows.append(Heterogeneity(same[0].scored.metric.name, same[0].a, same[0].b, f, p, by, p))
    adjusted = holm(np.array([row.p_value for row in rows])).tolist()
    return tuple(replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True))


def _group_numbers(same: Sequence[TestedPair]) -> Iterator[tuple[float, float, float]]:
    """Yield a pair's difference in each group, its standard error and degrees of freedom.

    Raters count where each group has its own; raters of several groups move them alike, and only items are counted.
    """
    apart = not raters_return(same)
    for pair in same:
        pivot = pair.pivot if pair.pivot is not None else mean_pivot(pair.scored.differences)
        variance = pivot.variance if apart else UncertainVariance(pivot.variance.items)
        yield float(pivot.estimate), float(np.sqrt(variance.total)), float(variance.df)


def raters_return(groups: Sequence[TestedPair]) -> bool:
    """Tell whether some raters answered in several groups of items."""
    weights = [pair.rater_weight > 0 for pair in groups if pair.rater_weight is not None]
    return bool(weights) and bool((np.sum(weights, axis=0) > 1).any())
