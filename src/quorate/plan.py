"""`plan`: how many items × raters must I buy to see a difference I care about, and what is the cheapest mix?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from quorate._errors import InputError
from quorate._text import number, percent
from quorate.data.ratings import Ratings
from quorate.data.systems import Systems
from quorate.metrics.metric import Metric
from quorate.metrics.registry import default_metric, find_metric
from quorate.planned import Option, Planned, purchase_words
from quorate.planning.brute import simulated_power
from quorate.planning.effects import agreement_weight, solve_effect, solve_score
from quorate.planning.item_law import ItemLaw
from quorate.planning.pilot import Pilot
from quorate.planning.search import Goal, Plan, Prices, Row, parse_goal
from quorate.planning.worlds import Setting, item_law
from quorate.populations.choose import NamedPopulation, as_population
from quorate.populations.draw import Answers, Population

__all__ = ["plan"]

RATERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 50)
"""Raters per item that are tried unless the user names others."""
COARSE = 0.004
"""First Monte-Carlo error of the mean, in sds: enough to tell which numbers of raters are worth a closer look."""
CLOSE = 1.15
"""Numbers of raters whose cost comes this close to the cheapest are looked at again, with smaller error."""


def plan(
    population: NamedPopulation | None = None,
    *,
    pilot: tuple[Ratings, Systems] | None = None,
    systems: Sequence[str] | None = None,
    metric: str | Sequence[str] | None = None,
    difference: float | None = None,
    effect: float | None = None,
    goal: str | None = None,
    budget: float | None = None,
    items: Sequence[int] | None = None,
    raters: Sequence[int] | None = None,
    have: tuple[int, int] | None = None,
    min_items: int = 30,
    margin: float | None = None,
    score: float | None = None,
    systems_agree: float | None = None,
    at_raters: int = 5,
    answers: Answers = 1,
    precision: float = 0.003,
    confidence: float = 0.95,
    item_price: float = 0.0,
    rating_price: float = 1.0,
    expert_price: float = 0.0,
    positive: int | None = None,
    variant: str = "default",
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
        ``"power=.8"``, ``"width=.05"`` or ``"p=.05"``; most that may be spent; sizes to look at; what is there
        already; the floor of items.
    margin, score, systems_agree, at_raters, answers
        No worse than this; A's own score; share of items on which the systems agree; raters at which the difference
        holds for metrics that move with their number; answers per item of each system.
    precision, confidence, item_price, rating_price, expert_price, positive, variant, seed
        Wanted error of power; level; prices; positive category; papers' habits; seed.

    Examples
    --------
    >>> found = plan("dices", difference=0.05)
    >>> found.best.n_raters, 0.8 <= found.best.power < 0.81
    (1, True)
    """
    ask = _Ask(
        goal=parse_goal(goal),
        goal_given=goal is not None,
        prices=_prices(item_price, rating_price, expert_price),
        budget=budget,
        items=items,
        raters=raters,
        have=have,
        min_items=1 if variant == "paper" else min_items,
        margin=margin,
        confidence=confidence,
        precision=precision,
        seed=seed,
    )
    ask.check()
    names = [metric] if isinstance(metric, str) or metric is None else list(metric)
    if difference is not None and effect is not None:
        raise InputError("Give --difference or --effect, not both.")
    if len(names) > 1 and effect is None:
        raise InputError("Several metrics have different units: say --effect, which is the same for all.")
    world = None if population is None else as_population(population)
    studies = []
    for name in names:
        if pilot is not None:
            source: _Source = _from_pilot(pilot, systems, name, difference, positive, variant, seed)
        elif world is not None:
            source = _from_population(
                world,
                name,
                difference,
                effect,
                margin,
                score,
                systems_agree,
                at_raters,
                answers,
                positive,
                variant,
                seed,
            )
        else:
            raise InputError("Name a population, or give a pilot.")
        studies.append((source, _search(source, ask)))
    source, found = min(studies, key=lambda x: x[1].best.cost)
    settings = {
        "metrics": [each.metric.name for each, _ in studies],
        "goal": f"{ask.goal.kind}={ask.goal.value:g}",
        "difference": difference,
        "effect": effect,
        "answers": answers,
        "margin": margin,
        "confidence": confidence,
        "min_items": ask.min_items,
        "prices": {"item": item_price, "rating": rating_price, "expert": expert_price},
        "budget": budget,
        "score": score,
        "systems_agree": systems_agree,
        "variant": variant,
    }
    by_metric = {each.metric.name: result.best for each, result in studies} if len(studies) > 1 else None
    return replace(found, by_metric=by_metric, settings=settings, seed=seed)


@dataclass(frozen=True)
class _Ask:
    """What is wanted, whatever the source of the item laws."""

    goal: Goal
    goal_given: bool
    prices: Prices
    budget: float | None
    items: Sequence[int] | None
    raters: Sequence[int] | None
    have: tuple[int, int] | None
    min_items: int
    margin: float | None
    confidence: float
    precision: float
    seed: int

    def check(self) -> None:
        if not 0 < self.confidence < 1:
            raise InputError(f"--confidence {self.confidence:g} is not between 0 and 1; 0.95 is usual.")
        if self.margin is not None and not self.margin > 0:
            raise InputError(f"--margin {self.margin:g} must be above 0.")
        if not 0 < self.precision < 1:
            raise InputError(f"--precision {self.precision:g} must lie between 0 and 1.")
        for flag, sizes in (("--items", self.items), ("--raters", self.raters), ("--have", self.have)):
            if sizes is not None and min(sizes, default=0) < 1:
                raise InputError(f"{flag} must be whole numbers from 1 up.")
        one = self.prices.cost(1, min(self.raters or (1,)))
        if self.budget is not None and self.budget < one:
            raise InputError(f"--budget {self.budget:g} buys nothing: one item with its raters costs {one:g}.")


@dataclass(frozen=True)
class _Source:
    """Where item laws come from: a population with its perturbation, or a pilot."""

    metric: Metric
    law: Callable[[int, float], ItemLaw]
    effect: float | None
    explained: str
    most_raters: int | None = None
    setting: Setting | None = None
    pilot: Pilot | None = None


def _prices(item: float, rating: float, expert: float) -> Prices:
    if min(item, rating, expert) < 0 or item + rating <= 0:
        raise InputError("Prices must not be negative, and an item or a rating must cost something.")
    return Prices(item, rating, expert)


def _from_population(
    population: Population,
    name: str | None,
    difference: float | None,
    effect: float | None,
    margin: float | None,
    score: float | None,
    systems_agree: float | None,
    at_raters: int,
    answers: Answers,
    positive: int | None,
    variant: str,
    seed: int,
) -> _Source:
    kind = "interval" if not population.labels or getattr(population, "levels", None) is not None else "nominal"
    chosen = "brier" if name is None and answers == "probabilities" and kind == "nominal" else name
    positive = len(population.labels) - 1 if positive is None and population.labels else positive
    metric = find_metric(chosen or default_metric(kind), variant=variant, positive=positive)  # type: ignore[arg-type]
    answers = "raters" if variant == "paper" and answers == 1 else answers
    setting = Setting(population, metric, 0.0, answers=answers, seed=seed)
    held = 1 if metric.linear else at_raters
    if score is not None:
        setting = replace(setting, effect_a=solve_score(setting, score, held))
    if effect is not None:
        solved = population.checked_effect(effect)
    elif difference is not None:
        solved = solve_effect(setting, difference, held)
    else:
        raise InputError("Say what must be seen: --difference in the metric's units, or --effect.")
    if solved == 0 and margin is None:
        raise InputError("Without a difference there is nothing to see; give --margin to plan for no worse than.")
    setting = replace(setting, effect=solved)
    if systems_agree is not None:
        setting = replace(setting, agree=agreement_weight(setting, systems_agree))
    words = _effect_words(population, solved, setting.effect_a)
    return _Source(metric, lambda k, target: item_law(setting, k, target=target), solved, words, setting=setting)


def _effect_words(population: Population, effect: float, effect_a: float) -> str:
    share = percent(effect)
    meaning = {
        "dirichlet": f"system B answers at random in {share} of its answers",
        "normal": f"system B's mean answer is off by up to {number(effect)} on each item",
        "empirical": f"{share} of system B's answers are replaced at random",
    }.get(population.kind, "system B is perturbed")
    own = f", system A by {effect_a:.3f}" if effect_a > 0 else ""
    return f"ε = {effect:.3f}{own}: {meaning}"


def _from_pilot(
    pilot: tuple[Ratings, Systems],
    systems: Sequence[str] | None,
    name: str | None,
    difference: float | None,
    positive: int | None,
    variant: str,
    seed: int,
) -> _Source:
    ratings, given = pilot
    names = list(systems) if systems else list(given.names)
    for system in names:
        if system not in given.answers:
            raise InputError(f"There is no system '{system}'; there are {', '.join(given.names[:12])}.")
    if len(names) != 2:
        raise InputError(f"A plan is about two systems, and there are {len(names)}; name them with --systems A,B.")
    if difference is None:
        raise InputError("With a pilot say --difference: the difference that matters, in the metric's units.")
    a, b = (given.answers[system].summary for system in names)
    metric = find_metric(name or default_metric(ratings.scale.kind, a, b), variant=variant, positive=positive)  # type: ignore[arg-type]
    study = Pilot(metric, ratings.summary, a, b, difference, seed)
    words = f"observed spread of {len(study.observed):,} pilot items, {names[0]} against {names[1]}"
    return _Source(metric, lambda k, _: study.law(k), None, words, most_raters=study.most_raters, pilot=study)


class _Laws:
    """Item laws by number of raters, kept, and sharpened on request."""

    def __init__(self, source: _Source) -> None:
        self._source = source
        self._kept: dict[int, tuple[float, ItemLaw]] = {}

    def __call__(self, n_raters: int) -> ItemLaw:
        return self.at_least(n_raters, COARSE)

    def at_least(self, n_raters: int, target: float) -> ItemLaw:
        kept = self._kept.get(n_raters)
        if kept is None or kept[0] > target:
            kept = target, self._source.law(n_raters, target)
            self._kept[n_raters] = kept
        return kept[1]


def _search(source: _Source, ask: _Ask) -> Planned:
    laws = _Laws(source)
    search = Plan(laws, ask.goal, ask.prices, ask.min_items, ask.margin, ask.confidence, ask.seed)
    tried = [k for k in ask.raters or RATERS if source.most_raters is None or k <= source.most_raters]
    if not tried:
        raise InputError(f"The pilot has {source.most_raters} raters per item; {source.metric.name} needs as many.")
    grid: tuple[Row, ...] = ()
    if ask.items is not None and ask.raters is not None:
        grid = tuple(search.row(n, k) for k in tried for n in ask.items)
        by_raters, best = list(grid), _pick(list(grid), ask)
    elif ask.items is not None:
        by_raters = [search.row(n, k) for k in tried for n in ask.items]
        best = _pick(by_raters, ask)
    elif ask.budget is not None and not ask.goal_given:
        by_raters = search.affordable(ask.budget, tried)
        best = max(by_raters, key=lambda row: (row.n_items >= ask.min_items, row.power))
    else:
        by_raters, best = _cheapest(search, laws, tried, ask)
    best, warnings = _checked(source, best, ask)
    options = _options(search, best, by_raters, ask)
    words = _words(source, best, by_raters, ask)
    return Planned(
        metric=source.metric.name,
        effect=source.effect,
        best=best,
        options=options,
        by_raters=tuple(by_raters),
        words=words,
        grid=grid,
        pilot=None if source.pilot is None else _pilot_report(source.pilot, best, ask),
        warnings=tuple(warnings),
    )


def _cheapest(search: Plan, laws: _Laws, tried: Sequence[int], ask: _Ask) -> tuple[list[Row], Row]:
    """Find the cheapest study; numbers of raters that come close are looked at again with a smaller error."""
    rows = search.cheapest(tried)
    if not rows:
        raise InputError(
            f"The goal {ask.goal.kind}={ask.goal.value:g} is out of reach with up to ten million items; ask for a "
            "larger difference or a lower goal."
        )
    least = min(row.cost for row in rows)
    for place, row in enumerate(rows):
        if row.cost <= CLOSE * least:
            # Power moves by at most φ(0) √N per sd of the mean.
            laws.at_least(row.n_raters, ask.precision / (0.4 * np.sqrt(row.n_items)))
            rows[place] = search.cheapest([row.n_raters])[0]
    best = min(rows, key=lambda row: (row.cost, row.n_raters))
    if ask.budget is not None and best.cost > ask.budget:
        best = max(search.affordable(ask.budget, tried), key=lambda row: row.power)
    return rows, best


def _pick(rows: list[Row], ask: _Ask) -> Row:
    met = [row for row in rows if ask.goal.kind == "power" and row.power >= ask.goal.value]
    return min(met, key=lambda row: row.cost) if met else max(rows, key=lambda row: row.power)


def _checked(source: _Source, best: Row, ask: _Ask) -> tuple[Row, list[str]]:
    """Check the recommended study of a set score by brute force; say what should not be trusted."""
    warnings = []
    if source.setting is not None and source.metric.level == "set":
        studies = 400 if best.n_items <= 200 else 1000
        power, error, width = simulated_power(
            source.setting, best.n_items, best.n_raters, ask.confidence, studies=studies
        )
        if ask.margin is None:
            best = replace(best, power=power, power_error=error, ci_width=width)
        warnings.append(
            f"{source.metric.name} scores the whole set: the plan was checked on {studies} simulated studies."
        )
    if best.n_items < 30:
        warnings.append("below 30 items the verdict rests on few items, whatever the number of raters.")
    if ask.goal.kind == "power" and best.power < ask.goal.value - 3 * best.power_error - 1e-9:
        warnings.append(f"the goal is not met: power is {percent(best.power)}, not {percent(ask.goal.value)}.")
    if source.pilot is not None and source.pilot.components is None and source.metric.linear:
        warnings.append("the pilot has one rater per item, so it cannot tell what more raters would bring.")
    if best.power_error > ask.precision * 1.05:
        warnings.append(f"power is known to ± {number(best.power_error)} only, for want of simulated items.")
    return best, warnings


def _options(search: Plan, best: Row, by_raters: Sequence[Row], ask: _Ask) -> tuple[Option, ...]:
    """Return the recommended purchase, two common ones, and buying nothing."""
    if ask.have is not None:
        return _next_purchases(search, ask)
    options = [_option("recommended", best, 0)]
    common = [row for row in by_raters if row.n_raters in (1, 3, 5, 10) and row.n_raters != best.n_raters]
    options += [_option(f"{row.n_raters} per item", row, 0) for row in common[:2]]
    return (*options, _nothing(None))


def _option(name: str, row: Row, paid: float) -> Option:
    if row.n_raters == 1:
        breaks = "raters must be checked: one per item shows no disagreement"
    else:
        breaks = "new items are as cheap as more raters: they tell more"
    return Option(
        name,
        row.n_items,
        row.n_raters,
        row.responses,
        max(row.cost - paid, 0.0),
        row.power,
        row.detectable,
        1 - row.power,
        breaks,
    )


def _nothing(row: Row | None) -> Option:
    if row is None:
        return Option("buy nothing", 0, 0, 0, 0.0, 0.0, None, 1.0, "a decision is needed: there is no evidence")
    return Option(
        "buy nothing",
        row.n_items,
        row.n_raters,
        row.responses,
        0.0,
        row.power,
        row.detectable,
        1 - row.power,
        "the difference is smaller than planned",
    )


def _next_purchases(search: Plan, ask: _Ask) -> tuple[Option, ...]:
    """With N₀ × K₀ there already: more items, more raters on the same items, or nothing."""
    assert ask.have is not None
    n, k = ask.have
    now = search.row(n, k)
    options = [_nothing(now)]
    more_items = search.fewest_items(k)
    if more_items is not None and more_items > n:
        options.append(_option("more items", search.row(more_items, k), now.cost))
    for raters in (x for x in RATERS if x > k):
        row = search.row(n, raters)
        if row.power >= ask.goal.value:
            options.append(
                _option(
                    "more raters",
                    replace(row, cost=row.responses * ask.prices.rating),
                    now.responses * ask.prices.rating,
                )
            )
            break
    return tuple(sorted(options, key=lambda option: (option.power < ask.goal.value - 1e-9, option.cost)))


def _words(source: _Source, best: Row, rows: Sequence[Row], ask: _Ask) -> str:
    seen = f"a difference of {number(best.difference)} in {source.metric.title}"
    if ask.margin is not None:
        seen = f"being worse by {number(ask.margin)} in {source.metric.title} is ruled out"
        promise = f"with {percent(best.power)} chance"
    elif ask.goal.kind == "width":
        promise = f"gets an interval {number(best.ci_width)} wide ({percent(best.power)} chance of a verdict)"
    else:
        promise = f"is seen with {percent(best.power)} chance (two-sided, {percent(ask.confidence)} confidence)"
    price = "" if ask.prices == Prices() else f" for {best.cost:,.0f}"
    ratings = "" if best.n_raters == 1 else f", {best.responses:,} ratings in all"
    return (
        f"Buy {purchase_words(best.n_items, best.n_raters)}{ratings}{price}: {seen} {promise} – {source.explained}. "
        f"{_why(best, rows, ask)}"
    )


def _why(best: Row, rows: Sequence[Row], ask: _Ask) -> str:
    """Say why this number of raters."""
    if best.n_raters == 1 and len(rows) > 1:
        return "One rater per item, because a new item tells more than a second opinion on an old one."
    if best.n_raters > 1 and ask.prices.item > 0:
        return "More than one rater per item pays here, because items cost money too."
    if best.n_raters > 1 and len(rows) > 1:
        return "More raters per item pay here, because the systems answer as often as the raters, free of charge."
    return "Decide this number now, not after a look at the data."


def _pilot_report(pilot: Pilot, best: Row, ask: _Ask) -> dict[str, Any]:
    """Bootstrap the pilot: which N others like it would recommend, and what this plan then promises."""
    from scipy.special import ndtr, ndtri

    sds = pilot.bootstrap_sds(best.n_raters)
    law = pilot.law(best.n_raters)
    shift = pilot.difference + (ask.margin or 0.0)
    scale = np.maximum(sds, 1e-300) / max(law.sd, 1e-300)
    needed = np.maximum(best.n_items * scale**2, ask.min_items)
    z = float(ndtri(0.5 + ask.confidence / 2))
    power = ndtr(shift * np.sqrt(best.n_items) / np.maximum(sds, 1e-300) - z)
    low, high = np.quantile(needed, [0.05, 0.95])
    return {
        "items": len(pilot.observed),
        "between": None if pilot.components is None else pilot.components.between,
        "within": None if pilot.components is None else pilot.components.within,
        "best_raters": None
        if pilot.components is None
        else pilot.components.best_raters(ask.prices.item, ask.prices.rating),
        "items_low": int(np.ceil(low)),
        "items_high": int(np.ceil(high)),
        "assurance": float(power.mean()),
        "replay": pilot.replay(best.n_items, best.n_raters, ask.confidence),
    }
