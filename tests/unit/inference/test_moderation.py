"""Raters of several systems: the weight of what is borrowed by dense matrices, and limits without borrowing."""

import numpy as np
import pytest
from scipy.special import multigammaln
from scipy.stats import t

from quorate._typing import Array
from quorate.inference.moderation import DRAWS, PRIOR_DF, SCALES, RaterSpread
from quorate.inference.uncertain_variance import Part, UncertainVariance


def brute_prior(moves: Array, df: float) -> tuple[Array, Array, Array]:
    """Weights of d and τ² by the density of a matrix t, with determinants of full matrices: d, τ², weight."""
    systems = len(moves)
    basis = np.linalg.svd(np.eye(systems) - 1 / systems)[0][:, : systems - 1]  # contrasts of unit length
    u, p = basis.T @ moves, systems - 1
    scale = (u**2).sum() / (p * df)
    rows = []
    for d in PRIOR_DF:
        for tau in SCALES * scale:
            nu, psi = d + p - 1, d * tau
            half = 0.5 * (nu + df)
            log = 0.5 * nu * p * np.log(psi) - half * np.linalg.slogdet(psi * np.eye(p) + u @ u.T)[1]
            rows.append((d, tau, log + multigammaln(half, p) - multigammaln(nu / 2, p)))
    d, tau, log = np.array(rows).T
    weight = np.exp(log - log.max())
    return d, tau, weight / weight.sum()


@pytest.mark.parametrize(("systems", "raters"), [(3, 4), (6, 3), (10, 6)])
def test_a_contrast_borrows_by_the_density_of_a_matrix_t(systems: int, raters: int) -> None:
    rng = np.random.default_rng(systems)
    moves = rng.normal(size=(systems, raters)) * rng.uniform(0.5, 2, (systems, 1))
    contrast = np.zeros(systems)
    contrast[:2] = 1, -1
    d, tau, weight = brute_prior(moves, raters - 1)
    values = (d * tau * 2 + ((contrast @ moves) ** 2).sum()) / (d + raters - 1)
    mean = float(weight @ values)
    spread = float(np.sqrt(weight @ (values - mean) ** 2))
    part = RaterSpread(moves, raters - 1.0).part(contrast)
    assert abs(float(part.variance) - mean) <= 5 * spread / np.sqrt(DRAWS) + 1e-9


def test_what_all_systems_share_does_not_matter() -> None:
    moves = np.random.default_rng(1).normal(size=(5, 4))
    contrast = np.array([0, 1.0, 0, -1, 0])
    one, other = (RaterSpread(moves + shift, 3.0).part(contrast) for shift in (0.0, np.array([9.0, -4, 2, 0])))
    assert float(one.variance) == pytest.approx(float(other.variance), rel=1e-9)


def test_without_borrowing_each_contrast_stands_for_itself() -> None:
    moves = np.random.default_rng(2).normal(size=(3, 5))
    part = RaterSpread(moves, 4.0, moderated=False).part(np.array([1.0, -1, 0]))
    assert float(part.variance) == pytest.approx(((moves[0] - moves[1]) ** 2).sum() / 4)
    assert (part.df, part.draws) == (4.0, None)


def test_errors_without_borrowing_are_students() -> None:
    # One column of raters: errors are |u| times a t on its degrees of freedom over sqrt(df).
    draws = RaterSpread(np.array([[3.0, 4.0]]), 6.0, moderated=False).errors(100_000, np.random.default_rng(3))
    for far in (1.0, 3.0):
        p = 2 * t.sf(far, 6)
        share = float((np.abs(draws[:, 0]) > far * 5 / np.sqrt(6)).mean())
        assert abs(share - p) <= 5 * np.sqrt(p * (1 - p) / 100_000)


def test_errors_and_the_part_of_a_contrast_have_one_law() -> None:
    rng = np.random.default_rng(4)
    spread, contrast = RaterSpread(rng.normal(size=(6, 3)), 2.0), np.array([1.0, -1, 0, 0, 0, 0])
    part = spread.part(contrast)
    none = UncertainVariance(Part(np.zeros(()), np.inf), (part,))
    errors = spread.errors(100_000, rng) @ contrast
    for far in (0.5, 1.0, 2.0):
        p = float(none.tail(np.asarray(far * np.sqrt(part.variance))))
        share = float((np.abs(errors) > far * np.sqrt(part.variance)).mean())
        # The part stands on DRAWS nodes that take turns with eight nodes of the items (worth a quarter of them).
        assert abs(share - p) <= 5 * np.sqrt(p * (1 - p)) * np.sqrt(1 / 100_000 + 4 / DRAWS)
