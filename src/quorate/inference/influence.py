"""Every score as a mean over items: score = mean_i v_i, with v_i the item score, or score + influence of item i.

A score of the whole set (F1, Spearman …) is, up to terms of order 1/N, the mean of ``v_i = θ + ψ_i``, ψ the empirical
influence function [hampel1974; efron1982, ch. 2]. Pairs of systems, clusters, groups and families then all work on
one table of item values, and the standard error of any difference is that of a mean.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Summary
from quorate.metrics.contests import item_terms, scores, settle
from quorate.metrics.metric import Metric, plurality, shares
from quorate.metrics.set_scores import Auc, Ranking, emd_of_means, spearman

__all__ = [
    "SetForm",
    "auc_slopes",
    "centred_ranks",
    "emd_integral",
    "item_values",
    "set_form",
    "without_rank_noise",
]


@dataclass(frozen=True)
class SetForm:
    """A set score taken apart: what the raters fix, what each system carries, and how both make score and influence.

    Parameters
    ----------
    evaluate
        From the fixed part and what a system carries to its score, ``(...)``, and influences, ``(..., item)``.
    fixed
        What the raters fix, ``(..., item)``.
    carried
        What each system carries, ``(..., item, term)``; swapping two systems on an item swaps these rows.
    """

    evaluate: Callable[[Array, Array], tuple[Array, Array]]
    fixed: Array
    carried: list[Array]

    def study(self, index: int) -> "SetForm":
        """Return one data set of many, by its position on the first axis."""
        return SetForm(self.evaluate, self.fixed[index], [carried[index] for carried in self.carried])


def item_values(metric: Metric, raters: Summary | None, systems: Sequence[Summary]) -> list[tuple[Array, Array]]:
    """Return each system's score, ``(...)``, and item values whose mean it is, ``(..., item)``."""
    metric = settle(metric, raters, systems)
    if metric.level == "item":
        return [(values.mean(-1), values) for values in scores(metric, raters, systems)]
    form = set_form(metric, raters, systems)
    evaluated = [form.evaluate(form.fixed, carried) for carried in form.carried]
    return [(score, score[..., None] + influence) for score, influence in evaluated]


def set_form(metric: Metric, raters: Summary | None, systems: Sequence[Summary]) -> SetForm:
    """Take a set score apart, so that it can be recomputed after swapping systems within items."""
    metric = settle(metric, raters, systems)
    if metric.combine is not None:
        combine, terms = metric.combine, item_terms(metric, raters, systems)
        return SetForm(lambda _, carried: _smooth(combine, carried), np.zeros(terms[0].shape[:-1]), terms)
    if raters is None:
        raise TypeError(f"{metric.name} needs the raters' answers")
    if isinstance(metric.score, Auc):
        positive, ties = metric.score.positive, "first" if metric.score.variant == "paper" else "shared"
        true = plurality(raters, ties=ties)[..., positive]
        return SetForm(_auc, true, [shares(system)[..., positive, None] for system in systems])
    reference, means = raters.mean, [system.mean[..., None] for system in systems]
    if metric.score is spearman:
        # Only ranks matter: carrying them makes systems on different scales comparable when they are swapped.
        return SetForm(
            _spearman,
            reference,
            [centred_ranks(Ranking.of(without_rank_noise(mean[..., 0])))[..., None] for mean in means],
        )
    if metric.score is emd_of_means:
        return SetForm(_emd_of_means, reference, means)
    raise TypeError(f"no influence function is known for {metric.name}")


def _smooth(combine: Callable[[Array], Array], terms: Array) -> tuple[Array, Array]:
    """Score and jackknife influence of ``combine(Σ terms)``: ψ_i = (N − 1)(mean of θ_(j) − θ_(i)), in one pass."""
    total, n = terms.sum(-2, keepdims=True), terms.shape[-2]
    left_out = combine(total - terms)
    influence = (n - 1) * (left_out.mean(-1, keepdims=True) - left_out)
    return combine(total[..., 0, :]), influence


def _auc(true: Array, carried: Array) -> tuple[Array, Array]:
    """AUC by placements: ψ_i = N [t_i (V_i − θ) / P + (1 − t_i)(W_i − θ) / Q], V, W shares beaten [delong1988]."""
    auc, as_positive, as_negative = auc_slopes(true, carried)
    return auc, true * as_positive + (1.0 - true) * as_negative


def auc_slopes(true: Array, carried: Array) -> tuple[Array, Array, Array]:
    """Return the AUC, ``(...)``, and each item's influence if it were positive or negative, ``(..., item)`` each.

    An item ties with itself, which shifts what it is not by the order of 1/N.

    Examples
    --------
    >>> auc, as_positive, as_negative = auc_slopes(np.array([1.0, 0.0, 1.0]), np.array([[0.9], [0.1], [0.05]]))
    >>> float(auc), as_positive.tolist(), as_negative.tolist()
    (0.5, [0.75, 0.0, -0.75], [-0.75, 0.0, 0.75])
    """
    false, n, ranking = 1.0 - true, true.shape[-1], Ranking.of(carried[..., 0])
    positives, negatives = _or_nan(true.sum(-1, keepdims=True)), _or_nan(false.sum(-1, keepdims=True))
    beaten = ranking.below(false) / negatives
    beating = 1.0 - ranking.below(true) / positives
    auc = (true * beaten).sum(-1, keepdims=True) / positives
    return auc[..., 0], n * (beaten - auc) / positives, n * (beating - auc) / negatives


def _spearman(reference: Array, carried: Array) -> tuple[Array, Array]:
    """Spearman's ρ = C / sqrt(V_x V_y) of centred mid-ranks, with the influence that moving ranks of others has.

    With F, G the mid-rank distribution functions less ½: ψ_C = F_i G_i − C + mean_j[h(x_i, x_j) G_j + h(y_i, y_j) F_j]
    centred, h(u, v) = 1[u < v] + ½ 1[u = v]; likewise V_x and V_y; ψ = ψ_C / sqrt(V_x V_y) − ρ/2 (ψ_Vx/V_x + ψ_Vy/V_y).
    """
    x, y = Ranking.of(without_rank_noise(reference)), Ranking.of(without_rank_noise(carried[..., 0]))
    f, g = centred_ranks(x), centred_ranks(y)
    c, vx, vy = _moment(x, y, f, g), _moment(x, x, f, f), _moment(y, y, g, g)
    scale = np.sqrt(_or_nan(vx[0] * vy[0]))
    rho = c[0] / scale
    influence = c[1] / scale - 0.5 * rho * (vx[1] / _or_nan(vx[0]) + vy[1] / _or_nan(vy[0]))
    return rho[..., 0], influence


def _moment(x: Ranking, y: Ranking, f: Array, g: Array) -> tuple[Array, Array]:
    """Mean of f·g, ``(..., 1)``, and the influence of each item on it; centred weights make above the − of below."""
    n = f.shape[-1]
    product = f * g
    mean = product.mean(-1, keepdims=True)
    moved = -2.0 * x.below(g) / n if x is y else -(x.below(g) + y.below(f)) / n
    return mean, product - mean + moved - moved.mean(-1, keepdims=True)


def centred_ranks(ranking: Ranking) -> Array:
    """Mid-rank distribution function less ½, ``(..., item)``; it averages to 0."""
    n = ranking.order.shape[-1]
    return np.asarray(ranking.below(np.ones(n)) / n - 0.5)


def without_rank_noise(values: Array) -> Array:
    """Round to about 12 digits: what is equal on paper must tie."""
    size = np.max(np.abs(values), axis=-1, keepdims=True)
    return np.asarray(np.round(values / (np.where(size > 0, size, 1.0) * 2.0**-40)))


def _emd_of_means(reference: Array, carried: Array) -> tuple[Array, Array]:
    """EMD = ∫ |F_g − F_s|; ψ_i = S(s_i) − S(g_i) − θ with S(x) = ∫_{−∞}^x sign(F_g − F_s); ψ averages to 0."""
    g, s = np.broadcast_arrays(reference, carried[..., 0])
    order, _, integral = emd_integral(g, s)
    at = np.empty(integral.shape)
    np.put_along_axis(at, order, integral, -1)
    moved = at[..., g.shape[-1] :] - at[..., : g.shape[-1]]
    return moved.mean(-1), moved - moved.mean(-1, keepdims=True)


def emd_integral(g: Array, s: Array) -> tuple[Array, Array, Array]:
    """Return the order of all places (g's before s's), the places in order, and S there, each ``(..., 2 × item)``.

    ``S(x) = ∫_{−∞}^x sign(F_g − F_s)``, piecewise linear.

    Examples
    --------
    >>> emd_integral(np.array([0.0]), np.array([2.0]))
    (array([0, 1]), array([0., 2.]), array([0., 2.]))
    """
    places = np.concatenate([g, s], axis=-1)
    order = np.argsort(places, axis=-1)
    steps = np.concatenate([np.ones(g.shape), -np.ones(s.shape)], axis=-1)
    excess = np.cumsum(np.take_along_axis(steps, order, -1), axis=-1)[..., :-1]
    in_order, integral = np.take_along_axis(places, order, -1), np.zeros(places.shape)
    integral[..., 1:] = np.cumsum(np.diff(in_order, axis=-1) * np.sign(excess), axis=-1)
    return order, in_order, integral


def _or_nan(divisor: Array) -> Array:
    return np.where(divisor == 0, np.nan, divisor)
