"""`audit`: same bytes for any workers and after a kill, the fields of the contract, and requests it refuses."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from quorate import InputError, audit
from quorate._journal import journal_path
from quorate.auditing.trials import Trial, audit_rows

SMALL: dict[str, Any] = {"items": 20, "raters": 3, "metric": "agreement", "null": "sharp", "replicates": 600}


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("QUORATE_CACHE", str(tmp_path))
    return tmp_path


def test_workers_do_not_change_a_digit() -> None:
    assert audit("dices", **SMALL, workers=2).to_dict() == audit("dices", **SMALL, workers=1).to_dict()


def test_a_killed_audit_resumes_to_the_same_bytes(cache: Path) -> None:
    whole = audit("dices", **SMALL).to_dict()
    [journal] = cache.glob("audit-*.jsonl")
    lines = journal.read_text().splitlines(keepends=True)
    assert len(lines) == 1 + 3  # blocks of 250, 250 and 100 studies
    journal.write_text("".join(lines[:2]) + lines[2][:40])
    assert audit("dices", **SMALL, resume=True).to_dict() == whole


def test_more_replicates_keep_the_first_blocks(cache: Path) -> None:
    short = audit("dices", **{**SMALL, "replicates": 250}).rows[0]
    longer = audit("dices", **{**SMALL, "replicates": 500}).rows[0]
    second = 2 * longer.rejection_rate - short.rejection_rate
    assert 0 <= second <= 1
    assert longer.replicates == 2 * short.replicates


def test_the_seed_matters() -> None:
    rates = {audit("dices", **SMALL, seed=seed).rows[0].mean_p for seed in (0, 1)}
    assert len(rates) == 2


def test_fields_of_the_contract() -> None:
    found = audit("dices", **SMALL, test=["default", "welch"]).to_dict()
    assert {"schema", "version", "seed", "settings", "warnings", "rows"} <= found.keys()
    assert [row["test"] for row in found["rows"]] == ["default", "welch"]
    assert {"test", "rejection_rate", "low", "high", "coverage", "ci_width", "mean_p"} <= found["rows"][0].keys()
    assert found["rows"][0]["low"] <= found["rows"][0]["rejection_rate"] <= found["rows"][0]["high"]


def test_both_rates_have_exact_binomial_intervals() -> None:
    row = audit("dices", **SMALL).rows[0]
    assert row.coverage is not None
    rates = {row.rejection_rate: (row.low, row.high), row.coverage: (row.coverage_low, row.coverage_high)}
    for rate, ends in rates.items():
        exact = binomtest(round(600 * rate), 600).proportion_ci(0.999, method="exact")
        assert ends == pytest.approx((exact.low, exact.high))


def test_coverage_counts_only_studies_with_an_interval() -> None:
    trial = Trial("default", "items")
    block = {"difference": [0.1, 0.2, 0.3], "low": [-0.1, 0.1, None], "high": [0.3, 0.3, None], "p_value": [1.0] * 3}
    (row,), _ = audit_rows([{trial.name: block}], (trial,), True, 0.95, 0.999)
    assert (row.coverage, row.replicates) == (0.5, 3)  # one of two intervals holds 0
    unknown = {**block, "low": [None] * 3, "high": [None] * 3}
    (row,), _ = audit_rows([{trial.name: unknown}], (trial,), True, 0.95, 0.999)
    assert (row.coverage, row.coverage_low, row.coverage_high, row.ci_width) == (None,) * 4


def test_an_effect_is_a_question_of_power() -> None:
    found = audit("dices", items=100, raters=3, metric="agreement", effect=1.0, replicates=250)
    assert found.truth == pytest.approx(0.178, abs=0.02)  # the largest possible difference
    assert found.rows[0].rejection_rate > 0.3
    assert "of studies show a difference" in found.sentence()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"items": 1}, "at least 2"),
        ({"replicates": 0}, "at least 1"),
        ({"test": "magic"}, "no test 'magic'"),
        ({"null": "soft"}, "no null 'soft'"),
        ({"unit": "moons"}, "--unit moons is not known"),
        ({"metric": "charm"}, "charm"),
        ({"null": "rescaled"}, "spearman"),
        ({"null": "threshold"}, "two categories"),
        ({"effect": 2.0, "null": None}, "between 0 and 1"),
        ({"metric": "mae"}, "nominal"),
    ],
)
def test_bad_requests_are_refused_before_any_work(change: dict[str, Any], sentence: str, cache: Path) -> None:
    with pytest.raises(InputError, match=sentence):
        audit("dices", **{**SMALL, **change})
    assert not list(cache.iterdir())


def test_journals_of_different_audits_do_not_meet() -> None:
    assert journal_path("audit", {"items": 1}) != journal_path("audit", {"items": 2})


def test_rated_outputs_hold_the_level_and_a_difference_shows() -> None:
    options: dict[str, Any] = {"items": 40, "raters": 3, "metric": "mean_rating", "replicates": 500}
    [equal] = audit("toxicity-likert", **options).rows
    assert equal.low < 0.05 < equal.high
    assert equal.unit == "items"
    [apart] = audit("toxicity-likert", effect=1.0, **options).rows
    assert apart.low > 0.05


def test_votes_keep_their_level_and_votes_alone_do_not() -> None:
    found = audit(
        "preference",
        items=40,
        raters=8,
        item_share=0.15,
        rater_share=0.1,
        unit=["items+raters", "votes"],
        replicates=500,
    )
    both, alone = found.rows
    assert (both.unit, alone.unit) == ("items+raters", "votes")
    assert both.rejection_rate < 0.05 + 5 * np.sqrt(0.05 * 0.95 / 500)
    assert both.coverage is not None
    assert both.coverage > 0.95 - 5 * np.sqrt(0.05 * 0.95 / 500)
    assert alone.rejection_rate > 0.15  # the control
    assert found.truth == 0


def test_votes_have_one_metric_and_one_null() -> None:
    for options in ({"metric": "agreement"}, {"null": "tail"}, {"answers": 2}):
        with pytest.raises(InputError, match="side by side"):
            audit("preference", items=10, raters=3, replicates=10, **options)
