"""The law of one item's difference: exact power, ties, and what few items promise."""

from itertools import product
from math import comb, factorial, isnan, prod

import numpy as np
import pytest

from quorate._typing import Array
from quorate.inference.means import mean_pivot
from quorate.inference.outcome import verdict
from quorate.metrics.registry import find_metric
from quorate.planning.laws.draws import sampled_law
from quorate.planning.laws.exact import Design, exact_laws
from quorate.planning.laws.item_law import exact_law
from quorate.planning.promises.closed_forms import MOST_POINTS, lattice_step, tie_p, transform_length, trinomial_chance
from quorate.planning.promises.small_studies import DRAWN_P, StudyDraws, law_atoms, small_studies
from quorate.populations.dirichlet import DirichletPopulation

RNG = np.random.default_rng


def chance_by_hand(
    values: list[float], weights: list[float], n: int, accepted: set[str], margin: float | None
) -> float:
    """Sum the multinomial chance of every composition of N items whose verdict, by the test itself, is accepted."""
    counted = [counts for counts in product(range(n + 1), repeat=len(values)) if sum(counts) == n]
    d = np.stack([np.repeat(values, counts) for counts in counted])
    outcome = mean_pivot(d, reach=max(map(abs, values)), unseen=margin is not None).outcome(0.95)
    total = 0.0
    for row, counts in enumerate(counted):
        at, low, high, p = (float(x[row]) for x in (outcome.difference, outcome.low, outcome.high, outcome.p_value))
        identical = not d[row].any() and (margin is None or high >= margin)  # a gate's view of identical
        found = verdict(at, low, high, p, level=0.05, margin=margin, identical=identical)
        if found in accepted:
            ways = factorial(n) // prod(map(factorial, counts))
            total += ways * float(np.prod(np.power(weights, counts)))
    return total


@pytest.mark.parametrize("n", [6, 7, 20])
@pytest.mark.parametrize(
    ("values", "weights"),
    [
        ([-1.0, 0.0, 1.0], [0.1, 0.5, 0.4]),
        ([-0.25, 0.0, 0.25], [0.3, 0.2, 0.5]),
        ([-1.0, 1.0], [0.3, 0.7]),
        ([0.0, 0.5], [0.6, 0.4]),
        ([-2 / 3, 1 / 3], [0.25, 0.75]),
        ([-0.9, 0.1, 1.1], [0.2, 0.5, 0.3]),  # a pilot's differences, moved
    ],
)
def test_power_of_two_or_three_values_is_exact(values: list[float], weights: list[float], n: int) -> None:
    law = exact_law(np.array(values), np.array(weights))
    power, worse, _ = law.chances(n, 0.95, margin=0.2, studies=StudyDraws())
    passing = {"a_better", "equivalent", "not_worse"}
    assert power == pytest.approx(chance_by_hand(values, weights, n, {"a_better"}, None), abs=1e-12)
    assert worse == pytest.approx(chance_by_hand(values, weights, n, passing, 0.2), abs=1e-12)


def test_two_studies_of_the_same_law_have_the_same_power_by_drawing() -> None:
    values, weights = np.array([-1.0, 0.0, 1.0]), np.array([0.1, 0.5, 0.4])
    sizes = (2, 3, 5, 8, 12)  # includes sizes at which equal differences decide nothing
    for n, drawn in zip(
        sizes, small_studies(law_atoms(values, weights), None, sizes, 0.95, 0.2, StudyDraws(), reach=1.0), strict=True
    ):
        by_hand = chance_by_hand(values.tolist(), weights.tolist(), n, {"a_better"}, None)
        equal = chance_by_hand(values.tolist(), weights.tolist(), n, {"equivalent"}, 0.2)
        assert drawn.better == pytest.approx(by_hand, abs=5 * 0.5 / np.sqrt(4 * DRAWN_P))
        assert drawn.equivalent == pytest.approx(equal, abs=5 * 0.5 / np.sqrt(4 * DRAWN_P))


def test_one_item_promises_no_power_but_has_an_expected_p() -> None:
    # alternative 1 or 0 with ½ each, null −1 or 1 with ½ each: P(null ≥ alternative) = ½ · ½ + ½ · ½ = ½
    law = exact_law(np.array([0.0, 1.0]), np.array([0.5, 0.5]), np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    promise = law.promise(1, 0.95, studies=StudyDraws())
    assert promise.power == 0.0
    assert isnan(promise.ci_width)
    assert promise.expected_p == pytest.approx(0.5)
    assert promise.expected_p_error == 0.0


def test_equal_differences_are_decided_by_the_sign_test() -> None:
    law = exact_law(np.array([0.5]), np.array([1.0]))
    assert [law.promise(n, 0.95, studies=StudyDraws()).power for n in (1, 2, 5, 6, 2000)] == [
        0,
        0,
        0,
        1,
        1,
    ]  # 2^−4 > 0.05 ≥ 2^−5
    assert law.promise(8, 0.99, studies=StudyDraws()).power == 1.0
    assert law.promise(7, 0.99, studies=StudyDraws()).power == 0.0  # 2^−6 > 0.01


def test_identical_systems_never_win_and_pass_a_margin() -> None:
    law = exact_law(np.array([0.0]), np.array([1.0]))
    promise = law.promise(40, 0.95, margin=0.1, studies=StudyDraws())
    assert (promise.power, promise.worse, promise.equivalent, promise.ci_width) == (0.0, 1.0, 1.0, 0.0)


def ties_by_hand(law: dict[float, float], null: dict[float, float], n: int) -> float:
    def totals(one: dict[float, float]) -> dict[float, float]:
        found = {0.0: 1.0}
        for _ in range(n):
            step: dict[float, float] = {}
            for (a, p), (b, q) in product(found.items(), one.items()):
                key = round(a + b, 9)
                step[key] = step.get(key, 0.0) + p * q
            found = step
        return found

    return sum(p * q for (a, p), (b, q) in product(totals(law).items(), totals(null).items()) if b >= a - 1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_expected_p_counts_ties(n: int) -> None:
    law = {-1.0: 0.1, -0.5: 0.1, 0.0: 0.4, 0.5: 0.3, 1.0: 0.1}
    null = {-1.0: 0.1, -0.5: 0.2, 0.0: 0.4, 0.5: 0.2, 1.0: 0.1}
    arrays = [np.array(list(x)) for x in (law, law.values(), null, null.values())]
    found = tie_p(*arrays, step=0.5, n_items=n, size=8 * n + 1)
    assert found == pytest.approx(ties_by_hand(law, null, n), abs=1e-12)
    without = ties_by_hand({k + 1e-6: p for k, p in law.items()}, null, n)
    assert abs(found - without) > 0.01  # negative control: ties are not nothing


@pytest.mark.parametrize("rare", [0.3, 0.01, 1e-4])
def test_the_points_around_the_mean_are_enough(rare: float) -> None:
    values, weights = np.array([-1.0, 0.0, 4.0]), np.array([rare, 1 - 3 * rare, 2 * rare])
    null = np.array([rare, 1 - 2 * rare, rare])
    worlds, n = (values, weights, np.array([-2.0, 0.0, 2.0]), null), 20_000
    variance = float(values**2 @ weights - (values @ weights) ** 2 + 8 * rare)
    size = transform_length(values, worlds[2], 1.0, n, variance)
    whole, window, narrow = (tie_p(*worlds, step=1.0, n_items=n, size=m) for m in (9 * n + 1, size, size // 12))
    assert size < n
    assert window == pytest.approx(whole, abs=1e-11)
    assert abs(narrow - whole) > 1e-11 or whole < 1e-11  # negative control: too few points are noticed


def test_expected_p_beyond_the_transform_continues_it() -> None:
    values, weights = np.array([-1, 0, 0.01, 1.0]), np.array([0.2, 0.3, 0.21, 0.29])
    law = exact_law(values, weights, values, np.array([0.25, 0.25, 0.25, 0.25]))
    assert lattice_step(values) == pytest.approx(0.01)
    variance = law.sd**2 + law.null_sd**2
    lengths = np.array([transform_length(values, values, 0.01, n, variance) for n in range(1, 9000)])
    inside = int(np.flatnonzero(lengths <= MOST_POINTS)[-1] + 1)
    assert law.few < inside < 8999
    p = [law.expected_p(n, studies=StudyDraws())[0] for n in (inside, inside + 1)]
    spread = np.sqrt(variance)  # of one item: the normal limit moves by φ(z) dz
    z = law.mean / spread * np.sqrt(inside)
    moved = law.mean / spread * (np.sqrt(inside + 1) - np.sqrt(inside))
    assert p[0] - p[1] == pytest.approx(np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * moved, abs=2e-4)


@pytest.mark.parametrize(
    ("values", "step"), [([-1, 0, 1], 1), ([0.2, -0.5], 0.1), ([1 / 3, 1], 1 / 3), ([0.0], 0), ([1.0, np.sqrt(2)], 0)]
)
def test_lattice_step(values: list[float], step: float) -> None:
    assert lattice_step(np.array(values, dtype=float)) == pytest.approx(step, abs=1e-9)


def test_trinomial_chance_at_the_extremes() -> None:
    assert trinomial_chance(0.0, 1.0, 1.0, 50, 2.0, 0.0) == pytest.approx(1.0)
    assert trinomial_chance(1.0, 0.0, 1.0, 50, 2.0, 0.0) == pytest.approx(0.0, abs=1e-300)
    assert trinomial_chance(0.2, 0.2, 1.0, 200_000, 1.96, -0.5) == pytest.approx(1.0)
    assert all(trinomial_chance(0.2, 0.25, 1.0, n, 1.96, -0.5) <= 1.0 for n in (50_000, 150_000, 200_000))
    # one discordant item in ten: at least one must be there for the bound −1e-9 to be missed by nothing
    assert trinomial_chance(0.0, 0.1, 1.0, 10, 2.26, -1e-3) == pytest.approx(
        sum(comb(10, k) * 0.1**k * 0.9 ** (10 - k) for k in range(11) if k == 0 or passes(k, 10)), abs=1e-12
    )


def passes(k: int, n: int) -> bool:
    d = np.array([1.0] * k + [0.0] * (n - k))
    return bool(d.mean() - 2.26 * d.std(ddof=1) / np.sqrt(n) > -1e-3)


def test_a_known_mean_is_met_and_ties_stay_ties() -> None:
    draws = RNG(0).choice([-1.0, 0.0, 1.0], p=[0.2, 0.5, 0.3], size=5000)
    law = sampled_law(draws, draws, mean=0.12, mean_error=0.001)
    assert law.mean == pytest.approx(0.12)
    assert law.values.tolist() == [-1.0, 0.0, 1.0]
    assert law.null_values is not None
    assert law.null_values @ law.null_weights == pytest.approx(0.0, abs=1e-15)  # symmetric, as the null world is
    smooth = sampled_law(RNG(0).normal(0.1, 1.0, 20_000), mean=0.12)
    assert smooth.mean == pytest.approx(0.12)
    assert smooth.span == 0.0


def test_swapping_the_systems_flips_the_law() -> None:
    values: Array = np.array([-0.5, 0.0, 0.5, 1.0])
    weights = np.array([0.1, 0.3, 0.4, 0.2])
    law, swapped = exact_law(values, weights), exact_law(-values, weights)
    assert swapped.mean == pytest.approx(-law.mean)
    assert swapped.sd == pytest.approx(law.sd)
    assert swapped.skewness == pytest.approx(-law.skewness)
    one, other = (x.chances(500, 0.95, margin=0.3, studies=StudyDraws()) for x in (law, swapped))
    assert one[0] > 0.99
    assert other[0] < 1e-6


def test_errors_of_simulated_laws_are_reported() -> None:
    law = sampled_law(RNG(0).normal(0.1, 1.0, 10_000), RNG(1).normal(0, 1, 10_000))
    promise = law.promise(700, 0.95, studies=StudyDraws())
    # power moves by φ(z) √N times the error of the mean, sd / 100; plus the part of the sd, √(1/2n) (z + t)
    z = law.mean / law.sd * np.sqrt(700) - 1.963
    expected = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * np.hypot(0.01 * np.sqrt(700), (z + 1.96) * np.sqrt(0.5 / 1e4))
    assert promise.power_error == pytest.approx(expected, rel=0.02)
    assert promise.expected_p_error > 0


def test_a_known_mean_is_met_with_many_values_and_ties() -> None:
    # Two thirds of the draws are ties at 1, the rest are 6000 distinct values: more than are tallied as few.
    draws = np.concatenate([np.ones(12_000), np.linspace(-3.0, 0.0, 6000)])
    law = sampled_law(np.concatenate([draws[:8192], draws[8192:]]), mean=0.25)
    assert law.mean == pytest.approx(0.25, abs=1e-12)


def test_logarithms_live_on_no_lattice() -> None:
    """KL with 1e-12 at four raters: 28.7 = log(3 · 10¹²) was once taken for the common step of all differences."""
    world, kl = DirichletPopulation((10.0, *(3.0,) * 4)), find_metric("kl", variant="paper")
    values = exact_laws(Design(world, 3, 3), [kl], 0.4)["kl"].values
    assert len(values) < 500
    assert lattice_step(values) == 0.0
    assert lattice_step(np.array([0.25, 0.6, 1.0])) == pytest.approx(0.05)
    for step in (1 / 3, 1 / 7, 1 / 480):
        assert lattice_step(step * np.array([-7.0, 3.0, 0.0, 2.0, 11.0])) == pytest.approx(step)


def test_a_coin_by_hand() -> None:
    # (t + z) / √400 with t = 1.966 and z = 0.842
    coin = exact_law(np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    assert coin.smallest_seen(400, 0.95, 0.8) == pytest.approx(0.1404, abs=5e-5)
    assert coin.lost_chance(400, 0.95, 0.0) == pytest.approx(0.025, abs=5e-4)
