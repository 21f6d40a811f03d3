"""What `audit` found: one row per test and unit, side by side; with the table people read."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import polars as pl

from quorate._text import Sentence
from quorate.auditing.trials import AuditRow
from quorate.auditing.words import audit_sentence, audit_table
from quorate.results.result import Result, plain
from quorate.results.table import Table


@dataclass(frozen=True)
class Audit(Result):
    """The answer of `audit`: one row per test, side by side.

    Parameters
    ----------
    rows
        Every test with its unit.
    truth
        The true difference.
    no_difference
        Whether there is none: a claim is then an error.
    metric, n_items, n_raters, pool
        What was scored, on how many items, by how many raters per item, of how many people if they are limited.
    confidence, mc_confidence
        Level of the tests, and of the Monte-Carlo intervals of the rates.
    """

    verb: ClassVar[str] = "audit"
    rows: tuple[AuditRow, ...]
    truth: float
    no_difference: bool
    metric: str
    n_items: int
    n_raters: int
    pool: int | None = None
    confidence: float = 0.95
    mc_confidence: float = 0.999

    @property
    def replicates(self) -> int:
        """How many studies were drawn."""
        return self.rows[0].replicates

    def sentence(self) -> Sentence:
        """Say whether the first test keeps its promise, or how often it sees the difference."""
        return audit_sentence(self)

    def tables(self) -> Mapping[str, Table]:
        """Return the tests side by side."""
        return {"tests": audit_table(self)}

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return {"rows": plain(self.rows), "truth": self.truth}

    def to_frame(self) -> pl.DataFrame:
        """Return one row per test."""
        return pl.DataFrame([asdict(row) for row in self.rows])
