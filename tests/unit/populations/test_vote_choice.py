"""Options of votes: what they change, and where they are refused."""

import pytest

from quorate._errors import InputError
from quorate.auditing.question import AuditQuestion
from quorate.populations.choice import find_preset
from quorate.populations.side_by_side import SideBySide
from quorate.populations.vote_choice import margin_of_win_rate


def test_options_become_the_world() -> None:
    asked = AuditQuestion(
        preset="preference", items=9, raters=2, tie_share=0.3, item_share=0.2, rater_share=0.1, pool=8, load="unequal"
    )
    world = asked.peopled(find_preset("preference").population)
    assert world == SideBySide(ties=0.3, item_share=0.2, rater_share=0.1 * 0.8, pool=8, load="unequal")


def test_votes_options_need_votes() -> None:
    asked = AuditQuestion(preset="dices", items=9, raters=2, tie_share=0.3)
    with pytest.raises(InputError, match="--tie-share belongs to --preset preference"):
        asked.peopled(find_preset("dices").population)


def test_a_win_rate_is_a_margin() -> None:
    assert margin_of_win_rate(0.55) == pytest.approx(0.1, abs=1e-15)
    with pytest.raises(InputError, match="below a half"):
        margin_of_win_rate(0.4)
    with pytest.raises(InputError, match="leave --effect out"):
        AuditQuestion(preset="preference", items=9, raters=2, win_rate=0.6, effect=0.1)
    with pytest.raises(InputError, match=r"--win-rate 1\.2 is not between 0 and 1; 0\.55 is usual"):
        margin_of_win_rate(1.2)
