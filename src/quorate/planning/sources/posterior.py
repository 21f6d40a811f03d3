"""What a pilot cannot know: spreads that may be true given the one it saw.

Of items, each draw weighs them anew, ``w ~ Dirichlet(c, …, c, u)``, the Bayesian bootstrap [rubin1981]
with one item more that has not been seen: as far from the mean as the farthest, or up to `FARTHER`
times as far where such a difference is possible. A pilot that saw few differences, or none of the
large ones, so stays open to them. Of groups, which are few, the mean square MS on ν degrees of freedom
has the truth ``MS ν / χ²_ν``; so do raters, but they may also all be alike, which few of them do not show.
All are the truth given the pilot, not other pilots given the truth. A mean over truths needs odds that
raters are alike; a range does not, and is kept free of them.
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array

DRAWS = 2000
"""Truths looked at."""
EACH, UNSEEN = 0.8, 0.5
"""What one item seen and the one not seen count in the weights; below 1, for a variance is known less well than a mean
of as many items. Picked by ranges and assurances of pilots of 30 items, and checked on other sizes and one more world
(docs/methods/plan-kept.md)."""
FARTHER = 1.6
MOST_KINDS = 2000
"""Different items, or blocks of them, that get a weight each."""
STEPS, TALL = 240, 6.0
"""Values of φ looked at, up to so far beyond what was seen, on the log. φ is how many times as large the squares of
raters are as if they were all alike; together these values are as likely as that raters are."""


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
    e, seen = values - values.mean(), float(values.var(ddof=1))
    several, noises = size > 1, np.zeros_like(e) if within is None else within
    told = np.stack([np.ones_like(e), e, e**2, several, several * noises, several * noises / size, ~several / size], -1)
    kinds, each = _kinds(told, rng)
    sums, unseen = rng.standard_gamma(each, (DRAWS, len(kinds))) @ kinds, rng.standard_gamma(UNSEEN, DRAWS)
    total = sums[:, 0] + unseen
    first, second, share, answers, shared, single = (sums[:, 1:] / total[:, None]).T
    unseen = unseen / total
    far = float(np.abs(e).max())
    most = np.clip(reach, far, FARTHER * far)
    other = rng.choice([-1.0, 1.0], DRAWS) * rng.uniform(far, max(most, far), DRAWS)
    item = np.maximum(second + unseen * other**2 - (first + unseen * other) ** 2, 0.0)
    if within is None or not several.any():
        return SpreadPosterior(item, None, np.zeros(DRAWS), (seen, 0.0))
    spread = answers / share
    noise = shared + spread * (single + unseen / size.mean())
    return SpreadPosterior(item, spread, noise, (seen, float(noises[several].mean())))


def _kinds(told: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return what different items tell, ``(kind, what)``, and what each counts in the weights, ``(kind,)``.

    Items that are alike share one weight, Σ Gamma(c) = Gamma(c times their number). Where too many differ, those of a
    block drawn at random have the same weight: a sum varies as much as if each had its own.
    """
    kinds, times = np.unique(told, axis=0, return_counts=True)
    if len(kinds) <= MOST_KINDS:
        return kinds, EACH * times
    blocks = np.array_split(rng.permutation(len(told)), MOST_KINDS)
    return np.stack([told[block].sum(0) for block in blocks]), np.full(MOST_KINDS, EACH)


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

    def alike(self, item: Array | float, rest: Array | float) -> Array:
        """Return what the square would expect, were raters all alike and items and the rest had these components."""
        return np.asarray(np.maximum(self.of_item * item + self.of_rest * rest, 1e-300))

    def ratios(self, alike: float, rng: np.random.Generator, draws: int = DRAWS) -> Array:
        """Draw φ, ``(draw,)``, for a pilot whose own items and answers show what `alike` is.

        ``amount ν / (alike φ)`` is χ²_ν. Even odds that φ is 1 or that log φ is uniform above: in between a pilot
        tells little.
        """
        seen = self.amount / alike
        log_phi = np.concatenate([[0.0], (np.arange(STEPS) + 0.5) / STEPS * (np.log(max(seen, 1.0)) + TALL)])
        fit = -0.5 * max(self.df, 1.0) * (log_phi + seen * np.exp(-log_phi))
        weight = np.exp(fit - fit.max())
        weight[0] *= STEPS
        below = np.cumsum(weight)
        chances = rng.permutation((np.arange(draws) + 0.5) / draws) * below[-1]
        return np.asarray(np.exp(log_phi[np.searchsorted(below, chances)]))

    def limits(self, alike: float, rng: np.random.Generator, draws: int = DRAWS) -> Array:
        """Draw φ by its confidence limits, ``(draw,)``: what was seen over χ²_ν / ν, at least 1, whatever was believed.

        Their quantiles hold as often as they say; their mean does not believe few raters who agree.
        """
        return np.asarray(np.maximum(self.amount / alike * chi_square_truths(self.df, rng, draws), 1.0))


def component_posterior(
    parts: tuple[float, float, float],
    per_item: float,
    raters: RaterSquare,
    items: SpreadPosterior,
    rng: np.random.Generator,
    *,
    limits: bool = False,
) -> Array:
    """Draw components of item, rater and rest, ``(component, draw)``, from a pilot with so many answers per item.

    Their mean is for a promise; with `limits` their quantiles are for a range.

    Mean squares of items and of single answers are moved as their variances are, and components solved from them. What
    raters did they did on the pilot's own items, so φ is read against those; other items move all components alike.
    """
    item, _, rest = parts
    seen, within = items.seen
    of_rest = np.full(DRAWS, rest) if items.within is None or within == 0 else rest * items.within / within
    of_item = (rest + per_item * item) * (np.ones(DRAWS) if seen == 0 else items.item / seen)
    between = np.maximum(of_item - of_rest, 0.0) / per_item
    draw = raters.limits if limits else raters.ratios
    more = draw(float(raters.alike(max(item, 0.0), rest)), rng) - 1
    return np.stack([between, more * raters.alike(between, of_rest) / raters.of_rater, of_rest])
