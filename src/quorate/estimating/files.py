"""The three files of `estimate`, each read into a table by item.

Votes are long (item, rater, response) or counted (item, positive, total, or a column per class); experts
are a file (item, label, weight) or a column; scores are long (item, system, score), a column per system
or, for classes with names, a column per class or the class a system chooses.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate._text import count, printable
from quorate.data.columns import (
    RATER,
    RESPONSE,
    SYSTEM,
    Role,
    find_column,
    find_items,
    item_key,
    listed,
)
from quorate.data.inputs import open_input
from quorate.data.numerals import read_decimals
from quorate.data.read_ratings import one_per_pair
from quorate.data.reading import DecimalMark, FileReading
from quorate.data.tables import InputTable, as_text
from quorate.estimating.question import EvidenceReading, SeveralExperts

POSITIVE = Role("positive", "--positive-column", "positive positives n_positive positive_votes yes_votes")
TOTAL = Role("total", "--total-column", "total n_votes votes n_total total_votes")
LABEL = Role(
    "label",
    "--expert-column",
    "label expert expert_label gold gold_label truth response answer class category",
)
WEIGHT = Role("weight", "--weight-column", "weight weights sampling_weight inverse_probability")
SCORE = Role("score", "--score-column", "score scores prediction probability prob logit")
YES, NO = ("1", "true", "True", "TRUE", "1.0"), ("0", "false", "False", "FALSE", "0.0")
WHOLE = r"^(-?[0-9]+)\.0+$"
"""A whole number with a point, as tables write it whose column once had empty cells."""
MOST_NAMED = 8
"""Labels up to which all are named where the positive one is not among them."""
MOST_CLASSES = 200
"""Different labels beyond which a column is taken for something else."""


@dataclass(frozen=True)
class Sheet:
    """A table whose rows carry an item's name; ``item`` is that name as text, one per row."""

    table: InputTable
    item: pl.Series
    item_columns: tuple[str, ...]
    decimal: DecimalMark | None = None

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
            words, place = self.text(name).str.strip_chars(), f"{self.table.name}, column '{name}'"
            words, _ = read_decimals(words, self.decimal, place)
            column = words.cast(pl.Float64, strict=False)
            bad = column.is_null() & words.is_not_null()
            if bad.any():
                row = bad.arg_max() or 0
                raise InputError(f"{self.table.at(row, name)}: '{words[row]}' is not a number; fix it.")
        return column.cast(pl.Float64)

    def scores(self, name: str, missing: str) -> pl.Series:
        """Return a column of scores, null where one is NaN and may be missing; what has no rank is refused."""
        column = self.numbers(name)
        column = column.fill_nan(None) if missing == "drop" else column
        lost = ~column.is_finite().fill_null(True)
        if lost.any():
            row = lost.arg_max() or 0
            way = "add it, or leave such items out with --missing drop" if column[row] != column[row] else "mend it"
            value = self.text(name)[row] or "NaN"
            raise InputError(f"{self.table.at(row, name)}: '{value}' is no score that can be ranked; {way}.")
        return column

    def refuse_repeats(self, what: str, system: pl.Series | None = None) -> None:
        """Refuse a second row for an item, or for an item and system."""
        keys = self.item if system is None else pl.select(pl.struct(self.item, system)).to_series()
        if not _all_differ(keys):
            row = (~keys.is_first_distinct()).arg_max() or 0
            raise InputError(f"{self.table.at(row)}: item '{printable(self.item[row])}' has {what} already; keep one.")


@dataclass(frozen=True)
class SheetPart:
    """What a sheet says, a row per item, notes for the user, and for votes the columns by role.

    Where experts label an item again, ``each`` has a row for every label: item and code.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...]
    columns: Mapping[str, str] = field(default_factory=dict)
    each: pl.DataFrame | None = None


def open_sheet(
    source: Any, item_column: str | None = None, reading: FileReading | None = None, duplicates: str = "keep"
) -> Sheet:
    """Open a file, mapping or frame and find its item column; rows keep their order where `duplicates` need it."""
    table = open_input(source, reading=reading, keys=list, duplicates=duplicates)
    items = find_items(table.frame.columns, item_column, table.name)
    if not items:
        raise InputError(
            f"{table.name} has no item column, only {listed(table.frame.columns)}; name it: --item-column."
        )
    item = as_text(item_key(table, items), table.name).alias("item")
    if item.null_count():
        raise InputError(f"{table.at(item.is_null().arg_max() or 0)} names no item; name it or remove the row.")
    if not len(item):
        raise InputError(f"{table.name} has no rows below its header; add them, or name another file.")
    return Sheet(table, item, tuple(items), None if reading is None else reading.decimal)


@dataclass(frozen=True)
class VoteColumns:
    """Where votes stand: a column of them, perhaps with who voted, or counts; ``binary`` if of positives and of all."""

    response: str | None = None
    rater: str | None = None
    counts: tuple[str, ...] = ()
    binary: bool = False


@dataclass(frozen=True)
class LabelClasses:
    """The classes there are; ``positive`` is the label that counts as positive, where one is named."""

    names: tuple[str, ...]
    named: bool
    positive: str | None = None

    def code(self, sheet: Sheet, column: str) -> pl.Series:
        """Read labels as codes of classes, null where a cell is empty."""
        if not self.named:
            return binary(sheet, column, self.positive)
        words = sheet.text(column).str.strip_chars()
        codes = self._codes(words)
        odd = codes.is_null() & words.is_not_null()
        if odd.any():
            codes = self._codes(self.spell(words))
            odd = codes.is_null() & words.is_not_null()
        if odd.any():
            row = odd.arg_max() or 0
            raise InputError(
                f"{sheet.table.at(row, column)}: no voter or expert ever says '{printable(words[row], 40)}'; fix it."
            )
        return codes

    def spell(self, words: pl.Series) -> pl.Series:
        """Write 2.0 as 2, if that is a class and 2.0 is none."""
        names, whole = list(self.names), words.str.replace(WHOLE, "${1}")
        return words.zip_with(words.is_in(names) | ~whole.is_in(names), whole)

    def _codes(self, words: pl.Series) -> pl.Series:
        codes = list(range(len(self.names)))
        return words.replace_strict(list(self.names), codes, default=None, return_dtype=pl.Int32)


def find_votes(sheet: Sheet, reading: EvidenceReading) -> VoteColumns:
    """Find the column of votes, or those of counts."""
    yes, total = sheet.column(POSITIVE), sheet.column(TOTAL)
    if yes is not None and total is not None and reading.response_column is None:
        return VoteColumns(counts=(yes, total), binary=True)
    response = sheet.column(RESPONSE, reading.response_column)
    if response is not None:
        return VoteColumns(response, sheet.column(RATER, reading.rater_column, (response,)))
    aside = {*reading.aside, sheet.column(WEIGHT)}
    counts = tuple(name for name in sheet.others if name not in aside and _all_counts(sheet, name))
    if len(counts) < 2:
        raise InputError(
            f"{sheet.table.name} has neither votes (a column response) nor counts of them (columns positive and "
            f"total), only {listed(sheet.table.frame.columns)}; name the votes with --response-column."
        )
    return VoteColumns(counts=counts)


def find_classes(columns: list[tuple[Sheet, str]], votes: VoteColumns, positive: str | None) -> LabelClasses:
    """Tell the classes from columns of labels: 0 and 1, a positive one and the rest, or the labels there are."""
    two = LabelClasses(("0", "1") if positive is None else (f"not {positive}", positive), False, positive)
    if (not votes.counts and positive is not None) or votes.binary:
        return two
    words = [sheet.text(name).str.strip_chars().drop_nulls().unique() for sheet, name in columns]
    every = pl.concat([pl.Series(list(votes.counts), dtype=pl.String), *words]).unique()
    every = every.filter(~(every.str.contains(WHOLE) & every.str.replace(WHOLE, "${1}").is_in(every.to_list())))
    known = every.is_in([*YES, *NO])
    numeric = every.cast(pl.Float64, strict=False)
    mixed = known.any() and numeric.null_count() and not known.all()
    if not votes.counts and (known.all() or mixed or len(every) == 1):
        return two  # where other words stand among 0 and 1, reading says which
    if len(every) > MOST_CLASSES:
        sheet, name = columns[0]
        raise InputError(
            f"column '{name}' in {sheet.table.name} has {len(every):,} different labels; estimate takes up to "
            f"{MOST_CLASSES}: round numbers, or name the positive label with --positive."
        )
    order = every.sort() if numeric.null_count() else every.gather(numeric.arg_sort())
    return LabelClasses((*votes.counts, *(name for name in order.to_list() if name not in votes.counts)), True)


def read_votes(
    sheet: Sheet, columns: VoteColumns, classes: LabelClasses, reading: EvidenceReading
) -> tuple[SheetPart, pl.DataFrame | None]:
    """Count votes per item and class; also single votes (item, rater, response) where voters have names."""
    if columns.response is None:
        return _counted(sheet, columns, classes), None
    response, rater = columns.response, columns.rater
    vote = classes.code(sheet, response)
    parts = [
        sheet.item,
        vote.alias("response"),
        *([sheet.text(rater).alias("rater")] if rater else []),
    ]
    cast = pl.DataFrame(parts).filter(pl.col("response").is_not_null())
    notes = [f"{count(vote.null_count(), 'row')} without a vote left out"] if vote.null_count() else []
    cast, more = one_per_pair(sheet.table, cast, reading.duplicates)
    grouped = cast.group_by("item").agg(_by_class(classes, "votes"))
    roles = {
        "item": ",".join(sheet.item_columns),
        **({"rater": rater} if rater else {}),
        "response": response,
    }
    single = cast.drop_nulls("rater") if rater else None
    return SheetPart(grouped, (*notes, *more), roles), single


def find_labels(sheet: Sheet, column: str | None) -> str:
    """Find the column of experts' labels."""
    name = sheet.column(LABEL, column)
    if name is None:
        raise InputError(
            f"{sheet.table.name} has no column of labels, only {listed(sheet.others)}; name it: --expert-column."
        )
    return name


def read_experts(sheet: Sheet, name: str, classes: LabelClasses, rule: SeveralExperts) -> SheetPart:
    """Read one label per item, and its weight if there is one; what becomes of several is the rule's."""
    weight = sheet.column(WEIGHT, None, (name,))
    columns = [sheet.item, classes.code(sheet, name).alias("response")]
    columns += [_weights(sheet, weight)] if weight else []
    every = pl.DataFrame(columns)
    frame = every.filter(pl.col("response").is_not_null())
    notes = _unfilled(sheet, every) if weight else ()
    repeated = frame["item"].is_duplicated()
    if not repeated.any():
        return SheetPart(frame.rename({"response": "label"}), notes)
    if rule == "error":
        sheet.refuse_repeats("an expert label")
    part = _several(frame, classes, rule)
    return replace(part, notes=(*notes, *part.notes), each=frame.select("item", "response"))


def _unfilled(sheet: Sheet, frame: pl.DataFrame) -> tuple[str, ...]:
    """Say that items with a weight and no label are missed: the other weights count on them."""
    lost = frame["response"].null_count()
    if not lost:
        return ()
    rows = f"{lost:,} of {count(frame.height, 'row')} with a weight {'has' if lost == 1 else 'have'} no label"
    return (f"{sheet.table.name}: {rows}; the other weights hold only if all are filled in.",)


def read_scores(sheet: Sheet, classes: LabelClasses, reading: EvidenceReading) -> SheetPart:
    """Read what systems say: item, system, and either a score, or a value for each class.

    Without a system column every column of numbers is a system; one that nearly is gets a note.
    """
    system = sheet.column(SYSTEM, reading.system_column)
    if classes.named and set(classes.names) <= set(sheet.others):
        return SheetPart(_class_scores(sheet, system, classes, reading.missing), ())
    score = sheet.column(SCORE, reading.score_column, (system,))
    score = sheet.column(RESPONSE, None, (system,)) if score is None and system is not None else score
    if system is not None or score is not None:
        if score is None:
            raise InputError(
                f"{sheet.table.name} has no score column, only {listed(sheet.others)}; name it: --score-column."
            )
        return SheetPart(_one_column(sheet, system, score, classes, reading.missing), ())
    left = [name for name in sheet.others if name not in reading.aside]
    several = [name for name in left if _all_numbers(sheet, name) or _all_labels(sheet, name, classes)]
    _refuse_part_of_classes(sheet, several, classes)
    if not several:
        for name in (each for each in left if _some_labels(sheet, each, classes)):
            classes.code(sheet, name)  # says which cell is no class
        raise InputError(
            f"{sheet.table.name} has no column of scores, only {listed(sheet.others)}; name it: --score-column."
        )
    sheet.refuse_repeats("scores")
    parts = [
        pl.DataFrame([sheet.item, pl.Series("system", [name]).new_from_index(0, len(sheet.item))]).hstack(
            _values(sheet, name, classes, reading.missing)
        )
        for name in several
    ]
    notes = [note for name in left if name not in several for note in _nearly_numbers(sheet, name)]
    return SheetPart(pl.concat(parts, how="diagonal"), tuple(notes))


def _nearly_numbers(sheet: Sheet, name: str) -> list[str]:
    """Say which cell keeps a column of numbers from being a system."""
    words = sheet.text(name).str.strip_chars()
    odd = words.is_not_null() & words.cast(pl.Float64, strict=False).is_null()
    if 2 * int(odd.sum()) >= len(words) - words.null_count():
        return []
    row = odd.arg_max() or 0
    return [f"{sheet.table.at(row, name)}: '{printable(words[row], 40)}' is not a number, so {name} is not judged"]


def _refuse_part_of_classes(sheet: Sheet, columns: list[str], classes: LabelClasses) -> None:
    """Refuse a number for some of the classes and none for the others: they are no systems."""
    known = [name for name in columns if name in classes.names]
    if classes.named and len(known) > 1 and len(known) == len(columns):
        lost = [name for name in classes.names if name not in known]
        raise InputError(
            f"{sheet.table.name} has a column for {listed(known)} and none for {listed(lost)}, which voters or experts "
            "say; add it, with 0 where a system never says so."
        )


def _one_column(sheet: Sheet, system: str | None, score: str, classes: LabelClasses, missing: str) -> pl.DataFrame:
    """Read a score, or the class a system chooses, per row."""
    frame = pl.DataFrame([sheet.item, _systems(sheet, system, score)]).hstack(_values(sheet, score, classes, missing))
    sheet.refuse_repeats("a score of that system", frame["system"] if system else None)
    return frame


def _class_scores(sheet: Sheet, system: str | None, classes: LabelClasses, missing: str) -> pl.DataFrame:
    """Read a number per class."""
    named = _systems(sheet, system, "system")
    sheet.refuse_repeats("scores of that system", named if system else None)
    values = [sheet.scores(name, missing).alias(f"gives {k}") for k, name in enumerate(classes.names)]
    return pl.DataFrame([sheet.item, named, *values])


def _systems(sheet: Sheet, column: str | None, name: str) -> pl.Series:
    """Name the system of every row; without a column all rows are of one."""
    named = sheet.text(column) if column else pl.Series([name]).new_from_index(0, len(sheet.item))
    if named.null_count():
        raise InputError(f"{sheet.table.at(named.is_null().arg_max() or 0, column)} names no system; name it.")
    return named.alias("system")


def _values(sheet: Sheet, column: str, classes: LabelClasses, missing: str) -> pl.DataFrame:
    """Read a column as scores, or as the class that is chosen: 1 for it, 0 for the others."""
    if not classes.named and classes.positive is not None and not _all_numbers(sheet, column):
        return pl.DataFrame([binary(sheet, column, classes.positive).cast(pl.Float64).alias("score")])
    if not classes.named or not _all_labels(sheet, column, classes):
        return pl.DataFrame([sheet.scores(column, missing).alias("score")])
    codes = classes.code(sheet, column)
    return pl.DataFrame([(codes == k).cast(pl.Float64).alias(f"gives {k}") for k in range(len(classes.names))])


def binary(sheet: Sheet, column: str, positive: str | None) -> pl.Series:
    """Read labels as 1 (positive) and 0; without a positive label named they must be 0 and 1."""
    words = sheet.text(column).str.strip_chars()
    if positive is not None:
        return _is_label(sheet, column, words, positive).cast(pl.Int8)
    values = words.is_in(YES).cast(pl.Int8)
    odd = words.is_not_null() & (values == 0) & ~words.is_in(NO)
    if odd.any():
        row = odd.arg_max() or 0
        raise InputError(
            f"{sheet.table.at(row, column)}: '{printable(words[row], 40)}' is neither 0 nor 1; name the positive label "
            "with --positive."
        )
    return values.set(words.is_null(), None)


def _is_label(sheet: Sheet, column: str, words: pl.Series, positive: str) -> pl.Series:
    """Whether cells are the positive label, of which there must be one; 1.0 is 1 where there is no 1."""
    words = words if (words == positive).any() else words.str.replace(WHOLE, "${1}")
    if not (words == positive).any():
        seen = words.drop_nulls().unique().sort().head(MOST_NAMED + 1).to_list()
        more = f", only {listed([printable(each, 40) for each in seen])}" if 0 < len(seen) <= MOST_NAMED else ""
        raise InputError(
            f"no cell of column '{column}' in {sheet.table.name} is '{positive}'{more}; check --positive, or write "
            "labels alike in all files."
        )
    return words == positive


def _by_class(classes: LabelClasses, what: str) -> list[pl.Expr]:
    """Count responses by class, in columns ``what 0``, ``what 1`` …"""
    return [(pl.col("response") == k).sum().cast(pl.Int64).alias(f"{what} {k}") for k in range(len(classes.names))]


def _counted(sheet: Sheet, columns: VoteColumns, classes: LabelClasses) -> SheetPart:
    """Read counts: of positive votes and all votes, or of each class."""
    frame = pl.DataFrame([sheet.item, *(sheet.numbers(name).alias(name) for name in columns.counts)]).fill_nan(None)
    numbers = frame.drop("item")
    good = numbers.select(pl.all_horizontal((pl.all() == pl.all().round()) & (pl.all() >= 0))).to_series()
    if columns.binary:
        good &= numbers.to_series(0) <= numbers.to_series(1)
    bad = ~good.fill_null(False)
    if bad.any():
        rule = f"0 <= {' <= '.join(columns.counts)}" if columns.binary else "whole numbers from 0 up"
        raise InputError(f"{sheet.table.at(bad.arg_max() or 0)}: votes are counts, {rule}; fix the row.")
    sheet.refuse_repeats("votes")
    whole = [numbers.to_series(j).cast(pl.Int64) for j in range(numbers.width)]
    votes = [whole[1] - whole[0], whole[0]] if columns.binary else whole
    votes += [votes[0] * 0] * (len(classes.names) - len(votes))
    names = ("positive", "total") if columns.binary else columns.counts
    roles = {"item": ",".join(sheet.item_columns), **dict(zip(names, columns.counts, strict=True))}
    return SheetPart(
        pl.DataFrame([sheet.item, *(each.alias(f"votes {k}") for k, each in enumerate(votes))]),
        (),
        roles,
    )


def _weights(sheet: Sheet, name: str) -> pl.Series:
    weight = sheet.numbers(name)
    bad = ~((weight > 0) & weight.is_finite()).fill_null(False)
    if bad.any():
        raise InputError(f"{sheet.table.at(bad.arg_max() or 0, name)}: a weight is a number above 0; fix it.")
    return weight.alias("weight")


def _several(frame: pl.DataFrame, classes: LabelClasses, rule: SeveralExperts) -> SheetPart:
    """Bring several labels of an item together: the majority's, or shares of them.

    A tie counts for its labels alike: without items on which experts differ, the others were no random sample.
    """
    more = [pl.col("weight").mean()] if "weight" in frame.columns else []
    grouped = frame.group_by("item").agg(*_by_class(classes, "said"), pl.len().alias("times"), *more).sort("item")
    said = grouped.select(f"said {k}" for k in range(len(classes.names)))
    most = said.max_horizontal()
    label = pl.select(pl.concat_list(list(said)).list.arg_max()).to_series().cast(pl.Int32).alias("label")
    several = count(int((grouped["times"] > 1).sum()), "item")
    if rule != "majority":
        note = f"{several} with several expert labels: their shares are used (--several-experts)"
        return SheetPart(grouped.with_columns(label), (note,))
    first = said.select(pl.all() == most)
    tied = first.sum_horizontal() > 1
    note = f"{several} with several expert labels: their majority is used (--several-experts says otherwise)"
    if not tied.any():
        return SheetPart(grouped.select("item", label, *(["weight"] if more else [])), (note,))
    ties = f"{count(int(tied.sum()), 'tie')} among them count for each of the labels alike"
    return SheetPart(grouped.with_columns(label, *first.cast(pl.Int64)), (note, ties))


def _all_differ(keys: pl.Series) -> bool:
    """Whether no key comes twice; names that are whole numbers are compared as such, which is ten times as fast."""
    numbers = keys.cast(pl.Int64, strict=False) if keys.dtype == pl.String else keys.clear()
    if len(numbers) and not numbers.null_count() and numbers.n_unique() == len(keys):
        return True  # different numbers are different names; 1 and 01 are not told apart
    return keys.n_unique() == len(keys)


def _all_numbers(sheet: Sheet, name: str) -> bool:
    column = sheet.table.frame[name]
    if column.dtype.is_numeric():
        return True
    words = sheet.text(name)
    return bool((words.str.strip_chars().cast(pl.Float64, strict=False).is_not_null() | words.is_null()).all())


def _all_counts(sheet: Sheet, name: str) -> bool:
    """Whether a column holds whole numbers from 0 up."""
    if not _all_numbers(sheet, name):
        return False
    numbers = sheet.numbers(name).drop_nulls()
    return bool(((numbers >= 0) & (numbers == numbers.round())).all()) and len(numbers) > 0


def _some_labels(sheet: Sheet, name: str, classes: LabelClasses) -> bool:
    """Whether more than half of a column's cells are classes with names."""
    words = sheet.text(name).str.strip_chars().drop_nulls()
    return classes.named and bool(2 * classes.spell(words).is_in(list(classes.names)).sum() > len(words))


def _all_labels(sheet: Sheet, name: str, classes: LabelClasses) -> bool:
    """Whether every cell of a column is one of the classes."""
    words = sheet.text(name).str.strip_chars().drop_nulls()
    return classes.named and bool(classes.spell(words).is_in(list(classes.names)).all())
