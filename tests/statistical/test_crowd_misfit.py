"""The test of the vote model keeps its level where the model holds, and sees experts who contradict it."""

import numpy as np

import quorate
from quorate._typing import Array
from quorate.estimating.checks import VoteMisfit, hide_model, vote_misfit
from quorate.estimating.evidence import Evidence
from quorate.estimating.methods.method import Estimate
from quorate.estimating.study import Study
from quorate.populations.crowds import maven_crowd
from tests.studies import pick

STUDIES, ITEMS, EXPERTS = pick(20, 60), 2000, 400


def _strange(votes: Array, rng: np.random.Generator) -> Array:
    """LabelCounts that follow one vote of three more surely than all three, which no beta law per label can give."""
    surprising = (rng.random(ITEMS) < 0.4) & ((votes == 0) | (votes == 3))
    return np.where(surprising, votes == 0, votes >= 2).astype(int)


def _misfit(rng: np.random.Generator, *, strange: bool) -> VoteMisfit:
    crowd = maven_crowd(ITEMS, rng=rng)
    label = _strange(crowd.positive, rng) if strange else crowd.truth
    evidence = Evidence.binary(crowd.positive, crowd.total, label, np.arange(ITEMS) < EXPERTS)
    return vote_misfit(Study(evidence, n_draws=60).votes)


def test_level_where_the_model_holds() -> None:
    rng = np.random.default_rng(4)
    rejected = sum(_misfit(rng, strange=False).p_value < 0.05 for _ in range(STUDIES))
    assert rejected / STUDIES <= 0.05 + 5 * np.sqrt(0.05 * 0.95 / STUDIES)


def test_control_labels_no_vote_model_gives_are_seen() -> None:
    rng = np.random.default_rng(5)
    assert max(_misfit(rng, strange=True).p_value for _ in range(5)) < 0.01


def test_the_verb_warns_and_does_not_show_the_model_beside_the_assisted_estimate() -> None:
    rng = np.random.default_rng(6)
    crowd = maven_crowd(ITEMS, rng=rng)
    item = [f"i{i:04d}" for i in range(ITEMS)]
    votes = {"item": item, "positive": crowd.positive, "total": crowd.total}
    for label, strange in ((crowd.truth, False), (_strange(crowd.positive, rng), True)):
        experts = {"item": item[:EXPERTS], "label": label[:EXPERTS]}
        alone = quorate.estimate(votes, experts, method="maven", draws=60)
        assert any("do not follow the vote model" in warning for warning in alone.warnings) == strange
        beside = quorate.estimate(votes, experts, method=["assisted", "maven"], metric="prevalence", draws=60)
        assert any("does not describe this crowd" in warning for warning in beside.warnings) == strange
        assert {row.method for row in beside.estimates} == ({"assisted"} if strange else {"assisted", "maven"})
        assert ("MAVEN's model, if it describes this crowd, says" in beside.sentence()) != strange


def test_a_model_far_from_the_assisted_estimate_is_hidden() -> None:
    # assisted 0.90 ± 0.04 and maven ± 0.02 have a difference of standard error sqrt(0.08² - 0.04²) / 3.92 = 0.0177
    fine = VoteMisfit(0.5, 10, 5, 5.0)

    def said(value: float, method: str = "maven", metric: str = "auc") -> list[str]:
        rows = [Estimate("m", "auc", "assisted", 0.90, 0.86, 0.94)]
        return hide_model([*rows, Estimate("m", metric, method, value, value - 0.02, value + 0.02)], fine, 0.95)

    assert said(0.90 - 1.99 * 0.017674) == []
    assert "2.0 standard errors" in said(0.90 - 2.01 * 0.017674)[0]
    assert said(0.50, method="mv") == []
    assert said(0.10, metric="f1") == []
    assert "vote test" in hide_model([], VoteMisfit(0.001, 10, 5, 1.0), 0.95)[0]
