"""Quiet differences have the mean of plain ones and far less noise; weights and means meet what is known."""

import numpy as np
import pytest

from quorate.data.summaries import Counts
from quorate.metrics.contests import contest
from quorate.metrics.registry import find_metric
from quorate.planning.laws.draws import coupled, differences, quiet_differences, regressed, sampled_law, tilted
from quorate.planning.scenario import Scenario, draw_study
from quorate.populations.choice import find_preset
from quorate.populations.population import AnswerLaws, Answers, Draw

N = 60_000
CASES: list[tuple[str, str, Answers, int, float, float]] = [
    ("multidomain", "emd", 1, 1, 0.2, 0.0),
    ("multidomain", "mae", 1, 3, 0.3, 0.1),
    ("toxicity-likert", "crps", 1, 2, 0.2, 0.0),
    ("toxicity-likert", "crps", 3, 2, 0.3, 0.05),
    ("uniform-normal", "crps", 1, 3, 0.1, 0.0),
    ("uniform-normal", "crps", 3, 2, 0.1, 0.0),
    ("uniform-normal", "mae", 1, 1, 0.1, 0.0),
    ("uniform-normal", "mse", 2, 3, 0.2, 0.1),
    ("uniform-normal", "emd", 3, 3, 0.1, 0.0),
    ("dices", "brier", 2, 2, 0.4, 0.1),
    ("dices", "jensen_shannon", 2, 2, 0.4, 0.1),
    ("dices", "accuracy", 5, 4, 0.4, 0.1),
    ("dices", "total_variation", "raters", 20, 0.4, 0.0),
    ("dices", "wins:total_variation", 5, 4, 0.2, 0.0),
    ("unbalanced-5", "wins:kl", 3, 3, 0.4, 0.1),
    ("uniform-normal", "wins:mae", 1, 3, 0.1, 0.0),
    ("uniform-normal", "wins:mse", 2, 2, 0.3, 0.1),
]


@pytest.mark.parametrize(("preset", "metric", "answers", "n_raters", "effect", "effect_a"), CASES)
def test_same_mean_less_noise(
    preset: str, metric: str, answers: Answers, n_raters: int, effect: float, effect_a: float
) -> None:
    scenario = Scenario(find_preset(preset).population, find_metric(metric), effect, effect_a, answers, seed=1)
    quiet = quiet_differences(scenario, N, n_raters, "0")
    assert quiet is not None
    study = draw_study(scenario, (1, N), n_raters, rng=np.random.default_rng(2))
    plain = differences(scenario.metric, Draw(study.raters.take(0), study.a.take(0), study.b.take(0)))
    error = np.hypot(quiet.std(), plain.std()) / np.sqrt(N)
    assert abs(quiet.mean() - plain.mean()) < 5 * error
    assert quiet.std() < 0.9 * plain.std()
    assert abs(quiet.mean()) > 5 * quiet.std() / np.sqrt(N)  # negative control: no difference would be told apart


def test_wins_of_systems_that_agree_are_never_made_quiet() -> None:
    together = Scenario(find_preset("dices").population, find_metric("wins:kl"), 0.3, agree=0.5)
    assert quiet_differences(together, 10, 3, "0") is None


def test_coupling_a_to_its_own_b_would_be_wrong_for_wins() -> None:
    """Negative control: the wins of A over the B coupled to it have another mean, many errors away."""
    rng, world, wins = np.random.default_rng(0), find_preset("dices").population, find_metric("wins:total_variation")
    quiet = quiet_differences(Scenario(world, wins, 0.3, answers=4), N, 4, "0")
    assert quiet is not None
    laws = world.answer_laws((N,), effect=0.3, rng=rng)
    people, a = (Counts(rng.multinomial(4, laws.a)) for _ in "ra")
    wrong = contest(wins, people, a, coupled(a, laws, rng))
    assert abs(wrong.mean() - quiet.mean()) > 5 * np.hypot(wrong.std(), quiet.std()) / np.sqrt(N)


def test_weights_meet_mean_and_square() -> None:
    d = np.random.default_rng(0).standard_t(4, 5000)
    targets = np.array([0.05, 2.3])
    weights = tilted(np.full(5000, 1 / 5000), np.stack([d, d**2]), targets)
    assert weights is not None
    assert weights.min() > 0
    np.testing.assert_allclose([weights.sum(), weights @ d, weights @ d**2], [1.0, *targets], rtol=1e-7)


def test_what_cannot_be_met_is_none() -> None:
    fair = np.full(2, 0.5)
    assert tilted(fair, np.array([[-1.0, 1.0]]), np.array([2.0])) is None
    assert tilted(fair, np.array([[1.0, 1.0]]), np.array([1.0])) is None


def test_regression_is_the_known_mean_where_the_outcome_is_linear() -> None:
    x = np.random.default_rng(1).normal(size=(2, 400))
    means, residuals = regressed((x[0] + 3 * x[1])[None], x, np.zeros(2))
    assert means[0] == pytest.approx(0.0, abs=1e-12)
    assert np.abs(residuals).max() < 1e-12


def test_regression_without_controls_is_the_mean() -> None:
    y = np.arange(6.0)[None]
    means, residuals = regressed(y, np.empty((0, 6)), np.empty(0))
    assert means[0] == 2.5
    np.testing.assert_allclose(residuals, y - 2.5)


def test_a_sampled_law_keeps_its_values_and_takes_its_moments() -> None:
    draws = np.array([-1.0, 0.0, 0.0, 1.0, 1.0])
    law = sampled_law(draws, draws, mean=0.1, mean_error=0.01, squares=(0.5, 0.4), spread_error=0.02, n_items=5)
    np.testing.assert_allclose(law.values, [-1, 0, 1])
    np.testing.assert_allclose(law.weights, [0.2, 0.5, 0.3], atol=1e-8)
    assert law.null_sd**2 == pytest.approx(0.4)
    assert (law.draws, law.sd_error) == (5, 0.02)


def test_a_mean_by_hand() -> None:
    np.testing.assert_allclose(sampled_law(np.array([0.0, 1.0, 1.0, 0.0]), mean=0.6).weights, [0.4, 0.6])
    x = np.array([[0.0, 1.0, 1.0, 1.0]])
    means, residuals = regressed(2 * x + 1, x, np.array([0.5]))
    assert means == pytest.approx(2.0)
    assert np.abs(residuals).max() < 1e-12


def test_the_same_law_is_coupled_answer_by_answer() -> None:
    law = np.array([[0.2, 0.8]])
    b = coupled(Counts(np.array([[3, 4]])), AnswerLaws(raters=law, a=law, b=law), np.random.default_rng(0))
    assert b.counts.tolist() == [[3, 4]]
