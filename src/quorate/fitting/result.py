"""What `fit` found: the population, how well it describes the ratings, and what else was tried."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import polars as pl

from quorate._text import Sentence
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.fitting.words import fit_sentence, fit_tables
from quorate.populations.families import family_parameters, family_words
from quorate.populations.fit_population import FittedPopulation
from quorate.populations.goodness import SpreadCheck
from quorate.populations.population import Population
from quorate.results.result import Result
from quorate.results.table import Table

TRIED = ("role", "family", "parameters", "log_likelihood", "chosen")
"""What is told of everything that was tried."""


@dataclass(frozen=True)
class Fit(Result):
    """What `fit` found; print it for people, `to_dict` it for scripts, hand `population` to `plan` or `simulate`.

    Parameters
    ----------
    ratings
        The data as they were read.
    fitted
        The population, its log-likelihood, and what else was tried.
    expected
        Expected share of each category, ``(category,)``; None for continuous answers.
    mab
        Mean absolute bias of the category shares; None for continuous answers.
    spread
        The observed and the expected spread of items.
    given
        True if the population was given and only held against the data.
    """

    verb: ClassVar[str] = "fit"
    ratings: Ratings
    fitted: FittedPopulation
    expected: Array | None
    mab: float | None
    spread: SpreadCheck
    given: bool = False

    @property
    def population(self) -> Population:
        """The fitted, or given, population."""
        return self.fitted.population

    @property
    def verdict(self) -> str:
        """``"fits"``, ``"does_not_fit"`` if the spread of items is not reproduced, or ``"cannot_tell"``."""
        if self.spread.fits and self.spread.blind:
            return "cannot_tell"
        return "fits" if self.spread.fits else "does_not_fit"

    @property
    def alternatives(self) -> list[dict[str, Any]]:
        """Every kind of population, and every family of means and sds, that was tried."""
        kinds = [self.fitted, *self.fitted.rivals] if self.fitted.rivals else []
        rows: list[tuple[Any, ...]] = [
            ("population", each.population.kind, {}, each.log_likelihood, each is self.fitted) for each in kinds
        ]
        rows += [
            (each.role, each.family.family, family_parameters(each.family), each.log_likelihood, each.chosen)
            for each in self.fitted.families
        ]
        return [dict(zip(TRIED, row, strict=True)) for row in rows]

    def sentence(self) -> Sentence:
        """Say in one sentence what the population is and whether to trust it."""
        return fit_sentence(self)

    def tables(self) -> Mapping[str, Table]:
        """Return the check of the spread, the shares of the categories, and what else was tried."""
        return fit_tables(self)

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return {
            "population": self.population.to_dict(),
            "log_likelihood": self.fitted.log_likelihood,
            "parameters": self.fitted.n_parameters,
            "mab": self.mab,
            "spread": {**asdict(self.spread), "fits": self.spread.fits},
            "verdict": self.verdict,
            "alternatives": self.alternatives,
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per category with its shares; per family for continuous answers."""
        if self.expected is None:
            words = [family_words(tried.family) for tried in self.fitted.families]
            return pl.DataFrame(
                [{**row, "parameters": text} for row, text in zip(self.alternatives, words, strict=True)]
            )
        shares = {"observed": self.ratings.response_share, "expected": self.expected}
        frame = pl.DataFrame({"category": self.ratings.scale.categories, **shares})
        dirichlet = self.population.enumerable
        return frame if dirichlet is None else frame.with_columns(pl.Series("alpha", list(dirichlet.alpha)))
