"""LangSmith's table of an experiment and its feedback, by the layout its code writes."""

import json
from pathlib import Path

import polars as pl
import pytest

from quorate._errors import InputError
from quorate.comparing.verb import compare
from quorate.data.formats.registry import read_table_log
from quorate.data.reading import LogChoice
from tests.formats.reading import read, read_file, reasons


def test_further_rows_of_an_example_are_runs() -> None:
    frame = pl.DataFrame(
        {
            "id": ["r1", "r2", "r3"],
            "example_id": ["e1", "e1", "e2"],
            "feedback.correct": [True, False, None],
            "feedback.tone": [0.5, 0.25, 1.0],
        }
    )
    with pytest.raises(InputError, match="several feedback keys: correct, tone"):
        read_table_log("x.csv", frame, LogChoice())
    log = read_table_log("x.csv", frame, LogChoice("correct"))
    assert log is not None
    assert log.frame.rows() == [("e1", "1", "1"), ("e1", "2", "0")]  # by `id` each row would be an item


def test_feedback_names_the_person() -> None:
    feedback = {
        "run_id": "r",
        "key": "ok",
        "score": 1,
        "value": None,
        "feedback_source": {"type": "app", "user_id": "u"},
    }
    assert read([feedback]).frame.select("item", "rater", "response").rows() == [("r", "u", "1")]


def test_what_langsmith_wrote_is_read_without_the_run_that_failed(logs: Path) -> None:
    log = read_file(logs / "langsmith.csv", "right")
    ends = [(item[-1], again, x) for item, again, x in log.frame.select("item", "repeat", "response").rows()]
    assert ends == [("1", "1", "0"), ("2", "1", "1"), ("3", "1", "0"), ("1", "2", "0"), ("2", "2", "1")]
    assert reasons(log)["the run failed with an error; it is not scored 0"] == 1
    assert set(read_file(logs / "langsmith.csv", "tone").frame["response"]) == {"warm"}


def test_feedback_that_shares_a_group_is_a_vote(logs: Path) -> None:
    # One by one the six scores would be six ratings, 3 of 6 of them good; they are a win each and a tie.
    log = read_file(logs / "langsmith-votes.json")
    assert log.kind == "preferences"
    votes = {(a[-1], b[-1], winner[-1]) for a, b, winner in log.frame.select("system_a", "system_b", "winner").rows()}
    assert (log.frame.height, votes) == (3, {("8", "9", "8"), ("8", "9", "9"), ("8", "9", "e")})
    assert log.frame["rater"].n_unique() == 2
    [pair] = compare(logs / "langsmith-votes.json").pairs
    assert (pair.win, pair.tie, pair.loss) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    lost = json.loads((logs / "langsmith-votes.json").read_text())
    lost[0]["session_id"] = None
    with pytest.raises(InputError, match="not all say of which experiment they are"):
        read(lost)


def test_people_and_machines_are_read_apart() -> None:
    def feedback(source: str, score: float) -> dict[str, object]:
        who = {"type": source, "user_id": "u" if source == "app" else None}
        return {"run_id": "r", "key": "ok", "score": score, "value": None, "feedback_source": who}

    given = [feedback("app", 1), feedback("model", 0)]
    with pytest.raises(InputError, match=r"ok \(app\), ok \(model\)"):
        read(given)
    assert read(given, "ok (app)").frame["response"].to_list() == ["1"]


def test_a_key_of_a_vote_that_is_no_name_is_left_out() -> None:
    """It ended with an error of ours."""
    runs: list[dict[str, object]] = [
        {"run_id": run, "key": {"a": 1}, "score": score, "session_id": run, "feedback_group_id": "g"}
        for run, score in (("a", 1), ("b", 0))
    ]
    votes = read([{**each, "feedback_source": {"user_id": "u"}} for each in runs])
    assert votes.frame.select("rater", "winner").rows() == [("u", "a")]
