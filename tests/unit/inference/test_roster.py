"""Who gave which answer: differences in the eyes of each rater, by hand."""

import numpy as np

from quorate.data.summaries import Counts
from quorate.inference.roster import Roster, differences_by_rater
from quorate.inference.scored_systems import score_systems
from quorate.metrics import find_metric


def test_each_rater_sides_with_the_system_that_gave_the_same_answer() -> None:
    # A always answers 0, B always 1; all ratings are 0 but the last: +1, +1, +1, −1.
    votes, zeros, ones = (Counts(np.array(x)) for x in ([[2, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 1], [0, 1]]))
    systems = score_systems(find_metric("agreement"), votes, [zeros, ones])
    roster = Roster(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1]), 2, 2)
    differences, crossing = differences_by_rater(systems, 0, 1, [roster, roster])
    assert differences.tolist() == [1.0, 1.0, 1.0, -1.0]
    assert crossing.weight.tolist() == [0.25] * 4
