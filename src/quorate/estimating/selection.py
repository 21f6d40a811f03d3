"""Do the experts' items look like a random sample? Compare their score ranks with other items' with the same votes.

Choosing items by their votes is harmless, because votes are in the model; choosing them by score is not: oversampling
near the threshold moves the AUC by 0.04. Within each vote count items are cut into five bins by score; the experts'
numbers per bin have a known (hypergeometric) mean and covariance if drawn at random, and their sums give a chi².
"""

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from quorate._errors import InputError
from quorate._typing import Array
from quorate.estimating.evidence import Evidence

__all__ = ["Selection", "check_selection", "expert_selection"]

BINS = 5
DOUBTFUL = 0.01  # p below which to warn
REFUSED, FAR = 1e-6, 0.1  # p and moved share at which no method here can be trusted


class Selection(NamedTuple):
    """How unlike a random sample the experts' items are: p, and the share of them in the wrong fifth of ranks."""

    p_value: float
    moved: float


def expert_selection(scores: Array, evidence: Evidence, *, rng: np.random.Generator) -> Selection:
    """Test whether experts' items are a random sample in their score ranks, given their votes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> score, one = rng.normal(size=1000), np.ones(1000, dtype=int)
    >>> near = Evidence(one, one, one, np.abs(score) < 0.3)
    >>> fair = Evidence(one, one, one, rng.random(1000) < 0.2)
    >>> [expert_selection(score, e, rng=rng).p_value < 0.001 for e in (near, fair)]
    [True, False]
    """
    stratum = np.unique(evidence.total * (int(evidence.total.max()) + 1) + evidence.positive, return_inverse=True)[1]
    mixed = rng.permutation(len(scores))  # breaks ties at random
    order = mixed[np.argsort(scores[mixed])]
    order = order[np.argsort(stratum[order].astype(np.int32), kind="stable")]
    size = np.bincount(stratum)
    rank = np.arange(len(scores)) - np.repeat(np.cumsum(size) - size, size)
    bins = np.empty(len(scores), dtype=np.int64)
    bins[order] = rank * BINS // np.repeat(size, size)
    table = np.bincount(stratum * BINS + bins, minlength=len(size) * BINS).reshape(-1, BINS)
    cell = (stratum * BINS + bins)[evidence.known]
    chosen = np.bincount(cell, minlength=len(size) * BINS).reshape(-1, BINS)
    return _test(chosen, table)


def check_selection(
    name: str, scores: Array, evidence: Evidence, *, strict: bool, rng: np.random.Generator
) -> list[str]:
    """Warn, or refuse if ``strict``, where the experts' items were chosen by score."""
    found = expert_selection(scores, evidence, rng=rng)
    if evidence.weight is not None or found.p_value >= DOUBTFUL:
        return []
    said = (
        f"the experts' items are no random sample: {found.moved:.0%} of them would have to move to other score ranks "
        f"of {name} (p {found.p_value:.1g})"
    )
    if strict and found.p_value < REFUSED and found.moved > FAR:
        raise InputError(
            f"{said}; estimates would be biased. Give each expert label the weight 1 / (its chance of being chosen) in "
            "a column weight of the experts' file, or go on regardless with --selection ignore."
        )
    return [f"{said}; estimates may be biased unless weights are given."]


def _test(chosen: Array, table: Array) -> Selection:
    n, experts = table.sum(1), chosen.sum(1)
    share = table / np.maximum(n, 1)[:, None]
    away = (chosen - experts[:, None] * share).sum(0)
    factor = np.where(n > 1, experts * (n - experts) / np.maximum(n - 1, 1), 0.0)
    covariance = np.diag(factor @ share) - np.einsum("s,sb,sc->bc", factor, share, share)
    keep = slice(0, BINS - 1)  # the last bin is what the others leave
    inverse = np.linalg.pinv(covariance[keep, keep])
    statistic = float(away[keep] @ inverse @ away[keep])
    moved = 0.5 * float(np.abs(away).sum()) / max(int(experts.sum()), 1)
    return Selection(float(chdtrc(BINS - 1, statistic)), moved)
