"""The papers' test of one data set, against a null that pools the systems' answers.

Items are kept or bootstrapped; from each item's answers all, the first, one at random, or as many
with replacement are taken, for raters, A and B alike; in the null world both systems draw from A's
and B's answers pooled. p is the mean over alternative draws of the share of null draws at least as
large, on the side of the medians [leaderboard, alg. 2]. It is one-sided with the side chosen
afterwards, and not calibrated: with all answers both null systems are the same (rejects about 10 %
of equal systems at 5 %), with resampled answers it hardly ever rejects. Offered by name only.
"""

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Means, Summary, Values
from quorate.inference.outcome import Outcome, expected_p, single_outcome
from quorate.inference.procedures import Procedure, Terms
from quorate.inference.resampling import bootstrap_laws
from quorate.inference.scored_systems import ScoredPair
from quorate.metrics.contests import contest

BATCH = 1 << 21
"""Answers held at a time; bounds memory."""
NOTE = "is the papers' procedure and not calibrated: one-sided, with the side chosen afterwards"


def published(name: str) -> Procedure:
    """Return the published procedure ``published:ITEMS:ANSWERS``."""
    words = name.split(":")
    known = len(words) == 3 and words[1] in ("all", "bootstrap") and words[2] in ("all", "first", "one", "bootstrap")
    if not known:
        raise InputError(
            f"There is no test '{name}'; it is published:ITEMS:ANSWERS with ITEMS all or bootstrap, and ANSWERS all, "
            "first, one or bootstrap."
        )
    return Procedure(name, NOTE, lambda pair, terms: _run(pair, terms, words[1] == "bootstrap", words[2]))


def taken(answers: Array, item: Array, rule: str, rng: np.random.Generator, size: int | None = None) -> Array:
    """Take answers of the resampled items, ``(draw, item, answer)``, anew each time."""
    k = answers.shape[1]
    if rule == "all":
        return answers[item]
    if rule == "first":
        return answers[item, :1]
    width = 1 if rule == "one" else size or k
    pick = rng.integers(0, k, (*item.shape, width))
    return answers[item[..., None], pick]


def reverse_percentile(estimate: float, draws: Array, confidence: float = 0.95) -> tuple[float, float]:
    """Return ``(2θ − q_high, 2θ − q_low)``, draws at ranks n α/2 and n (1 − α/2) [forest, alg. 3].

    For 1000 draws at 95 % these are ranks 25 and 975, counted from 1, as in the paper.
    """
    ordered, n = np.sort(draws), len(draws)
    tail = (1.0 - confidence) / 2.0
    low, high = (ordered[max(round(share * n), 1) - 1] for share in (tail, 1.0 - tail))
    return float(2 * estimate - high), float(2 * estimate - low)


def _run(pair: ScoredPair, terms: Terms, bootstrap_items: bool, answers: str) -> Outcome:
    # Summaries keep no order of answers; a random one, the same in every draw, makes "first" mean any fixed one.
    raters, a, b = (terms.rng.permuted(_answers(s, pair.metric.name), axis=1) for s in (pair.raters, pair.a, pair.b))
    n, draws = a.shape[0], min(terms.resamples, 1000)
    if answers == "all" and pair.form is None:  # nothing but items is drawn, and both null systems are the same
        alternative = bootstrap_laws(pair.differences, draws, rng=terms.rng)[0] if bootstrap_items else None
        observed = np.full(draws, pair.differences.mean()) if alternative is None else alternative
        return _outcome(pair, observed, np.zeros(draws), terms)
    width = max(1, n * (raters.shape[1] + 4 * a.shape[1]))
    alternatives, nulls = [], []
    for start in range(0, draws, max(1, BATCH // width)):
        rows = min(max(1, BATCH // width), draws - start)
        item = terms.rng.integers(0, n, (rows, n)) if bootstrap_items else np.broadcast_to(np.arange(n), (rows, n))
        pool = np.concatenate([a, b], axis=1)
        g = taken(raters, item, answers, terms.rng)
        alternatives.append(_score(pair, g, taken(a, item, answers, terms.rng), taken(b, item, answers, terms.rng)))
        null = [taken(pool, item, answers, terms.rng, size=a.shape[1]) for _ in range(2)]
        nulls.append(_score(pair, g, *null))
    return _outcome(pair, np.concatenate(alternatives), np.concatenate(nulls), terms)


def _outcome(pair: ScoredPair, alternative: Array, null: Array, terms: Terms) -> Outcome:
    p = float(expected_p(alternative, null))
    difference = float(pair.differences.mean(-1))
    low, high = reverse_percentile(difference, alternative, terms.confidence)
    return single_outcome(difference, low, high, p)


def _answers(summary: Summary | None, metric: str) -> Array:
    """Return every single answer as a number or a category code, ``(item, answer)``."""
    if isinstance(summary, Values) and (summary.size == summary.size[0]).all():
        return summary.values
    if isinstance(summary, Counts) and (summary.size == summary.size[0]).all():
        n, n_categories = summary.counts.shape
        codes = np.repeat(np.tile(np.arange(n_categories), n), summary.counts.reshape(-1))
        return codes.reshape(n, -1)
    raise InputError(f"the published tests need the single answers, equally many on each item; {metric} has others.")


def _score(pair: ScoredPair, g: Array, a: Array, b: Array) -> Array:
    """Score resampled answers: the contest of the whole set, ``(draw,)``."""
    scores = contest(pair.metric, _summary(pair, g), _summary(pair, a), _summary(pair, b))
    return scores if pair.metric.level == "set" else scores.mean(-1)


def _summary(pair: ScoredPair, answers: Array) -> Summary:
    like = pair.a
    if isinstance(like, Counts):
        codes = np.arange(like.counts.shape[-1])
        return Counts((answers[..., None] == codes).sum(-2), like.levels)
    if pair.metric.reads_means:
        return Means(answers.mean(-1), np.full(answers.shape[:-1], answers.shape[-1]))
    return Values(np.sort(answers, axis=-1), np.full(answers.shape[:-1], answers.shape[-1]))
