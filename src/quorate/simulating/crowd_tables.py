"""A simulated crowd as the tables `estimate` reads: votes, experts, scores, and the truth nobody has."""

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._typing import Array
from quorate.populations.crowds import CROWDS, Crowd, choose_experts

__all__ = ["draw_crowd"]


def draw_crowd(
    name: str, n_items: int, n_votes: int, expert_share: float, *, rng: np.random.Generator
) -> dict[str, pl.DataFrame]:
    """Draw a crowd by name and lay it out as votes, experts, scores and truth.

    Parameters
    ----------
    name
        One of `CROWDS`.
    n_items, n_votes
        Items, and votes on each.
    expert_share
        Share of the items, chosen at random, that an expert labels.

    Examples
    --------
    >>> tables = draw_crowd("maven", 100, 3, 0.1, rng=np.random.default_rng(0))
    >>> {name: (table.height, table.columns) for name, table in tables.items() if name != "truth"}
    {'votes': (100, ['item', 'positive', 'total']),
     'experts': (10, ['item', 'label']),
     'scores': (100, ['item', 'score'])}
    """
    if n_items < 1 or n_votes < 1:
        raise InputError("a crowd needs at least one item and one vote on each")
    if not 0 <= expert_share <= 1:
        raise InputError(f"--expert-share is a share between 0 and 1, such as 0.05, not {expert_share:g}")
    crowd = CROWDS[name].draw(n_items, n_votes=n_votes, rng=rng)
    item = _names(n_items)
    known = choose_experts(n_items, expert_share, rng=rng)
    return {
        "votes": _votes(crowd, item),
        "experts": pl.DataFrame({"item": item.filter(pl.Series(known)), "label": crowd.truth[known]}),
        "scores": _scores(crowd, item),
        "truth": pl.DataFrame({"item": item, "label": crowd.truth}),
    }


def _names(n: int, letter: str = "i") -> pl.Series:
    """Number things with leading zeros, so that names sort as numbers do."""
    return pl.Series(letter + pl.arange(1, n + 1, eager=True).cast(pl.String).str.zfill(len(str(n))), dtype=pl.String)


def _votes(crowd: Crowd, item: pl.Series) -> pl.DataFrame:
    if crowd.rater is None or crowd.vote is None:
        return pl.DataFrame({"item": item, "positive": crowd.positive, "total": crowd.total})
    rater = _names(int(crowd.rater.max()) + 1, "v").gather(crowd.rater.ravel())
    return pl.DataFrame({"item": _repeat(item, crowd.rater.shape[1]), "rater": rater, "response": crowd.vote.ravel()})


def _scores(crowd: Crowd, item: pl.Series) -> pl.DataFrame:
    scores: Array = crowd.scores
    if scores.shape[1] == 1:
        return pl.DataFrame({"item": item, "score": scores[:, 0]})
    system = pl.Series([chr(ord("A") + j) for j in range(scores.shape[1])])
    named = system.gather(np.tile(np.arange(scores.shape[1]), len(item)))
    return pl.DataFrame({"item": _repeat(item, scores.shape[1]), "system": named, "score": scores.ravel()})


def _repeat(item: pl.Series, times: int) -> pl.Series:
    return item.gather(np.repeat(np.arange(len(item)), times))
