"""Plan votes between several systems: how many for each pair tell neighbours apart, all pairs counted.

Votes go evenly over the P pairs of S systems. With J the information of a vote on each pair, summed, and M how votes
vary, a contrast c of strengths has the variance ``P c'J⁻¹MJ⁻¹c / votes`` if every vote stood alone; between equal
systems that is (S − 1) times that of a vote on the pair itself. Tastes of items and raters are in strengths as they
are. From a pilot with residuals r, slopes s of the margin and x = e_a − e_b, tastes with variance τ² make
``E r r' = τ² s s' x'x`` of two votes on an item by different raters, and so of two votes of a rater: τ² is the slope of
that regression. All pairs are judged together by Tukey's range, of which max-T is the
general form [hothorn2008].
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from quorate._typing import Array
from quorate.agreement.variance_parts import VarianceParts
from quorate.data.preferences import Votes
from quorate.inference.bradley_terry import StrengthFit, fit_strengths
from quorate.metrics.preferences import margin_of
from quorate.populations.side_by_side import SideBySide


@dataclass(frozen=True)
class VoteBoard:
    """Systems that votes compare, the best first, and what a vote between them tells.

    Parameters
    ----------
    names
        The systems.
    strength
        Their strengths, ``(system,)``.
    variance
        Variance of a vote on each pair of `pairs`, ``(pair,)``.
    item, rater
        Variance of a difference of strengths over items, and over raters.
    """

    names: tuple[str, ...]
    strength: Array
    variance: Array
    item: float
    rater: float

    @cached_property
    def pairs(self) -> Array:
        """All pairs of systems, ``(pair, 2)``."""
        return np.array(list(combinations(range(len(self.names)), 2)))

    @cached_property
    def single(self) -> Array:
        """Variance of the differences between neighbours, times votes, if each stood alone, ``(neighbours,)``."""
        size, (a, b) = len(self.names), self.pairs.T
        x = np.eye(size)[a] - np.eye(size)[b]
        chance = 0.5 + 0.5 * margin_of(self.strength[a] - self.strength[b])
        information = x.T @ ((chance * (1 - chance))[:, None] * x) + 1 / size  # strengths have mean 0
        varies = x.T @ (0.25 * self.variance[:, None] * x)
        inverse = np.linalg.inv(information)
        neighbours = np.eye(size)[:-1] - np.eye(size)[1:]
        moved = neighbours @ inverse
        return np.asarray(len(self.pairs) * ((moved @ varies) * moved).sum(1))

    def parts(self, margin: float, neighbour: int, apart: float | None = None) -> VarianceParts:
        """Return the variances of what one vote says of two neighbours that are this margin apart, in its units.

        `apart` is how far their strengths are, by a fit to all pairs; by their own votes if not given.
        """
        scale = (margin / (2 * np.arctanh(margin) if apart is None else apart)) ** 2
        rest = max(float(self.single[neighbour]) - self.item - self.rater, 0.0)
        return VarianceParts(scale * self.item, scale * self.rater, scale * rest)

    def apart(self, neighbour: int) -> float:
        """Return how far two neighbours are apart in strength."""
        return float(self.strength[neighbour] - self.strength[neighbour + 1])

    @property
    def hardest(self) -> int:
        """The two neighbours whose difference is known worst."""
        return int(np.argmax(self.single))


def typed_board(world: SideBySide, n_systems: int, margin: float) -> VoteBoard:
    """Return a board whose neighbours are all this margin apart."""
    pairs = np.array(list(combinations(range(n_systems), 2)))
    win, loss = world.shares(margin, pairs[:, 1] - pairs[:, 0])
    kinds = np.repeat(pairs, 3, axis=0)
    vote, times = np.tile([1, 0, -1], len(pairs)), np.stack([win, 1 - win - loss, loss], 1).ravel()
    fit = fit_strengths(kinds[:, 0], kinds[:, 1], vote, times, n_systems)
    names = tuple(f"s{k + 1}" for k in range(n_systems))
    slope = 4.0 * (1 - world.ties - margin**2) / (1 - margin**2) ** 2  # of a share of a vote's variance, in strengths
    strength = fit.strength[:-1]  # those far apart pull neighbours apart too: more than their own votes would have it
    pulled = (strength[:-1] - strength[1:]).mean() / (2 * np.arctanh(margin))
    amounts = (share * slope * pulled**2 for share in (world.item_share, world.rater_share))
    return VoteBoard(names, strength, win + loss - (win - loss) ** 2, *amounts)


def pilot_board(votes: Votes) -> VoteBoard:
    """Return the board a pilot shows, best first."""
    fit = fit_strengths(votes.first, votes.second, votes.vote, votes.times, len(votes.systems))
    order = np.argsort(-fit.strength[:-1], kind="stable")
    strength = fit.strength[:-1][order]
    pairs = np.array(list(combinations(range(len(order)), 2)))
    chance = 0.5 + 0.5 * margin_of(strength[pairs[:, 0]] - strength[pairs[:, 1]])
    drawn = _tie_rate(votes, fit) * np.sqrt(chance * (1 - chance))  # far apart, fewer votes are ties [davidson1970]
    variance = 1 - drawn - (2 * chance - 1) ** 2
    item, rater = tastes(votes, fit)
    return VoteBoard(tuple(votes.systems[k] for k in order), strength, np.maximum(variance, 1e-6), item, rater)


def tastes(votes: Votes, fit: StrengthFit) -> tuple[float, float]:
    """Return the variances of a difference of strengths over items and over raters that a pilot shows."""
    ratings, kind = votes.ratings, votes.ratings.response
    if ratings.rater is None or ratings.n_raters is None:
        cell, codes = np.arange(len(kind)), [ratings.item]
    else:
        cell = np.unique(ratings.item.astype(np.int64) * ratings.n_raters + ratings.rater, return_inverse=True)[1]
        codes = [ratings.item, ratings.rater]
    slope = 2 * fit.chance * (1 - fit.chance)
    residual = slope * (votes.vote - (2 * fit.chance - 1))
    alone = _moments(votes, cell, residual, slope)
    found = [_moments(votes, code, residual, slope) - alone for code in codes]
    amounts = [2 * max(seen / known, 0.0) if known > 1e-9 else 0.0 for seen, known in found]
    return amounts[0], amounts[1] if len(amounts) > 1 else 0.0


def _moments(votes: Votes, code: Array, residual: Array, slope: Array) -> Array:
    """Return Σ (s r)(s r') x'x and Σ (s s' x'x)² over all two votes of a group, themselves included."""
    from scipy.sparse import coo_array

    kinds = len(votes.vote)
    cells = (votes.ratings.count.astype(float), (code, votes.ratings.response))
    cast = coo_array(cells, shape=(int(code.max()) + 1, kinds)).tocsr()
    x = np.zeros((kinds, len(votes.systems)))
    x[np.arange(kinds), votes.first], x[np.arange(kinds), votes.second] = 1.0, -1.0
    moved = cast @ (residual[:, None] * x)
    near = (slope[:, None] * slope * (x @ x.T)) ** 2
    return np.array([(moved**2).sum(), float((cast @ near * cast.toarray()).sum())])


def _tie_rate(votes: Votes, fit: StrengthFit) -> float:
    """Return ties for each unit of √(p (1 − p)), by all votes."""
    expected = float(votes.times @ np.sqrt(fit.chance * (1 - fit.chance)))
    return float(votes.times @ (votes.vote == 0)) / expected


def single_confidence(confidence: float, n_systems: int) -> float:
    """Return the level of one pair's interval at which those of all pairs hold together: Tukey's range of S normals.

    ``P(range ≤ q) = S ∫ φ(z) (Φ(z) − Φ(z − q))^(S − 1) dz``, and a pair differs by q standard errors of one system.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    points = np.linspace(-9.0, 9.0, 4001)
    density = np.exp(-0.5 * points**2) / np.sqrt(2 * np.pi)

    def gap(q: float) -> float:
        within = n_systems * density * (ndtr(points) - ndtr(points - q)) ** (n_systems - 1)
        return float(within.sum() * (points[1] - points[0])) - confidence

    q = brentq(gap, 0.1, 30.0)
    return float(2 * ndtr(q / np.sqrt(2)) - 1)
