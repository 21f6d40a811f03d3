"""A page as plain data: what a template needs and nothing it must work out; a web page or an app can show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quorate.results.table import Table

__all__ = ["Page", "Plot", "Section", "Table"]


@dataclass(frozen=True)
class Plot:
    """A figure with its words: a title, a text for those who do not see it, and the numbers it draws.

    `figure` is plotly's data and layout as plain values.
    """

    title: str
    alt: str
    figure: Mapping[str, Any]
    numbers: Table


@dataclass(frozen=True)
class Section:
    """A part of a page: plots, then tables, then text."""

    title: str
    plots: Sequence[Plot] = ()
    tables: Sequence[Table] = ()
    text: Sequence[str] = ()


@dataclass(frozen=True)
class Page:
    """Everything a report says.

    Parameters
    ----------
    verb, question
        Which verb answered, and the question it answers.
    headline, rest
        The verdict sentence, in two parts that follow one another; the mark between them is left out.
    facts
        The few numbers to see at once: name and value.
    warnings
        What should not be trusted, or only with care.
    sections
        Plots and tables, the ones that carry the decision first.
    settings
        What was asked: name and value.
    method
        How it was worked out, in paragraphs.
    references
        The sources cited, written out.
    command
        What to type to get this page again; empty if it was made in Python.
    seed, version
        Seed of all randomness, and the version of quorate.
    """

    verb: str
    question: str
    headline: str
    rest: str
    facts: Sequence[tuple[str, str]]
    warnings: Sequence[str]
    sections: Sequence[Section]
    settings: Sequence[tuple[str, str]]
    method: Sequence[str]
    references: Sequence[str]
    command: str
    seed: int
    version: str
