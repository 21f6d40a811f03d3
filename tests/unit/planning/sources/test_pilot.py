"""Variance components, sub-panels and item laws of a pilot."""

import numpy as np
import pytest

from quorate._errors import InputError
from quorate.agreement.variance_parts import VarianceParts
from quorate.data.summaries import Counts, Values
from quorate.metrics import find_metric
from quorate.planning.promises.small_studies import StudyDraws
from quorate.planning.sources.pilot import Pilot, _sub_panel

ANSWER_A, ANSWER_B = Counts(np.array([[1, 0]] * 4)), Counts(np.array([[0, 1]] * 4))


def pilot(raters: list[list[int]], metric: str = "agreement", difference: float = 0.1) -> Pilot:
    n = len(raters)
    a, b = Counts(ANSWER_A.counts[:1].repeat(n, 0)), Counts(ANSWER_B.counts[:1].repeat(n, 0))
    return Pilot(find_metric(metric), Counts(np.array(raters)), a, b, difference)


def test_components_by_hand() -> None:
    # A says 0, B says 1: a rater's difference is +1 for 0 and −1 for 1. Items 4:0, 3:1, 2:2, 4:0 have means 1, ½, 0, 1;
    # variances over raters (n − 1): 0, 1, 4/3, 0, mean 7/12. Var of means (n − 1): mean 5/8, squares
    # (9 + 1 + 25 + 9)/64 / 3 = 11/48. Between = 11/48 − (7/12) / 4 = 4/48.
    parts = pilot([[4, 0], [3, 1], [2, 2], [4, 0]]).components
    assert parts is not None
    assert parts.residual == pytest.approx(7 / 12)
    assert parts.item == pytest.approx(4 / 48)
    assert parts.best_raters(10.0, 1.0) == pytest.approx(np.sqrt(10 * 7))


def test_ragged_items_count_their_own_noise() -> None:
    # Items 2:1 and 1:0 and 2:0. Differences 1/3, 1, 1; within: 4/3 (n − 1 = 2: 1 − 1/9 times 3/2), none, 0 → mean 2/3.
    # Noise: 4/3 / 3, 2/3 / 1 (the mean stands in), 0; between = 4/27 − (4/9 + 2/3) / 3 < 0 → 0.
    parts = pilot([[2, 1], [1, 0], [2, 0]]).components
    assert parts is not None
    assert parts.residual == pytest.approx(2 / 3)
    assert parts.item == 0.0


def test_numbers_have_the_same_components_as_their_counts() -> None:
    counts = np.array([[3, 1, 0], [0, 2, 2], [1, 1, 2], [0, 0, 4]])
    levels = np.array([0.0, 1.0, 2.0])
    values = Values(np.stack([np.repeat(levels, row) for row in counts]), np.full(4, 4))
    one, two = np.array([[1, 0, 0]] * 4), np.array([[0, 1, 0]] * 4)
    crps = find_metric("crps")
    raters, a, b = (Counts(x, levels) for x in (counts, one, two))
    by_counts = Pilot(crps, raters, a, b, 0.1).components
    nought, first = (Values(np.full((4, 1), level), np.ones(4, dtype=int)) for level in (0.0, 1.0))
    by_values = Pilot(crps, values, nought, first, 0.1).components
    assert by_counts is not None
    assert by_values is not None
    assert by_counts.item == pytest.approx(by_values.item)
    assert by_counts.residual == pytest.approx(by_values.residual)


def test_the_law_has_the_planned_mean_and_the_variance_of_k_raters() -> None:
    study = pilot([[4, 0], [3, 1], [2, 2], [4, 0]], difference=0.07)
    for k in (1, 2, 9):
        law = study.law(k)
        assert law.mean == pytest.approx(0.07)
        assert law.sd**2 == pytest.approx(4 / 48 + 7 / 12 / k)
        assert law.promise(500, 0.95, studies=StudyDraws()).power_error == 0.0


def test_one_rater_per_item_cannot_tell_what_more_would_bring() -> None:
    study = pilot([[1, 0], [0, 1], [1, 0]])
    assert study.components is None
    assert study.most_raters == 1
    assert study.law(1).mean == pytest.approx(0.1)
    with pytest.raises(InputError, match="1 raters per item"):
        study.law(2)


def test_panel_scores_are_planned_up_to_the_pilots_raters() -> None:
    study = pilot([[4, 0], [3, 1], [2, 2], [4, 1]], metric="accuracy")
    assert study.most_raters == 4
    assert study.law(4).mean == pytest.approx(0.1)
    with pytest.raises(InputError, match="cannot be planned for more"):
        study.law(5)


def test_sub_panels_are_parts_of_their_items() -> None:
    rng = np.random.default_rng(0)
    whole = Counts(np.array([[4, 0, 1], [1, 1, 3]]))
    for _ in range(20):
        part = _sub_panel(whole, 3, rng)
        assert isinstance(part, Counts)
        assert (part.counts <= whole.counts).all()
        assert part.size.tolist() == [3, 3]
    values = Values(np.array([[1.0, 2.0, 9.0], [4.0, 5.0, 6.0]]), np.array([2, 3]))
    picked = _sub_panel(values, 2, rng)
    assert isinstance(picked, Values)
    assert picked.values[0].tolist() == [1.0, 2.0]  # the third place of the first item holds no answer


def test_a_single_item_is_no_pilot() -> None:
    with pytest.raises(InputError, match="at least two items"):
        pilot([[4, 0]])


def test_no_spread_between_items_wants_all_raters_on_one() -> None:
    assert VarianceParts(0.0, None, 0.3).best_raters(1.0, 1.0) == np.inf
    assert VarianceParts(0.0, None, 0.3).best_raters(0.0, 1.0) == 1.0


def test_a_study_too_large_to_be_drawn_often_is_not_replayed() -> None:
    study = pilot([[4, 0], [3, 1], [2, 2], [4, 0]])
    assert study.replay(10, 1, 0.95) is not None
    assert study.replay(10_001, 1, 0.95) is None


def test_how_lopsided_items_are_is_that_of_single_raters_and_of_all_an_item_has() -> None:
    """A line in 1/K through both: exact at one rater and at the pilot's three, and no further out beyond."""
    counts = [[3, 0]] * 7 + [[0, 3]] + [[2, 1]] * 4
    made = pilot(counts)
    each = np.array([made.observed - made.observed.mean()])[0]
    assert made.shape.third[0] + made.shape.third[1] / 3 == pytest.approx((each**3).mean())
    assert made.shape.fourth[0] + made.shape.fourth[1] / 3 == pytest.approx(
        (each**4).mean() - 3 * (each**2).mean() ** 2
    )
    # single answers: +1 from a rater of the first kind, -1 from one of the second, where A says 0 and B says 1
    single = np.repeat([1.0, -1.0], [29, 7])
    centred = single - single.mean()
    assert sum(made.shape.third) == pytest.approx((centred**3).mean())
    assert made.shape.of_mean(3, 0.1, 0.3) == made.shape.of_mean(50, 0.1, 0.3)
