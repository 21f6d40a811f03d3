"""Tables of [forest] as printed, and the cells of its parts."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from quorate.planning.grids import FOREST
from quorate.reproducing import forest
from quorate.reproducing.question import ReproduceQuestion


@pytest.mark.parametrize("table", [2, 3])
def test_the_printed_tables_are_whole(table: int) -> None:
    cells = [cell for name in FOREST.populations for cell in forest.printed(table, name).values()]
    assert len(cells) == 40
    assert {cell.size for cell in cells} <= set(FOREST.sizes)


def test_the_bias_of_the_printed_alpha_needs_the_data(tmp_path: Path) -> None:
    folder = tmp_path / "dices_350"
    folder.mkdir()
    rows = ["item,rater,response"] + [f"i{k},r{j},{'No' if k else 'Yes'}" for k in range(5) for j in range(3)]
    rows.append("i0,r9,Unsure")
    with gzip.open(folder / "annotations.csv.gz", "wt") as file:
        file.write("\n".join(rows))
    found = {each.row: each for each in forest.cells("Table 1", ReproduceQuestion(data=tmp_path))}
    shares = np.array([12, 1, 3]) / 16  # No, Unsure, Yes
    alpha = np.array([5.22, 0.86, 2.75])
    assert found["dices"].ours == pytest.approx(np.abs(shares - alpha / alpha.sum()).mean())
    assert found["dices"].fails
    assert found["jobsq1"].reason == "data absent"
