"""What the systems under test answered: one label per item, several (runs), or a probability per category."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._text import count
from quorate.data.answers import Answers, numbers, of_labels, of_probabilities, open_answers
from quorate.data.columns import ITEM, RESPONSE, RUN, SYSTEM
from quorate.data.ratings import Ratings
from quorate.data.tables import Table

__all__ = ["Answers", "Systems", "read_systems"]


@dataclass(frozen=True)
class Systems:
    """The systems by name, sorted, and what was dropped or guessed while reading them."""

    answers: Mapping[str, Answers]
    name: str = "answers"
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The systems' names, sorted."""
        return tuple(self.answers)


def read_systems(
    source: Any,
    ratings: Ratings,
    *,
    item_column: str | None = None,
    system_column: str | None = None,
    response_column: str | None = None,
    run_column: str | None = None,
    missing: str = "error",
) -> tuple[Ratings, Systems]:
    """Read the systems' answers and align them with the rated items.

    Parameters
    ----------
    source
        A path, ``-``, ``example:NAME``, a mapping of columns or a data frame; long, with columns item, system and
        response (and run), or item, system and one probability column per category.
    ratings
        The ratings the answers are scored against.
    item_column, system_column, response_column, run_column
        The columns, guessed if not given.
    missing
        For items a system did not answer: ``"error"``, or ``"drop"`` to leave them out for every system.

    Returns
    -------
    ratings, systems
        The ratings of the items all systems answered, and the answers in the same order.

    Examples
    --------
    >>> from quorate.data.read import read_ratings
    >>> ratings = read_ratings({"item": ["a", "a", "b"], "response": ["yes", "no", "no"]})
    >>> answers = {"item": ["b", "a"], "model": ["m1", "m1"], "label": ["no", "yes"]}
    >>> read_systems(answers, ratings)[1].answers["m1"].summary.counts.tolist()
    [[0, 1], [1, 0]]
    """
    if missing not in ("error", "drop"):
        raise InputError(f"'{missing}' is not a rule for missing answers; use --missing error or drop.")
    names = {ITEM: item_column, SYSTEM: system_column, RESPONSE: response_column, RUN: run_column}
    opened = open_answers(source, ratings.scale, names)
    frame, notes = _rated_only(opened.table, ratings)
    if ratings.scale.kind == "interval" and "response" in frame.columns:
        ratings = ratings.on_levels(numbers(opened, frame))
    answers = {}
    for (name,), part in sorted(frame.group_by("system")):
        labels = "response" in part.columns and part["response"].null_count() < part.height
        if labels and any(part[column].is_not_null().any() for column in opened.probabilities.values()):
            notes += (f"system '{name}' gives labels and probabilities: its labels are used",)
        answers[str(name)] = of_labels(opened, part, ratings) if labels else of_probabilities(opened, part, ratings)
    ratings, answers, dropped = _complete(opened.table.name, ratings, answers, missing)
    return ratings, Systems(answers, opened.table.name, (*notes, *dropped))


def _rated_only(table: Table, ratings: Ratings) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Replace item names by the codes of the ratings; answers to unrated items are dropped and counted."""
    if table.frame.is_empty():
        raise InputError(f"{table.name} has no usable rows: only a header.")
    place = pl.DataFrame({"item": ratings.items}).with_row_index("code")
    frame = table.frame.join(place, on="item", how="inner", maintain_order="left")
    extra = table.frame.height - frame.height
    if frame.is_empty():
        raise InputError(
            f"{table.name} answers none of the rated items (its first item is '{table.frame['item'][0]}', the ratings' "
            f"'{ratings.items[0]}'); check --item-column."
        )
    notes = (f"{count(extra, 'answer')} to items nobody rated dropped",) if extra else ()
    return frame.drop("item").rename({"code": "item"}), notes


def _complete(
    name: str, ratings: Ratings, answers: dict[str, Answers], missing: str
) -> tuple[Ratings, dict[str, Answers], tuple[str, ...]]:
    """Keep the items every system answered, or refuse if one is missing; say what was left out."""
    answered = {system: each.answered for system, each in answers.items()}
    kept = np.logical_and.reduce(list(answered.values()))
    if kept.all():
        return ratings, answers, ()
    system = next(system for system, there in answered.items() if not there.all())
    lost = int((~answered[system]).sum())
    if missing == "error" or not kept.any():
        first = ratings.items[int(np.argmin(answered[system]))]
        raise InputError(
            f"{name}: system '{system}' did not answer {lost} of {ratings.n_items} rated items (first: '{first}'); "
            "add the answers, or leave those items out with --missing drop."
        )
    note = f"{count(int((~kept).sum()), 'rated item')} left out, for a system did not answer (--missing)"
    return ratings.keep(kept), {system: each.keep(kept) for system, each in answers.items()}, (note,)
