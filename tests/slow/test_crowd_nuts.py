"""The fast engine against NumPyro's No-U-Turn sampler: the same posterior of all seven parameters.

Means, standard deviations and 2.5 and 97.5 % quantiles differ by no more than five Monte-Carlo errors of both engines.
"""

import numpy as np
import pytest

from quorate._typing import Array
from quorate.estimating.evidence import Evidence
from quorate.estimating.posterior.cut import VoteDraws, sample_scores, sample_votes
from quorate.estimating.score_model import calibrate, observe_wins
from quorate.estimating.vote_model import VoteParameters, VoteSets, vote_law, vote_sets
from quorate.populations.crowds import CROWDS, choose_experts

pytest.importorskip("numpyro", reason="the reference engine is an extra: pip install 'quorate[nuts]'")
from quorate.estimating.posterior.nuts import sample_scores_nuts, sample_votes_nuts, to_arviz

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of jax and arviz
N_ITEMS, SIZE, PAIRS = 10_000, 4000, 120
NAMES = ("phi", "a0", "a1", "lambda0", "lambda1")


@pytest.fixture(scope="module", params=[(crowd, share) for crowd in ("maven", "irt") for share in (0.02, 0.05, 0.2)])
def evidence(request: pytest.FixtureRequest) -> Evidence:
    crowd, share = request.param
    rng = np.random.default_rng(11)
    drawn = CROWDS[crowd].draw(N_ITEMS, rng=rng)
    known = choose_experts(N_ITEMS, share, rng=rng)
    return Evidence.binary(drawn.positive, drawn.total, drawn.truth, known, {"system": drawn.scores[:, 0]})


def _sets(evidence: Evidence) -> tuple[VoteSets, Array]:
    return vote_sets(evidence.positive, evidence.total, evidence.label, evidence.has_label)


def _columns(parameters: VoteParameters) -> Array:
    return np.column_stack([parameters.prevalence, parameters.rate, parameters.correlation])


def _summary(values: Array, effective: float) -> tuple[Array, Array]:
    """Mean, sd and two quantiles of draws, and the standard error of each."""
    sd, n = values.std(), effective
    fourth = ((values - values.mean()) ** 4).mean() / sd**4
    stats, errors = [values.mean(), sd], [sd / np.sqrt(n), sd * np.sqrt((fourth - 1) / (4 * n))]
    for p in (0.025, 0.975):
        near = np.quantile(values, np.clip([p - 0.015, p, p + 0.015], 0.002, 0.998))
        slope = (near[2] - near[0]) / 0.03  # one over the density
        stats.append(near[1])
        errors.append(slope * np.sqrt(p * (1 - p) / n))
    return np.array(stats), np.array(errors)


def _agree(one: Array, other: Array, effective: tuple[float, float]) -> Array:
    (a, error_a), (b, error_b) = _summary(one, effective[0]), _summary(other, effective[1])
    return np.asarray(np.abs(a - b) <= 5 * np.hypot(error_a, error_b))


def _both_vote_engines(evidence: Evidence) -> tuple[VoteDraws, VoteDraws]:
    sets, _ = _sets(evidence)
    fast = sample_votes(sets, size=SIZE, rng=np.random.default_rng(0))
    slow = sample_votes_nuts(sets, size=SIZE, thin=1)
    return fast, slow


def test_vote_model(evidence: Evidence) -> None:
    fast, slow = _both_vote_engines(evidence)
    assert slow.r_hat is not None
    assert slow.r_hat < 1.01
    pairs = zip(NAMES, _columns(fast.parameters).T, _columns(slow.parameters).T, strict=True)
    effective = min(fast.effective, SIZE), slow.effective
    wrong = [name for name, one, other in pairs if not _agree(one, other, effective).all()]
    assert wrong == []
    assert set(to_arviz(slow).posterior.data_vars) >= {"phi", "a1", "share"}


def test_control_another_posterior_is_told_apart(evidence: Evidence) -> None:
    fast = sample_votes(_sets(evidence)[0], size=SIZE, rng=np.random.default_rng(0))
    shifted = _columns(fast.parameters)
    shifted = shifted + 0.25 * shifted.std(0)
    effective = fast.effective, fast.effective
    agreed = [
        _agree(one, other, effective)[0] for one, other in zip(_columns(fast.parameters).T, shifted.T, strict=True)
    ]
    assert not any(agreed)


def test_score_model_given_the_same_votes(evidence: Evidence) -> None:
    sets, member = _sets(evidence)
    draws = sample_votes(sets, size=PAIRS, rng=np.random.default_rng(1))
    law = vote_law(draws.parameters, sets)
    wins = observe_wins(evidence.scores["system"], member, sets)
    model = calibrate(law, wins)
    fast = sample_scores(law, wins, model, rng=np.random.default_rng(2))
    slow = sample_scores_nuts(law, wins, model)
    for name in ("shift", "slope"):
        assert _agree(getattr(fast, name), getattr(slow, name), (PAIRS, PAIRS)).all(), name
