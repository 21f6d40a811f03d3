"""Variance components on simulated tables: unbiased when ragged, and REML's answer when full."""

import warnings

import numpy as np
import pandas as pd
import pytest
from statsmodels.regression.mixed_linear_model import MixedLM

from quorate._random import generator
from quorate._typing import Array
from quorate.agreement.variance_parts import variance_components

ITEM, RATER, RESIDUAL = 1.0, 0.5, 2.0
TABLES = 300


def ragged_table(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """150 items, 1 to 5 answers each, from 12 raters of very unequal diligence."""
    items = np.repeat(np.arange(150), rng.integers(1, 6, size=150))
    diligence = np.arange(1, 13) / np.arange(1, 13).sum()
    raters = rng.choice(12, size=len(items), p=diligence)
    effects = np.sqrt(ITEM) * rng.normal(size=150)[items] + np.sqrt(RATER) * rng.normal(size=12)[raters]
    return items, raters, 3 + effects + np.sqrt(RESIDUAL) * rng.normal(size=len(items))


def z_scores(estimates: Array, truth: list[float]) -> Array:
    error = estimates.std(0, ddof=1) / np.sqrt(len(estimates))
    return np.asarray((estimates.mean(0) - truth) / error)


def test_unbiased_on_ragged_tables() -> None:
    rng = generator(0, "variance-ragged")
    tables = [ragged_table(rng) for _ in range(TABLES)]
    found = [variance_components(*table) for table in tables]
    z = z_scores(np.array([[c.item, c.rater, c.residual] for c in found]), [ITEM, RATER, RESIDUAL])
    assert (np.abs(z) < 5).all()
    # Control: without the raters their variance is taken for residual.
    one_way = [variance_components(items, None, y) for items, _, y in tables]
    z = z_scores(np.array([[c.item, c.residual] for c in one_way]), [ITEM, RESIDUAL])
    assert z[1] > 5


def test_equals_restricted_maximum_likelihood_on_a_full_table() -> None:
    # With no estimate at zero, REML and the analysis of variance are the same on a full table.
    rng = generator(0, "variance-reml")
    y = rng.normal(size=(25, 1)) + 0.8 * rng.normal(size=(1, 6)) + rng.normal(size=(25, 6))
    items, raters = (x.reshape(-1) for x in np.indices(y.shape))
    frame = pd.DataFrame({"y": y.reshape(-1), "item": items, "rater": raters, "all": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # statsmodels reports on its optimiser
        model = MixedLM.from_formula(
            "y ~ 1",
            groups="all",
            vc_formula={"item": "0 + C(item)", "rater": "0 + C(rater)"},
            re_formula="0",
            data=frame,
        )
        fit = model.fit(reml=True, gtol=1e-10)
    by_name = dict(zip(model.exog_vc.names, fit.vcomp, strict=True))
    found = variance_components(items, raters, y.reshape(-1))
    # Equal on paper; what is left is the optimiser's stopping rule (its default one leaves a relative 2e-4).
    assert found.item == pytest.approx(by_name["item"], rel=1e-8)
    assert found.rater == pytest.approx(by_name["rater"], rel=1e-8)
    assert found.residual == pytest.approx(fit.scale, rel=1e-8)
