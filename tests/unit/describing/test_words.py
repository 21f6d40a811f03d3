"""The items that raters dispute most: none that nobody disputes, each by a name of its own."""

import quorate


def test_items_that_nobody_disputes_are_not_the_most_disputed() -> None:
    table = {"item": list("aabbcc"), "response": ["y", "y", "y", "n", "y", "y"]}
    shown = quorate.describe(table).tables()["disputed"]
    assert [row[0] for row in shown.rows] == ["b"]
    assert shown.caption == "Most disputed items"
    assert not quorate.describe({"item": list("aabb"), "response": ["y"] * 4}).tables()["disputed"].rows


def test_long_names_of_items_can_be_told_apart() -> None:
    names = [f"The answer to the very long question number {n}" for n in (1, 2)]
    table = {"item": [name for name in names for _ in "ab"], "response": ["y", "n"] * 2}
    assert [row[0] for row in quorate.describe(table).tables()["disputed"].rows] == names
