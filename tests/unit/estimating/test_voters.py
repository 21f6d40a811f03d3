"""Voters with names: expectation-maximisation by hand, classes put in another order, voters left out."""

import numpy as np
import pytest

from quorate.estimating.voters import NamedVotes, fit_voters, voter_odds


def _em_by_hand(
    item: list[int], rater: list[int], vote: list[int], n_items: int, iterations: int
) -> tuple[dict[int, float], dict[tuple[int, int], float]]:
    """Dawid and Skene with dictionaries, vote by vote."""
    chance = {}
    for i in range(n_items):
        own = [v for j, v in zip(item, vote, strict=True) if j == i]
        chance[i] = sum(own) / len(own)
    for step in range(iterations + 1):
        prior = sum(chance.values()) / n_items
        rate = {}
        for r in set(rater):
            for y in (0, 1):
                yes = no = 0.0
                for j, who, v in zip(item, rater, vote, strict=True):
                    if who == r:
                        weight = chance[j] if y else 1 - chance[j]
                        yes, no = yes + weight * v, no + weight * (1 - v)
                yes, no = max(yes, 1e-10), max(no, 1e-10)
                rate[r, y] = yes / (yes + no)
        if step == iterations:
            return chance, rate
        for i in range(n_items):
            joint = [1 - prior, prior]
            for j, who, v in zip(item, rater, vote, strict=True):
                if j == i:
                    joint = [joint[y] * (rate[who, y] if v else 1 - rate[who, y]) for y in (0, 1)]
            chance[i] = joint[1] / sum(joint)
    raise AssertionError


def test_dawid_skene_by_hand() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 30)
    item = np.repeat(np.arange(30), 4)
    rater = np.concatenate([rng.permutation(7)[:4] for _ in range(30)])
    vote = np.where(rng.random(120) < 0.75, truth[item], 1 - truth[item])
    chance, rate = _em_by_hand(item.tolist(), rater.tolist(), vote.tolist(), 30, 6)
    fit = fit_voters(NamedVotes(item, rater, vote), 30, iterations=6)
    assert fit.chance[:, 1] == pytest.approx([chance[i] for i in range(30)], abs=1e-9)
    assert fit.rate[:, :, 1] == pytest.approx(np.array([[rate[r, 0], rate[r, 1]] for r in range(7)]), abs=1e-9)


def test_dawid_skene_holds_experts_labels() -> None:
    item, rater = np.repeat(np.arange(10), 3), np.tile([0, 1, 2], 10)
    fit = fit_voters(
        NamedVotes(item, rater, np.ones(30, dtype=int)),
        10,
        label=np.zeros(10),
        has_label=np.arange(10) < 2,
        iterations=20,
    )
    assert fit.chance[:2, 1].tolist() == [0.0, 0.0]


def _three_classes(rng: np.random.Generator, n: int = 400) -> tuple[NamedVotes, np.ndarray]:
    truth = rng.integers(0, 3, n)
    item, rater = np.repeat(np.arange(n), 5), np.tile(np.arange(5), n)
    right = rng.random(5 * n) < np.array([0.95, 0.8, 0.6, 0.4, 1 / 3])[rater]
    return NamedVotes(item, rater, np.where(right, truth[item], rng.integers(0, 3, 5 * n)), tuple("abcde")), truth


def test_three_classes_in_another_order_are_the_same_voters() -> None:
    votes, _ = _three_classes(np.random.default_rng(1))
    turned = NamedVotes(votes.item, votes.rater, (votes.vote + 1) % 3)
    one, two = (fit_voters(each, 400, 3, iterations=10) for each in (votes, turned))
    assert two.chance == pytest.approx(np.roll(one.chance, 1, axis=1), abs=1e-9)
    assert two.rate == pytest.approx(np.roll(one.rate, (1, 1), axis=(1, 2)), abs=1e-9)


def test_good_voters_are_found_and_their_odds_beat_a_count_of_votes() -> None:
    votes, truth = _three_classes(np.random.default_rng(2))
    rates = fit_voters(votes, 400, 3).rate
    hit = rates[:, range(3), range(3)].mean(1)
    assert (np.argsort(-hit)[:3] == [0, 1, 2]).all()
    weighed = voter_odds(votes, 400, 3).argmax(1) == truth
    counted = votes.count(400, 3).argmax(1) == truth
    assert weighed.mean() > counted.mean()


def test_items_without_votes_say_nothing_and_votes_can_be_kept_or_left_out() -> None:
    votes, _ = _three_classes(np.random.default_rng(3))
    some = votes.keep(np.arange(400) < 10)
    assert len(some.item) == 50
    assert (voter_odds(some, 12, 3)[10:] == 0).all()
    rest = votes.without(4)
    assert len(rest.item) == 1600
    assert (rest.rater < 4).all()
    assert rest.count(400, 3).sum() == 1600
