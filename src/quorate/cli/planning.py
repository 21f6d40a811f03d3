"""`quorate plan POPULATION --difference D`."""

from dataclasses import dataclass, fields

from quorate._errors import InputError
from quorate.cli.command import command
from quorate.cli.output import OutputOptions, show, working
from quorate.planning.question import PlanQuestion

__all__ = ["plan"]


@dataclass(frozen=True, kw_only=True)
class PlanOrSweep(PlanQuestion):
    """What to plan for, or a whole grid of studies.

    Parameters
    ----------
    grid
        Sweep a whole grid instead: forest, or a TOML file.
    workers
        With --grid: processes to use.
    resume
        With --grid: go on where the last sweep stopped.
    """

    grid: str | None = None
    workers: int = 1
    resume: bool = False

    def check(self) -> None:
        """Refuse what cannot be asked; a grid names its own populations."""
        if self.workers < 1:
            raise InputError("--workers must be at least 1.")
        if self.grid is None:
            super().check()

    def plan(self) -> PlanQuestion:
        """Return the question without a grid."""
        return PlanQuestion(**{each.name: getattr(self, each.name) for each in fields(PlanQuestion)})


@command
def plan(question: PlanOrSweep, output: OutputOptions) -> int:
    """Say how many items and raters to buy to see a difference, and what the cheapest mix is.

    Examples:
      quorate plan --preset dices --difference 0.03
      quorate plan --from pilot.csv --with answers.csv --difference 0.02 --item-price 2 --rating-price 0.2
      quorate plan --from pilot.csv --difference 0.03 --budget 2000
      quorate plan --preset dices --difference 0.03 --items 200,400 --raters 1-5
      quorate plan --preset dices --difference 0.03 --have 200,3
      quorate plan --from pilot.csv --with answers.csv --difference 0.02 --pool 6 --max-per-rater 300
      quorate plan --preset dices --difference 0.03 --pool 12 --rater-share 0.1
      quorate plan --resample ratings.csv --resample-unit items+raters --effect 0.3 --pool 20
      quorate plan --grid forest -o sweep.parquet --workers 2
    """
    if question.grid is not None:
        from quorate.cli.sweep import run_sweep

        return run_sweep(question.grid, workers=question.workers, resume=question.resume, output=output)
    with working("planning", output):
        from quorate.planning.verb import answer

        planned = answer(question.plan())
    show(planned, output)
    return 0
