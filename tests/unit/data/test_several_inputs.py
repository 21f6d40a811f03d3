"""Several files in one call: logs, folders of them, and files of one system each."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from quorate._errors import InputError
from quorate.comparing.verb import compare
from quorate.converting.verb import convert
from quorate.data.reading import Reading
from quorate.data.several_inputs import gather
from quorate.results.files import check_output

RATINGS = {"item": ["1", "1", "2", "2", "3", "3"], "rater": list("xyxyxy"), "response": list("aababb")}


def numbers(path: Path, values: dict[str, float]) -> Path:
    pl.DataFrame({"item": list(values), "score": list(values.values())}).write_csv(path)
    return path


def test_two_logs_give_what_the_same_numbers_give_in_a_csv(logs: Path, tmp_path: Path) -> None:
    for score in ("match", "judge.tone"):
        [ours] = compare(logs / "new.eval", logs / "old.eval", score=score, missing="drop").pairs
        rows = [f"{i},{s},{r},{x}" for s in ("new", "old") for i, r, x in values(logs / f"{s}.json", score)]
        table = tmp_path / "by-hand.csv"
        table.write_text("\n".join(["item,system,epoch,response", *rows]) + "\n")
        [hand] = compare(table, rated_system="system", missing="drop").pairs
        for field in ("difference", "low", "high", "p_value", "verdict", "score_a", "score_b", "n_items"):
            assert getattr(ours, field) == getattr(hand, field), field
        assert (ours.a, hand.a) == ("mockllm/new", "new")


def test_what_is_converted_gives_what_the_logs_give(logs: Path, tmp_path: Path) -> None:
    given = [logs / "new.eval", logs / "old.eval"]
    convert(given, score="match").to_frame().write_csv(tmp_path / "long.csv")
    ours = compare(given, score="match", missing="drop")
    again = compare(tmp_path / "long.csv", rated_system="system", missing="drop")
    assert again.pairs == ours.pairs
    lucky = compare(given, score="match", missing="drop", run_column="repeat")  # the negative control
    assert lucky.pairs[0].high - lucky.pairs[0].low > ours.pairs[0].high - ours.pairs[0].low


@pytest.mark.parametrize("verb", [compare, convert])
def test_what_is_read_beside_a_log_is_an_input_too(verb: Any, logs: Path) -> None:
    """results.json names the model, so no output may be written over it."""
    folder = logs / "lm-eval"
    result = verb([folder / "org__new", folder / "org__old"], filter="strict-match")
    assert {Path(each).name[:7] for each in result.inputs} >= {"samples", "results"}
    for path in folder.rglob("results*.json"):
        with pytest.raises(InputError, match="it is an input and stays as it is"):
            check_output(path, result.inputs)


def values(path: Path, score: str) -> list[tuple[str, str, float]]:
    """Read a JSON log independently."""
    import json

    words = {"C": 1.0, "I": 0.0, "P": 0.5}
    name, _, key = score.partition(".")
    found = []
    for sample in json.loads(path.read_text())["samples"]:
        value = (sample.get("scores") or {}).get(name, {}).get("value")
        value = value.get(key) if isinstance(value, dict) else value
        value = words.get(str(value), value)
        if isinstance(value, float | int) and value == value:
            found.append((str(sample["id"]), str(sample["epoch"]), float(value)))
    return found


def test_a_folder_of_logs_is_read_whatever_else_is_in_it(logs: Path, tmp_path: Path) -> None:
    for name in ("new.eval", "old.eval"):
        shutil.copy(logs / name, tmp_path / name)
    (tmp_path / "config.json").write_text('{"a": 1}')
    (tmp_path / "notes.csv").write_text("a\nb,c\n")
    result = compare(tmp_path, score="match", missing="drop")
    assert [(pair.a, pair.b) for pair in result.pairs] == [("mockllm/new", "mockllm/old")]
    assert {Path(path).name for path in result.inputs} >= {"new.eval", "old.eval"}
    assert compare([logs / "new.eval", logs / "old.eval"], score="match", missing="drop").pairs == result.pairs


def test_files_of_one_system_each_are_named_by_the_user(tmp_path: Path) -> None:
    a = numbers(tmp_path / "a.csv", {"1": 0.5, "2": 0.75, "3": 1.0})
    b = numbers(tmp_path / "b.csv", {"1": 0.25, "2": 0.5, "3": 1.0})
    [pair] = compare(f"new={a}", f"old={b}").pairs
    assert (pair.a, pair.b) == ("new", "old")
    assert pair.difference == pytest.approx(0.5 / 3)
    with pytest.raises(InputError, match="write its name before it: NAME="):
        compare(f"new={a}", b)


def test_answers_may_come_in_a_file_each(tmp_path: Path) -> None:
    ratings = tmp_path / "ratings.csv"
    pl.DataFrame(RATINGS).write_csv(ratings)
    for name, said in (("a", "aab"), ("b", "bbb")):
        pl.DataFrame({"item": ["1", "2", "3"], "response": list(said)}).write_csv(tmp_path / f"{name}.csv")
    together = compare(ratings, f"new={tmp_path / 'a.csv'}", [f"old={tmp_path / 'b.csv'}"])
    answers = {"item": ["1", "2", "3"] * 2, "system": ["new"] * 3 + ["old"] * 3, "response": list("aabbbb")}
    assert together.pairs == compare(RATINGS, answers).pairs
    assert len(together.inputs) == 3
    with pytest.raises(InputError, match="each needs its system's name"):
        compare(ratings, f"new={tmp_path / 'a.csv'}", [str(tmp_path / "b.csv")])


def test_two_logs_of_one_system_are_told_apart_or_refused(logs: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.eval"
    shutil.copy(logs / "new.eval", copy)
    with pytest.raises(InputError, match="both about system 'mockllm/new'; tell them apart: new="):
        compare(logs / "new.eval", copy, score="match")
    assert compare(f"x={logs / 'new.eval'}", f"y={copy}", score="match").pairs[0].verdict == "identical"


def test_logs_that_differ_in_the_solver_only_are_named_by_it(logs: Path, tmp_path: Path) -> None:
    import json

    content = json.loads((logs / "new.json").read_text())
    for solver in ("plain", "tools"):
        content["eval"]["solver"] = solver
        (tmp_path / f"{solver}.json").write_text(json.dumps(content))
    [pair] = compare(tmp_path, score="match").pairs
    assert (pair.a, pair.b) == ("mockllm/new (plain)", "mockllm/new (tools)")


def test_items_of_different_tasks_stay_apart(logs: Path, tmp_path: Path) -> None:
    import json

    for model in ("new", "old"):
        content = json.loads((logs / f"{model}.json").read_text())
        for task in ("sums", "products"):
            content["eval"]["task"] = task
            (tmp_path / f"{model}-{task}.json").write_text(json.dumps(content))
    result = compare(tmp_path, score="match", missing="drop", by="task")
    assert result.pairs[0].n_items == 12
    assert [group.group for group in result.groups] == ["products", "sums"]


def test_kinds_are_not_mixed_and_what_cannot_be_is_said(logs: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="several systems"):
        compare(f"x={logs / 'promptfoo.json'}")
    with pytest.raises(InputError, match="without a log that can be read"):
        compare(tmp_path)
    with pytest.raises(InputError, match="more files"):
        compare(RATINGS, RATINGS, ["x.csv"])


def test_ratings_alone_stay_ratings() -> None:
    given = gather(RATINGS, None, (), None, Reading())
    assert (given.ratings, given.answers, given.rated_system) == (RATINGS, None, None)


def test_a_column_of_lists_beside_the_answers_is_not_read(tmp_path: Path) -> None:
    rows = [{"item": f"q{k}", "response": "yes" if k % 2 else "no", "more": [k, None]} for k in range(6)]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    table = "\n".join(["item,response,more", *(f"q{k},{'yes' if k % 3 else 'no'},x" for k in range(6))])
    (tmp_path / "b.csv").write_text(table)
    people = {"item": [f"q{k}" for k in range(6)] * 2, "response": ["yes", "no"] * 6}
    pl.DataFrame(people).write_csv(tmp_path / "r.csv")
    result = compare(tmp_path / "r.csv", f"x={tmp_path}/a.json", more=[f"y={tmp_path}/b.csv"], resamples=99)
    assert {result.pairs[0].a, result.pairs[0].b} == {"x", "y"}


def test_a_name_for_a_file_of_several_systems_is_refused_even_where_some_have_none(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("item,system,rater,response\n1,new,ann,2\n1,,ben,3\n2,new,ann,1\n")
    other = numbers(tmp_path / "b.csv", {"1": 0.25, "2": 0.5})
    with pytest.raises(InputError, match=r"several systems \(\(no name\), new\); leave out 'mine='"):
        convert([f"mine={log}", other])


def test_a_file_that_is_not_there_is_refused_before_the_first_is_read(tmp_path: Path) -> None:
    broken = tmp_path / "long.csv"
    broken.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"There is no file .*answers\.csv"):
        gather(str(broken), str(tmp_path / "answers.csv"), (), None, Reading())


def test_a_damaged_log_of_a_folder_is_named_not_passed_over(logs: Path, tmp_path: Path) -> None:
    for name in ("new.eval", "old.eval"):
        (tmp_path / name).write_bytes((logs / name).read_bytes())
    (tmp_path / "third.eval").write_bytes((logs / "old.eval").read_bytes()[:-30])
    (tmp_path / "fourth.json").write_text((logs / "new.json").read_text()[:-30])
    (tmp_path / "settings.json").write_text('{"a": [1], "b": 2}')  # no log at all
    report = str(compare(tmp_path, score="match", missing="drop").load_report)
    assert "left out of the folder: " in report
    assert "third.eval is a damaged zip archive" in report
    assert "fourth.json, row 1 is not valid JSON" in report
    assert "settings" not in report


def test_a_filter_that_no_log_of_a_folder_has_is_named_though_another_task_lacks_the_score(logs: Path) -> None:
    with pytest.raises(InputError, match=r"samples_sums.*has no filter 'nope', only loose, strict"):
        compare(logs / "lm-eval-run", score="exact_match", filter="nope")
