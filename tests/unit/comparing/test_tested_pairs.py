"""Which pairs are asked for, and how many can be judged together."""

import pytest

from quorate._errors import InputError
from quorate.comparing.question import CompareQuestion
from quorate.comparing.tested_pairs import choose_pairs


def test_more_pairs_than_can_be_judged_are_refused_with_the_way_out() -> None:
    names = [f"s{k:03}" for k in range(64)]
    with pytest.raises(
        InputError, match=r"64 systems make 2,016 pairs, and 2,000 can be judged.*--systems.*--baseline"
    ):
        choose_pairs(names, CompareQuestion("r.csv", "a.csv"))
    assert len(choose_pairs(names[1:], CompareQuestion("r.csv", "a.csv"))[1]) == 1953
    assert len(choose_pairs(names, CompareQuestion("r.csv", "a.csv", baseline="s001"))[1]) == 63
