"""The vote model: a hidden label, a hidden share of positive votes per item, and the votes.

Y ~ Bern(phi), P | Y ~ Beta(a_Y d_Y, (1 - a_Y) d_Y), V ~ Bin(c, P) [maven, sec. 3.2.1]. Items with
the same votes and the same expert label are one vote set, so the likelihood costs as much for a
thousand items as for a million.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import betainc, betaln, expit, log_expit, logit, xlog1py, xlogy

from quorate._typing import Array

LOW, HIGH = 0.01, 0.99  # the correlation of two votes on an item stays inside [maven, sec. 3.2.1]
TINY = 1e-9  # shares stay this far from 0 and 1, so that no beta function overflows
NODES = np.linspace(0.0, 1.0, 128)  # a power of two, for the Fourier transforms of the score model


@dataclass(frozen=True)
class VoteSets:
    """The distinct (positive votes V, votes c, expert label T) in the data, and how many items carry each."""

    positive: Array  # V of every set, (set,)
    total: Array  # c, (set,)
    possible: Array  # T^(y): whether the label may be y, (set, 2); both without an expert
    size: Array  # items, (set,)
    evidence: Array  # items it counts for, (set,): size, unless experts are weighted

    @cached_property
    def has_label(self) -> Array:
        """True where an expert gave the label, ``(set,)``."""
        return np.asarray(~self.possible.all(-1))

    @cached_property
    def vote_share(self) -> Array:
        """Share of positive votes in each set, ``(set,)``; nan without votes."""
        return np.where(self.total > 0, self.positive / np.maximum(self.total, 1), np.nan)

    @cached_property
    def ballots(self) -> tuple[Array, Array, Array]:
        """The distinct (V, c), and each set's place among them: beta functions are computed once for all three T."""
        width = int(self.total.max()) + 1
        distinct, place = np.unique(self.total * width + self.positive, return_inverse=True)
        return distinct % width, distinct // width, place


@dataclass(frozen=True)
class VoteParameters:
    """Phi ``(...)``, a_y and d_y ``(..., 2)``: prevalence, mean and concentration of the vote probability by label."""

    prevalence: Array
    rate: Array
    scale: Array

    @classmethod
    def from_free(cls, free: Array) -> "VoteParameters":
        """Read five unbounded numbers ``(..., 5)``: logits of phi, a_1, a_0 / a_1 and of the two correlations."""
        share = np.clip(expit(free), TINY, 1 - TINY)
        rate = np.stack([share[..., 1] * share[..., 2], share[..., 1]], -1)
        return cls(share[..., 0], rate, 1 / (LOW + (HIGH - LOW) * share[..., 3:]) - 1)

    def __getitem__(self, index: Array) -> "VoteParameters":
        """Select draws."""
        return VoteParameters(self.prevalence[index], self.rate[index], self.scale[index])

    @cached_property
    def correlation(self) -> Array:
        """Correlation of two votes on an item with label y, 1 / (1 + d_y), ``(..., 2)``."""
        return np.asarray(1 / (1 + self.scale))

    @cached_property
    def free(self) -> Array:
        """The five unbounded numbers, ``(..., 5)``."""
        inner = (self.correlation - LOW) / (HIGH - LOW)
        first = [self.prevalence, self.rate[..., 1], self.rate[..., 0] / self.rate[..., 1]]
        return np.asarray(logit(np.concatenate([np.stack(first, -1), inner], -1)))


@dataclass(frozen=True)
class VoteLaw:
    """What votes say of items, for every draw of the vote model: the chance of each label, and the law of P.

    f_k(p, y) = Beta(a_y d_y + V, (1 - a_y) d_y + c - V) [maven, sec. 3.2.2] is kept as weights on
    fixed nodes, so that every integral over P becomes a sum.
    """

    label: Array  # log q_k(y), (draw, set, 2)
    weights: Array  # f_k(p, y) on the nodes, (draw, ballot, 2, node)
    ballot: Array  # the ballot (V, c) of every set, (set,)

    def __getitem__(self, part: slice) -> "VoteLaw":
        """Select draws."""
        return VoteLaw(self.label[part], self.weights[part], self.ballot)

    def __len__(self) -> int:
        return len(self.label)

    def mixed(self, shares: Array) -> Array:
        """Joint law of (Y, P) in mixtures of sets, ``(draw, mixture, 2, node)``, from shares ``(mixture, set)``."""
        by_ballot = np.zeros((len(self), len(shares), self.weights.shape[1], 2))
        label = np.exp(self.label)
        for k, ballot in enumerate(self.ballot):
            by_ballot[:, :, ballot] += shares[:, k, None] * label[:, None, k]
        return np.asarray(np.einsum("dgby,dbyp->dgyp", by_ballot, self.weights, optimize=True))


def vote_sets(
    positive: Array, total: Array, label: Array, has_label: Array, *, weight: Array | None = None
) -> tuple[VoteSets, Array]:
    """Group items by (V, c, T): the sets, and the set of each item, ``(item,)``.

    Arguments are those of `Evidence`. Every (V, c) also has a set without a label, if empty.
    """
    code = np.where(has_label, 1 + label.astype(np.int64), 0)
    width = int(total.max()) + 1
    key = (total.astype(np.int64) * width + positive) * 3 + code
    seen = np.unique(key)
    distinct = np.union1d(seen, seen // 3 * 3)  # every ballot also without a label, for what an expert left open
    member = np.searchsorted(distinct, key)
    ballot, kind = np.divmod(distinct, 3)
    size = np.bincount(member, minlength=len(distinct)).astype(float)
    possible = np.stack([kind != 2, kind != 1], -1)
    sets = VoteSets(ballot % width, ballot // width, possible, size, size)
    return (sets if weight is None else _weighted(sets, member, np.where(has_label, weight, 0.0))), member


def log_joint(parameters: VoteParameters, positive: Array, total: Array) -> Array:
    """Log of P(Y = y) f_BB(V | y), without the binomial coefficient, ``(..., ballot, 2)`` [maven, sec. 3.2.1].

    The coefficient does not depend on the parameters; leaving it out makes best-of-k voting the
    same model.
    """
    alpha = (parameters.rate * parameters.scale)[..., None, :]
    beta = ((1 - parameters.rate) * parameters.scale)[..., None, :]
    prior = np.stack([np.log1p(-parameters.prevalence), np.log(parameters.prevalence)], -1)[..., None, :]
    lost = (total - positive)[:, None]
    likelihood: Array = betaln(alpha + positive[:, None], beta + lost) - betaln(alpha, beta)
    return prior + likelihood


def label_log_probability(parameters: VoteParameters, sets: VoteSets) -> Array:
    """Log q_k(y): log probability of each label given the vote set, ``(..., set, 2)`` [maven, sec. 3.2.2]."""
    joint = _masked(log_joint(parameters, sets.positive, sets.total), sets)
    return np.asarray(joint - np.logaddexp(joint[..., 0], joint[..., 1])[..., None])


def vote_log_posterior(free: Array, sets: VoteSets) -> Array:
    """Log posterior density of the five free numbers, ``(...)``: sum_k N_k log L_k plus the priors [maven, sec. 3.2.1].

    Priors: phi uniform, (a_0, a_1) uniform on the triangle a_0 <= a_1, correlations uniform on
    (0.01, 0.99).
    """
    positive, total, place = sets.ballots
    joint = _masked(log_joint(VoteParameters.from_free(free), positive, total)[..., place, :], sets)
    likelihood = np.logaddexp(joint[..., 0], joint[..., 1]) @ sets.evidence
    # d(phi, a_0, a_1, corr) / d(free): s(1 - s) for each logit, and a_1 for the triangle
    jacobian: Array = (log_expit(free) + log_expit(-free)).sum(-1) + log_expit(free[..., 1])
    return likelihood + jacobian


def vote_law(parameters: VoteParameters, sets: VoteSets, *, labels_only: bool = False) -> VoteLaw:
    """Work out the law of (Y, P) in every vote set; ``labels_only`` leaves out P, which only scores need."""
    positive, total, ballot = sets.ballots
    label = label_log_probability(parameters, sets)
    if labels_only:
        return VoteLaw(label, np.empty((len(label), 0, 2, len(NODES))), ballot)
    return VoteLaw(label, beta_weights(parameters, positive, total), ballot)


def beta_weights(parameters: VoteParameters, positive: Array, total: Array) -> Array:
    """Put f_k(p, y) on the nodes, ``(..., ballot, 2, node)``.

    Each interval's mass and mean are split exactly over its two ends, so a sum over nodes errs only
    by the curvature of what is summed, even where the density is infinite at 0 or 1.
    """
    alpha = ((parameters.rate * parameters.scale)[..., None, :] + positive[:, None])[..., None]
    beta = (((1 - parameters.rate) * parameters.scale)[..., None, :] + (total - positive)[:, None])[..., None]
    cumulative = betainc(alpha, beta, NODES)
    # I(alpha + 1, beta) = I(alpha, beta) - x^alpha (1 - x)^beta / (alpha B(alpha, beta))
    drop = np.exp(xlogy(alpha, NODES) + xlog1py(beta, -NODES) - betaln(alpha, beta) - np.log(alpha))
    mass = np.diff(cumulative)
    moment = alpha / (alpha + beta) * np.diff(cumulative - drop)
    upper = np.clip((moment - mass * NODES[:-1]) / NODES[1], 0.0, mass)
    weights = np.zeros(cumulative.shape)
    weights[..., 1:] += upper
    weights[..., :-1] += mass - upper
    return weights


def _weighted(sets: VoteSets, member: Array, weight: Array) -> VoteSets:
    """Let weighted experts speak for the labels, and every item once for the votes.

    log L = sum_i log P(V_i) + sum_experts w_i log P(T_i | V_i), the w scaled to their effective
    number (sum w)² / sum w² and never to more than the items with those votes.
    """
    ballot = sets.ballots[2]
    expert = np.bincount(member, weight * weight.sum() / (weight**2).sum(), minlength=len(sets.size))
    cast = np.bincount(ballot, sets.size)
    expert *= np.minimum(1.0, cast / np.maximum(np.bincount(ballot, expert), 1e-300))[ballot]
    rest = (cast - np.bincount(ballot, expert))[ballot]
    return replace(sets, evidence=np.where(sets.has_label, expert, rest))


def _masked(joint: Array, sets: VoteSets) -> Array:
    return np.asarray(np.where(sets.possible, joint, -np.inf))
