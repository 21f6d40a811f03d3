"""How far the ranking of the scores may speak about the votes: a loosened Bayesian cut.

The paper cuts all feedback [maven, sec. 3.3]: votes and experts inform the score model, never the reverse. With few
experts the vote model is hardly known, and draws of it that the ranking plainly contradicts stay in: intervals become
wider than they need be, and miss. Semi-modular inference [carmona2020] weighs every draw of the vote model by a power
of how well it lets the score model explain the win rates w,

    p(votes | V, T, w) ~ p(votes | V, T) Z(votes)^eta,    Z = int p(w | mu, delta, votes) p(mu, delta) dmu ddelta.

eta = 0 is the cut, eta = 1 the full posterior, which a wrong score model can lead astray. Deviates: the paper has 0.
"""

from collections.abc import Sequence

import numpy as np

from quorate._typing import Array
from quorate.estimating.posterior.importance import resample
from quorate.estimating.posterior.mode import find_mode
from quorate.estimating.score_model import ScoreModel, Wins, calibrate
from quorate.estimating.vote_law import VoteLaw, vote_law
from quorate.estimating.vote_model import VoteParameters, VoteSets
from quorate.estimating.wins import kernels

__all__ = ["INFLUENCE", "heed_scores", "log_evidence"]

INFLUENCE = 0.3  # eta: chosen on simulated crowds, see docs/methods/maven.md
SCOUTS = 80  # draws of the vote model whose evidence is computed, twice; a quadratic surface gives it for the others


def heed_scores(
    pool: VoteParameters, sets: VoteSets, wins: Sequence[Wins], *, size: int, rng: np.random.Generator
) -> tuple[VoteParameters, float]:
    """Choose ``size`` draws from a pool of draws of the cut posterior, those more often that the ranking supports.

    log Z is smooth in the five free numbers: it is worked out for some draws of the pool, then for some of those which
    a first surface favours, and read off a quadratic surface for all. Several systems speak with one voice, the mean of
    their log Z, because their scores are anything but independent.

    Parameters
    ----------
    pool
        Draws in random order, ``(draw,)``.
    wins
        The win rates of every system.

    Returns
    -------
    The draws, ``(size,)``, and the effective share of the pool they come from; 1 if the scores say nothing.

    Examples
    --------
    >>> from quorate.estimating.posterior.cut import sample_votes
    >>> from quorate.populations.crowds import irt_crowd
    >>> from quorate.estimating.score_model import observe_wins
    >>> from quorate.estimating.vote_model import vote_sets
    >>> rng = np.random.default_rng(0)
    >>> crowd = irt_crowd(4000, rng=rng)
    >>> sets, member = vote_sets(crowd.positive, crowd.total, crowd.truth, np.arange(4000) < 100)
    >>> cut = sample_votes(sets, size=800, rng=rng).parameters
    >>> heard, _ = heed_scores(cut, sets, [observe_wins(crowd.scores[:, 0], member, sets)], size=200, rng=rng)
    >>> bool(heard.rate[:, 1].std() < cut.rate[:, 1].std())             # the voters' TPR is known better
    True
    """
    terms = _quadratic(pool.free)
    scouts = np.arange(min(SCOUTS, len(terms)))
    models = [calibrate(vote_law(pool[scouts], sets), each) for each in wins]
    found = _mean_evidence(pool[scouts], sets, wins, models)
    more = resample(_weights(terms, terms[scouts], found), SCOUTS, rng=rng)
    found = np.append(found, _mean_evidence(pool[more], sets, wins, models))
    log_weights = _weights(terms, terms[np.append(scouts, more)], found)
    share = 1 / np.exp(2 * log_weights).sum() / len(log_weights)
    return pool[resample(log_weights, size, rng=rng)], float(share)


def log_evidence(law: VoteLaw, wins: Wins, model: ScoreModel) -> Array:
    """Log Z up to a constant, ``(draw,)``, by Laplace's method: the height of the mode plus half the log volume.

    Examples
    --------
    >>> from quorate.estimating.score_model import observe_wins
    >>> from quorate.estimating.vote_model import vote_sets
    >>> votes, rng = np.repeat([0, 1], 500), np.random.default_rng(0)
    >>> sets, member = vote_sets(votes, np.ones(1000, dtype=int), votes, np.arange(1000) % 5 == 0)
    >>> good_and_bad = VoteParameters(np.full(2, 0.5), np.array([[0.1, 0.9], [0.5, 0.5]]), np.ones((2, 2)))
    >>> law, wins = vote_law(good_and_bad, sets), observe_wins(rng.normal(size=1000) + 2 * votes, member, sets)
    >>> good, bad = log_evidence(law, wins, calibrate(law, wins))
    >>> bool(good > bad)
    True
    """
    start, found = np.zeros(2), []
    for kernel in kernels(law, wins.groups):
        mode = find_mode(model.density(kernel), np.tile(start, (len(kernel), 1)), iterations=15, tolerance=0.02)
        start = np.median(mode.point, axis=0)
        found.append(mode.height + 0.5 * np.linalg.slogdet(mode.covariance)[1])
    return np.concatenate(found)


def _mean_evidence(draws: VoteParameters, sets: VoteSets, wins: Sequence[Wins], models: Sequence[ScoreModel]) -> Array:
    law = vote_law(draws, sets)
    mean: Array = np.mean([log_evidence(law, *each) for each in zip(wins, models, strict=True)], axis=0)
    return mean


def _weights(terms: Array, known: Array, found: Array) -> Array:
    """Normalised log weights eta log Z of all draws, from a least-squares surface through those that are known.

    Draws count by their weight; beyond the highest log Z seen the surface is not believed.
    """
    root = np.exp(0.5 * INFLUENCE * (found - found.max()))
    surface = np.linalg.lstsq(known * root[:, None], found * root, rcond=None)[0]
    raised = INFLUENCE * np.minimum(terms @ surface, found.max())
    log_weights: Array = raised - np.logaddexp.reduce(raised)
    return log_weights


def _quadratic(free: Array) -> Array:
    """1, the standardised free numbers, and their squares and products, ``(draw, 21)``."""
    z = (free - free.mean(0)) / np.maximum(free.std(0), 1e-9)
    first, second = np.triu_indices(z.shape[1])
    return np.column_stack([np.ones(len(z)), z, z[:, first] * z[:, second]])
