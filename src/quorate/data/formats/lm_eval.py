"""lm-evaluation-harness: `samples_<task>_<date>.jsonl`, a line per document and filter.

Several filters read the same answers again: one is chosen, else every document would count twice. Repeats of a document
are averaged in its score, so there are no runs. The model is not in the file but in results.json beside it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate.data.columns import listed
from quorate.data.formats.log_table import (
    AbsentFilterError,
    ChoiceError,
    DroppedRows,
    Layout,
    LogTable,
    each_object,
    first_object,
    grade,
    log_table,
    objects,
    part,
    refuse_absent,
    text,
)
from quorate.data.formats.packed_rows import ASIDE, Row, last_of_each, packed, records_in
from quorate.data.reading import LogChoice

HASH, NUMBER, FILTER, TASK, WHOLE = COLUMNS = tuple(
    f"{ASIDE}{name}" for name in ("hash", "number", "filter", "task", "whole")
)
FIXED = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash", "input", "task_name"),
}
BY_HASH = Layout(
    "samples of lm-eval", "scores", {"item": "doc_hash (doc_id where there is none)", "response": "NAME"}, "metrics"
)
BY_ID = replace(BY_HASH, mapping={"item": "doc_id", "response": "NAME"})


def is_lm_eval(content: object) -> bool:
    """Tell whether parsed JSON lines are samples of lm-eval."""
    return {"doc_id", "doc", "resps"} <= first_object(content).keys()


def is_lm_eval_results(content: object) -> bool:
    """Tell whether parsed JSON is the results.json that stands beside samples."""
    return isinstance(content, dict) and {"results", "model_name"} <= content.keys()


def read_lm_eval(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read the metrics of one filter."""
    lines = packed(map(_rows, each_object(content)), "question", *COLUMNS)
    refuse_absent(name, lines, BY_HASH, choice)
    wanted = _one_filter(name, sorted(lines[FILTER].unique().drop_nulls()), choice.filter)
    kept = lines if wanted is None else lines.filter(pl.col(FILTER) == wanted)
    _refuse_lists(name, kept, choice)
    hashed = _hashed(kept)
    rows = kept.with_columns(pl.col(HASH if hashed else NUMBER).alias("item"))
    latest = last_of_each(rows, "item", "question")
    dropped = [
        DroppedRows(f"another filter, not {wanted}", records_in(lines) - records_in(kept)),
        DroppedRows("written twice: the file was appended to, the last counts", rows.height - latest.height),
    ]
    task = kept[TASK].drop_nulls().first() if kept[TASK].count() else ""
    return log_table(name, BY_HASH if hashed else BY_ID, latest, choice, dropped, scope=str(task))


def model_of(results: Mapping[str, Any]) -> str | None:
    """Return the model results.json names."""
    return text(results.get("model_name"))


def is_low_good(results: object, metric: str) -> bool:
    """Tell whether results.json says that low is good for a metric, for every task that has it."""
    tasks = part({"": results}, "", "higher_is_better")
    said = [task[metric] for task in objects(list(tasks.values()) if isinstance(tasks, dict) else []) if metric in task]
    return bool(said) and not any(said)


def _one_filter(name: str, filters: list[str], asked: str | None) -> str | None:
    if asked is not None and asked not in filters:
        raise AbsentFilterError(f"{name} has no filter '{asked}', only {listed(filters) or 'none'}; name one of them.")
    if asked is None and len(filters) > 1:
        raise ChoiceError(
            f"{name} has several filters, which read the same answers: {listed(filters)}; choose one with --filter."
        )
    return asked or (filters[0] if filters else None)


def _hashed(lines: pl.DataFrame) -> bool:
    """Tell whether every document has a hash of its own, by which files of different splits can be aligned."""
    pairs = lines.select(HASH, NUMBER).unique()
    return not pairs[HASH].null_count() and pairs[HASH].n_unique() == pairs.height


def _refuse_lists(name: str, lines: pl.DataFrame, choice: LogChoice) -> None:
    """Refuse a metric that is no number of a document, unless another is asked for."""
    lists = lines.filter(pl.col(WHOLE).is_not_null())
    asked = lists if choice.score is None else lists.filter(pl.col("question") == choice.score)
    if asked.height:
        number, metric = asked.select(NUMBER, "question").row(0)
        raise InputError(
            f"{name}, document {number}: the metric '{metric}' is a list over the whole data set, not one number per "
            "document; choose another with --score NAME, or score by document."
        )


def _rows(line: Mapping[str, Any]) -> list[Row]:
    named = line.get("metrics")
    metrics = named if isinstance(named, list) else [key for key in line if key not in FIXED]
    said = line.get("filter")
    base: Row = {
        HASH: grade(line.get("doc_hash")),
        NUMBER: grade(line["doc_id"]),
        FILTER: None if said is None else str(said),
        TASK: text(line.get("task_name")),
    }
    subject = text(part(line, "doc", "subject"))
    groups = {} if subject is None else {"subject": subject}
    return [base | groups | _scored(line, metric) for metric in metrics]


def _scored(line: Mapping[str, Any], metric: str) -> Row:
    value = line.get(metric)
    whole = "list" if isinstance(value, list | dict) else None
    return {"question": metric, "response": _number(value), WHOLE: whole}


def _number(value: object) -> str | None:
    """Write a score; numbers of NumPy were written as text, True and nan among them."""
    match grade(value):
        case "True":
            return "1"
        case "False":
            return "0"
        case "nan" | "NaN":
            return None
        case cell:
            return cell
