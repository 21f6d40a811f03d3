"""The page of a plan: what to buy, what else could be bought, and what each size promises."""

from typing import Any

from quorate._text import count, number, percent
from quorate.planning.result import Planned
from quorate.planning.words import asked_for, money
from quorate.report import plots
from quorate.report.assemble import Column, assemble, draw, integer, rows_table
from quorate.report.page import Page, Plot, Section, Table

__all__ = ["page"]

OPTIONS: dict[str, Column] = {
    "name": ("purchase", str),
    "n_items": ("items", integer),
    "n_raters": ("raters each", integer),
    "responses": ("ratings", integer),
    "cost": ("cost", money),
    "power": ("power", percent),
    "inconclusive": ("ends open", percent),
    "detectable": ("smallest seen", number),
    "assumption": ("breaks if", str),
}
SIZES: dict[str, Column] = {
    "metric": ("metric", str),
    "n_raters": ("raters each", integer),
    "n_items": ("items", integer),
    "responses": ("ratings", integer),
    "cost": ("cost", money),
    "power": ("power", percent),
    "expected_p": ("expected p", number),
    "ci_width": ("interval width", number),
    "detectable": ("smallest seen", number),
}
PEOPLE: dict[str, Column] = {
    "pool": ("people", integer),
    "items_each": ("items each", lambda each: number(each, 1)),
    "n_items": ("items", integer),
    "power": ("power", percent),
    "expected_p": ("expected p", number),
    "detectable": ("smallest seen", number),
    "smallest_ever": ("smallest ever", number),
    "items_needed": ("items needed", integer),
}
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
    """Return the page of a plan.

    Examples
    --------
    >>> from quorate import plan
    >>> page(plan("dices", difference=0.05)).facts[0]
    ('items', '1,366')
    """
    content = result.content()
    drawn = [
        *([_cost(result)] if len(result.by_raters) > 1 else []),
        *([_power(result)] if len(result.curve) > 1 else []),
    ]
    sizes = [_sizes(result)] if result.to_frame().height > 1 else []
    purchases = rows_table("Purchases to choose from, the recommended one first", content["options"], OPTIONS, strong=0)
    metrics = [{"metric": name, **row} for name, row in (content["by_metric"] or {}).items()]
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("What the choice costs" if len(drawn) > 1 else "What more items would do", plots=drawn),
            Section("What to buy", tables=[purchases], text=_pilot(result)),
            Section(
                "By metric", tables=[rows_table("The cheapest study of each metric", metrics, SIZES)] if metrics else []
            ),
            Section("How many people", plots=[_people(result)] if result.by_pool else []),
            Section("Other sizes", plots=sizes),
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
    rows = result.content()["by_raters"]
    at = next((i for i, row in enumerate(rows) if row["n_raters"] == result.best.n_raters), None)
    best = result.best
    alt = (
        f"Line of what the cheapest sufficient study costs by raters per item, {rows[0]['n_raters']} to "
        f"{rows[-1]['n_raters']}; the recommended one, {count(best.n_raters, 'rater')}, costs {money(best.cost)}."
    )
    return draw(plots.plan(result), alt, rows_table("The cheapest study by raters per item", rows, SIZES, strong=at))


def _power(result: Planned) -> Plot:
    points = ", ".join(f"{percent(power)} with {n:,}" for n, power in result.curve)
    rows = [(f"{n:,}", percent(power)) for n, power in result.curve]
    numbers = Table(f"Power with {count(result.best.n_raters, 'rater')} per item", ["items", "power"], rows)
    return draw(plots.plan_power(result), f"Line of power by number of items: {points} items.", numbers)


def _sizes(result: Planned) -> Plot:
    rows: list[dict[str, Any]] = result.to_frame().drop("metric").to_dicts()
    alt = f"Map of power over items and raters per item, {len(rows)} sizes; a line parts those that meet the goal."
    return draw(plots.plan_sizes(result), alt, rows_table("Power by size of study", rows, SIZES))


def _people(result: Planned) -> Plot:
    rows = result.content()["by_pool"]
    alt = (
        f"Line of power by number of people who share the work: {percent(rows[0]['power'])} with {rows[0]['pool']:,}, "
        f"{percent(rows[-1]['power'])} with {rows[-1]['pool']:,}."
    )
    return draw(plots.plan_people(result), alt, rows_table("The recommended study by number of people", rows, PEOPLE))


def _pilot(result: Planned) -> list[str]:
    if result.pilot is None:
        return []
    p = result.pilot
    words = [
        f"A pilot is only a sample: other pilots like this one ({p['items']:,} items) would {asked_for(p)} "
        f"(5 to 95 %). Counting that, power is {percent(p['assurance'])}."
    ]
    parts = {"items": "between", "raters": "between_raters", "single answers": "within"}
    known = [f"{name} {number(p[key], 4)}" for name, key in parts.items() if p.get(key) is not None]
    return [*words, f"Where the difference varies (variance): {', '.join(known)}."] if known else words
