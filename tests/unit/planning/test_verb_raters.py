"""The verb plan with raters who come back: pools, recruits, units, resampled tables, and what is refused."""

import json
from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np
import pytest

from quorate._errors import InputError
from quorate.data.answers import Systems, read_systems
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import read_ratings
from quorate.planning.result import Planned
from quorate.planning.verb import plan
from quorate.populations.files import coded_ratings
from quorate.populations.resampled import EmpiricalPopulation

Ask: TypeAlias = Callable[..., Planned]
POOL_ROW = {
    *("pool", "items_each", "n_items", "n_raters", "power", "expected_p"),
    *("ci_width", "detectable", "smallest_ever", "items_needed"),
}


def pilot(people: int = 8, leaning: float = 0.25, n: int = 150) -> tuple[Ratings, Systems]:
    """Crossed ratings: A says yes and B no everywhere; raters say yes with probabilities of their own."""
    rng = np.random.default_rng(8)
    lean = rng.uniform(-leaning, leaning, people)
    share = np.clip(rng.uniform(0.3, 0.8, n)[:, None] + lean, 0, 1)
    said = np.where(rng.random((n, people)) < share, "yes", "no")
    item, rater = np.divmod(np.arange(n * people), people)
    rows = {"item": [f"i{i}" for i in item], "rater": [f"r{j}" for j in rater], "response": said.reshape(-1).tolist()}
    names = [f"i{i}" for i in range(n)]
    answers = {"item": names * 2, "system": ["a"] * n + ["b"] * n, "response": ["yes"] * n + ["no"] * n}
    return read_systems(answers, read_ratings(rows))


@pytest.fixture(scope="module")
def leaning() -> tuple[Ratings, Systems]:
    return pilot()


@pytest.fixture(scope="module")
def planned(leaning: tuple[Ratings, Systems]) -> Ask:
    """Plan from the pilot; what several tests ask is answered once."""
    return cache(partial(plan, pilot=leaning))


def table(people: int = 6, items: int = 20) -> Ratings:
    rng = np.random.default_rng(3)
    item, rater = np.divmod(np.arange(items * people), people)
    return coded_ratings(item, rng.integers(0, 2, items * people), rater, ("no", "yes"), (0.0, 1.0))


def test_raters_of_a_pilot_count_as_random_by_default(planned: Ask) -> None:
    found = planned(difference=0.4)
    plain = planned(difference=0.4, unit="items")
    assert "its 8 raters came back on other items, so raters count as random" in found.sentence()
    assert "random" not in plain.sentence()
    assert plain.people is None
    assert found.people is not None
    assert found.people.pool == 8
    assert found.people.variance is not None
    assert found.people.variance.amounts[1] > 0
    same_size = planned(difference=0.4, items=(100,), raters=(2,))
    assert same_size.best.power < planned(difference=0.4, unit="items", items=(100,), raters=(2,)).best.power
    assert planned(difference=0.4, unit="S1").best.n_items == found.best.n_items


def test_too_few_people_are_told_whom_to_recruit(planned: Ask) -> None:
    found = planned(difference=0.1)
    assert found.people is not None
    needed, ever = found.people.used, found.people.smallest_ever
    assert needed > 8
    assert ever > 0.1
    assert f"With 8 people the smallest difference you can ever see is {ever:.3f}" in found.sentence()
    assert f"however many items you buy: recruit {needed}." in found.sentence()
    assert found.best.power >= 0.8
    asked = next(row for row in found.by_pool if row.pool == 8)
    enough = next(row for row in found.by_pool if row.pool == needed)
    assert asked.items_needed is None
    assert enough.items_needed == found.best.n_items
    assert enough.smallest_ever < 0.1
    endless = planned(difference=0.1, pool=1_000_000)
    fewer = planned(difference=0.1, pool=needed - 1)
    assert found.best.n_items <= 2 * endless.best.n_items < fewer.best.n_items


def test_more_people_always_help(planned: Ask) -> None:
    rows = planned(difference=0.3, pool=12).by_pool
    assert len(rows) > 4
    assert [row.pool for row in rows] == sorted(row.pool for row in rows)
    assert np.all(np.diff([row.size.power for row in rows]) > 0)
    assert np.all(np.diff([row.smallest_ever for row in rows]) < 0)
    assert all(row.smallest_ever <= row.size.detectable for row in rows)
    assert all(row.items_each == pytest.approx(row.size.responses / row.pool) for row in rows)


def test_nobody_does_more_than_allowed(planned: Ask) -> None:
    found = planned(difference=0.35, pool=10, max_per_rater=40)
    assert found.people is not None
    used = found.people.used
    for row in (*found.by_raters, found.best):
        assert row.responses <= 40 * used
        assert row.n_raters <= used
    free = planned(difference=0.35, pool=10)
    assert free.people is not None
    assert used >= free.people.used
    assert "with at most 40 items each" in planned(difference=0.1, pool=10, max_per_rater=40).sentence()
    with pytest.raises(InputError, match="at most 133 items fit"):
        planned(difference=0.35, pool=10, max_per_rater=40, items=(134,), raters=(3,))


def test_json_has_the_pool(planned: Ask) -> None:
    content = planned(difference=0.3, pool=12).to_dict()
    json.dumps(content, allow_nan=False)
    assert set(content["by_pool"][0]) == POOL_ROW
    assert {"pool", "used", "items_each", "smallest_ever", "recruit", "variance", "rater_share"} <= set(
        content["people"]
    )
    assert {"between", "between_raters", "within", "assurance", "items_low"} <= set(content["pilot"])
    assert content["settings"]["pool"] == 12
    without = plan("dices", difference=0.05).to_dict()
    assert (without["by_pool"], without["people"]) == ([], None)


def test_text_has_the_table_of_people(planned: Ask) -> None:
    text = str(planned(difference=0.1))
    assert "By number of people" in text
    assert "never enough" in text
    assert "between raters" in text
    assert "nan" not in text


def test_raters_alike_change_the_plan_little() -> None:
    alike = pilot(people=40, leaning=0.0)
    found = plan(pilot=alike, difference=0.2)
    plain = plan(pilot=alike, difference=0.2, unit="items")
    assert plain.best.n_items <= found.best.n_items < 1.5 * plain.best.n_items


def test_a_share_splits_the_spread_of_a_population() -> None:
    none, some = (plan("dices", difference=0.05, pool=60, rater_share=s, raters=(1,)) for s in (0.0, 0.02))
    plain = plan("dices", difference=0.05, raters=(1,))
    assert plain.best.n_items <= none.best.n_items < some.best.n_items
    assert none.best.difference == pytest.approx(0.05, abs=1e-5)
    assert 0 < some.best.expected_p < 0.1
    endless = plan("dices", difference=0.05, pool=100_000, rater_share=0.02, raters=(1,))
    assert endless.best.n_items == pytest.approx(plain.best.n_items, rel=0.02)
    assert endless.best.expected_p == pytest.approx(plain.best.expected_p, rel=0.05)


def test_budgets_sizes_and_purchases_stay_with_the_people_there_are(planned: Ask) -> None:
    asks: list[dict[str, Any]] = [{"budget": 500}, {"items": (100,), "raters": (3,)}]
    for ask in asks:
        found = planned(difference=0.1, **ask)
        assert found.people is not None
        assert found.people.used == 8
        assert found.best.power < 0.8
    more = planned(difference=0.1, have=(100, 2))
    assert more.people is not None
    assert more.people.used > 8
    assert more.options[0].name == "more items"


def test_a_resampled_pool_has_its_down_sampling_curve() -> None:
    world = EmpiricalPopulation(table(), "items+raters")
    found = plan(world, effect=0.8, metric="mae", items=(20,), raters=(3,), pool=4, variant="paper")
    assert [row.pool for row in found.by_pool] == [2, 4, 6]
    assert [row.size.n_raters for row in found.by_pool] == [2, 3, 3]
    assert "3 of 4 people rating all items" in found.sentence()
    assert all(row.items_each == 20 for row in found.by_pool)


@pytest.mark.parametrize("k", [1, 2])
def test_a_goal_that_resampled_raters_never_reach_is_told(k: int) -> None:
    with pytest.raises(InputError, match="leave a spread that items do not lower") as refused:
        plan(EmpiricalPopulation(table(), "items+raters"), effect=0.8, metric="mae", raters=(k,), variant="paper")
    assert "nan" not in str(refused.value)


def test_shared_raters_raise_the_expected_p() -> None:
    ask: dict[str, Any] = {"effect": 0.8, "metric": "mae", "items": (20,), "raters": (3,), "variant": "paper"}
    crossed = plan(EmpiricalPopulation(table(), "items+raters"), **ask).best
    within = plan(EmpiricalPopulation(table(), "raters-within-items"), **ask).best
    error = np.hypot(crossed.expected_p_error, within.expected_p_error)
    assert crossed.expected_p > within.expected_p - 5 * error
    assert crossed.expected_p_error > 0


def test_a_panel_metric_says_that_raters_are_not_counted(planned: Ask) -> None:
    found = planned(difference=0.3, metric="accuracy", raters=(3,))
    assert any("with --raters 8, the pilot's, they count" in warning for warning in found.warnings)
    assert found.people is None
    counted = planned(difference=0.3, metric="accuracy", raters=(8,))
    assert counted.people is not None
    assert {row.n_raters for row in counted.by_raters} == {8}
    twenty = planned(difference=0.3, metric="accuracy", pool=20).people
    assert twenty is not None
    assert twenty.pool == 20
    with pytest.raises(InputError, match="known for 8 raters per item"):
        planned(difference=0.3, metric="accuracy", pool=9, raters=(3,))


def grouped(n_groups: int = 20, each: int = 6) -> tuple[Ratings, Systems]:
    """Items of a document get the same answers: the design effect is their number."""
    rng = np.random.default_rng(2)
    said = np.repeat(rng.permutation(["yes", "no"] * (n_groups // 2)), each)
    names = [f"i{i}" for i in range(n_groups * each)]
    page = np.repeat([f"p{g}" for g in range(n_groups)], each)
    rows = {
        "item": names,
        "page": page.tolist(),
        "rater": [f"r{i}" for i in range(len(names))],
        "response": said.tolist(),
    }
    answers = {
        "item": names * 2,
        "system": ["a"] * len(names) + ["b"] * len(names),
        "response": ["yes"] * len(names) + ["no"] * len(names),
    }
    return read_systems(answers, read_ratings(rows))


def test_groups_drawn_whole_need_as_many_more_items_as_their_design_effect() -> None:
    documents = grouped()
    whole, single = (
        plan(pilot=documents, difference=0.3, unit=unit, items=(6000,), raters=(1,))
        for unit in ("cluster:page", "items")
    )
    # All items of a page agree: variance Σ_g (6 d_g)² · 20/19 / 120² of pages against Σ_i d_i² / 119 / 120 of items,
    # with Σ_i d_i² = 6 Σ_g d_g²: 6 · (20/19) · (119/120) = 6.263.
    assert "20 groups (cluster:page) that are drawn as a whole (design effect 6.3)" in whole.sentence()
    assert (whole.best.detectable / single.best.detectable) ** 2 == pytest.approx(6.263, rel=0.01)  # t on 999, not 5999
    assert whole.pilot is not None
    assert whole.pilot["replay"] is None
    enough = plan(pilot=documents, difference=0.3, unit="cluster:page", raters=(1,))
    assert enough.pilot is not None
    assert enough.pilot["assurance"] == pytest.approx(0.8, abs=0.05)
    with pytest.raises(InputError, match="not a column that groups"):
        plan(pilot=documents, difference=0.3, unit="cluster:author")
    with pytest.raises(InputError, match="leave it or --pool out"):
        plan(pilot=documents, difference=0.3, unit="cluster:page", pool=5)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"pool": 9}, "give --rater-share"),
    ({"rater_share": 0.1}, "--rater-share needs --pool"),
    ({"max_per_rater": 10}, "--max-per-rater needs --pool"),
    ({"pool": 9, "rater_share": 2.0}, "not a share"),
    ({"pool": 1, "rater_share": 0.1}, "too few"),
    ({"pool": 9, "rater_share": 0.1, "max_per_rater": 0}, "at least 1"),
    ({"pool": 9, "rater_share": 0.1, "unit": "items"}, "leave it or --pool out"),
    ({"unit": "documents"}, "is not known"),
    ({"pool": 2, "rater_share": 0.1, "raters": (3,)}, "cannot come from 2 people"),
    ({"pool": 9, "rater_share": 0.1, "metric": "total_variation"}, "splits by rater"),
    ({"pool": 9, "rater_share": 0.1, "answers": "raters"}, "splits by rater"),
]


@pytest.mark.parametrize(("ask", "says"), REFUSED)
def test_what_cannot_be_asked_of_a_pool(ask: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        plan("dices", difference=0.05, **ask)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        ({"pool": 7}, "between 2 and the 6 raters"),
        ({"pool": 3, "rater_share": 0.1}, "has no meaning"),
        ({"pool": 3, "raters": (4,)}, "cannot come from 3 people"),
        ({"pool": 3, "max_per_rater": 10, "raters": (2,), "items": (20,)}, "at most 10 items fit"),
    ],
)
def test_what_cannot_be_asked_of_a_resampled_pool(ask: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        plan(EmpiricalPopulation(table(), "items+raters"), effect=0.5, metric="mae", **ask)
