"""The verb: rows, sentence, groups, targets, methods, and what must not change the answer."""

import json
import pickle
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

import quorate
from quorate import InputError
from quorate._typing import Array
from quorate.estimating.methods.method import Estimate
from quorate.estimating.purchase import worth
from quorate.estimating.result import Estimation
from quorate.populations.crowds import irt_crowd


@pytest.fixture(scope="module")
def files() -> dict[str, Any]:
    n = 3000
    crowd = irt_crowd(n, rng=np.random.default_rng(3))
    assert crowd.rater is not None
    assert crowd.vote is not None
    item = np.array([f"i{i:05d}" for i in range(n)])
    votes = pl.DataFrame(
        {"item": np.repeat(item, 3), "rater": crowd.rater.ravel(), "response": crowd.vote.ravel()}
    ).with_columns(pl.when(pl.col("item") < "i01500").then(pl.lit("old")).otherwise(pl.lit("new")).alias("batch"))
    chosen = np.random.default_rng(0).permutation(n)[:450]
    experts = pl.DataFrame({"item": item[chosen], "label": crowd.truth[chosen]})
    scores = pl.DataFrame(
        {
            "item": np.tile(item, 2),
            "system": np.repeat(["A", "B"], n),
            "score": crowd.scores.T.ravel(),
        }
    )
    truth = pl.DataFrame({"item": item, "label": crowd.truth})
    return {"votes": votes, "experts": experts, "scores": scores, "truth": truth, "crowd": crowd}


@pytest.fixture(scope="module")
def result(files: dict[str, Any]) -> Estimation:
    return quorate.estimate(files["votes"], files["experts"], files["scores"], threshold=1.0, draws=200)


class Numbers(NamedTuple):
    """An estimate that has its numbers."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


def _numbers(row: Estimate) -> Numbers:
    assert row.value is not None
    assert row.low is not None
    assert row.high is not None
    return Numbers(row.value, row.low, row.high)


def _row(result: Estimation, metric: str, method: str = "assisted", system: str = "A") -> Numbers:
    return _numbers(next(r for r in result.estimates if (r.metric, r.method, r.system) == (metric, method, system)))


def test_contract_fields_are_there_and_survive_json(result: Estimation) -> None:
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert {"schema", "version", "seed", "settings", "warnings", "sentence"} <= set(content)
    assert content["n_items"] == 3000
    assert content["n_experts"]["positive"] + content["n_experts"]["negative"] == 450
    assert set(content["estimates"][0]) == {
        "system",
        "metric",
        "method",
        "value",
        "low",
        "high",
        "rests_on",
    }
    assert content["estimates"][0]["rests_on"] > 0
    assert 0 < content["voters"]["tpr_low"] < content["voters"]["tpr"] < 1
    assert content["diagnostics"] is None


def test_the_truth_is_near_every_interval(files: dict[str, Any], result: Estimation) -> None:
    crowd = files["crowd"]
    score, label = crowd.scores[:, 0], crowd.truth
    auc = (score[label == 1][:, None] > score[label == 0]).mean()
    row = _row(result, "auc")
    assert row.low - (row.high - row.low) < auc < row.high + (row.high - row.low)  # one more width: z = 6
    assert _row(result, "auc", "gt").width > row.width


def test_sentence_compares_with_experts_alone(result: Estimation) -> None:
    sentence = result.sentence()
    assert sentence.startswith("AUC of A 0.")
    assert "the 450 expert labels alone would say" in sentence
    assert "votes and scores are worth about" in sentence
    assert str(result).startswith("\n".join(sentence.lines()))
    assert f"<p><strong>{sentence.lines()[0]}</strong>" in result._repr_html_()


def test_settings_name_the_inputs_and_every_option(result: Estimation) -> None:
    settings = result.settings
    assert (settings["votes"], settings["scores"], settings["truth"]) == (
        "the data frame",
        "the data frame",
        None,
    )
    assert settings["metric"][0] == "auc"
    assert (settings["method"], settings["threshold"]) == (["assisted", "gt"], 1.0)
    assert {"selection", "positive", "duplicates", "expert_price", "variant"} <= set(settings)


def test_a_result_can_be_pickled_and_reads_the_same(result: Estimation) -> None:
    again = pickle.loads(pickle.dumps(result))
    assert str(again) == str(result)
    assert again.to_dict() == result.to_dict()
    assert again.curve("roc", system="B").equals(result.curve("roc", system="B"))


def test_terminal_and_page_read_the_same_table(result: Estimation) -> None:
    table = result.tables()["estimates"]
    assert str(table) in str(result)
    assert table.for_page().header == [
        "system",
        "metric",
        "method",
        "value",
        "interval",
        "rests on",
    ]
    assert len(table.rows) == len(result.estimates)


def test_worth_is_rounded_to_two_figures() -> None:
    # 450 ((0.09 / 0.06)² - 1) = 562.5, and there are never more than items without a label
    assert worth(450, 9000, 0.09, 0.06) == 560
    assert worth(450, 800, 0.09, 0.06) == 350


def test_model_model_difference_is_the_difference_of_the_means(result: Estimation) -> None:
    difference = _row(result, "delta_auc", system="A - B")
    assert difference.value == pytest.approx(_row(result, "auc").value - _row(result, "auc", system="B").value)


def test_same_answer_for_any_row_order_and_without_chance_for_any_seed(
    files: dict[str, Any], result: Estimation
) -> None:
    shuffled = [files[name].sample(fraction=1, shuffle=True, seed=5) for name in ("votes", "experts", "scores")]
    again = quorate.estimate(*shuffled, threshold=1.0, draws=200)
    assert again.to_frame().equals(result.to_frame())
    other = quorate.estimate(*shuffled, threshold=1.0, seed=1, metric="auc")
    assert other.estimates[0] == result.estimates[0]
    drawn = [quorate.estimate(*shuffled, method="maven", seed=s, metric="auc", draws=60).estimates[0] for s in (0, 1)]
    assert drawn[0].value != drawn[1].value


def test_any_increasing_transformation_of_the_scores_gives_the_same_auc(
    files: dict[str, Any], result: Estimation
) -> None:
    warped = files["scores"].with_columns(pl.col("score").exp())
    again = quorate.estimate(files["votes"], files["experts"], warped, metric="auc", draws=200)
    assert _row(again, "auc") == pytest.approx(_row(result, "auc"), abs=1e-9)


def test_population_intervals_are_wider_than_those_of_the_items(files: dict[str, Any]) -> None:
    many = pl.concat([files["experts"], files["truth"].filter(pl.col("item") < "i02400")]).unique("item")
    widths = [
        _numbers(
            quorate.estimate(files["votes"], many, files["scores"], metric="auc", target=target, draws=200).estimates[0]
        ).width
        for target in ("items", "population")
    ]
    assert widths[1] > 1.2 * widths[0]


def test_groups_are_judged_on_their_own_and_say_why_they_cannot_be(files: dict[str, Any]) -> None:
    experts = files["experts"].filter(pl.col("item") < "i01500")
    found = quorate.estimate(
        files["votes"],
        experts,
        files["scores"],
        metric="human_tnr",
        by="batch",
        draws=100,
        selection="ignore",
    )
    by_name = {group.group: group for group in found.groups}
    assert by_name["old"].n_items == 1500
    assert by_name["old"].estimates[0].value is not None
    assert "no expert labels" in str(by_name["new"].reason)


def test_votes_and_experts_alone_judge_the_voters(files: dict[str, Any]) -> None:
    found = quorate.estimate(files["votes"], files["experts"], draws=100)
    assert {row.metric for row in found.estimates} == {"human_tpr", "human_tnr", "prevalence"}
    assert found.estimates[0].system is None


def test_a_users_own_metric_is_computed_on_scores_and_labels(files: dict[str, Any]) -> None:
    def recall_of_top_tenth(scores: Array, labels: Array) -> float:
        return float(labels[scores >= np.quantile(scores, 0.9)].sum() / labels.sum())

    found = quorate.estimate(
        files["votes"],
        files["experts"],
        files["scores"],
        metric=["auc", recall_of_top_tenth],
        draws=60,
    )
    row = _row(found, "recall_of_top_tenth")
    crowd = files["crowd"]
    assert row.low - 0.1 < recall_of_top_tenth(crowd.scores[:, 0], crowd.truth) < row.high + 0.1
    assert _row(found, "recall_of_top_tenth", "gt").value is not None


def test_every_method_in_one_call(files: dict[str, Any]) -> None:
    names = [
        "assisted",
        "maven",
        "gt",
        "mv",
        "gt+mv",
        "ds",
        "ds-raters",
        "ds+s",
        "h-ai",
        "oracle",
        "ppi",
        "ppi+maven",
    ]
    scores = files["scores"].filter(pl.col("system") == "A").with_columns(1 / (1 + (-pl.col("score") + 1).exp()))
    found = quorate.estimate(
        files["votes"],
        files["experts"],
        scores,
        metric=["auc", "accuracy"],
        method=names,
        draws=60,
        truth=files["truth"],
    )
    assert {row.method for row in found.estimates if row.metric == "accuracy"} == set(names)
    assert {row.method for row in found.estimates if row.metric == "auc"} == set(names) - {
        "ppi",
        "ppi+maven",
    }
    ppi = [_row(found, "accuracy", name).width for name in ("gt", "ppi", "ppi+maven")]
    assert ppi[2] < ppi[0]


def test_curves_have_bands(result: Estimation) -> None:
    for kind in ("roc", "precision-recall", "calibration"):
        curve = result.curve(kind, system="B")
        assert (curve["low"] <= curve["value"] + 1e-9).all()
        assert (curve["value"] <= curve["high"] + 1e-9).all()
    assert set(result.curves()["method"]) == {"assisted", "gt"}


def test_paper_mode_gives_narrower_intervals(files: dict[str, Any], result: Estimation) -> None:
    paper = quorate.estimate(
        files["votes"], files["experts"], files["scores"], metric="auc", variant="paper", draws=200
    )
    assert (paper.settings["mode"], paper.settings["method"]) == ("paper", ["maven", "gt"])
    assert _numbers(paper.estimates[0]).width < _row(result, "auc").width
    assert "if its model describes this crowd" in paper.sentence()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"metric": "auroc"}, "'auroc' is not a metric"),
        ({"method": "magic"}, "'magic' is not a method"),
        ({"target": "world"}, "--target cannot be 'world'; use items or population"),
        ({"draws": 3}, "too few"),
        ({"confidence": 95}, "between 0 and 1"),
        ({"method": "ppi", "metric": "auc"}, "gives none of these metrics"),
        ({"engine": "nuts"}, "pip install"),
    ],
)
def test_bad_options_give_one_sentence(files: dict[str, Any], how: dict[str, Any], words: str) -> None:
    if how.get("engine") == "nuts" and find_spec("numpyro") is not None:
        pytest.skip("numpyro is installed: the engine works, and is tested in tests/slow")
    with pytest.raises(InputError, match=words):
        quorate.estimate(files["votes"], files["experts"], files["scores"], **how)


def test_metrics_that_need_scores_say_so(files: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="auc needs scores"):
        quorate.estimate(files["votes"], files["experts"], metric="auc")
    one = files["scores"].filter(pl.col("system") == "A")
    with pytest.raises(InputError, match="two or more"):
        quorate.estimate(files["votes"], files["experts"], one, metric="delta_auc")


def test_threshold_beyond_all_scores_is_doubted(files: dict[str, Any]) -> None:
    found = quorate.estimate(files["votes"], files["experts"], files["scores"], metric="recall", threshold=99, draws=60)
    assert any("one side of the threshold" in warning for warning in found.warnings)
