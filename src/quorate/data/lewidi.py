"""LeWiDi JSON, editions 2023 and 2025: items keyed by id, each with its annotators and annotations.

2023 lists both as comma-separated text in the same order; 2025 maps each annotator to an
annotation, which may hold several labels separated by commas (VariErrNLI). [Leonardelli et al.,
SemEval 2023; LeWiDi 3rd edition, 2025]
"""

from typing import Any

from quorate._errors import InputError

COLUMNS = ("split", "lang", "annotation task")  # plain item columns both editions share


def is_lewidi(content: object) -> bool:
    """Tell whether parsed JSON has the shape of a LeWiDi file."""
    if not isinstance(content, dict) or not content:
        return False
    first = next(iter(content.values()))
    return isinstance(first, dict) and {"annotations", "annotators"} <= first.keys()


def from_lewidi(name: str, content: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of a long table: item, rater, response and the shared item columns."""
    rows = [
        (item, rater, label, *(entry.get(column) for column in COLUMNS))
        for item, entry in content.items()
        for rater, annotation in _pairs(name, item, entry)
        for label in _labels(annotation)
    ]
    names = ("item", "rater", "response", "split", "lang", "task")
    return {column: [row[place] for row in rows] for place, column in enumerate(names)}


def _labels(annotation: object) -> list[str | None]:
    return [None] if annotation is None else [label.strip() for label in str(annotation).split(",")]


def _pairs(name: str, item: str, entry: object) -> list[tuple[str, Any]]:
    annotations = entry.get("annotations") if isinstance(entry, dict) else None
    annotators = entry.get("annotators") if isinstance(entry, dict) else None
    if isinstance(annotations, dict):
        return list(annotations.items())
    if not isinstance(annotations, str) or not isinstance(annotators, str):
        raise InputError(f"{name}, item '{item}' has no annotators and annotations as text; add or remove it.")
    labels, raters = annotations.split(","), annotators.split(",")
    if len(labels) != len(raters):
        raise InputError(f"{name}, item '{item}' has {len(labels)} annotations by {len(raters)} annotators; fix it.")
    return list(zip((rater.strip() for rater in raters), labels, strict=True))
