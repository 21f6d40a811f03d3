"""promptfoo's JSON, written by promptfoo: two providers, four tests, each twice, an error on one of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from quorate._errors import InputError
from quorate.data.formats.log_table import LogTable
from quorate.data.formats.registry import read_json_log
from quorate.data.inputs import open_input
from quorate.data.json_table import parse_json
from quorate.data.reading import LogChoice


def read(content: Any, choice: LogChoice | None = None) -> LogTable:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    log = read_json_log("out.json", parse_json("out.json", data), choice or LogChoice())
    assert log is not None
    return log


def test_repetitions_are_runs_not_items(logs: Path) -> None:
    content = json.loads((logs / "promptfoo.json").read_text())
    numbers = {result["testIdx"] for result in content["results"]["results"]}
    log = read(content)
    assert (len(numbers), log.frame["item"].n_unique()) == (8, 4)  # by testIdx there would be twice as many items
    assert log.frame.group_by("item", "system").len().filter(pl_system("new"))["len"].to_list() == [2] * 4
    assert set(log.frame["repeat"]) == {"1", "2"}


def pl_system(name: str) -> Any:
    import polars as pl

    return pl.col("system") == name


def test_an_answer_that_did_not_come_is_no_score(logs: Path) -> None:
    log = read((logs / "promptfoo.json").read_bytes())
    reasons = {each.reason: each.rows for each in log.dropped}
    assert reasons["the answer did not come (an error); it is not scored 0"] == 2
    assert log.frame.filter(pl_system("old"))["item"].n_unique() == 3


def test_json_lines_say_the_same(logs: Path) -> None:
    lines = read((logs / "promptfoo.jsonl").read_bytes()).frame
    assert lines.sort(lines.columns).equals(
        read((logs / "promptfoo.json").read_bytes()).frame.select(lines.columns).sort(lines.columns)
    )


def test_the_csv_is_refused_for_it_rounds(logs: Path) -> None:
    with pytest.raises(InputError, match=r"promptfoo's CSV, which rounds .* write JSON instead"):
        open_input(logs / "promptfoo.csv")


def result(system: str, score: float, **more: Any) -> dict[str, Any]:
    case = {"vars": {"q": "x"}, "testCase": {"description": "d", "vars": {"q": "x"}}}
    fixed = {"promptIdx": 0, "testIdx": 0, "promptId": "p", "success": True, "failureReason": 0}
    return {**case, **fixed, "provider": {"id": system}, "score": score, "namedScores": {}, **more}


def test_a_person_s_grade_and_named_scores_are_there_by_name() -> None:
    human = {"componentResults": [{"score": 1, "assertion": {"type": "human"}}, {"score": 0, "assertion": None}]}
    content = {"results": {"results": [result("a", 0.5, namedScores={"tone": 0.7}, gradingResult=human)]}}
    assert read(content).frame["response"].to_list() == ["0.5"]
    assert read(content, LogChoice("tone")).frame["response"].to_list() == ["0.7"]
    assert read(content, LogChoice("human")).frame["response"].to_list() == ["1"]


def test_prompts_are_told_apart_where_there_are_several() -> None:
    prompts = [result("a", 1, promptId=p, prompt={"raw": "r", "label": p}) for p in ("short", "long")]
    assert read(prompts).frame["system"].to_list() == ["a | short", "a | long"]


def test_a_provider_named_twice_is_two_systems_not_one_with_repeats() -> None:
    """As with two temperatures and no labels: promptfoo itself counts by promptIdx."""
    twice = [result("a", score, promptIdx=column) for column, score in ((0, 1), (1, 0), (0, 1))]
    log = read(twice)
    assert log.frame.select("system", "repeat", "response").rows() == [
        ("a (promptIdx 0)", "1", "1"),
        ("a (promptIdx 1)", "1", "0"),
        ("a (promptIdx 0)", "2", "1"),
    ]


def test_what_a_conversation_adds_to_the_variables_is_no_part_of_the_question() -> None:
    """The earlier answers stand there, so that no item would be the same for two systems, or in two repeats."""
    talks = [
        result(system, 1, vars={"q": "x", "_conversation": [{"output": f"{system}{turn}"}], "sessionId": f"{turn}"})
        for system in "ab"
        for turn in range(2)
    ]
    log = read(talks)
    assert log.frame["item"].n_unique() == 1
    assert log.frame["repeat"].to_list() == ["1", "2", "1", "2"]
    assert log.frame["item"][0] == read([result("a", 1)]).frame["item"][0]


def test_a_label_names_the_system_and_the_older_version_is_read_like_the_newer() -> None:
    rows = [result("openai:x", 1, provider={"id": "openai:x", "label": "new"})]
    older = {"evalId": "e", "results": {"version": 2, "results": rows, "table": {"head": {}, "body": []}}}
    newer = {"evalId": "e", "results": {"version": 3, "results": rows}}
    assert read(older).frame.equals(read(newer).frame)
    assert read(newer).frame["system"].to_list() == ["new"]
