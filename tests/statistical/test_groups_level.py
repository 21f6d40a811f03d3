"""Whether a difference varies by group, asked of `compare` itself: groups that have raters of their own."""

from typing import Any

import numpy as np

from quorate import compare
from tests.studies import pick

STUDIES = pick(40, 400)
GROUPS, ITEMS, RATERS, LEVEL = 3, 15, 4, 0.05


def rated(rng: np.random.Generator, *, named_alike: bool) -> dict[str, list[Any]]:
    """Outputs of two systems that are alike in every group; each rater leans to one of them."""
    rows = []
    for group in range(GROUPS):
        lean = 0.7 * rng.standard_normal((RATERS, 2))
        said = 3 + rng.standard_normal((ITEMS, RATERS, 2)) + lean
        for item, rater, system in np.ndindex(said.shape):
            who = f"r{rater}" if named_alike else f"g{group}r{rater}"
            rows.append((f"g{group}i{item}", who, "ab"[system], float(said[item, rater, system]), f"g{group}"))
    names = ("item", "rater", "system", "response", "team")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def claims(*, named_alike: bool) -> float:
    """The share of studies in which the difference is said to vary."""
    rng = np.random.default_rng(19)
    tables = [rated(rng, named_alike=named_alike) for _ in range(STUDIES)]
    found = [compare(table, rated_system="system", by="team").heterogeneity[0].p_value for table in tables]
    return float(np.mean(np.array(found) <= LEVEL))


def test_raters_of_one_group_alone_are_no_difference_between_groups() -> None:
    assert claims(named_alike=False) <= LEVEL + 5 * np.sqrt(LEVEL * (1 - LEVEL) / STUDIES)


def test_taken_for_one_another_they_would_be() -> None:
    """A control: the same responses, raters of all groups under the same names, whose leanings then are the items'."""
    assert claims(named_alike=True) > 0.5
