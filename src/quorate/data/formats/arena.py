"""Arena and MT-bench: votes between two models; the same question in another turn is another item."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from quorate.data.formats.log_table import Layout, LogTable, each_object, first_object, log_table, text, text_cells
from quorate.data.formats.packed_rows import ASIDE, Row, one_each, packed
from quorate.data.reading import LogChoice

BY_QUESTION = Layout(
    "arena votes",
    "preferences",
    {"item": "question_id", "rater": "judge", "system_a": "model_a", "system_b": "model_b", "winner": "winner"},
)
BY_TURN = replace(BY_QUESTION, mapping={**BY_QUESTION.mapping, "item": "question_id and turn"})
TURN = f"{ASIDE}turn"
COLUMNS = {"question_id", "model_a", "model_b", "winner"}
KEPT = ("question_id", "turn", "judge", "judge_hash", "model_a", "model_b", "winner", "language")
SIGNS = {"turn", "judge_hash", "tstamp", "conversation_a"}
"""What the arena's files have beside the columns of any votes."""


def is_arena_table(columns: Sequence[str]) -> bool:
    """Tell whether columns are those of the arena's or MT-bench's votes."""
    return set(columns) >= COLUMNS and bool(set(columns) & SIGNS)


def is_arena(content: object) -> bool:
    """Tell whether parsed JSON holds such votes."""
    return is_arena_table(list(first_object(content)))


def read_arena_table(name: str, frame: pl.DataFrame, choice: LogChoice) -> LogTable:
    """Read votes from a flat table."""
    return read_arena(name, text_cells(name, frame.select(key for key in KEPT if key in frame.columns)), choice)


def read_arena(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read votes; who voted is `judge`, or its hash."""
    votes = packed(one_each(_row(vote) for vote in each_object(content)), TURN)
    several = votes[TURN].n_unique() > 1
    if several:
        both = pl.format("{} | {}", pl.col("item").fill_null("None"), pl.col(TURN).fill_null("None"))
        votes = votes.with_columns(both.alias("item"))
    return log_table(name, BY_TURN if several else BY_QUESTION, votes, choice)


def _row(vote: Mapping[str, Any]) -> Row:
    judge = vote.get("judge")
    named = judge[-1] if isinstance(judge, list) and judge else judge
    return {
        "item": text(vote["question_id"]),
        TURN: text(vote.get("turn")),
        "rater": text(named) or text(vote.get("judge_hash")),
        "system_a": text(vote["model_a"]),
        "system_b": text(vote["model_b"]),
        "winner": text(vote["winner"]),
        "language": text(vote.get("language")),
    }
