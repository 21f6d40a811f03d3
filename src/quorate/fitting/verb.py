"""`fit`: which population do my pilot data look like, and how well does it describe them?"""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Unpack

import polars as pl

from quorate._random import generator
from quorate._text import number, table
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import Reading, Source, read_ratings
from quorate.data.summaries import Counts
from quorate.populations.choice import NamedPopulation, as_population
from quorate.populations.fit_dirichlet import PRIOR_SD, Method
from quorate.populations.fit_population import (
    FittedPopulation,
    Kind,
    fit_population,
    on_scale,
    population_log_likelihood,
)
from quorate.populations.goodness import (
    SpreadCheck,
    check_spread,
    expected_shares,
    fit_warnings,
    mean_absolute_bias,
    spread_words,
)
from quorate.populations.normal.families import Family, family_to_dict
from quorate.populations.population import Population
from quorate.results.result import Result

__all__ = ["Fit", "fit"]

PRIOR = f"log(sum of alpha) ~ Normal(log M, {PRIOR_SD:g}), mean shares ~ Dirichlet(1 + 1/M), M categories"


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
        """``"fits"``, or ``"does_not_fit"`` if the spread of items is not reproduced."""
        return "fits" if self.spread.fits else "does_not_fit"

    def sentence(self) -> str:
        """Say in one sentence what the population is and whether to trust it."""
        if self.given:
            start = f"{self.ratings.name} held against {self.population.words()}: the population"
        else:
            start = f"{self.ratings.name} looks most like {self.population.words()}, which"
        return f"{start} {spread_words(self.spread)}."

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return {
            "population": self.population.to_dict(),
            "log_likelihood": self.fitted.log_likelihood,
            "parameters": self.fitted.n_parameters,
            "mab": self.mab,
            "spread": {**asdict(self.spread), "fits": self.spread.fits},
            "verdict": self.verdict,
            "alternatives": self._alternatives(),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per category with observed and expected share; per family for continuous answers."""
        if self.expected is None:
            rows = [{**row, "parameters": _family_words(row["parameters"])} for row in self._alternatives()]
            return pl.DataFrame(rows)
        frame = pl.DataFrame(
            {
                "category": self.ratings.scale.categories,
                "observed": self.ratings.response_share,
                "expected": self.expected,
            }
        )
        dirichlet = self.population.enumerable
        return frame if dirichlet is None else frame.with_columns(pl.Series("alpha", list(dirichlet.alpha)))

    def __str__(self) -> str:
        parts = [self.sentence(), _check_table(self.spread, self.mab)]
        if self.expected is not None:
            parts.append("Categories\n" + self._share_table())
        if self._alternatives():
            parts.append("Alternatives, best first\n" + self._alternative_table())
        return "\n\n".join(parts + [f"Warning: {warning}" for warning in self.warnings])

    def _share_table(self) -> str:
        rows = [
            [str(row["category"]), number(row["observed"]), number(row["expected"]), number(row.get("alpha"))]
            for row in self.to_frame().iter_rows(named=True)
        ]
        return table(rows, ["category", "observed", "expected", "alpha"])

    def _alternative_table(self) -> str:
        rows = [
            [row["role"], row["family"], f"{row['log_likelihood']:.1f}", "chosen" if row["chosen"] else ""]
            for row in sorted(self._alternatives(), key=lambda row: (row["role"], -row["log_likelihood"]))
        ]
        return table(rows, ["of", "family", "log-likelihood", ""])

    def _alternatives(self) -> list[dict[str, Any]]:
        """Every family tried for means and sds, and every kind of population."""
        kinds = [
            _alternative("population", fitted.population.kind, {}, fitted.log_likelihood, fitted is self.fitted)
            for fitted in (self.fitted, *self.fitted.rivals)
            if self.fitted.rivals
        ]
        families = [
            _alternative(tried.role, tried.family.family, _parameters(tried.family), tried.log_likelihood, tried.chosen)
            for tried in self.fitted.families
        ]
        return kinds + families


def fit(
    source: Source,
    *,
    method: Method = "map",
    family: Kind = "auto",
    population: "NamedPopulation | None" = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Fit:
    """Fit a population to ratings, or hold a given one against them, and check the mean and the spread of items.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, ``example:NAME``, a mapping of columns, a data frame, or ratings already read.
    method
        For the Dirichlet: ``"map"``, with a weak prior, or ``"ml"``; ML is biased upwards with few items.
    family
        ``"dirichlet"``, ``"normal"``, or ``"auto"`` for whichever describes the answers better.
    population
        A population (preset, file, alpha) to evaluate instead of fitting one.
    seed
        Seed of the simulated data sets the spread is checked against.
    **reading
        How to read the source: ``item_column``, ``scale`` and so on.

    Examples
    --------
    >>> found = fit("example:support")
    >>> found.population.kind, found.verdict
    ('dirichlet', 'fits')
    """
    ratings = read_ratings(source, **reading)
    if population is None:
        fitted = fit_population(ratings, method=method, kind=family, seed=seed)
    else:
        given = on_scale(as_population(population), ratings.scale)
        fitted = FittedPopulation(given, population_log_likelihood(given, ratings), 0)
    return _checked(ratings, fitted, family, given=population is not None, seed=seed)


def _checked(ratings: Ratings, fitted: FittedPopulation, family: Kind, *, given: bool, seed: int) -> Fit:
    summary, rng = ratings.summary, generator(seed, "fit", "check")
    counted = isinstance(summary, Counts)
    spread = check_spread(fitted.population, summary, rng=rng)
    expected = expected_shares(fitted.population, rng=rng) if counted else None
    mab = None if expected is None else mean_absolute_bias(ratings.response_share, expected)
    return Fit(
        ratings=ratings,
        fitted=fitted,
        expected=expected,
        mab=mab,
        spread=spread,
        given=given,
        seed=seed,
        settings={
            "source": ratings.name,
            "method": fitted.method,
            "family": family,
            "prior": PRIOR if fitted.method == "map" else None,
        },
        warnings=fit_warnings(spread, ratings, fitted.n_items_used),
    )


def _check_table(spread: SpreadCheck, mab: float | None) -> str:
    rows = [
        [f"{spread.figure}, {name}", number(spread.observed[name]), number(spread.expected[name])]
        for name in ("mean", "sd", "q10", "q90")
    ]
    rows.append(["correlation within items", number(spread.correlation), number(spread.expected_correlation)])
    tails = f"  largest gap {number(spread.gap)}, tail {number(spread.gap_tail)}; correlation tail "
    bias = "" if mab is None else f"\n  mean absolute bias of the shares {number(mab, 4)}"
    return f"{table(rows, ['', 'observed', 'expected'])}\n{tails}{number(spread.correlation_tail)}{bias}"


def _parameters(family: Family) -> dict[str, float]:
    return {name: value for name, value in family_to_dict(family).items() if name != "family"}


def _family_words(parameters: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in parameters.items())


def _alternative(
    role: str, family: str, parameters: dict[str, float], log_likelihood: float, chosen: bool
) -> dict[str, Any]:
    return {
        "role": role,
        "family": family,
        "parameters": parameters,
        "log_likelihood": float(log_likelihood),
        "chosen": chosen,
    }
