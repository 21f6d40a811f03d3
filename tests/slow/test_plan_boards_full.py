"""A plan of votes between several systems is kept: `compare` tells neighbours apart as often as promised."""

import numpy as np

from benchmarks.preferences import told_apart
from quorate import plan
from quorate.populations.side_by_side import SideBySide

STUDIES = 400
ERROR = np.sqrt(0.8 * 0.2 / STUDIES)


def test_neighbours_of_a_board_are_told_apart_as_promised() -> None:
    """All pairs counted; the control is half of the items."""
    rng = np.random.default_rng(2)
    best = plan(preset="preference", win_rate=0.65, n_systems=4, raters=1).best
    power, half = (
        told_apart(SideBySide(pool=n), 4, n, 1, 0.3, STUDIES, rng)[[0, 2]].mean()  # the neighbours known worst
        for n in (best.n_items, best.n_items // 2)
    )
    assert abs(power - best.power) < 5 * ERROR
    assert half < best.power - 5 * ERROR
