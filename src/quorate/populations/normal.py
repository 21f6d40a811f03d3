"""The normal population: item i has a mean μ_i and an sd σ_i, and its answers are Normal(μ_i, σ_i).

Answers may be censored (what lies beyond the ends pools at the ends) or cut to discrete levels,
which makes counts sufficient. A system with perturbation ε answers around μ_i + U(−ε, ε)
[leaderboard, alg. 3; ratings, sec. 4].
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from scipy.special import ndtr

from quorate._errors import InputError
from quorate._text import number
from quorate._typing import Array
from quorate.data.scale import format_number
from quorate.data.summaries import Means, Values
from quorate.populations.families import Family, family_to_dict, family_words
from quorate.populations.population import AnswerLaws, Draw, Population, Request

Cut: TypeAlias = Literal["nearest", "down"]
"""How an unobserved value becomes a level: the nearest one, or the highest one that is not above it."""
TOGETHER = 4096
"""Items cut to levels at a time, few enough to stay in the cache."""


@dataclass(frozen=True)
class ItemNormals:
    """The parameters of items, each ``(..., item)``: one sd, and the means of the raters, of A and of B."""

    raters: Array
    a: Array
    b: Array
    sd: Array


@dataclass(frozen=True)
class NormalPopulation(Population):
    """Items with their own mean and sd, and normal answers: continuous, censored, or cut to levels.

    Parameters
    ----------
    means, sds
        The families of μ_i and σ_i.
    levels
        The levels of a discrete scale, rising; None for continuous answers.
    cut
        How values become levels; the lowest and highest level take all that lies beyond them.
    bounds
        Ends at which continuous answers are censored.
    mean_bounds
        Ends to which a system's shifted mean is clamped.

    Notes
    -----
    Null world: per answer, A's or B's mean with probability ½ [ratings, sec. 4.2: pooled answers].
    Deviates: leaderboard prints no clamp of B's mean; its numbers need one.
    """

    kind: ClassVar[str] = "normal"
    noun = "a normal population"

    means: Family
    sds: Family
    levels: Sequence[float] | None = None
    cut: Cut = "nearest"
    bounds: tuple[float, float] | None = None
    mean_bounds: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if float(self.sds.cdf(np.array(-1e-12))) > 0:
            raise InputError("the family of sds reaches below 0: truncate it at 0 or clip it there")
        if self.cut not in ("nearest", "down"):
            raise InputError(f"cut must be 'nearest' or 'down', not '{self.cut}'")
        if self.levels is not None and self.bounds is not None:
            raise InputError("levels already pool at their ends: give levels or bounds, not both")
        for name in ("levels", "bounds", "mean_bounds"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _rising(name, getattr(self, name)))

    @property
    def labels(self) -> tuple[str, ...]:
        """The levels as short numbers; empty for continuous answers."""
        return () if self.levels is None else tuple(format_number(level) for level in self.levels)

    @property
    def max_effect(self) -> float:
        """The width of the range a system's mean may move in; infinite without one."""
        return np.inf if self.mean_bounds is None else self.mean_bounds[1] - self.mean_bounds[0]

    @property
    def answer_range(self) -> tuple[float, float] | None:
        """The range a system's mean may move in."""
        return self.mean_bounds

    @property
    def knows_answers(self) -> bool:
        """Only levels have a probability."""
        return self.levels is not None

    @property
    def normals(self) -> "NormalPopulation":
        """Itself."""
        return self

    def item_normals(
        self, shape: tuple[int, ...], *, effect: float = 0.0, effect_a: float = 0.0, rng: np.random.Generator
    ) -> ItemNormals:
        """Draw the means and the sd of items."""
        mean, sd = self.means.draw(shape, rng=rng), self.sds.draw(shape, rng=rng)
        b = self._shifted(mean, effect, rng.uniform(-1.0, 1.0, shape))
        a = self._shifted(mean, effect_a, rng.uniform(-1.0, 1.0, shape)) if effect_a > 0 else mean
        return ItemNormals(mean, a, b, sd)

    def answer_laws(
        self, shape: tuple[int, ...], *, effect: float = 0.0, effect_a: float = 0.0, rng: np.random.Generator
    ) -> AnswerLaws:
        """Draw the items' normals, cut to the levels."""
        if self.levels is None:
            raise InputError("continuous answers have no probability per category: ask for a number of answers instead")
        items = self.item_normals(shape, effect=effect, effect_a=effect_a, rng=rng)
        raters, b = (level_probabilities(mean, items.sd, self._cuts) for mean in (items.raters, items.b))
        a = raters if items.a is items.raters else level_probabilities(items.a, items.sd, self._cuts)
        return AnswerLaws(raters, a, b, np.array(self.levels))

    def perturbed(self, laws: Array, effect: float, *, rng: np.random.Generator) -> Array:
        """Return the laws moved along the scale by what a perturbed system is off on each item, ``(item, category)``.

        An answer may have been any value of its level; the levels at the ends take all that lies beyond them.
        """
        levels = np.array(self.levels)
        offset = self.offsets(laws @ levels, effect, rng=rng)
        return moved_laws(laws, offset, levels, self._cuts)

    def offsets(self, means: Array, effect: float, *, rng: np.random.Generator) -> Array:
        """Return ``U(−ε, ε)``, clamped where means are, ``(item,)``."""
        return self._shifted(means, effect, rng.uniform(-1.0, 1.0, means.shape)) - means

    def effect_words(self, effect: float) -> str:
        """Say how far B's mean may be off."""
        return f"if system B's mean answer is off by up to {number(effect)} on each item"

    def words(self) -> str:
        """Name both families."""
        answers = "continuous answers" if self.levels is None else f"{len(self.levels)} levels"
        return (
            f"{self.noun} with {answers}, means {self.means.family} ({family_words(self.means)}), "
            f"sds {self.sds.family} ({family_words(self.sds)})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the population as plain data."""
        ends = {name: getattr(self, name) for name in ("levels", "bounds", "mean_bounds")}
        return {
            "kind": self.kind,
            "means": family_to_dict(self.means),
            "sds": family_to_dict(self.sds),
            "cut": self.cut,
            **{name: None if values is None else list(values) for name, values in ends.items()},
        }

    @cached_property
    def _cuts(self) -> Array:
        return thresholds(np.array(self.levels), self.cut)

    def _shifted(self, mean: Array, effect: float, direction: Array) -> Array:
        shifted: Array = mean + effect * direction
        return shifted if self.mean_bounds is None or effect == 0 else np.clip(shifted, *self.mean_bounds)

    def _draw(self, request: Request, rng: np.random.Generator) -> Draw:
        if self.levels is not None or request.answers_a is None or request.answers_b is None:
            return super()._draw(request, rng)
        items = self.item_normals(request.shape, effect=request.effect, effect_a=request.effect_a, rng=rng)

        def answers(centres: tuple[Array, Array], n: int) -> Means | Values:
            if request.needs == "means" and self.bounds is None:
                return draw_means(centres, items.sd, n, rng=rng)
            values = draw_values(centres, items.sd, n, self.bounds, rng=rng)
            return values if request.needs == "values" else Means(values.mean, values.size)

        of_a, of_b = ((items.a, items.b),) * 2 if request.null else ((items.a, items.a), (items.b, items.b))
        return Draw(
            raters=answers((items.raters, items.raters), request.n_raters),
            a=answers(of_a, request.answers_a),
            b=answers(of_b, request.answers_b),
        )


def _rising(name: str, values: Sequence[float]) -> tuple[float, ...]:
    numbers = tuple(float(value) for value in values)
    if len(numbers) < 2 or not np.isfinite(numbers).all() or not (np.diff(numbers) > 0).all():
        raise InputError(f"{name} must be at least two rising numbers, not {list(values)}")
    if name != "levels" and len(numbers) != 2:
        raise InputError(f"{name} must be two numbers, low and high, not {list(values)}")
    return numbers


def thresholds(levels: Array, cut: Cut) -> Array:
    """Return the values at which one level gives way to the next, one fewer than there are levels."""
    return levels[1:] if cut == "down" else (levels[1:] + levels[:-1]) / 2


def level_probabilities(mean: Array, sd: Array, cuts: Array) -> Array:
    """Return P(level m) = Φ((t_m − μ)/σ) − Φ((t_{m−1} − μ)/σ), ``(..., level)``, with thresholds t [ratings, sec. 4.3].

    With sd = 0 the level is certain; a value that lies on a threshold belongs to the level above.
    """
    means, sds = mean.reshape(-1), np.broadcast_to(sd, mean.shape).reshape(-1)
    probabilities = np.empty((len(means), len(cuts) + 1))
    for start in range(0, len(means), TOGETHER):
        rows = slice(start, start + TOGETHER)
        below = _chances_below(means[rows], sds[rows], cuts)
        probabilities[rows, 0] = below[:, 0]
        np.subtract(below[:, 1:], below[:, :-1], out=probabilities[rows, 1:-1])
        probabilities[rows, -1] = 1.0 - below[:, -1]
    return probabilities.reshape(*mean.shape, len(cuts) + 1)


def moved_laws(laws: Array, offset: Array, levels: Array, cuts: Array) -> Array:
    """Return the chances of levels once values that lie evenly within theirs have moved, ``(item, level)``."""
    edges = np.concatenate([[cuts[0] - (levels[1] - levels[0])], cuts, [cuts[-1] + levels[-1] - levels[-2]]])
    at = cuts - offset[:, None]
    level = np.clip(np.searchsorted(edges, at, side="right") - 1, 0, len(levels) - 1)
    part = np.clip((at - edges[level]) / np.diff(edges)[level], 0.0, 1.0)
    below = np.take_along_axis(np.cumsum(laws, -1) - laws, level, -1) + part * np.take_along_axis(laws, level, -1)
    return np.asarray(np.maximum(np.diff(below, prepend=0.0, append=1.0), 0.0))  # a last bit less than none


def _chances_below(mean: Array, sd: Array, cuts: Array) -> Array:
    with np.errstate(all="ignore"):  # sd = 0 comes next; a tiny sd may overflow to certainty
        below = ndtr((cuts - mean[:, None]) / sd[:, None])
    certain = sd == 0
    below[certain] = cuts > mean[certain][:, None]
    return np.asarray(below)


def draw_means(centres: tuple[Array, Array], sd: Array, n: int, *, rng: np.random.Generator) -> Means:
    """Draw the mean of n uncensored answers per item, ``(..., item)``, each around one of two centres at random.

    (S μ₁ + (n − S) μ₂)/n + σ/√n · Z with S ~ Binomial(n, ½) is exact in law, at a cost that does
    not depend on n.
    """
    first, second = centres
    centre = first
    if first is not second:
        share = rng.binomial(n, 0.5, first.shape) / n
        centre = share * first + (1.0 - share) * second
    mean = centre + sd / np.sqrt(n) * rng.standard_normal(first.shape)
    return Means(mean, np.broadcast_to(np.int64(n), mean.shape))


def draw_single(centres: tuple[Array, Array], sd: Array, n: int, *, rng: np.random.Generator) -> Array:
    """Draw n answers per item, ``(..., item, answer)``, each around one of two centres at random."""
    first, second = (centre[..., None] for centre in centres)
    shape = (*sd.shape, n)
    centre = first if centres[0] is centres[1] else np.where(rng.random(shape) < 0.5, first, second)
    values: Array = centre + sd[..., None] * rng.standard_normal(shape)
    return values


def draw_values(
    centres: tuple[Array, Array], sd: Array, n: int, bounds: tuple[float, float] | None, *, rng: np.random.Generator
) -> Values:
    """Draw n answers per item, sorted, ``(..., item, answer)``; beyond the bounds they pool at the bounds."""
    values = draw_single(centres, sd, n, rng=rng)
    if bounds is not None:
        values = np.clip(values, *bounds)
    return Values(np.sort(values, axis=-1), np.broadcast_to(np.int64(n), sd.shape))
