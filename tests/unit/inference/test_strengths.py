"""How well strengths are known: the same sums as vote by vote, with each group's residuals stretched."""

from typing import Any

import numpy as np

from quorate._typing import Array
from quorate.data.evaluation import read_evaluation
from quorate.data.preferences import Votes
from quorate.inference.strengths import Strengths, strengths_of


def some_votes(n: int = 300, systems: int = 4, seed: int = 0) -> tuple[Votes, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    pair = np.array([rng.choice(systems, 2, replace=False) for _ in range(n)])
    table: dict[str, Any] = {
        "item": rng.integers(12, size=n),
        "rater": rng.permutation(np.arange(n) % 9),
        "system_a": [f"s{k}" for k in pair[:, 0]],
        "system_b": [f"s{k}" for k in pair[:, 1]],
        "winner": rng.choice(["a", "b", "tie"], n),
    }
    votes = read_evaluation({**table, "rater": [f"{r} {i}" for i, r in enumerate(table["rater"])]}).votes
    assert votes is not None
    return votes, table


def plain(votes: Votes, code: Array, strengths: Strengths) -> Array:
    """Σ over groups of what each moves, CR2 by the whole matrices of the linear model, vote by vote."""
    ratings, size = votes.ratings, len(votes.systems)
    kind = np.repeat(ratings.response, ratings.count)
    group = np.repeat(code, ratings.count)
    x = np.zeros((len(kind), size))
    x[np.arange(len(kind)), votes.first[kind]], x[np.arange(len(kind)), votes.second[kind]] = 1.0, -1.0
    chance = strengths.fit.chance[kind]
    root = np.sqrt(chance * (1 - chance))
    design = root[:, None] * x
    inverse = np.linalg.pinv(design.T @ design)
    rest = (0.5 * (1 + votes.vote[kind]) - chance) / root
    moved = []
    for each in np.unique(group):
        rows = group == each
        hat = design[rows] @ inverse @ design[rows].T
        values, vectors = np.linalg.eigh(np.eye(int(rows.sum())) - hat)
        stretch = vectors @ np.diag(values**-0.5) @ vectors.T
        moved.append(inverse @ design[rows].T @ stretch @ rest[rows])
    return np.array(moved)


def test_what_items_move_is_the_stretched_sum_over_their_votes() -> None:
    votes, _ = some_votes()
    strengths = strengths_of(votes)
    contrast = np.array([1.0, -1.0, 0.0, 0.0])
    ours = strengths.of_items[:, :4] @ contrast
    expected = plain(votes, votes.ratings.item, strengths) @ contrast
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-8)
    # Without stretching they are too small.
    bare = strengths._sums(votes.ratings.item, votes.ratings.n_items)[:, :4] @ contrast
    assert (bare**2).sum() < 0.95 * (expected**2).sum()


def test_the_variance_is_two_way() -> None:
    votes, _ = some_votes()
    strengths = strengths_of(votes)
    pivot = strengths.pivot(np.array([1.0, -1.0, 0.0, 0.0, 0.0]))
    assert strengths.of_raters is not None
    # Everyone voted once: what raters add is what single votes add, but for the stretch, and counts once.
    [raters] = pivot.variance.others
    contrast, items = np.array([1.0, -1.0, 0.0, 0.0, 0.0]), float(pivot.variance.items.variance)
    single = float(contrast @ strengths.shared @ contrast)
    np.testing.assert_allclose(float(raters.variance), single, rtol=0.03)
    assert float(np.asarray(raters.less)) == min(single, items)
    np.testing.assert_allclose(float(pivot.variance.total), max(items, float(raters.variance)), rtol=0.03)
    assert float(pivot.estimate) == strengths.strength[0] - strengths.strength[1]


def test_groups_of_items_are_drawn_whole() -> None:
    votes, _ = some_votes()
    pairs = np.arange(votes.ratings.n_items) // 2
    drawn = strengths_of(votes).drawn(pairs, by_rater=False, items_fixed=False)
    assert drawn.of_items.shape == (6, 5)
    assert drawn.of_raters is None
    assert not drawn.pivot(np.array([1.0, -1.0, 0.0, 0.0, 0.0])).variance.others


def test_win_rates_are_chances_to_beat_another() -> None:
    votes, _ = some_votes()
    strengths = strengths_of(votes)
    apart = strengths.strength[0] - strengths.strength[1:]
    assert np.isclose(strengths.win_rates[0], (1 / (1 + np.exp(-apart))).mean())
    assert np.isclose(strengths.win_rates.mean(), 0.5)
