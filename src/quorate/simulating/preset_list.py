"""`presets`: which populations have a name?"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import polars as pl

from quorate._question import Question, asks
from quorate.populations.choice import Preset, all_presets
from quorate.populations.crowds import CROWDS, CrowdPreset
from quorate.results.result import Result, Sentence
from quorate.results.table import Column, Table, table_of

COLUMNS = {
    "name": Column("name"),
    "kind": Column("kind", terminal=False),
    "description": Column("population"),
    "citation": Column("source", lambda key: f"[{key}]"),
}


@dataclass(frozen=True)
class PresetList(Result):
    """All presets; print them for people, `to_dict` them for scripts."""

    verb: ClassVar[str] = "presets"
    presets: tuple[Preset, ...]
    crowds: tuple[CrowdPreset, ...] = ()

    def sentence(self) -> Sentence:
        """Say how many there are."""
        crowds = f"{len(self.crowds)} crowds with votes, experts and scores are for simulate."
        return Sentence(f"{len(self.presets)} populations have a name", f"use one with --preset NAME. {crowds}", ";")

    def tables(self) -> Mapping[str, Table]:
        """Return one table of all names."""
        listed = table_of("Populations by name", self.to_frame().to_dicts(), COLUMNS)
        return {"presets": replace(listed, listed=len(listed.rows))}

    def content(self) -> dict[str, Any]:
        """Return every preset with its population."""
        populations: list[dict[str, Any]] = [preset.population.to_dict() for preset in self.presets]
        populations += [{"kind": "crowd"}] * len(self.crowds)
        named = zip(self.to_frame().drop("kind").to_dicts(), populations, strict=True)
        return {"presets": [row | {"population": population} for row, population in named]}

    def to_frame(self) -> pl.DataFrame:
        """Return one row per preset."""
        rows = [(p.name, p.population.kind, p.description, p.citation) for p in self.presets]
        rows += [(c.name, "crowd", c.description, c.citation) for c in self.crowds]
        return pl.DataFrame(rows, schema=["name", "kind", "description", "citation"], orient="row")


def answer(question: Question) -> PresetList:
    """List the populations that have a name.

    Examples
    --------
    >>> presets().to_frame()["name"].to_list()[:3]
    ['toxicity', 'dices', 'd3code']
    """
    return PresetList(presets=tuple(all_presets().values()), crowds=tuple(CROWDS.values()), seed=question.seed)


presets = asks("presets", Question, answer)
