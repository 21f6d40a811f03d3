"""The Dirichlet fit against likelihoods and optima written down independently."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import gammaln

from quorate import InputError
from quorate._typing import Array
from quorate.populations.dirichlet import (
    PRIOR_SD,
    Method,
    _derivatives,
    _objective,
    fit_dirichlet,
    log_likelihood,
    tail_counts,
)


def ragged(alpha: tuple[float, ...], n_items: int, seed: int, most: int = 8) -> Array:
    rng = np.random.default_rng(seed)
    return rng.multinomial(rng.integers(2, most + 1, n_items), rng.dirichlet(alpha, n_items))


def urn_log_likelihood(alpha: Array, counts: Array) -> float:
    """Answer by answer: the next answer is m with probability (α_m + answers m so far) / (A + answers so far)."""
    total = 0.0
    for row in counts:
        seen = np.zeros(len(alpha))
        for answer in np.repeat(np.arange(len(alpha)), row):
            total += np.log((alpha[answer] + seen[answer]) / (alpha.sum() + seen.sum()))
            seen[answer] += 1
    return total


def gamma_log_likelihood(alpha: Array, counts: Array) -> float:
    size = counts.sum(-1)
    each = gammaln(alpha + counts) - gammaln(alpha)
    return float((gammaln(alpha.sum()) - gammaln(alpha.sum() + size) + each.sum(-1)).sum())


def log_prior(alpha: Array) -> float:
    total, m = alpha.sum(), len(alpha)
    return float(-0.5 * (np.log(total / m) / PRIOR_SD) ** 2 + np.log(alpha / total).sum() / m)


def test_tail_counts_by_hand() -> None:
    # Category 0: counts 3, 0, 1 → 2 items above 0, 1 above 1, 1 above 2. Sizes 3, 2, 2.
    tails = tail_counts(np.array([[3, 0], [0, 2], [1, 1]]))
    assert tails.by_category.tolist() == [[2, 1, 1], [2, 1, 0]]
    assert tails.total.tolist() == [3, 3, 1]


@pytest.mark.parametrize("alpha", [(1.0, 1.0), (0.2, 3.0, 0.7), (40.0, 60.0)])
def test_likelihood_equals_the_urn_and_the_gamma_form(alpha: tuple[float, ...]) -> None:
    counts, a = ragged(alpha, 40, 1), np.array(alpha)
    got = log_likelihood(a, tail_counts(counts))
    assert got == pytest.approx(urn_log_likelihood(a, counts), rel=1e-12)
    assert got == pytest.approx(gamma_log_likelihood(a, counts), rel=1e-10)


@pytest.mark.parametrize("prior", [False, True])
def test_derivatives_equal_finite_differences(prior: bool) -> None:
    tails, theta, h = tail_counts(ragged((0.5, 2.0, 1.0), 30, 2)), np.array([-0.3, 0.9, 0.1]), 1e-5
    gradient, hessian = _derivatives(theta, tails, prior)
    for k, step in enumerate(np.eye(3) * h):
        slope = (_objective(theta + step, tails, prior) - _objective(theta - step, tails, prior)) / (2 * h)
        assert gradient[k] == pytest.approx(slope, rel=1e-6)
        bend = (_derivatives(theta + step, tails, prior)[0] - _derivatives(theta - step, tails, prior)[0]) / (2 * h)
        np.testing.assert_allclose(hessian[k], bend, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("method", ["ml", "map"])
@pytest.mark.parametrize(("alpha", "n"), [((1.2, 0.6), 200), ((5.0, 0.9, 2.7), 60), ((0.05, 0.3, 0.1, 1.0), 300)])
def test_the_optimum_is_that_of_a_plain_search(method: Method, alpha: tuple[float, ...], n: int) -> None:
    counts = ragged(alpha, n, 3)

    def loss(theta: Array) -> float:
        a = np.exp(theta)
        return -gamma_log_likelihood(a, counts) - (log_prior(a) if method == "map" else 0.0)

    options: Any = {"xatol": 1e-9, "fatol": 1e-11, "maxiter": 20_000, "maxfev": 20_000}
    reference = minimize(loss, np.zeros(len(alpha)), method="Nelder-Mead", options=options)
    got = fit_dirichlet(counts, method=method)
    np.testing.assert_allclose(got.alpha, np.exp(reference.x), rtol=1e-5)
    assert got.log_likelihood == pytest.approx(gamma_log_likelihood(got.alpha, counts), rel=1e-10)


def test_order_of_items_and_names_of_categories_do_not_matter() -> None:
    counts = ragged((2.0, 0.5, 1.0), 80, 4)
    base = fit_dirichlet(counts).alpha
    np.testing.assert_allclose(fit_dirichlet(counts[::-1]).alpha, base, rtol=1e-9)
    np.testing.assert_allclose(fit_dirichlet(counts[:, [2, 0, 1]]).alpha, base[[2, 0, 1]], rtol=1e-9)


def test_items_with_one_answer_speak_of_the_mean_only() -> None:
    # Each of them adds log(α_m / A), whatever the concentration.
    counts, alpha = ragged((2.0, 1.0), 30, 5), np.array([2.0, 1.0])
    single = np.vstack([counts, np.tile([[1, 0], [0, 1]], (50, 1))])
    for scale in (0.1, 1.0, 100.0):
        added = log_likelihood(scale * alpha, tail_counts(single)) - log_likelihood(scale * alpha, tail_counts(counts))
        assert added == pytest.approx(50 * np.log(2 / 3) + 50 * np.log(1 / 3), rel=1e-9)


def test_one_answer_per_item_is_not_enough() -> None:
    with pytest.raises(InputError, match=r"every item has one answer.*the mean shares are 0.7, 0.3"):
        fit_dirichlet(np.repeat([[1, 0], [0, 1]], (7, 3), axis=0))


def test_ml_says_where_it_has_no_maximum_and_map_still_answers() -> None:
    unseen = np.array([[2, 1, 0], [1, 2, 0], [3, 0, 0]])
    unanimous = np.array([[3, 0], [0, 3], [3, 0]])
    alike = np.array([[2, 2]] * 30)
    for counts, word in ((unseen, "some category has no answer"), (unanimous, "no item has two"), (alike, "infinite")):
        with pytest.raises(InputError, match=word):
            fit_dirichlet(counts, method="ml")
        alpha = fit_dirichlet(counts, method="map").alpha
        assert np.isfinite(alpha).all()
        assert (alpha > 0).all()


def test_unknown_methods_are_refused() -> None:
    unknown: Any = "bayes"
    with pytest.raises(InputError, match="method must be 'map' or 'ml'"):
        fit_dirichlet(np.array([[2, 1]]), method=unknown)
