"""Systems' answers: labels, runs with and without names, probabilities, and what is refused."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from quorate import InputError, read_ratings, read_systems
from quorate.data.answers import check_systems
from quorate.data.ratings import Ratings
from quorate.data.summaries import Counts, Probabilities, Values
from tests.draws import counts_of
from tests.ratings import known, share_of

RATINGS = {"item": ["a", "a", "b", "b", "c"], "rater": list("xyxyx"), "response": ["yes", "no", "no", "no", "yes"]}


@pytest.fixture
def ratings() -> Ratings:
    return read_ratings(RATINGS)


def answers(*rows: Any, columns: Sequence[str] = ("item", "system", "response")) -> dict[str, list[Any]]:
    return {name: [row[place] for row in rows] for place, name in enumerate(columns)}


LABELS = answers(
    ("c", "m1", "yes"), ("a", "m1", "yes"), ("b", "m1", "no"), ("a", "m2", "no"), ("b", "m2", "no"), ("c", "m2", "no")
)


def test_labels_are_aligned_by_item_not_by_row(ratings: Ratings) -> None:
    same, systems = read_systems(LABELS, ratings)
    assert same is ratings
    assert systems.names == ("m1", "m2")
    assert isinstance(systems.answers["m1"].summary, Counts)
    assert counts_of(systems.answers["m1"].summary).tolist() == [[0, 1], [1, 0], [0, 1]]
    assert counts_of(systems.answers["m2"].summary).tolist() == [[1, 0], [1, 0], [1, 0]]
    assert systems.answers["m1"].run is None
    assert systems.notes == ()


def test_a_shuffle_of_the_rows_changes_nothing(ratings: Ratings) -> None:
    frame = pl.DataFrame(LABELS)
    for seed in range(3):
        _, shuffled = read_systems(frame.sample(fraction=1, shuffle=True, seed=seed), ratings)
        assert counts_of(shuffled.answers["m1"].summary).tolist() == [[0, 1], [1, 0], [0, 1]]


def test_runs_without_names_are_repeated_answers(ratings: Ratings) -> None:
    table = answers(*((item, "m", label) for item in "abc" for label in ("yes", "no", "no")))
    _, systems = read_systems(table, ratings)
    assert counts_of(systems.answers["m"].summary).tolist() == [[2, 1]] * 3
    assert systems.answers["m"].run is None


def test_runs_with_names_keep_their_answers_together(ratings: Ratings) -> None:
    rows = [(item, "m", label, run) for item in "abc" for label, run in (("yes", "s2"), ("no", "s1"))]
    _, systems = read_systems(answers(*rows, columns=("item", "system", "response", "run")), ratings)
    found = systems.answers["m"]
    by_place = set(zip(found.item.tolist(), known(found.run).tolist(), found.response.tolist(), strict=True))
    assert by_place == {(item, run, code) for item in range(3) for run, code in ((1, 1), (0, 0))}


def test_a_run_that_answers_twice_is_refused(ratings: Ratings) -> None:
    rows = [("a", "m", "yes", 1), ("b", "m", "no", 1), ("a", "m", "no", 1)]
    with pytest.raises(InputError, match=r"row 3: system 'm' answers an item twice in run '1'"):
        read_systems(answers(*rows, columns=("item", "system", "response", "run")), ratings)


def test_runs_may_have_names_for_one_system_only(ratings: Ratings) -> None:
    rows = [(item, system, "no", run) for item in "abc" for system, run in (("m1", "s1"), ("m2", None))]
    _, systems = read_systems(answers(*rows, columns=("item", "system", "response", "run")), ratings)
    assert known(systems.answers["m1"].run).tolist() == [0, 0, 0]
    assert systems.answers["m2"].run is None
    with pytest.raises(InputError, match="column 'run' is empty"):
        read_systems(
            answers(*rows[:-1], ("c", "m1", "no", None), columns=("item", "system", "response", "run")), ratings
        )


PROBABILITIES = answers(
    ("b", "m", 0.9, 0.1), ("a", "m", 0.25, 0.75), ("c", "m", 0, 1), columns=("item", "system", "no", "yes")
)


def test_probabilities_are_scored_as_such(ratings: Ratings) -> None:
    _, systems = read_systems(PROBABILITIES, ratings)
    summary = systems.answers["m"].summary
    assert isinstance(summary, Probabilities)
    np.testing.assert_allclose(summary.share, np.array([[0.25, 0.75], [0.9, 0.1], [0, 1]]))
    assert np.isinf(summary.size).all()


def test_rounded_probabilities_are_scaled_to_sum_to_one(ratings: Ratings) -> None:
    table = {**PROBABILITIES, "yes": [0.1, 0.745, 1]}
    _, systems = read_systems(table, ratings)
    np.testing.assert_allclose(share_of(systems.answers["m"].summary).sum(1), 1, rtol=1e-15)


@pytest.mark.parametrize("bad", [0.2, 1.5, None, float("nan")])
def test_probabilities_that_do_not_sum_to_one_are_refused(bad: Any, ratings: Ratings) -> None:
    with pytest.raises(InputError, match=r"row 2: the probabilities of system 'm' are 0.25, .*sum to 1"):
        read_systems({**PROBABILITIES, "yes": [0.1, bad, 1]}, ratings)


def test_negative_probabilities_are_refused(ratings: Ratings) -> None:
    with pytest.raises(InputError, match="from 0 to 1"):
        read_systems({**PROBABILITIES, "no": [0.9, -0.5, 0], "yes": [0.1, 1.5, 1]}, ratings)


def test_probabilities_for_an_item_twice_are_refused(ratings: Ratings) -> None:
    table = {name: [*cells, cells[0]] for name, cells in PROBABILITIES.items()}
    with pytest.raises(InputError, match="row 4: system 'm' gives probabilities for an item twice"):
        read_systems(table, ratings)


def test_one_table_may_hold_labels_of_one_system_and_probabilities_of_another(ratings: Ratings) -> None:
    columns = ("item", "system", "response", "no", "yes")
    rows = [(item, "m1", "no", None, None) for item in "abc"] + [(item, "m2", None, 0.5, 0.5) for item in "abc"]
    _, systems = read_systems(answers(*rows, columns=columns), ratings)
    assert isinstance(systems.answers["m1"].summary, Counts)
    assert isinstance(systems.answers["m2"].summary, Probabilities)


def test_labels_win_over_probabilities_and_that_is_said(ratings: Ratings) -> None:
    rows = [(item, "m", "no", 0.5, 0.5) for item in "abc"]
    _, systems = read_systems(answers(*rows, columns=("item", "system", "response", "no", "yes")), ratings)
    assert isinstance(systems.answers["m"].summary, Counts)
    assert systems.notes == ("system 'm' gives labels and probabilities: its labels are used",)


def test_missing_answers_are_refused_or_their_items_left_out_for_all(ratings: Ratings) -> None:
    table = answers(("a", "m1", "yes"), ("b", "m1", "no"), ("b", "m2", "no"), ("c", "m2", "no"))
    with pytest.raises(InputError, match=r"'m1' did not answer 1 of 3 rated items \(first: 'c'\).*--missing drop"):
        read_systems(table, ratings)
    left, systems = read_systems(table, ratings, missing="drop")
    assert left.items.to_list() == ["b"]
    assert counts_of(left.summary).tolist() == [[2, 0]]
    assert [counts_of(each.summary).tolist() for each in systems.answers.values()] == [[[1, 0]], [[1, 0]]]
    assert systems.notes == ("2 rated items left out, for a system did not answer (--missing)",)


def test_raters_who_rated_only_dropped_items_go_too() -> None:
    table = {"item": ["a", "a", "b"], "rater": ["x", "y", "z"], "response": ["yes", "no", "no"]}
    left, _ = read_systems(answers(("a", "m", "yes")), read_ratings(table), missing="drop")
    assert known(left.raters).to_list() == ["x", "y"]
    assert known(left.rater).tolist() == [0, 1]


def test_when_no_item_is_left_dropping_is_refused_too(ratings: Ratings) -> None:
    table = answers(("a", "m1", "yes"), ("b", "m2", "no"))
    with pytest.raises(InputError, match="answered by every system"):
        read_systems(table, ratings, missing="drop")
    with pytest.raises(InputError, match="not a rule"):
        read_systems(table, ratings, missing="some")


def test_answers_to_unrated_items_are_dropped_and_counted(ratings: Ratings) -> None:
    table = {name: [*cells, extra] for (name, cells), extra in zip(LABELS.items(), ("zz", "m1", "yes"), strict=True)}
    _, systems = read_systems(table, ratings)
    assert systems.notes == ("1 answer to items nobody rated dropped",)


def test_answers_to_other_items_altogether_are_refused(ratings: Ratings) -> None:
    with pytest.raises(InputError, match=r"none of the rated items .*'7'.*'a'.*--item-column"):
        read_systems(answers(("7", "m", "yes")), ratings)


def test_a_label_off_the_scale_is_refused(ratings: Ratings, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("item,model,label\na,m,yes\nb,m,Yes\nc,m,no\n")
    with pytest.raises(InputError, match=r"row 3, column 'label': 'Yes' is not a category of the ratings \(no, yes\)"):
        read_systems(tmp_path / "answers.csv", ratings)


@pytest.mark.parametrize(
    ("gone", "words"),
    [("item", "no item column"), ("system", "no system column"), ("response", "neither a response column nor")],
)
def test_a_missing_column_is_refused(gone: str, words: str, ratings: Ratings) -> None:
    with pytest.raises(InputError, match=words):
        read_systems({name: cells for name, cells in LABELS.items() if name != gone}, ratings)


def test_the_one_column_that_is_left_holds_the_responses_whatever_it_is_called(ratings: Ratings) -> None:
    answered = {name: cells for name, cells in LABELS.items() if name != "response"} | {"Antwort": LABELS["response"]}
    for more in ({}, {"run": [1] * 6}):
        _, read = read_systems({**answered, **more}, ratings)
        assert read.columns["response"] == "Antwort"
        assert counts_of(read.answers["m1"].summary).tolist() == [[0, 1], [1, 0], [0, 1]]
    with pytest.raises(InputError, match="call the column of responses Note"):
        read_systems({**answered, "Satz": ["x"] * 6}, ratings, like={"response": "Note"})


@pytest.mark.parametrize("role", ["item", "system"])
def test_an_empty_cell_is_refused(role: str, ratings: Ratings) -> None:
    table = {**LABELS, role: [*LABELS[role][:-1], None]}
    with pytest.raises(InputError, match=f"row 6, column '{role}' is empty"):
        read_systems(table, ratings)


def test_a_header_without_rows_is_refused(ratings: Ratings, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("item,system,response\n")
    with pytest.raises(InputError, match="has a header but no answers"):
        read_systems(tmp_path / "answers.csv", ratings)


def test_numbers_nobody_rated_with_extend_an_interval_scale() -> None:
    ratings = read_ratings({"item": ["a", "a", "b"], "score": [0.5, 1.5, 2.5]})
    table = answers(("a", "m1", "1.0"), ("b", "m1", "2.5"), ("a", "m2", 9), ("b", "m2", 0.5))
    longer, systems = read_systems(table, ratings)
    assert known(longer.scale.levels).tolist() == [0.5, 1.0, 1.5, 2.5, 9.0]
    np.testing.assert_allclose(longer.summary.mean, ratings.summary.mean)
    assert [each.summary.mean.tolist() for each in systems.answers.values()] == [[1.0, 2.5], [9.0, 0.5]]


def test_very_many_levels_are_kept_as_sorted_values() -> None:
    score = np.linspace(0, 1, 240) ** 2
    ratings = read_ratings({"item": np.repeat(np.arange(80), 3), "rater": np.tile(np.arange(3), 80), "score": score})
    table = {"item": np.arange(80), "system": ["m"] * 80, "score": np.linspace(0, 2, 80)}
    _, systems = read_systems(table, ratings)
    assert isinstance(systems.answers["m"].summary, Values)
    by_item = [systems.answers["m"].summary.values[place, 0] for place in np.argsort(np.arange(80).astype(str))]
    assert sorted(by_item) == pytest.approx(np.linspace(0, 2, 80))


def test_a_word_where_numbers_are_needed_is_refused() -> None:
    ratings = read_ratings({"item": ["a", "a", "b"], "score": [0.5, 1.5, 2.5]})
    with pytest.raises(InputError, match="row 2, column 'response': 'good' is not a number"):
        read_systems(answers(("a", "m", "1"), ("b", "m", "good")), ratings)


def test_numbers_match_however_they_are_written() -> None:
    ratings = read_ratings({"item": ["a", "a", "b"], "vote": [0, 1, 1]})
    _, systems = read_systems(answers(("a", "m", "1.0"), ("b", "m", "0.0")), ratings)
    assert counts_of(systems.answers["m"].summary).tolist() == [[0, 1], [1, 0]]


def test_answers_may_have_an_item_key_of_several_columns() -> None:
    key: dict[str, Any] = {"item_column": "doc,question"}
    ratings = read_ratings({"doc": ["d", "d"], "question": ["1", "2"], "rater": ["x", "x"], "label": ["u", "v"]}, **key)
    table = {"doc": ["d", "d"], "question": [2, 1], "model": ["m", "m"], "label": ["v", "u"]}
    _, systems = read_systems(table, ratings, **key)
    assert counts_of(systems.answers["m"].summary).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("make", [pl.DataFrame, lambda table: pytest.importorskip("pandas").DataFrame(table)])
def test_answers_may_come_as_a_frame(make: Any, ratings: Ratings) -> None:
    _, systems = read_systems(make(LABELS), ratings)
    assert counts_of(systems.answers["m1"].summary).tolist() == [[0, 1], [1, 0], [0, 1]]


def test_a_column_that_names_thousands_of_systems_is_refused() -> None:
    known = [f"s{k}" for k in range(1001)]
    with pytest.raises(
        InputError, match="There are 1,001 systems; 1,000 can be read at once: name some with --systems"
    ):
        check_systems(None, known)
    check_systems(["s1", "s2"], known)
