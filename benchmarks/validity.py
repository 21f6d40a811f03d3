"""Whether `compare` keeps its promises where real evaluations live.

Run: `python -m benchmarks.validity [SECTION …] [--studies 2000] [--write]`.

Worlds are plain NumPy and share no code with `quorate`: people with leanings who say yes or no,
systems that are equally good, or worse by exactly the margin. Each study is judged by the functions
behind `compare`; every row says how often it claims what is not so at 5 % and at 1 %, what the
procedure it replaced did, and what the mend costs in width. `--write` puts the tables into
docs/methods/calibration.md.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

from quorate._typing import Array
from quorate.data.answers import Answers
from quorate.data.summaries import Counts, Means, Summary
from quorate.inference.crossed import Crossing, crossed_pivot
from quorate.inference.joint_errors import ErrorColumns, error_columns
from quorate.inference.means import mean_pivot
from quorate.inference.multiplicity import JointErrors, heterogeneity, max_t, smallest_tails
from quorate.inference.pivot import Pivot
from quorate.inference.roster import Roster, rated_pivot, split_pivot
from quorate.inference.runs import joined, run_part, satterthwaite
from quorate.inference.scored_systems import score_split, score_systems
from quorate.inference.uncertain_variance import Part, UncertainVariance, t_quantile
from quorate.metrics.metric import Metric, largest_difference
from quorate.metrics.registry import find_metric

PAGE = Path("docs/methods/calibration.md")
LEVELS = (0.05, 0.01)
DRAWS, COMPARED, WIDTHS = 1000, 50, 200
"""Draws of a family's errors, a twentieth of what `compare` takes, studies judged the old way too, and studies whose
widths are compared."""
BEST = 0.35
"""How much more the best system is liked than the least, on the logit, where systems differ."""

Row = tuple[object, ...]
Section = tuple[tuple[str, ...], Callable[[int, np.random.Generator], Iterator[Row]]]
"""The head of a table, and what makes its rows."""


def run(sections: dict[str, Section], words: str) -> None:
    """Print the tables of the sections that are asked for, or put them into their page."""
    parser = argparse.ArgumentParser(description=words)
    parser.add_argument("sections", nargs="*", default=list(sections))
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE}")
    given = parser.parse_args()
    for name in given.sections:
        head, rows = sections[name]
        lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
        print(f"\n### {name}\n\n{lines[0]}\n{lines[1]}", flush=True)
        for row in rows(given.studies, np.random.default_rng(given.seed)):
            cells = (f"{x:.3f}" if isinstance(x, float) else str(x) for x in row)
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
            if given.write:  # row by row: what was found stays, should the rest not be waited for
                PAGE.write_text(with_table(PAGE.read_text(), name, lines))


def with_table(page: str, name: str, lines: list[str]) -> str:
    """Return the page with the first table below the section's heading replaced."""
    before, heading, rest = page.partition(f"### {name.capitalize()}\n")
    if not heading:
        raise SystemExit(f"{PAGE} has no section '{name.capitalize()}'.")
    words, _, tail = rest.partition("\n|")
    table, gap, after = tail.partition("\n\n")
    assert table, "a section has a table"
    return f"{before}{heading}{words}\n" + "\n".join(lines) + f"{gap}{after}"


Board = tuple[str, int, int, int, int | None]
"""World, systems, raters, items, and raters per item where not all rate all."""


def leaderboards(boards: list[Board], studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Systems with the same raters: the chance of any false claim, and whether the best could be best."""
    for world, n_systems, n_raters, n_items, per_item in boards:
        found = [
            judge_leaderboard(
                liked(world, n_systems, n_raters, n_items, rng),
                seats(n_items, n_raters, per_item, rng),
                rng,
                compared=study < COMPARED,
            )
            for study in range(studies)
        ]
        p, best, before, width = np.array(found).T
        claims = [float(np.mean(p <= level)) for level in LEVELS]
        old = float(np.mean(before[:COMPARED] <= LEVELS[0]))
        rates = ("–",) * 3 if world == "unlike" else (*claims, old)
        size = f"{n_items} × {n_raters}" + ("" if per_item is None else f", {per_item} each")
        yield world, n_systems, size, *rates, float(np.mean(best > LEVELS[0])), float(np.nanmedian(width))


def equal_boards(n_systems: int) -> list[Board]:
    sizes: list[tuple[int, int, int | None]] = []
    for n_items in (60, 300):
        sizes += [(raters, n_items, None) for raters in (3, 6, 10, 4)]
        sizes += [(raters, n_items, 3) for raters in (6, 10, 4)]
    return [("equal", n_systems, *size) for size in sizes]


def unequal_boards() -> list[Board]:
    sizes = product((10, 5), (3, 6), ("0.5 to 1.5", "one 3 times", "unlike", "one leaning"))
    return [(world, systems, raters, 60, None) for systems, raters, world in sizes]


def unequal_spreads() -> list[Board]:
    """Systems that split raters unlike, in the sizes that the other boards of unequal systems leave out."""
    designs: list[tuple[int, int, int | None]] = [(4, 60, None), (10, 60, None), (6, 60, 3)]
    designs += [(3, 300, None), (6, 300, None), (6, 300, 3)]
    sizes = [(systems, *design) for systems in (5, 10) for design in designs]
    sizes += [
        (20, 3, 60, None),
        (20, 6, 60, None),
        (20, 10, 60, None),
        (20, 6, 60, 3),
        (20, 4, 300, None),
        (20, 6, 300, 3),
    ]
    return [(world, *size) for size in sizes for world in ("0.5 to 1.5", "one 3 times")]


def liked(world: str, n_systems: int, n_raters: int, n_items: int, rng: np.random.Generator) -> Array:
    """Who likes whose output: 0 or 1, ``(system, item, rater)``; all systems are liked equally
    often by all people."""
    spread = {"0.5 to 1.5": rng.uniform(0.5, 1.5, n_systems), "one 3 times": np.r_[3.0, np.ones(n_systems - 1)]}
    taste = 0.5 * spread.get(world, np.ones(n_systems))[:, None] * rng.standard_normal((n_systems, n_raters))
    if world == "one leaning":  # everybody differs along one line only
        taste = np.linspace(-1, 1, n_systems)[:, None] * rng.standard_normal(n_raters)
    quality = rng.standard_normal((n_systems, n_items))
    if world == "unlike":  # the first is best, the last the least liked
        quality += np.linspace(BEST, 0.0, n_systems)[:, None]
    chance = 1 / (1 + np.exp(-taste[:, None, :] - quality[..., None]))
    return np.asarray(rng.random(chance.shape) < chance, dtype=float)


def seats(n_items: int, n_raters: int, per_item: int | None, rng: np.random.Generator) -> Array:
    """Who rates which item, ``(item, seat)``."""
    order = np.argsort(rng.random((n_items, n_raters)), axis=1)
    return order if per_item is None else order[:, :per_item]


def judge_leaderboard(
    values: Array, rater: Array, rng: np.random.Generator, *, compared: bool
) -> tuple[float, float, float, float]:
    """Return the smallest adjusted p, that at which the first system is called worse than another, the
    smallest of the old family, and the width over Bonferroni's on R − 1.

    Where even the estimated spread, which no p-value goes below, makes no claim at 5 %, p is that bound.
    """
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
    first, second = np.array(pairs).T
    together = crossed_pivot((liked[first] - liked[second]).astype(float), rosters[0].crossing)
    errors = error_columns(scored, pairs, [], rosters)
    joint, key = JointErrors([errors], n_items - 1.0, n_items / (n_items - 1)), int(rng.integers(2**32))
    bound = 0.0 if compared else _least_p(together, errors, joint, np.random.default_rng(key))
    if bound > LEVELS[0]:
        return bound, bound, np.nan, np.nan
    pivots = [_row(together, k) for k in range(len(pairs))]
    moderated = [errors.moderated(pivot, k) for k, pivot in enumerate(pivots)]
    family = max_t(moderated, [joint], confidence=0.95, rng=np.random.default_rng(key), draws=DRAWS)
    smallest = float(np.nanmin(family.p_adjusted))
    beaten = float(np.nanmin(np.where((first == 0) & (together.estimate < 0), family.p_adjusted, 1.0)))
    if not compared:
        return smallest, beaten, np.nan, np.nan
    return smallest, beaten, _old_family(pivots, rng), _width(moderated, family.confidence, pivots)


def _row(together: Pivot, k: int) -> Pivot:
    """One of many pivots."""
    one = together._rows(slice(k, k + 1))
    parts = tuple(
        replace(part, variance=part.variance[0], less=np.asarray(part.less)[0]) for part in one.variance.others
    )
    items = replace(one.variance.items, variance=one.variance.items.variance[0])
    return replace(one, estimate=one.estimate[0], units=one.units[0], variance=UncertainVariance(items, parts))


def _least_p(together: Pivot, errors: ErrorColumns, joint: JointErrors, rng: np.random.Generator) -> float:
    """A bound of all adjusted p-values: the variance of a true difference of 0 only makes them larger."""
    from scipy.special import stdtr

    assert errors.raters is not None
    [own], items = together.variance.others, together.variance.items
    raters = np.array([float(errors.raters.part(contrast).variance) for contrast in errors.contrasts])
    se = np.sqrt(items.variance + np.maximum(raters - own.less, 0.0))
    df = np.full(len(se), max(min(float(np.mean(items.df)), errors.raters.mean_df), 1.0))
    judged = se > 0
    tails = smallest_tails([joint], se, df, judged, np.zeros(len(se), bool), DRAWS, rng)
    far = np.abs(together.estimate[judged]) / se[judged]
    return float(((tails <= stdtr(df[0], -far.max())).sum() + 1.0) / (DRAWS + 1.0))


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


def unseen_failures(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Marks between 0 and 1 that are rarely 0, worse by the margin or just at a bar.

    Before, only marks that were seen were possible, and against a bar failures that had not shown did not count.
    """
    metric = find_metric("mean_rating")
    for (name, marks), (n_items, loss) in product(MARKS.items(), ((30, 0.05), (60, 0.02), (100, 0.05))):
        passed = np.zeros((studies, 4), dtype=bool)
        for study in range(studies):
            values, chances = marks
            old = rng.choice(values, n_items, p=chances)
            mean = float(np.dot(values, chances))
            new = np.where(rng.random(n_items) < loss / mean, 0.0, old)
            of_seen = float(max(new.max(), old.max()) - min(new.min(), old.min()))
            reach = largest_difference(metric, [Means(each, np.ones(n_items)) for each in (new, old)])
            pair, bar = mean_pivot(new - old, reach=reach, unseen=True), mean - loss - 0.5
            score = mean_pivot(new - 0.5, reach=0.5, mirrored=False)
            passed[study] = (
                _reaches(pair, -loss),
                _reaches(replace(pair, reach=of_seen), -loss) if of_seen else True,
                _reaches(replace(score, unseen=True), bar),
                _reaches(score, bar) if np.ptp(new) else True,
            )
        yield name, loss, n_items, *(float(rate) for rate in passed.mean(0))


MARKS = {
    "all right": ([1.0], [1.0]),
    "shares": ([0.92, 0.94, 0.95, 0.96, 0.98], [0.2] * 5),
    "grades": ([0.5, 1.0], [0.1, 0.9]),
}


def _reaches(pivot: Pivot, at: float) -> bool:
    return bool(pivot.estimate > at) and bool(pivot.p_value(np.asarray(at)) <= 0.05)


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
            pivot = mean_pivot(d, reach=1.0)
            p, some = pivot.p_value(np.zeros(studies)), mean_pivot(d[:WIDTHS], reach=1.0)
            se = d.std(-1, ddof=1) / np.sqrt(n_items)
            low, high = some.interval(0.95)
            wider = (high - low) / np.maximum(2 * t_quantile(n_items - 1.0, 0.95) * se[:WIDTHS], 1e-300)
            old = [
                [bool(x) for x in row]
                for row in zip(
                    *(np.abs(d.mean(-1)) > t_quantile(n_items - 1.0, 1 - level) * se for level in LEVELS), strict=True
                )
            ]
            varied = wider[se[:WIDTHS] > 1e-12]
            wider = float(np.median(varied)) if len(varied) else np.nan
            yield name, n_items, *(float((p <= level).mean()) for level in LEVELS), *_rates(old), wider


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


def unpaired(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Each output of an item marked by other people of one pool, who come back on other items; two equal systems."""
    sizes = product(((6, 1), (6, 3), (12, 3), (30, 2)), (40, 200), (0.0, 0.3))
    for (people, each), n_items, taste in sizes:
        made = (unpaired_pivots(n_items, people, each, taste, rng) for _ in range(studies))
        yield f"{each} of {people}", n_items, taste, *_beside(made)


def unpaired_pivots(
    n_items: int, people: int, each: int, taste: float, rng: np.random.Generator
) -> tuple[Pivot, Pivot]:
    """The pivot of one study, and that of items alone; a person has habits, and a taste for each system."""
    habit, quality = 0.5 * rng.standard_normal(people), rng.standard_normal((n_items, 1))
    likes, seat = taste * rng.standard_normal((2, people)), np.argsort(rng.random((n_items, people)), 1)
    rosters, tables = [], []
    for side in range(2):
        rater = np.sort(seat[:, side * each : (side + 1) * each], 1)
        own = quality + 0.4 * rng.standard_normal((n_items, 1))
        tables.append(own + habit[rater] + likes[side, rater] + 0.7 * rng.standard_normal(rater.shape))
        item, place = np.repeat(np.arange(n_items), each), np.tile(np.arange(each), n_items)
        rosters.append(Roster(item, rater.reshape(-1), place, n_items, people))
    return rated_pivot((rosters[0], rosters[1]), (tables[0], tables[1])), mean_pivot((tables[0] - tables[1]).mean(1))


def splits(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """A/B split: each item is answered by one of two equal systems, and people rate items of both."""
    sizes = ((60, 3, 3, 0.5), (60, 6, 6, 0.5), (60, 6, 3, 0.2), (300, 6, 3, 0.5), (300, 12, 3, 0.2))
    for (n_items, n_raters, per_item, share), leaning in product(sizes, (0.0, 0.5)):
        made = (split_pivots(n_items, n_raters, per_item, share, leaning, rng) for _ in range(studies))
        size = f"{n_items} × {n_raters}, {per_item} each"
        yield "leaning" if leaning else "alike", size, f"{share:.0%}", *_beside(made)


def split_pivots(
    n_items: int, n_raters: int, per_item: int, share: float, leaning: float, rng: np.random.Generator
) -> tuple[Pivot, Pivot]:
    """The pivot of one study, and that of items alone."""
    rater, mine = seats(n_items, n_raters, per_item, rng), np.arange(n_items) < share * n_items
    taste = leaning * rng.standard_normal((2, n_raters))[(~mine[:, None]).astype(int), rater]
    quality = rng.standard_normal(n_items)[:, None]
    said = (rng.random(rater.shape) < 1 / (1 + np.exp(-quality - taste))).astype(np.int64)
    yes = Counts(np.tile([0, 1], (n_items, 1)))
    votes = Counts(np.stack([(said == 0).sum(-1), (said == 1).sum(-1)], -1))
    systems = score_split(find_metric("agreement"), votes, [yes, yes], [np.flatnonzero(mine), np.flatnonzero(~mine)])
    roster = Roster(np.repeat(np.arange(n_items), per_item), rater.reshape(-1), said.reshape(-1), n_items, n_raters)
    return split_pivot(systems, 0, 1, roster), split_pivot(systems, 0, 1, None)


def strange(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Raters and scores of other kinds than ours: two equal systems, everybody rates everything."""
    for name, (n_items, n_raters) in product(STRANGE, ((60, 3), (60, 6), (300, 4))):
        claims, old = [], []
        for _ in range(studies):
            d = STRANGE[name](n_items, n_raters, rng)
            kept = np.ones(d.shape, dtype=bool)
            kept[0, 0] = name != "one answer missing"
            item, rater = np.nonzero(kept)
            weight = 1 / (n_items * kept.sum(-1)[item])
            pivot = crossed_pivot(d[kept], Crossing(item, rater, weight, n_items, n_raters))
            p = float(pivot.p_value(np.zeros(())))
            claims.append([p <= level for level in LEVELS])
            estimate, total, df = _satterthwaite(pivot)
            old.append([abs(estimate) > t_quantile(df, 1 - level) * np.sqrt(total) for level in LEVELS])
        yield name, f"{n_items} × {n_raters}", *_rates(claims), *_rates(old)


def _sided(lean: Array, n_items: int, rng: np.random.Generator) -> Array:
    """Who sides with A (1) or B (−1): an item's own chance, and each rater's leaning."""
    logit = rng.standard_normal(n_items)[:, None] + lean
    return np.where(rng.random(logit.shape) < 1 / (1 + np.exp(-logit)), 1.0, -1.0)


def _spammers(n_items: int, n_raters: int, rng: np.random.Generator) -> Array:
    d = _sided(0.5 * rng.standard_normal(n_raters), n_items, rng)
    d[:, 0] = rng.choice([-1.0, 1.0], n_items)  # one says anything
    return d


def _beta(n_items: int, n_raters: int, rng: np.random.Generator) -> Array:
    """Each rater has a chance of her own to side with A, most of them far from a half, and hardly any with the item."""
    return np.where(rng.random((n_items, n_raters)) < rng.beta(1.5, 1.5, n_raters), 1.0, -1.0)


STRANGE: dict[str, Callable[[int, int, np.random.Generator], Array]] = {
    "one answer missing": lambda n, r, rng: _sided(0.5 * rng.standard_normal(r), n, rng),
    "two camps": lambda n, r, rng: _sided(rng.choice([-0.8, 0.8], r), n, rng),
    "one extreme in five": lambda n, r, rng: _sided(rng.choice([-2.0, 0.0, 2.0], r, p=[0.1, 0.8, 0.1]), n, rng),
    "a spammer": _spammers,
    "beta-binomial": _beta,
    "heavy tails": lambda n, r, rng: rng.standard_t(2.5, (n, r)) + rng.standard_t(3, (n, 1)) + rng.standard_t(3, r) / 3,
}


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
        claims, old, widths = [], [], []
        for study in range(studies):
            raters, both = _answered(kind, (n_runs, n_runs), missing, rng)
            metric = find_metric("agreement" if kind == "labels" else "crps")
            pivot = mean_pivot(score_systems(metric, raters, [each.summary for each in both]).pair(0, 1).differences)
            before, plain = float(pivot.p_value(np.zeros(()))), pivot
            pivot = pivot.adding(joined([part for part in _run_parts(metric, raters, both) if part is not None]))
            claims.append([float(pivot.p_value(np.zeros(()))) <= level for level in LEVELS])
            old.append([before <= level for level in LEVELS])
            widths += [_wider(pivot, plain)] if study < WIDTHS else []
        yield kind, n_runs, missing, *_rates(claims), *_rates(old), float(np.median(widths))


def unequal_runs(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Two equal systems, one with more runs; before, Satterthwaite's degrees of freedom, which a chance can raise."""
    metric = find_metric("agreement")
    for n_runs in ((2, 3), (2, 5), (2, 10), (3, 10), (5, 10)):
        pivots, befores = [], []
        for _ in range(studies):
            raters, both = _answered("labels", n_runs, 0.0, rng)
            pivot = mean_pivot(score_systems(metric, raters, [each.summary for each in both]).pair(0, 1).differences)
            parts = [part for part in _run_parts(metric, raters, both) if part is not None]
            [part] = joined(parts)
            df = satterthwaite([float(each.variance) for each in parts], [float(each.df) for each in parts])
            pivots.append(pivot.adding([part]))
            befores.append(pivot.adding([replace(part, df=df)]))
        p, old = (np.array([float(each.p_value(np.zeros(()))) for each in some]) for some in (pivots, befores))
        widths = [_wider(*each) for each in zip(pivots[:WIDTHS], befores[:WIDTHS], strict=True)]
        rates = [float((each <= level).mean()) for each in (p, old) for level in LEVELS]
        yield f"{n_runs[0]} and {n_runs[1]}", *rates, float(np.median(widths))


def _answered(
    kind: str, runs_of: tuple[int, int], missing: float, rng: np.random.Generator
) -> tuple[Counts, list[Answers]]:
    """Ratings of 200 items on five levels by three people, and the answers of two systems' runs."""
    n_items, levels = 200, np.arange(5.0)
    quality = rng.standard_normal(n_items)

    def level(latent: Array) -> Array:
        return np.asarray(np.digitize(latent, [-1.2, -0.4, 0.4, 1.2]))

    said = level(quality[:, None] + 0.7 * rng.standard_normal((n_items, 3)))
    raters = Counts(np.stack([(said == x).sum(-1) for x in range(5)], -1), None if kind == "labels" else levels)
    both = []
    for n_runs in runs_of:
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


def _beside(made: Iterator[tuple[Pivot, Pivot]]) -> tuple[float, ...]:
    """How often each of two procedures claims, and how much wider the first is in the first studies."""
    found, widths = [], []
    for study, pivots in enumerate(made):
        found.append([float(pivot.p_value(np.zeros(()))) for pivot in pivots])
        widths += [_wider(*pivots)] if study < WIDTHS else []
    claims = [float((side <= level).mean()) for side in np.array(found).T for level in LEVELS]
    return *claims, float(np.median(widths))


def _wider(now: Pivot, before: Pivot) -> float:
    """The width of an interval over that of another."""
    ends = [pivot.interval(0.95) for pivot in (now, before)]
    wide, narrow = (float(high - low) for low, high in ends)
    return wide / max(narrow, 1e-300)


def _rates(claims: list[list[bool]]) -> tuple[float, ...]:
    return tuple(float(x) for x in np.mean(claims, axis=0))


NOW, BEFORE, WIDER = ("5 %", "1 %"), ("before 5 %", "before 1 %"), "width / before"
BOARD = ("world", "systems", "items × raters", *NOW, "before 5 %", "best kept", "width / Bonferroni")
SECTIONS: dict[str, Section] = {
    "leaderboards of 20": (BOARD, partial(leaderboards, equal_boards(20))),
    "leaderboards of unequal systems": (BOARD, partial(leaderboards, unequal_boards())),
    "unequal spreads": (BOARD, partial(leaderboards, unequal_spreads())),
    "leaderboards of 10": (BOARD, partial(leaderboards, equal_boards(10))),
    "leaderboards of 5": (BOARD, partial(leaderboards, equal_boards(5))),
    "gates": (("world", "margin", "items", "passes", "before", "equal passes", "before"), gates),
    "unseen failures": (("marks", "loss", "items", "gate passes", "before", "bar reached", "before"), unseen_failures),
    "one pair, raters drawn": (("raters", "items × raters", *NOW, *BEFORE, WIDER), pairs_of_systems),
    "clusters": (("sizes", "clusters", "shared", *NOW, *BEFORE, WIDER), clusters),
    "lopsided differences": (("differences", "items", *NOW, *BEFORE, WIDER), lopsided),
    "teams": (("raters", "items", *NOW, "se / spread"), teams),
    "unpaired marks": (("raters of an output", "items", "tastes", *NOW, *BEFORE, WIDER), unpaired),
    "runs": (("answers", "runs", "missing", *NOW, *BEFORE, WIDER), runs),
    "unequal runs": (("runs", *NOW, *BEFORE, WIDER), unequal_runs),
    "splits": (("raters", "items × raters", "items of A", *NOW, *BEFORE, WIDER), splits),
    "strange worlds": (("world", "items × raters", *NOW, *BEFORE), strange),
    "groups": (("groups", "items × raters", *NOW, *BEFORE), groups),
}

if __name__ == "__main__":
    run(SECTIONS, __doc__ or "")
