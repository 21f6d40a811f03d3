"""Wilcoxon on a scale of levels, where most differences tie: it keeps its level under the sharp null."""

import numpy as np
from scipy.stats import wilcoxon

from quorate.inference.procedures import Terms, find_procedure
from quorate.inference.scored_systems import ScoredPair, score_systems
from quorate.metrics import find_metric
from quorate.populations.choice import find_preset
from tests.studies import pick

STUDIES, LEVEL = pick(80, 200), 0.05
ALLOWED = 5 * np.sqrt(LEVEL * (1 - LEVEL) / STUDIES)


def equal_systems() -> ScoredPair:
    """Both systems answer five times from one law, on five levels: differences are multiples of 0.04, or 0."""
    population, rng = find_preset("toxicity-likert").population, np.random.default_rng(1)
    study = population.draw(
        n_replicates=STUDIES, n_items=200, n_raters=5, answers="raters", effect=0.1, null=True, rng=rng
    )
    return score_systems(find_metric("mae"), study.raters, [study.a, study.b]).pair(0, 1)


def test_wilcoxon_keeps_its_level_where_differences_tie() -> None:
    match, ask = equal_systems(), Terms(np.random.default_rng(0))
    test = find_procedure("wilcoxon")
    p = np.array([float(test.run(match.study(i), ask).p_value) for i in range(STUDIES)])
    assert abs(np.mean(p <= LEVEL) - LEVEL) <= ALLOWED


def test_control_wins_ranked_above_equal_losses_are_caught() -> None:
    # What a last bit of difference between +0.04 and −0.04 does: all ties are broken to one side.
    d = equal_systems().differences
    p = wilcoxon(d + 1e-9 * np.abs(d), axis=-1).pvalue
    assert np.mean(p <= LEVEL) - LEVEL > ALLOWED
