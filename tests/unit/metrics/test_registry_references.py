"""Every item metric against a reference that goes response by response, as the definition is written."""

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from quorate.data.summaries import Counts, Means, Probabilities, Values
from quorate.metrics import find_metric, scores, settle
from quorate.metrics.item_scores import brier_excess, clipped_cells

LEVELS = [-1.0, 0.0, 2.0, 2.5]
M = len(LEVELS)
Answers = list[int]


def draw_answers(rng: np.random.Generator, n_items: int, low: int, high: int) -> list[Answers]:
    return [rng.integers(0, M, size=rng.integers(low, high + 1)).tolist() for _ in range(n_items)]


def counts_of(answers: Sequence[Answers]) -> Counts:
    return Counts(np.array([[row.count(m) for m in range(M)] for row in answers]), np.array(LEVELS))


def values_of(answers: Sequence[Answers]) -> Values:
    width = max(map(len, answers))
    table = [sorted(LEVELS[m] for m in row) + [np.nan] * (width - len(row)) for row in answers]
    return Values(np.array(table), np.array([len(row) for row in answers]))


def mean(x: Sequence[float]) -> float:
    return math.fsum(x) / len(x)


def winners(answers: Answers) -> list[int]:
    tally = Counter(answers)
    return [m for m in range(M) if tally[m] == max(tally.values())]


def share(answers: Answers, m: int) -> float:
    return mean([float(y == m) for y in answers])


def number(answers: Answers) -> list[float]:
    return [LEVELS[m] for m in answers]


def crps(y: Answers, x: Answers) -> float:
    return mean([abs(a - b) for a in number(x) for b in number(y)])


def own_spread(x: Answers) -> float:
    return sum(abs(a - b) for a in number(x) for b in number(x)) / (2 * len(x) * (len(x) - 1))


def kl(y: Answers, x: Answers) -> float:
    q = [(x.count(m) + 0.5) / (len(x) + 0.5 * M) for m in range(M)]
    return sum(share(y, m) * math.log(share(y, m) / q[m]) for m in set(y))


def kl_paper(y: Answers, x: Answers) -> float:
    g = [(y.count(m) + 1e-12) / (len(y) + M * 1e-12) for m in range(M)]
    q = [(x.count(m) + 1e-12) / (len(x) + M * 1e-12) for m in range(M)]
    return sum(g[m] * math.log(g[m] / q[m]) for m in range(M))


def cross_entropy(y: Answers, x: Answers) -> float:
    return mean([-math.log((x.count(m) + 0.5) / (len(x) + 0.5 * M)) for m in y])


def jsd(y: Answers, x: Answers) -> float:
    middle = [(share(y, m) + share(x, m)) / 2 for m in range(M)]
    parts = [share(z, m) * math.log2(share(z, m) / middle[m]) / 2 for z in (y, x) for m in set(z)]
    return math.sqrt(max(sum(parts), 0.0))


REFERENCES: dict[str, Callable[[Answers, Answers], float]] = {
    "agreement": lambda y, x: mean([float(a == b) for a in x for b in y]),
    # Each run is a one-hot forecast.
    "brier": lambda y, x: mean(
        [0.5 * sum((float(a == m) - float(b == m)) ** 2 for m in range(M)) for a in x for b in y]
    ),
    "crps": crps,
    "cross_entropy": cross_entropy,
    "accuracy": lambda y, x: mean([float(a in winners(y)) / len(winners(y)) for a in x]),
    "total_variation": lambda y, x: 0.5 * sum(abs(share(y, m) - share(x, m)) for m in range(M)),
    "kl": kl,
    "jensen_shannon": jsd,
    "mae": lambda y, x: abs(mean(number(y)) - mean(number(x))),
    "mse": lambda y, x: (mean(number(y)) - mean(number(x))) ** 2,
    "emd": lambda y, x: float(wasserstein_distance(number(y), number(x))),
}

PAPER_REFERENCES: dict[str, Callable[[Answers, Answers], float]] = {
    "accuracy": lambda y, x: float(winners(y)[0] == winners(x)[0]),
    "total_variation": lambda y, x: sum(abs(share(y, m) - share(x, m)) for m in range(M)) / M,
    "kl": kl_paper,
}


@pytest.fixture
def answers() -> tuple[list[Answers], list[Answers]]:
    rng = np.random.default_rng(20240)
    return draw_answers(rng, 60, 1, 7), draw_answers(rng, 60, 1, 5)


@pytest.mark.parametrize("name", REFERENCES)
def test_counts_equal_the_reference(name: str, answers: tuple[list[Answers], list[Answers]]) -> None:
    raters, system = answers
    expected = [REFERENCES[name](y, x) for y, x in zip(raters, system, strict=True)]
    got = find_metric(name).score(counts_of(raters), counts_of(system))
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", PAPER_REFERENCES)
def test_paper_variant_equals_the_reference(name: str, answers: tuple[list[Answers], list[Answers]]) -> None:
    raters, system = answers
    expected = [PAPER_REFERENCES[name](y, x) for y, x in zip(raters, system, strict=True)]
    got = find_metric(name, variant="paper").score(counts_of(raters), counts_of(system))
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["crps", "mae", "mse", "emd"])
def test_values_counts_and_mixtures_of_them_agree(name: str, answers: tuple[list[Answers], list[Answers]]) -> None:
    raters, system = answers
    score = find_metric(name).score
    expected = score(counts_of(raters), counts_of(system))
    for pair in ((values_of, values_of), (values_of, counts_of), (counts_of, values_of)):
        np.testing.assert_allclose(score(pair[0](raters), pair[1](system)), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["mae", "mse"])
def test_means_suffice(name: str, answers: tuple[list[Answers], list[Answers]]) -> None:
    raters, system = (counts_of(side) for side in answers)
    score = find_metric(name).score
    got = score(Means(raters.mean, raters.size), Means(system.mean, system.size))
    np.testing.assert_array_equal(got, score(raters, system))


@pytest.mark.parametrize("form", [counts_of, values_of])
def test_crps_subtracts_the_spread_if_every_system_answered_twice(form: Callable[..., Counts | Values]) -> None:
    rng = np.random.default_rng(3)
    raters, a, b, once = (draw_answers(rng, 40, *k) for k in ((1, 6), (2, 5), (3, 3), (1, 1)))
    crps_metric = find_metric("crps")
    with_spread = scores(crps_metric, form(raters), [form(a), form(b)])
    expected = [[crps(y, x) - own_spread(x) for y, x in zip(raters, s, strict=True)] for s in (a, b)]
    np.testing.assert_allclose(with_spread, expected, atol=1e-12)
    without = scores(crps_metric, form(raters), [form(a), form(once)])
    expected = [[crps(y, x) for y, x in zip(raters, s, strict=True)] for s in (a, once)]
    np.testing.assert_allclose(without, expected, atol=1e-12)
    assert settle(crps_metric, form(raters), [form(a), form(b)]).meaning.endswith("spread subtracted")
    assert settle(crps_metric, form(raters), [form(a), form(once)]).meaning.endswith("spread not subtracted")


def test_crps_of_probabilities_is_the_ranked_probability_score() -> None:
    # RPS = Σ_gap gap (F − 1[y ≤ level])², mean over raters.
    rng = np.random.default_rng(4)
    raters, p = draw_answers(rng, 30, 1, 5), rng.dirichlet(np.ones(M), size=30)
    expected = [
        mean(
            [sum((LEVELS[m + 1] - LEVELS[m]) * (sum(p[i][: m + 1]) - (y <= m)) ** 2 for m in range(M - 1)) for y in row]
        )
        for i, row in enumerate(raters)
    ]
    (got,) = scores(find_metric("crps"), counts_of(raters), [Probabilities(p, np.array(LEVELS))])
    np.testing.assert_allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("agreement", lambda y, p: mean([p[b] for b in y])),
        ("brier", lambda y, p: mean([0.5 * sum((p[m] - (b == m)) ** 2 for m in range(M)) for b in y])),
        ("cross_entropy", lambda y, p: mean([-math.log(max(p[b], 1e-6)) for b in y])),
        ("kl", lambda y, p: sum(share(y, m) * math.log(share(y, m) / max(p[m], 1e-6)) for m in set(y))),
        ("accuracy", lambda y, p: float(int(np.argmax(p)) in winners(y)) / len(winners(y))),
        ("total_variation", lambda y, p: 0.5 * sum(abs(share(y, m) - p[m]) for m in range(M))),
        ("emd", lambda y, p: float(wasserstein_distance(number(y), LEVELS, v_weights=p))),
    ],
)
def test_probabilities_equal_the_reference(name: str, reference: Callable[[Answers, list[float]], float]) -> None:
    rng = np.random.default_rng(5)
    raters, p = draw_answers(rng, 30, 1, 5), rng.dirichlet(np.full(M, 0.3), size=30)
    p[0] = [1.0, 0.0, 0.0, 0.0]
    got = find_metric(name).score(counts_of(raters), Probabilities(p, np.array(LEVELS)))
    np.testing.assert_allclose(got, [reference(y, q) for y, q in zip(raters, p.tolist(), strict=True)], atol=1e-12)


def test_earth_movers_distance_equals_scipy_with_weights() -> None:
    # Unequal, unsorted levels and weights on both sides; the last two items hold continuous values of ragged size.
    rng = np.random.default_rng(6)
    levels = np.array([3.0, -2.0, 0.5, 10.0])
    g, a = rng.integers(0, 9, size=(2, 50, 4)) + np.array([1, 0, 0, 0])
    expected = [wasserstein_distance(levels, levels, g[i], a[i]) for i in range(50)]
    got = find_metric("emd").score(Counts(g, levels), Counts(a, levels))
    np.testing.assert_allclose(got, expected, atol=1e-12)
    x, y = np.sort(rng.normal(size=(50, 6))), np.sort(rng.normal(size=(50, 9)))
    n_x, n_y = rng.integers(1, 7, size=50), rng.integers(1, 10, size=50)
    expected = [wasserstein_distance(x[i, : n_x[i]], y[i, : n_y[i]]) for i in range(50)]
    got = find_metric("emd").score(Values(x, n_x), Values(y, n_y))
    np.testing.assert_allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize("name", ["agreement", "brier", "crps", "cross_entropy", "mean_rating"])
def test_linear_scores_are_the_mean_credit_of_the_raters(
    name: str, answers: tuple[list[Answers], list[Answers]]
) -> None:
    raters, system = answers
    metric = find_metric(name)
    assert metric.linear
    assert metric.credit is not None
    given = counts_of(raters if name == "mean_rating" else system)
    credit = metric.credit(given)
    expected = [mean([credit[i, y] for y in row]) for i, row in enumerate(raters)]
    np.testing.assert_allclose(metric.score(counts_of(raters), given), expected, atol=1e-12)
    if metric.answer_credit is not None:
        table = metric.answer_credit(given, np.broadcast_to(LEVELS, credit.shape))
        np.testing.assert_allclose(table, credit, atol=1e-12)


def test_brier_excess_by_hand() -> None:
    # Two raters who differ, forecast (½, ½): brier = ¼; ½ P(two raters differ) = ½; excess −¼.
    # Three raters 2:1, forecast (1, 0): brier = 1/3; P(differ) = 2/3, half of it 1/3; excess 0. One rater: not defined.
    raters = Counts(np.array([[1, 1], [2, 1], [1, 0]]))
    p = Probabilities(np.array([[0.5, 0.5], [1.0, 0.0], [1.0, 0.0]]))
    np.testing.assert_allclose(brier_excess(raters, p), [-0.25, 0.0, np.nan], atol=1e-15)


def test_clipped_cells_are_counted() -> None:
    p = Probabilities(np.array([[1.0, 0.0, 0.0], [1 - 1e-7, 1e-7, 0.0], [0.4, 0.3, 0.3]]))
    assert clipped_cells(p) == 4
    assert clipped_cells(Counts(np.array([[1, 0, 0]]))) == 0


@pytest.mark.parametrize("name", [*REFERENCES, "mean_rating"])
def test_leading_axes_are_replicates(name: str) -> None:
    rng = np.random.default_rng(7)
    raters = Counts(rng.multinomial(4, np.ones(M) / M, size=(3, 2, 10)), np.array(LEVELS))
    system = Counts(rng.multinomial(3, np.ones(M) / M, size=(2, 10)), np.array(LEVELS))
    got = find_metric(name).score(raters, system)
    assert got.shape == (3, 2, 10)
    for i, j in np.ndindex(3, 2):
        one = find_metric(name).score(
            Counts(raters.counts[i, j], raters.levels), Counts(system.counts[j], system.levels)
        )
        np.testing.assert_allclose(got[i, j], one, atol=1e-14)
