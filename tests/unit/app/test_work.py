import pytest
from cyclopts import CycloptsError

from quorate._errors import InputError
from quorate.app import work
from quorate.cli import read_question

PLAN = ("plan", "--preset=dices", "--difference=0.05", "--rating-price=1.5", "--pool=12")


@pytest.mark.parametrize(
    ("words", "anew"),
    [
        ((*PLAN[:2], "--difference=0.075", *PLAN[3:]), False),
        ((*PLAN[:3], "--rating-price=20", "--pool=7"), False),
        ((*PLAN[:2], "--difference=1e-1", *PLAN[3:]), True),
        ((*PLAN, "--raters=3"), True),
    ],
)
def test_numbers_are_dragged_past_the_parser_and_mean_the_same(words: tuple[str, ...], anew: bool) -> None:
    assert work.question_of(PLAN) == read_question(PLAN)
    kept = [id(each) for each in work._questions.values()]
    assert work.question_of(words) == read_question(words)
    assert ([id(each) for each in work._questions.values()] != kept) == anew  # what the parser read is kept


def test_a_text_that_looks_like_a_number_stays_a_text() -> None:
    for raters in ("3", "4", "1-5"):
        words = ("plan", "--preset=dices", "--difference=0.05", f"--raters={raters}")
        assert work.question_of(words) == read_question(words)


def test_a_number_that_cannot_be_is_refused_all_the_same() -> None:
    work.question_of(PLAN)
    with pytest.raises(InputError, match="--pool 0"):
        work.question_of((*PLAN[:4], "--pool=0"))
    with pytest.raises(CycloptsError, match=r"7\.5"):  # no number of people: the parser says so
        work.question_of((*PLAN[:4], "--pool=7.5"))
