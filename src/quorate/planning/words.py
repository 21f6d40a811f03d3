"""How a plan is said: what to buy, what it promises on which assumption, why so many raters, how far people reach."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from quorate._text import count, number, percent
from quorate.planning.people import Staff
from quorate.planning.purchases import Option
from quorate.planning.recommend import Ask, Found
from quorate.planning.search import Prices
from quorate.planning.sources.choose import Source
from quorate.planning.study_size import StudySize

__all__ = ["asked_for", "finite", "money", "say_plan"]

WORTH_IT = 0.8
"""More people are worth a word if they bring the items down to this part."""
NEGLIGIBLE = 0.2
"""A smallest difference ever seen below this part of the one asked for is not worth a word."""


def say_plan(source: Source, found: Found, ask: Ask, option: Option, by_metric: Mapping[str, StudySize] | None) -> str:
    """Say the plan: what to buy, what it shows with which chance, on which assumption, and why so many raters."""
    best = found.best
    bought = _purchase(best, option, ask) + _crew(source, found.staff, best)
    start = f"{bought}: {_promise(source, best, ask)}, {source.explained}."
    if by_metric:
        rest = ", ".join(name for name in by_metric if name != source.metric.name)
        alike = max(row.cost for row in by_metric.values()) <= 1.01 * best.cost
        start += f" {source.metric.name} needs {'as much as' if alike else 'least, compared with'} {rest}."
    return " ".join([start, _why(source, best, ask), *_reach(source, found.staff, best)])


def _crew(source: Source, staff: Staff | None, best: StudySize) -> str:
    if staff is None:
        return ""
    if source.limits is not None:
        return f", {best.n_raters} of {count(staff.used, 'person', 'people')} rating all items"
    each = best.responses / min(staff.used, best.responses)
    return f", from {count(staff.used, 'person', 'people')} with about {count(max(round(each), 1), 'item')} each"


def _reach(source: Source, staff: Staff | None, best: StudySize) -> list[str]:
    """Say how far the people reach, and how many would be enough."""
    if staff is None:
        return []
    limit = None if source.raters is None else source.raters.max_per_rater
    most = "however many items you buy" if limit is None else f"with at most {count(limit, 'item')} each"
    ever = number(finite(staff.smallest_ever))
    found = f"With {staff.asked:,} people the smallest difference you can ever see is {ever}, {most}"
    if staff.used > staff.asked:
        return [f"{found}: recruit {staff.used:,}."]
    if staff.smallest_ever < NEGLIGIBLE * best.difference:
        return ["Raters differ little from each other here: more people mostly make the test surer of that."]
    fewer = next((row.items_needed for row in staff.by_pool if row.pool == staff.recruit), None)
    if staff.recruit > staff.asked and fewer is not None and fewer <= WORTH_IT * best.n_items:
        return [f"{found}; with {staff.recruit:,} people {count(fewer, 'item')} would do."]
    return [f"{found}."]


def _purchase(best: StudySize, option: Option, ask: Ask) -> str:
    if ask.have is not None:
        return _next_purchase(best, option, ask.have)
    fixed = ask.items is not None and ask.raters is not None and len(ask.items) == len(ask.raters) == 1
    size = f"{count(best.n_items, 'item')} with {_raters(best.n_raters)} each"
    size += "" if best.n_raters == 1 else f", {best.responses:,} ratings in all"
    price = "" if ask.prices == Prices() else f", for {money(best.cost)}"
    return f"{size}{price}" if fixed else f"Buy {size}{price}"


def _next_purchase(best: StudySize, option: Option, have: tuple[int, int]) -> str:
    there = f"{count(have[0], 'item')} with {_raters(have[1])} each"
    if option.name == "buy nothing":
        return (
            f"Buy nothing, the {there} are enough" if best.power > 0.5 else f"Nothing is worth buying for the {there}"
        )
    if option.name == "more items":
        added = f"{count(best.n_items - have[0], 'more item')} with {_raters(have[1])} each"
    else:
        added = f"{count(best.n_raters - have[1], 'more rater')} for each of the {count(have[0], 'item')}"
    return f"To the {there} add {added}, for {money(option.cost)}, and decide that number now"


def _promise(source: Source, best: StudySize, ask: Ask) -> str:
    title, chance = source.metric.title, f"with {percent(best.power)} chance"
    if ask.goal.kind == "equivalence":
        return f"this shows {chance} that the systems differ by less than {number(ask.margin)} in {title}"
    if ask.margin is not None:
        return f"this rules out {chance} that system A is worse by {number(ask.margin)} or more in {title}"
    seen = f"a difference of {number(best.difference)} in {title}"
    if ask.goal.kind == "width":
        return f"the interval for {seen} is about {number(best.ci_width)} wide, and it is seen {chance}"
    if ask.goal.kind == "p":
        return f"{seen} has an expected p of {number(best.expected_p)}, and a test of one study sees it {chance}"
    return f"{seen} is seen {chance} (two-sided test, {percent(ask.confidence)} confidence)"


def _why(source: Source, best: StudySize, ask: Ask) -> str:
    """Say why this number of raters."""
    if ask.raters is not None and len(ask.raters) == 1:
        least = number(finite(best.detectable))
        return f"With {percent(ask.goal.power)} chance this size sees differences from {least} up."
    if best.n_raters == 1:
        return "One rater per item, because a new item tells more than a second opinion on an old one."
    if ask.have is not None:
        return "Looking first and buying more afterwards would break the error rate."
    if ask.prices.item > 0:
        return "More than one rater per item pays here, because items cost money too."
    if best.n_items <= ask.min_items:
        return f"More than one rater only because fewer than {count(ask.min_items, 'item')} are not trusted."
    if (source.raters is not None or source.crossed) and source.metric.linear and source.answers != "raters":
        return "More than one rater per item pays here: with so few people it tells their leanings from the items'."
    if source.metric.linear and source.answers != "raters":
        return "More than one rater only because the numbers of items were given: a new item would tell more."
    if source.answers == "raters":
        return "More raters per item pay here, because the systems answer as often as the raters, free of charge."
    return f"More raters per item pay here, because {source.metric.title} reads an item's whole panel."


def _raters(n: int) -> str:
    return "one rater" if n == 1 else count(n, "rater")


def asked_for(pilot: Mapping[str, Any]) -> str:
    """Say how many items other pilots would ask for; None means that no number would be enough.

    Examples
    --------
    >>> asked_for({"items_low": 646, "items_high": 1013}), asked_for({"items_low": 986, "items_high": None})
    ('ask for 646 to 1,013 items', 'ask for 986 items or more, or find no number enough')
    """
    low, high = pilot["items_low"], pilot["items_high"]
    if low is None:
        return "find no number of items enough"
    more = "items or more, or find no number enough" if high is None else f"to {high:,} items"
    return f"ask for {low:,} {more}"


def money(cost: float) -> str:
    """Write a price, cents only where they matter.

    Examples
    --------
    >>> money(1234.4), money(2.5)
    ('1,234', '2.50')
    """
    return f"{cost:,.0f}" if cost >= 100 or cost == int(cost) else f"{cost:,.2f}"


def finite(value: float) -> float | None:
    """Return a number that can be shown, or None.

    Examples
    --------
    >>> finite(0.5), finite(float("nan"))
    (0.5, None)
    """
    return value if isfinite(value) else None
