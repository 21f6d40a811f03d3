"""A world for trying tests where raters come back: two fixed systems, and raters who lean towards one or the other.

On every item A and B give different answers, and rater j sides with A if
``item_i + lean_j + noise_ij > 0``, all normal, noise with variance 1. Leanings have mean 0 over
raters, so neither system is better; a few raters may still favour one of them on every item, which
items alone do not show. The effect moves all leanings towards A.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from quorate._errors import InputError
from quorate.data.summaries import Counts
from quorate.populations.population import Draw, Panel, Population, Request
from quorate.populations.seats import Load, check_load, draw_seats


@dataclass(frozen=True)
class SharedRaters(Population):
    """Raters with leanings, shared by all items; ``lean`` and ``item`` are standard deviations.

    ``pool`` people rate, their work spread by ``load``; None for as many as answer each item, so
    that everybody answers everything.
    """

    kind: ClassVar[str] = "shared-raters"
    labels = ("no", "yes")
    max_effect = np.inf  # leanings may move as far as one likes
    raters_return = True

    lean: float = 0.3
    item: float = 1.0
    pool: int | None = None
    load: Load = "even"

    def __post_init__(self) -> None:
        if not (0 <= self.lean < np.inf and 0 <= self.item < np.inf):
            raise InputError("lean and item are standard deviations: numbers at or above 0")
        check_load(self.load)

    @property
    def leanings(self) -> "SharedRaters":
        """Itself."""
        return self

    def words(self) -> str:
        """Name the spread of leanings and items, and the pool."""
        pool = "everybody rates every item" if self.pool is None else f"a pool of {self.pool} with {self.load} load"
        return f"raters who lean towards one of two systems (sd {self.lean:g}; of items {self.item:g}), {pool}"

    def to_dict(self) -> dict[str, Any]:
        """Return the population as plain data."""
        return {"kind": self.kind, "lean": self.lean, "item": self.item, "pool": self.pool, "load": self.load}

    def _draw(self, request: Request, rng: np.random.Generator) -> Draw:
        if request.answers_a != 1 or request.answers_b != 1:
            raise InputError("the systems of shared-raters answer each item once; leave --answers out")
        (replicates, n_items), k = request.shape, request.n_raters
        pool = k if self.pool is None else self.pool
        rater = draw_seats(n_items, k, pool, self.load, rng)  # the same in all replicates of the draw
        shift = 0.0 if request.null else request.effect
        lean = shift + self.lean * rng.standard_normal((replicates, pool))
        latent = self.item * rng.standard_normal((replicates, n_items, 1)) + lean[:, rater]
        with_a = latent + rng.standard_normal(latent.shape) > 0
        says_a = np.arange(n_items) % 2  # A's answer and B's, in turn, so that no label stands for a system
        response = np.where(with_a, says_a[:, None], 1 - says_a[:, None])
        yes = response.sum(-1)
        one_hot = np.broadcast_to(np.eye(2, dtype=np.int64)[says_a], (replicates, n_items, 2))
        return Draw(
            Counts(np.stack([k - yes, yes], -1)), Counts(one_hot), Counts(1 - one_hot), Panel(response, rater[None])
        )
