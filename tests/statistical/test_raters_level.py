"""Error rate and coverage where raters are shared: the crossed test keeps its promise, items alone do not.

A test whose true rate of false claims is at most 0.065 stays below 0.065 + 5 sqrt(0.065 · 0.935 / 1000) = 0.104 in 1000
studies; one whose rate is 0.05 stays below 0.084, and items alone must not.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quorate import audit
from quorate._random import generator
from quorate.data.summaries import Counts
from quorate.inference.crossed import Crossing, crossed_pivot, two_way_variance
from quorate.inference.roster import roster_of_panel
from quorate.populations.seats import Load
from quorate.populations.shared_raters import SharedRaters
from tests.studies import pick

STUDIES = pick(300, 1000)
HIGHEST = 0.065 + 5 * np.sqrt(0.065 * 0.935 / STUDIES)
PROMISED = 0.05 + 5 * np.sqrt(0.05 * 0.95 / STUDIES)


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QUORATE_CACHE", str(tmp_path))


@pytest.mark.parametrize("metric", ["agreement", "accuracy"])
@pytest.mark.parametrize(
    ("items", "raters", "more"),
    [(300, 6, {}), (300, 3, {"pool": 20}), (1000, 3, {"pool": 50, "load": "unequal"})],
    ids=["crossed", "ragged", "sparse"],
)
def test_the_crossed_test_keeps_its_level_and_items_alone_do_not(
    metric: str, items: int, raters: int, more: dict[str, Any]
) -> None:
    found = audit(
        "shared-raters", items=items, raters=raters, metric=metric, unit=["items+raters", "items"], replicates=STUDIES,
        **more,
    )  # fmt: skip
    both, alone = found.rows
    assert both.rejection_rate < HIGHEST
    assert both.coverage > 1 - HIGHEST
    # Negative control: items alone claim too often and cover too seldom, by more than chance.
    assert alone.rejection_rate > PROMISED
    assert alone.coverage < 1 - PROMISED


def test_the_variance_is_unbiased_when_ragged_and_sparse() -> None:
    # Mean of the estimated variance against the variance of the estimates, z = 5; leanings so large that the floor
    # plays no part. Control: items alone are far below.
    rng = generator(0, "raters-variance")
    worlds: list[tuple[int, Load]] = [(20, "even"), (50, "unequal")]
    for pool, load in worlds:
        world = SharedRaters(lean=0.6, pool=pool, load=load)
        study = world.draw(n_replicates=2000, n_items=200, n_raters=3, rng=rng)
        assert study.panel is not None
        assert isinstance(study.a, Counts)
        roster = roster_of_panel(study.panel)
        sides = study.a.counts[0].argmax(-1)
        table = np.zeros((2000, 200, 2)) - 1.0
        table[:, np.arange(200), sides] = 1.0
        values = roster.read(table)
        found = two_way_variance(values, roster.crossing)
        estimates = (roster.crossing.weight * values).sum(-1)
        error = np.hypot(estimates.var(ddof=1) * np.sqrt(2 / 2000), found.total.std(ddof=1) / np.sqrt(2000))
        assert abs(found.total.mean() - estimates.var(ddof=1)) < 5 * error
        assert found.items.variance.mean() < estimates.var(ddof=1) - 5 * error


def test_fixed_items_ask_for_other_raters_only() -> None:
    """Items with large fixed differences, raters drawn: the interval covers the mean over raters on these very items.

    2000 studies on one table of items, 3 of 10 raters each; coverage within 5 Monte-Carlo errors of 0.95. Control: with
    items drawn too, whose large spread is none here, the interval covers far more than promised.
    """
    rng = generator(0, "raters-fixed-items")
    n_items, pool, k, studies = 60, 10, 3, 2000
    seats = np.argsort(rng.random((n_items, pool)), axis=1)[:, :k]
    fixed = 3.0 * rng.standard_normal(n_items)
    lean, noise = 0.5 * rng.standard_normal((studies, pool)), rng.standard_normal((studies, n_items, k))
    values = (fixed[:, None] + lean[:, seats] + noise).reshape(studies, -1)
    crossing = Crossing(
        np.repeat(np.arange(n_items), k), seats.ravel(), np.full(n_items * k, 1 / (n_items * k)), n_items, pool
    )
    outcome = crossed_pivot(values, crossing, items_fixed=True).outcome(0.95)
    covered = float(((outcome.low <= fixed.mean()) & (fixed.mean() <= outcome.high)).mean())
    error = np.sqrt(0.95 * 0.05 / studies)
    assert abs(covered - 0.95) < 5 * error
    both = crossed_pivot(values, crossing).outcome(0.95)
    wider = float(((both.low <= fixed.mean()) & (fixed.mean() <= both.high)).mean())
    assert wider > 0.95 + 5 * error


def test_few_raters_of_few_fixed_items_who_agree_by_chance_do_not_speak_for_others() -> None:
    """Votes −1, 0 and 1 of two or three raters on five items: many studies in which all say the same of every item.

    Coverage above 0.95 less five errors. Control: by the spread seen alone, none, it is far below.
    """
    rng = generator(0, "raters-agree")
    studies, n_items, chance = 2000, 5, np.array([0.1, 0.35, 0.5, 0.7, 0.9])
    side = np.array([1.0, 0.0, 1.0, 0.0, -1.0])  # on two items both systems say the same
    truth = float((side * (2 * chance - 1)).mean())
    for k in (2, 3):
        votes = side[:, None] * np.where(rng.random((studies, n_items, k)) < chance[:, None], 1.0, -1.0)
        crossing = Crossing(
            np.repeat(np.arange(n_items), k), np.tile(np.arange(k), n_items), np.full(n_items * k, 1 / (n_items * k)),
            n_items, k,
        )  # fmt: skip
        pivot = crossed_pivot(votes.reshape(studies, -1), crossing, items_fixed=True, reach=1.0)
        low, high = pivot.interval(0.95)
        assert ((low <= truth) & (truth <= high)).mean() > 0.95 - 5 * np.sqrt(0.95 * 0.05 / studies)
        by_spread = pivot.variance.tail(pivot.estimate - truth)
        assert (by_spread > 0.05).mean() < 0.9
