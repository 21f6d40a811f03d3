"""What assists the experts: columns, calls and ranks of systems of every kind."""

import numpy as np
import pytest

from quorate.estimating.assistance import Assistance, class_values, vote_columns
from quorate.estimating.evidence import Evidence

N = 120


def _binary(**more: object) -> Evidence:
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, N)
    scores = {name: label + rng.normal(size=N) for name in ("a", "b", "c", "d", "e")}
    return Evidence.binary(rng.binomial(3, 0.2 + 0.6 * label), np.full(N, 3), label, np.arange(N) < 60, scores, **more)


def test_weights_are_scaled_to_stand_for_all_items() -> None:
    assert Assistance(_binary()).sample.weight == pytest.approx(2.0)
    uneven = Assistance(_binary(weight=1.0 + np.arange(N))).sample.weight
    assert uneven.sum() == pytest.approx(N)
    assert uneven[1] / uneven[0] == pytest.approx(2.0)


def test_items_without_votes_lie_at_the_mean_and_do_not_judge_voters() -> None:
    evidence = _binary()
    votes = evidence.votes.copy()
    votes[5] = 0
    bare = Assistance(Evidence(votes, evidence.label, evidence.has_label))
    column = vote_columns(bare.evidence)[0, :, 0]
    assert column[5] == pytest.approx(np.delete(column, 5).mean())
    assert (bare.voted[5], bare.voted.sum()) == (0, N - 1)


def test_many_systems_share_their_mean_rank_and_few_have_one_guess() -> None:
    items = Assistance(_binary())
    assert items.guess(("a",)) is not items.guess(("b",))
    few = Assistance(_binary().keep(np.ones(N, dtype=bool)))
    some = {name: few.evidence.scores[name] for name in ("a", "b")}
    two = Assistance(Evidence(few.evidence.votes, few.evidence.label, few.evidence.has_label, some))
    assert two.guess(("a",)) is two.guess(("b",))


def test_a_group_keeps_the_guess_of_all_items() -> None:
    items = Assistance(_binary())
    whole = items.guess(("a",))
    inside = np.arange(N) % 3 == 0
    part = items.keep(inside)
    assert part.guess(("a",)).chance == pytest.approx(whole.chance[inside])
    assert part.sample.weight.sum() == pytest.approx(inside.sum())


def test_numbers_call_the_nearest_class_and_outputs_the_likeliest() -> None:
    votes = np.ones((4, 3), dtype=int)
    label, known = np.array([0, 1, 2, 0]), np.ones(4, dtype=bool)
    outputs = {"p": np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.0, 0.1, 0.9], [0.4, 0.3, 0.3]])}
    scores = {"x": np.array([1.4, 1.6, 9.0, -3.0])}
    items = Assistance(Evidence(votes, label, known, scores, classes=("1", "2", "4"), named=True, outputs=outputs))
    assert items.calls("p").argmax(1).tolist() == [1, 0, 2, 0]
    assert items.calls("x").argmax(1).tolist() == [0, 1, 2, 0]
    assert items.numbers("p").tolist() == [2.0, 1.0, 4.0, 1.0]
    assert items.numbers("x").tolist() == [1.4, 1.6, 9.0, -3.0]
    assert class_values(("low", "high")).tolist() == [0.0, 1.0]


def test_best_of_k_leaves_out_the_vote_that_was_bound_to_come() -> None:
    # stopped at two alike: (2, 0) -> 1, (2, 1) -> (2 - 1) / 2, (1, 2) -> 1 / 2
    evidence = Evidence.binary(np.array([2, 2, 1]), np.array([2, 3, 3]), np.array([1, 1, 0]), np.ones(3, bool))
    assert evidence.vote_shares[:, 1] == pytest.approx([1.0, 0.5, 0.5])
    assert evidence.vote_shares.sum(1) == pytest.approx(1.0)
