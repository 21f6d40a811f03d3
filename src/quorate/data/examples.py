"""Small data sets that come with quorate; `examples/make_bundled.py` makes them."""

from importlib.resources import files
from pathlib import Path

from quorate._errors import InputError

__all__ = ["EXAMPLES", "example_path"]

EXAMPLES = {
    "support": "chat replies of a support bot, yes / no / unsure, 60 items by 5 of 12 raters (nominal, sparse)",
}


def example_path(name: str) -> Path:
    """Return the file of a bundled example.

    Examples
    --------
    >>> example_path("support").name
    'support.csv'
    """
    if name not in EXAMPLES:
        raise InputError(f"There is no example '{name}'; there are {', '.join(EXAMPLES)}.")
    return Path(str(files("quorate.data") / "bundled" / f"{name}.csv"))
