"""What a gate makes of every verdict, and the assertion for tests."""

from dataclasses import replace
from unittest import SkipTest

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
