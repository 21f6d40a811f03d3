"""Use the second core within one computation."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["ahead"]

Part = TypeVar("Part")


def ahead(parts: Iterator[Part]) -> Iterator[Part]:
    """Work out the next part in a thread while the present one is used; arrays let go of the interpreter's lock.

    The parts and their order are the same as without; what is used here must not share a random generator with them.

    Examples
    --------
    >>> [part**2 for part in ahead(iter(range(4)))]
    [0, 1, 4, 9]
    """
    with ThreadPoolExecutor(1) as worker:
        coming = worker.submit(next, parts, None)
        while (part := coming.result()) is not None:
            coming = worker.submit(next, parts, None)
            yield part
