"""How many more expert labels, or votes, narrow an interval to a given width?

Experts' items are a random sample, so with x times as many of them the variance is (1/(x m) - 1/n) S²: as
a share of the present one 1 - e + e / x, with e = n / (n - m). With y times as many votes it is taken as
1 - v + v / y, where v is learnt from guesses with half of the votes; what better voters would do is learnt from
guesses with half of the errors taken out. Beyond four times the data the answer is a guess.
"""

from dataclasses import dataclass, replace
from math import ceil, floor, inf, isfinite, log10

import numpy as np

from quorate._typing import Array
from quorate.estimating.assistance import vote_columns
from quorate.estimating.evidence import Evidence
from quorate.estimating.label_metrics import LabelMetric
from quorate.estimating.methods.assisted import measure_assisted
from quorate.estimating.study import Study
from quorate.estimating.voters import NamedVotes

REPEATS = 5  # of guesses with half the votes, or half the errors
MENDED = 0.5  # errors that better voters do not make
FAR = 4.0  # times the data at hand beyond which nothing is promised


@dataclass(frozen=True)
class Scaling:
    """Which share of an estimate's variance goes with the number of experts (e), and with that of votes (v).

    ``better`` is the variance if voters erred half as often, as a share of the present one.
    """

    experts: float
    votes: float
    better: float = 1.0

    def __call__(self, experts: float, votes: float) -> float:
        """Return the variance with so many times the experts and the votes, as a share of the present one."""
        return (1 - self.experts + self.experts / experts) * (1 - self.votes + self.votes / votes)


@dataclass(frozen=True)
class Purchase:
    """What would narrow the interval of an estimate from its width to a target.

    None where no number of expert labels or votes would do; mix and cost only if prices are known.
    """

    metric: str
    system: str | None
    width: float
    target: float
    experts: int | None  # more expert labels alone
    votes: float | None  # more votes per item alone
    mix: tuple[int, float] | None = None  # the cheapest of both
    cost: float | None = None
    better: int | None = None  # more expert labels, if as many votes came from voters who err half as often
    better_cost: float | None = None  # of these labels, and of such votes on every item
    far: bool = False  # whether an answer goes beyond what the data at hand can promise


def purchase(
    scaling: Scaling,
    metric: str,
    system: str | None,
    *,
    width: float,
    target: float,
    evidence: Evidence,
    prices: tuple[float, float] | None = None,
    better_price: float | None = None,
) -> Purchase:
    """Work out what to buy for a target width; prices are those of an expert label and a vote, and of a better vote."""
    n_experts, per_item = sum(evidence.n_experts), float(evidence.total.mean())
    most, share = evidence.n_items / n_experts, min(1.0, (target / width) ** 2)
    alone = _times(scaling.experts, share), _times(scaling.votes, share)
    if alone[0] > most * (1 + 1e-9):
        alone = inf, alone[1]  # there are no more items to label
    times = _times(scaling.experts, min(1.0, share / max(scaling.better, 1e-12)))
    better = ceil(n_experts * (times - 1) - 1e-6) if times <= most * (1 + 1e-9) else None
    better_cost = None
    if prices is not None and better_price is not None and better is not None:
        better_cost = round(prices[0] * better + better_price * per_item * evidence.n_items, 2)
    best, mix, cost = (1.0, 1.0), None, None
    if prices is not None:
        best = _cheapest(scaling, share, n_experts * prices[0], per_item * evidence.n_items * prices[1], most)
    if prices is not None and best[1] < inf:
        mix = ceil(n_experts * (best[0] - 1) - 1e-6), round(per_item * (best[1] - 1), 1)
        cost = round(prices[0] * mix[0] + prices[1] * mix[1] * evidence.n_items, 2)
    return Purchase(
        metric,
        system,
        width,
        target,
        experts=ceil(n_experts * (alone[0] - 1) - 1e-6) if alone[0] < inf else None,
        votes=round(per_item * (alone[1] - 1), 1) if alone[1] < inf else None,
        mix=mix,
        cost=cost,
        better=better,
        better_cost=better_cost,
        far=any(FAR < times < inf for times in (*alone, *best)),
    )


def learn_scaling(
    study: Study, metric: LabelMetric, systems: tuple[str, ...], *, rng: np.random.Generator
) -> Scaling | None:
    """What experts and votes do for an assisted estimate; None if there is nothing left to learn."""
    items = study.assistance
    of_items = measure_assisted(items, metric, systems).variance
    now = measure_assisted(items, metric, systems, population=study.population).variance
    n, m = items.sample.n_items, items.sample.size
    if not of_items > 0 or n == m:
        return None
    other = [vote_columns(half_the_votes(study.evidence, rng=rng)) for _ in range(REPEATS)]
    mended = [vote_columns(better_votes(study.evidence, items.guess(systems).chance, rng=rng)) for _ in range(REPEATS)]
    grown, shrunk = (
        np.mean(
            [
                measure_assisted(
                    replace(items, columns=columns, _guesses={}), metric, systems, population=study.population
                ).variance
                for columns in every
            ]
        )
        for every in (other, mended)
    )
    votes, better = float(np.clip(grown / now - 1, 0.0, 1.0)), float(np.clip(shrunk / now, 0.0, 1.0))
    return Scaling(n / (n - m) * of_items / now, votes, better)


def half_the_votes(evidence: Evidence, *, rng: np.random.Generator) -> Evidence:
    """Forget half of every item's votes, chosen at random; of an odd number one more or less."""
    kept = (evidence.total + rng.integers(2, size=evidence.n_items)) // 2
    named = evidence.named_votes
    if named is not None and len(named.item) == evidence.total.sum():
        rows = _first_of_each(named.item, kept, rng)
        named = NamedVotes(named.item[rows], named.rater[rows], named.vote[rows], named.names)
        return replace(evidence, votes=named.count(evidence.n_items, evidence.n_classes), named_votes=named)
    votes, left, wanted = np.zeros_like(evidence.votes), evidence.total.copy(), kept.copy()
    for k in range(evidence.n_classes):
        left = left - evidence.votes[:, k]
        votes[:, k] = rng.hypergeometric(evidence.votes[:, k], left, wanted)
        wanted = wanted - votes[:, k]
    return replace(evidence, votes=votes, named_votes=None)


def better_votes(evidence: Evidence, chance: Array, *, rng: np.random.Generator) -> Evidence:
    """Take half of the errors out of the votes: half of them become the label, an expert's or one drawn from a guess.

    Chances are ``(item, class)``. A vote that was right stays right.
    """
    drawn = (rng.random(evidence.n_items)[:, None] > np.cumsum(chance, axis=1)).sum(1).clip(max=evidence.n_classes - 1)
    label = np.where(evidence.has_label, evidence.label, drawn)
    named = evidence.named_votes
    if named is not None and len(named.item) == evidence.total.sum():
        mended = rng.random(len(named.item)) < MENDED
        named = replace(named, vote=np.where(mended, label[named.item], named.vote))
        return replace(evidence, votes=named.count(evidence.n_items, evidence.n_classes), named_votes=named)
    kept = rng.binomial(evidence.votes, 1 - MENDED)
    kept[np.arange(evidence.n_items), label] += evidence.total - kept.sum(1)
    return replace(evidence, votes=kept, named_votes=None)


def _first_of_each(item: Array, kept: Array, rng: np.random.Generator) -> Array:
    """Rows that are among the first ``kept`` of their item in random order."""
    mixed = rng.permutation(len(item))
    order = mixed[np.argsort(item[mixed], kind="stable")]
    size = np.bincount(item, minlength=len(kept))
    place = np.arange(len(item)) - np.repeat(np.cumsum(size) - size, size)
    return np.sort(order[place < kept[item[order]]])


def worth(n_experts: int, n_items: int, width_alone: float, width: float) -> int:
    """Expert labels that would narrow the experts-only interval as much: n ((width_gt / width)² - 1), two figures.

    There are never more than items without a label.
    """
    more = n_experts * ((width_alone / width) ** 2 - 1)
    return min(two_figures(more), n_items - n_experts) if isfinite(more) else 0


def two_figures(value: float) -> int:
    """Round to two figures: more of them would promise too much."""
    return int(round(value, 1 - floor(log10(abs(value))))) if value else 0


def _times(part: float, share: float) -> float:
    """Times the data at hand at which 1 - part + part / times falls to ``share``."""
    left = share - (1 - part)
    return max(1.0, part / left) if left > 1e-12 else inf


def _cheapest(scaling: Scaling, share: float, experts: float, votes: float, most: float) -> tuple[float, float]:
    """Times the experts and the votes that reach ``share`` for the least money, by a search over the experts.

    ``experts`` and ``votes`` are what the data at hand would cost; there are items for ``most``
    times the experts.
    """
    many = np.geomspace(1.0, most, 2001)
    votes_each = np.array([_times(scaling.votes, share / max(scaling(x, 1.0), 1e-12)) for x in many])
    best = int(np.argmin(experts * many + votes * votes_each))
    return float(many[best]), float(votes_each[best])
