"""`quorate plan`: one plan, or a whole grid of studies."""

import os
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from quorate._errors import InputError
from quorate._question import flag_of
from quorate._tasks import Execution
from quorate.cli.command import command
from quorate.cli.output import OutputOptions, show, working
from quorate.planning.question import PlanQuestion

if TYPE_CHECKING:
    from quorate.planning.grids import Grid


@dataclass(frozen=True, kw_only=True)
class PlanOrSweep(PlanQuestion, Execution):
    """What to plan for, or a whole grid of studies.

    Parameters
    ----------
    grid
        Sweep a whole grid instead: forest, or a TOML file.
    workers
        With --grid: local processes; as many as there are cores by default.
    cluster
        With --grid: work on the workers of a Dask scheduler instead: tcp://HOST:PORT.
    shard
        With --grid: do one share of the work only, 3/8 for the third of eight; when all are done, --resume puts them
        together.
    resume
        With --grid: go on where the last sweep stopped.
    """

    grid: str | None = None

    def check(self) -> None:
        """Refuse what cannot be asked; a grid names its own populations."""
        if self.grid is not None:
            Execution.check(self)
            for each in fields(PlanQuestion):
                flag, parse = flag_of(each.name, each.metadata.get("flag")), each.metadata.get("parse")
                default = each.default if parse is None or each.default is None else parse(flag, each.default)
                if each.name not in self.execution() and getattr(self, each.name) != default:
                    raise InputError(
                        f"{flag} is for one plan, and --grid says all that is asked; leave one of them out."
                    )
            return
        super().check()
        long_work = {
            "--cluster": self.cluster,
            "--shard": self.shard,
            "--workers": self.workers,
            "--resume": self.resume,
        }
        for flag, value in long_work.items():
            if value:
                raise InputError(f"{flag} is for the long work of --grid; one plan is made here.")

    def inputs(self) -> tuple[str, ...]:
        """Return the files that are read: a grid names its own."""
        return super().inputs() if self.grid is None else self.swept.files

    @cached_property
    def swept(self) -> "Grid":
        """The grid that is swept."""
        from quorate.planning.grids import find_grid

        return find_grid(self.grid or "")

    def plan(self) -> PlanQuestion:
        """Return the question without a grid."""
        return PlanQuestion(**{each.name: getattr(self, each.name) for each in fields(PlanQuestion)})

    def execution(self) -> dict[str, Any]:
        """Return how the work of a grid is done."""
        return {each.name: getattr(self, each.name) for each in fields(Execution)}


@command
def plan(question: PlanOrSweep, output: OutputOptions) -> int:
    """Say how many items and raters to buy to see a difference, and what the cheapest mix is.

    Examples:
      quorate plan pilot.csv answers.csv --difference 0.02 --item-price 2 --rating-price 0.2
      quorate plan pilot.csv --difference 0.03 --budget 2000
      quorate plan --preset dices --difference 0.03
      quorate plan --preset dices --difference 0.03 --items 200,400 --raters 1-5
      quorate plan --preset dices --difference 0.03 --have 200,3
      quorate plan pilot.csv answers.csv --difference 0.02 --pool 6 --max-per-rater 300
      quorate plan --preset dices --difference 0.03 --pool 12 --rater-share 0.1
      quorate plan rated.csv --rated-system model --difference 0.2
      quorate plan --variance item=0.04,rater=0.01,rest=0.2 --difference 0.1 --pool 12
      quorate plan --resample ratings.csv --resample-unit items+raters --effect 0.3 --pool 20
      quorate plan votes.csv --systems new,old --win-rate 0.55
      quorate plan --preset preference --tie-share 0.2 --win-rate 0.55
      quorate plan --grid forest -o sweep.parquet
      quorate plan --grid forest --shard 3/8
    """
    if question.grid is not None:
        return _sweep(question, output)
    with working("planning", output):
        from quorate.planning.verb import answer

        planned = answer(question.plan())
    return show(planned, output)


def _sweep(question: PlanOrSweep, output: OutputOptions) -> int:
    """Sweep a grid and show it; a file that could not be written is refused before the work."""
    path = output.output
    if path is not None and not os.access(path.parent, os.W_OK):
        raise InputError(f"Cannot write {path}: its folder is not there or not writable; choose another place with -o.")
    from quorate.planning.grid_sweep import sweep

    return show(sweep(question.swept, **question.execution() | {"progress": not output.quiet}), output)
