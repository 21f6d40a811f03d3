"""A lucky run is lucky on all its items: counting runs keeps the level, counting only items does not (control)."""

import numpy as np

from quorate.data.answers import Answers
from quorate.data.summaries import Counts
from quorate.inference.outcome import mean_test
from quorate.inference.runs import run_variance, with_runs
from quorate.inference.scored_systems import score_systems
from quorate.metrics import find_metric

STUDIES, ITEMS, RUNS = 600, 200, 5


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


def test_level_with_and_without_runs() -> None:
    rng, metric = np.random.default_rng(20261115), find_metric("agreement")
    by_items = by_both = 0
    for _ in range(STUDIES):
        raters, systems = study(rng)
        match = score_systems(metric, raters, [each.summary for each in systems]).pair(0, 1)
        plain = mean_test(match.differences)
        parts = [part for each in systems if (part := run_variance(metric, raters, each)) is not None]
        by_items += float(plain.p_value) <= 0.05
        by_both += float(with_runs(plain, parts, 0.95).p_value) <= 0.05
    error = 5 * np.sqrt(0.05 * 0.95 / STUDIES)
    assert by_both / STUDIES <= 0.05 + error
    assert by_items / STUDIES > 0.05 + error  # negative control
