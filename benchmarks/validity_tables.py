"""Whether `compare` and `describe` keep their promises, asked as people ask them: tables in, p and intervals out.

Run: `python -m benchmarks.validity_tables [SECTION …] [--studies 2000] [--write]`.

*Few positives*: recall, precision and F1 of two equal systems where few items count. *Gates of set scores*: a system
that is worse by exactly the margin through rare failures, by scores of the whole set. *Leaderboards with gaps*: equal
systems whose outputs were not all marked by the same people. *Clusters whose raters come
back*: documents of items and the same people in all of them. *Alpha with rare positives*: how often its interval holds
the true value. Worlds are plain NumPy, and beside each stands the procedure that was replaced.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
import polars as pl

import quorate
from benchmarks.validity import BEFORE, LEVELS, NOW, Row, Section, clustered_before, run
from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities, Values
from quorate.inference.outcome import symmetric_quantile
from quorate.inference.procedures import Terms, find_procedure
from quorate.inference.resampling import swap_law
from quorate.inference.scored_systems import ScoredPair, score_systems
from quorate.metrics.metric import largest_difference
from quorate.metrics.registry import find_metric

RESAMPLES = 300
POSITIVES = ((40, 2), (200, 2), (40, 5), (200, 10), (200, 40))
SET_SCORES = ("recall", "precision", "f1")


def few_positives(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Two systems that find 7 positives of 10 and call one negative in ten positive, independently."""
    for (n_items, n_positive), metric in product(POSITIVES, SET_SCORES):
        claims, old, bounded = [], [], []
        truth = np.arange(n_items) < n_positive
        for _ in range(studies):
            called = rng.random((2, n_items)) < np.where(truth, 0.7, 0.1)
            pair = compared(labels(truth), called, metric)
            claims.append([pair["p_value"] <= level for level in LEVELS])
            before = influence_p(metric, truth, called)
            old.append([before <= level for level in LEVELS])
            bounded.append(pair["low"] is None or (pair["low"] >= -1 and pair["high"] <= 1))
        yield metric, n_items, n_positive, *_rates(claims), *_rates(old), float(np.mean(bounded))


def compared(ratings: pl.DataFrame, called: Array, metric: str) -> dict[str, float]:
    """Compare two systems that call items positive or not, ``(system, item)``; return their pair."""
    n_items = called.shape[1]
    item, system = np.tile(np.arange(n_items), 2), np.repeat(["A", "B"], n_items)
    answers = {"item": item, "system": system, "response": np.where(called.reshape(-1), "yes", "no")}
    found = quorate.compare(ratings, pl.DataFrame(answers), systems=("A", "B"), metric=metric, positive="yes")
    pair: dict[str, float] = found.to_dict()["pairs"][0]
    return pair


def labels(truth: Array) -> pl.DataFrame:
    """One answer per item: whether it is positive."""
    return pl.DataFrame({"item": np.arange(len(truth)), "response": np.where(truth, "yes", "no")})


def boards_with_gaps(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Five equal systems marked by three or six people with tastes: a mark missing, or other people for each output."""
    for n_raters, per_item in ((3, None), (6, 3)):
        p = np.array([board_p(5, 40, n_raters, per_item, rng) for _ in range(studies)])
        who = "one mark missing" if per_item is None else f"{per_item} for each output"
        yield who, f"40 × {n_raters}", *(float((p <= level).mean()) for level in LEVELS)


def board_p(n_systems: int, n_items: int, n_raters: int, per_item: int | None, rng: np.random.Generator) -> float:
    """The smallest p of a leaderboard of equal systems, all pairs counted."""
    shape = n_systems, n_items, n_raters
    taste, own = rng.normal(0, 0.5, (n_systems, 1, n_raters)), rng.normal(0, 0.7, (n_systems, n_items, 1))
    marks = (3 + taste + own + rng.normal(0, 0.7, shape)).round().clip(1, 5)
    there = np.ones(shape, bool) if per_item is None else rng.random(shape).argsort(-1) < per_item
    there[0, 0, 0] &= per_item is not None
    system, item, rater = (each[there] for each in np.indices(shape))
    table = pl.DataFrame({"item": item, "rater": rater, "system": system, "response": marks[there]})
    pairs = quorate.compare(table, rated_system="system").pairs
    return min(1.0 if pair.p_adjusted is None else pair.p_adjusted for pair in pairs)


SET_GATES = ((30, 0.1), (50, 0.1), (100, 0.1), (200, 0.05))


def set_gates(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """A right system, and one that fails so rarely that it scores less by exactly the margin; half are positive."""
    for metric, (n_items, margin) in product(("recall", "precision", "f1", "auc", "spearman"), SET_GATES):
        passes, equals = [], []
        for _ in range(studies):
            passes.append(set_gate(metric, n_items, margin, rng))
            equals.append(_passes(_noisy(metric, n_items, rng), margin, rng))
        yield metric, margin, n_items, *np.mean(passes, axis=0).tolist(), *np.mean(equals, axis=0).tolist()


def set_gate(metric: str, n_items: int, margin: float, rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether a gate passes a system that is worse by exactly the margin, and whether it did before."""
    return _passes(_failing(metric, n_items, margin, rng), margin, rng)


def _failing(metric: str, n_items: int, margin: float, rng: np.random.Generator) -> ScoredPair:
    """The system that fails against the one that is always right."""
    fails, half = rng.random(n_items), np.arange(n_items) < n_items // 2
    if metric == "spearman":
        truth = rng.random(n_items)
        return _ranked(truth, np.where(fails < margin, rng.random(n_items), truth), truth)
    share = {"precision": margin / (1 - margin), "f1": 2 * margin / (1 + margin)}.get(metric, margin)
    if metric == "auc":
        right = np.where(half, 0.8, 0.2) + 0.1 * rng.random(n_items)
        return _called(metric, half, np.where(half & (fails < share), 0.1 * rng.random(n_items), right), right)
    new = half | (fails < share) if metric == "precision" else half & (fails >= share)
    return _called(metric, half, new.astype(float), half.astype(float))


def _noisy(metric: str, n_items: int, rng: np.random.Generator) -> ScoredPair:
    """Two equal systems that err now and then."""
    half = np.arange(n_items) < n_items // 2
    if metric == "spearman":
        truth = rng.standard_normal(n_items)
        return _ranked(truth, *(truth + 0.3 * rng.standard_normal(n_items) for _ in range(2)))
    if metric == "auc":
        return _called(metric, half, *(1 / (1 + np.exp(2.0 - 4 * half - rng.standard_normal((2, n_items))))))
    return _called(metric, half, *np.where(rng.random((2, n_items)) < 0.05, ~half, half).astype(float))


def _called(metric: str, truth: Array, *positive: Array) -> ScoredPair:
    """Two systems by how far they call each item positive."""
    raters = Counts(np.stack([~truth, truth], -1).astype(np.int64))
    shares = [np.stack([1 - each, each], -1) for each in positive]
    systems = [Probabilities(each) if metric == "auc" else Counts(each.astype(np.int64)) for each in shares]
    return score_systems(find_metric(metric, positive=1), raters, systems).pair(0, 1)


def _ranked(*answers: Array) -> ScoredPair:
    raters, *systems = (Values(each[:, None], np.ones(len(each), dtype=np.int64)) for each in answers)
    return score_systems(find_metric("spearman"), raters, systems).pair(0, 1)


def _passes(pair: ScoredPair, margin: float, rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether a gate passes the first of two systems, and whether the law of swaps alone did."""
    reach, seed = largest_difference(pair.metric, [pair.a, pair.b]), int(rng.integers(2**31))
    terms = Terms(np.random.default_rng(seed), reach=reach, unseen=True)
    now = find_procedure("default").run(pair, terms)
    law = swap_law(pair.form, 999, studentised=True, rng=np.random.default_rng(seed)) if pair.form else np.zeros(0)
    se = float(pair.differences.std(ddof=1) / np.sqrt(len(pair.differences)))
    if se < 1e-12:  # identical: of all items, positive or not, one might have failed
        before = (0.025 ** (1 / len(pair.differences)) - 1) * reach
    else:
        before = float(pair.differences.mean() - symmetric_quantile(law) * se)
    return bool(now.low > -margin), bool(before > -margin)


def influence_p(metric: str, truth: Array, called: Array) -> float:
    """The p-value of what was replaced: Student's t of influences, and ``2^(1 − N)`` where nothing varies."""
    from scipy.special import stdtr

    hit, n_items = called & truth, len(truth)
    parts = {
        "recall": (hit, np.broadcast_to(truth, hit.shape)),
        "precision": (hit, called),
        "f1": (2 * hit, called.astype(int) + truth),
    }
    above, below = (each.astype(float) for each in parts[metric])
    score = above.sum(1) / np.maximum(below.sum(1), 1)
    influence = (above - score[:, None] * below) / np.maximum(below.mean(1), 1e-9)[:, None]
    values, difference = influence[0] - influence[1], float(score[0] - score[1])
    se = float(values.std(ddof=1)) / np.sqrt(n_items)
    if difference == 0:
        return 1.0
    return 2.0 ** (1 - n_items) if se < 1e-12 else float(2 * stdtr(n_items - 1, -abs(difference) / se))


def clusters_with_raters(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Documents of items, people who rate in all of them, two equal systems; *before* leaves the people out."""
    for (docs, each), n_raters, leaning in product(((10, 10), (25, 4)), (3, 6, 10), (0.0, 0.5)):
        found = np.array([cluster_p_values(docs, each, n_raters, leaning, rng) for _ in range(studies)])
        rates = [float((side <= level).mean()) for side in found.T for level in LEVELS]
        yield f"{docs} × {each}", n_raters, "leaning" if leaning else "alike", *rates


def cluster_p_values(
    docs: int, each: int, n_raters: int, leaning: float, rng: np.random.Generator
) -> tuple[float, float]:
    """The p-value of one study of documents, and that of documents alone."""
    doc = np.repeat(np.arange(docs), each)
    liked = _liked(doc, n_raters, leaning, rng)
    item, rater = (x.reshape(-1) for x in np.indices(liked.shape[1:]))
    pair = _rated(item, rater, doc[item], liked)
    difference = (liked[0].astype(float) - liked[1]).mean(1)
    return pair["p_value"], float(clustered_before(difference[None], doc)[1][0])


def _liked(doc: Array, n_raters: int, leaning: float, rng: np.random.Generator) -> Array:
    """Who likes whose output, ``(system, item, rater)``: documents suit a system, and people have tastes."""
    shared = np.sqrt(0.3) * rng.standard_normal((2, int(doc.max()) + 1))[:, doc]
    own = np.sqrt(0.7) * rng.standard_normal((2, len(doc)))
    taste = leaning * rng.standard_normal((2, 1, n_raters))
    return np.asarray(rng.random((2, len(doc), n_raters)) < 1 / (1 + np.exp(-(shared + own)[..., None] - taste)))


def _rated(item: Array, rater: Array, doc: Array, liked: Array) -> dict[str, float]:
    marks = {"item": item, "rater": rater, "doc": doc}
    parts = [
        pl.DataFrame({**marks, "system": [name] * len(item), "response": side.reshape(-1).astype(int)})
        for name, side in zip("AB", liked, strict=True)
    ]
    found = quorate.compare(pl.concat(parts), rated_system="system", metric="mean_rating", unit="cluster:doc")
    pair: dict[str, float] = found.to_dict()["pairs"][0]
    return pair


def rare_alpha(studies: int, rng: np.random.Generator) -> Iterator[Row]:
    """Items with chances Beta(m, 1 − m) of being positive, three raters each: alpha is ½."""
    for mean, n_items in product((0.01, 0.03, 0.1, 0.4), (50, 200)):
        held: list[list[bool]] = []
        old: list[list[bool]] = []
        widths: list[float] = []
        while len(held) < studies:
            counts = rng.binomial(3, rng.beta(mean, 1 - mean, n_items))
            if not 0 < counts.sum() < 3 * n_items:
                continue  # nothing varies: there is no alpha
            table = pl.DataFrame({"item": np.repeat(np.arange(n_items), 3), "response": _votes(counts)})
            made = {level: quorate.describe(table, confidence=1 - level).to_dict()["agreement"] for level in LEVELS}
            low, high = bootstrap_alpha(counts, rng)
            held.append([made[level]["low"] <= 0.5 <= made[level]["high"] for level in LEVELS])
            old.append([low[k] <= 0.5 <= high[k] for k in range(len(LEVELS))])
            widths.append((made[0.05]["high"] - made[0.05]["low"]) / max(float(high[0] - low[0]), 1e-9))
        yield mean, n_items, *_rates(held), *_rates(old), float(np.median(widths))


def _votes(counts: Array) -> Array:
    return np.where((np.arange(3) < counts[:, None]).reshape(-1), "yes", "no")


def bootstrap_alpha(counts: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """The percentile interval of alpha of items drawn again, at each level, ``(level,)``."""
    rows = counts[rng.integers(0, len(counts), (RESAMPLES, len(counts)))]
    n, yes = 3.0 * len(counts), rows.sum(1)
    apart = (rows * (3 - rows)).sum(1) / (n * (3 - 1))  # half the observed disagreement, as below
    with np.errstate(invalid="ignore"):
        alpha = 1 - apart / (yes * (n - yes) / (n * (n - 1)))
    ends = [np.nanquantile(alpha, [level / 2, 1 - level / 2]) for level in LEVELS]
    low, high = np.array(ends).T
    return low, high


def _rates(claims: list[list[bool]]) -> tuple[float, ...]:
    return tuple(float(x) for x in np.mean(claims, axis=0))


HELD = ("holds, 95 %", "99 %", "before 95 %", "before 99 %")
SECTIONS: dict[str, Section] = {
    "few positives": (("score", "items", "positives", *NOW, *BEFORE, "interval possible"), few_positives),
    "gates of set scores": (
        ("score", "margin", "items", "passes", "before", "equal passes", "before"),
        set_gates,
    ),
    "leaderboards with gaps": (("raters", "items × raters", *NOW), boards_with_gaps),
    "clusters whose raters come back": (("documents × items", "raters", "they", *NOW, *BEFORE), clusters_with_raters),
    "alpha with rare positives": (("share positive", "items", *HELD, "width / before"), rare_alpha),
}

if __name__ == "__main__":
    run(SECTIONS, __doc__ or "")
