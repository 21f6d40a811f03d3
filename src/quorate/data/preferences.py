"""Side by side: votes that say which of two systems' outputs is better.

A row is a vote: item, rater, two systems, and which of them won. Votes become ratings whose responses are *kinds of
vote*: which two systems, who was preferred, who was shown first. Two systems are ordered by name, so that it does not
matter which column a system stands in; that it stood there is kept as the side it was shown on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._text import count, printable
from quorate._typing import Array
from quorate.data.columns import (
    RATER,
    Role,
    find_column,
    find_items,
    guess_column,
    item_key,
    listed,
    named_columns,
)
from quorate.data.ratings import Grouping, Ratings
from quorate.data.reading import Reading
from quorate.data.scale import Scale
from quorate.data.tables import InputTable, as_text
from quorate.data.tally import tally
from quorate.data.vote_words import read_sides, read_votes

FIRST = Role(
    "system_a",
    "--system-column",
    """system_a model_a method_a left left_system left_model system_left model_left system_1 model_1 system1 model1
    candidate_a option_a generator_1""",
)
SECOND = Role(
    "system_b",
    "--system-column",
    """system_b model_b method_b right right_system right_model system_right model_right system_2 model_2 system2 model2
    candidate_b option_b generator_2""",
)
WINNER = Role(
    "winner",
    "--response-column",
    "winner preference preferred vote choice selected verdict outcome judgment judgement response label better answer",
)
SURE_WINNER = Role("winner", "--response-column", "winner preference preferred preferred_system preferred_model")
SHOWN = Role("shown_first", "", "shown_first first_shown shown_left left_shown displayed_first")
OUTPUTS = (
    Role("output_a", "", "output_a response_a answer_a text_a completion_a output_left response_left"),
    Role("output_b", "", "output_b response_b answer_b text_b completion_b output_right response_right"),
)
SIDED = ("left", "right")
OWN = ("item", "rater", "first", "second", "vote", "side", "row", "response", "count")
"""Names the table of votes uses itself."""


@dataclass(frozen=True)
class Votes:
    """Votes between systems.

    Parameters
    ----------
    ratings
        Who voted on what; a response is a kind of vote.
    systems
        Names of the systems, sorted, or in the order asked for.
    first, second
        The two systems of each kind of vote, by position, ``(kind,)``.
    vote
        Whom it prefers: 1 the first, −1 the second, 0 neither, ``(kind,)``.
    side
        Who was shown first, or on the left: 1 the first system, −1 the second, 0 not known, ``(kind,)``.
    notes
        What a reader must know: abstentions, identical outputs, votes that contradict each other.
    """

    ratings: Ratings
    systems: tuple[str, ...]
    first: Array
    second: Array
    vote: Array
    side: Array
    notes: tuple[str, ...] = ()

    @property
    def times(self) -> Array:
        """How often each kind of vote was cast, ``(kind,)``."""
        return np.bincount(self.ratings.response, self.ratings.count, len(self.vote))

    def among(self, names: Sequence[str]) -> "Votes":
        """Return the votes between some of the systems, in the order given; the first named is first in its pairs."""
        place = np.full(len(self.systems), -1)
        place[[self.systems.index(name) for name in names]] = np.arange(len(names))
        first, second = place[self.first], place[self.second]
        kept = np.flatnonzero((first >= 0) & (second >= 0))
        if not len(kept):
            raise InputError(f"{self.ratings.name}: no vote is between {' and '.join(names)}; name other --systems.")
        turn = np.where(first[kept] > second[kept], -1, 1)
        rows = np.flatnonzero(np.isin(self.ratings.response, kept))
        return _votes(
            _rows(self.ratings, rows, np.searchsorted(kept, self.ratings.response[rows])),
            tuple(names),
            np.minimum(first, second)[kept],
            np.maximum(first, second)[kept],
            turn * self.vote[kept],
            turn * self.side[kept],
            self.notes,
        )

    def as_ratings(self) -> Ratings:
        """Return the votes as ratings: an item is an item with its two systems, a response who is preferred."""
        ratings, size = self.ratings, len(self.systems)
        pair = self.first * size + self.second
        several = len(np.unique(pair)) > 1
        code = ratings.item.astype(np.int64) * size * size + pair[ratings.response]
        cells, item = np.unique(code, return_inverse=True)
        own, among = cells // (size * size), cells % (size * size)
        names = ratings.items.gather(own)
        if several:
            both = [f"{self.systems[k // size]} and {self.systems[k % size]}" for k in among.tolist()]
            names = names + pl.Series([f": {each}" for each in both])
        labels = ("the second", "tie", "the first") if several else (self.systems[1], "tie", self.systems[0])
        rows = pl.DataFrame(
            {"item": item, "rater": ratings.rater, "response": self.vote[ratings.response] + 1, "count": ratings.count}
            if ratings.rater is not None
            else {"item": item, "response": self.vote[ratings.response] + 1, "count": ratings.count}
        )
        keys = [name for name in rows.columns if name != "count"]
        rows = rows.group_by(keys).agg(pl.col("count").sum()).sort(keys)
        return replace(
            ratings,
            items=names,
            item=rows["item"].to_numpy(),
            rater=None if ratings.rater is None else rows["rater"].to_numpy(),
            response=rows["response"].cast(pl.Int32).to_numpy(),
            count=rows["count"].to_numpy(),
            scale=Scale("ordinal", labels, np.array([-1.0, 0.0, 1.0])),
            item_groups={name: Grouping(group.names, group.code[own]) for name, group in ratings.item_groups.items()},
        )

    def keep(self, items: Array) -> "Votes":
        """Return the votes on some items, by position."""
        kept = np.isin(np.arange(self.ratings.n_items), items)
        return replace(self, ratings=self.ratings.keep(kept))


@dataclass(frozen=True)
class PreferenceColumns:
    """The columns of a table of votes; `sided` says that the first system is the one on the left."""

    first: str
    second: str
    winner: str
    items: Sequence[str]
    rater: str | None
    shown: str | None
    sided: bool

    @property
    def roles(self) -> dict[str, str]:
        """Which column plays which role, for the load report."""
        named = {"item": ",".join(self.items) or "row number", "rater": self.rater, "system_a": self.first}
        named |= {"system_b": self.second, "winner": self.winner, "shown_first": self.shown}
        return {role: column for role, column in named.items() if column}

    def told_apart_by(self, names: Sequence[str]) -> list[str]:
        """Return the columns that tell votes apart, in their order."""
        outputs = [guess_column(role, names) for role in OUTPUTS]
        used = {self.first, self.second, self.winner, self.rater, self.shown, *self.items, *outputs}
        return [name for name in names if name in used]


def is_winner(column: str) -> bool:
    """Tell whether a column is called by a word for nothing but the winner of a pair."""
    return guess_column(SURE_WINNER, [column]) is not None


def find_preference_columns(
    table: InputTable, reading: Reading, systems: str | None = None
) -> PreferenceColumns | None:
    """Return which column plays which role in a table of votes; None if it is none, unless it was said to be one."""
    names = table.frame.columns
    if systems is not None and "," in systems:
        both = named_columns([each.strip() for each in systems.split(",")], names, FIRST.flag, table.name)
        first, second = both[0], both[1]
    else:
        found = [guess_column(role, names) for role in (FIRST, SECOND)]
        if None in found:
            _refuse_lack(table, reading, "two columns of systems (such as system_a and system_b)")
            return None
        first, second = (str(each) for each in found)
    winner = find_column(WINNER, names, reading.response_column, table.name, taken=(first, second))
    if winner is None:
        _refuse_lack(table, reading, "a column that says who won (such as winner)")
        return None
    rater = find_column(RATER, names, reading.rater_column, table.name, taken=(first, second, winner))
    items = find_items(names, reading.item_column, table.name, taken=(first, second, winner, rater))
    shown = guess_column(SHOWN, names)
    sided = any(word in first.lower() for word in SIDED)
    return PreferenceColumns(first, second, winner, items, rater, shown, sided)


def _refuse_lack(table: InputTable, reading: Reading, lacks: str) -> None:
    """Refuse a table that was said to hold votes."""
    if reading.preferences:
        there = ", ".join(table.frame.columns[:8])
        raise InputError(f"{table.name} has no {lacks}, only {there}; name them with --system-column A,B.")


def load_votes(table: InputTable, columns: PreferenceColumns, reading: Reading) -> Votes:
    """Read a table of votes."""
    frame = _cells(table, columns)
    notes = [] if columns.items else ["no item column: each vote is an item of its own (--item-column)"]
    gone = frame["vote"].is_null()
    if gone.any():
        notes.append(f"{count(int(gone.sum()), 'row')} without a vote (empty, or an abstention) dropped")
    same = _identical(table.frame) & ~gone
    if same.any():
        notes.append(f"{count(int(same.sum()), 'vote')} on identical outputs, counted like any other")
    frame = frame.filter(~gone)
    if not frame.height:
        raise InputError(f"{table.name} has no votes: every row is empty or an abstention; check --response-column.")
    frame, more = _unrepeated(table, frame, reading.duplicates)
    systems = tuple(pl.concat([frame["first"], frame["second"]]).unique().sort().to_list())
    return _tallied(table, columns, frame, systems, [*notes, *more])


def vote_report(votes: Votes) -> tuple[str, ...]:
    """Say what was read, which column plays which role, and the flag that overrides each."""
    ratings = votes.ratings
    people = "unknown raters" if ratings.n_raters is None else count(ratings.n_raters, "rater")
    ties = int(votes.times[votes.vote == 0].sum())
    columns = ", ".join(f"{role} = {column}" for role, column in ratings.columns.items())
    report = [
        f"{ratings.name}: {count(ratings.n_responses, 'vote')} on {count(ratings.n_items, 'item')} by {people}, "
        f"between {count(len(votes.systems), 'system')}: {listed(votes.systems, 12)}",
        f"  {ratings.n_responses - ties:,} prefer one of the two, {count(ties, 'tie')}",
        f"  columns: {columns} (--item-column, --rater-column, --system-column A,B, --response-column)",
        f"  shown first: {'known' if np.any(votes.side) else 'not known'}",
        *(f"  {note}" for note in ratings.notes),
    ]
    return tuple(line[: len(line) - len(line.lstrip())] + printable(line) for line in report)


def _cells(table: InputTable, columns: PreferenceColumns) -> pl.DataFrame:
    """Return item, rater, two systems in order of their names, vote, side, and what else describes a row."""
    names = [as_text(table.frame[name], table.name).str.strip_chars() for name in (columns.first, columns.second)]
    for name, column in zip(names, (columns.first, columns.second), strict=True):
        lost = name.is_null() | (name == "")
        if lost.any():
            raise InputError(f"{table.at(lost.arg_max() or 0, column)} is empty; say which system was shown.")
    same = names[0] == names[1]
    if same.any():
        row = same.arg_max() or 0
        raise InputError(
            f"{table.at(row)}: '{names[0][row]}' is shown against itself; a vote takes two systems, remove the row."
        )
    vote = read_votes(table, columns.winner, *names, own=(columns.first, columns.second))
    side = _sides(table, columns, names)
    turned = (names[0] > names[1]).to_numpy()
    sign = np.where(turned, -1, 1)
    used = {columns.first, columns.second, columns.winner, columns.rater, columns.shown, *columns.items}
    items = item_key(table, columns.items) if columns.items else pl.Series("item", np.arange(1, len(vote) + 1))
    return pl.DataFrame(
        [
            as_text(items, table.name).alias("item"),
            *([as_text(table.frame[columns.rater], table.name).alias("rater")] if columns.rater else []),
            pl.select(pl.min_horizontal(*names)).to_series().alias("first"),
            pl.select(pl.max_horizontal(*names)).to_series().alias("second"),
            (vote * pl.Series(sign)).alias("vote"),
            pl.Series("side", side * sign, dtype=pl.Int64),
            pl.Series("row", np.arange(len(vote))),
            *(table.frame[name] for name in table.frame.columns if name not in used and name not in OWN),
        ]
    )


def _sides(table: InputTable, columns: PreferenceColumns, names: Sequence[pl.Series]) -> Array:
    """Return 1 where the first column's system was shown first, −1 where the second's, 0 if not known, ``(row,)``.

    Columns called left and right say it themselves. Others do if systems stand in both: in a file where every pair
    always comes in one order, that order was made when the file was written.
    """
    if columns.shown is not None:
        return read_sides(table, columns.shown, *names, own=(columns.first, columns.second))
    pairs = pl.DataFrame({"a": names[0], "b": names[1]}).unique()
    turned = pairs.join(pairs, left_on=["a", "b"], right_on=["b", "a"], how="semi").height
    known = columns.sided or turned > 0
    return np.full(len(names[0]), int(known))


def _identical(frame: pl.DataFrame) -> pl.Series:
    """True where both outputs are there and the same."""
    found = [guess_column(role, frame.columns) for role in OUTPUTS]
    if None in found:
        return pl.Series([False]).new_from_index(0, frame.height)
    first, second = (as_text(frame[str(name)]) for name in found)
    return (first == second).fill_null(False)


def _unrepeated(table: InputTable, frame: pl.DataFrame, rule: str) -> tuple[pl.DataFrame, list[str]]:
    """Apply the rule for raters who vote again on the same outputs, shown in the same order."""
    if "rater" not in frame.columns:
        return frame, []
    keys = ["item", "rater", "first", "second", "side"]
    again = frame.select(pl.struct(keys).is_duplicated() & pl.col("rater").is_not_null()).to_series()
    if not again.any():
        return frame, []
    if rule in ("first", "last"):
        distinct = pl.struct(keys).is_first_distinct() if rule == "first" else pl.struct(keys).is_last_distinct()
        kept = frame.filter(distinct | pl.col("rater").is_null())
        return kept, [f"{count(frame.height - kept.height, 'repeated vote')} dropped, the {rule} kept (--duplicates)"]
    repeated = frame.filter(again)
    opposed = repeated.group_by(keys).agg(pl.col("vote").n_unique().alias("kinds"))
    opposed = opposed.filter(pl.col("kinds") > 1)
    if rule == "error":
        cell = repeated.filter(pl.struct(keys).is_last_distinct()).row(0, named=True)
        raise InputError(
            f"{table.at(cell['row'])}: rater '{cell['rater']}' voted on {cell['first']} and {cell['second']} for item "
            f"'{cell['item']}' before; remove one of the votes, or use --duplicates keep, first or last."
        )
    if opposed.height:
        who = opposed.sort(keys).row(0, named=True)
        example = f"first '{who['rater']}' on item '{who['item']}', {who['first']} and {who['second']}"
        times = count(opposed.height, "time")
        return frame, [
            f"{times} a rater voted both ways on the same outputs ({example}); all votes are kept (--duplicates first, "
            "last or error)"
        ]
    return frame, [f"{count(int(again.sum()), 'vote')} cast more than once, all kept (--duplicates)"]


def _tallied(
    table: InputTable, columns: PreferenceColumns, frame: pl.DataFrame, systems: tuple[str, ...], notes: list[str]
) -> Votes:
    names = pl.Series(systems)
    first, second = (names.search_sorted(frame[name]).to_numpy().astype(np.int64) for name in ("first", "second"))
    vote, side = (frame[name].to_numpy().astype(np.int64) for name in ("vote", "side"))
    code = ((first * len(systems) + second) * 3 + vote + 1) * 3 + side + 1
    kinds, response = np.unique(code, return_inverse=True)
    pair, look = kinds // 9, kinds % 9
    described = frame.drop("first", "second", "vote", "side", "row").with_columns(
        pl.Series("response", response.astype(np.int32))
    )
    scale = Scale("nominal", tuple(map(str, kinds)), None)
    ratings = tally(described, scale, table.name, n_rows=table.n_rows, columns=columns.roles, notes=notes)
    votes = (pair // len(systems), pair % len(systems), look // 3 - 1, look % 3 - 1)
    return _votes(ratings, systems, *votes, tuple(notes))


def _votes(
    ratings: Ratings,
    systems: tuple[str, ...],
    first: Array,
    second: Array,
    vote: Array,
    side: Array,
    notes: tuple[str, ...],
) -> Votes:
    """Return votes whose kinds have names people can read."""
    words = {1: ">", 0: "=", -1: "<"}
    shown = {1: " (first shown first)", 0: "", -1: " (second shown first)"}
    names = [
        f"{systems[a]} {words[int(v)]} {systems[b]}{shown[int(s)]}"
        for a, b, v, s in zip(first, second, vote, side, strict=True)
    ]
    return Votes(
        replace(ratings, scale=Scale("nominal", tuple(names), None)), systems, first, second, vote, side, notes
    )


def _rows(ratings: Ratings, rows: Array, response: Array) -> Ratings:
    """Return some rows of ratings with other responses; items and raters left idle go."""
    part = replace(
        ratings,
        item=ratings.item[rows],
        rater=None if ratings.rater is None else ratings.rater[rows],
        response=response,
        count=ratings.count[rows],
    )
    return part.keep(np.bincount(part.item, minlength=ratings.n_items) > 0)
