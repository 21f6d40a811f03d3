"""Inspect: `.eval` archives (finished or not), JSON logs, and tables that `samples_df` gave.

An archive holds `header.json` and `summaries.json`, written at the end; one that never ended has `_journal/start.json`
and `_journal/summaries/1.json`, 2, … instead. Samples that were run again stand twice: the last one counts.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias

import polars as pl

from quorate._errors import InputError
from quorate.data.formats.log_table import (
    DroppedRows,
    Layout,
    LogTable,
    each_object,
    first_object,
    grade,
    groups_of,
    log_table,
    objects,
    part,
    short,
    text,
    text_cells,
)
from quorate.data.formats.packed_rows import ASIDE, Row, last_of_each, one_each, packed, records_in
from quorate.data.json_values import loads_json
from quorate.data.reading import LogChoice

LAYOUT = Layout(
    "an Inspect log",
    "scores",
    {"item": "id", "system": "eval.model", "run": "epoch", "response": "scores.NAME.value"},
)
GIVEN = Layout("scores for Inspect", "scores", {"item": "id", "run": "epoch", "response": "value"})
PRECOMPUTED = {"id", "value", "epoch", "answer", "explanation", "metadata"}
JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")
SAMPLE = re.compile(r"samples/[^/]+(\.json|/sample\.json)")
LOG, STATE = f"{ASIDE}log", f"{ASIDE}state"
KEY = ("item", "run", "system", LOG)
"""What makes two samples the same one, run again."""
INVALID, FAILED, UNSCORED = (
    "declared invalid by a person",
    "the sample failed with an error; it is not scored 0",
    "not scored",
)
CUT = ("...", "Key removed from summary (> 1k)")
"""What a summary says in place of metadata that are too long for it; no items are alike for that."""
UNFINISHED = "the log is unfinished: these are the samples done so far"
STOPPED = ("started", "cancelled", "error")
"""What a header says of a run that did not come to its end."""
LETTERS = {"C": "1", "I": "0", "P": "0.5", "N": "0"}
"""What Inspect's `value_to_float` makes of letters, if they are large: correct, incorrect, partial, no answer."""
WORDS = {"yes": "1", "true": "1", "no": "0", "false": "0"}
"""What it makes of words, large or small."""
MEAN = "mean"
"""How Inspect reduces epochs, unless told otherwise."""
Sample: TypeAlias = Mapping[str, Any]
TABLE = {"sample_id", "eval_id", "id", "epoch"}


def is_inspect_log(content: object) -> bool:
    """Tell whether parsed JSON is a whole log."""
    return isinstance(part({"": content}, "", "eval", "model"), str) and "version" in dict(objects(content)[0])


def is_precomputed(content: object) -> bool:
    """Tell whether parsed JSON holds the scores that Inspect's `precomputed_scores` takes from outside."""
    keys = first_object(content).keys()
    return {"id", "value"} <= keys <= PRECOMPUTED and bool(keys & {"epoch", "answer", "explanation"})


def is_inspect_archive(names: Sequence[str]) -> bool:
    """Tell whether the members of an archive are those of a log."""
    return "header.json" in names or "_journal/start.json" in names


def is_inspect_table(columns: Sequence[str]) -> bool:
    """Tell whether columns are those of `samples_df`."""
    return set(columns) >= TABLE and any(name.startswith("score_") for name in columns)


def read_inspect_log(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read a JSON log, whose samples stand in it."""
    return _read(name, content, each_object(content.get("samples") or []), choice)


def read_precomputed(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read a value of every record; the answer beside it is what was scored."""
    rows = (
        {"item": text(each["id"]), "run": text(each.get("epoch")), "response": grade(each.get("value"))}
        for each in each_object(content)
    )
    return _graded(log_table(name, GIVEN, packed(one_each(rows)), choice))


def read_inspect_archive(name: str, names: Sequence[str], read: Callable[[str], Any], choice: LogChoice) -> LogTable:
    """Read an archive from its header and summaries; `read` returns a member as parsed JSON."""
    head = read("header.json" if "header.json" in names else "_journal/start.json")
    whole = [member for member in names if SAMPLE.fullmatch(member)]
    members = [] if whole and part({"": head}, "", "invalidated") is True else _summaries(names)
    samples = (sample for member in members for sample in each_object(read(member)))
    first = next(samples, None)
    if first is None:
        samples = (sample for member in whole for sample in each_object(read(member)))
        first = next(samples, None)
    if first is None:
        raise InputError(f"{name} is an Inspect log without any finished sample; let the evaluation run on.")
    return _read(name, head, chain([first], samples), choice, ended="header.json" in names)


def _summaries(names: Sequence[str]) -> list[str]:
    """Return the members with summaries of samples, which do not say which of them somebody declared invalid."""
    if "summaries.json" in names:
        return ["summaries.json"]
    journal = {int(match[1]): match[0] for match in map(JOURNAL.fullmatch, names) if match and len(match[1]) < 10}
    return [journal[number] for number in sorted(journal)]


def read_inspect_table(name: str, frame: pl.DataFrame, choice: LogChoice) -> LogTable:
    """Read a table of samples: the item is `id`, for `sample_id` is another in each run."""
    scores = [column for column in frame.columns if column.startswith("score_")]
    kept = [column for column in frame.columns if column.startswith("metadata_")]
    several = "model" not in frame.columns and frame["eval_id"].n_unique() > 1
    samples = [
        {
            "id": cells["id"],
            "epoch": cells["epoch"],
            "error": cells.get("error"),
            "scores": {column.removeprefix("score_"): {"value": _cell(cells[column])} for column in scores},
            "metadata": {column.removeprefix("metadata_"): cells[column] for column in kept},
            "model": cells.get("model") or (cells["eval_id"] if several else None),
            "eval_id": cells["eval_id"],
        }
        for cells in text_cells(name, frame)
    ]
    return _read(name, {}, samples, choice)


def _cell(cell: str | None) -> Any:
    """Return the value in a cell; one that is a list or an object was written as its JSON."""
    try:
        return loads_json(cell) if cell and cell[0] in "{[" else cell
    except ValueError:
        return cell


def _read(name: str, head: Sample, samples: Iterable[Sample], choice: LogChoice, ended: bool = True) -> LogTable:
    model = text(part(head, "eval", "model"))
    rows = packed((_rows(sample, model) for sample in samples), "question", "response", *KEY, STATE)
    latest = last_of_each(rows, *KEY)
    good = latest.filter(pl.col(STATE).is_null())
    valued = good.filter(pl.col("response").is_not_null())["question"].unique()
    scored = good.filter(pl.col("question").is_in(valued.implode()))  # not a NaN in place of several scores
    chosen = scored if choice.score is None else scored.filter(question=choice.score)
    unscored = int((latest[STATE] == UNSCORED).sum()) + records_in(good) - records_in(chosen)
    dropped = [
        DroppedRows("superseded: the sample was run again, the last counts", records_in(rows) - records_in(latest)),
        *(DroppedRows(state, int((latest[STATE] == state).sum())) for state in (INVALID, FAILED)),
        DroppedRows(UNSCORED, unscored),
    ]
    task = text(part(head, "eval", "task")) or ""
    notes = [] if ended and part(head, "status") not in STOPPED else [UNFINISHED]
    return _graded(log_table(name, LAYOUT, scored, choice, dropped, notes + _reduced(head), task, _details(head)))


def _rows(sample: Sample, model: str | None) -> list[Row]:
    """The scores of a sample; of one without any, why."""
    place = _place(sample, model)
    state = INVALID if sample.get("invalidation") else FAILED if sample.get("error") else None
    values = [] if state else list(_values(sample.get("scores")))
    if not values:
        return [place | {STATE: state or UNSCORED}]
    return [place | {"question": scorer, "response": value} for scorer, value in values]


def _reduced(head: Sample) -> list[str]:
    """Say that Inspect reduces epochs in another way than is done here, by their mean."""
    reducers = part(head, "eval", "config", "epochs_reducer")
    others = [str(each) for each in reducers if each != MEAN] if isinstance(reducers, list) else []
    return [f"Inspect reduces the epochs of a sample by {', '.join(others)}; here they are averaged"] if others else []


def _place(sample: Sample, model: str | None) -> Row:
    """The item, run and system of a sample; a table names the system in every row."""
    system = text(sample.get("model")) or model
    place: Row = {"item": text(sample.get("id")), "run": text(sample.get("epoch")), "system": system}
    place[LOG] = text(sample.get("eval_id"))
    return place | {name: cell for name, cell in groups_of(sample.get("metadata")).items() if cell not in CUT}


def _values(scores: object) -> Iterator[tuple[str, str | None]]:
    """Each scorer's value by name; one that is a list or an object is several scores."""
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        value = score.get("value") if isinstance(score, dict) else score
        parts = dict(enumerate(value)) if isinstance(value, list) else value
        if isinstance(parts, dict):
            yield from ((f"{scorer}.{key}", grade(each)) for key, each in parts.items())
        else:
            yield scorer, grade(value)


def _graded(table: LogTable) -> LogTable:
    """Turn words such as C and I into the numbers Inspect takes them for, if that works for all of them."""
    response = table.frame["response"]
    words = response.str.to_lowercase()
    numbers = response.replace_strict(LETTERS, default=words.replace_strict(WORDS, default=response))
    if (numbers == response).all() or numbers.cast(pl.Float64, strict=False).null_count():
        return table
    note = "C, I, P, N, yes and no count as 1, 0, 0.5, 0, 1 and 0, as in Inspect"
    return replace(table, frame=table.frame.with_columns(numbers.alias("response")), notes=(*table.notes, note))


def _details(head: Sample) -> dict[str, str]:
    """What tells two logs of one model apart, if anything does."""
    there = {key: part(head, "eval", key) for key in ("solver", "task_args")}
    return {key: short(value) for key, value in there.items() if value}
