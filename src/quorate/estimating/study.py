"""A study: evidence, how it is to be judged, and MAVEN's two models fitted to it once for all methods and metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.assistance import Assistance
from quorate.estimating.evidence import Evidence
from quorate.estimating.imputation import RankBlocks, rank_blocks
from quorate.estimating.posterior.cut import (
    ScoreDraws,
    VoteDraws,
    sample_scores,
    sample_votes,
    weigh_by_scores,
)
from quorate.estimating.question import MavenEngine, MavenMode
from quorate.estimating.score_model import Paper, Wins, calibrate, observe_wins
from quorate.estimating.vote_model import VoteLaw, VoteSets, vote_law, vote_sets

POOL = 4  # draws of the cut posterior for every draw that is kept once the scores have spoken
MOST_CELLS = 12_000  # blocks times vote sets, about: bounds the time of imputation with unequal numbers of votes


@dataclass(frozen=True)
class VoteFit:
    """The vote model of some evidence: its sets, each item's set, posterior draws, their law, and all win rates."""

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
    """Evidence and settings; every method works from here.

    The vote model is fitted first, once for all systems, then a score model per system given each
    draw of it [maven, sec. 3.2].
    """

    evidence: Evidence
    threshold: float = 0.5  # scores from here on count as positive
    n_draws: int = 500  # of labels, per method
    mode: MavenMode = "calibrated"
    engine: MavenEngine = "fast"
    population: bool = False  # estimate for what the items are a sample of
    seed: int = 0
    given: Assistance | None = None  # made ready elsewhere, for a part of the items
    _systems: dict[str | None, SystemFit] = field(default_factory=dict, init=False, repr=False)

    @property
    def systems(self) -> list[str | None]:
        """The systems; None alone if there are no scores."""
        return list(self.evidence.systems) or [None]

    @cached_property
    def assistance(self) -> Assistance:
        """What assists the experts, made ready once."""
        return Assistance(self.evidence, self.threshold) if self.given is None else self.given

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
        """The vote model of votes and experts; in the calibrated mode the ranking of the scores has a say too."""
        e = self.evidence
        sets, member = vote_sets(e.positive, e.total, e.label, e.has_label, weight=e.weight)
        wins = {name: observe_wins(scores, member, sets, weight=e.weight) for name, scores in e.scores.items()}
        draws = self._draw_votes(sets, list(wins.values()) if self.mode == "calibrated" else [])
        return VoteFit(sets, member, draws, vote_law(draws.parameters, sets, labels_only=not wins), wins)

    def fit(self, system: str | None) -> SystemFit:
        """The score model of a system, fitted on first use; without scores there is nothing to fit."""
        if system not in self._systems:
            member, n_sets = self.votes.member, len(self.votes.sets.size)
            most = 1 if system is None else int(np.clip(MOST_CELLS / n_sets, 100, 1000))
            cuts = () if system is None else (self.threshold,)
            rng = generator(self.seed, "estimate", "ties")
            blocks = rank_blocks(self.levels(system), member, n_sets, cuts=cuts, most=most, rng=rng)
            self._systems[system] = SystemFit(None if system is None else self._draw_scores(system), blocks)
        return self._systems[system]

    def on(
        self,
        evidence: Evidence,
        *,
        n_draws: int | None = None,
        seed: int | None = None,
        given: Assistance | None = None,
    ) -> "Study":
        """The same settings for other evidence, perhaps with other draws."""
        n_draws = self.n_draws if n_draws is None else n_draws
        seed = self.seed if seed is None else seed
        return replace(self, evidence=evidence, n_draws=n_draws, seed=seed, given=given)

    def _draw_votes(self, sets: VoteSets, heard: Sequence[Wins]) -> VoteDraws:
        """Draw the vote model; where win rates are heard, more often than asked, to choose by them."""
        size = POOL * self.n_draws if heard else self.n_draws
        if self.engine == "nuts":
            from quorate.estimating.posterior.nuts import sample_votes_nuts

            draws = sample_votes_nuts(sets, size=size, thin=1 if heard else 4, seed=self.seed)
        else:
            draws = sample_votes(sets, size=size, rng=generator(self.seed, "estimate", "votes"))
        if not heard:
            return draws
        rng = generator(self.seed, "estimate", "feedback")
        chosen, share = weigh_by_scores(draws.parameters, sets, heard, size=self.n_draws, rng=rng)
        return draws._replace(parameters=chosen, feedback_share=share)

    def _draw_scores(self, system: str) -> ScoreDraws:
        law, wins = self.votes.law, self.votes.wins[system]
        model = Paper(wins) if self.mode == "paper" else calibrate(law, wins)
        if self.engine == "nuts":
            from quorate.estimating.posterior.nuts import sample_scores_nuts

            return sample_scores_nuts(law, wins, model, seed=self.seed)
        return sample_scores(law, wins, model, rng=generator(self.seed, "estimate", "scores"))
