"""What every population can do: draw, item by item, the raters' answers and those of two systems A and B.

A population is asked once for many replicates of a study, and answers with item summaries. Where
the probability of every answer is known, counts are drawn directly: K answers from Cat(p) are
Multinomial(K, p). System B answers from γ = (1 − ε) β + ε ϱ; in the null world both answer,
response by response, from β or γ with probability ½ each, so their counts are Multinomial(K, (β +
γ) / 2) [forest, alg. 1 and 2].
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.scale import Kind
from quorate.data.summaries import Counts, Probabilities, Summary

if TYPE_CHECKING:
    from quorate.populations.dirichlet import DirichletPopulation
    from quorate.populations.normal import NormalPopulation
    from quorate.populations.resampled import EmpiricalPopulation
    from quorate.populations.shared_raters import SharedRaters
    from quorate.populations.side_by_side import SideBySide

Answers: TypeAlias = int | Literal["raters", "probabilities"]
"""How often a system answers each item: a number, as often as there are raters, or with its whole distribution."""

Needs: TypeAlias = Literal["means", "values"]
"""What a continuous population should return: item means are enough for MAE and wins, EMD and CRPS read values."""


@dataclass(frozen=True)
class Panel:
    """Who gave which answer, where raters come back on other items; both codes, ``(..., item, answer)``.

    Within one replicate the same rater number is the same person.
    """

    response: Array
    rater: Array


@dataclass(frozen=True)
class Draw:
    """One drawn study per replicate: the summaries of the raters, of system A and of system B.

    The first axis of every array is the replicate, the second the item. ``panel`` is set only by
    worlds in which one rater answers several items.
    """

    raters: Summary
    a: Summary
    b: Summary
    panel: Panel | None = None


@dataclass(frozen=True)
class Request:
    """A checked request: sizes, perturbations and which world; ``None`` answers mean the whole distribution."""

    n_replicates: int
    n_items: int
    n_raters: int
    answers_a: int | None
    answers_b: int | None
    effect: float
    effect_a: float
    null: bool
    needs: Needs

    @property
    def shape(self) -> tuple[int, int]:
        """Replicates and items, the leading axes of everything drawn."""
        return self.n_replicates, self.n_items


class Population(ABC):
    """A world to draw studies from.

    Every kind says how its studies are drawn, what the answers are called, how far a system can be
    perturbed, and what it is in words and as plain data. What only some kinds have is None, or
    False, in the others: nobody needs to know which kind a population is.
    """

    kind: ClassVar[str]

    def draw(
        self,
        *,
        n_replicates: int,
        n_items: int,
        n_raters: int,
        answers: Answers = 1,
        answers_a: Answers | None = None,
        answers_b: Answers | None = None,
        effect: float = 0.0,
        effect_a: float = 0.0,
        null: bool = False,
        needs: Needs = "values",
        rng: np.random.Generator,
    ) -> Draw:
        """Draw replicates of a study of ``n_items`` items with ``n_raters`` answers each.

        Parameters
        ----------
        answers, answers_a, answers_b
            Answers per item of both systems, or of each.
        effect, effect_a
            Perturbation ε of system B, and of system A (0: A answers like the raters).
        null
            Draw both systems from the same law: per answer, A's or B's with probability ½.
        needs
            What continuous populations return; the others return counts.
        """
        for name, size in (("n_replicates", n_replicates), ("n_items", n_items), ("n_raters", n_raters)):
            _check_count(name, size)
        request = Request(
            n_replicates=n_replicates,
            n_items=n_items,
            n_raters=n_raters,
            answers_a=_number_of_answers(answers if answers_a is None else answers_a, n_raters),
            answers_b=_number_of_answers(answers if answers_b is None else answers_b, n_raters),
            effect=self.checked_effect(effect),
            effect_a=self.checked_effect(effect_a),
            null=null,
            needs=needs,
        )
        return self._draw(request, rng)

    def checked_effect(self, effect: float) -> float:
        """Return the effect as a number if this population can be perturbed by it."""
        if not 0.0 <= effect <= self.max_effect:  # also false for NaN
            upper = f"between 0 and {self.max_effect:g}" if np.isfinite(self.max_effect) else "at or above 0"
            raise InputError(f"the effect ({self.kind} population) must lie {upper}, not {effect:g}")
        return float(effect)

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """What the answers are called, category by category; empty for continuous answers."""

    @property
    def scale_kind(self) -> Kind:
        """The kind of scale the answers lie on."""
        if not self.labels:
            return "interval"
        return "nominal" if self.levels is None else "ordinal"

    @property
    @abstractmethod
    def max_effect(self) -> float:
        """The largest effect that means something here."""

    @property
    def levels(self) -> Sequence[float] | None:
        """The number each category stands for; None where answers have no number, or no category."""
        return None

    @property
    def answer_range(self) -> tuple[float, float] | None:
        """The ends of the scale of continuous answers, where it has ends."""
        return None

    @property
    def raters_return(self) -> bool:
        """Whether a rater answers several items of a study."""
        return False

    @property
    def knows_answers(self) -> bool:
        """Whether the probability of every answer is known, item by item: then `answer_laws` can be drawn."""
        return False

    def answer_laws(
        self, shape: tuple[int, ...], *, effect: float = 0.0, effect_a: float = 0.0, rng: np.random.Generator
    ) -> "AnswerLaws":
        """Draw the probability of every answer for items: of the raters, of A and of B, each ``(*shape, category)``."""
        raise InputError(f"a {self.kind} population does not know the probability of every answer")

    def perturbed(self, laws: Array, effect: float, *, rng: np.random.Generator) -> Array:
        """Return how a system perturbed by so much answers items that raters answer by these, ``(item, category)``."""
        return mixed(laws, np.full(laws.shape, 1 / laws.shape[-1]), effect)

    def offsets(self, means: Array, effect: float, *, rng: np.random.Generator) -> Array:
        """Return how far a system perturbed by so much is off on items of these means, ``(item,)``."""
        return np.zeros(means.shape)

    @property
    def enumerable(self) -> "DirichletPopulation | None":
        """This population, where the probability of any counts has a formula."""
        return None

    @property
    def normals(self) -> "NormalPopulation | None":
        """This population, where answers are normal around item means, cut to levels or not."""
        return None

    @property
    def crossed_ratings(self) -> "EmpiricalPopulation | None":
        """This population, where ratings are resampled so that their raters come back on other items."""
        return None

    @property
    def leanings(self) -> "SharedRaters | None":
        """This population, where raters who lean towards a system come back on other items."""
        return None

    @property
    def votes(self) -> "SideBySide | None":
        """This population, where raters say which of two systems they prefer."""
        return None

    def effect_words(self, effect: float) -> str:
        """Say what a perturbation of B by so much means."""
        return "if system B is perturbed"

    @abstractmethod
    def words(self) -> str:
        """Say what the population is: kind and parameters."""

    @property
    def noun(self) -> str:
        """What the population is called, the start of its words."""
        return self.words()

    def parameters(self) -> dict[str, Any]:
        """Return the population as plain data, without any ratings it holds."""
        return self.to_dict()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the population as plain data: what a population file holds."""

    def _draw(self, request: Request, rng: np.random.Generator) -> Draw:
        laws = self.answer_laws(request.shape, effect=request.effect, effect_a=request.effect_a, rng=rng)
        return draw_from_laws(laws.null() if request.null else laws, request, rng=rng)


def _check_count(name: str, size: int) -> None:
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
        raise InputError(f"{name} must be a whole number of at least 1, not {size!r}")


def _number_of_answers(answers: Answers, n_raters: int) -> int | None:
    if answers == "probabilities":
        return None
    if answers == "raters":
        return n_raters
    if isinstance(answers, str):
        raise InputError(f"answers must be a number, 'raters' or 'probabilities', not '{answers}'")
    _check_count("answers", answers)
    return answers


@dataclass(frozen=True)
class AnswerLaws:
    """The probability of every answer, ``(..., item, category)``, for the raters and both systems.

    ``levels`` are the numbers the categories stand for, None on a nominal scale.
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
        a=draw_answers(laws.a, request.answers_a, laws.levels, rng=rng),
        b=draw_answers(laws.b, request.answers_b, laws.levels, rng=rng),
    )


def draw_answers(
    law: Array, n_answers: int | None, levels: Array | None, *, rng: np.random.Generator
) -> Counts | Probabilities:
    """Draw so many answers to each item from its law; None for the law itself."""
    if n_answers is None:
        return Probabilities(law, levels)
    return Counts(rng.multinomial(n_answers, law), levels)
