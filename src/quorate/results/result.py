"""What every result can do: speak, and become JSON, a table, a page, a piece of a notebook."""

import html
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from importlib import import_module
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from quorate._errors import InputError
from quorate._text import Sentence, printable, printable_lines
from quorate._version import __version__
from quorate.results.latex import ENGINES, FOREIGN
from quorate.results.table import Table, markdown_text

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Result(ABC):
    """The answer of a verb: frozen data that can be pickled, with its settings and what to heed.

    Parameters
    ----------
    seed
        The seed all randomness came from.
    settings
        What was asked: every option and the names of the data, written from the question.
    warnings
        Sentences about what should not be trusted, or only with care.
    load_report
        What was found in the files that were read, line by line.
    inputs
        Those files as they were named; nothing is ever written over them.
    """

    verb: ClassVar[str]
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    load_report: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()

    @abstractmethod
    def sentence(self) -> Sentence:
        """Say the answer in one plain sentence."""

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object as plain Python values."""

    @abstractmethod
    def to_frame(self) -> "pl.DataFrame":
        """Return the main table."""

    def tables(self) -> Mapping[str, Table]:
        """Return the tables by name, in their order; terminal and page show the same."""
        return {}

    def notes(self) -> Sequence[str]:
        """Return paragraphs that follow the tables."""
        return ()

    def data_sheet(self) -> str:
        """Return a paragraph for a human-evaluation data sheet; empty where there is nothing to report."""
        return ""

    def __str__(self) -> str:
        tables = [str(table) for table in self.tables().values() if table.rows and not table.numbers]
        warnings = [printable(f"Warning: {warning}") for warning in self.warnings]
        notes = [printable_lines(note) for note in self.notes()]
        said = "\n".join(printable(line) for line in self.sentence().lines())
        return "\n\n".join([said, *tables, *notes, *warnings])

    def to_pandas(self) -> "pd.DataFrame":
        """Return the main table as a pandas frame, if pandas is installed."""
        try:
            import pandas as pd
        except ImportError:
            raise InputError("to_pandas needs pandas: pip install pandas; to_frame gives a Polars frame.") from None
        return pd.DataFrame(self.to_frame().to_dict(as_series=False))

    def to_markdown(self) -> str:
        """Return sentence, tables, notes and warnings as Markdown, with a paragraph for the data sheet."""
        tables = [table.to_markdown() for table in self.tables().values() if table.rows and not table.numbers]
        warnings = [f"> **Take care.** {markdown_text(warning)}" for warning in self.warnings]
        notes = [markdown_text(note) for note in self.notes()]
        sheet = [f"*For the data sheet.* {markdown_text(self.data_sheet())}"] if self.data_sheet() else []
        made = f"*quorate {__version__}, {self.verb}, seed {self.seed}*"
        head, *rest = map(markdown_text, self.sentence().lines())
        return "\n\n".join([f"**{head.rstrip(' :;,–')}**", *rest, *tables, *notes, *warnings, *sheet, made])

    def to_latex(self) -> str:
        """Return the tables as LaTeX, for the package booktabs; what they say stands above as a comment."""
        tables = [table.to_latex() for table in self.tables().values() if table.rows and not table.numbers]
        made = f"quorate {__version__}, {self.verb}, seed {self.seed}"
        engines = [ENGINES] if FOREIGN.search("".join(tables)) else []
        return "\n\n".join(["\n".join([f"% {printable(self.sentence())}", f"% {made}", *engines]), *tables])

    def to_html(self) -> str:
        """Return the report, one page that needs nothing else; ``-o report.html`` writes the same."""
        made: str = import_module("quorate.report").to_html(self)
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return everything as one object for JSON; numbers JSON does not know are null."""
        answer = {
            "schema": f"quorate.{self.verb}/1",
            "version": __version__,
            "seed": self.seed,
            "settings": dict(self.settings),
            "warnings": list(self.warnings),
            "sentence": self.sentence(),
            **self.content(),
        }
        return {key: plain(value) for key, value in answer.items()}

    def _repr_html_(self) -> str:
        notes = "".join(f"<p><em>{html.escape(warning)}</em></p>" for warning in self.warnings)
        head, *rest = map(html.escape, self.sentence().lines())
        said = " ".join([f"<strong>{head}</strong>", *rest])
        return f"<p>{said}</p>{notes}{self.to_frame()._repr_html_()}"


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: records as objects, numbers that are none as null."""
    match value:
        case float():
            return value if isfinite(value) else None
        case Mapping():
            return {key: plain(each) for key, each in value.items()}
        case list() | tuple():
            return [plain(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    return value
