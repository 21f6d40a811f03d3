"""Baselines without a model: experts only (gt), majority vote (mv), one where the other is silent (gt+mv), the oracle.

[maven, table 2]. Their intervals come from drawing the items again; majority vote is V / c > 1/2.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.estimating.evidence import Evidence
from quorate.estimating.imputation import BATCH, Labels, count_labels, draw_labels
from quorate.estimating.label_metrics import Outcome
from quorate.estimating.rank_blocks import Blocks, rank_blocks
from quorate.estimating.vote_model import VoteSets, vote_sets

__all__ = ["count_items", "expert_outcomes", "impute_fixed", "majority", "oracle", "ranked_items"]


def expert_outcomes(
    evidence: Evidence, scores: Array | None, *, threshold: float, n_draws: int = 500, rng: np.random.Generator
) -> tuple[Outcome, Outcome]:
    """Judge on the experts' items alone: the plain outcome (one draw), and bootstrap draws of it.

    The same generator draws the same items whatever the scores, so systems can be compared draw by draw.

    Examples
    --------
    >>> from quorate.estimating.label_metrics import METRICS
    >>> votes, label = np.array([1, 0, 1, 0]), np.array([1, 0, 0, 0])
    >>> evidence = Evidence(votes, np.ones(4, dtype=int), label, np.array([True, True, True, False]))
    >>> scores = np.array([0.9, 0.2, 0.4, 0.3])
    >>> plain, _ = expert_outcomes(evidence, scores, threshold=0.5, rng=np.random.default_rng(0))
    >>> float(METRICS["auc"](plain)[0]), float(METRICS["human_tnr"](plain)[0])
    (1.0, 0.5)
    """
    experts = evidence.keep(evidence.known)
    n, label = experts.n_items, experts.label.astype(np.int64)
    share = np.where(experts.total > 0, experts.positive / np.maximum(experts.total, 1), np.nan)
    distinct, ballot = np.unique(share, return_inverse=True)
    score = np.zeros(n) if scores is None else scores[evidence.known]
    blocks = rank_blocks(score, 2 * ballot + label, 2 * len(distinct), cuts=(threshold,), rng=rng)
    weight = experts.weight

    def judged(picks: Iterable[Array]) -> Outcome:
        cells = len(blocks.cell_size)
        size = np.stack([_tally(blocks.item_cell, pick, weight, cells) for pick in picks])
        labels = count_labels(size * (blocks.cell_set % 2), size, blocks)
        return Outcome(labels, blocks.score, np.repeat(distinct, 2), threshold)

    again = (rng.integers(n, size=n) for _ in range(n_draws))
    return judged([np.arange(n)]), judged(again)


def majority(sets: VoteSets, *, experts: bool) -> Array:
    """Label of every vote set by majority, ``(set,)``; with ``experts``, theirs where they spoke.

    Examples
    --------
    >>> sets, _ = vote_sets(np.array([2, 2]), np.array([3, 3]), np.array([0, 0]), np.array([True, False]))
    >>> majority(sets, experts=True), majority(sets, experts=False)
    (array([1., 0.]), array([1., 1.]))
    """
    vote = (2 * sets.positive > sets.total).astype(float)
    return np.where(sets.known & experts, sets.possible[:, 1], vote)


def oracle(evidence: Evidence, sets: VoteSets, member: Array) -> Array:
    """True share of positives given the votes, ``(set,)``, from labels only a simulation knows [maven, table 2]."""
    if evidence.truth is None:
        raise InputError("the oracle needs the true label of every item; give them with truth (simulations only).")
    ballot = sets.ballots[2]
    positive = np.bincount(ballot[member], evidence.truth, minlength=ballot.max() + 1)
    share = positive / np.maximum(np.bincount(ballot[member], minlength=ballot.max() + 1), 1)
    return np.where(sets.known, sets.possible[:, 1], share[ballot])


def impute_fixed(
    chance: Array, blocks: Blocks, *, n_draws: int = 500, resample_items: bool = True, rng: np.random.Generator
) -> tuple[Labels, Labels]:
    """Draw labels with a fixed P(Y = 1) per vote set: their expectation (one draw), and the draws.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> blocks = rank_blocks(np.array([0.1, 0.2]), np.array([0, 1]), 2, rng=rng)
    >>> plain, draws = impute_fixed(np.array([0.0, 1.0]), blocks, n_draws=3, rng=rng)
    >>> plain.level_positive.tolist(), draws.set_total.shape
    ([[0.0, 1.0]], (3, 2))
    """
    cell = chance[blocks.cell_set]

    def batches() -> Iterator[Array]:
        for low in range(0, n_draws, BATCH):
            yield np.broadcast_to(cell, (min(BATCH, n_draws - low), len(cell)))

    plain = count_labels((cell * blocks.cell_size)[None], blocks.cell_size[None], blocks)
    return plain, draw_labels(batches(), blocks, resample_items=resample_items, rng=rng)


def ranked_items(
    evidence: Evidence, scores: Array | None, *, cuts: tuple[float, ...], rng: np.random.Generator
) -> tuple[VoteSets, Array, Blocks]:
    """Vote sets, the set of every item, and the items in order of score."""
    sets, member = vote_sets(evidence.positive, evidence.total, evidence.label, evidence.known)
    level = np.zeros(len(member)) if scores is None else scores
    return sets, member, rank_blocks(level, member, len(sets.size), cuts=cuts, rng=rng)


def count_items(times: Array, label: Array, level: Array, ballot: Array) -> Labels:
    """Count items by level and by ballot, each counting ``times (draw, item)``; labels ``(item,)`` or ``(draw, item)``.

    Examples
    --------
    >>> labels = count_items(np.ones((1, 3)), np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0, 1, 1]))
    >>> labels.level_positive.tolist(), labels.set_total.tolist()
    ([[1.0, 1.0]], [[1.0, 2.0]])
    """
    by_level, by_ballot = np.argsort(level, kind="stable"), np.argsort(ballot, kind="stable")

    def total(weights: Array, order: Array, code: Array) -> Array:
        starts = np.flatnonzero(np.diff(code[order], prepend=-1))
        return np.asarray(np.add.reduceat(weights[:, order], starts, axis=1))

    positive = times * label
    return Labels(
        total(positive, by_level, level),
        total(times, by_level, level),
        total(positive, by_ballot, ballot),
        total(times, by_ballot, ballot),
    )


def _tally(cell: Array, pick: Array, weight: Array | None, n_cells: int) -> Array:
    return np.bincount(cell[pick], None if weight is None else weight[pick], minlength=n_cells).astype(float)
