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
from quorate.comparing.tested_pairs import PairTest, PreparedPair, TestedPair, prepare_pairs, tested_pairs
from quorate.data.evaluation import Evaluation
from quorate.data.ratings import Ratings
from quorate.inference.joint_errors import ErrorColumns, lone_columns
from quorate.inference.means import mean_pivot
from quorate.inference.multiplicity import JointErrors, heterogeneity, max_t
from quorate.inference.outcome import Outcome, Verdict, decisive_ends, holm, verdict
from quorate.inference.pivot import Pivot, outcomes_of
from quorate.inference.scored_systems import ScoredSystems
from quorate.inference.uncertain_variance import UncertainVariance
from quorate.inference.units import Unit, item_groups
from quorate.metrics.metric import Metric

MOST_GROUPS = 1000
"""Groups, times pairs and metrics, that can be compared in some seconds."""


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
    def outcome(self) -> Outcome:
        """What the test says of the pair alone, as people read it."""
        return shown(self.tested.scored.metric, self.tested.outcome)

    @property
    def ends(self) -> tuple[float, float]:
        """The interval that decides who is better; the difference where only the sign test speaks."""
        return decisive_ends(float(self.outcome.difference), self.low, self.high, self.p, self.tested.test.level)


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
    if len(tested) == 1:
        [alone] = tested
        return [_judged(alone, alone.outcome, float(alone.outcome.p_value), alone.test.confidence, in_family=False)]
    several, test = len(tested), tested[0].test
    p, joint = _numbers(tested, "p_value"), 1 - test.level / several
    bonferroni = np.minimum(p * several, 1.0)
    pivots = [pair.pivot for pair in tested if pair.pivot is not None]
    if len(pivots) < several:
        wider = [pair.at(joint) for pair in tested]
        return [_judged(*each, joint, in_family=True) for each in zip(tested, wider, bonferroni, strict=True)]
    rng = generator(test.seed, "compare", "family", key)
    family = max_t(pivots, _joint_errors(tested), confidence=test.confidence, rng=rng)
    varies = np.isfinite(family.p_adjusted)
    p, levels = np.where(varies, np.fmax(family.p_adjusted, p), bonferroni), np.where(varies, family.confidence, joint)
    wider = [_hull(pair.outcome, each) for pair, each in zip(tested, outcomes_of(pivots, levels), strict=True)]
    return [_judged(*each, in_family=True) for each in zip(tested, wider, p, levels, strict=True)]


def _hull(alone: Outcome, together: Outcome) -> Outcome:
    """No comparison becomes easier in a family: its interval holds the one it has alone.

    (A set score of few items has a resampled law alone and the t pivot in the family.)
    """
    return replace(together, low=np.fmin(alone.low, together.low), high=np.fmax(alone.high, together.high))


def _judged(tested: TestedPair, outcome: Outcome, p: float, confidence: float, *, in_family: bool) -> JudgedPair:
    outcome = shown(tested.scored.metric, outcome)
    low, high, p = float(outcome.low), float(outcome.high), float(p)
    decided = verdict(
        float(outcome.difference),
        low,
        high,
        p,
        level=tested.test.level,
        margin=tested.test.margin,
        identical=tested.alike,
    )
    return JudgedPair(tested, decided, p, low, high, float(confidence), in_family)


def shown(metric: Metric, outcome: Outcome) -> Outcome:
    """Return an outcome as people read it: of strengths, the margins to expect."""
    if metric.shown is None:
        return outcome
    difference, low, high = (metric.shown(x) for x in (outcome.difference, outcome.low, outcome.high))
    near = 1e-6  # the slope there
    se = outcome.se * (metric.shown(outcome.difference + near) - metric.shown(outcome.difference - near)) / (2 * near)
    return replace(outcome, difference=difference, se=se, low=low, high=high)


def _numbers(tested: Sequence[TestedPair], name: str) -> Array:
    return np.array([float(getattr(pair.outcome, name)) for pair in tested])


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
        df = float(np.median([float(pivot.variance.items.df) for pivot in pivots]))
        blocks.append(JointErrors(list(columns.values()), df, _item_scale(list(columns.values()), pivots)))
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
    ratings = evaluation.ratings

    def prepare(kept: Array, name: str) -> list[PreparedPair]:
        unit = test.unit
        if unit.clusters is not None or unit.roster is not None:  # else nobody comes back in any group
            theirs = {system: part.keep(kept) for system, part in evaluation.rated.items()}
            unit = choose_unit(ratings.keep(kept), rated=theirs, within_group=True)
        within = [systems.take(np.flatnonzero(kept)) for systems in scored]
        return prepare_pairs(within, names, pairs, test.within(kept, unit, name))

    return judge_within(ratings, by, prepare, len(pairs) * len(scored))


def judge_within(
    ratings: Ratings, by: str | None, prepare: Callable[[Array, str], list[PreparedPair]], each: int
) -> tuple[dict[str, list[JudgedPair]], tuple[Heterogeneity, ...]]:
    """Judge what `prepare` makes of the items kept, ``(item,)``, of each group of two or more, all groups together.

    `each` is how many comparisons a group has.
    """
    if by is None:
        return {}, ()
    codes, grouping = item_groups(ratings, by, "--by"), ratings.item_groups[by]
    n_groups = int(codes.max()) + 1
    if n_groups * each > MOST_GROUPS:
        raise InputError(
            f"--by {by} has {n_groups:,} groups{f' with {each:,} comparisons each' if each > 1 else ''}; "
            f"{MOST_GROUPS:,} comparisons in groups can be made{', so name fewer with --systems' if each > 1 else ''}."
        )
    prepared: dict[str, list[PreparedPair]] = {}
    for code, label in enumerate(np.unique(grouping.code)):
        kept, name = codes == code, grouping.names[label]
        if kept.sum() >= 2:
            prepared[name] = prepare(kept, name)
    if not prepared:
        raise InputError(f"--by {by}: no group has two items or more.")
    tested = tested_pairs([pair for group in prepared.values() for pair in group])
    judged = iter(judge(tested, f"by {by}"))
    groups = {name: [next(judged) for _ in group] for name, group in prepared.items()}
    return groups, _heterogeneity([tested[first::each] for first in range(each)], by)


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
    """Tell whether some raters answered in several groups of items, each of which numbers its raters anew."""
    named = [raters for pair in groups if (raters := pair.raters) is not None]
    return len({name for raters in named for name in raters}) < sum(map(len, named))
