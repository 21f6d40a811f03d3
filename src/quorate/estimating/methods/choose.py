"""Every way to estimate, under one name each: from evidence and a system's scores to labels of many draws.

``maven`` and its rivals [maven, table 2]: ``gt`` experts only, ``mv`` majority vote, ``gt+mv``, ``ds`` one confusion
matrix, ``ds-raters`` one per voter, ``ds+s`` with scores, ``h-ai``, ``oracle`` (simulations); ``ppi`` and ``ppi+maven``
are in ppi.py.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.evidence import Evidence
from quorate.estimating.imputation import BATCH, draw_labels, label_chances
from quorate.estimating.label_metrics import Outcome
from quorate.estimating.methods.baselines import (
    count_items,
    expert_outcomes,
    impute_fixed,
    majority,
    oracle,
    ranked_items,
)
from quorate.estimating.methods.dawid_skene import fit_voters, sample_confusion
from quorate.estimating.methods.maven import Engine, Mode, SystemFit, VoteFit, fit_system, fit_votes, impute_system
from quorate.estimating.methods.rivals import DawidSkeneScores, HumanAI, Rival, rival_chances, sample_rival
from quorate.estimating.rank_blocks import rank_blocks

__all__ = ["METHODS", "Judged", "Study"]


@dataclass(frozen=True)
class Judged:
    """What one method makes of one system: draws, and the plain outcome if the point estimate is not their mean."""

    draws: Outcome
    plain: Outcome | None = None


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
    mode: Mode = "calibrated"
    engine: Engine = "fast"
    population: bool = False
    seed: int = 0
    _systems: dict[str | None, SystemFit] = field(default_factory=dict, repr=False)

    @cached_property
    def votes(self) -> VoteFit:
        """The vote model."""
        return fit_votes(self.evidence, n_draws=self.n_draws, mode=self.mode, engine=self.engine, seed=self.seed)

    @property
    def names(self) -> list[str | None]:
        """The systems; None alone if there are no scores."""
        return list(self.evidence.scores) or [None]

    def scores(self, system: str | None) -> Array | None:
        """The scores of a system, ``(item,)``."""
        return None if system is None else self.evidence.scores[system]

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

    def on(self, evidence: Evidence) -> "Study":
        """The same settings for other evidence."""
        return replace(self, evidence=evidence, _systems={})

    def judge(self, method: str, system: str | None) -> Judged:
        """Let a method impute or take the labels a system is judged by."""
        return METHODS[method](self, system)

    def chances(self, system: str | None) -> Array:
        """MAVEN's mean P(Y = 1) of every item as if no expert had spoken, ``(item,)``."""
        blind = np.flatnonzero(~self.votes.sets.known)[self.votes.sets.ballots[2][self.votes.member]]
        hidden = replace(self.votes, member=blind)
        fit = self.fit(system)
        n_sets, rng = len(hidden.sets.size), generator(self.seed, "estimate", "chances")
        blocks = rank_blocks(_level(self.scores(system), len(blind)), blind, n_sets, rng=rng)
        every = label_chances(hidden.law, fit.draws, hidden.sets, blocks, rng=rng)
        total = sum(batch.sum(0) for batch in every)
        return np.asarray(total / len(hidden.law))[blocks.item_cell]


def _maven(study: Study, system: str | None) -> Judged:
    fit = study.fit(system)
    return Judged(
        impute_system(
            study.votes,
            fit,
            study.evidence,
            threshold=study.threshold,
            population=study.population,
            seed=study.seed,
        )
    )


def _experts(study: Study, system: str | None) -> Judged:
    rng = generator(study.seed, "estimate", "gt")
    scores = study.scores(system)
    plain, draws = expert_outcomes(study.evidence, scores, threshold=study.threshold, n_draws=study.n_draws, rng=rng)
    return Judged(draws, plain)


def _fixed(chance_of_set: Callable[..., Array], *, resample_items: bool) -> Callable[[Study, str | None], Judged]:
    """Make a method of a rule that gives every vote set a chance of being positive."""

    def judge(study: Study, system: str | None) -> Judged:
        rng = generator(study.seed, "estimate", "fixed")
        sets, member, blocks = ranked_items(study.evidence, study.scores(system), cuts=(study.threshold,), rng=rng)
        chance = chance_of_set(study, sets, member)
        again = resample_items or study.population
        plain, draws = impute_fixed(chance, blocks, n_draws=study.n_draws, resample_items=again, rng=rng)
        share = np.where(sets.total > 0, sets.positive / np.maximum(sets.total, 1), np.nan)
        return Judged(*(Outcome(labels, blocks.score, share, study.threshold) for labels in (draws, plain)))

    return judge


def _confusion(study: Study, system: str | None) -> Judged:
    rng = generator(study.seed, "estimate", "ds")
    sets, _, blocks = ranked_items(study.evidence, study.scores(system), cuts=(study.threshold,), rng=rng)
    chance = sample_confusion(sets, size=study.n_draws, rng=rng)
    batches = (chance[low : low + BATCH, blocks.cell_set] for low in range(0, len(chance), BATCH))
    labels = draw_labels(batches, blocks, resample_items=study.population, rng=rng)
    share = np.where(sets.total > 0, sets.positive / np.maximum(sets.total, 1), np.nan)
    return Judged(Outcome(labels, blocks.score, share, study.threshold))


def _voters(study: Study, system: str | None) -> Judged:
    evidence, rng = study.evidence, generator(study.seed, "estimate", "ds-raters")
    if evidence.ballots is None:
        raise InputError("ds-raters needs to know who voted: give votes as item, rater, response.")
    chance = fit_voters(evidence.ballots, evidence.n_items, label=evidence.label, known=evidence.known).chance
    value, level = np.unique(_level(study.scores(system), evidence.n_items), return_inverse=True)
    share, ballot = np.unique(evidence.positive / np.maximum(evidence.total, 1), return_inverse=True)
    label = rng.random((study.n_draws, evidence.n_items)) < chance
    labels = count_items(np.ones((study.n_draws, evidence.n_items)), label, level, ballot)
    return Judged(Outcome(labels, value, share, study.threshold))


def _rival(rival: Rival, name: str) -> Callable[[Study, str | None], Judged]:
    def judge(study: Study, system: str | None) -> Judged:
        scores = study.scores(system)
        if scores is None:
            raise InputError(f"{name} needs scores; give them with --scores.")
        rng = generator(study.seed, "estimate", name)
        sets, member, blocks = ranked_items(study.evidence, scores, cuts=(study.threshold,), rng=rng)
        free = sample_rival(rival, scores, member, sets, size=study.n_draws, rng=rng)
        chances = rival_chances(rival, free, scores, sets, blocks)
        labels = draw_labels(chances, blocks, resample_items=study.population, rng=rng)
        share = np.where(sets.total > 0, sets.positive / np.maximum(sets.total, 1), np.nan)
        return Judged(Outcome(labels, blocks.score, share, study.threshold))

    return judge


METHODS: Mapping[str, Callable[[Study, str | None], Judged]] = {
    "maven": _maven,
    "gt": _experts,
    "mv": _fixed(lambda study, sets, member: majority(sets, experts=False), resample_items=True),
    "gt+mv": _fixed(lambda study, sets, member: majority(sets, experts=True), resample_items=True),
    "ds": _confusion,
    "ds-raters": _voters,
    "ds+s": _rival(DawidSkeneScores(), "ds+s"),
    "h-ai": _rival(HumanAI(), "h-ai"),
    "oracle": _fixed(lambda study, sets, member: oracle(study.evidence, sets, member), resample_items=False),
}
"""Methods that give labels; ``ppi`` and ``ppi+maven`` give means only and live in ppi.py."""


def _level(scores: Array | None, n_items: int) -> Array:
    return np.zeros(n_items) if scores is None else scores
