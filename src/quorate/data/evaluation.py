"""The one door: ratings and what is said of systems, read together on the same items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._text import count, printable
from quorate._typing import Array
from quorate.data.answers import Answers, Systems, has_one_system_each, read_systems
from quorate.data.columns import ITEM, RATER, REPEAT, RESPONSE, RUN
from quorate.data.inputs import Source, engine_frame, input_paths, open_input
from quorate.data.preferences import Votes, find_preference_columns, load_votes, vote_report
from quorate.data.rated_outputs import RatedOutputs, read_rated_outputs
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import load_ratings, refuse_idle, refuse_options
from quorate.data.reading import Reading
from quorate.data.several_inputs import gather
from quorate.data.steady import steady
from quorate.data.summaries import Summary
from quorate.data.tables import InputTable

EvaluationKind: TypeAlias = Literal["answers", "rated", "scores", "preferences"]
"""What came in: answers beside ratings, outputs that people rated, marks that one scorer gave to outputs, or votes."""


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
        The systems' single answers, with their runs; of rated outputs the single ratings of systems whose runs have
        names.
    rated
        If the systems themselves were rated: the ratings each got, by name.
    split
        Where each item has one system only: the items of each, by name, ``(item,)``; its summary is empty elsewhere, or
        not its own.
    kind
        What came in: ``"answers"``, ``"rated"`` outputs, ``"scores"``, rated by one scorer, an automatic one or a
        judge, or ``"preferences"``, votes between two outputs.
    votes
        The votes between systems; None if there are none.
    name
        What to call the answers, or the ratings of the outputs.
    notes
        What was dropped or guessed in the answers.
    load_report
        What was found in every file, line by line.
    inputs
        The files that were read, resolved; standard input is ``-``.
    low_is_good
        Whether the tool that wrote a log says that a low score is the better one.
    """

    ratings: Ratings
    raters: Summary | None
    systems: Mapping[str, Summary] = field(default_factory=dict)
    answers: Mapping[str, Answers] = field(default_factory=dict)
    rated: Mapping[str, Ratings] = field(default_factory=dict)
    split: Mapping[str, Array] = field(default_factory=dict)
    kind: EvaluationKind = "answers"
    votes: Votes | None = None
    name: str = ""
    notes: tuple[str, ...] = ()
    load_report: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    low_is_good: bool = False

    @property
    def system_names(self) -> list[str]:
        """Names of the systems that answered, were rated, or were voted on."""
        return list(self.systems if self.votes is None else self.votes.systems)

    @property
    def opinions(self) -> Ratings:
        """The ratings, for whoever asks how raters agree; votes as ratings of an item with its two systems."""
        return self.ratings if self.votes is None else self.votes.as_ratings()

    def among(self, names: Sequence[str]) -> "Evaluation":
        """Return votes between some systems, in this order; other evaluations stay as they are."""
        if self.votes is None:
            return self
        if len(names) < 2:
            raise InputError(f"Votes are between two systems, and {', '.join(names)} is one; name two with --systems.")
        votes = self.votes.among(names)
        return replace(self, ratings=votes.ratings, votes=votes)

    def keep(self, kept: Array) -> "Evaluation":
        """Return what was said of some items only; `kept` is True for those, ``(item,)``."""
        return replace(
            self,
            ratings=self.ratings.keep(kept),
            raters=None if self.raters is None else self.raters.take(kept),
            systems={name: system.take(kept) for name, system in self.systems.items()},
            answers={name: answers.keep(kept) for name, answers in self.answers.items()},
            rated={name: part.keep(kept) for name, part in self.rated.items()},
        )


def read_evaluation(
    ratings: Source,
    answers: Source | None = None,
    more: Sequence[Source] = (),
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
    more
        Further files: answers of one system each, or logs of other tools.
    rated_system
        Instead of answers: the column that says which system's output was rated.
    systems
        The systems wanted; what others answered is not looked at.
    missing
        For items a system did not answer, or was not rated on: ``"error"``, or ``"drop"`` to leave
        them out.
    system_column, run_column
        Columns of the answers, guessed if not given; the run also of rated outputs.
    reading
        How to read the ratings; its columns are tried in the answers too.
    split
        Whether each item may have one system only, as in an A/B test.
    """
    reading = Reading() if reading is None else reading
    if isinstance(ratings, Evaluation):
        dropped = None if missing == "error" else missing
        return _read_already(
            ratings, reading, (answers, *more, rated_system, systems, system_column, run_column, dropped)
        )
    if missing not in ("error", "drop"):
        raise InputError(f"'{missing}' is not a rule for missing answers; use --missing error or drop.")
    if answers is not None and rated_system is not None:
        raise InputError("Give the systems' answers, or --rated-system COLUMN if their outputs were rated; not both.")
    if reading.preferences and (answers is not None or rated_system is not None):
        raise InputError("--preferences says that rows are votes, without answers or --rated-system; leave it out.")
    with steady(ratings, answers, *more):
        given = gather(ratings, answers, more, rated_system, reading)
        ratings, answers, rated_system = given.ratings, given.answers, given.rated_system
        reading = _roles_renamed(reading, ratings)
        if rated_system is not None:
            if isinstance(ratings, Ratings):
                raise InputError(
                    "--rated-system needs the table of ratings itself: ratings already read have lost the column."
                )
            outputs = read_rated_outputs(
                ratings,
                rated_system,
                run_column=run_column,
                missing=missing,
                systems=systems,
                reading=reading,
                split=split,
            )
            return _evaluation_of_rated(outputs, ratings)
        if answers is None:
            return _ratings_or_votes(ratings, reading, system_column)
        raters = load_ratings(ratings, reading)
        kept, said = read_systems(
            answers,
            raters,
            system_column=system_column,
            run_column=run_column,
            missing=missing,
            systems=systems,
            like={"item": reading.item_column, "response": reading.response_column},
            split=split,
            reading=reading,
        )
        report = (*load_report(raters), "", *said.load_report)
        return evaluation_of(kept, said, report, input_paths(ratings, answers))


def _roles_renamed(reading: Reading, table: Source) -> Reading:
    """Forget columns by which files of one system each were read: in their common table they are called by roles."""
    mapping = table.log.mapping.values() if isinstance(table, InputTable) and table.log is not None else ()
    used = [name for name in ("item_column", "rater_column", "response_column") if getattr(reading, name) in mapping]
    forgotten: dict[str, Any] = dict.fromkeys(used)
    return replace(reading, **forgotten) if used else reading


def _read_already(evaluation: Evaluation, reading: Reading, others: Sequence[object]) -> Evaluation:
    """Return an evaluation that was read before; nothing can be said about its reading any more."""
    refuse_options("ratings and answers", reading)
    if any(each is not None for each in others):
        raise InputError("The ratings and answers are read already: give no other answers, systems or columns.")
    return evaluation


def _ratings_or_votes(source: Source, reading: Reading, system_column: str | None) -> Evaluation:
    """Read a table that stands alone."""
    inputs = input_paths(source)
    if not isinstance(source, Ratings):
        source, votes = _table_or_votes(source, reading, system_column)
        if votes is not None:
            return evaluation_of_votes(votes, inputs)
    raters = load_ratings(source, reading)
    return Evaluation(raters, raters.summary, load_report=tuple(load_report(raters)), inputs=inputs, name=raters.name)


def _table_or_votes(source: Source, reading: Reading, system_column: str | None) -> tuple[Source, Votes | None]:
    """Return the votes of a table that holds such; else what to read ratings from, opened at most once."""
    frame, keys = engine_frame(source), None
    if frame is not None:
        from quorate.data.frames import column_names

        empty = InputTable(pl.DataFrame(schema=column_names(frame)), "the data frame")
        found = find_preference_columns(empty, reading, system_column)
        if found is None:
            return source, None
        if found.items:
            keys = found.told_apart_by
    table = open_input(source, reading=reading, keys=keys, duplicates=reading.duplicates)
    columns = find_preference_columns(table, reading, system_column)
    if columns is None:
        return table, None
    refuse_idle(table.name, "holds votes between systems", reading, ("scale", "order", "layout", "columns"))
    return table, load_votes(table, columns, reading)


def evaluation_of_votes(votes: Votes, inputs: Sequence[str] = ()) -> Evaluation:
    """Return the evaluation of votes between systems."""
    return Evaluation(
        votes.ratings,
        None,
        kind="preferences",
        votes=votes,
        name=votes.ratings.name,
        notes=votes.notes,
        load_report=vote_report(votes),
        inputs=tuple(inputs),
    )


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
    guess = ", a guess (--scale)" if ratings.scale.guessed else " (--scale)"
    lines = [
        f"{ratings.name}: {count(ratings.n_rows, 'row')}, {count(ratings.n_responses, 'response')} "
        f"on {count(ratings.n_items, 'item')} by {people}",
        f"  responses per item: {low} / {middle:g} / {high} (min / median / max)",
        f"  columns: {_column_words(ratings)}",
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


def _column_words(ratings: Ratings) -> str:
    """Say which column plays which role, and the flag that names another."""
    flags = {role.name: role.flag for role in (ITEM, RATER, RESPONSE, RUN, REPEAT)} | {"system": "--rated-system"}
    return ", ".join(f"{role} = {column} ({flags[role]})" for role, column in ratings.columns.items())


def _evaluation_of_rated(outputs: RatedOutputs, source: Source) -> Evaluation:
    rated, first = outputs.ratings, outputs.first
    return Evaluation(
        first,
        None,
        {name: part.summary for name, part in rated.items()},
        outputs.runs,
        rated={} if outputs.split else rated,
        split=outputs.split,
        kind="scores" if outputs.one_scorer else "rated",
        name=first.name,
        notes=outputs.notes,
        load_report=tuple(load_report(first) if outputs.split else _rated_report(outputs)),
        inputs=input_paths(source),
        low_is_good=isinstance(source, InputTable) and source.log is not None and source.log.low_is_good,
    )


def _rated_report(outputs: RatedOutputs) -> list[str]:
    """Say of how many systems which items were rated, and which columns said so."""
    rated, first = outputs.ratings, outputs.first
    size = sum(part.n_responses for part in rated.values())
    return [
        f"{first.name}: {count(size, 'response')} on {count(first.n_items, 'item')} rated for each of "
        f"{count(len(rated), 'system')}: {', '.join(rated)}",
        f"  columns: {_column_words(first)}",
        f"  scale: {first.scale}{', a guess' if first.scale.guessed else ''} (--scale)",
        *(f"  {note}" for note in (*first.notes, *outputs.notes)),
    ]
