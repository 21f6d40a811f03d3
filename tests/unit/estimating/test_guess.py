"""The guess against scipy's optimiser, its leave-one-out chances against fits without the item."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from quorate._typing import Array
from quorate.estimating.guess import fit_guess, fit_number_guess


def _data(n: int = 300, m: int = 80, seed: int = 1) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    columns = np.stack([truth + rng.normal(size=n), 0.5 * truth + rng.normal(size=n)], 1)
    return columns, np.sort(rng.permutation(n)[:m]), truth


def _plain(columns: Array, experts: Array, label: Array) -> Array:
    """The same regression by a general optimiser."""
    z = np.column_stack([np.ones(len(columns)), (columns - columns.mean(0)) / columns.std(0)])

    def loss(b: Array) -> float:
        eta = z[experts] @ b
        return float(np.sum(np.logaddexp(0, eta) - label * eta) + 0.5 * (b[0] / 3) ** 2 + 0.5 * b[1:] @ b[1:])

    return np.asarray(expit(z @ minimize(loss, np.zeros(3), tol=1e-12).x))


def test_chances_are_those_of_a_penalised_regression() -> None:
    columns, experts, truth = _data()
    guess = fit_guess(columns[None], experts, np.eye(2)[truth[experts]][:, ::-1])
    assert guess.chance[:, 0] == pytest.approx(_plain(columns, experts, truth[experts]), abs=1e-4)
    assert guess.chance.sum(1) == pytest.approx(1.0)


def test_an_items_own_label_is_left_out() -> None:
    columns, experts, truth = _data()
    guess = fit_guess(columns[None], experts, np.eye(2)[truth[experts]][:, ::-1])
    for j in range(0, len(experts), 8):
        rest = np.delete(experts, j)
        without = _plain(columns, rest, truth[rest])[experts[j]]
        assert guess.own[j, 0] == pytest.approx(without, abs=0.005)  # one Newton step: the second order is 1 / m²
        assert abs(guess.own[j, 0] - truth[experts[j]]) > abs(guess.chance[experts[j], 0] - truth[experts[j]])


def test_softened_chances_lie_nearer_to_a_half() -> None:
    columns, experts, truth = _data(m=12)
    guess = fit_guess(columns[None], experts, np.eye(2)[truth[experts]][:, ::-1])
    assert (np.abs(guess.soft - 0.5) <= np.abs(guess.chance - 0.5) + 1e-12).all()
    assert (np.abs(guess.soft - 0.5) < np.abs(guess.chance - 0.5) - 1e-3).any()


def test_a_regression_per_class_gives_two_classes_their_mirror_image() -> None:
    columns, experts, truth = _data()
    labels = np.eye(3)[truth[experts]]  # the third class is never seen
    guess = fit_guess(np.stack([-columns, columns, 0 * columns]), experts, labels)
    two = fit_guess(columns[None], experts, labels[:, [1, 0]])
    assert guess.chance.sum(1) == pytest.approx(1.0)
    assert guess.chance[:, 2].max() < 0.05
    assert guess.chance[:, 1] / (1 - guess.chance[:, 2]) == pytest.approx(two.chance[:, 0], abs=1e-6)


def test_many_numbers_lie_around_a_regression_that_leaves_an_item_out() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 50, 300)
    columns = np.stack([truth + rng.normal(0, 4, 300), truth + rng.normal(0, 8, 300)], 1)
    experts, values = np.arange(60), np.arange(50.0)
    guess = fit_number_guess(columns, experts, np.eye(50)[truth[experts]], values)
    assert guess.chance.sum(1) == pytest.approx(1.0)
    inner = (truth > 15) & (truth < 35)
    z = np.column_stack([np.ones(300), (columns - columns.mean(0)) / columns.std(0)])
    penalty = np.diag([0.0, 1.0, 1.0])
    for j in np.flatnonzero(inner[experts])[:5]:
        rest = np.delete(experts, j)
        plain = np.linalg.solve(z[rest].T @ z[rest] + penalty, z[rest].T @ truth[rest])
        assert guess.own[j] @ values == pytest.approx(z[j] @ plain, abs=0.05)  # the ends cut off the normal's tails
    assert (guess.soft[inner].max(1) < guess.chance[inner].max(1)).all()


def test_an_items_whole_cluster_is_left_out_with_it() -> None:
    columns, experts, truth = _data()
    member = np.arange(len(experts)) // 10  # a large one has seen much of its own items
    labels = np.eye(2)[truth[experts]][:, ::-1]
    guess, one = (fit_guess(columns[None], experts, labels, part) for part in (member, None))
    for k in range(8):
        inside = member == k
        without = _plain(columns, experts[~inside], truth[experts[~inside]])[experts[inside]]
        assert guess.own[inside, 0] == pytest.approx(without, abs=0.03)  # one Newton step
        assert np.abs(one.own[inside, 0] - without).max() > np.abs(guess.own[inside, 0] - without).max()
    single = fit_guess(columns[None], experts, labels, np.arange(len(experts)))
    assert single.own == pytest.approx(one.own, abs=1e-12)


def test_the_guess_of_a_number_leaves_the_items_cluster_out_exactly() -> None:
    columns, experts, _ = _data()
    values = np.arange(15.0)
    noise = np.random.default_rng(2).normal(size=len(experts))
    said = np.clip(np.round(7 + columns[experts, 0] + noise), 0, 14)
    labels, member = np.eye(15)[said.astype(int)], np.arange(len(experts)) // 10
    guess = fit_number_guess(columns, experts, labels, values, member)
    z = np.column_stack([np.ones(len(columns)), (columns - columns.mean(0)) / columns.std(0)])
    inside = member == 3
    seen = z[experts[~inside]]
    fit = np.linalg.solve(seen.T @ seen + np.diag([0.0, 1.0, 1.0]), seen.T @ said[~inside])
    middle = np.abs(z[experts[inside]] @ fit - 7) < 3  # where the ends of the scale do not cut
    assert (guess.own[inside] @ values)[middle] == pytest.approx((z[experts[inside]] @ fit)[middle], abs=1e-4)
