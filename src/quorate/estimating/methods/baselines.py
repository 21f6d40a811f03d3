"""Baselines that do not model the votes: majority vote (mv), with experts (gt+mv), the oracle, and ppi.

[maven, table 2]. Intervals come from drawing the items again, those of prediction-powered means
from their variance.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.evidence import Evidence
from quorate.estimating.imputation import BATCH, RankBlocks, count_labels, draw_labels, rank_blocks
from quorate.estimating.label_metrics import LabelDraws, LabelMetric
from quorate.estimating.methods.maven import expertless_chances
from quorate.estimating.methods.method import Estimate, Judgement, LabelMethod, Method
from quorate.estimating.study import Study
from quorate.estimating.vote_model import VoteSets

ShareRule: TypeAlias = Callable[[Evidence, VoteSets, Array], Array]
"""From evidence, vote sets and each item's set to P(Y = 1) of every set, ``(set,)``."""


@dataclass(frozen=True)
class SetRule(LabelMethod):
    """A rule that gives every vote set a fixed chance of being positive; ``resample_items`` draws the items again."""

    name: str
    rule: ShareRule
    resample_items: bool = True

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


class PoweredMean(NamedTuple):
    """A mean with its interval and the weight the proxy got."""

    value: float
    low: float
    high: float
    power: float


@dataclass(frozen=True)
class PredictionPowered(Method):
    """Prediction-powered means, of a proxy corrected where experts show how far it is off.

    The proxy for the labels are the scores (AutoEval, [boyeau2025]) or, ``from_maven``, MAVEN's
    chances. Only for metrics that are means over items.
    """

    name: str
    from_maven: bool = False

    def estimates(
        self,
        study: Study,
        metric: LabelMetric,
        judgements: dict[str | None, Judgement],
        confidence: float,
    ) -> Iterator[Estimate]:
        """A metric that is a mean over items, of every system."""
        for system in study.systems if metric.item_value is not None else ():
            mean = self._mean(study, metric, system, confidence)
            yield Estimate(system, metric.name, self.name, mean.value, mean.low, mean.high)

    def _mean(self, study: Study, metric: LabelMetric, system: str | None, confidence: float) -> PoweredMean:
        assert metric.item_value is not None
        label, expert = study.evidence.label.astype(float), study.evidence.has_label
        called = study.levels(system) >= study.threshold
        proxy = metric.item_value(self._chances(study, system), called)
        gold = metric.item_value(label, called)[expert]
        return powered_mean(gold, proxy[expert], proxy[~expert], confidence=confidence)

    def _chances(self, study: Study, system: str | None) -> Array:
        if self.from_maven or system is None:
            return expertless_chances(study, system)
        scores = study.levels(system)
        return scores if scores.min() >= 0 and scores.max() <= 1 else 1 / (1 + np.exp(-scores))


def expert_draws(
    evidence: Evidence,
    scores: Array,
    *,
    threshold: float,
    n_draws: int = 500,
    rng: np.random.Generator,
) -> tuple[LabelDraws, LabelDraws]:
    """Judge on the experts' items alone: the plain labels (one draw), and bootstrap draws of them.

    The same generator draws the same items whatever the scores, so systems can be compared draw by
    draw.
    """
    experts = evidence.keep(evidence.has_label)
    n, label = experts.n_items, experts.label.astype(np.int64)
    share = np.where(experts.total > 0, experts.positive / np.maximum(experts.total, 1), np.nan)
    distinct, ballot = np.unique(share, return_inverse=True)
    score = scores[evidence.has_label]
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
        raise InputError("the oracle needs the true label of every item; give them with --truth (simulations only).")
    ballot = sets.ballots[2]
    positive = np.bincount(ballot[member], evidence.truth, minlength=ballot.max() + 1)
    share = positive / np.maximum(np.bincount(ballot[member], minlength=ballot.max() + 1), 1)
    return np.where(sets.has_label, sets.possible[:, 1], share[ballot])


def powered_mean(gold: Array, proxy: Array, proxy_rest: Array, *, confidence: float = 0.95) -> PoweredMean:
    """Estimate a mean from gold values and a proxy, both ``(expert item,)``, and the proxy on the rest, ``(item,)``.

    lambda mean(proxy_rest) + mean(gold - lambda proxy), with the lambda of least variance, PPI++
    [angelopoulos2024].
    """
    n, rest = len(gold), len(proxy_rest)
    if n < 2 or rest < 2:
        raise InputError("ppi needs at least two expert labels and two items without one.")
    together = np.concatenate([proxy, proxy_rest]).var(ddof=1)
    covariance = ((gold - gold.mean()) * (proxy - proxy.mean())).mean()
    power = float(np.clip(covariance / ((1 + n / rest) * together), 0, 1)) if together > 0 else 0.0
    value = float(power * proxy_rest.mean() + (gold - power * proxy).mean())
    error = np.sqrt((power * proxy_rest).var() / rest + (gold - power * proxy).var() / n)
    reach = NormalDist().inv_cdf(0.5 + confidence / 2) * float(error)
    return PoweredMean(value, value - reach, value + reach, power)


def _repeat(chance: Array, n_draws: int) -> Iterator[Array]:
    for low in range(0, n_draws, BATCH):
        yield np.broadcast_to(chance, (min(BATCH, n_draws - low), len(chance)))


def _cell_sizes(blocks: RankBlocks, pick: Array, weight: Array | None) -> Array:
    """How much the items picked count in every cell, ``(cell,)``."""
    weights = None if weight is None else weight[pick]
    return np.bincount(blocks.item_cell[pick], weights, minlength=len(blocks.cell_size)).astype(float)
