"""S1 on a full table, by counts alone: one matrix product tells what a draw of raters says of every item [multilevel].

With w_r the times rater r was drawn, ``counts_im = Σ_r w_r 1[rater r said m of item i]``. Each of a system's answers is
kept with probability 1 − ε whatever it is, so the kept ones are Binomial(counts_im, 1 − ε) and the others Multinomial
from the item's noise: the same law as answer by answer (see `crossed`), without who gave which.
"""

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities
from quorate.populations.perturbation import Replacement, answers_anew
from quorate.populations.population import Draw, Request
from quorate.populations.resampled.table import RatedTable

__all__ = ["draw_full", "indicators"]


def indicators(table: RatedTable) -> Array | None:
    """Return what each rater said of each item as 0 and 1, ``(rater, item, category)``; None if the table is not full.

    Examples
    --------
    >>> indicators(RatedTable(np.array([0, 1]), np.array([1, 0]), np.array([0, 0]), ("no", "yes"))).tolist()
    [[[0.0, 1.0], [1.0, 0.0]]]
    """
    if table.rater is None or len(table.item) != table.n_items * table.n_raters:
        return None
    rater = np.unique(table.rater, return_inverse=True)[1].reshape(-1)
    said = np.zeros((table.n_raters, table.n_items, len(table.categories)), dtype=np.float32)
    said[rater, table.item, table.response] = 1.0
    return said if said.sum() == len(table.item) else None  # a pair twice and another never


def draw_full(
    said: Array,
    laws: Array,
    levels: Array | None,
    request: Request,
    replacements: tuple[Replacement, Replacement],
    *,
    anew: bool = False,
    rng: np.random.Generator,
) -> Draw:
    """Draw studies whose raters, and the raters A and B answer like, rate all items; see `draw_crossed`.

    Examples
    --------
    >>> said = indicators(RatedTable(np.array([0]), np.array([1]), np.array([0]), ("no", "yes")))
    >>> unchanged = Replacement(0.0, np.full((1, 2, 2), 0.5))
    >>> request = Request(1, 2, 3, 1, 1, 0.0, 0.0, False, "values")
    >>> draw_full(
    ...     said, np.array([[0.0, 1.0]]), None, request, (unchanged, unchanged), rng=np.random.default_rng(0)
    ... ).raters.counts.tolist()
    [[[0, 3], [0, 3]]]
    """
    item = rng.integers(said.shape[1], size=request.shape)

    def system(n_answers: int | None, replacement: Replacement) -> Counts | Probabilities:
        if n_answers is None:
            return Probabilities(replacement.perturbed(laws[item]), levels)
        if anew:
            return answers_anew(replacement, laws[item], n_answers, levels, rng=rng)
        answers = _answers(said, item, n_answers, rng)
        if replacement.rate == 0:
            return Counts(answers, levels)
        kept = rng.binomial(answers, 1.0 - replacement.rate)
        return Counts(kept + rng.multinomial(n_answers - kept.sum(-1), replacement.noise), levels)

    return Draw(
        raters=Counts(_answers(said, item, request.n_raters, rng), levels),
        a=system(request.answers_a, replacements[0]),
        b=system(request.answers_b, replacements[1]),
    )


def _answers(said: Array, item: Array, n: int, rng: np.random.Generator) -> Array:
    """Counts of what n raters, drawn with replacement once per replicate, say of its items."""
    n_raters, n_items, n_categories = said.shape
    times = rng.multinomial(n, np.full(n_raters, 1.0 / n_raters), size=len(item)).astype(np.float32)
    every = (times @ said.reshape(n_raters, -1)).reshape(len(item), n_items, n_categories)
    return np.rint(every[np.arange(len(item))[:, None], item]).astype(np.int64)
