"""A lucky run is lucky on all its items: counting runs keeps the level, counting only items does not (control).

Few runs of one system beside many of the other hold as well.
"""

from functools import partial

import numpy as np

from quorate._typing import Array
from quorate.data.answers import Answers
from quorate.data.summaries import Counts, Summary
from quorate.inference.means import mean_pivot
from quorate.inference.runs import joined, run_part, satterthwaite
from quorate.inference.scored_systems import score_systems
from quorate.inference.uncertain_variance import Part, UncertainVariance
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


def test_few_runs_beside_many_hold_at_one_percent_where_satterthwaite_alone_did_not() -> None:
    rng, studies, df = np.random.default_rng(20261119), 2000, np.array([1.0, 29.0])  # 2 runs and 30
    claims = before = 0
    for _ in range(studies):
        seen = rng.chisquare(df) / df / (df + 1)
        distance = np.asarray(rng.standard_normal() * np.sqrt((1 / (df + 1)).sum()))
        [part] = joined([Part(np.asarray(each), own) for each, own in zip(seen, df, strict=True)])
        claims += _p(distance, part.variance, float(part.df)) <= 0.01
        before += _p(distance, part.variance, satterthwaite(seen.tolist(), df.tolist())) <= 0.01
    error = 5 * np.sqrt(0.01 * 0.99 / studies)
    assert claims / studies <= 0.01 + error
    assert before / studies > 0.01 + error  # negative control


def _p(distance: Array, variance: Array, df: float) -> float:
    return float(UncertainVariance(Part(variance, df)).tail(distance))
