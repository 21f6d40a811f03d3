"""Dawid and Skene: voters who err independently of each other, given the label [dawid1979].

Two forms: one confusion matrix for all voters, in MAVEN's vote model with P fixed at a_Y [maven, app. C.1], and one for
every voter, fitted by expectation-maximisation, where voters have names.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, xlog1py, xlogy

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.evidence import NamedVotes
from quorate.estimating.imputation import BATCH, count_items, draw_labels
from quorate.estimating.label_metrics import LabelDraws
from quorate.estimating.methods.method import Judgement, LabelMethod
from quorate.estimating.posterior.sampling import sample_posterior
from quorate.estimating.study import Study
from quorate.estimating.vote_model import VoteSets

__all__ = ["DawidSkene", "DawidSkeneVoters", "VoterFit", "fit_voters", "sample_confusion", "vote_likelihood"]

TINY = 1e-10  # smallest expected count, as in crowd-kit


class VoterFit(NamedTuple):
    """One voter's chance of a positive vote given label y, ``(rater, 2)``; P(Y = 1), ``(item,)``; the prevalence."""

    rate: Array
    chance: Array
    prevalence: float


class DawidSkene(LabelMethod):
    """One confusion matrix for all voters, drawn from its posterior."""

    name = "ds"

    def judge(self, study: Study, system: str | None) -> Judgement:
        """Draw labels given the votes, once per confusion matrix."""
        rng = generator(study.seed, "estimate", "ds")
        sets, _, blocks = study.ranked(system, rng)
        chance = sample_confusion(sets, size=study.n_draws, rng=rng)
        batches = (chance[low : low + BATCH, blocks.cell_set] for low in range(0, len(chance), BATCH))
        counts = draw_labels(batches, blocks, resample_items=study.population, rng=rng)
        return Judgement(LabelDraws(counts, blocks.score, sets.vote_share, study.threshold))


class DawidSkeneVoters(LabelMethod):
    """A confusion matrix per voter, the most likely ones."""

    name = "ds-raters"

    def judge(self, study: Study, system: str | None) -> Judgement:
        """Draw labels given who voted what."""
        evidence, rng = study.evidence, generator(study.seed, "estimate", "ds-raters")
        if evidence.named_votes is None:
            raise InputError("ds-raters needs to know who voted: give votes as item, rater, response.")
        label, has_label = evidence.label, evidence.has_label
        chance = fit_voters(evidence.named_votes, evidence.n_items, label=label, has_label=has_label).chance
        score, level = np.unique(study.levels(system), return_inverse=True)
        share, ballot = np.unique(evidence.positive / np.maximum(evidence.total, 1), return_inverse=True)
        labels = rng.random((study.n_draws, evidence.n_items)) < chance
        return Judgement(LabelDraws(count_items(labels, level, ballot), score, share, study.threshold))


def sample_confusion(sets: VoteSets, *, size: int = 500, rng: np.random.Generator) -> Array:
    """Draw P(Y = 1 | votes) of every vote set from the posterior of one confusion matrix, ``(draw, set)``.

    Y ~ Bern(phi), V ~ Bin(c, a_Y), phi uniform, (a_0, a_1) uniform on a_0 <= a_1; an expert's label is certain.
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
    votes: NamedVotes,
    n_items: int,
    *,
    label: Array | None = None,
    has_label: Array | None = None,
    iterations: int = 100,
) -> VoterFit:
    """Fit a confusion matrix per voter by expectation-maximisation, started from vote shares [dawid1979].

    Parameters
    ----------
    votes
        The votes.
    label, has_label
        Experts' labels, ``(item,)``, held fixed.
    iterations
        Steps of expectation and maximisation.
    """
    held = np.zeros(n_items, dtype=bool) if has_label is None else has_label
    fixed = np.zeros(n_items) if label is None else label
    total = np.bincount(votes.item, minlength=n_items)
    share = np.bincount(votes.item, votes.vote, minlength=n_items) / np.maximum(total, 1)
    chance = np.where(held, fixed, np.where(total > 0, share, 0.5))
    rate, prevalence = _maximise(votes, chance)
    for _ in range(iterations):
        weight = np.log(rate), np.log1p(-rate)
        single = np.where(votes.vote[:, None] == 1, weight[0][votes.rater], weight[1][votes.rater])
        odds = np.bincount(votes.item, single[:, 1] - single[:, 0], minlength=n_items)
        chance = np.where(held, fixed, expit(odds + np.log(prevalence / (1 - prevalence))))
        rate, prevalence = _maximise(votes, chance)
    return VoterFit(rate, chance, prevalence)


def _joint(free: Array, sets: VoteSets) -> Array:
    share = np.clip(expit(free), 1e-12, 1 - 1e-12)
    rate = np.stack([share[..., 1] * share[..., 2], share[..., 1]], -1)
    prior = np.stack([np.log1p(-share[..., 0]), np.log(share[..., 0])], -1)[..., None, :]
    joint: Array = np.where(sets.possible, prior + vote_likelihood(rate, sets.positive, sets.total), -np.inf)
    return joint


def _maximise(votes: NamedVotes, chance: Array) -> tuple[Array, float]:
    """Voters' rates and the prevalence from labels known with some chance; every expected count is at least TINY."""
    n_raters = int(votes.rater.max()) + 1
    label = np.stack([1 - chance, chance])[:, votes.item]
    yes = np.stack([np.bincount(votes.rater, part * votes.vote, minlength=n_raters) for part in label], -1)
    every = np.stack([np.bincount(votes.rater, part, minlength=n_raters) for part in label], -1)
    yes, no = np.maximum(yes, TINY), np.maximum(every - yes, TINY)
    return yes / (yes + no), float(np.clip(chance.mean(), TINY, 1 - TINY))
