"""`presets`: which populations have a name?"""

from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from quorate._result import Result
from quorate._text import table
from quorate.populations.presets import PRESETS, Preset

__all__ = ["PresetList", "presets"]


@dataclass(frozen=True)
class PresetList(Result):
    """All presets; print them for people, `to_dict` them for scripts."""

    verb: ClassVar[str] = "presets"
    presets: tuple[Preset, ...]

    def sentence(self) -> str:
        """Say how many there are."""
        return f"{len(self.presets)} populations have a name; use one with --preset NAME."

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
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per preset."""
        rows = [(p.name, p.population.kind, p.description, p.citation) for p in self.presets]
        return pl.DataFrame(rows, schema=["name", "kind", "description", "citation"], orient="row")

    def __str__(self) -> str:
        rows = [[p.name, p.description, f"[{p.citation}]"] for p in self.presets]
        return f"{self.sentence()}\n\n{table(rows, ['name', 'population', 'source'])}"


def presets() -> PresetList:
    """List the populations that have a name.

    Examples
    --------
    >>> presets().to_frame()["name"].to_list()[:3]
    ['toxicity', 'dices', 'd3code']
    """
    return PresetList(presets=tuple(PRESETS.values()))
