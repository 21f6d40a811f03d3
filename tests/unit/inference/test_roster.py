"""Who gave which answer: differences in the eyes of each rater, and systems with raters of their own, by hand."""

from dataclasses import replace

import numpy as np
import pytest

from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.inference.crossed import effective_number, two_way_variance
from quorate.inference.joint_errors import error_columns
from quorate.inference.pivot import Pivot
from quorate.inference.roster import Roster, pair_by_raters, rated_pivot, split_pivot
from quorate.inference.scored_systems import ScoredSystems, score_split, score_systems
from quorate.metrics import find_metric


def test_each_rater_sides_with_the_system_that_gave_the_same_answer() -> None:
    # A always answers 0, B always 1; all ratings are 0 but the last: +1, +1, +1, −1, by item 1 and 0, by rater 1 and 0.
    votes, zeros, ones = (Counts(np.array(x)) for x in ([[2, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 1], [0, 1]]))
    systems = score_systems(find_metric("agreement"), votes, [zeros, ones])
    roster = Roster(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1]), 2, 2)
    pivot = pair_by_raters(systems, 0, 1, [roster, roster])
    assert float(pivot.estimate) == 0.5
    assert pivot.units.tolist() == [1.0, 0.0]
    # MS_items = MS_raters = MS_rest = 1 over four cells.
    [raters] = pivot.variance.others
    parts = [pivot.variance.items.variance, raters.variance, np.asarray(raters.less)]
    np.testing.assert_allclose(np.stack(parts), 0.25)


def own_raters(rater: Array) -> Roster:
    """A rating per item, by the rater given."""
    n = len(rater)
    return Roster(np.arange(n), rater, np.zeros(n, dtype=int), n, int(rater.max()) + 1)


def test_two_teams_that_share_nobody_are_known_each_on_its_own() -> None:
    rng = np.random.default_rng(0)
    rosters = tuple(own_raters(start + rng.permutation(np.arange(24) % size)) for start, size in ((0, 3), (3, 4)))
    tables = tuple(rng.normal(size=(24, 1)) for _ in range(2))
    pivot = rated_pivot((rosters[0], rosters[1]), (tables[0], tables[1]))
    d = (tables[0] - tables[1])[:, 0]
    assert float(pivot.estimate) == pytest.approx(d.mean())
    assert float(pivot.variance.items.variance) == pytest.approx(d.var(ddof=1) / 24)
    for part, roster, table in zip(pivot.variance.others, rosters, tables, strict=True):
        alone = two_way_variance(table[:, 0], roster.crossing).others[0]
        assert float(part.variance) == pytest.approx(float(alone.variance))
    assert [float(part.df) for part in pivot.variance.others] == pytest.approx([2.0, 3.0])


def test_one_person_is_no_team() -> None:
    rosters = own_raters(np.zeros(6, dtype=int)), own_raters(np.arange(6) % 2 + 1)
    rng = np.random.default_rng(1)
    outcome = rated_pivot(rosters, (rng.normal(5, 1, (6, 1)), rng.normal(0, 1, (6, 1)))).outcome(0.95)
    assert float(outcome.p_value) == pytest.approx(1.0)
    assert np.isnan(outcome.se)


def test_people_who_rated_outputs_of_both_systems_on_different_items() -> None:
    # Each item's two outputs went to different people of the same six.
    rng = np.random.default_rng(2)
    seats = np.array([rng.permutation(6)[:2] for _ in range(40)])
    tables = rng.normal(size=(40, 1)), rng.normal(size=(40, 1))
    pivot = rated_pivot((own_raters(seats[:, 0]), own_raters(seats[:, 1])), tables)
    moved = [(table[:, 0] - table.mean()) / 40 for table in tables]
    sums = np.bincount(seats[:, 0], moved[0], 6) - np.bincount(seats[:, 1], moved[1], 6)
    people = float(effective_number(np.bincount(seats.reshape(-1))))
    [part] = pivot.variance.others
    assert float(part.variance) == pytest.approx((sums**2).sum() * people / (people - 1))
    assert float(part.less) == pytest.approx(sum((each**2).sum() for each in moved))
    assert float(part.df) == pytest.approx(people - 1)


def split(seed: int = 0, n: int = 30) -> tuple[ScoredSystems, Counts]:
    """Three votes on each item, the first ten items answered by A, the others by B."""
    rng = np.random.default_rng(seed)
    votes = Counts(rng.multinomial(3, [0.6, 0.4], n))
    said = np.eye(2, dtype=int)[rng.integers(0, 2, n)]
    first = np.arange(n)[:, None] < 10
    systems = [Counts(said * first), Counts(said * ~first)]
    return score_split(find_metric("agreement"), votes, systems, [np.arange(10), np.arange(10, n)]), votes


def test_systems_that_share_no_item_are_two_samples() -> None:
    systems, _ = split()
    a, b = systems.values
    pivot = split_pivot(systems, 0, 1, None)
    assert float(pivot.estimate) == pytest.approx(a.mean() - b.mean())
    assert float(pivot.variance.total) == pytest.approx(a.var(ddof=1) / 10 + b.var(ddof=1) / 20)
    assert float(pivot.variance.df) == 9
    swapped = split_pivot(systems, 1, 0, None)
    assert float(swapped.estimate) == pytest.approx(-float(pivot.estimate))
    assert systems.pair(0, 1).differences.mean() == pytest.approx(a.mean() - b.mean())


def test_raters_of_both_systems_move_both() -> None:
    # Three raters, all of them on every item: what each does to A's mean less what she does to B's.
    systems, votes = split()
    counts = votes.counts
    place = np.concatenate([np.repeat([0, 1], row) for row in counts])
    roster = Roster(np.repeat(np.arange(30), 3), np.tile(np.arange(3), 30), place, 30, 3)
    pivot = split_pivot(systems, 0, 1, roster)
    table = np.concatenate(systems.answer_values)  # (item, category): 1 where the vote is the system's answer
    agreed = table[roster.item, roster.place].reshape(30, 3)
    moved = [(agreed[rows] - agreed[rows].mean()) / agreed[rows].size for rows in (slice(0, 10), slice(10, 30))]
    sums = moved[0].sum(0) - moved[1].sum(0)
    [people] = pivot.variance.others
    assert float(people.variance) == pytest.approx((sums**2).sum() * 3 / 2)
    assert float(people.less) == pytest.approx(sum((each**2).sum() for each in moved))
    assert float(people.df) == pytest.approx(2)


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("metric", ["agreement", "total_variation", "kl", "mae", "wins:mae"])
def test_answers_read_in_pieces_say_what_all_of_them_say(metric: str, repeated: bool) -> None:
    rng = np.random.default_rng(3)
    item = np.sort(np.concatenate([np.arange(60), rng.integers(0, 60, 200)]))
    rater = rng.integers(0, 8, 260)
    place, count = rng.integers(0, 4, 260), rng.integers(1, 3, 260) if repeated else None
    order = np.lexsort((place, rater, item))
    whole = Roster(item[order], rater[order], place[order], 60, 8, count, paired=True)
    votes = np.zeros((60, 4), dtype=int)
    np.add.at(votes, (whole.item, whole.place), 1 if count is None else count)
    answers = np.eye(4, dtype=int)[rng.integers(0, 4, (3, 60))]
    told = [Counts(each, np.arange(4.0)) for each in (votes, *answers)]
    results = []
    for roster, at_once in ((whole, 60), (replace(whole, at_once=50), 25)):
        systems = score_systems(find_metric(metric), told[0], told[1:], at_once=at_once)
        assert (roster.long, systems.in_pieces) == (at_once < 60, at_once < 60)
        pivots = [pair_by_raters(systems, a, b, [roster] * 3) for a, b in ((0, 1), (0, 2), (1, 2))]
        fixed = pair_by_raters(systems, 0, 1, [roster] * 3, items_fixed=True)
        columns = error_columns(systems, [(0, 1), (0, 2), (1, 2)], pivots, [roster] * 3)
        results.append(
            [
                *(
                    number
                    for pivot in (*pivots, fixed)
                    for number in (pivot.estimate, pivot.units, *(pivot.law or ()), *_numbers(pivot))
                ),
                columns.items,
                columns.shared,
                *([] if columns.raters is None else [columns.raters.moves]),
                *systems.values,
            ]
        )
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-11, atol=1e-14)


def _numbers(pivot: Pivot) -> list[Array]:
    """What a pivot's variance says."""
    parts = [pivot.variance.items, *pivot.variance.others]
    return [np.asarray(x, dtype=float) for part in parts for x in (part.variance, part.df, part.less)]
