"""A world of votes side by side: prompts and people have tastes, and some votes are ties.

Rater j, shown the outputs of systems a and b on item i, prefers a if ``L > c``, b if ``L < −c``, else neither:

    L = θ_a − θ_b + (u_ia − u_ib) + (v_ja − v_jb) ± g + noise,

all normal, g for being shown first, and the variance of all but θ and g is 1. Neighbours on the board are ``θ_a − θ_b
= μ`` apart, so the share of ties t and the margin m of neighbours have a closed form: with w and l their shares of wins
and losses, ``μ ± c = Φ⁻¹(w), −Φ⁻¹(l)``. The variances of tastes are solved so that items hold their share of the
variance of a vote, and raters theirs: what `plan --preset preference` assumes.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities
from quorate.populations.population import Draw, Panel, Population, Request
from quorate.populations.seats import Load, check_load, draw_seats

TIES, ITEM_SHARE, RATER_SHARE = 0.2, 0.10, 0.05
"""Ties, and what items and raters hold of a vote's variance where nothing is known: a convention, not fitted."""
NODES = 60
"""Points of the quadrature over normal tastes."""


@dataclass(frozen=True)
class SideBySide(Population):
    """Votes between systems: share of ties, what items and raters hold of a vote's variance, and who votes.

    ``pool`` people vote, their work spread by ``load``; None for as many as vote on each item. ``first_shown`` is what
    being shown first is worth, in units of the margin.
    """

    kind: ClassVar[str] = "side-by-side"
    labels = ("B", "tie", "A")
    raters_return = True

    ties: float = TIES
    item_share: float = ITEM_SHARE
    rater_share: float = RATER_SHARE
    first_shown: float = 0.0
    pool: int | None = None
    load: Load = "even"

    def __post_init__(self) -> None:
        if not 0 <= self.ties < 1:
            raise InputError(f"the share of ties is from 0 up to 1, not {self.ties:g}; 0.2 is usual")
        shares = self.item_share, self.rater_share
        if not (min(shares) >= 0 and sum(shares) <= 0.9):
            raise InputError("items and raters hold shares of a vote's variance from 0 up, together 0.9 at most")
        if not 0 <= self.first_shown < 1 - self.ties:
            raise InputError(f"being shown first is worth 0 up to {1 - self.ties:g} of the margin with so many ties")
        check_load(self.load)

    @property
    def votes(self) -> "SideBySide":
        """Itself."""
        return self

    @property
    def max_effect(self) -> float:
        """The margin can be no larger than the share of votes that are no ties."""
        return 1.0 - self.ties

    def words(self) -> str:
        """Name ties, tastes and the pool."""
        tastes = f"items hold {self.item_share:.0%} of a vote's variance and raters {self.rater_share:.0%}"
        pool = "everybody votes on every item" if self.pool is None else f"a pool of {self.pool} with {self.load} load"
        return f"votes side by side, {self.ties:.0%} ties, {tastes}, {pool}"

    def to_dict(self) -> dict[str, Any]:
        """Return the population as plain data."""
        return {"kind": self.kind} | {name: getattr(self, name) for name in self.__dataclass_fields__}

    def latent(self, margin: float) -> "LatentTastes":
        """Return the world behind votes with this margin between neighbours."""
        from scipy.special import ndtri

        # a margin of all votes that are no ties leaves no losses: Φ⁻¹ stays finite
        win, loss = np.maximum(0.5 * (1 - self.ties + margin * np.array([1.0, -1.0])), 1e-6)
        high, low = float(ndtri(win)), float(-ndtri(loss))
        apart, cut = 0.5 * (high + low), 0.5 * (low - high)
        item, rater = (_solve_taste(apart, cut, share) for share in (self.item_share, self.rater_share))
        return LatentTastes(apart, cut, item, rater, _solve_first(cut, self.first_shown))

    def shares(self, margin: float, places: Array) -> tuple[Array, Array]:
        """Return the shares of wins and losses of systems so many places apart, if neighbours have this margin."""
        world = self.latent(margin)
        return _chances(places * world.apart, world.cut, 1.0)

    def _draw(self, request: Request, rng: np.random.Generator) -> Draw:
        """Draw votes between two systems; both are shown first as often."""
        (replicates, n_items), k = request.shape, request.n_raters
        rater = draw_seats(n_items, k, self.pool, self.load, rng)
        world = self.latent(0.0 if request.null else request.effect)
        item = np.sqrt(world.item) * rng.standard_normal((replicates, n_items, 1))
        taste = np.sqrt(world.rater) * rng.standard_normal((replicates, int(rater.max()) + 1))
        side = rng.integers(2, size=(replicates, n_items, k)) * 2 - 1
        likes = world.apart + item + taste[:, rater] + side * world.first
        vote = world.cast(likes, rng)
        counts = np.stack([(vote == kind).sum(-1) for kind in (-1, 0, 1)], -1)
        credit = np.broadcast_to([0.0, 0.5, 1.0], counts.shape)
        return Draw(Counts(counts), Probabilities(credit), Probabilities(1 - credit), Panel(vote + 1, rater[None]))


@dataclass(frozen=True)
class LatentTastes:
    """What is behind votes: neighbours `apart`, a tie within `cut`, variances of tastes, being shown `first`."""

    apart: float
    cut: float
    item: float
    rater: float
    first: float

    def cast(self, likes: Array, rng: np.random.Generator) -> Array:
        """Cast votes, 1, 0 or −1, by those who like the first of two systems so much better."""
        noisy = likes + np.sqrt(1 - self.item - self.rater) * rng.standard_normal(likes.shape)
        return np.asarray((noisy > self.cut).astype(np.int64) - (noisy < -self.cut))


@dataclass(frozen=True)
class Board:
    """Votes of one study, ``(vote,)`` each: `vote` is 1 for the first system, `side` 1 where it was shown first."""

    item: Array
    rater: Array
    first: Array
    second: Array
    vote: Array
    side: Array


@dataclass(frozen=True)
class BoardDesign:
    """Who is compared with whom: so many systems, of whose pairs a share is ever asked; neighbours always are."""

    n_systems: int = 2
    pair_share: float = 1.0

    def __post_init__(self) -> None:
        if not 2 <= self.n_systems <= 1000:
            raise InputError(f"votes are between 2 to 1,000 systems, not {self.n_systems}")
        if not 0 < self.pair_share <= 1:
            raise InputError(f"the share of pairs that are asked is above 0 up to 1, not {self.pair_share:g}")

    @cached_property
    def every_pair(self) -> Array:
        """All pairs of systems, ``(pair, 2)``, neighbours first."""
        pairs = sorted(combinations(range(self.n_systems), 2), key=lambda pair: pair[1] - pair[0])
        return np.array(pairs)

    def asked(self, rng: np.random.Generator) -> Array:
        """Draw the pairs that are ever asked, ``(pair, 2)``; neighbours keep them all linked."""
        pairs, linked = self.every_pair, self.n_systems - 1
        more = max(round(self.pair_share * len(pairs)) - linked, 0)
        others = linked + rng.permutation(len(pairs) - linked)[:more]
        return np.asarray(pairs[np.concatenate([np.arange(linked), np.sort(others)])])


def draw_board(
    world: SideBySide, design: BoardDesign, n_items: int, n_votes: int, margin: float, rng: np.random.Generator
) -> Board:
    """Draw one study: on each item so many raters vote, each on a random pair; the first system is the best."""
    latent, rater = world.latent(margin), draw_seats(n_items, n_votes, world.pool, world.load, rng)
    size = rater.size
    people, item = int(rater.max()) + 1, np.repeat(np.arange(n_items), n_votes)
    pair = design.asked(rng)
    first, second = pair[rng.integers(len(pair), size=size)].T
    tastes = -latent.apart * np.arange(design.n_systems)  # the variance of a difference is twice that of a taste
    of_items, of_raters = (
        np.sqrt(0.5 * part) * rng.standard_normal((n, design.n_systems))
        for part, n in ((latent.item, n_items), (latent.rater, people))
    )
    row, side = np.arange(size), rng.integers(2, size=size) * 2 - 1
    liking = tastes + of_items[item] + of_raters[rater.ravel()]
    vote = latent.cast(liking[row, first] - liking[row, second] + side * latent.first, rng)
    return Board(item, rater.ravel(), first, second, vote, side)


def _solve_taste(apart: float, cut: float, share: float) -> float:
    """Return the variance of a taste that holds this share of a vote's variance."""
    from scipy.optimize import brentq

    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    win, loss = _chances(apart, cut, 1.0)
    margin = float(win - loss)
    variance = float(win + loss) - margin**2

    def gap(part: float) -> float:
        known = apart + np.sqrt(part) * nodes
        won, lost = _chances(known, cut, np.sqrt(1 - part))
        return float(weights @ (won - lost) ** 2) - margin**2 - share * variance

    if share == 0:
        return 0.0
    if gap(0.95) < 0:
        raise InputError(f"no taste holds {share:.0%} of the variance of such votes; ask for less")
    return float(brentq(gap, 0.0, 0.95, xtol=1e-12))


def _solve_first(cut: float, worth: float) -> float:
    """Return how far being shown first moves equal systems whose margin it makes this."""
    from scipy.optimize import brentq

    def gap(shift: float) -> float:
        win, loss = _chances(shift, cut, 1.0)
        return float(win - loss) - worth

    return float(brentq(gap, 0.0, 20.0, xtol=1e-12)) if worth else 0.0


def _chances(likes: Array | float, cut: float, noise: Array | float) -> tuple[Array, Array]:
    """Return the chances of a win and of a loss where the first system is liked so much better."""
    from scipy.special import ndtr

    return np.asarray(ndtr((likes - cut) / noise)), np.asarray(ndtr((-likes - cut) / noise))
