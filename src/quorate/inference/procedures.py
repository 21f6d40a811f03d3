"""The tests by name: the calibrated default, and others by what they estimate or ignore."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.inference.influence import SetForm
from quorate.inference.means import mean_pivot
from quorate.inference.outcome import (
    ROUNDING,
    Outcome,
    binomial_interval,
    from_t,
    p_value,
    single_outcome,
    symmetric_quantile,
    where,
)
from quorate.inference.pivot import Pivot
from quorate.inference.resampling import bootstrap_laws, flip_law, swap_law, without_noise
from quorate.inference.scored_systems import ScoredPair

SWAPPED_ITEMS, MOST_SWAPPED = 200, 20_000
"""Up to this many items that carry weight, of at most so many, a set score is judged by swaps;
beyond, its t pivot holds the level (see the audit table)."""
SWAPS = 999
ENUMERATED = 13
"""Up to this many items Wilcoxon's law is written out in full, as in scipy."""


@dataclass(frozen=True)
class Terms:
    """How a test is asked: confidence, clusters of items if any, resamples, randomness, and what a
    `Pivot` must know."""

    rng: np.random.Generator
    confidence: float = 0.95
    clusters: Array | None = None
    resamples: int = 9999
    reach: float | None = None
    unseen: bool = False


@dataclass(frozen=True)
class Procedure:
    """A test: its name, what it tests if not the difference of scores, and how it is run.

    Parameters
    ----------
    note
        What a reader must know; empty for the default.
    at_once
        Whether `run` takes many data sets in one call, ``(..., item)``: always, never, or for item
        scores only.
    pivotal
        Whether raters, runs and families can be counted: p-value and interval come from a
        studentised difference.
    """

    name: str
    note: str
    run: Callable[[ScoredPair, Terms], Outcome]
    at_once: Literal["always", "never", "items"] = "never"
    pivotal: bool = False

    def many(self, pair: ScoredPair) -> bool:
        """Tell whether many data sets can be handed over at once."""
        item_score = pair.form is None or not _swappable(pair.form)
        return self.at_once == "always" or (self.at_once == "items" and item_score)


def find_procedure(name: str) -> Procedure:
    """Return the test of that name."""
    if name.startswith("published:"):
        from quorate.inference.published import published

        return published(name)
    if name not in _PROCEDURES:
        raise InputError(f"There is no test '{name}'; use {', '.join(procedure_names())}.")
    return _PROCEDURES[name]


def procedure_names() -> list[str]:
    """Return the names of the tests, the default first."""
    return [*_PROCEDURES, "published:ITEMS:ANSWERS"]


def pair_pivot(pair: ScoredPair, terms: Terms) -> Pivot:
    """Return the pivot of a pair over items; of a set score only the items that carry weight
    count."""
    pivot = mean_pivot(pair.differences, terms.clusters, reach=terms.reach, unseen=terms.unseen)
    if pair.form is None or terms.clusters is not None:
        return pivot
    return resting_on(counting(pivot, pair.form), np.maximum(pair.form.carrying.sum(-1), 1))


def counting(pivot: Pivot, form: SetForm) -> Pivot:
    """Return the pivot of a set score with the items that count in it, on which it rests."""
    return replace(resting_on(pivot, form.n_counted), n_units=form.n_counted)


def resting_on(pivot: Pivot, n_items: Array) -> Pivot:
    """Return the pivot with the items' part known on no more degrees of freedom than so many items give."""
    items = pivot.variance.items
    items = replace(items, df=np.minimum(items.df, n_items - 1.0))
    return replace(pivot, variance=replace(pivot.variance, items=items))


def _default(pair: ScoredPair, terms: Terms) -> Outcome:
    """The pivot of item values, or the law of T under swaps for a set score of few items that carry weight.

    Swaps tell whether systems are equal. How far apart they may be they tell only by what was seen: one failure, with a
    system that had none, would end the interval at twice that. So it holds that of the pivot too, of all items that
    count in the score, but where p is at most the level it leaves out 0.
    """
    pivot = pair_pivot(pair, terms)
    if pair.form is None or terms.clusters is not None or not _swappable(pair.form) or not _varies(pivot):
        return pivot.outcome(terms.confidence)
    law = swap_law(pair.form, min(SWAPS, terms.resamples), studentised=True, rng=terms.rng)
    size = np.abs(pair.values_a).max(-1) + np.abs(pair.values_b).max(-1)
    estimate = np.where(np.abs(pivot.estimate) <= ROUNDING * size, 0.0, pivot.estimate)  # as the draws are
    pivot = counting(mean_pivot(pair.differences, reach=terms.reach, unseen=terms.unseen), pair.form)
    wider = pivot.outcome(terms.confidence)
    found = _from_law(estimate, pivot.se, law, terms)
    told = found.p_value <= 1 - terms.confidence + 1e-9
    low = np.where(told & (estimate > 0), found.low, np.fmin(found.low, wider.low))
    high = np.where(told & (estimate < 0), found.high, np.fmax(found.high, wider.high))
    return replace(found, low=low, high=high)


def _swappable(form: SetForm) -> bool:
    """Tell whether few items carry weight, and the set is small enough to be swapped again and
    again."""
    return bool(np.all(form.carrying.sum(-1) <= SWAPPED_ITEMS)) and form.fixed.shape[-1] <= MOST_SWAPPED


def _permutation(pair: ScoredPair, terms: Terms) -> Outcome:
    """Swap the systems within items; the interval moves the swap law to the estimate."""
    _refuse_clusters(terms, "permutation")
    outcome = _student(pair, terms)
    if not _varies(outcome):
        return outcome
    if pair.form is None:
        law = flip_law(pair.differences, terms.resamples, rng=terms.rng)
    else:
        law = swap_law(pair.form, terms.resamples, studentised=False, rng=terms.rng)
    return _from_law(outcome.difference, outcome.se, law / outcome.se, terms)


def _bootstrap(pair: ScoredPair, terms: Terms) -> Outcome:
    """Studentised bootstrap over items [efron1993, ch. 12]; set scores by their item values."""
    _refuse_clusters(terms, "bootstrap")
    outcome = _student(pair, terms)
    if not _varies(outcome):
        return outcome
    _, ts = bootstrap_laws(pair.differences, terms.resamples, rng=terms.rng)
    return _from_law(outcome.difference, outcome.se, ts, terms)


def _welch(pair: ScoredPair, terms: Terms) -> Outcome:
    _refuse_clusters(terms, "welch")
    n = pair.values_a.shape[-1]
    parts = [values.var(-1, ddof=1) / n for values in (pair.values_a, pair.values_b)]
    variance = parts[0] + parts[1]
    df = variance**2 / np.maximum((parts[0] ** 2 + parts[1] ** 2) / (n - 1), np.finfo(float).tiny)
    paired = _student(pair, terms)
    return where(paired.se == 0, paired, from_t(paired.difference, np.sqrt(variance), df, terms.confidence))


def _wilcoxon(pair: ScoredPair, terms: Terms) -> Outcome:
    """Signed ranks; estimate and interval are where the statistic of ``d − θ`` is 0 and ∓ z.

    The p-value is exact for few items and leaves out zeros, the interval does neither; where they
    disagree about 0, the interval is widened to hold it.
    """
    from scipy.special import ndtri

    _refuse_clusters(terms, "wilcoxon")
    outcome = _student(pair, terms)
    if not _varies(outcome):
        return outcome
    d = without_noise(pair.differences)
    p, z = _signed_rank_p(d, terms), float(ndtri(0.5 + terms.confidence / 2))
    middle, low, high = (_where_signed_rank_is(d, level) for level in (0.0, z, -z))
    if p > 1 - terms.confidence + 1e-9:
        low, high = min(low, 0.0), max(high, 0.0)
    return single_outcome(middle, low, high, p)


def _signed_rank_p(d: Array, terms: Terms) -> float:
    """Exact over all signs for few items, as in scipy but a thousand times faster."""
    if len(d) > ENUMERATED:
        from scipy.stats import wilcoxon

        return float(wilcoxon(d).pvalue)
    d = d[d != 0]
    ranks = np.sign(d) * _mid_ranks(np.abs(d))
    return float(p_value(ranks.mean(), flip_law(ranks, 2**ENUMERATED, rng=terms.rng)))


def _where_signed_rank_is(d: Array, level: float) -> float:
    """Find θ at which the standardised signed-rank statistic of d − θ crosses a level.

    With few items the statistic never gets that far; then there is no bound on that side.
    """

    def statistic(theta: float) -> float:
        shifted = d - theta
        ranks = _mid_ranks(np.abs(shifted))
        return float((np.sign(shifted) * ranks).sum() / np.sqrt((ranks**2).sum()))

    size = float(np.abs(d).max())
    low, high = float(d.min()) - size, float(d.max()) + size
    if not statistic(low) > level > statistic(high):
        return -np.inf if level > 0 else np.inf
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if statistic(middle) > level else (low, middle)
    return 0.0 if abs(high) <= 1e-9 * size else high  # a crossing at 0 is 0, not a last bit beside it


def _mid_ranks(values: Array) -> Array:
    """Ranks from 1 up, ties share theirs; scipy takes a hundred times as long on few values."""
    ordered = np.sort(values)
    before, upto = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray((before + upto + 1) / 2)


def _mcnemar(pair: ScoredPair, terms: Terms) -> Outcome:
    """Exact binomial test of the items on which one system alone is right [mcnemar1947].

    With k of n such items won by A: ``p = 2 P(Bin(n, ½) ≤ min(k, n − k))``, and the exact interval
    of k / n [clopper1934].
    """
    from scipy.special import bdtr

    _refuse_clusters(terms, "mcnemar")
    d, n_items = pair.differences, pair.differences.shape[-1]
    whole = np.isin(pair.values_a, (0, 1)).all() and np.isin(pair.values_b, (0, 1)).all()
    if pair.form is not None or not whole:
        raise InputError(f"mcnemar needs an item score of 0 or 1, and {pair.metric.name} has others; use default.")
    k, n = int((d > 0).sum()), int((d != 0).sum())
    if n == 0:
        return _student(pair, terms)
    p = min(1.0, 2.0 * float(bdtr(min(k, n - k), n, 0.5)))
    low, high = ((2.0 * side - 1.0) * n / n_items for side in binomial_interval(k, n, terms.confidence))
    return single_outcome(d.mean(), low, high, p)


def _student(pair: ScoredPair, terms: Terms) -> Outcome:
    """The t pivot of item differences; where nothing varies, what could have gone unseen."""
    pivot = mean_pivot(pair.differences, reach=terms.reach)
    outcome = from_t(pivot.estimate, np.sqrt(pivot.variance.total), pivot.variance.df, terms.confidence)
    return where(pivot.still, pivot.outcome(terms.confidence), outcome) if pivot.still.any() else outcome


def _varies(found: Outcome | Pivot) -> bool:
    """Tell whether there is a spread to resample; if not, the t pivot has its say."""
    return bool(found.se > 0)


def _from_law(difference: Array, se: Array, law: Array, terms: Terms) -> Outcome:
    """Take p-value and interval from a resampled law; p ≤ level exactly when 0 is outside."""
    p = p_value(np.abs(difference) / se, law)
    # On a lattice of values the statistic may sit on the bound: rounding must not decide whether 0 is outside.
    half = symmetric_quantile(law, terms.confidence) * se
    half = np.where(p > 1 - terms.confidence + 1e-9, np.maximum(half, np.abs(difference)), half)
    most = np.inf if terms.reach is None else terms.reach
    low, high = np.maximum(difference - half, -most), np.minimum(difference + half, most)
    return Outcome(difference, se, low, high, p, np.full(difference.shape, np.inf))


def _refuse_clusters(terms: Terms, name: str) -> None:
    if terms.clusters is not None:
        raise InputError(f"the {name} test knows no clusters; use --test default with --unit cluster:COLUMN.")


_PROCEDURES = {
    procedure.name: procedure
    for procedure in (
        Procedure("default", "", _default, at_once="items", pivotal=True),
        Procedure("permutation", "", _permutation),
        Procedure("bootstrap", "", _bootstrap),
        Procedure(
            "wilcoxon", "tests whether differences lie symmetrically around 0, not whether their mean is 0", _wilcoxon
        ),
        Procedure("welch", "ignores that both systems answered the same items", _welch, at_once="always"),
        Procedure("mcnemar", "looks only at the items on which exactly one system is right", _mcnemar),
    )
}
