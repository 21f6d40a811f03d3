"""Plan from a population: two systems that differ as asked, raters new on every item, laws exact or simulated.

A difference people can name ("2 points") becomes the perturbation ε that makes it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate.data.summaries import Probabilities
from quorate.inference.procedures import MOST_SWAPPED, SWAPPED_ITEMS
from quorate.metrics.contests import scores
from quorate.metrics.metric import Metric, fixed_reach
from quorate.metrics.registry import choose_metric
from quorate.planning.laws.exact import PAIR_WORK, Design, exact_laws, exact_means, find_design
from quorate.planning.laws.item_law import ItemLaw, Law
from quorate.planning.laws.set_scores import enumerated_kinds, kinds_law, kinds_power, simulated_power
from quorate.planning.laws.simulation import Excess, counted_laws, plain_law, plain_mean, relative_excess
from quorate.planning.question import PlanQuestion
from quorate.planning.scenario import Scenario, draw_study, scenario_reach
from quorate.planning.search import Search, StudySize, StudySource
from quorate.populations.population import Population

Engine = Literal["auto", "simulated"]
"""``"auto"`` enumerates what is small enough; ``"simulated"`` never does, and knows no mean from pairs of counts."""
CARRIED = 1.3
"""Where so many times the items that may be swapped carry weight on average, no study is judged by swaps."""
SOLVE_ITEMS = 200_000
"""Items on which an effect is solved."""


@dataclass(frozen=True, kw_only=True)
class PopulationSource(StudySource):
    """Laws of independent items of a population."""

    scenario: Scenario
    margin: float = 0.0

    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of one item's difference."""
        return replace(item_law(self.scenario, n_raters, target=target, margin=self.margin), reach=self.reach)

    def confirm(self, search: Search, best: StudySize) -> tuple[StudySize, tuple[str, ...]]:
        """Simulate studies where a score is no mean over items; add items once if it needs them."""
        from scipy.special import ndtri

        if self.metric.level != "set" or best.n_items < 2:
            return best, ()
        asked = search.question
        for _ in range(2):
            power, error, width = self._simulated(search, best)
            confirmed = replace(best, power=power, power_error=error, ci_width=width)
            short = asked.wanted.kind == "power" and power < asked.wanted.value - 2 * error
            if not short or asked.items is not None or asked.budget is not None:
                break
            z = float(ndtri(0.5 + asked.confidence / 2))
            more = (z + float(ndtri(asked.wanted.value))) / max(z + float(ndtri(np.clip(power, 0.01, 0.99))), 0.3)
            best = search.size(int(np.ceil(best.n_items * min(more, 2.0) ** 2)), best.n_raters)
        warning = (
            f"{self.metric.title} scores the whole set: the power of the recommended study is the share of simulated "
            "studies."
        )
        return confirmed, (warning,)

    def _simulated(self, search: Search, best: StudySize) -> tuple[float, float, float]:
        """Power, its error and the width of the interval; of kinds of items where these are few."""
        asked, sizes = search.question, (best.n_items, best.n_raters)
        kinds = enumerated_kinds(self.scenario, best.n_raters) if best.n_items > SWAPPED_ITEMS else None
        if kinds is not None and (
            best.n_items > MOST_SWAPPED or kinds.carried(kinds.chances) * best.n_items > CARRIED * SWAPPED_ITEMS
        ):
            rng = generator(asked.seed, "set studies", *sizes)
            return kinds_power(kinds, best.n_items, asked.confidence, -(asked.margin or 0.0), rng=rng)
        few = best.n_items <= SWAPPED_ITEMS
        studies = 400 if few else 1000 if kinds is None else 400 if self.metric.ranked is None else 200  # of swaps
        return simulated_power(self.scenario, *sizes, asked.confidence, margin=asked.margin, studies=studies)


def population_source(question: PlanQuestion, population: Population, metric: str | None) -> PopulationSource:
    """Return the source of a population whose raters are new on every item."""
    scenario = find_scenario(question, population, metric)
    return PopulationSource(
        metric=scenario.metric,
        assumption=effect_words(scenario),
        effect=scenario.effect,
        answers=scenario.answers,
        scenario=scenario,
        margin=question.margin or 0.0,
        reach=fixed_reach(scenario.metric) or scenario_reach(scenario),
    )


def item_law(
    scenario: Scenario,
    n_raters: int,
    *,
    target: float,
    margin: float = 0.0,
    engine: Engine = "auto",
) -> ItemLaw:
    """Return the law of one item's difference at a number of raters: exact where it can be enumerated.

    `target` is the wanted Monte-Carlo error of the mean, relative to the mean plus the margin of
    the question: the error of power is at most about as large.
    """
    metric, design = scenario.metric, find_design(scenario, n_raters)
    if design is None or metric.level == "set":
        kinds = enumerated_kinds(scenario, n_raters) if engine == "auto" else None
        return plain_law(scenario, n_raters, target=target, margin=margin) if kinds is None else kinds_law(kinds)
    excess = partial(relative_excess, target, margin)
    return several_laws(design, [scenario.effect], [metric], excess, seed=scenario.seed, engine=engine)[0][metric.name]


def several_laws(
    design: Design,
    effects: Sequence[float],
    metrics: Sequence[Metric],
    excess: Excess,
    *,
    seed: int,
    engine: Engine = "auto",
) -> list[dict[str, ItemLaw]]:
    """Return the law of each metric's difference by name, for each effect; the effects share items, raters and A."""
    if engine == "auto" and design.enumerable:
        return [exact_laws(design, metrics, effect) for effect in effects]
    known = exact_means(design, effects, metrics, pair_work=PAIR_WORK if engine == "auto" else 0.0)
    return counted_laws(design, known, metrics, excess, seed=seed)


def mean_difference(scenario: Scenario, n_raters: int, n_items: int = 400_000) -> float:
    """Return the expected difference of the scores: exact, or from one large study with B coupled to A."""
    exact = _exact_mean(scenario, n_raters)
    return plain_mean(scenario, n_raters, n_items) if exact is None else exact


def _exact_mean(scenario: Scenario, n_raters: int) -> float | None:
    metric = scenario.metric
    if metric.level == "set":
        kinds = enumerated_kinds(scenario, n_raters)
        return None if kinds is None else kinds_law(kinds).mean
    design = find_design(scenario, n_raters)
    if design is None:
        return None
    if metric.contest_of is None:
        return exact_means(design, [scenario.effect], [metric])[0].means.get(metric.name)
    return exact_laws(design, [metric], scenario.effect, null=False)[metric.name].mean if design.enumerable else None


def find_scenario(question: PlanQuestion, population: Population, metric: str | None) -> Scenario:
    """Return two systems perturbed so that they differ, score and agree as asked."""
    answers, labels = question.system_answers, population.labels
    score = choose_metric(
        metric,
        population.scale_kind,
        labels=labels,
        positive=question.positive or (labels[-1] if labels else None),  # the last category, as in audit
        variant=question.variant,
        probabilities=answers == "probabilities",
    )
    scenario = Scenario(population, score, 0.0, answers=answers, seed=question.seed)
    held = 1 if score.linear and answers != "raters" else question.at_raters
    if question.score is not None:
        scenario = replace(scenario, effect_a=solve_score(scenario, question.score, held))
    if question.effect is not None:
        effect = population.checked_effect(question.effect)
    elif question.difference is not None:
        effect = solve_effect(scenario, question.difference, held)
    else:
        raise InputError("Say what must be seen: --difference in the metric's units, or --effect.")
    scenario = replace(scenario, effect=effect)
    if question.systems_agree is None:
        return scenario
    return replace(scenario, agree=agreement_weight(scenario, question.systems_agree))


def effect_words(scenario: Scenario) -> str:
    """Say what the perturbations mean."""
    effect, effect_a = scenario.effect, scenario.effect_a
    if effect == 0 and effect_a == 0:
        return "if both systems answer like a random rater"
    own = f", {effect_a:.3f} for A" if effect_a > 0 else ""
    return f"{scenario.population.effect_words(effect)} (ε = {effect:.3f}{own})"


def solve_effect(scenario: Scenario, difference: float, n_raters: int) -> float:
    """Return the perturbation of B at which A is better by the wanted difference.

    The expected difference grows with ε: false position on the same random numbers.
    """

    def gap(effect: float) -> float:
        return mean_difference(replace(scenario, effect=effect), n_raters, SOLVE_ITEMS) - difference

    if difference == 0 and scenario.effect_a == 0:
        return 0.0
    top, most = _top(scenario, gap)
    if most < 0:
        raise InputError(
            f"A difference of {difference:g} in {scenario.metric.title} is out of reach in this population: at most "
            f"{most + difference:.3f}; ask for less with --difference."
        )
    return _crossing(gap, top, most, near=1e-4 * difference)


def solve_score(scenario: Scenario, score: float, n_raters: int) -> float:
    """Return the perturbation of A at which its own expected score is the wanted one."""
    if scenario.metric.contest_of is not None:
        raise InputError("--score is a score of system A alone, and wins has none; leave it out.")
    sign = -1.0 if scenario.metric.better == "high" else 1.0

    def gap(effect: float) -> float:
        return sign * (_own_score(replace(scenario, effect=effect, effect_a=0.0), n_raters) - score)

    best = gap(0.0)
    top, worst = _top(scenario, gap)
    if not best <= 0 <= worst:
        ends = sorted((score + sign * best, score + sign * worst))
        raise InputError(
            f"--score {score:g} is out of reach in this population: {scenario.metric.title} lies between {ends[0]:.3f} "
            f"and {ends[1]:.3f}."
        )
    return _crossing(gap, top, worst, near=1e-5)


def agreement_weight(scenario: Scenario, share: float) -> float:
    """Return the weight of maximal coupling at which single answers agree on a share of items."""
    if scenario.answers != 1:
        raise InputError("--systems-agree is about systems that give one answer each; use it with --answers 1.")
    items = scenario.laws((scenario.affordable(SOLVE_ITEMS),), generator(scenario.seed, "systems agree"))
    apart = float((items.a * items.b).sum(-1).mean())
    together = float(np.minimum(items.a, items.b).sum(-1).mean())
    if not apart - 1e-3 <= share <= together + 1e-3:
        raise InputError(
            f"--systems-agree {share:g} is out of reach here: independent systems agree on {apart:.3f} of the items, "
            f"and with these scores at most {together:.3f} is possible."
        )
    return float(np.clip((share - apart) / max(together - apart, 1e-12), 0.0, 1.0))


def _own_score(scenario: Scenario, n_raters: int) -> float:
    """Expected score of the perturbed system, noise averaged out where that is right."""
    rng, metric = generator(scenario.seed, "score"), scenario.metric
    answers = n_raters if scenario.answers == "raters" else scenario.answers
    closed = metric.linear if answers == "probabilities" else metric.expected_score is not None
    if not scenario.population.knows_answers or not closed:
        study = draw_study(scenario, (1, scenario.affordable(SOLVE_ITEMS)), n_raters, rng=rng)
        return float(np.mean(scores(metric, study.raters.take(0), [study.b.take(0)])[0]))
    items = scenario.laws((scenario.affordable(SOLVE_ITEMS),), rng)
    raters, system = Probabilities(items.raters, items.levels), Probabilities(items.b, items.levels)
    if isinstance(answers, int) and metric.expected_score is not None:
        return float(np.mean(metric.expected_score(raters, system, answers)))
    return float(np.mean(scores(metric, raters, [system])[0]))


def _top(scenario: Scenario, gap: Callable[[float], float]) -> tuple[float, float]:
    """The largest effect worth trying, and the gap there; doubled if effects have no end."""
    top = scenario.population.max_effect
    if np.isfinite(top):
        return top, gap(top)
    top, value = 1.0, gap(1.0)
    while value < 0 and top < 2.0**30:
        top, value = top * 2, gap(top * 2)
    return top, value


def _crossing(gap: Callable[[float], float], high: float, at_high: float, near: float) -> float:
    """Find where a rising function crosses 0: false position, a stubborn end halved (Illinois).

    By hand, because importing a root finder would take longer than the whole plan.
    """
    low, at_low, side = 0.0, gap(0.0), 0
    if at_low >= 0:
        return 0.0
    while high - low > 1e-6:
        middle = low + (high - low) * float(np.clip(-at_low / (at_high - at_low), 0.001, 0.999))
        value = gap(middle)
        if abs(value) <= near:
            return middle
        if value < 0:
            low, at_low, at_high, side = middle, value, at_high / (2 if side < 0 else 1), -1
        else:
            high, at_high, at_low, side = middle, value, at_low / (2 if side > 0 else 1), 1
    return 0.5 * (low + high)
