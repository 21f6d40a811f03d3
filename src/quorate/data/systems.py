"""What the systems under test answered: one label per item, several (runs), or a probability per category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._text import count
from quorate._typing import Array
from quorate.data.answer_table import open_answers
from quorate.data.ratings import Ratings, summarise
from quorate.data.scale import as_numbers
from quorate.data.summaries import Counts, Probabilities, Values
from quorate.data.tables import Table

__all__ = ["Answers", "Systems", "check_systems", "read_systems"]

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
    def loading(self) -> tuple[str, ...]:
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
            f"{self.name}: {on}: {_listed(self.names)}",
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
    >>> from quorate.data.read import read_ratings
    >>> ratings = read_ratings({"item": ["a", "a", "b"], "response": ["yes", "no", "no"]})
    >>> answers = {"item": ["b", "a"], "model": ["m1", "m1"], "label": ["no", "yes"]}
    >>> read_systems(answers, ratings)[1].answers["m1"].summary.counts.tolist()
    [[0, 1], [1, 0]]
    """
    if missing not in ("error", "drop"):
        raise InputError(f"'{missing}' is not a rule for missing answers; use --missing error or drop.")
    given = {"item": item_column, "system": system_column, "response": response_column, "run": run_column}
    table, columns, probability_columns = open_answers(source, ratings.scale, given, like or {})
    check_systems(systems, table.frame["system"].unique().sort().to_list())
    wanted = Table(_of_systems(table.frame, systems), table.name, table.first_row)
    frame, notes = _rated_only(wanted, ratings)
    _refuse_silent(table.name, wanted.frame, frame)
    if ratings.scale.kind == "interval" and "response" in frame.columns:
        ratings = ratings.on_levels(_numbers(table, frame))
    answers = {}
    for (name,), part in sorted(frame.group_by("system")):
        labels = "response" in part.columns and part["response"].null_count() < part.height
        answers[str(name)] = (
            _labels(table, part, ratings) if labels else _probabilities(table, part, ratings, probability_columns)
        )
    ratings, answers = _complete(table.name, ratings, answers, missing)
    return ratings, Systems(answers, table.name, notes, columns)


def check_systems(wanted: Sequence[str] | None, known: Sequence[str]) -> None:
    """Refuse a system nobody heard of.

    Examples
    --------
    >>> check_systems(["a"], ["a", "b"])
    """
    for name in wanted or ():
        if name not in known:
            raise InputError(f"There is no system '{name}'; there are {_listed(sorted(known))}.")


def _of_systems(frame: pl.DataFrame, systems: Sequence[str] | None) -> pl.DataFrame:
    return frame if systems is None else frame.filter(pl.col("system").is_in(list(systems)))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (" …" if len(names) > 12 else "")


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
            f"{table.name}: system '{part['system'][0]}' has no response and no full set of probabilities "
            f"({', '.join(ratings.scale.categories[:8])}); add them, or name the others with --systems."
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
            f"they must be numbers from 0 to 1 that sum to 1 over {', '.join(ratings.scale.categories[:8])} (declare a "
            "category nobody chose with --order)."
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
    if not kept.any():
        raise InputError(f"{name}: no rated item was answered by every system; compare fewer with --systems.")
    if missing == "error":
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
