"""One table of answers, opened and checked: labels with or without runs, or a probability per category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.columns import ITEM, RESPONSE, RUN, SYSTEM, Role, find_column, find_items, listed
from quorate.data.inputs import open_input
from quorate.data.layouts import item_key
from quorate.data.ratings import Ratings, summarise
from quorate.data.scale import Scale, as_numbers
from quorate.data.summaries import Counts, Probabilities, Values
from quorate.data.tables import InputTable, as_text
from quorate.data.tally import encode

__all__ = ["AnswerTable", "Answers", "numbers", "of_labels", "of_probabilities", "open_answers"]

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

    @property
    def answered(self) -> Array:
        """True for items this system answered, ``(item,)``."""
        summary = self.summary
        there: Array = summary.share.sum(-1) > 0 if isinstance(summary, Probabilities) else summary.size > 0
        return there

    def keep(self, kept: Array) -> "Answers":
        """Return the answers to some items only; `kept` is True for those, ``(item,)``."""
        place, rows = np.cumsum(kept, dtype=np.int32) - 1, kept[self.item]
        run = None if self.run is None else self.run[rows]
        return Answers(self.summary.take(kept), place[self.item[rows]], run, self.response[rows])


@dataclass(frozen=True)
class AnswerTable:
    """A table with columns item, system, row and response or probabilities (and run).

    `names` says what the user calls each column, `probabilities` maps categories to columns and is empty unless
    there is one for each.
    """

    table: InputTable
    names: Mapping[str, str]
    probabilities: Mapping[str, str]

    def at(self, row: int, role: str | None = None) -> str:
        """Name the place of an answer."""
        return self.table.at(row, None if role is None else self.names[role])


def open_answers(
    source: Any, scale: Scale, given: Mapping[Role, str | None], like: Mapping[str, str | None]
) -> AnswerTable:
    """Open a table of answers and find its columns: those given, else those of the ratings (`like`), else guesses."""
    table = open_input(source, "the answers")
    names = table.frame.columns
    if table.frame.is_empty():
        raise InputError(f"{table.name} has a header but no answers; it needs one row per item and system.")
    system = find_column(SYSTEM, names, given[SYSTEM], table.name)
    items = find_items(names, given[ITEM] or _shared(like.get("item"), names), table.name, taken=(system,))
    for role, found in ((SYSTEM, system), (ITEM, items)):
        if not found:
            raise InputError(f"{table.name} has no {role.name} column, only {listed(names)}; name it with {role.flag}.")
    probabilities = [c for c in scale.categories if c in names]
    taken = [*probabilities, system, *items]
    wanted = given[RESPONSE] or _shared(like.get("response"), [n for n in names if n not in taken])
    response = find_column(RESPONSE, names, wanted, table.name, taken)
    full = len(probabilities) == len(scale.categories) > 0
    if response is None and not full:
        raise InputError(
            f"{table.name} has neither a response column nor one probability column per category "
            f"({listed(scale.categories)}); name the column with --response-column."
        )
    run = find_column(RUN, names, given[RUN], table.name, [*taken, response])
    chosen = {"system": system, "response": response, "run": run}
    frame = pl.DataFrame(
        [
            as_text(item_key(table, items), table.name),
            *(as_text(table.frame[column], table.name).alias(role) for role, column in chosen.items() if column),
            *(table.frame[column].cast(pl.Float64, strict=False).alias(f"p_{column}") for column in probabilities),
        ]
    ).with_row_index("row")
    opened = AnswerTable(
        InputTable(frame, table.name, table.first_row),
        {"item": ",".join(items), **{role: column for role, column in chosen.items() if column}},
        {column: f"p_{column}" for column in probabilities} if full else {},
    )
    for name in ("item", "system"):
        if frame[name].null_count():
            raise InputError(f"{opened.at(frame[name].is_null().arg_max() or 0, name)} is empty; fill it in.")
    return opened


def _shared(columns: str | None, names: Sequence[str]) -> str | None:
    """Return the columns of the ratings if the answers have them too."""
    there = columns is not None and all(part.strip() in names for part in columns.split(","))
    return columns if there or columns in names else None


def numbers(opened: AnswerTable, frame: pl.DataFrame) -> Array:
    """Return the distinct numbers among the answers, or refuse what is none."""
    found = as_numbers(frame["response"].drop_nulls().unique())
    if found is None:
        row, word = next(
            (row, word)
            for row, word in frame.select("row", "response").rows()
            if word is not None and as_numbers(pl.Series([word])) is None
        )
        raise InputError(f"{opened.at(row, 'response')}: '{word}' is not a number; fix it.")
    return found


def of_labels(opened: AnswerTable, part: pl.DataFrame, ratings: Ratings) -> Answers:
    """Return the labels of one system, a row of `part` each."""
    part = part.filter(pl.col("response").is_not_null()).sort("item", "row")
    code = ratings.scale.code(part["response"])
    if code.null_count():
        row = code.is_null().arg_max() or 0
        raise InputError(
            f"{opened.at(part['row'][row], 'response')}: '{part['response'][row]}' is not a category of the ratings "
            f"({listed(ratings.scale.categories, 12)}); fix it, or declare the scale with --order."
        )
    item, response = part["item"].cast(pl.Int32).to_numpy(), code.cast(pl.Int32).to_numpy()
    ones = np.ones(len(item), dtype=np.int64)
    summary = summarise(ratings.scale, ratings.n_items, item, response, ones)
    return Answers(summary, item, _runs(opened, part), response)


def _runs(opened: AnswerTable, part: pl.DataFrame) -> Array | None:
    """Return the code of each answer's run, or None if this system's runs have no names."""
    if "run" not in part.columns or part["run"].null_count() == part.height:
        return None
    if part["run"].null_count():
        row = part["row"][part["run"].is_null().arg_max() or 0]
        raise InputError(f"{opened.at(row, 'run')} is empty; fill it in.")
    again = part.select(pl.struct("item", "run").is_first_distinct()).to_series()
    if not again.all():
        first = again.arg_min() or 0
        raise InputError(
            f"{opened.at(part['row'][first])}: system '{part['system'][0]}' answers an item twice in run "
            f"'{part['run'][first]}'; give each answer its own run."
        )
    return encode(part["run"])[0]


def of_probabilities(opened: AnswerTable, part: pl.DataFrame, ratings: Ratings) -> Answers:
    """Return the probabilities of one system, a row of `part` per item."""
    columns, system, scale = opened.probabilities, part["system"][0], ratings.scale
    if not columns:
        raise InputError(
            f"{opened.table.name}: system '{system}' has no responses and no full set of probabilities "
            f"({listed(scale.categories)}); add them, or name the others with --systems."
        )
    first = part["item"].is_first_distinct()
    if not first.all():
        row = part["row"][first.arg_min() or 0]
        raise InputError(f"{opened.at(row)}: system '{system}' gives probabilities for an item twice; keep one.")
    share = part.select(columns.values()).to_numpy()
    total = share.sum(1)
    good = (np.abs(total - 1) <= ROUNDING) & (share >= 0).all(1)
    if not good.all():
        row = int(np.argmin(good))
        shown = ", ".join("nothing" if np.isnan(p) else f"{p:g}" for p in share[row])
        raise InputError(
            f"{opened.at(part['row'][row])}: the probabilities of system '{system}' are {shown}; "
            f"they must be numbers from 0 to 1 that sum to 1 over {listed(scale.categories)} (declare a category "
            "nobody chose with --order)."
        )
    place = [scale.categories.index(category) for category in columns]  # other systems may have added levels
    aligned = np.zeros((ratings.n_items, scale.n_levels))
    aligned[part["item"].to_numpy()[:, None], place] = share / total[:, None]
    empty = np.array([], dtype=np.int32)
    return Answers(Probabilities(aligned, scale.levels), empty, None, empty)
