"""Plan votes side by side: from a pilot of votes, or from a share of ties and a win rate.

One vote is worth 1, 0 or −1 for A. With a share t of ties and a margin m its variance is ``1 − t − m²``; what share of
that items and raters hold is an assumption where no pilot shows it.
"""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from quorate._errors import InputError
from quorate._text import count, percent
from quorate.agreement.variance_parts import VarianceParts
from quorate.data.evaluation import Evaluation
from quorate.data.preferences import Votes
from quorate.inference.vote_scores import score_votes
from quorate.metrics.preferences import WIN_RATE, margin_of
from quorate.planning.boards import Neighbours
from quorate.planning.laws.rater_law import RaterLaw
from quorate.planning.people import SharedPool
from quorate.planning.question import NEW_RATERS, PlanQuestion
from quorate.planning.search import StudySource
from quorate.planning.sources.pilot import Pilot
from quorate.planning.sources.pilot_source import PilotSource, source_of_pilot
from quorate.planning.sources.returning_raters import PoolSource
from quorate.planning.sources.typed_variance import VarianceSource
from quorate.planning.sources.vote_boards import pilot_board, typed_board
from quorate.populations.side_by_side import SideBySide

PREFERENCE = "preference"
"""The preset of votes that are typed in."""
SHOWN = ("effect", "score", "systems_agree", "answers")
OF_VOTES = "with votes, which are planned by who wins; leave it out."


def refuse_for_votes(question: PlanQuestion) -> None:
    """Refuse metrics of answers; votes have their own."""
    if any(name not in (None, WIN_RATE.name) for name in question.metrics):
        question.refuse(("metric",), OF_VOTES)
    question.refuse(("positive",), OF_VOTES)


def typed_world(question: PlanQuestion, world: SideBySide) -> SideBySide:
    """Return the votes that are typed in: shares of ties, and of the raters in what varies."""
    ties = world.ties if question.tie_share is None else question.tie_share
    rater = world.rater_share if question.rater_share is None else question.rater_share * (1 - world.item_share)
    return replace(world, ties=ties, rater_share=rater)


def preference_source(question: PlanQuestion, world: SideBySide) -> StudySource:
    """Return the source of votes that are typed in: a win rate and a share of ties."""
    margin, ties = _asked_margin(question, f"With --preset {PREFERENCE}"), world.ties
    question.refuse(
        SHOWN, f"with --preset {PREFERENCE}: a win rate and a share of ties are all there is; leave it out."
    )
    if margin > 1 - ties:
        raise InputError(f"With {percent(ties)} ties the margin is at most {1 - ties:g}, not {margin:g}; ask for less.")
    shares = (
        f"{percent(world.item_share)} of the variance of a vote is the items' and {percent(world.rater_share)} the "
        "raters'"
    )
    words = f"if {percent(ties)} of votes are ties and {shares}"
    if question.n_systems is not None and question.n_systems > 2:
        board = typed_board(world, question.n_systems, margin)
        parts = board.parts(margin, board.hardest, board.apart(board.hardest))
        return _source(question, margin, parts, words)
    variance, item, rater = 1 - ties - margin**2, world.item_share, world.rater_share
    parts = VarianceParts(item * variance, rater * variance, (1 - item - rater) * variance)
    return _source(question, margin, parts, words)


def board_sources(question: PlanQuestion, votes: Votes) -> tuple[StudySource, tuple[Neighbours, ...]]:
    """Return the source of a pilot of votes between several systems, for the two neighbours known worst; and of each.

    Neighbours of their own are as far apart as they seem.
    """
    margin, board = _asked_margin(question, "With a pilot of votes"), pilot_board(votes)
    question.refuse((*SHOWN, "rater_share", "n_systems"), "with votes: they show it; leave it out.")
    if question.unit not in ("auto", "items", "items+raters"):
        raise InputError(f"--unit {question.unit} is for votes between two systems; name them with --systems A,B.")
    words = f"with the spread seen in {count(votes.ratings.n_responses, 'vote')} on {votes.ratings.n_items:,} items"
    people = votes.ratings.n_raters
    back = people is not None and len(votes.ratings.pair_starts) > people > 1
    if back and question.pool is None and question.unit != "items":
        question = replace(question, pool=people)
        words += f"; its {count(people or 0, 'rater')} came back on other items, so raters count as random"
    rows = []
    for place, (a, b) in enumerate(pairwise(board.names)):
        apart = float(margin_of(np.asarray(board.apart(place))))
        parts = board.parts(max(apart, 1e-9), place)
        rows.append(Neighbours(a, b, 0.5 + 0.5 * apart, partial(_with_people, question, apart, parts, words)))
    return _source(question, margin, board.parts(margin, board.hardest), words), tuple(rows)


def _asked_margin(question: PlanQuestion, where: str) -> float:
    if question.difference is None:
        raise InputError(f"{where} say --win-rate, such as 0.55, or --difference of the margin.")
    if question.difference >= 1:
        raise InputError(f"The margin is below 1, not {question.difference:g}: wins less losses, as a share of votes.")
    return question.difference


def _with_people(
    question: PlanQuestion, margin: float, parts: VarianceParts, words: str, people: int | None
) -> StudySource:
    return _source(replace(question, pool=people), margin, parts, words)


def _source(question: PlanQuestion, margin: float, parts: VarianceParts, words: str) -> StudySource:
    """Return votes with these variances, of people who are new on every item or of a pool."""
    if question.pool is None:
        return VarianceSource(metric=WIN_RATE, assumption=words, reach=1.0, difference=margin, parts=parts)
    law = RaterLaw(margin, parts, None, question.pool, question.max_per_rater)
    return PoolSource(metric=WIN_RATE, assumption=words, reach=1.0, people=SharedPool(law, question.pool))


def vote_pilot_source(question: PlanQuestion, evaluation: Evaluation) -> StudySource:
    """Return the source of a pilot of votes between two systems, their margin set to the one asked for."""
    votes = evaluation.votes
    assert votes is not None
    question.refuse(SHOWN, "with votes: they show it; leave it out.")
    question.refuse(("rater_share",), "with votes: they show it; leave it out.")
    if question.difference is None:
        raise InputError("With a pilot of votes say --win-rate, such as 0.55, or --difference of the margin.")
    scored = score_votes(votes)
    assert scored.raters is not None
    pilot = Pilot(WIN_RATE, scored.raters, scored.systems[0], scored.systems[1], question.difference, question.seed)
    if not pilot.observed.any():
        raise InputError("All pilot items are tied: there is no spread to plan from.")
    words = f"with the spread seen in {count(votes.ratings.n_responses, 'vote')} on {len(pilot.observed):,} pilot items"
    plain = PilotSource(metric=WIN_RATE, assumption=words, pilot=pilot, reach=pilot.reach)
    return plain if question.unit in NEW_RATERS else source_of_pilot(question, plain, votes.ratings)


def planned_votes(question: PlanQuestion, evaluation: Evaluation) -> Evaluation:
    """Return the votes between the systems a plan is about; of two the better one is first."""
    names = list(question.systems or evaluation.system_names)
    unknown = [name for name in names if name not in evaluation.system_names]
    if unknown:
        there = ", ".join(evaluation.system_names[:12])
        raise InputError(f"--systems: there is no system '{unknown[0]}'; there are {there}.")
    if len(names) < 2:
        raise InputError("A plan is about two systems or more, and there is one; name others with --systems.")
    return evaluation.among(names)
