"""The page of a description: how much there is, how disputed it is, who rated what."""

from collections.abc import Mapping

from quorate._text import NUMBER, count, number, percent
from quorate.describing.verb import Description
from quorate.report import plots
from quorate.report.assemble import Column, assemble, draw, integer, rows_table
from quorate.report.page import Page, Plot, Section, Table
from quorate.report.plots.describing import disputes, shares
from quorate.report.plots.raters import mapped

__all__ = ["page"]

DISPUTED: dict[str, Column] = {
    "item": ("item", str),
    "disagreement": ("two raters differ", percent),
    "sd": ("sd", lambda sd: number(sd, 2)),
    "responses": ("responses", lambda said: _counted(said)),
}
HABITS: dict[str, Column] = {
    "rater": ("rater", str),
    "responses": ("responses", integer),
    "leaning": ("leaning", number),
    "leaning_error": ("± its error", number),
    "towards": ("towards", str),
    "agreement": ("same as others", percent),
    "correlation": ("correlation", lambda value: number(value, 2)),
    "usual": ("usual response", str),
    "usual_share": ("its share", percent),
}
GROUPS: dict[str, Column] = {
    "group": ("group", str),
    "raters": ("raters", integer),
    "responses": ("responses", integer),
    "leaning": ("leaning", number),
    "towards": ("towards", str),
    "agree_within": ("agree within", percent),
    "agree_across": ("agree across", percent),
}
METHOD = (
    "Krippendorff's alpha is 1 − observed / expected disagreement [krippendorff2018]; its interval comes from "
    "drawing items again. It says how far raters agree beyond chance, not whether they are right, and it does not "
    "cover other raters than those who answered.",
    "Disagreement of an item is the chance that two of its raters differ. The variance of responses is split into "
    "items, raters and the rest by the method of moments for unbalanced data [searle1992].",
)


def page(result: Description, command: str = "") -> Page:
    """Return the page of a description.

    Examples
    --------
    >>> from quorate import describe
    >>> page(describe("example:support")).facts[0]
    ('items', '120')
    """
    content = result.content()
    drawn = [_disputes(result), *([_shares(result)] if shares(result) else [])]
    disputed = rows_table("Items on which raters disagree most", content["disputed"], DISPUTED)
    map_ = _raters(result)
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("Disagreement and responses", plots=drawn),
            Section("Most disputed", tables=[disputed] if disputed.rows else []),
            Section(
                "How raters answer",
                plots=[_habits(result)] if mapped(result) else [],
                tables=_groups(result),
                text=_design(result),
            ),
            Section("Who rated what", plots=[] if map_ is None else [map_]),
        ],
        method=METHOD,
        command=command,
    )


def _counted(said: Mapping[str, int]) -> str:
    """Write responses with their counts, the first eight; one that is a number stands in quotation marks."""
    named = [(f"“{label}”" if NUMBER.fullmatch(str(label)) else label, n) for label, n in said.items()]
    return ", ".join(f"{n} × {label}" for label, n in named[:8])


def _facts(result: Description) -> list[tuple[str, str]]:
    ratings, alpha = result.ratings, result.content()["agreement"]
    return [
        ("items", integer(ratings.n_items)),
        ("raters", "unknown" if ratings.n_raters is None else integer(ratings.n_raters)),
        ("responses", integer(ratings.n_responses)),
        ("Krippendorff's alpha", number(alpha["alpha"], 2)),
        ("unanimous items", integer(result.unanimous_items)),
    ]


def _disputes(result: Description) -> Plot:
    bins, what = disputes(result)
    rows = [(f"{low:.3g} to {high:.3g}", f"{n:,}") for low, high, n in bins]
    alt = f"Histogram of {what}: " + "; ".join(f"{where}: {n}" for where, n in rows if n != "0") + "."
    return draw(plots.describe(result), alt, Table("Items by how disputed they are", [what, "items"], rows))


def _shares(result: Description) -> Plot:
    rows = [(name, percent(share)) for name, share in shares(result)]
    alt = "Bars of response shares: " + ", ".join(f"{name} {share}" for name, share in rows[:12]) + "."
    return draw(plots.describe_shares(result), alt, Table("Share of each response", ["response", "share"], rows))


def _habits(result: Description) -> Plot:
    rows = mapped(result)
    most = max(rows, key=lambda row: abs(row["leaning"]))
    alt = (
        f"Map of {count(len(rows), 'rater')} by how far they go along with the others and how far they lean; "
        f"{most['rater']} leans most, {number(most['leaning'])}."
    )
    return draw(plots.describe_habits(result), alt, rows_table("Raters beside the others", rows, HABITS))


def _groups(result: Description) -> list[Table]:
    found = result.content()["rater_groups"]
    return [rows_table(f"Raters by {column}", rows, GROUPS) for column, rows in found.items() if rows]


def _raters(result: Description) -> Plot | None:
    drawn, per_rater = plots.describe_raters(result), result.topology.items_per_rater
    if drawn is None or per_rater is None or result.ratings.raters is None:
        return None
    busy = sorted(zip(per_rater.tolist(), result.ratings.raters.to_list(), strict=True), key=lambda pair: -pair[0])
    rows = [{"rater": name, "items": n} for n, name in busy]
    numbers = rows_table("Items per rater", rows, {"rater": ("rater", str), "items": ("items", integer)})
    alt = (
        f"Map of {count(len(busy), 'rater')} by {count(result.ratings.n_items, 'item')}, coloured by response; "
        f"raters answered {busy[-1][0]:,} to {busy[0][0]:,} items."
    )
    return draw(drawn, alt, numbers)


def _design(result: Description) -> list[str]:
    parts = {key: value for key, value in result.content()["variance"].items() if value is not None}
    total = sum(parts.values())
    if not total:
        return []
    names = {"item": "items", "rater": "raters", "residual": "the rest"}
    said = ", ".join(f"{percent(value / total)} from {names.get(key, key)}" for key, value in parts.items())
    return [f"Of the variance of responses, {said}."]
