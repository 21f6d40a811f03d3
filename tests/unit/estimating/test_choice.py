"""Items for experts: as many as asked, with chances that their weights undo."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import quorate
from quorate import InputError
from quorate.estimating.choice import choose_items, draw_items
from quorate.estimating.evidence import Evidence
from quorate.estimating.label_metrics import METRICS
from quorate.estimating.study import Study
from quorate.populations.crowds import irt_crowd

N = 800


@pytest.fixture(scope="module")
def files() -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    crowd = irt_crowd(N, rng=np.random.default_rng(1), scores=((1.0, 1.5),))
    item = [f"i{i:04d}" for i in range(N)]
    votes = pl.DataFrame({"item": item, "positive": crowd.positive, "total": crowd.total})
    known = np.sort(np.random.default_rng(2).permutation(N)[:80])
    experts = pl.DataFrame({"item": [item[i] for i in known], "label": crowd.truth[known]})
    return votes, experts, pl.DataFrame({"item": item, "score": crowd.scores[:, 0]})


def test_items_are_drawn_with_their_chances_and_a_fixed_number_of_them() -> None:
    rng = np.random.default_rng(0)
    chance = rng.uniform(0.05, 0.6, 40)
    chance *= 12 / chance.sum()
    counts = np.zeros(40)
    for _ in range(4000):
        drawn = draw_items(chance, np.arange(40), rng)
        assert len(drawn) == 12
        counts[drawn] += 1
    error = 5 * np.sqrt(chance * (1 - chance) / 4000)
    assert (np.abs(counts / 4000 - chance) < error).all()


def test_the_list_holds_old_labels_and_wanted_ones_and_weights_stand_for_all_items(
    files: Any,
) -> None:
    found = quorate.estimate(*files, metric="accuracy", threshold=1.0, choose=100)
    chosen = found.to_frame()
    assert chosen.columns == ["item", "label", "weight"]
    assert chosen.height == 180
    assert chosen["label"].null_count() == 100
    assert chosen["weight"].sum() == pytest.approx(N, rel=0.25)  # an unbiased count of the items
    assert "100 items chosen for experts" in str(found)
    at_random = quorate.estimate(*files, metric="accuracy", choose=100, choose_by="random").to_frame()
    assert at_random["weight"].n_unique() == 1
    assert at_random["weight"][0] == pytest.approx(N / 180)


@pytest.mark.parametrize("rule", ["majority", "share"])
def test_items_that_several_experts_labelled_keep_every_label(files: Any, rule: Any) -> None:
    votes, experts, scores = files
    again = experts.head(5).with_columns((1 - pl.col("label")).alias("label"))
    both = pl.concat([experts, again])
    how = {"metric": "accuracy", "threshold": 1.0, "several_experts": rule}
    chosen = quorate.estimate(votes, both, scores, choose=50, **how).to_frame()
    assert (chosen.height, chosen["label"].null_count()) == (135, 50)
    old = chosen.drop_nulls().select("item", pl.col("label").cast(pl.Int64)).sort("item", "label")
    assert old.equals(both.select("item", pl.col("label").cast(pl.Int64)).sort("item", "label"))
    assert (chosen.group_by("item").agg(pl.col("weight").n_unique())["weight"] == 1).all()


def test_items_whose_label_tells_more_have_the_higher_chance(files: Any) -> None:
    chosen = quorate.estimate(*files, metric="prevalence", threshold=1.0, choose=200).to_frame()
    wanted, old = (chosen.filter(pl.col("label").is_null() == new)["weight"].to_numpy() for new in (True, False))
    # drawn by their chances, items have higher ones than a random sample: E(pi²) / E(pi) > E(pi)
    assert (1 / wanted).mean() > (1 / old).mean()
    assert wanted.max() / wanted.min() > 1.5


def test_random_items_after_a_sample_with_weights_count_all_items_and_positives_without_bias() -> None:
    crowd = irt_crowd(N, rng=np.random.default_rng(1), scores=((1.0, 1.5),))
    names = pl.Series([f"i{i:04d}" for i in range(N)])
    first = np.where(crowd.truth == 1, 0.3, 0.05)  # experts saw mostly positives
    counts = []
    for number in range(300):
        rng = np.random.default_rng([number, 3])
        known = rng.random(N) < first
        evidence = Evidence.binary(
            crowd.positive, crowd.total, crowd.truth, known, {"s": crowd.scores[:, 0]}, weight=1 / first
        )
        study, metric = Study(evidence), METRICS["prevalence"]
        chosen = choose_items(study, names, metric, ("s",), 80, at_random=True, rng=rng)
        positive = crowd.truth[chosen["item"].str.slice(1).cast(pl.Int64).to_numpy()]
        weight = chosen["weight"].to_numpy()
        assert weight.sum() == pytest.approx(N)
        counts.append((weight @ positive / N, positive.mean()))
    mean, error = np.mean(counts, axis=0), 5 * np.std(counts, axis=0) / np.sqrt(300)
    assert abs(mean[0] - crowd.truth.mean()) < error[0]
    assert abs(mean[1] - crowd.truth.mean()) > error[1]  # the control: every item alike


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"choose": 900}, "more than the 720 items"),
        ({"choose": 0}, "chooses nothing"),
        ({"choose_by": "x"}, "best or"),
    ],
)
def test_what_cannot_be_chosen_is_said(files: Any, how: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        quorate.estimate(*files, **how)
