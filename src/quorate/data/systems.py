"""What the systems under test answered: one label per item, several (runs), or a probability per category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._text import count
from quorate.data.answers import Answers, numbers, of_labels, of_probabilities, open_answers
from quorate.data.columns import ITEM, RESPONSE, RUN, SYSTEM, listed
from quorate.data.ratings import Ratings
from quorate.data.tables import InputTable

__all__ = ["Answers", "Systems", "check_systems", "read_systems"]


@dataclass(frozen=True)
class Systems:
    """The systems by name, sorted, and what was dropped or guessed while reading them.

    `columns` says which column plays which role.
    """

    answers: Mapping[str, Answers]
    name: str = "answers"
    notes: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The systems' names, sorted."""
        return tuple(self.answers)

    @property
    def load_report(self) -> tuple[str, ...]:
        """The load report: what was read, which column plays which role, and the flag that overrides each."""
        sizes = np.stack([np.asarray(each.summary.size, dtype=float) for each in self.answers.values()])
        given, forms = sizes[np.isfinite(sizes)], []
        if len(given):
            forms.append(
                f"answers per item: {given.min():g} / {np.median(given):g} / {given.max():g} (min / median / max)"
            )
        if len(given) < sizes.size:
            forms.append(f"probabilities from {count(int(np.isinf(sizes[:, 0]).sum()), 'system')}")
        columns = ", ".join(f"{role} = {column} (--{role}-column)" for role, column in self.columns.items())
        on = f"{count(len(sizes), 'system')} on {count(sizes.shape[1], 'item')}"
        return (
            f"{self.name}: {on}: {listed(self.names, 12)}",
            f"  {'; '.join(forms)}",
            f"  columns: {columns}",
            *(f"  {note}" for note in self.notes),
        )


def read_systems(
    source: Any,
    ratings: Ratings,
    *,
    item_column: str | None = None,
    system_column: str | None = None,
    response_column: str | None = None,
    run_column: str | None = None,
    missing: str = "error",
    systems: Sequence[str] | None = None,
    like: Mapping[str, str | None] | None = None,
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
    systems
        The systems wanted; the answers of others are not looked at.
    like
        The columns of the ratings by role, taken where the answers have them too.

    Returns
    -------
    ratings, systems
        The ratings of the items all systems answered, and the answers in the same order.

    Examples
    --------
    >>> from quorate.data.read_ratings import read_ratings
    >>> ratings = read_ratings({"item": ["a", "a", "b"], "response": ["yes", "no", "no"]})
    >>> answers = {"item": ["b", "a"], "model": ["m1", "m1"], "label": ["no", "yes"]}
    >>> read_systems(answers, ratings)[1].answers["m1"].summary.counts.tolist()
    [[0, 1], [1, 0]]
    """
    if missing not in ("error", "drop"):
        raise InputError(f"'{missing}' is not a rule for missing answers; use --missing error or drop.")
    names = {ITEM: item_column, SYSTEM: system_column, RESPONSE: response_column, RUN: run_column}
    opened = open_answers(source, ratings.scale, names, like or {})
    table = opened.table
    check_systems(systems, table.frame["system"].unique().sort().to_list())
    wanted = replace(table, frame=_of_systems(table.frame, systems))
    frame, notes = _rated_only(wanted, ratings)
    _refuse_silent(table.name, wanted.frame, frame)
    if ratings.scale.kind == "interval" and "response" in frame.columns:
        ratings = ratings.on_levels(numbers(opened, frame))
    answers = {}
    for (name,), part in sorted(frame.group_by("system")):
        labels = "response" in part.columns and part["response"].null_count() < part.height
        if labels and any(part[column].is_not_null().any() for column in opened.probabilities.values()):
            notes += (f"system '{name}' gives labels and probabilities: its labels are used",)
        answers[str(name)] = of_labels(opened, part, ratings) if labels else of_probabilities(opened, part, ratings)
    ratings, answers, dropped = _complete(table.name, ratings, answers, missing)
    return ratings, Systems(answers, table.name, (*notes, *dropped), opened.names)


def check_systems(wanted: Sequence[str] | None, known: Sequence[str]) -> None:
    """Refuse a system nobody heard of."""
    for name in wanted or ():
        if name not in known:
            raise InputError(f"There is no system '{name}'; there are {listed(sorted(known), 12)}.")


def _of_systems(frame: pl.DataFrame, systems: Sequence[str] | None) -> pl.DataFrame:
    return frame if systems is None else frame.filter(pl.col("system").is_in(list(systems)))


def _rated_only(table: InputTable, ratings: Ratings) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Replace item names by the codes of the ratings; answers to unrated items are dropped and counted."""
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


def _refuse_silent(name: str, before: pl.DataFrame, after: pl.DataFrame) -> None:
    """Refuse a system of which no answer is left."""
    given = (
        after
        if "response" not in after.columns
        else after.filter(
            pl.col("response").is_not_null() | pl.any_horizontal(pl.lit(False), pl.col("^p_.*$").is_not_null())
        )
    )
    silent = sorted(set(before["system"].unique()) - set(given["system"].unique()))
    if silent:
        raise InputError(
            f"{name}: system '{silent[0]}' gave no answer to any rated item; add its answers, or name the others with "
            "--systems."
        )


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
    if not kept.any():
        raise InputError(f"{name}: no rated item was answered by every system; compare fewer with --systems.")
    if missing == "error":
        first = ratings.items[int(np.argmin(answered[system]))]
        raise InputError(
            f"{name}: system '{system}' did not answer {lost} of {ratings.n_items} rated items (first: '{first}'); "
            "add the answers, or leave those items out with --missing drop."
        )
    note = f"{count(int((~kept).sum()), 'rated item')} left out, for a system did not answer (--missing)"
    return ratings.keep(kept), {system: each.keep(kept) for system, each in answers.items()}, (note,)
