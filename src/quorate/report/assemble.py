"""Pages from results: the parts every page has, filled in the same way."""

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from quorate._question import QUESTIONS
from quorate._text import printable
from quorate._version import __version__
from quorate.report.page import Page, Plot, Section, Table
from quorate.report.references import REFERENCES
from quorate.results.result import Result

__all__ = ["assemble", "draw", "parameters", "setting"]

LONGEST = 300
"""Letters of a setting that are shown."""
CITED = re.compile(r"\[(\w+)\]")


def assemble(
    result: Result,
    *,
    facts: Sequence[tuple[str, str]],
    sections: Sequence[Section],
    method: Sequence[str],
    command: str = "",
) -> Page:
    """Return the page of a result: its verdict, facts and sections, with settings and sources filled in.

    Parameters
    ----------
    result
        What a verb returned.
    facts, sections, method
        What only this verb has to say; ``[key]`` in the method cites a source.
    command
        What was typed.

    Examples
    --------
    >>> from quorate import presets
    >>> assemble(presets(), facts=[], sections=[], method=["After [forest]."]).references
    ('[forest] Pandita, Korn, Welty, Homan (2026). Forest vs Tree: ...',)
    """
    said = result.sentence()
    keys = dict.fromkeys(key for text in method for key in CITED.findall(text) if key in REFERENCES)
    settings = [(name.replace("_", " "), setting(value)) for name, value in result.settings.items() if name != "seed"]
    return Page(
        verb=result.verb,
        question=QUESTIONS.get(result.verb, ""),
        headline=said.head,
        rest=said.rest,
        facts=tuple(facts),
        warnings=result.warnings,
        sections=tuple(
            section
            for section in sections
            if section.plots or any(table.rows for table in section.tables) or section.text
        ),
        settings=tuple((name, printable(text, LONGEST)) for name, text in settings if text),
        method=tuple(method),
        references=tuple(f"[{key}] {REFERENCES[key]}" for key in keys),
        command=command,
        seed=result.seed,
        version=__version__,
    )


def draw(figure: Any, alt: str, numbers: Table) -> Plot:
    """Return a figure as plain data; its title becomes the heading.

    Examples
    --------
    >>> from quorate.report.plots.style import figure
    >>> plot = draw(figure([], "A title", x={"title": ""}, y={"title": ""}), "nothing", Table("none", [], []))
    >>> plot.title, "title" in plot.figure["layout"]
    ('A title', False)
    """
    plain = figure.to_plotly_json()
    layout = dict(plain["layout"])
    title = html.unescape(layout.pop("title")["text"])
    layout.pop("template", None)
    layout["margin"] = {**layout["margin"], "t": 34 if layout.get("showlegend") else 12}
    return Plot(title, alt, {"data": plain["data"], "layout": layout}, numbers)


def setting(value: Any) -> str:
    """Write a setting; nothing for what was not set.

    Examples
    --------
    >>> setting({"item": 0.0, "rating": 1.0}), setting(None), setting([1, 2]), setting(True)
    ('item: 0, rating: 1', '', '1, 2', 'yes')
    >>> setting({"means": {"family": "uniform", "low": 0}, "sizes": [[100, 1], [50, 2]]})
    'means: (family: uniform, low: 0), sizes: (100, 1), (50, 2)'
    """
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case Mapping():
            parts = [(str(key).replace("_", " "), each) for key, each in value.items() if each is not None]
            return ", ".join(f"{key}: {_part(each)}" for key, each in parts)
        case list() | tuple():
            return ", ".join(f"({setting(each)})" if isinstance(each, list | tuple) else _part(each) for each in value)
    return str(value)


def parameters(population: Mapping[str, Any]) -> list[str]:
    """Write what a population is, one line for each thing that is set.

    Examples
    --------
    >>> parameters({"kind": "dirichlet", "alpha": [5.0, 1.5], "levels": None})
    ['kind: dirichlet', 'alpha: 5, 1.5']
    """
    return [f"{name.replace('_', ' ')}: {text}" for name, value in population.items() if (text := setting(value))]


def _part(value: Any) -> str:
    """Write what stands within a setting; brackets keep the parts of a part together."""
    return f"({setting(value)})" if isinstance(value, Mapping) else setting(value)
