"""Habits of raters, answer by answer, and of groups, pair by pair; who never varies; what `describe` makes of them."""

from typing import Any

import numpy as np
import pytest

from quorate import InputError, describe, read_ratings
from quorate.agreement.rater_habits import group_habits, rater_habits
from quorate.data.ratings import Ratings
from tests.ratings import known

Row = tuple[str, str, object]


def simulated(numbers: bool, seed: int = 0) -> list[Row]:
    """Items with one to five answers from six raters of two groups."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for i in range(25):
        for j in rng.permutation(6)[: rng.integers(1, 6)]:
            rows.append((f"i{i}", f"r{j}", int(rng.integers(1, 6)) if numbers else str(rng.choice(list("abc")))))
    return rows


def read(rows: list[Row], **more: Any) -> Ratings:
    item, rater, response = (list(x) for x in zip(*rows, strict=True))
    team = ["left" if name in ("r0", "r1", "r2") else "right" for name in rater]
    return read_ratings({"item": item, "rater": rater, "response": response, "team": team}, **more)


def others(rows: list[Row], item: str, rater: str) -> list[object]:
    return [y for i, r, y in rows if i == item and r != rater]


def test_leaning_and_correlation_of_numbers() -> None:
    rows = simulated(numbers=True)
    habits = rater_habits(read(rows, scale="interval"))
    assert habits is not None
    assert habits.correlation is not None
    for j in range(6):
        pairs = [
            (float(str(y)), np.mean([float(str(z)) for z in rest]))
            for i, r, y in rows
            if r == f"r{j}" and (rest := others(rows, i, r))
        ]
        own, mean = (np.array(x) for x in zip(*pairs, strict=True))
        assert habits.leaning[j] == pytest.approx((own - mean).mean())
        assert habits.leaning_error[j] == pytest.approx((own - mean).std(ddof=1) / np.sqrt(len(own)))
        assert habits.correlation[j] == pytest.approx(np.corrcoef(own, mean)[0, 1])


def test_leaning_and_agreement_of_categories() -> None:
    rows = simulated(numbers=False)
    habits = rater_habits(read(rows))
    assert habits is not None
    assert habits.towards is not None
    assert habits.agreement is not None
    for j in range(6):
        mine = [(y, rest) for i, r, y in rows if r == f"r{j}" and (rest := others(rows, i, r))]
        excess = [np.mean([(y == c) - np.mean([z == c for z in rest]) for y, rest in mine]) for c in "abc"]
        assert habits.towards[j] == int(np.argmax(excess))
        assert habits.leaning[j] == pytest.approx(max(excess))
        assert habits.agreement[j] == pytest.approx(np.mean([np.mean([z == y for z in rest]) for y, rest in mine]))


def test_groups_pair_by_pair() -> None:
    rows = simulated(numbers=False, seed=1)
    ratings = read(rows)
    team = {f"r{j}": "left" if j < 3 else "right" for j in range(6)}
    for group in group_habits(ratings, ratings.rater_groups["team"]):
        pairs = [
            (team[q] == group.name, x == y)
            for i, r, x in rows
            for k, q, y in rows
            if i == k and r != q and team[r] == group.name
        ]
        assert group.agree_within == pytest.approx(np.mean([same for within, same in pairs if within]))
        assert group.agree_across == pytest.approx(np.mean([same for within, same in pairs if not within]))
        assert group.raters == 3


def test_two_groups_lean_apart_by_as_much() -> None:
    # Full table, two teams of numbers: what one leans up the other leans down.
    rng = np.random.default_rng(2)
    rows: list[Row] = [(f"i{i}", f"r{j}", int(rng.integers(1, 4)) + (j < 3)) for i in range(20) for j in range(6)]
    ratings = read(rows)
    left, right = group_habits(ratings, ratings.rater_groups["team"])
    assert left.leaning == pytest.approx(-right.leaning)
    assert left.leaning > 0.5


def test_always_the_same_needs_others_who_are_not() -> None:
    # Ten items: x says no to all, the others say yes to nine. A second file: everybody says no, and nobody is named.
    stubborn: list[Row] = [(f"i{i}", "x", "no") for i in range(10)]
    stubborn += [(f"i{i}", r, "no" if i == 0 else "yes") for i in range(10) for r in "yz"]
    found = describe(read(stubborn))
    always = known(found.habits).always
    assert [name for name, flag in zip("xyz", always, strict=True) if flag] == ["x"]
    assert any("1 rater gave one answer to nearly everything" in warning for warning in found.warnings)
    agreed: list[Row] = [(f"i{i}", r, "yes" if i == 0 and r == "x" else "no") for i in range(10) for r in "xyz"]
    assert not any("one answer" in warning for warning in describe(read(agreed)).warnings)


def test_describe_lists_raters_groups_and_what_they_are_worth() -> None:
    rows = simulated(numbers=False, seed=3)
    found = describe(read(rows))
    answer = found.to_dict()
    load = np.array([sum(r == f"r{j}" for _, r, _ in rows) for j in range(6)])
    assert answer["effective_raters"] == pytest.approx(load.sum() ** 2 / (load**2).sum())
    assert {row["rater"] for row in answer["rater_habits"]} == {f"r{j}" for j in range(6)}
    assert [row["group"] for row in answer["rater_groups"]["team"]] == ["left", "right"]
    assert found.rater_frame().height == 6
    assert "Groups of raters by team" in str(found)
    assert "Raters\n" in str(found)


def test_unknown_raters_and_columns() -> None:
    unknown = describe({"item": [1, 1, 2], "response": ["a", "b", "a"]})
    assert unknown.habits is None
    assert unknown.to_dict()["rater_habits"] == []
    with pytest.raises(InputError, match="raters are unknown"):
        unknown.rater_frame()
    with pytest.raises(InputError, match="--rater-groups: 'country' is not a column that groups the raters"):
        describe(read(simulated(numbers=False)), rater_groups="country")


def test_of_many_raters_the_surest_are_listed() -> None:
    rng = np.random.default_rng(4)
    rows: list[Row] = [
        (f"i{i}", f"p{j:02}", "yes" if j == 7 or rng.random() < 0.3 else "no") for i in range(30) for j in range(20)
    ]
    found = describe(read(rows), top=3)
    assert found.to_dict()["rater_habits"][0]["rater"] == "p07"
    assert "Raters who lean most surely (3 of 20)" in str(found)
