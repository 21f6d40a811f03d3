"""How well a population describes ratings: the mean, and the spread between and within items.

Mean absolute bias MAB = (1/M) Σ_m |share_m − expected share_m| [forest, eq. MAB] sees only the
mean: a population in which all items are alike can have MAB 0. So two more looks, each against data
sets simulated from the population with the same numbers of answers per item: the distribution of an
item figure (plurality share; sd of continuous answers), and how much more alike two answers are if
they belong to the same item (intraclass correlation).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quorate._errors import InputError
from quorate._text import number
from quorate._typing import Array
from quorate.agreement.disagreement import item_spread
from quorate.data.ratings import Ratings
from quorate.data.summaries import Counts, Values
from quorate.populations.population import Population

_ITEMS, _DATA_SETS = 2000, 200  # at most so many items are checked, against so many data sets
_RARE = 0.01  # a figure fails that fewer simulated data sets than this share reach …
_GAP, _CORRELATION = 0.05, 0.05  # … if it is also large enough to matter
_BLIND = 0.25  # a check that sees only correlations as far off as this, or than items all alike, tells nothing


@dataclass(frozen=True)
class SpreadCheck:
    """The observed and the expected spread of the items checked.

    The ``figure`` compared is ``"plurality share"`` or ``"item sd"``: its mean, sd and 10, 50 and
    90 % quantiles over items. ``gap`` is the largest difference between the two distribution
    functions; tails are shares of simulated data sets that are at least as far off, never 0.
    ``correlation`` is the intraclass correlation, and ``visible`` how far off it would have to be to show.
    """

    figure: str
    observed: dict[str, float]
    expected: dict[str, float]
    gap: float
    gap_tail: float
    correlation: float
    expected_correlation: float
    correlation_tail: float
    visible: float
    n_items: int

    @property
    def fits(self) -> bool:
        """Whether neither figure is both rare among simulated data sets and far enough to matter."""
        return not (self.gap_fails or self.correlation_fails)

    @property
    def blind(self) -> bool:
        """Whether even items that are all alike, or a correlation far off, would not have shown."""
        return self.visible >= min(max(self.expected_correlation, _CORRELATION), _BLIND)

    @property
    def gap_fails(self) -> bool:
        """Whether the distribution of the figure is off."""
        return self.gap_tail <= _RARE and self.gap >= _GAP

    @property
    def correlation_fails(self) -> bool:
        """Whether items differ clearly more, or less, than the population says."""
        off = abs(self.correlation - self.expected_correlation)
        return self.correlation_tail <= _RARE and off >= _CORRELATION


def expected_shares(population: Population, *, rng: np.random.Generator) -> Array:
    """Return the expected share of each category, ``(category,)``; by simulation where there is no formula."""
    if population.enumerable is not None:
        return population.enumerable.mean
    shares: Array = population.answer_laws((200_000,), rng=rng).raters.mean(0)
    return shares


def mean_absolute_bias(observed: Array, expected: Array) -> float:
    """Return (1/M) Σ_m |observed share − expected share| [forest, MAB]."""
    return float(np.abs(observed - expected).mean())


def check_spread(population: Population, summary: Counts | Values, *, rng: np.random.Generator) -> SpreadCheck:
    """Compare the spread of items with that of data sets simulated from the population."""
    kept = summary.take(_checked_items(summary.size, rng))
    size = kept.size
    if isinstance(kept, Counts):
        counts = kept.counts
        laws = population.answer_laws((_DATA_SETS, len(size)), rng=rng)
        simulated = rng.multinomial(size, laws.raters)
        figures = _plurality_share(counts), _plurality_share(simulated)
        correlations = _nominal_correlation(counts), _nominal_correlation(simulated)
        return _compared("plurality share", figures, correlations)
    spread = item_spread(kept)
    mean, sd = _simulated_moments(population, size, rng)
    correlations = _numeric_correlation(size, kept.mean, spread), _numeric_correlation(size, mean, sd)
    return _compared("item sd", (spread, sd), correlations)


def spread_words(spread: SpreadCheck) -> str:
    """Say whether a population describes the ratings: the end of a sentence about it."""
    if spread.fits and spread.blind:
        return f"may or may not fit: {_unseen(spread)}"
    verdict = "reproduces" if spread.fits else "does not reproduce"
    return f"{verdict} how items differ and how far raters agree on them"


def _unseen(spread: SpreadCheck) -> str:
    off = number(spread.visible, 2)
    return f"so few ratings do not tell (a correlation within items off by {off} would not have shown)"


def fit_warnings(spread: SpreadCheck, ratings: Ratings, n_items_used: int | None) -> tuple[str, ...]:
    """Say where a population does not describe the ratings, and what the check could not see."""
    warnings = []
    if spread.correlation_fails:
        warnings.append(
            f"two answers to the same item are correlated {number(spread.correlation, 2)} in the data and "
            f"{number(spread.expected_correlation, 2)} in the population: a plan from it would be off."
        )
    if spread.gap_fails:
        warnings.append(
            f"the {spread.figure} is distributed differently over items in the data and in the population (largest gap "
            f"{number(spread.gap, 2)}, reached by {spread.gap_tail:.1%} of simulated data sets): consider --resample."
        )
    single = int((ratings.size == 1).sum())
    if single:
        warnings.append(f"{single:,} of {ratings.n_items:,} items have one answer and say nothing about the spread.")
    if spread.n_items < (ratings.size >= 2).sum():
        warnings.append(f"the spread was checked on {spread.n_items:,} items drawn at random.")
    if n_items_used is not None:
        warnings.append(f"families were searched for, and are compared, on {n_items_used:,} items drawn at random.")
    return tuple(warnings)


def _checked_items(size: Array, rng: np.random.Generator) -> Array:
    """Items with two answers or more, a random part of them if there are many."""
    several = np.flatnonzero(size >= 2)
    if len(several) < 2:
        raise InputError("the spread can be checked only where two items or more have two answers or more")
    if len(several) <= _ITEMS:
        return several
    return np.sort(rng.choice(several, _ITEMS, replace=False))


def _plurality_share(counts: Array) -> Array:
    share: Array = counts.max(-1) / counts.sum(-1)
    return share


def _nominal_correlation(counts: Array) -> Array:
    """(P(two answers of one item agree) − P(any two agree)) / (1 − P(any two agree)), ``(...)``."""
    size = counts.sum(-1)
    within = ((counts * (counts - 1)).sum(-1) / (size * (size - 1))).mean(-1)
    total = counts.sum(-2)
    n = total.sum(-1)
    anywhere = (total * (total - 1)).sum(-1) / (n * (n - 1))
    return np.asarray((within - anywhere) / np.maximum(1.0 - anywhere, 1e-12))


def _simulated_moments(population: Population, size: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw item means and sds: Normal(μ, σ/√n), and σ times the root of a χ² with n − 1 degrees of freedom."""
    normals = population.normals
    if normals is None or normals.levels is not None or normals.bounds is not None:
        raise InputError("continuous answers can be checked against an uncensored continuous normal population only")
    items = normals.item_normals((_DATA_SETS, len(size)), rng=rng)
    mean = items.raters + items.sd / np.sqrt(size) * rng.standard_normal(items.sd.shape)
    return mean, items.sd * np.sqrt(rng.chisquare(size - 1, items.sd.shape) / (size - 1))


def _numeric_correlation(size: Array, mean: Array, sd: Array) -> Array:
    """Between-item variance over total variance, from item means and sds, ``(...)``."""
    within = (sd**2).mean(-1)
    between = mean.var(-1, ddof=1) - (sd**2 / size).mean(-1)
    return np.asarray(between / np.maximum(between + within, 1e-300))


def _compared(name: str, figures: tuple[Array, Array], correlations: tuple[Array, Array]) -> SpreadCheck:
    """Put the observed figure, ``(item,)``, beside simulated ones, ``(data set, item)``."""
    observed, simulated = figures
    gap_of = _gap_to(simulated)
    gap = float(gap_of(observed))
    correlation, expected = float(correlations[0]), float(np.mean(correlations[1]))
    off = np.abs(correlations[1] - expected) >= abs(correlation - expected)
    return SpreadCheck(
        figure=name,
        observed=_described(observed),
        expected=_described(simulated),
        gap=gap,
        gap_tail=_tail(gap_of(simulated) >= gap),
        correlation=correlation,
        expected_correlation=expected,
        correlation_tail=_tail(off),
        visible=float(np.quantile(np.abs(correlations[1] - expected), 1 - _RARE)),
        n_items=len(observed),
    )


def _gap_to(simulated: Array) -> Callable[[Array], Array]:
    """Return the largest gap between a data set's distribution function and that of all simulated items."""
    grid = np.unique(np.quantile(simulated, np.linspace(0.0, 1.0, 201)).round(9))
    expected = _below(simulated.reshape(1, -1), grid)[0]

    def gap(figures: Array) -> Array:
        return np.asarray(np.abs(_below(figures, grid) - expected).max(-1))

    return gap


def _below(figures: Array, grid: Array) -> Array:
    """Share of a data set's items at or below each grid point, ``(..., point)``."""
    ordered = np.sort(figures.round(9), axis=-1)
    below = np.apply_along_axis(np.searchsorted, -1, ordered, grid, side="right")
    return np.asarray(below / figures.shape[-1])


def _described(figures: Array) -> dict[str, float]:
    low, middle, high = np.quantile(figures, (0.1, 0.5, 0.9)).tolist()
    mean, sd = float(figures.mean()), float(figures.std())
    return {"mean": mean, "sd": sd, "q10": low, "q50": middle, "q90": high}


def _tail(reached: Array) -> float:
    return float((1 + reached.sum()) / (1 + reached.size))
