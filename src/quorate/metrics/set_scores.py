"""Scores of a whole set of items, with item weights: a weight of two counts an item twice, so no set is ever copied.

Smooth ones – RMSE, cosine, precision, recall, F1 – are ``combine(Σ_i w_i terms_i)``. The others
need sorting, O(N log N) – AUC, Spearman, EMD of item means – and know the influence ψ of an item:
the score changes by t ψ when a share t of weight is put on that item.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Summary, ratio
from quorate.metrics.item_scores import given_answers, squared_error
from quorate.metrics.metric import CATEGORIES, NUMBERS, Better, Influence, Metric, RankScore, Variant, plurality, shares


@dataclass(frozen=True)
class SetScore:
    """A score of the whole set: terms ``(..., item, term)``, summed with item weights, combined to ``(...)``.

    Scaling all totals alike must not change it.
    """

    terms: Callable[[Summary, Summary], Array]
    combine: Callable[[Array], Array]

    def __call__(self, raters: Summary, system: Summary, weights: Array | None = None) -> Array:
        """Score the set, ``(...)``."""
        return self.combine(weighted_total(self.terms(raters, system), weights))


def weighted_total(terms: Array, weights: Array | None = None) -> Array:
    """Sum terms ``(..., item, term)`` over items with weights ``(..., item)``; None means one each."""
    if weights is None:
        return np.asarray(terms.sum(-2))
    if terms.ndim == 2:
        return np.asarray(weights @ terms)
    return np.asarray(np.matmul(weights[..., None, :], terms)[..., 0, :])


def rmse_terms(raters: Summary, system: Summary) -> Array:
    """Return (squared difference of item means, 1) per item."""
    square = squared_error(raters, system)
    return np.stack([square, np.ones_like(square)], axis=-1)


def combine_rmse(totals: Array) -> Array:
    """Return the root of the mean square."""
    return np.sqrt(ratio(totals[..., 0], totals[..., 1]))


def cosine_terms(raters: Summary, system: Summary) -> Array:
    """Return (g·s, g², s²) of the item means g and s.

    Deviates: [leaderboard] takes the cosine of the flattened answer matrices, which pairs single
    answers.
    """
    g, s = np.broadcast_arrays(raters.mean, system.mean)
    return np.stack([g * s, g * g, s * s], axis=-1)


def combine_cosine(totals: Array) -> Array:
    """Return ``Σ g s / sqrt(Σ g² Σ s²)``."""
    return ratio(totals[..., 0], np.sqrt(totals[..., 1] * totals[..., 2]))


@dataclass(frozen=True)
class ConfusionTerms:
    """Soft confusion counts per item: (true positive, what precision, recall or F1 divides it by).

    Truth is the raters' plurality, shared on ties; the system's answer is the share of its runs
    that are positive, for probabilities their largest. F1 = 2 TP / (predicted + true). The paper
    gives ties to the first category and lets runs vote.
    """

    divisor: Literal["predicted", "true", "both"]
    positive: int
    variant: Variant = "default"

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Return the terms, ``(..., item, 2)``."""
        truth = plurality(raters, ties="first" if self.variant == "paper" else "shared")
        answers = given_answers(system, self.variant)
        true, said = np.broadcast_arrays(truth[..., self.positive], answers[..., self.positive])
        below = {"predicted": said, "true": true, "both": said + true}[self.divisor]
        return np.stack([true * said, below], axis=-1)


def combine_ratio(totals: Array) -> Array:
    """Return the first total over the second; nan where nothing is counted (no positive answer, say)."""
    return ratio(totals[..., 0], totals[..., 1])


def combine_f1(totals: Array) -> Array:
    """Return twice the first total over the second."""
    return 2.0 * combine_ratio(totals)


@dataclass(frozen=True)
class Auc:
    """Area under the ROC curve: the chance that a positive item has the higher score, ties ½.

    Truth is the raters' plurality (an item tied between positive and another counts half as each),
    the score is the system's share or probability of the positive category.
    """

    positive: int
    variant: Variant = "default"
    ordered: ClassVar[bool] = True

    def __call__(self, raters: Summary, system: Summary, weights: Array | None = None) -> Array:
        """Score the set, ``(...)``."""
        true = self.of_raters(raters)
        positives, negatives = _weights(weights, true) * true, _weights(weights, true) * (1.0 - true)
        won = (positives * Ranking.of(self.of_system(system)).below(negatives)).sum(-1)
        return ratio(won, positives.sum(-1) * negatives.sum(-1))

    def of_raters(self, raters: Summary) -> Array:
        """How far each item is positive."""
        return plurality(raters, ties="first" if self.variant == "paper" else "shared")[..., self.positive]

    def of_system(self, system: Summary) -> Array:
        """Share or probability of the positive category."""
        return shares(system)[..., self.positive]

    def evaluate(self, raters: Array, system: Array) -> tuple[Array, Array]:
        """By placements: ψ_i = N [t_i (V_i − θ) / P + (1 − t_i)(W_i − θ) / Q], V, W shares beaten [delong1988]."""
        auc, as_positive, as_negative = _placements(raters, system)
        return auc, raters * as_positive + (1.0 - raters) * as_negative

    def moved(self, raters: Array, system: Array) -> Influence:
        """Influence with another plurality, all else as is."""
        _, as_positive, as_negative = _placements(raters, system)
        return lambda items, true: true * as_positive[items] + (1.0 - true) * as_negative[items]


def _placements(true: Array, score: Array) -> tuple[Array, Array, Array]:
    """Return the AUC, ``(...)``, and each item's influence if it were positive or negative, ``(..., item)`` each.

    An item ties with itself, which shifts what it is not by the order of 1/N.
    """
    false, n, ranking = 1.0 - true, true.shape[-1], Ranking.of(score)
    positives, negatives = _or_nan(true.sum(-1, keepdims=True)), _or_nan(false.sum(-1, keepdims=True))
    beaten = ranking.below(false) / negatives
    beating = 1.0 - ranking.below(true) / positives
    auc = (true * beaten).sum(-1, keepdims=True) / positives
    return auc[..., 0], n * (beaten - auc) / positives, n * (beating - auc) / negatives


@dataclass(frozen=True)
class Spearman:
    """Spearman's rank correlation of the item means; ties share their mean rank."""

    ordered: ClassVar[bool] = True

    def __call__(self, raters: Summary, system: Summary, weights: Array | None = None) -> Array:
        """Score the set, ``(...)``."""
        g, s = np.broadcast_arrays(raters.mean, system.mean)
        w = _weights(weights, g)
        rank_g, rank_s = (Ranking.of(_without_noise(x)).below(w) for x in (g, s))
        # Mid-ranks average to half the total weight, whatever the ties.
        centre = 0.5 * w.sum(-1, keepdims=True)
        x, y = rank_g - centre, rank_s - centre
        return ratio((w * x * y).sum(-1), np.sqrt((w * x * x).sum(-1) * (w * y * y).sum(-1)))

    def of_raters(self, raters: Summary) -> Array:
        """Mean per item."""
        return raters.mean

    def of_system(self, system: Summary) -> Array:
        """Rank of each mean, less ½: systems on different scales become comparable."""
        return Ranking.of(_without_noise(system.mean)).centred

    def evaluate(self, raters: Array, system: Array) -> tuple[Array, Array]:
        """ρ = C / sqrt(V_x V_y) of centred mid-ranks, with the influence that moving ranks of others has.

        With F, G the mid-rank distribution functions less ½: ψ_C = F_i G_i − C + mean_j[h(x_i, x_j)
        G_j + h(y_i, y_j) F_j] centred, h(u, v) = 1[u < v] + ½ 1[u = v]; likewise V_x and V_y; ψ =
        ψ_C / sqrt(V_x V_y) − ρ/2 (ψ_Vx/V_x + ψ_Vy/V_y).
        """
        x, y = Ranking.of(_without_noise(raters)), Ranking.of(_without_noise(system))
        c, vx, vy = _moment(x, y), _moment(x, x), _moment(y, y)
        scale = np.sqrt(_or_nan(vx[0] * vy[0]))
        rho = c[0] / scale
        influence = c[1] / scale - 0.5 * rho * (vx[1] / _or_nan(vx[0]) + vy[1] / _or_nan(vy[0]))
        return rho[..., 0], influence

    def moved(self, raters: Array, system: Array) -> Influence:
        """Influence at another mean x of the raters, with the distribution of all items as it is.

        With y the system's mean of the item and B_w(x) the weight w below x:
        ``ψ(x) = [F(x) G(y) − B_G(x)/N] / sqrt(V_x V_y) − ρ/2 [F(x)² − 2 B_F(x)/N] / V_x`` up to
        what does not move.
        """
        x, n = _without_noise(raters), len(raters)
        f, g = Ranking.of(x).centred, Ranking.of(_without_noise(system)).centred
        c, vx, vy = (f * g).mean(), (f * f).mean(), (g * g).mean()
        order = np.argsort(x, kind="stable")
        sums = [np.concatenate([[0.0], np.cumsum(weights[order])]) for weights in (np.ones(n), g, f)]
        scale = np.sqrt(vx * vy) if vx * vy > 0 else np.nan
        size = float(_size(raters)[0])

        def influence(items: Array, means: Array) -> Array:
            place = np.round(means / size * 2.0**40)
            ends = [np.searchsorted(x[order], place, side=side) for side in ("left", "right")]
            below, below_g, below_f = (0.5 * (total[ends[0]] + total[ends[1]]) for total in sums)
            rank = below / n - 0.5
            gain = (rank * g[items] - below_g / n) / scale
            return np.asarray(gain - 0.5 * c / scale * (rank**2 - 2.0 * below_f / n) / (vx or np.nan))

        return influence


def _moment(x: "Ranking", y: "Ranking") -> tuple[Array, Array]:
    """Mean of F·G, ``(..., 1)``, and the influence of each item on it; centred weights make above the − of below."""
    f, g = x.centred, y.centred
    n, product = f.shape[-1], f * g
    mean = product.mean(-1, keepdims=True)
    moved = -2.0 * x.below(g) / n if x is y else -(x.below(g) + y.below(f)) / n
    return mean, product - mean + moved - moved.mean(-1, keepdims=True)


@dataclass(frozen=True)
class EmdOfMeans:
    """The earth mover's distance between the two distributions of item means, ``∫ |F_g − F_s|``.

    It compares the two histograms only: which item has which mean does not matter.
    """

    ordered: ClassVar[bool] = False

    def __call__(self, raters: Summary, system: Summary, weights: Array | None = None) -> Array:
        """Score the set, ``(...)``."""
        g, s = np.broadcast_arrays(raters.mean, system.mean)
        w = _weights(weights, g)
        places = np.concatenate([g, s], axis=-1)
        order = np.argsort(places, axis=-1)
        lead = np.broadcast_shapes(w.shape[:-1], g.shape[:-1])
        signed = np.broadcast_to(np.concatenate([w, -w], axis=-1), (*lead, order.shape[-1]))
        excess = np.cumsum(np.take_along_axis(signed, np.broadcast_to(order, signed.shape), -1), axis=-1)[..., :-1]
        gaps = np.diff(np.take_along_axis(places, order, -1), axis=-1)
        return ratio((gaps * np.abs(excess)).sum(-1), w.sum(-1))

    def of_raters(self, raters: Summary) -> Array:
        """Mean per item."""
        return raters.mean

    def of_system(self, system: Summary) -> Array:
        """Mean per item."""
        return system.mean

    def evaluate(self, raters: Array, system: Array) -> tuple[Array, Array]:
        """ψ_i = S(s_i) − S(g_i) − θ with ``S(x) = ∫_{−∞}^x sign(F_g − F_s)``; ψ averages to 0."""
        g, s = np.broadcast_arrays(raters, system)
        order, _, integral = _integral(g, s)
        at = np.empty(integral.shape)
        np.put_along_axis(at, order, integral, -1)
        gain = at[..., g.shape[-1] :] - at[..., : g.shape[-1]]
        return gain.mean(-1), gain - gain.mean(-1, keepdims=True)

    def moved(self, raters: Array, system: Array) -> Influence:
        """ψ(x) = −S(x), whatever the item."""
        _, places, integral = _integral(raters, system)
        return lambda _, means: np.asarray(-np.interp(means, places, integral))


def _integral(g: Array, s: Array) -> tuple[Array, Array, Array]:
    """Return the order of all places (g's before s's), the places in order, and S there, each ``(..., 2 × item)``."""
    places = np.concatenate([g, s], axis=-1)
    order = np.argsort(places, axis=-1)
    steps = np.concatenate([np.ones(g.shape), -np.ones(s.shape)], axis=-1)
    excess = np.cumsum(np.take_along_axis(steps, order, -1), axis=-1)[..., :-1]
    in_order, integral = np.take_along_axis(places, order, -1), np.zeros(places.shape)
    integral[..., 1:] = np.cumsum(np.diff(in_order, axis=-1) * np.sign(excess), axis=-1)
    return order, in_order, integral


@dataclass(frozen=True)
class Ranking:
    """Values sorted once, for any number of weights: positions in order, and the ends of each value's run of equals."""

    order: Array
    first: Array
    last: Array

    @classmethod
    def of(cls, values: Array) -> "Ranking":
        """Sort the values, ``(..., item)``."""
        order = np.argsort(values, axis=-1)
        return cls(order, *_tie_bounds(np.take_along_axis(values, order, -1)))

    @cached_property
    def centred(self) -> Array:
        """Mid-rank distribution function less ½, ``(..., item)``; it averages to 0."""
        n = self.order.shape[-1]
        return np.asarray(self.below(np.ones(n)) / n - 0.5)

    def below(self, weights: Array) -> Array:
        """Return the weight of smaller values plus half that of equal ones, ``(..., item)``; leading axes broadcast."""
        lead = np.broadcast_shapes(self.order.shape, weights.shape)
        order, first, last = (np.broadcast_to(x, lead) for x in (self.order, self.first, self.last))
        cumulative = np.zeros((*lead[:-1], lead[-1] + 1))
        np.cumsum(np.take_along_axis(np.broadcast_to(weights, lead), order, -1), axis=-1, out=cumulative[..., 1:])
        middle = 0.5 * (np.take_along_axis(cumulative, first, -1) + np.take_along_axis(cumulative, last + 1, -1))
        result = np.empty(lead)
        np.put_along_axis(result, order, middle, -1)
        return result


def _tie_bounds(ordered: Array) -> tuple[Array, Array]:
    """First and last position of each value's run of equals."""
    n = ordered.shape[-1]
    position = np.broadcast_to(np.arange(n), ordered.shape)
    fresh = np.ones(ordered.shape, dtype=bool)
    fresh[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(fresh, position, 0), axis=-1)
    ends = np.ones(ordered.shape, dtype=bool)
    ends[..., :-1] = fresh[..., 1:]
    last = np.minimum.accumulate(np.where(ends, position, n - 1)[..., ::-1], axis=-1)[..., ::-1]
    return first, last


def _without_noise(values: Array) -> Array:
    """Round to about 12 digits, in steps: means that are equal on paper must tie."""
    return np.asarray(np.round(values / _size(values) * 2.0**40))


def _size(values: Array) -> Array:
    size = np.max(np.abs(values), axis=-1, keepdims=True)
    return np.asarray(np.where(size > 0, size, 1.0))


def _weights(weights: Array | None, like: Array) -> Array:
    return np.ones(like.shape[-1]) if weights is None else np.asarray(weights, dtype=float)


def _or_nan(divisor: Array) -> Array:
    return np.where(divisor == 0, np.nan, divisor)


def set_metrics(variant: Variant, positive: int) -> list[Metric]:
    """Return every metric of whole sets; ``positive`` is the index of the positive category."""

    def smooth(name: str, title: str, better: Better, score: SetScore, **more: Any) -> Metric:
        return Metric(name, title, better, score=score, level="set", terms=score.terms, combine=score.combine, **more)

    def ranked(name: str, title: str, better: Better, score: RankScore, **more: Any) -> Metric:
        return Metric(name, title, better, score=score, level="set", comparable="equal", ranked=score, **more)

    # Soft counts are linear in the system's answers; the plurality of runs is not.
    counted = "any" if variant == "default" else "rarefy"
    labels = {"scales": CATEGORIES, "comparable": counted, "compares_labels": True, "needs_positive": True}
    means: dict[str, Any] = {"scales": NUMBERS, "reads_means": True}
    predicted, true = ConfusionTerms("predicted", positive, variant), ConfusionTerms("true", positive, variant)
    both = ConfusionTerms("both", positive, variant)
    return [
        smooth("rmse", "root mean squared error", "low", SetScore(rmse_terms, combine_rmse), reach="span", **means),
        smooth("cosine", "cosine of item means", "high", SetScore(cosine_terms, combine_cosine), reach="two", **means),
        smooth("precision", "precision", "high", SetScore(predicted, combine_ratio), **labels),
        smooth("recall", "recall", "high", SetScore(true, combine_ratio), **labels),
        smooth("f1", "F1", "high", SetScore(both, combine_f1), **labels),
        ranked("auc", "AUC", "high", Auc(positive, variant), scales=CATEGORIES, needs_positive=True),
        ranked("spearman", "Spearman correlation", "high", Spearman(), reads_ranks=True, reach="two", **means),
        ranked("emd_of_means", "EMD of item means", "low", EmdOfMeans(), reach="span", **means),
    ]
