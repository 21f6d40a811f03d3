"""The page of a description: how much there is, how disputed it is, who rated what."""

from math import isnan

from quorate._text import count, number
from quorate.describing.result import Description
from quorate.report import plots
from quorate.report.assemble import assemble, draw
from quorate.report.page import Page, Plot, Section
from quorate.report.plots.describing import placed
from quorate.results.table import integer

__all__ = ["page"]

METHOD = (
    "Krippendorff's alpha is 1 − observed / expected disagreement [krippendorff2018]; its interval comes from "
    "drawing items again. It says how far raters agree beyond chance, not whether they are right, and it does not "
    "cover other raters than those who answered.",
    "Disagreement of an item is the chance that two of its raters differ. The variance of responses is split into "
    "items, raters and the rest by the method of moments for unbalanced data [searle1992].",
)


def page(result: Description, command: str = "") -> Page:
    """Return the page of a description."""
    tables, scattered = result.tables(), placed(result)
    responses = [_responses(result)] if result.shares else []
    groups = [table for name, table in tables.items() if name.startswith("raters by ")]
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("Disagreement and responses", plots=[_disputes(result), *responses]),
            Section("Most disputed", tables=[tables["disputed"]]),
            Section("How raters answer", plots=[_habits(result)] if scattered else [], tables=groups),
            Section("Who rated what", plots=_map(result), tables=[tables["facts"]]),
        ],
        method=METHOD,
        command=command,
    )


def _facts(result: Description) -> list[tuple[str, str]]:
    ratings, alpha = result.ratings, result.agreement
    return [
        ("items", integer(ratings.n_items)),
        ("raters", "unknown" if ratings.n_raters is None else integer(ratings.n_raters)),
        ("responses", integer(ratings.n_responses)),
        ("Krippendorff's alpha", number(None if isnan(alpha.value) else alpha.value, 2)),
        ("unanimous items", integer(result.unanimous_items)),
    ]


def _disputes(result: Description) -> Plot:
    table = result.tables()["disputes"]
    counted = "; ".join(f"{where}: {n}" for where, n in table.rows if n != "0")
    return draw(plots.describe(result), f"Histogram of how disputed the items are: {counted}.", table)


def _responses(result: Description) -> Plot:
    table = result.tables()["responses"]
    shares = ", ".join(f"{name} {share}" for name, share in table.rows)
    return draw(plots.describe_shares(result), f"Bars of response shares: {shares}.", table)


def _habits(result: Description) -> Plot:
    rows = placed(result)
    most = max(rows, key=lambda row: abs(row["leaning"]))
    alt = (
        f"Map of {count(len(rows), 'rater')} by how far they go along with the others and how far they lean; "
        f"{most['rater']} leans most, {number(most['leaning'])}."
    )
    return draw(plots.describe_habits(result), alt, result.tables()["all raters"])


def _map(result: Description) -> list[Plot]:
    figure, table = plots.describe_raters(result), result.tables()["items per rater"]
    if figure is None:
        return []
    alt = (
        f"Map of {count(len(table.rows), 'rater')} by {count(result.ratings.n_items, 'item')}, coloured by response; "
        f"raters answered {table.rows[-1][1]} to {table.rows[0][1]} items."
    )
    return [draw(figure, alt, table)]
