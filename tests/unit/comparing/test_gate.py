"""What a gate makes of every verdict, and the assertion for tests."""

from dataclasses import replace
from unittest import SkipTest

import numpy as np
import pytest

from quorate import InputError, assert_not_worse, compare
from quorate.comparing.gate import GateOutcome, decide
from quorate.inference.outcome import Verdict

ITEMS = list(range(40))
RATINGS = {"item": ITEMS * 2, "response": ["yes" if k % 4 else "no" for k in ITEMS] * 2}


def said(**systems: str) -> dict[str, list[object]]:
    """Answers in which each system says yes where its pattern, repeated, has a y."""
    rows = [(k, name, text[k % len(text)]) for name, text in systems.items() for k in ITEMS]
    words = {"y": "yes", "n": "no"}
    return {
        "item": [k for k, _, _ in rows],
        "system": [name for _, name, _ in rows],
        "response": [words[letter] for _, _, letter in rows],
    }


@pytest.mark.parametrize(
    ("verdict", "outcome", "code", "strict_code"),
    [
        ("a_better", "passed", 0, 0),
        ("equivalent", "passed", 0, 0),
        ("not_worse", "passed", 0, 0),
        ("b_better", "failed", 1, 1),
        ("inconclusive", "inconclusive", 3, 1),
        ("identical", "inconclusive", 3, 1),
    ],
)
def test_every_verdict_has_its_code(verdict: Verdict, outcome: GateOutcome, code: int, strict_code: int) -> None:
    result = compare(RATINGS, said(new="yyyy", old="yn"))
    decided = replace(result, pairs=(replace(result.pairs[0], verdict=verdict),))
    assert (decide(decided).outcome, decide(decided).code) == (outcome, code)
    assert decide(decided, strict=True).code == strict_code


def test_identical_systems_pass_only_where_the_unseen_lies_within_the_margin() -> None:
    # Without a difference on 40 items, 1 - 0.025^(1/40) = 0.088 of them may differ unseen.
    same = said(new="yyn", old="yyn")
    assert decide(compare(RATINGS, same, margin=0.1)).outcome == "passed"
    assert decide(compare(RATINGS, same, margin=0.08)).outcome == "inconclusive"


def marks(new: list[float], old: list[float]) -> dict[str, list[object]]:
    """What two systems' outputs were given, item by item."""
    n = len(new)
    return {"item": [*range(n)] * 2, "system": ["new"] * n + ["old"] * n, "response": [*new, *old]}


@pytest.mark.parametrize("mark", [0, 0.9, 1, 5])
def test_marks_that_are_all_alike_hide_failures_too(mark: float) -> None:
    # 1 - 0.025^(1/N) of N items may have failed unseen: 0.0203 of 180, 0.0199 of 184; a mark of 5 may have lost 5.
    margin = 0.02 * max(mark, 1)
    gates = {
        n: decide(compare(marks([mark] * n, [mark] * n), rated_system="system", margin=margin)) for n in (180, 184)
    }
    assert {n: gate.outcome for n, gate in gates.items()} == {180: "inconclusive", 184: "passed"}


def test_shares_that_never_failed_may_fail_on_few_items() -> None:
    # A lead of 0.01 on every item, near enough, says nothing of items where the new system gets 0.
    rng = np.random.default_rng(1)
    old = 0.9 + 0.03 * rng.random(60)
    new = old + 0.01 + 0.001 * rng.random(60)
    for margin, outcome in ((0.02, "inconclusive"), (0.08, "passed")):
        seen = compare(marks(new.tolist(), old.tolist()), rated_system="system", systems=["new", "old"], margin=margin)
        assert seen.pairs[0].high - seen.pairs[0].low > 0.02
        assert decide(seen).outcome == outcome


def called(new: list[bool], old: list[bool]) -> dict[str, list[object]]:
    """Answers of two systems that say yes or no."""
    rows = [(k, name, said) for name, each in (("new", new), ("old", old)) for k, said in enumerate(each)]
    words: list[object] = ["yes" if said else "no" for _, _, said in rows]
    return {"item": [k for k, _, _ in rows], "system": [name for _, name, _ in rows], "response": words}


@pytest.mark.parametrize(("n_items", "passes"), [(50, False), (200, True)])
def test_one_positive_missed_may_be_more_that_did_not_show(n_items: int, passes: bool) -> None:
    # 1 of 25 missed: of all positives up to 0.2 might be (Clopper and Pearson); swaps alone end at 2/25.
    truth = [k % 2 == 0 for k in range(n_items)]
    missed = [said and k > 0 for k, said in enumerate(truth)]
    ratings = {"item": list(range(n_items)), "response": ["yes" if said else "no" for said in truth]}
    result = compare(
        ratings, called(missed, truth), systems=["new", "old"], metric="recall", positive="yes", margin=0.1
    )
    assert (decide(result).outcome == "passed") is passes
    assert (result.pairs[0].low < -0.1) is not passes


def test_auc_with_two_positives_passes_no_gate() -> None:
    n_items = 100
    ratings = {"item": list(range(n_items)), "response": ["yes" if k < 2 else "no" for k in range(n_items)]}
    share = [0.9 if k < 2 else k / 200 for k in range(n_items)] * 2
    answers = {
        "item": list(range(n_items)) * 2,
        "system": ["new"] * n_items + ["old"] * n_items,
        "yes": share,
        "no": [1 - each for each in share],
    }
    result = compare(ratings, answers, systems=["new", "old"], metric="auc", positive="yes", margin=0.1)
    assert decide(result).outcome == "inconclusive"
    assert "only 2 of them count" in result.sentence()
    assert result.pairs[0].low < -0.8


def test_a_gate_of_ranks_says_that_it_holds_roughly() -> None:
    items = list(range(120))
    marks = [float(k * 37 % 120) for k in items]
    ratings = {"item": items, "response": marks}
    answers = {
        "item": items * 2,
        "system": ["new"] * 120 + ["old"] * 120,
        "response": [each + (k + late) % 3 for late in (0, 1) for k, each in enumerate(marks)],
    }
    result = compare(ratings, answers, systems=["new", "old"], metric="spearman", scale="interval", margin=0.2)
    assert decide(result).outcome == "passed"
    assert any("Spearman" in warning for warning in result.warnings)


def test_a_gate_takes_one_pair() -> None:
    with pytest.raises(InputError, match="--gate takes one metric and two systems"):
        decide(compare(RATINGS, said(a="y", b="yn", c="n")))


def test_the_assertion_speaks_the_verdict() -> None:
    data = RATINGS, said(new="yyyy", old="nyyy")
    good = assert_not_worse(*data, systems="old,new")
    assert good is not None
    assert good.pairs[0].verdict == "a_better"
    with pytest.raises(AssertionError, match=r"^old scores 0\.250 higher than new .*, so old is better: agreement"):
        assert_not_worse(*data, systems="new,old")


def test_what_the_data_do_not_tell_is_skipped_failed_or_passed_as_asked() -> None:
    data = RATINGS, said(new="yyyyyyyyyyyyyyyyyyyn", old="yyyy")
    with pytest.raises(SkipTest, match="but the data do not tell them apart"):
        assert_not_worse(*data)
    with pytest.raises(AssertionError, match="but the data do not tell them apart"):
        assert_not_worse(*data, inconclusive="fail")
    assert assert_not_worse(*data, inconclusive="pass") is not None
