"""What `reproduce` is asked: which papers, how quickly, from which data."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["PAPERS", "ReproduceQuestion"]

PAPERS = ("forest", "ratings", "leaderboard", "multilevel", "maven")
"""Each a file beside this one, with ``parts(question)``, the names of its tasks, and ``cells(part, question)``."""


@dataclass(frozen=True, kw_only=True)
class ReproduceQuestion:
    """How to reproduce: quickly or fully, from which data, with which seed.

    Parameters
    ----------
    quick
        Fewer draws; the verdicts should be the same.
    data
        Folder of public data sets, one folder each; None where absent.
    seed
        Seed of all randomness.
    """

    quick: bool = False
    data: Path | None = None
    seed: int = 0

    def draws(self, full: int, *, quick: int) -> int:
        """Return how many draws to take."""
        return quick if self.quick else full

    def file(self, *parts: str) -> Path | None:
        """Return a file of the data folder, or None where it is absent."""
        path = None if self.data is None else self.data.joinpath(*parts)
        return path if path is not None and path.exists() else None
