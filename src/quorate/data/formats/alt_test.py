"""The alternative annotator test: `human_annotations.json`, `llm_annotations.json`, raters who map items to labels."""

from typing import Any

from quorate.data.formats.log_table import Layout, LogTable, log_table, text
from quorate.data.formats.packed_rows import one_each, packed
from quorate.data.lewidi import is_lewidi
from quorate.data.reading import LogChoice

LAYOUT = Layout(
    "annotations of the alternative annotator test",
    "ratings",
    {"item": "key", "rater": "name", "response": "label"},
)
MOST_RATERS, FEWEST_ITEMS = 1000, 2
"""Raters such a file may have, and items each of them at least."""


def is_alt_test(content: object) -> bool:
    """Tell whether parsed JSON maps raters to maps of items to single labels, some items being shared."""
    if not isinstance(content, dict) or is_lewidi(content) or not 1 <= len(content) <= MOST_RATERS:
        return False
    if not all(isinstance(said, dict) and len(said) >= FEWEST_ITEMS for said in content.values()):
        return False
    single = all(not isinstance(label, list | dict) for said in content.values() for label in said.values())
    first, *others = content.values()
    return single and all(first.keys() & said.keys() for said in others) and not _is_by_column(content)


def _is_by_column(content: dict[str, Any]) -> bool:
    """Tell a table by column, as pandas writes it, whose columns are called item, rater and the like."""
    return bool({"item", "response", "label", "rating", "score", "rater", "task", "worker"} & content.keys())


def read_alt_test(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read a label of every rater and item."""
    rows = (
        {"item": item, "rater": rater, "response": text(label)}
        for rater, said in content.items()
        for item, label in said.items()
    )
    return log_table(name, LAYOUT, packed(one_each(rows)), choice)
