"""The enumerated law and exact means beside a response-by-response reference, fractions and many more nodes."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from quorate.data.summaries import Counts
from quorate.metrics import find_metric
from quorate.metrics.contests import contest
from quorate.metrics.metric import Variant
from quorate.planning.laws.exact import (
    Design,
    count_vectors,
    exact_laws,
    expected_sums,
    pair_chances,
    pair_expectations,
    pair_means,
)
from quorate.planning.laws.item_law import ItemLaw
from quorate.populations.dirichlet import DirichletPopulation

NAMES = ("accuracy", "total_variation", "wins:total_variation", "kl")
JOBS = DirichletPopulation((1039.76, 38.24, 35.57, 310.29, 46.02))
DICES = DirichletPopulation((5.22, 0.86, 2.75))
SUMS: list[tuple[str, Variant]] = list(product(("total_variation", "kl"), ("default", "paper")))
METRICS = [find_metric(name, variant="paper") for name in NAMES]
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


def law_of(
    population: DirichletPopulation, metric: str, k: int, r: int, *, effect: float, effect_a: float = 0.0
) -> ItemLaw:
    return exact_laws(Design(population, k, r, effect_a), [find_metric(metric)], effect)[metric]


@pytest.mark.parametrize("metric", ["agreement", "accuracy", "wins:total_variation", "jensen_shannon"])
@pytest.mark.parametrize(("k", "r", "eps_a"), [(1, 1, "0"), (2, 1, "0"), (1, 2, "0"), (1, 1, "1/5")])
def test_the_law_is_the_sum_over_single_answers(metric: str, k: int, r: int, eps_a: str) -> None:
    population = DirichletPopulation(tuple(map(float, ALPHA)))
    effect_a = Fraction(eps_a)
    law = law_of(population, metric, k, r, effect=float(EPS), effect_a=float(effect_a))
    assert law.null_values is not None
    assert law.null_weights is not None
    for values, weights, null in ((law.values, law.weights, False), (law.null_values, law.null_weights, True)):
        by_hand = law_by_hand(metric, k, r, null, effect_a)
        found = {round(float(d), 9): p for d, p in zip(values, weights, strict=True) if p > 1e-15}
        assert found == pytest.approx(by_hand, abs=1e-12)
    assert abs(law.null_values @ law.null_weights) < 1e-12


def test_without_a_perturbation_the_difference_averages_to_nothing() -> None:
    law = law_of(DICES, "agreement", 3, 2, effect=0.0)
    assert law.mean == pytest.approx(0.0, abs=1e-14)
    assert law.weights.sum() == pytest.approx(1.0)


def test_the_maximum_of_the_contract() -> None:
    # dices, agreement, ε = 1: Σ E[β²] − Σ E[β] E[ϱ] = Σ α (α + 1) / (A (A + 1)) − 1/3 = 0.178
    alpha = np.array([5.22, 0.86, 2.75])
    total = alpha.sum()
    expected = (alpha * (alpha + 1)).sum() / (total * (total + 1)) - 1 / 3
    law = law_of(DirichletPopulation(tuple(alpha)), "agreement", 1, 1, effect=1.0)
    assert law.mean == pytest.approx(expected, abs=1e-12)
    assert round(law.mean, 3) == 0.178


class TestPools:
    def test_one_answer_each_by_hand(self) -> None:
        # β ~ Dirichlet(1, 1), ϱ ~ Dirichlet(1/2, 1/2), ε = 1/2. Rater and B agree with chance
        # ½ E Σ β_m² + ½ Σ E β_m E ϱ_m = ½ · 2/3 + ½ · 1/2 = 7/12; each of the two agreeing cells has half of it.
        p = pair_chances(DirichletPopulation((1, 1)), count_vectors(1, 2), count_vectors(1, 2), 0.5)
        agree, differ = float(Fraction(7, 24)), float(Fraction(5, 24))
        np.testing.assert_allclose(p, [[agree, differ], [differ, agree]], rtol=1e-13)

    @pytest.mark.parametrize("effect", [0.0, 0.3, 1.0])
    def test_response_by_response(self, effect: float) -> None:
        """Every single answer of a rater pool of 2 and a system of 2, its source written out, one term at a time."""
        world = DirichletPopulation((2.0, 0.7, 1.1))
        first, second = count_vectors(2, 3), count_vectors(2, 3)
        expected = np.zeros((len(first), len(second)))
        for answers in product(range(3), repeat=4):
            for noisy in product((False, True), repeat=2):
                chance = np.prod([effect if each else 1 - effect for each in noisy])
                people = [answers[0], answers[1], *(a for a, n in zip(answers[2:], noisy, strict=True) if not n)]
                noise = [a for a, n in zip(answers[2:], noisy, strict=True) if n]
                p = chance * _urn(world.alpha, people) * _urn(world.noise, noise)
                expected[_place(first, answers[:2]), _place(second, answers[2:])] += p
        np.testing.assert_allclose(pair_chances(world, first, second, effect), expected, rtol=1e-12)

    def test_large_alpha_and_many_raters_stay_finite(self) -> None:
        for world, k in ((JOBS, 4), (DirichletPopulation((1.37, 1.33)), 80)):
            law = exact_laws(Design(world, k, k), METRICS[:1], 0.1)["accuracy"]
            assert law.weights.sum() == pytest.approx(1.0, abs=1e-10)
            assert law.null_weights is not None
            assert law.null_values is not None
            assert law.null_weights @ law.null_values == pytest.approx(0.0, abs=1e-12)


def test_states_by_hand() -> None:
    assert Design(DICES, 2, 1).states == 6 * 3 * 3
    assert Design(DICES, 1, 1, effect_a=0.1).states == 3 * 21  # both systems' answers from three or from noise


def _urn(alpha: Sequence[float], answers: list[int]) -> float:
    """Chance of single answers in turn from a Pólya urn, which is what a Dirichlet's answers are."""
    weight, p = list(alpha), 1.0
    for answer in answers:
        p *= weight[answer] / sum(weight)
        weight[answer] += 1
    return p


def _place(vectors: np.ndarray, answers: tuple[int, ...]) -> int:
    counts = np.bincount(answers, minlength=vectors.shape[1])
    return int(np.flatnonzero((vectors == counts).all(1))[0])


@pytest.mark.parametrize(("name", "variant"), SUMS)
def test_terms_add_up_to_the_score(name: str, variant: Variant) -> None:
    metric = find_metric(name, variant=variant)
    rng = np.random.default_rng(0)
    raters, system = rng.multinomial(7, [0.5, 0.3, 0.2, 0.0], 50), rng.multinomial(4, [0.25] * 4, 50)
    assert metric.category_terms is not None
    table = metric.category_terms(4, 7, 4)
    np.testing.assert_allclose(table[raters, system].sum(-1), metric.score(Counts(raters), Counts(system)), atol=1e-12)


def test_other_scores_are_no_sums() -> None:
    assert find_metric("accuracy").category_terms is None
    assert find_metric("jensen_shannon").category_terms is None


def test_by_hand() -> None:
    # β ~ Beta(1, 1), ϱ ~ Beta(1/2, 1/2), ε = 1/2, two raters, one answer. P(g = 2, x = 1) = E[β² γ] with
    # γ = β/2 + ϱ/2: E β³ / 2 + E β² E ϱ / 2 = 1/8 + 1/12 = 5/24.
    table = np.zeros((1, 3, 2))
    table[0, 2, 1] = 1.0
    found = pair_expectations((1.0, 1.0), (0.5, 0.5), (0.5,), table)
    assert found[0, 0] == pytest.approx(float(Fraction(5, 24)), rel=1e-13)


@pytest.mark.parametrize(("world", "k", "r"), [(DICES, 1, 1), (DICES, 8, 8), (DICES, 6, 2), (JOBS, 3, 3)])
@pytest.mark.parametrize(("name", "variant"), SUMS)
def test_same_as_enumerated(world: DirichletPopulation, k: int, r: int, name: str, variant: Variant) -> None:
    metric = find_metric(name, variant=variant)
    assert metric.category_terms is not None
    table = metric.category_terms(len(world.alpha), k, r)
    sums = expected_sums(world, (0.0, 0.2), table[None])[:, 0]
    assert sums[1] - sums[0] == pytest.approx(pair_means(Design(world, k, r), [metric], 0.2)[name], rel=1e-9)


@pytest.mark.parametrize("world", [JOBS, DICES, DirichletPopulation((10.0, *(3.0,) * 11))])
def test_many_answers_need_no_more_nodes(world: DirichletPopulation) -> None:
    pair = (find_metric(name, variant="paper").category_terms for name in ("total_variation", "kl"))
    tables = np.array([terms(len(world.alpha), 500, 500) for terms in pair if terms is not None])
    both = np.concatenate([tables, tables[1:] ** 2])
    finer = expected_sums(world, (0.0, 0.1), both, finer=2.0)
    np.testing.assert_allclose(expected_sums(world, (0.0, 0.1), both), finer, rtol=1e-9)


def test_too_few_nodes_would_show() -> None:
    """Negative control: with a third of the Chebyshev terms and nodes the sum is visibly wrong."""
    terms = find_metric("kl", variant="paper").category_terms
    assert terms is not None
    table = terms(3, 500, 500)
    enough, few = (expected_sums(DICES, (0.1,), table[None], finer=finer) for finer in (1.0, 0.0))
    assert abs(few / enough - 1).max() > 1e-6


@pytest.mark.parametrize("effect_a", [0.0, 0.3])
def test_means_from_pairs_are_those_of_the_law(effect_a: float) -> None:
    design = Design(DICES, 4, 3, effect_a)
    laws, means = exact_laws(design, METRICS, 0.2), pair_means(design, METRICS, 0.2)
    assert set(means) == {"accuracy", "total_variation", "kl"}
    for name, mean in means.items():
        assert mean == pytest.approx(laws[name].mean, abs=1e-12)
