"""Ranks of ten close systems: max-T bounds hold together, percentile-bootstrap ranks do not."""

from itertools import combinations

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.comparing.judged_pairs import judge
from quorate.comparing.tested_pairs import PairTest, run_pair_tests
from quorate.data.summaries import Counts
from quorate.inference.multiplicity import rank_bounds
from quorate.inference.procedures import find_procedure
from quorate.inference.scored_systems import ScoredSystems, score_systems
from quorate.metrics import find_metric
from tests.studies import pick

Z = 5.0
STUDIES, EQUAL, ITEMS, SYSTEMS = pick(20, 60), pick(40, 100), 200, 10
NAMES = [f"s{k}" for k in range(SYSTEMS)]
PAIRS = list(combinations(range(SYSTEMS), 2))
NOISE = np.linspace(0.0, 0.18, SYSTEMS)  # the system with the least noise is truly best, and so on


def study(k: int) -> ScoredSystems:
    rng = generator(0, "inference-ranks", k)
    beta = rng.dirichlet(np.array([1.5, 0.6, 0.4]), size=ITEMS)
    systems = [Counts(rng.multinomial(1, (1 - e) * beta + e / 3)) for e in NOISE]
    return score_systems(find_metric("agreement"), Counts(rng.multinomial(5, beta)), systems)


def max_t_ranks(field: ScoredSystems) -> tuple[Array, Array]:
    test = PairTest(find_procedure("default"), resamples=999)
    judged = judge(run_pair_tests([field], NAMES, PAIRS, test), "ranking")
    low, high = np.array([each.ends for each in judged]).T
    return rank_bounds(low, high, PAIRS, SYSTEMS)


def bootstrap_ranks(field: ScoredSystems, rng: np.random.Generator) -> tuple[Array, Array]:
    """The usual leaderboard: rank the systems on resampled items, take the 2.5 % and 97.5 % ranks of each."""
    weights = rng.multinomial(ITEMS, np.full(ITEMS, 1 / ITEMS), size=400)
    scores = weights @ np.stack(field.values).T
    ranks = 1 + (scores[:, None, :] > scores[:, :, None]).sum(-1)
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0, method="nearest")
    return low, high


def test_max_t_ranks_hold_together_and_bootstrap_ranks_do_not() -> None:
    truth, covered = np.arange(1, SYSTEMS + 1), {"max-T": 0, "bootstrap": 0}
    for k in range(STUDIES):
        field = study(k)
        found = {
            "max-T": max_t_ranks(field),
            "bootstrap": bootstrap_ranks(field, generator(0, "inference-ranks", "b", k)),
        }
        for name, (low, high) in found.items():
            covered[name] += bool(np.all((low <= truth) & (truth <= high)))
    bound = 0.95 - Z * np.sqrt(0.95 * 0.05 / STUDIES)
    assert covered["max-T"] / STUDIES >= bound
    assert covered["bootstrap"] / STUDIES < bound


def test_a_family_of_equal_systems_raises_a_false_alarm_in_one_study_of_twenty() -> None:
    # Six equal systems: any decided pair is a false alarm. Control: the same without counting comparisons.
    together = alone = 0
    pairs, names = list(combinations(range(6), 2)), NAMES[:6]
    test = PairTest(find_procedure("default"), resamples=999)
    for k in range(EQUAL):
        rng = generator(0, "inference-ranks", "equal", k)
        beta = rng.dirichlet(np.array([1.5, 0.6, 0.4]), size=60)
        systems = [Counts(rng.multinomial(1, beta)) for _ in range(6)]
        field = score_systems(find_metric("agreement"), Counts(rng.multinomial(5, beta)), systems)
        judged = judge(run_pair_tests([field], names, pairs, test), "ranking")
        together += any(each.p <= 0.05 for each in judged)
        alone += any(float(each.tested.outcome.p_value) <= 0.05 for each in judged)
    low, high = 0.04 - Z * np.sqrt(0.04 * 0.96 / EQUAL), 0.06 + Z * np.sqrt(0.06 * 0.94 / EQUAL)
    assert max(low, 0.0) <= together / EQUAL <= high
    assert alone / EQUAL > high
