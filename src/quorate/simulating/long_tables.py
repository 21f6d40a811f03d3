"""Drawn summaries as single responses in long tables: what a study would have written down.

Raters are named honestly. Where a world lets raters come back (items+raters, batches), the same
name stands for the same person; in all other worlds every response is the answer of a stranger, so
every response has a name of its own. A crowd becomes the tables `estimate` reads: votes, experts,
scores, and the truth nobody has.
"""

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities, Summary, Values
from quorate.populations.crowds import CROWDS, Crowd, choose_experts
from quorate.populations.population import Draw
from quorate.populations.side_by_side import Board


def ratings_table(draw: Draw, names: tuple[str, ...], *, rng: np.random.Generator) -> pl.DataFrame:
    """Return the raters' responses of the first replicate: item, rater, response."""
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


def rated_table(draw: Draw, names: tuple[str, ...], *, rng: np.random.Generator) -> pl.DataFrame:
    """Return the ratings each system's outputs got, of the first replicate: item, rater, system, response."""
    parts, people = [], 0
    for system, summary in (("A", draw.a), ("B", draw.b)):
        response = _single(summary, rng)
        rater = people + np.arange(response.size)
        people += response.size
        items = np.repeat(_numbered("i", len(response)), response.shape[1])
        said = _labels(response.ravel(), summary, names)
        parts.append(pl.DataFrame({"item": items, "rater": rater, "system": [system] * len(rater), "response": said}))
    named = pl.Series(_numbered("r", people))
    whole = pl.concat(parts)
    return whole.with_columns(named.gather(whole["rater"]).alias("rater")).sort("item", "system", maintain_order=True)


def answers_table(draw: Draw, names: tuple[str, ...], *, rng: np.random.Generator) -> pl.DataFrame:
    """Return both systems' answers of the first replicate: single responses, or probabilities."""
    parts = [_system(name, summary, names, rng) for name, summary in (("A", draw.a), ("B", draw.b))]
    table = pl.concat(parts, how="diagonal")
    return table.sort("item", "system", maintain_order=True) if table.height < 1_000_000 else table


def votes_table(board: Board) -> pl.DataFrame:
    """Return votes side by side: item, rater, both systems as they were shown, who won, and who was shown first."""
    systems = pl.Series(_numbered("s", int(board.second.max()) + 1))
    first, second = systems.gather(board.first), systems.gather(board.second)
    turned = board.side < 0
    left, right = first.zip_with(pl.Series(~turned), second), second.zip_with(pl.Series(~turned), first)
    vote = board.side * board.vote  # for whom stands on the left
    return pl.DataFrame(
        {
            "item": pl.Series(_numbered("i", int(board.item.max()) + 1)).gather(board.item),
            "rater": pl.Series(_numbered("r", int(board.rater.max()) + 1)).gather(board.rater),
            "system_a": left,
            "system_b": right,
            "winner": pl.Series(["system_b", "tie", "system_a"]).gather(vote + 1),
            "shown_first": left,
        }
    )


def crowd_tables(
    name: str, n_items: int, n_votes: int, expert_share: float, *, rng: np.random.Generator
) -> dict[str, pl.DataFrame]:
    """Draw a crowd by name: votes, labels of a random share of the items, scores and truth."""
    if n_items < 1 or n_votes < 1:
        raise InputError("a crowd needs at least one item and one vote on each")
    if not 0 <= expert_share <= 1:
        raise InputError(f"--expert-share is a share between 0 and 1, such as 0.05, not {expert_share:g}")
    crowd = CROWDS[name].draw(n_items, n_votes=n_votes, rng=rng)
    item = pl.Series(_numbered("i", n_items))
    labelled = choose_experts(n_items, expert_share, rng=rng)
    return {
        "votes": _votes(crowd, item),
        "experts": pl.DataFrame({"item": item.filter(pl.Series(labelled)), "label": crowd.truth[labelled]}),
        "scores": _scores(crowd, item),
        "truth": pl.DataFrame({"item": item, "label": crowd.truth}),
    }


def _system(system: str, summary: Summary, names: tuple[str, ...], rng: np.random.Generator) -> pl.DataFrame:
    if isinstance(summary, Probabilities):
        share = summary.share[0]
        columns = {name: share[:, m] for m, name in enumerate(names)}
        items = _numbered("i", len(share))
        return pl.DataFrame({"item": items, "system": [system] * len(share), **columns})
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
    """Return the first replicate as codes or values in random order, ``(item, answer)``."""
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


def _votes(crowd: Crowd, item: pl.Series) -> pl.DataFrame:
    if crowd.rater is None or crowd.vote is None:
        return pl.DataFrame({"item": item, "positive": crowd.positive, "total": crowd.total})
    rater = pl.Series(_numbered("v", int(crowd.rater.max()) + 1)).gather(crowd.rater.ravel())
    items = _repeat(item, crowd.rater.shape[1])
    return pl.DataFrame({"item": items, "rater": rater, "response": crowd.vote.ravel()})


def _scores(crowd: Crowd, item: pl.Series) -> pl.DataFrame:
    scores: Array = crowd.scores
    if scores.shape[1] == 1:
        return pl.DataFrame({"item": item, "score": scores[:, 0]})
    system = pl.Series([chr(ord("A") + j) for j in range(scores.shape[1])])
    named = system.gather(np.tile(np.arange(scores.shape[1]), len(item)))
    items = _repeat(item, scores.shape[1])
    return pl.DataFrame({"item": items, "system": named, "score": scores.ravel()})


def _repeat(item: pl.Series, times: int) -> pl.Series:
    return item.gather(np.repeat(np.arange(len(item)), times))


def _numbered(letter: str, n: int) -> list[str]:
    """Names that sort in their order: i01, i02, …, i10."""
    width = len(str(n))
    return [f"{letter}{i:0{width}d}" for i in range(1, n + 1)]
