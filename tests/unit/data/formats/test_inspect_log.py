"""Inspect logs, written by Inspect itself: two models, six samples, two epochs, a failure and a NaN."""

import io
import json
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from quorate._errors import InputError
from quorate.data.archives import open_archive
from quorate.data.formats.log_table import LogTable
from quorate.data.formats.registry import read_archive_log, read_json_log, read_table_log
from quorate.data.inputs import open_input
from quorate.data.json_table import parse_json
from quorate.data.reading import LogChoice, LogReading

MATCH = LogChoice("match")


def read(path: Path, choice: LogChoice = MATCH) -> LogTable:
    with path.open("rb") as file, open_archive(path.name, file) as archive:
        log = read_archive_log(path.name, archive, choice)
    assert log is not None
    return log


def members(path: Path) -> dict[str, Any]:
    """What stands in an archive, in its order."""
    with path.open("rb") as file, open_archive(path.name, file) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.names}


def zipped(path: Path, content: Mapping[str, Any]) -> Path:
    """Write an archive the old way, deflated."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in content.items():
            archive.writestr(name, value if isinstance(value, str) else json.dumps(value))
    return path


def cells(log: LogTable) -> dict[tuple[str, ...], float]:
    return {(i, r): float(x) for i, r, x in log.frame.select("item", "repeat", "response").rows()}


def right(model: int) -> dict[tuple[str, ...], float]:
    """What `make_fixtures` lets a model say rightly, by its rule."""
    return {(str(i), str(e)): float((2 * i + e) % 5 < model) for i in range(1, 7) for e in (1, 2)}


def test_letters_are_numbers_epochs_are_runs(logs: Path) -> None:
    log = read(logs / "new.eval")
    assert cells(log) == right(4)
    assert log.frame["system"].unique().to_list() == ["mockllm/new"]
    assert (log.kind, log.scope, log.mapping["response"]) == ("scores", "sums", "scores.match.value")
    assert dict(log.frame.select("item", "topic").unique().rows())["2"] == "odd"


def test_a_sample_that_failed_is_left_out_and_counted_not_scored_0(logs: Path) -> None:
    log = read(logs / "old.eval")
    wanted = {key: value for key, value in right(2).items() if key != ("5", "2")}
    assert cells(log) == wanted
    assert {"the sample failed with an error; it is not scored 0": 1}.items() <= reasons(log).items()


def reasons(log: LogTable) -> dict[str, int]:
    return {each.reason: each.rows for each in log.dropped}


def test_nan_is_missing_and_an_object_is_several_scores(logs: Path) -> None:
    with pytest.raises(InputError, match=r"has several scores: judge\.grade, judge\.tone, match; choose"):
        read(logs / "new.eval", LogChoice(advice="choose"))
    grades = read(logs / "new.eval", LogChoice("judge.grade"))
    assert cells(grades)["2", "1"] == 0.5  # P
    assert ("3", "1") not in cells(grades)  # NaN in place of both scores
    assert reasons(grades)["not scored"] == 1


def test_a_sample_one_scorer_passed_over_is_counted_though_others_scored_it(logs: Path, tmp_path: Path) -> None:
    whole = members(logs / "new.eval")
    for sample in whole["summaries.json"][:2]:
        del sample["scores"]["match"]
    log = read(zipped(tmp_path / "passed.eval", whole))
    assert log.frame.height == 10
    assert reasons(log)["not scored"] == 2


def test_json_logs_say_the_same(logs: Path) -> None:
    for model in ("new", "old"):
        content = parse_json("log", (logs / f"{model}.json").read_bytes())
        log = read_json_log("log", content, MATCH)
        assert log is not None
        ours, theirs = cells(log), cells(read(logs / f"{model}.eval"))
        # `make_fixtures` keeps no error in the JSON; there the failed sample has no scores
        assert ours == theirs
        assert log.scope == "sums"


def test_an_unfinished_log_is_read_from_its_journal_in_the_order_of_numbers(logs: Path, tmp_path: Path) -> None:
    whole = members(logs / "new.eval")
    samples = whole["summaries.json"]
    # numbers 2 and 10: as text 10 comes first; the later entry runs sample (1, 1) again and fails it
    again = [{**samples[0], "scores": {"match": {"value": "I"}}}]
    journal = {"_journal/start.json": whole["_journal/start.json"]}
    journal |= {"_journal/summaries/10.json": again, "_journal/summaries/2.json": samples}
    log = read(zipped(tmp_path / "half.eval", journal))
    place = (str(samples[0]["id"]), str(samples[0]["epoch"]))
    assert cells(log) == right(4) | {place: 0.0}
    assert "the log is unfinished: these are the samples done so far" in log.notes


@pytest.mark.parametrize("status", ["cancelled", "error", "success"])
def test_a_log_that_was_stopped_says_so_though_it_has_a_header(logs: Path, tmp_path: Path, status: str) -> None:
    """As written by 0.3.285 when a run is interrupted: the samples that were under way have an error."""
    whole = members(logs / "new.eval")
    whole["header.json"]["status"] = status
    samples = whole["summaries.json"][:7]
    whole["summaries.json"] = [*samples[2:], *({**each, "error": "CancelledError()"} for each in samples[:2])]
    log = read(zipped(tmp_path / "stopped.eval", whole))
    assert log.frame.height == 5
    assert ("the log is unfinished: these are the samples done so far" in log.notes) == (status != "success")


def test_without_summaries_the_whole_samples_are_read(logs: Path, tmp_path: Path) -> None:
    whole = members(logs / "new.eval")
    samples = whole["summaries.json"]
    apart: dict[str, Any] = {
        f"samples/{s['id']}_epoch_{s['epoch']}.json": {**s, "messages": ["…"]} for s in samples[1:]
    }
    apart |= {"samples/1_epoch_1/sample.json": samples[0], "samples/1_epoch_1/chunk_1.json": [{"id": 9, "epoch": 9}]}
    log = read(zipped(tmp_path / "samples.eval", {"header.json": whole["header.json"], **apart}))
    assert cells(log) == right(4)
    assert not any("unfinished" in note for note in log.notes)


def test_samples_that_were_run_again_count_once_the_last(logs: Path, tmp_path: Path) -> None:
    whole = members(logs / "new.eval")
    first = whole["summaries.json"][0]
    whole["summaries.json"].append({**first, "scores": {"match": {"value": 0.25}}})
    log = read(zipped(tmp_path / "again.eval", whole))
    assert cells(log)[str(first["id"]), str(first["epoch"])] == 0.25
    assert log.frame.height == 12
    assert reasons(log)["superseded: the sample was run again, the last counts"] == 1


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_members_with_one_name_the_last_counts(logs: Path, tmp_path: Path) -> None:
    whole = members(logs / "new.eval")
    other = [{**sample, "scores": {"match": {"value": 0.5}}} for sample in whole["summaries.json"]]
    path = zipped(tmp_path / "twice.eval", whole)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("summaries.json", json.dumps(other))
    assert set(cells(read(path)).values()) == {0.5}


def test_a_table_of_samples_takes_the_id_not_the_uuid() -> None:
    frame = pl.DataFrame(
        {
            "sample_id": ["u1", "u2", "u3", "u4"],
            "eval_id": ["e", "e", "f", "f"],
            "id": [1, 2, 1, 2],
            "epoch": [1, 1, 1, 1],
            "model": ["a", "a", "b", "b"],
            "score_match": ["C", "I", "C", "C"],
            "error": [None, None, None, "late"],
        }
    )
    log = read_table_log("samples.csv", frame, LogChoice())
    assert log is not None
    assert log.frame.select("item", "system", "response").rows() == [("1", "a", "1"), ("2", "a", "0"), ("1", "b", "1")]
    assert reasons(log) == {"the sample failed with an error; it is not scored 0": 1}


@pytest.mark.parametrize("score", ["match", "judge.tone", "judge.grade"])
def test_the_table_inspect_made_of_two_logs_says_what_they_say(logs: Path, score: str) -> None:
    """There a value of several scores is JSON in a cell."""
    table = open_input(logs / "inspect-samples.csv", reading=LogReading(score=score)).log
    assert table is not None
    for model in ("new", "old"):
        part = table.frame.filter(system=f"mockllm/{model}")
        log = read(logs / f"{model}.eval", LogChoice(score)).frame
        assert part.select(log.columns).sort("item", "repeat").equals(log.sort("item", "repeat"))


def test_scores_that_were_made_for_inspect_are_values_not_answers() -> None:
    given = [{"id": 1, "epoch": e, "value": v, "answer": "4", "explanation": "so"} for e, v in ((1, "C"), (2, "I"))]
    log = read_json_log("scores.json", parse_json("scores.json", json.dumps(given).encode()), LogChoice())
    assert log is not None
    assert log.frame.rows() == [("1", "1", "1"), ("1", "2", "0")]


def test_every_kind_of_value_is_the_number_inspect_takes_it_for(logs: Path, tmp_path: Path) -> None:
    whole = members(logs / "new.eval")
    values = ["C", "I", "P", "N", "yes", "No", "TRUE", "false", True, "0.25", 3, None]
    for sample, value in zip(whole["summaries.json"], values, strict=True):
        sample["scores"] = None if value is None else {"match": {"value": value}}
    log = read(zipped(tmp_path / "values.eval", whole))
    assert log.frame["response"].to_list() == ["1", "0", "0.5", "0", "1", "0", "1", "0", "1", "0.25", "3"]
    assert reasons(log) == {"not scored": 1}


def test_a_member_in_several_frames_of_zstd_is_read_whole(tmp_path: Path) -> None:
    """As Inspect packs more than 200 MB; the first frame alone would be a part."""
    zstd = pytest.importorskip("backports.zstd")
    packed = zstd.compress(b"[1, ") + zstd.compress(b"2]")
    path = tmp_path / "frames.zip"
    name = b"summaries.json"
    common = struct.pack("<HHHHHIIIHH", 20, 0, 93, 0, 33, 0, len(packed), 6, len(name), 0)
    directory = b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    end = struct.pack("<HHHHIIH", 0, 0, 1, 1, len(directory), 30 + len(name) + len(packed), 0)
    path.write_bytes(b"PK\x03\x04" + common + name + packed + directory + b"PK\x05\x06" + end)
    with path.open("rb") as file, open_archive("frames.zip", file) as archive:
        assert archive.read("summaries.json") == b"[1, 2]"


def test_what_a_person_declared_invalid_is_left_out(logs: Path, tmp_path: Path) -> None:
    """Only the whole samples say so, the header that there are such; the summaries hold all scores."""
    whole = members(logs / "new.eval")
    samples = [{**each, "invalidation": None} for each in whole["summaries.json"]]
    samples[0]["invalidation"] = {"author": "ann", "reason": "leaked", "timestamp": "2026-11-01T10:00:00Z"}
    apart = {f"samples/{each['id']}_epoch_{each['epoch']}.json": each for each in samples}
    whole["header.json"]["invalidated"] = True
    log = read(zipped(tmp_path / "judged.eval", whole | apart))
    place = (str(samples[0]["id"]), str(samples[0]["epoch"]))
    assert cells(log) == {key: value for key, value in right(4).items() if key != place}
    assert reasons(log)["declared invalid by a person"] == 1


def test_another_way_to_reduce_epochs_is_said(logs: Path, tmp_path: Path) -> None:
    whole = members(logs / "new.eval")
    assert not any("epochs" in note for note in read(logs / "new.eval").notes)
    whole["header.json"]["eval"]["config"]["epochs_reducer"] = ["at_least_2", "mean"]
    notes = read(zipped(tmp_path / "least.eval", whole)).notes
    assert "Inspect reduces the epochs of a sample by at_least_2; here they are averaged" in notes


def test_metadata_that_a_summary_cuts_group_no_items(logs: Path, tmp_path: Path) -> None:
    """In a log of 0.3.285 long text came out as three points, and a long list as a remark."""
    content = members(logs / "new.eval")
    for sample in content["summaries.json"]:
        sample["metadata"] = {"topic": "sums", "page": "...", "list": "Key removed from summary (> 1k)"}
    log = read(zipped(tmp_path / "cut.eval", content))
    assert "topic" in log.frame.columns
    assert not {"page", "list"} & set(log.frame.columns)


def test_words_that_are_no_grades_stay_words(logs: Path, tmp_path: Path) -> None:
    whole = members(logs / "new.eval")
    for letters in ("CB", "cn"):  # to Inspect small letters are no grades either
        for place, sample in enumerate(whole["summaries.json"]):
            sample["scores"] = {"match": {"value": letters[place % 2]}}
        log = read(zipped(tmp_path / "words.eval", whole))
        assert set(log.frame["response"]) == set(letters)


def test_damaged_and_hostile_archives_are_refused_in_a_sentence(logs: Path, tmp_path: Path) -> None:
    good = (logs / "new.eval").read_bytes()
    start = good.index(b"summaries.json") + len(b"summaries.json")
    broken = good[: start + 9] + b"\0" * 40 + good[start + 49 :]
    cut = tmp_path / "cut.eval"
    for data in (broken, good[:-30], good[:500], b"PK\x03\x04"):
        cut.write_bytes(data)
        with pytest.raises(InputError, match="damaged"):
            read(cut)
    with pytest.raises(InputError, match="holds no value to read"):
        read(zipped(tmp_path / "odd.eval", {"header.json": [], "summaries.json": {"id": 1}}))
    with pytest.raises(InputError, match="nested too deeply"):
        read(zipped(tmp_path / "deep.eval", {"header.json": "[" * 100_000}))
    with pytest.raises(InputError, match="not valid JSON"):
        read(zipped(tmp_path / "text.eval", {"header.json": "{", "summaries.json": "[]"}))


def test_what_unpacks_without_end_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "bomb.eval", {"header.json": " " * 5_000_000})
    with path.open("rb") as file, open_archive("bomb.eval", file) as archive:
        with pytest.raises(InputError, match="unpacks to more than 1 MB"):
            archive.read("header.json", 1 << 20)
        assert len(archive.read("header.json")) == 5_000_000


def test_a_list_of_members_that_is_itself_a_trap_is_refused() -> None:
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 9, 9, 1 << 30, 0, 0)
    with pytest.raises(InputError, match="more members than a log has"), open_archive("x", io.BytesIO(end)):
        pass
