"""Names for the types that appear everywhere."""

from typing import Any, TypeAlias

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
"""A NumPy array; its axes are in the docstring, ``(..., replicate, item, category)``."""
