"""What a paper reports of a plan: a paragraph on power for a human-evaluation data sheet [shimorina2022]."""

from typing import TYPE_CHECKING

from quorate._text import count, number, percent
from quorate._version import __version__
from quorate.planning.words import raters_each

if TYPE_CHECKING:
    from quorate.planning.result import Planned


def plan_data_sheet(result: "Planned") -> str:
    """Say how the size was chosen: what it sees with which chance, by which test, on what assumption."""
    best, source = result.best, result.search.source
    size = f"{count(best.n_items, 'item')} with {raters_each(best.n_raters)} each ({best.responses:,} ratings)"
    people = "" if result.people is None else f", rated by {count(result.people.used, 'person', 'people')},"
    pairs = "" if result.board is None else f" over all {result.board.pairs} pairs"
    test = f"two-sided at {percent(1 - result.settings['confidence'])}{pairs}"
    open_ = None if result.pilot is None else result.pilot["assurance"]
    pilot = "" if open_ is None else f" Counting what the pilot leaves open, power is {percent(open_)}."
    return (
        f"The sample size was set before data collection by a power analysis: with {size}{people} {_aim(result)} with "
        f"{percent(best.power)} power ({test}; {source.assumption}).{pilot} quorate {__version__}, seed {result.seed}."
    )


def _aim(result: "Planned") -> str:
    """Say what is seen, or what is ruled out."""
    question, title = result.search.question, result.search.source.metric.title
    if question.margin is None:
        return f"a difference of {number(question.shown_difference(result.best.difference))} in {title} is seen"
    worse = "difference" if question.wanted.kind == "equivalence" else "loss"
    return f"a {worse} of {number(question.margin)} or more in {title} is ruled out"
