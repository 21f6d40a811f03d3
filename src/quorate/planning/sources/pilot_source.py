"""Plan from a pilot: raters new on every item, or back on other items, or items in groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._text import count
from quorate._typing import Array
from quorate.agreement.variance_parts import VarianceParts, variance_of_mean
from quorate.data.answers import Answers
from quorate.data.ratings import Ratings
from quorate.data.summaries import Probabilities
from quorate.inference.means import mean_test
from quorate.metrics.registry import choose_metric
from quorate.planning.laws.item_law import Law
from quorate.planning.laws.rater_law import FEW_CASES, CrossedLaw, RaterLaw
from quorate.planning.people import SharedPool
from quorate.planning.question import NEW_RATERS, PlanQuestion
from quorate.planning.search import Search, StudySize, StudySource
from quorate.planning.sources.pilot import FEWEST_RATERS, Pilot, PilotRaters, find_groups, pilot_raters
from quorate.planning.sources.posterior import chi_square_truths

CLASSES = 50
"""Classes of components that are looked at; they divide the draws of the posterior."""
CERTAIN = 1e-4
"""A promise beyond this is not told from a certain one."""
AS_NEW = "they are planned for as if they were new on every item"
FEW_WORDS = (
    "a pool can hardly be planned from {} in the pilot: how far people differ is hardly known. Read the range and the "
    f"power that counts it, or ask {FEWEST_RATERS} people or more first."
)


@dataclass(frozen=True, kw_only=True)
class PilotSource(StudySource):
    """Laws from the observed differences of a pilot, raters taken as new on every item."""

    pilot: Pilot

    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of one item's difference; a pilot is known no better on request."""
        return self.pilot.law(n_raters)

    def knows(self, n_raters: int) -> bool:
        """Tell whether a panel score was seen with so many raters."""
        return super().knows(n_raters) and n_raters <= (self.pilot.most_raters or n_raters)

    def raters_to_try(self, wanted: Sequence[int] | None) -> list[int]:
        """Return the numbers of raters to look at; the pilot's or fewer for a panel score."""
        tried = [k for k in super().raters_to_try(wanted) if self.knows(k)]
        if not tried:
            raise InputError(
                f"The pilot has {self.pilot.most_raters} raters per item, and {self.metric.title} cannot be planned "
                "for more; ask for fewer with --raters."
            )
        return tried

    def doubt(self, search: Search, best: StudySize) -> Mapping[str, Any]:
        """Say which N would be right given the pilot, and what power the plan then has on average."""
        asked, parts = search.question, self.pilot.components
        low, high = self.right_items(search, best)
        return {
            "items": len(self.pilot.observed),
            "between": None if parts is None else parts.item,
            "within": None if parts is None else parts.residual,
            "best_raters": None if parts is None else parts.best_raters(asked.item_price, asked.rating_price),
            "items_low": low,
            "items_high": high,
            "assurance": self.assurance(search, best.n_items, best.n_raters, best.power),
            "replay": self.replay(search, best),
        }

    def assurance(self, search: Search, n_items: int, n_raters: int, power: float) -> float:
        """Return the mean power over spreads that may be true, ``mean of Φ(signal / ratio − t)``.

        t is what the promised power says it is.
        """
        from scipy.special import ndtr

        signal, needed = self._signal(search, n_items, n_raters, power)
        return float(ndtr(signal / self.spread_ratios(n_raters) - needed).mean())

    def spread_ratios(self, n_raters: int) -> Array:
        """Return the spread of one item's difference that may be true, over the one the plan takes, ``(draw,)``."""
        return np.asarray(self.pilot.posterior_sds(n_raters) / max(self.pilot.law(n_raters).sd, 1e-300))

    def _signal(self, search: Search, n_items: int, n_raters: int, power: float) -> tuple[float, float]:
        """What is to be seen in standard errors, and how many of them the test needs."""
        from scipy.special import ndtri

        error = search.law(n_raters).standard_error(n_items)
        signal = (self.pilot.difference + (search.question.margin or 0.0)) / max(error, 1e-300)
        return signal, signal - float(ndtri(np.clip(power, CERTAIN, 1 - CERTAIN)))

    def right_items(self, search: Search, best: StudySize) -> tuple[int | None, int | None]:
        """Return the number of items that would be right for the wanted power, from 5 to 95 %."""
        from scipy.special import ndtri

        signal, needed = self._signal(search, best.n_items, best.n_raters, best.power)
        more = max(needed + float(ndtri(search.question.wanted.power)), 0.1) / signal
        items = best.n_items * (more * self.spread_ratios(best.n_raters)) ** 2
        low, high = np.quantile(np.maximum(items, search.floor), [0.05, 0.95])
        return int(np.ceil(low)), int(np.ceil(high))

    def replay(self, search: Search, best: StudySize) -> float | None:
        """Return how often studies of the recommended size, drawn from the pilot, would have favoured A."""
        asked = search.question
        return self.pilot.replay(best.n_items, best.n_raters, asked.confidence, asked.margin)


@dataclass(frozen=True, kw_only=True)
class PilotGroupsSource(PilotSource):
    """Laws from a pilot whose items are drawn in groups, `code` that of each item.

    With m items per group, ``Var Γ = (σ_K² + c) / N``: σ_K² the variance of one item's difference with K raters and
    ``c = (deff − 1) σ²`` what items of a group share, from the pilot's design effect [kish1965], whatever K is.
    """

    code: Array

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return int(self.code.max()) + 1

    @cached_property
    def design_effect(self) -> float:
        """How much larger the variance is than with independent items; below 1 counts as 1."""
        single, whole = (mean_test(self.pilot.observed, clusters=code).se for code in (None, self.code))
        return max(float((whole / single) ** 2), 1.0)

    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of studies of whole groups."""
        shared = (self.design_effect - 1) * float(self.pilot.observed.var(ddof=1))
        return CrossedLaw(
            mean=self.pilot.difference,
            mean_error=0.0,
            spread=VarianceParts(self.pilot.law(n_raters).sd ** 2 + shared, 0.0, 0.0),
            null=VarianceParts(np.nan, np.nan, np.nan),
            block_items=len(self.code) / self.n_groups,
        )

    def replay(self, search: Search, best: StudySize) -> None:
        """Items alone cannot be replayed, for groups stay together."""

    def spread_ratios(self, n_raters: int) -> Array:
        """Return the spread that may be true over the one the plan takes: groups are few."""
        rng = generator(self.pilot.seed, "pilot groups")
        return np.asarray(np.sqrt(chi_square_truths(self.n_groups - 1.0, rng)))


@dataclass(frozen=True, kw_only=True)
class PilotRatersSource(PilotSource):
    """Laws from a pilot whose raters came back on other items, so that they count as random."""

    raters_return: ClassVar[bool] = True
    people: SharedPool
    raters: PilotRaters

    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of studies with these people."""
        return replace(self.people.law, n_raters=n_raters)

    def knows(self, n_raters: int) -> bool:
        """Tell whether the components hold for so many raters per item."""
        only = 1 if self.raters.one_rater else self.raters.only
        return n_raters <= self.people.most_raters and only in (None, n_raters)

    def raters_to_try(self, wanted: Sequence[int] | None) -> list[int]:
        """Return the numbers of raters to look at; only the pilot's own for a panel score."""
        only = self.raters.only
        if only is not None and wanted is not None and set(wanted) != {only}:
            raise InputError(
                f"How raters differ in {self.metric.title} is known for {only} raters per item, as in the pilot: "
                f"say --raters {only}, or --unit items to forget the raters."
            )
        return super().raters_to_try(wanted if only is None else (only,))

    @cached_property
    def truths(self) -> Array:
        """Components that may be true, ``(component, draw)``."""
        return self.raters.truths(self.pilot.posterior, self.pilot.seed)

    @cached_property
    def limits(self) -> Array:
        """Components whose quantiles are limits, ``(component, draw)``."""
        return self.raters.truths(self.pilot.posterior, self.pilot.seed, limits=True)

    def doubt(self, search: Search, best: StudySize) -> Mapping[str, Any]:
        """Say what is left open, raters among it."""
        parts, asked = self.people.law.parts, search.question
        return {
            **super().doubt(search, best),
            "raters": self.raters.n_raters,
            "between": parts.item,
            "between_raters": parts.rater,
            "within": parts.residual,
            "best_raters": parts.best_raters(asked.item_price, asked.rating_price),
        }

    def replay(self, search: Search, best: StudySize) -> None:
        """Items alone cannot be replayed, for raters come back."""

    def assurance(self, search: Search, n_items: int, n_raters: int, power: float) -> float:
        """Return the mean power over components that may be true."""
        return float(self._powers(search, self._classes(self.truths, n_items, n_raters), n_items, n_raters).mean())

    def _powers(self, search: Search, classes: Array, n_items: int, n_raters: int) -> Array:
        """The power of a study, ``(class,)``."""
        law, asked = replace(self.people.law, n_raters=n_raters), search.question
        return law.powers(classes, n_items, asked.confidence, -(asked.margin or 0.0))

    def _classes(self, truths: Array, n_items: int, n_raters: int) -> Array:
        """Means of truths of like variance, ``(component, class)``, from the least to the largest."""
        people = min(self.people.law.pool, n_items * n_raters)
        order = np.argsort(variance_of_mean(tuple(truths), n_items, n_raters, people))
        return np.asarray(truths[:, order].reshape(3, CLASSES, -1).mean(-1))

    def right_items(self, search: Search, best: StudySize) -> tuple[int | None, int | None]:
        """Return the number of items that is right where power is above that of 95 % and 5 % of worlds, or None."""
        classes = self._classes(self.limits, best.n_items, best.n_raters)
        order = np.argsort(-self._powers(search, classes, best.n_items, best.n_raters))
        ends = (VarianceParts(*classes[:, order[int(share * CLASSES)]]) for share in (0.05, 0.95))
        low, high = (self._right_items(search, best.n_raters, parts) for parts in ends)
        return low, high

    def _right_items(self, search: Search, n_raters: int, parts: VarianceParts) -> int | None:
        law = replace(self.people.law, parts=parts, cases=FEW_CASES)
        source = replace(self, people=replace(self.people, law=law))
        return Search(search.question.for_power(), source).fewest_items(n_raters)


def pilot_source(
    question: PlanQuestion, ratings: Ratings, answers: Mapping[str, Answers], metric: str | None
) -> StudySource:
    """Return the source of observed differences, their mean set to the one asked for."""
    first, second = answers
    a, b = (each.summary for each in answers.values())
    difference = _check_pilot(question)
    score = choose_metric(
        metric,
        ratings.scale.kind,
        labels=ratings.scale.categories,
        positive=question.positive,
        variant=question.variant,
        probabilities=isinstance(a, Probabilities) or isinstance(b, Probabilities),
    )
    pilot = Pilot(score, ratings.summary, a, b, difference, question.seed)
    if not pilot.observed.any():
        raise InputError(f"{first} and {second} score the same on every pilot item: there is no spread to plan from.")
    words = f"with the spread seen in {len(pilot.observed):,} pilot items, {first} against {second}"
    one_rater = "the pilot has one rater per item, so it cannot tell what more raters would bring."
    warnings = (one_rater,) if pilot.components is None and score.linear else ()
    plain = PilotSource(metric=score, assumption=words, pilot=pilot, warnings=warnings, reach=pilot.reach)
    return plain if question.unit in NEW_RATERS else source_of_pilot(question, plain, ratings)


def source_of_pilot(question: PlanQuestion, plain: PilotSource, ratings: Ratings) -> StudySource:
    """Return the source of a pilot whose raters, or groups of items, count as the question has it."""
    if question.unit in ("auto", "items+raters"):
        return _with_raters(question, plain, ratings)
    grouped = PilotGroupsSource(
        metric=plain.metric,
        assumption=plain.assumption,
        pilot=plain.pilot,
        code=find_groups(ratings, question.unit),
        warnings=plain.warnings,
        reach=plain.reach,
    )
    whole = f"that are drawn as a whole (design effect {grouped.design_effect:.1f})"
    groups = f"{count(grouped.n_groups, 'group')} ({question.unit})"
    return replace(grouped, assumption=f"{plain.assumption}, in {groups} {whole}")


def two_systems(question: PlanQuestion, answers: Mapping[str, Answers]) -> dict[str, Answers]:
    """Return the answers of the two systems a plan is about, the better one first."""
    names = list(question.systems or answers)
    for name in names:
        if name not in answers:
            raise InputError(f"--systems: there is no system '{name}'; there are {', '.join(list(answers)[:12])}.")
    if len(names) != 2 or names[0] == names[1]:
        raise InputError(f"A plan is about two systems, and there are {len(set(names))}; name them with --systems A,B.")
    return {name: answers[name] for name in names}


def _check_pilot(question: PlanQuestion) -> float:
    """Refuse what a pilot shows by itself; return the difference to plan for."""
    shown = ("effect", "score", "systems_agree", "answers")
    question.refuse(shown, "with --with: the answers show it; leave it out.")
    question.refuse(("rater_share",), "with --with: the ratings show it; leave it out.")
    if question.difference is None:
        raise InputError("With a pilot say --difference: the difference that matters, in the metric's units.")
    return question.difference


def _with_raters(question: PlanQuestion, plain: PilotSource, ratings: Ratings) -> StudySource:
    """Count the raters of a pilot as random where they come back on other items."""
    pilot = plain.pilot
    raters = pilot_raters(pilot.metric, ratings, pilot.a, pilot.b)
    insists = question.pool is not None or question.unit != "auto"
    if raters is None:
        why = _why_new(pilot, ratings)
        if insists:
            raise InputError(f"Raters cannot be counted as random: {why}; leave --pool and --unit out.")
        shared = ratings.rater is not None and ratings.n_pairs > (ratings.n_raters or 0)
        return _warned(plain, f"raters come back on other items, but {why}: {AS_NEW}.") if shared else plain
    if raters.only is not None and not insists and question.rater_numbers != (raters.only,):
        return _warned(
            plain,
            f"raters come back on other items, and {AS_NEW}: with --raters {raters.only}, the pilot's, they count.",
        )
    pool = max(raters.n_raters, 2) if question.pool is None else question.pool
    law = pool_law(pilot, raters.parts, pool, question.max_per_rater)
    few = (FEW_WORDS.format(count(raters.n_raters, "rater")),) if raters.few else ()
    back = f"; its {count(raters.n_raters, 'rater')} came back on other items, so raters count as random"
    return PilotRatersSource(
        metric=pilot.metric,
        assumption=plain.assumption + back,
        warnings=(*plain.warnings, *few),
        reach=plain.reach,
        pilot=pilot,
        people=SharedPool(law, pool),
        raters=raters,
    )


def pool_law(pilot: Pilot, parts: VarianceParts, pool: int, max_per_rater: int | None) -> RaterLaw:
    """Return the law of studies by a pool of people, with the spread of a pilot and the shape of its items."""
    return RaterLaw(pilot.difference, parts, None, pool, max_per_rater, shape=pilot.shape)


def _why_new(pilot: Pilot, ratings: Ratings) -> str:
    """Why a pilot does not tell how its raters differ."""
    if ratings.n_raters == 1:
        return "one person rated the whole pilot, which does not show how people differ"
    if not pilot.metric.linear:
        return f"{pilot.metric.title} does not split by rater, or not with so uneven a number of raters per item"
    return "the pilot does not say who its raters are, or none of them comes back"


def _warned(source: PilotSource, warning: str) -> PilotSource:
    return replace(source, warnings=(*source.warnings, warning))
