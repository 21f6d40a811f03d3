"""p from the moments of resampled contests equals p by counting them, as the papers' procedure does."""

import numpy as np
import pytest
from scipy.stats import norm

from quorate.data.summaries import Values
from quorate.inference.procedures import Terms, find_procedure
from quorate.inference.scored_systems import score_systems
from quorate.metrics import find_metric
from quorate.reproducing.answer_sets import AnswerSets, draw_answers, find_normal, resampled_z
from quorate.reproducing.leaderboard import Draws, error_rates
from quorate.reproducing.ratings import CLASSIC, LEVEL, RESAMPLED, SIMULATED, rejection_rates
from tests.studies import pick

DRAWS = 400
NAMES = {"MAE": "mae", "Wins(MAE)": "wins:mae", "MSE": "mse"}


def one_set(seed: int, effect: float = 0.1) -> AnswerSets:
    return draw_answers(find_normal("uniform-normal"), (150,), 5, effect=effect, rng=np.random.default_rng(seed))


def counted(sets: AnswerSets, items: str, answers: str, metric: str) -> float:
    """The published procedure, 1000 resamples in each world."""
    raters, a, b = (Values(np.sort(x, axis=-1), np.full(len(x), x.shape[-1])) for x in (sets.raters, sets.a, sets.b))
    match = score_systems(find_metric(NAMES[metric]), raters, [a, b]).pair(0, 1)
    test = find_procedure(f"published:{items}:{answers}")
    return float(test.run(match, Terms(np.random.default_rng(5), resamples=1000)).p_value)


def allowed(z: float) -> float:
    """5 Monte-Carlo errors: z moves by sqrt((1 + z² / 4) / draws), counted p by at most sqrt(1/6 / 1000)."""
    moved = norm.pdf(z) * np.sqrt((1 + z**2 / 4) / DRAWS)
    return 5 * float(np.hypot(moved, np.sqrt(1 / 6 / 1000)))


@pytest.mark.parametrize(("items", "answers"), [("bootstrap", "bootstrap"), ("all", "bootstrap"), ("bootstrap", "all")])
def test_moments_and_counts_agree(items: str, answers: str) -> None:
    sets = one_set(2)
    z = resampled_z(sets, items, answers, list(NAMES), draws=DRAWS, rng=np.random.default_rng(6))
    for metric in NAMES:
        assert abs(norm.sf(abs(z[metric])) - counted(sets, items, answers, metric)) <= allowed(z[metric]), metric


def test_control_a_null_without_spread_is_told_apart() -> None:
    # With resampled answers the null world has a spread of its own; the p of "all" answers is another.
    sets = one_set(2, 0.05)
    z = resampled_z(sets, "bootstrap", "all", ["MAE"], draws=DRAWS, rng=np.random.default_rng(6))["MAE"]
    assert abs(norm.sf(abs(z)) - counted(sets, "bootstrap", "bootstrap", "MAE")) > allowed(z)


def test_tests_of_the_power_figure_keep_their_level_but_for_the_cautious_ones() -> None:
    n = 200
    rates = rejection_rates(100, 5, True, studies=n, seed=0)
    error = np.sqrt(LEVEL * (1 - LEVEL) / n)
    for test in ("permutation", "wilcoxon", SIMULATED):
        assert abs(rates[test] - LEVEL) <= 5 * error, test
    # Control: Welch ignores the pairing, and the resampled bootstrap the noise it adds itself: both reject too seldom.
    assert set(CLASSIC) <= set(rates)
    assert rates["welch"] < LEVEL
    assert rates[RESAMPLED] < LEVEL - 2 * error


def test_published_samplers_reject_equal_systems_too_often_or_never() -> None:
    n, samplers = pick(100, 400), [("bootstrap", "all"), ("bootstrap", "bootstrap")]
    every, resampled = (cell.ours for cell in error_rates(samplers, Draws(n, n_items=200)))
    assert every is not None
    assert resampled is not None
    # 0.107 in 4000 test sets with counted p-values.
    assert abs(every - 0.107) <= 5 * np.sqrt(0.107 * 0.893 * (1 / n + 1 / 4000))
    # At a true rate of 0.05 fewer than 1 % would be seen once in 170 runs of 100, once in 10⁵ of 400.
    assert resampled < 0.01
