"""Many votes on 13 prompts: ranks are far wider than those of votes that are counted as if each stood alone."""

from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.stats import norm

from quorate import compare
from quorate.data.evaluation import read_evaluation
from quorate.inference.multiplicity import rank_bounds
from quorate.inference.strengths import strengths_of


def test_ranks_of_thirteen_prompts_are_far_wider_than_those_of_votes_alone(shared: Path) -> None:
    votes = read_evaluation(shared / "llmfao" / "votes.csv").votes
    assert votes is not None
    size = len(votes.systems)
    pairs = list(combinations(range(size), 2))
    strengths = strengths_of(votes)
    contrasts = strengths.contrasts(pairs)
    apart = contrasts @ strengths.fit.strength
    error = np.sqrt(np.einsum("ij,jk,ik->i", contrasts, strengths.fit.inverse, contrasts))
    reach = norm.isf(0.025 / len(pairs)) * error  # all pairs counted here too, and by the widest way
    best, worst = rank_bounds(apart - reach, apart + reach, pairs, size)
    result = compare(shared / "llmfao" / "votes.csv")
    ours = np.array([standing.rank_high - standing.rank_low + 1 for standing in result.ranking])
    assert ours.mean() > 1.25 * (worst - best + 1).mean()
    told = sum(pair.verdict in ("a_better", "b_better") for pair in result.pairs)
    assert told < 0.2 * np.count_nonzero(np.abs(apart) > reach)
    assert any("13 items" in warning and "Ask more items" in warning for warning in result.warnings)
