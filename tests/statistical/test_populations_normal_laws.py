"""Normal populations: means and level counts drawn directly have the law of answers drawn one by one."""

import numpy as np
from scipy import stats

from quorate._random import generator
from quorate._typing import Array
from quorate.populations.choice import find_preset
from quorate.populations.families import Triangular, Uniform
from quorate.populations.normal import NormalPopulation, draw_means, draw_values
from tests.draws import values_of

FAR = 2 * stats.norm.sf(5)
ITEMS = 40_000


def ks_p(first: Array, second: Array) -> float:
    return float(stats.ks_2samp(first.ravel(), second.ravel(), method="asymp").pvalue)


def null_means(kind: str, n: int) -> Array:
    """Means of n null answers around 0 or 1 with sd 0.2: drawn directly, from answers, or as if they were normal."""
    rng = generator(0, "normal-laws", kind, n)
    centres, sd = (np.zeros(ITEMS), np.ones(ITEMS)), np.full(ITEMS, 0.2)
    if kind == "direct":
        return draw_means(centres, sd, n, rng=rng).mean
    if kind == "answers":
        which = rng.random((ITEMS, n)) < 0.5
        return np.asarray(rng.normal(np.where(which, 0.0, 1.0), 0.2).mean(-1))
    return rng.normal(0.5, np.sqrt((0.2**2 + 0.25) / n), ITEMS)  # right mean and variance, wrong shape


def test_null_means_have_the_law_of_mixed_answers() -> None:
    for n in (1, 2, 5):
        assert ks_p(null_means("direct", n), null_means("answers", n)) > FAR


def test_control_a_normal_null_mean_is_found_out() -> None:
    for n in (1, 2):
        assert ks_p(null_means("normal", n), null_means("answers", n)) < FAR


def test_sorted_null_values_are_the_mixed_answers() -> None:
    rng = generator(0, "normal-laws", "values")
    centres, sd = (np.zeros(ITEMS), np.ones(ITEMS)), np.full(ITEMS, 0.2)
    lowest = draw_values(centres, sd, 3, None, rng=rng).values[:, 0]
    plain = rng.normal(rng.integers(0, 2, (ITEMS, 3)), 0.2).min(-1)
    assert ks_p(lowest, plain) > FAR


def likert_by_answer(cut: str, rng: np.random.Generator) -> Array:
    """Item means of five answers, each clamped to [0, 1] and cut to a level, as leaderboard's appendix B has it."""
    mean = np.minimum(np.abs(rng.normal(0.0, 0.28, ITEMS)), 0.8)
    sd = np.maximum(rng.triangular(-0.05, 0.21, 0.45, ITEMS), 0.0)
    mean_b = np.clip(mean + rng.uniform(-0.3, 0.3, ITEMS), 0.0, 1.0)
    answers = np.clip(rng.normal(mean_b[:, None], sd[:, None], (ITEMS, 5)), 0.0, 1.0)
    level = np.floor(answers * 5) if cut == "down" else np.rint(answers * 5)
    return np.asarray((np.minimum(level, 4) / 5).mean(-1))


def likert_direct() -> Array:
    study = find_preset("toxicity-likert").population.draw(
        n_replicates=1,
        n_items=ITEMS,
        n_raters=5,
        answers="raters",
        effect=0.3,
        rng=generator(0, "normal-laws", "likert"),
    )
    return np.asarray(study.b.mean[0].round(9))


def histogram_p(first: Array, second: Array) -> float:
    values = np.unique(np.concatenate([first, second]).round(6))
    bins = [np.bincount(np.searchsorted(values, x.round(6)), minlength=len(values)) for x in (first, second)]
    total = bins[0] + bins[1]
    return float(stats.chi2.sf(((bins[0] - bins[1]) ** 2 / total).sum(), len(values) - 1))


def test_likert_counts_have_the_law_of_clamped_and_cut_answers() -> None:
    assert histogram_p(likert_direct(), likert_by_answer("down", generator(0, "normal-laws", "down"))) > FAR


def test_control_rounding_to_the_nearest_level_is_found_out() -> None:
    assert histogram_p(likert_direct(), likert_by_answer("near", generator(0, "normal-laws", "near"))) < FAR


def test_item_moments_follow_the_families() -> None:
    # E mean = E μ; Var of an item mean = Var μ + E σ² / K, with μ ~ U(0, 1), σ ~ U(0, 0.3): 1/12 + 0.03/5.
    world = find_preset("uniform-normal").population
    mean = world.draw(n_replicates=1, n_items=ITEMS, n_raters=5, needs="means", rng=generator(0, "moments")).raters.mean
    square = (mean - 0.5) ** 2
    assert abs(mean.mean() - 0.5) < 5 * mean.std() / np.sqrt(ITEMS)
    assert abs(square.mean() - (1 / 12 + 0.03 / 5)) < 5 * square.std() / np.sqrt(ITEMS)
    assert abs(square.mean() - (1 / 12 + 4 / 3 / 5)) > 5 * square.std() / np.sqrt(ITEMS)  # the printed σ ~ U(0, 2)


def test_censored_answers_have_the_mass_of_the_tails_at_the_ends() -> None:
    world = NormalPopulation(Uniform(0.4999, 0.5001), Triangular(0.4999, 0.5, 0.5001), bounds=(0.0, 1.0))
    values = values_of(world.draw(n_replicates=1, n_items=ITEMS, n_raters=2, rng=generator(0, "ends")).raters)
    tail = stats.norm.sf(1.0)
    for end in (0.0, 1.0):
        assert abs((values == end).mean() - tail) < 5 * np.sqrt(tail * (1 - tail) / values.size)
