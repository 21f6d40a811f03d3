"""The truth table of the contract, branch by branch and at the edges."""

from math import inf, nan

import pytest

from quorate.inference.outcome import Verdict, decisive_ends, verdict

M = 0.02


def decide(
    low: float, high: float, margin: float | None = None, *, p: float = 0.5, difference: float | None = None
) -> Verdict:
    middle = (low + high) / 2 if difference is None else difference
    return verdict(middle, low, high, p, level=0.05, margin=margin, identical=False)


@pytest.mark.parametrize(
    ("low", "high", "without", "within"),
    [
        (0.001, 0.05, "a_better", "a_better"),  # low > 0 comes first, margin or not
        (0.001, 0.01, "a_better", "a_better"),  # even if the interval is inside the margin
        (-0.05, -0.03, "b_better", "b_better"),  # high < −m
        (-0.03, -0.01, "b_better", "inconclusive"),  # below 0, but perhaps by less than m
        (-0.01, -0.005, "b_better", "equivalent"),  # inside (−m, m)
        (-0.01, 0.01, "inconclusive", "equivalent"),
        (-0.01, 0.03, "inconclusive", "not_worse"),  # low > −m, high beyond m
        (-0.03, 0.01, "inconclusive", "inconclusive"),
        (-0.03, 0.03, "inconclusive", "inconclusive"),
        (0.0, 0.03, "inconclusive", "not_worse"),  # low = 0 is not above 0
        (-0.03, 0.0, "inconclusive", "inconclusive"),  # high = 0 is not below 0
        (-M, 0.01, "inconclusive", "inconclusive"),  # low = −m is not above −m
        (-0.01, M, "inconclusive", "not_worse"),  # high = m is not below m
        (-0.05, -M, "b_better", "inconclusive"),  # high = −m is not below −m
        (-inf, inf, "inconclusive", "inconclusive"),
    ],
)
def test_intervals(low: float, high: float, without: str, within: str) -> None:
    assert decide(low, high, difference=0.0) == without
    assert decide(low, high, M, difference=0.0) == within


def test_identical_comes_before_everything() -> None:
    for margin in (None, M):
        assert verdict(0.0, 0.0, 0.0, 1.0, level=0.05, margin=margin, identical=True) == "identical"


@pytest.mark.parametrize(
    ("difference", "margin", "expected"),
    [
        (0.01, None, "a_better"),
        (-0.01, None, "b_better"),
        (-0.01, M, "equivalent"),
        (-0.05, M, "b_better"),
        (0.01, M, "a_better"),
    ],
)
def test_without_an_interval_the_sign_test_decides(difference: float, margin: float | None, expected: str) -> None:
    assert decide(nan, nan, margin, p=0.05, difference=difference) == expected
    assert decide(nan, nan, margin, p=0.0625, difference=difference) == "inconclusive"


def test_an_undefined_difference_is_inconclusive() -> None:
    assert decide(nan, nan, M, p=0.001, difference=nan) == "inconclusive"


def test_decisive_ends() -> None:
    assert decisive_ends(1.0, 0.5, 1.5, 0.9, 0.05) == (0.5, 1.5)
    assert decisive_ends(1.0, nan, nan, 0.01, 0.05) == (1.0, 1.0)
    assert decisive_ends(nan, nan, nan, 0.01, 0.05) == (-inf, inf)
