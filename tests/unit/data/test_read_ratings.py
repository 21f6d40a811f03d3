"""One small table in every format, layout and vocabulary people use gives the same ratings."""

import csv
import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from quorate import InputError, read_ratings
from quorate.data.ratings import Ratings
from tests.draws import counts_of
from tests.ratings import Same, known

ROWS = [
    ("q1", "ann", "yes", "web"),
    ("q1", "bob", "no", "web"),
    ("q2", "ann", "no", "app"),
    ("q2", "bob", "no", "app"),
    ("q3", "cyd", "yes", "web"),
]
NAMES = ("item", "rater", "response", "channel")
LONG = pl.DataFrame(ROWS, schema=list(NAMES), orient="row")


def delimited(separator: str) -> str:
    return "\n".join(separator.join(row) for row in [NAMES, *ROWS]) + "\n"


def records() -> list[dict[str, str]]:
    return [dict(zip(NAMES, row, strict=True)) for row in ROWS]


def parquet() -> bytes:
    target = io.BytesIO()
    LONG.write_parquet(target)
    return target.getvalue()


FORMATS: dict[str, str | bytes] = {
    "r.csv": delimited(","),
    "r.tsv": delimited("\t"),
    "semicolon.csv": delimited(";"),
    "pipe.txt": delimited("|"),
    "comma.tsv": delimited(","),
    "bom.csv": b"\xef\xbb\xbf" + delimited(",").encode(),
    "crlf.csv": delimited(",").replace("\n", "\r\n"),
    "cr.csv": delimited(",").replace("\n", "\r"),
    "no-end.csv": delimited(",").rstrip("\n"),
    "blank-lines.csv": delimited(",").replace("\nq2", "\n\nq2") + "\n\n",
    "quoted.csv": delimited(",").replace("yes", '"yes"').replace("item", '"item"'),
    "spaced-header.csv": delimited(",").replace(",rater", ", rater"),
    "r.csv.gz": gzip.compress(delimited(",").encode()),
    "gz-by-content.csv": gzip.compress(delimited(",").encode()),
    "r.jsonl": "\n".join(json.dumps(row) for row in records()),
    "blank-lines.ndjson": "\n\n".join(json.dumps(row) for row in records()) + "\n",
    "r.jsonl.gz": gzip.compress("\n".join(json.dumps(row) for row in records()).encode()),
    "r.json": json.dumps(records(), indent=1),
    "by-column.json": json.dumps(LONG.to_dict(as_series=False)),
    "by-column-and-index.json": json.dumps({name: dict(enumerate(LONG[name])) for name in NAMES}),
    "r.parquet": parquet(),
    "r.pq": parquet(),
}


@pytest.fixture(scope="module")
def expected() -> Ratings:
    return read_ratings({name: LONG[name].to_list() for name in NAMES})


def test_the_reference_is_right_response_by_response(expected: Ratings) -> None:
    got = [
        (expected.items[i], known(expected.raters)[r], expected.scale.categories[y], n)
        for i, r, y, n in np.stack(
            [expected.item, known(expected.rater), expected.response, expected.count], 1
        ).tolist()
    ]
    assert got == sorted((item, rater, response, 1) for item, rater, response, _ in ROWS)
    assert counts_of(expected.summary).tolist() == [[1, 1], [2, 0], [0, 1]]
    channel = expected.item_groups["channel"]
    assert [channel.names[code] for code in channel.code] == ["web", "app", "web"]


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_gives_the_same_ratings(name: str, expected: Ratings, assert_same: Same, tmp_path: Path) -> None:
    content = FORMATS[name]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert_same(read_ratings(tmp_path / name), expected)


HOLES = "item,rater,response\nq1,ann,\nq1,bob,5\nq2,,4\nq2,bob,4\n"


@pytest.mark.parametrize("name", ["holes.jsonl", "holes.json", "holes.parquet"])
def test_a_text_with_nothing_in_it_is_missing_in_every_format(name: str, assert_same: Same, tmp_path: Path) -> None:
    """As Python's csv.DictReader and json.dumps write a table with holes."""
    (tmp_path / "holes.csv").write_text(HOLES)
    rows = list(csv.DictReader(io.StringIO(HOLES)))
    if name.endswith("parquet"):
        pl.DataFrame(rows).write_parquet(tmp_path / name)
    else:
        lines = map(json.dumps, rows)
        (tmp_path / name).write_text("\n".join(lines) if name.endswith("l") else json.dumps(rows))
    found = read_ratings(tmp_path / name)
    assert_same(found, read_ratings(tmp_path / "holes.csv"))
    assert (found.scale.categories, found.n_responses, found.n_raters) == (("4", "5"), 3, 2)


@pytest.mark.parametrize("ending", ["", ".", ".0", ".000"])
def test_whole_numbers_that_a_float_would_make_one_stay_two(ending: str) -> None:
    said = [f"9007199254740992{ending}", f"9007199254740993{ending}"]
    found = read_ratings({"item": ["q", "q"], "rater": ["a", "b"], "response": said})
    assert found.scale.categories == tuple(said)


def test_standard_input_gives_the_same_ratings(
    expected: Ratings, assert_same: Same, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(delimited(",").encode())))
    found = read_ratings("-")
    assert_same(found, expected)
    assert found.name == "standard input"


def test_the_report_names_the_file_as_the_user_did(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(delimited(","))
    assert read_ratings(tmp_path / "r.csv").name == str(tmp_path / "r.csv")
    assert read_ratings("example:support").name == "example:support"


VOCABULARIES = {
    "crowd-kit": ("task", "worker", "label"),
    "crowd-kit, pairwise ids": ("task_id", "worker_id", "label"),
    "cleanlab, long": ("example", "annotator", "label"),
    "R irr and psych": ("Subject", "Rater", "Rating"),
    "Label Studio": ("task_id", "completed_by", "choice"),
    "Figure Eight": ("_unit_id", "_worker_id", "answer"),
    "MTurk": ("HITId", "WorkerId", "Answer"),
    "Prolific": ("item_id", "participant_id", "response"),
    "spaces and capitals": ("Doc ID", "User ID", "Score"),
    "one unknown name": ("item", "rater", "how_safe"),
}


@pytest.mark.parametrize("who", VOCABULARIES)
def test_other_peoples_names_are_understood(who: str, expected: Ratings, assert_same: Same) -> None:
    renamed = LONG.drop("channel").rename(dict(zip(NAMES[:3], VOCABULARIES[who], strict=True)))
    found = read_ratings(renamed)
    plain = read_ratings(LONG.drop("channel"))
    assert_same(found, plain)
    assert tuple(found.columns.values()) == VOCABULARIES[who]


def test_given_columns_beat_the_guess() -> None:
    table = {"item": ["x", "x"], "doc": ["d1", "d2"], "rater": ["a", "b"], "label": ["u", "v"], "score": ["1", "2"]}
    found = read_ratings(table, item_column="doc", response_column="score")
    assert found.items.to_list() == ["d1", "d2"]
    assert found.scale.categories == ("1", "2")


WIDE = {
    "rater names": "item,rater1,rater2,rater3\nq1,yes,no,\nq2,no,no,\nq3,,,yes\n",
    "text and holes": "item,ann,bob,cyd\nq1,yes,no,\nq2,no,no,\nq3,,,yes\n",
    "with a gold column and a text": "item,text,gold,r1,r2,r3\nq1,hi,yes,yes,no,\nq2,ho,no,no,no,\nq3,hu,no,,,yes\n",
}


@pytest.mark.parametrize("kind", WIDE)
def test_wide_tables_become_long(kind: str, expected: Ratings, tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(WIDE[kind])
    found = read_ratings(tmp_path / "wide.csv")
    assert found.items.to_list() == ["q1", "q2", "q3"]
    assert counts_of(found.summary).tolist() == counts_of(expected.summary).tolist()
    assert (found.item.tolist(), known(found.rater).tolist()) == (
        expected.item.tolist(),
        known(expected.rater).tolist(),
    )
    assert found.columns == {"item": "item", "rater": "column name", "response": "cell"}
    assert (found.n_rows, found.n_responses) == (3, 5)


def test_cleanlab_tables_without_items_name_items_by_their_row() -> None:
    """cleanlab's multi-annotator table: a row per example, a column per annotator, NaN where nobody answered."""
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"annotator_1": [0.0, 1.0, None], "annotator_2": [0.0, None, 2.0]})
    for source in (table, pl.from_pandas(table)):
        found = read_ratings(source)
        assert found.items.to_list() == ["1", "2", "3"]
        assert known(found.raters).to_list() == ["annotator_1", "annotator_2"]
        assert counts_of(found.summary).tolist() == [[2, 0, 0], [0, 1, 0], [0, 0, 1]]
        assert any("row" in note for note in found.notes)


def test_wide_numbers_need_a_word_from_the_user(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("item,ann,bob\nq1,1,5\nq2,2,2\n")
    with pytest.raises(InputError, match="--layout wide or --layout counts"):
        read_ratings(tmp_path / "wide.csv")
    found = read_ratings(tmp_path / "wide.csv", layout="wide")
    assert known(found.raters).to_list() == ["ann", "bob"]
    assert known(read_ratings(tmp_path / "wide.csv", columns=["ann"], layout="wide").raters).to_list() == ["ann"]
    assert read_ratings(tmp_path / "wide.csv", layout="counts").n_responses == 10


def test_counts_with_a_steady_sum_are_recognised(tmp_path: Path) -> None:
    votes = "item,yes,no,total\nq1,3,2,5\nq2,5,0,5\nq3,1,4,5\nq4,2,3,5\nq5,5.0,0,5\n"
    (tmp_path / "votes.csv").write_text(votes)
    found = read_ratings(tmp_path / "votes.csv")
    assert found.scale.categories == ("no", "yes")
    assert counts_of(found.summary).tolist() == [[2, 3], [0, 5], [4, 1], [3, 2], [0, 5]]
    assert (found.n_raters, found.n_rows, found.n_responses) == (None, 5, 25)


def test_unsteady_counts_need_a_word_from_the_user(tmp_path: Path) -> None:
    """Negative control of the guess: were these taken for ratings, every number would be wrong in silence."""
    (tmp_path / "votes.csv").write_text("item,yes,no\nq1,3,2\nq2,5,1\nq3,1,4\nq4,2,3\nq5,7,0\n")
    with pytest.raises(InputError, match="--layout wide or --layout counts"):
        read_ratings(tmp_path / "votes.csv")
    assert read_ratings(tmp_path / "votes.csv", layout="counts").size.tolist() == [5, 6, 5, 5, 7]


LEWIDI_2023 = {
    "1": {"annotations": "0,1, 1", "annotators": "Ann1,Ann2,Ann3", "split": "train", "lang": "en"},
    "2": {"annotations": "0,0", "annotators": "Ann1,Ann4", "split": "dev", "lang": "en"},
}
LEWIDI_2025 = {
    "1": {"annotations": {"Ann1": "0", "Ann2": "1", "Ann3": "1"}, "annotators": "Ann1,Ann2,Ann3", "split": "train"},
    "2": {"annotations": {"Ann1": "0", "Ann4": "0"}, "annotators": "Ann1,Ann4", "split": "dev"},
}


@pytest.mark.parametrize("content", [LEWIDI_2023, LEWIDI_2025], ids=["2023", "2025"])
def test_both_editions_of_lewidi(content: Any, tmp_path: Path) -> None:
    (tmp_path / "train.json").write_text(json.dumps(content))
    found = read_ratings(tmp_path / "train.json")
    assert known(found.raters).to_list() == ["Ann1", "Ann2", "Ann3", "Ann4"]
    assert counts_of(found.summary).tolist() == [[1, 2], [2, 0]]


def test_lewidi_with_several_labels_per_rater(tmp_path: Path) -> None:
    """VariErrNLI: an annotator may give several labels; each is a response, and the pair counts as repeated."""
    content = {"9": {"annotations": {"1": "entailment,neutral", "2": "neutral"}, "annotators": "1,2"}}
    (tmp_path / "dev.json").write_text(json.dumps(content))
    found = read_ratings(tmp_path / "dev.json")
    assert (found.n_responses, found.repeated_pairs) == (3, 1)


def read(rows: Any, **reading: Any) -> Ratings:
    item, rater, response = zip(*rows, strict=True)
    return read_ratings({"item": item, "rater": rater, "response": response}, **reading)


def test_minus_one_and_zero_are_never_missing() -> None:
    found = read([("a", "x", "-1"), ("a", "y", "0"), ("b", "x", "0"), ("b", "y", "1")])
    assert found.n_responses == 4
    assert found.scale.categories == ("-1", "0", "1")


@pytest.mark.parametrize("word", ["NaN", "NA", "n/a", "null", "None", "."])
def test_words_for_missing_in_a_column_of_numbers_are_missing(word: str) -> None:
    found = read([("a", "x", "1"), ("a", "y", word), ("b", "x", "2"), ("b", "y", "3")])
    assert (found.n_responses, found.scale.kind) == (3, "ordinal")
    assert any(word in note and "--scale nominal" in note for note in found.notes)
    kept = read([("a", "x", "1"), ("a", "y", word), ("b", "x", "2"), ("b", "y", "3")], scale="nominal")
    assert (kept.n_responses, word in kept.scale.categories) == (4, True)


def test_the_same_words_are_categories_in_a_column_of_text() -> None:
    found = read([("a", "x", "yes"), ("a", "y", "n/a"), ("b", "x", "no"), ("b", "y", "none")])
    assert found.scale.categories == ("n/a", "no", "none", "yes")


def test_empty_responses_are_dropped_and_counted_and_their_items_go_with_them() -> None:
    found = read([("a", "x", "yes"), ("a", "y", None), ("b", "x", None)])
    assert (found.items.to_list(), found.n_responses, found.n_rows) == (["a"], 1, 3)
    assert "2 rows without a response dropped" in found.notes


def test_a_rater_column_that_is_empty_means_raters_are_unknown() -> None:
    found = read([("a", None, "yes"), ("a", None, "no")])
    assert (found.raters, found.rater, found.n_responses) == (None, None, 2)
    assert any("raters are unknown" in note for note in found.notes)


def test_a_few_nameless_responses_are_different_people() -> None:
    found = read([("a", "x", "yes"), ("a", None, "no"), ("a", None, "no"), ("b", None, "no")])
    assert (found.n_raters, found.repeated_pairs) == (4, 0)
    assert any("3 responses without a rater" in note for note in found.notes)


def test_several_columns_make_one_item_key() -> None:
    table = {"item": ["1", "1", "1 | 2"], "system": ["a", "b", "a"], "rater": ["x", "x", "x"], "score": [1, 2, 3]}
    found = read_ratings(table, item_column="item,system")
    assert found.items.to_list() == ["1 | 2 | a", "1 | a", "1 | b"]
    assert (found.repeated_pairs, found.columns["item"]) == (0, "item,system")


def test_a_column_with_a_comma_in_its_name_can_be_named() -> None:
    found = read_ratings({"item,part": ["a", "b"], "label": ["u", "v"]}, item_column="item,part")
    assert found.items.to_list() == ["a", "b"]


def test_a_column_that_tells_repeats_apart_is_pointed_out() -> None:
    table = {"item": list("1122"), "system": list("abab"), "rater": list("xxxx"), "score": [1, 2, 1, 2]}
    assert any("--item-column item,system" in note for note in read_ratings(table).notes)
    assert read_ratings(table, item_column="item,system").notes == ()


DUPLICATES = [
    ("a", "x", "yes"),
    ("a", "y", "no"),
    ("a", "x", "no"),
    ("a", "x", "no"),
    ("a", None, "no"),
    ("a", None, "no"),
]


def test_duplicates_are_kept_unless_a_rule_says_otherwise() -> None:
    kept, first, last = (read(DUPLICATES, duplicates=rule) for rule in ("keep", "first", "last"))
    assert (kept.n_responses, kept.repeated_pairs, counts_of(kept.summary).tolist()) == (6, 1, [[5, 1]])
    assert (first.n_responses, first.repeated_pairs, counts_of(first.summary).tolist()) == (4, 0, [[3, 1]])
    assert (last.n_responses, last.repeated_pairs, counts_of(last.summary).tolist()) == (4, 0, [[4, 0]])
    assert any("2 repeated answers dropped" in note for note in first.notes)


def test_duplicates_are_refused_if_asked_but_nameless_raters_never_repeat() -> None:
    with pytest.raises(InputError, match="row 4: rater 'x' answered item 'a' more than once"):
        read(DUPLICATES, duplicates="error")
    read([row for row in DUPLICATES if row[1] is None], duplicates="error")
    with pytest.raises(InputError, match="not a rule"):
        read(DUPLICATES, duplicates="some")


def test_a_duplicate_without_a_response_is_no_duplicate() -> None:
    read([("a", "x", "yes"), ("a", "x", None)], duplicates="error")


def test_groups_of_items_and_of_raters_are_told_apart() -> None:
    table = {
        "item": ["a", "a", "b", "b", "c", "c"],
        "rater": ["x", "y", "x", "z", "y", "z"],
        "response": [1, 2, 3, 1, 2, 3],
        "topic": ["t", "t", "u", "u", "t", "t"],
        "country": ["DE", "FR", "DE", "FR", "FR", "FR"],
        "moment": [1, 2, 3, 4, 5, 6],
        "remark": ["same"] * 6,
    }
    found = read_ratings(table)
    assert {name: group.code.tolist() for name, group in found.item_groups.items() if name != "remark"} == {
        "topic": [0, 1, 0]
    }
    assert {name: group.code.tolist() for name, group in found.rater_groups.items()} == {"country": [0, 1, 1]}


def test_a_column_called_count_in_a_long_table_is_not_a_count() -> None:
    found = read_ratings({"item": ["a", "b"], "response": ["yes", "no"], "count": ["7", "x"]})
    assert found.n_responses == 2
    assert any("'count' is not used" in note for note in found.notes)


def test_a_stray_word_among_numbers_is_pointed_out() -> None:
    found = read([("a", "x", "1"), ("a", "y", "2"), ("b", "x", "3"), ("b", "y", "fuor")])
    assert found.scale.kind == "nominal"
    assert any("'fuor' is not a number" in note for note in found.notes)


def test_labels_that_differ_only_in_case_or_spaces_are_pointed_out() -> None:
    found = read([("a", "x", "yes"), ("a", "y", "Yes "), ("b", "x", "no")])
    assert found.scale.categories == ("Yes ", "no", "yes")
    assert any("'Yes ' and 'yes' differ only in case or spaces" in note for note in found.notes)


def test_numbers_are_the_same_however_they_are_written() -> None:
    found = read([("a", "x", "1"), ("a", "y", "1.0"), ("b", "x", " 1"), ("b", "y", "0")])
    assert found.scale.categories == ("0", "1")
    assert counts_of(found.summary).tolist() == [[0, 2], [1, 1]]


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(InputError, match="same length"):
        read_ratings({"item": ["a", "b"], "response": ["yes"]})


def test_something_that_is_no_table_is_refused() -> None:
    with pytest.raises(InputError, match="int is not a table"):
        read_ratings(7)
