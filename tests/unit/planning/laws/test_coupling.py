"""Quiet differences have the mean of plain ones, and far less noise."""

import numpy as np
import pytest

from quorate.data.summaries import Counts
from quorate.metrics.contests import contest
from quorate.metrics.registry import find_metric
from quorate.planning.laws.coupling import coupled, differences, quiet_differences
from quorate.planning.scenario import Scenario, draw_study
from quorate.populations.choice import find_preset
from quorate.populations.population import Answers, Draw

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
