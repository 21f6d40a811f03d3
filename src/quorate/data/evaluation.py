"""The one door: ratings and what is said of systems, read together on the same items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from quorate._errors import InputError
from quorate._text import count, printable
from quorate._typing import Array
from quorate.data.answers import Answers, Systems, has_one_system_each, read_systems
from quorate.data.columns import ITEM, RATER, RESPONSE
from quorate.data.inputs import Source, input_paths
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import load_ratings, read_rated_systems, read_split_systems, refuse_options
from quorate.data.reading import Reading
from quorate.data.summaries import Summary


@dataclass(frozen=True)
class Evaluation:
    """What raters and systems said.

    Parameters
    ----------
    ratings
        The ratings of the items that count: those every system answered, or was rated on.
    raters
        The raters' summary; None if the systems themselves were rated.
    systems
        Each system's summary on the same items, by name, sorted; empty without answers.
    answers
        The systems' single answers, with their runs; empty if the systems themselves were rated.
    rated
        If the systems themselves were rated: the ratings each got, by name.
    split
        Where each item has one system only: the items of each, by name, ``(item,)``; its summary is empty elsewhere, or
        not its own.
    name
        What to call the answers, or the ratings of the outputs.
    notes
        What was dropped or guessed in the answers.
    load_report
        What was found in every file, line by line.
    inputs
        The files that were read, resolved; standard input is ``-``.
    """

    ratings: Ratings
    raters: Summary | None
    systems: Mapping[str, Summary] = field(default_factory=dict)
    answers: Mapping[str, Answers] = field(default_factory=dict)
    rated: Mapping[str, Ratings] = field(default_factory=dict)
    split: Mapping[str, Array] = field(default_factory=dict)
    name: str = ""
    notes: tuple[str, ...] = ()
    load_report: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()


def read_evaluation(
    ratings: Source,
    answers: Source | None = None,
    *,
    rated_system: str | None = None,
    systems: Sequence[str] | None = None,
    missing: str = "error",
    system_column: str | None = None,
    run_column: str | None = None,
    reading: Reading | None = None,
    split: bool = False,
) -> Evaluation:
    """Read ratings, alone, with the systems' answers, or as ratings of the systems' own outputs.

    Parameters
    ----------
    ratings
        A path, ``-``, ``example:NAME``, a mapping of columns, a data frame, or ratings already
        read; an evaluation already read passes through.
    answers
        What the systems answered, in the same forms.
    rated_system
        Instead of answers: the column that says which system's output was rated.
    systems
        The systems wanted; what others answered is not looked at.
    missing
        For items a system did not answer, or was not rated on: ``"error"``, or ``"drop"`` to leave
        them out.
    system_column, run_column
        Columns of the answers, guessed if not given.
    reading
        How to read the ratings; its columns are tried in the answers too.
    split
        Whether each item may have one system only, as in an A/B test.
    """
    reading = Reading() if reading is None else reading
    if isinstance(ratings, Evaluation):
        refuse_options("ratings and answers", reading)
        if any(each is not None for each in (answers, rated_system, systems, system_column, run_column)):
            raise InputError("The ratings and answers are read already: give no other answers, systems or columns.")
        return ratings
    if missing not in ("error", "drop"):
        raise InputError(f"'{missing}' is not a rule for missing answers; use --missing error or drop.")
    if answers is not None and rated_system is not None:
        raise InputError("Give the systems' answers, or --rated-system COLUMN if their outputs were rated; not both.")
    if rated_system is not None:
        return _rated(ratings, rated_system, systems, missing, reading, split)
    raters = load_ratings(ratings, reading)
    if answers is None:
        return Evaluation(
            raters,
            raters.summary,
            load_report=tuple(load_report(raters)),
            inputs=input_paths(ratings),
            name=raters.name,
        )
    kept, given = read_systems(
        answers,
        raters,
        system_column=system_column,
        run_column=run_column,
        missing=missing,
        systems=systems,
        like={"item": reading.item_column, "response": reading.response_column},
        split=split,
    )
    report = (*load_report(raters), "", *given.load_report)
    return evaluation_of(kept, given, report, input_paths(ratings, answers))


def evaluation_of(
    ratings: Ratings, given: Systems, report: Sequence[str] = (), inputs: Sequence[str] = ()
) -> Evaluation:
    """Return the evaluation of what `read_systems` returns."""
    summaries = {name: each.summary for name, each in given.answers.items()}
    answered = {name: each.answered for name, each in given.answers.items()}
    apart = has_one_system_each(list(answered.values()))
    return Evaluation(
        ratings,
        ratings.summary,
        summaries,
        given.answers,
        split={name: np.flatnonzero(there) for name, there in answered.items()} if apart else {},
        name=given.name,
        notes=given.notes,
        load_report=tuple(report),
        inputs=tuple(inputs),
    )


def load_report(ratings: Ratings) -> list[str]:
    """Say what was read, which guesses were made, and the flag that overrides each."""
    people = "unknown raters" if ratings.n_raters is None else count(ratings.n_raters, "rater")
    low, middle, high = ratings.size.min(), float(np.median(ratings.size)), ratings.size.max()
    flags = {role.name: role.flag for role in (ITEM, RATER, RESPONSE)} | {"system": "--rated-system"}
    columns = ", ".join(f"{role} = {column} ({flags[role]})" for role, column in ratings.columns.items())
    guess = ", a guess (--scale)" if ratings.scale.guessed else " (--scale)"
    lines = [
        f"{ratings.name}: {count(ratings.n_rows, 'row')}, {count(ratings.n_responses, 'response')} "
        f"on {count(ratings.n_items, 'item')} by {people}",
        f"  responses per item: {low} / {middle:g} / {high} (min / median / max)",
        f"  columns: {columns}",
        f"  scale: {ratings.scale}{guess}",
    ]
    if ratings.repeated_pairs:
        pairs = count(ratings.repeated_pairs, "rater–item pair")
        lines.append(f"  {pairs} answered more than once, all kept (--duplicates)")
    groups = [f"{name} (of items)" for name in ratings.item_groups]
    groups += [f"{name} (of raters)" for name in ratings.rater_groups]
    if groups:
        lines.append(f"  columns that group: {', '.join(groups)}")
    return [
        line[: len(line) - len(line.lstrip())] + printable(line) for line in lines + [f"  {n}" for n in ratings.notes]
    ]


def _rated(
    source: Source, column: str, systems: Sequence[str] | None, missing: str, reading: Reading, split: bool
) -> Evaluation:
    if isinstance(source, Ratings):
        raise InputError("--rated-system needs the table of ratings itself: ratings already read have lost the column.")
    if split:
        whole, items = read_split_systems(source, column, systems=systems, reading=reading)
        if items:
            summaries = dict.fromkeys(items, whole.summary)
            report, inputs = tuple(load_report(whole)), input_paths(source)
            return Evaluation(whole, None, summaries, split=items, name=whole.name, load_report=report, inputs=inputs)
    rated = read_rated_systems(source, column, missing=missing, systems=systems, reading=reading)
    first = next(iter(rated.values()))
    size = sum(part.n_responses for part in rated.values())
    report = (
        f"{first.name}: {count(size, 'response')} on {count(first.n_items, 'item')} rated for each of "
        f"{count(len(rated), 'system')}: {', '.join(rated)}",
        f"  scale: {first.scale}{', a guess' if first.scale.guessed else ''} (--scale)",
        *(f"  {note}" for note in first.notes),
    )
    return Evaluation(
        first,
        None,
        {name: part.summary for name, part in rated.items()},
        rated=rated,
        name=first.name,
        load_report=report,
        inputs=input_paths(source),
    )
