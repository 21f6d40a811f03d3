"""Voters with names: a confusion matrix for each, by expectation-maximisation [dawid1979]."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from quorate._typing import Array

SMALLEST = 1e-10  # expected count, as in crowd-kit
MOST_ITEMS = 20_000  # that rates are learnt from; the others are only judged by them


@dataclass(frozen=True)
class NamedVotes:
    """Single votes with their voters, ``(vote,)`` each: which item, which rater, which class; and the raters' names."""

    item: Array
    rater: Array
    vote: Array
    names: tuple[str, ...] = ()

    def keep(self, kept: Array) -> "NamedVotes":
        """Return the votes on some items, ``(item,)``, counted anew."""
        rows, place = kept[self.item], np.cumsum(kept) - 1
        return NamedVotes(place[self.item[rows]], self.rater[rows], self.vote[rows], self.names)

    def without(self, rater: int) -> "NamedVotes":
        """Return the votes of all voters but one."""
        rows = self.rater != rater
        return NamedVotes(self.item[rows], self.rater[rows], self.vote[rows], self.names)

    def count(self, n_items: int, n_classes: int) -> Array:
        """Count the votes by item and class, ``(item, class)``."""
        cell = np.bincount(self.item * n_classes + self.vote, minlength=n_items * n_classes)
        return cell.reshape(n_items, n_classes)


class VoterFit(NamedTuple):
    """Each voter's chance of a vote given the label, ``(rater, label, vote)``; chances ``(item, class)``; shares."""

    rate: Array
    chance: Array
    prevalence: Array


def fit_voters(
    votes: NamedVotes,
    n_items: int,
    n_classes: int = 2,
    *,
    label: Array | None = None,
    has_label: Array | None = None,
    iterations: int = 100,
    smoothing: float = SMALLEST,
    close: float = 0.0,
) -> VoterFit:
    """Fit a confusion matrix per voter, started from vote shares; experts' labels, ``(item,)``, are held fixed.

    It ends when no rate moves by more than ``close``.
    """
    held = np.zeros(n_items, dtype=bool) if has_label is None else has_label
    counts = votes.count(n_items, n_classes).T
    total = counts.sum(0)
    chance = np.where(total > 0, counts / np.maximum(total, 1), 1 / n_classes)
    fixed = np.eye(n_classes)[:, np.zeros(n_items, dtype=np.int64) if label is None else label.astype(np.int64)]
    chance[:, held] = fixed[:, held]
    rate, prevalence = _maximise(votes, chance, smoothing)
    for _ in range(iterations):
        chance = _expect(votes, rate, prevalence, n_items)
        chance[:, held] = fixed[:, held]
        before = rate
        rate, prevalence = _maximise(votes, chance, smoothing)
        if np.abs(rate - before).max() < close:
            break
    return VoterFit(rate, chance.T, prevalence)


def voter_odds(votes: NamedVotes, n_items: int, n_classes: int) -> Array:
    """Log odds of each class given who voted what, without experts, ``(item, class)``; 0 without votes.

    Rates are learnt from at most 20 000 items, evenly spread, and start from one vote of each kind.
    """
    step = -(-n_items // MOST_ITEMS)
    some = votes.keep(np.arange(n_items) % step == 0) if step > 1 else votes
    if not len(some.item):
        return np.zeros((n_items, n_classes))
    n_raters = int(votes.rater.max()) + 1
    fit = fit_voters(some, -(-n_items // step), n_classes, iterations=50, smoothing=1 / n_classes, close=1e-3)
    rate = np.full((n_raters, n_classes, n_classes), 1 / n_classes)
    rate[: len(fit.rate)] = fit.rate
    chance = np.clip(_expect(votes, rate, fit.prevalence, n_items).T, 1e-6, 1 - 1e-6)
    voted = np.bincount(votes.item, minlength=n_items) > 0
    return np.where(voted[:, None], np.log(chance / (1 - chance)), 0.0)


def _expect(votes: NamedVotes, rate: Array, prevalence: Array, n_items: int) -> Array:
    """P(Y = y | votes), ``(class, item)``."""
    log_rate, cell = np.log(rate), votes.rater * rate.shape[1] + votes.vote
    joint = np.stack(
        [
            np.bincount(votes.item, log_rate[:, y].ravel()[cell], minlength=n_items) + np.log(prevalence[y])
            for y in range(rate.shape[1])
        ]
    )
    chance = np.exp(joint - joint.max(0))
    return np.asarray(chance / chance.sum(0))


def _maximise(votes: NamedVotes, chance: Array, smoothing: float) -> tuple[Array, Array]:
    """Voters' rates and the share of each class from labels known with some chance, ``(class, item)``."""
    n_raters, n_classes = int(votes.rater.max()) + 1, len(chance)
    cell = votes.rater * n_classes + votes.vote
    counts = [
        np.bincount(cell, chance[y][votes.item], minlength=n_raters * n_classes).reshape(n_raters, n_classes)
        for y in range(n_classes)
    ]
    seen = np.stack(counts, 1)
    every = np.maximum(seen, smoothing) if smoothing == SMALLEST else seen + smoothing
    return every / every.sum(-1, keepdims=True), np.clip(chance.mean(1), SMALLEST, 1 - SMALLEST)
