"""Empirical populations: what each unit keeps together, checked on tables made so that it shows."""

import itertools
from typing import Any

import numpy as np
import pytest

from quorate import InputError
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.topology import find_batches
from quorate.populations.crossed import filled_share
from quorate.populations.files import coded_ratings
from quorate.populations.population import Draw
from quorate.populations.resampled import (
    EmpiricalPopulation,
    ResampleUnit,
    answer_shares,
    averaged_raters,
    limit_raters,
    resampled,
)
from tests.draws import counts_of, panel_of, shares_of

NAMES = tuple("abcdefgh")


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def crossed(n_items: int, n_raters: int, response: Array) -> Ratings:
    item, rater = np.divmod(np.arange(n_items * n_raters), n_raters)
    return coded_ratings(item, response.ravel(), rater, NAMES)


def stubborn(n_items: int = 6, n_raters: int = 4) -> Ratings:
    """Every rater gives the same answer, their own, to every item."""
    return crossed(n_items, n_raters, np.tile(np.arange(n_raters), (n_items, 1)))


def in_batches() -> Ratings:
    """Three batches of 2, 3 and 4 items with 2, 3 and 2 raters; a rater's answer is their number."""
    sizes, raters = (2, 3, 4), ((0, 1), (2, 3, 4), (5, 6))
    start = 0
    rows = []
    for n_items, group in zip(sizes, raters, strict=True):
        rows += [(start + i, r) for i, r in itertools.product(range(n_items), group)]
        start += n_items
    item, rater = np.array(rows).T
    return coded_ratings(item, rater.copy(), rater, NAMES)


def draw(table: Ratings, unit: ResampleUnit, **sizes: Any) -> Draw:
    arguments = {"n_replicates": 50, "n_items": 7, "n_raters": 3, "rng": rng(), **sizes}
    return EmpiricalPopulation(table, unit).draw(**arguments)


def test_crossed_raters_answer_all_items() -> None:
    study = draw(stubborn(), "items+raters")
    response = panel_of(study).response
    assert (response == response[:, :1]).all()  # a seat gives its own answer to every item
    assert (panel_of(study).rater == np.arange(3)).all()
    counts = counts_of(study.raters)
    np.testing.assert_array_equal(counts, (response[..., None] == np.arange(8)).sum(-2))


def test_crossed_systems_are_raters_of_their_own() -> None:
    study = draw(stubborn(), "items+raters", answers="raters", n_replicates=200)
    a, b = counts_of(study.a), counts_of(study.b)
    assert (a == a[:, :1]).all()
    assert (b == b[:, :1]).all()
    assert not (a == b).all()
    assert not (a == counts_of(study.raters)).all()


def test_raters_within_items_are_strangers() -> None:
    study = draw(stubborn(), "raters-within-items")
    counts = counts_of(study.raters)
    assert not (counts == counts[:, :1]).all()
    assert study.panel is None


def test_batches_stay_whole_and_share_their_raters() -> None:
    study = draw(in_batches(), "batches", n_items=9, n_replicates=300)
    panel = panel_of(study)
    group = np.array([0, 0, 1, 1, 1, 2, 2])
    for response, rater in zip(panel.response, panel.rater, strict=True):
        batch = group[response]
        assert (batch == batch[:, :1]).all()  # all raters of an item come from its batch
        runs = [list(places) for _, places in itertools.groupby(range(9), key=lambda place: rater[place, 0])]
        for run in runs[:-1]:
            assert len(run) == (2, 3, 4)[batch[run[0], 0]]  # a batch comes with all its items …
            assert (response[run] == response[run[0]]).all()  # … and the same raters for all of them
        assert len(runs[-1]) <= (2, 3, 4)[batch[runs[-1][0], 0]]


def test_items_keep_the_answers_they_have() -> None:
    counts = np.array([[3, 1, 0], [0, 2, 2], [1, 1, 2]])
    item = np.repeat(np.arange(3), 4)
    table = coded_ratings(item, np.concatenate([np.repeat(np.arange(3), c) for c in counts]), None, ("a", "b", "c"))
    drawn = counts_of(draw(table, "items", n_raters=4).raters).reshape(-1, 3)
    assert {tuple(row) for row in drawn} == {tuple(row) for row in counts}
    part = counts_of(draw(table, "items", n_raters=3).raters).reshape(-1, 3)
    assert all(any((row <= count).all() for count in counts) for row in part)
    more = counts_of(draw(table, "items", n_raters=9).raters)
    assert (more.sum(-1) == 9).all()


def test_effect_one_replaces_every_answer() -> None:
    # Everybody says "a"; noise falls on all eight names, an unperturbed system never leaves "a".
    table = crossed(4, 3, np.zeros((4, 3), dtype=int))
    for unit in ("items", "items+answers", "raters-within-items", "items+raters"):
        study = draw(table, unit, effect=1.0, answers=5)
        assert (counts_of(study.a)[..., 0] == 5).all()
        assert (counts_of(study.b)[..., 0] < 5).any()
        assert (counts_of(study.b).sum(-1) == 5).all()


def test_probabilities_mix_the_items_shares_with_noise() -> None:
    table = crossed(1, 4, np.array([[0, 0, 0, 1]]))
    for unit in ("items", "items+raters", "raters-within-items"):
        study = draw(table, unit, effect=0.0, answers="probabilities")
        np.testing.assert_allclose(shares_of(study.b)[..., :2], np.broadcast_to([0.75, 0.25], (50, 7, 2)))


def test_raters_weigh_the_same_however_often_they_answered() -> None:
    # One rater says b three times, another says a once: by response a has 1/4, by rater 1/2.
    table = coded_ratings(np.zeros(4, int), np.array([1, 1, 1, 0]), np.array([0, 0, 0, 1]), ("a", "b"))
    np.testing.assert_allclose(answer_shares(table, by_rater=False), [[0.25, 0.75]])
    np.testing.assert_allclose(answer_shares(table, by_rater=True), [[0.5, 0.5]])


def test_a_missing_cell_is_filled_by_a_rater_of_the_item() -> None:
    # The answer names item and rater: 0 1 to item 0, which rater 2 skipped, 2 3 4 to item 1, 5 6 7 to item 2.
    item, rater = np.array([0, 0, 1, 1, 1, 2, 2, 2]), np.array([0, 1, 0, 1, 2, 0, 1, 2])
    study = draw(coded_ratings(item, np.arange(8), rater, NAMES), "items+raters", n_replicates=400, n_raters=2)
    response = panel_of(study).response
    of_item, of_rater = item[response], rater[response]
    assert (of_item == of_item[..., :1]).all()
    third = (of_rater == 2).any(1)[:, None, :]  # seats that rater 2 fills
    stand_ins = response[third & (of_item == 0)]
    assert set(stand_ins) == {0, 1}
    assert (of_rater[third & (of_item > 0)] == 2).all()


def test_repeated_answers_are_all_drawn() -> None:
    # Rater 0 gave both a and b to the only item.
    table = coded_ratings(np.zeros(2, int), np.array([0, 1]), np.zeros(2, int), ("a", "b"))
    counts = counts_of(draw(table, "items+raters", n_raters=1).raters)
    assert counts[..., 0].any()
    assert counts[..., 1].any()


def test_limiting_the_pool_keeps_so_many_raters() -> None:
    limited = limit_raters(in_batches(), 3, rng=rng())
    assert limited.n_raters == 3
    assert (np.bincount(limited.item) > 0).all()
    assert limited.raters is not None
    assert limited.rater is not None
    assert [int(name) for name in limited.raters.gather(limited.rater)] == limited.response.tolist()
    with pytest.raises(InputError, match="between 1 and 7 raters, not 8"):
        limit_raters(in_batches(), 8, rng=rng())


def test_batches_of_disjoint_raters_may_have_holes() -> None:
    # Two groups of 5 raters × 4 items, one cell of 40 missing: still two batches.
    item = np.repeat(np.arange(8), 5)
    rater = np.tile(np.arange(5), 8) + 5 * (item >= 4)
    table = coded_ratings(item[1:], np.zeros(39, int), rater[1:], NAMES)
    assert find_batches(table).tolist() == [0] * 4 + [1] * 4
    assert filled_share(table) == 39 / 80


def test_a_shared_rater_makes_one_batch_of_two() -> None:
    # Items 0 and 1 by raters 0 and 1, items 2 and 3 by raters 1 and 2: equal sets of raters, but not independent.
    item, rater = np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([0, 1, 0, 1, 1, 2, 1, 2])
    table = coded_ratings(item, np.zeros(8, int), rater, NAMES)
    assert find_batches(table).tolist() == [0, 0, 0, 0]
    with pytest.raises(InputError, match="only one batch"):
        EmpiricalPopulation(table, "batches")


def test_batches_that_are_mostly_holes_are_refused_and_not_chosen() -> None:
    # Two batches of 6 items × 6 raters, in which every item has two raters in a ring: a third of the cells.
    item = np.repeat(np.arange(12), 2)
    rater = (item + np.tile([0, 1], 12)) % 6 + 6 * (item >= 6)
    table = coded_ratings(item, np.zeros(24, int), rater, NAMES)
    assert find_batches(table).tolist() == [0] * 6 + [1] * 6
    assert resampled(table).unit == "raters-within-items"
    assert "habits average out" in averaged_raters(resampled(table))[0]
    assert averaged_raters(resampled(in_batches())) == ()
    with pytest.raises(InputError, match=r"batches needs raters crossed with items, but only 33\.3%"):
        EmpiricalPopulation(table, "batches")
    with pytest.raises(InputError, match=r"resample raters-within-items$"):  # batches would be refused as well
        EmpiricalPopulation(table, "items+raters")


def test_relabelling_items_and_raters_changes_no_batch() -> None:
    table, shuffled = in_batches(), rng().permutation(9)
    other = coded_ratings(shuffled[table.item], table.response, 6 - np.asarray(table.rater), NAMES)
    before, after = find_batches(table), find_batches(other)[shuffled]
    assert (np.equal.outer(before, before) == np.equal.outer(after, after)).all()


@pytest.mark.parametrize(
    ("table", "unit", "word"),
    [
        (in_batches(), "items+raters", "only 33.3% of the cells"),
        (stubborn(), "batches", "only one batch"),
        (stubborn(), "teams", "unit must be one of"),
        (coded_ratings(np.zeros(2, int), np.array([0, 1]), None, ("a", "b")), "items+raters", "do not say who"),
    ],
)
def test_units_that_do_not_suit_the_table_are_refused(table: Ratings, unit: ResampleUnit, word: str) -> None:
    with pytest.raises(InputError, match=word):
        EmpiricalPopulation(table, unit)


def test_auto_looks_at_the_table() -> None:
    from quorate.data.read_ratings import read_ratings

    table = in_batches()
    rows = {"item": table.item, "rater": table.rater, "response": [NAMES[r] for r in table.response]}
    assert resampled(read_ratings(rows)).unit == "batches"
    assert resampled(read_ratings({k: v for k, v in rows.items() if k != "rater"})).unit == "items+answers"
    assert resampled(read_ratings(rows), "S2").unit == "raters-within-items"
    with pytest.raises(InputError, match="'S4' is not a unit"):
        resampled(read_ratings(rows), "S4")
