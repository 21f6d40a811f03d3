"""Fits find the truth again, and checks of fit reject as often as they should."""

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.populations.dirichlet import DirichletPopulation, fit_dirichlet
from quorate.populations.families import TruncatedNormal, Uniform
from quorate.populations.fit_population import fit_normal
from quorate.populations.goodness import check_spread
from quorate.populations.normal import NormalPopulation
from tests.draws import counts_of
from tests.studies import pick

TRUTH = np.array([2.5, 0.4, 0.8])
REPLICATES = 200


def ragged_counts(n_items: int, key: str, replicate: int) -> Array:
    rng = generator(0, "recovery", key, replicate)
    return rng.multinomial(rng.integers(2, 9, n_items), rng.dirichlet(TRUTH, n_items))


def moment_fit(counts: Array) -> Array:
    """Moments of the observed shares, as if they were the items' true shares: ignores the noise of few answers."""
    share = counts / counts.sum(-1, keepdims=True)
    mean, variance = share.mean(0), share.var(0)
    return np.asarray(mean) * float(np.mean(mean * (1 - mean) / variance) - 1)


def z_scores(estimates: Array) -> Array:
    error = estimates.std(0, ddof=1) / np.sqrt(len(estimates))
    return np.asarray((estimates.mean(0) - TRUTH) / error)


def test_ml_recovers_alpha_from_ragged_answers() -> None:
    data = [ragged_counts(2000, "ml", r) for r in range(REPLICATES)]
    assert (np.abs(z_scores(np.array([fit_dirichlet(c, method="ml").alpha for c in data]))) < 5).all()
    # Negative control: plain moments of the observed shares see the noise of few answers as spread.
    assert (np.abs(z_scores(np.array([moment_fit(c) for c in data]))) > 5).any()


def test_ml_is_biased_upwards_with_a_hundred_items() -> None:
    estimates = np.array([fit_dirichlet(ragged_counts(100, "few", r), method="ml").alpha for r in range(1000)])
    total = estimates.sum(-1)
    assert total.mean() > TRUTH.sum() + 5 * total.std(ddof=1) / np.sqrt(1000)


def test_the_prior_of_map_is_weak() -> None:
    # With 2000 items the prior moves α by far less than one standard error of ML.
    ml, by_prior = (
        np.array([fit_dirichlet(ragged_counts(2000, "prior", r), method=m).alpha for r in range(40)])
        for m in ("ml", "map")
    )
    assert (np.abs(ml - by_prior).max(0) < 0.1 * ml.std(0, ddof=1)).all()


LEVELS = (1.0, 2.0, 3.0, 4.0, 5.0)


def spread_of_means(fitted: NormalPopulation, rng: np.random.Generator) -> float:
    return float(fitted.means.draw((20_000,), rng=rng).std())


def test_the_spread_of_item_means_is_recovered_from_three_raters() -> None:
    world = NormalPopulation(TruncatedNormal(3.0, 0.5, 0.5, 5.5), Uniform(0.6, 1.0), levels=LEVELS)
    truth = spread_of_means(world, generator(0, "recovery", "truth"))
    ours, naive = [], []
    for r in range(pick(5, 10)):
        rng = generator(0, "recovery", "normal", r)
        counts = counts_of(world.draw(n_replicates=1, n_items=500, n_raters=3, rng=rng).raters)[0]
        summary = Counts(counts, np.array(LEVELS))
        fitted = fit_normal(summary, rng=rng).population.normals
        assert fitted is not None
        ours.append(spread_of_means(fitted, rng))
        naive.append(float(summary.mean.std()))  # what a fit to observed item means would match

    def z(values: list[float]) -> float:
        return float(abs(np.mean(values) - truth) / (np.std(values, ddof=1) / np.sqrt(len(values))))

    assert z(ours) < 5
    assert z(naive) > 5


def test_the_check_spread_rarely_rejects_the_truth_and_finds_a_wrong_spread() -> None:
    truth, wrong = DirichletPopulation((1.2, 0.6)), DirichletPopulation((2.4, 1.2))
    rejected = {"truth": 0, "wrong": 0}
    studies = pick(10, 30)
    for r in range(studies):
        rng = generator(0, "recovery", "check", r)
        votes = Counts(rng.multinomial(rng.integers(2, 7, 400), rng.dirichlet(truth.alpha, 400)))
        rejected["truth"] += not check_spread(truth, votes, rng=rng).fits
        rejected["wrong"] += not check_spread(wrong, votes, rng=rng).fits
    # Each of the two figures rejects at most 1 % of true data sets: 2 % of them, with binomial noise at z = 5.
    most = studies * 0.02 + 5 * np.sqrt(studies * 0.02 * 0.98)
    assert rejected["truth"] <= most < rejected["wrong"]  # the control breaks the same bound
