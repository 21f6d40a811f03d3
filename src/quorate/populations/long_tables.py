"""Drawn summaries as single responses in long tables: what a study would have written down.

Raters are named honestly. Where a world lets raters come back (items+raters, batches), the same name stands for the
same person; in all other worlds every response is the answer of a stranger, so every response has a name of its own.
"""

import numpy as np
import polars as pl

from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities, Summary, Values
from quorate.populations.population import Draw

__all__ = ["answers_table", "ratings_table"]


def ratings_table(draw: Draw, names: tuple[str, ...], *, rng: np.random.Generator) -> pl.DataFrame:
    """Return the raters' responses of the first replicate: item, rater, response.

    Examples
    --------
    >>> votes = Counts(np.array([[[2, 0]]]))
    >>> ratings_table(Draw(votes, votes, votes), ("no", "yes"), rng=np.random.default_rng(0)).rows()
    [('i1', 'r1', 'no'), ('i1', 'r2', 'no')]
    """
    panel = draw.panel
    response = _single(draw.raters, rng) if panel is None else panel.response[0]
    n_items, n_raters = response.shape
    rater = np.arange(response.size).reshape(response.shape) if panel is None else panel.rater[0]
    return pl.DataFrame(
        {
            "item": np.repeat(_numbered("i", n_items), n_raters),
            "rater": np.array(_numbered("r", int(rater.max()) + 1))[rater.ravel()],
            "response": _labels(response.ravel(), draw.raters, names),
        }
    )


def answers_table(draw: Draw, names: tuple[str, ...], *, rng: np.random.Generator) -> pl.DataFrame:
    """Return both systems' answers of the first replicate: item, system, response (and run), or probabilities.

    Examples
    --------
    >>> votes = Counts(np.array([[[1, 0]]]))
    >>> answers_table(Draw(votes, votes, votes), ("no", "yes"), rng=np.random.default_rng(0)).rows()
    [('i1', 'A', 'no'), ('i1', 'B', 'no')]
    """
    parts = [_system(name, summary, names, rng) for name, summary in (("A", draw.a), ("B", draw.b))]
    table = pl.concat(parts, how="diagonal")
    return table.sort("item", "system", maintain_order=True) if table.height < 1_000_000 else table


def _system(system: str, summary: Summary, names: tuple[str, ...], rng: np.random.Generator) -> pl.DataFrame:
    if isinstance(summary, Probabilities):
        share = summary.share[0]
        columns = {name: share[:, m] for m, name in enumerate(names)}
        return pl.DataFrame({"item": _numbered("i", len(share)), "system": [system] * len(share), **columns})
    response = _single(summary, rng)
    n_items, n_runs = response.shape
    table = pl.DataFrame(
        {
            "item": np.repeat(_numbered("i", n_items), n_runs),
            "system": [system] * response.size,
            "response": _labels(response.ravel(), summary, names),
        }
    )
    if n_runs > 1:
        table = table.with_columns(pl.Series("run", np.tile(np.arange(1, n_runs + 1), n_items)))
    return table


def _single(summary: Summary, rng: np.random.Generator) -> Array:
    """Take the first replicate's summary apart into codes, or values, ``(item, answer)``, in random order."""
    if isinstance(summary, Counts):
        counts = summary.counts[0]
        codes = np.repeat(np.tile(np.arange(counts.shape[1]), len(counts)), counts.ravel())
        return rng.permuted(codes.reshape(len(counts), -1), axis=1)
    assert isinstance(summary, Values)
    return rng.permuted(summary.values[0], axis=1)


def _labels(codes: Array, summary: Summary, names: tuple[str, ...]) -> Array | pl.Series:
    if isinstance(summary, Values):
        return codes
    return pl.Series(values=np.array(names)[codes])


def _numbered(letter: str, n: int) -> list[str]:
    """Names that sort in their order: i01, i02, …, i10."""
    width = len(str(n))
    return [f"{letter}{i:0{width}d}" for i in range(1, n + 1)]
