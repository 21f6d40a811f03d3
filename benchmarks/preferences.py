"""Whether votes side by side are judged as they should be, and how fast.

Run: `python -m benchmarks.preferences [SECTION …] [--studies 1000] [--write]`; sections are two systems, audits, other
worlds, ranks and boards. `--write` puts the tables into docs/methods/preferences.md.
`python -m benchmarks preferences` measures a million votes beside evalica.

Worlds are plain NumPy and share no code with `quorate`. A vote on item i by rater j is for A if
``μ + item + rater + logistic noise`` is above a threshold, for B if below its negative, else a tie; items and raters
are normal, so the world with μ = 0 is symmetric and its margin 0. Audits and boards are drawn as `simulate` does.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks import QUORATE, Case, fresh
from benchmarks.validity import with_table
from quorate import audit, plan
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
from quorate.planning.sources.vote_boards import typed_board
from quorate.populations.side_by_side import BoardDesign, SideBySide, draw_board

PAGE = Path("docs/methods/preferences.md")
Row = tuple[object, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", default=list(SECTIONS))
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--systems", type=int, help="of ranks and boards: those of so many systems alone")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE}")
    given = parser.parse_args()
    for name in given.sections:
        head, rows = SECTIONS[name]
        lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
        print(f"\n### {name}\n\n{lines[0]}\n{lines[1]}", flush=True)
        if name in ("ranks", "boards"):
            rows = partial(rows, systems=given.systems)
        for row in rows(given.studies, np.random.default_rng(given.seed)):
            cells = (f"{x:.3f}" if isinstance(x, float) else str(x) for x in row)
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
            if given.write:
                PAGE.write_text(with_table(PAGE.read_text(), name, lines))


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


@dataclass(frozen=True)
class World:
    """Where a tie ends, how far items and raters differ, and the mean of two systems that differ."""

    tie: float = 0.5
    item: float = 0.8
    rater: float = 0.6
    mean: float = 0.5

    def cast(self, mean: Array, item: Array, rater: Array, rng: np.random.Generator) -> Array:
        """Return votes, 1, 0 or −1, of rows with these means."""
        leaning = self.item * rng.standard_normal(int(item.max()) + 1)[item]
        habit = self.rater * rng.standard_normal(int(rater.max()) + 1)[rater]
        return self.said(mean + leaning + habit + rng.logistic(size=len(item)))

    def said(self, liking: Array) -> Array:
        """Return the votes of those who like the first system so much better."""
        return np.asarray(np.where(liking > self.tie, 1, np.where(liking < -self.tie, -1, 0)))

    def margin(self) -> float:
        """Return the win margin of systems that differ, by quadrature over items and raters."""
        points, weights = np.polynomial.hermite_e.hermegauss(80)
        leaning = self.mean + np.hypot(self.item, self.rater) * points
        win, loss = 1 / (1 + np.exp(self.tie - leaning)), 1 / (1 + np.exp(self.tie + leaning))
        return float(weights @ (win - loss) / weights.sum())


def design(n_items: int, n_raters: int, per_item: int | None, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return who votes on what: everyone on everything, or a few people on each item."""
    if per_item is None:
        return np.repeat(np.arange(n_items), n_raters), np.tile(np.arange(n_raters), n_items)
    raters = np.concatenate([rng.choice(n_raters, per_item, replace=False) for _ in range(n_items)])
    return np.repeat(np.arange(n_items), per_item), raters


CHUNK = 250
SIZES = [(30, 6, None), (100, 10, None), (13, 124, 40), (300, 3, None)]


def two(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Two systems: how often equal ones are told apart, and how often the interval holds the truth."""
    for size in SIZES:
        yield *_size_words(*size), *_rates_of(World(), size, studies, rng)


def others(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Two systems in other worlds, and with few votes on each item."""
    for (name, world), size in product(WORLDS.items(), (*SIZES, (20, 10, 2), (60, 20, 1))):
        margin = world.margin()
        yield name, *_size_words(*size), margin, *_rates_of(world, size, studies, rng)


WORLDS = {
    "strong effects": World(),
    "very strong": World(item=2.0, rater=1.2),
    "weak": World(item=0.3, rater=0.2),
    "one-sided": World(mean=3.0),
    "mostly ties": World(tie=4.0, mean=1.0),
    "hardly anything but ties": World(tie=5.5, mean=1.0),
}


def _size_words(n_items: int, n_raters: int, per_item: int | None) -> Row:
    return n_items, n_raters, "each all" if per_item is None else f"{per_item} per item"


def _rates_of(
    world: World, size: tuple[int, int, int | None], studies: int, rng: np.random.Generator
) -> Iterator[float]:
    """Claims of equal systems at 5 % and 1 %, coverage of those that differ, and claims of votes alone."""
    (n_items, n_raters, _), margin = size, world.margin()
    found: list[list[Array]] = [[], [], [], []]
    for start in range(0, studies, CHUNK):
        together = min(CHUNK, studies - start)
        item, rater = design(*size, rng)
        weight = 1 / np.bincount(item)[item] / n_items
        crossing = Crossing(item, rater, weight, n_items, n_raters)
        equal, better = (
            np.stack([world.cast(np.full(len(item), mean), item, rater, rng) for _ in range(together)]).astype(float)
            for mean in (0.0, world.mean)
        )
        p = crossed_pivot(equal, crossing, reach=1.0, votes=True).p_value(np.zeros(together))
        true = crossed_pivot(better, crossing, reach=1.0, votes=True).p_value(np.full(together, margin))
        alone = np.abs(equal.mean(1)) > 1.96 * equal.std(1) / np.sqrt(len(item))
        for kept, each in zip(found, (p <= 0.05, p <= 0.01, true > 0.05, alone), strict=True):
            kept.append(each)
    yield from (float(np.concatenate(each).mean()) for each in found)


def audits(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Two systems by `audit`, without a difference and with one: claims, coverage, and votes alone beside."""
    seed = int(rng.integers(1 << 30))
    for (n_items, n_raters, per_item), win_rate in product(SIZES, (0.5, 0.6)):
        found = audit(
            preset="preference",
            items=n_items,
            raters=per_item or n_raters,
            pool=n_raters if per_item else None,
            item_share=0.2,
            rater_share=0.15,
            win_rate=win_rate,
            unit="items+raters,votes",
            replicates=studies,
            seed=seed,
            workers=1,
        )
        ours, alone = found.rows
        people = f"{per_item} of {n_raters}" if per_item else n_raters
        warned = "yes" if any("equal ones" in each for each in found.warnings) else "no"
        margin = round(2 * win_rate - 1, 3)
        rates = ours.rejection_rate, ours.coverage, ours.ci_width, alone.rejection_rate, alone.coverage
        yield n_items, people, margin, *rates, warned


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
        enough = studies if n_systems < 10 else studies // 4  # a board of 190 pairs takes a second
        for _ in range(enough):
            strength = np.sort(spread * rng.standard_normal(n_systems))[::-1]
            tastes = [0.5 * rng.standard_normal((n, n_systems)) for n in (n_items, n_raters)]
            item = np.repeat(np.arange(n_items), per_item)
            rater = rng.integers(n_raters, size=len(item))
            pair = np.array(linked)[rng.integers(len(linked), size=len(item))]
            liking = strength + tastes[0][item] + tastes[1][rater]
            row = np.arange(len(item))
            noisy = liking[row, pair[:, 0]] - liking[row, pair[:, 1]] + rng.logistic(size=len(item))
            vote = World().said(noisy)
            votes = votes_of(item, rater, pair[:, 0], pair[:, 1], vote, n_systems, n_items, n_raters)
            low, high = _rank_ends(votes, everyone, replace(test, unit=choose_unit(votes.ratings)))
            best, worst = rank_bounds(low, high, everyone, n_systems)
            true = np.arange(n_systems) + 1
            false.append(bool(np.any(high < 0)) or (spread == 0 and bool(np.any(low > 0))))
            held.append(bool(np.all((best <= true) & (true <= worst))) if spread else not false[-1])
            width.append(float(np.mean(worst - best + 1)))
        sizes = (n_systems, n_items, n_raters, n_items * per_item, "unlike" if spread else "equal", enough)
        yield *sizes, float(np.mean(held)), float(np.mean(width)), float(np.mean(false))


PLANNED = [
    (3, 0.6, 1, None, 0.2, None),
    (6, 0.65, 1, None, 0.2, None),
    (4, 0.65, 2, 40, 0.4, 0.2),
    (6, 0.6, 1, 60, 0.2, 0.1),
]


def boards(studies: int, rng: np.random.Generator, systems: int | None = None) -> Iterator[Row]:
    """Plans of several systems: how often neighbours are told apart in studies of the size recommended."""
    for n_systems, win_rate, per_item, pool, ties, rater_share in PLANNED:
        if systems not in (None, n_systems):
            continue
        best = plan(
            preset="preference",
            win_rate=win_rate,
            n_systems=n_systems,
            tie_share=ties,
            raters=per_item,
            pool=pool,
            rater_share=rater_share,
        ).best
        world = SideBySide(ties=ties, pool=pool or best.n_items * per_item)
        world = world if rater_share is None else replace(world, rater_share=rater_share * (1 - world.item_share))
        power = told_apart(world, n_systems, best.n_items, per_item, 2 * win_rate - 1, studies, rng)
        sizes = n_systems, win_rate, ties, best.n_items, per_item, pool or "new on every item", studies
        hardest = typed_board(world, n_systems, 2 * win_rate - 1).hardest
        yield *sizes, float(best.power), float(power[hardest]), float(power.mean())


def told_apart(
    world: SideBySide,
    n_systems: int,
    n_items: int,
    per_item: int,
    margin: float,
    studies: int,
    rng: np.random.Generator,
) -> Array:
    """Return the share of studies that tell the better of two neighbours, ``(neighbours,)``, all pairs counted."""
    test, everyone = PairTest(find_procedure("default")), list(combinations(range(n_systems), 2))
    near = [place for place, (a, b) in enumerate(everyone) if b == a + 1]
    told = np.zeros(len(near))
    for _ in range(studies):
        drawn = draw_board(world, BoardDesign(n_systems), n_items, per_item, margin, rng)
        people, rater = np.unique(drawn.rater, return_inverse=True)
        cast_on = drawn.item, rater, drawn.first, drawn.second, drawn.vote
        votes = votes_of(*cast_on, n_systems, n_items, len(people))
        low, _ = _rank_ends(votes, everyone, replace(test, unit=choose_unit(votes.ratings)))
        told += low[near] > 0
    return told / studies


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
    vote = World().cast(0.1 * (pair[:, 1] - pair[:, 0]), item, rater, rng)
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


SECTIONS: dict[str, tuple[tuple[str, ...], Callable[..., Iterator[Row]]]] = {
    "two systems": (("items", "raters", "design", "type I at 5 %", "at 1 %", "coverage", "counting votes alone"), two),
    "other worlds": (
        (
            "world",
            "items",
            "raters",
            "design",
            "true margin",
            "type I at 5 %",
            "at 1 %",
            "coverage",
            "counting votes alone",
        ),
        others,
    ),
    "audits": (
        (
            "items",
            "raters",
            "true margin",
            "claims",
            "coverage",
            "width",
            "votes alone: claims",
            "coverage of these",
            "warned",
        ),
        audits,
    ),
    "ranks": (
        (
            "systems",
            "items",
            "raters",
            "votes",
            "strengths",
            "studies",
            "all ranks held",
            "mean width of ranks",
            "any false claim",
        ),
        ranks,
    ),
    "boards": (
        (
            "systems",
            "win rate of neighbours",
            "ties",
            "items",
            "votes on each",
            "people",
            "studies",
            "promised",
            "seen, neighbours planned for",
            "all neighbours on average",
        ),
        boards,
    ),
}

if __name__ == "__main__":
    main()
