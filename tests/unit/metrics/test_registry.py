"""Names, directions, defaults, refusals and estimands of the registry."""

import re
from typing import Any

import numpy as np
import pytest

from quorate._errors import InputError
from quorate.data.summaries import Counts, Means, Probabilities, Values
from quorate.metrics import contest, find_metric, metric_names, scores
from quorate.metrics.metric import Variant

CONTRACT = [
    "agreement",
    "brier",
    "crps",
    "mean_rating",
    "cross_entropy",
    "accuracy",
    "total_variation",
    "kl",
    "jensen_shannon",
    "mae",
    "mse",
    "rmse",
    "emd",
    "wins",
    "precision",
    "recall",
    "f1",
    "auc",
    "spearman",
    "cosine",
    "emd_of_means",
]
HIGH = {"agreement", "accuracy", "mean_rating", "precision", "recall", "f1", "auc", "spearman", "cosine", "wins"}


def label(*rows: list[int]) -> Counts:
    return Counts(np.array(rows))


def test_the_registry_holds_exactly_the_contract() -> None:
    assert sorted(metric_names()) == sorted(CONTRACT)


@pytest.mark.parametrize("name", CONTRACT)
@pytest.mark.parametrize("variant", ["default", "paper"])
def test_direction_and_level(name: str, variant: Variant) -> None:
    metric = find_metric(name, variant=variant, positive=1)
    assert metric.better == ("high" if name in HIGH else "low")
    assert metric.level == (
        "set" if name in {"rmse", "precision", "recall", "f1", "auc", "spearman", "cosine", "emd_of_means"} else "item"
    )
    assert metric.linear == (name in {"agreement", "brier", "crps", "cross_entropy", "mean_rating"})
    assert (
        (metric.terms is None)
        == (metric.combine is None)
        == (name not in {"rmse", "precision", "recall", "f1", "cosine"})
    )


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("acuracy", {}, "unknown metric 'acuracy': use one of agreement, brier"),
        ("wins:nothing", {}, "unknown metric 'nothing'"),
        ("wins:rmse", {}, "wins needs a metric that scores single items"),
        ("wins:auc", {}, "wins needs a metric that scores single items"),
        ("wins:wins", {}, "wins needs a metric that scores single items"),
        ("precision", {}, "--positive"),
        ("kl", {"better": "high"}, "low is always better for kl"),
        ("kl", {"variant": "papers"}, "unknown variant"),
    ],
)
def test_bad_names_say_what_to_do(name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=re.escape(says)):
        find_metric(name, **options)


def test_low_ratings_may_be_better() -> None:
    good, bad = (Values(np.array([[x]]), np.array([1])) for x in (1.0, 5.0))
    assert contest(find_metric("mean_rating", better="low"), None, good, bad) == 4.0
    assert contest(find_metric("mean_rating"), None, good, bad) == -4.0


def test_estimands_name_the_numbers_they_depend_on() -> None:
    raters, ragged = label([3, 2], [5, 0]), label([1, 2], [6, 0])
    once, thrice, forecast = label([1, 0], [0, 1]), label([2, 1], [0, 3]), Probabilities(np.full((2, 2), 0.5))
    tv = find_metric("total_variation")
    assert tv.estimand(raters, once) == "total variation at 5 raters and 1 answer per item"
    assert tv.estimand(ragged, once, thrice) == "total variation at 3 to 6 raters and 1 answer per item"
    assert tv.estimand(raters, thrice) == "total variation at 5 raters and 3 answers per item"
    assert tv.estimand(raters, forecast) == "total variation of probabilities at 5 raters per item"
    assert find_metric("accuracy").estimand(once, once) == "accuracy at 1 rater per item"
    assert find_metric("agreement").estimand(ragged, once) == "share of raters who gave the system's answer"
    assert find_metric("cross_entropy").estimand(ragged, once) == "cross-entropy at 1 answer per item"
    wins = find_metric("wins:total_variation").estimand(raters, once)
    assert wins == "share of items won minus share lost by total variation at 5 raters and 1 answer per item"
    wins = find_metric("wins:agreement").estimand(raters, once, thrice)
    assert wins == "share of items won minus share lost by agreement at 5 raters and 1 answer per item"
    assert (
        find_metric("wins:mean_rating")
        .estimand(raters, raters, ragged)
        .endswith("mean rating at 3 to 6 raters per item")
    )
    assert find_metric("f1", positive=1).estimand(raters, once) == "F1 at 5 raters per item"


def test_probabilities_against_labels_are_refused_where_they_cannot_be_compared() -> None:
    levels = np.array([0.0, 1.0])
    raters, once = Counts(np.array([[3, 2]]), levels), Counts(np.array([[1, 0]]), levels)
    forecast = Probabilities(np.array([[0.5, 0.5]]), levels)
    for name in (
        "total_variation",
        "kl",
        "jensen_shannon",
        "mae",
        "emd",
        "cross_entropy",
        "rmse",
        "wins",
        "wins:brier",
    ):
        with pytest.raises(InputError, match="cannot compare probabilities with single answers"):
            contest(find_metric(name), raters, once, forecast)
    for name in ("agreement", "brier", "crps", "accuracy", "f1"):
        assert np.isfinite(contest(find_metric(name, positive=0), raters, once, forecast)).all()


def test_what_a_scale_cannot_do_is_refused() -> None:
    nominal = label([3, 2])
    numbers = Values(np.array([[1.0, 2.0]]), np.array([2]))
    means = Means(np.array([1.5]), np.array([2]))
    for name in ("mae", "emd", "crps", "spearman", "mean_rating"):
        with pytest.raises(InputError, match="the scale is nominal"):
            scores(find_metric(name), nominal, [nominal])
    for name in ("agreement", "total_variation", "accuracy", "kl"):
        with pytest.raises(InputError, match="plain numbers"):
            scores(find_metric(name), numbers, [numbers])
    with pytest.raises(InputError, match="every single answer"):
        scores(find_metric("emd"), means, [means])
    with pytest.raises(InputError, match="at least two"):
        scores(find_metric("wins:mae"), numbers, [numbers])
    with pytest.raises(InputError, match="no score for one"):
        find_metric("wins:mae").score(numbers, numbers)


def test_unlike_items_or_categories_are_refused() -> None:
    with pytest.raises(InputError, match="same items"):
        scores(find_metric("agreement"), label([1, 0], [1, 0]), [label([1, 0])])
    with pytest.raises(InputError, match="same categories"):
        scores(find_metric("agreement"), label([1, 0]), [label([1, 0, 0])])
