"""`quorate plan --grid forest|FILE.toml -o sweep.parquet`: what `plan` calls when a grid is asked for."""

import os

from quorate._errors import InputError
from quorate.cli.output import OutputOptions, show

__all__ = ["run_sweep"]


def run_sweep(grid: str, *, workers: int, resume: bool, output: OutputOptions) -> int:
    """Sweep a grid, show it and return the exit code; a file that could not be written is refused before the work."""
    path = output.output
    if path is not None and not os.access(path.parent, os.W_OK):
        raise InputError(f"Cannot write {path}: its folder is not there or not writable; choose another place with -o.")
    from quorate.planning.grids import find_grid
    from quorate.planning.sweep import sweep

    show(sweep(find_grid(grid), workers=workers, resume=resume, progress=not output.quiet, seed=output.seed), output)
    return 0
