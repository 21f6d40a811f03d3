"""The purchases to choose from: the recommended, common ones, more of what is there, and nothing."""

from dataclasses import dataclass, replace

from quorate.planning.recommend import Recommendation
from quorate.planning.search import Search
from quorate.planning.sources.study_source import RATERS
from quorate.planning.study_size import StudySize

__all__ = ["PurchaseOption", "purchases"]

COMMON = (1, 3, 5, 10)
"""Numbers of raters per item that people buy by habit."""
NOTHING = StudySize(n_items=0, n_raters=0, responses=0, cost=0.0, power=0.0)


@dataclass(frozen=True)
class PurchaseOption:
    """One purchase to choose from.

    Parameters
    ----------
    name, size, cost
        What it is called, the study it leads to, and what it costs from here.
    inconclusive
        Chance that the study tells nobody apart.
    assumption
        What would break it.
    """

    name: str
    size: StudySize
    cost: float
    inconclusive: float
    assumption: str


def purchases(recommendation: Recommendation) -> tuple[PurchaseOption, ...]:
    """Return the recommended purchase, two common ones, and buying nothing; or the next purchases."""
    best, search = recommendation.best, recommendation.search
    if search.question.there is not None:
        return _next_purchases(search, *search.question.there)
    common = [size for size in recommendation.by_raters if size.n_raters in COMMON and size.n_raters != best.n_raters]
    return (
        _purchase("recommended", best, search),
        *(_purchase(f"{size.n_raters} per item", size, search) for size in common[:2]),
        PurchaseOption("buy nothing", NOTHING, 0.0, 1.0, "a decision is due: there is no evidence"),
    )


def _next_purchases(search: Search, n: int, k: int) -> tuple[PurchaseOption, ...]:
    """With N₀ × K₀ there already: more items, more raters on the same items, or nothing; the best first."""
    now, question = search.size(n, k), search.question
    nothing = replace(_purchase("buy nothing", now, search), cost=0.0, assumption="the true difference is smaller")
    chosen = [nothing]
    needed = search.fewest_items(k)
    if question.budget is not None:
        affordable = n + int(question.budget / question.cost(1, k) + 1e-9)
        needed = affordable if needed is None else min(needed, affordable)
    if needed is not None and needed > n:
        more = search.size(needed, k)
        chosen.append(replace(_purchase("more items", more, search), cost=more.cost - now.cost))
    raters = _more_raters(search, n, k)
    if raters is not None:
        chosen.append(
            replace(
                _purchase("more raters", search.size(n, raters), search), cost=n * (raters - k) * question.rating_price
            )
        )
    goal = question.wanted.power - 1e-9
    return tuple(sorted(chosen, key=lambda x: (x.size.power < goal, x.cost if x.size.power >= goal else -x.size.power)))


def _more_raters(search: Search, n: int, k: int) -> int | None:
    """The fewest raters per item with whom the items there are enough; None if that is too dear or not known."""
    for raters in (x for x in RATERS if x > k and search.source.knows(x)):
        extra = n * (raters - k) * search.question.rating_price
        if search.question.budget is not None and extra > search.question.budget:
            return None
        if search.met(n, raters):
            return raters
    return None


def _purchase(name: str, size: StudySize, search: Search) -> PurchaseOption:
    if size.n_raters == 1:
        breaks = "raters are careless: one per item shows no disagreement"
    elif search.question.item_price > 0:
        breaks = "items turn out cheaper: more of them would tell more"
    else:
        breaks = "items are easy to get: more of them would tell more"
    lost = search.lost(size.n_items, size.n_raters)
    return PurchaseOption(name, size, size.cost, max(1.0 - size.power - lost, 0.0), breaks)
