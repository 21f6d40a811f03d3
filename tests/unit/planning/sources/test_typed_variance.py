"""Plans from typed-in variances."""

from typing import Any

import pytest

from quorate import InputError, plan
from quorate.planning.question import parse_variance


def test_raters_new_on_every_item_share_out_what_is_not_the_items_own() -> None:
    # Var d_i = 0.04 + (0.01 + 0.2) / 3 = 0.11: normal theory needs (1.96 + 0.84)² 0.11 / 0.1² = 86.3 items.
    planned = plan(variance="item=0.04,rater=0.01,rest=0.2", difference=0.1, raters=3)
    assert 86 <= planned.best.n_items <= 90
    assert planned.settings["variance"] == {"item": 0.04, "rater": 0.01, "rest": 0.2}


def test_a_pool_leaves_what_its_people_bring() -> None:
    alone = plan(variance={"item": 0.04, "rest": 0.2}, difference=0.1, raters=1)
    pooled = plan(variance={"item": 0.04, "rater": 0.01, "rest": 0.2}, difference=0.1, raters=1, pool=20)
    assert pooled.best.n_items > alone.best.n_items
    assert pooled.people is not None
    assert pooled.people.smallest_ever > 0


@pytest.mark.parametrize("text", ["item=-1", "item=0", "items=1", "item", "item=inf", "item=x"])
def test_what_is_no_variance_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="item=a,rater=b,rest=c"):
        parse_variance("--variance", text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "say --difference"),
        ({"difference": 0.1, "preset": "dices"}, "name no population"),
        ({"difference": 0.1, "score": 0.5}, "--score has no meaning"),
        ({"difference": 0.1, "unit": "batches"}, "leave it out"),
    ],
)
def test_what_goes_with_no_variance_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(variance="item=1,rest=1", **options)
