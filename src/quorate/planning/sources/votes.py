"""Plan votes side by side: from a pilot of votes, or from a share of ties and a win rate.

One vote is worth 1, 0 or −1 for A. With a share t of ties and a margin m its variance is ``1 − t − m²``; what share of
that items and raters hold is an assumption where no pilot shows it.
"""

from quorate._errors import InputError
from quorate._text import count, percent
from quorate.agreement.variance_parts import VarianceParts
from quorate.data.evaluation import Evaluation
from quorate.inference.vote_scores import score_votes
from quorate.metrics.preferences import WIN_RATE
from quorate.planning.laws.rater_law import RaterLaw
from quorate.planning.people import SharedPool
from quorate.planning.question import PlanQuestion
from quorate.planning.search import StudySource
from quorate.planning.sources.pilot import Pilot
from quorate.planning.sources.pilot_source import ITEMS, PilotSource, source_of_pilot
from quorate.planning.sources.returning_raters import PoolSource
from quorate.planning.sources.typed_variance import VarianceSource

PREFERENCE = "preference"
"""The preset of votes that are typed in."""
TIES = 0.2
ITEM_SHARE, RATER_SHARE = 0.10, 0.05
"""What items and raters hold of a vote's variance where nothing is known: a convention, not fitted to data."""
SHOWN = ("effect", "score", "systems_agree", "answers")


def preference_source(question: PlanQuestion) -> StudySource:
    """Return the source of votes that are typed in: a win rate and a share of ties."""
    question.refuse(
        SHOWN, f"with --preset {PREFERENCE}: a win rate and a share of ties are all there is; leave it out."
    )
    if question.difference is None:
        raise InputError(f"With --preset {PREFERENCE} say --win-rate, such as 0.55, or --difference of the margin.")
    ties, margin = TIES if question.tie_share is None else question.tie_share, question.difference
    variance = 1 - ties - margin**2
    if margin > 1 - ties:
        raise InputError(f"With {percent(ties)} ties the margin is at most {1 - ties:g}, not {margin:g}; ask for less.")
    rater = RATER_SHARE if question.rater_share is None else question.rater_share * (1 - ITEM_SHARE)
    parts = VarianceParts(ITEM_SHARE * variance, rater * variance, (1 - ITEM_SHARE - rater) * variance)
    shares = f"{percent(ITEM_SHARE)} of the variance of a vote is the items' and {percent(rater)} the raters'"
    words = f"if {percent(ties)} of votes are ties and {shares}"
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
    return plain if question.unit in ITEMS else source_of_pilot(question, plain, votes.ratings)


def pair_of_votes(question: PlanQuestion, evaluation: Evaluation) -> Evaluation:
    """Return the votes between the two systems a plan is about, the better one first."""
    names = list(question.systems or evaluation.system_names)
    unknown = [name for name in names if name not in evaluation.system_names]
    if unknown:
        there = ", ".join(evaluation.system_names[:12])
        raise InputError(f"There is no system '{unknown[0]}'; there are {there}.")
    if len(names) != 2:
        raise InputError(f"A plan is about two systems, and there are {len(names)}; name them with --systems A,B.")
    return evaluation.among(names)
