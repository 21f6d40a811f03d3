"""Results in notebooks: HTML with names escaped, and pandas frames."""

import sys

import pandas as pd
import pytest

import quorate
from tests.page import Seen


def test_results_show_themselves_with_names_as_text(
    evil_data: tuple[dict[str, list[str]], dict[str, list[str]]],
) -> None:
    ratings, answers = evil_data
    for result in (quorate.describe(ratings), quorate.compare(ratings, answers)):
        text = result._repr_html_()
        found = Seen(text)
        assert not {"img", "svg", "script", "b", "a"} & set(found.tags)
        assert result.sentence() in found.text


def test_warnings_stand_in_the_notebook() -> None:
    result = quorate.describe({"item": [1, 2], "response": ["yes", "no"]})
    assert all(warning in Seen(result._repr_html_()).text for warning in result.warnings)
    assert result.warnings


def test_pandas_frame_has_the_same_rows() -> None:
    result = quorate.compare("example:support", "example:support-answers")
    frame = result.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert frame.dropna(axis=1).to_dict("list") == {
        name: values for name, values in result.to_frame().to_dict(as_series=False).items() if None not in values
    }


def test_without_pandas_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(quorate.InputError, match="pip install pandas"):
        quorate.presets().to_pandas()


def test_the_page_is_a_method_too() -> None:
    assert quorate.presets().to_html().startswith("<!doctype html>")
