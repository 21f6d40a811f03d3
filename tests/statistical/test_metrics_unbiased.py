"""Which scores keep their expectation when the number of raters or of answers changes, and which do not.

Every comparison is of two independent panels on the same simulated items: its standard error is that of the mean of
the item differences, and the bound is five of them. The same bound must be broken by the plug-in distances.
"""

from collections.abc import Callable

import numpy as np
import pytest

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities, Summary
from quorate.metrics import contest, find_metric, scores, settle
from quorate.metrics.item_scores import brier_excess

N = 20_000
LEVELS = np.array([0.0, 1.0, 2.0, 4.0])
ALPHA = np.array([1.5, 0.6, 0.4, 0.8])


def world(*key: str | int) -> tuple[np.random.Generator, Array]:
    rng = generator(0, "metrics-unbiased", *key)
    return rng, rng.dirichlet(ALPHA, size=N)


def answers(rng: np.random.Generator, beta: Array, number: int) -> Counts:
    return Counts(rng.multinomial(number, beta), LEVELS)


def z_of(difference: Array) -> float:
    """Mean over its Monte-Carlo standard error."""
    return float(difference.mean() / (difference.std(ddof=1) / np.sqrt(len(difference))))


def z_between_raters(name: str, few: int, many: int, system: Callable[..., Summary]) -> float:
    rng, beta = world("raters", name, few, many)
    given = system(rng, beta)
    score = settle(find_metric(name), answers(rng, beta, few), [given]).score
    return z_of(score(answers(rng, beta, few), given) - score(answers(rng, beta, many), given))


def one_answer(rng: np.random.Generator, beta: Array) -> Counts:
    return answers(rng, beta, 1)


def five_answers(rng: np.random.Generator, beta: Array) -> Counts:
    return answers(rng, beta, 5)


def forecast(rng: np.random.Generator, beta: Array) -> Probabilities:
    return Probabilities(0.7 * beta + 0.3 * rng.dirichlet(ALPHA, size=len(beta)), LEVELS)


@pytest.mark.parametrize("system", [one_answer, five_answers, forecast])
@pytest.mark.parametrize(("few", "many"), [(1, 3), (1, 10), (3, 10)])
@pytest.mark.parametrize("name", ["agreement", "brier", "crps", "cross_entropy"])
def test_linear_scores_do_not_move_with_the_number_of_raters(
    name: str, few: int, many: int, system: Callable[..., Summary]
) -> None:
    assert abs(z_between_raters(name, few, many, system)) < 5


@pytest.mark.parametrize(("few", "many"), [(1, 3), (1, 10), (3, 10)])
@pytest.mark.parametrize("name", ["total_variation", "jensen_shannon", "kl", "mae", "mse", "emd", "accuracy"])
def test_control_panel_scores_move_with_the_number_of_raters(name: str, few: int, many: int) -> None:
    assert abs(z_between_raters(name, few, many, five_answers)) > 5


def z_between_answers(name: str, few: int, many: int) -> float:
    """The same system asked few and many times, scored at face value."""
    rng, beta = world("answers", name, few, many)
    raters, a, b = answers(rng, beta, 5), answers(rng, beta, few), answers(rng, beta, many)
    score = settle(find_metric(name), raters, [a, b]).score
    return z_of(score(raters, a) - score(raters, b))


@pytest.mark.parametrize(("few", "many"), [(1, 5), (2, 5)])
@pytest.mark.parametrize("name", ["agreement", "brier", "crps", "accuracy"])
def test_scores_that_do_not_move_with_the_number_of_answers(name: str, few: int, many: int) -> None:
    assert find_metric(name).comparable == "any"
    assert abs(z_between_answers(name, few, many)) < 5


@pytest.mark.parametrize("name", ["total_variation", "jensen_shannon", "kl", "cross_entropy", "mae", "mse", "emd"])
def test_control_scores_that_are_rarefied_because_they_move(name: str) -> None:
    assert find_metric(name).comparable == "rarefy"
    assert abs(z_between_answers(name, 1, 5)) > 5


@pytest.mark.parametrize("name", ["total_variation", "jensen_shannon", "kl", "cross_entropy", "mae", "mse", "emd"])
def test_rarefied_scores_call_the_same_system_equal(name: str) -> None:
    rng, beta = world("rarefied", name)
    raters, once, five = answers(rng, beta, 5), answers(rng, beta, 1), answers(rng, beta, 5)
    score_once, score_five = scores(find_metric(name), raters, [once, five])
    assert abs(z_of(score_once - score_five)) < 5


@pytest.mark.parametrize("name", ["total_variation", "agreement", "crps", "mae"])
def test_wins_call_the_same_system_equal(name: str) -> None:
    rng, beta = world("wins", name)
    raters, once, five = answers(rng, beta, 5), answers(rng, beta, 1), answers(rng, beta, 5)
    assert abs(z_of(contest(find_metric(f"wins:{name}"), raters, once, five))) < 5
    # Control: the sign of the difference of expected scores favours the system that was asked once.
    assert abs(z_of(np.sign(contest(find_metric(name), raters, once, five)))) > 5


@pytest.mark.parametrize("raters", [2, 3, 10])
def test_brier_excess_is_the_distance_to_the_item_distribution(raters: int) -> None:
    rng, beta = world("excess", raters)
    system = forecast(rng, beta)
    truth = 0.5 * np.square(system.share - beta).sum(-1)
    panel = answers(rng, beta, raters)
    assert abs(z_of(brier_excess(panel, system) - truth)) < 5
    # Control: the plug-in distance to the raters' shares is too large by their sampling variance.
    plug_in = 0.5 * np.square(system.share - panel.share).sum(-1)
    assert z_of(plug_in - truth) > 5


def test_the_oracle_beats_a_blander_copy_under_proper_scores() -> None:
    rng, beta = world("proper")
    raters, oracle = answers(rng, beta, 1), Probabilities(beta, LEVELS)
    bland = Probabilities(0.75 * beta + 0.25 / 4, LEVELS)
    for name in ("brier", "crps", "cross_entropy", "kl"):
        score_oracle, score_bland = scores(find_metric(name), raters, [oracle, bland])
        assert z_of(score_bland - score_oracle) > 5
    # Control: with one rater per item total variation prefers the argmax to the truth.
    argmax = Probabilities((beta == beta.max(-1, keepdims=True)).astype(float), LEVELS)
    tv_oracle, tv_argmax = scores(find_metric("total_variation"), raters, [oracle, argmax])
    assert z_of(tv_oracle - tv_argmax) > 5
