"""promptfoo: the JSON of an evaluation, or JSON lines, one result each.

With --repeat every repetition has its own `testIdx` and nothing says it is one: the item is what was asked (description
and variables), and equal items of a system are its runs. An answer that failed to come (failureReason 2) is no score.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from quorate._errors import InputError
from quorate.data.formats.log_table import (
    Dropped,
    Layout,
    LogTable,
    Row,
    digest,
    first_object,
    grade,
    log_table,
    numbered,
    objects,
    part,
    short,
)
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
COLUMNS, HEAD = (b"Status,Score", b"Grader Reason,Comment"), 1 << 16
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
    if all(column in data[:HEAD].split(b"\n", 1)[0] for column in COLUMNS):
        raise InputError(
            f"{name} is promptfoo's CSV, which rounds scores to two decimals and hides repeats; write JSON instead: "
            "promptfoo eval -o results.json."
        )


def read_promptfoo(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read the score of each result, one of its named scores, or the grade people gave."""
    results = objects(_results(content))
    failed = [result for result in results if grade(result.get("failureReason")) == ERROR]
    scored = [result for result in results if grade(result.get("failureReason")) != ERROR]
    several = len({grade(result.get("promptId")) or grade(result.get("promptIdx")) for result in results}) > 1
    systems = _told_apart([(_system(result, several), grade(result.get("promptIdx"))) for result in scored])
    places: list[Row] = [
        {"item": _item(result), "system": system} for result, system in zip(scored, systems, strict=True)
    ]
    base = numbered(places, "item", "system")
    rows = [
        {**row, "question": question, "response": cell}
        for row, result in zip(base, scored, strict=True)
        for question, cell in _scores(result).items()
    ]
    if choice.score is None and len({row["question"] for row in rows}) > 1:
        choice = LogChoice(WHOLE, choice.filter, choice.advice)
    notes = () if choice.score != WHOLE else ("the score of a whole result is read; --score NAME reads a named one",)
    dropped = [Dropped("the answer did not come (an error); it is not scored 0", len(failed))]
    return log_table(name, LAYOUT, rows, choice, dropped, notes)


def _results(content: Any) -> Any:
    if isinstance(content, list):
        return content
    inner = content.get("results")
    return inner.get("results") if isinstance(inner, dict) else inner if isinstance(inner, list) else content


def _first(content: object) -> dict[str, Any]:
    return first_object(_results(content)) if isinstance(content, list | dict) else {}


def _item(result: Mapping[str, Any]) -> str:
    case = result.get("testCase")
    description = part(result, "testCase", "description")
    asked = result.get("vars") or part({"": case}, "", "vars")
    if isinstance(asked, dict):
        asked = {name: value for name, value in asked.items() if not name.startswith("_") and name != SESSION}
    key = digest(description, asked)
    return f"{short(description, 60)} ({key})" if isinstance(description, str) and description else key


def _system(result: Mapping[str, Any], several: bool) -> str:
    provider = result.get("provider")
    called = (
        provider if isinstance(provider, str) else part(result, "provider", "label") or part(result, "provider", "id")
    )
    if not several:
        return str(called)
    prompt = part(result, "prompt", "label") or part(result, "prompt", "raw") or result.get("promptId")
    return f"{called} | {short(prompt)}"


def _told_apart(named: Sequence[tuple[str, str | None]]) -> list[str]:
    """Name systems that are called alike by their columns too, such as a provider with two temperatures."""
    columns: dict[str, set[str | None]] = {}
    for name, column in named:
        columns.setdefault(name, set()).add(column)
    return [f"{name} (promptIdx {column})" if len(columns[name]) > 1 else name for name, column in named]


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
