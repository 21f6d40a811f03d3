"""Resampled laws of a statistic: sign flips, swaps and bootstrap draws.

Items with the same difference are exchangeable, so a draw needs only how many of them flip
(binomial) or how often they are drawn (multinomial): a million items with forty distinct
differences cost as much as forty.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from quorate._typing import Array
from quorate.inference.influence import SetForm, combined

BATCH = 1 << 22
"""Numbers held at a time while resampling, 32 MiB; bounds memory."""
SWAP_BATCH = 1 << 16
"""Numbers swapped at a time, which then stay in the cache."""


def flip_law(values: Array, draws: int, *, rng: np.random.Generator, batch: int = BATCH) -> Array:
    """Return the law of the mean when each difference keeps or changes its sign, ``(draw,)``.

    All sign patterns but the observed one if there are at most `draws` of them; `batch` numbers are
    held at a time.
    """
    n = len(values)
    if 2 ** min(n, 60) - 1 <= draws:
        signs = 1 - 2 * ((np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1)
        return np.asarray(signs @ values / n)
    size, times = _distinct(np.abs(values))
    if 4 * len(size) <= n:
        flips = rng.binomial(times, 0.5, size=(draws, len(size)))
        return np.asarray((2 * flips - times) @ size / n)
    parts = [(2 * rng.integers(0, 2, (rows, n), dtype=np.int8) - 1) @ values / n for rows in _batches(draws, n, batch)]
    return np.concatenate(parts)


def swap_law(form: SetForm, draws: int, *, studentised: bool, rng: np.random.Generator) -> Array:
    """Return the law of two set scores' difference under swaps within items, ``(draw,)``.

    Studentised, each draw is divided by its own standard error, which keeps the test valid when the
    two systems differ in more than their score [chung2013]. Items are taken by what they hold, so that their names and
    their order do not matter.
    """
    form = in_order(form)
    n, (chosen, times) = form.fixed.shape[-1], form.swapped_rows()
    a, b = (carried[chosen] for carried in form.carried)
    fixed, parts = form.fixed[chosen], []

    def evaluate(carried: Array) -> tuple[Array, Array]:
        return form.evaluate(fixed, carried) if form.combine is None else combined(form.combine, carried, times)

    for rows in _batches(draws, a.size, SWAP_BATCH, multiple=4):  # four bytes are drawn at a time
        swap = rng.integers(0, 2, (rows, n, 1), dtype=np.int8).astype(bool)[:, chosen]
        score_a, influence_a = evaluate(np.where(swap, b, a))
        score_b, influence_b = evaluate(np.where(swap, a, b))
        se = _standard_error(influence_a - influence_b, times) if studentised else np.ones(())
        parts.append(_ratio(score_a - score_b, se, np.abs(score_a) + np.abs(score_b)))
    return np.concatenate(parts)


def in_order(form: SetForm) -> SetForm:
    """Return the same score with its items sorted by what they hold, the better system's part first."""
    (ahead, _), (behind, _) = (form.evaluate(form.fixed, carried) for carried in form.carried)
    parts = form.carried if ahead >= behind else form.carried[::-1]
    order = np.lexsort([*np.concatenate(parts, -1).T[::-1], form.fixed])
    return replace(form, fixed=form.fixed[order], carried=[part[order] for part in form.carried])


def bootstrap_laws(values: Array, draws: int, *, rng: np.random.Generator, batch: int = BATCH) -> tuple[Array, Array]:
    """Return bootstrap means and the same studentised around the observed one, ``(draw,)``."""
    n, centre = len(values), values.mean()
    distinct, times = _distinct(values - centre)  # centred, or the variance below would drown in rounding
    means, ts = [], []
    for rows in _batches(draws, len(distinct), batch):
        drawn = rng.multinomial(n, times / n, size=rows)
        moved = drawn @ distinct / n
        variance = drawn @ distinct**2 / n - moved**2
        means.append(centre + moved)
        ts.append(_ratio(moved, np.sqrt(np.maximum(variance, 0.0) / (n - 1.0)), np.abs(distinct).max()))
    return np.concatenate(means), np.concatenate(ts)


def without_noise(values: Array) -> Array:
    """Make what is equal or opposite on paper so: to about 12 digits of the largest."""
    size, step = np.abs(values), _step(values)
    steps, first, back = np.unique(np.round(size / step), return_index=True, return_inverse=True)
    return np.asarray(np.sign(values) * np.where(steps == 0, 0.0, size[first])[back])


def _step(values: Array) -> float:
    size = float(np.abs(values).max())
    return size * 2.0**-40 if size > 0 else 1.0


def _standard_error(influence: Array, times: Array) -> Array:
    n = times.sum()
    return np.asarray(np.sqrt((times * influence**2).sum(-1) / (n * (n - 1.0))))


def _ratio(above: Array, below: Array, size: Array) -> Array:
    """Divide; no difference is 0 whatever its error, an undefined score is no evidence."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(np.abs(above) <= 1e-12 * size, 0.0, above / below)
    return np.where(np.isnan(ratio), 0.0, ratio)


def _distinct(values: Array) -> tuple[Array, Array]:
    """Return the distinct values, to about 12 digits, and how often each occurs."""
    step = _step(values)
    distinct, times = np.unique(np.round(values / step), return_counts=True)
    return distinct * step, times


def _batches(draws: int, width: int, batch: int, multiple: int = 1) -> Iterator[int]:
    rows = multiple * max(1, batch // max(width, 1) // multiple)
    yield from (min(rows, draws - start) for start in range(0, draws, rows))
