"""How many more expert labels, or votes, narrow an interval to a given width?

With x times as many experts and y times as many votes the variance of an estimate is taken as its
present value times (1 - e + e / x)(1 - v + v / y). How much experts (e) and votes (v) do is learnt
from fits to half of the experts, and to half of the votes, which multiply the variance by 1 + e and
1 + v. Beyond four times the data the answer is a guess.
"""

from dataclasses import dataclass, replace
from math import ceil, floor, inf, isfinite, log10

import numpy as np

from quorate.estimating.evidence import Evidence
from quorate.estimating.label_metrics import LabelMetric
from quorate.estimating.methods import judge
from quorate.estimating.study import Study

REPEATS, DRAWS = 5, 200  # of fits to half the data: the variance is then known to about 5 %
FEWEST = 20  # expert labels of either class before they can be halved
FAR = 4.0  # times the data at hand beyond which nothing is promised


@dataclass(frozen=True)
class Scaling:
    """Which share of an estimate's variance goes with the number of experts (e), and with that of votes (v)."""

    experts: float
    votes: float

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
) -> Purchase:
    """Work out what to buy for a target width; ``prices`` are those of an expert label and of a vote."""
    n_experts, per_item = sum(evidence.n_experts), float(evidence.total.mean())
    most, share = evidence.n_items / n_experts, min(1.0, (target / width) ** 2)
    alone = _times(scaling.experts, share), _times(scaling.votes, share)
    if alone[0] > most * (1 + 1e-9):
        alone = inf, alone[1]  # there are no more items to label
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
        far=any(FAR < times < inf for times in (*alone, *best)),
    )


def learn_scaling(study: Study, metric: LabelMetric, system: str | None, *, rng: np.random.Generator) -> Scaling | None:
    """Fit halves of the data to learn what experts and votes do for an estimate; None with too few experts to halve."""
    if min(study.evidence.n_experts) < FEWEST:
        return None
    now = _variance(study, metric, system)
    shares = []
    for halve in (half_the_experts, half_the_votes):
        halves = [study.on(halve(study.evidence, rng=rng), n_draws=DRAWS, seed=study.seed + i) for i in range(REPEATS)]
        grown = np.mean([_variance(half, metric, system) for half in halves])
        shares.append(float(np.clip(grown / now - 1, 0.0, 1.0)))  # no more than a law of 1 / n can give
    return Scaling(*shares)


def half_the_experts(evidence: Evidence, *, rng: np.random.Generator) -> Evidence:
    """Forget the labels of half of the experts' items, chosen at random."""
    experts = rng.permutation(np.flatnonzero(evidence.has_label))
    has_label = np.zeros(evidence.n_items, dtype=bool)
    has_label[experts[: len(experts) // 2]] = True
    return replace(evidence, has_label=has_label)


def half_the_votes(evidence: Evidence, *, rng: np.random.Generator) -> Evidence:
    """Forget half of every item's votes, chosen at random; of an odd number one more or less."""
    kept = (evidence.total + rng.integers(2, size=evidence.n_items)) // 2
    positive = rng.hypergeometric(evidence.positive, evidence.total - evidence.positive, kept)
    return replace(evidence, positive=positive, total=kept, named_votes=None)


def worth(n_experts: int, width_alone: float, width: float) -> int:
    """Expert labels that would narrow the experts-only interval as much: n ((width_gt / width)² - 1), two figures."""
    more = n_experts * ((width_alone / width) ** 2 - 1)
    return two_figures(more) if isfinite(more) else 0


def two_figures(value: float) -> int:
    """Round to two figures: more of them would promise too much."""
    return int(round(value, 1 - floor(log10(abs(value))))) if value else 0


def _variance(study: Study, metric: LabelMetric, system: str | None) -> float:
    return float(np.nanvar(metric(judge(study, "maven", system).draws)))


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
    votes_each = np.array([_times(scaling.votes, share / scaling(x, 1.0)) for x in many])
    best = int(np.argmin(experts * many + votes * votes_each))
    return float(many[best]), float(votes_each[best])
