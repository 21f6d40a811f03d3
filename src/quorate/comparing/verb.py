"""`compare`: is system A really better than B – or is my leaderboard noise?"""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from itertools import combinations
from typing import Unpack, cast

import numpy as np

from quorate._errors import InputError
from quorate.comparing.groups import judge_groups
from quorate.comparing.judged_pairs import judge
from quorate.comparing.leaderboard import rank_systems
from quorate.comparing.pair_rows import pair_row
from quorate.comparing.parts import Group
from quorate.comparing.result import Comparison
from quorate.comparing.tested_pairs import PairTest, run_pair_tests
from quorate.comparing.warnings import family_words, notes
from quorate.data.evaluation import Entry, read_entry
from quorate.data.read_ratings import Reading, Source
from quorate.data.summaries import Probabilities
from quorate.data.systems import check_systems
from quorate.inference.answer_values import splits_by_rater
from quorate.inference.design_effects import design_effects
from quorate.inference.procedures import Procedure, find_procedure
from quorate.inference.scored_systems import ScoredSystems, score_systems
from quorate.inference.units import choose_unit, item_groups
from quorate.metrics.choose import choose_metric
from quorate.metrics.metric import Better, Variant

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
    choose = partial(
        choose_unit,
        unit=unit,
        raters_are=raters_are,
        items_are=items_are,
        by_items_only=_items_only(fields, procedure),
    )
    drawn = choose(entry.ratings, rated=entry.rated)
    runs = {name: each for name, each in entry.answers.items() if each.run is not None}
    terms = PairTest(procedure, drawn, confidence, margin, resamples, seed, runs)
    tested = run_pair_tests(fields, names, pairs, terms)
    judged = judge(tested, "all")
    rows = tuple(pair_row(each) for each in judged)
    by_group, varies = judge_groups(
        fields, names, pairs, terms, by=by, ratings=entry.ratings, rated=entry.rated, choose_unit=choose
    )
    groups = tuple(
        Group(each.group, each.judged[0].tested.n_items, tuple(pair_row(pair) for pair in each.judged))
        for each in by_group
    )
    ranking, tied = rank_systems(fields[0], names, pairs, judged[: len(pairs)], terms)
    groupings = {name: item_groups(entry.ratings, name) for name in entry.ratings.item_groups}
    effects = design_effects([each.scored.differences for each in tested[: len(pairs)]], groupings)
    return Comparison(
        pairs=rows,
        ranking=ranking,
        tied=tied,
        groups=groups,
        heterogeneity=varies,
        design_effects={name: asdict(effect) for name, effect in effects.items()},
        family=family_words(len(pairs), len(fields), len(groups), test),
        unit_reason=drawn.reason,
        loading=entry.loading,
        differences=tuple(each.scored.differences for each in tested),
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
        warnings=notes(entry, fields, rows, terms, effects, by_group, by),
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
) -> list[ScoredSystems]:
    """Score all systems by every metric asked for, or by the default one."""
    if entry.ratings.n_items < 2:
        raise InputError(f"{entry.ratings.name} and the answers share one item; comparing takes at least two.")
    if better not in ("high", "low") or variant not in ("default", "paper"):
        raise InputError("--better is high or low, and --variant is default or paper.")
    chosen, scale = [entry.systems[name] for name in names], entry.ratings.scale
    metrics: Sequence[str | None] = [asked] if asked is None or isinstance(asked, str) else asked or [None]
    fields = []
    for name in dict.fromkeys(metrics):
        metric = choose_metric(
            name,
            scale.kind,
            labels=scale.categories,
            positive=positive,
            variant=cast(Variant, variant),
            better=cast(Better, better),
            probabilities=any(isinstance(system, Probabilities) for system in chosen),
            rated=entry.raters is None,
        )
        fields.append(score_systems(metric, entry.raters, chosen))
    return fields


def _items_only(fields: list[ScoredSystems], procedure: Procedure) -> str:
    """Say why raters cannot count as drawn, if they cannot."""
    if not procedure.pivotal:
        return f"the {procedure.name} test counts items only"
    if not any(splits_by_rater(field.metric) for field in fields):
        return f"{fields[0].metric.name} cannot be split by rater"
    return ""
