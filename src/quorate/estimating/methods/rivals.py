"""MAVEN's rivals: Dawid and Skene, with or without names of voters or scores, and human-AI complementarity.

Voters who err independently of each other, given the label [dawid1979], [maven, app. C.1]; the two
models that read the scores themselves, not their ranks, are those of [maven, app. C.2 and C.3],
[steyvers2022].
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import expit, log_expit, logit, ndtr, xlog1py, xlogy

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.imputation import BATCH, RankBlocks, count_items, draw_labels, rank_blocks
from quorate.estimating.label_metrics import LabelDraws
from quorate.estimating.methods.method import Judgement, LabelMethod
from quorate.estimating.posterior.sampling import sample_posterior
from quorate.estimating.study import Study
from quorate.estimating.vote_model import VoteSets
from quorate.estimating.voters import fit_voters

TINY = 1e-9  # shares stay this far from 0 and 1
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(16)  # 16 nodes: 1e-5 of a likelihood


class DawidSkene(LabelMethod):
    """One confusion matrix for all voters: MAVEN's vote model with P fixed at a_Y [maven, app. C.1]."""

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
        chance = fit_voters(evidence.named_votes, evidence.n_items, label=label, has_label=has_label).chance[:, 1]
        score, level = np.unique(study.levels(system), return_inverse=True)
        share, ballot = np.unique(evidence.positive / np.maximum(evidence.total, 1), return_inverse=True)
        labels = rng.random((study.n_draws, evidence.n_items)) < chance
        return Judgement(LabelDraws(count_items(labels, level, ballot), score, share, study.threshold))


def sample_confusion(sets: VoteSets, *, size: int = 500, rng: np.random.Generator) -> Array:
    """Draw P(Y = 1 | votes) of every vote set from the posterior of one confusion matrix, ``(draw, set)``.

    Y ~ Bern(phi), V ~ Bin(c, a_Y), phi uniform, (a_0, a_1) uniform on a_0 <= a_1; an expert's label
    is certain.
    """

    def log_posterior(free: Array) -> Array:
        joint = _possible(_joint(free, sets), sets)
        posterior: Array = np.logaddexp(joint[..., 0], joint[..., 1]) @ sets.evidence + _log_triangle(free)
        return posterior

    free = sample_posterior(log_posterior, rng.logistic(size=(500, 3)), size=size, rng=rng)[0]
    return _chance(_possible(_joint(free, sets), sets))


class ScoreRival(Protocol):
    """A model of votes and scores with a few free numbers."""

    n_free: int

    def log_prior(self, free: Array) -> Array:
        """Log prior of free numbers ``(point, n_free)`` with the Jacobian, ``(point,)``."""

    def log_joint(self, free: Array, score: Array, sets: VoteSets) -> Array:
        """Log P(Y = y, V, X) for every score and vote set, ``(point, score, set, 2)``."""


class DawidSkeneScores:
    """Independent voters; X | Y ~ Normal(mu_Y, sigma), mu ~ Normal(0, 1), sigma ~ HalfNormal(1) [maven, app. C.2]."""

    n_free = 6

    def log_prior(self, free: Array) -> Array:
        """Priors of phi, a_1, a_0 / a_1 (logits), mu_0, mu_1 and log sigma."""
        prior = _log_triangle(free[:, :3]) - 0.5 * (free[:, 3:5] ** 2).sum(1)
        return np.asarray(prior - 0.5 * np.exp(2 * free[:, 5]) + free[:, 5])

    def log_joint(self, free: Array, score: Array, sets: VoteSets) -> Array:
        """Votes given the label, times scores given the label."""
        away = (score[:, None] - free[:, None, 3:5]) / np.exp(free[:, 5])[:, None, None]
        density = -0.5 * away**2 - free[:, 5, None, None]
        return np.asarray(density[:, :, None] + _joint(free[:, :3], sets)[:, None])


class HumanAI:
    """A bivariate normal latent per label: one side votes (probit), the other is the score [maven, app. C.3]."""

    n_free = 7

    def log_prior(self, free: Array) -> Array:
        """Priors of logit phi, mu_H0, log dmu_H, mu_M0, log dmu_M, rho's logit and log sigma_M."""
        ends = log_expit(free[:, [0, 5]]) + log_expit(-free[:, [0, 5]])
        half_normal = free[:, [2, 4, 6]] - 0.5 * np.exp(2 * free[:, [2, 4, 6]])
        return np.asarray(ends.sum(1) - 0.5 * (free[:, [1, 3]] ** 2).sum(1) + half_normal.sum(1))

    def log_joint(self, free: Array, score: Array, sets: VoteSets) -> Array:
        """Scores given the label, times votes given label and score, the latent integrated out."""
        steps = np.exp(np.minimum(free[:, [2, 4]], 5.0))
        human, model = (free[:, [i]] + np.pad(steps[:, [j]], ((0, 0), (1, 0))) for i, j in ((1, 0), (3, 1)))
        rho, sigma = 0.98 * (2 * expit(free[:, 5]) - 1), np.exp(free[:, 6])
        away = (score[:, None] - model[:, None]) / sigma[:, None, None]
        density = -0.5 * away**2 - free[:, 6, None, None]
        mean = human[:, None] + rho[:, None, None] * away
        p = ndtr(mean[..., None] + np.sqrt(1 - rho**2)[:, None, None, None] * NODES)
        p = np.clip(p, TINY, 1 - TINY)[:, :, None]
        ballots, place = np.unique(np.stack([sets.positive, sets.total]), axis=1, return_inverse=True)
        votes = np.stack([_vote_logs(each, *ballots) for each in p])  # one point at a time stays in the cache
        votes = votes[:, :, place.reshape(-1)]
        joint: Array = density[:, :, None] + votes + _log_label(expit(free[:, 0]))[:, None, None]
        return joint


def _vote_logs(p: Array, positive: Array, total: Array) -> Array:
    """Log chance of each ballot, ``(..., ballot, 2)``, where a voter says yes with chances p, ``(..., 1, 2, node)``."""
    power, lost = positive[:, None, None], (total - positive)[:, None, None]
    return np.asarray(np.log(np.exp(power * np.log(p) + lost * np.log1p(-p)) @ WEIGHTS))


@dataclass(frozen=True)
class RivalMethod(LabelMethod):
    """Labels drawn given votes and scores under one of these models; scores between 0 and 1 are taken as logits."""

    name: str
    rival: ScoreRival

    def judge(self, study: Study, system: str | None) -> Judgement:
        """Draw labels once per draw of the model's free numbers."""
        if system is None:
            raise InputError(f"{self.name} needs scores; give them with --scores.")
        scores, rng = study.levels(system), generator(study.seed, "estimate", self.name)
        sets, member, blocks = study.ranked(system, rng)
        free = sample_rival(self.rival, scores, member, sets, size=study.n_draws, rng=rng)
        chances = rival_chances(self.rival, free, scores, sets, blocks)
        counts = draw_labels(chances, blocks, resample_items=study.population, rng=rng)
        return Judgement(LabelDraws(counts, blocks.score, sets.vote_share, study.threshold))


def sample_rival(
    rival: ScoreRival,
    scores: Array,
    member: Array,
    sets: VoteSets,
    *,
    size: int = 500,
    rng: np.random.Generator,
) -> Array:
    """Draw free numbers from the posterior, ``(draw, n_free)``.

    Items are reduced to about a hundred blocks of neighbouring scores: the likelihood costs no more
    for more items.
    """
    most = int(np.clip(2000 / len(sets.size), 30, 120))
    blocks = rank_blocks(scores, member, len(sets.size), most=most, rng=rng)
    score, counts = _block_scores(scores, blocks), np.zeros((len(blocks.position), len(sets.size)))
    counts[blocks.cell_block, blocks.cell_set] = blocks.cell_size

    def log_posterior(free: Array) -> Array:
        flat = free.reshape(-1, rival.n_free)
        parts = [
            _log_likelihood(rival, part, score, counts, sets) for part in np.array_split(flat, len(flat) // 50 + 1)
        ]
        return (np.concatenate(parts) + rival.log_prior(flat)).reshape(free.shape[:-1])

    guesses = 0.7 * rng.standard_normal((400, rival.n_free))
    return sample_posterior(log_posterior, guesses, size=size, proposals=1000, rng=rng)[0]


def rival_chances(rival: ScoreRival, free: Array, scores: Array, sets: VoteSets, blocks: RankBlocks) -> Iterator[Array]:
    """P(Y = 1 | votes, score) in every cell, in batches ``(draw, cell)``; 0 or 1 where an expert spoke."""
    score = _block_scores(scores, blocks)
    for low in range(0, len(free), BATCH):
        joint = _possible(rival.log_joint(free[low : low + BATCH], score, sets), sets)
        yield _chance(joint[:, blocks.cell_block, blocks.cell_set])


def as_latent(scores: Array) -> Array:
    """Put scores on the real line: logits if all lie between 0 and 1, else as they are."""
    bounded = scores.min() >= 0 and scores.max() <= 1
    return np.asarray(logit(np.clip(scores, 1e-6, 1 - 1e-6))) if bounded else scores


def _joint(free: Array, sets: VoteSets) -> Array:
    """Log P(Y = y, V) of independent voters, ``(..., set, 2)``, from logits of phi, a_1 and a_0 / a_1."""
    share = np.clip(expit(free), TINY, 1 - TINY)
    rate = np.stack([share[..., 1] * share[..., 2], share[..., 1]], -1)[..., None, :]
    votes = xlogy(sets.positive[:, None], rate) + xlog1py((sets.total - sets.positive)[:, None], -rate)
    return np.asarray(votes + _log_label(share[..., 0])[..., None, :])


def _log_triangle(free: Array) -> Array:
    """Log density of these logits where phi is uniform, and (a_0, a_1) is on a_0 <= a_1, ``(...)``."""
    return np.asarray((log_expit(free) + log_expit(-free)).sum(-1) + log_expit(free[..., 1]))


def _possible(joint: Array, sets: VoteSets) -> Array:
    """Leave only the labels that experts have not ruled out."""
    return np.where(sets.possible, joint, -np.inf)


def _chance(joint: Array) -> Array:
    """P(Y = 1) from log P(Y = y, ...)."""
    return np.asarray(expit(np.clip(joint[..., 1] - joint[..., 0], -700, 700)))


def _log_likelihood(rival: ScoreRival, free: Array, score: Array, counts: Array, sets: VoteSets) -> Array:
    joint = _possible(rival.log_joint(free, score, sets), sets)
    return np.asarray(np.einsum("psk,sk->p", np.logaddexp(joint[..., 0], joint[..., 1]), counts))


def _block_scores(scores: Array, blocks: RankBlocks) -> Array:
    """Mean score of each block, ``(block,)``."""
    block = blocks.cell_block[blocks.item_cell]
    return np.asarray(np.bincount(block, as_latent(scores)) / np.bincount(block))


def _log_label(prevalence: Array) -> Array:
    share = np.clip(prevalence, TINY, 1 - TINY)
    return np.stack([np.log1p(-share), np.log(share)], -1)
