"""What a paper reports of a plan: a paragraph on power for a human-evaluation data sheet [shimorina2022]."""

from typing import TYPE_CHECKING

from quorate._text import count, number, percent
from quorate._version import __version__
from quorate.planning.words import raters_each

if TYPE_CHECKING:
    from quorate.planning.result import Planned


def plan_data_sheet(result: "Planned") -> str:
    """Say how the size was chosen: what it sees with which chance, by which test, on what assumption."""
    best, question, source = result.best, result.search.question, result.search.source
    size = f"{count(best.n_items, 'item')} with {raters_each(best.n_raters)} each ({best.responses:,} ratings)"
    if question.margin is None:
        aim = f"a difference of {number(question.shown_difference(best.difference))} in {source.metric.title} is seen"
    else:
        aim = f"a loss of {number(question.margin)} or more in {source.metric.title} is ruled out"
    test = f"two-sided at {percent(1 - question.confidence)}"
    open_ = None if result.pilot is None else result.pilot["assurance"]
    pilot = "" if open_ is None else f" Counting what the pilot leaves open, power is {percent(open_)}."
    return (
        f"The sample size was set before data collection by a power analysis: with {size} {aim} with "
        f"{percent(best.power)} power ({test}; {source.assumption}).{pilot} quorate {__version__}, seed {result.seed}."
    )
