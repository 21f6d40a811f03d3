"""MAVEN, put together: vote model, score model given each draw of it, imputed labels [maven].

The steps are one file each: votes (sets and model), laws, wins, scores, cut, feedback, blocks, impute, outcomes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from quorate._random import generator
from quorate._threads import ahead
from quorate._typing import Array
from quorate.estimating.evidence import Evidence, is_best_of
from quorate.estimating.imputation import draw_labels, label_chances
from quorate.estimating.label_metrics import Outcome
from quorate.estimating.posterior.cut import BAD_K, ScoreDraws, VoteDraws, sample_scores, sample_votes
from quorate.estimating.posterior.score_feedback import heed_scores
from quorate.estimating.rank_blocks import Blocks, rank_blocks
from quorate.estimating.score_model import Paper, Wins, calibrate, observe_wins
from quorate.estimating.vote_law import VoteLaw, vote_law
from quorate.estimating.vote_model import VoteSets, vote_sets

__all__ = ["Engine", "Mode", "SystemFit", "VoteFit", "diagnose", "fit_system", "fit_votes", "impute_system"]

Mode: TypeAlias = Literal["calibrated", "paper"]
Engine: TypeAlias = Literal["fast", "nuts"]
POOL = 4  # draws of the cut posterior for every draw that is kept once the scores have spoken
FEWEST_DRAWS = 50  # effective draws of the vote model below which quantiles are worth little
MOST_CELLS = 12_000  # blocks times vote sets, about: bounds the time of imputation with unequal numbers of votes


@dataclass(frozen=True)
class VoteFit:
    """The vote model of some evidence: its sets, each item's set, posterior draws and what they imply.

    ``wins`` are the win rates of every system, which ``heed_scores`` and the score model both need.
    """

    sets: VoteSets
    member: Array
    draws: VoteDraws
    law: VoteLaw
    wins: Mapping[str, Wins]

    @property
    def vote_share(self) -> Array:
        """Share of positive votes in each set, ``(set,)``; nan without votes."""
        return np.where(self.sets.total > 0, self.sets.positive / np.maximum(self.sets.total, 1), np.nan)


@dataclass(frozen=True)
class SystemFit:
    """The score model of one system: one (mu, delta) per vote draw, and the items in order of its scores."""

    draws: ScoreDraws | None
    blocks: Blocks


def fit_votes(
    evidence: Evidence, *, n_draws: int = 500, mode: Mode = "calibrated", engine: Engine = "fast", seed: int = 0
) -> VoteFit:
    """Fit the vote model to votes and experts; in the calibrated mode the ranking of the scores has a say too.

    Examples
    --------
    >>> from quorate.populations.crowds import irt_crowd
    >>> crowd = irt_crowd(3000, rng=np.random.default_rng(0))
    >>> fit = fit_votes(Evidence(crowd.positive, crowd.total, crowd.truth, np.arange(3000) < 300))
    >>> len(fit.law), bool(abs(fit.draws.parameters.prevalence.mean() - 0.2) < 0.05)
    (500, True)
    """
    sets, member = vote_sets(evidence.positive, evidence.total, evidence.label, evidence.known, weight=evidence.weight)
    wins = {name: observe_wins(each, member, sets, weight=evidence.weight) for name, each in evidence.scores.items()}
    heeded = mode == "calibrated" and bool(wins)
    n_pool = POOL * n_draws if heeded else n_draws
    if engine == "nuts":
        from quorate.estimating.posterior.nuts import sample_votes_nuts

        draws = sample_votes_nuts(sets, size=n_pool, thin=1 if heeded else 4, seed=seed)
    else:
        draws = sample_votes(sets, size=n_pool, rng=generator(seed, "estimate", "votes"))
    if heeded:
        rng = generator(seed, "estimate", "feedback")
        chosen, share = heed_scores(draws.parameters, sets, list(wins.values()), size=n_draws, rng=rng)
        draws = draws._replace(parameters=chosen, heeded=share)
    return VoteFit(sets, member, draws, vote_law(draws.parameters, sets, labels_only=not wins), wins)


def fit_system(
    votes: VoteFit,
    evidence: Evidence,
    system: str | None,
    *,
    mode: Mode = "calibrated",
    engine: Engine = "fast",
    cuts: tuple[float, ...] = (),
    seed: int = 0,
) -> SystemFit:
    """Fit the score model of one system given the vote model; without scores there is nothing to fit.

    Examples
    --------
    >>> from quorate.populations.crowds import irt_crowd
    >>> crowd = irt_crowd(3000, rng=np.random.default_rng(0))
    >>> scores = {"m": crowd.scores[:, 0]}
    >>> evidence = Evidence(crowd.positive, crowd.total, crowd.truth, np.arange(3000) < 300, scores)
    >>> votes = fit_votes(evidence, n_draws=50)
    >>> bool(fit_system(votes, evidence, "m").draws.slope.mean() > 1)
    True
    """
    n_sets = len(votes.sets.size)
    most = int(np.clip(MOST_CELLS / n_sets, 100, 1000))
    rng = generator(seed, "estimate", "ties")
    if system is None:
        level = np.zeros(len(votes.member))
        return SystemFit(None, rank_blocks(level, votes.member, n_sets, most=1, rng=rng))
    blocks = rank_blocks(evidence.scores[system], votes.member, n_sets, cuts=cuts, most=most, rng=rng)
    wins = votes.wins[system]
    model = Paper(wins) if mode == "paper" else calibrate(votes.law, wins)
    if engine == "nuts":
        from quorate.estimating.posterior.nuts import sample_scores_nuts

        draws = sample_scores_nuts(votes.law, wins, model, seed=seed)
    else:
        draws = sample_scores(votes.law, wins, model, rng=generator(seed, "estimate", "scores"))
    return SystemFit(draws, blocks)


def impute_system(
    votes: VoteFit, system: SystemFit, evidence: Evidence, *, threshold: float, population: bool = False, seed: int = 0
) -> Outcome:
    """Impute the missing labels once per draw, for these items or (``population``) for a new sample like them.

    Examples
    --------
    >>> from quorate.populations.crowds import irt_crowd
    >>> from quorate.estimating.label_metrics import METRICS
    >>> crowd = irt_crowd(3000, rng=np.random.default_rng(0))
    >>> evidence = Evidence(crowd.positive, crowd.total, crowd.truth, np.arange(3000) < 300)
    >>> votes = fit_votes(evidence, n_draws=100)
    >>> outcome = impute_system(votes, fit_system(votes, evidence, None), evidence, threshold=0.5)
    >>> METRICS["human_tpr"](outcome).shape
    (100,)
    """
    ranks, labelling = generator(seed, "estimate", "labels").spawn(2)
    chances = ahead(label_chances(votes.law, system.draws, votes.sets, system.blocks, rng=ranks))
    labels = draw_labels(chances, system.blocks, resample_items=population, rng=labelling)
    rate = votes.draws.parameters.rate if is_best_of(evidence.positive, evidence.total) else None
    return Outcome(labels, system.blocks.score, votes.vote_share, threshold, rate)


def diagnose(votes: VoteFit, systems: list[SystemFit]) -> dict[str, float | str | None]:
    """Sum up how far the sampling can be trusted: the worst k̂, the effective sample size, and a word.

    ``good``: importance weights can be trusted. ``fallback``: they could not, and walkers replaced them. ``poor``: the
    score model's weights cannot be trusted, or the scores agree with next to none of the vote model's draws; neither
    can the intervals.
    """
    ess = votes.draws.effective * votes.draws.heeded
    if votes.draws.r_hat is not None:
        settled = votes.draws.r_hat < 1.01 and votes.draws.effective > 400  # [vehtari2021]
        verdict = "good" if settled and ess > FEWEST_DRAWS else "poor"
        return {"k_hat": None, "r_hat": votes.draws.r_hat, "ess": ess, "verdict": verdict}
    drawn = [system.draws for system in systems if system.draws is not None]
    worst = max([max(draws.k_hat, -1.0) for draws in drawn], default=-1.0)
    poor = worst > BAD_K or any(draws.effective < 0.1 for draws in drawn) or ess < FEWEST_DRAWS
    mine = max(votes.draws.k_hat, -1.0)
    return {
        "k_hat": max(mine, worst),
        "ess": ess,
        "verdict": "poor" if poor else "fallback" if votes.draws.fallback else "good",
        "k_hat_votes": mine,
        "k_hat_scores": worst if drawn else None,
    }
