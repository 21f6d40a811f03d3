"""`compare` keeps its promises asked as people ask it: small versions of `benchmarks/validity_tables.py`.

The procedure that was replaced, beside each, must be caught by the same limit.
"""

import numpy as np

from benchmarks import validity_tables
from quorate._typing import Array
from tests.studies import pick

LIMIT = 0.065


def _held(rate: float, studies: int) -> bool:
    return bool(rate <= LIMIT + 5 * np.sqrt(LIMIT * (1 - LIMIT) / studies))


def test_recall_with_two_positives_claims_nothing_and_influences_alone_did() -> None:
    """Two positives of forty: both are found by one system and by none of the other in 2 · 0.49 · 0.09 of studies."""
    rng, studies, truth = np.random.default_rng(1), pick(60, 400), np.arange(40) < 2
    drawn = [rng.random((2, 40)) < np.where(truth, 0.7, 0.1) for _ in range(studies)]
    ratings = validity_tables.labels(truth)
    p = np.array([validity_tables.compared(ratings, called, "recall")["p_value"] for called in drawn])
    assert _held(float((p <= 0.05).mean()), studies)
    old = _influences(truth, rng)
    assert float((old <= 1e-6).mean()) > 0.03  # "every item differs alike", p below one in a million


def _influences(truth: Array, rng: np.random.Generator) -> Array:
    drawn = (rng.random((2, len(truth))) < np.where(truth, 0.7, 0.1) for _ in range(1000))
    return np.array([validity_tables.influence_p("recall", truth, called) for called in drawn])


def test_clusters_whose_raters_come_back_hold_and_clusters_alone_did_not() -> None:
    studies = pick(60, 300)
    now, before = np.array(
        [validity_tables.cluster_p_values(25, 4, 3, 1.0, np.random.default_rng([2, turn])) for turn in range(studies)]
    ).T
    assert _held(float((now <= 0.05).mean()), studies)
    assert not _held(float((before <= 0.05).mean()), studies)


def test_gates_of_set_scores_hold_and_swaps_alone_did_not() -> None:
    rng, studies = np.random.default_rng(3), pick(60, 300)
    for metric, n_items in (("recall", 50), ("f1", 50), ("auc", 100), ("spearman", 50)):
        drawn = [validity_tables.set_gate(metric, n_items, 0.1, rng) for _ in range(studies)]
        now, before = np.mean(drawn, axis=0)
        assert now <= 0.035 + 5 * np.sqrt(0.035 * 0.965 / studies)
        assert before > 0.05
