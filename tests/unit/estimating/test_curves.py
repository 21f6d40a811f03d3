"""Curves of the corrected guess: plain curves where all is known, bands around them elsewhere."""

from dataclasses import replace

import numpy as np
import pytest

from quorate._typing import Array
from quorate.estimating.assistance import Assistance
from quorate.estimating.curves import AssistedCurves, CurveKind
from quorate.estimating.evidence import Evidence
from quorate.populations.crowds import irt_crowd


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    crowd = irt_crowd(1500, rng=np.random.default_rng(1), scores=((1.0, 1.5),))
    known = np.arange(1500) % 5 == 0
    return Evidence.binary(
        crowd.positive,
        crowd.total,
        crowd.truth,
        known,
        {"s": crowd.scores[:, 0]},
        truth=crowd.truth,
    )


def test_with_every_label_curves_are_the_plain_ones(evidence: Evidence) -> None:
    every = replace(evidence, has_label=np.ones(1500, dtype=bool))
    score, label = every.scores["s"], every.label
    for alone in (False, True):
        curve = AssistedCurves(Assistance(every), "s", alone=alone).curve("roc", 0.95, 11)
        for x, value in zip(curve["x"], curve["value"], strict=True):
            cut = np.quantile(score[label == 0], 1 - x, method="inverted_cdf")
            # one step from the guess corrects to first order; alone it is the curve itself
            assert value == pytest.approx((score[label == 1] >= cut).mean(), abs=0.05 if not alone else 0.01)
        bins = AssistedCurves(Assistance(every), "s", alone=alone).curve("calibration", 0.95, 11)
        low, high = bins["x"][3], bins["x"][4]
        assert bins["value"][3] == pytest.approx(label[(score >= low) & (score < high)].mean(), abs=1e-9)


@pytest.mark.parametrize(("kind", "inner"), [("roc", slice(1, 11)), ("precision-recall", slice(10, -1))])
def test_bands_hold_the_curve_and_are_narrower_than_with_experts_alone(
    evidence: Evidence, kind: CurveKind, inner: slice
) -> None:
    items = Assistance(evidence)

    def ends(**how: bool) -> tuple[Array, Array, Array]:
        curve = AssistedCurves(items, "s", **how).curve(kind, 0.95, 21)
        value, low, high = (curve[name].to_numpy() for name in ("value", "low", "high"))
        return value, low, high

    value, low, high = ends()
    assert ((low <= value) & (value <= high)).all()
    assert kind != "roc" or (np.diff([value, low, high]) >= 0).all()
    _, below, above = ends(alone=True)
    assert (high - low)[inner].mean() < (above - below)[inner].mean()
    _, below, above = ends(population=True)
    assert (above - below)[inner].mean() > (high - low)[inner].mean()


def test_where_no_negative_is_called_a_roc_is_anything_up_to_its_next_point(evidence: Evidence) -> None:
    # a tenth of the positives lie above every negative: at a rate of 0 the curve stands at 0.1
    assert evidence.truth is not None
    top = np.flatnonzero(evidence.truth == 1)[::10]
    ahead = replace(evidence, scores={"s": evidence.scores["s"] + 99.0 * np.isin(np.arange(1500), top)})
    for alone in (False, True):
        curve = AssistedCurves(Assistance(ahead), "s", alone=alone).curve("roc", 0.95, 101)
        assert curve["low"][0] == 0.0
        assert 0.1 < curve["high"][0] == curve["high"][1]
        assert curve["low"][0] <= curve["value"][0] <= curve["high"][0]


def test_bands_of_experts_who_take_whole_documents_count_documents(evidence: Evidence) -> None:
    cluster = np.arange(1500) // 50
    documents = replace(evidence, has_label=cluster % 5 == 0, cluster=cluster)
    # scores and labels that come by the document
    together = replace(documents, label=(cluster // 5 % 2), scores={"s": evidence.scores["s"] + cluster % 3})
    for alone in (False, True):
        bins = [
            AssistedCurves(Assistance(each), "s", alone=alone).curve("calibration", 0.95, 11)
            for each in (together, replace(together, cluster=None))
        ]
        wide, narrow = (float((each["high"] - each["low"]).to_numpy().mean()) for each in bins)
        assert wide > 1.2 * narrow


def test_what_all_experts_of_a_bin_say_stays_possible(evidence: Evidence) -> None:
    few = replace(evidence, has_label=np.arange(1500) % 30 == 0)
    ours, alone = (
        AssistedCurves(Assistance(few), "s", alone=each).curve("calibration", 0.95, 21) for each in (False, True)
    )
    sure = alone["value"].is_in([0.0, 1.0])
    assert sure.any()
    assert ((ours["low"] <= alone["value"]) & (alone["value"] <= ours["high"])).filter(sure).all()


def test_all_called_may_be_positive_where_they_are_fewer_than_experts_have_one_of(evidence: Evidence) -> None:
    # experts have five positives, and negatives with higher scores than these
    assert evidence.truth is not None
    score = evidence.scores["s"]
    positive, negative = (np.flatnonzero(evidence.truth == k)[np.argsort(score[evidence.truth == k])] for k in (1, 0))
    known = np.isin(np.arange(1500), [*positive[100:150:10], *negative[-60::2], *negative[:100]])
    few = Assistance(replace(evidence, has_label=known))
    for alone in (False, True):
        curve = AssistedCurves(few, "s", alone=alone).curve("precision-recall", 0.95, 21)
        below = (curve["x"] < 0.2 - 1e-9).to_numpy()
        assert (curve["high"].to_numpy()[below] == 1.0).all()
        assert (curve["high"].to_numpy()[~below] < 1.0).all()
