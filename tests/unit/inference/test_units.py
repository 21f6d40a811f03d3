"""What counts as drawn: chosen from who rated what, asked for by name, or refused in one sentence."""

from typing import Any

import numpy as np
import pytest

from quorate import InputError
from quorate.data.rated_outputs import read_rated_outputs
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import read_ratings
from quorate.inference.roster import rated_pivot, roster_of, rosters_of_rated
from quorate.inference.units import choose_unit, unit_name


def table(pairs: list[tuple[Any, Any]], answers: list[Any] | None = None, **more: list[Any]) -> Ratings:
    items, raters = (list(x) for x in zip(*pairs, strict=True))
    said = answers or ["yes" if k % 3 else "no" for k in range(len(pairs))]
    return read_ratings({"item": items, "rater": raters, "response": said, **more})


CROSSED = [(i, r) for i in range(6) for r in "uvw"]


def test_auto_says_why() -> None:
    found = choose_unit(table(CROSSED))
    assert (found.name, found.scope) == ("items+raters", "other items, other raters")
    assert found.reason == "3 raters are shared across items, so raters count as random."
    nested = table([(i, f"{i}{k}") for i in range(6) for k in range(2)])
    assert (choose_unit(nested).name, choose_unit(nested).reason) == ("items", "")
    assert choose_unit(table([(i, "u") for i in range(6)])).name == "items"
    assert choose_unit(table(CROSSED), by_items_only="the welch test counts items only").name == "items"
    unknown = read_ratings({"item": [1, 1, 2], "response": ["a", "b", "a"]})
    assert choose_unit(unknown).name == "items"


def test_batches_need_to_be_many_to_be_chosen() -> None:
    many = [(f"{b}-{i}", f"{b}-{r}") for b in range(20) for i in range(2) for r in range(2)]
    found = choose_unit(table(many))
    assert (found.name, found.reason) == (
        "batches",
        "Items come in 20 batches that share no rater, so batches were drawn.",
    )
    assert found.clusters is not None
    assert np.bincount(found.clusters).tolist() == [2] * 20
    few = table([pair for pair in many if int(pair[0].split("-")[0]) < 5])
    assert choose_unit(few).name == "items+raters"
    assert choose_unit(few, "S3").name == "batches"


def test_schemes_have_short_names() -> None:
    assert [unit_name(x) for x in ("S1", "s2", "S3", "cluster:doc")] == [
        "items+raters",
        "raters-within-items",
        "batches",
        "cluster:doc",
    ]


def test_fixed_raters_leave_items_and_fixed_items_leave_raters() -> None:
    crossed = table(CROSSED)
    raters_fixed = choose_unit(crossed, raters_are="fixed")
    assert (raters_fixed.name, raters_fixed.scope, raters_fixed.roster) == (
        "items",
        "other items, the same raters",
        None,
    )
    items_fixed = choose_unit(crossed, items_are="fixed")
    assert (items_fixed.name, items_fixed.scope) == ("raters", "the same items, other raters")
    assert items_fixed.items_fixed
    assert items_fixed.roster is not None


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("--unit people is not known", {"unit": "people"}),
        ("--raters-are often is not known", {"raters_are": "often"}),
        ("leave nothing to chance", {"raters_are": "fixed", "items_are": "fixed"}),
        ("leaves only items to draw", {"raters_are": "fixed", "unit": "S1"}),
        ("leaves only raters to draw", {"items_are": "fixed", "unit": "batches"}),
        ("all items are linked by shared raters", {"unit": "batches"}),
        ("'doc' is not a column that groups the items", {"unit": "cluster:doc"}),
        ("the welch test counts items only", {"unit": "S1", "by_items_only": "the welch test counts items only"}),
    ],
)
def test_what_makes_no_sense_is_refused(words: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=words):
        choose_unit(table(CROSSED), **arguments)


def test_raters_must_be_known_and_more_than_one() -> None:
    with pytest.raises(InputError, match="needs to know who answered"):
        choose_unit(read_ratings({"item": [1, 1, 2], "response": ["a", "b", "a"]}), "items+raters")
    with pytest.raises(InputError, match="one rater answered everything"):
        choose_unit(table([(i, "u") for i in range(6)]), "S1")
    with pytest.raises(InputError, match="needs items with two raters or more"):
        choose_unit(table([(i, f"{i}{k}") for i in range(6) for k in range(2)]), items_are="fixed")


def test_repeated_answers_of_a_rater_are_one_cell() -> None:
    ratings = table([(1, "u"), (1, "u"), (1, "v"), (2, "u")], ["no", "yes", "yes", "no"])
    roster = roster_of(ratings)
    assert roster is not None
    # Item 1 has three answers of weight 1/6, two of them by u: the cell weighs 1/3 and holds their mean.
    np.testing.assert_allclose(roster.crossing.weight, [1 / 3, 1 / 6, 1 / 2])
    np.testing.assert_allclose(roster.read(np.array([[0.0, 6.0], [1.0, 9.0]])), [3.0, 6.0, 1.0])


def test_clusters_and_raters_are_one_cell_each() -> None:
    ratings = table(CROSSED, doc=[f"d{i // 2}" for i, _ in CROSSED])
    unit = choose_unit(ratings, "cluster:doc+raters")
    assert unit.roster is not None
    crossing = unit.roster.crossing
    assert (crossing.n_items, crossing.n_raters, len(crossing.weight)) == (3, 3, 9)
    np.testing.assert_allclose(crossing.weight, 1 / 9)


def test_some_items_only() -> None:
    ratings = table([(1, "u"), (2, "u"), (2, "v"), (3, "v")], ["no", "yes", "no", "yes"])
    roster = roster_of(ratings)
    assert roster is not None
    taken = roster.take(np.array([1, 2]))
    np.testing.assert_allclose(taken.crossing.weight, [0.25, 0.25, 0.5])
    assert taken.item.tolist() == [0, 0, 1]


def test_ratings_of_two_systems_meet_in_their_raters() -> None:
    # u rated both outputs of item 1; on item 2, u rated A and v rated B: θ_A = 4, θ_B = 3. What each person moves the
    # difference by: u ½ (5 − 4) + ½ (3 − 4) − ½ (4 − 3) = −½, v −½ (2 − 3) = ½. Loads ¾ and ¼ are worth 1.6 people.
    table = {"item": [1, 1, 2, 2], "system": list("abab"), "rater": list("uuuv"), "response": [5, 4, 3, 2]}
    rated = read_rated_outputs(table, "system").ratings
    rosters = rosters_of_rated(rated)
    tables = [np.asarray(part.scale.levels) + np.zeros((2, 1)) for part in rated.values()]
    pivot = rated_pivot((rosters["a"], rosters["b"]), (tables[0], tables[1]))
    assert float(pivot.estimate) == 1.0
    np.testing.assert_allclose(pivot.units, [1.0, 1.0])
    [people] = pivot.variance.others
    assert float(people.variance) == pytest.approx(0.5 * 1.6 / 0.6)
    assert float(people.less) == pytest.approx(1.0)
    assert float(people.df) == pytest.approx(0.6)


def test_raters_of_one_system_each_are_all_counted_as_shared() -> None:
    rows = [(item, system, f"{system}{k}", 3) for item in (1, 2, 3) for system in "ab" for k in range(2)]
    table = dict(zip(("item", "system", "rater", "response"), map(list, zip(*rows, strict=True)), strict=True))
    rated = read_rated_outputs(table, "system").ratings
    assert choose_unit(rated["a"], rated=rated).reason.startswith("4 raters are shared across items")
