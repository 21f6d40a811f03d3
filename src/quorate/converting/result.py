"""What `convert` made: a long table, the fields behind its columns, and what was left out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from quorate._text import Sentence
from quorate.converting.words import dropped_table, first_rows, mapping_table, sentence
from quorate.data.formats.log_table import DroppedRows, LogTable
from quorate.results.result import Result
from quorate.results.table import Table

COLUMNS = ("item", "rater", "response", "system", "run")
"""The columns whose fields are always named in JSON, null where a log has none."""
RUNS = {"repeat": "run"}
"""Answers of an item drawn on their own are runs too, in a column that says so."""


@dataclass(frozen=True)
class Conversion(Result):
    """A log as a long table; `name` is what to call it."""

    verb: ClassVar[str] = "convert"
    log: LogTable
    name: str

    @property
    def mapping(self) -> Mapping[str, str]:
        """The field of the log behind each column."""
        return self.log.mapping

    @property
    def dropped(self) -> tuple[DroppedRows, ...]:
        """What was left out, and why."""
        return self.log.dropped

    def sentence(self) -> Sentence:
        """Say how much was read, and from what."""
        return sentence(self.log)

    def content(self) -> dict[str, Any]:
        """Return the mapping, the number of rows, and what was left out."""
        return {
            "tool": self.log.tool,
            "kind": self.log.kind,
            "mapping": dict.fromkeys(COLUMNS) | {RUNS.get(role, role): field for role, field in self.mapping.items()},
            "columns": self.log.frame.columns,
            "rows": self.log.frame.height,
            "dropped": list(self.dropped),
            "notes": list(self.log.notes),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return the long table."""
        return self.log.frame

    def tables(self) -> Mapping[str, Table]:
        """Return the mapping, what was left out, and the first rows."""
        return {
            "mapping": mapping_table(self.log),
            "dropped": dropped_table(self.dropped),
            "rows": first_rows(self.log.frame),
        }

    def notes(self) -> tuple[str, ...]:
        """Say what a reader of the table should know."""
        return tuple(f"Note: {note}." for note in self.log.notes)
