"""What each voter adds: a judge who knows, one who echoes, one who guesses."""

import numpy as np
import polars as pl
import pytest

import quorate
from quorate.estimating.result import Estimation

N = 1500


@pytest.fixture(scope="module")
def result() -> Estimation:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, N)
    votes = {
        "judge": np.where(rng.random(N) < 0.92, truth, 1 - truth),
        "person": np.where(rng.random(N) < 0.75, truth, 1 - truth),
        "coin": rng.integers(0, 2, N),
    }
    item = [f"i{i:04d}" for i in range(N)]
    long = pl.concat([pl.DataFrame({"item": item, "rater": [name] * N, "response": v}) for name, v in votes.items()])
    return quorate.estimate(long, pl.DataFrame({"item": item[:200], "label": truth[:200]}), metric="prevalence")


def test_a_good_judge_is_worth_labels_and_a_coin_none(result: Estimation) -> None:
    worth = {each.voter: each for each in result.voter_worths}
    assert worth["judge"].worth > 200
    assert worth["judge"].worth > worth["person"].worth
    assert worth["coin"].worth <= 10  # of 200 labels: the noise of a variance with 200 residuals
    assert worth["judge"].agreement == pytest.approx(0.92, abs=5 * np.sqrt(0.92 * 0.08 / 200))
    assert all(each.worth <= N - 200 for each in result.voter_worths)


def test_terminal_and_json_show_it(result: Estimation) -> None:
    assert "What each voter adds to prevalence" in str(result)
    each = result.to_dict()["voters"]["each"]
    assert {row["voter"] for row in each} == {"judge", "person", "coin"}
