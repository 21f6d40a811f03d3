"""What `describe` is asked."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from quorate._errors import InputError
from quorate._question import check_share, source
from quorate.data.reading import LogReading


@dataclass(frozen=True)
class DescribeQuestion(LogReading):
    """What to describe.

    Parameters
    ----------
    ratings
        File of ratings: CSV, TSV, JSON lines, JSON or Parquet, gzipped or not; - for standard
        input; example:NAME. In Python also a mapping of columns, a data frame, or ratings already
        read.
    rated_system
        The column that says which system's output was rated; gives each system's mean with its interval.
    top
        How many of the most disputed items to list, and of the raters who lean most surely.
    rater_groups
        Column that groups the raters; all such columns by default.
    confidence
        Level of the interval for Krippendorff's alpha.
    """

    first: ClassVar[str] = "ratings rated_system scale order item_column rater_column response_column layout"

    ratings: Any = source()
    _: KW_ONLY
    rated_system: str | None = None
    top: int = 5
    rater_groups: str | None = None
    confidence: float = 0.95

    def check(self) -> None:
        """Refuse what cannot be asked."""
        super().check()
        check_share("--confidence", self.confidence)
        if self.top < 0:
            raise InputError(f"--top cannot be {self.top}; use a whole number from 0 up.")
