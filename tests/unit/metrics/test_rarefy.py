"""Rarefaction against an enumeration of every subset of the answers."""

from itertools import combinations

import numpy as np
import pytest

from quorate._errors import InputError
from quorate.data.summaries import Counts, Means, Probabilities, Summary, Values
from quorate.metrics import contest, find_metric, item_terms, scores

LEVELS = np.array([0.0, 1.0, 2.5])
RAREFIED = ["total_variation", "kl", "jensen_shannon", "mae", "mse", "emd", "cross_entropy"]


def one_item(answers: tuple[int, ...]) -> Counts:
    return Counts(np.array([[answers.count(m) for m in range(3)]]), LEVELS)


def values_of(counts: Counts) -> Values:
    rows = [np.repeat(LEVELS, row) for row in counts.counts]
    width = max(map(len, rows))
    return Values(np.array([np.pad(row, (0, width - len(row))) for row in rows]), counts.size)


def expected_by_subsets(name: str, raters: Counts, system: Counts, target: np.ndarray) -> np.ndarray:
    result = []
    for g, row, r in zip(raters.counts, system.counts, target, strict=True):
        answers = np.repeat(np.arange(3), row).tolist()
        subsets = list(combinations(answers, int(r)))
        item = Counts(g[None], LEVELS)
        result.append(np.mean([find_metric(name).score(item, one_item(s))[0] for s in subsets]))
    return np.array(result)


@pytest.fixture
def panel() -> tuple[Counts, Counts, Counts]:
    rng = np.random.default_rng(31)
    raters = Counts(rng.multinomial(4, np.ones(3) / 3, size=25), LEVELS)
    many = Counts(rng.multinomial(rng.integers(3, 7, size=25), np.ones(3) / 3), LEVELS)
    few = Counts(rng.multinomial(rng.integers(1, 5, size=25), np.ones(3) / 3), LEVELS)
    return raters, many, few


@pytest.mark.parametrize("name", RAREFIED)
def test_rarefied_scores_are_means_over_all_subsets(name: str, panel: tuple[Counts, Counts, Counts]) -> None:
    raters, many, few = panel
    target = np.minimum(many.size, few.size)
    got = scores(find_metric(name), raters, [many, few])
    for value, system in zip(got, (many, few), strict=True):
        np.testing.assert_allclose(value, expected_by_subsets(name, raters, system, target), atol=1e-12)


@pytest.mark.parametrize("name", ["mae", "mse", "emd"])
def test_values_are_rarefied_like_counts(name: str, panel: tuple[Counts, Counts, Counts]) -> None:
    raters, many, few = panel
    expected = scores(find_metric(name), raters, [many, few])
    forms: list[tuple[Summary, ...]] = [tuple(map(values_of, panel)), (raters, values_of(many), values_of(few))]
    if name != "emd":
        forms.append((Means(raters.mean, raters.size), values_of(many), values_of(few)))
    for g, a, b in forms:
        np.testing.assert_allclose(scores(find_metric(name), g, [a, b]), expected, atol=1e-12)


def test_set_scores_rarefy_their_terms(panel: tuple[Counts, Counts, Counts]) -> None:
    raters, many, few = panel
    (squares, _), _ = (t.T for t in item_terms(find_metric("rmse"), raters, [many, few]))
    np.testing.assert_allclose(squares, scores(find_metric("mse"), raters, [many, few])[0], atol=1e-12)
    rmse = scores(find_metric("rmse"), raters, [many, few])[0]
    assert float(rmse) == pytest.approx(float(np.sqrt(squares.mean())), abs=1e-12)


def test_five_answers_brought_down_to_one_by_hand() -> None:
    # Raters 3:1; answers A A B: asked once, A (TV ¼) with chance 2/3 and B (TV ¾) with 1/3: 5/12.
    raters, thrice, once = (Counts(np.array([x])) for x in ([3, 1], [2, 1], [1, 0]))
    got = scores(find_metric("total_variation"), raters, [thrice, once])
    np.testing.assert_allclose(got, [[5 / 12], [1 / 4]], atol=1e-15)
    # Wins: asked once, A ties with the rival's A two times in three and B loses one time in three.
    assert float(contest(find_metric("wins"), raters, thrice, once)[0]) == pytest.approx(-1 / 3, abs=1e-15)
    assert float(contest(find_metric("wins"), raters, once, thrice)[0]) == pytest.approx(1 / 3, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("total_variation", Counts),
        ("agreement", Counts),
        ("mae", Counts),
        ("crps", Counts),
        ("mae", Values),
        ("crps", Values),
    ],
)
def test_wins_are_expected_signs_over_all_subsets(name: str, form: type, panel: tuple[Counts, Counts, Counts]) -> None:
    raters, a, b = panel
    metric = find_metric(name)
    assert (a.size > b.size).any()
    assert (a.size < b.size).any()
    assert min(a.size.min(), b.size.min()) == 1  # so that crps subtracts no spread

    def sign(item: Counts, x: tuple[int, ...], y: tuple[int, ...]) -> float:
        difference = float(metric.score(item, one_item(x))[0] - metric.score(item, one_item(y))[0])
        return 0.0 if abs(difference) < 1e-12 else float(np.sign(difference)) * (1 if metric.better == "high" else -1)

    expected = []
    for g, row_a, row_b in zip(raters.counts, a.counts, b.counts, strict=True):
        r = min(row_a.sum(), row_b.sum())
        of_a, of_b = (list(combinations(np.repeat(np.arange(3), row).tolist(), int(r))) for row in (row_a, row_b))
        expected.append(np.mean([sign(Counts(g[None], LEVELS), x, y) for x in of_a for y in of_b]))
    given = panel if form is Counts else tuple(map(values_of, panel))
    got = contest(find_metric(f"wins:{name}"), *given)
    np.testing.assert_allclose(got, expected, atol=1e-12)
    won, lost = scores(find_metric(f"wins:{name}"), given[0], given[1:])
    np.testing.assert_allclose(won - lost, got, atol=1e-15)


def test_leading_axes_are_rarefied(panel: tuple[Counts, Counts, Counts]) -> None:
    raters, many, few = panel
    stacked = Counts(np.stack([raters.counts, raters.counts[::-1]]), LEVELS)
    got = scores(find_metric("total_variation"), stacked, [many, few])[0]
    assert got.shape == (2, 25)
    np.testing.assert_array_equal(got[0], scores(find_metric("total_variation"), raters, [many, few])[0])


def test_equal_numbers_and_unbiased_metrics_are_left_alone(panel: tuple[Counts, Counts, Counts]) -> None:
    raters, many, few = panel
    for name in ("agreement", "brier", "accuracy"):
        metric = find_metric(name)
        np.testing.assert_array_equal(scores(metric, raters, [many, few])[0], metric.score(raters, many))
    tv = find_metric("total_variation")
    np.testing.assert_array_equal(scores(tv, raters, [many, many])[0], tv.score(raters, many))


def test_too_many_subsamples_are_refused_at_once() -> None:
    rng = np.random.default_rng(1)
    raters = Counts(rng.multinomial(5, np.ones(8) / 8, size=10))
    many, half = (Counts(rng.multinomial(n, np.ones(8) / 8, size=10)) for n in (200, 100))
    with pytest.raises(InputError, match=r"200 answers per item down to 100 needs .* sub-samples"):
        scores(find_metric("kl"), raters, [many, half])
    values = Values(np.sort(rng.normal(size=(10, 2000))), np.full(10, 2000))
    with pytest.raises(InputError, match="sub-samples"):
        scores(find_metric("emd"), values, [values, Values(values.values[:, :1000], np.full(10, 1000))])


def test_means_cannot_be_rarefied() -> None:
    raters, a, b = (Means(np.array([0.5]), np.array([n])) for n in (3, 2, 1))
    with pytest.raises(InputError, match="different numbers of answers"):
        scores(find_metric("mae"), raters, [a, b])


def test_probabilities_need_no_rarefaction() -> None:
    p = Probabilities(np.array([[0.25, 0.75]]))
    assert scores(find_metric("total_variation"), Counts(np.array([[3, 1]])), [p, p])[0] == 0.5
