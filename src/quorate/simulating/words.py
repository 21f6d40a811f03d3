"""How a simulation reads: a sentence, and the first rows of its tables; and how the presets are listed."""

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from quorate._text import Sentence, count, number, percent
from quorate.results.table import Column, Table, table_of

if TYPE_CHECKING:
    from quorate.simulating.result import CrowdSimulation, PresetList, Simulation, VoteSimulation

FIRST = 10
"""Rows of each table that a page shows."""
PRESETS = {
    "name": Column("name"),
    "kind": Column("kind", terminal=False),
    "description": Column("population"),
    "citation": Column("source", lambda key: f"[{key}]"),
}


def study_sentence(study: "Simulation") -> Sentence:
    """Say what was drawn of a study."""
    items = study.ratings["item"].n_unique()
    size = f"{count(items, 'item')} with {count(study.ratings.height // items, 'response')} each"
    perturbed = [f"{name} perturbed by {e:g}" for name, e in zip("AB", study.effects, strict=True) if e]
    alike = study.null or not perturbed
    systems = "two equally good systems" if alike else f"two systems ({' and '.join(perturbed)})"
    if study.rated:
        each = count(study.ratings.height // (2 * items), "rating")
        rated = f"{each} of each output of {systems}, from the population."
        return Sentence(f"Drew {count(items, 'item')}", rated, ",")
    return Sentence(f"Drew {size}", f"and the answers of {systems}, from the population.", ",")


def votes_sentence(drawn: "VoteSimulation") -> Sentence:
    """Say what was drawn of votes side by side."""
    items = drawn.votes["item"].n_unique()
    who = f"{count(drawn.votes.height, 'vote')} on {count(items, 'item')} by {drawn.votes['rater'].n_unique()} raters"
    if not drawn.margin:
        return Sentence(f"Drew {who}", f"between {drawn.n_systems} equally good systems.", ",")
    rate = percent(0.5 + 0.5 * drawn.margin)
    best = "s1 is preferred to s2" if drawn.n_systems == 2 else "each system, s1 the best, is preferred to the next"
    return Sentence(f"Drew {who}", f"between {drawn.n_systems} systems; {best} in {rate} of votes, ties half.", ",")


def crowd_sentence(crowd: "CrowdSimulation") -> Sentence:
    """Say what was drawn of a crowd."""
    size = f"{count(crowd.truth.height, 'item')} with {count(crowd.n_votes, 'vote')} each"
    more = f"{count(crowd.experts.height, 'expert label')} and scores of {count(crowd.systems, 'system')}"
    share = percent(crowd.truth["label"].to_numpy().mean())
    return Sentence(f"Drew {size}, {more} from the crowd {crowd.crowd}", f"{share} of the items are positive.", ";")


def presets_sentence(result: "PresetList") -> Sentence:
    """Say how many presets there are."""
    crowds = f"{len(result.crowds)} crowds with votes, experts and scores are for simulate."
    return Sentence(f"{len(result.presets)} populations have a name", f"use one with --preset NAME. {crowds}", ";")


def first_rows(name: str, frame: pl.DataFrame) -> Table:
    """Return the first rows of a drawn table."""
    rows = [[number(x) if isinstance(x, float) else str(x) for x in row] for row in frame.head(FIRST).rows()]
    caption = f"The first {len(rows)} of {frame.height:,} rows of {name}"
    return Table(caption, tuple(frame.columns), rows, numbers=True)


def preset_table(presets: pl.DataFrame) -> Table:
    """Return one row per preset, all of them on a terminal too."""
    listed = table_of("Populations by name", presets.to_dicts(), PRESETS)
    return replace(listed, listed=len(listed.rows))
