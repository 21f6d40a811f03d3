"""The papers' procedure, rewritten answer by answer as the paper states it."""

import numpy as np
import pytest

from quorate._errors import InputError
from quorate.data.summaries import Counts, Probabilities, Values
from quorate.inference.procedures import Terms, find_procedure
from quorate.inference.published import reverse_percentile
from quorate.inference.scored_systems import ScoredPair, score_systems
from quorate.metrics import find_metric

DRAWS = 1000


def numbers_match(n: int, k: int, seed: int) -> ScoredPair:
    rng = np.random.default_rng(seed)
    middle = rng.random((n, 1))
    g, a, b = (
        Values(np.sort(middle + rng.normal(shift, 0.3, (n, k)), axis=1), np.full(n, k)) for shift in (0, 0.05, 0.25)
    )
    return score_systems(find_metric("mae"), g, [a, b]).pair(0, 1)


def take(answers: list[float], rule: str, size: int, rng: np.random.Generator) -> list[float]:
    if rule == "all":
        return answers
    if rule == "first":
        return answers[:1]
    return [answers[rng.integers(len(answers))] for _ in range(1 if rule == "one" else size)]


def plain(match: ScoredPair, items: str, rule: str, seed: int) -> tuple[list[float], list[float]]:
    """Alternative and null draws, one answer after another: MAE of B minus MAE of A over the drawn items."""
    rng = np.random.default_rng(seed)
    sides = (match.raters, match.a, match.b)
    g, a, b = (side.values.tolist() for side in sides if isinstance(side, Values))
    # Summaries keep answers sorted, so "first" is made a random one, fixed for all draws.
    g, a, b = ([rng.permutation(row).tolist() for row in side] for side in (g, a, b))
    n, k = len(a), len(a[0])
    worlds: tuple[list[float], list[float]] = ([], [])
    for _ in range(DRAWS):
        drawn = rng.integers(0, n, n) if items == "bootstrap" else np.arange(n)
        totals = [0.0, 0.0]
        for i in drawn:
            truth = np.mean(take(g[i], rule, k, rng))
            pool = a[i] + b[i]
            for world, (x, y) in enumerate(((a[i], b[i]), (pool, pool))):
                left, right = np.mean(take(x, rule, k, rng)), np.mean(take(y, rule, k, rng))
                totals[world] += float(abs(right - truth) - abs(left - truth))
        for world in (0, 1):
            worlds[world].append(totals[world] / n)
    return worlds


def share_at_least(alternative: list[float], null: list[float]) -> tuple[float, float]:
    """The paper's p and its Monte-Carlo error, from the variance of the two means it is made of."""
    larger = np.median(alternative) >= np.median(null)
    beyond = np.array([[n >= x - 1e-12 if larger else n <= x + 1e-12 for n in null] for x in alternative], dtype=float)
    error = np.sqrt(beyond.mean(1).var() / len(alternative) + beyond.mean(0).var() / len(null))
    return float(beyond.mean()), float(error)


@pytest.mark.parametrize("items", ["all", "bootstrap"])
@pytest.mark.parametrize("answers", ["bootstrap", "one", "all"])
def test_equals_the_procedure_answer_by_answer(items: str, answers: str) -> None:
    match = numbers_match(6, 3, seed=3)
    expected, error = share_at_least(*plain(match, items, answers, seed=1))
    test = find_procedure(f"published:{items}:{answers}")
    got = float(test.run(match, Terms(np.random.default_rng(2))).p_value)
    assert abs(got - expected) <= 5 * np.sqrt(2) * error + 1e-12


def test_the_first_answer_is_one_fixed_answer() -> None:
    # With one answer each, "first" and "all" take the same; the bootstrap of items is the only randomness left.
    match = numbers_match(8, 1, seed=4)
    p = {
        rule: float(find_procedure(f"published:bootstrap:{rule}").run(match, Terms(np.random.default_rng(0))).p_value)
        for rule in ("first", "all")
    }
    # "all" pools two answers for both null systems, "first" takes one of the pool for both: both nulls are 0.
    assert abs(p["first"] - p["all"]) <= 5 * np.sqrt(2 * 0.25 / DRAWS)


def test_all_answers_of_all_items_is_no_test_at_all() -> None:
    # Nothing is random: the null is 0 and the alternative the observed difference; p is 0 or 1.
    match = numbers_match(6, 3, seed=5)
    p = float(find_procedure("published:all:all").run(match, Terms(np.random.default_rng(0))).p_value)
    assert p < 1e-300
    same = score_systems(match.metric, match.raters, [match.a, match.a]).pair(0, 1)
    assert float(find_procedure("published:all:all").run(same, Terms(np.random.default_rng(0))).p_value) == 1.0


def test_counts_and_numbers_give_the_same_law() -> None:
    rng = np.random.default_rng(6)
    levels = np.array([0.0, 1.0, 2.0])
    g, a, b = (Counts(rng.multinomial(4, [0.5, 0.3, 0.2], size=12), levels) for _ in range(3))
    as_values = [Values(np.array([np.repeat(levels, row) for row in x.counts]), np.full(12, 4)) for x in (g, a, b)]
    test = find_procedure("published:bootstrap:bootstrap")
    p = [
        float(
            test.run(score_systems(find_metric("mae"), x, [y, z]).pair(0, 1), Terms(np.random.default_rng(0))).p_value
        )
        for x, y, z in ((g, a, b), tuple(as_values))
    ]
    assert abs(p[0] - p[1]) <= 5 * np.sqrt(2 * 0.25 / DRAWS)


def test_the_interval_is_the_papers() -> None:
    # Reverse percentile of the alternative draws: with all answers kept only items vary.
    match = numbers_match(40, 3, seed=7)
    outcome = find_procedure("published:bootstrap:all").run(match, Terms(np.random.default_rng(0)))
    d = match.differences
    # Its width is that of the percentile interval of the mean: 2 · 1.96 sd / sqrt(N), within the error of the two
    # quantiles of 1000 draws, sqrt(.025 · .975 / 1000) / φ(1.96) ≈ 0.085 sd each.
    half = 1.96 * d.std() / np.sqrt(40)
    assert abs(float(outcome.high - outcome.low) / 2 - half) <= 5 * 0.085 / np.sqrt(2) * half / 1.96 + 0.05 * half


def test_needs_single_answers_equally_many() -> None:
    ragged = Counts(np.array([[2, 1], [1, 1]]))
    even = Counts(np.array([[1, 1], [2, 0]]))
    forecast = Probabilities(np.full((2, 2), 0.5))
    test = find_procedure("published:all:bootstrap")
    for g, pair, name in ((ragged, (even, even), "agreement"), (even, (forecast, forecast), "brier")):
        match = score_systems(find_metric(name), g, list(pair)).pair(0, 1)
        with pytest.raises(InputError, match="single answers"):
            test.run(match, Terms(np.random.default_rng(0)))


def test_reverse_percentile_takes_ranks_25_and_975_of_1000() -> None:
    draws = np.random.default_rng(0).permutation(np.arange(1.0, 1001.0))
    # Ranks 25 and 975 hold the values 25 and 975: 2·500 − 975 = 25 and 2·500 − 25 = 975.
    assert reverse_percentile(500.0, draws, 0.95) == (25.0, 975.0)
    # 90 %: ranks 50 and 950.
    assert reverse_percentile(500.0, draws, 0.9) == (50.0, 950.0)


def test_reverse_percentile_of_few_draws_stays_inside() -> None:
    assert reverse_percentile(0.0, np.array([1.0, 2.0]), 0.95) == (-2.0, -1.0)
