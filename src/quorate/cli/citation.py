"""How to cite quorate and the papers whose methods a verb uses."""

from quorate._version import __version__
from quorate.cli.streams import put

SOFTWARE = f"""@software{{quorate,
  title = {{quorate: enough items and enough raters to decide}},
  author = {{{{The quorate developers}}}},
  version = {{{__version__}}},
  year = {{2026}},
  license = {{Apache-2.0}},
}}"""


def cite() -> int:
    """Print how to cite quorate, as BibTeX, and the papers behind its methods.

    For example:
      quorate cite
    """
    return 0 if put(citation()) else 2


def citation() -> str:
    """Return the BibTeX entry, and which papers to cite beside it for which verb."""
    from quorate.report.page import REFERENCES

    papers = {"plan": ("forest", "ratings"), "compare": ("leaderboard", "multilevel"), "estimate": ("maven",)}
    lines = [f"  {verb}: [{key}] {REFERENCES[key]}" for verb, keys in papers.items() for key in keys]
    return "\n".join(
        [SOFTWARE, "", "Cite also the papers whose methods you used; a report lists all of its own:", *lines]
    )
