"""Plans from a pilot of rated outputs: the same raters for both outputs of an item, or others, or one scorer."""

from typing import Any

import numpy as np
import pytest

from quorate import InputError, plan
from quorate.planning.sources.rated_pilot import UNSHOWN

PARTS = {"item": 0.5, "rater": 0.4, "taste": 0.3, "noise": 0.4}
"""Spreads: of items, of strict raters, of a rater's taste for an item, of single ratings."""


def pilot(rng: np.random.Generator, paired: bool, n_items: int = 200, difference: float = 0.3) -> dict[str, list[Any]]:
    """Outputs of two systems rated by 3 of 15 people: the same three for both outputs, or three others."""
    strict, rows = PARTS["rater"] * rng.normal(size=15), []
    for item in range(n_items):
        own, apart = PARTS["item"] * rng.normal(), 0.3 * rng.normal()
        people = rng.permutation(15)
        taste = PARTS["taste"] * rng.normal(size=15)
        for place, system in enumerate(("new", "old")):
            side = (0.5 - place) * (difference + apart)
            for j in people[:3] if paired or place == 0 else people[3:6]:
                rows.append((item, f"p{j}", system, own + side + strict[j] + taste[j] + PARTS["noise"] * rng.normal()))
    item_, rater, system_, response = zip(*rows, strict=True)
    return {"item": [*item_], "rater": [*rater], "system": [*system_], "response": [round(x, 3) for x in response]}


def test_a_paired_pilot_is_planned_paired_and_that_is_cheaper() -> None:
    planned = plan(from_ratings=pilot(np.random.default_rng(1), True), rated_system="system", difference=0.2, pool=40)
    own, other = planned.designs
    assert (own.paired, other.paired) == (True, False)
    assert own.cost < other.cost
    assert planned.best.responses == 2 * planned.best.n_items * planned.best.n_raters
    assert "the same people rate both outputs" in "\n".join(planned.notes())
    # What a rater's difference varies by within an item is the noise of both ratings: 2 · 0.4².
    assert planned.pilot is not None
    assert planned.pilot["within"] == pytest.approx(2 * PARTS["noise"] ** 2, rel=0.25)


def test_an_unpaired_pilot_is_planned_unpaired() -> None:
    planned = plan(from_ratings=pilot(np.random.default_rng(2), False), rated_system="system", difference=0.2, pool=40)
    assert planned.designs == ()  # nobody rated both outputs of an item: what that would bring does not show
    assert UNSHOWN in planned.warnings
    assert planned.pilot is not None
    # Both ratings keep taste and noise: 2 (0.3² + 0.4²).
    within = 2 * (PARTS["taste"] ** 2 + PARTS["noise"] ** 2)
    assert planned.pilot["within"] == pytest.approx(within, rel=0.25)
    assert planned.pilot["between_raters"] == pytest.approx(2 * PARTS["rater"] ** 2, rel=0.8)


def test_one_scorer_s_marks_are_planned_by_items_alone() -> None:
    rng = np.random.default_rng(3)
    table = {
        "item": [*range(80)] * 2,
        "model": ["a"] * 80 + ["b"] * 80,
        "score": rng.normal(size=160).round(3).tolist(),
    }
    planned = plan(from_ratings=table, rated_system="model", difference=0.5)
    # Differences have variance 2: (1.96 + 0.84)² 2 / 0.25 = 63 items, within the error of a variance of 80.
    assert planned.best.n_raters == 1
    assert planned.best.n_items == pytest.approx(63, rel=0.6)
    assert "one scorer" in planned.sentence()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "say --difference"),
        ({"difference": 0.1, "systems": "new"}, "two systems"),
        ({"difference": 0.1, "metric": "wins:mean_rating"}, "by mean_rating"),
        ({"difference": 0.1, "effect": None, "score": 1.0}, "--score has no meaning"),
    ],
)
def test_what_a_rated_pilot_cannot_be_asked_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(from_ratings=pilot(np.random.default_rng(5), True, 20), rated_system="system", **options)


def test_a_rated_system_needs_its_ratings() -> None:
    with pytest.raises(InputError, match="needs --from"):
        plan("dices", rated_system="system", difference=0.1)
