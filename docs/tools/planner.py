"""The numbers behind the planning page of the docs: the fewest items by raters per item, for some known populations.

`python docs/tools/planner.py` writes docs/planner-data.js. Prices do not move these numbers, so the page only has to
find the cheapest size, which it does as `quorate plan` does. For variances typed in, the page works out power itself,
the mean of Φ(δ √N − t √(χ² / ν)) over equally likely χ²; t and the roots come as polynomials in ν^(−1/2).
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from quorate.inference.uncertain_variance import t_quantile
from quorate.planning.laws.rater_law import CASES
from quorate.planning.laws.study_law import chi_squares
from quorate.planning.question import PlanQuestion
from quorate.planning.search import Search
from quorate.planning.verb import find_ground

PRESETS = ("dices", "toxicity", "d3code")
DIFFERENCES = (0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1)
GOALS = (0.8, 0.9)
RATERS = (*range(1, 52), 53, 56, 62, 75, 100)
"""Raters per item: all up to 50, and those that a search passes which goes beyond and comes back."""
LEAST_ITEMS, CONFIDENCE, DEGREE = 30, 0.95, 12
DATA = Path(__file__).parents[1] / "planner-data.js"


def sizes(preset: str, difference: float, goal: float) -> list[list[Any]]:
    """Return raters per item, fewest items and power; all these laws are exact."""
    question = PlanQuestion(preset=preset, difference=difference, goal=f"power={goal}")
    search = Search(question, find_ground(question).source(None))
    rows = []
    for k in RATERS:
        law, n = search.law(k), search.fewest_items(k)
        assert law.draws == 0
        assert n is not None
        rows.append([k, n, round(law.chances(n, question.confidence, margin=None, studies=search._studies)[0], 6)])
    return rows


def table() -> dict[str, Any]:
    """Return every size by population, difference and goal, as the page reads them."""
    return {
        preset: {f"{each:g}": {f"{goal:g}": sizes(preset, each, goal) for goal in GOALS} for each in DIFFERENCES}
        for preset in PRESETS
    }


def quantiles() -> list[list[float]]:
    """Return Student's quantile and the roots of χ² / ν as polynomials, highest power first, in sqrt(29 / ν)."""
    places = (1 + np.cos(np.pi * (np.arange(40) + 0.5) / 40)) / 2
    degrees = (LEAST_ITEMS - 1) / places**2
    values = np.stack([[t_quantile(df, CONFIDENCE), *np.sqrt(chi_squares(df, CASES[0]))] for df in degrees])
    factors: list[list[float]] = np.round(np.polyfit(places, values, DEGREE), 15).T.tolist()
    return factors


if __name__ == "__main__":
    named = {"SIZES": table(), "QUANTILES": quantiles()}
    lines = [f"const {name} = {json.dumps(value, separators=(',', ':'))};" for name, value in named.items()]
    DATA.write_text("\n".join(lines) + "\n")
