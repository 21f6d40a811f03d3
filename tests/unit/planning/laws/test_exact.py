"""The enumerated law against a response-by-response reference in exact fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from quorate.data.summaries import Counts
from quorate.metrics import find_metric
from quorate.metrics.contests import contest
from quorate.planning.laws.exact import enumerated_law
from quorate.populations.dirichlet import DirichletPopulation

ALPHA, NOISE = (Fraction(3), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 2))
EPS = Fraction(3, 10)


def urn(counts: dict[str, list[int]], source: str, answer: int) -> Fraction:
    """Chance of the next answer from a source after what it gave so far: the Dirichlet integrated out is an urn."""
    start = ALPHA if source == "people" else NOISE
    seen = counts.setdefault(source, [0, 0])
    chance = (start[answer] + seen[answer]) / (sum(start) + sum(seen))
    seen[answer] += 1
    return chance


def law_by_hand(metric: str, k: int, r: int, null: bool, eps_a: Fraction = Fraction(0)) -> dict[float, float]:
    """Every answer of k raters and of r answers of A and of B, one by one, each from its source."""
    found: dict[float, Fraction] = {}
    mix_a = {"people": 1 - eps_a, "noise a": eps_a}
    mix_b = {"people": 1 - EPS, "noise b": EPS}
    if null:
        both = {"people": 1 - (EPS + eps_a) / 2, "noise a": eps_a / 2, "noise b": EPS / 2}
        mix_a = mix_b = both
    mixes = [{"people": Fraction(1)}] * k + [mix_a] * r + [mix_b] * r
    for sources in product(*mixes):
        for answers in product((0, 1), repeat=k + 2 * r):
            counts: dict[str, list[int]] = {}
            chance = Fraction(1)
            for source, answer, mix in zip(sources, answers, mixes, strict=True):
                chance *= mix[source]
                if chance:
                    chance *= urn(counts, source, answer)
            if chance:
                groups = answers[:k], answers[k : k + r], answers[k + r :]
                raters, a, b = (Counts(np.array([[g.count(0), g.count(1)]])) for g in groups)
                d = round(float(contest(find_metric(metric), raters, a, b)[0]), 9)
                found[d] = found.get(d, Fraction(0)) + chance
    assert sum(found.values()) == 1
    return {d: float(p) for d, p in found.items()}


@pytest.mark.parametrize("metric", ["agreement", "accuracy", "wins:total_variation", "jensen_shannon"])
@pytest.mark.parametrize(("k", "r", "eps_a"), [(1, 1, "0"), (2, 1, "0"), (1, 2, "0"), (1, 1, "1/5")])
def test_enumeration_is_the_sum_over_single_answers(metric: str, k: int, r: int, eps_a: str) -> None:
    population = DirichletPopulation(tuple(map(float, ALPHA)))
    effect_a = Fraction(eps_a)
    law = enumerated_law(population, find_metric(metric), k, r, effect=float(EPS), effect_a=float(effect_a))
    assert law.null_values is not None
    assert law.null_weights is not None
    for values, weights, null in ((law.values, law.weights, False), (law.null_values, law.null_weights, True)):
        by_hand = law_by_hand(metric, k, r, null, effect_a)
        found = {round(float(d), 9): p for d, p in zip(values, weights, strict=True) if p > 1e-15}
        assert found == pytest.approx(by_hand, abs=1e-12)
    assert abs(law.null_values @ law.null_weights) < 1e-12


def test_without_a_perturbation_the_difference_averages_to_nothing() -> None:
    law = enumerated_law(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("agreement"), 3, 2, effect=0.0)
    assert law.mean == pytest.approx(0.0, abs=1e-14)
    assert law.weights.sum() == pytest.approx(1.0)


def test_the_maximum_of_the_contract() -> None:
    # dices, agreement, ε = 1: Σ E[β²] − Σ E[β] E[ϱ] = Σ α (α + 1) / (A (A + 1)) − 1/3 = 0.178
    alpha = np.array([5.22, 0.86, 2.75])
    total = alpha.sum()
    expected = (alpha * (alpha + 1)).sum() / (total * (total + 1)) - 1 / 3
    law = enumerated_law(DirichletPopulation(tuple(alpha)), find_metric("agreement"), 1, 1, effect=1.0)
    assert law.mean == pytest.approx(expected, abs=1e-12)
    assert round(law.mean, 3) == 0.178
