"""The tables of [leaderboard] in themselves, and the cells made of them."""

import pytest

from quorate.reproducing import leaderboard
from quorate.reproducing.answer_sets import METRICS
from quorate.reproducing.cell import Cell
from quorate.reproducing.leaderboard import Draws, printed_minima, printed_p
from quorate.reproducing.question import ReproduceQuestion


def test_ten_tables_of_45_rows_and_the_minima_that_follow_from_them() -> None:
    for table in range(5, 15):
        rows = printed_p(table)
        assert len(rows) == len({(row.metric, row.sampler) for row in rows}) == 45
        assert {row.metric for row in rows} == set(METRICS)
        assert all(0 <= p < 0.55 for row in rows for p in (row.estimated_p, row.true_p) if p is not None)
        assert len(printed_minima(table)) == 14
    cells = leaderboard.cells("minima", ReproduceQuestion())
    assert len(cells) == 140
    assert not any(cell.fails for cell in cells)
    assert sum(cell.verdict == "match" for cell in cells) == 138


FEW = Draws(8, n_items=60, batch=8)


def test_the_parts_name_every_table() -> None:
    parts = leaderboard.parts(ReproduceQuestion())
    assert parts == [
        *(f"{kind} p, table {table}" for kind in ("true", "estimated") for table in range(5, 15)),
        "minima",
        "other readings",
        "error rates",
    ]
    assert set(leaderboard.parts(ReproduceQuestion(quick=True))) < set(parts)


def test_true_p_of_a_table() -> None:
    cells = leaderboard.true_cells(6, FEW)
    assert len(cells) == 45
    assert {(cell.table, cell.column) for cell in cells} == {("Table 6", "true p")}


@pytest.mark.parametrize(("table", "small"), [(6, {"Table 1", "Table 2"}), (11, {"Table 3", "Table 4"})])
def test_estimated_p_of_a_table_and_what_follows_from_it(table: int, small: set[str]) -> None:
    cells = leaderboard.estimated_cells(table, FEW)
    here = [cell for cell in cells if cell.table == f"Table {table}"]
    assert len(here) == 45
    assert {cell.column for cell in here} == {"p estimated from one test set"}
    assert {cell.table for cell in cells} - {f"Table {table}"} == {*small, "Text, sec. 7"}
    assert leaderboard.estimated_cells(table, FEW, with_minima=False) == here


def test_cells_of_the_same_seed_are_the_same_and_of_another_are_not() -> None:
    def ours(seed: int) -> list[Cell]:
        return leaderboard.estimated_cells(7, Draws(8, n_items=60, batch=8, seed=seed), with_minima=False)

    assert ours(0) == ours(0)
    assert ours(0) != ours(1)
