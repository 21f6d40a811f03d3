"""Plan from typed-in variances: where one rater's difference between two systems varies, as a G-study reports it.

One rater's difference on one item is ``d_ij = μ + item_i + rater_j + rest_ij`` [brennan2001]. Raters who are new on
every item leave ``Var d_i = σ_item² + (σ_rater² + σ_rest²) / K`` to an item with K of them; a pool of people shares the
items as in `RaterLaw`.
"""

from dataclasses import dataclass
from math import nan, sqrt

from quorate._errors import InputError
from quorate.agreement.variance_parts import VarianceParts
from quorate.metrics.registry import find_metric
from quorate.planning.laws.item_law import Law
from quorate.planning.laws.rater_law import CrossedLaw, RaterLaw
from quorate.planning.people import SharedPool
from quorate.planning.question import PlanQuestion
from quorate.planning.search import StudySource
from quorate.planning.sources.returning_raters import PoolSource

WIDEST = 4.0
"""So many standard deviations apart two systems may be on an item, where no scale says how far."""


@dataclass(frozen=True, kw_only=True)
class VarianceSource(StudySource):
    """Laws of normal differences with these variances, raters new on every item."""

    difference: float
    parts: VarianceParts

    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of studies whose items are independent."""
        item, rater, rest = self.parts.amounts
        return CrossedLaw(
            mean=self.difference,
            mean_error=0.0,
            spread=VarianceParts(item + (rater + rest) / n_raters, 0.0, 0.0),
            null=VarianceParts(nan, nan, nan),
            block_items=1.0,
        )


def variance_source(question: PlanQuestion, metric: str | None) -> StudySource:
    """Return the source of the variances that were typed in."""
    why = "with --variance: the variances are all there is; leave it out."
    question.refuse(("effect", "score", "systems_agree", "answers", "rater_share"), why)
    question.refuse(("systems", "system_column", "run_column", "resample_pool", "positive"), why)
    if question.variances is None or question.difference is None:
        raise InputError("With --variance say --difference: the difference that matters, in the units of the ratings.")
    if question.unit not in ("auto", "items", "items+raters"):
        raise InputError(f"--unit {question.unit} needs items in groups, and --variance has none; leave it out.")
    item, rater, rest = question.variances
    parts, score = VarianceParts(item, rater, rest), find_metric(metric or "mean_rating")
    reach = WIDEST * sqrt(item + rater + rest)
    words = f"if one rater's difference varies by {item:g} over items, {rater:g} over raters and {rest:g} for the rest"
    if question.pool is None:
        new = f"{words} (variances), raters new on every item"
        return VarianceSource(metric=score, assumption=new, reach=reach, difference=question.difference, parts=parts)
    law = RaterLaw(question.difference, parts, None, question.pool, question.max_per_rater)
    people = SharedPool(law, question.pool)
    return PoolSource(metric=score, assumption=f"{words} (variances)", reach=reach, people=people)
