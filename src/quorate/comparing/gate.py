"""A gate: what a comparison of two systems decides for those who must go on or stop."""

from dataclasses import dataclass
from math import nan
from typing import Any, Literal, TypeAlias, get_args
from unittest import SkipTest

from quorate._errors import InputError
from quorate._text import Sentence
from quorate.comparing.assessment import BarVerdict, SystemScore
from quorate.comparing.baseline import store_baseline
from quorate.comparing.question import CompareQuestion
from quorate.comparing.result import Comparison, Pair
from quorate.inference.outcome import Verdict

GateOutcome: TypeAlias = Literal["passed", "failed", "inconclusive"]
WhenInconclusive: TypeAlias = Literal["skip", "fail", "pass"]
OUTCOMES: dict[Verdict, GateOutcome] = {
    "a_better": "passed",
    "equivalent": "passed",
    "not_worse": "passed",
    "b_better": "failed",
    "inconclusive": "inconclusive",
    "identical": "inconclusive",
}
CODES: dict[GateOutcome, int] = {"passed": 0, "failed": 1, "inconclusive": 3}


@dataclass(frozen=True)
class Gate:
    """Whether the first of two systems may take the place of the other.

    Parameters
    ----------
    outcome
        ``"passed"`` if it is better, equivalent or not worse, ``"failed"`` if it is worse, else ``"inconclusive"``.
    pair
        The comparison that decides.
    strict
        Whether what the data do not tell counts as failed.
    """

    outcome: GateOutcome
    pair: Pair
    strict: bool = False

    @property
    def code(self) -> int:
        """Exit code: 0 passed, 1 failed, 3 inconclusive; that is 1 too where the gate is strict."""
        return 1 if self.stops else CODES[self.outcome]

    @property
    def stops(self) -> bool:
        """Whether it says no: worse, or not shown to be good enough where the gate is strict."""
        return self.outcome == "failed" or (self.strict and self.outcome == "inconclusive")

    @property
    def sentence(self) -> Sentence:
        """The verdict in one sentence."""
        return self.pair.sentence


def decide(result: Comparison, *, strict: bool = False) -> Gate:
    """Return what a gate makes of a comparison of two systems by one metric.

    Identical systems pass only if a difference that did not show would lie within the margin.
    """
    pairs = [_beside_bar(score, result) for score in result.scores if score.verdict is not None] or result.pairs
    if len(pairs) != 1:
        raise InputError(
            "--gate takes one metric and two systems, or one and --target-score; name them with --systems and --metric."
        )
    [pair] = pairs
    margin = result.margin
    unseen = pair.verdict == "identical" and margin is not None and -margin < pair.low and pair.high < margin
    return Gate("passed" if unseen else OUTCOMES[pair.verdict], pair, strict)


def _beside_bar(score: SystemScore, result: Comparison) -> Pair:
    """Return a system against its bar as a pair, the bar in the place of the other system."""
    bar = 0.0 if result.target_score is None else result.target_score
    ends = [end - bar for end in (score.score, score.low, score.high)]
    difference, low, high = ends if score.better == "high" else (-ends[0], -ends[2], -ends[1])
    verdicts: dict[BarVerdict | None, Verdict] = {"passes": "a_better", "fails": "b_better"}
    return Pair(
        metric=score.metric,
        a=score.system,
        b="the bar",
        score_a=score.score,
        score_b=bar,
        difference=difference,
        se=nan,
        low=low,
        high=high,
        confidence=score.confidence,
        p_value=1.0 if score.p_value is None else score.p_value,
        test="default",
        unit=score.unit,
        n_items=score.n_items,
        verdict=verdicts.get(score.verdict, "inconclusive"),
        sentence=result.sentence(),
        estimand=score.estimand,
        better=score.better,
    )


def assert_not_worse(*data: Any, inconclusive: WhenInconclusive = "skip", **options: Any) -> Comparison | None:
    """Compare two systems in a test; raise AssertionError with the verdict if the first is worse.

    Parameters
    ----------
    data, options
        As for `compare`: ratings and answers, then keywords. With ``baseline_file`` the first call stores the baseline
        and, where there is no other system yet, returns None.
    inconclusive
        If the data do not tell: ``"skip"`` the test, ``"fail"`` it, or let it ``"pass"``.

    Examples
    --------
    >>> assert_not_worse("example:support", "example:support-answers", systems="atlas,birch").pairs[0].verdict
    'a_better'
    """
    if inconclusive not in get_args(WhenInconclusive):
        raise InputError(f"inconclusive='{inconclusive}' is not known; use 'skip', 'fail' or 'pass'.")
    from quorate.comparing.verb import answer

    question = CompareQuestion(*data, **options)
    stored = store_baseline(question)
    if stored is not None and stored.alone:
        return None
    result = answer(question)
    gate = decide(result, strict=inconclusive == "fail")
    if gate.stops:
        raise AssertionError(gate.sentence)
    if gate.outcome == "inconclusive" and inconclusive == "skip":
        raise SkipTest(gate.sentence)
    return result
