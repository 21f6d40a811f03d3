"""What `fit` is asked."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

from quorate._errors import InputError
from quorate._question import option, source
from quorate.data.reading import LogReading
from quorate.populations.choice import population_files


@dataclass(frozen=True)
class FitQuestion(LogReading):
    """What to fit.

    Parameters
    ----------
    ratings
        File of ratings: CSV, TSV, JSON lines, JSON or Parquet, gzipped or not; - for standard
        input; example:NAME. In Python also a mapping of columns, a data frame, or ratings already
        read.
    method
        How to fit a Dirichlet: with a weak prior (map), or by maximum likelihood (ml), biased
        upwards with few items.
    family
        What to fit; auto takes whichever describes the answers better.
    evaluate
        Hold this population against the ratings instead of fitting one: a preset, a population
        file, or an alpha.
    """

    first: ClassVar[str] = "ratings family evaluate"

    ratings: Any = source()
    _: KW_ONLY
    method: Literal["map", "ml"] = "map"
    family: Literal["dirichlet", "normal", "auto"] = "auto"
    evaluate: Any = option(None, cli=str)

    def check(self) -> None:
        """Refuse to be told how to fit what is not fitted."""
        super().check()
        if self.evaluate is not None and (self.method, self.family) != ("map", "auto"):
            raise InputError("--evaluate fits nothing, so --method and --family would do nothing; leave them out.")
        if self.family == "normal" and self.method != "map":
            raise InputError("--method says how a Dirichlet is fitted, and --family normal fits none; leave it out.")

    def inputs(self) -> tuple[str, ...]:
        """Return the files that are read; the population may be one."""
        return (*super().inputs(), *population_files(self.evaluate))
