"""Design effects: by hand, and where there is none."""

import numpy as np
import pytest

from quorate.data.summaries import Counts, Probabilities
from quorate.inference.design_effects import design_effects
from quorate.inference.scored_systems import score_systems
from quorate.metrics import find_metric


def test_design_effects_by_hand() -> None:
    # Four pages of three items that always agree within a page: d = 1, 1, 1, 0, 0, 0, 0, …: only pages vary.
    # Plain: s² / 12, s² = Σ(d − ¼)² / 11 = 2.25 / 11. Clustered: 4/3 Σ_g (Σ d − ¾)² / 144 = 4/3 · 6.75 / 144.
    right = np.array([True] * 3 + [False] * 9)
    yes, no = np.tile([1, 0], (12, 1)), np.tile([0, 1], (12, 1))
    f = score_systems(find_metric("agreement"), Counts(yes), [Counts(yes), Counts(np.where(right[:, None], no, yes))])
    groupings = {"page": np.arange(12) // 3, "all": np.zeros(12, dtype=int), "item": np.arange(12)}
    found = design_effects([f.pair(0, 1).differences], groupings)
    assert set(found) == {"page"}
    expected = (4 / 3 * 6.75 / 144) / (2.25 / 11 / 12)
    assert found["page"].median == pytest.approx(expected, rel=1e-9)
    assert found["page"].groups == 4


def test_identical_systems_have_no_design_effect() -> None:
    forecast = Probabilities(np.full((6, 3), 1 / 3))
    f = score_systems(
        find_metric("brier"),
        Counts(np.random.default_rng(0).multinomial(5, np.full(3, 1 / 3), size=6)),
        [forecast, forecast],
    )
    assert design_effects([f.pair(0, 1).differences], {"page": np.arange(6) // 2}) == {}
