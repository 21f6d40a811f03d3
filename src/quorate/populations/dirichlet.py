"""The Dirichlet population: item i has its own answer distribution β_i ~ Dirichlet(α) [forest, alg. 1]; and its fit.

The log-likelihood of the answers is a sum over tail counts, U_mj = #{items with more than j answers
m} and V_j = #{items with more than j answers}: L(α) = Σ_m Σ_j U_mj log(α_m + j) − Σ_j V_j log(A +
j), A = Σ_m α_m. So after one pass over the items each step costs O(M · K_max), however many items
there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from quorate._errors import InputError
from quorate._text import percent
from quorate._typing import Array
from quorate.populations.population import AnswerLaws, Population, mixed


@dataclass(frozen=True)
class DirichletPopulation(Population):
    """Items whose answer distributions come from one Dirichlet.

    Parameters
    ----------
    alpha
        Concentration per category; α / Σα is the mean answer distribution, a large Σα makes items
        alike.
    categories
        Names of the categories; c1, c2, … if not given.
    levels
        The number each category stands for; None on a nominal scale.
    noise
        Concentration ρ of a perturbed system's noise ϱ_i ~ Dirichlet(ρ); 1/M per category if not
        given. The system answers from (1 − ε) β_i + ε ϱ_i.

    Notes
    -----
    Deviates: forest perturbs B only. Here A may be perturbed too, with a noise of its own: at equal
    effects A and B are different systems with equal expected scores.
    """

    kind: ClassVar[str] = "dirichlet"
    noun = "a Dirichlet"
    max_effect = 1.0  # a system that answers noise only
    knows_answers = True

    alpha: Sequence[float]
    categories: Sequence[str] = ()
    levels: Sequence[float] | None = None
    noise: Sequence[float] = ()

    def __post_init__(self) -> None:
        m = len(self.alpha)
        if m < 2:
            raise InputError(f"alpha needs a value for each of at least two categories, not {m}")
        _set(self, "alpha", _positive("alpha", self.alpha, m))
        _set(self, "noise", _positive("noise", self.noise or (1.0 / m,) * m, m))
        _set(self, "categories", tuple(map(str, self.categories)) or _numbered(m))
        if not len(self.categories) == len(set(self.categories)) == m:
            raise InputError(f"alpha has {m} values: give as many different category names, or none")
        if self.levels is not None:
            _set(self, "levels", _levels(self.levels, m))

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the categories."""
        return tuple(self.categories)

    @property
    def unnamed(self) -> bool:
        """Whether the categories go by c1, c2, … because nobody named them."""
        return tuple(self.categories) == _numbered(len(self.alpha))

    @cached_property
    def mean(self) -> Array:
        """Expected share of each category, ``(category,)``."""
        alpha = np.array(self.alpha)
        mean: Array = alpha / alpha.sum()
        return mean

    @property
    def enumerable(self) -> "DirichletPopulation":
        """Counts are Dirichlet-multinomial."""
        return self

    def answer_laws(
        self, shape: tuple[int, ...], *, effect: float = 0.0, effect_a: float = 0.0, rng: np.random.Generator
    ) -> AnswerLaws:
        """Draw β, and the systems' mixtures of β and noise."""
        beta = rng.dirichlet(self.alpha, shape)
        rho = rng.dirichlet(self.noise, shape)  # drawn at ε = 0 too: effects then share their random numbers
        a = mixed(beta, rng.dirichlet(self.noise, shape), effect_a) if effect_a > 0 else beta
        levels = None if self.levels is None else np.array(self.levels)
        return AnswerLaws(beta, a, mixed(beta, rho, effect), levels)

    def effect_words(self, effect: float) -> str:
        """Say which share of B's answers is noise."""
        return f"if {percent(effect)} of system B's answers are random"

    def words(self) -> str:
        """Name α and the categories."""
        alpha = ", ".join(f"{value:.3g}" for value in self.alpha)
        return f"{self.noun} with alpha {alpha} ({', '.join(self.categories)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the population as plain data."""
        return {
            "kind": self.kind,
            "categories": list(self.categories),
            "alpha": list(self.alpha),
            "levels": None if self.levels is None else list(self.levels),
            "noise": list(self.noise),
        }


def _numbered(m: int) -> tuple[str, ...]:
    return tuple(f"c{i + 1}" for i in range(m))


def _set(population: DirichletPopulation, name: str, value: tuple[Any, ...]) -> None:
    object.__setattr__(population, name, value)


CONCENTRATIONS = (1e-9, 1e12)
"""Beyond these all raters agree, or all answer alike, to the last digit of a float."""


def _positive(name: str, values: Sequence[float], m: int) -> tuple[float, ...]:
    numbers = tuple(float(value) for value in values)
    if len(numbers) != m:
        raise InputError(f"{name} has {len(numbers)} values for {m} categories: give one per category")
    least, most = CONCENTRATIONS
    wrong = next((value for value in numbers if not least <= value <= most), None)
    if wrong is not None:
        raise InputError(f"every value of {name} must be a positive number, not {wrong:g} ({least:g} to {most:g})")
    return numbers


def _levels(levels: Sequence[float], m: int) -> tuple[float, ...]:
    numbers = tuple(float(level) for level in levels)
    if len(numbers) != m or not np.isfinite(numbers).all():
        raise InputError(f"levels must hold one number per category, {m} in all")
    return numbers


Method: TypeAlias = Literal["map", "ml"]

# The prior of MAP, stated in the docs: log A ~ Normal(log M, 2), which lets A range over four orders of magnitude
# around the uniform Dirichlet, and mean ~ Dirichlet(1 + 1/M), the weight of one answer spread over all categories.
# Deviates: forest fits by MAP too, but its prior is not in the paper.
PRIOR_SD = 2.0
_LIMIT = 1e7  # a concentration beyond this cannot be told from infinity: items differ by less than 1 part in 3000
_STEPS = 500


@dataclass(frozen=True)
class TailCounts:
    """What the likelihood needs: U, ``(category, j)``, and V, ``(j,)``."""

    by_category: Array
    total: Array


@dataclass(frozen=True)
class DirichletFit:
    """The fitted α, and the log-likelihood of the answers there."""

    alpha: Array
    log_likelihood: float


def fit_dirichlet(counts: Array, *, method: Method = "map") -> DirichletFit:
    """Fit α to answer counts, ``(item, category)``, with any number of answers per item."""
    if method not in ("map", "ml"):
        raise InputError(f"method must be 'map' or 'ml', not '{method}'")
    _check_identified(counts, method)
    tails = tail_counts(counts)
    alpha = np.exp(_climb(tails, np.log(_start(counts)), prior=method == "map"))
    if alpha.sum() > _LIMIT:
        raise InputError(
            "the items differ no more than chance allows, so the concentration is infinite: use method map"
        )
    return DirichletFit(alpha, log_likelihood(alpha, tails))


def tail_counts(counts: Array) -> TailCounts:
    """Count, for every category and j, the items with more than j answers of that category."""
    size = counts.sum(-1)
    width = int(size.max())
    by_category = np.array([_exceeding(column, width) for column in counts.T])
    return TailCounts(by_category, _exceeding(size, width))


def log_likelihood(alpha: Array, tails: TailCounts) -> float:
    """Return the log-probability of the answers under Dirichlet(α)."""
    j = np.arange(len(tails.total))
    gain = (tails.by_category * np.log(alpha[:, None] + j)).sum()
    return float(gain - tails.total @ np.log(alpha.sum() + j))


def _exceeding(values: Array, width: int) -> Array:
    """#{values > j} for j = 0 … width − 1."""
    histogram = np.bincount(values, minlength=width + 1)
    return histogram[:0:-1].cumsum()[::-1][:width]


def _check_identified(counts: Array, method: Method) -> None:
    shares = counts.sum(0) / counts.sum()
    if counts.sum(-1).max() < 2:
        raise InputError(
            "every item has one answer, so how much items differ cannot be told from the data:"
            f" collect a second answer for some of them (the mean shares are {', '.join(f'{x:.3g}' for x in shares)})"
        )
    if method == "ml" and (shares == 0).any():
        raise InputError("some category has no answer, so its maximum-likelihood alpha is 0: use method map")
    if method == "ml" and (counts.max(-1) == counts.sum(-1)).all():
        raise InputError("no item has two different answers, so the maximum-likelihood alpha is 0: use method map")


def _start(counts: Array) -> Array:
    """Moment estimate: A from the chance that two answers to an item agree, α along the mean shares.

    E[agree] = Σ p² + (1 − Σ p²)/(1 + A).
    """
    size = counts.sum(-1)
    agree = (counts * (counts - 1.0)).sum() / (size * (size - 1.0)).sum()
    share = (counts.sum(0) + 0.5) / (counts.sum() + 0.5 * counts.shape[1])
    excess = (agree - share @ share) / (1.0 - share @ share)
    start: Array = np.maximum((1.0 / np.clip(excess, 1e-3, 0.999) - 1.0) * share, 1e-3)
    return start


def _climb(tails: TailCounts, theta: Array, *, prior: bool) -> Array:
    """Maximise over θ = log α by damped Newton steps (Levenberg–Marquardt)."""
    damping, value = 1e-3, _objective(theta, tails, prior)
    for _ in range(_STEPS):
        gradient, hessian = _derivatives(theta, tails, prior)
        if np.exp(theta).sum() > 2 * _LIMIT:
            return theta
        move = _newton_move(gradient, hessian, damping)
        if gradient @ move <= 1e-13 * abs(value):  # the gain still to be had is lost in rounding
            return theta + move
        candidate = _objective(theta + move, tails, prior)
        if candidate >= value:
            theta, value, damping = theta + move, candidate, damping / 10.0
        else:
            damping *= 10.0
    return theta


def _newton_move(gradient: Array, hessian: Array, damping: float) -> Array:
    damped = -hessian + damping * np.diag(np.abs(np.diag(hessian)))
    curvature, directions = np.linalg.eigh(damped)
    curvature = np.maximum(np.abs(curvature), 1e-12 * np.abs(curvature).max())  # uphill even where L is not concave
    move: Array = directions @ ((directions.T @ gradient) / curvature)
    return np.clip(move, -2.0, 2.0)  # no factor above e² in one step


def _objective(theta: Array, tails: TailCounts, prior: bool) -> float:
    value = log_likelihood(np.exp(theta), tails)
    return value + _log_prior(theta)[0] if prior else value


def _derivatives(theta: Array, tails: TailCounts, prior: bool) -> tuple[Array, Array]:
    """Gradient and Hessian of the objective with respect to θ = log α."""
    alpha, j = np.exp(theta), np.arange(len(tails.total))
    ratio, total_ratio = 1.0 / (alpha[:, None] + j), 1.0 / (alpha.sum() + j)
    gradient = alpha * ((tails.by_category * ratio).sum(1) - tails.total @ total_ratio)
    bend = alpha**2 * (tails.by_category * ratio**2).sum(1)
    hessian = np.diag(gradient - bend) + np.outer(alpha, alpha) * (tails.total @ total_ratio**2)
    if not prior:
        return gradient, hessian
    _, slope, curve = _log_prior(theta)
    return gradient + slope, hessian + curve


def _log_prior(theta: Array) -> tuple[float, Array, Array]:
    """Value, gradient and Hessian of −½ ((log A − log M)/sd)² + (1/M) Σ log(α_m/A), as a function of θ."""
    alpha, m = np.exp(theta), len(theta)
    distance, weight = np.log(alpha.sum() / m), alpha / alpha.sum()
    pull, outer = distance / PRIOR_SD**2, np.outer(weight, weight)
    value = float(theta.mean() - np.log(alpha.sum()) - 0.5 * pull * distance)
    return value, 1.0 / m - (1.0 + pull) * weight, -(1.0 + pull) * (np.diag(weight) - outer) - outer / PRIOR_SD**2
