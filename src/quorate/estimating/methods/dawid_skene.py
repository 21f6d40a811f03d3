"""Dawid and Skene: voters who err independently of each other, given the label [dawid1979].

Two forms: one confusion matrix for all voters, in MAVEN's vote model with P fixed at a_Y [maven, app. C.1], and one for
every voter, fitted by expectation-maximisation, where voters have names.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, xlog1py, xlogy

from quorate._typing import Array
from quorate.estimating.evidence import Ballots
from quorate.estimating.posterior.cut import sample_posterior
from quorate.estimating.vote_model import VoteSets

__all__ = ["VoterFit", "fit_voters", "sample_confusion", "vote_likelihood"]

TINY = 1e-10  # smallest expected count, as in crowd-kit


class VoterFit(NamedTuple):
    """One voter's chance of a positive vote given label y, ``(rater, 2)``; P(Y = 1), ``(item,)``; the prevalence."""

    rate: Array
    chance: Array
    prevalence: float


def sample_confusion(sets: VoteSets, *, size: int = 500, rng: np.random.Generator) -> Array:
    """Draw P(Y = 1 | votes) of every vote set from the posterior of one confusion matrix, ``(draw, set)``.

    Y ~ Bern(phi), V ~ Bin(c, a_Y), phi uniform, (a_0, a_1) uniform on a_0 <= a_1; an expert's label is certain.

    Examples
    --------
    >>> from quorate.estimating.vote_model import vote_sets
    >>> votes = np.repeat([0, 3], 50)
    >>> sets, _ = vote_sets(votes, np.full(100, 3), np.zeros(100), np.zeros(100, dtype=bool))
    >>> sample_confusion(sets, rng=np.random.default_rng(0)).mean(0).round()
    array([0., 1.])
    """

    def log_posterior(free: Array) -> Array:
        joint = _joint(free, sets)
        jacobian = (log_expit(free) + log_expit(-free)).sum(-1) + log_expit(free[..., 1])
        posterior: Array = np.logaddexp(joint[..., 0], joint[..., 1]) @ sets.evidence + jacobian
        return posterior

    free = sample_posterior(log_posterior, rng.logistic(size=(500, 3)), size=size, rng=rng)[0]
    joint = _joint(free, sets)
    return np.asarray(expit(np.clip(joint[..., 1] - joint[..., 0], -700, 700)))


def vote_likelihood(rate: Array, positive: Array, total: Array) -> Array:
    """Log P(V | y) for independent voters, without the binomial coefficient, ``(..., set, 2)``."""
    rate = rate[..., None, :]
    likelihood: Array = xlogy(positive[:, None], rate) + xlog1py((total - positive)[:, None], -rate)
    return likelihood


def fit_voters(
    ballots: Ballots, n_items: int, *, label: Array | None = None, known: Array | None = None, iterations: int = 100
) -> VoterFit:
    """Fit a confusion matrix per voter by expectation-maximisation, started from vote shares [dawid1979].

    Parameters
    ----------
    ballots
        The votes.
    label, known
        Experts' labels, ``(item,)``, held fixed.
    iterations
        Steps of expectation and maximisation.

    Examples
    --------
    >>> item, rater = np.repeat(np.arange(20), 3), np.tile([0, 1, 2], 20)
    >>> truth = np.arange(20) % 2
    >>> vote = np.where(rater == 2, 1 - truth[item], truth[item])         # the third voter is always wrong
    >>> fit_voters(Ballots(item, rater, vote), 20).rate.round(2).tolist()
    [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    """
    held = np.zeros(n_items, dtype=bool) if known is None else known
    fixed = np.zeros(n_items) if label is None else label
    votes = np.bincount(ballots.item, minlength=n_items)
    share = np.bincount(ballots.item, ballots.vote, minlength=n_items) / np.maximum(votes, 1)
    chance = np.where(held, fixed, np.where(votes > 0, share, 0.5))
    rate, prevalence = _maximise(ballots, chance)
    for _ in range(iterations):
        weight = np.log(rate), np.log1p(-rate)
        single = np.where(ballots.vote[:, None] == 1, weight[0][ballots.rater], weight[1][ballots.rater])
        odds = np.bincount(ballots.item, single[:, 1] - single[:, 0], minlength=n_items)
        chance = np.where(held, fixed, expit(odds + np.log(prevalence / (1 - prevalence))))
        rate, prevalence = _maximise(ballots, chance)
    return VoterFit(rate, chance, prevalence)


def _joint(free: Array, sets: VoteSets) -> Array:
    share = np.clip(expit(free), 1e-12, 1 - 1e-12)
    rate = np.stack([share[..., 1] * share[..., 2], share[..., 1]], -1)
    prior = np.stack([np.log1p(-share[..., 0]), np.log(share[..., 0])], -1)[..., None, :]
    joint: Array = np.where(sets.possible, prior + vote_likelihood(rate, sets.positive, sets.total), -np.inf)
    return joint


def _maximise(ballots: Ballots, chance: Array) -> tuple[Array, float]:
    """Voters' rates and the prevalence from labels known with some chance; every expected count is at least TINY."""
    n_raters = int(ballots.rater.max()) + 1
    label = np.stack([1 - chance, chance])[:, ballots.item]
    yes = np.stack([np.bincount(ballots.rater, part * ballots.vote, minlength=n_raters) for part in label], -1)
    every = np.stack([np.bincount(ballots.rater, part, minlength=n_raters) for part in label], -1)
    yes, no = np.maximum(yes, TINY), np.maximum(every - yes, TINY)
    return yes / (yes + no), float(np.clip(chance.mean(), TINY, 1 - TINY))
