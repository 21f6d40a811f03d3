"""True and estimated p-values beside their definitions."""

import numpy as np
import pytest
from scipy.stats import norm, t

from quorate.reproducing.answer_sets import AnswerSets
from quorate.reproducing.p_values import estimated_p, resampled_z, true_p


def test_population_p_counts_every_pair() -> None:
    rng = np.random.default_rng(3)
    alternative, null = rng.integers(0, 6, 40) + 1.0, rng.integers(0, 6, 40) + 0.0
    beyond = np.array([[n >= a for n in null] for a in alternative], dtype=float)
    found = true_p(alternative, null)
    assert found.p == pytest.approx(beyond.mean())
    assert found.error == pytest.approx(np.sqrt((beyond.mean(1).var() + beyond.mean(0).var()) / 40))
    assert found.error_of(160) == pytest.approx(found.error / 2)
    assert true_p(-alternative, -null).p == pytest.approx(found.p)


def test_the_law_of_p_is_a_prediction_of_the_next_z() -> None:
    z = np.array([2.0, 3.0, 4.0, 3.5, 2.5])
    reach = t.ppf(0.9995, 4) * z.std(ddof=1) * np.sqrt(1.2)
    law = estimated_p(z)
    assert law.median == pytest.approx(norm.sf(3.0))
    assert law.low == pytest.approx(norm.sf(3.0 + reach))
    assert law.high == 0.5  # 3 − reach < 0: the side may turn
    assert estimated_p(z, printed_error=0.01).high == pytest.approx(0.55)
    assert estimated_p(-z) == law
    assert estimated_p(z + 10).high == pytest.approx(norm.sf(13.0 - reach))


def test_taking_the_first_answers_leaves_a_null_of_zero() -> None:
    # Then z is the mean of resampled contests over their spread; with all items kept nothing varies at all.
    sets = AnswerSets(*(np.random.default_rng(4).normal(0.5, sd, (30, 5)) for sd in (0.3, 0.3, 0.5)))
    rng = np.random.default_rng(0)
    assert abs(resampled_z(sets, "all", "first", ["MAE"], draws=5, rng=rng)["MAE"]) > 1e6
    assert abs(resampled_z(sets, "bootstrap", "first", ["MAE"], draws=50, rng=rng)["MAE"]) < 20
