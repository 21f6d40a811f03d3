"""A study: evidence, how it is to be judged, and MAVEN's two models fitted to it once for all methods and metrics.

The vote model comes first, then one score model per system given each draw of it [maven, sec. 3.2].
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.evidence import Evidence
from quorate.estimating.imputation import RankBlocks, rank_blocks
from quorate.estimating.posterior.cut import ScoreDraws, VoteDraws, sample_scores, sample_votes, weigh_by_scores
from quorate.estimating.question import MavenEngine, MavenMode
from quorate.estimating.score_model import Paper, Wins, calibrate, observe_wins
from quorate.estimating.vote_model import VoteLaw, VoteSets, vote_law, vote_sets

__all__ = ["Study", "SystemFit", "VoteFit", "fit_system", "fit_votes"]

POOL = 4  # draws of the cut posterior for every draw that is kept once the scores have spoken
MOST_CELLS = 12_000  # blocks times vote sets, about: bounds the time of imputation with unequal numbers of votes


@dataclass(frozen=True)
class VoteFit:
    """The vote model of some evidence: its sets, each item's set, posterior draws and what they imply.

    ``wins`` are the win rates of every system, which the loosened cut and the score model both need.
    """

    sets: VoteSets
    member: Array
    draws: VoteDraws
    law: VoteLaw
    wins: Mapping[str, Wins]


@dataclass(frozen=True)
class SystemFit:
    """The score model of one system: one (mu, delta) per vote draw, and the items in order of its scores."""

    draws: ScoreDraws | None
    blocks: RankBlocks


@dataclass(frozen=True)
class Study:
    """Evidence and settings; every method works from here, and the vote model is fitted once for all systems.

    Parameters
    ----------
    evidence
        Votes, experts, scores.
    threshold
        Scores from here on count as positive.
    n_draws
        Draws of labels per method.
    mode, engine
        How MAVEN weighs win rates, and how it samples.
    population
        Estimate for the population the items came from instead of these items.
    seed
        Seed of all randomness.
    """

    evidence: Evidence
    threshold: float = 0.5
    n_draws: int = 500
    mode: MavenMode = "calibrated"
    engine: MavenEngine = "fast"
    population: bool = False
    seed: int = 0
    _systems: dict[str | None, SystemFit] = field(default_factory=dict, repr=False)

    @property
    def systems(self) -> list[str | None]:
        """The systems; None alone if there are no scores."""
        return list(self.evidence.scores) or [None]

    def scores(self, system: str | None) -> Array | None:
        """The scores of a system, ``(item,)``."""
        return None if system is None else self.evidence.scores[system]

    def levels(self, system: str | None) -> Array:
        """What items are ranked by, ``(item,)``: a system's scores, or nothing."""
        return np.zeros(self.evidence.n_items) if system is None else self.evidence.scores[system]

    def ranked(self, system: str | None, rng: np.random.Generator) -> tuple[VoteSets, Array, RankBlocks]:
        """Vote sets, the set of every item, and the items in order of score."""
        evidence = self.evidence
        sets, member = vote_sets(evidence.positive, evidence.total, evidence.label, evidence.has_label)
        blocks = rank_blocks(self.levels(system), member, len(sets.size), cuts=(self.threshold,), rng=rng)
        return sets, member, blocks

    @cached_property
    def votes(self) -> VoteFit:
        """The vote model."""
        return fit_votes(self.evidence, n_draws=self.n_draws, mode=self.mode, engine=self.engine, seed=self.seed)

    def fit(self, system: str | None) -> SystemFit:
        """The score model of a system, fitted on first use."""
        if system not in self._systems:
            self._systems[system] = fit_system(
                self.votes,
                self.evidence,
                system,
                mode=self.mode,
                engine=self.engine,
                cuts=(self.threshold,),
                seed=self.seed,
            )
        return self._systems[system]

    def on(self, evidence: Evidence, *, n_draws: int | None = None, seed: int | None = None) -> "Study":
        """The same settings for other evidence, perhaps with other draws."""
        n_draws = self.n_draws if n_draws is None else n_draws
        return replace(self, evidence=evidence, n_draws=n_draws, seed=self.seed if seed is None else seed, _systems={})


def fit_votes(
    evidence: Evidence,
    *,
    n_draws: int = 500,
    mode: MavenMode = "calibrated",
    engine: MavenEngine = "fast",
    seed: int = 0,
) -> VoteFit:
    """Fit the vote model to votes and experts; in the calibrated mode the ranking of the scores has a say too."""
    sets, member = vote_sets(
        evidence.positive, evidence.total, evidence.label, evidence.has_label, weight=evidence.weight
    )
    wins = {name: observe_wins(each, member, sets, weight=evidence.weight) for name, each in evidence.scores.items()}
    loosened = mode == "calibrated" and bool(wins)
    n_pool = POOL * n_draws if loosened else n_draws
    if engine == "nuts":
        from quorate.estimating.posterior.nuts import sample_votes_nuts

        draws = sample_votes_nuts(sets, size=n_pool, thin=1 if loosened else 4, seed=seed)
    else:
        draws = sample_votes(sets, size=n_pool, rng=generator(seed, "estimate", "votes"))
    if loosened:
        rng = generator(seed, "estimate", "feedback")
        chosen, share = weigh_by_scores(draws.parameters, sets, list(wins.values()), size=n_draws, rng=rng)
        draws = draws._replace(parameters=chosen, feedback_share=share)
    return VoteFit(sets, member, draws, vote_law(draws.parameters, sets, labels_only=not wins), wins)


def fit_system(
    votes: VoteFit,
    evidence: Evidence,
    system: str | None,
    *,
    mode: MavenMode = "calibrated",
    engine: MavenEngine = "fast",
    cuts: tuple[float, ...] = (),
    seed: int = 0,
) -> SystemFit:
    """Fit the score model of one system given the vote model; without scores there is nothing to fit."""
    n_sets = len(votes.sets.size)
    rng = generator(seed, "estimate", "ties")
    if system is None:
        level = np.zeros(len(votes.member))
        return SystemFit(None, rank_blocks(level, votes.member, n_sets, most=1, rng=rng))
    most = int(np.clip(MOST_CELLS / n_sets, 100, 1000))
    blocks = rank_blocks(evidence.scores[system], votes.member, n_sets, cuts=cuts, most=most, rng=rng)
    wins = votes.wins[system]
    model = Paper(wins) if mode == "paper" else calibrate(votes.law, wins)
    if engine == "nuts":
        from quorate.estimating.posterior.nuts import sample_scores_nuts

        return SystemFit(sample_scores_nuts(votes.law, wins, model, seed=seed), blocks)
    return SystemFit(sample_scores(votes.law, wins, model, rng=generator(seed, "estimate", "scores")), blocks)
