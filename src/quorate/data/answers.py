"""What the systems answered: a label per item, several (runs), or probabilities."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._text import count
from quorate._typing import Array
from quorate.data.columns import (
    ITEM,
    RATER,
    RESPONSE,
    RUN,
    SYSTEM,
    Role,
    find_column,
    find_items,
    guess_column,
    item_key,
    listed,
)
from quorate.data.inputs import open_input
from quorate.data.numerals import read_numerals
from quorate.data.ratings import Ratings, summarise
from quorate.data.reading import FileReading
from quorate.data.scale import Scale, as_numbers
from quorate.data.summaries import Counts, Probabilities, Values
from quorate.data.tables import InputTable, as_floats, as_text
from quorate.data.tally import code_names, encode, ones

ROUNDING = 0.01  # probabilities printed with two digits may miss 1 by this much; they are scaled to sum to 1

MOST_SYSTEMS = 1000
"""Systems in one table; where there are more, the column names something else."""


@dataclass(frozen=True)
class Answers:
    """One system's answers, aligned with the items of the ratings.

    `item`, `run` and `response` are the single answers as codes, ``(answer,)``; `run` is None
    without run ids, all three are empty for probabilities.
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
class Systems:
    """The systems by name, sorted, and what was dropped or guessed while reading them.

    `columns` says which column plays which role, `recognised` how the file was read.
    """

    answers: Mapping[str, Answers]
    name: str = "answers"
    notes: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    recognised: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The systems' names, sorted."""
        return tuple(self.answers)

    @property
    def load_report(self) -> tuple[str, ...]:
        """What was read, which column plays which role, and the flag that overrides each."""
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
            *(f"  {note}" for note in (*self.recognised, *self.notes)),
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
    split: bool = False,
    reading: FileReading | None = None,
) -> tuple[Ratings, Systems]:
    """Read the systems' answers and align them with the rated items.

    Parameters
    ----------
    source
        A path, ``-``, ``example:NAME``, a mapping of columns or a data frame; long, with columns
        item, system and response (and run), or item, system and one probability column per
        category.
    ratings
        The ratings the answers are scored against.
    item_column, system_column, response_column, run_column
        The columns, guessed if not given.
    missing
        For items a system did not answer: ``"error"``, or ``"drop"`` to leave them out for every
        system.
    systems
        The systems wanted; the answers of others are not looked at.
    like
        The columns of the ratings by role, taken where the answers have them too.
    split
        Whether each item may have one system only, as in an A/B test; then no answer is missing.
    reading
        How to read the file; nothing is skipped above its header but a title.

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
    reading = FileReading() if reading is None else reading
    opened = _open_answers(source, ratings, names, like or {}, reading)
    table = opened.table
    check_systems(systems, table.frame["system"].unique().cast(pl.String).sort().to_list())
    wanted = table
    if systems is not None:
        wanted = replace(table, frame=table.frame.filter(pl.col("system").cast(pl.String).is_in(list(systems))))
    frame, notes = _rated_only(wanted, ratings)
    _refuse_silent(table.name, wanted.frame["system"], frame)
    table = wanted = replace(table, frame=frame)  # the names of very many items are let go of
    opened = replace(opened, table=table)
    if ratings.scale.kind == "interval" and "response" in frame.columns:
        ratings = ratings.on_levels(_numbers(opened, frame))
    answers = {}
    for name in frame["system"].unique().cast(pl.String).sort():
        part = frame.filter(pl.col("system") == name)
        labels = "response" in part.columns and part["response"].null_count() < part.height
        if labels and any(part[column].is_not_null().any() for column in opened.probabilities.values()):
            notes += (f"system '{name}' gives labels and probabilities: its labels are used",)
        answers[name] = _of_labels(opened, part, ratings) if labels else _of_probabilities(opened, part, ratings)
    if split and has_one_system_each([each.answered for each in answers.values()]):
        answered = np.logical_or.reduce([each.answered for each in answers.values()])
        ratings, answers = ratings.keep(answered), {name: each.keep(answered) for name, each in answers.items()}
        return ratings, Systems(answers, table.name, notes, opened.names, table.notes)
    ratings, answers, dropped = _complete(table.name, ratings, answers, missing)
    return ratings, Systems(answers, table.name, (*notes, *dropped), opened.names, table.notes)


def has_one_system_each(answered: Sequence[Array]) -> bool:
    """Tell whether several systems share no item; `answered` is True for those of each, ``(item,)``."""
    return len(answered) > 1 and int(np.sum(answered, axis=0).max()) == 1


def check_systems(wanted: Sequence[str] | None, known: Sequence[str]) -> None:
    """Refuse a system nobody heard of, and more of them than can be read one by one."""
    if not wanted and len(known) > MOST_SYSTEMS:
        raise InputError(
            f"There are {len(known):,} systems; {MOST_SYSTEMS:,} can be read at once: name some with --systems, or "
            "another --system-column."
        )
    for name in wanted or ():
        if name not in known:
            raise InputError(f"--systems: there is no system '{name}'; there are {listed(sorted(known), 12)}.")


def _rated_only(table: InputTable, ratings: Ratings) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Replace item names by codes; answers to unrated items are dropped and counted."""
    code = code_names(table.frame["item"], ratings.items)
    frame = table.frame.with_columns(code.alias("item")).drop_nulls("item")
    extra = table.frame.height - frame.height
    if frame.is_empty():
        raise InputError(
            f"{table.name} answers none of the rated items (its first item is '{table.frame['item'][0]}', the ratings' "
            f"'{ratings.items[0]}'); check --item-column."
        )
    notes = (f"{count(extra, 'answer')} to items nobody rated dropped",) if extra else ()
    return frame, notes


def _refuse_silent(name: str, before: pl.Series, after: pl.DataFrame) -> None:
    """Refuse a system of which no answer is left."""
    if "response" in after.columns:
        after = after.filter(pl.any_horizontal(pl.col("^(response|p_.*)$").is_not_null()))
    silent = sorted(set(before.unique()) - set(after["system"].unique()))
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


@dataclass(frozen=True)
class AnswerTable:
    """A table with columns item, system, row and response or probabilities (and run).

    `names` says what the user calls each column, `probabilities` maps categories to columns and is
    empty unless there is one for each.
    """

    table: InputTable
    names: Mapping[str, str]
    probabilities: Mapping[str, str]

    def at(self, row: int, role: str | None = None) -> str:
        """Name the place of an answer."""
        return self.table.at(row, None if role is None else self.names[role])


def _open_answers(
    source: Any,
    rated: Ratings,
    given: Mapping[Role, str | None],
    like: Mapping[str, str | None],
    reading: FileReading,
) -> AnswerTable:
    """Open answers and find their columns: given, else as in the ratings (`like`), else guessed."""
    scale = rated.scale
    find = partial(_find_columns, rated=rated, given=given, like=like)
    table = open_input(source, "the answers", reading.for_others, keys=lambda names: find(names, "the answers").used)
    if table.frame.is_empty():
        raise InputError(f"{table.name} has a header but no answers; it needs one row per item and system.")
    columns = find(table.frame.columns, table.name)
    items, probabilities = columns.items, columns.probabilities
    frame = pl.DataFrame(
        [
            as_text(item_key(table, items), table.name),
            *(as_text(table.frame[column], table.name).alias(role) for role, column in columns.roles.items()),
            *(as_floats(table.frame[column], table.name).alias(f"p_{column}") for column in probabilities),
        ]
    ).with_row_index("row")
    frame, notes = _with_points(frame, scale, reading, f"{table.name}, column '{columns.roles.get('response')}'")
    few = [name for name in ("system", "response") if name in frame.columns]
    frame = frame.with_columns(pl.col(few).cast(pl.Categorical))  # words that come again and again take little room
    opened = AnswerTable(
        InputTable(frame, table.name, table.first_row, notes=(*table.notes, *notes), below=table.below),
        {"item": ",".join(items), **columns.roles},
        {column: f"p_{column}" for column in probabilities} if columns.complete(scale) else {},
    )
    for name in ("item", "system"):
        if frame[name].null_count():
            raise InputError(f"{opened.at(frame[name].is_null().arg_max() or 0, name)} is empty; fill it in.")
    return opened


@dataclass(frozen=True)
class _AnswerColumns:
    """The columns of a table of answers; `roles` are those of system, response and run that are there."""

    items: Sequence[str]
    roles: Mapping[str, str]
    probabilities: Sequence[str]

    def complete(self, scale: Scale) -> bool:
        """Tell whether there is a probability for each category."""
        return len(self.probabilities) == len(scale.categories) > 0

    @property
    def used(self) -> list[str]:
        """All of them: what tells answers apart."""
        return list(dict.fromkeys([*self.items, *self.roles.values(), *self.probabilities]))


def _find_columns(
    names: Sequence[str],
    where: str,
    *,
    rated: Ratings,
    given: Mapping[Role, str | None],
    like: Mapping[str, str | None],
) -> _AnswerColumns:
    """Return which column plays which role: given, else as in the ratings (`like`), else guessed."""
    scale = rated.scale
    system = find_column(SYSTEM, names, given[SYSTEM], where)
    wanted_items = given[ITEM] or _shared(like.get("item"), names) or _shared(_joined_items(rated), names)
    items = find_items(names, wanted_items, where, taken=(system,))
    for role, found in ((SYSTEM, system), (ITEM, items)):
        if not found:
            called = f"call it {like.get('item') or ITEM.name}" if role is ITEM else f"name it with {role.flag}"
            way = _ways_to_name_a_system(names, where, rated) if role is SYSTEM else ""
            raise InputError(f"{where} has no {role.name} column, only {listed(names)}; {called}{way}.")
    probabilities = [c for c in scale.categories if c in names]
    taken = [*probabilities, system, *items]
    wanted = given[RESPONSE] or _shared(like.get("response"), [n for n in names if n not in taken])
    response = find_column(RESPONSE, names, wanted, where, taken)
    columns = _AnswerColumns(items, {}, probabilities)
    if response is None and not columns.complete(scale):
        run = find_column(RUN, names, given[RUN], where, taken)
        left = [name for name in names if name not in (*taken, run)]
        if len(left) != 1:
            raise InputError(
                f"{where} has neither a response column nor one probability column per category "
                f"({listed(scale.categories)}); call the column of responses {like.get('response') or RESPONSE.name}."
            )
        [response] = left
    run = find_column(RUN, names, given[RUN], where, [*taken, response])
    chosen = {"system": system, "response": response, "run": run}
    return replace(columns, roles={role: column for role, column in chosen.items() if column})


def _ways_to_name_a_system(names: Sequence[str], where: str, rated: Ratings) -> str:
    """Say what else to do with answers that name no system: files in another order, of one system, or two of scores."""
    if guess_column(RATER, names):
        return "; ratings come first, then answers"
    if not (guess_column(ITEM, names) and guess_column(RESPONSE, names)) or where == "the answers":
        return ""
    one = f", or name the one system that gave these answers: NAME={where}"
    numbers = rated.scale.kind == "interval" or as_numbers(pl.Series(rated.scale.categories)) is not None
    scores = numbers and rated.n_raters is None and os.path.exists(rated.name)
    return f"{one}; if both files hold scores of a system each, write new={rated.name} old={where}" if scores else one


def _with_points(
    frame: pl.DataFrame, scale: Scale, reading: FileReading, place: str
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read numbers as people write them in answers on a scale of numbers; refuse those that carry another sign."""
    if (scale.levels is None and not scale.unit) or "response" not in frame.columns:
        return frame, ()
    code, names = encode(frame["response"])
    said = read_numerals(names, reading.decimal, place)
    if said.unit != scale.unit:
        signs = " and ".join(f"the sign {each}" if each else "no sign" for each in (said.unit, scale.unit))
        raise InputError(f"{place}: answers and ratings carry {signs}; write both alike.")
    return frame.with_columns(said.labels.gather(code).alias("response")), said.notes


def _shared(columns: str | None, names: Sequence[str]) -> str | None:
    """Return the columns of the ratings if the answers have them too."""
    there = columns is not None and all(part.strip() in names for part in columns.split(","))
    return columns if there or columns in names else None


def _joined_items(rated: Ratings) -> str | None:
    """Return the columns that together name an item of the ratings, which nobody could guess; None for a single one."""
    columns = rated.columns.get("item", "")
    return columns if "," in columns else None


def _numbers(opened: AnswerTable, frame: pl.DataFrame) -> Array:
    """Return the distinct numbers among the answers, or refuse what is none."""
    found = as_numbers(frame["response"].drop_nulls().unique().cast(pl.String))
    if found is None:
        row, word = next(
            (row, word)
            for row, word in frame.select("row", "response").rows()
            if word is not None and as_numbers(pl.Series([word])) is None
        )
        raise InputError(f"{opened.at(row, 'response')}: '{word}' is not a number; fix it.")
    return found


def _of_labels(opened: AnswerTable, part: pl.DataFrame, ratings: Ratings) -> Answers:
    """Return the labels of one system, a row of `part` each."""
    part = part.filter(pl.col("response").is_not_null()).sort("item", "row")
    code = ratings.scale.code(part["response"].cast(pl.String))
    if code.null_count():
        row = code.is_null().arg_max() or 0
        raise InputError(
            f"{opened.at(part['row'][row], 'response')}: '{part['response'][row]}' is not a category of the ratings "
            f"({listed(ratings.scale.categories, 12)}); fix it, or declare all categories with --scale "
            f"{ratings.scale.kind} --order {','.join([*ratings.scale.categories[:6], part['response'][row]])}."
        )
    item, response = part["item"].cast(pl.Int32).to_numpy(), code.cast(pl.Int32).to_numpy()
    summary = summarise(ratings.scale, ratings.n_items, item, response, ones(len(item)))
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


def _of_probabilities(opened: AnswerTable, part: pl.DataFrame, ratings: Ratings) -> Answers:
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
