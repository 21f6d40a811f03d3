"""Parts that links join, beside scipy's."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from quorate.data.topology import linked_parts

N = 2_000
CHAIN = np.random.default_rng(1).permutation(N)


def joined(left: np.ndarray, right: np.ndarray, n: int) -> np.ndarray:
    links = coo_array((np.ones(len(left)), (left, right)), shape=(n, n))
    return np.asarray(connected_components(links, directed=False)[1])


@pytest.mark.parametrize("seed", range(200))
def test_parts_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    left, right = rng.integers(n, size=(2, int(rng.integers(0, 70))))
    assert linked_parts(left, right, n).tolist() == joined(left, right, n).tolist()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (CHAIN[:-1], CHAIN[1:]),
        (np.arange(N - 1), np.arange(1, N)),
        (np.full(N - 1, N - 1), np.arange(N - 1)),
        (CHAIN[: N // 2], CHAIN[N // 2 :]),
    ],
    ids=["chain", "line", "star", "pairs"],
)
def test_long_ways_are_followed_to_their_end(left: np.ndarray, right: np.ndarray) -> None:
    assert linked_parts(left, right, N).tolist() == joined(left, right, N).tolist()
