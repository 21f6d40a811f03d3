"""`compare`: is system A really better than B – or is my leaderboard noise?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from quorate._errors import InputError
from quorate._text import count
from quorate._typing import Array
from quorate.comparison import Comparison, Group, Pair, Standing, pair_sentence
from quorate.data.ratings import Ratings
from quorate.data.read import Reading, Source, read_rated_systems, read_ratings
from quorate.data.summaries import Probabilities, Summary
from quorate.data.systems import read_systems
from quorate.data.topology import topology
from quorate.inference.families import heterogeneity, rank_bounds
from quorate.inference.judging import Asked, Judged, judge, run_contests
from quorate.inference.matchup import Field, enter
from quorate.inference.outcome import mean_test
from quorate.inference.power import items_needed
from quorate.inference.procedures import find_procedure
from quorate.metrics.metric import Metric
from quorate.metrics.panels import clipped_cells
from quorate.metrics.registry import default_metric, find_metric

__all__ = ["compare"]

FEW_CLUSTERS = 20
LARGE_DESIGN_EFFECT = 1.5


def compare(
    ratings: Source,
    answers: Source | None = None,
    *,
    rated_system: str | None = None,
    metric: str | Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "default",
    unit: str = "auto",
    margin: float | None = None,
    confidence: float = 0.95,
    by: str | None = None,
    positive: str | None = None,
    better: str = "high",
    variant: str = "default",
    missing: str = "error",
    system_column: str | None = None,
    run_column: str | None = None,
    resamples: int = 9999,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Comparison:
    """Compare systems by how close they come to the raters, or by the ratings they got themselves.

    Parameters
    ----------
    ratings
        What the raters said.
    answers
        What the systems answered: item, system, response (and run), or a probability column per category.
    rated_system
        Instead of answers: the column of the ratings that says which system's output was rated.
    metric
        One or more metrics; by default agreement, brier or crps, as scale and answers ask for.
    systems, baseline
        Which systems, a before b; with a baseline every other system against it, else all pairs by name.
    test, unit
        The test by name, and what was sampled: ``"items"`` or ``"cluster:COLUMN"``.
    margin
        The difference that matters, in the metric's units: for no worse than, and for equivalence.
    confidence, by, positive, better, variant
        Level; a column of items to compare within; the positive category; the good side of ratings; paper habits.
    missing, system_column, run_column, resamples, seed, **reading
        Items without an answer; columns of the answers; size and seed of resampling; how to read the ratings.

    Examples
    --------
    >>> votes = {"item": [1, 1, 2, 2, 3, 3], "response": ["y", "y", "n", "n", "y", "n"]}
    >>> said = {"item": [1, 2, 3] * 2, "system": ["a"] * 3 + ["b"] * 3, "response": list("ynyyyn")}
    >>> [pair] = compare(votes, said).pairs
    >>> pair.difference, pair.verdict
    (0.3333333333333333, 'inconclusive')
    """
    _check_level(confidence, margin)
    entry = _enter(ratings, answers, rated_system, missing, system_column, run_column, reading)
    procedure = find_procedure(test)
    names, pairs = _pairs(list(entry.summaries), systems, baseline)
    chosen = [entry.summaries[name] for name in names]
    metrics = _metrics(metric, entry, chosen, positive, better, variant)
    clusters, unit = _clusters(entry.ratings, unit)
    fields = [enter(each, entry.reference, chosen) for each in metrics]
    ask = Asked(procedure, unit, clusters, confidence, margin, resamples, seed)
    n_items = entry.ratings.n_items
    if n_items < 2:
        raise InputError(f"{entry.ratings.name} and the answers share one item; comparing takes at least two.")
    contests = run_contests(fields, names, pairs, ask, np.arange(n_items), "all")
    found = [_pair(judged, ask) for judged in judge(contests, ask, n_items, "all")]
    groups, varies = _groups(fields, names, pairs, ask, entry.ratings, by)
    effects = _design_effects(fields[0], pairs, entry.ratings)
    return Comparison(
        pairs=tuple(found),
        ranking=_ranking(fields[0], names, ask, n_items),
        groups=groups,
        heterogeneity=varies,
        design_effects=effects,
        family=_family_words(len(pairs), len(metrics), len(groups), test),
        seed=seed,
        settings={
            "ratings": entry.ratings.name,
            "answers": entry.name,
            "metrics": [each.metric.name for each in fields],
            "test": test,
            "unit": unit,
            "margin": margin,
            "confidence": confidence,
            "by": by,
            "variant": variant,
            "resamples": resamples,
        },
        warnings=_warnings(entry, fields, found, ask, effects),
    )


@dataclass(frozen=True)
class _Entry:
    """The data of a comparison: the ratings whose items count, the raters' summary if any, and each system's."""

    ratings: Ratings
    reference: Summary | None
    summaries: dict[str, Summary]
    name: str
    notes: tuple[str, ...]


def _check_level(confidence: float, margin: float | None) -> None:
    if not 0 < confidence < 1:
        raise InputError(f"--confidence {confidence:g} is not between 0 and 1; 0.95 is usual.")
    if margin is not None and not margin > 0:
        raise InputError(f"--margin {margin:g} must be above 0; leave it out to ask only who is better.")


def _enter(
    source: Source,
    answers: Source | None,
    rated_system: str | None,
    missing: str,
    system_column: str | None,
    run_column: str | None,
    reading: Reading,
) -> _Entry:
    if (answers is None) == (rated_system is None):
        raise InputError("Give the systems' answers, or --rated-system COLUMN if their outputs were rated; not both.")
    if rated_system is not None:
        rated = read_rated_systems(source, rated_system, missing=missing, **reading)
        first = next(iter(rated.values()))
        return _Entry(first, None, {name: part.summary for name, part in rated.items()}, first.name, first.notes)
    ratings = read_ratings(source, **reading)
    item_column = reading.get("item_column")
    ratings, given = read_systems(
        answers,
        ratings,
        item_column=item_column if isinstance(answers, str) and item_column else None,
        system_column=system_column,
        run_column=run_column,
        missing=missing,
    )
    summaries: dict[str, Summary] = {name: each.summary for name, each in given.answers.items()}
    return _Entry(ratings, ratings.summary, summaries, given.name, given.notes)


def _pairs(
    known: list[str], systems: Sequence[str] | None, baseline: str | None
) -> tuple[list[str], list[tuple[int, int]]]:
    names = list(systems) if systems else sorted(known)
    for name in [*names, *([baseline] if baseline else [])]:
        if name not in known:
            raise InputError(f"There is no system '{name}'; there are {', '.join(sorted(known)[:12])}.")
    if len(set(names)) < len(names):
        raise InputError("--systems names a system twice; name each once.")
    if baseline is not None:
        names = [name for name in names if name != baseline] + [baseline]
    if len(names) < 2:
        raise InputError(f"Only system '{names[0]}' is there; comparing takes two.")
    last = len(names) - 1
    return names, [(a, last) for a in range(last)] if baseline else list(combinations(range(len(names)), 2))


def _metrics(
    asked: str | Sequence[str] | None,
    entry: _Entry,
    chosen: list[Summary],
    positive: str | None,
    better: str,
    variant: str,
) -> list[Metric]:
    scale = entry.ratings.scale
    if asked is None:
        asked = "mean_rating" if entry.reference is None else default_metric(scale.kind, *chosen)
    names = [asked] if isinstance(asked, str) else list(asked)
    if positive is not None and positive not in scale.categories:
        raise InputError(f"--positive {positive} is not a category; there are {', '.join(scale.categories[:12])}.")
    if better not in ("high", "low") or variant not in ("default", "paper"):
        raise InputError("--better is high or low, and --variant is default or paper.")
    index = None if positive is None else scale.categories.index(positive)
    found = [
        find_metric(name, variant=variant, positive=index, better=better if name == "mean_rating" else None)  # type: ignore[arg-type]
        for name in names
    ]
    for metric in found:
        if scale.kind not in metric.scales and metric.name != "wins" and metric.contest_of is None:
            raise InputError(
                f"{metric.name} makes no sense on a {scale.kind} scale; use {default_metric(scale.kind, *chosen)}, or "
                "declare the scale with --scale."
            )
        if metric.rates_systems != (entry.reference is None):
            raise InputError("mean_rating is for --rated-system, and --rated-system takes no other metric.")
    return found


def _clusters(ratings: Ratings, unit: str) -> tuple[Array | None, str]:
    if unit in ("auto", "items"):
        return None, "items"
    column = unit.removeprefix("cluster:")
    if column == unit:
        raise InputError(f"--unit {unit} is not known here; use items or cluster:COLUMN.")
    return _grouping(ratings, column, "--unit"), unit


def _grouping(ratings: Ratings, column: str, flag: str) -> Array:
    if column not in ratings.item_groups:
        there = ", ".join(ratings.item_groups) or "none"
        raise InputError(f"{flag}: '{column}' is not a column that groups the items (there are: {there}).")
    codes: Array = np.unique(ratings.item_groups[column].code, return_inverse=True)[1]
    return codes


def _pair(judged: Judged, ask: Asked) -> Pair:
    contest, match, outcome = judged.contest, judged.contest.match, judged.contest.outcome
    joint = {"p_adjusted": judged.p, "low_adjusted": judged.low, "high_adjusted": judged.high}
    pair = Pair(
        metric=contest.metric.name,
        a=contest.a,
        b=contest.b,
        score_a=float(match.score_a),
        score_b=float(match.score_b),
        difference=float(outcome.difference),
        se=float(outcome.se),
        low=float(outcome.low),
        high=float(outcome.high),
        confidence=ask.confidence,
        p_value=float(outcome.p_value),
        test=ask.procedure.name,
        unit=ask.unit,
        n_items=len(contest.items),
        verdict=judged.verdict,
        sentence="",
        estimand=contest.metric.estimand(match.raters if match.raters is not None else match.a, match.a, match.b),
        **(joint if judged.in_family else {}),
    )
    sd = pair.se * np.sqrt(pair.n_items)
    settle = items_needed(sd, ask.margin, ask.confidence) if ask.margin and np.isfinite(sd) and sd > 0 else None
    return replace(pair, sentence=pair_sentence(pair, contest.metric.title, ask.margin, settle))


def _groups(
    fields: list[Field], names: list[str], pairs: list[tuple[int, int]], ask: Asked, ratings: Ratings, by: str | None
) -> tuple[tuple[Group, ...], tuple[dict[str, Any], ...]]:
    """Compare within groups of items: first whether the difference varies, then each group, as one family."""
    if by is None:
        return (), ()
    codes, labels = _grouping(ratings, by, "--by"), ratings.item_groups[by]
    group_names = [labels.names[code] for code in np.unique(labels.code)]
    contests = []
    for code, name in enumerate(group_names):
        items = np.flatnonzero(codes == code)
        if len(items) >= 2:
            within = [_take(field, items) for field in fields]
            contests.append((name, items, run_contests(within, names, pairs, ask, items, f"group {name}")))
    if not contests:
        raise InputError(f"--by {by}: no group has two items or more.")
    judged = iter(judge([c for *_, part in contests for c in part], ask, ratings.n_items, f"by {by}"))
    groups = tuple(
        Group(name, len(items), tuple(_pair(next(judged), ask) for _ in part)) for name, items, part in contests
    )
    varies = []
    for position in range(len(contests[0][2])):
        each = [group.pairs[position] for group in groups]
        d, se, n = (np.array([getattr(pair, x) for pair in each]) for x in ("difference", "se", "n_items"))
        f, p = heterogeneity(d, se, n)
        varies.append({"metric": each[0].metric, "a": each[0].a, "b": each[0].b, "f": f, "p_value": p, "by": by})
    return groups, tuple(varies)


def _take(field: Field, items: Array) -> Field:
    raters = None if field.raters is None else field.raters.take(items)
    return enter(field.metric, raters, [system.take(items) for system in field.systems])


def _ranking(field: Field, names: list[str], ask: Asked, n_items: int) -> tuple[Standing, ...]:
    """Order the systems by one metric; ranks come from all its pairs judged at once."""
    everyone = list(combinations(range(len(names)), 2))
    judged = judge(run_contests([field], names, everyone, ask, np.arange(n_items), "all"), ask, n_items, "ranking")
    low, high = (np.array([getattr(each, side) for each in judged]) for side in ("low", "high"))
    best, worst = rank_bounds(low, high, everyone, len(names))
    standings = []
    for position, name in enumerate(names):
        score = mean_test(field.values[position], ask.confidence, ask.clusters)
        places = int(best[position]), int(worst[position])
        ends = float(score.difference), float(score.low), float(score.high)
        standings.append(Standing(field.metric.name, name, *ends, *places, could_be_best=places[0] == 1))
    high_first = field.metric.better == "high" or field.metric.contest_of is not None
    return tuple(sorted(standings, key=lambda s: (-s.score if high_first else s.score, s.system)))


def _design_effects(field: Field, pairs: list[tuple[int, int]], ratings: Ratings) -> dict[str, float]:
    """Return, for each column that groups the items, the largest ratio of clustered to plain variance over pairs."""
    effects = {}
    for column in ratings.item_groups:
        codes = _grouping(ratings, column, "--unit")
        if 2 <= codes.max() + 1 < ratings.n_items:
            ratios = []
            for a, b in pairs:
                d = field.matchup(a, b).differences
                plain, clustered = mean_test(d).se, mean_test(d, clusters=codes).se
                ratios.append(float(clustered / plain) ** 2 if plain > 0 else 1.0)
            effects[column] = max(ratios)
    return effects


def _family_words(n_pairs: int, n_metrics: int, n_groups: int, test: str) -> str:
    if n_pairs * n_metrics == 1 and not n_groups:
        return ""
    how = "max-T" if test == "default" else "Bonferroni"
    parts = [count(n_pairs, "pair"), *([count(n_metrics, "metric")] if n_metrics > 1 else [])]
    words = f"Intervals and p hold for {' × '.join(parts)} at once ({how})."
    return words + (f" Groups: {' × '.join([*parts, count(n_groups, 'group')])} at once." if n_groups else "")


def _warnings(
    entry: _Entry, fields: list[Field], found: list[Pair], ask: Asked, effects: dict[str, float]
) -> tuple[str, ...]:
    notes = [*entry.notes, *_unit_warnings(entry.ratings, ask, effects)]
    if ask.procedure.note:
        notes.append(f"the {ask.procedure.name} test {ask.procedure.note}.")
    for pair in found:
        metric = next(field.metric for field in fields if field.metric.name == pair.metric)
        better = pair.score_a - pair.score_b if metric.better == "high" else pair.score_b - pair.score_a
        if pair.test == "wilcoxon" and better * pair.difference < 0:
            notes.append(
                f"{pair.a} and {pair.b}: ranks favour one system and the mean score the other; trust the mean."
            )
        if pair.verdict != "identical" and np.isnan(pair.low):
            notes.append(f"{pair.a} and {pair.b} differ by the same amount on every item, so there is no interval.")
    for field in fields:
        clipped = sum(clipped_cells(system) for system in field.systems if isinstance(system, Probabilities))
        if field.metric.name in ("kl", "cross_entropy") and clipped:
            cells = count(clipped, "probability", "probabilities")
            notes.append(f"{cells} below 1e-6 were lifted to it for {field.metric.name}.")
    return tuple(notes)


def _unit_warnings(ratings: Ratings, ask: Asked, effects: dict[str, float]) -> list[str]:
    """Say what the unit of sampling leaves out: raters who answered several items, items that move together."""
    notes, per_rater = [], topology(ratings).items_per_rater
    if per_rater is None:
        notes.append("raters are unknown, so the unit is items and raters who answered several items are not counted.")
    elif ask.unit == "items" and int(per_rater.max()) > 1:
        shared = count(int((per_rater > 1).sum()), "rater")
        notes.append(
            f"{shared} answered more than one item; their habits are not counted when only items are drawn, so "
            "intervals may be too short."
        )
    for column, effect in effects.items():
        many = len(ratings.item_groups[column].names) >= FEW_CLUSTERS
        if effect > LARGE_DESIGN_EFFECT and many and ask.unit == "items":
            notes.append(
                f"items of the same {column} move together (design effect {effect:.1f}); if new ones of {column} would "
                f"be drawn, use --unit cluster:{column}."
            )
    if ask.clusters is not None and ask.clusters.max() + 1 < FEW_CLUSTERS:
        notes.append(f"only {int(ask.clusters.max()) + 1} clusters: the interval rests on few degrees of freedom.")
    return notes
