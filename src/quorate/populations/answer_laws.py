"""Answer distributions item by item, and the counts they give.

K answers from Cat(p) are Multinomial(K, p), so counts are drawn directly, at a cost per item that does not depend
on K. System B answers from γ = (1 − ε) β + ε ϱ, and in the null world both systems answer, response by response,
from β or γ with probability ½ each: their counts are Multinomial(K, (β + γ) / 2) [forest, alg. 1 and 2].
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities
from quorate.populations.population import Draw, Request

__all__ = ["AnswerLaws", "draw_from_laws", "mixed"]


@dataclass(frozen=True)
class AnswerLaws:
    """The probability of every answer, per item, for the raters and both systems.

    Parameters
    ----------
    raters, a, b
        Probabilities, ``(..., item, category)``.
    levels
        The number each category stands for; None on a nominal scale.

    Examples
    --------
    >>> laws = AnswerLaws(np.array([[0.8, 0.2]]), a=np.array([[0.8, 0.2]]), b=np.array([[0.4, 0.6]]))
    >>> laws.null().a
    array([[0.6, 0.4]])
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
    """Return (1 − ε) · law + ε · noise, the perturbed answer distribution [forest, alg. 1].

    Examples
    --------
    >>> mixed(np.array([1.0, 0.0]), np.array([0.5, 0.5]), 0.2)
    array([0.9, 0.1])
    """
    perturbed: Array = (1.0 - effect) * law + effect * noise
    return perturbed


def draw_from_laws(laws: AnswerLaws, request: Request, *, rng: np.random.Generator) -> Draw:
    """Draw the raters' and both systems' summaries from answer laws; in the null world, hand in `AnswerLaws.null`.

    Examples
    --------
    >>> laws = AnswerLaws(*(np.array([[[0.0, 1.0]]]),) * 3)
    >>> request = Request(1, 1, 4, 1, None, 0.0, 0.0, False, "values")
    >>> study = draw_from_laws(laws, request, rng=np.random.default_rng(0))
    >>> study.raters.counts.tolist(), study.b.share.tolist()
    ([[[0, 4]]], [[[0.0, 1.0]]])
    """
    return Draw(
        raters=Counts(rng.multinomial(request.n_raters, laws.raters), laws.levels),
        a=_answers(laws.a, request.answers_a, laws.levels, rng),
        b=_answers(laws.b, request.answers_b, laws.levels, rng),
    )


def _answers(
    law: Array, n_answers: int | None, levels: Array | None, rng: np.random.Generator
) -> Counts | Probabilities:
    if n_answers is None:
        return Probabilities(law, levels)
    return Counts(rng.multinomial(n_answers, law), levels)
