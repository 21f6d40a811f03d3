"""How two sets of ratings are compared: every name, code, count and group, but not the name of the file."""

import numpy as np
import pytest

from quorate.data.ratings import Ratings
from tests.ratings import Same, known


@pytest.fixture(scope="session")
def assert_same() -> Same:
    def compare(left: Ratings, right: Ratings) -> None:
        assert left.items.to_list() == right.items.to_list()
        assert (left.raters is None) == (right.raters is None)
        assert left.raters is None or known(left.raters).to_list() == known(right.raters).to_list()
        assert left.scale == right.scale
        for field in ("item", "rater", "response", "count"):
            np.testing.assert_array_equal(getattr(left, field), getattr(right, field), err_msg=field)
        for groups in ("item_groups", "rater_groups"):
            ours, theirs = getattr(left, groups), getattr(right, groups)
            assert set(ours) == set(theirs)
            for name in ours:
                assert ours[name].names == theirs[name].names
                np.testing.assert_array_equal(ours[name].code, theirs[name].code)
        assert left.n_rows == right.n_rows

    return compare
