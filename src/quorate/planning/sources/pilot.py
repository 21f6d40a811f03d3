"""What a pilot with answers tells: the spread of its item differences, and how its raters differ.

For a score linear in the raters, d_i = mean over the item's raters of their own differences, so with K raters
Var d = σ_b² + σ_w² / K: σ_w² is the mean within-item variance over raters, σ_b² = Var d_i − mean(v_i / K_i), and the
cheapest number of raters is K* = sqrt(c_item / c_rating · σ_w² / σ_b²). Panel scores are resampled at fewer raters.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.agreement.variance_parts import VarianceParts, variance_components
from quorate.data.ratings import Ratings
from quorate.data.summaries import Counts, Summary, Values
from quorate.data.topology import find_batches
from quorate.inference.crossed import Crossing
from quorate.inference.influence import splits_by_rater
from quorate.inference.means import mean_pivot
from quorate.inference.roster import roster_of
from quorate.inference.scored_systems import score_systems
from quorate.inference.units import item_groups
from quorate.metrics.metric import Metric, largest_difference
from quorate.planning.laws.draws import differences, sampled_law
from quorate.planning.laws.item_law import ItemLaw
from quorate.planning.laws.rater_law import ItemShape
from quorate.planning.sources.posterior import RaterSquare, SpreadPosterior, component_posterior, item_posterior
from quorate.populations.population import Draw
from quorate.populations.resampled import subsets

PANEL_DRAWS = 40
"""Random sub-panels drawn per item for a panel score."""
REPLAYS, FEWEST_REPLAYS = 1000, 200
REPLAYED_ITEMS, BATCHED_ITEMS = 2_000_000, 100_000  # small batches stay in the cache
"""Studies replayed, fewer of large ones: at most so many items in all. Where that is too few studies, none is: their
means are normal then, as the plan has them."""
FEWEST_RATERS = 10
"""Below so many raters a pilot hardly tells how people differ."""


@dataclass(frozen=True)
class Pilot:
    """A pilot study of two systems, better one first.

    Parameters
    ----------
    metric
        An item metric, or one of the whole set.
    raters, a, b
        Summaries of one data set.
    difference
        The difference to plan for; the observed variances are kept and the mean is set to it.
    seed
        Seed of sub-panels and resamples.
    """

    metric: Metric
    raters: Summary
    a: Summary
    b: Summary
    difference: float
    seed: int = 0

    def __post_init__(self) -> None:
        if len(self.observed) < 2:
            raise InputError("a pilot of one item shows no spread: give the ratings of at least two items.")

    @cached_property
    def observed(self) -> Array:
        """Differences per item, ``(item,)``; for a set score, its value plus the item's influence."""
        return differences(self.metric, Draw(self.raters, self.a, self.b))

    @property
    def sizes(self) -> Array:
        """Raters per item, ``(item,)``."""
        return np.asarray(self.raters.size)

    @cached_property
    def components(self) -> VarianceParts | None:
        """Components of a score linear in the raters; None for others, or if no item has two raters."""
        spread = self._within_items()
        if spread is None or not (self.sizes > 1).any():
            return None
        several = self.sizes > 1
        within = float(spread[several].mean())
        noise = np.where(several, spread, within) / self.sizes  # one rater shows no spread: the mean stands in
        return VarianceParts(max(float(self.observed.var(ddof=1) - noise.mean()), 0.0), None, within)

    def _within_items(self) -> Array | None:
        """Unbiased variance over the raters of each item's own differences, ``(item,)``."""
        answers, size = self._answers(), self.sizes
        if answers is None:
            return None
        d, times = answers
        mean, square = (np.where(times > 0, times * x, 0.0).sum(-1) / size for x in (d, d**2))
        return np.asarray(np.maximum(square - mean**2, 0.0) * size / np.maximum(size - 1.0, 1.0))

    def _answers(self) -> tuple[Array, Array] | None:
        """What each answer of an item shows and how often it was given, ``(item, place)``; None for panel scores."""
        raters = self.raters
        if not self.metric.linear or not isinstance(raters, Counts | Values):
            return None
        d = score_systems(self.metric, raters, [self.a, self.b]).answer_differences(0, 1)
        return d, np.asarray(raters.counts if isinstance(raters, Counts) else raters.present)

    @property
    def most_raters(self) -> int | None:
        """Most raters per item that can be planned for; None for no limit."""
        return None if self.components is not None else int(np.min(self.sizes))

    def law(self, n_raters: int) -> ItemLaw:
        """Return the law of one item's difference with K raters, its mean the planned difference."""
        if self.components is not None:
            between, _, within = self.components.amounts
            wanted = np.sqrt(between + within / n_raters)
            observed = self.observed - self.observed.mean()
            sd = observed.std()
            values = observed * (wanted / sd if sd > 0 else 0.0)
            return self._taken(values + self.difference)
        most = self.most_raters
        if most is not None and n_raters > most:
            raise InputError(f"the pilot has {most} raters per item; {self.metric.name} cannot be planned for more.")
        draws = self._sub_panels(n_raters)
        return self._taken((draws - draws.mean() + self.difference).reshape(-1))

    def _taken(self, values: Array) -> ItemLaw:
        """The pilot taken as it is: what it cannot know is in the posterior."""
        return replace(sampled_law(values, mean_error=0.0), draws=0, reach=self.reach)

    def _sub_panels(self, n_raters: int) -> Array:
        """Differences with K raters drawn without replacement from each item's, ``(draw, item)``."""
        if bool((self.sizes == n_raters).all()):
            return self.observed[None]
        rng = generator(self.seed, "sub-panels", n_raters)
        panels = (_sub_panel(self.raters, n_raters, rng) for _ in range(PANEL_DRAWS))
        return np.stack([differences(self.metric, Draw(panel, self.a, self.b)) for panel in panels])

    @cached_property
    def shape(self) -> ItemShape:
        """Cumulants of an item's difference, a line in 1/K through those of single raters and of all an item has."""
        whole, one = _cumulants(self.observed, np.full(len(self.observed), 1.0)), self._single_cumulants()
        seen = 1 / float(np.mean(1 / self.sizes))
        rest = 1 - 1 / seen
        if one is None or rest <= 0:
            third, fourth = ((each, 0.0) for each in whole)
            return ItemShape(third, fourth, seen)
        third, fourth = (
            (single - (single - mean) / rest, (single - mean) / rest) for mean, single in zip(whole, one, strict=True)
        )
        return ItemShape(third, fourth, seen)

    def _single_cumulants(self) -> tuple[float, float] | None:
        """Third and fourth cumulant of what single raters show; None where scores do not split by rater."""
        answers = self._answers()
        if answers is None:
            return None
        d, times = answers
        weight = times / self.sizes[:, None]
        return _cumulants(np.where(weight > 0, d, 0.0), weight)

    @cached_property
    def reach(self) -> float:
        """How far apart the systems can be on one item."""
        return largest_difference(self.metric, (self.raters, self.a, self.b))

    @cached_property
    def posterior(self) -> SpreadPosterior:
        """Spreads of items that may be true."""
        spread = None if self.components is None else self._within_items()
        rng = generator(self.seed, "pilot posterior")
        return item_posterior(self.observed, spread, self.sizes, self.reach, rng)

    def posterior_sds(self, n_raters: int) -> Array:
        """Return spreads of one item's difference with K raters that may be true, ``(draw,)``."""
        scale = 1.0
        if self.components is None:
            scale = self.law(n_raters).sd / max(float(self.observed.std()), 1e-300)
        return np.asarray(np.maximum(scale * self.posterior.sds(n_raters), 1e-300))

    def replay(self, n_items: int, n_raters: int, confidence: float, margin: float | None = None) -> float | None:
        """Return how often studies of that size, drawn from the pilot, would have favoured A; None for large ones."""
        rng = generator(self.seed, "replay", n_items, n_raters)
        n, decided, bound = len(self.observed), 0, 0.0 if margin is None else -margin
        batch = max(1, BATCHED_ITEMS // n_items)
        replays = min(REPLAYED_ITEMS // n_items, REPLAYS)
        if replays < FEWEST_REPLAYS:
            return None
        for start in range(0, replays, batch):
            item = rng.integers(0, n, (min(batch, replays - start), n_items))
            raters = _with_replacement(self.raters, item, n_raters, rng)
            study = Draw(raters, self.a.take(item), self.b.take(item))
            pivot = mean_pivot(differences(self.metric, study), reach=self.reach, unseen=margin is not None)
            at = np.full(pivot.estimate.shape, bound)
            decided += int(((pivot.p_value(at) <= 1 - confidence) & (pivot.estimate > bound)).sum())
        return decided / replays


@dataclass(frozen=True)
class PilotRaters:
    """Variance components of a pilot's differences, and the sizes they rest on.

    Parameters
    ----------
    parts
        The components; with one rater per item, item and rest cannot be told apart and all counts as item.
    square
        How far the raters differ.
    n_raters, per_item
        Raters of the pilot, and responses per item.
    one_rater
        Whether every item has one rater only.
    only
        The number of raters per item the components hold for; None for any.
    """

    parts: VarianceParts
    square: RaterSquare
    n_raters: int
    per_item: float
    one_rater: bool = False
    only: int | None = None

    @property
    def few(self) -> bool:
        """Whether so few people hardly tell how others would differ."""
        return self.n_raters < FEWEST_RATERS

    def truths(self, items: SpreadPosterior, seed: int, *, limits: bool = False) -> Array:
        """Return components that may be true, ``(component, draw)``, for their mean or as limits."""
        rng = generator(seed, "pilot raters")
        return component_posterior(self.parts.amounts, self.per_item, self.square, items, rng, limits=limits)


def _cumulants(values: Array, weight: Array) -> tuple[float, float]:
    """Return the third and the fourth cumulant of weighted values."""
    share = weight / weight.sum()
    centred = values - float((values * share).sum())
    second, third, fourth = (float((centred**power * share).sum()) for power in (2, 3, 4))
    return third, fourth - 3 * second**2


def find_groups(ratings: Ratings, unit: str) -> Array:
    """Return the group of each item for ``batches`` or ``cluster:COLUMN``, ``(item,)``."""
    if unit == "batches" and ratings.rater is None:
        raise InputError("--unit batches needs to know who answered; name the column with --rater-column.")
    column = unit.removeprefix("cluster:")
    groups = find_batches(ratings) if unit == "batches" else item_groups(ratings, column, "--unit")
    if groups.max() == 0:
        raise InputError(f"--unit {unit}: all items are in one group, which shows no spread; leave --unit out.")
    return groups


def pilot_raters(metric: Metric, ratings: Ratings, a: Summary, b: Summary) -> PilotRaters | None:
    """Return the variance components of a pilot's differences; None where it does not tell.

    Raters must be known and come back; a panel score needs as many of them on every item.
    """
    roster, sizes = roster_of(ratings), np.unique(ratings.size)
    if roster is None or not splits_by_rater(metric) or not (metric.linear or len(sizes) == 1):
        return None
    systems, cells = score_systems(metric, ratings.summary, [a, b]), roster.crossing
    values = roster.read(systems.answer_differences(0, 1))
    parts = variance_components(cells.item, cells.rater, values)
    if parts.rater is None or parts.residual is None:
        return None
    one_rater = parts.item is None
    return PilotRaters(
        parts=VarianceParts(item=parts.residual, rater=parts.rater, residual=0.0) if one_rater else parts,
        square=rater_square(values, cells),
        n_raters=len(np.unique(cells.rater)),
        per_item=len(cells.item) / len(np.unique(cells.item)),
        one_rater=one_rater,
        only=None if metric.linear else int(sizes[0]),
    )


def rater_square(values: Array, cells: Crossing) -> RaterSquare:
    """Return how far raters differ, of what each sees on each item, ``(cell,)``."""
    parts = cells.by_rater(cells.weight * (values - (cells.weight * values).sum()))
    of_item, of_rater, of_rest = (float(x) for x in cells.expectations[0][1])
    return RaterSquare(float((parts**2).sum()), of_item, of_rater, of_rest, float(cells.rater_df))


def _sub_panel(raters: Summary, n_raters: int, rng: np.random.Generator) -> Summary:
    """Draw K of each item's answers without replacement: the first K in a random order."""
    if isinstance(raters, Values):
        keys = np.where(raters.present, rng.random(raters.values.shape), 2.0)
        return _picked(raters, np.argsort(keys, axis=-1)[:, :n_raters])
    assert isinstance(raters, Counts)
    return Counts(subsets(raters.counts, n_raters, rng), raters.levels)


def _with_replacement(raters: Summary, item: Array, n_raters: int, rng: np.random.Generator) -> Summary:
    """Draw K answers to each of these items, ``(..., item)``, from those it has."""
    if isinstance(raters, Counts):
        return Counts(rng.multinomial(n_raters, raters.share[item]), raters.levels)
    assert isinstance(raters, Values)
    drawn = raters.take(item)
    return _picked(drawn, (rng.random((*item.shape, n_raters)) * drawn.size[..., None]).astype(int))


def _picked(raters: Values, places: Array) -> Values:
    """The answers at these places of each item, ``(item, rater)``."""
    values = np.sort(np.take_along_axis(raters.values, places, -1), -1)
    return Values(values, np.full(raters.size.shape, places.shape[-1]))
