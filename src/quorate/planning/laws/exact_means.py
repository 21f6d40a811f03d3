"""What is exact of differences whose laws are simulated: means, and mean squares of the terms of long-tailed scores."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.metrics.metric import Metric
from quorate.planning.laws.category_sums import category_table, expected_sums, pair_expectations
from quorate.planning.laws.exact import count_vectors
from quorate.planning.laws.exact_several import exact_means, pair_scores, pair_work
from quorate.populations.dirichlet import DirichletPopulation

__all__ = ["Design", "Known", "known_exactly"]

PAIR_WORK = 4e7
"""Operations up to which means are summed over pairs of counts: less than a second's work."""


@dataclass(frozen=True)
class Design:
    """A Dirichlet world, and two systems asked the same number of times, A unperturbed."""

    population: DirichletPopulation
    n_raters: int
    answers: int

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Categories, raters and answers per item."""
        return len(self.population.alpha), self.n_raters, self.answers


@dataclass(frozen=True)
class Known:
    """What is exact at one effect: means by metric, and tables of squared terms with their means in both worlds."""

    effect: float
    bases: dict[str, Metric]
    means: dict[str, float]
    squares: dict[str, tuple[Array, float, float]]

    def control(self, metric: Metric) -> Metric | None:
        """Return the metric's own base if its mean is known, else the first whose mean is."""
        own = (metric.base).name
        return self.bases[own if own in self.means else next(iter(self.means))] if self.means else None


def known_exactly(design: Design, effects: Sequence[float], metrics: Sequence[Metric]) -> list[Known]:
    """Sum over categories where a score is such a sum; else over pairs of counts, if they are few.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> design = Design(DirichletPopulation((5.22, 0.86, 2.75)), n_raters=1, answers=1)
    >>> known = known_exactly(design, [0.3], [find_metric("total_variation"), find_metric("accuracy")])[0]
    >>> {name: round(float(mean), 4) for name, mean in known.means.items()}
    {'total_variation': 0.0534, 'accuracy': 0.0534}
    """
    m, k, r = design.sizes
    bases = {base.name: base for base in (metric.base for metric in metrics)}
    tables = {name: table for name, base in bases.items() if (table := category_table(base, m, k, r)) is not None}
    long = [name for name in tables if bases[name].long_tailed]  # their spread needs the squares of their terms
    rest = [base for name, base in bases.items() if name not in tables]
    both = np.array([*tables.values(), *(tables[name] ** 2 for name in long)]).reshape(-1, k + 1, r + 1)
    perturbed = [share * effect for effect in effects for share in (1.0, 0.5)]
    sums = expected_sums(design.population, [0.0, *perturbed], both)
    found = []
    for place, effect in enumerate(effects):
        own, mixture = sums[1 + 2 * place], sums[2 + 2 * place]
        gaps = dict(zip(tables, own - sums[0], strict=False))
        means = {name: gap * (1.0 if bases[name].better == "low" else -1.0) for name, gap in gaps.items()}
        means |= _rest_means(design, rest, effect)
        squares = {
            name: (tables[name] ** 2, float(sums[0, at] + own[at]), float(2 * mixture[at]))
            for at, name in enumerate(long, start=len(tables))
        }
        found.append(Known(effect, bases, means, squares))
    return found


def _rest_means(design: Design, rest: Sequence[Metric], effect: float) -> dict[str, float]:
    """Means of scores that are no sums over categories: over pairs of counts, if these are few or of one category."""
    m, k, r = design.sizes
    if not rest or (m > 2 and pair_work(m, k, r) > PAIR_WORK):
        return {}
    if m > 2:
        return exact_means(design.population, rest, k, r, effect)
    (alpha, beta), (rho, other) = design.population.alpha, design.population.noise
    tables = np.array([pair_scores(design.population, base, *(count_vectors(n, 2) for n in (k, r))) for base in rest])
    sums = pair_expectations((alpha, beta), (rho, other), (0.0, effect), tables)
    signs = [1.0 if base.better == "low" else -1.0 for base in rest]
    return {base.name: float(gap) for base, gap in zip(rest, signs * (sums[1] - sums[0]), strict=True)}
