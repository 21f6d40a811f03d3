"""What a pilot cannot know: spreads that may be true given the one it saw.

Of items, each draw weighs them anew, ``w ~ Dirichlet(c, …, c, u)``, the Bayesian bootstrap [rubin1981]
with one item more that has not been seen: as far from the mean as the farthest, or up to `FARTHER`
times as far where such a difference is possible. A pilot that saw few differences, or none of the
large ones, so stays open to them. Of groups, which are few, the mean square MS on ν degrees of freedom
has the truth ``MS ν / χ²_ν``; so do raters, but they may also all be alike, which few of them do not show.
All are the truth given the pilot, not other pilots given the truth.
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array

DRAWS = 400
"""Truths looked at."""
EACH, UNSEEN = 0.8, 0.6
"""What one item seen and the one not seen count in the weights; below 1, for a variance is known less well than a mean
of as many items. Picked among ten settings by the ranges of seven worlds, and not yet checked on others."""
FARTHER = 1.6
ALIKE = 4.0
"""What raters who are all alike weigh, in units of log φ, where φ is how many times as large the squares of raters
are as if they were. With none of it six raters cannot show that they agree, and every plan seems to fail; with much
more, raters who differ a little are taken for alike. Balanced on worlds of both kinds, see docs/methods/planning.md."""
STEPS, TALL = 240, 8.0
"""Values of φ looked at, up to so far beyond what was seen, on the log."""


@dataclass(frozen=True)
class SpreadPosterior:
    """Variances of items that may be true, ``(draw,)``.

    Parameters
    ----------
    item
        Of what an item shows, its raters' mean.
    within
        Of single answers of an item, None where none has two.
    noise
        What of `item` comes from single answers.
    seen
        The variance of items and that within items that the pilot saw.
    """

    item: Array
    within: Array | None
    noise: Array
    seen: tuple[float, float]

    def sds(self, n_raters: int) -> Array:
        """Return the spread of an item's difference with K raters, ``(draw,)``, or as many as in the pilot."""
        if self.within is None:
            return np.sqrt(self.item)
        return np.asarray(np.sqrt(np.maximum(self.item - self.noise, 0.0) + self.within / n_raters))


def item_posterior(
    values: Array, within: Array | None, size: Array, reach: float, rng: np.random.Generator
) -> SpreadPosterior:
    """Draw variances of items from values, ``(item,)``, the variance within each and how many answers each has."""
    e, n = values - values.mean(), len(values)
    weights = rng.standard_gamma(EACH, (DRAWS, n))
    unseen = rng.standard_gamma(UNSEEN, DRAWS)
    total = weights.sum(-1) + unseen
    weights, unseen = weights / total[:, None], unseen / total
    far = float(np.abs(e).max())
    most = np.clip(reach, far, FARTHER * far)
    other = rng.choice([-1.0, 1.0], DRAWS) * rng.uniform(far, max(most, far), DRAWS)
    mean = weights @ e + unseen * other
    item = np.maximum(weights @ e**2 + unseen * other**2 - mean**2, 0.0)
    several, seen = size > 1, float(values.var(ddof=1))
    if within is None or not several.any():
        return SpreadPosterior(item, None, np.zeros(DRAWS), (seen, 0.0))
    spread = weights[:, several] @ within[several] / weights[:, several].sum(-1)
    noise = (weights[:, several] @ (within / size)[several]) + spread * (weights[:, ~several] @ (1 / size[~several]))
    return SpreadPosterior(item, spread, noise + spread * unseen / size.mean(), (seen, float(within[several].mean())))


def chi_square_truths(df: float, rng: np.random.Generator, draws: int = DRAWS) -> Array:
    """Return the true variance over the one seen, ``ν / χ²_ν``, at evenly spread chances in any order, ``(draw,)``."""
    from scipy.special import chdtri

    chances = rng.permutation((np.arange(draws) + 0.5) / draws)
    return np.asarray(max(df, 1.0) / chdtri(max(df, 1.0), chances))


@dataclass(frozen=True)
class RaterSquare:
    """How far raters differ in a pilot: the sum of squares of what each adds to the mean difference.

    Parameters
    ----------
    amount
        The sum.
    of_item, of_rater, of_rest
        How much of each component it holds in expectation.
    df
        Effective number of raters, less one.
    """

    amount: float
    of_item: float
    of_rater: float
    of_rest: float
    df: float

    def truths(self, item: Array, rest: Array, rng: np.random.Generator) -> Array:
        """Draw the raters' component given those of items and of the rest, ``(draw,)``.

        Were raters all alike, the square would expect b; it is φ ≥ 1 times that, and ``amount ν / (b φ)``
        is χ²_ν. φ is 1, or anything above with log φ uniform: in between a pilot tells little.
        """
        alike = np.maximum(self.of_item * item + self.of_rest * rest, 1e-300)
        seen = self.amount / alike
        more = np.exp((np.arange(STEPS) + 0.5) / STEPS * (np.log(max(float(seen.max()), 1.0)) + TALL))
        phi = np.concatenate([[1.0], more])
        fit = -0.5 * max(self.df, 1.0) * (np.log(phi) + seen[:, None] / phi)
        weight = np.exp(fit - fit.max(-1, keepdims=True))
        weight[:, 0] *= ALIKE / np.log(more[1] / more[0])
        below = np.cumsum(weight, -1)
        chances = rng.permutation((np.arange(len(seen)) + 0.5) / len(seen)) * below[:, -1]
        return np.asarray((phi[(below < chances[:, None]).sum(-1)] - 1) * alike / self.of_rater)


def component_posterior(
    parts: tuple[float, float, float],
    per_item: float,
    raters: RaterSquare,
    items: SpreadPosterior,
    rng: np.random.Generator,
) -> Array:
    """Draw components of item, rater and rest, ``(component, draw)``, from a pilot with so many answers per item.

    Mean squares of items and of single answers are moved as their variances are, and components solved from them.
    """
    item, _, rest = parts
    seen, within = items.seen
    of_rest = np.full(DRAWS, rest) if items.within is None or within == 0 else rest * items.within / within
    of_item = (rest + per_item * item) * items.item / seen
    between = np.maximum(of_item - of_rest, 0.0) / per_item
    return np.stack([between, raters.truths(between, of_rest, rng), of_rest])
