"""A lucky run is lucky on all its items: counting runs keeps the level, counting only items does not (control)."""

from functools import partial

import numpy as np

from quorate._typing import Array
from quorate.data.answers import Answers
from quorate.data.summaries import Counts, Summary
from quorate.inference.means import mean_pivot
from quorate.inference.runs import run_part
from quorate.inference.scored_systems import score_systems
from quorate.metrics import find_metric
from tests.studies import pick

STUDIES, ITEMS, RUNS = pick(200, 600), 200, 5


def study(rng: np.random.Generator) -> tuple[Counts, list[Answers]]:
    """Two systems of equal skill; a run is right with a probability of its own, on every item."""
    raters = Counts(np.tile([3, 0], (ITEMS, 1)))
    systems = []
    for _ in range(2):
        skill = rng.normal(0.7, 0.06, (RUNS, 1)).clip(0, 1)
        said = (rng.random((RUNS, ITEMS)) > skill).astype(np.int64)
        counts = np.stack([(said == m).sum(0) for m in (0, 1)], axis=-1)
        item, run = np.tile(np.arange(ITEMS), RUNS), np.repeat(np.arange(RUNS), ITEMS)
        systems.append(Answers(Counts(counts), item, run, said.reshape(-1)))
    return raters, systems


def difference(raters: Counts, first: Summary, second: Summary) -> Array:
    return score_systems(find_metric("agreement"), raters, [first, second]).pair(0, 1).differences


def test_level_with_and_without_runs() -> None:
    rng = np.random.default_rng(20261115)
    by_items = by_both = 0
    for _ in range(STUDIES):
        raters, (a, b) = study(rng)
        pivot = mean_pivot(difference(raters, a.summary, b.summary), reach=1.0)
        parts = [run_part(partial(difference, raters, other.summary), own) for own, other in ((a, b), (b, a))]
        zero = np.zeros(())
        by_items += float(pivot.p_value(zero)) <= 0.05
        by_both += float(pivot.adding([part for part in parts if part is not None]).p_value(zero)) <= 0.05
    error = 5 * np.sqrt(0.05 * 0.95 / STUDIES)
    assert by_both / STUDIES <= 0.05 + error
    assert by_items / STUDIES > 0.05 + error  # negative control
