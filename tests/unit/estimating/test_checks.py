"""What is refused and what is doubted."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import quorate
from quorate._errors import InputError
from quorate.estimating.checks import check_evidence, check_selection, check_votes, expert_selection, vote_selection
from quorate.estimating.evidence import Evidence
from quorate.estimating.score_ranks import ScoreRanks

VOTES = {"item": list("abcd"), "positive": [3, 0, 2, 1], "total": [3, 3, 3, 3]}


def _evidence(n: int = 200, experts: int = 40, **more: Any) -> Evidence:
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, n)
    return Evidence.binary(label, np.ones(n, dtype=int), label, np.arange(n) < experts, **more)


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (_evidence(experts=0), "no expert labels"),
        (
            Evidence.binary(np.ones(9, int), np.ones(9, int), np.ones(9, int), np.ones(9, bool)),
            "all 9 expert labels are positive",
        ),
        (
            _evidence(scores={"m": np.where(np.arange(200) == 3, np.nan, 1.0)}),
            "1 scores of m are not numbers",
        ),
        (_evidence(scores={"m": np.zeros(200)}), "all scores of m are equal"),
    ],
)
def test_what_no_method_can_use_is_refused_in_plain_words(evidence: Evidence, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_evidence(evidence)


def test_few_experts_and_perfect_separation_are_doubted() -> None:
    few = _evidence(experts=12)
    assert "only" in check_evidence(few)[0]
    rng = np.random.default_rng(1)
    apart = _evidence(scores={"m": _evidence().label + rng.random(200) / 2})
    assert any("every expert positive above every expert negative" in said for said in check_evidence(apart))
    assert check_evidence(_evidence(scores={"m": rng.random(200)})) == []


def test_weights_that_are_very_unlike_are_told() -> None:
    weight = np.where(np.arange(200) % 10 == 0, 15.0, 1.0)
    told = check_evidence(_evidence(weight=weight))
    assert any("weights of 40 expert labels, 1 to 15, are so unlike that they count as 10" in said for said in told)
    assert not any("unlike" in said for said in check_evidence(_evidence(weight=np.where(weight > 1, 3.0, 1.0))))


@pytest.mark.parametrize("names", [("no", "yes"), ("1", "2")])
def test_a_number_for_classes_that_are_words_is_told_how_it_counts(names: tuple[str, str]) -> None:
    named = _evidence(scores={"m": np.arange(200.0)}, classes=names, named=True)
    told = [said for said in check_evidence(named) if "m gives a number, which counts as the nearest" in said]
    assert bool(told) == (names == ("no", "yes"))
    assert all("of no 0, yes 1; " in said and "--positive" in said for said in told)


@pytest.mark.parametrize("choice", ["threshold", "top"])
def test_experts_chosen_by_score_are_refused_and_weights_or_a_word_let_them_pass(
    choice: str,
) -> None:
    rng = np.random.default_rng(2)
    n = 5000
    label = rng.integers(0, 2, n)
    score = label + rng.normal(size=n)
    chance = np.where(np.abs(score - 0.5) < 0.5, 0.3, 0.03) if choice == "threshold" else 0.2 * (score > 0.8) + 0.02
    known = rng.random(n) < chance
    one = np.ones(n, dtype=int)
    plain = Evidence.binary(label, one, label, known)
    with pytest.raises(InputError, match="no random sample"):
        check_selection("m", ScoreRanks.of(score), plain, strict=True, rng=rng)
    assert "may be biased" in check_selection("m", ScoreRanks.of(score), plain, strict=False, rng=rng)[0]
    weighted = Evidence.binary(label, one, label, known, weight=1 / chance)
    assert check_selection("m", ScoreRanks.of(score), weighted, strict=True, rng=rng) == []


def _documents(seed: int) -> tuple[Evidence, np.random.Generator]:
    """Sixty documents of 1 to 40 items that lean one way in votes and scores, with no expert yet."""
    rng = np.random.default_rng(seed)
    document = np.repeat(np.arange(60), rng.integers(1, 41, 60))
    lean, n = rng.normal(size=60)[document], len(document)
    votes, score = rng.binomial(3, 1 / (1 + np.exp(-2 * lean))), lean + rng.normal(size=n)
    none = np.zeros(n, dtype=bool)
    return Evidence.binary(votes, np.full(n, 3), votes > 1, none, {"s": score}, cluster=document), rng


def test_whole_documents_at_random_are_a_random_sample_though_their_items_are_alike() -> None:
    doubted, alone = [], []
    for seed in range(200):
        evidence, rng = _documents(seed)
        assert evidence.cluster is not None
        known = replace(evidence, has_label=np.isin(evidence.cluster, rng.permutation(60)[:20]))
        ranks = ScoreRanks.of(evidence.scores["s"])
        doubted += [vote_selection(known).p_value, expert_selection(ranks, known, rng=rng).p_value]
        alone.append(vote_selection(replace(known, cluster=None)).p_value)
    assert np.mean(np.array(doubted) < 0.05) < 0.08
    assert np.mean(np.array(alone) < 0.05) > 0.5  # control: items one by one would be another sample


def test_items_chosen_by_score_are_refused_in_documents_too() -> None:
    evidence, rng = _documents(1)
    known = replace(evidence, has_label=rng.random(evidence.n_items) < 0.4 * (evidence.scores["s"] > 0.3))
    with pytest.raises(InputError, match="no random sample"):
        check_selection("s", ScoreRanks.of(evidence.scores["s"]), known, strict=True, rng=rng)


def test_experts_chosen_by_votes_are_told_by_their_votes_not_their_scores() -> None:
    rng = np.random.default_rng(3)
    votes = rng.integers(0, 4, 4000)
    score = votes + rng.normal(size=4000)
    by_votes = Evidence.binary(
        votes,
        np.full(4000, 3),
        votes > 1,
        rng.random(4000) < np.array([0.02, 0.1, 0.2, 0.05])[votes],
    )
    assert expert_selection(ScoreRanks.of(score), by_votes, rng=rng).p_value > 0.01
    with pytest.raises(InputError, match="items with other votes, or none"):
        check_votes(by_votes, strict=True)
    assert "may be biased" in check_votes(by_votes, strict=False)[0]
    assert check_votes(replace(by_votes, weight=np.ones(4000)), strict=True) == []


@pytest.mark.parametrize("votes", ["counts", "some without", "all alike"])
def test_a_random_sample_is_doubted_as_often_as_the_test_says(votes: str) -> None:
    rng = np.random.default_rng(4)
    rejected = []
    for _ in range(300):
        total = np.where(rng.random(800) < 0.3, 0, 3) if votes == "some without" else np.full(800, 5)
        positive = rng.binomial(total, 1.0 if votes == "all alike" else rng.beta(1, 2, 800))
        known = np.isin(np.arange(800), rng.choice(800, 80, replace=False))
        rejected.append(vote_selection(Evidence.binary(positive, total, positive > 1, known)).p_value < 0.05)
    assert np.mean(rejected) <= 0.05 + 5 * np.sqrt(0.05 * 0.95 / 300)
    assert (np.mean(rejected) > 0.01) == (votes != "all alike")


def test_control_experts_who_take_items_without_votes_more_often_are_seen() -> None:
    rng = np.random.default_rng(5)
    total = np.where(rng.random(2000) < 0.3, 0, 3)
    known = rng.random(2000) < np.where(total == 0, 0.3, 0.05)
    assert vote_selection(Evidence.binary(rng.binomial(total, 0.5), total, total, known)).p_value < 1e-6


def test_a_method_that_gives_none_of_the_metrics_is_named() -> None:
    files = ("example:moderation", "example:moderation-experts", "example:moderation-scores")
    found = quorate.estimate(*files, method=["gt", "ppi"], metric="auc")
    assert "ppi gives none of these metrics." in found.warnings
    assert not any("gives none" in said for said in quorate.estimate(*files, method=["gt"], metric="auc").warnings)
