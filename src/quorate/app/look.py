"""A file as a person first sees it: its columns and first rows, what each is taken for, and what was left out."""

from typing import Any

from quorate._errors import InputError
from quorate.data.columns import ITEM, RATER, RESPONSE, SYSTEM, find_column, find_items
from quorate.data.evaluation import read_evaluation
from quorate.data.inputs import open_input
from quorate.describing.question import DescribeQuestion

ROWS, COLUMNS, LETTERS = 8, 40, 80
"""Rows, columns and letters of a cell that are shown."""


def look(question: DescribeQuestion) -> dict[str, Any]:
    """Read a file and say what is in it; what cannot be read as ratings still shows its columns and rows."""
    table = open_input(question.ratings)
    head = table.frame.head(ROWS)
    names = head.columns
    seen: dict[str, Any] = {
        "columns": names,
        "header": names[:COLUMNS],
        "rows": [[_cell(value) for value in row[:COLUMNS]] for row in head.rows()],
        "n_rows": table.n_rows,
        "guesses": _guesses(names, table.name),
        "refusal": None,
        "report": [],
        "ratings": None,
    }
    try:
        evaluation = read_evaluation(question.ratings, reading=question)
    except InputError as error:
        return seen | {"refusal": str(error)}
    ratings = evaluation.ratings
    return seen | {
        "report": list(evaluation.load_report),
        "guesses": seen["guesses"] | dict(ratings.columns),
        "scale": str(ratings.scale),
        "scale_kind": ratings.scale.kind,
        "scale_guessed": ratings.scale.guessed,
        "notes": list(ratings.notes),
        "facts": [
            ("rows", f"{ratings.n_rows:,}"),
            ("responses", f"{ratings.n_responses:,}"),
            ("items", f"{ratings.n_items:,}"),
            ("raters", "unknown" if ratings.n_raters is None else f"{ratings.n_raters:,}"),
        ],
    }


def _guesses(names: list[str], where: str) -> dict[str, str]:
    """Which column plays which role, by its name alone."""
    found = {role.name: find_column(role, names, None, where) for role in (RATER, RESPONSE, SYSTEM)}
    items = find_items(names, None, where)
    return {name: column for name, column in found.items() if column} | ({ITEM.name: items[0]} if items else {})


def _cell(value: object) -> str:
    return "" if value is None else str(value)[:LETTERS]
