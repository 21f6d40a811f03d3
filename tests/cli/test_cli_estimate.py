"""`quorate estimate` as a real process: files, JSON, exit codes, one sentence for bad input."""

import json

import numpy as np
import polars as pl
import pytest

from quorate.crowd.generators import irt_crowd


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("estimate")
    n = 2000
    crowd = irt_crowd(n, rng=np.random.default_rng(9))
    item = np.array([f"i{i:05d}" for i in range(n)])
    chosen = np.random.default_rng(1).permutation(n)[:300]
    pl.DataFrame({"item": item, "positive": crowd.positive, "total": crowd.total}).write_csv(folder / "votes.csv")
    pl.DataFrame({"item": item[chosen], "label": crowd.truth[chosen]}).write_csv(folder / "experts.csv")
    pl.DataFrame({"item": item, "score": crowd.scores[:, 0]}).write_csv(folder / "scores.csv")
    near = np.argsort(np.abs(crowd.scores[:, 0] - 1.0))[:300]
    pl.DataFrame({"item": item[near], "label": crowd.truth[near]}).write_csv(folder / "near.csv")
    (folder / "none.csv").write_text("item,label\n")
    return folder


def _files(folder, experts="experts.csv"):
    return ["--votes", folder / "votes.csv", "--experts", folder / experts, "--scores", folder / "scores.csv"]


def test_json_has_the_contracts_fields(quorate, folder):
    done = quorate("estimate", *_files(folder), "--metric", "auc,human_tnr", "--method", "maven,gt", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["schema"] == "quorate.estimate/1"
    assert [(row["metric"], row["method"]) for row in found["estimates"]] == [
        ("auc", "maven"),
        ("auc", "gt"),
        ("human_tnr", "maven"),
        ("human_tnr", "gt"),
    ]
    assert found["n_experts"]["positive"] + found["n_experts"]["negative"] == 300
    assert found["settings"]["threshold"] == 0.5
    assert "votes.csv: 2,000 items with 6,000 votes" in done.stderr


def test_text_says_the_sentence_first_and_files_are_written(quorate, folder, tmp_path):
    table, curves = tmp_path / "table.csv", tmp_path / "curves.csv"
    done = quorate("estimate", *_files(folder), "--metric", "auc", "-o", table, "--curves", curves, "--draws", "100")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("AUC 0.")
    assert "300 expert labels alone would say" in done.stdout.splitlines()[0]
    assert pl.read_csv(table)["metric"].to_list() == ["auc", "auc"]
    assert set(pl.read_csv(curves)["curve"]) == {"roc", "precision-recall", "calibration"}


def test_same_seed_same_bytes(quorate, folder):
    runs = [quorate("estimate", *_files(folder), "--metric", "auc", "--draws", "60", "--json", "-q") for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stderr == ""


@pytest.mark.parametrize(
    ("experts", "more", "words"),
    [
        ("near.csv", (), "no random sample"),
        ("none.csv", (), "has no rows"),
        ("missing.csv", (), "There is no file"),
        ("experts.csv", ("--metric", "auroc"), "'auroc' is not a metric"),
        ("experts.csv", ("--threshold", "high"), "--threshold must be a number"),
        ("experts.csv", ("--positive", "spam"), "check --positive"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(quorate, folder, experts, more, words):
    done = quorate("estimate", *_files(folder, experts), *more)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_experts_near_the_threshold_pass_with_a_warning_when_told(quorate, folder):
    done = quorate(
        "estimate", *_files(folder, "near.csv"), "--selection", "ignore", "--metric", "auc", "--draws", "60", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert any("no random sample" in warning for warning in json.loads(done.stdout)["warnings"])
