"""Planning in a world of leaning raters: a rater sides with A if item_i + lean_j + noise_ij + shift > 0, all normal.

A rater's difference is +1 or −1. With s² = 1 + σ_item² + σ_lean², its mean is 2 Φ(shift / s) − 1; given one part u the
mean is 2 Φ((shift + u) / sqrt(s² − σ_u²)) − 1, whose variance over u is that part's component, by Gauss–Hermite sums.
What is left of 1 − mean² is item × rater with the noise.
"""

from math import sqrt

import numpy as np

from quorate._errors import InputError
from quorate.agreement.variance_parts import VarianceParts
from quorate.metrics.registry import find_metric
from quorate.planning.laws.rater_law import RaterModel
from quorate.planning.people import SharedPool
from quorate.planning.question import PlanQuestion
from quorate.planning.sources.pool import PoolSource
from quorate.populations.shared_raters import SharedRaters

__all__ = ["leaning_model", "leaning_source", "shift_for"]

NODES = 80


def leaning_source(question: PlanQuestion, population: SharedRaters, metric: str | None) -> PoolSource:
    """Return the source of a world of leaning raters, all leanings shifted so that A is better as asked."""
    asked = {"score": question.score, "systems-agree": question.systems_agree, "answers": question.answers}
    for name, value in asked.items():
        if value is not None:
            raise InputError(f"--{name} has no meaning with shared-raters; leave it out.")
    if metric not in (None, "agreement", "brier"):
        raise InputError("shared-raters is planned by agreement; leave --metric out.")
    if question.effect is None and question.difference is None:
        raise InputError("Say what must be seen: --difference in agreement, or --effect.")
    shift = question.effect if question.effect is not None else shift_for(population, question.difference or 0.0)
    model = leaning_model(population, population.checked_effect(shift), question)
    apart = f"apart with a spread of {population.lean:g}"
    return PoolSource(
        metric=find_metric(metric or "agreement"),
        assumption=f"if raters lean towards A by {shift:.3f} on average, and {apart}",
        effect=shift,
        answers=1,
        people=SharedPool(model, model.pool),
    )


def shift_for(population: SharedRaters, difference: float) -> float:
    """Return the shift of all leanings that makes the expected difference in agreement what is asked.

    Examples
    --------
    >>> world = SharedRaters(lean=0.3, item=1.0)
    >>> round(leaning_model(world, shift_for(world, 0.1), PlanQuestion(world, pool=6, difference=0.1)).mean, 9)
    0.1
    """
    from scipy.special import ndtri

    if not 0 <= difference < 1:
        raise InputError(f"A difference of {difference:g} in agreement is out of reach; ask for less than 1.")
    return _scale(population) * float(ndtri((1 + difference) / 2))


def leaning_model(population: SharedRaters, shift: float, question: PlanQuestion) -> RaterModel:
    """Return the components of a rater's difference in agreement, and who can be asked.

    The pool is the one said, else the population's own.

    Examples
    --------
    >>> alike = SharedRaters(lean=0.0, item=0.0)
    >>> model = leaning_model(alike, 0.0, PlanQuestion(alike, pool=6, difference=0.1))
    >>> round(model.parts.item, 9), round(model.parts.rater, 9), round(model.parts.residual, 9)
    (0.0, 0.0, 1.0)
    """
    pool = population.pool if question.pool is None else question.pool
    if pool is None:
        raise InputError("shared-raters needs --pool: how many people can be asked.")
    if question.rater_share is not None:
        raise InputError("--rater-share has no meaning with shared-raters: its leanings say how far raters differ.")
    if population.load != "even":
        raise InputError("plan shares the work evenly, and these raters do not: use an even load.")
    mean, parts = _moments(population, shift)
    return RaterModel(mean, parts, _moments(population, 0.0)[1], pool, question.max_per_rater, span=2.0)


def _scale(population: SharedRaters) -> float:
    return sqrt(1 + population.item**2 + population.lean**2)


def _moments(population: SharedRaters, shift: float) -> tuple[float, VarianceParts]:
    from scipy.special import ndtr

    scale = _scale(population)
    mean = 2 * float(ndtr(shift / scale)) - 1
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()

    def component(sd: float) -> float:
        """Variance over one part of the mean given that part."""
        given = 2 * ndtr((shift + sd * nodes) / sqrt(scale**2 - sd**2)) - 1
        return float(weights @ (given - mean) ** 2)

    item, rater = component(population.item), component(population.lean)
    return mean, VarianceParts(item, rater, max(1 - mean**2 - item - rater, 0.0))
