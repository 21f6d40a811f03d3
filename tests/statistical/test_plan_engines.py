"""Item laws promise what whole simulated studies keep, on random settings; coupled systems keep their laws."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from quorate._random import generator
from quorate.data.summaries import Counts
from quorate.metrics import find_metric
from quorate.planning.laws.draws import coupled
from quorate.planning.laws.item_law import ItemLaw
from quorate.planning.laws.set_scores import simulated_power
from quorate.planning.promises.small_studies import StudyDraws
from quorate.planning.scenario import Scenario, draw_study
from quorate.planning.sources.population import item_law
from quorate.populations.choice import find_preset
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.population import Answers
from tests.studies import pick

Z = 5.0
STATED = 0.003  # what the normal expansion beyond few items promises [contract: power within 0.003]

NOMINAL = ("agreement", "brier", "accuracy", "total_variation", "jensen_shannon", "wins:total_variation")
NUMBERS = ("crps", "mae", "wins:mae", "emd")
ANSWERS: tuple[Answers, ...] = (1, 2, 5, "raters", "probabilities")


@dataclass(frozen=True)
class Point:
    """One random setting and size."""

    setting: Scenario
    n_items: int
    n_raters: int


def random_point(number: int) -> Point:
    """Draw a population, a metric, an effect, numbers of answers, items (1 to 50 000) and raters."""
    rng = generator(5, "engines", number)
    kind = rng.choice(["preset", "random", "likert"], p=[0.4, 0.4, 0.2])
    if kind == "preset":
        population = find_preset(str(rng.choice(["dices", "toxicity", "d3code", "unbalanced-4"]))).population
    elif kind == "random":
        population = DirichletPopulation(tuple(rng.gamma(1.5, 2.0, int(rng.integers(2, 5))) + 0.2))
    else:
        population = find_preset("toxicity-likert").population
    metric = find_metric(str(rng.choice(NUMBERS if kind == "likert" else NOMINAL)))
    answers = ANSWERS[int(rng.choice(5, p=[0.4, 0.15, 0.15, 0.15, 0.15]))]
    if metric.name == "emd" and answers == "probabilities":
        answers = 1
    effect = float(rng.uniform(0.02, 0.8)) * min(population.max_effect, 1.0)
    n_items = int(np.exp(rng.uniform(0, np.log(50_000))))
    setting = Scenario(population, metric, effect, answers=answers, seed=number)
    return Point(setting, n_items, int(rng.choice([1, 1, 2, 3, 5, 8])))


def disagreement(point: Point, work: int, law: ItemLaw | None = None, target: float = 0.02) -> float:
    """Return the gap between promised and simulated power, in units of what 5 combined errors allow."""
    setting, n, k = point.setting, point.n_items, point.n_raters
    law = item_law(setting, k, target=target) if law is None else law
    promise = law.promise(n, 0.95, studies=StudyDraws())
    studies = int(np.clip(work / (n * (k + 10)), 30, 2000))
    power, error, _ = simulated_power(setting, n, k, 0.95, studies=studies)
    middle = (power + promise.power) / 2  # the binomial error at 0 or 1 would be 0
    error = float(np.sqrt(max(middle * (1 - middle), 1 / studies) / studies))
    return abs(power - promise.power) / (STATED + Z * float(np.hypot(error, promise.power_error)))


@pytest.mark.parametrize("number", pick(range(4, 10), range(16)))
def test_item_laws_promise_what_simulated_studies_keep(number: int) -> None:
    assert disagreement(random_point(number), work=2_000_000) <= 1


@pytest.mark.parametrize(("effect", "effect_a"), [(0.6, 0.0), (0.5, 0.3)])
def test_coupling_keeps_the_marginal_law_of_b(effect: float, effect_a: float) -> None:
    population = DirichletPopulation((2.0, 0.8, 1.3))
    rng = generator(1, "coupling")
    laws = population.answer_laws((200_000,), effect=effect, effect_a=effect_a, rng=rng)
    a = Counts(rng.multinomial(3, laws.a))
    b = coupled(a, laws, rng).counts
    assert (b.sum(-1) == 3).all()
    # Given the item, each count is Binomial(3, γ): first and second moments item by item, averaged.
    for power, expected in ((1, 3 * laws.b), (2, 3 * laws.b * (1 - laws.b) + 9 * laws.b**2)):
        gap = b**power - expected
        assert (np.abs(gap.mean(0)) <= Z * gap.std(0) / np.sqrt(len(gap))).all()
    wrong = b - 3 * laws.a  # negative control: the coupled answers are not A's
    assert (np.abs(wrong.mean(0)) > Z * wrong.std(0) / np.sqrt(len(wrong))).any()
    apart = rng.multinomial(3, laws.b)
    assert (a.counts * b).sum(-1).mean() > (a.counts * apart).sum(-1).mean() + 0.1  # it does couple


def test_systems_that_agree_keep_their_scores_and_agree_as_often() -> None:
    from quorate.planning.sources.population import agreement_weight

    setting = Scenario(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("agreement"), 0.3)
    together = replace(setting, agree=agreement_weight(setting, 0.6))
    study = draw_study(together, (1, 200_000), 1, rng=generator(0, "agree"))
    assert isinstance(study.a, Counts)
    assert isinstance(study.b, Counts)
    same = (study.a.counts * study.b.counts).sum(-1)
    # 200 000 items here, and as many behind the weight
    assert abs(same.mean() - 0.6) <= Z * np.sqrt(2 * 0.24 / 200_000)
    law, free = item_law(together, 1, target=0.005), item_law(setting, 1, target=0.005)
    assert abs(law.mean - free.mean) <= Z * law.mean_error
    assert law.sd < 0.9 * free.sd
    assert law.null_sd < 0.9 * free.null_sd  # the null world agrees as well
    power, error, _ = simulated_power(together, 900, 1, 0.95, studies=pick(400, 1500))
    assert abs(power - law.promise(900, 0.95, studies=StudyDraws()).power) <= Z * error + STATED
    assert abs(power - free.promise(900, 0.95, studies=StudyDraws()).power) > Z * error + STATED  # negative control
