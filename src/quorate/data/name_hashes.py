"""Names found by their 64-bit hashes: numbers sort and compare ten times faster than text."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate._typing import Array


@dataclass(frozen=True)
class NameHashes:
    """Sorted distinct hashes, ``(name,)``; where one of them is."""

    keys: Array

    def find(self, wanted: Array) -> Array:
        """Return the place of each wanted hash, ``(...)``; of one that is not there, where it would be.

        Hashes are spread evenly, so their first bits say where to look, within a step or two.
        """
        place: Array = self._first[wanted >> self._shift]
        astray = np.flatnonzero(self._padded[place] < wanted)
        while len(astray):
            place[astray] += 1
            astray = astray[self._padded[place[astray]] < wanted[astray]]
        return place

    def holds(self, wanted: Array, place: Array) -> Array:
        """Tell which wanted hashes are there, ``(...)``."""
        there: Array = (self._padded[place] == wanted) & (place < len(self.keys))
        return there

    @cached_property
    def _shift(self) -> np.uint64:
        return np.uint64(64 - len(self.keys).bit_length())

    @cached_property
    def _padded(self) -> Array:
        return np.append(self.keys, np.uint64(2**64 - 1))

    @cached_property
    def _first(self) -> Array:
        starts = np.arange(1 << len(self.keys).bit_length(), dtype=np.uint64) << self._shift
        return np.searchsorted(self.keys, starts).astype(np.int32)
