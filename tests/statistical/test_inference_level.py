"""Error rates and coverage of the tests on simulated studies.

A test keeps its level if its rejection rate, give or take five binomial standard errors, meets [0.04, 0.06]; an
interval if its coverage meets [0.93, 0.97] in the same way. Each check has a control that must fail it.
"""

import numpy as np
import pytest

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts, Summary, Values
from quorate.inference.means import mean_test
from quorate.inference.procedures import Terms, find_procedure
from quorate.inference.published import reverse_percentile
from quorate.inference.scored_systems import ScoredPair, score_systems
from quorate.metrics import find_metric
from tests.studies import large, pick

Z = 5.0
STUDIES = pick(500, 2000)
ALPHA = np.array([1.5, 0.6, 0.4, 0.8])
LEVELS = np.array([0.0, 1.0, 2.0, 4.0])


def meets(rate: float, n: int, low: float, high: float) -> bool:
    """Tell whether a rate from n studies is compatible with lying between two bounds."""
    return bool(low - Z * np.sqrt(low * (1 - low) / n) <= rate <= high + Z * np.sqrt(high * (1 - high) / n))


def keeps_level(p: Array) -> bool:
    return meets(float((p <= 0.05).mean()), len(p), 0.04, 0.06)


def categories(
    key: str, n_studies: int, n_items: int, *, answers: tuple[int, int] = (1, 1), raters: int = 5, noise: float = 0.0
) -> tuple[Counts, Counts, Counts]:
    """Raters, A and B of many studies; B answers from (1 − noise) β + noise / M."""
    rng = generator(0, "inference-level", key)
    beta = rng.dirichlet(ALPHA, size=(n_studies, n_items))
    law_b = (1 - noise) * beta + noise / len(ALPHA)
    return (
        Counts(rng.multinomial(raters, beta), LEVELS),
        Counts(rng.multinomial(answers[0], beta), LEVELS),
        Counts(rng.multinomial(answers[1], law_b), LEVELS),
    )


def matchup(metric: str, raters: Summary, a: Summary, b: Summary) -> ScoredPair:
    return score_systems(find_metric(metric, positive=1), raters, [a, b]).pair(0, 1)


def p_values(test: str, match: ScoredPair, resamples: int = 399) -> Array:
    """p-values of many studies, at once where the test can do that."""
    procedure = find_procedure(test)
    rng = generator(0, "inference-level", "test", test)
    if procedure.many(match):
        return procedure.run(match, Terms(rng)).p_value
    studies = range(len(match.differences))
    return np.array([float(procedure.run(match.study(k), Terms(rng, resamples=resamples)).p_value) for k in studies])


# Type-I error


@pytest.mark.parametrize("metric", ["agreement", "brier", "crps", "mae", "total_variation", "kl", "wins:mae"])
@pytest.mark.parametrize("n_items", pick([30], [30, 100]))
def test_the_default_keeps_its_level_for_item_scores(metric: str, n_items: int) -> None:
    assert keeps_level(p_values("default", matchup(metric, *categories("items", STUDIES, n_items))))


def test_control_items_that_move_together_break_the_level_unless_clusters_are_drawn() -> None:
    # Every item stands four times in the study: 60 clusters of four.
    raters, a, b = (
        Counts(np.repeat(x.counts, 4, axis=1), LEVELS) for x in categories("clusters", pick(1000, 3000), 60)
    )
    match = matchup("agreement", raters, a, b)
    assert not keeps_level(mean_test(match.differences).p_value)
    assert keeps_level(mean_test(match.differences, clusters=np.arange(240) // 4).p_value)


def test_the_default_keeps_its_level_for_a_set_score_of_few_items() -> None:
    assert keeps_level(p_values("default", matchup("f1", *categories("sets", pick(100, 300), 30))))


def test_rescaling_a_system_does_not_matter_to_the_default_and_silences_the_plain_permutation() -> None:
    # Equal rank correlations, B on another scale. Swapping raw answers mixes the scales: the law is far too wide. The
    # default swaps ranks, studentised. (The plain law of the control is that of Spearman on swapped raw means.)
    rng = generator(0, "inference-level", "rescaled")
    n_studies, n_items = 1000, 30
    truth = rng.random((n_studies, n_items))
    g, a, b = (truth + rng.normal(0, 0.3, truth.shape) for _ in range(3))
    size = np.ones(truth.shape, dtype=int)
    summaries = [Values(x[..., None], size) for x in (g, a, 3 + 10 * b)]
    match = matchup("spearman", *summaries)
    few = matchup("spearman", *(x.take(np.arange(pick(80, 250))) for x in summaries))
    assert keeps_level(p_values("default", few))
    metric = find_metric("spearman")
    beyond = np.zeros(n_studies)
    for _ in range(99):
        swap = rng.random(truth.shape) < 0.5
        left, right = (np.where(swap == side, a, 3 + 10 * b) for side in (False, True))
        scores = [metric.score(summaries[0], Values(x[..., None], size)) for x in (left, right)]
        beyond += np.abs(scores[0] - scores[1]) >= np.abs(match.score_a - match.score_b)
    assert not keeps_level((beyond + 1) / 100)


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "wilcoxon"])
def test_tests_by_name_keep_their_level(test: str) -> None:
    raters, a, b = normal_world(f"named {test}", pick(200, 700), 40)
    assert keeps_level(p_values(test, matchup("mae", raters, a, b)))


def test_control_welch_does_not_because_it_ignores_the_pairs() -> None:
    raters, a, b = normal_world("welch", 2000, 40, shared=0.5)
    match = matchup("mae", raters, a, b)
    assert keeps_level(p_values("default", match))
    assert not keeps_level(p_values("welch", match))


def test_mcnemar_never_rejects_too_often() -> None:
    # Exact and discrete: at most the level. The control is its plain normal form without correction on few items.
    match = matchup("accuracy", *categories("mcnemar", 2000, 30, raters=1))
    p = p_values("mcnemar", match)
    assert meets(float((p <= 0.05).mean()), len(p), 0.0, 0.05)


def normal_world(
    key: str, n_studies: int, n_items: int, *, effect: float = 0.0, shared: float = 0.0, answers: int = 1
) -> tuple[Values, Values, Values]:
    """Raters, A and B answer around the item's mean; B is shifted by U(−effect, effect), `shared` moves the raters."""
    rng = generator(0, "inference-level", "normal", key)
    middle = rng.random((n_studies, n_items, 1))
    spread = 0.3 * rng.random(middle.shape)
    away = shared * rng.normal(size=middle.shape)
    shift = np.clip(middle + effect * rng.uniform(-1, 1, middle.shape), 0, 1) if effect else middle
    drawn = (
        np.sort(rng.normal(mean, spread, (n_studies, n_items, k)), axis=-1)
        for mean, k in ((middle + away, 5), (middle, answers), (shift, answers))
    )
    raters, a, b = (Values(x, np.full(x.shape[:-1], x.shape[-1])) for x in drawn)
    return raters, a, b


@large
def test_the_published_bootstrap_rejects_equal_systems_too_often_and_the_default_does_not() -> None:
    # The papers' own study: N = 200, K = 5 answers of raters and of systems, MAE; about 0.107 instead of 0.05.
    match = matchup("mae", *normal_world("published", 1500, 200, answers=5))
    p = p_values("published:bootstrap:all", match, resamples=200)
    assert not keeps_level(p)
    assert float((p <= 0.05).mean()) > 0.08
    assert keeps_level(p_values("default", match))


# The same system asked once and five times


@pytest.mark.parametrize(
    "metric", ["agreement", "brier", "crps", "accuracy", "total_variation", "jensen_shannon", "mae"]
)
def test_a_system_asked_five_times_and_once_is_not_called_different(metric: str) -> None:
    # agreement, brier, crps and accuracy as they are; distances brought down to one answer.
    raters, once, five = categories("answers", STUDIES, 100, answers=(1, 5))
    assert keeps_level(p_values("default", matchup(metric, raters, once, five)))


@pytest.mark.parametrize("metric", ["total_variation", "jensen_shannon", "mae"])
def test_control_distances_at_face_value_call_it_different(metric: str) -> None:
    raters, once, five = categories("answers", 500, 100, answers=(1, 5))
    score = find_metric(metric).score
    p = mean_test(score(raters, once) - score(raters, five)).p_value
    assert float((p <= 0.05).mean()) > 0.9


# Coverage


def true_difference(noise: float) -> float:
    """E[agreement of A − of B] = noise (E Σ β² − 1 / M), with E β_m² = α_m (α_m + 1) / (α_0 (α_0 + 1))."""
    total = ALPHA.sum()
    square = (ALPHA * (ALPHA + 1)).sum() / (total * (total + 1))
    return noise * float(square - 1 / len(ALPHA))


@pytest.mark.parametrize("n_items", [30, 100])
def test_the_default_covers_the_true_difference(n_items: int) -> None:
    truth = true_difference(0.4)
    outcome = find_procedure("default").run(
        matchup("agreement", *categories("coverage", pick(1000, 5000), n_items, noise=0.4)), Terms(generator(0))
    )
    assert meets(float(((outcome.low <= truth) & (truth <= outcome.high)).mean()), len(outcome.low), 0.93, 0.97)
    # Control: the same intervals around a difference that is not there.
    assert not meets(float(((outcome.low <= -truth) & (-truth <= outcome.high)).mean()), len(outcome.low), 0.93, 0.97)


def test_the_reverse_percentile_interval_covers_the_mean_of_many_and_not_of_few_items() -> None:
    def covered(n_items: int, n_studies: int = 500) -> float:
        rng = generator(0, "inference-level", "reverse", n_items)
        hits = 0
        for _ in range(n_studies):
            d = rng.normal(size=n_items)
            low, high = reverse_percentile(float(d.mean()), rng.choice(d, (400, n_items)).mean(1))
            hits += low <= 0 <= high
        return hits / n_studies

    assert meets(covered(60), 500, 0.93, 0.97)
    assert not meets(covered(4), 500, 0.93, 0.97)


# Power


def test_the_default_loses_no_power_against_the_permutation_test() -> None:
    match = matchup("mae", *normal_world("power", 800, 200, effect=0.1, answers=5))
    found = {test: p_values(test, match) <= 0.05 for test in ("default", "permutation")}
    only = [int((found[x] & ~found[y]).sum()) for x, y in (("default", "permutation"), ("permutation", "default"))]
    # Studies found by one test only: under equal power a fair coin, so the difference has variance of their number.
    assert only[1] - only[0] <= Z * np.sqrt(max(sum(only), 1))
    assert 0.4 < found["default"].mean() < 0.95
    # Control: a test that ignores the pairs loses power where the raters move both scores.
    moved = matchup("mae", *normal_world("lost power", 800, 200, effect=0.25, shared=0.5, answers=5))
    paired, unpaired = (p_values(test, moved) <= 0.05 for test in ("default", "welch"))
    assert int((paired & ~unpaired).sum()) - int((unpaired & ~paired).sum()) > Z * np.sqrt((paired != unpaired).sum())
