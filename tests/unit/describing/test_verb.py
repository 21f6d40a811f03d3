"""`describe`: the fields of the contract, identities, edge cases, and text that is safe to print."""

import json
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from quorate import InputError, describe, read_ratings
from quorate.describing.result import Description

FIELDS = {
    "schema", "version", "seed", "settings", "warnings", "sentence", "notes", "dependability",
    "responses", "items", "raters", "responses_per_item", "items_per_rater", "scale", "topology", "repeated_pairs",
    "response_share", "agreement", "unanimous_items", "disputed", "variance", "effective_raters", "rater_habits",
    "rater_groups",
}  # fmt: skip

# Four items, three raters, one cell missing: items a (3 yes), b (2 yes, 1 no), c (1 yes, 2 no), d (2 no).
VOTES = {
    "item": list("aaabbbcccdd"),
    "rater": list("xyzxyzxyzxy"),
    "response": ["yes"] * 5 + ["no", "yes"] + ["no"] * 4,
}


def found(table: Any = VOTES, **options: Any) -> Description:
    return describe(table, **options)


def as_json(result: Description) -> dict[str, Any]:
    """Go through strict JSON and back: no NaN, no infinity, nothing but plain values."""
    made: dict[str, Any] = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    return made


def test_the_fields_are_those_of_the_contract() -> None:
    answer = as_json(found())
    assert set(answer) == FIELDS
    assert answer["schema"] == "quorate.describe/1"
    assert set(answer["responses_per_item"]) == set(answer["items_per_rater"]) == {"min", "median", "max"}
    assert set(answer["scale"]) == {"kind", "categories", "guessed"}
    assert set(answer["topology"]) == {"kind", "fill", "blocks"}
    assert set(answer["agreement"]) == {"alpha", "low", "high"}
    assert set(answer["variance"]) == {"item", "rater", "residual"}
    assert set(answer["disputed"][0]) == {"item", "disagreement", "sd", "responses"}


def test_the_numbers_are_those_worked_out_by_hand() -> None:
    answer = as_json(found())
    assert (answer["responses"], answer["items"], answer["raters"]) == (11, 4, 3)
    assert answer["responses_per_item"] == {"min": 2, "median": 3.0, "max": 3}
    assert answer["items_per_rater"] == {"min": 3, "median": 4.0, "max": 4}
    assert answer["response_share"] == pytest.approx({"no": 5 / 11, "yes": 6 / 11})
    assert answer["topology"] == {"kind": "sparse", "fill": 11 / 12, "blocks": 1}
    assert (answer["unanimous_items"], answer["repeated_pairs"]) == (2, 0)
    # b and c have one pair in three alike: 1 - 2/6 = 2/3. They tie, and stay in the order of their names.
    assert [item["item"] for item in answer["disputed"][:2]] == ["b", "c"]
    assert answer["disputed"][0]["disagreement"] == pytest.approx(2 / 3)
    assert answer["disputed"][0]["responses"] == {"yes": 2, "no": 1}
    # Alpha: D_o = (2·2/2 + 2·2/2) / 11 = 4/11 (ordered pairs that differ over n_u - 1), D_e = 2·5·6 / (11·10).
    assert answer["agreement"]["alpha"] == pytest.approx(float(1 - Fraction(4, 11) / Fraction(60, 110)))


def test_alpha_lies_in_its_interval_and_a_higher_level_is_wider() -> None:
    narrow, wide = (as_json(found(confidence=level))["agreement"] for level in (0.5, 0.99))
    assert wide["low"] <= narrow["low"] <= narrow["alpha"] <= narrow["high"] <= wide["high"]
    assert wide["high"] - wide["low"] > narrow["high"] - narrow["low"]


def test_the_seed_does_not_matter_to_the_interval_of_few_kinds_of_items() -> None:
    rng = np.random.default_rng(0)
    table = {"item": np.repeat(np.arange(30), 3), "response": rng.integers(3, size=90)}
    one, other = (as_json(found(table, seed=seed))["agreement"] for seed in (0, 1))
    assert one == other


def without_names(answer: dict[str, Any]) -> dict[str, Any]:
    """Drop what may change when items or raters get other names: the names, and the order among ties."""
    plain = {key: answer[key] for key in FIELDS - {"settings", "disputed", "agreement", "rater_habits"}}
    alpha = answer["agreement"]["alpha"]
    leanings = sorted(round(row["leaning"], 12) for row in answer["rater_habits"])
    disputed = sorted(item["disagreement"] for item in answer["disputed"])
    return plain | {"alpha": alpha, "disputed": disputed, "leanings": leanings}


@pytest.mark.parametrize("column", ["item", "rater"])
def test_other_names_for_items_or_raters_change_no_number(column: str) -> None:
    rng = np.random.default_rng(3)
    table = {
        "item": rng.integers(20, size=120),
        "rater": rng.integers(6, size=120),
        "response": rng.integers(4, size=120),
    }
    other = {**table, column: [f"name {(7 * k + 3) % 101}" for k in table[column]]}
    ours, theirs = without_names(as_json(found(table, top=20))), without_names(as_json(found(other, top=20)))
    numbers = {key: value for key, value in ours.items() if not isinstance(value, dict | float)}
    assert numbers == {key: theirs[key] for key in numbers}
    for key in ("variance", "response_share", "responses_per_item", "items_per_rater", "topology"):
        assert {k: v for k, v in ours[key].items() if not isinstance(v, str)} == pytest.approx(
            {k: v for k, v in theirs[key].items() if not isinstance(v, str)}, rel=1e-12
        )
    assert ours["alpha"] == pytest.approx(theirs["alpha"], rel=1e-12)


def test_changing_a_response_changes_the_numbers() -> None:
    """Negative control of the identity above."""
    other = {**VOTES, "response": ["no", *VOTES["response"][1:]]}
    assert as_json(found(other))["agreement"]["alpha"] != as_json(found())["agreement"]["alpha"]


def test_ratings_read_before_give_the_same() -> None:
    assert as_json(found(read_ratings(VOTES))) == as_json(found())


def table(item: Iterable[Any], rater: Iterable[Any] | None, response: Iterable[Any]) -> dict[str, list[Any]]:
    return {"item": list(item), "response": list(response)} | ({} if rater is None else {"rater": list(rater)})


EDGES = {
    "one item": (table("aaa", "xyz", "uuv"), "1 item, rated by 3 raters"),
    "two raters": (table("aabbcc", "xyxyxy", "uuvvuv"), "3 items, each rated by both raters"),
    "one rater": (table("abc", "xxx", "uuv"), "3 items, rated by one rater"),
    "one response per item": (table("abc", "xyx", "uuv"), "no item has two responses"),
    "one category": (table("aabb", "xyxy", "uuuu"), "all responses are the same"),
    "one response": (table("a", None, "u"), "1 item, 1 response, from unknown raters"),
    "twelve categories": (table("abcdefghijkl" * 3, "x" * 12 + "y" * 12 + "z" * 12, "mnopqrstuvwx" * 3), "12 items"),
    "150 levels": (table(np.arange(150) // 3, np.arange(150) % 3, np.arange(150) ** 1.5), "50 items"),
    "unanimous but one": (table("aabb", None, "uuuv"), "1 of 2 items is unanimous"),
    "batches": (table("aabbccdd", "wxwxyzyz", "uvuvuvuv"), "2 separate batches"),
    "few gaps": (table("abcdefghijklmnopqrstuvw" * 2, "x" * 23 + "y" * 22 + "x", "uv" * 23), "with few gaps"),
}


@pytest.mark.parametrize("case", EDGES)
def test_edge_cases_speak_and_give_valid_json(case: str) -> None:
    votes, words = EDGES[case]
    result = found(votes)
    assert words in result.sentence()
    assert "\n".join(result.sentence().lines()) in str(result)
    answer = as_json(result)
    assert set(answer) == FIELDS
    assert result.to_frame().height == answer["items"]
    assert not re.search(r"\bnan\b|None", str(result))


def test_what_cannot_be_told_is_null_and_warned_about() -> None:
    lonely = as_json(found({"item": list("abc"), "response": list("uuv")}))
    assert (lonely["raters"], lonely["items_per_rater"], lonely["topology"]["fill"]) == (None, None, None)
    assert lonely["agreement"] == {"alpha": None, "low": None, "high": None}
    assert (lonely["disputed"], lonely["unanimous_items"], lonely["variance"]["rater"]) == ([], 0, None)
    assert any("one response" in warning for warning in lonely["warnings"])
    assert any("raters are unknown" in warning for warning in lonely["warnings"])


def test_few_items_are_warned_about_and_many_are_not() -> None:
    assert any("rests on 4 items" in warning for warning in found().warnings)
    many = {"item": np.arange(40) // 4, "rater": np.arange(40) % 4, "response": np.arange(40) % 3}
    assert found(many).warnings == ()


def test_very_many_levels_have_no_categories_and_no_shares() -> None:
    result = found(EDGES["150 levels"][0])
    answer = as_json(result)
    assert (answer["scale"]["categories"], answer["response_share"]) == (None, None)
    assert result.to_frame().columns == ["item", "responses", "disagreement", "mean", "sd"]
    np.testing.assert_allclose(result.to_frame().sort("mean")["mean"], (np.arange(150) ** 1.5).reshape(50, 3).mean(1))


def test_the_frame_has_a_row_per_item_and_a_count_per_category() -> None:
    frame = found().to_frame()
    assert frame.columns == ["item", "responses", "disagreement", "n_no", "n_yes"]
    assert frame.select("item", "n_no", "n_yes").rows() == [("a", 0, 3), ("b", 1, 2), ("c", 2, 1), ("d", 2, 0)]
    numbers = describe({"item": list("aab"), "score": [1, 3, 5]}).to_frame()
    assert numbers["mean"].to_list() == [2, 5]
    assert numbers["sd"].to_list() == [pytest.approx(2**0.5), None]


@pytest.mark.parametrize(("top", "listed"), [(0, 0), (1, 1), (99, 4)])
def test_top_limits_the_disputed_items(top: int, listed: int) -> None:
    assert len(as_json(found(top=top))["disputed"]) == listed


@pytest.mark.parametrize("level", [0, 1, 2, -0.1, float("nan")])
def test_a_level_outside_zero_and_one_is_refused(level: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        found(confidence=level)


def test_the_disputed_are_those_of_a_response_by_response_count() -> None:
    rng = np.random.default_rng(5)
    table = {"item": np.repeat(np.arange(25), 4), "response": rng.integers(3, size=100)}

    def differing(item: int) -> float:
        mine: list[int] = table["response"][table["item"] == item].tolist()
        pairs = [(a, b) for k, a in enumerate(mine) for b in mine[:k]]
        return sum(a != b for a, b in pairs) / len(pairs)

    expected = sorted(range(25), key=lambda item: (-differing(item), str(item)))[:6]
    listed = as_json(found(table, top=6, scale="nominal"))["disputed"]
    assert [item["item"] for item in listed] == [str(item) for item in expected]
    assert [item["disagreement"] for item in listed] == pytest.approx([differing(item) for item in expected])


def test_ties_with_the_last_listed_item_are_mentioned() -> None:
    table = {"item": np.repeat(np.arange(8), 2), "response": list("uv" * 8)}
    assert "(8 are as disputed as the last)" in str(found(table, top=3))
    assert "as disputed as the last" not in str(found(table, top=8))


NASTY = "evil\x1b[2J\x07 name\nwith\r\nlines \u202e" + "x" * 300


def test_names_cannot_harm_a_terminal() -> None:
    table = {"item": [NASTY, NASTY, "日本"], "rater": list("xyz"), "response": [NASTY, "ja", "ja"]}
    result = found(table)
    text = str(result)
    assert all(line.isprintable() for line in text.splitlines())
    assert max(len(line) for line in text.splitlines()) < 220
    assert as_json(result)["disputed"][0]["item"] == NASTY  # scripts get the name as it is
    assert NASTY in result.to_frame()["item"].to_list()


def test_wide_characters_keep_columns_aligned() -> None:
    table = {"item": ["日本", "日本", "ab", "ab"], "response": list("uvuv")}
    lines = [line for line in str(found(table)).splitlines() if line.endswith("1 × u, 1 × v")]
    assert len(lines) == 2
    width = [sum(2 if ord(c) > 0x2E80 else 1 for c in line[: line.index("100 %")]) for line in lines]
    assert width[0] == width[1]


def test_a_notebook_shows_sentence_warnings_and_table() -> None:
    page = found({"item": ["<i>x", "<i>x"], "response": ["u", "v"]})._repr_html_()
    assert "<table" in page
    assert "raters are unknown" in page
    assert "<i>" not in page


def test_settings_say_what_was_asked() -> None:
    settings = as_json(found(top=2, confidence=0.9, seed=7))
    assert settings["seed"] == 7
    assert settings["settings"]["top"] == 2
    assert settings["settings"]["confidence"] == 0.9
    assert settings["settings"]["roles"] == {"item": "item", "rater": "rater", "response": "response"}


def test_the_frame_of_the_result_is_polars() -> None:
    assert isinstance(found().to_frame(), pl.DataFrame)
