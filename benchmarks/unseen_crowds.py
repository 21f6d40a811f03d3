"""Crowds on which no rule of `estimate` was chosen: spammers, camps, traps, gaps, extreme shares, ties, few items."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from quorate._typing import Array
from quorate.estimating.evidence import Evidence
from quorate.estimating.voters import NamedVotes
from quorate.populations.crowds import irt_crowd

N_ITEMS, N_VOTES, N_VOTERS = 2_000, 3, 40


class UnseenCrowd(NamedTuple):
    """A crowd, the numbers of experts it is tried with, and metrics if not those that apply."""

    name: str
    draw: Callable[[np.random.Generator], Evidence]
    experts: tuple[float, ...] = (30, 100)
    metrics: tuple[str, ...] = ()


def spammers(rng: np.random.Generator) -> Evidence:
    """Four voters of ten always say yes."""
    truth, rater = _labels(0.2, rng), _raters(rng)
    honest = rng.random((N_ITEMS, N_VOTES)) < np.where(truth == 1, 0.8, 0.15)[:, None]
    vote = np.where(rater < 0.4 * N_VOTERS, True, honest)
    return _binary(truth, rater, vote, truth + rng.normal(size=N_ITEMS))


def camps(rng: np.random.Generator) -> Evidence:
    """Half of the voters judge by something else, which agrees with the label on seven items of ten."""
    truth, rater = _labels(0.3, rng), _raters(rng)
    seen_as = np.where(rng.random(N_ITEMS) < 0.7, truth, 1 - truth)
    believed = np.where(rater < N_VOTERS / 2, truth[:, None], seen_as[:, None])
    vote = np.where(rng.random(rater.shape) < 0.9, believed, 1 - believed)
    return _binary(truth, rater, vote, truth + 0.7 * seen_as + rng.normal(size=N_ITEMS))


def shared_traps(rng: np.random.Generator) -> Evidence:
    """Votes and scores go wrong on the same items: a fifth of them look like the other class to all."""
    truth, rater = _labels(0.3, rng), _raters(rng)
    looks = np.where(rng.random(N_ITEMS) < 0.2, 1 - truth, truth)
    vote = rng.random(rater.shape) < np.where(looks == 1, 0.9, 0.1)[:, None]
    return _binary(truth, rater, vote, 2.5 * looks - 0.7 + rng.normal(size=N_ITEMS))


def gaps(rng: np.random.Generator) -> Evidence:
    """Three items of ten have no vote, the difficult ones more often."""
    crowd = irt_crowd(N_ITEMS, rng=rng, scores=((1.0, 1.5),))
    assert crowd.rater is not None
    assert crowd.vote is not None
    split = (crowd.positive > 0) & (crowd.positive < N_VOTES)
    voted = rng.random(N_ITEMS) > np.where(split, 0.5, 0.25)
    return _binary(crowd.truth, crowd.rater, crowd.vote, crowd.scores[:, 0], voted)


def equal_scores(rng: np.random.Generator) -> Evidence:
    """A system that gives three items of four the same score."""
    evidence = _skilled(rng, positive=0.3)
    score = evidence.scores["s0"]
    return replace(evidence, scores={"s0": np.where(score > np.quantile(score, 0.75), np.round(score, 1), 0.0)})


def few_items(rng: np.random.Generator) -> Evidence:
    """Sixty items in all."""
    evidence = _skilled(rng, positive=0.3)
    return evidence.keep(np.arange(N_ITEMS) < 60)


def pairs_alike(rng: np.random.Generator) -> Evidence:
    """Seven classes: 0 and 1, 2 and 3, 4 and 5 are taken for each other by voters and system."""
    truth = rng.choice(7, N_ITEMS, p=(0.25, 0.15, 0.2, 0.1, 0.1, 0.1, 0.1))
    partner = np.array([1, 0, 3, 2, 5, 4, 6])
    rater, skill = _raters(rng), rng.uniform(0.5, 0.9, N_VOTERS)
    right = rng.random(rater.shape) < skill[rater]
    vote = np.where(right, truth[:, None], partner[truth][:, None])
    vote = np.where(rng.random(rater.shape) < 0.05, rng.integers(0, 7, rater.shape), vote)
    named = NamedVotes(np.repeat(np.arange(N_ITEMS), N_VOTES), rater.ravel(), vote.ravel())
    logits = (2.0 * np.eye(7)[truth] + 1.2 * np.eye(7)[partner[truth]]) + rng.normal(size=(N_ITEMS, 7))
    outputs = {"system": np.exp(logits) / np.exp(logits).sum(1, keepdims=True)}
    return Evidence(
        named.count(N_ITEMS, 7),
        truth,
        np.ones(N_ITEMS, dtype=bool),
        named_votes=named,
        truth=truth,
        classes=tuple("abcdefg"),
        named=True,
        outputs=outputs,
    )


def _skilled(rng: np.random.Generator, *, positive: float) -> Evidence:
    """Voters of unlike skill, scores that tell the classes apart."""
    truth, rater = _labels(positive, rng), _raters(rng)
    skill = rng.normal(1.5, 0.7, N_VOTERS)
    vote = rng.random(rater.shape) < expit(skill[rater] * (2 * truth[:, None] - 1))
    return _binary(truth, rater, vote, 1.5 * truth - 0.25 + rng.normal(size=N_ITEMS))


def _labels(positive: float, rng: np.random.Generator) -> Array:
    return (rng.random(N_ITEMS) < positive).astype(np.int64)


def _raters(rng: np.random.Generator) -> Array:
    """Three different voters of forty for every item, ``(item, vote)``."""
    return np.argsort(rng.random((N_ITEMS, N_VOTERS)), axis=1)[:, :N_VOTES]


def _binary(truth: Array, rater: Array, vote: Array, score: Array, voted: Array | None = None) -> Evidence:
    """Items with named votes, perhaps on some of them only, and one system's score."""
    there = np.repeat(np.ones(len(truth), dtype=bool) if voted is None else voted, rater.shape[1])
    item = np.repeat(np.arange(len(truth)), rater.shape[1])
    named = NamedVotes(item[there], rater.ravel()[there], vote.ravel().astype(np.int64)[there])
    every = np.ones(len(truth), dtype=bool)
    return Evidence(named.count(len(truth), 2), truth, every, {"s0": score}, truth=truth, named_votes=named)


OF_CLASSES = (
    *("accuracy", "macro_recall", "macro_precision", "macro_f1", "human_accuracy"),
    *(f"{metric}:{label}" for metric in ("recall", "precision", "human_recall", "auc", "prevalence") for label in "ag"),
)
UNSEEN = (
    UnseenCrowd("spammers", spammers),
    UnseenCrowd("camps", camps),
    UnseenCrowd("shared traps", shared_traps),
    UnseenCrowd("items without votes", gaps),
    UnseenCrowd("2 % positives", partial(_skilled, positive=0.02), (100,)),
    UnseenCrowd("95 % positives", partial(_skilled, positive=0.95)),
    UnseenCrowd("seven classes, alike in pairs", pairs_alike, (60, 100), OF_CLASSES),
    UnseenCrowd("nearly all scores equal", equal_scores),
    UnseenCrowd("60 items", few_items, (30,)),
)
