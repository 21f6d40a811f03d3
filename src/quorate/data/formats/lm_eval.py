"""lm-evaluation-harness: `samples_<task>_<date>.jsonl`, a line per document and filter.

Several filters read the same answers again: one is chosen, else every document would count twice. Repeats of a document
are averaged in its score, so there are no runs. The model is not in the file but in results.json beside it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from quorate._errors import InputError
from quorate.data.columns import listed
from quorate.data.formats.log_table import (
    ChoiceError,
    Dropped,
    Layout,
    LogTable,
    Row,
    first_object,
    grade,
    last_of_each,
    log_table,
    objects,
    part,
    text,
)
from quorate.data.reading import LogChoice

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
    lines = objects(content)
    filters = sorted({str(line["filter"]) for line in lines if line.get("filter") is not None})
    wanted = _one_filter(name, filters, choice.filter)
    kept = [line for line in lines if wanted is None or str(line.get("filter")) == wanted]
    hashed = _hashed(kept)
    rows = [row for line in kept for row in _rows(name, line, hashed, choice)]
    latest, again = last_of_each(rows, "item", "question")
    dropped = [
        Dropped(f"another filter, not {wanted}", len(lines) - len(kept)),
        Dropped("written twice: the file was appended to, the last counts", again),
    ]
    task = next((str(line["task_name"]) for line in kept if line.get("task_name")), "")
    return log_table(name, BY_HASH if hashed else BY_ID, latest, choice, dropped, scope=task)


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
        raise ChoiceError(f"{name} has no filter '{asked}', only {listed(filters) or 'none'}; name one of them.")
    if asked is None and len(filters) > 1:
        raise ChoiceError(
            f"{name} has several filters, which read the same answers: {listed(filters)}; choose one with --filter."
        )
    return asked or (filters[0] if filters else None)


def _hashed(lines: list[dict[str, Any]]) -> bool:
    """Tell whether every document has a hash of its own, by which files of different splits can be aligned."""
    pairs = {(line.get("doc_hash"), line.get("doc_id")) for line in lines}
    hashes = {each for each, _ in pairs}
    return None not in hashes and len(hashes) == len(pairs)


def _rows(name: str, line: Mapping[str, Any], hashed: bool, choice: LogChoice) -> list[Row]:
    named = line.get("metrics")
    metrics = named if isinstance(named, list) else [key for key in line if key not in FIXED]
    for metric in metrics:
        if isinstance(line.get(metric), list | dict) and choice.score in (None, metric):
            raise InputError(
                f"{name}, document {line['doc_id']}: the metric '{metric}' is a list over the whole data set, not one "
                "number per document; choose another with --score NAME, or score by document."
            )
    item = line["doc_hash"] if hashed else line["doc_id"]
    task = part(line, "doc", "subject")
    groups = {} if text(task) is None else {"subject": text(task)}
    base = {"item": grade(item), **groups}
    return [{**base, "question": metric, "response": _number(line.get(metric))} for metric in metrics]


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
