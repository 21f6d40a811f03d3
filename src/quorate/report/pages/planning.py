"""The page of a plan: what to buy, what else could be bought, and what each size promises."""

from quorate._text import count, number, percent
from quorate.planning.result import Planned
from quorate.planning.words import items_asked_for, money
from quorate.report import plots
from quorate.report.assemble import assemble, draw
from quorate.report.page import Page, Plot, Section
from quorate.results.table import integer

__all__ = ["page"]

METHOD = (
    "Power is the chance that the two-sided test of one study calls the better system better. It is worked out "
    "from the law of one item's difference at each number of raters, for every number of items at once [forest], "
    "[ratings], [guenther1981]; the cheapest size that reaches the goal is recommended.",
    "Expected p is the papers' quantity, the mean one-sided p over studies [forest]: it is no promise for one "
    "study and only stands beside power. “Smallest seen” is the smallest difference that a size shows with the "
    "wanted chance, “ends open” the chance that a study tells nobody apart.",
    "Decide the number now: buying more after a look raises the error rate.",
)


def page(result: Planned, command: str = "") -> Page:
    """Return the page of a plan."""
    tables = result.tables()
    curves = [
        *([_cost(result)] if len(result.by_raters) > 1 else []),
        *([_power(result)] if len(result.curve) > 1 else []),
    ]
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("What the choice costs" if len(curves) > 1 else "What more items would do", plots=curves),
            Section("What to buy", tables=[tables["purchases"]], text=_pilot(result)),
            Section("By metric", tables=[tables["metrics"]] if "metrics" in tables else []),
            Section("How many people", plots=[_people(result)] if result.by_pool else []),
            Section("Other sizes", plots=[_sizes(result)] if len(result.sizes) > 1 else []),
        ],
        method=METHOD,
        command=command,
    )


def _facts(result: Planned) -> list[tuple[str, str]]:
    best = result.best
    price = [] if best.cost == best.responses else [("cost", money(best.cost))]
    return [
        ("items", integer(best.n_items)),
        ("raters per item", integer(best.n_raters)),
        ("ratings", integer(best.responses)),
        *price,
        ("power", percent(best.power)),
        ("difference", number(best.difference)),
    ]


def _cost(result: Planned) -> Plot:
    sizes, best = result.by_raters, result.best
    alt = (
        f"Line of what the cheapest sufficient study costs by raters per item, {sizes[0].n_raters} to "
        f"{sizes[-1].n_raters}; the recommended one, {count(best.n_raters, 'rater')}, costs {money(best.cost)}."
    )
    return draw(plots.plan(result), alt, result.tables()["all raters"])


def _power(result: Planned) -> Plot:
    points = ", ".join(f"{percent(power)} with {n:,}" for n, power in result.curve)
    return draw(
        plots.plan_power(result), f"Line of power by number of items: {points} items.", result.tables()["curve"]
    )


def _sizes(result: Planned) -> Plot:
    size = f"{len(result.sizes)} sizes"
    alt = f"Map of power over items and raters per item, {size}; a line parts those that meet the goal."
    return draw(plots.plan_sizes(result), alt, result.sizes_table())


def _people(result: Planned) -> Plot:
    fewest, most = result.by_pool[0], result.by_pool[-1]
    alt = (
        f"Line of power by number of people who share the work: {percent(fewest.size.power)} with {fewest.pool:,}, "
        f"{percent(most.size.power)} with {most.pool:,}."
    )
    return draw(plots.plan_people(result), alt, result.tables()["people"])


def _pilot(result: Planned) -> list[str]:
    if result.pilot is None:
        return []
    pilot = result.pilot
    doubt = (
        f"A pilot is only a sample: other pilots like this one ({pilot['items']:,} items) would "
        f"{items_asked_for(pilot)} (5 to 95 %). Counting that, power is {percent(pilot['assurance'])}."
    )
    parts = {"items": "between", "raters": "between_raters", "single answers": "within"}
    variances = [f"{name} {number(pilot[key], 4)}" for name, key in parts.items() if pilot.get(key) is not None]
    return [doubt, f"Where the difference varies (variance): {', '.join(variances)}."] if variances else [doubt]
