"""Ranks follow from the verdicts of the pairs: nobody who was beaten could be best, and nobody else is ruled out."""

from typing import Any

import numpy as np
import pytest

from quorate import Comparison, compare

LABELS = ("no", "unsure", "yes")
NOISE = {"a": 0.0, "b": 0.18, "c": 0.22, "d": 0.6}


def study(seed: int, n: int = 60) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Five raters of one item each, and systems that answer from the item's law with more and more noise."""
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.full(3, 0.8), size=n)
    said = [[LABELS[rng.choice(3, p=p)] for _ in range(5)] for p in law]
    ratings = {
        "item": [f"i{i:02}" for i in range(n) for _ in range(5)],
        "rater": [f"r{i}-{k}" for i in range(n) for k in range(5)],
        "response": [answer for answers in said for answer in answers],
    }
    answers: dict[str, list[str]] = {"item": [], "system": [], "response": []}
    for name, noise in NOISE.items():
        answers["item"] += [f"i{i:02}" for i in range(n)]
        answers["system"] += [name] * n
        answers["response"] += [LABELS[rng.choice(3, p=(1 - noise) * p + noise / 3)] for p in law]
    return ratings, answers


def beaten(result: Comparison) -> set[str]:
    """Who lost a pair by the metric of the ranking."""
    pairs = [pair for pair in result.pairs if pair.metric == result.ranking[0].metric]
    lost = {pair.b for pair in pairs if pair.verdict == "a_better"}
    return lost | {pair.a for pair in pairs if pair.verdict == "b_better"}


def test_a_scattered_system_could_be_best_below_a_beaten_one_and_the_note_says_why() -> None:
    # b is told to be worse than a; c, with one large failure, is not told apart from anyone but scores below b.
    n = 40
    items = [f"i{k:02}" for k in range(n)]
    ratings = {"item": items, "response": [50.0 + k % 7 for k in range(n)]}
    values: dict[str, list[float]] = {
        "a": [50.0 + k % 7 + 0.01 * (k % 3) for k in range(n)],
        "b": [50.0 + k % 7 + 1.0 + 0.01 * (k % 5) for k in range(n)],
        "c": [50.0 + k % 7 + (90.0 if k == 3 else 0.01 * (k % 2)) for k in range(n)],
    }
    answers = {
        "item": items * 3,
        "system": [name for name in values for _ in range(n)],
        "response": [value for each in values.values() for value in each],
    }
    result = compare(ratings, answers, scale="interval")
    assert [standing.system for standing in result.ranking] == ["a", "b", "c"]
    assert beaten(result) == {"b"}
    assert [standing.could_be_best for standing in result.ranking] == [True, False, True]
    assert "though it is lower than a beaten one" in " ".join(str(result).split())


@pytest.mark.parametrize("metric", ["agreement", ["agreement", "accuracy", "jensen_shannon", "wins"]])
@pytest.mark.parametrize("test", ["default", "permutation"])
def test_who_could_be_best_was_not_beaten_and_the_others_were(metric: Any, test: str) -> None:
    decided = 0
    for seed in range(12):
        result = compare(*study(seed), metric=metric, test=test, resamples=999)
        could_not = {standing.system for standing in result.ranking if not standing.could_be_best}
        assert could_not == beaten(result)
        for pair in result.pairs[:6]:
            together = any({pair.a, pair.b} <= set(group) for group in result.tied)
            assert together == (pair.verdict not in ("a_better", "b_better"))
        decided += len(could_not)
    assert decided > 0


def test_a_system_that_beats_the_baseline_rules_it_out() -> None:
    # Four comparisons with the baseline are fewer than all ten: some are decided only among themselves.
    only_among_themselves = 0
    for seed in range(8):
        result = compare(*study(seed), baseline="d")
        lost = beaten(result)
        could_not = {standing.system for standing in result.ranking if not standing.could_be_best}
        assert lost <= could_not
        everyone = {s.system for s in compare(*study(seed)).ranking if not s.could_be_best}
        only_among_themselves += "d" in lost and "d" not in everyone
    assert only_among_themselves > 0


def test_a_margin_changes_no_rank() -> None:
    """Beside a margin a verdict asks from one side only; who beats whom is the same from both."""
    ratings, answers = study(1, 240)
    renamed = answers | {"system": [{"d": "0"}.get(name, name) for name in answers["system"]]}
    plain = compare(ratings, answers)
    for data in (answers, renamed):
        ranks = [(row.score, row.rank_low, row.rank_high) for row in compare(ratings, data, margin=0.4).ranking]
        assert ranks == [(row.score, row.rank_low, row.rank_high) for row in plain.ranking]
    assert any(not standing.could_be_best for standing in plain.ranking)
    assert not beaten(compare(ratings, renamed, margin=0.4))  # the verdicts are others
