"""Runs crossed with items: a run (a seed, a prompt, a day) may be lucky on all its items at once.

What R runs of a system add to the variance of a score is found by leaving each out in turn. With
v_i(r) the value of item i without run r, the pseudo-values ``−(R − 1) v_i(r)`` vary over runs by
what a run does to all items, and by what single answers do [efron1982, ch. 3]: ``V_run =
Var_r(mean_i) / R`` on R − 1 degrees of freedom, of which ``MS_rest / (N R)`` is in the variance of
the items already. This holds for any score, and runs need not have answered every item.
"""

from collections.abc import Callable, Sequence

import numpy as np

from quorate._typing import Array
from quorate.data.answers import Answers
from quorate.data.summaries import Counts, Probabilities, Summary, Values
from quorate.inference.uncertain_variance import Part


def run_part(values: Callable[[Summary], Array], answers: Answers) -> Part | None:
    """Return what a system's runs add to the variance of a mean over items; None without two runs
    with names.

    `values` makes item values, ``(item,)``, of the system's answers.
    """
    n_runs = named_runs(answers)
    if n_runs < 2:
        return None
    scores = np.stack([-(n_runs - 1.0) * values(_without(answers, run)) for run in range(n_runs)])
    means = scores.mean(1)
    rest = scores - means[:, None] - scores.mean(0) + scores.mean()
    n_items = scores.shape[1]
    noise = (rest**2).sum() / ((n_runs - 1) * max(n_items - 1, 1))
    return Part(np.asarray(means.var(ddof=1) / n_runs), n_runs - 1.0, float(noise / (n_items * n_runs)))


def joined(parts: Sequence[Part]) -> list[Part]:
    """Put what the runs of both systems add in one part, on Satterthwaite's degrees of freedom; none for none.

    They are no more than where runs of both vary alike: few runs that agree by chance count for little, and would leave
    their part to the many runs of the other system.
    """
    if len(parts) < 2:
        return list(parts)
    variance, less = (sum(float(getattr(part, x)) for part in parts) for x in ("variance", "less"))
    df = [float(part.df) for part in parts]
    seen = satterthwaite([float(part.variance) for part in parts], df)
    return [Part(np.asarray(variance), min(seen, satterthwaite([1 / (each + 1) for each in df], df)), less)]


def satterthwaite(variances: Sequence[float], df: Sequence[float]) -> float:
    """Return the degrees of freedom of a sum of variances known on `df` each; infinite if all are 0."""
    shares = np.ldexp(variances, -int(np.frexp(max(variances))[1]))  # exact; squares of the variances may be no numbers
    spread = sum(each**2 / own for each, own in zip(shares, df, strict=True))
    return float(sum(shares) ** 2 / spread) if spread > 0 else np.inf


def named_runs(answers: Answers) -> int:
    """Return how many runs have names; 0 where they have none."""
    if answers.run is None or isinstance(answers.summary, Probabilities) or not len(answers.run):
        return 0
    return int(answers.run.max()) + 1


def _without(answers: Answers, run: int) -> Summary:
    """Return a system's answers without one run; an item's only answer stays."""
    assert answers.run is not None
    summary, size = answers.summary, np.asarray(answers.summary.size)
    lost = (answers.run == run) & (size[answers.item] > 1)
    item = answers.item[lost]
    if isinstance(summary, Counts):
        counts = summary.counts.copy()
        np.subtract.at(counts, (item, answers.response[lost]), 1)
        return Counts(counts, summary.levels)
    assert isinstance(summary, Values)
    order = np.lexsort((answers.response, answers.item))  # as an item's values are sorted
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - (np.cumsum(size) - size)[answers.item[order]]
    values = np.where(summary.present, summary.values, np.inf)
    values[item, place[lost]] = np.inf
    values.sort(axis=-1)
    return Values(np.where(np.isinf(values), 0.0, values), size - np.bincount(item, minlength=len(size)))
