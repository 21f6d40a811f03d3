"""Names that come again are told from new ones, and none is lost while the slots grow."""

import numpy as np
import pytest

from quorate.data.name_hashes import FEWEST_SLOTS, GROWTH, NameHashes, SeenHashes

RNG = np.random.default_rng(5)


def test_few_names_are_new_once_and_take_few_slots() -> None:
    names = RNG.integers(1, 2**64, size=1_000, dtype=np.uint64) | np.uint64(1)
    seen = SeenHashes()
    assert seen.are_new(names).all()
    again = seen.are_new(RNG.permutation(np.tile(names, 5)))
    assert again.mean() < 0.05  # two names in one slot: 1000 of 65 536 are taken
    assert len(seen.slots) == FEWEST_SLOTS


@pytest.mark.parametrize("at_once", [997, 50_000])
def test_every_name_is_new_at_least_once_while_slots_grow(at_once: int) -> None:
    names = np.unique(RNG.integers(1, 2**64, size=100_000, dtype=np.uint64))
    rows = RNG.permutation(np.repeat(names, 3))
    seen = SeenHashes()
    new = np.concatenate([seen.are_new(rows[start : start + at_once]) for start in range(0, len(rows), at_once)])
    assert len(np.unique(rows[new])) == len(names)
    assert len(seen.slots) == GROWTH * FEWEST_SLOTS
    assert not seen.are_new(names).all()


def test_a_name_that_is_not_there_is_noticed() -> None:
    keys = np.sort(RNG.integers(1, 2**64, size=500, dtype=np.uint64))
    found = NameHashes(keys)
    place, all_there = found.find(keys[::-1])
    assert all_there
    assert place.tolist() == list(range(499, -1, -1))
    assert not found.find(np.append(keys[:3], keys[3] + np.uint64(1)))[1]
