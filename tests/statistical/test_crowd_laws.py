"""Generators, imputation in blocks and the test of the experts' selection: moments, error rates, controls."""

import numpy as np
import pytest
from scipy import stats

from quorate.estimating.checks import expert_selection
from quorate.estimating.evidence import Evidence
from quorate.estimating.imputation import draw_labels, label_chances, rank_blocks
from quorate.estimating.label_metrics import METRICS, LabelDraws
from quorate.estimating.posterior.cut import ScoreDraws
from quorate.estimating.score_ranks import ScoreRanks
from quorate.estimating.vote_model import VoteParameters, vote_law, vote_sets
from quorate.populations.crowds import SHAPES, choose_experts, copula_crowd, irt_crowd, maven_crowd

N = 200_000


def test_mavens_own_process_has_its_moments() -> None:
    crowd = maven_crowd(N, rng=np.random.default_rng(0))
    for y, (rate, count) in enumerate([(0.1, (crowd.truth == 0).sum()), (0.6, (crowd.truth == 1).sum())]):
        share = crowd.positive[crowd.truth == y] / 3
        assert share.mean() == pytest.approx(rate, abs=5 * share.std() / np.sqrt(count))
        # two votes on an item correlate 1 / (1 + 1.5): Var(V / 3) = a(1 - a) (1 + 2 * 0.4) / 3
        variance = rate * (1 - rate) * 1.8 / 3
        error = np.sqrt(((share - share.mean()) ** 2).var() / count)
        assert share.var() == pytest.approx(variance, abs=5 * error)
    # E[X | Y] = mu Y + delta a_Y
    for y, mean in ((0, 0.3), (1, 0.5 + 1.8)):
        scores = crowd.scores[crowd.truth == y, 0]
        assert scores.mean() == pytest.approx(mean, abs=5 * scores.std() / np.sqrt(len(scores)))


def test_item_response_votes_have_the_mean_of_the_sigmoid() -> None:
    crowd = irt_crowd(N, rng=np.random.default_rng(1), n_voters=2000)
    rng = np.random.default_rng(2)
    for y in (0, 1):
        gap = rng.normal(3, 2, 10**6) - rng.normal(0.5, 2, 10**6)
        expected = (1 / (1 + np.exp(1 - gap * (2 * y - 1)))).mean()
        share = crowd.positive[crowd.truth == y] / 3
        # items of one panel share its 2000 voters: their skill adds 0.1 / sqrt(2000) to the error
        error = np.hypot(share.std() / np.sqrt(len(share)), 0.3 / np.sqrt(2000))
        assert share.mean() == pytest.approx(expected, abs=5 * error)
    assert crowd.rater is not None
    assert (np.sort(crowd.rater, 1)[:, 1:] > np.sort(crowd.rater, 1)[:, :-1]).all()  # no voter twice on an item


@pytest.mark.parametrize("shape", SHAPES)
def test_copula_scores_have_the_share_of_positives_and_a_rising_calibration_curve(shape: str) -> None:
    crowd = copula_crowd(N, shape=shape, rng=np.random.default_rng(3))
    assert crowd.truth.mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / N))
    order = np.argsort(crowd.scores[:, 0])
    share = crowd.truth[order].reshape(10, -1).mean(1)
    assert (np.diff(share) > -5 * np.sqrt(2 * 0.25 / (N / 10))).all()
    assert share[-1] - share[0] > 0.1


def test_blocks_impute_like_single_items() -> None:
    theta = VoteParameters(np.full(400, 0.4), np.tile([0.2, 0.6], (400, 1)), np.tile([2.0, 3.0], (400, 1)))
    draws = ScoreDraws(np.full(400, 0.8), np.full(400, 1.7), 0.0, 1.0)
    crowd = maven_crowd(3000, rng=np.random.default_rng(4), prevalence=0.4, rate=(0.2, 0.6), scale=(2.0, 3.0))
    sets, member = vote_sets(
        crowd.positive, crowd.total, crowd.truth, choose_experts(3000, 0.1, rng=np.random.default_rng(5))
    )
    values = {}
    for most in (150, 3000, 6):
        rng = np.random.default_rng(6)
        blocks = rank_blocks(crowd.scores[:, 0], member, len(sets.size), most=most, rng=rng)
        chances = label_chances(vote_law(theta, sets), draws, sets, blocks, rng=rng)
        labels = draw_labels(chances, blocks, rng=rng)
        values[most] = METRICS["auc"](LabelDraws(labels, blocks.score, np.zeros(len(sets.size))))
    error = 5 * np.sqrt(2 * values[3000].var() / 400)
    assert values[150].mean() == pytest.approx(values[3000].mean(), abs=error)
    assert values[150].std() == pytest.approx(values[3000].std(), abs=5 * values[3000].std() / np.sqrt(400))
    assert abs(values[6].mean() - values[3000].mean()) > error  # control: six blocks are too few


@pytest.mark.parametrize(("slope", "rejects"), [(0.0, False), (1.0, True)])
def test_selection_test_keeps_its_level_and_sees_a_choice_by_score(slope: float, rejects: bool) -> None:
    rng = np.random.default_rng(7)
    rejected = []
    for _ in range(400):
        votes = rng.integers(0, 4, 600)
        score = votes + rng.normal(size=600)
        chance = 0.15 * np.exp(slope * (score - votes))
        evidence = Evidence.binary(votes, np.full(600, 3), votes > 1, rng.random(600) < chance)
        rejected.append(expert_selection(ScoreRanks.of(score), evidence, rng=rng).p_value < 0.05)
    low, high = stats.binom.interval(1 - 5.7e-7, 400, 0.05)
    assert (not low <= sum(rejected) <= high) == rejects
