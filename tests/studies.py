"""How large the simulation studies are: small among the default tests, large with `make studies` or where answers are
brought up to date.

A test takes its tolerance from the number of its studies, so the small ones see less, and their controls still fail.
"""

import os
from typing import TypeVar

import pytest

LARGE_STUDIES = bool(os.environ.get("QUORATE_STUDIES") or os.environ.get("QUORATE_UPDATE"))
Size = TypeVar("Size")
large = pytest.mark.skipif(not LARGE_STUDIES, reason="a large study: make studies")


def pick(small: Size, large: Size) -> Size:
    """Return the size, or the cells, of a study for the run at hand."""
    return large if LARGE_STUDIES else small
