import pytest

from quorate._errors import InputError
from quorate.app import work
from quorate.cli import read_question

PLAN = ("plan", "--preset=dices", "--difference=0.05", "--rating-price=1.5", "--pool=12")


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The words that went through the parser."""
    heard: list[tuple[str, ...]] = []
    monkeypatch.setattr(work, "_questions", type(work._questions)())
    monkeypatch.setattr(work, "read_question", lambda words: (heard.append(words), read_question(words))[1])
    return heard


@pytest.mark.parametrize(
    ("words", "anew"),
    [
        ((*PLAN[:2], "--difference=0.075", *PLAN[3:]), False),
        ((*PLAN[:3], "--rating-price=20", "--pool=7"), False),
        ((*PLAN[:4], "--pool=7.5"), True),  # no number of people: the parser says what it does with it
        ((*PLAN[:2], "--difference=1e-1", *PLAN[3:]), True),
        ((*PLAN, "--raters=3"), True),
    ],
)
def test_numbers_are_dragged_past_the_parser_and_mean_the_same(
    words: tuple[str, ...], anew: bool, parsed: list[tuple[str, ...]]
) -> None:
    assert work.question_of(PLAN) == read_question(PLAN)
    assert work.question_of(words) == read_question(words)
    assert parsed == ([PLAN, words] if anew else [PLAN])


def test_a_text_that_looks_like_a_number_stays_a_text() -> None:
    for raters in ("3", "4", "1-5"):
        words = ("plan", "--preset=dices", "--difference=0.05", f"--raters={raters}")
        assert work.question_of(words) == read_question(words)


def test_a_number_that_cannot_be_is_refused_all_the_same() -> None:
    work.question_of(PLAN)
    with pytest.raises(InputError, match="--pool 0"):
        work.question_of((*PLAN[:4], "--pool=0"))
