"""Drawn studies of few items: every study written out, exact laws, shared quantiles and the sign test."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from quorate._typing import Array
from quorate.metrics.registry import find_metric
from quorate.planning.laws.exact import Design, exact_laws
from quorate.planning.laws.item_law import ItemLaw, exact_law
from quorate.planning.promises.small_studies import (
    DRAWN_P,
    StudyChances,
    StudyDraws,
    law_atoms,
    lost_chances,
    small_studies,
)
from quorate.populations.dirichlet import DirichletPopulation

DICES = DirichletPopulation((5.22, 0.86, 2.75))
ONE_SET = StudyDraws(seed=1, sets=1)


def drawn(law: ItemLaw, sizes: list[int], studies: StudyDraws = ONE_SET) -> list[StudyChances]:
    assert law.null_values is not None
    assert law.null_weights is not None
    worlds = law_atoms(law.values, law.weights), law_atoms(law.null_values, law.null_weights)
    return small_studies(*worlds, sizes, 0.95, None, studies, reach=1.0)


def test_every_study_written_out() -> None:
    d, w = np.array([-1.0, 0.0, 1.0]), np.array([0.2, 0.3, 0.5])
    d0, w0 = np.array([-1.0, 0.0, 1.0]), np.array([0.35, 0.3, 0.35])
    sizes = [1, 3]
    for n, chances in zip(sizes, drawn(exact_law(d, w, d0, w0), sizes), strict=True):
        p = sum(
            np.prod(w[list(x)]) * np.prod(w0[list(y)])
            for x in product(range(3), repeat=n)
            for y in product(range(3), repeat=n)
            if d0[list(y)].sum() >= d[list(x)].sum()
        )
        assert abs(chances.expected_p - p) < 5 * chances.expected_p_error
        assert chances.better == 0.0  # three items cannot reach 0.05


def test_sizes_do_not_depend_on_each_other() -> None:
    law = exact_law(np.array([-1.0, 0.0, 1.0]), np.array([0.2, 0.3, 0.5]), np.array([-1.0, 1.0]), np.full(2, 0.5))
    for sizes in ([5, 40], [5, 40, 70, 150]):
        together, alone = drawn(law, sizes)[-1], drawn(law, sizes[-1:])[0]
        assert together.quantiles == pytest.approx(alone.quantiles)
        assert (together.better, together.ci_width) == pytest.approx((alone.better, alone.ci_width))
        assert together.expected_p == pytest.approx(alone.expected_p)


@pytest.mark.parametrize("k", [1, 3])
def test_power_and_p_are_those_of_the_exact_lattice(k: int) -> None:
    law = exact_laws(Design(DICES, k, k), [find_metric("accuracy", variant="paper")], 0.4)["accuracy"]
    sizes = [2, 4, 5, 6, 40, 60]
    for n, chances in zip(sizes, drawn(law, sizes), strict=True):
        p, error = law.expected_p(n, studies=ONE_SET)
        power = law.chances(n, 0.95, studies=ONE_SET)[0]
        assert error == 0
        assert abs(p - chances.expected_p) < 5 * chances.expected_p_error
        assert abs(power - chances.better) < 5 * np.sqrt(max(power * (1 - power), 1e-4) / DRAWN_P)
        low, _, high = chances.quantiles
        assert law.quantile_width(n, 0.95, studies=ONE_SET) == pytest.approx(high - low, abs=1.01 / n)  # a lattice step


def test_choices_share_out_the_quantiles() -> None:
    block = next(StudyDraws(0, sets=2).blocks(0, 2)).astype(int) // 8  # 65536 atoms, 8192 studies in a set
    for one in (block[:, :DRAWN_P], block[:, DRAWN_P:]):
        assert (np.sort(one, axis=-1) == np.arange(DRAWN_P)).all()
        assert abs(np.corrcoef(one)[0, 1]) < 5 / np.sqrt(DRAWN_P)
    assert not (block[:, :DRAWN_P] == block[:, DRAWN_P:]).all()


def test_sharing_out_narrows_the_expected_p_to_its_error() -> None:
    """The spread over seeds is what the error says, and less than that of independent draws."""
    rng = np.random.default_rng(3)
    weights = np.full(500, 1 / 500)
    law = exact_law(rng.normal(0.3, 1.0, 500), weights, rng.normal(0.0, 1.0, 500), weights)
    found = [drawn(law, [20], StudyDraws(seed, sets=1))[0] for seed in range(60)]
    spread, error = float(np.std([each.expected_p for each in found], ddof=1)), found[0].expected_p_error
    assert law.null_values is not None
    sums = (rng.choice(law.values, (60, 20, DRAWN_P)).sum(1), rng.choice(law.null_values, (60, 20, DRAWN_P)).sum(1))
    apart = float(np.std([np.mean(y >= np.sort(x)) for x, y in zip(*sums, strict=True)], ddof=1))
    # an sd of 60 draws has a relative error of 1 / sqrt(2 · 59) = 0.092; the error is an upper bound
    assert spread < error * (1 + 5 * 0.092)
    assert apart > error * (1 + 5 * 0.092)


def test_certain_difference() -> None:
    law = exact_law(np.array([1.0]), np.array([1.0]), np.array([0.0]), np.array([1.0]))
    one, eight = drawn(law, [1, 8])
    assert (one.better, eight.better, eight.expected_p) == (0.0, 1.0, 0.0)  # the sign test: 2 / 2^8 < 0.05


def test_a_coin_needs_four_of_six() -> None:
    coin = law_atoms(np.array([0.0, 1.0]), np.array([0.5, 0.5]))
    one, six = small_studies(coin, None, [1, 6], 0.95, None, StudyDraws(), reach=1.0)
    assert one.better == 0.0
    assert abs(six.better - 22 / 64) < 5 * six.error  # at most two zeros


@pytest.mark.parametrize("seed", range(6))
def test_a_closer_look_at_all_sizes_takes_back_what_every_study_written_out_loses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    atoms = law_atoms(np.sort(rng.exponential(1.0, 9) - 0.5), rng.dirichlet(np.ones(9)))
    sizes = [1, 2, 5, 12, 70]
    for n, chances in zip(
        sizes, small_studies(atoms, None, sizes, 0.95, None, ONE_SET, reach=9.0, closely=True), strict=True
    ):
        lost = lost_by_hand(atoms, n)
        assert chances.lost == lost
        assert lost_chances(atoms, n, 0.95, None, 9.0, ONE_SET)[0] == lost
    assert lost_by_hand(atoms, 5) > 0  # some are lost


def lost_by_hand(atoms: Array, n_items: int) -> float:
    """The share of studies whose Student's interval lies above 0, and the one by the variance under 0 does not."""
    if n_items < 2:
        return 0.0
    d = atoms[np.concatenate(list(ONE_SET.blocks(0, n_items))).astype(int)].T
    t = stats.t.ppf(0.975, n_items - 1)
    needed = t**2 / (n_items - 1 + t**2)
    mean, square = d.mean(1), (d**2).mean(1)
    d = d[(mean > 0) & (mean**2 > needed * square)]
    weight = needed / d.mean(1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        passed = (weight * np.abs(d) <= 1).all(1) & ((d / (1 + weight * d)).sum(1) >= 0)
    return float((~passed).sum() / DRAWN_P)
