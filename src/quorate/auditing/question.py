"""What `audit` is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

from quorate._errors import InputError
from quorate._question import check_share, check_size, option, words
from quorate._tasks import Execution
from quorate.populations.choice import parse_answers
from quorate.populations.vote_choice import VoteChoice

MOST_DRAWS = 1_000_000
MOST_RESPONSES = 500_000
"""Responses of a study: hundreds of studies are held in memory at a time."""
Null: TypeAlias = Literal["sharp", "rescaled", "variance", "tail", "threshold"]


@dataclass(frozen=True, kw_only=True)
class AuditQuestion(VoteChoice, Execution):
    """Which tests to try, on which studies.

    Parameters
    ----------
    items
        Items per study.
    raters
        Responses per item.
    metric
        The metric; agreement for categories and crps for numbers by default; mean_rating for rated outputs, each rated
        by --raters people.
    effect
        How far system B is perturbed.
    null
        A world without a difference: sharp (both systems answer from one law), or equal expected scores of unlike
        systems: rescaled, variance, tail, threshold.
    answers
        Answers per item of each system: a number, raters, or probabilities.
    test
        One or more tests, tried on the same studies.
    unit
        One or more of what the test counts as drawn at random: items, items+raters, batches; by default raters too
        where they come back on other items. Of votes side by side also votes: each as if it stood alone.
    replicates
        How many studies.
    confidence
        Level of the tests.
    mc_confidence
        Level of the Monte-Carlo interval of the rates.
    resamples
        Draws of the resampling tests.
    variant
        paper for the papers' habits.
    """

    silent: ClassVar[str] = "with_answers"
    first: ClassVar[str] = "population preset items raters metric effect win_rate null test unit replicates"

    items: int
    raters: int
    metric: str | None = None
    effect: float = 0.0
    null: Null | None = None
    answers: int | Literal["raters", "probabilities"] = option(1, parse=parse_answers, cli=str)
    test: str | Sequence[str] = option(("default",), parse=words, cli=list[str])
    unit: str | Sequence[str] = option(("auto",), parse=words, cli=list[str])
    replicates: int = 2000
    confidence: float = 0.95
    mc_confidence: float = 0.999
    resamples: int = 999
    variant: Literal["default", "paper"] = "default"

    def check(self) -> None:
        """Refuse what cannot be asked."""
        super().check()
        if self.with_answers is not None:
            raise InputError("--with is for plan: audit draws the systems' answers itself.")
        check_share("--confidence", self.confidence)
        check_share("--mc-confidence", self.mc_confidence)
        for flag, size in (("--replicates", self.replicates), ("--resamples", self.resamples)):
            check_size(flag, size, MOST_DRAWS)
        if self.items < 2:
            raise InputError("--items must be at least 2: one item shows no spread.")
        check_size("--items", self.items, MOST_RESPONSES // 5)
        check_size("--raters", self.raters, MOST_RESPONSES // self.items)
        if self.null is not None and self.null not in get_args(Null):
            raise InputError(f"There is no null '{self.null}'; use {', '.join(get_args(Null))}.")
        self.margin(self.effect)
