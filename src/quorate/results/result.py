"""What every result can do: speak, become a dictionary for JSON, a table, and a piece of a notebook page."""

import html
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from quorate._errors import InputError
from quorate._version import __version__

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Result"]


@dataclass(frozen=True, kw_only=True)
class Result(ABC):
    """The answer of a verb: frozen, with the settings it came from and the warnings that belong to it.

    Parameters
    ----------
    seed
        The seed all randomness came from.
    settings
        What was asked: sizes, options, the name of the data.
    warnings
        Sentences about what should not be trusted, or only with care.
    """

    verb: ClassVar[str]
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @abstractmethod
    def sentence(self) -> str:
        """Say the answer in one plain sentence."""

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object as plain Python values."""

    @abstractmethod
    def to_frame(self) -> pl.DataFrame:
        """Return the main table."""

    def to_pandas(self) -> "pd.DataFrame":
        """Return the main table as a pandas frame, if pandas is installed."""
        try:
            import pandas as pd
        except ImportError:
            raise InputError("to_pandas needs pandas: pip install pandas; to_frame gives a Polars frame.") from None
        return pd.DataFrame(self.to_frame().to_dict(as_series=False))

    def to_html(self) -> str:
        """Return the report, one page that needs nothing else; ``-o report.html`` writes the same."""
        from quorate.report import to_html

        return to_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as one object that JSON can hold."""
        return {
            "schema": f"quorate.{self.verb}/1",
            "version": __version__,
            "seed": self.seed,
            "settings": dict(self.settings),
            "warnings": list(self.warnings),
            "sentence": self.sentence(),
            **self.content(),
        }

    def _repr_html_(self) -> str:
        notes = "".join(f"<p><em>{html.escape(warning)}</em></p>" for warning in self.warnings)
        return f"<p><strong>{html.escape(self.sentence())}</strong></p>{notes}{self.to_frame()._repr_html_()}"
