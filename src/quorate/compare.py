"""`compare`: is system A really better than B – or is my leaderboard noise?"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import combinations
from typing import Any, Literal, Unpack, cast

import numpy as np

from quorate._errors import InputError
from quorate.comparison import Comparison, Group, Pair, Standing
from quorate.comparison_notes import family_words, notes
from quorate.comparison_text import pair_sentence
from quorate.data.entry import Entry, read_entry
from quorate.data.ratings import Ratings
from quorate.data.read import Reading, Source
from quorate.data.systems import check_systems
from quorate.inference.answer_values import splits_by_rater
from quorate.inference.by_rater import score_by_rater
from quorate.inference.components import effective_number
from quorate.inference.design import design_effects
from quorate.inference.families import heterogeneity, rank_bounds, tied_sets
from quorate.inference.judging import Asked, Contest, Judged, judge, run_contests
from quorate.inference.matchup import Field, enter
from quorate.inference.outcome import Outcome, mean_test
from quorate.inference.power import items_beside_raters
from quorate.inference.procedures import find_procedure
from quorate.inference.pvalues import holm
from quorate.inference.units import choose_unit, item_groups
from quorate.metrics.metric import Metric
from quorate.metrics.registry import default_metric, find_metric

__all__ = ["compare"]


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
    raters_are: str = "random",
    items_are: str = "random",
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
    test, unit, raters_are, items_are
        The test by name; what was drawn: ``"items"``, ``"items+raters"``, ``"batches"``, ``"cluster:COLUMN"`` …, as who
        rated what suggests if not given; whether another study would have other raters and other items.
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
    _check_numbers(confidence, margin, resamples)
    procedure = find_procedure(test)
    wanted = None if systems is None else [*systems, *([baseline] if baseline else [])]
    entry = read_entry(
        ratings,
        answers,
        rated_system=rated_system,
        systems=wanted,
        missing=missing,
        system_column=system_column,
        run_column=run_column,
        reading=reading,
    )
    names, pairs = _pairs(list(entry.systems), systems, baseline)
    fields = _fields(entry, names, metric, positive, better, variant)
    drawn = choose_unit(
        entry.ratings,
        unit,
        raters_are=raters_are,
        items_are=items_are,
        by_items_only=_items_only(fields, test),
        rated=entry.rated,
    )
    ask = Asked(procedure, drawn, confidence, margin, resamples, seed, entry.answers)
    everything = np.arange(entry.ratings.n_items)
    contests = run_contests(fields, names, pairs, ask, everything, "all")
    found = tuple(_pair(judged, ask) for judged in judge(contests, ask, "all"))
    groups, varies = _groups(fields, names, pairs, ask, entry.ratings, by)
    ranking, tied = _ranking(fields[0], names, ask)
    groupings = {name: item_groups(entry.ratings, name) for name in entry.ratings.item_groups}
    effects = design_effects(fields[0], pairs, groupings)
    return Comparison(
        pairs=found,
        ranking=ranking,
        tied=tied,
        groups=groups,
        heterogeneity=varies,
        design_effects={name: asdict(effect) for name, effect in effects.items()},
        family=family_words(len(pairs), len(fields), len(groups), test),
        unit_reason=drawn.reason,
        loading=entry.loading,
        differences=tuple(contest.match.differences for contest in contests),
        seed=seed,
        settings={
            "ratings": entry.ratings.name,
            "answers": entry.name,
            "systems": names,
            "baseline": baseline,
            "metrics": [field.metric.name for field in fields],
            "test": test,
            "unit": drawn.name,
            "raters_are": raters_are,
            "items_are": items_are,
            "margin": margin,
            "confidence": confidence,
            "by": by,
            "positive": positive,
            "better": better,
            "variant": variant,
            "missing": missing,
            "resamples": resamples,
        },
        warnings=notes(entry, fields, found, ask, effects, by),
    )


def _check_numbers(confidence: float, margin: float | None, resamples: int) -> None:
    if not 0 < confidence < 1:
        raise InputError(f"--confidence {confidence:g} is not between 0 and 1; 0.95 is usual.")
    if margin is not None and not 0 < margin < np.inf:
        raise InputError(f"--margin {margin:g} must be above 0; leave it out to ask only who is better.")
    if resamples < 1:
        raise InputError(f"--resamples {resamples} must be 1 or more; 9999 is usual.")


def _pairs(
    known: list[str], systems: Sequence[str] | None, baseline: str | None
) -> tuple[list[str], list[tuple[int, int]]]:
    check_systems([*(systems or ()), *([baseline] if baseline else [])], known)
    names = list(systems) if systems else sorted(known)
    if len(set(names)) < len(names):
        raise InputError("--systems names a system twice; name each once.")
    if baseline is not None:
        names = [name for name in names if name != baseline] + [baseline]
    if len(names) < 2:
        raise InputError(f"Only system '{names[0]}' is there; comparing takes two.")
    last = len(names) - 1
    return names, [(a, last) for a in range(last)] if baseline else list(combinations(range(len(names)), 2))


def _fields(
    entry: Entry, names: list[str], asked: str | Sequence[str] | None, positive: str | None, better: str, variant: str
) -> list[Field]:
    """Score all systems by every metric asked for, or by the default one."""
    if entry.ratings.n_items < 2:
        raise InputError(f"{entry.ratings.name} and the answers share one item; comparing takes at least two.")
    if better not in ("high", "low") or variant not in ("default", "paper"):
        raise InputError("--better is high or low, and --variant is default or paper.")
    chosen, scale = [entry.systems[name] for name in names], entry.ratings.scale
    usual = "mean_rating" if entry.raters is None else default_metric(scale.kind, *chosen)
    if positive is not None and positive not in scale.categories:
        raise InputError(f"--positive {positive} is not a category; there are {', '.join(scale.categories[:12])}.")
    index = None if positive is None else scale.categories.index(positive)
    fields, wanted = [], asked or usual
    for name in dict.fromkeys([wanted] if isinstance(wanted, str) else wanted):
        side = cast(Literal["high", "low"], better) if name.endswith("mean_rating") or better == "low" else None
        metric = find_metric(name, variant=cast(Literal["default", "paper"], variant), positive=index, better=side)
        _check_fit(metric, scale.kind, entry.raters is None, usual)
        fields.append(enter(metric, entry.raters, chosen))
    return fields


def _check_fit(metric: Metric, kind: str, rated: bool, usual: str) -> None:
    """Refuse a metric that makes no sense for the scale or for this kind of data."""
    base = metric.contest_of or metric
    if base.rates_systems != rated:
        raise InputError(
            "--rated-system compares the systems' own ratings: use mean_rating or wins:mean_rating."
            if rated
            else f"{metric.name} is for ratings of the systems' outputs, with --rated-system COLUMN; use {usual}."
        )
    if kind not in base.scales:
        instead = "" if rated else f"use {usual}, or "
        article = "a" if kind == "nominal" else "an"
        raise InputError(
            f"{metric.name} makes no sense on {article} {kind} scale; {instead}declare the scale with --scale."
        )


def _items_only(fields: list[Field], test: str) -> str:
    """Say why raters cannot count as drawn, if they cannot."""
    if test != "default":
        return f"the {test} test counts items only"
    if not any(splits_by_rater(field.metric) for field in fields):
        return f"{fields[0].metric.name} cannot be split by rater"
    return ""


def _pair(judged: Judged, ask: Asked) -> Pair:
    contest, match, outcome = judged.contest, judged.contest.match, judged.contest.outcome
    joint: dict[str, Any] = {"p_adjusted": judged.p, "low_adjusted": judged.low, "high_adjusted": judged.high}
    unit = ask.unit_of(contest.metric)
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
        unit=unit.name,
        scope=unit.scope,
        n_items=len(contest.items),
        verdict=judged.verdict,
        sentence="",
        better=contest.metric.better,
        estimand=contest.metric.estimand(match.raters if match.raters is not None else match.a, match.a, match.b),
        **_rater_numbers(contest, not unit.items_fixed),
        **(joint if judged.in_family else {}),
    )
    settle = None
    if ask.margin and pair.se > 0:
        raters = 0.0 if contest.seen is None else float(contest.seen.spread.of_raters)
        settle = items_beside_raters(pair.se**2, raters, pair.n_items, ask.margin, judged.confidence)
    return replace(pair, sentence=pair_sentence(pair, contest.metric.title, ask.margin, settle))


def _rater_numbers(contest: Contest, items_drawn: bool) -> dict[str, Any]:
    """How many raters there are, what they amount to, and what counting them as drawn does to the variance."""
    if contest.seen is None:
        return {}
    weight, spread = contest.seen.rater_weight, contest.seen.spread
    return {
        "n_raters": int(np.count_nonzero(weight)),
        "effective_raters": float(effective_number(weight)),
        "rater_effect": float(spread.variance / spread.item) if items_drawn and spread.item > 0 else None,
        "df": float(contest.outcome.df),
    }


def _groups(
    fields: list[Field], names: list[str], pairs: list[tuple[int, int]], ask: Asked, ratings: Ratings, by: str | None
) -> tuple[tuple[Group, ...], tuple[dict[str, Any], ...]]:
    """Compare within groups of items: first whether the difference varies, then each group, as one family."""
    if by is None:
        return (), ()
    codes, labels = item_groups(ratings, by, "--by"), ratings.item_groups[by]
    runs = []
    for code, label in enumerate(np.unique(labels.code)):
        items = np.flatnonzero(codes == code)
        if len(items) >= 2:
            within, name = [field.take(items) for field in fields], labels.names[label]
            runs.append((name, run_contests(within, names, pairs, ask, items, f"group {name}")))
    if not runs:
        raise InputError(f"--by {by}: no group has two items or more.")
    judged = iter(judge([contest for _, part in runs for contest in part], ask, f"by {by}"))
    groups = tuple(
        Group(name, len(part[0].items), tuple(_pair(next(judged), ask) for _ in part)) for name, part in runs
    )
    return groups, _heterogeneity([list(same) for same in zip(*(part for _, part in runs), strict=True)], ask, by)


def _heterogeneity(contests: list[list[Contest]], ask: Asked, by: str) -> tuple[dict[str, Any], ...]:
    """Test for every pair and metric whether its difference is the same in all groups."""
    rows = []
    for same in contests:
        tests = [mean_test(c.match.differences, clusters=ask.clusters_of(c.items)) for c in same]
        difference, se, df = (np.array([float(getattr(test, x)) for test in tests]) for x in ("difference", "se", "df"))
        f, p = heterogeneity(difference, se, df + 1)
        rows.append({"metric": same[0].metric.name, "a": same[0].a, "b": same[0].b, "f": f, "p_value": p, "by": by})
    adjusted = holm(np.array([row["p_value"] for row in rows])).tolist()
    return tuple({**row, "p_adjusted": p} for row, p in zip(rows, adjusted, strict=True))


def _ranking(field: Field, names: list[str], ask: Asked) -> tuple[tuple[Standing, ...], tuple[tuple[str, ...], ...]]:
    """Order the systems by one metric, and say which are not told apart; both from all its pairs judged at once."""
    everyone, items = list(combinations(range(len(names)), 2)), np.arange(field.values[0].shape[-1])
    judged = judge(run_contests([field], names, everyone, ask, items, "all"), ask, "ranking")
    low, high = np.array([each.ends(1 - ask.confidence) for each in judged]).T
    best, worst = rank_bounds(low, high, everyone, len(names))
    standings = []
    for position, name in enumerate(names):
        score = _standing(field, position, names, ask)
        places = int(best[position]), int(worst[position])
        ends = float(score.difference), float(score.low), float(score.high)
        standings.append(Standing(field.metric.name, name, *ends, *places, could_be_best=places[0] == 1))
    high_first = field.metric.better == "high"
    standings.sort(key=lambda s: (np.isnan(s.score), -s.score if high_first else s.score, s.system))
    order = [standing.system for standing in standings]
    tied = [sorted((names[i] for i in group), key=order.index) for group in tied_sets(low, high, everyone, len(names))]
    return tuple(standings), tuple(tuple(group) for group in sorted(tied, key=lambda g: [order.index(x) for x in g]))


def _standing(field: Field, position: int, names: list[str], ask: Asked) -> Outcome:
    """Return one system's score with its interval; wins have no value per answer of one system alone."""
    values = field.values[position]
    rosters = ask.rosters_of(field.metric, names, np.arange(values.shape[-1]))
    if rosters is None or field.metric.contest_of is not None:
        return mean_test(values, ask.confidence, ask.unit.clusters)
    return score_by_rater(field, position, rosters, ask.confidence, items_fixed=ask.unit.items_fixed).outcome
