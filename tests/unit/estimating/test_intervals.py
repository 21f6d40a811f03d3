"""Variances and ends of intervals against formulas of survey sampling, and against all samples there are."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import t as student

from quorate._typing import Array
from quorate.estimating.derivatives import Labels, combine, mean_of, precision, recall, share_of
from quorate.estimating.guess import Guess
from quorate.estimating.intervals import (
    MeasuredNumber,
    Sample,
    interval,
    measure,
    measure_experts,
    pseudo_labels,
)

TRUTH = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1])


def _sample(experts: Array, cluster: Array | None = None) -> Sample:
    weight = np.full(len(experts), len(TRUTH) / len(experts))
    return Sample(len(TRUTH), experts, np.eye(2)[TRUTH[experts]], weight, cluster)


def _guess(experts: Array) -> Guess:
    chance = np.clip(0.4 + 0.2 * TRUTH + 0.1 * np.arange(9) / 9, 0, 1)
    both = np.stack([1 - chance, chance], 1)
    return Guess(both, both[experts], both)


def test_pseudo_labels_have_the_true_mean_over_all_samples() -> None:
    every = [np.array(chosen) for chosen in combinations(range(9), 4)]
    mean = np.mean([pseudo_labels(_sample(e), _guess(e)) for e in every], axis=0)
    assert mean == pytest.approx(np.eye(2)[TRUTH], abs=1e-9)


def test_what_is_seen_is_on_average_the_variance_over_all_samples() -> None:
    # of a share, which is linear: sum (r - mean r)² (1 - m/n) / (m (m - 1)), unbiased for the variance of a mean
    every = [np.array(chosen) for chosen in combinations(range(9), 4)]
    values, seen = [], []
    for e in every:
        sample, guess = _sample(e), _guess(e)
        found = share_of(Labels(pseudo_labels(sample, guess), np.ones(9)), 1)
        values.append(found.value)
        r = (TRUTH - guess.chance[:, 1])[e]
        seen.append((1 - 4 / 9) * r.var(ddof=1) / 4)
        implied = (9 / 4 - 1) * np.sum(guess.soft[:, 0] * guess.soft[:, 1]) / 81
        away = (r - r.mean()) ** 2
        k = min(away.sum() ** 2 / (away**2).sum(), 4)
        measured = measure(sample, guess, found)
        assert measured.variance == pytest.approx((k * seen[-1] + 5 * implied) / (k + 5))
        assert measured.freedom == pytest.approx(min(k + 5, 3))
    assert np.mean(values) == pytest.approx(TRUTH.mean())
    assert np.mean(seen) == pytest.approx(np.var(values))


def test_every_item_labelled_is_certain_and_a_population_is_not() -> None:
    sample, guess = _sample(np.arange(9)), _guess(np.arange(9))
    found = share_of(Labels(pseudo_labels(sample, guess), np.ones(9)), 1)
    certain = measure(sample, guess, found)
    assert certain.value == pytest.approx(5 / 9)
    assert certain.variance == 0.0
    assert interval(certain, 0.95, bounded=True) == (certain.value, certain.value)
    drawn = measure(sample, guess, found, population=True)
    assert drawn.variance == pytest.approx(TRUTH.var(ddof=1) / 9)
    alone = measure_experts(sample, share_of(Labels(sample.label, sample.weight), 1), rare=None, population=True)
    assert alone.variance == pytest.approx(TRUTH.var(ddof=1) / 9)


def test_experts_alone_give_the_variance_of_a_mean_and_of_a_ratio() -> None:
    sample = _sample(np.array([0, 1, 2, 4, 5, 7]))
    label, called = TRUTH[sample.experts], np.array([0.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    found = measure_experts(sample, share_of(Labels(sample.label, sample.weight), 1), rare=None)
    assert found.variance == pytest.approx((1 - 6 / 9) * label.var(ddof=1) / 6)
    ratio = measure_experts(sample, recall(Labels(sample.label, sample.weight), called, 1), rare=None)
    away = label * (called - called[label == 1].mean()) / label.mean()  # a ratio's linear form
    assert ratio.variance == pytest.approx((1 - 6 / 9) * away.var(ddof=1) / 6)


def test_clusters_add_up_before_they_vary() -> None:
    experts = np.array([0, 1, 2, 4, 5, 7])
    guess = _guess(experts)
    alone = _sample(experts)
    found = share_of(Labels(pseudo_labels(alone, guess), np.ones(9)), 1)
    single = measure(_sample(experts, cluster=np.arange(9)), guess, found)
    assert single.variance == pytest.approx(measure(alone, guess, found).variance)
    pairs = _sample(experts, cluster=np.array([0, 0, 1, 5, 1, 2, 5, 2, 5]))
    r = TRUTH[experts] - guess.own[:, 1]
    summed = np.bincount([0, 0, 1, 1, 2, 2], r - r.mean())
    wanted = (1 - 6 / 9) * (summed**2).sum() / 36 * 3 / 2
    assert pairs.n_units == 3
    k = (summed**2).sum() ** 2 / (summed**4).sum()
    plain = (1 - 6 / 9) * r.var(ddof=1) / 6
    implied = (9 / 6 - 1) * np.sum(guess.soft[:, 0] * guess.soft[:, 1]) / 81 * max(wanted / plain, 1)
    assert measure(pairs, guess, found).variance == pytest.approx((k * wanted + 5 * implied) / (k + 5))


def test_wilsons_interval_solves_its_quadratic() -> None:
    # |p - theta| = t sqrt(p (1 - p) / n*), n* = theta (1 - theta) / variance
    found = MeasuredNumber(0.9, 0.0009, 20.0, 15.0)
    q = student.ppf(0.975, 20)
    for end in interval(found, 0.95, bounded=True):
        assert abs(end - 0.9) == pytest.approx(q * np.sqrt(end * (1 - end) / 100))
    low, high = interval(found, 0.95, bounded=False)
    assert (low, high) == pytest.approx((0.9 - q * 0.03, 0.9 + q * 0.03))


def test_shares_at_their_ends_keep_an_interval_and_values_beyond_are_inside() -> None:
    low, high = interval(MeasuredNumber(1.0, 0.001, 20.0, 9.0), 0.95, bounded=True, rare=10)
    assert (low < 0.99, high) == (True, 1.0)
    low, high = interval(MeasuredNumber(1.07, 0.001, 20.0, 9.0), 0.95, bounded=True, rare=10)
    assert (0 < low < 1, high) == (True, 1.0)


def test_an_assisted_share_has_the_narrower_of_two_intervals() -> None:
    assisted, alone = MeasuredNumber(0.7, 0.02, 5.0, 4.0), MeasuredNumber(0.8, 0.01, 9.0, 8.0)
    own, others = (interval(each, 0.95, bounded=True, rare=5.0) for each in (assisted, alone))
    assert others[1] - others[0] < own[1] - own[0]
    both = replace(assisted, alone=alone)
    assert interval(both, 0.95, bounded=True, rare=5.0) == others
    assert interval(both, 0.95, bounded=True, rare=1.0) == interval(assisted, 0.95, bounded=True, rare=1.0)
    assert interval(replace(alone, alone=assisted), 0.95, bounded=True, rare=5.0) == others


def test_the_interval_of_experts_alone_is_stretched_to_the_assisted_value() -> None:
    assisted, alone = MeasuredNumber(0.3, 0.02, 5.0, 4.0), MeasuredNumber(0.9, 0.005, 9.0, 8.0)
    low, high = interval(replace(assisted, alone=alone), 0.95, bounded=True, rare=5.0)
    assert low == 0.3 < interval(alone, 0.95, bounded=True, rare=5.0)[0]
    assert high == interval(alone, 0.95, bounded=True, rare=5.0)[1]


@pytest.mark.parametrize(
    ("shown", "end"),
    [(1.0, 1.0), (0.0, 0.0), (0.9, None), (1 - 2e-16, 1.0), (1 + 3e-16, 1.0), (1e-16, 0.0), (np.nan, None)],
)
def test_what_no_expert_denies_stays_possible_however_sums_are_rounded(shown: float, end: float | None) -> None:
    assisted, alone = MeasuredNumber(0.7, 0.01, 8.0, 4.0), MeasuredNumber(shown, 0.2, 1.0, 2.0)
    low, high = interval(replace(assisted, alone=alone), 0.95, bounded=True, rare=5.0)
    plain = interval(assisted, 0.95, bounded=True, rare=5.0)
    assert (low, high) == (plain if end is None else (min(plain[0], end), max(plain[1], end)))
    assert end is None or (low, high) != plain


def test_chances_of_several_classes_are_held_against_the_labels() -> None:
    # chances 1/2, 1/4, 1/4 for all: expected 4 (1/4 + 3/16 + 3/16) = 2.5, missed 4 (1/4 + 1/16 + 1/16) = 1.5
    label, chance = np.eye(3)[[0, 0, 0, 0]], np.tile([0.5, 0.25, 0.25], (8, 1))
    sample = Sample(8, np.arange(4), label, np.full(4, 2.0))
    found = share_of(Labels(np.tile([0.5, 0.25, 0.25], (8, 1)), np.ones(8)), 0)
    # nothing seen varies, so only 5 prior items speak: (2 - 1) sum 1/4 / 64 = 1/32, times (1.5 + 5) / (2.5 + 5); k = 0
    assert measure(sample, Guess(chance, chance[:4], chance), found).variance == pytest.approx(6.5 / 7.5 / 32)


@pytest.mark.parametrize("weight", [1.0, 9.81, 1 / 3])
def test_rounding_is_no_item_to_rest_on(weight: float) -> None:
    # all right: nothing varies but by the coins, however the sums are rounded
    n = 37
    label = np.eye(2)[np.arange(n) % 3 % 2]
    sample = Sample(370, np.arange(n), label, np.full(n, weight) * 370 / (n * weight))
    found = recall(Labels(label, sample.weight), np.full(n, 1.0) - 1e-17, 1)
    noisy = replace(found, slope={1: found.slope[1] + 1e-16}, value=1 - 1e-16)
    measured = measure_experts(sample, noisy, rare=12.0)
    assert (measured.rests_on, measured.coins) == (0.0, 12.0)
    low, high = interval(measured, 0.95, bounded=True)
    assert low < 0.8
    assert high >= 1 - 1e-9


def test_items_a_share_is_taken_over_count_as_if_all_were_the_heaviest() -> None:
    weight = np.array([1.0, 1.0, 2.0, 4.0])
    labels = Labels(np.eye(2)[[1, 0, 1, 1]], weight)
    assert share_of(labels, 1).coins() == 2.0
    assert recall(labels, np.ones(4), 1).coins() == pytest.approx(7 / 4)
    light = Labels(np.eye(2)[[1, 1, 1, 0]], weight)
    assert recall(light, np.ones(4), 1).coins() == 1.0  # the next positive may weigh 4
    assert precision(labels, np.array([0.0, 1, 1, 0]), 1).coins() == pytest.approx(3 / 2)
    both = combine([(0.5, recall(labels, np.ones(4), 1)), (0.5, recall(labels, np.ones(4), 0))])
    assert both.coins() == pytest.approx(4 / (4 / 7 + 4 / 1))  # var = (1/4) (1/n1 + 1/n0)


def test_a_share_near_one_has_room_above_it() -> None:
    # one label of the rarer class: n* is that of 0.95, but the interval lies around 0.985
    low, high = interval(MeasuredNumber(0.985, 0.0005, 20.0, 20.0), 0.95, bounded=True, rare=1.0)
    assert low < 0.95
    assert high > 0.99


def test_a_mean_of_shares_reaches_as_far_as_they_do() -> None:
    # theta -+ sqrt(sum (theta_k - end_k)²) / K [zou2008]
    one, two = MeasuredNumber(0.8, 0.01, 30.0, 20.0), MeasuredNumber(1.0, 0.0475, 5.0, 0.0, coins=1.0)
    ends = [interval(part, 0.95, bounded=True) for part in (one, two)]
    low, high = interval(MeasuredNumber(0.9, 1e-6, 30.0, 20.0, parts=(one, two)), 0.95, bounded=True)
    assert low == pytest.approx(0.9 - np.hypot(0.8 - ends[0][0], 1.0 - ends[1][0]) / 2)
    assert high == pytest.approx(0.9 + (ends[0][1] - 0.8) / 2)


def test_clusters_of_unequal_size_vary_as_the_jackknife_over_them_has_it() -> None:
    # a share among items drawn by the document, from a population without end: the ratio of two sums
    rng = np.random.default_rng(3)
    size = np.array([1, 1, 2, 2, 3, 5, 8, 20])
    cluster = np.repeat(np.arange(8), size)
    label = rng.integers(0, 2, len(cluster))
    sample = Sample(len(label), np.arange(len(label)), np.eye(2)[label], np.ones(len(label)), cluster)
    found = share_of(Labels(np.eye(2)[label], np.ones(len(label))), 1)
    measured = measure_experts(sample, found, rare=None, population=True)
    without = np.array([label[cluster != k].mean() for k in range(8)])
    assert measured.variance == pytest.approx(7 / 8 * ((without - label.mean()) ** 2).sum())


def test_what_a_random_expert_would_say_is_not_known_of_a_labelled_item_on_which_experts_differ() -> None:
    # every item labelled by two experts, whose share is a mean of two draws of a chance
    rng = np.random.default_rng(1)
    chance, n = np.tile([0.0, 0.2, 0.5, 1.0], 100), 400
    values, told = [], []
    for _ in range(400):
        share = rng.binomial(2, chance) / 2
        sample = Sample(n, np.arange(n), np.stack([1 - share, share], 1), np.ones(n), times=np.full(n, 2.0))
        even = np.full((n, 2), 0.5)
        labels = pseudo_labels(sample, Guess(even, even, even))
        both = (
            measure(sample, Guess(even, even, even), share_of(Labels(labels, np.ones(n)), 1)),
            measure_experts(sample, share_of(Labels(sample.label, sample.weight), 1), rare=None),
        )
        values.append(both[0].value)
        told.append([each.variance for each in both])
    true = (chance * (1 - chance)).sum() / 2 / n**2
    assert np.mean(told, axis=0) == pytest.approx([true, true], rel=0.02)
    assert np.var(values) == pytest.approx(true, rel=0.2)


def test_items_with_one_label_are_in_as_much_doubt_as_those_with_more_show() -> None:
    share = np.array([0.5, 1.0, 1.0, 0.0])
    times = np.array([2.0, 2.0, 1.0, 1.0])
    sample = Sample(4, np.arange(4), np.stack([1 - share, share], 1), np.ones(4), times=times)
    found = measure_experts(sample, share_of(Labels(sample.label, sample.weight), 1), rare=None)
    one = np.array([0.5, 0.0, 0.25, 0.25]) / 16  # 2 p (1 - p) of items with two, their mean for those with one
    assert found.variance == pytest.approx((one / times).sum())


def test_a_group_that_is_unlike_the_others_makes_a_sure_guess_less_sure() -> None:
    n, experts = 60, np.arange(0, 60, 3)
    wrong = np.where(np.arange(n) % 2, 0.97, 0.03)  # sure, and right in one of two
    truth = (np.arange(n) // 2) % 2
    both = np.stack([1 - wrong, wrong], 1)
    sample = Sample(n, experts, np.eye(2)[truth[experts]], np.full(20, 3.0))
    guess = Guess(both, both[experts], both)
    found = share_of(Labels(pseudo_labels(sample, guess), np.ones(n)), 1)
    as_told, in_group = (measure(sample, g, found).variance for g in (guess, replace(guess, of_more=True)))
    missed, expected = 2 * ((np.eye(2)[truth[experts]] - both[experts]) ** 2)[:, 1].sum(), 20 * 2 * 0.97 * 0.03
    implied = 2 * n * 0.97 * 0.03 / n**2
    k = measure(sample, guess, found).rests_on
    assert in_group - as_told == pytest.approx(5 * implied * ((missed + 5) / (expected + 5) - 1) / (k + 5))
    right = Guess(both, np.eye(2)[truth[experts]], both)
    assert measure(sample, replace(right, of_more=True), found) == measure(sample, right, found)


def test_a_cell_of_a_confusion_matrix_heeds_how_far_the_chances_miss_its_own_labels() -> None:
    # three classes, guessed well, but for the thirty items that the system calls the third
    n, experts = 300, np.arange(0, 300, 3)
    truth, called = np.arange(n) % 2, (np.arange(n) < 30).astype(float)
    chance = np.where(np.eye(3)[truth] == 1, 0.9, 0.05)
    chance[:30] = (0.05, 0.05, 0.9)
    sample = Sample(n, experts, np.eye(3)[truth[experts]], np.full(100, 3.0))
    guess = Guess(chance, chance[experts], chance)
    found = mean_of(Labels(pseudo_labels(sample, guess), np.ones(n)), {0: called})
    every, here = (measure(sample, guess, found, cell=cell) for cell in (False, True))
    assert here.value == every.value
    surprise = ((np.eye(3)[truth] - chance)[experts] ** 2).sum(), (chance * (1 - chance))[experts].sum()
    one = 0.05 * 0.95  # of a label's variance under the guess; five of ten experts' labels are 0.95 off, five 0.05
    missed = 5 * 0.95**2 + 5 * 0.05**2
    ratio = (missed + 5 * one) / (10 * one + 5 * one) / ((surprise[0] + 5) / (surprise[1] + 5))
    implied = 2 * 30 * one / n**2 * (surprise[0] + 5) / (surprise[1] + 5)
    assert here.variance - every.variance == pytest.approx(5 * implied * (ratio - 1) / (every.rests_on + 5))


def test_with_weights_that_are_unlike_the_chances_count_for_more() -> None:
    experts = np.array([0, 2, 3, 5, 7])
    weight = np.array([5.0, 1.0, 1.0, 1.0, 1.0])
    sample, guess = Sample(9, experts, np.eye(2)[TRUTH[experts]], weight), _guess(experts)
    found = share_of(Labels(pseudo_labels(sample, guess), np.ones(9)), 1)
    measured = measure(sample, guess, found)
    r = 5 * weight * (TRUTH - guess.chance[:, 1])[experts] / 9
    seen = ((1 - 1 / weight) * (r - r.mean()) ** 2).sum() / (5 * 4)
    implied = (weight * (weight - 1) * (guess.soft[:, 0] * guess.soft[:, 1])[experts]).sum() / 81
    k, prior = measured.rests_on, 5 * 5 * 29 / 81
    assert measured.variance == pytest.approx((k * seen + prior * implied) / (k + prior))
