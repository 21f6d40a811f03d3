"""What `plan` is asked: what must be seen, with what chance, at which price, of whose raters.

Nothing heavy is imported at start: the command line reads the options from here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from quorate._errors import InputError
from quorate._question import (
    LARGEST_SIZE,
    MOST_MARGIN,
    MOST_RATERS,
    MOST_SIZES,
    check_share,
    check_size,
    flag_of,
    numbers,
    option,
    words,
)
from quorate.populations.choice import PopulationChoice, parse_answers
from quorate.populations.vote_choice import margin_of_win_rate

if TYPE_CHECKING:
    from quorate.populations.population import Answers

LONGEST_CURRENCY = 8
NEW_RATERS = ("items", "items+answers", "raters-within-items")
"""Units in which items are independent: raters are new on every item."""
MOST_SYSTEMS = 200
"""Systems on one board of votes."""
USUAL_POWER = 0.8
"""Chance of a verdict that a study should have; the usual planning convention."""


@dataclass(frozen=True)
class Goal:
    """What the study must reach: ``power``, ``assurance``, ``equivalence``, ``width`` or ``p``, and the value."""

    kind: Literal["power", "assurance", "equivalence", "width", "p"]
    value: float

    def __str__(self) -> str:
        return f"{self.kind}={self.value:g}"

    @property
    def chance(self) -> float | None:
        """The wanted chance of a verdict, None for goals that are none."""
        return self.value if self.kind in ("power", "equivalence") else None

    @property
    def power(self) -> float:
        """The wanted chance of a verdict, 0.8 for goals that are none."""
        return self.value if self.kind in ("power", "assurance", "equivalence") else USUAL_POWER


def parse_goal(flag: str, value: str) -> Goal:
    """Return the goal a text such as ``power=.8`` names."""
    kind, _, number = value.partition("=")
    try:
        wanted = float(number)
    except ValueError:
        wanted = inf
    match kind:
        case "power" | "assurance" | "equivalence" | "p" if 0 < wanted < 1:
            return Goal(kind, wanted)
        case "width" if 0 < wanted < inf:
            return Goal(kind, wanted)
    raise InputError(
        f"{flag} {value} is not a goal; use power=.8, assurance=.8, width=.05, p=.05 or, with --margin, equivalence=.8."
    )


def parse_unit(flag: str, value: str) -> str:
    """Return the full name of a unit, such as items+raters for S1."""
    if value == "auto":
        return value
    from quorate.inference.units import unit_name

    return unit_name(value)


def parse_variance(flag: str, value: str | Mapping[str, float]) -> dict[str, float]:
    """Return the variances a text such as ``item=0.04,rater=0.01,rest=0.2`` names; what is not named is 0."""
    given = dict(part.partition("=")[::2] for part in value.split(",")) if isinstance(value, str) else dict(value)
    parts = {"item": 0.0, "rater": 0.0, "rest": 0.0}
    try:
        parts |= {str(name).strip(): float(number) for name, number in given.items()}
    except ValueError:
        parts["item"] = inf
    if len(parts) > 3 or not all(0 <= part < inf for part in parts.values()) or not sum(parts.values()) > 0:
        raise InputError(f"{flag} {value} is not item=a,rater=b,rest=c; give variances from 0 up, one of them above 0.")
    return parts


@dataclass(frozen=True)
class PlanQuestion(PopulationChoice):
    """What to plan for.

    Parameters
    ----------
    pilot
        In Python, instead of --from and --with: two files, two tables, or ratings and systems as `read_systems` returns
        them.
    systems
        Of a pilot with answers, or of votes: the two systems, the one expected to be better first.
    system_column
        Of a pilot with answers: column that names the system; of votes the two columns, A,B.
    run_column
        Of a pilot with answers: column that names the run.
    missing
        Of a pilot with answers: items a system did not answer, an error or left out.
    rated_system
        Of a pilot of rated outputs: the column that says which system's output was rated.
    variance
        Instead of a population: item=a,rater=b,rest=c, the variances of one rater's difference between the systems over
        items, over raters, and of the rest, as a paper or a G-study reports them.
    metric
        The metric, or several with --effect; the default of the scale if not given.
    difference
        The difference that must be seen, in the metric's units.
    effect
        Instead of --difference: how far system B is perturbed, 0 to 1 for categories.
    win_rate
        For votes side by side, instead of --difference: how often the better system is to be preferred, ties half, such
        as 0.55; the margin is twice that less one.
    tie_share
        With --preset preference: the share of votes that are ties.
    n_systems
        With --preset preference: how many systems are compared, 2 if not given; of several, neighbours must be told
        apart while all pairs count.
    goal
        power=.8 (default), assurance=.8 for power that counts what a pilot cannot know, width=.05 for the interval,
        p=.05 for the papers' expected p, or, with --margin, equivalence=.8.
    budget
        Most that may be spent: money if a price is given, else ratings. Alone it buys the most power.
    items
        Numbers of items to look at: 200, or 100,200, or 100-120.
    raters
        Raters per item to look at: 3, or 1,3,5, or 1-10.
    have
        What is there already, items and raters per item, such as 200,3: asks what to buy next.
    min_items
        Fewest items worth a study.
    margin
        Instead of seeing a difference, show that system A is not worse by this much; with --goal equivalence, that
        neither is.
    score
        System A's own expected score.
    systems_agree
        Share of items on which both systems give the same answer.
    at_raters
        Raters per item at which --difference holds, for metrics that move with their number.
    answers
        Answers per item of each system: a number (1 if not given), raters, or probabilities.
    unit
        What the study draws: auto counts a pilot's raters as random if they come back on other items; items never does;
        items+raters (S1) insists; cluster:COLUMN and batches (S3) draw groups of items as a whole.
    pool
        People who can be asked; a pilot's number of raters if not given. With --resample, so many of its raters.
    max_per_rater
        With --pool: most items one person can do.
    rater_share
        With --pool and a population: share of the spread among the raters of an item that is the raters' own, 0 to 1.
    item_price
        Price of an item.
    rating_price
        Price of a rating.
    expert_price
        Price of an expert label, which no plan buys.
    currency
        What prices are in, such as € or USD; it stands behind every cost.
    precision
        How far simulation may leave the power off.
    confidence
        Level of the test.
    positive
        The positive category, for precision, recall, f1 and auc; a population's last one if not given.
    variant
        paper scores as the papers do, where they differ.
    """

    silent: ClassVar[str] = "expert_price"
    first: ClassVar[str] = (
        "population with_answers preset difference effect goal budget items raters item_price "
        "rating_price currency have margin pool max_per_rater"
    )

    _: KW_ONLY
    pilot: Any = field(default=None, metadata={"cli": False})
    systems: Sequence[str] | None = option(None, parse=words, cli=list[str])
    system_column: str | None = None
    run_column: str | None = None
    missing: Literal["error", "drop"] = "error"
    rated_system: str | None = None
    variance: str | Mapping[str, float] | None = option(None, parse=parse_variance, cli=str)
    metric: Sequence[str] | None = option(None, parse=words, cli=list[str])
    difference: float | None = None
    effect: float | None = None
    win_rate: float | None = None
    tie_share: float | None = None
    n_systems: int | None = None
    goal: str | None = None
    budget: float | None = None
    items: int | str | Sequence[int] | None = option(None, cli=list[str])
    raters: int | str | Sequence[int] | None = option(None, cli=list[str])
    have: str | tuple[int, int] | None = option(None, cli=str)
    min_items: int = 30
    margin: float | None = None
    score: float | None = None
    systems_agree: float | None = None
    at_raters: int = 5
    answers: int | str | None = option(None, cli=str)
    unit: str = option("auto", parse=parse_unit)
    pool: int | None = None
    max_per_rater: int | None = None
    rater_share: float | None = None
    item_price: float = 0.0
    rating_price: float = 1.0
    expert_price: float = 0.0
    currency: str = ""
    precision: float = 0.003
    confidence: float = 0.95
    positive: str | None = None
    variant: Literal["default", "paper"] = "default"

    @property
    def paper(self) -> bool:
        """Whether the papers' habits are wanted."""
        return self.variant == "paper"

    @property
    def metrics(self) -> tuple[str | None, ...]:
        """The metrics asked for; None stands for the default of the scale."""
        return (None,) if self.metric is None else tuple(self.metric)

    @cached_property
    def wanted(self) -> Goal:
        """The goal, a power of 0.8 if none was given."""
        return Goal("power", USUAL_POWER) if self.goal is None else parse_goal("--goal", self.goal)

    @cached_property
    def item_numbers(self) -> tuple[int, ...] | None:
        """Numbers of items asked for."""
        return None if self.items is None else numbers("--items", self.items)

    @cached_property
    def rater_numbers(self) -> tuple[int, ...] | None:
        """Numbers of raters per item asked for."""
        return None if self.raters is None else numbers("--raters", self.raters)

    @cached_property
    def there(self) -> tuple[int, int] | None:
        """Items and raters per item that are there already."""
        if self.have is None:
            return None
        parts = self.have.split(",") if isinstance(self.have, str) else [str(size) for size in self.have]
        if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
            raise InputError(f"--have {self.have} is not N,K; write the items and raters you have, such as 200,3.")
        if any(len(part.strip()) > len(str(LARGEST_SIZE)) for part in parts):
            raise InputError(f"--have {self.have} is more than can be planned for; {LARGEST_SIZE:,} at most.")
        return int(parts[0]), int(parts[1])

    @cached_property
    def system_answers(self) -> "Answers":
        """Answers per item of each system: one, or as many as raters in the papers, if nothing is said."""
        return parse_answers("--answers", ("raters" if self.paper else 1) if self.answers is None else self.answers)

    @property
    def floor(self) -> int:
        """Fewest items worth a study; the papers have none."""
        return 1 if self.paper else self.min_items

    @property
    def sizes_given(self) -> bool:
        """Whether sizes or a budget decide, not a goal."""
        return self.items is not None or (self.budget is not None and self.goal is None)

    @property
    def priced(self) -> bool:
        """Whether cost is money rather than ratings."""
        return (self.item_price, self.rating_price) != (0.0, 1.0)

    def for_power(self) -> "PlanQuestion":
        """Return the same question with a plain power as its goal, as high as the one asked for."""
        return replace(self, goal=f"power={self.wanted.power!r}", items=None, budget=None)

    def shown_difference(self, worked_out: float) -> float:
        """Return the difference to speak of: the one asked for, where a plan comes within a hundredth of it."""
        asked = self.difference
        return asked if asked is not None and abs(worked_out - asked) <= 0.01 * abs(asked) else worked_out

    @property
    def variances(self) -> tuple[float, float, float] | None:
        """Variances of item, rater and rest that were typed in."""
        if self.variance is None:
            return None
        parts = parse_variance("--variance", self.variance)
        return parts["item"], parts["rater"], parts["rest"]

    @property
    def outputs(self) -> int:
        """Ratings a rater of an item stands for: of rated outputs two, one of each system's."""
        return 1 if self.rated_system is None else 2

    def cost(self, n_items: int, n_raters: int) -> float:
        """Return the price of N items with K raters each."""
        return n_items * (self.item_price + n_raters * self.outputs * self.rating_price)

    def refuse(self, options: Sequence[str], why: str) -> None:
        """Refuse options that mean nothing where the plan comes from."""
        for name in options:
            if getattr(self, name) is not None:
                raise InputError(f"{flag_of(name)} has no meaning {why}")

    def __post_init__(self) -> None:
        """Take a pilot that is not read yet, ratings with or without answers, for what it is planned from."""
        if self.pilot is not None:
            from quorate.data.answers import Systems

            pair = isinstance(self.pilot, Sequence) and len(self.pilot) == 2 and not isinstance(self.pilot, str)
            ratings, answers = self.pilot if pair else (self.pilot, None)
            if not isinstance(answers, Systems):
                if (self.from_ratings, self.with_answers) != (None, None):
                    raise InputError("A pilot is what to plan from: name no other ratings and answers.")
                for name, value in (("from_ratings", ratings), ("with_answers", answers), ("pilot", None)):
                    object.__setattr__(self, name, value)
        if self.win_rate is not None:
            margin = margin_of_win_rate(self.win_rate)
            if self.effect is not None or self.difference not in (None, margin):
                raise InputError("--win-rate says the difference: leave --difference and --effect out.")
            object.__setattr__(self, "difference", margin)
        super().__post_init__()

    def _check_votes(self) -> None:
        """Refuse a share of ties, or a number of systems, without votes to type in."""
        shown = any(each is not None for each in (self.from_ratings, self.pilot, self.variance, self.resample))
        for flag, value in (("--tie-share", self.tie_share), ("--n-systems", self.n_systems)):
            if value is not None and shown:
                raise InputError(f"{flag} belongs to --preset preference; a pilot of votes shows its own.")
        if self.tie_share is not None and not 0 <= self.tie_share < 1:
            raise InputError(f"--tie-share {self.tie_share:g} is not a share from 0 up to 1; 0.2 is usual.")
        if self.n_systems is not None and not 2 <= self.n_systems <= MOST_SYSTEMS:
            raise InputError(f"--n-systems {self.n_systems} is not a number from 2 to {MOST_SYSTEMS}.")

    def check(self) -> None:
        """Refuse what cannot be asked."""
        self._check_votes()
        if self.variance is not None:
            self._check_variance()
        elif self.pilot is None:
            self._check_files()
        elif any(x is not None for x in (self.population, self.preset, self.alpha, self.from_ratings, self.resample)):
            raise InputError("A pilot is what to plan from: name no other population.")
        else:
            self.refuse_reading()
        self._check_sizes()
        self._check_difference()
        self._check_people()
        if not self.metrics:
            raise InputError("--metric names none; leave it out for the default of the scale.")
        if len(self.metrics) > 1 and self.effect is None:
            raise InputError("Several metrics have different units: say --effect, which is the same for all.")
        if self.answers is not None:
            parse_answers("--answers", self.answers)

    def _check_variance(self) -> None:
        named = (self.pilot, self.population, self.preset, self.alpha, self.from_ratings, self.resample)
        if any(each is not None for each in (*named, self.rated_system)):
            raise InputError("--variance is what to plan from: name no population and no pilot.")
        self.refuse_reading()

    def _check_files(self) -> None:
        others = (self.preset, self.population, self.alpha, self.resample)
        if self.from_ratings is not None and self.with_answers is not None and others != (None,) * 4:
            raise InputError("--from with --with is the pilot to plan from: name no other population.")
        super().check()
        if self.with_answers is None and self.rated_system is None:
            of_answers = {"--run-column": self.run_column, "--missing": self.missing == "drop"}
            of_answers |= {"--system-column": self.system_column if self.from_ratings is None else None}
            idle = [flag for flag, value in of_answers.items() if value]
            if idle:
                raise InputError(f"{idle[0]} is about a pilot's answers, and none are given; leave it out.")
        if self.rated_system is not None and (self.from_ratings is None or self.with_answers is not None):
            raise InputError("--rated-system needs --from RATINGS, whose outputs were rated, and no --with.")
        if self.with_answers is None and self.from_ratings is None and self.systems is not None:
            raise InputError("--systems names two of a pilot's systems: give --from RATINGS and --with ANSWERS.")

    def _check_sizes(self) -> None:
        check_share("--confidence", self.confidence)
        if not 0 < self.precision < 1:
            raise InputError(f"--precision {self.precision:g} must lie between 0 and 1.")
        check_size("--min-items", self.min_items, LARGEST_SIZE)
        check_size("--at-raters", self.at_raters, MOST_RATERS)
        check_size("--raters", max(self.rater_numbers or (1,)), MOST_RATERS, least=0)
        check_size("--have N,K: K", 1 if self.there is None else self.there[1], MOST_RATERS, least=0)
        for flag, sizes in (("--items", self.item_numbers), ("--raters", self.rater_numbers), ("--have", self.there)):
            if sizes is not None and min(sizes, default=0) < 1:
                raise InputError(f"{flag} must be whole numbers from 1 up.")
        check_size("--items × --raters", len(self.item_numbers or "1") * len(self.rater_numbers or "1"), MOST_SIZES)
        prices = self.item_price, self.rating_price, self.expert_price
        if len(self.currency) > LONGEST_CURRENCY:
            raise InputError(f"--currency {self.currency} is no sign or short name, such as € or USD.")
        if not (min(prices) >= 0 and 0 < self.item_price + self.rating_price < inf):
            raise InputError("Prices must not be negative, and an item or a rating must cost something.")
        one = self.cost(1, min(self.rater_numbers or (1,)))
        if self.budget is not None and not self.budget >= one:
            raise InputError(f"--budget {self.budget:g} buys nothing: one item with its raters costs {one:g}.")
        if self.budget is not None and not isfinite(self.budget):
            raise InputError("--budget must be a finite number; leave it out if there is no limit.")

    def _check_difference(self) -> None:
        if self.difference is not None and self.effect is not None:
            raise InputError("Give --difference or --effect, not both.")
        if self.difference is not None and not 0 <= self.difference < inf:
            raise InputError(
                f"--difference {self.difference:g} must be a number from 0 up: name the better system first."
            )
        if self.margin is not None and not 0 < self.margin <= MOST_MARGIN:
            raise InputError(f"--margin {self.margin:g} must be a number above 0, and at most {MOST_MARGIN:g}.")
        if self.margin is None and (self.difference == 0 or (self.effect == 0 and self.score is None)):
            raise InputError("Without a difference there is nothing to see; give --margin to plan for no worse than.")
        if self.wanted.kind == "equivalence" and self.margin is None:
            raise InputError("--goal equivalence needs --margin: differences up to which systems count as equal.")
        if self.score is not None and not isfinite(self.score):
            raise InputError(f"--score {self.score:g} is not a score; give a number.")

    def _check_people(self) -> None:
        if self.pool is not None or self.max_per_rater is not None:
            from quorate.planning.laws.rater_law import check_people

            check_people(self.pool, self.max_per_rater)
        if self.unit not in ("auto", "items+raters") and (self.pool is not None or self.rater_share is not None):
            raise InputError(f"--unit {self.unit} takes raters as new on every item or group: leave it or --pool out.")
        for flag, value in (("--max-per-rater", self.max_per_rater), ("--rater-share", self.rater_share)):
            if self.pool is None and value is not None:
                raise InputError(f"{flag} needs --pool: how many people can be asked.")
        if self.rater_share is not None and not 0 <= self.rater_share <= 1:
            raise InputError(f"--rater-share {self.rater_share:g} is not a share between 0 and 1.")
