"""Every method by name."""

from itertools import product

import numpy as np

from quorate.estimating.evidence import Evidence
from quorate.estimating.label_metrics import METRICS
from quorate.estimating.methods import METHODS
from quorate.estimating.methods.method import equal_tails
from quorate.estimating.study import Study


def test_every_method_that_draws_labels_gives_every_metric(evidence: Evidence) -> None:
    study = Study(evidence, threshold=1.0, n_draws=50)
    judged = {name: method.judge(study, "a") for name, method in METHODS.items()}
    assert [name for name, each in judged.items() if each is None] == ["assisted", "gt", "ppi", "ppi+maven"]
    drawn = {name: each.draws for name, each in judged.items() if each is not None}
    for (method, draws), (name, metric) in product(drawn.items(), METRICS.items()):
        values = metric(draws)
        assert values.shape == (50,), (method, name)
        assert np.isfinite(values).all(), (method, name)


def test_a_new_draw_falls_inside_equal_tails_with_their_chance() -> None:
    # of 39 draws the first leaves 1 / 40 below it, the last 1 / 40 above
    np.testing.assert_allclose(equal_tails(np.arange(1, 40), 0.95), [1.0, 39.0])
