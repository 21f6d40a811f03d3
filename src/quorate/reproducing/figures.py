"""Figures as the papers print them: one CSV file per table in the folder `figures`, in the paper's order.

0 stands for a printed "0" or "< 10⁻⁵", an empty field for a figure that is not printed, or cannot be read with
certainty in the copy at hand.
"""

import csv
from importlib.resources import files

__all__ = ["read_figures", "read_number"]


def read_figures(name: str) -> list[dict[str, str]]:
    """Return the rows of one file, each by column.

    Examples
    --------
    >>> read_figures("maven_bias")[0]
    {'task': 'Task 2', 'method': 'mv', 'auc': '1.18', 'human_tnr': '4.47', 'delta_tpr': '4.85'}
    """
    with (files("quorate.reproducing") / "figures" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_number(text: str) -> float | None:
    """Return a printed number, or None where the field is empty."""
    return float(text) if text else None
