"""`plan`: how many items × raters must I buy to see a difference I care about, and what is the cheapest mix?"""

from dataclasses import replace
from typing import Any

from quorate._question import asks
from quorate.planning.purchases import purchases
from quorate.planning.question import PlanQuestion
from quorate.planning.recommend import Recommendation, recommend
from quorate.planning.result import Planned
from quorate.planning.sources.choose import Ground, find_ground
from quorate.planning.study_size import StudySize
from quorate.planning.words import say_plan

__all__ = ["answer", "plan"]

CURVE = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Parts of the recommended number of items at which the power is told."""


def answer(question: PlanQuestion) -> Planned:
    """Recommend the cheapest number of items and raters that will settle the question.

    Examples
    --------
    >>> planned = plan("dices", difference=0.05)
    >>> planned.best.n_raters, 0.8 <= planned.best.power < 0.81
    (1, True)
    """
    ground = find_ground(question)
    each = [recommend(ground.source(metric), question) for metric in question.metrics]
    cheapest = min(each, key=lambda recommendation: recommendation.best.cost)
    by_metric = {one.search.source.metric.name: one.best for one in each}
    return _planned(question, ground, cheapest, by_metric)


plan = asks("plan", PlanQuestion, answer)


def _planned(
    question: PlanQuestion, ground: Ground, chosen: Recommendation, by_metric: dict[str, StudySize]
) -> Planned:
    search, source, choices, best = chosen.search, chosen.search.source, purchases(chosen), chosen.best
    if question.there is not None:
        best = replace(search.size(choices[0].size.n_items, choices[0].size.n_raters), cost=choices[0].cost)
    people = source.people.report(search, best)
    others = by_metric if len(by_metric) > 1 else None
    return Planned(
        metric=source.metric.name,
        effect=source.effect,
        goal=question.wanted,
        best=best,
        options=choices,
        by_raters=chosen.by_raters,
        words=say_plan(search, best, choices[0], people, others),
        grid=chosen.grid,
        curve=_curve(chosen, best),
        by_metric=others,
        people=people,
        pilot=source.doubt(search, best),
        search=search,
        seed=question.seed,
        settings=question.settings(**_resolved(question, ground, chosen), metric=list(by_metric)),
        warnings=(*ground.warnings, *chosen.warnings),
        load_report=ground.load_report,
        inputs=question.inputs(),
    )


def _resolved(question: PlanQuestion, ground: Ground, chosen: Recommendation) -> dict[str, Any]:
    """What was found for what was asked, or for what nobody asked."""
    return {
        **ground.settings,
        "goal": str(question.wanted),
        "answers": chosen.search.source.answers,
        "items": question.item_numbers,
        "raters": question.rater_numbers,
        "have": question.there,
        "min_items": question.floor,
    }


def _curve(chosen: Recommendation, best: StudySize) -> tuple[tuple[int, float], ...]:
    """Power at a quarter to double the recommended number of items, as far as the people can do them."""
    search, k = chosen.search, best.n_raters
    most = max(search.most_items(k), 2)
    items = sorted({min(max(2, round(best.n_items * share)), most) for share in CURVE})
    return tuple((n, best.power if n == best.n_items else search.size(n, k).power) for n in items)
