"""Raters left out, against a response-by-response reference."""

from collections.abc import Callable

import numpy as np
import pytest

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Values
from quorate.inference.left_out_raters import (
    check_left_out,
    left_out_answer_values,
    left_out_scores,
    own_scores,
    single_answers,
)
from quorate.metrics.registry import find_metric

PANELS = [[0, 0, 1], [0, 1, 2, 2], [1, 1], [2, 0, 0, 1, 1]]
JUDGE = [0, 2, 1, 1]


def counted(panels: list[list[int]], levels: Array | None = None) -> Counts:
    return Counts(np.array([np.bincount(panel, minlength=3) for panel in panels]), levels)


def plainly(panels: list[list[int]], judge: list[int] | None, score: Callable[[int, list[int]], float]) -> list[float]:
    """Leave every rater out by hand."""
    values = []
    for item, panel in enumerate(panels):
        left = [
            score(said if judge is None else judge[item], panel[:j] + panel[j + 1 :]) for j, said in enumerate(panel)
        ]
        values.append(float(np.mean(left)))
    return values


def agree(answer: int, others: list[int]) -> float:
    return float(np.mean([answer == other for other in others]))


def apart(answer: int, others: list[int]) -> float:
    return float(np.mean([abs(answer - other) for other in others]))


def from_mean(answer: int, others: list[int]) -> float:
    return abs(answer - float(np.mean(others)))


LEVELS = np.arange(3.0)
CASES = [("agreement", None, agree), ("crps", LEVELS, apart), ("mae", LEVELS, from_mean)]


@pytest.mark.parametrize(("name", "levels", "score"), CASES)
@pytest.mark.parametrize("judge", [None, JUDGE])
def test_scores_are_those_of_every_rater_left_out_by_hand(
    name: str, levels: Array | None, score: Callable[[int, list[int]], float], judge: list[int] | None
) -> None:
    raters = counted(PANELS, levels)
    system = None if judge is None else counted([[each] for each in judge], levels)
    found = left_out_scores(find_metric(name), raters, system)
    np.testing.assert_allclose(found, plainly(PANELS, judge, score))


def test_plain_numbers_are_left_out_like_levels() -> None:
    values = Values(np.array([[1.0, 2.0, 4.0], [0.5, 3.0, 0.0]]), np.array([3, 2]))
    # |1−2|, |1−4|, |2−4| are 1, 3, 2: mean over raters of the mean distance to the others is their mean, 2.
    np.testing.assert_allclose(left_out_scores(find_metric("crps"), values), [2.0, 2.5])
    np.testing.assert_allclose(own_scores(find_metric("crps"), values)[0], [2.0, 1.5, 2.5])
    assert np.isnan(own_scores(find_metric("crps"), values)[1, 2])


def test_an_item_of_one_rater_has_no_other() -> None:
    assert np.isnan(left_out_scores(find_metric("agreement"), counted([[0], [1, 1]]))[0])


def test_an_answer_counts_as_the_one_left_out_and_as_one_of_the_others() -> None:
    # Agreement is a mean over pairs, so its projection on one rater is 2 A_j − A, A_j his agreement with the others.
    raters = counted(PANELS)
    values = left_out_answer_values(find_metric("agreement"), raters)
    for item, panel in enumerate(PANELS):
        whole = plainly([panel], None, agree)[0]
        for j, said in enumerate(panel):
            own = agree(said, panel[:j] + panel[j + 1 :])
            assert values[item, said] == pytest.approx(2 * own - whole)


def test_single_answers_are_one_per_item() -> None:
    assert single_answers(counted(PANELS)).size.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("name", ["spearman", "wins:mae", "mean_rating"])
def test_scores_that_no_single_rating_has_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="has no value for one rater"):
        check_left_out(find_metric(name))
