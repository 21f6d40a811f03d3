"""promptfoo: the JSON of an evaluation, or JSON lines, one result each.

With --repeat every repetition has its own `testIdx` and nothing says it is one: the item is what was asked (description
and variables), and equal items of a system are its runs. An answer that failed to come (failureReason 2) is no score.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate.data.formats.log_table import (
    DroppedRows,
    Layout,
    LogTable,
    digest,
    each_object,
    first_object,
    grade,
    log_table,
    objects,
    part,
    short,
)
from quorate.data.formats.packed_rows import ASIDE, Row, numbered, packed
from quorate.data.reading import LogChoice

LAYOUT = Layout(
    "a promptfoo evaluation",
    "scores",
    {
        "item": "hash of testCase.description and vars",
        "system": "provider",
        "run": "order among equal items",
        "response": "NAME (score, namedScores)",
    },
)
PROMPT, WORDED, COLUMN, CALLED, FAILED = COLUMNS = tuple(
    f"{ASIDE}{name}" for name in ("prompt", "worded", "column", "called", "failed")
)
CSV, HEAD = (b"Status,Score", b"Grader Reason,Comment"), 1 << 16
"""What stands in the first line of the CSV, and the bytes in which that line is looked for."""
ERROR = "2"
"""The failureReason of an answer that did not come."""
SESSION = "sessionId"
"""What promptfoo adds to the variables of a conversation, beside names such as _conversation: not what was asked."""
WHOLE, HUMAN = "score", "human"
"""What the score of a whole result is called here, and a person's grade."""


def is_promptfoo(content: object) -> bool:
    """Tell whether parsed JSON holds results of promptfoo."""
    result = _first(content)
    return {"testIdx", "promptIdx", "success", "score"} <= result.keys() or {"gradingResult", "vars"} <= result.keys()


def refuse_promptfoo_csv(name: str, data: bytes) -> None:
    """Refuse promptfoo's CSV, which rounds scores and repeats its headers."""
    if all(column in data[:HEAD].split(b"\n", 1)[0] for column in CSV):
        raise InputError(
            f"{name} is promptfoo's CSV, which rounds scores to two decimals and hides repeats; write JSON instead: "
            "promptfoo eval -o results.json."
        )


def read_promptfoo(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read the score of each result, one of its named scores, or the grade people gave."""
    results = packed((_rows(result) for result in each_object(_results(content))), "question", "item", *COLUMNS)
    scored = results.filter(pl.col(FAILED).is_null())
    if results[PROMPT].n_unique() > 1:
        scored = scored.with_columns(pl.format("{} | {}", CALLED, WORDED).alias(CALLED))
    rows = numbered(_told_apart(scored), "item", "system")
    if choice.score is None and rows["question"].n_unique() > 1:
        choice = LogChoice(WHOLE, choice.filter, choice.advice)
    notes = () if choice.score != WHOLE else ("the score of a whole result is read; --score NAME reads a named one",)
    dropped = [DroppedRows("the answer did not come (an error); it is not scored 0", results[FAILED].count())]
    return log_table(name, LAYOUT, rows, choice, dropped, notes)


def _rows(result: Mapping[str, Any]) -> list[Row]:
    """The scores of a result; of an answer that did not come, that it failed."""
    base: Row = {PROMPT: grade(result.get("promptId")) or grade(result.get("promptIdx"))}
    if grade(result.get("failureReason")) == ERROR:
        return [base | {FAILED: "failed"}]
    base |= {"item": _item(result), COLUMN: grade(result.get("promptIdx")), CALLED: _provider(result)}
    base |= {WORDED: short(part(result, "prompt", "label") or part(result, "prompt", "raw") or result.get("promptId"))}
    return [base | {"question": question, "response": cell} for question, cell in _scores(result).items()]


def _results(content: Any) -> Any:
    if not isinstance(content, dict):
        return content
    inner = content.get("results")
    return inner.get("results") if isinstance(inner, dict) else inner if isinstance(inner, list) else content


def _first(content: object) -> dict[str, Any]:
    return first_object(_results(content))


def _item(result: Mapping[str, Any]) -> str:
    case = result.get("testCase")
    description = part(result, "testCase", "description")
    asked = result.get("vars") or part({"": case}, "", "vars")
    if isinstance(asked, dict):
        asked = {name: value for name, value in asked.items() if not name.startswith("_") and name != SESSION}
    key = digest(description, asked)
    return f"{short(description, 60)} ({key})" if isinstance(description, str) and description else key


def _provider(result: Mapping[str, Any]) -> str:
    provider = result.get("provider")
    label = part(result, "provider", "label") or part(result, "provider", "id")
    return provider if isinstance(provider, str) else str(label)


def _told_apart(results: pl.DataFrame) -> pl.DataFrame:
    """Name systems that are called alike by their columns too, such as a provider with two temperatures."""
    both = pl.format("{} (promptIdx {})", CALLED, pl.col(COLUMN).fill_null("None"))
    alike = pl.col(COLUMN).n_unique().over(CALLED) > 1
    return results.with_columns(pl.when(alike).then(both).otherwise(CALLED).alias("system"))


def _scores(result: Mapping[str, Any]) -> dict[str, str | None]:
    """The result's score, its named ones, and the grade of a person, which promptfoo has put in place of the score."""
    named = result.get("namedScores")
    scores = {WHOLE: grade(result.get("score"))}
    scores |= {key: grade(value) for key, value in (named.items() if isinstance(named, dict) else ())}
    graded = part(result, "gradingResult", "componentResults")
    for component in objects(graded or []):
        if part(component, "assertion", "type") == HUMAN:
            scores[HUMAN] = grade(component.get("score"))
    return scores
