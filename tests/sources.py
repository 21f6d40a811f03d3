"""Questions that read tables, each asked of tables wherever they lie."""

import shutil
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import numpy as np
import polars as pl

from quorate import compare, describe, estimate, fit, plan
from quorate.data.inputs import example_path

Place = Callable[[pl.DataFrame], Any]
"""Puts a table somewhere, and returns what to ask of."""


@cache
def example(name: str) -> pl.DataFrame:
    return pl.read_csv(example_path(name), infer_schema_length=None)


@cache
def rated_outputs() -> pl.DataFrame:
    """Thirty items, two systems, three raters each, a topic for every item."""
    rng, rows = np.random.default_rng(5), []
    for item in range(30):
        for system in ("atlas", "birch"):
            for rater in rng.choice(8, 3, replace=False).tolist():
                mark = int(np.clip(round(rng.normal(3.2 if system == "atlas" else 3.0, 1)), 1, 5))
                rows.append((f"q{item:02}", f"r{rater}", mark, system, ("food", "law", "sport")[item % 3]))
    return pl.DataFrame(rows, schema=["item", "rater", "score", "system", "topic"], orient="row")


@cache
def wide() -> pl.DataFrame:
    """A column for each rater of the bundled summaries, some cells empty."""
    table = example("summaries").pivot("rater", index="item", values="response").sort("item")
    holes = np.random.default_rng(6).random(table.height) < 0.1
    last = table.columns[-1]
    return table.with_columns(pl.when(pl.Series(~holes)).then(pl.col(last)))


QUESTIONS: dict[str, Callable[[Place], Any]] = {
    "describe": lambda at: describe(at(example("support"))),
    "describe rated outputs": lambda at: describe(at(rated_outputs()), rated_system="system"),
    "describe votes": lambda at: describe(at(example("preferences"))),
    "describe outputs as items": lambda at: describe(at(rated_outputs())),
    "describe wide": lambda at: describe(at(wide())),
    "compare answers": lambda at: compare(at(example("support")), at(example("support-answers"))),
    "compare runs": lambda at: compare(at(example("summaries")), at(example("summaries-answers"))),
    "compare probabilities": lambda at: compare(at(example("support")), at(example("support-probabilities"))),
    "compare rated outputs": lambda at: compare(at(rated_outputs()), rated_system="system"),
    "compare votes": lambda at: compare(at(example("preferences"))),
    "compare with wide": lambda at: compare(at(wide()), at(example("summaries-answers"))),
    "fit": lambda at: fit(at(example("support"))),
    "plan": lambda at: plan(
        from_ratings=at(example("support")),
        with_answers=at(example("support-answers")),
        difference=0.05,
        items=200,
        raters=3,
        unit="items",
    ),
    "estimate": lambda at: estimate(
        votes=at(example("moderation")),
        experts=at(example("moderation-experts")),
        scores=at(example("moderation-scores")),
        metric="accuracy",
    ),
}

KINDS: dict[str, tuple[Callable[[Place], Any], Callable[[], pl.DataFrame], list[str]]] = {
    "ratings": (QUESTIONS["describe"], lambda: example("support"), ["item", "rater", "response"]),
    "answers": (
        lambda at: compare(example("support"), at(example("support-answers"))),
        lambda: example("support-answers"),
        ["item", "system", "response"],
    ),
    "rated outputs": (QUESTIONS["compare rated outputs"], rated_outputs, ["item", "rater", "score", "system"]),
    "votes": (
        QUESTIONS["compare votes"],
        lambda: example("preferences"),
        ["prompt", "rater", "left", "right", "winner"],
    ),
    "wide": (QUESTIONS["describe wide"], wide, wide().columns),
}
"""Of each kind of table: a question that reads one, the table, and the columns that tell its rows apart."""


Rule = Literal["first", "last"]
TWICE: dict[str, tuple[Callable[[Place, Rule], Any], Callable[[], pl.DataFrame], str]] = {
    "ratings": (
        lambda at, rule: describe(at(example("support")), duplicates=rule),
        lambda: example("support"),
        "response",
    ),
    "rated outputs": (
        lambda at, rule: describe(at(rated_outputs()), rated_system="system", duplicates=rule),
        rated_outputs,
        "score",
    ),
    "votes": (
        lambda at, rule: describe(at(example("preferences")), duplicates=rule),
        lambda: example("preferences"),
        "winner",
    ),
    "estimate": (
        lambda at, rule: estimate(
            votes=at(example("moderation")),
            experts=example("moderation-experts"),
            scores=example("moderation-scores"),
            metric="accuracy",
            duplicates=rule,
        ),
        lambda: example("moderation"),
        "response",
    ),
}
"""Questions of tables whose rows may come again, the table, and the column that then says another thing."""


def answered_again(table: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return every row twice in any order, with what was said there or elsewhere."""
    again = table.with_columns(pl.col(column).shuffle(seed=1))
    return pl.concat([table, again]).sample(fraction=1.0, shuffle=True, seed=2)


def has_java() -> bool:
    """Tell whether Spark can run."""
    return shutil.which("java") is not None
