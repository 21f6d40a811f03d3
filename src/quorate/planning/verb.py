"""`plan`: how many items × raters must I buy to see a difference I care about, and what is the cheapest mix?"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from quorate._errors import InputError
from quorate.data.ratings import Ratings
from quorate.data.systems import Systems
from quorate.inference.units import unit_name
from quorate.metrics.metric import Variant
from quorate.planning.people import Staff
from quorate.planning.purchases import options
from quorate.planning.recommend import GRID_ITEMS, GRID_RATERS, Ask, Found, recommend
from quorate.planning.result import Planned
from quorate.planning.search import Prices, parse_goal
from quorate.planning.sources.choose import Question, Source, from_pilot, from_population
from quorate.planning.sources.pilot import Components, Pilot
from quorate.planning.staffing import Staffing
from quorate.planning.study_size import StudySize
from quorate.planning.words import say_plan
from quorate.populations.choice import NamedPopulation, as_population
from quorate.populations.population import Answers

__all__ = ["plan"]


def plan(
    population: "NamedPopulation | None" = None,
    *,
    pilot: tuple[Ratings, Systems] | None = None,
    systems: Sequence[str] | None = None,
    metric: str | Sequence[str] | None = None,
    difference: float | None = None,
    effect: float | None = None,
    goal: str | None = None,
    budget: float | None = None,
    items: int | Sequence[int] | None = None,
    raters: int | Sequence[int] | None = None,
    have: tuple[int, int] | None = None,
    min_items: int = 30,
    margin: float | None = None,
    score: float | None = None,
    systems_agree: float | None = None,
    at_raters: int = 5,
    answers: Answers | None = None,
    unit: str = "auto",
    pool: int | None = None,
    max_per_rater: int | None = None,
    rater_share: float | None = None,
    precision: float = 0.003,
    confidence: float = 0.95,
    item_price: float = 0.0,
    rating_price: float = 1.0,
    expert_price: float = 0.0,
    positive: str | None = None,
    variant: Variant = "default",
    seed: int = 0,
) -> Planned:
    """Recommend the cheapest number of items and raters that will settle the question.

    Parameters
    ----------
    population, pilot
        A population, or a pilot: ratings with the answers of (at least) two systems, as `read_systems` returns them.
    systems
        With a pilot: the two systems to plan for, the one expected to be better first.
    metric, difference, effect
        The metric (or several), and what must be seen: a difference in its units, or a perturbation ε.
    goal, budget, items, raters, have, min_items
        ``"power=.8"``, ``"width=.05"``, ``"p=.05"`` or, with a margin, ``"equivalence=.8"``; most that may be spent;
        sizes to look at; what is there already; the floor of items.
    margin, score, systems_agree, at_raters, answers
        No worse than this; A's own score; share of items on which the systems agree; raters at which the difference
        holds for metrics that move with their number; answers per item of each system (1 if not given).
    unit, pool, max_per_rater, rater_share
        Whether raters who come back count as random (``"auto"``: where a pilot shows it) or not (``"items"``); how
        many people can be asked (the pilot's number if not given), and how many items each; for a population, the share
        of the spread among the raters of an item that is the raters' own.
    precision, confidence, item_price, rating_price, expert_price, positive, variant, seed
        Wanted error of power; level; prices; positive category (the last of a population's); papers' habits; seed.

    Examples
    --------
    >>> found = plan("dices", difference=0.05)
    >>> found.best.n_raters, 0.8 <= found.best.power < 0.81
    (1, True)
    """
    ask = Ask(
        goal=parse_goal(goal),
        goal_given=goal is not None,
        prices=_prices(item_price, rating_price, expert_price),
        budget=budget,
        items=[items] if isinstance(items, int) else items,
        raters=[raters] if isinstance(raters, int) else raters,
        have=have,
        min_items=1 if variant == "paper" else min_items,
        margin=margin,
        confidence=confidence,
        precision=precision,
        paper=variant == "paper",
        seed=seed,
    )
    ask.check()
    names = [metric] if isinstance(metric, str) or metric is None else list(metric)
    if not names:
        raise InputError("--metric names none; leave it out for the default of the scale.")
    if systems is not None and pilot is None:
        raise InputError("--systems names two of a pilot's systems: give --from RATINGS and --with ANSWERS.")
    if len(names) > 1 and effect is None:
        raise InputError("Several metrics have different units: say --effect, which is the same for all.")
    world = None if population is None else as_population(population)
    staffing = Staffing(unit_name(unit), pool, max_per_rater, rater_share)
    found = []
    for name in names:
        question = Question(
            metric=name,
            difference=difference,
            effect=effect,
            margin=margin,
            score=score,
            systems_agree=systems_agree,
            at_raters=at_raters,
            answers=answers,
            positive=positive,
            variant=variant,
            seed=seed,
            staffing=staffing,
            raters=ask.raters,
        )
        question.check()
        if pilot is not None:
            source = from_pilot(pilot, systems, question)
        elif world is not None:
            source = from_population(world, question)
        else:
            raise InputError("Name a population, or give a pilot.")
        found.append((source, recommend(source, ask)))
    source, cheapest = min(found, key=lambda pair: pair[1].best.cost)
    settings = {
        "metrics": [each.metric.name for each, _ in found],
        "goal": f"{ask.goal.kind}={ask.goal.value:g}",
        "difference": difference,
        "effect": effect,
        "answers": source.answers,
        "margin": margin,
        "confidence": confidence,
        "min_items": ask.min_items,
        "prices": {"item": item_price, "rating": rating_price, "expert": expert_price},
        "budget": budget,
        "score": score,
        "systems_agree": systems_agree,
        "at_raters": at_raters,
        "have": None if have is None else list(have),
        "unit": unit,
        "pool": pool,
        "max_per_rater": max_per_rater,
        "rater_share": rater_share,
        "variant": variant,
    }
    by_metric = {each.metric.name: result.best for each, result in found} if len(found) > 1 else None
    return replace(_answer(source, cheapest, ask, by_metric), settings=settings, seed=seed)


def _prices(item: float, rating: float, expert: float) -> Prices:
    if not (min(item, rating, expert) >= 0 and 0 < item + rating < float("inf")):
        raise InputError("Prices must not be negative, and an item or a rating must cost something.")
    return Prices(item, rating, expert)


def _answer(source: Source, found: Found, ask: Ask, by_metric: dict[str, StudySize] | None) -> Planned:
    chosen, best = options(found, ask), found.best
    if ask.have is not None:
        best = replace(found.search.row(chosen[0].n_items, chosen[0].n_raters), cost=chosen[0].cost)

    def grid() -> tuple[StudySize, ...]:
        most = min(source.most_raters or max(GRID_RATERS), found.search.most_raters)
        sizes = [(n, k) for k in GRID_RATERS if k <= most for n in GRID_ITEMS]
        return tuple(found.search.row(n, k) for n, k in sizes if n <= found.search.most_items(k))

    return Planned(
        metric=source.metric.name,
        effect=source.effect,
        best=best,
        options=chosen,
        by_raters=found.by_raters,
        words=say_plan(source, replace(found, best=best), ask, chosen[0], by_metric),
        grid=found.grid,
        curve=_curve(found, best),
        by_metric=by_metric,
        by_pool=() if found.staff is None else found.staff.by_pool,
        people=None if found.staff is None else _people_report(source, found.staff, best),
        pilot=_doubts(source, found, best, ask),
        warnings=found.warnings,
        make_grid=grid,
    )


def _curve(found: Found, best: StudySize) -> tuple[tuple[int, float], ...]:
    """Power at a quarter to double the recommended number of items, as far as the people can do them."""
    most = max(found.search.most_items(best.n_raters), 2)
    sizes = sorted({min(max(2, round(best.n_items * share)), most) for share in (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)})
    return tuple((n, best.power if n == best.n_items else found.search.row(n, best.n_raters).power) for n in sizes)


def _people_report(source: Source, staff: Staff, best: StudySize) -> dict[str, Any]:
    model = source.raters
    limit = model.max_per_rater if model is not None else source.limits.max_per_rater if source.limits else None
    return {
        "pool": staff.asked,
        "used": staff.used,
        "max_per_rater": limit,
        "items_each": best.responses / min(staff.used, best.responses) if model is not None else best.n_items,
        "smallest_ever": staff.smallest_ever,
        "recruit": staff.recruit,
        "variance": None if model is None else asdict(model.parts),
        "rater_share": None if model is None else model.parts.rater_share,
    }


def _doubts(source: Source, found: Found, best: StudySize, ask: Ask) -> dict[str, Any] | None:
    """Say how far other pilots like this one would disagree."""
    if source.pilot is None:
        return None
    if source.pilot_raters is None or source.raters is None or found.staff is None:
        law = found.search.law(best.n_raters)
        se = law.standard_error(best.n_items) if law.raters_return else None
        return _pilot_report(source.pilot, best, ask, se)
    model = source.raters.with_pool(found.staff.used)
    parts, law = model.parts, model.law(best.n_raters)
    doubt = source.pilot_raters.doubt(law, best.n_items, ask.confidence, ask.margin, seed=ask.seed)
    return {
        "items": len(source.pilot.observed),
        "raters": source.pilot_raters.n_raters,
        "between": parts.item,
        "between_raters": parts.rater,
        "within": parts.rest,
        "best_raters": Components(parts.item, parts.rest).best_raters(ask.prices.item, ask.prices.rating),
        "items_low": doubt.items_low,
        "items_high": doubt.items_high,
        "assurance": doubt.assurance,
        "replay": None,
    }


def _pilot_report(pilot: Pilot, best: StudySize, ask: Ask, se: float | None) -> dict[str, Any]:
    """Bootstrap the pilot: which N others like it would recommend, and what this plan then promises.

    `se` is the standard error of the plan where items are drawn in groups; their share of it is taken as it is.
    """
    from scipy.special import ndtr, ndtri

    sds, sd = np.maximum(pilot.bootstrap_sds(best.n_raters), 1e-300), max(pilot.law(best.n_raters).sd, 1e-300)
    shift, z = pilot.difference + (ask.margin or 0.0), float(ndtri(0.5 + ask.confidence / 2))
    needed = np.maximum(best.n_items * (sds / sd) ** 2, ask.min_items)
    low, high = np.quantile(needed, [0.05, 0.95])
    errors = sds / np.sqrt(best.n_items) if se is None else se * sds / sd
    parts = pilot.components
    return {
        "items": len(pilot.observed),
        "between": None if parts is None else parts.between,
        "within": None if parts is None else parts.within,
        "best_raters": None if parts is None else parts.best_raters(ask.prices.item, ask.prices.rating),
        "items_low": int(np.ceil(low)),
        "items_high": int(np.ceil(high)),
        "assurance": float(ndtr(shift / errors - z).mean()),
        "replay": pilot.replay(best.n_items, best.n_raters, ask.confidence, ask.margin) if se is None else None,
    }
