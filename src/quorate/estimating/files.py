"""The three files of `estimate`, each read into a table by item.

Votes are long (item, rater, response) or counted (item, positive, total); experts are a file (item,
label, weight) or a column; scores are long (item, system, score) or a column per system.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate._text import count, printable
from quorate.data.columns import RATER, RESPONSE, SYSTEM, Role, find_column, find_items, item_key, listed
from quorate.data.inputs import open_input
from quorate.data.read_ratings import one_per_pair
from quorate.data.tables import InputTable, as_text
from quorate.estimating.question import EvidenceReading

POSITIVE = Role("positive", "--positive-column", "positive positives n_positive positive_votes yes_votes")
TOTAL = Role("total", "--total-column", "total n_votes votes n_total total_votes")
LABEL = Role(
    "label", "--expert-column", "label expert expert_label gold gold_label truth response answer class category"
)
WEIGHT = Role("weight", "--weight-column", "weight weights sampling_weight inverse_probability")
SCORE = Role("score", "--score-column", "score scores prediction probability prob logit")
YES, NO = ("1", "true", "True", "TRUE"), ("0", "false", "False", "FALSE")


@dataclass(frozen=True)
class Sheet:
    """A table whose rows carry an item's name; ``item`` is that name as text, one per row."""

    table: InputTable
    item: pl.Series
    item_columns: tuple[str, ...]

    @property
    def others(self) -> list[str]:
        """The columns besides the item's."""
        return [name for name in self.table.frame.columns if name not in self.item_columns]

    def column(self, role: Role, given: str | None = None, taken: tuple[str | None, ...] = ()) -> str | None:
        """Find the column that plays a role, or None."""
        return find_column(role, self.others, given, self.table.name, taken)

    def text(self, name: str) -> pl.Series:
        """Return a column as text; an empty cell is missing."""
        return as_text(self.table.frame[name], self.table.name)

    def numbers(self, name: str) -> pl.Series:
        """Return a column as numbers, NaN among them; anything else is refused with its place."""
        column = self.table.frame[name]
        if not column.dtype.is_numeric():
            words = self.text(name).str.strip_chars()
            column = words.cast(pl.Float64, strict=False)
            bad = column.is_null() & words.is_not_null()
            if bad.any():
                row = bad.arg_max() or 0
                raise InputError(f"{self.table.at(row, name)}: '{words[row]}' is not a number; fix it.")
        return column.cast(pl.Float64)

    def refuse_repeats(self, what: str, system: pl.Series | None = None) -> None:
        """Refuse a second row for an item, or for an item and system."""
        keys = self.item if system is None else pl.select(pl.struct(self.item, system)).to_series()
        if keys.n_unique() < len(keys):
            row = (~keys.is_first_distinct()).arg_max() or 0
            raise InputError(f"{self.table.at(row)}: item '{printable(self.item[row])}' has {what} already; keep one.")


@dataclass(frozen=True)
class SheetPart:
    """What a sheet says, a row per item, notes for the user, and for votes the columns by role."""

    frame: pl.DataFrame
    notes: tuple[str, ...]
    columns: Mapping[str, str] = field(default_factory=dict)


def open_sheet(source: Any, item_column: str | None = None) -> Sheet:
    """Open a file, mapping or frame and find its item column."""
    table = open_input(source)
    items = find_items(table.frame.columns, item_column, table.name)
    if not items:
        raise InputError(
            f"{table.name} has no item column, only {listed(table.frame.columns)}; name it: --item-column."
        )
    item = as_text(item_key(table, items), table.name).alias("item")
    if item.null_count():
        raise InputError(f"{table.at(item.is_null().arg_max() or 0)} names no item; name it or remove the row.")
    if not len(item):
        raise InputError(f"{table.name} has no rows.")
    return Sheet(table, item, tuple(items))


def read_votes(sheet: Sheet, reading: EvidenceReading) -> tuple[SheetPart, pl.DataFrame | None]:
    """Count positive votes and votes per item; also single votes (item, rater, vote) where voters have names."""
    yes, total = sheet.column(POSITIVE), sheet.column(TOTAL)
    if yes is not None and total is not None and reading.response_column is None:
        return _counted(sheet, yes, total), None
    response = sheet.column(RESPONSE, reading.response_column)
    if response is None:
        raise InputError(
            f"{sheet.table.name} has neither votes (a column response) nor counts of them (columns positive and "
            f"total), only {listed(sheet.table.frame.columns)}; name the votes with --response-column."
        )
    rater = sheet.column(RATER, reading.rater_column, (response,))
    vote = binary(sheet, response, reading.positive)
    columns = [sheet.item, vote.alias("vote"), *([sheet.text(rater).alias("rater")] if rater else [])]
    cast = pl.DataFrame(columns).filter(pl.col("vote").is_not_null())
    notes = [f"{count(vote.null_count(), 'row')} without a vote left out"] if vote.null_count() else []
    cast, more = one_per_pair(sheet.table, cast.rename({"vote": "response"}), reading.duplicates)
    grouped = cast.group_by("item").agg(pl.col("response").sum().alias("positive"), pl.len().alias("total"))
    roles = {"item": ",".join(sheet.item_columns), **({"rater": rater} if rater else {}), "response": response}
    single = cast.drop_nulls("rater") if rater else None
    return SheetPart(grouped.cast({"positive": pl.Int64, "total": pl.Int64}), (*notes, *more), roles), single


def read_experts(sheet: Sheet, column: str | None, reading: EvidenceReading) -> SheetPart:
    """Read one label per item, and its weight if there is one; several labels are put to the vote, or refused."""
    name = sheet.column(LABEL, column)
    if name is None:
        raise InputError(
            f"{sheet.table.name} has no column of labels, only {listed(sheet.others)}; name it: --expert-column."
        )
    weight = sheet.column(WEIGHT, None, (name,))
    columns = [sheet.item, binary(sheet, name, reading.positive).alias("label")]
    columns += [_weights(sheet, weight)] if weight else []
    frame = pl.DataFrame(columns).filter(pl.col("label").is_not_null())
    repeated = frame["item"].is_duplicated()
    notes: tuple[str, ...] = ()
    if repeated.any() and reading.several_experts == "error":
        sheet.refuse_repeats("an expert label")
    if repeated.any():
        frame, notes = _majority(frame)
    return SheetPart(frame, notes)


def read_scores(sheet: Sheet, reading: EvidenceReading) -> pl.DataFrame:
    """Read scores as item, system, score; without a system column every column of numbers is a system."""
    system = sheet.column(SYSTEM, reading.system_column)
    score = sheet.column(SCORE, reading.score_column, (system,))
    if system is not None or score is not None:
        if score is None:
            raise InputError(
                f"{sheet.table.name} has no score column, only {listed(sheet.others)}; name it: --score-column."
            )
        named = sheet.text(system) if system else pl.Series([score]).new_from_index(0, len(sheet.item))
        if named.null_count():
            raise InputError(f"{sheet.table.at(named.is_null().arg_max() or 0, system)} names no system; name it.")
        frame = pl.DataFrame([sheet.item, named.alias("system"), sheet.numbers(score).alias("score")])
        sheet.refuse_repeats("a score of that system", named.alias("system") if system else None)
        return frame
    numeric = [name for name in sheet.others if _all_numbers(sheet, name)]
    if not numeric:
        raise InputError(
            f"{sheet.table.name} has no column of scores, only {listed(sheet.others)}; name it: --score-column."
        )
    sheet.refuse_repeats("scores")
    wide = pl.DataFrame([sheet.item, *(sheet.numbers(name).alias(name) for name in numeric)])
    return wide.unpivot(index="item", variable_name="system", value_name="score")


def binary(sheet: Sheet, column: str, positive: str | None) -> pl.Series:
    """Read labels as 1 (positive) and 0; without a positive label named they must be 0 and 1."""
    words = sheet.text(column).str.strip_chars()
    if positive is not None:
        if not (words == positive).any():
            raise InputError(f"no cell of column '{column}' in {sheet.table.name} is '{positive}'; check --positive.")
        return (words == positive).cast(pl.Int8)
    values = words.is_in(YES).cast(pl.Int8)
    odd = words.is_not_null() & (values == 0) & ~words.is_in(NO)
    if odd.any():
        row = odd.arg_max() or 0
        raise InputError(
            f"{sheet.table.at(row, column)}: '{printable(words[row], 40)}' is neither 0 nor 1; name the positive label "
            "with --positive."
        )
    return values.set(words.is_null(), None)


def _counted(sheet: Sheet, yes: str, total: str) -> SheetPart:
    columns = [sheet.item, sheet.numbers(yes).alias("positive"), sheet.numbers(total).alias("total")]
    frame = pl.DataFrame(columns).fill_nan(None)
    whole = pl.all_horizontal(pl.col("positive", "total") == pl.col("positive", "total").round())
    good = frame.select(whole & (pl.col("positive") >= 0) & (pl.col("positive") <= pl.col("total"))).to_series()
    bad = ~good.fill_null(False)
    if bad.any():
        row = bad.arg_max() or 0
        raise InputError(f"{sheet.table.at(row)}: votes are counts, 0 <= {yes} <= {total}; fix the row.")
    sheet.refuse_repeats("votes")
    roles = {"item": ",".join(sheet.item_columns), "positive": yes, "total": total}
    return SheetPart(frame.cast({"positive": pl.Int64, "total": pl.Int64}), (), roles)


def _weights(sheet: Sheet, name: str) -> pl.Series:
    weight = sheet.numbers(name)
    bad = ~((weight > 0) & weight.is_finite()).fill_null(False)
    if bad.any():
        raise InputError(f"{sheet.table.at(bad.arg_max() or 0, name)}: a weight is a number above 0; fix it.")
    return weight.alias("weight")


def _majority(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Put several labels of an item to the vote; a tie leaves the item without one."""
    more = [pl.col("weight").mean()] if "weight" in frame.columns else []
    grouped = frame.group_by("item").agg(pl.col("label").mean(), pl.len().alias("times"), *more).sort("item")
    several, tied = int((grouped["times"] > 1).sum()), int((grouped["label"] == 0.5).sum())
    kept = grouped.filter(pl.col("label") != 0.5).with_columns((pl.col("label") > 0.5).cast(pl.Int8)).drop("times")
    note = (
        f"{count(several, 'item')} with several expert labels: their majority is used (--several-experts error refuses)"
    )
    return kept, (note, *([f"{count(tied, 'tie')} among them left without a label"] if tied else []))


def _all_numbers(sheet: Sheet, name: str) -> bool:
    column = sheet.table.frame[name]
    if column.dtype.is_numeric():
        return True
    words = sheet.text(name)
    return bool((words.str.strip_chars().cast(pl.Float64, strict=False).is_not_null() | words.is_null()).all())
