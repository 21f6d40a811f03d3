"""The page of the presets: a table of names."""

from quorate.report.assemble import assemble
from quorate.report.page import Page, Section
from quorate.simulating.preset_list import PresetList

__all__ = ["page"]

METHOD = ("Parameters are those printed by [forest], [leaderboard] and [ratings], or fitted to public data.",)


def page(result: PresetList, command: str = "") -> Page:
    """Return the page of the presets."""
    section = Section("All presets", tables=list(result.tables().values()))
    return assemble(result, facts=[], sections=[section], method=METHOD, command=command)
