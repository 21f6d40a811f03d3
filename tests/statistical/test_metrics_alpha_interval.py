"""The bootstrap interval of Krippendorff's alpha: coverage, and blocks of items in place of items."""

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.agreement import disagreement as agreement
from quorate.agreement.disagreement import Alpha, krippendorff_alpha
from quorate.data.summaries import Counts

ALPHA = np.array([1.2, 0.8, 0.5])
# Dirichlet(a) items: E Σβ² = Σm² + (1 − Σm²) / (a0 + 1), so D_o / D_e = a0 / (a0 + 1) and alpha = 1 / (a0 + 1).
TRUTH = 1 / (1 + ALPHA.sum())
DATA_SETS = 500


def draw(rng: np.random.Generator, n_items: int, n_raters: int) -> Counts:
    return Counts(rng.multinomial(n_raters, rng.dirichlet(ALPHA, size=n_items)), np.arange(3.0))


def coverage(results: list[Alpha], narrow: float = 1.0) -> float:
    def covers(a: Alpha) -> bool:
        return bool(a.value + narrow * (a.low - a.value) <= TRUTH <= a.value + narrow * (a.high - a.value))

    return float(np.mean([covers(a) for a in results]))


def test_coverage() -> None:
    rng = generator(0, "alpha-coverage")
    results = [krippendorff_alpha(draw(rng, 200, 3), "nominal", rng=rng, replicates=400) for _ in range(DATA_SETS)]
    bound = 5 * np.sqrt(0.95 * 0.05 / DATA_SETS)
    assert abs(coverage(results) - 0.95) < bound
    # Control: intervals at 60 % of their width (as if items were answered by 8 raters) must fail the same bound.
    assert abs(coverage(results, narrow=0.6) - 0.95) > bound


def width(counts: Counts, rng: np.random.Generator, **options: int) -> float:
    alpha = krippendorff_alpha(counts, "ordinal", rng=rng, replicates=REPLICATES, **options)
    return alpha.high - alpha.low


REPLICATES = 10_000


def relative_error() -> float:
    """Monte-Carlo error of a ratio of two percentile widths, one of them from blocks.

    A 2.5 % point of R normal draws has standard error sqrt(.025 · .975 / R) / φ(1.96), φ(1.96) = 0.0584; a width of
    3.92 sd has two of them. A variance from B blocks has relative error sqrt(2 / B), a width half of that.
    """
    point = np.sqrt(0.025 * 0.975 / REPLICATES) / 0.0584
    of_width: Array = np.sqrt(2) * point / 3.92
    return float(np.sqrt(2 * of_width**2 + 0.5 / agreement.BLOCKS))


def test_blocks_of_items_give_the_interval_of_items() -> None:
    rng = generator(0, "alpha-blocks")
    counts = draw(rng, 20_000, 4)
    by_kinds = width(counts, rng)
    half = width(Counts(counts.counts[:10_000], counts.levels), rng)
    by_blocks = width(counts, rng, most_kinds=0)
    assert abs(by_blocks / by_kinds - 1) < 5 * relative_error()
    # Control: half the items give an interval sqrt(2) as wide, which must fail the same bound.
    assert abs(half / by_kinds - 1) > 5 * relative_error()
