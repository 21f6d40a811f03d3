"""What `reproduce` is asked: which papers, how quickly, from which data."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from quorate._errors import InputError
from quorate._question import option, words
from quorate._tasks import Execution

Paper: TypeAlias = Literal["forest", "ratings", "leaderboard", "multilevel", "maven"]
PAPERS: tuple[Paper, ...] = get_args(Paper)
"""Each a file beside this one, with ``parts(question)``, its tasks, and ``cells(part, question)``."""


def _papers(flag: str, value: str | Sequence[str]) -> tuple[str, ...]:
    asked = words(flag, value)
    for name in asked:
        if name not in (*PAPERS, "all"):
            raise InputError(f"There is no paper {name}; choose {', '.join(PAPERS)} or all.")
    return tuple(name for name in PAPERS if "all" in asked or name in asked)


def _folder(flag: str, value: str | Path) -> Path:
    try:
        there = Path(value).is_dir()
    except OSError:  # a name no folder can have
        there = False
    if not there:
        raise InputError(f"{value} is not a folder; {flag} takes the folder that holds the data sets.")
    return Path(value)


@dataclass(frozen=True)
class ReproduceQuestion(Execution):
    """Which figures to compute again.

    Parameters
    ----------
    papers
        forest, ratings, leaderboard, multilevel, maven; all by default.
    quick
        Fewer draws: minutes instead of an hour.
    data
        Folder of public data sets, one folder each; cells that need an absent one are not
        reproducible.
    """

    first: ClassVar[str] = "papers quick data"

    papers: str | Sequence[str] = option("all", parse=_papers, cli=list[Literal[Paper, "all"]])
    _: KW_ONLY
    quick: bool = False
    data: str | Path | None = option(None, parse=_folder, cli=Path)

    def settings(self, **resolved: Any) -> dict[str, Any]:
        """Return the settings, the seed among them: the journal of a run is found by them."""
        return {**super().settings(**resolved), "seed": self.seed}

    def inputs(self) -> tuple[str, ...]:
        """Return the files of the data folder that may be read."""
        return () if self.data is None else tuple(map(str, sorted(Path(self.data).glob("*/annotations.csv*"))))

    def draws(self, full: int, *, quick: int) -> int:
        """Return how many draws to take."""
        return quick if self.quick else full

    def file(self, *parts: str) -> Path | None:
        """Return a file of the data folder, or None where it is absent."""
        path = None if self.data is None else Path(self.data, *parts)
        return path if path is not None and path.exists() else None
