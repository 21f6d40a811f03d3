"""The page of an estimate: how good the systems are, by method, and what the votes were worth."""

from quorate._text import count, number
from quorate.estimating.result import CurveKind, Estimation
from quorate.estimating.words import curve_table
from quorate.report import plots
from quorate.report.assemble import assemble, draw
from quorate.report.page import Page, Plot, Section
from quorate.results.table import integer, interval

__all__ = ["page"]

METHOD = (
    "maven models the votes given the true labels, the ranks of the scores given labels and votes, and imputes "
    "the labels that no expert gave [maven]; by default its intervals use the full covariance of the win rates, which "
    "the paper leaves out, and the ranks have a say in the model of the votes [carmona2020]. gt uses the expert labels "
    "alone, mv the majority of the votes.",
    "The experts' items must be a random sample, or carry weights. The votes are “worth” as many more expert "
    "labels as would narrow the experts-only interval to the same width.",
)


def page(result: Estimation, command: str = "") -> Page:
    """Return the page of an estimate."""
    tables = result.tables()
    kinds: tuple[CurveKind, ...] = ("roc", "precision-recall") if result.curve_keys else ()
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("Estimates", plots=[_dots(result)]),
            Section("What to buy next", tables=[tables["next"]] if "next" in tables else []),
            Section("By group", plots=[_groups(result)] if tables["groups"].rows else []),
            Section("Curves", plots=[_curve(result, kind) for kind in kinds]),
            Section("All estimates", tables=[tables["estimates"]], text=result.notes()),
        ],
        method=METHOD,
        command=command,
    )


def _facts(result: Estimation) -> list[tuple[str, str]]:
    first, more = result.estimates[0], result.worth
    facts = [
        ("items", integer(result.n_items)),
        ("expert labels", integer(sum(result.n_experts))),
        (first.metric, number(first.value)),
        ("interval", interval(first.low, first.high)),
    ]
    return facts if more is None or more <= 0 else [*facts, ("votes worth", f"{more:,} expert labels")]


def _dots(result: Estimation) -> Plot:
    first = "; ".join(f"{row.metric} by {row.method} {number(row.value)}" for row in result.estimates[:6])
    alt = f"Dots with intervals of {count(len(result.estimates), 'estimate')}: {first}."
    return draw(plots.estimate(result), alt, result.tables()["overall"])


def _groups(result: Estimation) -> Plot:
    there = [part.group for part in result.groups if part.estimates]
    alt = f"Dots with intervals of the estimates within {count(len(there), 'group')}: {', '.join(there[:8])}."
    return draw(plots.estimate_groups(result), alt, result.tables()["groups"])


def _curve(result: Estimation, kind: CurveKind) -> Plot:
    method, system = result.curve_keys[0]
    table = curve_table(result, kind)
    at, value = table.rows[len(table.rows) // 2][:2]
    alt = f"{kind} curve of {system} by {method} with its band; at {at} it is {value}."
    return draw(plots.estimate_curve(result, kind), alt, table)
