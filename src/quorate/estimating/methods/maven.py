"""MAVEN: impute the labels no expert gave from the vote model and the score model, once per draw of both [maven]."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from quorate._random import generator
from quorate._tasks import prefetch
from quorate._typing import Array
from quorate.estimating.evidence import is_best_of
from quorate.estimating.imputation import draw_labels, label_chances, rank_blocks
from quorate.estimating.label_metrics import LabelDraws, UserFunction
from quorate.estimating.methods.method import Judgement, LabelMethod
from quorate.estimating.posterior.sampling import BAD_K
from quorate.estimating.study import Study, SystemFit, VoteFit

FEWEST_DRAWS = 50  # effective draws of the vote model below which quantiles are worth little


class Maven(LabelMethod):
    """Labels drawn given votes, ranks and experts, for these items or for a new sample like them."""

    name = "maven"
    models_votes = True
    tells_pairs = False  # intervals of the AUC's difference covered half of what they promise

    def judge(self, study: Study, system: str | None) -> Judgement:
        """Impute the missing labels once per draw of the two models."""
        votes, fit, evidence = study.votes, study.fit(system), study.evidence
        ranks, labelling = generator(study.seed, "estimate", "labels").spawn(2)
        chances = prefetch(label_chances(votes.law, fit.draws, votes.sets, fit.blocks, rng=ranks))
        counts = draw_labels(chances, fit.blocks, resample_items=study.population, rng=labelling)
        rate = votes.draws.parameters.rate if is_best_of(evidence.positive, evidence.total) else None
        return Judgement(LabelDraws(counts, fit.blocks.score, votes.sets.vote_share, study.threshold, rate))

    def evaluate(self, study: Study, system: str | None, function: UserFunction) -> tuple[Array, None]:
        """A user's function on the labels of every draw, item by item."""
        scores, fit = study.levels(system), study.fit(system)
        rng = generator(study.seed, "estimate", "custom", self.name)
        return np.array([float(function(scores, labels)) for labels in _item_labels(study, fit, rng)]), None


def expertless_chances(study: Study, system: str | None) -> Array:
    """MAVEN's mean P(Y = 1) of every item as if no expert had spoken, ``(item,)``."""
    votes, fit = study.votes, study.fit(system)
    blind = np.flatnonzero(~votes.sets.has_label)[votes.sets.ballots[2][votes.member]]
    rng = generator(study.seed, "estimate", "chances")
    blocks = rank_blocks(study.levels(system), blind, len(votes.sets.size), rng=rng)
    every = label_chances(votes.law, fit.draws, votes.sets, blocks, rng=rng)
    total = sum(batch.sum(0) for batch in every)
    return np.asarray(total / len(votes.law))[blocks.item_cell]


def diagnose(votes: VoteFit, systems: Sequence[SystemFit]) -> Mapping[str, float | str | None]:
    """Sum up how far the sampling can be trusted: the worst k̂, the effective sample size, and a word.

    ``good``: importance weights can be trusted. ``fallback``: they could not, and walkers replaced
    them. ``poor``: the score model's weights cannot be trusted, or the scores agree with next to
    none of the vote model's draws; neither can the intervals.
    """
    ess = votes.draws.effective * votes.draws.feedback_share
    if votes.draws.r_hat is not None:
        settled = votes.draws.r_hat < 1.01 and votes.draws.effective > 400  # [vehtari2021]
        verdict = "good" if settled and ess > FEWEST_DRAWS else "poor"
        return {"k_hat": None, "r_hat": votes.draws.r_hat, "ess": ess, "verdict": verdict}
    scores = [system.draws for system in systems if system.draws is not None]
    worst = max([max(draws.k_hat, -1.0) for draws in scores], default=-1.0)
    poor = worst > BAD_K or any(draws.effective < 0.1 for draws in scores) or ess < FEWEST_DRAWS
    mine = max(votes.draws.k_hat, -1.0)
    return {
        "k_hat": max(mine, worst),
        "ess": ess,
        "verdict": "poor" if poor else "fallback" if votes.draws.fallback else "good",
        "k_hat_votes": mine,
        "k_hat_scores": worst if scores else None,
    }


def _item_labels(study: Study, fit: SystemFit, rng: np.random.Generator) -> Iterator[Array]:
    """The labels of all items, ``(item,)``, once per draw."""
    for batch in label_chances(study.votes.law, fit.draws, study.votes.sets, fit.blocks, rng=rng):
        for chance in batch:
            yield (rng.random(study.evidence.n_items) < chance[fit.blocks.item_cell]).astype(np.int64)
