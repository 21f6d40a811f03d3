"""Whether `compare` keeps its promises where real evaluations live.

Run: `python -m benchmarks.validity [SECTION …] [--studies 2000]`.

Worlds are plain NumPy and share no code with `quorate`: people with leanings who say yes or no,
systems that are equally good, or worse by exactly the margin. Each study is judged by the functions
behind `compare`; every row says how often it claims what is not so at 5 % and at 1 %, what the
procedure it replaced did, and what the mend costs in width. Tables are made for
docs/methods/calibration.md.
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

from quorate._typing import Array
from quorate.data.answers import Answers
from quorate.data.summaries import Counts, Summary
from quorate.inference.crossed import Crossing, crossed_pivot
from quorate.inference.joint_errors import error_columns
from quorate.inference.means import mean_pivot
from quorate.inference.multiplicity import JointErrors, heterogeneity, max_t
from quorate.inference.outcome import t_quantile
from quorate.inference.pivot import Pivot
from quorate.inference.roster import Roster, pair_by_raters, rated_pivot
from quorate.inference.runs import joined, run_part
from quorate.inference.scored_systems import score_systems
from quorate.inference.uncertain_variance import Part
from quorate.metrics.metric import Metric
from quorate.metrics.registry import find_metric

LEVELS = (0.05, 0.01)
DRAWS, COMPARED = 1000, 400
"""Draws of a family's errors, a twentieth of what `compare` takes, and studies judged the old way too."""

Row = tuple[object, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", default=list(SECTIONS))
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for name in given.sections:
        head, rows = SECTIONS[name]
        print(f"\n### {name}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
        for row in rows(given.studies, np.random.default_rng(given.seed)):
            cells = (f"{x:.3f}" if isinstance(x, float) else str(x) for x in row)
            print(f"| {' | '.join(cells)} |", flush=True)


def leaderboards(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Equal systems with the same raters: the chance of any false claim, and whether the best could
    be best."""
    sizes: list[tuple[int, int, int, int | None]] = [(s, r, 60, None) for s, r in product((5, 10), (3, 4, 6, 10))]
    sizes += [
        (10, 3, 300, None),
        (10, 6, 60, 3),
        (10, 10, 60, 3),
        (10, 6, 300, 3),
        (20, 3, 60, None),
        (20, 6, 60, None),
    ]
    worlds = [("equal", *size) for size in sizes]
    unlike = product(("0.5 to 1.5", "one 3 times", "one leaning"), ((5, 3), (10, 3), (10, 6)))
    worlds += [(world, systems, raters, 60, None) for world, (systems, raters) in unlike]
    for world, n_systems, n_raters, n_items, per_item in worlds:
        claims: list[list[bool]] = []
        old: list[Any] = []
        widths: list[float] = []
        for _ in range(studies):
            values = liked(world, n_systems, n_raters, n_items, rng)
            rater = seats(n_items, n_raters, per_item, rng)
            p, before, width = judge_leaderboard(values, rater, rng, compared=len(widths) < COMPARED)
            claims.append([p <= level for level in LEVELS])
            old += [before <= LEVELS[0]] if len(widths) < COMPARED else []
            widths.append(width)
        size = f"{n_items} × {n_raters}" + ("" if per_item is None else f", {per_item} each")
        yield world, n_systems, size, *_rates(claims), float(np.mean(old)), float(np.nanmedian(widths))


def liked(world: str, n_systems: int, n_raters: int, n_items: int, rng: np.random.Generator) -> Array:
    """Who likes whose output: 0 or 1, ``(system, item, rater)``; all systems are liked equally
    often by all people."""
    spread = {"0.5 to 1.5": rng.uniform(0.5, 1.5, n_systems), "one 3 times": np.r_[3.0, np.ones(n_systems - 1)]}
    taste = 0.5 * spread.get(world, np.ones(n_systems))[:, None] * rng.standard_normal((n_systems, n_raters))
    if world == "one leaning":  # everybody differs along one line only
        taste = np.linspace(-1, 1, n_systems)[:, None] * rng.standard_normal(n_raters)
    quality = rng.standard_normal((n_systems, n_items))
    chance = 1 / (1 + np.exp(-taste[:, None, :] - quality[..., None]))
    return np.asarray(rng.random(chance.shape) < chance, dtype=float)


def seats(n_items: int, n_raters: int, per_item: int | None, rng: np.random.Generator) -> Array:
    """Who rates which item, ``(item, seat)``."""
    order = np.argsort(rng.random((n_items, n_raters)), axis=1)
    return order if per_item is None else order[:, :per_item]


def judge_leaderboard(
    values: Array, rater: Array, rng: np.random.Generator, *, compared: bool
) -> tuple[float, float, float]:
    """Return the smallest adjusted p now and before, and the width over Bonferroni's on R − 1."""
    n_systems, n_items, n_raters = values.shape
    item = np.repeat(np.arange(n_items), rater.shape[1])
    seat = rater.reshape(-1)
    rows = np.lexsort((seat, item))
    item, seat = item[rows], seat[rows]
    liked = values[:, item, seat].astype(np.int64)
    systems = [Counts(_tally(item, each, n_items)) for each in liked]
    numbers = [Counts(each.counts, np.array([0.0, 1.0])) for each in systems]
    scored = score_systems(find_metric("mean_rating"), None, numbers)
    rosters = [Roster(item, seat, each, n_items, n_raters) for each in liked]
    pairs = list(combinations(range(n_systems), 2))
    pivots = [pair_by_raters(scored, a, b, rosters) for a, b in pairs]
    errors = error_columns(scored, pairs, pivots, rosters)
    moderated = [errors.moderated(pivot, k) for k, pivot in enumerate(pivots)]
    family = max_t(
        moderated,
        [JointErrors([errors], n_items - 1.0, n_items / (n_items - 1))],
        confidence=0.95,
        rng=rng,
        draws=DRAWS,
    )
    smallest = float(np.nanmin(family.p_adjusted))
    if not compared:
        return smallest, np.nan, np.nan
    return smallest, _old_family(pivots, rng), _width(moderated, family.confidence, pivots)


def _tally(item: Array, answer: Array, n_items: int) -> Array:
    counts = np.zeros((n_items, 2), dtype=np.int64)
    np.add.at(counts, (item, answer), 1)
    return counts


def _old_family(pivots: list[Pivot], rng: np.random.Generator) -> float:
    """The smallest p of the procedure that was replaced: Satterthwaite's t, and max-T by normal
    draws."""
    from scipy.special import ndtri, stdtr

    estimate, total, df = (np.array(each) for each in zip(*map(_satterthwaite, pivots), strict=True))
    z = -ndtri(stdtr(df, -np.abs(estimate) / np.sqrt(total)))
    parts = np.stack([pivot.units - pivot.estimate for pivot in pivots])
    correlation = np.nan_to_num(np.corrcoef(parts))
    root = np.linalg.svd(correlation)[0] * np.sqrt(np.linalg.svd(correlation)[1])
    largest = np.abs(rng.standard_normal((DRAWS, len(root))) @ root.T).max(-1)
    return float((largest >= np.nanmax(z)).mean())


def _satterthwaite(pivot: Pivot) -> tuple[float, float, float]:
    items, [raters] = pivot.variance.items, pivot.variance.others
    total = float(pivot.variance.total)
    spread = float(items.variance) ** 2 / np.mean(items.df) + float(raters.variance) ** 2 / np.mean(raters.df)
    return float(pivot.estimate), total, total**2 / max(float(spread), 1e-300)


def _width(pivots: list[Pivot], levels: Array, plain: list[Pivot]) -> float:
    """The median half-width over that of Bonferroni on R − 1 degrees of freedom."""
    pivot, level = pivots[0], float(levels[0])
    if not np.isfinite(level):
        return 1.0
    low, high = pivot.interval(level)
    raters = float(np.mean(plain[0].variance.others[0].df))
    half = float(t_quantile(raters, 1 - 0.05 / len(pivots)) * np.sqrt(plain[0].variance.total))
    return float(high - low) / (2 * half) if half > 0 else 1.0


def gates(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """A is worse by exactly the margin: how often a gate lets it pass, and how often it passes an
    equal system."""
    for margin, n_items in product((0.02, 0.05, 0.1), (10, 30, 50, 100, 200, 400, 1000)):
        for name, world in GATE_WORLDS.items():
            passed, before, equal, old_equal = [], [], [], []
            for start in range(0, studies, 250):
                shape = (min(250, studies - start), n_items)
                worse, same = world(margin, shape, rng), world(0.0, shape, rng)
                passed.append(passes(worse, margin))
                before.append(passed_before(worse, margin))
                equal.append(passes(same, margin))
                old_equal.append(passed_before(same, margin))
            yield name, margin, n_items, *(float(np.concatenate(x).mean()) for x in (passed, before, equal, old_equal))


def _rare(margin: float, shape: tuple[int, int], rng: np.random.Generator) -> Array:
    return -(rng.random(shape) < margin).astype(float)


def _few(margin: float, shape: tuple[int, int], rng: np.random.Generator) -> Array:
    u = rng.random(shape)
    return np.select([u < 0.05 + margin, u < 0.1 + margin], [-1.0, 1.0], 0.0)


def _many(margin: float, shape: tuple[int, int], rng: np.random.Generator) -> Array:
    u = rng.random(shape)
    return np.select([u < 0.2 + margin / 2, u < 0.4], [-1.0, 1.0], 0.0)


def _graded(margin: float, shape: tuple[int, int], rng: np.random.Generator) -> Array:
    return (0.1 * rng.standard_normal(shape)).clip(-1, 1) * (rng.random(shape) >= margin) - (rng.random(shape) < margin)


def _forecasts(margin: float, shape: tuple[int, int], rng: np.random.Generator) -> Array:
    """Brier scores of two forecasts of events with chance 0.7; A's lose by the margin on
    average."""
    event = rng.random(shape) < 0.7
    mine, others = ((rng.beta(6, 3, shape) - event) ** 2 for _ in range(2))
    return others - mine - margin


GATE_WORLDS: dict[str, Callable[[float, tuple[int, int], np.random.Generator], Array]] = {
    "rare failures": _rare,
    "few differences": _few,
    "many differences": _many,
    "grades, rare failures": _graded,
    "forecasts": _forecasts,
}


def passes(values: Array, margin: float) -> Array:
    pivot = mean_pivot(values, reach=1.0, unseen=True)
    at = np.full(pivot.estimate.shape, -margin)
    return np.asarray((pivot.estimate > at) & (pivot.p_value(at) <= 0.05))


def passed_before(values: Array, margin: float) -> Array:
    n = values.shape[-1]
    se = values.std(-1, ddof=1) / np.sqrt(n)
    return np.asarray(values.mean(-1) - t_quantile(n - 1.0, 0.95) * se > -margin)


def pairs_of_systems(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """One pair, raters drawn: claims where there is no difference."""
    designs = [(r, 60, None) for r in (2, 3, 4, 6, 10, 20)] + [(r, n, 3) for r in (4, 6, 10, 20) for n in (60, 300)]
    for (n_raters, n_items, per_item), leaning in product(designs, (0.0, 0.5)):
        claims: list[list[bool]] = []
        old: list[Any] = []
        widths: list[float] = []
        for _ in range(studies):
            values = liked("equal", 2, n_raters, n_items, rng) if leaning else _liked_alike(n_raters, n_items, rng)
            rater = seats(n_items, n_raters, per_item, rng)
            item = np.repeat(np.arange(n_items), rater.shape[1])
            d = (values[0] - values[1])[item, rater.reshape(-1)]
            pivot = crossed_pivot(d, Crossing(item, rater.reshape(-1), np.full(len(d), 1 / len(d)), n_items, n_raters))
            p = float(pivot.p_value(np.zeros(())))
            claims.append([p <= level for level in LEVELS])
            estimate, total, df = _satterthwaite(pivot)
            old.append([abs(estimate) > t_quantile(df, 1 - level) * np.sqrt(total) for level in LEVELS])
            low, high = pivot.interval(0.95) if len(widths) < 100 else (0.0, np.nan)
            widths.append(float(high - low) / max(float(2 * t_quantile(df, 0.95) * np.sqrt(total)), 1e-300))
        size = f"{n_items} × {n_raters}" + ("" if per_item is None else f", {per_item} each")
        yield "leaning" if leaning else "alike", size, *_rates(claims), *_rates(old), float(np.nanmedian(widths))


def _liked_alike(n_raters: int, n_items: int, rng: np.random.Generator) -> Array:
    chance = 1 / (1 + np.exp(-rng.standard_normal((2, n_items))))
    return np.asarray(rng.random((2, n_items, n_raters)) < chance[..., None], dtype=float)


def clusters(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Items come in documents of equal, log-normal, or one very large size."""
    sizes = {
        "equal": lambda g: np.full(g, 20),
        "log-normal": lambda g: np.maximum(1, np.round(20 * np.exp(rng.standard_normal(g)))).astype(int),
        "one with half": lambda g: np.r_[10 * (g - 1), np.full(g - 1, 10)],
    }
    for (name, make), groups, shared in product(sizes.items(), (5, 8, 15, 30), (0.02, 0.3)):
        claims, old, width = [], [], []
        for _ in range(studies // 100):
            code = np.repeat(np.arange(groups), make(groups))
            effect = np.sqrt(shared) * rng.standard_normal((100, groups))
            latent = effect[:, code] + np.sqrt(1 - shared) * rng.standard_normal((100, len(code)))
            d = np.select([latent < -1, latent > 1], [-1.0, 1.0], 0.0)
            pivot = mean_pivot(d, code)
            p = pivot.p_value(np.zeros(100))
            claims += [[x <= level for level in LEVELS] for x in p]
            half, before = clustered_before(d, code)
            old += [[x <= level for level in LEVELS] for x in before]
            low, high = pivot._rows(slice(0, 8)).interval(0.95)
            width += list((high - low) / (2 * half[:8]))
        yield name, groups, shared, *_rates(claims), *_rates(old), float(np.median(width))


def clustered_before(d: Array, code: Array) -> tuple[Array, Array]:
    from scipy.special import stdtr

    groups, n = int(code.max()) + 1, d.shape[-1]
    parts = np.stack([(d - d.mean(-1, keepdims=True))[:, code == g].sum(-1) for g in range(groups)], -1)
    se = np.sqrt((parts**2).sum(-1) * groups / (groups - 1)) / n
    return t_quantile(groups - 1.0, 0.95) * se, 2 * stdtr(groups - 1.0, -np.abs(d.mean(-1)) / np.maximum(se, 1e-300))


def lopsided(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """A small gain paid for by a rare failure, equal on average; and scores of forecasts."""
    for name, world in LOPSIDED.items():
        for n_items in (10, 20, 30, 50, 100, 200, 400):
            d = world((studies, n_items), rng)
            p = mean_pivot(d, reach=1.0).p_value(np.zeros(studies))
            se = d.std(-1, ddof=1) / np.sqrt(n_items)
            old = [
                [bool(x) for x in row]
                for row in zip(
                    *(np.abs(d.mean(-1)) > t_quantile(n_items - 1.0, 1 - level) * se for level in LEVELS), strict=True
                )
            ]
            yield name, n_items, *(float((p <= level).mean()) for level in LEVELS), *_rates(old)


LOPSIDED: dict[str, Callable[[tuple[int, int], np.random.Generator], Array]] = {
    "gain 0.05, 5 % fail": lambda shape, rng: np.where(rng.random(shape) < 0.05, -1.0, 0.05 / 0.95),
    "noisy gain, 5 % fail": lambda shape, rng: np.where(
        rng.random(shape) < 0.05, -1.0, 0.05 / 0.95 + 0.1 * rng.standard_normal(shape)
    ),
    "skewed": lambda shape, rng: 0.2 * (0.3 - rng.gamma(0.3, 1, shape)),
    "forecasts": lambda shape, rng: _forecasts(0.0, shape, rng),
}


def teams(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Each system rated by its own people, or by one person each drawn from six."""
    for name, n_items in product(("two teams of 3", "two teams of 6", "one of six people each"), (40, 200)):
        claims, widths = [], []
        for _ in range(studies):
            rosters, tables = _rated(name, n_items, rng)
            pivot = rated_pivot(rosters, tables)
            p = float(pivot.p_value(np.zeros(())))
            claims.append([p <= level for level in LEVELS])
            widths.append((float(pivot.variance.total), float(pivot.estimate)))
        spread = np.array(widths)
        ratio = float(np.sqrt(np.mean(spread[:, 0])) / spread[:, 1].std())
        yield name, n_items, *_rates(claims), ratio


def _rated(name: str, n_items: int, rng: np.random.Generator) -> tuple[tuple[Roster, Roster], tuple[Array, Array]]:
    """Marks of outputs of two equal systems: item, person and rest."""
    people = 6 if name.startswith("one") else 2 * int(name.split()[-1])
    habit, quality = 0.5 * rng.standard_normal(people), rng.standard_normal(n_items)
    rosters, tables = [], []
    for side in range(2):
        each = 1 if name.startswith("one") else people // 2
        rater = (
            rng.integers(0, people, (n_items, 1)) if each == 1 else np.tile(np.arange(each) + side * each, (n_items, 1))
        )
        marks = quality[:, None] + habit[rater] + 0.7 * rng.standard_normal(rater.shape)
        item, place = np.repeat(np.arange(n_items), each), np.tile(np.arange(each), n_items)
        rosters.append(Roster(item, rater.reshape(-1), place, n_items, people))
        tables.append(marks)
    return (rosters[0], rosters[1]), (tables[0], tables[1])


def groups(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Groups of items with raters of their own, and no difference between groups: "varies by group"
    said in error."""
    for n_groups, n_raters, n_items in ((4, 3, 30), (4, 6, 30), (10, 6, 30), (4, 10, 100)):
        claims, old = [], []
        for _ in range(studies):
            now, before = [], []
            for _group in range(n_groups):
                first, second = liked("equal", 2, n_raters, n_items, rng)
                d = (first - second).reshape(-1)
                item, rater = np.repeat(np.arange(n_items), n_raters), np.tile(np.arange(n_raters), n_items)
                pivot = crossed_pivot(d, Crossing(item, rater, np.full(len(d), 1 / len(d)), n_items, n_raters))
                now.append((float(pivot.estimate), float(np.sqrt(pivot.variance.total)), float(pivot.variance.df) + 1))
                items = pivot.variance.items
                before.append((float(pivot.estimate), float(np.sqrt(items.variance)), float(items.df) + 1))
            claims.append([heterogeneity(*np.array(now).T)[1] <= level for level in LEVELS])
            old.append([heterogeneity(*np.array(before).T)[1] <= level for level in LEVELS])
        yield n_groups, f"{n_items} × {n_raters}", *_rates(claims), *_rates(old)


def runs(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Two equal systems whose runs are lucky on all items at once: named runs, whole or with answers missing."""
    for kind, n_runs, missing in product(("labels", "numbers"), (2, 3, 5), (0.0, 0.02)):
        claims, old = [], []
        for _ in range(studies):
            raters, both = _answered(kind, n_runs, missing, rng)
            metric = find_metric("agreement" if kind == "labels" else "crps")
            pivot = mean_pivot(score_systems(metric, raters, [each.summary for each in both]).pair(0, 1).differences)
            before = float(pivot.p_value(np.zeros(())))
            pivot = pivot.adding(joined([part for part in _run_parts(metric, raters, both) if part is not None]))
            claims.append([float(pivot.p_value(np.zeros(()))) <= level for level in LEVELS])
            old.append([before <= level for level in LEVELS])
        yield kind, n_runs, missing, *_rates(claims), *_rates(old)


def _answered(kind: str, n_runs: int, missing: float, rng: np.random.Generator) -> tuple[Counts, list[Answers]]:
    """Ratings of 200 items on five levels by three people, and the answers of two systems' runs."""
    n_items, levels = 200, np.arange(5.0)
    quality = rng.standard_normal(n_items)

    def level(latent: Array) -> Array:
        return np.asarray(np.digitize(latent, [-1.2, -0.4, 0.4, 1.2]))

    said = level(quality[:, None] + 0.7 * rng.standard_normal((n_items, 3)))
    raters = Counts(np.stack([(said == x).sum(-1) for x in range(5)], -1), None if kind == "labels" else levels)
    both = []
    for _ in range(2):
        luck = 0.3 * np.abs(rng.standard_normal(n_runs))  # a lucky run errs less, on every item
        answers = level(quality[:, None] + (0.5 + luck) * rng.standard_normal((n_items, n_runs)))
        item, run = (x.reshape(-1) for x in np.indices((n_items, n_runs)))
        kept = (rng.random(len(item)) >= missing) | (run == 0)
        item, run, given = item[kept], run[kept], answers.reshape(-1)[kept]
        counts = np.zeros((n_items, 5), dtype=np.int64)
        np.add.at(counts, (item, given), 1)
        both.append(Answers(Counts(counts, raters.levels), item, run, given))
    return raters, both


def _run_parts(metric: Metric, raters: Counts, both: list[Answers]) -> Iterator[Part | None]:
    for own, other in ((0, 1), (1, 0)):

        def values(answers: Summary, other: int = other) -> Array:
            return score_systems(metric, raters, [answers, both[other].summary]).pair(0, 1).differences

        yield run_part(values, both[own])


def _rates(claims: list[list[bool]]) -> tuple[float, ...]:
    return tuple(float(x) for x in np.mean(claims, axis=0))


NOW, BEFORE = ("5 %", "1 %"), ("before 5 %", "before 1 %")
SECTIONS: dict[str, tuple[tuple[str, ...], Callable[[int, np.random.Generator], Iterator[Row]]]] = {
    "leaderboards": (("world", "systems", "items × raters", *NOW, "before 5 %", "width / Bonferroni"), leaderboards),
    "gates": (("world", "margin", "items", "passes", "before", "equal passes", "before"), gates),
    "pairs": (("raters", "items × raters", *NOW, *BEFORE, "width / before"), pairs_of_systems),
    "clusters": (("sizes", "clusters", "shared", *NOW, *BEFORE, "width / before"), clusters),
    "lopsided": (("differences", "items", *NOW, *BEFORE), lopsided),
    "teams": (("raters", "items", *NOW, "se / spread"), teams),
    "runs": (("answers", "runs", "missing", *NOW, *BEFORE), runs),
    "groups": (("groups", "items × raters", *NOW, *BEFORE), groups),
}

if __name__ == "__main__":
    main()
