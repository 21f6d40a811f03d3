"""`describe` finds the variance that simulated ratings were given: items, raters and the rest."""

import numpy as np

from quorate import describe
from quorate._typing import Array
from tests.studies import pick

ITEMS, RATERS, REPLICATES, Z = 30, 6, pick(40, 80), 5
TRUTH = {"item": 1.0, "rater": 0.5, "residual": 2.0}


def components(rng: np.random.Generator, *, shuffle: bool) -> tuple[float, float, float]:
    """Draw a crossed table y = item + rater + residual and return the components `describe` reports."""
    item, rater = (np.sqrt(TRUTH[name]) * rng.standard_normal(n) for name, n in (("item", ITEMS), ("rater", RATERS)))
    y = item[:, None] + rater + np.sqrt(TRUTH["residual"]) * rng.standard_normal((ITEMS, RATERS))
    who = np.tile(np.arange(RATERS), (ITEMS, 1))
    if shuffle:
        who = rng.permuted(who, axis=1)
    table = {"item": np.repeat(np.arange(ITEMS), RATERS), "rater": who.ravel(), "score": y.ravel()}
    parts = describe(table, top=0).variance
    assert parts.item is not None
    assert parts.rater is not None
    assert parts.residual is not None
    return parts.item, parts.rater, parts.residual


def deviations(*, shuffle: bool = False) -> Array:
    """Mean of the replicates minus the truth, in standard errors of the mean."""
    rng = np.random.default_rng(20)
    draws = np.array([components(rng, shuffle=shuffle) for _ in range(REPLICATES)])
    off: Array = (draws.mean(0) - list(TRUTH.values())) / (draws.std(0, ddof=1) / np.sqrt(REPLICATES))
    return off


def test_the_components_are_those_of_the_simulation() -> None:
    """Components are floored at 0. The rater's estimate is negative if chi²(5) < 5 · 2/17, with probability 0.011, and
    never below -2/30: the floor moves the mean by less than 0.001, which is 0.02 of its standard error."""
    assert np.abs(deviations()).max() < Z


def test_raters_whose_names_are_shuffled_have_no_variance() -> None:
    """Negative control: with the names gone the variance of raters goes to the residual, and the test above fails."""
    item, rater, residual = deviations(shuffle=True)
    assert abs(item) < Z
    assert rater < -Z
    assert residual > Z
