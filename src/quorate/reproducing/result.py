"""What `reproduce` found: published figures beside ours, with the tables people read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from quorate._text import Sentence
from quorate.reproducing.cell import Cell
from quorate.reproducing.words import differences, reproduction_tables, sentence_of
from quorate.results.result import Result
from quorate.results.table import Table


@dataclass(frozen=True)
class Reproduction(Result):
    """The answer of `reproduce`: published figures beside ours."""

    verb: ClassVar[str] = "reproduce"
    cells: tuple[Cell, ...]

    @property
    def failed(self) -> tuple[Cell, ...]:
        """Cells that were expected to match and do not."""
        return tuple(cell for cell in self.cells if cell.fails)

    @property
    def by_table(self) -> dict[tuple[str, str], list[Cell]]:
        """The cells of each paper's tables and figures, in their order."""
        tables: dict[tuple[str, str], list[Cell]] = {}
        for cell in self.cells:
            tables.setdefault((cell.paper, cell.table), []).append(cell)
        return tables

    def sentence(self) -> Sentence:
        """Say how many of the cells that should match do."""
        return sentence_of(self.cells)

    def tables(self) -> Mapping[str, Table]:
        """Return how many cells of each table match, and for a page every cell."""
        return reproduction_tables(self.by_table)

    def notes(self) -> Sequence[str]:
        """Return the cells that should match and do not."""
        return differences(self.failed)

    def content(self) -> dict[str, Any]:
        """Return the cells and how many match."""
        return {
            "cells": [cell.to_dict() for cell in self.cells],
            "matched": sum(cell.expected and not cell.fails for cell in self.cells),
            "expected": sum(cell.expected for cell in self.cells),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per cell; the name of the row says where a point stands in its figure."""
        return pl.DataFrame([cell.to_dict() for cell in self.cells], infer_schema_length=None).drop("point")
