"""What `simulate` is asked."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from quorate._errors import InputError
from quorate._question import check_size, flag_of, option
from quorate.populations.choice import parse_answers
from quorate.populations.vote_choice import ONLY_VOTES, VoteChoice

MOST_RESPONSES = 10_000_000
"""Rows of a table that is drawn."""
OF_PEOPLE = ("pool", "load", "n_systems", "pair_share")
"""Options of people who come back, and of a board of votes."""


@dataclass(frozen=True, kw_only=True)
class SimulateQuestion(VoteChoice):
    """What to draw.

    Parameters
    ----------
    items
        Number of items.
    raters
        Responses per item; of a crowd, votes per item.
    answers
        Answers per item of each system: a number, raters (as many as there are), or probabilities.
    answers_a
        Answers per item of system A, if they differ.
    answers_b
        Answers per item of system B, if they differ.
    effect
        How far system B is perturbed.
    effect_a
        How far system A is perturbed; 0 answers like a random rater.
    null
        Draw both systems from the same law.
    rated
        Draw ratings of the systems' own outputs instead of answers: item, rater, system, response.
    expert_share
        Of a crowd: share of the items, chosen at random, that an expert labels; 0.05 if not given.
    n_systems
        With --preset preference: how many systems are compared, each as far from the next; 2 if not given.
    pair_share
        With --preset preference and several systems: the share of their pairs that is ever asked, neighbours always; 1
        if not given.
    """

    silent: ClassVar[str] = "with_answers"
    first: ClassVar[str] = "population preset items raters effect answers win_rate n_systems"

    items: int
    raters: int
    answers: int | Literal["raters", "probabilities"] = option(1, parse=parse_answers, cli=str)
    answers_a: int | Literal["raters", "probabilities"] | None = option(None, parse=parse_answers, cli=str)
    answers_b: int | Literal["raters", "probabilities"] | None = option(None, parse=parse_answers, cli=str)
    effect: float = 0.0
    effect_a: float = 0.0
    null: bool = False
    rated: bool = False
    expert_share: float | None = None
    n_systems: int | None = None
    pair_share: float | None = None

    def check(self) -> None:
        """Refuse answers that are given, and what a crowd or a population does not have."""
        super().check()
        self.margin(self.effect)
        if self.with_answers is not None:
            raise InputError("--with is for plan: simulate draws the systems' answers itself")
        check_size("--items", self.items, MOST_RESPONSES // 4)
        check_size("--raters", self.raters, MOST_RESPONSES // self.items)
        for flag, size in (
            ("--answers", self.answers),
            ("--answers-a", self.answers_a),
            ("--answers-b", self.answers_b),
        ):
            if isinstance(size, int):
                check_size(flag, size, MOST_RESPONSES // self.items)
        asked = (self.answers, self.answers_a, self.answers_b, self.effect, self.effect_a, self.null)
        if self.crowd is not None and asked != (1, None, None, 0.0, 0.0, False):
            raise InputError(f"{self.crowd} draws votes and scores, not answers: leave out answers, effects and null")
        idle = [name for name in (*ONLY_VOTES, *OF_PEOPLE) if getattr(self, name) is not None]
        if self.crowd is not None and idle:
            raise InputError(f"{flag_of(idle[0])} is not for {self.crowd}, which has a crowd of its own: leave it out")
        if self.votes_alone and self.pair_share is not None and (self.n_systems or 2) == 2:
            raise InputError("--pair-share leaves pairs of several systems out: say how many with --n-systems")
        if self.rated and (self.crowd is not None or (self.answers, self.answers_a, self.answers_b) != (1, None, None)):
            raise InputError("--rated draws ratings of outputs, --raters for each: leave out answers and crowds")
        if self.crowd is None and self.expert_share is not None:
            raise InputError(f"experts belong to crowds ({', '.join(_crowds())}): leave out --expert-share")

    @property
    def votes_alone(self) -> bool:
        """Whether votes side by side are drawn: then there is nothing else."""
        from quorate.populations.choice import all_presets

        preset = all_presets().get(self._named)
        return preset is not None and preset.population.votes is not None

    @property
    def _named(self) -> str:
        named = self.population if self.preset is None else self.preset
        return named.strip().lower() if isinstance(named, str) else ""

    @property
    def crowd(self) -> str | None:
        """The crowd that is named, if one is."""
        return self._named if self._named in _crowds() else None

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the tables that are drawn."""
        if self.votes_alone:
            return ("votes.csv",)
        if self.crowd is None:
            return ("ratings.csv",) if self.rated else ("ratings.csv", "answers.csv")
        return ("votes.csv", "experts.csv", "scores.csv", "truth.csv")


def _crowds() -> tuple[str, ...]:
    from quorate.populations.crowds import CROWDS

    return tuple(CROWDS)
