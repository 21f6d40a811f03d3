"""Pairs within groups of items: whether their difference varies by group, and each group by itself, as one family."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from quorate._errors import InputError
from quorate.comparing.judged_pairs import JudgedPair, judge
from quorate.comparing.tested_pairs import PairTest, TestedPair, run_pair_tests
from quorate.data.ratings import Ratings
from quorate.inference.multiplicity import heterogeneity
from quorate.inference.outcome import holm, mean_test
from quorate.inference.scored_systems import ScoredSystems
from quorate.inference.units import Unit, item_groups

__all__ = ["GroupVerdicts", "Heterogeneity", "judge_groups"]


@dataclass(frozen=True)
class GroupVerdicts:
    """The pairs within one group of items, judged."""

    group: str
    judged: tuple[JudgedPair, ...]


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


def judge_groups(
    scored: Sequence[ScoredSystems],
    names: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    test: PairTest,
    *,
    by: str | None,
    ratings: Ratings,
    rated: Mapping[str, Ratings],
    choose_unit: Callable[..., Unit],
) -> tuple[tuple[GroupVerdicts, ...], tuple[Heterogeneity, ...]]:
    """Compare within groups of items, each with the unit that fits who rated what there; one item is no group."""
    if by is None:
        return (), ()
    codes, grouping = item_groups(ratings, by, "--by"), ratings.item_groups[by]
    tested: dict[str, list[TestedPair]] = {}
    for code, label in enumerate(np.unique(grouping.code)):
        items, name = np.flatnonzero(codes == code), grouping.names[label]
        if len(items) >= 2:
            kept = codes == code
            unit = test.unit
            if unit.clusters is not None or unit.roster is not None:  # else nobody comes back in any group
                theirs = {system: part.keep(kept) for system, part in rated.items()}
                unit = choose_unit(ratings.keep(kept), rated=theirs, within_group=True)
            within = [systems.take(items) for systems in scored]
            tested[name] = run_pair_tests(within, names, pairs, test.within(kept, unit, name))
    if not tested:
        raise InputError(f"--by {by}: no group has two items or more.")
    judged = iter(judge([pair for group in tested.values() for pair in group], f"by {by}"))
    groups = tuple(GroupVerdicts(name, tuple(next(judged) for _ in group)) for name, group in tested.items())
    return groups, _heterogeneity([list(same) for same in zip(*tested.values(), strict=True)], by)


def _heterogeneity(pairs: Sequence[Sequence[TestedPair]], by: str) -> tuple[Heterogeneity, ...]:
    """Test for every pair and metric whether its difference is the same in all groups; Holm's p for all of them."""
    rows = []
    for same in pairs:
        tests = [mean_test(pair.scored.differences, clusters=pair.test.unit.clusters) for pair in same]
        difference, se, df = (np.array([float(getattr(test, x)) for test in tests]) for x in ("difference", "se", "df"))
        f, p = heterogeneity(difference, se, df + 1)
        rows.append(Heterogeneity(same[0].scored.metric.name, same[0].a, same[0].b, f, p, by, p))
    adjusted = holm(np.array([row.p_value for row in rows])).tolist()
    return tuple(replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True))
