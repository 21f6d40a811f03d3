"""What the systems under test answered: one label per item, several (runs), or a probability per category."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.columns import ITEM, RESPONSE, RUN, SYSTEM, Role, find_column, named_columns
from quorate.data.ratings import Ratings, summarise
from quorate.data.scale import Scale, as_numbers
from quorate.data.summaries import Counts, Probabilities, Values
from quorate.data.tables import Table, open_table

__all__ = ["Answers", "Systems", "read_systems"]

ROUNDING = 0.01  # probabilities printed with two digits may miss 1 by this much; they are scaled to sum to 1


@dataclass(frozen=True)
class Answers:
    """One system's answers, aligned with the items of the ratings.

    `item`, `run` and `response` are the single answers as codes, ``(answer,)``; `run` is None without run ids, all
    three are empty for probabilities.
    """

    summary: Counts | Probabilities | Values
    item: Array
    run: Array | None
    response: Array


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
    table, probability_columns = _open(source, ratings.scale, item_column, system_column, response_column, run_column)
    frame, notes = _rated_only(table, ratings)
    if ratings.scale.kind == "interval" and "response" in frame.columns:
        ratings = ratings.on_levels(_numbers(table, frame))
    answers = {}
    for (name,), part in sorted(frame.group_by("system")):
        labels = "response" in part.columns and part["response"].null_count() < part.height
        answers[str(name)] = (
            _labels(table, part, ratings) if labels else _probabilities(table, part, ratings, probability_columns)
        )
    ratings, answers = _complete(table.name, ratings, answers, missing)
    return ratings, Systems(answers, table.name, notes)


def _open(
    source: Any,
    scale: Scale,
    item_column: str | None,
    system_column: str | None,
    response_column: str | None,
    run_column: str | None,
) -> tuple[Table, list[str]]:
    """Return a table with columns item, system, row and response or probabilities (and run)."""
    table = _table(source)
    names = table.frame.columns
    item, system = _needed(ITEM, table, item_column), _needed(SYSTEM, table, system_column)
    probabilities = [c for c in scale.categories if c in names]
    response = find_column(RESPONSE, [n for n in names if n not in probabilities], response_column, table.name)
    if response is None and len(probabilities) < max(1, len(scale.categories)):
        raise InputError(
            f"{table.name} has neither a response column nor one probability column per category "
            f"({', '.join(scale.categories[:8])}); name the column with --response-column."
        )
    run = find_column(RUN, names, run_column, table.name)
    chosen = {"item": item, "system": system, "response": response, "run": run}
    frame = table.frame.select(
        *(pl.col(column).cast(pl.String).alias(role) for role, column in chosen.items() if column),
        *(pl.col(column).cast(pl.Float64, strict=False).alias(f"p_{column}") for column in probabilities),
        pl.int_range(pl.len()).alias("row"),
    )
    for role in ("item", "system"):
        if frame[role].null_count():
            raise InputError(f"{table.at(frame[role].is_null().arg_max() or 0, chosen[role])}: empty; fill it in.")
    return Table(frame, table.name, table.first_row), [f"p_{column}" for column in probabilities]


def _table(source: Any) -> Table:
    if isinstance(source, str | Path):
        return open_table(source)
    if isinstance(source, Mapping):
        return Table(pl.DataFrame(dict(source), strict=False), "the answers")
    if isinstance(source, pl.DataFrame):
        return Table(source, "the answers")
    import narwhals as nw

    frame: Any = nw.from_native(source)
    return Table(frame.lazy().collect(backend="polars").to_native(), "the answers")


def _needed(role: Role, table: Table, given: str | None) -> str:
    found = find_column(role, table.frame.columns, given, table.name)
    if found is None:
        raise InputError(f"{table.name} has no {role.name} column; name it with {role.flag}.")
    return named_columns([found], table.frame.columns, role.flag, table.name)[0]


def _rated_only(table: Table, ratings: Ratings) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Replace item names by the codes of the ratings; answers to unrated items are dropped and counted."""
    place = pl.DataFrame({"item": ratings.items}).with_row_index("code")
    frame = table.frame.join(place, on="item", how="inner", maintain_order="left")
    extra = table.frame.height - frame.height
    if frame.is_empty():
        raise InputError(
            f"{table.name} answers none of the rated items (its first item is '{table.frame['item'][0]}', the ratings' "
            f"'{ratings.items[0]}'); check --item-column."
        )
    notes = (f"{extra} answers to items nobody rated were dropped",) if extra else ()
    return frame.drop("item").rename({"code": "item"}), notes


def _numbers(table: Table, frame: pl.DataFrame) -> Array:
    labels = frame["response"].drop_nulls().unique()
    numbers = as_numbers(labels)
    if numbers is None:
        bad = frame.filter(
            pl.col("response").is_not_null() & pl.col("response").cast(pl.Float64, strict=False).is_null()
        )
        raise InputError(f"{table.at(bad['row'][0], 'response')}: '{bad['response'][0]}' is not a number; fix it.")
    return numbers


def _labels(table: Table, part: pl.DataFrame, ratings: Ratings) -> Answers:
    part = part.filter(pl.col("response").is_not_null()).sort("item", "row")
    code = ratings.scale.code(part["response"])
    if code.null_count():
        row = code.is_null().arg_max() or 0
        raise InputError(
            f"{table.at(part['row'][row], 'response')}: '{part['response'][row]}' is not a category of the ratings "
            f"({', '.join(ratings.scale.categories[:12])}); fix it, or declare the scale with --order."
        )
    if "run" in part.columns and part.select("item", "run").is_duplicated().any():
        twice = part.filter(part.select("item", "run").is_duplicated())
        raise InputError(
            f"{table.at(twice['row'][-1])}: system '{part['system'][0]}' answers an item twice in run "
            f"'{twice['run'][0]}'; give each answer its own run."
        )
    item, response = part["item"].cast(pl.Int32).to_numpy(), code.cast(pl.Int32).to_numpy()
    run = part["run"].rank("dense").to_numpy() - 1 if "run" in part.columns else None
    ones = np.ones(len(item), dtype=np.int64)
    return Answers(summarise(ratings.scale, ratings.n_items, item, response, ones), item, run, response)


def _probabilities(table: Table, part: pl.DataFrame, ratings: Ratings, columns: list[str]) -> Answers:
    if len(columns) < len(ratings.scale.categories):
        raise InputError(
            f"{table.name}: system '{part['system'][0]}' has no response and no full set of probabilities."
        )
    if part["item"].is_duplicated().any():
        row = part["row"][part["item"].is_duplicated().arg_max() or 0]
        raise InputError(
            f"{table.at(row)}: system '{part['system'][0]}' gives probabilities for an item twice; keep one."
        )
    share = part.select(columns).to_numpy()
    total = share.sum(1)
    good = (np.abs(total - 1) <= ROUNDING) & (share >= 0).all(1)
    if not good.all():
        row = int(np.argmin(good))
        raise InputError(
            f"{table.at(part['row'][row])}: the probabilities are {', '.join(f'{p:g}' for p in share[row])}; "
            "they must be numbers from 0 to 1 that sum to 1."
        )
    aligned = np.zeros((ratings.n_items, len(columns)))
    aligned[part["item"].to_numpy()] = share / total[:, None]
    empty = np.array([], dtype=np.int32)
    return Answers(Probabilities(aligned, ratings.scale.levels), empty, None, empty)


def _complete(
    name: str, ratings: Ratings, answers: dict[str, Answers], missing: str
) -> tuple[Ratings, dict[str, Answers]]:
    """Keep the items every system answered, or refuse if one is missing."""
    answered = {system: _answered(each.summary) for system, each in answers.items()}
    kept = np.logical_and.reduce(list(answered.values()))
    if kept.all():
        return ratings, answers
    system = next(system for system, there in answered.items() if not there.all())
    lost = int((~answered[system]).sum())
    if missing == "error" or not kept.any():
        first = ratings.items[int(np.argmin(answered[system]))]
        raise InputError(
            f"{name}: system '{system}' did not answer {lost} of {ratings.n_items} rated items (first: '{first}'); "
            "add the answers, or leave those items out with --missing drop."
        )
    return ratings.keep(kept), {system: _keep(each, kept) for system, each in answers.items()}


def _answered(summary: Counts | Probabilities | Values) -> Array:
    there: Array = summary.share.sum(-1) > 0 if isinstance(summary, Probabilities) else summary.size > 0
    return there


def _keep(answers: Answers, kept: Array) -> Answers:
    place, rows = np.cumsum(kept, dtype=np.int32) - 1, kept[answers.item]
    run = None if answers.run is None else answers.run[rows]
    return Answers(answers.summary.take(kept), place[answers.item[rows]], run, answers.response[rows])
