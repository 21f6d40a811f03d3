"""Vote sets and the vote model: a hidden label, a hidden share of positive votes per item, and the votes.

Y ~ Bern(phi), P | Y ~ Beta(a_Y d_Y, (1 - a_Y) d_Y), V ~ Bin(c, P) [maven, sec. 3.2.1]. Items with the same votes and
the same expert label are one vote set, so the likelihood costs as much for a thousand items as for a million.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import betaln, expit, log_expit, logit

from quorate._typing import Array

__all__ = [
    "HIGH",
    "LOW",
    "VoteParameters",
    "VoteSets",
    "label_log_probability",
    "log_joint",
    "vote_log_posterior",
    "vote_sets",
]

LOW, HIGH = 0.01, 0.99  # the correlation of two votes on an item stays inside [maven, sec. 3.2.1]
TINY = 1e-9  # shares stay this far from 0 and 1, so that no beta function overflows


@dataclass(frozen=True)
class VoteSets:
    """The distinct (positive votes V, votes c, expert label T) in the data, and how many items carry each.

    Parameters
    ----------
    positive, total
        V and c of every set, ``(set,)``.
    possible
        T^(y): whether the label may be y, ``(set, 2)``; both True without an expert, one True with.
    size
        Items per set, ``(set,)``.
    evidence
        How many items the set counts for in the vote model, ``(set,)``; equal to ``size`` unless experts are weighted.
    """

    positive: Array
    total: Array
    possible: Array
    size: Array
    evidence: Array

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
        correlation: Array = 1 / (1 + self.scale)
        return correlation

    @cached_property
    def free(self) -> Array:
        """The five unbounded numbers, ``(..., 5)``."""
        inner = (self.correlation - LOW) / (HIGH - LOW)
        first = [self.prevalence, self.rate[..., 1], self.rate[..., 0] / self.rate[..., 1]]
        free: Array = logit(np.concatenate([np.stack(first, -1), inner], -1))
        return free


def vote_sets(
    positive: Array, total: Array, label: Array, has_label: Array, *, weight: Array | None = None
) -> tuple[VoteSets, Array]:
    """Group items by (V, c, T).

    Parameters
    ----------
    positive, total
        Positive votes and votes of every item, ``(item,)``; an item without votes has 0 and 0.
    label, has_label
        The expert's label (0 or 1) and whether there is one, ``(item,)``.
    weight
        Optional weight of every expert label (one over its chance of being chosen), ``(item,)``.

    Returns
    -------
    The vote sets, and the index of each item's set, ``(item,)``. Every (V, c) also has a set without a label, if empty.
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

    The coefficient does not depend on the parameters; leaving it out makes best-of-k voting the same model.

    Examples
    --------
    >>> half = VoteParameters(np.array(0.5), np.array([0.5, 0.5]), np.array([2.0, 2.0]))      # P uniform
    >>> np.exp(log_joint(half, np.array([0, 1]), np.array([1, 2]))).round(4).tolist()     # 1/4 and 1/2 B(2, 2)
    [[0.25, 0.25], [0.0833, 0.0833]]
    """
    alpha = (parameters.rate * parameters.scale)[..., None, :]
    beta = ((1 - parameters.rate) * parameters.scale)[..., None, :]
    prior = np.stack([np.log1p(-parameters.prevalence), np.log(parameters.prevalence)], -1)[..., None, :]
    lost = (total - positive)[:, None]
    likelihood: Array = betaln(alpha + positive[:, None], beta + lost) - betaln(alpha, beta)
    return prior + likelihood


def label_log_probability(parameters: VoteParameters, sets: VoteSets) -> Array:
    """Log q_k(y): log probability of each label given the vote set, ``(..., set, 2)`` [maven, sec. 3.2.2].

    Examples
    --------
    >>> sets, _ = vote_sets(np.array([1]), np.array([1]), np.array([0]), np.array([False]))
    >>> fair = VoteParameters(np.array(0.5), np.array([0.2, 0.8]), np.array([1.0, 1.0]))
    >>> np.exp(label_log_probability(fair, sets)).round(3).tolist()     # 0.2 : 0.8
    [[0.2, 0.8]]
    """
    joint = _masked(log_joint(parameters, sets.positive, sets.total), sets)
    odds: Array = joint - np.logaddexp(joint[..., 0], joint[..., 1])[..., None]
    return odds


def vote_log_posterior(free: Array, sets: VoteSets) -> Array:
    """Log posterior density of the five free numbers, ``(...)``: sum_k N_k log L_k plus the priors [maven, sec. 3.2.1].

    Priors: phi uniform, (a_0, a_1) uniform on the triangle a_0 <= a_1, correlations uniform on (0.01, 0.99).
    """
    positive, total, place = sets.ballots
    joint = _masked(log_joint(VoteParameters.from_free(free), positive, total)[..., place, :], sets)
    likelihood = np.logaddexp(joint[..., 0], joint[..., 1]) @ sets.evidence
    # d(phi, a_0, a_1, corr) / d(free): s(1 - s) for each logit, and a_1 for the triangle
    jacobian: Array = (log_expit(free) + log_expit(-free)).sum(-1) + log_expit(free[..., 1])
    return likelihood + jacobian


def _weighted(sets: VoteSets, member: Array, weight: Array) -> VoteSets:
    """Let weighted experts speak for the labels, and every item once for the votes.

    log L = sum_i log P(V_i) + sum_experts w_i log P(T_i | V_i), the w scaled to their effective number
    (sum w)² / sum w² and never to more than the items with those votes.
    """
    ballot = sets.ballots[2]
    expert = np.bincount(member, weight * weight.sum() / (weight**2).sum(), minlength=len(sets.size))
    cast = np.bincount(ballot, sets.size)
    expert *= np.minimum(1.0, cast / np.maximum(np.bincount(ballot, expert), 1e-300))[ballot]
    rest = (cast - np.bincount(ballot, expert))[ballot]
    return replace(sets, evidence=np.where(sets.has_label, expert, rest))


def _masked(joint: Array, sets: VoteSets) -> Array:
    masked: Array = np.where(sets.possible, joint, -np.inf)
    return masked
