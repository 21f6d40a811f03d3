"""Baselines without a model: experts only (gt), majority vote (mv), one where the other is silent (gt+mv), the oracle.

[maven, table 2]. Their intervals come from drawing the items again; majority vote is V / c > 1/2.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.evidence import Evidence
from quorate.estimating.imputation import BATCH, count_labels, draw_labels
from quorate.estimating.label_metrics import LabelDraws, UserFunction
from quorate.estimating.methods.method import Judgement, LabelMethod
from quorate.estimating.rank_blocks import RankBlocks, rank_blocks
from quorate.estimating.study import Study
from quorate.estimating.vote_model import VoteSets

__all__ = ["Experts", "SetRule", "expert_draws", "majority", "majority_or_experts", "oracle"]

ShareRule: TypeAlias = Callable[[Evidence, VoteSets, Array], Array]
"""From evidence, vote sets and each item's set to P(Y = 1) of every set, ``(set,)``."""


class Experts(LabelMethod):
    """The experts' items alone, drawn again."""

    name = "gt"

    def judge(self, study: Study, system: str | None) -> Judgement:
        """Take the experts' labels as they are, and draw their items again."""
        rng = generator(study.seed, "estimate", "gt")
        scores, threshold = study.scores(system), study.threshold
        plain, draws = expert_draws(study.evidence, scores, threshold=threshold, n_draws=study.n_draws, rng=rng)
        return Judgement(draws, plain)

    def evaluate(self, study: Study, system: str | None, function: UserFunction) -> tuple[Array, float]:
        """A user's function on the experts' items, and on them drawn again."""
        evidence, rng = study.evidence, generator(study.seed, "estimate", "custom", self.name)
        score, label = study.levels(system)[evidence.has_label], evidence.label[evidence.has_label]
        picks = rng.integers(len(label), size=(study.n_draws, len(label)))
        return np.array([function(score[pick], label[pick]) for pick in picks]), float(function(score, label))


@dataclass(frozen=True)
class SetRule(LabelMethod):
    """A rule that gives every vote set a fixed chance of being positive; ``resample_items`` draws the items again."""

    name: str
    rule: ShareRule
    resample_items: bool = True
    models_votes: bool = False

    def judge(self, study: Study, system: str | None) -> Judgement:
        """Draw labels with these chances."""
        rng = generator(study.seed, "estimate", "fixed")
        sets, member, blocks = study.ranked(system, rng)
        chance = self.rule(study.evidence, sets, member)[blocks.cell_set]
        plain = count_labels((chance * blocks.cell_size)[None], blocks.cell_size[None], blocks)
        again = self.resample_items or study.population
        draws = draw_labels(_repeat(chance, study.n_draws), blocks, resample_items=again, rng=rng)
        both = (LabelDraws(each, blocks.score, sets.vote_share, study.threshold) for each in (draws, plain))
        return Judgement(*both)


def expert_draws(
    evidence: Evidence, scores: Array | None, *, threshold: float, n_draws: int = 500, rng: np.random.Generator
) -> tuple[LabelDraws, LabelDraws]:
    """Judge on the experts' items alone: the plain labels (one draw), and bootstrap draws of them.

    The same generator draws the same items whatever the scores, so systems can be compared draw by draw.
    """
    experts = evidence.keep(evidence.has_label)
    n, label = experts.n_items, experts.label.astype(np.int64)
    share = np.where(experts.total > 0, experts.positive / np.maximum(experts.total, 1), np.nan)
    distinct, ballot = np.unique(share, return_inverse=True)
    score = np.zeros(n) if scores is None else scores[evidence.has_label]
    blocks = rank_blocks(score, 2 * ballot + label, 2 * len(distinct), cuts=(threshold,), rng=rng)

    def labels_of(picks: Iterable[Array]) -> LabelDraws:
        size = np.stack([_cell_sizes(blocks, pick, experts.weight) for pick in picks])
        counts = count_labels(size * (blocks.cell_set % 2), size, blocks)
        return LabelDraws(counts, blocks.score, np.repeat(distinct, 2), threshold)

    again = (rng.integers(n, size=n) for _ in range(n_draws))
    return labels_of([np.arange(n)]), labels_of(again)


def majority(evidence: Evidence, sets: VoteSets, member: Array) -> Array:
    """Label of every vote set by majority, ``(set,)``."""
    return (2 * sets.positive > sets.total).astype(float)


def majority_or_experts(evidence: Evidence, sets: VoteSets, member: Array) -> Array:
    """The experts' label where they spoke, else the majority's, ``(set,)``."""
    return np.where(sets.has_label, sets.possible[:, 1], majority(evidence, sets, member))


def oracle(evidence: Evidence, sets: VoteSets, member: Array) -> Array:
    """True share of positives given the votes, ``(set,)``, from labels only a simulation knows [maven, table 2]."""
    if evidence.truth is None:
        raise InputError("the oracle needs the true label of every item; give them with truth (simulations only).")
    ballot = sets.ballots[2]
    positive = np.bincount(ballot[member], evidence.truth, minlength=ballot.max() + 1)
    share = positive / np.maximum(np.bincount(ballot[member], minlength=ballot.max() + 1), 1)
    return np.where(sets.has_label, sets.possible[:, 1], share[ballot])


def _repeat(chance: Array, n_draws: int) -> Iterator[Array]:
    for low in range(0, n_draws, BATCH):
        yield np.broadcast_to(chance, (min(BATCH, n_draws - low), len(chance)))


def _cell_sizes(blocks: RankBlocks, pick: Array, weight: Array | None) -> Array:
    """How much the items picked count in every cell, ``(cell,)``."""
    weights = None if weight is None else weight[pick]
    return np.bincount(blocks.item_cell[pick], weights, minlength=len(blocks.cell_size)).astype(float)
