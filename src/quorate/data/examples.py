"""Small data sets that come with quorate; `examples/make_bundled.py` makes them."""

from importlib.resources import files
from pathlib import Path

from quorate._errors import InputError

__all__ = ["EXAMPLES", "example_path"]

EXAMPLES = {
    "support": "replies of a support bot, no / unsure / yes: 120 items, 5 of 14 raters each (nominal, sparse)",
    "support-answers": "what two systems answered on `support`, a label per item; atlas is truly better",
    "support-probabilities": "the same two systems' probabilities of no, unsure and yes",
    "summaries": "summaries rated 1 to 5: 80 items, all by 4 raters (ordinal, crossed)",
    "summaries-answers": "what two systems answered on `summaries`, three runs each; atlas is truly better",
    "moderation": "votes on posts that may break the rules, 0 / 1: 600 items, 3 to 5 of 40 voters each",
    "moderation-experts": "expert labels of 60 of these posts, a random sample",
    "moderation-scores": "a classifier's score for each of these posts",
}
"""Name and content of each; ``example:NAME`` stands for the file wherever a path is taken."""


def example_path(name: str) -> Path:
    """Return the file of a bundled example."""
    if name not in EXAMPLES:
        raise InputError(f"There is no example '{name}'; there are {', '.join(EXAMPLES)}.")
    return Path(str(files("quorate.data") / "bundled" / f"{name}.csv"))
