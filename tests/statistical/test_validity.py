"""`compare` keeps its promises where real evaluations live: small versions of
`benchmarks/validity.py`.

Each claim is held against its limit plus five standard errors of the rate; the procedure it
replaced, beside it, must be caught by the same limit, or the world would be too tame to tell.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import validity
from quorate.inference.means import mean_pivot
from quorate.inference.pivot import Pivot

LIMIT = 0.065
"""What is promised at 5 %."""


def _held(rate: float, studies: int, limit: float = LIMIT) -> bool:
    return bool(rate <= limit + 5 * np.sqrt(limit * (1 - limit) / studies))


def test_leaderboards_with_three_raters_hold_and_the_old_family_did_not() -> None:
    rng, studies, compared = np.random.default_rng(1), 150, 100
    found = []
    for study in range(studies):
        liked, seats = validity.liked("one 3 times", 8, 3, 150, rng), validity.seats(150, 3, None, rng)
        found.append(validity.judge_leaderboard(liked, seats, rng, compared=study < compared))
    p, best, before, _ = np.array(found).T
    assert _held(float((p <= 0.05).mean()), studies, 0.12)
    assert _held(float((best <= 0.05).mean()), studies, 0.06)  # the first is as good as any, and could be best
    assert not _held(float((before[:compared] <= 0.05).mean()), compared, 0.12)


def test_a_bound_of_the_smallest_p_is_never_above_it() -> None:
    for seed in range(8):
        quick, whole = (_board(seed, compared=compared)[0] for compared in (False, True))
        assert quick <= whole + 1e-12


def _board(seed: int, *, compared: bool) -> tuple[float, ...]:
    rng = np.random.default_rng(seed)
    liked, seats = validity.liked("equal", 5, 3, 40, rng), validity.seats(40, 3, None, rng)
    return validity.judge_leaderboard(liked, seats, rng, compared=compared)


def test_splits_hold_and_items_alone_do_not() -> None:
    rng, studies = np.random.default_rng(8), 250
    _holds_and_did_not(validity.split_pivots(300, 6, 3, 0.5, 0.5, rng) for _ in range(studies))


@pytest.mark.parametrize(("n_items", "margin"), [(30, 0.05), (100, 0.05), (50, 0.02)])
def test_a_gate_lets_no_more_regressions_pass_than_it_says(n_items: int, margin: float) -> None:
    rng, studies = np.random.default_rng(2), 1000
    for world in validity.GATE_WORLDS.values():
        assert _held(float(validity.passes(world(margin, (studies, n_items), rng), margin).mean()), studies, 0.035)
    rare = validity.GATE_WORLDS["rare failures"](margin, (studies, n_items), rng)
    assert not _held(float(validity.passed_before(rare, margin).mean()), studies, 0.035)


def test_a_failure_that_has_not_shown_counts_by_the_ends_of_the_scale_not_of_what_was_seen() -> None:
    # Shares of 0.95, 0.02 apart, and failures on so many items that the bar is just met.
    rng, studies, n_items, bar = np.random.default_rng(10), 1000, 40, 0.9
    shares = 0.95 + 0.02 * rng.standard_normal((studies, n_items)).clip(-2, 2)
    scores = np.where(rng.random(shares.shape) < 1 - bar / 0.95, 0.0, shares) - 0.5
    for unseen, holds in ((True, True), (False, False)):
        pivot = replace(mean_pivot(scores, reach=0.5, mirrored=False), unseen=unseen)
        at = np.full(studies, bar - 0.5)
        passed = (pivot.estimate > at) & (pivot.p_value(at) <= 0.05)
        assert _held(float(passed.mean()), studies, 0.035) is holds


def test_runs_that_are_lucky_on_all_items_are_counted() -> None:
    studies = 60
    rows = list(validity.runs(studies, np.random.default_rng(3)))
    assert all(_held(float(str(row[3])), studies) for row in rows)
    labels = float(np.mean([float(str(row[5])) for row in rows if row[0] == "labels"]))
    assert not _held(labels, 6 * studies)


def test_clusters_of_unequal_size_hold_and_equal_weights_did_not() -> None:
    rng, studies = np.random.default_rng(4), 800
    code = np.repeat(np.arange(15), np.r_[140, np.full(14, 10)])
    effect = rng.standard_normal((studies, 15))[:, code]
    latent = np.sqrt(0.3) * effect + np.sqrt(0.7) * rng.standard_normal((studies, len(code)))
    d = np.select([latent < -1, latent > 1], [-1.0, 1.0], 0.0)
    pivot = mean_pivot(d, code)
    assert _held(float((pivot.p_value(np.zeros(studies)) <= 0.05).mean()), studies)
    assert not _held(float((validity.clustered_before(d, code)[1] <= 0.05).mean()), studies)


def test_a_rare_failure_does_not_pass_for_a_gain() -> None:
    rng, studies = np.random.default_rng(5), 2000
    for name, limit in (("gain 0.05, 5 % fail", 0.07), ("noisy gain, 5 % fail", 0.07), ("skewed", 0.07)):
        d = validity.LOPSIDED[name]((studies, 100), rng)
        claims = mean_pivot(d, reach=1.0).p_value(np.zeros(studies)) <= 0.05
        assert _held(float(claims.mean()), studies, limit), name
    d = validity.LOPSIDED["gain 0.05, 5 % fail"]((studies, 100), rng)
    students = np.abs(d.mean(-1)) > 1.984 * d.std(-1, ddof=1) / 10
    assert not _held(float(students.mean()), studies, 0.07)


def test_teams_and_groups_with_raters_of_their_own_hold() -> None:
    studies = 100
    assert all(_held(float(str(row[2])), studies) for row in validity.teams(studies, np.random.default_rng(6)))
    rows = list(validity.groups(studies, np.random.default_rng(7)))
    assert all(_held(float(str(row[2])), studies) for row in rows)
    assert not any(_held(float(str(row[4])), studies) for row in rows)


def test_marks_of_people_who_come_back_but_mark_one_output_of_an_item_hold_and_items_alone_do_not() -> None:
    rng, studies = np.random.default_rng(9), 250
    _holds_and_did_not(validity.unpaired_pivots(200, 6, 3, 0.3, rng) for _ in range(studies))


def _holds_and_did_not(pivots: Iterable[tuple[Pivot, Pivot]]) -> None:
    """The first of two procedures claims no more than it may, the second, which it replaced, does."""
    found = np.array([[float(pivot.p_value(np.zeros(()))) for pivot in both] for both in pivots])
    now, before = (found <= 0.05).mean(0)
    assert _held(float(now), len(found))
    assert not _held(float(before), len(found))
