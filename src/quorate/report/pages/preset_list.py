"""The page of the presets: a table of names."""

from quorate.report.assemble import Column, assemble, rows_table
from quorate.report.page import Page, Section
from quorate.simulating.preset_list import PresetList

__all__ = ["page"]

COLUMNS: dict[str, Column] = {
    "name": ("name", str),
    "kind": ("kind", str),
    "description": ("population", str),
    "citation": ("source", lambda key: f"[{key}]"),
}


def page(result: PresetList, command: str = "") -> Page:
    """Return the page of the presets.

    Examples
    --------
    >>> from quorate import presets
    >>> page(presets()).sections[0].tables[0].rows[0][:2]
    ('toxicity', 'dirichlet')
    """
    listed = rows_table("Use one with --preset NAME", result.to_frame().to_dicts(), COLUMNS)
    return assemble(
        result,
        facts=[],
        sections=[Section("All presets", tables=[listed])],
        method=["Parameters are those printed by [forest], [leaderboard] and [ratings], or fitted to public data."],
        command=command,
    )
