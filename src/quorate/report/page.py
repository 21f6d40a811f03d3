"""A page as plain data, what a template needs and nothing it must work out; and as one HTML file.

The file needs no network: style, script and plotly.js are inside. plotly.js is packed with gzip,
which makes a page 2 MB instead of 5, and unpacked by the browser.
"""

import base64
import gzip
import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from quorate._question import QUESTIONS
from quorate._text import isolated, printable, printable_lines
from quorate._version import __version__
from quorate.data.reading import LogReading
from quorate.results.result import Result
from quorate.results.table import Table

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST, ROUNDED = 300, 4
"""Letters of a setting that are shown, and digits of a number that was worked out, not given."""
READING = frozenset(each.name for each in fields(LogReading)) | {"missing"}
"""Settings of how files are read, which are told after what was asked."""
CITED = re.compile(r"\[(\w+)\]")
REFERENCES = {
    "forest": "Pandita, Korn, Welty, Homan (2026). Forest vs Tree: The (N, K) Trade-off in Reproducible ML Evaluation.",
    "ratings": "How Many Ratings per Item are Necessary for Reliable Significance Testing?",
    "leaderboard": "Wein, Homan, Aroyo, Welty (2023). Follow the leader(board) with confidence: "
    "Estimating p-values from a single test set with item and response variance.",
    "multilevel": "Improving Reproducibility in Evaluation through Multi-Level Annotator Modeling.",
    "maven": "Corbett-Davies, Nguyen, Weinsberg. Efficient Model Performance Evaluation Using a "
    "Combination of Expert and Crowd-sourced Labels.",
    "krippendorff2018": "Krippendorff (2018). Content Analysis: An Introduction to Its Methodology.",
    "searle1992": "Searle, Casella, McCulloch (1992). Variance Components.",
    "guenther1981": "Guenther (1981). Sample size formulas for normal theory t tests.",
    "hothorn2008": "Hothorn, Bretz, Westfall (2008). Simultaneous inference in general parametric models.",
    "mogstad2024": "Mogstad, Romano, Shaikh, Wilhelm (2024). Inference for ranks with "
    "applications to mobility across neighbourhoods and academic achievement across countries.",
    "liang1986": "Liang, Zeger (1986). Longitudinal data analysis using generalized linear models.",
    "carmona2020": "Carmona, Nicholls (2020). Semi-modular inference: enhanced learning in "
    "multi-modular models by tempering the influence of components.",
    "sarndal1992": "Särndal, Swensson, Wretman (1992). Model Assisted Survey Sampling.",
    "angelopoulos2024": "Angelopoulos, Duchi, Zrnic (2024). PPI++: Efficient Prediction-Powered Inference.",
    "resnick2021": "Resnick, Kong, Schoenebeck, Weninger (2021). Survey Equivalence: A Procedure for Measuring "
    "Classifier Accuracy Against Human Labels.",
    "calderon2025": "Calderon, Reichart, Dror (2025). The Alternative Annotator Test for LLM-as-a-Judge: How to "
    "Statistically Justify Replacing Human Annotators with LLMs.",
    "bradley1952": "Bradley, Terry (1952). Rank Analysis of Incomplete Block Designs: I. The Method of Paired "
    "Comparisons.",
    "cameron2011": "Cameron, Gelbach, Miller (2011). Robust Inference With Multiway Clustering.",
    "benjamini2001": "Benjamini, Yekutieli (2001). The control of the false discovery rate in multiple testing under "
    "dependency.",
    "clopper1934": "Clopper, Pearson (1934). The use of confidence or fiducial limits illustrated "
    "in the case of the binomial.",
}
"""The sources that pages cite, written out; the keys are those of `docs/references.bib`."""


MOST_UNLIKE = 2.0
"""How many times as high one of two plots side by side may be."""


@dataclass(frozen=True)
class Plot:
    """A figure with a title, a text for those who do not see it, and the numbers it draws.

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

    @property
    def height(self) -> int | None:
        """The height of all plots side by side, so that no card is half empty; None if they stand below each other."""
        heights: list[int] = [plot.figure["layout"]["height"] for plot in self.plots]
        beside = len(heights) > 1 and max(heights) <= MOST_UNLIKE * min(heights)
        return max(heights) if beside else None


@dataclass(frozen=True)
class Page:
    """Everything a report says; the verdict sentence is in two parts, without the mark between them.

    Facts, the few numbers to see at once, and settings are names with values; sections stand in the
    order in which they carry the decision. The command is what to type to get this page again,
    empty if it was made in Python. The data sheet is a paragraph for a paper. Names are those of systems, metrics
    and methods.
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
    seed: int
    version: str
    command: str = ""
    data_sheet: str = ""
    names: Sequence[str] = ()

    def begin(self, text: str) -> str:
        """Write the first letter of a sentence large, but not that of a name, of a file say."""
        first = text.partition(" ")[0]
        named = any(re.match(rf"{re.escape(name)}(?!\w)", text) for name in self.names if name)
        return text if named or re.search(r"[\d._/\\]", first.rstrip(".,:;")) else text[:1].upper() + text[1:]


def assemble(
    result: Result,
    *,
    facts: Sequence[tuple[str, str]],
    sections: Sequence[Section],
    method: Sequence[str],
) -> Page:
    """Return the page of a result, its verdict, settings and sources filled in.

    Facts, sections and method are what only this verb has to say; ``[key]`` in the method cites.
    """
    said = result.sentence()
    keys = dict.fromkeys(key for text in method for key in CITED.findall(text) if key in REFERENCES)
    judged = result.settings.get("baseline") == "raters"
    free = () if result.settings.get("expert_price") else ("expert_price",)
    silent = {
        "seed",
        *free,
        *(() if judged else ("epsilon",)),
        *(name for name in READING if not result.settings.get(name)),
    }
    names = sorted((name for name in result.settings if name not in silent), key=READING.__contains__)
    asked = {name: result.settings[name] for name in names}
    settings = {name.replace("_", " "): setting(value) for name, value in asked.items()}
    return Page(
        verb=result.verb,
        question=QUESTIONS.get(result.verb, QUESTIONS["plan"]),
        headline=said.head,
        rest=said.rest,
        facts=tuple(facts),
        warnings=result.warnings,
        sections=tuple(
            section
            for section in sections
            if section.plots or any(table.rows for table in section.tables) or section.text
        ),
        settings=tuple((name, printable(text, LONGEST)) for name, text in settings.items() if text),
        method=tuple(method),
        references=tuple(f"[{key}] {REFERENCES[key]}" for key in keys),
        seed=result.seed,
        version=__version__,
        data_sheet=result.data_sheet(),
        names=[
            name for key in ("systems", "metrics", "metric", "method") for name in _several(result.settings.get(key))
        ],
    )


def _several(value: Any) -> Sequence[str]:
    return [value] if isinstance(value, str) else list(value or ())


def draw(figure: Mapping[str, Any], alt: str, numbers: Table) -> Plot:
    """Return a figure for a page; its title becomes the heading."""
    layout = dict(figure["layout"])
    title = html.unescape(layout.pop("title")["text"])
    layout.pop("template", None)
    layout["margin"] = {**layout["margin"], "t": 34 if layout.get("showlegend") else 12}
    return Plot(title, alt, {"data": figure["data"], "layout": layout}, numbers)


def setting(value: Any, digits: int = 6) -> str:
    """Write a setting; nothing for what was not set."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.{digits}g}"
        case Mapping():
            return ", ".join(f"{key}: {_part(each)}" for key, each in _told(value))
        case list() | tuple():
            return ", ".join(_item(each, digits) for each in value)
    return str(value)


def parameters(population: Mapping[str, Any]) -> list[str]:
    """Write what a population is, one line for each thing that is set."""
    return [f"{name}: {text}" for name, value in _told(population) if (text := setting(value, ROUNDED))]


def _told(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return what is worth telling of a population: not the noise that is the same for every category."""
    there = {key: each for key, each in values.items() if each is not None}
    noise = there.get("noise")
    if isinstance(noise, list | tuple) and len(set(noise)) == 1:
        del there["noise"]
    return [(str(key).replace("_", " "), each) for key, each in there.items()]


def _item(value: Any, digits: int) -> str:
    """Write what stands in a list; brackets keep the lists in it together."""
    return f"({setting(value, digits)})" if isinstance(value, list | tuple) else _part(value, digits)


def _part(value: Any, digits: int = ROUNDED) -> str:
    """Write what stands within a setting; brackets keep the parts of a part together."""
    return f"({setting(value)})" if isinstance(value, Mapping) else setting(value, digits)


def render(page: Page) -> str:
    """Return the page as HTML; whatever comes from files is escaped."""
    plots = [plot for section in page.sections for plot in section.plots]
    return (
        environment("quorate.report")
        .get_template("page.html")
        .render(
            page=page,
            style=_static("report.css"),
            script=_static("draw.js") + _static("report.js") if plots else "",
            plotly=_packed_plotly() if plots else "",
        )
    )


def _json(value: Any) -> str:
    """Write JSON that can stand inside a script element: no ``<`` ends it early."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def environment(*packages: str) -> "Environment":
    """Return what renders the templates of these packages; whatever comes from files is escaped."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape

    made = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["plain_json"] = _json
    made.filters["isolated"] = isolated
    made.filters["seen"] = printable_lines
    return made


def _static(name: str) -> str:
    return files("quorate.report").joinpath("static", name).read_text(encoding="utf-8")


@cache
def _packed_plotly() -> str:
    script = files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    return base64.b64encode(gzip.compress(script, compresslevel=6, mtime=0)).decode("ascii")
