"""`audit` where raters come back: units side by side, pools and loads, and requests it refuses."""

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from quorate import InputError, audit
from quorate.data.read_ratings import read_ratings
from quorate.data.summaries import Counts
from quorate.populations.resampled import resampled
from quorate.populations.seats import Load
from quorate.populations.shared_raters import SharedRaters

SMALL: dict[str, Any] = {"items": 30, "raters": 3, "metric": "agreement", "replicates": 60}


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QUORATE_CACHE", str(tmp_path))


def test_units_stand_side_by_side_on_the_same_studies() -> None:
    found = audit("shared-raters", **SMALL, unit=["items", "S1"])
    assert [(row.test, row.unit) for row in found.rows] == [("default", "items"), ("default", "items+raters")]
    assert found.rows[0].mean_difference == pytest.approx(found.rows[1].mean_difference)
    alone, both = (row.ci_width for row in found.rows)
    assert alone is not None
    assert both is not None
    assert alone < both


def test_auto_counts_raters_where_they_come_back() -> None:
    assert audit("shared-raters", **SMALL).rows[0].unit == "items+raters"
    assert audit("dices", **SMALL).rows[0].unit == "items"
    assert audit("shared-raters", **SMALL, test="permutation", resamples=19).rows[0].unit == "items"


def test_few_raters_are_warned_about() -> None:
    assert "worth 3.0 equal ones" in audit("shared-raters", **SMALL).warnings[0]
    assert audit("shared-raters", **{**SMALL, "raters": 6}).warnings == ()
    assert audit("shared-raters", **SMALL, pool=20).warnings == ()


def test_batches_of_resampled_ratings() -> None:
    pairs = [(f"{b}-{i}", f"{b}-{r}") for b in range(12) for i in range(3) for r in range(3)]
    rng = np.random.default_rng(0)
    ratings = read_ratings(
        {"item": [i for i, _ in pairs], "rater": [r for _, r in pairs], "response": rng.choice(["a", "b"], len(pairs))}
    )
    found = audit(resampled(ratings, "batches"), **SMALL, unit=["batches", "items+raters", "items"])
    assert [row.unit for row in found.rows] == ["batches", "items+raters", "items"]
    assert all(0 <= row.rejection_rate <= 1 for row in found.rows)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"unit": "cluster:doc"}, "simulated studies have no columns"),
        ({"unit": "S1", "test": "welch"}, "welch by agreement counts items only"),
        ({"pool": 2}, "a pool of 2 cannot give 3 different raters"),
        ({"answers": 2}, "answer each item once"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        audit("shared-raters", **{**SMALL, **change})


def test_pools_and_units_of_other_worlds_are_refused() -> None:
    with pytest.raises(InputError, match="raters answer one item each here"):
        audit("dices", **SMALL, unit="items+raters")
    with pytest.raises(InputError, match="for --preset shared-raters"):
        audit("dices", **SMALL, pool=20)


def test_the_world_spreads_its_raters() -> None:
    draw = SharedRaters(pool=10, load="unequal").draw(
        n_replicates=3, n_items=400, n_raters=2, rng=np.random.default_rng(1)
    )
    assert draw.panel is not None
    assert isinstance(draw.a, Counts)
    assert isinstance(draw.b, Counts)
    assert isinstance(draw.raters, Counts)
    seats = draw.panel.rater[0]
    assert (seats[:, 0] != seats[:, 1]).all()
    load = np.bincount(seats.ravel(), minlength=10)
    assert load[0] > 2 * load[-1]
    # A and B answer differently on every item, and every rater sides with one of them.
    assert (draw.a.counts + draw.b.counts == 1).all()
    agrees = (draw.raters.counts * draw.a.counts).sum(-1) + (draw.raters.counts * draw.b.counts).sum(-1)
    assert (agrees == 2).all()
    with pytest.raises(InputError, match="the load is even or unequal"):
        SharedRaters(load=cast(Load, "odd"))
    with pytest.raises(InputError, match="standard deviations"):
        SharedRaters(lean=-1.0)
