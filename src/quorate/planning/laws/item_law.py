"""What a plan asks of a law, and the law of one item's difference d with what follows for N items.

Γ = mean of N independent d. Where d takes two values, or three at equal distances, the power is
exact; otherwise studies of few items are drawn from the item law itself, and beyond `ItemLaw.few`
items four moments are enough. E[p] = P(Σ null ≥ Σ alternative) is exact on a lattice of moderate
length, else drawn or from moments; ties count as extreme [forest, alg. 2]. Derived in
docs/methods/planning.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import nan, sqrt
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from quorate._typing import Array
from quorate.inference.pivot import SEEN, Pivot
from quorate.inference.uncertain_variance import Part, UncertainVariance, t_quantile
from quorate.planning.promises.closed_forms import (
    MOST_POINTS,
    chance_error,
    chance_seen,
    edgeworth,
    equally_spaced,
    equivalence,
    lattice_step,
    law_quantiles,
    normal_p,
    passing_chance,
    quantiles,
    spaced_chance,
    still_passes,
    sum_law,
    tie_p,
    tilted_quantile,
    transform_length,
    unseen_distance,
)
from quorate.planning.promises.small_studies import (
    BLOCK,
    DRAWN_P,
    PIVOTS,
    StudyChances,
    StudyDraws,
    law_atoms,
    lost_chances,
    small_studies,
)

FEW, MOST_DRAWN = BLOCK, 640
"""Items up to which studies are always drawn from the item law, and up to which they are drawn at all."""
WIDTH_POINTS = 512
"""Quantiles of a law that stand for a study just like it."""
MANY_VALUES = 4096
"""Simulated differences with more distinct values than this have no ties worth keeping."""


@dataclass(frozen=True)
class Promise:
    """What a study of one size promises; `error` fields are Monte-Carlo standard errors.

    `power` is the chance of the verdict a better; with a margin, `worse` is that of not worse,
    equivalent or better, and `equivalent` that of the verdict equivalent.
    """

    power: float
    power_error: float
    worse: float
    equivalent: float
    expected_p: float
    expected_p_error: float
    ci_width: float


class Law(ABC):
    """The law of the difference between two systems in studies with one number of raters per item.

    Attributes
    ----------
    draws
        Number of simulated items or studies behind the law; 0 for an exact one.
    raters_return
        Whether raters or groups shared by items leave a spread that more items do not lower as 1/N.
    """

    if TYPE_CHECKING:  # a field of some laws, worked out by others

        @property
        def mean(self) -> float:
            """Expected difference."""

    draws: int
    raters_return: ClassVar[bool]

    def promise(self, n_items: int, confidence: float, *, margin: float | None = None, studies: StudyDraws) -> Promise:
        """Return what N items promise."""
        power, worse, equivalent = self.chances(n_items, confidence, margin=margin, studies=studies)
        p, p_error = self.expected_p(n_items, confidence, margin=margin, studies=studies)
        passed = power if margin is None else worse
        return Promise(
            power=power,
            power_error=self.chance_error(n_items, confidence, margin, passed, studies),
            worse=worse,
            equivalent=equivalent,
            expected_p=p,
            expected_p_error=p_error,
            ci_width=self.ci_width(n_items, confidence, margin=margin, studies=studies),
        )

    def prepared(self, sizes: Sequence[int], confidence: float, margin: float | None, studies: StudyDraws) -> "Law":
        """Return this law, ready for these sizes and no others, ascending; a law may work them out together."""
        return self

    @abstractmethod
    def chances(
        self, n_items: int, confidence: float, *, margin: float | None = None, studies: StudyDraws
    ) -> tuple[float, float, float]:
        """Return the chances of better, of no worse and of equivalent; the last two are nan without a margin."""

    @abstractmethod
    def chance_error(
        self, n_items: int, confidence: float, margin: float | None, chance: float, studies: StudyDraws
    ) -> float:
        """Return the Monte-Carlo error of the chance that was asked for."""

    @abstractmethod
    def ci_width(self, n_items: int, confidence: float, *, margin: float | None = None, studies: StudyDraws) -> float:
        """Return the expected width of the test's interval."""

    @abstractmethod
    def expected_p(
        self, n_items: int, confidence: float = 0.95, *, margin: float | None = None, studies: StudyDraws
    ) -> tuple[float, float]:
        """Return P(null ≥ alternative) and its Monte-Carlo error; nan where no null world is defined."""

    @abstractmethod
    def quantile_width(self, n_items: int, confidence: float, *, studies: StudyDraws) -> float:
        """Return the width between the quantiles of the difference, the papers' interval [forest, alg. 3]."""

    @abstractmethod
    def smallest_seen(self, n_items: int, confidence: float, power: float) -> float:
        """Return the smallest difference that N items see with so much power, at today's spread; nan if none."""

    @abstractmethod
    def lost_chance(self, n_items: int, confidence: float, margin: float) -> float:
        """Return the chance of the verdict that B is better."""

    @abstractmethod
    def standard_error(self, n_items: int) -> float:
        """Return the standard deviation of the difference in a study of N items."""

    @abstractmethod
    def items_at(self, standard_error: float, most: int) -> float:
        """Return about the fewest items, at most so many, with a standard error no larger than this."""


@dataclass(frozen=True)
class ItemLaw(Law):
    """The law of one item's difference in the world with a difference and in the null world.

    Parameters
    ----------
    values, weights
        Distinct differences and their probabilities, ``(value,)``; simulated draws have equal
        weights.
    null_values, null_weights
        The same in the null world, or None where no null world is defined.
    mean_error
        Monte-Carlo standard error of the mean; 0 for an exact law.
    draws
        Number of simulated items behind it; 0 for an exact law.
    spread_error
        Relative Monte-Carlo error of the spread of both worlds, where it is known better than from
        the kurtosis.
    reach
        The largest difference an item can have; None for the largest of the law.
    """

    raters_return = False
    values: Array
    weights: Array
    null_values: Array | None = None
    null_weights: Array | None = None
    mean_error: float = 0.0
    draws: int = 0
    spread_error: float | None = None
    reach: float | None = None
    _kept: dict[tuple[object, ...], StudyChances] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def mean(self) -> float:
        """Mean difference μ."""
        return float(self.values @ self.weights)

    @cached_property
    def sd(self) -> float:
        """Standard deviation σ of one item's difference."""
        sd = sqrt(max(self._central(2), 0.0))
        return sd if sd > 1e-12 * abs(self.mean) else 0.0

    @cached_property
    def null_sd(self) -> float:
        """Standard deviation in the null world, whose mean is 0."""
        if self.null_values is None or self.null_weights is None:
            return float("nan")
        return float(np.sqrt(self.null_values**2 @ self.null_weights))

    @cached_property
    def skewness(self) -> float:
        """Skewness γ."""
        return self._central(3) / self.sd**3 if self.sd > 0 else 0.0

    @cached_property
    def kurtosis(self) -> float:
        """Excess kurtosis κ."""
        return self._central(4) / self.sd**4 - 3.0 if self.sd > 0 else 0.0

    @cached_property
    def sd_error(self) -> float:
        """Relative Monte-Carlo error of the sd: sqrt((κ + 2) / 4 draws) unless known better."""
        if self.spread_error is not None:
            return self.spread_error
        return sqrt((self.kurtosis + 2.0) / (4 * self.draws)) if self.draws else 0.0

    @cached_property
    def span(self) -> float:
        """Step h of the lattice the differences live on; 0 if there is none."""
        return 0.0 if len(self.values) > MANY_VALUES else lattice_step(self.values)

    @cached_property
    def few(self) -> int:
        """Items up to which studies are drawn: more for skewed and long-tailed laws, whose means turn normal late."""
        late = max(1.0, self.skewness**2, (self.kurtosis + 3.0) / 3.0)
        return int(np.clip(FEW * late, FEW, MOST_DRAWN))

    @cached_property
    def exact_power(self) -> bool:
        """Whether the power of many items is exact: two values, or three at equal distances."""
        return equally_spaced(self.values)

    def chances(
        self, n_items: int, confidence: float, *, margin: float | None = None, studies: StudyDraws
    ) -> tuple[float, float, float]:
        """Return the chances of better, of no worse and of equivalent; the last two are nan without a margin."""
        drawn = None if self._exactly(margin) else self._drawn(n_items, confidence, margin, studies)
        if drawn is not None:
            better, worse, equivalent = self._lost(n_items, confidence, margin, studies)
            return drawn.better - better, drawn.worse - worse, drawn.equivalent - equivalent
        power = self._passing(n_items, confidence, 0.0, 1.0, margin)
        if margin is None:
            return power, float("nan"), float("nan")
        worse, below = (self._passing(n_items, confidence, -margin, sign, margin) for sign in (1.0, -1.0))
        return power, worse, equivalence(power, worse, below)

    def chance_error(
        self, n_items: int, confidence: float, margin: float | None, chance: float, studies: StudyDraws
    ) -> float:
        """Return the error from drawing studies, and from the mean and the sd of simulated items."""
        if n_items < 2 or self.sd == 0:
            return 0.0
        drawn = None if self._exactly(margin) else self._drawn(n_items, confidence, margin, studies)
        drawing = 0.0
        if drawn is not None:
            lost = self._lost(n_items, confidence, margin, studies)[0 if margin is None else 1]
            drawing = sqrt(drawn.error**2 + abs(lost) * (1 - abs(lost)) / (DRAWN_P if margin is None else PIVOTS))
        of_sd = self.sd_error * (1.0 if self.spread_error is None else sqrt(2))  # one of two worlds that err apart
        t, of_mean = float(t_quantile(n_items - 1.0, confidence)), self.mean_error * sqrt(n_items) / self.sd
        return float(np.hypot(drawing, chance_error(chance, t, of_mean, of_sd)))

    def ci_width(self, n_items: int, confidence: float, *, margin: float | None = None, studies: StudyDraws) -> float:
        """Return the expected width of the interval: Student's, E[2 t s / √N] with E[s] = σ (1 − (κ + 2) / 8N), times
        how much wider that of a study just like the law is."""
        drawn = self._drawn(n_items, confidence, margin, studies)
        wider = 1.0 if n_items < 2 or self.sd == 0 else self._widening(n_items, confidence, margin is not None)
        if drawn is not None:
            return drawn.ci_width * wider
        shrink = 1 - (self.kurtosis + 2.0) / (8 * n_items)
        return float(2 * t_quantile(n_items - 1.0, confidence) * self.sd * max(shrink, 0.5) / sqrt(n_items) * wider)

    def _widening(self, n_items: int, confidence: float, unseen: bool) -> float:
        """How many times Student's interval the pivot's is, in a study with the law's own quantiles; kept."""
        key = n_items, confidence, unseen
        if key not in self._kept_widenings:
            self._kept_widenings[key] = self._widening_now(*key)
        return self._kept_widenings[key]

    @cached_property
    def _kept_widenings(self) -> dict[tuple[int, float, bool], float]:
        return {}

    def _widening_now(self, n_items: int, confidence: float, unseen: bool) -> float:
        atoms = law_quantiles(self.values, self.weights, WIDTH_POINTS)
        part = Part(np.asarray(atoms.var() / n_items), n_items - 1.0)
        if part.variance == 0:
            return 1.0
        pivot = Pivot(atoms.mean(), atoms, UncertainVariance(part), self._reach, unseen, n_units=n_items)
        low, high = pivot.interval(confidence)
        student = float(t_quantile(n_items - 1.0, confidence)) * sqrt(float(part.variance))
        ends = np.clip([atoms.mean() - student, atoms.mean() + student], -self._reach, self._reach)
        return float((high - low) / np.ptp(ends))

    def expected_p(
        self, n_items: int, confidence: float = 0.95, *, margin: float | None = None, studies: StudyDraws
    ) -> tuple[float, float]:
        """Return the papers' expected p and its error; level and margin only say which kept draws to use."""
        if self.null_values is None or self.null_weights is None:
            return float("nan"), float("nan")
        spread = sqrt(n_items * (self.sd**2 + self.null_sd**2))
        if spread == 0:  # one unseen item would move p by N / 2n
            return float(self.mean <= 0), min(n_items / (2 * self.draws), 0.5) if self.draws else 0.0
        z = (n_items * self.mean - self.span / 2) / spread
        moved = float(normal_p(z, n_items * self.mean_error / spread, self.sd_error)[1])
        if self.exact_p(n_items):
            worlds = self.values, self.weights, self.null_values, self.null_weights
            p = tie_p(*worlds, step=self._joint_span, n_items=n_items, size=self._length(n_items))
        elif (drawn := self._drawn(n_items, confidence, margin, studies)) is not None:
            p, drawing = drawn.expected_p, drawn.expected_p_error
            if self.draws:  # at most that of a mean over N of the n items the law was made from [hoeffding1948]
                moved = min(moved, sqrt(n_items / self.draws) * drawing * sqrt(DRAWN_P))
            moved = float(np.hypot(drawing, moved))
        else:
            skewness = self.skewness * (self.sd * sqrt(n_items) / spread) ** 3 / sqrt(n_items)
            p = 1.0 - float(edgeworth(z, skewness))
        return p, self._unseen(n_items, p, studies) if self.sd == 0 and self.draws else moved

    def _unseen(self, n_items: int, p: float, studies: StudyDraws) -> float:
        """Error of a p where all simulated differences were alike: what one other among them would change."""
        assert self.null_values is not None
        ends, rate = np.abs(self.null_values).max() * np.array([-1.0, 1.0]), 1 / self.draws
        weights = np.array([1 - rate, rate])
        values = (np.array([self.mean, end]) for end in ends)
        others = [replace(self, values=each, weights=weights, draws=0, _kept={}) for each in values]
        return max(abs(other.expected_p(n_items, studies=studies)[0] - p) for other in others)

    def quantile_width(self, n_items: int, confidence: float, *, studies: StudyDraws) -> float:
        """Return the width between the quantiles of Γ, the papers' interval [forest, alg. 3]."""
        low, _, high = self.quantiles(n_items, confidence, studies=studies)
        return high - low

    def quantiles(self, n_items: int, confidence: float, *, studies: StudyDraws) -> tuple[float, float, float]:
        """Return the quantiles of Γ at both ends of a level, and the median between them."""
        from scipy.special import ndtri

        if n_items <= FEW and self.exact_power and self.span > 0:
            sums, chances = sum_law(self.values, self.weights, self.span, n_items)
            at = quantiles(sums, chances, [0.5 - confidence / 2, 0.5, 0.5 + confidence / 2])
            return at[0] / n_items, at[1] / n_items, at[2] / n_items
        drawn = self._drawn(n_items, confidence, None, studies)
        if drawn is not None:
            return drawn.quantiles
        half = float(ndtri(0.5 + confidence / 2)) * self.standard_error(n_items)
        return self.mean - half, self.mean, self.mean + half

    def smallest_seen(self, n_items: int, confidence: float, power: float) -> float:
        """Return the smallest difference that N items see with so much power, at today's spread."""
        from scipy.special import ndtri

        if n_items < 2:
            return float("nan")
        return float((t_quantile(n_items - 1.0, confidence) + ndtri(power)) * self.standard_error(n_items))

    def lost_chance(self, n_items: int, confidence: float, margin: float) -> float:
        """Return the chance of the verdict that B is better, by the normal limit."""
        from scipy.special import ndtr

        if n_items < 2 or self.sd == 0:
            return 0.0
        return float(ndtr(-(self.mean + margin) * sqrt(n_items) / self.sd - t_quantile(n_items - 1.0, confidence)))

    def standard_error(self, n_items: int) -> float:
        """Return σ / √N."""
        return self.sd / sqrt(n_items)

    def items_at(self, standard_error: float, most: int) -> float:
        """Return about the fewest items, at most so many, with a standard error no larger than this."""
        return min((self.sd / standard_error) ** 2, most) if standard_error > 0 else most

    def _central(self, power: int) -> float:
        centred = self.values - self.mean
        square = centred**2  # NumPy takes twenty times as long for other powers than for products
        return float((square if power == 2 else square * centred if power == 3 else square**2) @ self.weights)

    def prepared(self, sizes: Sequence[int], confidence: float, margin: float | None, studies: StudyDraws) -> Law:
        """Draw the studies of few items that are not known, rather than those of all sizes around."""
        unknown = [n for n in sizes if n <= self.few and (n, confidence, margin, studies) not in self._kept]
        if unknown:
            self.draw_studies(unknown, confidence, margin, studies, closely=True)
        return self

    def draw_studies(
        self,
        sizes: Sequence[int],
        confidence: float,
        margin: float | None,
        studies: StudyDraws,
        *,
        closely: bool = False,
    ) -> None:
        """Draw studies of few items, sizes ascending, and keep what they say; `closely` where each will be asked."""
        null = None
        if self.null_values is not None and self.null_weights is not None and not self.exact_p(sizes[-1]):
            null = law_atoms(self.null_values, self.null_weights)
        closely = closely and margin is None and not self._exactly(margin)
        drawn = small_studies(self._atoms, null, sizes, confidence, margin, studies, reach=self._reach, closely=closely)
        keys: list[tuple[object, ...]] = [(n, confidence, margin, studies) for n in sizes]
        chances = dict(zip(keys, drawn, strict=True))
        self._kept.update(chances)
        if closely:
            self._kept_lost.update({key: (each.lost, nan, nan) for key, each in chances.items()})

    def _drawn(self, n_items: int, confidence: float, margin: float | None, studies: StudyDraws) -> StudyChances | None:
        """What drawn studies of few items say; None where there are more. A search asks for neighbours next."""
        if n_items > self.few:
            return None
        key = n_items, confidence, margin, studies
        if key not in self._kept:
            first = (n_items - 1) // BLOCK * BLOCK
            self.draw_studies(range(first + 1, min(first + BLOCK, self.few) + 1), confidence, margin, studies)
        return self._kept[key]

    def _lost(
        self, n_items: int, confidence: float, margin: float | None, studies: StudyDraws
    ) -> tuple[float, float, float]:
        """Chances of verdicts that Student's test gives and the variance under the bound takes back."""
        key = n_items, confidence, margin, studies
        if key not in self._kept_lost:
            self._kept_lost[key] = lost_chances(self._atoms, n_items, confidence, margin, self._reach, studies)
        return self._kept_lost[key]

    @cached_property
    def _atoms(self) -> Array:
        return law_atoms(self.values, self.weights)

    @cached_property
    def _kept_lost(self) -> dict[tuple[object, ...], tuple[float, float, float]]:
        return {}

    def exact_p(self, n_items: int) -> bool:
        """Whether the expected p is exact: on a lattice that is not too long."""
        return self._joint_span > 0 and self._length(n_items) <= MOST_POINTS

    @cached_property
    def _joint_span(self) -> float:
        """Step of the lattice both worlds live on; 0 if there is none."""
        if self.null_values is None or max(len(self.values), len(self.null_values)) > MANY_VALUES:
            return 0.0
        return lattice_step(self.values, self.null_values)

    def _length(self, n_items: int) -> int:
        assert self.null_values is not None
        variance = self.sd**2 + self.null_sd**2
        return transform_length(self.values, self.null_values, self._joint_span, n_items, variance)

    def _exactly(self, margin: float | None) -> bool:
        """Whether the chances are exact: also with a margin, if the largest failure there is would have shown."""
        return self.exact_power and (margin is None or float(np.abs(self.values).max()) >= SEEN * self._reach)

    def _passing(self, n_items: int, confidence: float, bound: float, sign: float, margin: float | None) -> float:
        """P(lower end > bound) of sign · d, exactly or by moments."""
        if n_items < 2:
            return 0.0
        if self._exactly(margin):
            return spaced_chance(sign * self.values, self.weights, n_items, confidence, bound, self._reach)
        distance = sign * self.mean - bound
        if self.sd == 0:
            return float(still_passes(sign * self.mean, n_items, confidence, bound, self._reach))
        shape = self.sd, sign * self.skewness, self.kurtosis
        t = float(t_quantile(n_items - 1.0, confidence))
        t = tilted_quantile(distance, *shape, self._skew_influence, n_items, t)
        if margin is None:
            return passing_chance(distance, *shape, n_items, t)
        error = t * self.standard_error(n_items) / float(t_quantile(n_items - 1.0, confidence))
        farther = unseen_distance(n_items, error, confidence, bound, self._reach) / self.standard_error(n_items)
        seen = chance_seen(self.values, self.weights, n_items, self._reach)
        either = (passing_chance(distance, *shape, n_items, quantile) for quantile in (t, max(t, farther)))
        return float(np.dot([seen, 1 - seen], list(either)))

    @property
    def _reach(self) -> float:
        """The largest difference of one item: the largest there is where no other is known."""
        return float(np.abs(self.values).max()) if self.reach is None else self.reach

    @cached_property
    def _skew_influence(self) -> tuple[float, float]:
        """Covariance of one item with its influence on a study's skewness, and what is left of that one's variance."""
        z = (self.values - self.mean) / self.sd
        influence = z * z * z - 3 * z - self.skewness - 1.5 * self.skewness * (z**2 - 1)
        slope = float(influence * z @ self.weights)
        return slope, max(float(influence**2 @ self.weights) - slope**2, 0.0)

    @cached_property
    def mirrored(self) -> "ItemLaw":
        """The law seen from B's side; that of the null world is the same from both."""
        return replace(self, values=-self.values[::-1], weights=self.weights[::-1], _kept={})


def exact_law(
    values: Array, weights: Array, null_values: Array | None = None, null_weights: Array | None = None
) -> ItemLaw:
    """Return the law with these probabilities, equal values merged."""
    values, weights = _merged(values, weights)
    if null_values is not None and null_weights is not None:
        null_values, null_weights = _merged(null_values, null_weights)
    return ItemLaw(values, weights, null_values, null_weights)


def _merged(values: Array, weights: Array) -> tuple[Array, Array]:
    distinct, place = np.unique(np.round(values, 12), return_inverse=True)
    return distinct, np.bincount(place.reshape(-1), weights=weights.reshape(-1))
