"""The page of a fit: which population, and whether it reproduces shares and spread."""

from quorate._text import number
from quorate.fitting.result import Fit
from quorate.report import plots
from quorate.report.assemble import assemble, draw, parameters
from quorate.report.page import Page, Plot, Section
from quorate.results.table import integer

__all__ = ["page"]

METHOD = (
    "Items differ as draws from the population [forest], [ratings]; its parameters maximise the likelihood of the "
    "counts, with a weak prior for the Dirichlet unless maximum likelihood was asked for.",
    "Mean absolute bias sees only the mean share of each category. So the spread of items is checked too, against "
    "data sets simulated from the population: the distribution of an item figure, and the correlation of two "
    "answers to the same item. A tail is the share of simulated data sets that look at least as far off.",
)


def page(result: Fit, command: str = "") -> Page:
    """Return the page of a fit."""
    tables = result.tables()
    return assemble(
        result,
        facts=[
            ("verdict", result.verdict.replace("_", " ")),
            ("items", integer(result.ratings.n_items)),
            ("responses", integer(result.ratings.n_responses)),
            ("mean absolute bias", number(result.mab)),
        ],
        sections=[
            Section("Does it look like the data?", plots=[*_shares(result), _spread(result)]),
            Section("The check in numbers", tables=[tables["spread"]]),
            Section("What else was tried", tables=[tables["alternatives"]]),
            Section("The population", text=parameters(result.population.to_dict())),
        ],
        method=METHOD,
        command=command,
    )


def _shares(result: Fit) -> list[Plot]:
    if result.expected is None:
        return []
    table = result.tables()["categories"]
    shares = ", ".join(f"{row[0]} {row[1]} / {row[2]}" for row in table.rows[:12])
    return [draw(plots.fit(result), f"Bars of observed and expected share of each category: {shares}.", table)]


def _spread(result: Fit) -> Plot:
    spread = result.spread
    alt = (
        f"Mean and middle 80 % of the {spread.figure}: observed {number(spread.observed['mean'])}, expected "
        f"{number(spread.expected['mean'])}."
    )
    return draw(plots.fit_spread(result), alt, result.tables()["spread"])
