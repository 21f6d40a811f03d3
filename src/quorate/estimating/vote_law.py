"""What a vote set says about an item: the chance of each label, and the law of the vote probability P under it.

q_k(y) = P(Y = y | k) and f_k(p, y) = Beta(a_y d_y + V, (1 - a_y) d_y + c - V) [maven, sec. 3.2.2], the latter as
weights on fixed nodes, so that every integral over P becomes a sum.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaln, xlog1py, xlogy

from quorate._typing import Array
from quorate.estimating.vote_model import VoteParameters, VoteSets, label_log_probability

__all__ = ["NODES", "VoteLaw", "beta_weights", "vote_law"]

NODES = np.linspace(0.0, 1.0, 128)  # a power of two, for the Fourier transforms in wins.py


@dataclass(frozen=True)
class VoteLaw:
    """The law of (Y, P) in every vote set, for every draw of the vote model.

    Parameters
    ----------
    label
        Log q_k(y), ``(draw, set, 2)``.
    weights
        f_k(p, y) on the nodes, ``(draw, ballot, 2, node)``.
    ballot
        The ballot (V, c) of every set, ``(set,)``.
    """

    label: Array
    weights: Array
    ballot: Array

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
        mixed: Array = np.einsum("dgby,dbyp->dgyp", by_ballot, self.weights, optimize=True)
        return mixed


def vote_law(parameters: VoteParameters, sets: VoteSets, *, labels_only: bool = False) -> VoteLaw:
    """Work out the law of (Y, P) in every vote set, for draws ``(draw,)`` of the vote model.

    Parameters
    ----------
    labels_only
        Leave out the weights of P, which only scores need.
    """
    positive, total, ballot = sets.ballots
    label = label_log_probability(parameters, sets)
    if labels_only:
        return VoteLaw(label, np.empty((len(label), 0, 2, len(NODES))), ballot)
    return VoteLaw(label, beta_weights(parameters, positive, total), ballot)


def beta_weights(parameters: VoteParameters, positive: Array, total: Array) -> Array:
    """Put f_k(p, y) on the nodes, ``(..., ballot, 2, node)``.

    Each interval's mass and mean are split exactly over its two ends, so a sum over nodes errs only by the curvature of
    what is summed, even where the density is infinite at 0 or 1.

    Examples
    --------
    >>> flat = VoteParameters(np.array(0.5), np.array([0.5, 0.5]), np.array([2.0, 2.0]))
    >>> weights = beta_weights(flat, np.array([2]), np.array([3]))[0, 0]      # Beta(3, 2): mean 3/5
    >>> float(weights.sum().round(12)), float((weights @ NODES).round(12))
    (1.0, 0.6)
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
