"""What a plan asks of a law of differences: of independent items, of raters who come back, or of groups of items."""

from dataclasses import dataclass
from typing import Protocol

from quorate.planning.promises.small_studies import StudyDraws

__all__ = ["Law", "Promise"]


@dataclass(frozen=True)
class Promise:
    """What a study of one size promises; `error` fields are Monte-Carlo standard errors.

    `power` is the chance of the verdict a better; with a margin, `worse` is that of not worse, equivalent or better,
    and `equivalent` that of the verdict equivalent.
    """

    power: float
    power_error: float
    worse: float
    equivalent: float
    expected_p: float
    expected_p_error: float
    ci_width: float


class Law(Protocol):
    """The law of the difference between two systems in studies with one number of raters per item."""

    @property
    def mean(self) -> float:
        """Expected difference."""

    @property
    def draws(self) -> int:
        """Number of simulated items or studies behind the law; 0 for an exact one."""

    @property
    def raters_return(self) -> bool:
        """Whether raters or groups shared by items leave a spread that more items do not lower as 1/N."""

    def promise(self, n_items: int, confidence: float, *, margin: float | None = None, studies: StudyDraws) -> Promise:
        """Return what N items promise."""

    def chances(
        self, n_items: int, confidence: float, *, margin: float | None = None, studies: StudyDraws
    ) -> tuple[float, float, float]:
        """Return the chances of better, of no worse and of equivalent; the last two are nan without a margin."""

    def ci_width(self, n_items: int, confidence: float, *, margin: float | None = None, studies: StudyDraws) -> float:
        """Return the expected width of the test's interval."""

    def expected_p(
        self, n_items: int, confidence: float = 0.95, *, margin: float | None = None, studies: StudyDraws
    ) -> tuple[float, float]:
        """Return P(null ≥ alternative) and its Monte-Carlo error; nan where no null world is defined."""

    def quantile_width(self, n_items: int, confidence: float, *, studies: StudyDraws) -> float:
        """Return the width between the quantiles of the difference, the papers' interval [forest, alg. 3]."""

    def smallest_seen(self, n_items: int, confidence: float, power: float) -> float:
        """Return the smallest difference that N items see with so much power, at today's spread; nan if none."""

    def lost_chance(self, n_items: int, confidence: float, margin: float) -> float:
        """Return the chance of the verdict that B is better."""

    def standard_error(self, n_items: int) -> float:
        """Return the standard deviation of the difference in a study of N items."""

    def items_at(self, standard_error: float, most: int) -> float:
        """Return about the fewest items, at most so many, with a standard error no larger than this."""
