"""A size of study and what it promises: the rows of a plan, of its grid and of a sweep."""

from dataclasses import dataclass

__all__ = ["StudySize"]

UNKNOWN = float("nan")


@dataclass(frozen=True)
class StudySize:
    """N items with K raters each, and what such a study promises.

    Parameters
    ----------
    n_items, n_raters, responses, cost
        Items, raters per item, ratings in all, and the price.
    power, power_error
        Chance of the wanted verdict, and its Monte-Carlo error.
    expected_p, expected_p_error
        The papers' expected p [forest, alg. 2], and its Monte-Carlo error.
    difference, ci_width
        Expected difference, and expected width of its interval.
    detectable
        Smallest difference seen with the goal's power, at today's spread.
    """

    n_items: int
    n_raters: int
    responses: int
    cost: float = UNKNOWN
    power: float = UNKNOWN
    power_error: float = UNKNOWN
    expected_p: float = UNKNOWN
    expected_p_error: float = UNKNOWN
    difference: float = UNKNOWN
    ci_width: float = UNKNOWN
    detectable: float = UNKNOWN
