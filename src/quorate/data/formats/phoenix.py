"""Phoenix: an experiment as JSON or CSV, runs of examples with their annotations; raters have no name there."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from quorate.data.formats.log_table import (
    DroppedRows,
    Layout,
    LogTable,
    first_object,
    grade,
    log_table,
    objects,
    records_of,
    text,
)
from quorate.data.formats.packed_rows import Row, packed, told_apart
from quorate.data.reading import LogChoice

LAYOUT = Layout(
    "an experiment of Phoenix",
    "scores",
    {"item": "example_id", "run": "repetition_number", "response": "score (else label) of NAME"},
    "annotations",
)
KIND = "annotator_kind"
PREFIX = "annotation_"
ENDINGS = {"_annotator_kind": "annotator_kind", "_score": "score", "_label": "label"}
"""How a column of the CSV ends that holds a field of an annotation."""


def is_phoenix(content: object) -> bool:
    """Tell whether parsed JSON holds runs of an experiment."""
    return {"example_id", "repetition_number", "annotations"} <= first_object(content).keys()


def is_phoenix_table(columns: Sequence[str]) -> bool:
    """Tell whether columns are those of an experiment's CSV."""
    named = any(name.startswith(PREFIX) and name.endswith(tuple(ENDINGS)) for name in columns)
    return {"example_id", "repetition_number"} <= set(columns) and named


def read_phoenix(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one annotation of every run; what people and machines say under one name is kept apart."""
    runs = objects(content)
    good = [run for run in runs if not run.get("error")]
    rows = packed((_rows(run) for run in good), "question", KIND)
    dropped = [DroppedRows("the run failed with an error; it is not scored 0", len(runs) - len(good))]
    return log_table(name, LAYOUT, told_apart(rows, KIND), choice, dropped)


def _rows(run: Mapping[str, Any]) -> Iterator[Row]:
    for each in objects(run["annotations"]):
        yield {
            "item": text(run["example_id"]),
            "run": text(run["repetition_number"]),
            "question": text(each.get("name")),
            "response": grade(each.get("score")) or text(each.get("label")),
            KIND: text(each.get(KIND)),
        }


def read_phoenix_table(name: str, frame: pl.DataFrame, choice: LogChoice) -> LogTable:
    """Read the CSV as the JSON it stands for."""
    cells = frame.select(pl.selectors.string() | pl.selectors.numeric())
    scores = [column for column in cells if column.name.startswith(PREFIX) and column.name.endswith("_score")]
    rows = records_of(frame.with_columns(_numbers(column) for column in scores))
    return read_phoenix(name, [{**row, "annotations": list(_annotations(row))} for row in rows], choice)


def _numbers(cells: pl.Series) -> pl.Series:
    """Return the numbers that cells of text stand for, 1 for 1.0; if there are others among them, the cells."""
    numbers = cells.cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == cells.null_count() else cells


def _annotations(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    fields = [
        (column.removeprefix(PREFIX).removesuffix(ending), field, column)
        for column in row
        for ending, field in ENDINGS.items()
        if column.startswith(PREFIX) and column.endswith(ending)
    ]
    for called in dict.fromkeys(called for called, _, _ in fields):
        yield {"name": called} | {field: row[column] for other, field, column in fields if other == called}
