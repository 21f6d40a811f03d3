"""Answer distributions item by item, and the counts they give.

K answers from Cat(p) are Multinomial(K, p), so counts are drawn directly, at a cost per item that does not depend
on K. System B answers from γ = (1 − ε) β + ε ϱ, and in the null world both systems answer, response by response,
from β or γ with probability ½ each: their counts are Multinomial(K, (β + γ) / 2) [forest, alg. 1 and 2].

Where answers are resampled, each answer of a system is, with probability ε, replaced by the item's noise, a
distribution of its own, ϱ_i ~ Dirichlet(1/M). In the null world both systems are replaced at the mean of the two rates
[multilevel: ε/2 for both when only B is perturbed].
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities
from quorate.populations.population import Draw, Request

__all__ = ["AnswerLaws", "Replacement", "draw_from_laws", "draw_replacements", "mixed"]


@dataclass(frozen=True)
class AnswerLaws:
    """The probability of every answer, per item, for the raters and both systems.

    Parameters
    ----------
    raters, a, b
        Probabilities, ``(..., item, category)``.
    levels
        The number each category stands for; None on a nominal scale.
    """

    raters: Array
    a: Array
    b: Array
    levels: Array | None = None

    def null(self) -> "AnswerLaws":
        """Return the world in which both systems answer from the even mixture of A's and B's law."""
        middle = (self.a + self.b) / 2
        return AnswerLaws(self.raters, middle, middle, self.levels)


def mixed(law: Array, noise: Array, effect: float) -> Array:
    """Return (1 − ε) · law + ε · noise, the perturbed answer distribution [forest, alg. 1]."""
    perturbed: Array = (1.0 - effect) * law + effect * noise
    return perturbed


def draw_from_laws(laws: AnswerLaws, request: Request, *, rng: np.random.Generator) -> Draw:
    """Draw the raters' and both systems' summaries from answer laws; in the null world, hand in `AnswerLaws.null`."""
    return Draw(
        raters=Counts(rng.multinomial(request.n_raters, laws.raters), laws.levels),
        a=_answers(laws.a, request.answers_a, laws.levels, rng),
        b=_answers(laws.b, request.answers_b, laws.levels, rng),
    )


@dataclass(frozen=True)
class Replacement:
    """The share of a system's answers that are replaced, and what by, ``(..., item, category)``."""

    rate: float
    noise: Array

    def perturbed(self, law: Array) -> Array:
        """Return (1 − ε) · law + ε · noise."""
        return mixed(law, self.noise, self.rate)

    def answers(self, law: Array, n_answers: int, levels: Array | None, *, rng: np.random.Generator) -> Counts:
        """Draw a system's answers from each item's own law, replaced as they should be."""
        return Counts(rng.multinomial(n_answers, self.perturbed(law)), levels)


def draw_replacements(
    request: Request, n_categories: int, *, rng: np.random.Generator
) -> tuple[Replacement, Replacement]:
    """Draw the noise of every item and return what happens to the answers of A and of B."""
    rho = (1.0 / n_categories,) * n_categories
    b = Replacement(request.effect, rng.dirichlet(rho, request.shape))
    a = Replacement(request.effect_a, rng.dirichlet(rho, request.shape) if request.effect_a > 0 else b.noise)
    if not request.null:
        return a, b
    total = request.effect + request.effect_a
    share_b = request.effect / total if total > 0 else 1.0
    middle = Replacement(total / 2, share_b * b.noise + (1.0 - share_b) * a.noise)
    return middle, middle


def _answers(
    law: Array, n_answers: int | None, levels: Array | None, rng: np.random.Generator
) -> Counts | Probabilities:
    if n_answers is None:
        return Probabilities(law, levels)
    return Counts(rng.multinomial(n_answers, law), levels)
