"""Numbers people can read, names that are safe, columns that line up."""

import pytest

from quorate._text import count, isolated, number, p_number, p_words, percent, printable, table


def test_a_number_has_as_many_digits_as_carry_meaning() -> None:
    assert [number(value) for value in (0.12345, 12.345, 12345.6, -0.0001, None)] == [
        "0.123",
        "12.3",
        "12,346",
        "0.000",
        "–",
    ]


def test_a_share_is_never_rounded_to_nothing_or_to_all() -> None:
    assert [percent(share) for share in (0.257, 0.0004, 0.0, 0.9999, 1.0)] == ["26 %", "<1 %", "0 %", ">99 %", "100 %"]


def test_a_count_has_its_noun() -> None:
    assert (count(1, "item"), count(2400, "item"), count(2, "person", "people")) == (
        "1 item",
        "2,400 items",
        "2 people",
    )


def test_what_is_printed_is_one_line_without_control_characters() -> None:
    assert printable("two\nlines \x1b[31mred") == r"two lines \x1b[31mred"
    assert printable("a very long name", most=8) == "a very …"


def test_words_stand_left_numbers_right_and_wide_characters_take_two_columns() -> None:
    assert table([["a", "1"], ["bc", "10"]], ["name", "n"]).split("\n") == ["  name   n", "  a      1", "  bc    10"]
    assert table([["a", "0.250"], ["b", "< 0.001"]], ["name", "p"]).split("\n")[1:] == [
        "  a       0.250",
        "  b     < 0.001",
    ]
    assert table([["日本", "1"], ["e\u0301", "10"]], ["name", "n"]).split("\n")[1:] == [
        "  日本   1",
        "  e\u0301     10",
    ]


def test_words_read_from_the_right_do_not_turn_round_what_stands_beside_them() -> None:
    model = "\u05de\u05d5\u05d3\u05dc"
    assert isolated(f"{model} (1–8)") == f"\u2068{model}\u2069 (1–8)"
    assert isolated(f"{model} {model} − {model}") == f"\u2068{model} {model}\u2069 − \u2068{model}\u2069"
    assert isolated("model (1–8)") == "model (1–8)"


@pytest.mark.parametrize(("p", "told", "shown"), [(0.0123, "p = 0.012", "0.012"), (0.0004, "p < 0.001", "< 0.001")])
def test_a_p_value_has_its_letter_in_a_sentence_and_none_in_a_table(p: float, told: str, shown: str) -> None:
    assert (p_words(p), p_number(p)) == (told, shown)
