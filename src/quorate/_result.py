"""What every result can do: speak, become a dictionary for JSON, a table, and a piece of a notebook page."""

import html
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import polars as pl

from quorate._version import __version__

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
        return f"<p>{html.escape(self.sentence())}</p>{notes}{self.to_frame()._repr_html_()}"
