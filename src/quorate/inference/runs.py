"""Runs crossed with items: a run (a seed, a prompt, a day) may be lucky on all its items at once.

With R runs that answered all N items, the score of run r on item i is
``s_ri = μ + item_i + run_r + rest_ri``. The spread over items already holds item and rest; what it
does not hold is ``σ_run² / R``, with ``σ_run² = Var_r(mean_i s_ri) − MS_rest / N``, floored at 0
[searle1992, ch. 4]. The variances of both systems' runs are added to that of the items, degrees of
freedom by Satterthwaite.
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.data.answers import Answers
from quorate.data.summaries import Counts, Summary
from quorate.inference.outcome import Outcome, from_t
from quorate.metrics.metric import Metric


@dataclass(frozen=True)
class RunVariance:
    """The variance that runs add to a system's mean score, and its degrees of freedom."""

    variance: float
    df: float


def run_variance(metric: Metric, raters: Summary, answers: Answers) -> RunVariance | None:
    """Return what a system's runs add to the variance of its mean score.

    None where there is nothing to say: no run ids, one run, runs that did not all answer every
    item, or a metric whose score is not the mean over the runs.
    """
    scores = _scores_by_run(metric, raters, answers)
    if scores is None:
        return None
    runs, items = scores.shape
    means = scores.mean(1)
    rest = scores - means[:, None] - scores.mean(0) + scores.mean()
    noise = (rest**2).sum() / ((runs - 1) * max(items - 1, 1))
    between = max(float(means.var(ddof=1) - noise / items), 0.0)
    return RunVariance(between / runs, runs - 1.0)


def with_runs(outcome: Outcome, parts: list[RunVariance], confidence: float) -> Outcome:
    """Return the outcome of a t pivot with the variance of runs added."""
    added = sum(part.variance for part in parts)
    if added == 0 or not outcome.se > 0:
        return outcome
    variance = outcome.se**2 + added
    pieces = outcome.se**4 / outcome.df + sum(part.variance**2 / part.df for part in parts)
    return from_t(outcome.difference, np.sqrt(variance), variance**2 / pieces, confidence)


def _scores_by_run(metric: Metric, raters: Summary, answers: Answers) -> Array | None:
    """Score each run on each item, ``(run, item)``."""
    if answers.run is None or not metric.answers_averaged or not isinstance(answers.summary, Counts):
        return None
    n_runs, (n_items, n_categories) = int(answers.run.max()) + 1, answers.summary.counts.shape
    if n_runs < 2 or not (answers.summary.size == n_runs).all():
        return None
    said = np.zeros((n_runs, n_items), dtype=np.int64)
    said[answers.run, answers.item] = answers.response
    one_hot = Counts((said[..., None] == np.arange(n_categories)).astype(np.int64), answers.summary.levels)
    return np.asarray(metric.score(raters, one_hot))
