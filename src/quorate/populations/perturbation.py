"""Perturbation by replacement: each answer of a system is, with probability ε, replaced by the item's noise.

The noise of item i is a distribution of its own, ϱ_i ~ Dirichlet(1/M) [forest, alg. 1]. In the null world both
systems are replaced at the mean of the two rates [multilevel: ε/2 for both when only B is perturbed].
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.populations.answer_laws import mixed
from quorate.populations.population import Request

__all__ = ["Replacement", "answers_anew", "draw_replacements"]


@dataclass(frozen=True)
class Replacement:
    """The share of a system's answers that are replaced, and what by, ``(..., item, category)``.

    Examples
    --------
    >>> Replacement(0.5, np.array([[0.0, 1.0]])).perturbed(np.array([[1.0, 0.0]]))
    array([[0.5, 0.5]])
    """

    rate: float
    noise: Array

    def perturbed(self, law: Array) -> Array:
        """Return (1 − ε) · law + ε · noise."""
        return mixed(law, self.noise, self.rate)


def answers_anew(
    replacement: Replacement, law: Array, n_answers: int, levels: Array | None, *, rng: np.random.Generator
) -> Counts:
    """Draw a system's answers from each item's own law, ``(..., item, category)``, replaced as they should be.

    Examples
    --------
    >>> certain = np.array([[0.0, 1.0]])
    >>> answers_anew(Replacement(0.0, certain), certain, 3, None, rng=np.random.default_rng(0)).counts
    array([[0, 3]])
    """
    return Counts(rng.multinomial(n_answers, replacement.perturbed(law)), levels)


def draw_replacements(
    request: Request, n_categories: int, *, rng: np.random.Generator
) -> tuple[Replacement, Replacement]:
    """Draw the noise of every item and return what happens to the answers of A and of B.

    Examples
    --------
    >>> request = Request(1, 2, 5, 1, 1, effect=0.4, effect_a=0.0, null=True, needs="values")
    >>> a, b = draw_replacements(request, 3, rng=np.random.default_rng(0))
    >>> a.rate, b.noise.shape, a is b
    (0.2, (1, 2, 3), True)
    """
    rho = (1.0 / n_categories,) * n_categories
    b = Replacement(request.effect, rng.dirichlet(rho, request.shape))
    a = Replacement(request.effect_a, rng.dirichlet(rho, request.shape) if request.effect_a > 0 else b.noise)
    if not request.null:
        return a, b
    total = request.effect + request.effect_a
    share_b = request.effect / total if total > 0 else 1.0
    middle = Replacement(total / 2, share_b * b.noise + (1.0 - share_b) * a.noise)
    return middle, middle
