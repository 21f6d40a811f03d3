"""The page of a fit: which population, and whether it reproduces shares and spread."""

from quorate._text import number
from quorate.fitting.verb import Fit
from quorate.report import plots
from quorate.report.assemble import Column, assemble, draw, integer, parameters, rows_table
from quorate.report.page import Page, Plot, Section, Table

__all__ = ["page"]

SHARES: dict[str, Column] = {
    "category": ("category", str),
    "observed": ("observed", number),
    "expected": ("expected", number),
    "alpha": ("alpha", number),
}
TRIED: dict[str, Column] = {
    "role": ("of", str),
    "family": ("family", str),
    "log_likelihood": ("log-likelihood", lambda value: f"{value:,.1f}"),
    "chosen": ("chosen", lambda chosen: "yes" if chosen else ""),
}
WORDS = {"sd": "standard deviation", "q10": "10 % below", "q50": "median", "q90": "10 % above"}
METHOD = (
    "Items differ as draws from the population [forest], [ratings]; its parameters maximise the likelihood of the "
    "counts, with a weak prior for the Dirichlet unless maximum likelihood was asked for.",
    "Mean absolute bias sees only the mean share of each category. So the spread of items is checked too, against "
    "data sets simulated from the population: the distribution of an item figure, and the correlation of two "
    "answers to the same item. A tail is the share of simulated data sets that look at least as far off.",
)


def page(result: Fit, command: str = "") -> Page:
    """Return the page of a fit.

    Examples
    --------
    >>> from quorate import fit
    >>> page(fit("example:support")).facts[0]
    ('verdict', 'fits')
    """
    content = result.content()
    drawn = [*([_shares(result)] if result.expected is not None else []), _spread(result)]
    tried = rows_table("Log-likelihoods", content["alternatives"], TRIED)
    return assemble(
        result,
        facts=[
            ("verdict", result.verdict.replace("_", " ")),
            ("items", integer(result.ratings.n_items)),
            ("responses", integer(result.ratings.n_responses)),
            ("mean absolute bias", number(result.mab)),
        ],
        sections=[
            Section("Does it look like the data?", plots=drawn),
            Section("The check in numbers", tables=[_checks(result)]),
            Section("What else was tried", tables=[tried] if tried.rows else []),
            Section("The population", text=parameters(content["population"])),
        ],
        method=METHOD,
        command=command,
    )


def _shares(result: Fit) -> Plot:
    rows = result.to_frame().to_dicts()
    told = ", ".join(f"{row['category']} {number(row['observed'])} / {number(row['expected'])}" for row in rows[:12])
    alt = f"Bars of observed and expected share of each category: {told}."
    return draw(plots.fit(result), alt, rows_table("Observed and expected shares", rows, SHARES))


def _spread(result: Fit) -> Plot:
    s = result.spread
    alt = (
        f"Mean and middle 80 % of the {s.figure}: observed {number(s.observed['mean'])}, expected "
        f"{number(s.expected['mean'])}."
    )
    return draw(plots.fit_spread(result), alt, _checks(result))


def _checks(result: Fit) -> Table:
    s = result.spread
    rows = [
        (f"{s.figure}, {WORDS.get(key, key)}", number(s.observed[key]), number(s.expected[key]), "")
        for key in s.observed
    ]
    rows.append(
        ("correlation within items", number(s.correlation), number(s.expected_correlation), number(s.correlation_tail))
    )
    rows.append(("largest gap between distributions", number(s.gap), "", number(s.gap_tail)))
    return Table("Spread of items, data and population", ["figure", "observed", "expected", "tail"], rows)
