"""`python -m quorate` and `quorate`: the command line."""

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType
from typing import NoReturn

ADDRESSES, THREAD = 1300 << 20, 50 << 20
"""Bytes of addresses that the libraries take before any work, and those of a thread."""


def main() -> NoReturn:
    """Run the command line; libraries that are imported leave no garbage, so it is looked for less often.

    Products are small and many: threads of linear algebra would wait for each other, and sum in another order than
    the workers of a grid do.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _check_addresses(sys.argv[1:])
    gc.set_threshold(100_000, 20, 100)
    sys.meta_path.insert(0, _Later())
    try:
        from quorate.cli import main as run

        run()
    except KeyboardInterrupt:  # while its parts are loaded, before it can say so itself
        with suppress(OSError):
            os.write(2, b"quorate: stopped.\n")
        sys.exit(130)


def _check_addresses(words: Sequence[str]) -> None:
    """Refuse to start below a limit under which compiled libraries end a run by themselves, even with the code 1."""
    try:
        from os import sched_getaffinity  # of a large machine a job may have few cores
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit

        limit = getrlimit(RLIMIT_AS)[0]
    except (ImportError, OSError):  # not on this system
        return
    needed = ADDRESSES + THREAD * len(sched_getaffinity(0))
    if limit in (RLIM_INFINITY, -1) or limit >= needed or not words or {"cite", "-h", "--help", "--version"} & {*words}:
        return
    said = f"there is not enough memory: ulimit -v allows {limit >> 20} MB, and {needed >> 20} MB are needed; raise it."
    with suppress(OSError):
        os.write(2, f"quorate: {said}\n".encode())
    sys.exit(2)


class _Later:
    """Let numpy's compiler of Fortran load when it is first used: scipy names it, which costs a tenth of the start.

    It is no subclass of `importlib.abc.MetaPathFinder`, which costs as much again.
    """

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "numpy.f2py":
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


if __name__ == "__main__":
    main()
