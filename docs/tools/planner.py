"""The numbers behind the planning page of the docs: the fewest items by raters per item, for some known populations.

`python docs/tools/planner.py` writes docs/planner-data.js. Prices do not move these numbers, so the page only has to
find the cheapest size, which it does as `quorate plan` does.
"""

import json
from pathlib import Path
from typing import Any

from quorate.planning.question import PlanQuestion
from quorate.planning.search import Search
from quorate.planning.verb import find_ground

PRESETS = ("dices", "toxicity", "d3code")
DIFFERENCES = (0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1)
GOALS = (0.8, 0.9)
RATERS = (*range(1, 21),)
DATA = Path(__file__).parents[1] / "planner-data.js"


def sizes(preset: str, difference: float, goal: float) -> list[list[Any]]:
    """Return raters per item, fewest items and power; none where the law is not exact."""
    question = PlanQuestion(preset=preset, difference=difference, goal=f"power={goal}")
    search = Search(question, find_ground(question).source(None))
    rows = []
    for k in RATERS:
        n = search.fewest_items(k) if search.law(k).draws == 0 else None
        if n is not None:
            power = search.law(k).chances(n, question.confidence, margin=None, studies=search._studies)[0]
            rows.append([k, n, round(power, 6)])
    return rows


def table() -> dict[str, Any]:
    """Return every size by population, difference and goal, as the page reads them."""
    return {
        preset: {f"{each:g}": {f"{goal:g}": sizes(preset, each, goal) for goal in GOALS} for each in DIFFERENCES}
        for preset in PRESETS
    }


if __name__ == "__main__":
    DATA.write_text(f"const SIZES = {json.dumps(table(), separators=(',', ':'))};\n")
