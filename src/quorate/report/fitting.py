"""A fit's page and plots: which population, and whether it reproduces shares and spread."""

from quorate._text import number
from quorate.fitting.result import Fit
from quorate.report.page import Page, Plot, Section, assemble, draw, parameters
from quorate.report.style import BLUE, ORANGE, Chart, dots, figure, label, names_axis, tall, trace
from quorate.results.table import integer

METHOD = (
    "Items differ as draws from the population [forest], [ratings]; its parameters maximise the "
    "likelihood of the counts, with a weak prior for the Dirichlet unless maximum likelihood was "
    "asked for.",
    "Mean absolute bias sees only the mean share of each category. So the spread of items is "
    "checked too, against data sets simulated from the population: the distribution of an item "
    "figure, and the correlation of two answers to the same item. A tail is the share of "
    "simulated data sets that look at least as far off.",
)
MOST = 20
"""Categories that are drawn."""


def fit_page(result: Fit) -> Page:
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
    )


def _shares(result: Fit) -> list[Plot]:
    if result.expected is None:
        return []
    table = result.tables()["categories"]
    shares = ", ".join(f"{row[0]} {row[1]} / {row[2]}" for row in table.rows[:12])
    return [draw(fit(result), f"Bars of observed and expected share of each category: {shares}.", table)]


def _spread(result: Fit) -> Plot:
    spread = result.spread
    alt = (
        f"Mean and middle 80 % of the {spread.figure}: observed {number(spread.observed['mean'])}, expected "
        f"{number(spread.expected['mean'])}."
    )
    return draw(fit_spread(result), alt, result.tables()["spread"])


def fit(result: Fit) -> Chart:
    """Draw observed and expected share of each category; for continuous answers, how items spread."""
    if result.expected is None:
        return fit_spread(result)
    names = [str(name) for name in result.ratings.scale.categories[:MOST]]
    parts = (("observed", result.ratings.response_share, BLUE), ("expected", result.expected, ORANGE))
    bars = [
        trace(
            "bar",
            x=list(range(len(names))),
            y=[100 * float(share) for share in values[: len(names)]],
            name=name,
            marker={"color": colour, "pattern": {"shape": "/" if name == "expected" else "", "fillmode": "replace"}},
            hovertemplate="%{y:.1f} %",
        )
        for name, values, colour in parts
    ]
    return figure(
        bars,
        "Shares of the categories",
        x={"title": "category", "tickvals": list(range(len(names))), "ticktext": [label(n, 14) for n in names]},
        y={"title": f"share of {result.ratings.n_responses:,} responses (%)", "rangemode": "tozero"},
        barmode="group",
        showlegend=True,
    )


def fit_spread(result: Fit) -> Chart:
    """Draw how items spread: mean and middle 80 %, observed and expected."""
    spread = result.spread
    traces = []
    observed = ("observed", spread.observed, BLUE, "circle")
    expected = ("expected", spread.expected, ORANGE, "square")
    for row, (name, figures, colour, symbol) in enumerate((observed, expected)):
        mean, low, high = figures["mean"], figures["q10"], figures["q90"]
        words = [f"{name}: mean {mean:.3g}, 10 to 90 %: {low:.3g} to {high:.3g}"]
        traces.append(dots([(mean, low, high)], [row], words, name, colour, symbol))
    return figure(
        traces,
        "How items differ: mean, and the middle 80 %",
        x={"title": f"{spread.figure} of an item, {spread.n_items:,} items", "zeroline": False},
        y=names_axis(["observed", "expected"]),
        height=max(tall(2), 240),
        showlegend=False,
    )
