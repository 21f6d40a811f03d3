"""Whether votes side by side are judged as they should be, and how fast.

Run: `python -m benchmarks.preferences [SECTION …] [--studies 1000]`; sections are two and ranks.
`python -m benchmarks preferences` measures a million votes beside evalica.

Worlds are plain NumPy and share no code with `quorate`. A vote on item i by rater j is for A if
``μ + item + rater + logistic noise`` is above a threshold, for B if below its negative, else a tie; items and raters
are normal, so the world with μ = 0 is symmetric and its margin 0. Tables are made for docs/methods/preferences.md.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks import QUORATE, Case, fresh
from quorate._typing import Array
from quorate.comparing.judged_pairs import judge
from quorate.comparing.tested_pairs import PairTest, run_pair_tests
from quorate.data.preferences import Votes
from quorate.data.ratings import Ratings
from quorate.data.scale import Scale
from quorate.inference.crossed import Crossing, crossed_pivot
from quorate.inference.multiplicity import rank_bounds
from quorate.inference.procedures import find_procedure
from quorate.inference.scored_systems import score_strengths
from quorate.inference.strengths import strengths_of
from quorate.inference.units import choose_unit
from quorate.metrics.preferences import STRENGTH

TIE = 0.5
SPREAD_ITEM, SPREAD_RATER = 0.8, 0.6
Row = tuple[object, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", default=list(SECTIONS))
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--systems", type=int, help="of ranks: boards of so many systems alone")
    given = parser.parse_args()
    for name in given.sections:
        head, rows = SECTIONS[name]
        print(f"\n### {name}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
        rows = partial(ranks, systems=given.systems) if name == "ranks" else rows
        for row in rows(given.studies, np.random.default_rng(given.seed)):
            cells = (f"{x:.3f}" if isinstance(x, float) else str(x) for x in row)
            print(f"| {' | '.join(cells)} |", flush=True)


def votes_of(
    item: Array, rater: Array, first: Array, second: Array, vote: Array, n_systems: int, n_items: int, n_raters: int
) -> Votes:
    """Return votes as `read_evaluation` would, without sides."""
    code = (first * n_systems + second) * 3 + vote + 1
    kinds, response = np.unique(code, return_inverse=True)
    key, count = np.unique((item * n_raters + rater) * len(kinds) + response, return_counts=True)
    ratings = Ratings(
        pl.Series([str(i) for i in range(n_items)]),
        pl.Series([str(j) for j in range(n_raters)]),
        Scale("nominal", tuple(map(str, kinds)), None),
        key // len(kinds) // n_raters,
        key // len(kinds) % n_raters,
        key % len(kinds),
        count,
    )
    used = np.bincount(ratings.item, minlength=n_items) > 0
    pair = kinds // 3
    names = tuple(f"s{k:02d}" for k in range(n_systems))
    return Votes(ratings.keep(used), names, pair // n_systems, pair % n_systems, kinds % 3 - 1, 0 * kinds)


def cast(mean: Array, item: Array, rater: Array, rng: np.random.Generator) -> Array:
    """Return votes, 1, 0 or −1, of rows with these means, and strong habits of items and raters."""
    leaning = SPREAD_ITEM * rng.standard_normal(int(item.max()) + 1)[item]
    habit = SPREAD_RATER * rng.standard_normal(int(rater.max()) + 1)[rater]
    noisy = mean + leaning + habit + rng.logistic(size=len(item))
    return np.asarray(np.where(noisy > TIE, 1, np.where(noisy < -TIE, -1, 0)))


def design(n_items: int, n_raters: int, per_item: int | None, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return who votes on what: everyone on everything, or a few people on each item."""
    if per_item is None:
        return np.repeat(np.arange(n_items), n_raters), np.tile(np.arange(n_raters), n_items)
    raters = np.concatenate([rng.choice(n_raters, per_item, replace=False) for _ in range(n_items)])
    return np.repeat(np.arange(n_items), per_item), raters


def true_margin(mean: float) -> float:
    """Return the win margin of a world, by quadrature over items and raters."""
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    leaning = mean + np.hypot(SPREAD_ITEM, SPREAD_RATER) * points
    win, loss = 1 / (1 + np.exp(TIE - leaning)), 1 / (1 + np.exp(TIE + leaning))
    return float(weights @ (win - loss) / weights.sum())


MEAN, CHUNK = 0.5, 250
MARGIN = true_margin(MEAN)
SIZES = [(30, 6, None), (100, 10, None), (13, 124, 40), (300, 3, None)]


def two(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Two systems: how often equal ones are told apart, and how often the interval holds the truth."""
    for n_items, n_raters, per_item in SIZES:
        p, covered, alone = [], [], []
        for start in range(0, studies, CHUNK):
            together = min(CHUNK, studies - start)
            item, rater = design(n_items, n_raters, per_item, rng)
            weight = 1 / np.bincount(item)[item] / n_items
            crossing = Crossing(item, rater, weight, n_items, n_raters)
            equal, better = (
                np.stack([cast(np.full(len(item), mean), item, rater, rng) for _ in range(together)])
                for mean in (0.0, MEAN)
            )
            p.append(crossed_pivot(equal.astype(float), crossing, reach=1.0).p_value(np.zeros(together)))
            truth = np.full(together, MARGIN)
            covered.append(crossed_pivot(better.astype(float), crossing, reach=1.0).p_value(truth) > 0.05)
            alone.append(np.abs(equal.mean(1)) / (equal.std(1) / np.sqrt(len(item))) > 1.96)
        words = "each all" if per_item is None else f"{per_item} per item"
        rates = [float((np.concatenate(p) <= level).mean()) for level in (0.05, 0.01)]
        yield (
            n_items,
            n_raters,
            words,
            *rates,
            float(np.concatenate(covered).mean()),
            float(np.concatenate(alone).mean()),
        )


BOARDS = [(6, 40, 8, 24), (6, 13, 60, 60), (20, 60, 12, 60), (20, 100, 30, 60)]


def ranks(studies: int, rng: np.random.Generator, systems: int | None = None) -> Iterator[Row]:
    """Several systems, incomplete pairs: how often all true ranks lie in their intervals at once.

    Strengths are unlike, or all equal: then any claim is false, and the level is used up or not.
    """
    test = PairTest(find_procedure("default"))
    for (n_systems, n_items, n_raters, per_item), spread in product(BOARDS, (0.5, 0.0)):
        if systems not in (None, n_systems):
            continue
        held, width, false = [], [], []
        everyone = list(combinations(range(n_systems), 2))
        linked = [pair for pair in everyone if (pair[0] + pair[1]) % 3 or pair[1] == pair[0] + 1]
        enough = studies if n_systems < 10 else studies // 2  # a board of 190 pairs takes a second
        for _ in range(enough):
            strength = np.sort(spread * rng.standard_normal(n_systems))[::-1]
            tastes = [0.5 * rng.standard_normal((n, n_systems)) for n in (n_items, n_raters)]
            item = np.repeat(np.arange(n_items), per_item)
            rater = rng.integers(n_raters, size=len(item))
            pair = np.array(linked)[rng.integers(len(linked), size=len(item))]
            liking = strength + tastes[0][item] + tastes[1][rater]
            row = np.arange(len(item))
            noisy = liking[row, pair[:, 0]] - liking[row, pair[:, 1]] + rng.logistic(size=len(item))
            vote = np.where(noisy > TIE, 1, np.where(noisy < -TIE, -1, 0))
            votes = votes_of(item, rater, pair[:, 0], pair[:, 1], vote, n_systems, n_items, n_raters)
            low, high = _rank_ends(votes, everyone, replace(test, unit=choose_unit(votes.ratings)))
            best, worst = rank_bounds(low, high, everyone, n_systems)
            true = np.arange(n_systems) + 1
            false.append(bool(np.any(high < 0)) or (spread == 0 and bool(np.any(low > 0))))
            held.append(bool(np.all((best <= true) & (true <= worst))) if spread else not false[-1])
            width.append(float(np.mean(worst - best + 1)))
        sizes = (n_systems, n_items, n_raters, n_items * per_item, "unlike" if spread else "equal", enough)
        yield *sizes, float(np.mean(held)), float(np.mean(width)), float(np.mean(false))


def _rank_ends(votes: Votes, pairs: list[tuple[int, int]], test: PairTest) -> tuple[Array, Array]:
    systems = score_strengths(STRENGTH, strengths_of(votes))
    judged = judge(run_pair_tests([systems], votes.systems, pairs, test), "all")
    low, high = np.array([each.ends for each in judged]).T
    return low, high


def cases(folder: Path) -> list[Case]:
    """A million votes on ten systems: `compare` from a file to ranks, beside evalica's bootstrap of single votes.

    evalica is given 10 resamples of lists that are ready made; its usual 1,000 would take a hundred times as long.
    """
    fresh(write_votes, folder)
    return [
        Case(
            "compare",
            f"1 million votes (evalica: {RESAMPLES} resamples of votes)",
            (*QUORATE, "compare", str(folder / "votes.parquet"), "--json"),
            partial(by_evalica, folder / "votes.parquet"),
            most_seconds=10,
            most_mebibytes=2048,
        )
    ]


RESAMPLES = 10


def write_votes(folder: Path) -> None:
    """Write a million votes on ten systems, 20,000 items and 5,000 raters."""
    rng, n = np.random.default_rng(0), 1_000_000
    pair = np.sort(rng.permuted(np.tile(np.arange(10), (n, 1)), axis=1)[:, :2], axis=1)
    item, rater = rng.integers(20_000, size=n), rng.integers(5_000, size=n)
    vote = cast(0.1 * (pair[:, 1] - pair[:, 0]), item, rater, rng)
    names = np.array([f"m{k}" for k in range(10)])
    frame = pl.DataFrame({"item": item, "rater": rater, "model_a": names[pair[:, 0]], "model_b": names[pair[:, 1]]})
    winner = pl.Series("winner", np.array(["model_b", "tie", "model_a"])[vote + 1])
    frame.with_columns(winner).write_parquet(folder / "votes.parquet")


def by_evalica(path: Path) -> None:
    """Bootstrap strengths over single votes, as if each stood alone."""
    import evalica

    frame = pl.read_parquet(path)
    words = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    winners = [words[each] for each in frame["winner"]]
    sides = frame["model_a"].to_list(), frame["model_b"].to_list()
    evalica.bootstrap(
        evalica.bradley_terry, *sides, winners, n_resamples=RESAMPLES, bootstrap_method="percentile", random_state=0
    )


SECTIONS = {
    "two": (("items", "raters", "design", "type I at 5 %", "at 1 %", "coverage", "counting votes alone"), two),
    "ranks": (
        (
            "systems",
            "items",
            "raters",
            "votes",
            "strengths",
            "studies",
            "all ranks held",
            "mean ranks",
            "any false claim",
        ),
        ranks,
    ),
}

if __name__ == "__main__":
    main()
