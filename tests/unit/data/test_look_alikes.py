"""Names that a person takes for the same are pointed at, and others are not."""

import numpy as np
import polars as pl
import pytest

from quorate.data.look_alikes import code_words, name_words, response_words

SAME = "differ only in case or spaces; they count as different"


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["FALSE", "True", "false", "true"], [f"responses 'FALSE' and 'false' {SAME}"]),
        (["Gut", "Schlecht", "gut"], [f"responses 'Gut' and 'gut' {SAME}"]),
        (["no", "yes", "yes\u00a0"], [f"responses 'yes' and 'yes\u00a0' {SAME}"]),
        (["0", "1", "false", "true"], ["'0' and 'false' may mean the same; they count as different responses"]),
        (["n", "no", "yes"], ["'n' and 'no' may mean the same; they count as different responses"]),
        (["k. A.", "gut"], ["'k. A.' counts as a response (--missing-values 'k. A.' to leave it out)"]),
        (["NA", "mild"], ["'NA' counts as a response (--missing-values NA to leave it out)"]),
        (
            ["mild", "nan", "null"],
            ["'nan' and 'null' count as responses (--missing-values nan,null to leave them out)"],
        ),
        (["0", "1"], []),
        (["no", "yes"], []),
        (["maybe", "no", "true", "yes"], []),
        (["bad", "good", "ok"], []),
    ],
)
def test_responses(labels: list[str], said: list[str]) -> None:
    assert response_words(pl.Series(labels)) == said


def test_items_and_raters() -> None:
    plain = pl.Series(["1", "2"])
    assert name_words(plain, None) == name_words(plain, pl.Series(["ann", "bob"])) == []
    assert name_words(pl.Series(["A1", "a1"]), None) == []  # ids that a program made
    [items, raters] = name_words(pl.Series(["1", "1 ", "2"]), pl.Series(["Ann", "ann", "ann "]))
    assert items == "items '1' and '1 ' differ only in spaces; they count as different"
    assert raters == f"raters 'Ann' and 'ann' and 'ann ' {SAME}"


def test_of_very_many_raters_spaces_alone_are_compared() -> None:
    names = [f"r{k}" for k in range(10_000)]
    assert name_words(pl.Series(["1"]), pl.Series([*names, "R1"])) == []
    [said] = name_words(pl.Series(["1"]), pl.Series([*names, "r1 "]))
    assert said == "raters 'r1' and 'r1 ' differ only in spaces; they count as different"


@pytest.mark.parametrize(
    ("levels", "code"),
    [
        ([-1, 1, 2, 3, 4, 5], "-1"),
        ([-1, 0, 1, 2], "-1"),
        ([-99, 0.5, 1.5, 5], "-99"),
        ([1, 2, 3, 999], "999"),
        ([0, 20, 100, 999], "999"),
        ([-1, 0, 1], None),
        ([-2, -1, 0, 1, 2], None),
        ([-1, 0.5, 1.5, 5], None),
        ([90, 95, 99], None),
        ([-1, 1], None),
    ],
)
def test_numbers_that_stand_for_none(levels: list[float], code: str | None) -> None:
    said = [] if code is None else [f"{code} counts as a response (--missing-values {code} to leave it out)"]
    assert code_words(np.array(levels, dtype=float)) == said
