import re
from typing import Any

import pytest

from quorate import InputError
from quorate.data.scale import Kind
from quorate.metrics.registry import choose_metric, default_metric


def test_the_default_metric_follows_the_contract() -> None:
    assert default_metric("nominal") == "agreement"
    assert default_metric("nominal", probabilities=True) == "brier"
    assert default_metric("ordinal", probabilities=True) == default_metric("interval") == "crps"
    assert default_metric("ordinal", rated=True) == "mean_rating"


def test_plain_wins_go_by_the_scale() -> None:
    assert choose_metric("wins", "nominal").name == "wins:total_variation"
    assert choose_metric("wins", "interval").name == "wins:mae"


def test_low_ratings_may_be_good() -> None:
    assert choose_metric(None, "ordinal", rated=True, better="low").better == "low"


@pytest.mark.parametrize(
    ("name", "kind", "options", "says"),
    [
        ("mae", "nominal", {}, "mae makes no sense on a nominal scale; use agreement, or declare"),
        ("wins:kl", "interval", {}, "wins:kl makes no sense on an interval scale; use crps, or declare"),
        ("mean_rating", "ordinal", {}, "with --rated-system COLUMN; use crps"),
        ("wins:mean_rating", "ordinal", {}, "with --rated-system COLUMN; use crps"),
        ("crps", "ordinal", {"rated": True}, "use mean_rating or wins:mean_rating"),
        (None, "nominal", {"rated": True}, "mean_rating makes no sense on a nominal scale; declare"),
        ("f1", "nominal", {"labels": ("no", "yes")}, "--positive LABEL"),
        ("f1", "nominal", {"labels": ("no", "yes"), "positive": "maybe"}, "--positive maybe is not a category"),
        ("kl", "nominal", {"variant": "papers"}, "unknown variant"),
    ],
)
def test_what_makes_no_sense_says_what_does(name: str | None, kind: Kind, options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=re.escape(says)):
        choose_metric(name, kind, **options)
