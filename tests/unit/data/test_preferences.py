"""Votes between two systems: the same whatever the columns are called, and one clear sentence for what cannot be."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from quorate._errors import InputError
from quorate.data.evaluation import Evaluation, read_evaluation
from quorate.data.preferences import Votes
from quorate.data.reading import Reading
from quorate.data.summaries import Counts

ROWS: dict[str, Any] = {
    "item": [1, 1, 2, 2],
    "rater": ["x", "y", "x", "y"],
    "system_a": ["p", "p", "q", "q"],
    "system_b": ["q", "q", "p", "p"],
    "winner": ["a", "b", "tie", "a"],
}


def read(table: dict[str, Any], **reading: Any) -> Votes:
    votes = read_evaluation(table, reading=Reading(**reading)).votes
    assert votes is not None
    return votes


def tallies(votes: Votes) -> dict[tuple[int, int], float]:
    """How often each vote was cast from each side, for the first system by name."""
    return {(int(v), int(s)): float(n) for v, s, n in zip(votes.vote, votes.side, votes.times, strict=True)}


def test_grades_of_alpaca_eval_from_1_to_2_are_votes() -> None:
    table = {
        "instruction": list("wxyz"),
        "generator_1": ["p"] * 4,
        "generator_2": ["q"] * 4,
        "preference": [1.0, 1.5, 2.0, 1.93],
    }
    assert tallies(read(table)) == {(1, 0): 1, (0, 0): 1, (-1, 0): 2}


def test_votes_are_for_the_first_system_by_name_and_keep_the_side() -> None:
    votes = read(ROWS)
    assert votes.systems == ("p", "q")
    # p first: one for p, one for q; q first: a tie, and one for q.
    assert tallies(votes) == {(1, 1): 1, (-1, 1): 1, (0, -1): 1, (-1, -1): 1}
    assert votes.ratings.n_items == 2
    assert votes.ratings.n_raters == 2


@pytest.mark.parametrize(
    "winner",
    [
        ["model_a", "model_b", "tie (bothbad)", "model_a"],
        ["p", "q", "both_bad", "q"],
        [1, 2, 0, 1],
        [2, -1, 0, 3],
        [1, 2, 1.5, 1],
    ],
)
def test_winners_under_many_names_are_the_same_votes(winner: list[Any]) -> None:
    renamed = {
        "prompt": ROWS["item"],
        "worker": ROWS["rater"],
        "model_a": ROWS["system_a"],
        "model_b": ROWS["system_b"],
    }
    assert tallies(read({**renamed, "preference": winner})) == tallies(read(ROWS))


def test_left_and_right_say_the_side_and_other_columns_only_in_both_orders() -> None:
    one_order = {**ROWS, "system_a": ["p"] * 4, "system_b": ["q"] * 4}
    assert not read(one_order).side.any()
    left = {"left": one_order["system_a"], "right": one_order["system_b"]}
    sided = read({**{k: v for k, v in ROWS.items() if "system" not in k}, **left})
    assert (sided.side == 1).all()
    shown = read({**one_order, "shown_first": ["a", "p", "q", "b"]})
    assert sorted(shown.side) == [-1, -1, 1, 1]


def test_votes_among_some_systems_are_turned_to_the_order_asked() -> None:
    rows = {k: [*v, v[0]] for k, v in ROWS.items()} | {"system_b": ["q", "q", "p", "p", "r"]}
    some = read(rows).among(["q", "p"])
    assert some.systems == ("q", "p")
    assert tallies(some) == {(-1, -1): 1, (1, -1): 1, (0, 1): 1, (1, 1): 1}
    with pytest.raises(InputError, match="no vote is between r and q"):
        read(rows).among(["r", "q"])


def test_abstentions_and_identical_outputs_are_reported() -> None:
    outputs = {"output_a": list("stuv"), "output_b": list("stww")}
    votes = read({**ROWS, **outputs, "winner": ["a", "b", "skip", None]})
    assert votes.notes == (
        "2 rows without a vote (empty, or an abstention) dropped",
        "2 votes on identical outputs, counted like any other",
    )
    assert votes.ratings.n_responses == 2


def test_what_cannot_be_a_vote_is_refused_with_its_place() -> None:
    def refused(match: str, reading: dict[str, Any] | None = None, **changed: Any) -> None:
        with pytest.raises(InputError, match=match):
            read_evaluation({**ROWS, **changed}, reading=Reading(**(reading or {})))

    refused("row 2: 'p' is shown against itself", system_b=["q", "p", "p", "p"])
    refused("row 4, column 'winner': 'zzz' is neither 'q' nor 'p', nor a tie", winner=["a", "b", "tie", "zzz"])
    refused("column 'winner' holds only 0, 1", winner=[1, 0, 0, 1])
    refused("holds 0.0, 0.5, 1.0, and which of these are for which system is not known", winner=[1.0, 0.5, 0.0, 1.0])
    refused("row 3, column 'system_a' is empty", system_a=["p", "p", None, "q"])
    refused("every row is empty or an abstention", winner=["skip"] * 4)
    again: dict[str, Any] = {"item": [1, 1, 2, 2], "rater": list("xxyy"), "system_a": ["p"] * 4, "system_b": ["q"] * 4}
    contrary = "1 time a rater voted both ways on the same outputs (first 'x' on item '1', p and q)"
    assert read({**ROWS, **again, "winner": ["a", "b", "a", "a"]}).notes[0].startswith(contrary)
    refused("row 2: rater 'x' voted", {"duplicates": "error"}, **again, winner=["a", "a", "b", "b"])
    kept = read({**ROWS, **again}, duplicates="last")
    assert kept.ratings.n_responses == 2
    with pytest.raises(InputError, match="has no two columns of systems"):
        read_evaluation({"item": [1], "response": ["a"]}, reading=Reading(preferences=True))


def test_a_table_without_two_systems_is_read_as_ratings() -> None:
    plain = read_evaluation({"item": [1, 1], "rater": ["x", "y"], "vote": ["a", "b"]})
    assert isinstance(plain, Evaluation)
    assert plain.votes is None
    assert plain.kind == "answers"


def test_columns_may_be_named_and_frames_of_other_engines_read() -> None:
    pandas = pytest.importorskip("pandas")
    renamed = {
        "ours": ROWS["system_a"],
        "theirs": ROWS["system_b"],
        **{k: ROWS[k] for k in ("item", "rater", "winner")},
    }
    named = read_evaluation(renamed, system_column="ours,theirs").votes
    assert named is not None
    assert tallies(named) == tallies(read(ROWS))
    other = read_evaluation(pandas.DataFrame(ROWS)).votes
    assert other is not None
    assert np.array_equal(other.times, read(ROWS).times)
    assert read_evaluation(pl.DataFrame(ROWS)).kind == "preferences"


def test_votes_are_ratings_of_an_item_with_its_two_systems() -> None:
    both = read(ROWS).as_ratings()
    # Item 1: one vote for p, one for q; item 2: a tie and one for q.
    assert both.scale.categories == ("q", "tie", "p")
    assert isinstance(both.summary, Counts)
    assert both.summary.counts.tolist() == [[1, 0, 1], [1, 1, 0]]
    third = {k: [*v, v[0]] for k, v in ROWS.items()} | {"system_b": ["q", "q", "p", "p", "r"]}
    assert read(third).as_ratings().items.to_list() == ["1: p and q", "1: p and r", "2: p and q"]
