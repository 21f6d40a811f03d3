"""The page of an estimate: how good the systems are, by method, and what the votes were worth."""

from typing import Any

from quorate._text import count, number
from quorate.estimating.purchase import Purchase
from quorate.estimating.result import Curve, Estimation
from quorate.report import plots
from quorate.report.assemble import Column, assemble, draw, integer, interval, rows_table
from quorate.report.page import Page, Plot, Section, Table
from quorate.report.plots.estimating import curve_keys

__all__ = ["page"]

ROWS: dict[str, Column] = {
    "group": ("group", str),
    "system": ("system", str),
    "metric": ("metric", str),
    "method": ("method", str),
    "value": ("value", number),
    "interval": ("interval", str),
}
POINTS: dict[str, Column] = {
    "x": ("at", lambda x: number(x, 2)),
    "value": ("value", number),
    "low": ("low", number),
    "high": ("high", number),
}
METHOD = (
    "maven models the votes given the true labels, the ranks of the scores given labels and votes, and imputes "
    "the labels that no expert gave [maven]; by default its intervals use the full covariance of the win rates, which "
    "the paper leaves out, and the ranks have a say in the model of the votes [carmona2020]. gt uses the expert labels "
    "alone, mv the majority of the votes.",
    "The experts' items must be a random sample, or carry weights. The votes are “worth” as many more expert "
    "labels as would narrow the experts-only interval to the same width.",
)


def page(result: Estimation, command: str = "") -> Page:
    """Return the page of an estimate.

    Examples
    --------
    >>> from quorate import estimate
    >>> files = ("example:moderation", "example:moderation-experts", "example:moderation-scores")
    >>> page(estimate(*files, metric=["auc"], draws=50)).facts[0]
    ('items', '600')
    """
    kinds: tuple[Curve, ...] = ("roc", "precision-recall") if curve_keys(result) else ()
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("Estimates", plots=[_dots(result)]),
            Section("What to buy next", tables=[_next(result.following)] if result.following else []),
            Section("By group", plots=[_groups(result)] if any(part.estimates for part in result.groups) else []),
            Section("Curves", plots=[_curve(result, kind) for kind in kinds]),
            Section("All estimates", tables=[_table(result)], text=_trust(result)),
        ],
        method=METHOD,
        command=command,
    )


def _facts(result: Estimation) -> list[tuple[str, str]]:
    first, more = result.estimates[0], result.worth
    found = [
        ("items", integer(result.n_items)),
        ("expert labels", integer(sum(result.n_experts))),
        (first.metric, number(first.value)),
        ("interval", interval(first.low, first.high)),
    ]
    return found if more is None or more <= 0 else [*found, ("votes worth", f"{more:,} expert labels")]


def _table(result: Estimation) -> Table:
    """Return every estimate; the name of a single system stands above, not in each row."""
    rows = _rows(result)
    systems = list(dict.fromkeys(row["system"] for row in rows))
    single = len(systems) == 1
    caption = f"Value and interval by method, {systems[0]}" if single and systems[0] else "Value and interval by method"
    return rows_table(caption, rows, {key: column for key, column in ROWS.items() if key != "system" or not single})


def _rows(result: Estimation) -> list[dict[str, Any]]:
    rows = [{**row, "interval": interval(row["low"], row["high"])} for row in result.to_frame().to_dicts()]
    return [{**row, "group": row.get("group") or "all items"} for row in rows] if result.groups else rows


def _next(bought: Purchase) -> Table:
    """Return what narrows the first interval to the target: labels alone, votes alone, the cheapest mix."""
    rows = [
        ("more expert labels alone", _about(bought.experts), "–", "–"),
        ("more votes alone", "–", _about(bought.votes), "–"),
    ]
    if bought.mix is not None:
        rows.append(("the cheapest of both", _about(bought.mix[0]), _about(bought.mix[1]), _about(bought.cost)))
    now, then = number(bought.width), number(bought.target)
    caption = f"About what it takes to narrow the interval of {bought.metric} from {now} to {then}"
    return Table(caption, ("purchase", "expert labels", "votes per item", "cost"), rows)


def _about(amount: float | None) -> str:
    """Write a number to two figures: more of them would promise too much."""
    return "never enough" if amount is None else f"{float(f'{amount:.2g}'):,g}"


def _groups(result: Estimation) -> Plot:
    there = [part.group for part in result.groups if part.estimates]
    alt = f"Dots with intervals of the estimates within {count(len(there), 'group')}: {', '.join(there[:8])}."
    rows = _rows(result)[len(result.estimates) :]
    return draw(plots.estimate_groups(result), alt, rows_table("Estimates by group", rows, ROWS))


def _dots(result: Estimation) -> Plot:
    rows = [{**vars(row), "interval": interval(row.low, row.high)} for row in result.estimates]
    told = "; ".join(f"{row['metric']} by {row['method']} {number(row['value'])}" for row in rows[:6])
    alt = f"Dots with intervals of {count(len(rows), 'estimate')}: {told}."
    return draw(plots.estimate(result), alt, rows_table("Estimates", rows, ROWS))


def _curve(result: Estimation, kind: Curve) -> Plot:
    method, system = curve_keys(result)[0]
    rows = result.curve(kind, system=system, method=method, points=21).fill_nan(None).to_dicts()
    middle = rows[len(rows) // 2]
    at, value = number(middle["x"], 2), number(middle["value"])
    alt = f"{kind} curve of {system} by {method} with its band; at {at} it is {value}."
    return draw(plots.estimate_curve(result, kind), alt, rows_table(f"{kind} curve by {method}", rows, POINTS))


def _trust(result: Estimation) -> list[str]:
    said = [f"{group.group}: {group.reason}" for group in result.groups if group.reason]
    if result.voters is not None:
        v = result.voters
        said.append(
            f"Voters find {number(v['tpr'])} of the positive items ({interval(v['tpr_low'], v['tpr_high'])}) and "
            f"{number(v['tnr'])} of the negative ones ({interval(v['tnr_low'], v['tnr_high'])})."
        )
    if result.diagnostics is not None:
        d = result.diagnostics
        said.append(f"Sampling: {d['verdict']}, effective sample size {d['ess']:,.0f}.")
    return said
