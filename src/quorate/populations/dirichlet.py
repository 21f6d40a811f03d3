"""The Dirichlet population: item i has its own answer distribution β_i ~ Dirichlet(α) [forest, alg. 1].

Raters answer from Cat(β_i). A system with perturbation ε answers from (1 − ε) β_i + ε ϱ_i, its noise
ϱ_i ~ Dirichlet(ρ) with ρ = 1/M per category unless given.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from quorate._errors import InputError
from quorate._text import percent
from quorate._typing import Array
from quorate.populations.answer_laws import AnswerLaws, draw_from_laws, mixed
from quorate.populations.population import Draw, Population, Request

__all__ = ["DirichletPopulation"]


@dataclass(frozen=True)
class DirichletPopulation(Population):
    """Items whose answer distributions come from one Dirichlet.

    Parameters
    ----------
    alpha
        Concentration per category; α / Σα is the mean answer distribution, a large Σα makes items alike.
    categories
        Names of the categories; c1, c2, … if not given.
    levels
        The number each category stands for; None on a nominal scale.
    noise
        Concentration ρ of a perturbed system's noise; 1/M per category if not given.

    Notes
    -----
    Deviates: forest perturbs B only. Here A may be perturbed too, with a noise of its own: at equal effects A and B are
    different systems with equal expected scores.
    """

    kind: ClassVar[str] = "dirichlet"

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
    def max_effect(self) -> float:
        """1: a system that answers noise only."""
        return 1.0

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
    def knows_answers(self) -> bool:
        """Every item has its β."""
        return True

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

    noun = "a Dirichlet"

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

    def _draw(self, request: Request, rng: np.random.Generator) -> Draw:
        laws = self.answer_laws(request.shape, effect=request.effect, effect_a=request.effect_a, rng=rng)
        return draw_from_laws(laws.null() if request.null else laws, request, rng=rng)


def _numbered(m: int) -> tuple[str, ...]:
    return tuple(f"c{i + 1}" for i in range(m))


def _set(population: DirichletPopulation, name: str, value: tuple[Any, ...]) -> None:
    object.__setattr__(population, name, value)


def _positive(name: str, values: Sequence[float], m: int) -> tuple[float, ...]:
    numbers = tuple(float(value) for value in values)
    if len(numbers) != m:
        raise InputError(f"{name} has {len(numbers)} values for {m} categories: give one per category")
    if not all(0.0 < value < np.inf for value in numbers):
        wrong = next(value for value in numbers if not 0.0 < value < np.inf)
        raise InputError(f"every value of {name} must be a positive number, not {wrong:g}")
    return numbers


def _levels(levels: Sequence[float], m: int) -> tuple[float, ...]:
    numbers = tuple(float(level) for level in levels)
    if len(numbers) != m or not np.isfinite(numbers).all():
        raise InputError(f"levels must hold one number per category, {m} in all")
    return numbers
