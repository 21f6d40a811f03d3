"""What a purchase promises is what comes: variances predicted for twice the experts or votes against fits to such data.

Prediction and outcome are compared on the log scale over independent crowds; their mean difference must lie within five
standard errors of 0. Wrong predictions must fail: that votes bring the variance of the AUC down by 1 / n, and that they
do nothing for that of the share of positives.
"""

from dataclasses import replace

import numpy as np
import pytest

from quorate._typing import Array
from quorate.estimating.assistance import Assistance
from quorate.estimating.evidence import Evidence
from quorate.estimating.label_metrics import METRICS
from quorate.estimating.methods.assisted import measure_assisted
from quorate.estimating.purchase import half_the_votes, learn_scaling
from quorate.estimating.study import Study
from quorate.populations.crowds import choose_experts, irt_crowd

pytestmark = pytest.mark.slow
CROWDS, ITEMS, VOTES, SHARE = 60, 3000, 4, 0.2
WRONG = {"auc": 0.5, "prevalence": 1.0}  # of the variance, left with twice the votes


def _variance(evidence: Evidence, metric: str) -> float:
    return measure_assisted(Assistance(evidence), METRICS[metric], ("system",)).variance


@pytest.fixture(scope="module", params=["auc", "prevalence"])
def ratios(request: pytest.FixtureRequest) -> Array:
    """Log of predicted over real variance with twice the experts, twice the votes, and the latter wrongly."""
    rows = []
    for number in range(CROWDS):
        rng = np.random.default_rng([number, 7])
        crowd = irt_crowd(ITEMS, rng=rng, n_votes=VOTES, scores=((1.0, 1.5),))
        known = choose_experts(ITEMS, SHARE, rng=rng)
        full = Evidence.binary(crowd.positive, crowd.total, crowd.truth, known, {"system": crowd.scores[:, 0]})
        half = half_the_votes(full, rng=rng)
        some = known & (rng.permutation(ITEMS) < ITEMS // 2)
        now, more_votes = replace(half, has_label=some), replace(full, has_label=some)
        scaling = learn_scaling(Study(now), METRICS[request.param], ("system",), rng=rng)
        assert scaling is not None
        base, times = _variance(now, request.param), known.sum() / some.sum()
        real = [_variance(each, request.param) for each in (half, more_votes)]
        guess = [scaling(times, 1), scaling(1, 2), WRONG[request.param]]
        rows.append(np.log([base * guess[0] / real[0], base * guess[1] / real[1], base * guess[2] / real[1]]))
    return np.array(rows)


@pytest.mark.parametrize("what", [0, 1], ids=["experts", "votes"])
def test_predicted_variances_come_true(ratios: Array, what: int) -> None:
    error = ratios[:, what].std(ddof=1) / np.sqrt(CROWDS)
    assert abs(ratios[:, what].mean()) <= 5 * error


def test_control_wrong_predictions_are_told_apart(ratios: Array) -> None:
    error = ratios[:, 2].std(ddof=1) / np.sqrt(CROWDS)
    assert abs(ratios[:, 2].mean()) > 5 * error
