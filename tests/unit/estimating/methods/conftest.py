"""A small crowd whose truth is known, for every method."""

import numpy as np
import pytest

from quorate.estimating.evidence import Evidence
from quorate.estimating.voters import NamedVotes
from quorate.populations.crowds import Crowd, irt_crowd


@pytest.fixture(scope="module")
def crowd() -> Crowd:
    return irt_crowd(600, rng=np.random.default_rng(1))


@pytest.fixture(scope="module")
def evidence(crowd: Crowd) -> Evidence:
    assert crowd.rater is not None
    assert crowd.vote is not None
    named_votes = NamedVotes(np.repeat(np.arange(600), 3), crowd.rater.ravel(), crowd.vote.ravel())
    known = np.arange(600) % 3 == 0
    scores = {"a": crowd.scores[:, 0], "b": crowd.scores[:, 1]}
    return Evidence.binary(
        crowd.positive,
        crowd.total,
        crowd.truth,
        known,
        scores,
        named_votes=named_votes,
        truth=crowd.truth,
    )
