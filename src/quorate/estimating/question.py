"""What `estimate` is asked."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from math import inf, isfinite
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from quorate._errors import InputError
from quorate._question import check_share, check_size, option, source, words
from quorate.data.reading import FileReading

MavenMode: TypeAlias = Literal["calibrated", "paper"]
MavenEngine: TypeAlias = Literal["fast", "nuts"]
Target: TypeAlias = Literal["items", "population"]
SelectionRule: TypeAlias = Literal["check", "ignore"]
SeveralExperts: TypeAlias = Literal["majority", "share", "correct", "error"]
ChooseBy: TypeAlias = Literal["best", "random"]
MissingScores: TypeAlias = Literal["error", "drop"]
MetricName: TypeAlias = str | Callable[..., float]
"""A metric's name or, in Python, a function of scores and labels, both ``(item,)``."""
FEWEST_DRAWS = 50
"""Draws an interval needs."""


@dataclass(frozen=True, kw_only=True)
class EvidenceReading(FileReading):
    """How to read votes, experts and scores.

    Parameters
    ----------
    positive
        The label that counts as positive; without it labels are 0 and 1, or every label is a class of its own.
    several_experts
        Items with several expert labels: take the majority, or the share of each label; correct for the errors that
        repeated labels show; or refuse.
    cluster
        Column of what items belong to, such as their document, where experts or studies take whole ones.
    missing
        Items without a score: an error, or left out.
    duplicates
        What to do when a voter votes on the same item again.
    expert_column
        Column of expert labels, in the experts' file or, without one, in the votes or scores.
    item_column
        Column that names the item.
    rater_column
        Column that names the voter.
    response_column
        Column that holds the vote.
    system_column
        Column that names the system.
    score_column
        Column that holds the score.
    """

    positive: str | None = None
    several_experts: SeveralExperts = "majority"
    cluster: str | None = None
    missing: MissingScores = "error"
    duplicates: Literal["keep", "first", "last", "error"] = "keep"
    expert_column: str | None = None
    item_column: str | None = None
    rater_column: str | None = None
    response_column: str | None = None
    system_column: str | None = None
    score_column: str | None = None

    @property
    def aside(self) -> set[str | None]:
        """Columns that say something else than votes and scores."""
        return {self.expert_column, self.cluster}


def _metrics(flag: str, value: MetricName | Sequence[MetricName]) -> tuple[MetricName, ...]:
    """Split names at commas; functions stay as they are."""
    given = [value] if isinstance(value, str) or callable(value) else value
    return tuple(each for part in given for each in (words(flag, part) if isinstance(part, str) else (part,)))


def _methods(flag: str, value: str | Sequence[str]) -> tuple[str, ...]:
    """Split names at commas and take each once."""
    return tuple(dict.fromkeys(words(flag, value)))


@dataclass(frozen=True)
class EstimateQuestion(EvidenceReading):
    """What to estimate.

    Parameters
    ----------
    votes
        File of votes: item, rater, response (0 or 1, or any labels), or item, positive, total, or item and a count per
        class. In Python also a mapping of columns or a data frame.
    experts
        File of expert labels for a random sample of the items: item, label, and perhaps weight.
    scores
        File of the classifier's scores: item, score, or item, system, score, or a column per system; of more classes
        the class it chooses, or a column per class.
    metric
        One or more of auc, accuracy, precision, recall, f1, tpr, tnr, human_tpr, human_tnr, delta_tpr, delta_auc,
        prevalence; of more classes accuracy, macro_recall, macro_precision, macro_f1, human_accuracy, confusion,
        mean_error, within_one, mean_truth, delta_accuracy, and recall, precision, f1, auc, prevalence and human_recall,
        each also as recall:CLASS; by default what applies. In Python also functions of scores and labels.
    threshold
        Scores from here on count as positive; 0.5 if not given.
    method
        One or more of assisted, gt (experts only), maven, mv (majority vote), gt+mv, ds, ds-raters, ds+s,
        h-ai, ppi, ppi+maven, oracle; assisted,gt if nothing is said, maven,gt with --mode paper or --engine nuts.
    mode
        How MAVEN is run: calibrated, or paper for MAVEN as published.
    engine
        fast, or nuts for the reference sampler (needs quorate[nuts]).
    by
        Estimate within the groups of this column too.
    target
        items: the value on these very items; population: what they are a sample of.
    confidence
        Level of the intervals.
    draws
        Draws of labels, for methods that draw them.
    selection
        check refuses experts' items that were clearly chosen by score; ignore only warns.
    variant
        paper for the paper's habits, the same as --mode paper.
    truth
        File of true labels of all items, for --method oracle in simulations.
    target_width
        Also say how many more expert labels or votes would narrow the first interval to this width.
    expert_price
        Price of an expert label, for the cheapest way to --target-width.
    rating_price
        Price of a vote; 1 if not given.
    better_price
        Price of a vote by someone who errs half as often as these voters; with --expert-price.
    choose
        Choose so many items that experts should label next; -o to-label.csv writes them with their weights, ready to be
        filled in and given as --experts.
    choose_by
        best: more often items whose label would tell most about the first metric; random: all alike.
    """

    first: ClassVar[str] = "votes experts scores metric threshold by method positive target_width expert_price"

    heading: ClassVar[str] = ""
    votes: Any = source()
    experts: Any = source(None)
    scores: Any = source(None)
    _: KW_ONLY
    metric: MetricName | Sequence[MetricName] | None = option(None, parse=_metrics, cli=list[str])
    threshold: float | None = None
    method: str | Sequence[str] | None = option(None, parse=_methods, cli=list[str])
    mode: MavenMode = "calibrated"
    engine: MavenEngine = "fast"
    by: str | None = None
    target: Target = "items"
    confidence: float = 0.95
    draws: int = 500
    selection: SelectionRule = "check"
    variant: Literal["default", "paper"] = "default"
    truth: Any = source(None)
    target_width: float | None = None
    expert_price: float | None = None
    rating_price: float | None = None
    better_price: float | None = None
    choose: int | None = None
    choose_by: ChooseBy = "best"

    def check(self) -> None:
        """Refuse what cannot be asked."""
        super().check()
        check_share("--confidence", self.confidence)
        _check_choice("--target", self.target, Target)
        _check_choice("--selection", self.selection, SelectionRule)
        _check_choice("--mode", self.mode, MavenMode)
        _check_choice("--engine", self.engine, MavenEngine)
        _check_choice("--several-experts", self.several_experts, SeveralExperts)
        _check_choice("--missing", self.missing, MissingScores)
        _check_choice("--choose-by", self.choose_by, ChooseBy)
        if self.threshold is not None and not isfinite(self.threshold):
            raise InputError(f"--threshold {self.threshold} is no score that others can be above; give a number.")
        if self.choose is not None and self.choose < 1:
            raise InputError(f"--choose {self.choose} chooses nothing; say how many items, such as 100.")
        if self.draws < FEWEST_DRAWS:
            raise InputError(f"{self.draws} draws are too few for an interval; use --draws 500.")
        check_size("--draws", self.draws, 100_000)
        self._check_idle()
        self._check_prices()

    def _check_idle(self) -> None:
        """Refuse what means nothing without scores, without a choice of items, or without MAVEN."""
        of_scores = {"--threshold": self.threshold, "--score-column": self.score_column}
        idle = [flag for flag, value in of_scores.items() if value is not None and self.scores is None]
        if idle:
            raise InputError(f"{idle[0]} is about a classifier's scores, and none are given; leave it out.")
        if self.choose is None and self.choose_by != "best":
            raise InputError("--choose-by says how items are chosen: say how many with --choose, or leave it out.")
        if (self.mode, self.engine) != ("calibrated", "fast") and not any("maven" in each for each in self.methods):
            raise InputError("--mode and --engine say how MAVEN is run: add --method maven, or leave them out.")

    @property
    def aside(self) -> set[str | None]:
        """Columns that say something else than votes and scores."""
        return super().aside | {self.by}

    @property
    def metrics(self) -> tuple[MetricName, ...] | None:
        """The metrics asked for, one by one; None for all that apply."""
        return None if self.metric is None else _metrics("--metric", self.metric)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods asked for; what only MAVEN heeds asks for MAVEN."""
        if self.method is not None:
            return _methods("--method", self.method)
        modelled = self.variant == "paper" or self.mode == "paper" or self.engine == "nuts"
        return ("maven" if modelled else "assisted", "gt")

    @property
    def prices(self) -> tuple[float, float] | None:
        """Prices of an expert label and of a vote, if they matter."""
        if self.expert_price is None:
            return None
        return self.expert_price, 1.0 if self.rating_price is None else self.rating_price

    def _check_prices(self) -> None:
        width, price = self.target_width, self.rating_price if self.rating_price is not None else self.better_price
        if width is not None and not 0 < width < inf:
            raise InputError(f"--target-width is the full width of an interval, such as 0.05, not {width:g}.")
        if (self.prices is not None and width is None) or (self.prices is None and price is not None):
            raise InputError(
                "prices say what a narrower interval costs: give --target-width and --expert-price with them."
            )
        given = (self.expert_price, self.rating_price, self.better_price)
        if not all(0 < each < inf for each in given if each is not None):
            raise InputError("--expert-price, --rating-price and --better-price must be numbers above 0.")


def _check_choice(flag: str, value: str, choices: Any) -> None:
    if value not in get_args(choices):
        raise InputError(f"{flag} cannot be '{value}'; use {' or '.join(get_args(choices))}.")
