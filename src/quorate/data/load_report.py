"""The load report: what was found in a file, which guesses were made, and the flag that overrides each."""

import numpy as np

from quorate._text import count, printable
from quorate.data.columns import ITEM, RATER, RESPONSE
from quorate.data.ratings import Ratings

__all__ = ["load_report"]


def load_report(ratings: Ratings) -> list[str]:
    """Say in a few lines what was read.

    Examples
    --------
    >>> from quorate.data.read_ratings import read_ratings
    >>> for line in load_report(read_ratings({"item": ["a", "a"], "label": ["yes", "no"]})):
    ...     print(line)
    the data: 2 rows, 2 responses on 1 item by unknown raters
      responses per item: 2 / 2 / 2 (min / median / max)
      columns: item = item (--item-column), response = label (--response-column)
      scale: nominal, 2 categories: no, yes (--scale)
    """
    people = "unknown raters" if ratings.n_raters is None else count(ratings.n_raters, "rater")
    low, middle, high = ratings.size.min(), float(np.median(ratings.size)), ratings.size.max()
    flags = {role.name: role.flag for role in (ITEM, RATER, RESPONSE)}
    columns = ", ".join(f"{role} = {column} ({flags[role]})" for role, column in ratings.columns.items())
    guess = ", a guess (--scale)" if ratings.scale.guessed else " (--scale)"
    lines = [
        f"{ratings.name}: {count(ratings.n_rows, 'row')}, {count(ratings.n_responses, 'response')} "
        f"on {count(ratings.n_items, 'item')} by {people}",
        f"  responses per item: {low} / {middle:g} / {high} (min / median / max)",
        f"  columns: {columns}",
        f"  scale: {ratings.scale}{guess}",
    ]
    if ratings.repeated_pairs:
        pairs = count(ratings.repeated_pairs, "rater–item pair")
        lines.append(f"  {pairs} answered more than once, all kept (--duplicates)")
    groups = [f"{name} (of items)" for name in ratings.item_groups]
    groups += [f"{name} (of raters)" for name in ratings.rater_groups]
    if groups:
        lines.append(f"  columns that group: {', '.join(groups)}")
    return [
        line[: len(line) - len(line.lstrip())] + printable(line) for line in lines + [f"  {n}" for n in ratings.notes]
    ]
