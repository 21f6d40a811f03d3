"""Influence of single items on scores that sort: against derivatives, and by hand."""

import numpy as np
import pytest

from quorate.data.summaries import Means
from quorate.metrics.set_scores import Auc, EmdOfMeans, Spearman


@pytest.mark.parametrize("score", [Spearman(), EmdOfMeans()])
def test_moved_means_are_derivatives_of_the_score(score: Spearman | EmdOfMeans) -> None:
    # Influence at x: the score changes by t ψ(x) when a share t of weight is put on (x, the system's mean of the item);
    # what does not move with x drops out of the difference of two places.
    rng = np.random.default_rng(9)
    x, y, t = rng.normal(size=12), rng.normal(size=12), 1e-6
    x[3] = x[5]
    if isinstance(score, EmdOfMeans):
        y += 9.0  # where the two distribution functions are equal, the distance has a kink and no derivative
    moved = score.moved(x, score.of_system(Means(y, np.ones(12))))

    def with_weight(place: float, item: int) -> float:
        raters = Means(np.append(x, place), np.ones(13))
        system = Means(np.append(y, y[item]), np.ones(13))
        return float(score(raters, system, weights=np.append(np.full(12, (1 - t) / 12), t)))

    for item, low, high in ((0, -1.0, 0.4), (3, x[5], 0.1), (7, 0.0, 3.0)):
        expected = (with_weight(high, item) - with_weight(low, item)) / t
        got = moved(np.array([item, item]), np.array([high, low]))
        assert got[0] - got[1] == pytest.approx(expected, abs=1e-4)


def test_auc_by_hand() -> None:
    # Positives score 0.9 and 0.05, the negative 0.1: AUC ½. As positives the three beat 1, ½ (itself) and 0 of it,
    # influence 3 (· − ½) / 2; as negatives they are beaten by ¼, ½ and ¾ of both, influence 3 (· − ½).
    true, score = np.array([1.0, 0.0, 1.0]), np.array([0.9, 0.1, 0.05])
    auc, influence = Auc(1).evaluate(true, score)
    assert float(auc) == 0.5
    assert influence.tolist() == [0.75, 0.0, -0.75]
    moved = Auc(1).moved(true, score)
    assert moved(np.arange(3), np.ones(3)).tolist() == [0.75, 0.0, -0.75]
    assert moved(np.arange(3), np.zeros(3)).tolist() == [-0.75, 0.0, 0.75]
