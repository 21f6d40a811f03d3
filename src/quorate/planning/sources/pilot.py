"""Plan from a pilot with the systems' answers: the observed item differences, their mean set to the one that matters.

For a score linear in the raters, d_i = mean over the item's raters of their own differences, so with K raters
Var d = σ_b² + σ_w² / K: σ_w² is the mean within-item variance over raters, σ_b² = Var d_i − mean(v_i / K_i), and the
cheapest number of raters is K* = sqrt(c_item / c_rating · σ_w² / σ_b²). Panel scores are resampled at fewer raters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.agreement.variance_parts import VarianceParts
from quorate.data.summaries import Counts, Summary, Values
from quorate.inference.outcome import mean_test
from quorate.metrics.contests import settle
from quorate.metrics.metric import Metric
from quorate.planning.laws.draws import differences, sampled_law
from quorate.planning.laws.item_law import ItemLaw
from quorate.planning.laws.law import Law
from quorate.planning.sources.study_source import StudySource
from quorate.planning.study_size import StudySize
from quorate.populations.population import Draw

if TYPE_CHECKING:
    from quorate.planning.search import Search

__all__ = ["Pilot", "PilotSource"]

PANEL_DRAWS = 40
"""Random sub-panels drawn per item for a panel score."""
BOOTSTRAPS = 400
REPLAYS, FEWEST_REPLAYS = 1000, 200
REPLAYED_ITEMS = 3_000_000
"""Studies replayed, fewer of large ones: at most so many items in all."""


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
        """Observed differences per item, ``(item,)``; for a set score, its value plus the influence of each item."""
        return differences(self.metric, Draw(self.raters, self.a, self.b))

    @cached_property
    def components(self) -> VarianceParts | None:
        """Variance components of a score linear in the raters; None for others, or if no item has two raters."""
        spread = self._within_items()
        if spread is None or not (self.raters.size > 1).any():
            return None
        several = self.raters.size > 1
        within = float(spread[several].mean())
        noise = np.where(several, spread, within) / self.raters.size  # one rater shows no spread: the mean stands in
        return VarianceParts(max(float(self.observed.var(ddof=1) - noise.mean()), 0.0), None, within)

    def _within_items(self) -> Array | None:
        """Unbiased variance over the raters of each item's own differences, ``(item,)``."""
        metric = settle(self.metric, self.raters, [self.a, self.b])
        if not metric.linear or not isinstance(self.raters, Counts) or metric.credit is None:
            return self._within_values(metric)
        credit = metric.credit(self.a) - metric.credit(self.b)
        mean = (self.raters.share * credit).sum(-1)
        square = (self.raters.share * credit**2).sum(-1)
        return _unbiased(square - mean**2, self.raters.size)

    def _within_values(self, metric: Metric) -> Array | None:
        if not metric.linear or not isinstance(self.raters, Values) or metric.answer_credit is None:
            return None
        answers, there = self.raters.values, self.raters.present
        credit = metric.answer_credit(self.a, answers) - metric.answer_credit(self.b, answers)
        mean = np.where(there, credit, 0.0).sum(-1) / self.raters.size
        square = np.where(there, credit**2, 0.0).sum(-1) / self.raters.size
        return _unbiased(square - mean**2, self.raters.size)

    @property
    def most_raters(self) -> int | None:
        """Most raters per item that can be planned for; None for no limit."""
        if self.components is not None:
            return None
        return int(np.min(self.raters.size))

    def law(self, n_raters: int) -> ItemLaw:
        """Return the law of one item's difference with K raters, its mean set to the planned difference."""
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

    @staticmethod
    def _taken(values: Array) -> ItemLaw:
        """The pilot is taken as it is: what it cannot know is in the bootstrap, not in the Monte-Carlo error."""
        return replace(sampled_law(values, mean_error=0.0), draws=0)

    def _sub_panels(self, n_raters: int) -> Array:
        """Differences with K raters drawn without replacement from each item's, ``(draw, item)``."""
        if bool((self.raters.size == n_raters).all()):
            return self.observed[None]
        rng = generator(self.seed, "sub-panels", n_raters)
        return np.stack(
            [
                differences(self.metric, Draw(_sub_panel(self.raters, n_raters, rng), self.a, self.b))
                for _ in range(PANEL_DRAWS)
            ]
        )

    def bootstrap_sds(self, n_raters: int) -> Array:
        """Return the sd of one item's difference in pilots drawn anew from this one's items, ``(pilot,)``."""
        rng = generator(self.seed, "bootstrap", n_raters)
        n = len(self.observed)
        weights = rng.multinomial(n, np.full(n, 1.0 / n), size=BOOTSTRAPS) / n
        mean = weights @ self.observed
        variance = (weights @ self.observed**2 - mean**2) * n / (n - 1.0)
        spread = self._within_items()
        if self.components is None or spread is None:
            scale = self.law(n_raters).sd / max(float(self.observed.std()), 1e-300)
            return np.asarray(np.sqrt(np.maximum(variance, 0.0)) * scale)
        several = self.raters.size > 1
        within = weights[:, several] @ spread[several] / np.maximum(weights[:, several].sum(-1), 1e-300)
        between = np.maximum(variance - within * (1.0 / self.raters.size).mean(), 0.0)
        return np.asarray(np.sqrt(between + within / n_raters))

    def replay(self, n_items: int, n_raters: int, confidence: float, margin: float | None = None) -> float:
        """Return how often studies of that size, drawn from the pilot itself, would have favoured A."""
        rng = generator(self.seed, "replay", n_items, n_raters)
        n, decided, bound = len(self.observed), 0, 0.0 if margin is None else -margin
        batch = max(1, 2_000_000 // n_items)
        replays = int(np.clip(REPLAYED_ITEMS // n_items, FEWEST_REPLAYS, REPLAYS))
        for start in range(0, replays, batch):
            item = rng.integers(0, n, (min(batch, replays - start), n_items))
            study = Draw(_with_replacement(self.raters.take(item), n_raters, rng), self.a.take(item), self.b.take(item))
            decided += int((mean_test(differences(self.metric, study), confidence).low > bound).sum())
        return decided / replays


@dataclass(frozen=True, kw_only=True)
class PilotSource(StudySource):
    """Laws from the observed differences of a pilot, raters taken as new on every item."""

    pilot: Pilot

    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of one item's difference; a pilot is known no better on request."""
        return self.pilot.law(n_raters)

    def knows(self, n_raters: int) -> bool:
        """Tell whether a panel score was seen with so many raters."""
        return super().knows(n_raters) and n_raters <= (self.pilot.most_raters or n_raters)

    def raters_to_try(self, wanted: Sequence[int] | None) -> list[int]:
        """Return the numbers of raters per item to look at, those of the pilot or fewer for a panel score."""
        tried = [k for k in super().raters_to_try(wanted) if self.knows(k)]
        if not tried:
            raise InputError(
                f"The pilot has {self.pilot.most_raters} raters per item, and {self.metric.title} cannot be planned "
                "for more; ask for fewer with --raters."
            )
        return tried

    def doubt(self, search: "Search", best: StudySize) -> Mapping[str, Any]:
        """Bootstrap the pilot, and replay studies of the recommended size from it."""
        asked = search.question
        replay = self.pilot.replay(best.n_items, best.n_raters, asked.confidence, asked.margin)
        return pilot_doubt(self.pilot, search, best) | {"replay": replay}


def pilot_doubt(pilot: Pilot, search: "Search", best: StudySize) -> dict[str, Any]:
    """Return which N other pilots like this one would recommend, and what the plan then promises."""
    from scipy.special import ndtr, ndtri

    asked, n_raters = search.question, best.n_raters
    sds, sd = np.maximum(pilot.bootstrap_sds(n_raters), 1e-300), max(pilot.law(n_raters).sd, 1e-300)
    z = float(ndtri(0.5 + asked.confidence / 2))
    low, high = np.quantile(np.maximum(best.n_items * (sds / sd) ** 2, asked.floor), [0.05, 0.95])
    error = search.law(n_raters).standard_error(best.n_items)  # what groups of items share stays
    parts = pilot.components
    return {
        "items": len(pilot.observed),
        "between": None if parts is None else parts.item,
        "within": None if parts is None else parts.residual,
        "best_raters": None if parts is None else parts.best_raters(asked.item_price, asked.rating_price),
        "items_low": int(np.ceil(low)),
        "items_high": int(np.ceil(high)),
        "assurance": float(
            ndtr((pilot.difference + (asked.margin or 0.0)) / np.maximum(error * sds / sd, 1e-300) - z).mean()
        ),
        "replay": None,
    }


def _unbiased(spread: Array, size: Array) -> Array:
    return np.asarray(np.maximum(spread, 0.0) * size / np.maximum(size - 1.0, 1.0))


def _sub_panel(raters: Summary, n_raters: int, rng: np.random.Generator) -> Summary:
    """Draw K of each item's answers without replacement: the first K in a random order."""
    if isinstance(raters, Values):
        keys = np.where(raters.present, rng.random(raters.values.shape), 2.0)
        picked = np.argsort(keys, axis=-1)[:, :n_raters]
        return Values(np.sort(np.take_along_axis(raters.values, picked, -1), -1), np.full(raters.size.shape, n_raters))
    assert isinstance(raters, Counts)
    n, m = raters.counts.shape
    left, needed = raters.counts.sum(-1), np.full(n, n_raters)
    drawn = np.zeros((n, m), dtype=np.int64)
    for category in range(m):  # the multivariate hypergeometric, one category after the other
        here = raters.counts[:, category]
        drawn[:, category] = rng.hypergeometric(here, left - here, needed)
        left, needed = left - here, needed - drawn[:, category]
    return Counts(drawn, raters.levels)


def _with_replacement(raters: Summary, n_raters: int, rng: np.random.Generator) -> Summary:
    if isinstance(raters, Counts):
        return Counts(rng.multinomial(n_raters, raters.share), raters.levels)
    assert isinstance(raters, Values)
    picked = (rng.random((*raters.size.shape, n_raters)) * raters.size[..., None]).astype(int)
    return Values(np.sort(np.take_along_axis(raters.values, picked, -1), -1), np.full(raters.size.shape, n_raters))
