"""The interval of Krippendorff's alpha: coverage, with rare positives too, and blocks of items in place of items."""

import numpy as np
import pytest

from quorate._random import generator
from quorate._typing import Array
from quorate.agreement import disagreement as agreement
from quorate.agreement.disagreement import krippendorff_alpha
from quorate.data.summaries import Counts
from quorate.inference.alpha_interval import Alpha, alpha_interval
from tests.studies import pick

ALPHA = np.array([1.2, 0.8, 0.5])
# Dirichlet(a) items: E Σβ² = Σm² + (1 − Σm²) / (a0 + 1), so D_o / D_e = a0 / (a0 + 1) and alpha = 1 / (a0 + 1).
DATA_SETS = pick(60, 200)


def draw(rng: np.random.Generator, n_items: int, n_raters: int, alpha: Array = ALPHA) -> Counts:
    levels = np.arange(float(len(alpha)))
    return Counts(rng.multinomial(n_raters, rng.dirichlet(alpha, size=n_items)), levels)


def coverage(results: list[Alpha], truth: float, narrow: float = 1.0) -> float:
    def covers(a: Alpha) -> bool:
        return bool(a.value + narrow * (a.low - a.value) <= truth <= a.value + narrow * (a.high - a.value))

    return float(np.mean([covers(a) for a in results]))


def intervals(alpha: Array, rng: np.random.Generator) -> list[Alpha]:
    drawn = [krippendorff_alpha(draw(rng, 200, 3, alpha), "nominal", rng=rng) for _ in range(DATA_SETS)]
    return [alpha_interval(scores) for scores in drawn if not np.isnan(scores.value)]


def test_coverage() -> None:
    results, truth = intervals(ALPHA, generator(0, "alpha-coverage")), 1 / (1 + ALPHA.sum())
    bound = 5 * np.sqrt(0.95 * 0.05 / DATA_SETS)
    assert abs(coverage(results, truth) - 0.95) < bound
    # Control: intervals at 60 % of their width (as if items were answered by 8 raters) must fail the same bound.
    assert abs(coverage(results, truth, narrow=0.6) - 0.95) > bound


@pytest.mark.parametrize("share", [0.01])
def test_rare_positives_are_covered(share: float) -> None:
    rng = generator(0, "alpha-rare", str(share))
    results = intervals(np.array([1 - share, share]), rng)  # a0 = 1: alpha = ½
    bound = 5 * np.sqrt(0.95 * 0.05 / len(results))
    assert coverage(results, 0.5) > 0.95 - bound
    # Control: the percentile bootstrap over items, which knows only what has been seen.
    assert (
        np.mean([_bootstrap_covers(draw(rng, 200, 3, np.array([1 - share, share])), rng) for _ in range(DATA_SETS)])
        < 0.85
    )


def _bootstrap_covers(counts: Counts, rng: np.random.Generator) -> bool:
    """Whether the percentile interval of alpha holds ½, of two categories: 1 − D_o / D_e from resampled items."""
    disputes, positive = counts.counts.prod(-1), counts.counts[:, 1]
    rows = rng.integers(0, len(positive), (300, len(positive)))
    n, total = 3 * len(positive), positive[rows].sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 1 - disputes[rows].sum(-1) * (n - 1) / (2 * total * (n - total))
    low, high = np.nanquantile(values, [0.025, 0.975]) if np.isfinite(values).any() else (np.nan, np.nan)
    return bool(low <= 0.5 <= high)


def width(counts: Counts, rng: np.random.Generator, **options: int) -> float:
    found = alpha_interval(krippendorff_alpha(counts, "ordinal", rng=rng, **options))
    return found.high - found.low


def test_blocks_of_items_give_the_interval_of_items() -> None:
    rng = generator(0, "alpha-blocks")
    counts = draw(rng, 20_000, 4)
    by_kinds, by_blocks = width(counts, rng), width(counts, rng, most_kinds=0)
    half = width(Counts(counts.counts[:10_000], counts.levels), rng)
    # A variance from B blocks has the relative error sqrt(2 / B), a width half of that.
    bound = 5 * np.sqrt(0.5 / agreement.BLOCKS)
    assert abs(by_blocks / by_kinds - 1) < bound
    # Control: half the items give an interval sqrt(2) as wide, which must fail the same bound.
    assert abs(half / by_kinds - 1) > bound
