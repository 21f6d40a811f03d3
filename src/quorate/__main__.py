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


def main() -> NoReturn:
    """Run the command line; libraries that are imported leave no garbage, so it is looked for less often.

    Products are small and many: threads of linear algebra would wait for each other, and sum in another order than
    the workers of a grid do.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(100_000, 20, 100)
    sys.meta_path.insert(0, _Later())
    try:
        from quorate.cli import main as run

        run()
    except KeyboardInterrupt:  # while its parts are loaded, before it can say so itself
        with suppress(OSError):
            os.write(2, b"quorate: stopped.\n")
        sys.exit(130)


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
