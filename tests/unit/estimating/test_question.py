"""What can be asked of estimate: lists, prices, choices, and what the settings say of it."""

from typing import Any

import pytest

from quorate import InputError
from quorate.estimating.question import EstimateQuestion


def test_lists_take_commas_and_functions_stay_functions() -> None:
    def mine(scores: Any, labels: Any) -> float:
        return 0.0

    question = EstimateQuestion("v.csv", metric=["auc, f1", mine], method="maven,gt,maven")
    assert question.metrics == ("auc", "f1", mine)
    assert question.method == ("maven", "gt")
    assert EstimateQuestion("v.csv", metric=mine).metrics == (mine,)
    assert EstimateQuestion("v.csv").metrics is None


def test_a_vote_costs_one_unless_said_otherwise() -> None:
    assert EstimateQuestion("v.csv").prices is None
    assert EstimateQuestion("v.csv", target_width=0.05, expert_price=10).prices == (10, 1.0)
    assert EstimateQuestion("v.csv", target_width=0.05, expert_price=10, rating_price=0.5).prices == (10, 0.5)


@pytest.mark.parametrize("option", ["target", "selection", "mode", "engine", "several_experts", "missing"])
def test_what_is_no_choice_is_refused_with_the_choices(option: str) -> None:
    choice: dict[str, Any] = {option: "nonsense"}
    with pytest.raises(InputError, match=f"--{option.replace('_', '-')} cannot be 'nonsense'; use \\w+ or \\w+"):
        EstimateQuestion("v.csv", **choice)


def test_every_file_is_an_input_and_a_setting() -> None:
    question = EstimateQuestion("v.csv", "e.csv", "s.csv", truth="t.csv")
    assert question.inputs() == ("v.csv", "e.csv", "s.csv", "t.csv")
    assert {key: question.settings()[key] for key in ("votes", "experts", "scores", "truth")} == {
        "votes": "v.csv",
        "experts": "e.csv",
        "scores": "s.csv",
        "truth": "t.csv",
    }
