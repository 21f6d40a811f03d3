"""Plan from a pilot in which people, or one scorer, rated the systems' own outputs.

Where the same people rate both outputs of an item, a rater's difference ``d_ij = y_ijA − y_ijB`` is one number: what
makes a rater strict, or an item hard for him, cancels. Where others rate the other output, it does not, and
``Var d_i = σ_item² + (σ_A² + σ_B²) / K``, σ_A² the variance among the raters of an output of A. The pilot's own design
is planned for; the other one is worked out beside it, as far as the pilot shows it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from quorate._errors import InputError
from quorate._text import count
from quorate._typing import Array
from quorate.agreement.variance_parts import VarianceParts, variance_components
from quorate.data.evaluation import Evaluation
from quorate.data.ratings import Ratings
from quorate.inference.crossed import Crossing
from quorate.inference.influence import answer_values
from quorate.inference.roster import rosters_of_rated
from quorate.metrics.metric import Metric, largest_difference
from quorate.metrics.registry import choose_metric
from quorate.planning.people import SharedPool
from quorate.planning.question import NEW_RATERS, PlanQuestion
from quorate.planning.search import StudySource
from quorate.planning.sources.pilot import Pilot, PilotRaters, rater_square
from quorate.planning.sources.pilot_source import FEW_WORDS, PilotRatersSource, PilotSource, pool_law
from quorate.planning.sources.posterior import RaterSquare

MOSTLY = 0.5
"""Share of ratings whose rater rated the other output too from which on a design is paired."""
UNSHOWN = (
    "nobody rated both outputs of an item, so the pilot does not show what the same people for both would save: what "
    "makes one strict cancels then, so it is hardly ever dearer. Have a few items rated so."
)


@dataclass(frozen=True)
class RatedPilot(Pilot):
    """A pilot of two rated systems.

    Parameters
    ----------
    differences
        Difference of the two systems on each item, ``(item,)``.
    spreads
        What one rater, or one of each output, varies by within an item, ``(item,)``; nan where it does not show.
    raters_each
        Raters of an item, or of each output, ``(item,)``.
    """

    differences: Array = field(default_factory=lambda: np.zeros(0), repr=False)
    spreads: Array = field(default_factory=lambda: np.zeros(0), repr=False)
    raters_each: Array = field(default_factory=lambda: np.zeros(0), repr=False)

    @cached_property
    def observed(self) -> Array:
        """Differences per item, ``(item,)``."""
        return self.differences

    @property
    def sizes(self) -> Array:
        """Raters per item, or per output, ``(item,)``."""
        return self.raters_each

    def _within_items(self) -> Array | None:
        return np.nan_to_num(self.spreads)

    def _answers(self) -> None:
        """Single ratings are not kept."""

    def replay(self, n_items: int, n_raters: int, confidence: float, margin: float | None = None) -> None:
        """Ratings of outputs are not drawn anew: the spread is all that is taken from them."""


@dataclass(frozen=True)
class RatedCells:
    """Ratings of one system's outputs, a cell per item and rater, oriented so that more is better; ``(cell,)`` each."""

    item: Array
    rater: Array
    value: Array
    n_items: int

    @property
    def parts(self) -> VarianceParts:
        """Where one rating varies."""
        return variance_components(self.item, self.rater, self.value)

    @property
    def crossing(self) -> Crossing:
        """Who rated what; items weigh alike, and so do the ratings of an item."""
        n = np.bincount(self.item, minlength=self.n_items)
        weight = 1 / (self.n_items * n[self.item])
        return Crossing(self.item, self.rater, weight, self.n_items, int(self.rater.max()) + 1)

    def within(self) -> tuple[Array, Array, Array]:
        """Mean, variance and number of the ratings of each item, ``(item,)``."""
        n = np.bincount(self.item, minlength=self.n_items)
        mean = np.bincount(self.item, self.value, self.n_items) / n
        square = np.bincount(self.item, (self.value - mean[self.item]) ** 2, self.n_items)
        return mean, np.where(n > 1, square / np.maximum(n - 1, 1), np.nan), n


@dataclass(frozen=True)
class RatedDesigns:
    """The pilot as it is, and as the other design: who rates both outputs of an item, and who rates one."""

    source: StudySource
    other: StudySource | None
    paired: bool


def rated_designs(question: PlanQuestion, evaluation: Evaluation, metric: str | None) -> RatedDesigns:
    """Return the source of a rated pilot, and that of the other design if raters have names."""
    names = list(question.systems or evaluation.systems)
    if len(names) != 2 or evaluation.split:
        raise InputError(
            f"A plan is about two systems rated on the same items, and there are {len(set(names))}; name them with "
            "--systems A,B."
        )
    question.refuse(
        ("effect", "score", "systems_agree", "answers", "rater_share"), "with --rated-system; leave it out."
    )
    if question.difference is None:
        raise InputError("With --rated-system say --difference: the difference that matters, in the ratings' units.")
    scale = evaluation.ratings.scale
    score = choose_metric(metric, scale.kind, labels=scale.categories, rated=True)
    if score.contest_of is not None:
        raise InputError("Rated outputs are planned by mean_rating; leave --metric out.")
    rated = {name: evaluation.rated[name] for name in names}
    cells = _cells(score, rated)
    if cells is None:
        return RatedDesigns(_one_scorer(question, score, rated, evaluation), None, paired=False)
    both = _both(*cells)
    paired = both is not None and len(both.item) >= MOSTLY * min(len(each.item) for each in cells)
    apart = _source(question, score, rated, cells, paired=False, warnings=() if both is not None else (UNSHOWN,))
    together = None if both is None else _source(question, score, rated, both, paired=True)
    if paired and together is not None:
        return RatedDesigns(together, apart, paired=True)
    return RatedDesigns(apart, together, paired=False)


def _cells(metric: Metric, rated: Mapping[str, Ratings]) -> tuple[RatedCells, RatedCells] | None:
    """Return who gave which rating to each system; None where raters have no names, or one rated all."""
    first, second = rated.values()
    if first.raters is None or second.raters is None or first.n_raters == second.n_raters == 1:
        return None
    rosters, made = rosters_of_rated(rated), []
    sign = 1.0 if metric.better == "high" else -1.0
    for name, part in rated.items():
        roster, table = rosters[name], answer_values(metric, part.summary, [part.summary])[0]
        crossing = roster.crossing
        made.append(RatedCells(crossing.item, crossing.rater, sign * roster.read(table), part.n_items))
    return made[0], made[1]


def _both(a: RatedCells, b: RatedCells) -> RatedCells | None:
    """Return the differences of those who rated both outputs of an item; None unless every item has one."""
    width = int(max(a.rater.max(), b.rater.max())) + 1
    of_a, of_b = (each.item.astype(np.int64) * width + each.rater for each in (a, b))
    shared, in_a, in_b = np.intersect1d(of_a, of_b, assume_unique=True, return_indices=True)
    items, code = np.unique(shared // width, return_inverse=True)
    if len(items) < 2:
        return None
    return RatedCells(code, shared % width, a.value[in_a] - b.value[in_b], len(items))


def _source(
    question: PlanQuestion,
    metric: Metric,
    rated: Mapping[str, Ratings],
    cells: RatedCells | tuple[RatedCells, RatedCells],
    *,
    paired: bool,
    warnings: tuple[str, ...] = (),
) -> StudySource:
    """Return the source of one design: raters count as random if they come back, else they are new on every item."""
    if isinstance(cells, RatedCells):
        mean, spread, size = cells.within()
        parts = cells.parts
    else:
        mean, spread, size = _within_apart(*cells)
        parts = _parts_apart(*cells, mean, spread, size)
    first, second = rated
    pilot = _pilot(question, metric, rated, mean, spread, size)
    who = "the same raters for both outputs of an item" if paired else "other raters for each output of an item"
    words = f"with the spread seen in {len(mean):,} pilot items, {first} against {second}, {who}"
    reach = largest_difference(metric, [part.summary for part in rated.values()])
    plain = PilotSource(metric=metric, assumption=words, pilot=pilot, reach=reach, warnings=warnings)
    if question.unit in NEW_RATERS or parts.rater is None or parts.residual is None:
        return plain
    raters = PilotRaters(
        parts=VarianceParts(parts.residual, parts.rater, 0.0) if parts.item is None else parts,
        square=rater_square(cells.value, cells.crossing) if isinstance(cells, RatedCells) else _square_apart(*cells),
        n_raters=_people(cells),
        per_item=float(np.mean(size)),
        one_rater=parts.item is None,
    )
    pool = max(raters.n_raters, 2) if question.pool is None else question.pool
    law = pool_law(pilot, raters.parts, pool, question.max_per_rater)
    few = (FEW_WORDS.format(count(raters.n_raters, "rater")),) if raters.few else ()
    return PilotRatersSource(
        metric=metric,
        assumption=f"{words}; {count(raters.n_raters, 'rater')} came back on other items, so raters count as random",
        warnings=(*warnings, *few),
        reach=reach,
        pilot=pilot,
        people=SharedPool(law, pool),
        raters=raters,
    )


def _pilot(
    question: PlanQuestion, metric: Metric, rated: Mapping[str, Ratings], mean: Array, spread: Array, size: Array
) -> RatedPilot:
    """Return the pilot of differences, of what one rater varies by, and of raters of each item, ``(item,)``."""
    first, second = (part.summary for part in rated.values())
    return RatedPilot(
        metric,
        first,
        first,
        second,
        question.difference or 0.0,
        question.seed,
        differences=mean,
        spreads=spread,
        raters_each=size,
    )


def _people(cells: RatedCells | tuple[RatedCells, RatedCells]) -> int:
    each = [cells] if isinstance(cells, RatedCells) else list(cells)
    return len(np.unique(np.concatenate([one.rater for one in each])))


def _within_apart(a: RatedCells, b: RatedCells) -> tuple[Array, Array, Array]:
    """Difference of the means, what one rater of each output varies by, and raters of each, ``(item,)``."""
    (mean_a, spread_a, n_a), (mean_b, spread_b, n_b) = a.within(), b.within()
    usual = [np.nanmean(each) if np.isfinite(each).any() else np.nan for each in (spread_a, spread_b)]
    spread = np.where(np.isnan(spread_a), usual[0], spread_a) + np.where(np.isnan(spread_b), usual[1], spread_b)
    return mean_a - mean_b, spread, 2 / (1 / n_a + 1 / n_b)


def _parts_apart(a: RatedCells, b: RatedCells, mean: Array, spread: Array, size: Array) -> VarianceParts:
    """Where the difference varies if the raters of both outputs are others: their habits add up.

    Deviates: people who rate outputs of both systems on other items would cancel part of their own habits; a pilot
    hardly shows it, so both parts count.
    """
    of_a, of_b = a.parts, b.parts
    if of_a.rater is None or of_b.rater is None or of_a.residual is None or of_b.residual is None:
        return VarianceParts(None, None, None)
    rater, rest = of_a.rater + of_b.rater, of_a.residual + of_b.residual
    item = max(float(mean.var(ddof=1)) - float(np.mean((rater + rest) / size)), 0.0)
    return VarianceParts(item, rater, rest)


def _square_apart(a: RatedCells, b: RatedCells) -> RaterSquare:
    """How far raters differ where each output has its own: that of both, less what the items differ by."""
    squares = [rater_square(each.value, each.crossing) for each in (a, b)]
    items = [each.parts.amounts[0] for each in (a, b)]
    seen = sum(max(one.amount - one.of_item * item, 0.0) for one, item in zip(squares, items, strict=True))
    of_rater, of_rest = (float(np.mean([getattr(one, name) for one in squares])) for name in ("of_rater", "of_rest"))
    return RaterSquare(seen, 0.0, of_rater, of_rest, min(one.df for one in squares))


def _one_scorer(
    question: PlanQuestion, metric: Metric, rated: Mapping[str, Ratings], evaluation: Evaluation
) -> PilotSource:
    """Return the source of marks without raters: only items can be bought."""
    sign = 1.0 if metric.better == "high" else -1.0
    first, second = rated
    parts = [metric.score(part.summary, part.summary) for part in rated.values()]
    differences = sign * (parts[0] - parts[1])
    ones = np.ones(len(differences))
    pilot = _pilot(question, metric, rated, differences, np.full(len(ones), np.nan), ones)
    who = "one scorer gave every mark, so only items vary" if evaluation.kind == "scores" else "raters unknown"
    words = f"with the spread seen in {len(ones):,} pilot items, {first} against {second}; {who}"
    reach = largest_difference(metric, [part.summary for part in rated.values()])
    runs = "runs are averaged as in the pilot: what a lucky run adds to all its items is not planned for."
    warnings = (runs,) if evaluation.answers else ()
    return PilotSource(metric=metric, assumption=words, pilot=pilot, reach=reach, warnings=warnings)
