"""What to buy for a target width: the arithmetic against brute force, halving against counting, the verb's words."""

from functools import partial
from typing import Any

import numpy as np
import pytest

import quorate
from quorate import InputError
from quorate.estimating.evidence import Evidence
from quorate.estimating.purchase import Purchase, Scaling, better_votes, half_the_votes, purchase
from quorate.estimating.voters import NamedVotes
from quorate.estimating.words import purchase_sentence
from quorate.populations.crowds import irt_crowd


def _evidence(n_items: int = 1000, n_experts: int = 100, votes: int = 4) -> Evidence:
    label = np.arange(n_items) % 2
    return Evidence.binary(votes * label, np.full(n_items, votes), label, np.arange(n_items) < n_experts)


def _purchase(
    scaling: Scaling,
    target: float = 0.05,
    prices: tuple[float, float] | None = None,
    evidence: Evidence | None = None,
) -> Purchase:
    return purchase(
        scaling,
        "auc",
        None,
        width=0.1,
        target=target,
        evidence=_evidence() if evidence is None else evidence,
        prices=prices,
    )


def test_experts_alone_follow_the_law_of_one_over_n() -> None:
    # half the width is a quarter of the variance: 4 times the experts, 300 more; votes do nothing
    more = _purchase(Scaling(1.0, 0.0))
    assert (more.experts, more.votes, more.far) == (300, None, False)


def test_a_floor_makes_experts_dearer_and_then_useless() -> None:
    # 0.2 + 0.8 / x = 0.25 at x = 16, more than the 10 times there are items for; a floor of 0.3 is never passed
    assert _purchase(Scaling(0.8, 0.0)).experts is None
    assert _purchase(Scaling(0.8, 0.0), evidence=_evidence(n_experts=50)).experts == 750
    assert _purchase(Scaling(0.7, 0.0), evidence=_evidence(n_experts=10)).experts is None


def test_votes_alone_and_a_far_guess() -> None:
    # 0.1 + 0.9 / y = 0.25 at y = 6: 20 more votes on each of 4, beyond what can be promised
    more = _purchase(Scaling(0.0, 0.9))
    assert (more.votes, more.experts, more.far) == (20.0, None, True)


@pytest.mark.parametrize("prices", [(1.0, 1.0), (20.0, 1.0), (500.0, 1.0), (0.1, 3.0)])
def test_the_cheapest_mix_is_what_a_search_over_whole_numbers_finds(
    prices: tuple[float, float],
) -> None:
    scaling, target, evidence = Scaling(0.9, 0.5), 0.07, _evidence()
    found = _purchase(scaling, target, prices)
    best = np.inf
    for more_experts in range(901):
        for tenth in range(400):
            x, y = 1 + more_experts / 100, 1 + tenth / 40
            if (0.1 + 0.9 / x) * (0.5 + 0.5 / y) <= (target / 0.1) ** 2:
                best = min(best, prices[0] * more_experts + prices[1] * tenth / 10 * evidence.n_items)
                break
    # both round up to whole labels and tenths of a vote per item
    assert found.cost is not None
    assert found.mix is not None
    assert abs(found.cost - best) <= prices[0] + prices[1] * 0.1 * evidence.n_items
    x, y = 1 + found.mix[0] / 100, 1 + found.mix[1] / 4
    assert scaling(x, y) == pytest.approx(0.49, abs=0.01)


def test_nothing_need_be_bought_where_the_interval_is_narrow_enough() -> None:
    more = _purchase(Scaling(1.0, 1.0), target=0.2, prices=(1.0, 1.0))
    assert (more.experts, more.votes, more.mix, more.cost) == (0, 0.0, (0, 0.0), 0.0)
    assert purchase_sentence(more) == "For an interval 0.2 wide nothing need be bought."


def test_where_neither_does_alone_both_may() -> None:
    more = _purchase(Scaling(0.6, 0.6), prices=(1.0, 1.0))  # floors of 0.4 each, 0.16 together
    assert (more.experts, more.votes) == (None, None)
    assert "both are needed; cheapest are" in purchase_sentence(more)
    none = _purchase(Scaling(0.3, 0.3), prices=(1.0, 1.0))
    assert none.mix is None
    assert "no number of expert labels or votes" in purchase_sentence(none)


def test_half_of_the_votes_are_drawn_without_replacement() -> None:
    total = np.repeat([5, 4, 1, 0], 500)
    positive = np.where(total > 0, total - 1, 0)
    evidence = Evidence.binary(positive, total, np.zeros(2000), np.zeros(2000, dtype=bool))
    half = half_the_votes(evidence, rng=np.random.default_rng(0))
    assert set(half.total[total == 5]) == {2, 3}
    assert set(half.total[total == 4]) == {2}
    assert set(half.total[total == 1]) == {0, 1}
    assert (half.total - half.positive).max() == 1  # there was one negative vote, and no item got it twice
    assert half.total.sum() == pytest.approx(total.sum() / 2, abs=5 * np.sqrt(1000) / 2)


@pytest.fixture(scope="module")
def files() -> tuple[dict[str, Any], ...]:
    crowd = irt_crowd(1500, rng=np.random.default_rng(2), scores=((1.0, 1.5),))
    item = [f"i{i:04d}" for i in range(1500)]
    votes = {"item": item, "positive": crowd.positive, "total": crowd.total}
    return (
        votes,
        {"item": item[:300], "label": crowd.truth[:300]},
        {"item": item, "score": crowd.scores[:, 0]},
    )


def test_the_sentence_and_json_say_what_to_buy(files: tuple[dict[str, Any], ...]) -> None:
    found = quorate.estimate(*files[:2], metric="human_tnr", target_width=0.015, expert_price=5, draws=100)
    bought = found.to_dict()["next"]
    assert (bought["metric"], bought["target"]) == ("human_tnr", 0.015)
    assert "For an interval 0.015 wide buy about" in found.sentence()
    assert (found.settings["target_width"], found.settings["expert_price"]) == (0.015, 5)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"target_width": -1}, "full width"),
        ({"expert_price": 5}, "give --target-width"),
        ({"target_width": 0.1, "rating_price": 5}, "and --expert-price"),
        ({"target_width": 0.1, "expert_price": 0}, "above 0"),
        ({"target_width": 0.1, "method": "gt"}, "needs the assisted estimate"),
    ],
)
def test_targets_that_make_no_sense_are_refused(
    files: tuple[dict[str, Any], ...], how: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        quorate.estimate(*files, metric="auc", draws=50, **how)


def test_when_every_item_has_a_label_there_is_nothing_to_buy(
    files: tuple[dict[str, Any], ...],
) -> None:
    votes, _, scores = files
    truth = irt_crowd(1500, rng=np.random.default_rng(2), scores=((1.0, 1.5),)).truth
    found = quorate.estimate(votes, {"item": votes["item"], "label": truth}, scores, metric="auc", target_width=0.01)
    assert found.purchase is None
    assert any("no width to narrow" in warning for warning in found.warnings)


def test_experts_for_a_width_follow_the_finite_population() -> None:
    # 1000 items, 100 labels: var(m) = (1/m - 1/1000) S²; half the width: 1/m = (1/100 - 1/1000) / 4 + 1/1000, m = 308
    scaling = Scaling(1000 / 900, 0.0)
    assert scaling(10.0, 1.0) == pytest.approx(0.0)
    bought = purchase(scaling, "auc", None, width=0.2, target=0.1, evidence=_evidence(1000, 100))
    assert bought.experts == 208
    assert bought.votes is None


def test_better_voters_leave_fewer_labels_to_buy() -> None:
    # a quarter of the variance is wanted; better voters bring half of it, so twice the experts do: 100 more, and 4
    # votes on each of 1000 items anew; the same voters would need four times the experts
    buy = partial(purchase, metric="auc", system=None, width=0.1, target=0.05, evidence=_evidence())
    more = buy(Scaling(1.0, 0.0, 0.5), prices=(5.0, 1.0), better_price=2.0)
    assert (more.experts, more.better, more.better_cost) == (300, 100, 5.0 * 100 + 2.0 * 4 * 1000)
    assert "with voters who err half as often 100 more labels would do, for 8,500" in purchase_sentence(more)
    assert buy(Scaling(1.0, 0.0, 0.5)).better_cost is None
    assert buy(Scaling(1.0, 0.0, 0.2)).better == 0


@pytest.mark.parametrize("named", [False, True])
def test_better_votes_have_half_of_the_errors(named: bool) -> None:
    # chances are sure of the label, so every changed vote becomes right; 5 standard errors of a binomial share
    rng, n = np.random.default_rng(4), 4000
    crowd = irt_crowd(n, rng=rng)
    assert crowd.rater is not None
    assert crowd.vote is not None
    item = np.repeat(np.arange(n), crowd.rater.shape[1])
    single = NamedVotes(item, crowd.rater.ravel(), crowd.vote.ravel()) if named else None
    evidence = Evidence.binary(crowd.positive, crowd.total, crowd.truth, np.arange(n) < 50, {}, named_votes=single)
    better = better_votes(evidence, np.eye(2)[crowd.truth], rng=rng)
    wrong, still = (e.votes[np.arange(n), 1 - crowd.truth] for e in (evidence, better))
    assert (better.total == evidence.total).all()
    assert (still <= wrong).all()
    assert still.sum() == pytest.approx(wrong.sum() / 2, abs=5 * np.sqrt(wrong.sum()) / 2)
    assert (better.named_votes is not None) == named
