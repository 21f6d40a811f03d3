"""The purchases to choose from: the recommended, common ones, more of what is there, and nothing."""

from dataclasses import dataclass, replace

from quorate._errors import InputError
from quorate.planning.recommend import RATERS, Ask, Found
from quorate.planning.search import Plan
from quorate.planning.study_size import StudySize

__all__ = ["Option", "options"]

COMMON = (1, 3, 5, 10)
"""Numbers of raters per item that people buy by habit."""


@dataclass(frozen=True)
class Option:
    """One purchase to choose from: the study it leads to, what it costs from here, and what would break it."""

    name: str
    n_items: int
    n_raters: int
    responses: int
    cost: float
    power: float
    detectable: float | None
    inconclusive: float
    assumption: str


def options(found: Found, ask: Ask) -> tuple[Option, ...]:
    """Return the recommended purchase, two common ones, and buying nothing; or the next purchases."""
    if ask.have is not None:
        return next_purchases(found.search, ask)
    best, search = found.best, found.search
    chosen = [_option("recommended", best, search)]
    common = [row for row in found.by_raters if row.n_raters in COMMON and row.n_raters != best.n_raters]
    chosen += [_option(f"{row.n_raters} per item", row, search) for row in common[:2]]
    nothing = Option("buy nothing", 0, 0, 0, 0.0, 0.0, None, 1.0, "a decision is due: there is no evidence")
    return (*chosen, nothing)


def next_purchases(search: Plan, ask: Ask) -> tuple[Option, ...]:
    """With N₀ × K₀ there already: more items, more raters on the same items, or nothing; the best first."""
    assert ask.have is not None
    n, k = ask.have
    now = search.row(n, k)
    nothing = replace(_option("buy nothing", now, search), cost=0.0, assumption="the true difference is smaller")
    found = [nothing]
    needed = search.fewest_items(k)
    if ask.budget is not None:
        affordable = n + int(ask.budget / search.prices.cost(1, k) + 1e-9)
        needed = affordable if needed is None else min(needed, affordable)
    if needed is not None and needed > n:
        more = search.row(needed, k)
        found.append(replace(_option("more items", more, search), cost=more.cost - now.cost))
    for raters in (x for x in RATERS if x > k):
        extra = n * (raters - k) * search.prices.rating
        if ask.budget is not None and extra > ask.budget:
            break
        try:
            enough = search.met(n, raters)
        except InputError:  # a pilot may not know so many raters
            break
        if enough:
            found.append(replace(_option("more raters", search.row(n, raters), search), cost=extra))
            break
    goal = ask.goal.power
    return tuple(sorted(found, key=lambda x: (x.power < goal - 1e-9, x.cost if x.power >= goal - 1e-9 else -x.power)))


def _option(name: str, row: StudySize, search: Plan) -> Option:
    if row.n_raters == 1:
        breaks = "raters are careless: one per item shows no disagreement"
    elif search.prices.item > 0:
        breaks = "items turn out cheaper: more of them would tell more"
    else:
        breaks = "items are easy to get: more of them would tell more"
    lost = search.lost(row.n_items, row.n_raters)
    return Option(
        name,
        row.n_items,
        row.n_raters,
        row.responses,
        row.cost,
        row.power,
        row.detectable,
        max(1.0 - row.power - lost, 0.0),
        breaks,
    )
