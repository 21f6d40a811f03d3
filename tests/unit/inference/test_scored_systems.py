"""Systems scored together: a part of the items is scored on the terms of the whole."""

import numpy as np
import pytest

from quorate.data.summaries import Counts
from quorate.inference.scored_systems import ScoredSystems, score_systems
from quorate.metrics import find_metric

LEVELS = np.array([0.0, 1.0, 2.0])


def field(n: int, metric: str = "agreement", seed: int = 0) -> ScoredSystems:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3), size=n)
    laws = (p, 0.8 * p + 0.2 / 3, 0.6 * p + 0.4 / 3)
    systems = [Counts(rng.multinomial(1, law), LEVELS) for law in laws]
    return score_systems(find_metric(metric, positive=1), Counts(rng.multinomial(5, p), LEVELS), systems)


@pytest.mark.parametrize("metric", ["agreement", "crps", "wins:agreement", "f1", "total_variation"])
def test_taking_items_is_scoring_those_items(metric: str) -> None:
    whole, items = field(30, metric), np.array([3, 4, 9, 10, 11, 20, 28])
    taken = whole.take(items).pair(0, 1)
    assert whole.raters is not None
    fresh = score_systems(
        find_metric(metric, positive=1), whole.raters.take(items), [s.take(items) for s in whole.systems]
    ).pair(0, 1)
    np.testing.assert_allclose(taken.differences, fresh.differences, atol=1e-12)
    np.testing.assert_allclose([taken.score_a, taken.score_b], [fresh.score_a, fresh.score_b], atol=1e-12)


def test_groups_are_scored_on_the_terms_of_the_whole() -> None:
    # System b answers once on item 0: crps subtracts no spread anywhere, also not in a group without item 0.
    rng = np.random.default_rng(3)
    raters = Counts(rng.multinomial(4, [0.3, 0.3, 0.4], size=10), LEVELS)
    many = rng.multinomial(3, [0.3, 0.3, 0.4], size=10)
    fewer = many.copy()
    fewer[0] = [1, 0, 0]
    whole = score_systems(find_metric("crps"), raters, [Counts(many, LEVELS), Counts(fewer, LEVELS)])
    part = whole.take(np.arange(5, 10))
    np.testing.assert_array_equal(part.values[0], whole.values[0][5:10])
    np.testing.assert_array_equal(part.pair(0, 1).differences, 0.0)
