"""Samples of lm-eval, by the layout its own code writes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from quorate._errors import InputError
from quorate.comparing.verb import compare
from quorate.data.formats.log_table import LogTable
from quorate.data.formats.registry import read_json_log
from quorate.data.json_table import parse_json
from quorate.data.reading import LogChoice


def sample(doc: int, score: Any, kind: str = "strict-match", **more: Any) -> dict[str, Any]:
    fixed = {"doc": {"question": f"q{doc}"}, "target": "4", "arguments": {}, "resps": [["4"], ["5"]]}
    found = {"filtered_resps": ["4"], "filter": kind, "metrics": ["exact_match"], "doc_hash": f"h{doc}"}
    return {"doc_id": doc, **fixed, **found, "exact_match": score, **more}


def read(*lines: dict[str, Any], choice: LogChoice | None = None) -> LogTable:
    text = "\n".join(json.dumps(line) for line in lines)
    log = read_json_log("s.jsonl", parse_json("s.jsonl", text.encode()), choice or LogChoice())
    assert log is not None
    return log


def test_each_document_counts_once_whatever_the_filters() -> None:
    lines = [sample(doc, float(doc), kind) for doc in range(3) for kind in ("strict-match", "flexible-extract")]
    with pytest.raises(InputError, match=r"several filters.*flexible-extract, strict-match; choose one with --filter"):
        read(*lines)
    with pytest.raises(InputError, match="no filter 'loose', only"):
        read(*lines, choice=LogChoice(filter="loose"))
    log = read(*lines, choice=LogChoice(filter="strict-match"))
    assert log.frame.rows() == [("h0", "0"), ("h1", "1"), ("h2", "2")]
    assert [(each.reason, each.rows) for each in log.dropped] == [("another filter, not strict-match", 3)]


def test_numbers_that_were_written_as_text_are_numbers() -> None:
    log = read(sample(0, "True"), sample(1, "False"), sample(2, "0.5"), sample(3, "nan"))
    assert log.frame["response"].to_list() == ["1", "0", "0.5"]
    assert [each.reason for each in log.dropped] == ["no value"]


def test_lines_that_were_appended_again_count_once() -> None:
    log = read(sample(0, 0.0), sample(1, 1.0), sample(0, 1.0))
    assert sorted(log.frame.rows()) == [("h0", "1"), ("h1", "1")]
    assert [each.rows for each in log.dropped] == [1]


def test_metrics_over_the_whole_data_set_are_refused_unless_another_is_asked_for() -> None:
    lines = [sample(doc, 1.0, word_perplexity=[-3.2, 7], metrics=["exact_match", "word_perplexity"]) for doc in (0, 1)]
    with pytest.raises(InputError, match="'word_perplexity' is a list over the whole data set"):
        read(*lines)
    assert read(*lines, choice=LogChoice("exact_match")).frame.height == 2


def test_without_names_of_metrics_they_are_the_keys_that_are_left() -> None:
    line = sample(0, 1.0)
    del line["metrics"]
    assert read(line).mapping["response"] == "exact_match"


def test_documents_are_aligned_by_their_hash_and_by_number_only_without() -> None:
    assert read(sample(7, 1.0, doc_hash="x")).frame["item"].to_list() == ["x"]
    assert read(sample(7, 1.0, doc_hash=None)).mapping["item"] == "doc_id"
    same = read(sample(7, 1.0, doc_hash="x"), sample(8, 1.0, doc_hash="x"))  # two documents with the same text
    assert same.frame["item"].to_list() == ["7", "8"]


def test_the_model_is_in_the_results_beside_or_in_the_folder(tmp_path: Path) -> None:
    for model, scores in (("org__new", (1, 1, 1, 0)), ("org__old", (0, 0, 1, 0))):
        folder = tmp_path / model
        folder.mkdir()
        lines = [json.dumps(sample(doc, score)) for doc, score in enumerate(scores)]
        (folder / "samples_gsm8k_2026-08-01.jsonl").write_text("\n".join(lines))
    pairs = compare(tmp_path).pairs
    assert [(pair.a, pair.b, pair.difference) for pair in pairs] == [("org__new", "org__old", 0.5)]
    results = {"results": {}, "model_name": "org/new", "higher_is_better": {}}
    (tmp_path / "org__new" / "results_2026-08-01.json").write_text(json.dumps(results))
    assert compare(tmp_path).pairs[0].a == "org/new"


def test_tasks_of_a_model_are_told_by_the_names_of_their_files(tmp_path: Path) -> None:
    """The documents of a task are numbered from 0, and no sample says of which task it is."""
    for model, right in (("new", 1.0), ("old", 0.0)):
        (tmp_path / model).mkdir()
        for task, score in (("arc_easy", right), ("gsm8k", 1.0)):
            lines = [json.dumps(sample(doc, score if doc else 1.0, doc_hash=None)) for doc in range(4)]
            (tmp_path / model / f"samples_{task}_2026-08-01T10-00-00.1.jsonl").write_text("\n".join(lines))
    result = compare(tmp_path, by="task")
    assert (result.pairs[0].n_items, result.pairs[0].difference) == (8, 0.375)
    assert [(each.group, each.pairs[0].difference) for each in result.groups] == [("arc_easy", 0.75), ("gsm8k", 0.0)]
    easy, sums = (tmp_path / "new" / f"samples_{task}_2026-08-01T10-00-00.1.jsonl" for task in ("arc_easy", "gsm8k"))
    assert compare(f"a={easy}", f"b={sums}").pairs[0].n_items == 4  # one each: the user says that they belong together


def test_a_metric_of_which_low_is_good_is_not_taken_for_the_contrary(logs: Path, tmp_path: Path) -> None:
    shutil.copytree(logs / "lm-eval", tmp_path / "out")
    for path in (tmp_path / "out").rglob("results*.json"):
        content = json.loads(path.read_text())
        path.write_text(json.dumps({**content, "higher_is_better": {"sums": {"exact_match": False}}}))
    with pytest.raises(InputError, match=r"A low score is the better one, says results.json beside the samples; add"):
        compare(tmp_path / "out", filter="strict-match")
    [high] = compare(logs / "lm-eval", filter="strict-match").pairs
    [low] = compare(tmp_path / "out", filter="strict-match", better="low").pairs
    assert low.difference == -high.difference != 0


@pytest.mark.parametrize("said", ["exact_match,strict", "exact_match,loose", "acc,none"])
def test_a_whole_run_says_what_its_own_results_say(logs: Path, said: str) -> None:
    """Two tasks, written by lm-eval with its dummy model: three repeats, two filters, two metrics."""
    metric, kind = said.split(",")
    pair = compare(logs / "lm-eval-run", score=metric, filter=kind).pairs[0]
    for model, score in ((pair.a, pair.score_a), (pair.b, pair.score_b)):
        [path] = (logs / "lm-eval-run" / model).glob("results_*.json")
        [own] = [task[said] for task in json.loads(path.read_text())["results"].values() if said in task]
        assert score == pytest.approx(own, abs=1e-12)
    assert pair.n_items == 8


def test_a_folder_is_read_for_the_tasks_that_have_the_score_and_the_others_are_named(logs: Path) -> None:
    report = compare(logs / "lm-eval-run", score="acc").load_report
    assert report is not None
    assert "samples_sums_2026-11-01T10-00-00.jsonl has no metric 'acc', only exact_match" in str(report)
    with pytest.raises(InputError, match=r"several filters.*loose, strict; choose one"):
        compare(logs / "lm-eval-run", score="exact_match")
    with pytest.raises(InputError, match="has no metric 'bleu', only"):
        compare(logs / "lm-eval-run", score="bleu")
    picks = logs / "lm-eval-run" / "dummy-1" / "samples_picks_2026-11-01T10-00-00.jsonl"
    with pytest.raises(InputError, match="'brier_score' is a list"):
        compare(f"a={picks}", target_score=0.5, score="brier_score")
