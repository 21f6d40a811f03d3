"""Who can be asked to rate: a pool of people, what each can do, and how much of the spread is theirs."""

from collections.abc import Callable
from dataclasses import dataclass

from quorate._errors import InputError
from quorate.planning.laws.crossed_law import crossed_law
from quorate.planning.laws.law import Law
from quorate.planning.laws.rater_law import Parts, RaterModel, check_people
from quorate.planning.laws.simulated import item_law
from quorate.planning.scenario import Scenario
from quorate.populations.resampled.population import EmpiricalPopulation

__all__ = ["ITEMS", "Limits", "Staffing", "limited", "shared_raters"]

ITEMS = ("items", "items+answers", "raters-within-items")
"""Units in which items are independent: raters are new on every item."""


@dataclass(frozen=True)
class Staffing:
    """What is said about the raters; the fields are `quorate.plan`'s."""

    unit: str = "auto"
    pool: int | None = None
    max_per_rater: int | None = None
    rater_share: float | None = None

    def check(self) -> None:
        """Refuse what cannot be asked."""
        check_people(self.pool, self.max_per_rater)
        if self.unit not in ("auto", "items+raters") and (self.pool is not None or self.rater_share is not None):
            raise InputError(f"--unit {self.unit} takes raters as new on every item or group: leave it or --pool out.")
        if self.pool is None and (self.max_per_rater is not None or self.rater_share is not None):
            flag = "--max-per-rater" if self.max_per_rater is not None else "--rater-share"
            raise InputError(f"{flag} needs --pool: how many people can be asked.")
        if self.rater_share is not None and not 0 <= self.rater_share <= 1:
            raise InputError(f"--rater-share {self.rater_share:g} is not a share between 0 and 1.")


@dataclass(frozen=True)
class Limits:
    """A pool of the raters of a resampled table: how many, of how many, most items each, and laws by pool."""

    pool: int
    people: int
    max_per_rater: int | None
    law: Callable[[int, int, float], Law]


def limited(world: Scenario, population: EmpiricalPopulation, staffing: Staffing) -> Limits | None:
    """Return what limits the raters of a resampled table, None if nothing does."""
    if staffing.rater_share is not None:
        raise InputError("--rater-share has no meaning with raters who are resampled: the ratings show it.")
    if staffing.pool is None:
        return None
    people = population.ratings.n_raters or 0
    if population.unit == "batches":
        raise InputError("--pool needs raters who meet all items, and batches have their own: use items+raters.")
    if not 2 <= staffing.pool <= people:
        raise InputError(f"--pool {staffing.pool} is not between 2 and the {people} raters there are to resample.")

    def law(pool: int, n_raters: int, target: float) -> Law:
        return crossed_law(world, n_raters, target=target, pool=pool if pool < people else None)

    return Limits(staffing.pool, people, staffing.max_per_rater, law)


def shared_raters(setting: Scenario, staffing: Staffing, margin: float) -> RaterModel:
    """Split a population's spread among the raters of an item, by the share that is said to be the raters' own.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> setting = Scenario(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("agreement"), effect=0.3)
    >>> parts = shared_raters(setting, Staffing(pool=10, rater_share=0.1), 0.0).parts
    >>> round(parts.rater / (parts.rater + parts.rest), 9)
    0.1
    """
    if staffing.rater_share is None or staffing.pool is None:
        raise InputError(
            "A pool matters only if raters differ, and this population does not say how much: give --rater-share, or "
            "plan from data with --from RATINGS --with ANSWERS, or --resample RATINGS --resample-unit items+raters."
        )
    if not setting.metric.linear or setting.answers == "raters":
        raise InputError(
            "--pool needs a score that splits by rater, and systems that answer as often whatever the raters do: use "
            "agreement, brier or crps, and leave --answers raters out."
        )
    one, two = (item_law(setting, k, target=0.009, margin=margin) for k in (1, 2))
    share = staffing.rater_share
    return RaterModel(
        mean=one.mean,
        parts=_split(one.sd**2, two.sd**2, share),
        null=_split(one.null_sd**2, two.null_sd**2, share),
        pool=staffing.pool,
        max_per_rater=staffing.max_per_rater,
        span=one.span,
    )


def _split(one: float, two: float, share: float) -> Parts:
    """Components from the variances at one and at two raters, σ_b² + σ_w² / K, and the raters' share of σ_w²."""
    within = max(2 * (one - two), 0.0)
    return Parts(max(2 * two - one, 0.0), share * within, (1 - share) * within)
