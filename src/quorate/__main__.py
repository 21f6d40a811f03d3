"""`python -m quorate` and `quorate`: the command line."""

import gc
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; libraries that are imported leave no garbage, so it is looked for less often."""
    gc.set_threshold(100_000, 20, 100)
    from quorate.cli import main as run

    run()


if __name__ == "__main__":
    main()
