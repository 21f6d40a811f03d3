"""`presets`: which populations have a name?"""

from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from quorate._text import table
from quorate.populations.crowds import CROWDS, CrowdPreset
from quorate.populations.preset import PRESETS, Preset
from quorate.results.result import Result

__all__ = ["PresetList", "presets"]


@dataclass(frozen=True)
class PresetList(Result):
    """All presets; print them for people, `to_dict` them for scripts."""

    verb: ClassVar[str] = "presets"
    presets: tuple[Preset, ...]
    crowds: tuple[CrowdPreset, ...] = ()

    def sentence(self) -> str:
        """Say how many there are."""
        return (
            f"{len(self.presets)} populations have a name; use one with --preset NAME. {len(self.crowds)} crowds with "
            "votes, experts and scores are for simulate."
        )

    def content(self) -> dict[str, Any]:
        """Return every preset with its population."""
        return {
            "presets": [
                {
                    "name": preset.name,
                    "description": preset.description,
                    "citation": preset.citation,
                    "population": preset.population.to_dict(),
                }
                for preset in self.presets
            ]
            + [
                {
                    "name": crowd.name,
                    "description": crowd.description,
                    "citation": crowd.citation,
                    "population": {"kind": "crowd"},
                }
                for crowd in self.crowds
            ]
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per preset."""
        rows = [(p.name, p.population.kind, p.description, p.citation) for p in self.presets]
        rows += [(c.name, "crowd", c.description, c.citation) for c in self.crowds]
        return pl.DataFrame(rows, schema=["name", "kind", "description", "citation"], orient="row")

    def __str__(self) -> str:
        rows = [[name, description, f"[{citation}]"] for name, _, description, citation in self.to_frame().iter_rows()]
        return f"{self.sentence()}\n\n{table(rows, ['name', 'population', 'source'])}"


def presets() -> PresetList:
    """List the populations that have a name.

    Examples
    --------
    >>> presets().to_frame()["name"].to_list()[:3]
    ['toxicity', 'dices', 'd3code']
    """
    return PresetList(presets=tuple(PRESETS.values()), crowds=tuple(CROWDS.values()))
