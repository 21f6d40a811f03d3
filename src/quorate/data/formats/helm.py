"""HELM: `per_instance_stats.json` and `display_predictions.json`, each beside `run_spec.json`, which names the model.

Altered copies of an instance (perturbations) are left out; a statistic over several completions is their mean.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from quorate.data.formats.log_table import (
    DroppedRows,
    Layout,
    LogTable,
    each_object,
    first_object,
    grade,
    is_list,
    log_table,
    objects,
    part,
    text,
)
from quorate.data.formats.packed_rows import ASIDE, Row, packed
from quorate.data.reading import LogChoice

LAYOUT = Layout(
    "a HELM run",
    "scores",
    {"item": "instance_id", "run": "train_trial_index", "response": "mean of NAME"},
    "metrics",
    shared_runs=True,
)
"""A trial's examples in the prompt are the same for all instances."""
ALTERED = f"{ASIDE}altered"
MODEL = re.compile(r",model=[^,]*|(?<=:)model=[^,]*,?")
"""What the name of a run says of the model."""


def is_helm(content: object) -> bool:
    """Tell whether parsed JSON holds statistics by instance."""
    record = first_object(content)
    return is_list(content) and {"instance_id", "train_trial_index", "stats"} <= record.keys()


def read_helm(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one metric of every instance."""
    found = packed((_rows(record) for record in each_object(content)), ALTERED)
    rows = found.filter(pl.col(ALTERED).is_null())
    dropped = [DroppedRows("an altered copy of the instance (perturbation)", found.height - rows.height)]
    return log_table(name, LAYOUT, rows, choice, dropped)


def _rows(record: Mapping[str, Any]) -> Iterator[Row]:
    place: Row = {"item": text(record["instance_id"]), "run": text(record["train_trial_index"])}
    for metric, value, perturbed in _stats(record):
        yield place | {"question": metric, "response": value, ALTERED: "altered" if perturbed else None}


def model_of_run(spec: object) -> str | None:
    """Return the model run_spec.json names."""
    return text(part({"": spec}, "", "adapter_spec", "model"))


def task_of_run(spec: object) -> str | None:
    """Return the scenario run_spec.json names and how it was asked, such as ``mmlu:subject=law``: all but the model."""
    name = text(part({"": spec}, "", "name"))
    return None if name is None or model_of_run(spec) is None else MODEL.sub("", name).rstrip(":")


def _stats(record: Mapping[str, Any]) -> Iterator[tuple[str | None, str | None, bool]]:
    stats = record["stats"]
    whole = "perturbation" in record
    if isinstance(stats, dict):
        yield from ((metric, grade(value), whole) for metric, value in stats.items())
        return
    for stat in objects(stats):
        metric = stat.get("name")
        called = text(part(stat, "name", "name")) if isinstance(metric, dict) else text(metric)
        altered = whole or (isinstance(metric, dict) and "perturbation" in metric)
        yield called, grade(stat.get("mean")), altered
