"""Variance of studies with shared raters by hand and by covariance matrices, and what follows from it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import nctdtr

from quorate._errors import InputError
from quorate._typing import Array
from quorate.agreement.variance_parts import VarianceParts
from quorate.inference.uncertain_variance import Part, UncertainVariance, t_quantile
from quorate.planning.laws.rater_law import CrossedLaw, RaterLaw, expected_sides, people_needed
from quorate.planning.laws.study_law import ExpectedPivot, chi_squares, passing
from quorate.planning.promises.small_studies import StudyDraws

PARTS = VarianceParts(item=0.11, rater=0.03, residual=0.47)
BALANCED = [(12, 1, 6), (12, 3, 6), (10, 5, 5), (20, 2, 8), (4, 3, 12)]


def design(n_items: int, n_raters: int, people: int) -> tuple[Array, Array]:
    """Everybody takes a turn: the item and the rater of every answer."""
    answers = np.arange(n_items * n_raters)
    return answers // n_raters, answers % people


def covariance(parts: VarianceParts, item: Array, rater: Array) -> Array:
    """Covariance of all answers, cell by cell: those of one item share its part, those of one rater theirs."""
    same_item, same_rater = item[:, None] == item, rater[:, None] == rater
    of_item, of_rater, rest = parts.amounts
    return np.asarray(of_item * same_item + of_rater * same_rater + rest * np.eye(len(item)))


def variance_of_mean_of_groups(cov: Array, group: Array) -> float:
    """E[variance of the group means, n − 1 in the denominator] / groups: what one side of a study alone would say."""
    n = int(group.max()) + 1
    means = np.stack([(group == g) / np.sum(group == g) for g in range(n)])
    centred = means - means.mean(0)
    return float(np.einsum("gi,ij,gj->", centred, cov, centred) / (n - 1) / n)


@pytest.mark.parametrize(("n", "k", "people"), [*BALANCED, (7, 3, 5), (2, 2, 9), (5, 1, 3)])
def test_the_variance_of_a_study_is_that_of_its_answers(n: int, k: int, people: int) -> None:
    item, rater = design(n, k, people)
    cov = covariance(PARTS, item, rater)
    assert PARTS.of_mean(n, k, people) == pytest.approx(cov.mean())


@pytest.mark.parametrize(("n", "k", "people"), BALANCED)
def test_items_alone_and_raters_alone_say_what_they_should(n: int, k: int, people: int) -> None:
    item, rater = design(n, k, people)
    cov = covariance(PARTS, item, rater)
    by_item, by_rater, cell = expected_sides(PARTS.amounts, n, k, people)
    assert by_item == pytest.approx(variance_of_mean_of_groups(cov, item))
    assert by_rater == pytest.approx(variance_of_mean_of_groups(cov, rater))
    assert by_item + by_rater - cell == pytest.approx(PARTS.of_mean(n, k, people))


def test_a_full_table_is_the_analysis_of_variance() -> None:
    # K = R = 5, N = 10: MS_items = 5 · 0.11 + 0.47 = 1.02, MS_raters = 10 · 0.03 + 0.47 = 0.77, MS_rest = 0.47.
    by_item, by_rater, cell = expected_sides(PARTS.amounts, 10, 5, 5)
    assert (by_item, by_rater, cell) == pytest.approx((1.02 / 50, 0.77 / 50, 0.47 / 50))


def test_more_items_never_take_the_raters_away() -> None:
    law = RaterLaw(0.05, PARTS, None, n_raters=2, pool=6)
    assert law.pivot(10**7).se == pytest.approx(np.sqrt(0.03 / 6), rel=1e-4)
    crossed = CrossedLaw(0.05, 0.0, VarianceParts(0.2, 0.0009, None), VarianceParts(0.1, 0.0004, None), people=8)
    assert crossed.pivot(10**9).se == pytest.approx(0.03)
    assert crossed.pivot(50).se == pytest.approx(np.sqrt(0.0009 + 0.2 / 50))
    assert crossed.pivot(50).null_se == pytest.approx(np.sqrt(0.0004 + 0.1 / 50))


def test_nobody_is_asked_twice_if_there_are_people_enough() -> None:
    law = RaterLaw(0.05, PARTS, None, n_raters=2, pool=10_000)
    assert law.pivot(20).se ** 2 == pytest.approx((0.11 + (0.03 + 0.47) / 2) / 20)


@pytest.mark.parametrize("df", [1.0, 2.0, 5.0, 30.0])
@pytest.mark.parametrize("shift", [0.0, 1.5, 3.0, 6.0])
def test_passing_is_noncentral_t(df: float, shift: float) -> None:
    # The chance is monotone in χ², so the midpoint rule with 64 classes is off by at most half a class.
    at = ExpectedPivot(shift, 1.0, UncertainVariance(Part(chi_squares(df, 64), df)))
    exact = 1 - float(nctdtr(df, shift, float(t_quantile(df, 0.95))))
    assert abs(passing(at, 0.0, 0.95) - exact) <= 0.5 / 64


def test_a_fifth_of_a_chance_is_not_passed_for_another() -> None:
    at = ExpectedPivot(3.0, 1.0, UncertainVariance(Part(chi_squares(5.0, 64), 5.0)))
    assert abs(passing(at, 0.0, 0.95) - (1 - float(nctdtr(1e6, 3.0, 1.96)))) > 0.5 / 64  # control: as if se were known


def test_the_smallest_difference_seen_is_seen_with_that_chance() -> None:
    law = RaterLaw(0.0, PARTS, None, n_raters=3, pool=9)
    for power in (0.5, 0.8, 0.95):
        seen = law.smallest_seen(300, 0.95, power)
        assert passing(replace(law, mean=seen).pivot(300), 0.0, 0.95) == pytest.approx(power, abs=1e-6)


def test_signs_and_margins() -> None:
    law = RaterLaw(0.04, PARTS, None, n_raters=3, pool=9)
    better, worse, equivalent = law.chances(300, 0.95, margin=0.1, studies=StudyDraws())
    assert better < worse
    assert 0 <= equivalent <= worse - better + 1e-12
    against = replace(law, mean=-0.04)
    assert law.lost_chance(300, 0.95, 0.0) == pytest.approx(against.chances(300, 0.95, studies=StudyDraws())[0])
    promise = law.promise(300, 0.95, studies=StudyDraws())
    assert promise.power_error == 0.0
    assert np.isnan(promise.expected_p)  # a pilot has no null world


def test_expected_p_counts_half_a_step() -> None:
    # z = (0.05 − 0.5 · 1/100) / sqrt(2 · 0.0009) = 0.045 / 0.0424264 = 1.06066: Φ(−z) = 0.14442
    spread = VarianceParts(0.05, 0.0004, None)
    law = CrossedLaw(0.05, 0.0, spread, spread, people=8, span=1.0)
    assert law.expected_p(100, studies=StudyDraws())[0] == pytest.approx(0.14442, abs=5e-6)


def test_one_person_or_one_item_decide_nothing() -> None:
    assert RaterLaw(1.0, PARTS, None, 6).chances(1, 0.95, studies=StudyDraws())[0] == 0.0
    lone = CrossedLaw(1.0, 0.0, VarianceParts(0.1, 0.01, None), VarianceParts(0.1, 0.01, None), people=1)
    assert lone.chances(100, 0.95, studies=StudyDraws())[0] == 0.0
    assert np.isnan(lone.ci_width(100, 0.95, studies=StudyDraws()))
    with pytest.raises(InputError, match="too few"):
        RaterLaw(0.1, PARTS, None, pool=1)


def test_everybody_keeps_within_the_limit() -> None:
    model = RaterLaw(0.1, PARTS, None, pool=7, max_per_rater=50)
    for k in (1, 2, 3, 7):
        n = model.most_items(k, 10**7)
        assert n * k <= 7 * 50 < (n + 1) * k
    with pytest.raises(InputError, match="cannot come from 7 people"):
        replace(model, n_raters=8)


@pytest.mark.parametrize("wanted", [6, 7, 23, 999])
def test_the_fewest_people_are_the_fewest(wanted: int) -> None:
    model = RaterLaw(0.1, PARTS, None, pool=6)
    assert people_needed(model, lambda each: each.pool >= wanted) == wanted
    assert people_needed(model, lambda _: False) is None
