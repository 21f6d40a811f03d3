"""Worlds to try `estimate` on: simulated crowds, public data sets with experts, crowds that chose between intervals."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.unseen_crowds import UNSEEN
from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.assistance import Assistance
from quorate.estimating.derivatives import Labels
from quorate.estimating.evidence import Evidence, correct_labels, share_labels
from quorate.estimating.label_metrics import LabelMetric, class_metrics, default_metrics
from quorate.estimating.methods.assisted import derive_metric
from quorate.estimating.voters import NamedVotes
from quorate.populations.crowds import Crowd, choose_experts, irt_crowd, maven_crowd


@dataclass(frozen=True)
class World:
    """A kind of study: every item's truth is known, and experts' labels are hidden anew in each split."""

    draw: Callable[[np.random.Generator], Evidence]  # all items labelled, with truth
    shares: tuple[float, ...]  # of experts, or their number from 2 on
    threshold: float = 0.5
    hide: Callable[[Evidence, float, np.random.Generator], Evidence] | None = None  # chooses experts; else at random
    population: bool = False
    fixed: bool = False  # whether every split has the same items, votes and scores
    group: Callable[[Evidence], Array] | None = None  # judged within this group only
    target: Callable[[], dict[str, float]] | None = None  # the population's values, where they are meant
    metrics: tuple[str, ...] = ()  # of classes with names; else what applies


def worlds(data: Path) -> dict[str, World]:
    """Every world by name; real ones only where the data are."""
    two = ((1.0, 1.5), (0.7, 2.0))
    simulated = {
        "irt": World(partial(_irt, 10_000), (0.02, 0.05, 0.1, 0.2, 0.4), 1.0),
        "irt, two systems": World(partial(_irt, 10_000, scores=two), (0.05,), 1.0),
        "irt, nameless voters": World(partial(_irt, 10_000, named=False), (0.05,), 1.0),
        "maven": World(_maven, (0.1,), 1.0),
        "useless": World(partial(_irt, 10_000, scores=((0.0, 0.0),)), (0.05,), 0.0),
        "echo": World(partial(_irt, 10_000, scores=((0.0, 2.0),)), (0.05,), 1.0),
        "10 % positives": World(partial(_irt, 4_000, positive=0.1), (50, 100), 1.0),
        "1 % positives": World(partial(_irt, 10_000, positive=0.01), (400,), 1.0),
        "five classes": World(_classes, (0.05, 0.2)),
        "41 grades": World(_grades, (0.05, 0.2), metrics=("mean_truth", "mean_error", "within_one", "accuracy")),
        "adversarial votes": World(_against, (0.05,), 1.0),
        "one voter": World(partial(_irt, 2_000, n_votes=1, n_voters=1), (0.1,), 1.0),
        "tied scores": World(_tied, (0.1,), 0.5),
        "40 items": World(partial(_irt, 40), (10, 20), 1.0),
        "weights": World(partial(_irt, 4_000), (0.1,), 1.0, hide=_by_score),
        "group": World(partial(_irt, 10_000), (0.1,), 1.0, group=lambda e: np.arange(e.n_items) % 10 == 0),
        "population": World(_drawn, (0.3,), 1.0, population=True, target=_target),
        "clusters": World(_clustered, (0.1,), 1.0, hide=_whole_clusters),
        "experts err, corrected": World(partial(_irt, 4_000), (0.2,), 1.0, hide=partial(_erring, again=0.25)),
    }
    real = {
        "dices_350": World(partial(_gold, data / "dices_350", "Yes"), (0.1, 0.2, 0.4)),
        "zencrowd_us": World(partial(_gold, data / "zencrowd_us", "1"), (0.02, 0.05, 0.2, 0.4)),
        "zencrowd_in": World(partial(_gold, data / "zencrowd_in", "1"), (0.02, 0.05, 0.2, 0.4)),
        "sentiment_polarity": World(partial(_gold, data / "sentiment_polarity", "1"), (0.02, 0.1, 0.4)),
        "chaosnli_snli": World(partial(_chaos, data, binary=True), (0.05, 0.1, 0.2, 0.4)),
        "chaosnli_snli, three classes": World(partial(_chaos, data, binary=False), (0.05, 0.1, 0.2, 0.4)),
        "weather_sentiment_amt": World(partial(_gold, data / "weather_sentiment_amt", None), (0.1, 0.2, 0.4)),
    }
    unseen = {crowd.name: World(crowd.draw, crowd.experts, metrics=crowd.metrics) for crowd in UNSEEN}
    there = {name: replace(world, fixed="chaos" not in name) for name, world in real.items()}
    return {**simulated, **unseen, **(there if (data / "dices_350").exists() else {})}


def _named(crowd: Crowd) -> NamedVotes | None:
    if crowd.rater is None or crowd.vote is None:
        return None
    item = np.repeat(np.arange(len(crowd.truth)), crowd.rater.shape[1])
    return NamedVotes(item, crowd.rater.ravel(), crowd.vote.ravel())


def _irt(n_items: int, rng: np.random.Generator, *, positive: float = 0.2, named: bool = True, **how: Any) -> Evidence:
    """The item-response crowd, perhaps with fewer positives than its fifth."""
    how = {"scores": ((1.0, 1.5),), **how}
    crowd = irt_crowd(n_items * (1 if positive == 0.2 else 2), rng=rng, **how)
    kept = np.flatnonzero((crowd.truth == 0) | (rng.random(len(crowd.truth)) < 4 * positive / (1 - positive)))[:n_items]
    assert crowd.rater is not None
    assert crowd.vote is not None
    rows = {"rater": crowd.rater[kept], "vote": crowd.vote[kept]} if named else {"rater": None, "vote": None}
    cut = replace(
        crowd,
        truth=crowd.truth[kept],
        positive=crowd.positive[kept],
        total=crowd.total[kept],
        scores=crowd.scores[kept],
        **rows,
    )
    return _evidence(cut)


def _evidence(crowd: Crowd) -> Evidence:
    scores = {f"s{j}": column for j, column in enumerate(crowd.scores.T)}
    every = np.ones(len(crowd.truth), dtype=bool)
    return Evidence.binary(
        crowd.positive,
        crowd.total,
        crowd.truth,
        every,
        scores,
        truth=crowd.truth,
        named_votes=_named(crowd),
    )


def _maven(rng: np.random.Generator) -> Evidence:
    return _evidence(maven_crowd(4_000, rng=rng))


def _against(rng: np.random.Generator) -> Evidence:
    """A crowd that votes for the other class."""
    evidence = _irt(4_000, rng)
    votes = evidence.named_votes
    assert votes is not None
    turned = replace(votes, vote=1 - votes.vote)
    return replace(evidence, votes=evidence.votes[:, ::-1], named_votes=turned)


def _tied(rng: np.random.Generator) -> Evidence:
    """Scores with three levels."""
    evidence = _irt(4_000, rng)
    return replace(evidence, scores={"s0": np.clip(np.round(evidence.scores["s0"] / 2), -1, 1)})


def _classes(rng: np.random.Generator, n_items: int = 4_000) -> Evidence:
    """Five classes of unlike size, three votes of thirty voters of unlike skill, a system with a number per class."""
    truth = rng.choice(5, n_items, p=(0.4, 0.25, 0.2, 0.1, 0.05))
    skill, easy = rng.uniform(0.4, 0.95, 30), rng.beta(4, 1, n_items)
    rater = np.argsort(rng.random((n_items, 30)), axis=1)[:, :3]
    right = rng.random((n_items, 3)) < skill[rater] * easy[:, None]
    vote = np.where(right, truth[:, None], rng.integers(0, 5, (n_items, 3)))
    named = NamedVotes(np.repeat(np.arange(n_items), 3), rater.ravel(), vote.ravel())
    logits = 2.0 * np.eye(5)[truth] * easy[:, None] + rng.normal(size=(n_items, 5))
    outputs = {"system": np.exp(logits) / np.exp(logits).sum(1, keepdims=True)}
    every = np.ones(n_items, dtype=bool)
    names = tuple("abcde")
    return Evidence(
        named.count(n_items, 5),
        truth,
        every,
        named_votes=named,
        truth=truth,
        classes=names,
        named=True,
        outputs=outputs,
    )


def _grades(rng: np.random.Generator, n_items: int = 2_000) -> Evidence:
    """Grades from 0 to 40, three votes and a system that are a few grades off."""
    truth = np.round(40 * rng.beta(2, 2, n_items)).astype(np.int64)
    vote = np.clip(np.round(truth[:, None] + rng.normal(0, 3, (n_items, 3))), 0, 40).astype(np.int64)
    counts = NamedVotes(np.repeat(np.arange(n_items), 3), np.zeros(3 * n_items, int), vote.ravel()).count(n_items, 41)
    names, scores = tuple(str(k) for k in range(41)), {"system": truth + rng.normal(0, 4, n_items)}
    return Evidence(counts, truth, np.ones(n_items, bool), scores, truth=truth, classes=names, named=True)


def _clustered(rng: np.random.Generator) -> Evidence:
    """Documents of 1 to 40 items whose labels and scores lean one way."""
    size = rng.integers(1, 41, 200)
    cluster = np.repeat(np.arange(200), size)
    n = len(cluster)
    lean = rng.normal(0, 1.0, 200)[cluster]
    truth = (rng.random(n) < 1 / (1 + np.exp(1 - 1.5 * lean))).astype(np.int64)
    share = 1 / (1 + np.exp(-(2.0 * truth - 1 + 0.7 * lean)))
    score = truth + 0.8 * lean + rng.normal(size=n)
    return Evidence.binary(
        rng.binomial(3, share),
        np.full(n, 3),
        truth,
        np.ones(n, dtype=bool),
        {"s0": score},
        truth=truth,
        cluster=cluster,
    )


def _whole_clusters(everything: Evidence, share: float, rng: np.random.Generator) -> Evidence:
    """Experts label whole documents."""
    assert everything.cluster is not None
    chosen = choose_experts(int(everything.cluster.max()) + 1, max(share, 0.2), rng=rng)
    return replace(everything, has_label=chosen[everything.cluster])


def _by_score(everything: Evidence, share: float, rng: np.random.Generator) -> Evidence:
    """Experts look more often at items near the threshold and at those with divided votes."""
    near = np.abs(everything.scores["s0"] - 1.0) < 0.7
    chance = share * np.where(near, 2.0, 0.5) * np.where(everything.positive % 3 > 0, 1.5, 0.8)
    return replace(everything, has_label=rng.random(everything.n_items) < chance, weight=1 / chance)


def _erring(
    everything: Evidence,
    share: float,
    rng: np.random.Generator,
    *,
    again: float,
    correct: bool = True,
) -> Evidence:
    """Experts err in 5 %; a part of their items is labelled twice."""
    known = choose_experts(everything.n_items, share, rng=rng)
    times = np.where(known, 1 + (rng.random(everything.n_items) < again), 0)
    assert everything.truth is not None
    wrong = rng.binomial(times, 0.05)
    positive = np.where(everything.truth == 1, times - wrong, wrong)
    said = np.stack([times - positive, positive], 1).astype(float)
    evidence = replace(everything, has_label=known, label=(2 * positive > times).astype(np.int64), label_share=said)
    return correct_labels(evidence)[0] if correct else share_labels(evidence)


@cache
def _everyone() -> Evidence:
    """A population of items, with one panel of voters."""
    return _irt(100_000, generator(0, "estimate-coverage", "population"), named=False)


@cache
def _target() -> dict[str, float]:
    """What the metrics are in the population."""
    return true_values(_everyone(), metrics_of(_everyone()), 1.0)


def _drawn(rng: np.random.Generator) -> Evidence:
    """A thousand items of the population."""
    return _everyone().keep(choose_experts(100_000, 0.01, rng=rng))


@cache
def _gold(folder: Path, positive: str | None, rng: object = None) -> Evidence:
    """All votes of a data set and the gold label of every item."""
    votes = pl.read_csv(next(folder.glob("annotations.csv*")), infer_schema=False)
    gold = pl.read_csv(folder / "experts.csv", infer_schema=False).sort("item")
    classes = ["0", "1"] if positive is not None else sorted(set(gold["label"]) | set(votes["response"]))
    place = gold.select("item").with_row_index("place")
    cast = votes.join(place, on="item").sort("place", "rater")
    rater = cast["rater"].cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
    code = _code(cast["response"], classes, positive)
    named = NamedVotes(cast["place"].to_numpy().astype(np.int64), rater, code)
    label, n = _code(gold["label"], classes, positive), gold.height
    counts = named.count(n, len(classes))
    return Evidence(
        counts,
        label,
        np.ones(n, bool),
        named_votes=named,
        truth=label,
        classes=tuple(classes),
        named=positive is None,
    )


def _code(column: pl.Series, classes: list[str], positive: str | None) -> Array:
    if positive is not None:
        return (column == positive).to_numpy().astype(np.int64)
    return np.array([classes.index(word) for word in column])


@cache
def _nli(data: Path) -> tuple[Array, Array]:
    """Counts of a hundred votes on three classes, and one model's probabilities, both ``(item, 3)``."""
    counts = pl.read_csv(data / "chaosnli_snli" / "counts.csv", schema_overrides={"item": pl.String})
    source = next((data / "chaosnli_snli").glob("scores.csv*"))
    scores = pl.read_csv(source, schema_overrides={"item": pl.String})
    scores = scores.filter(pl.col("system") == scores["system"].unique().sort()[-1])
    frame = counts.join(scores, on="item", suffix="_score").sort("item")
    return frame.select("e", "n", "c").to_numpy(), frame.select("e_score", "n_score", "c_score").to_numpy()


def _chaos(data: Path, rng: np.random.Generator, *, binary: bool) -> Evidence:
    """Three votes of a hundred are shown; the majority of the others is the truth."""
    counts, scores = _nli(data)
    left = counts.copy()
    shown = np.zeros_like(counts)
    for _ in range(3):
        pick = (rng.random(len(left))[:, None] * left.sum(1, keepdims=True) < np.cumsum(left, 1)).argmax(1)
        shown[np.arange(len(left)), pick] += 1
        left[np.arange(len(left)), pick] -= 1
    every = np.ones(len(left), dtype=bool)
    if binary:
        truth = (2 * left[:, 0] > left.sum(1)).astype(np.int64)
        return Evidence.binary(shown[:, 0], shown.sum(1), truth, every, {"model": scores[:, 0]}, truth=truth)
    truth = left.argmax(1)
    return Evidence(
        shown,
        truth,
        every,
        truth=truth,
        classes=("e", "n", "c"),
        named=True,
        outputs={"model": scores},
    )


def metrics_of(evidence: Evidence, names: tuple[str, ...] = ()) -> list[LabelMetric]:
    if names:
        return [class_metrics(evidence.classes)[name] for name in names]
    metrics = default_metrics(evidence, at_threshold=True)
    if evidence.named and evidence.systems:
        metrics += [class_metrics(evidence.classes)[name] for name in ("within_one", "mean_error", "mean_truth")]
    return metrics


def true_values(everything: Evidence, metrics: list[LabelMetric], threshold: float) -> dict[str, float]:
    """What metrics are on the true labels of all items, by name."""
    assert everything.truth is not None
    labels = Labels(np.eye(everything.n_classes)[everything.truth], np.ones(everything.n_items))
    items, systems = Assistance(everything, threshold), tuple(everything.systems) or ("",)
    return {
        metric.name: derive_metric(metric, items, systems[: 2 if metric.pairwise else 1], labels).value
        for metric in metrics
    }
