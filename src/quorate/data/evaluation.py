"""What enters a comparison: the raters' summaries and each system's, on the same items – or the ratings systems got."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from quorate._errors import InputError
from quorate._text import count
from quorate.data.answers import Answers
from quorate.data.rated_outputs import read_rated_systems
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import Reading, Source, read_ratings
from quorate.data.summaries import Summary
from quorate.data.systems import read_systems

__all__ = ["Entry", "read_entry"]


@dataclass(frozen=True)
class Entry:
    """The data of a comparison.

    Parameters
    ----------
    ratings
        The ratings whose items count.
    raters
        The raters' summary; None if the systems themselves were rated.
    systems
        Each system's summary on the same items, by name, sorted.
    answers
        The systems' single answers, with their runs; empty if the systems themselves were rated.
    name, notes, loading
        What to call the answers, what was dropped or guessed, and the load report of their file.
    rated
        If the systems themselves were rated: the ratings each got, by name.
    """

    ratings: Ratings
    raters: Summary | None
    systems: dict[str, Summary]
    answers: Mapping[str, Answers]
    name: str
    notes: tuple[str, ...]
    loading: tuple[str, ...]
    rated: Mapping[str, Ratings] = field(default_factory=dict)


def read_entry(
    source: Source,
    answers: Source | None,
    *,
    rated_system: str | None,
    systems: Sequence[str] | None,
    missing: str,
    system_column: str | None,
    run_column: str | None,
    reading: Reading,
) -> Entry:
    """Read ratings and answers, or ratings of the systems' own outputs.

    Examples
    --------
    >>> rated = {"item": ["a", "a"], "model": ["x", "y"], "rating": [1, 5]}
    >>> entry = read_entry(rated, None, rated_system="model", systems=None, missing="error", system_column=None,
    ...                    run_column=None, reading={"scale": "interval"})
    >>> list(entry.systems), entry.raters
    (['x', 'y'], None)
    """
    if (answers is None) == (rated_system is None):
        raise InputError("Give the systems' answers, or --rated-system COLUMN if their outputs were rated; not both.")
    if rated_system is not None:
        return _rated(source, rated_system, systems, missing, reading)
    ratings, given = read_systems(
        answers,
        read_ratings(source, **reading),
        system_column=system_column,
        run_column=run_column,
        missing=missing,
        systems=systems,
        like={"item": reading.get("item_column"), "response": reading.get("response_column")},
    )
    summaries: dict[str, Summary] = {name: each.summary for name, each in given.answers.items()}
    return Entry(ratings, ratings.summary, summaries, given.answers, given.name, given.notes, given.loading)


def _rated(source: Source, column: str, systems: Sequence[str] | None, missing: str, reading: Reading) -> Entry:
    rated = read_rated_systems(source, column, missing=missing, systems=systems, **reading)
    first = next(iter(rated.values()))
    size = sum(part.n_responses for part in rated.values())
    loading = (
        f"{first.name}: {count(size, 'response')} on {count(first.n_items, 'item')} rated for each of "
        f"{count(len(rated), 'system')}: {', '.join(rated)}",
        f"  scale: {first.scale}{', a guess' if first.scale.guessed else ''} (--scale)",
        *(f"  {note}" for note in first.notes),
    )
    summaries: dict[str, Summary] = {name: part.summary for name, part in rated.items()}
    return Entry(first, None, summaries, {}, first.name, (), loading, rated)
