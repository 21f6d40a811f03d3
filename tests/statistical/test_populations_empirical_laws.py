"""Empirical populations: exact laws of small tables by enumeration, and rater effects on the crossed DICES data."""

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import quorate
from quorate._random import generator
from quorate._typing import Array
from quorate.populations.files import coded_ratings
from quorate.populations.resampled import EmpiricalPopulation, ResampleUnit, resampled
from tests.draws import counts_of
from tests.studies import pick

FAR = 2 * stats.norm.sf(5)
DRAWS = 40_000
TABLE = np.array([[0, 0, 1], [1, 0, 1]])  # 2 items × 3 raters
Law = dict[tuple[int, ...], float]


def population(unit: ResampleUnit) -> EmpiricalPopulation:
    item, rater = np.divmod(np.arange(6), 3)
    return EmpiricalPopulation(coded_ratings(item, TABLE.ravel(), rater, ("no", "yes")), unit)


def ones(unit: ResampleUnit) -> Array:
    """Answers "yes" to the two drawn items by two raters, ``(draw, 2)``."""
    rng = generator(0, "empirical", unit)
    return counts_of(population(unit).draw(n_replicates=DRAWS, n_items=2, n_raters=2, rng=rng).raters)[..., 1]


def law_of(outcomes: list[tuple[int, ...]]) -> Law:
    return {key: count / len(outcomes) for key, count in Counter(outcomes).items()}


def crossed_law() -> Law:
    items, raters = list(itertools.product(range(2), repeat=2)), list(itertools.product(range(3), repeat=2))
    return law_of([tuple(int(TABLE[i, list(r)].sum()) for i in pair) for pair in items for r in raters])


def within_law() -> Law:
    one = [(i, int(TABLE[i, list(r)].sum())) for i in range(2) for r in itertools.product(range(3), repeat=2)]
    return law_of([(x, y) for (_, x), (_, y) in itertools.product(one, repeat=2)])


def kept_law() -> Law:
    one = [int(TABLE[i, list(r)].sum()) for i in range(2) for r in itertools.combinations(range(3), 2)]
    return law_of(list(itertools.product(one, repeat=2)))


def fit_p(draws: Array, law: Law) -> float:
    seen = Counter(map(tuple, draws.tolist()))
    if set(seen) - set(law):
        return 0.0
    observed = np.array([seen[key] for key in law])
    return float(stats.chisquare(observed, np.array(list(law.values())) * DRAWS).pvalue)


LAWS = {
    "items+raters": crossed_law(),
    "raters-within-items": within_law(),
    "items+answers": within_law(),
    "items": kept_law(),
}


@pytest.mark.parametrize("unit", LAWS)
def test_small_tables_have_their_enumerated_law(unit: ResampleUnit) -> None:
    assert fit_p(ones(unit), LAWS[unit]) > FAR


@pytest.mark.parametrize(
    ("unit", "law"), [("items+raters", "items"), ("raters-within-items", "items+raters"), ("items", "items+answers")]
)
def test_control_the_law_of_another_unit_is_found_out(unit: ResampleUnit, law: str) -> None:
    assert fit_p(ones(unit), LAWS[law]) < FAR


def batch_counts() -> Array:
    """Two batches: items 0, 1 by raters 0, 1 and item 2 by raters 2, 3; three places, one rater each."""
    table = coded_ratings(np.array([0, 0, 1, 1, 2, 2]), np.arange(6), np.array([0, 1, 0, 1, 2, 3]), tuple("abcdef"))
    study = EmpiricalPopulation(table, "batches").draw(
        n_replicates=DRAWS, n_items=3, n_raters=1, rng=generator(0, "empirical", "batches")
    )
    return np.asarray(counts_of(study.raters).argmax(-1))


def batch_law() -> Law:
    """Three occurrences always fill three places; the occurrence that runs over gives its items in random order."""
    outcomes = []
    for blocks in itertools.product(("pair", "single"), repeat=3):
        for raters in itertools.product(range(2), repeat=3):
            for order in ((0, 1), (1, 0)):
                places: list[int] = []
                for block, rater in zip(blocks, raters, strict=True):
                    room = 3 - len(places)
                    # The occurrence that takes the last place comes in random order, whether or not it is cut.
                    if block == "pair":
                        items = order if room <= 2 else (0, 1)
                        places += [2 * i + rater for i in items][:room]
                    elif room:
                        places.append(4 + rater)
                outcomes.append(tuple(places))
    return law_of(outcomes)


def test_batches_have_their_enumerated_law() -> None:
    assert fit_p(batch_counts(), batch_law()) > FAR


@pytest.mark.parametrize("unit", ["items", "raters-within-items", "items+raters"])
@pytest.mark.parametrize("null", [False, True])
def test_replaced_answers_have_the_mean_they_should(unit: ResampleUnit, null: bool) -> None:
    # Mean share of yes: 3/6 among raters, ½ in the noise of two categories – so use the no-yes-maybe table instead.
    item, rater = np.divmod(np.arange(6), 3)
    world = EmpiricalPopulation(coded_ratings(item, np.array([0, 0, 1, 0, 0, 1]), rater, ("no", "yes", "maybe")), unit)
    sizes: dict[str, Any] = {"n_replicates": DRAWS, "n_items": 1, "n_raters": 1, "answers": 2}
    effects: dict[str, Any] = {"effect": 0.6, "effect_a": 0.2}
    study = world.draw(**sizes, **effects, null=null, rng=generator(0, "empirical", "mean", unit, int(null)))
    beta, noise = np.array([2 / 3, 1 / 3, 0.0]), np.full(3, 1 / 3)
    for summary, effect in ((study.a, 0.4 if null else 0.2), (study.b, 0.4 if null else 0.6)):
        share = counts_of(summary)[:, 0] / 2
        error = 5 * share.std(0) / np.sqrt(DRAWS)
        assert (np.abs(share.mean(0) - ((1 - effect) * beta + effect * noise)) < error).all()
        wrong = (1 - effect - 0.1) * beta + (effect + 0.1) * noise  # a replacement rate off by 0.1
        assert (np.abs(share.mean(0) - wrong) > error).any()


def expected_p(data: Path, unit: str, n_items: int, n_raters: int, metric: str) -> tuple[float, float]:
    """Multilevel's p at ε = 0.3 with its Monte-Carlo error, from ten batches of 200 + 200 replicates."""
    world = resampled(quorate.read_ratings(data, order=["No", "Unsure", "Yes"]), unit)

    def results(null: bool, batch: int) -> Array:
        rng = generator(0, "empirical", "dices", unit, metric, int(null), batch)
        sizes: dict[str, Any] = {"n_replicates": 200, "n_items": n_items, "n_raters": n_raters, "effect": 0.3}
        study = world.draw(**sizes, answers="raters", null=null, rng=rng)
        if metric == "accuracy":  # first-category ties
            g, a, b = (counts_of(s).argmax(-1) for s in (study.raters, study.a, study.b))
            return np.asarray((a == g).mean(-1) - (b == g).mean(-1))
        g, a, b = (counts_of(s) @ np.array([0.0, 0.5, 1.0]) / n_raters for s in (study.raters, study.a, study.b))
        return np.asarray((np.abs(b - g) - np.abs(a - g)).mean(-1))

    ps = [(results(True, k) >= results(False, k)[:, None] - 1e-12).mean() for k in range(10)]
    return float(np.mean(ps)), float(np.std(ps, ddof=1) / np.sqrt(10))


@pytest.mark.parametrize(
    ("unit", "n_items", "n_raters", "metric", "value", "digits"),
    [
        *pick([], [("S1", 125, 40, "accuracy", 0.07, 0.01), ("S2", 125, 40, "accuracy", 0.04, 0.005)]),
        ("S1", 10, 100, "mae", 0.043, 0.0005),
        ("S2", 25, 40, "mae", 0.031, 0.0005),
    ],
)
def test_crossed_raters_raise_p_on_dices(
    shared: Path, unit: str, n_items: int, n_raters: int, metric: str, value: float, digits: float
) -> None:
    # The values were found by brute force (spec §4); S1 accuracy there is "about 0.07", 0.079 in a longer run.
    p, error = expected_p(shared / "dices_350" / "annotations.csv.gz", unit, n_items, n_raters, metric)
    assert abs(p - value) < digits + 5 * error
