"""`quorate estimate` as a real process: files, JSON, exit codes, one sentence for bad input."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from quorate._typing import Array
from quorate.populations.crowds import Crowd, irt_crowd
from tests.run import Run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
    _bad_worlds(folder, item, chosen, crowd)
    _classes(folder)
    return folder


def _bad_worlds(folder: Path, item: Array, chosen: Array, crowd: Crowd) -> None:
    """Experts and scores nobody should trust."""
    label, score = crowd.truth[chosen], crowd.scores[:, 0]
    for name, kept in {
        "positives": label == 1,
        "few": np.cumsum(label) * label + (1 - label) * 5 <= 5,
    }.items():
        pl.DataFrame({"item": item[chosen[kept]], "label": label[kept]}).write_csv(folder / f"{name}.csv")
    scores = {
        "separated": np.where(crowd.truth == 1, 5, 0) + np.tanh(score),
        "nan": np.where(np.arange(len(item)) == 7, np.nan, score),
        "constant": np.full(len(item), 0.5),
    }
    for name, values in scores.items():
        pl.DataFrame({"item": item, "score": values}).write_csv(folder / f"{name}-scores.csv")


def _classes(folder: Path) -> None:
    """Votes, experts and answers of three classes."""
    rng = np.random.default_rng(5)
    names, truth = np.array(["bad", "fine", "good"]), rng.choice(3, 600, p=(0.2, 0.5, 0.3))
    item = np.array([f"i{i:03d}" for i in range(600)])
    vote = np.where(rng.random((600, 3)) < 0.7, truth[:, None], rng.integers(0, 3, (600, 3)))
    raters = np.tile(["ann", "bob", "gpt"], 600)
    votes = {"item": np.repeat(item, 3), "rater": raters, "response": names[vote.ravel()]}
    pl.DataFrame(votes).write_csv(folder / "class-votes.csv")
    pl.DataFrame({"item": item[:90], "label": names[truth[:90]]}).write_csv(folder / "class-experts.csv")
    answer = np.where(rng.random(600) < 0.8, truth, rng.integers(0, 3, 600))
    rows = {"item": item, "system": ["m"] * 600, "response": names[answer]}
    pl.DataFrame(rows).write_csv(folder / "class-answers.csv")


def _files(folder: Path, experts: str = "experts.csv", scores: str = "scores.csv") -> list[object]:
    return [
        "--votes",
        folder / "votes.csv",
        "--experts",
        folder / experts,
        "--scores",
        folder / scores,
    ]


def test_json_has_the_contracts_fields(quorate: Run, folder: Path) -> None:
    done = quorate(
        "estimate",
        *_files(folder),
        "--metric",
        "auc,human_tnr",
        "--method",
        "assisted,gt",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["schema"] == "quorate.estimate/1"
    assert [(row["metric"], row["method"]) for row in found["estimates"]] == [
        ("auc", "assisted"),
        ("auc", "gt"),
        ("human_tnr", "assisted"),
        ("human_tnr", "gt"),
    ]
    assert found["n_experts"]["positive"] + found["n_experts"]["negative"] == 300
    assert found["settings"]["threshold"] == 0.5
    assert "votes.csv: 2,000 items with 6,000 votes" in done.stderr


def test_text_says_the_sentence_first_and_files_are_written(quorate: Run, folder: Path, tmp_path: Path) -> None:
    table, curves = tmp_path / "table.csv", tmp_path / "curves.csv"
    done = quorate(
        "estimate",
        *_files(folder),
        "--metric",
        "auc",
        "-o",
        table,
        "--curves",
        curves,
        "--draws",
        "100",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("AUC 0.")
    assert "300 expert labels alone would say" in " ".join(done.stdout.splitlines()[:2])
    assert pl.read_csv(table)["metric"].to_list() == ["auc", "auc"]
    assert set(pl.read_csv(curves)["curve"]) == {"roc", "precision-recall", "calibration"}


def test_same_seed_same_bytes(quorate: Run, folder: Path) -> None:
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
        ("experts.csv", ("--threshold", "nan"), "--threshold nan is no score"),
        ("experts.csv", ("--target-width", "nan"), "--target-width is the full width of an interval"),
        ("experts.csv", ("--positive", "spam"), "check --positive"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    quorate: Run, folder: Path, experts: str, more: tuple[str, ...], words: str
) -> None:
    done = quorate("estimate", *_files(folder, experts), *more)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (("positives.csv",), "positives.csv are positive: nothing is known of the other class"),
        (("experts.csv", "nan-scores.csv"), "column 'score': 'NaN' is no score that can be ranked"),
        (
            ("experts.csv", "constant-scores.csv"),
            "constant-scores.csv are equal: there is no ranking to judge",
        ),
    ],
)
def test_worlds_that_cannot_be_judged_are_refused_in_plain_words(
    quorate: Run, folder: Path, files: tuple[str, ...], words: str
) -> None:
    done = quorate("estimate", *_files(folder, *files))
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_without_experts_votes_are_not_believed(quorate: Run, folder: Path) -> None:
    done = quorate("estimate", "--votes", folder / "votes.csv", "--scores", folder / "scores.csv")
    assert done.returncode == 2
    assert "there are no expert labels: votes alone do not tell good voters from bad ones" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            ("few.csv",),
            "only 5 of the expert labels are positive; intervals are honest but too wide to decide much",
        ),
        (
            ("experts.csv", "separated-scores.csv"),
            "put every expert positive above every expert negative",
        ),
    ],
)
def test_worlds_to_be_judged_with_care_come_with_a_warning(
    quorate: Run, folder: Path, files: tuple[str, ...], words: str
) -> None:
    done = quorate("estimate", *_files(folder, *files), "--metric", "auc", "--draws", "100", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert any(words in warning for warning in found["warnings"]), found["warnings"]
    row = found["estimates"][0]
    assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1


def test_a_target_width_gives_the_next_purchase(quorate: Run, folder: Path) -> None:
    arguments = [
        "--metric",
        "human_tnr",
        "--draws",
        "100",
        "--target-width",
        "0.01",
        "--expert-price",
        "8",
    ]
    done = quorate("estimate", *_files(folder)[:4], *arguments, "--json", "-q")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found["next"]) >= {"metric", "width", "target", "experts", "votes", "mix", "cost"}
    assert "For an interval 0.01 wide" in found["sentence"]
    alone = quorate("estimate", *_files(folder), "--expert-price", "8")
    assert (alone.returncode, "give --target-width" in alone.stderr) == (2, True)


def test_experts_near_the_threshold_pass_with_a_warning_when_told(quorate: Run, folder: Path) -> None:
    done = quorate(
        "estimate",
        *_files(folder, "near.csv"),
        "--selection",
        "ignore",
        "--metric",
        "auc",
        "--draws",
        "60",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    assert any("no random sample" in warning for warning in json.loads(done.stdout)["warnings"])


@pytest.mark.parametrize("name", ["votes.csv", "experts.csv", "scores.csv"])
@pytest.mark.parametrize("flag", ["-o", "--curves"])
def test_no_input_is_written_over(quorate: Run, folder: Path, tmp_path: Path, name: str, flag: str) -> None:
    before = (folder / name).read_bytes()
    alias = tmp_path / "link.csv"
    alias.symlink_to(folder / name)
    for path in (folder / name, alias):
        done = quorate("estimate", *_files(folder), "--metric", "auc", "--draws", "60", flag, path)
        assert done.returncode == 2
        assert "it is an input" in done.stderr
        assert flag in done.stderr
    assert (folder / name).read_bytes() == before


def test_curves_and_table_do_not_replace_each_other(quorate: Run, folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    done = quorate("estimate", *_files(folder), "-o", table, "--curves", tmp_path / "." / "table.csv")
    assert (done.returncode, "both name" in done.stderr, table.exists()) == (2, True, False)


def _of_classes(folder: Path) -> list[object]:
    names = {
        "votes": "class-votes.csv",
        "experts": "class-experts.csv",
        "scores": "class-answers.csv",
    }
    return [word for flag, name in names.items() for word in (f"--{flag}", folder / name)]


def test_any_labels_are_judged_class_by_class(quorate: Run, folder: Path) -> None:
    done = quorate("estimate", *_of_classes(folder), "--json", "-q")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["classes"] == ["bad", "fine", "good"]
    assert sum(found["n_experts"].values()) == 90
    told = {row["metric"]: row for row in found["estimates"] if row["method"] == "assisted"}
    assert {
        "accuracy",
        "macro_f1",
        "recall:good",
        "human_accuracy",
        "human_recall:bad",
        "prevalence:fine",
    } <= set(told)
    assert all(row["low"] <= row["value"] <= row["high"] for row in told.values())
    assert {each["voter"] for each in found["voters"]["each"]} == {"ann", "bob", "gpt"}
    matrix = quorate("estimate", *_of_classes(folder), "--metric", "confusion", "--method", "gt", "--json", "-q")
    assert sum(row["value"] for row in json.loads(matrix.stdout)["estimates"]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            ("--metric", "auc:ugly"),
            "'auc:ugly' is not a metric of estimate for the classes bad, fine, good",
        ),
        (("--metric", "tpr"), "tpr is about a positive class; name it with --positive"),
        (("--method", "maven"), "maven takes a positive and a negative class, not bad, fine, good"),
        (("--cluster", "doc"), "doc"),
        (("--curves", "curves.csv"), "--curves are of a classifier's scores"),
        (("--positive", "ugly"), "check --positive"),
    ],
)
def test_what_classes_do_not_have_is_one_sentence(
    quorate: Run, folder: Path, more: tuple[str, ...], words: str
) -> None:
    done = quorate("estimate", *_of_classes(folder), *more)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_items_for_experts_are_written_and_read_again(quorate: Run, folder: Path, tmp_path: Path) -> None:
    wanted = tmp_path / "to-label.csv"
    done = quorate("estimate", *_files(folder), "--metric", "auc", "--choose", "50", "-o", wanted)
    assert done.returncode == 0, done.stderr
    assert "50 items chosen for experts" in done.stdout
    rows = pl.read_csv(wanted)
    assert (rows.height, rows["label"].null_count()) == (350, 50)
    filled = tmp_path / "labelled.csv"
    truth = pl.Series(np.random.default_rng(0).integers(0, 2, 350))
    rows.with_columns(pl.col("label").fill_null(truth)).write_csv(filled)
    again = quorate("estimate", *_files(folder)[:2], "--experts", filled, *_files(folder)[4:], "--json", "-q")
    assert again.returncode == 0, again.stderr
    assert sum(json.loads(again.stdout)["n_experts"].values()) == 350


def test_columns_named_for_groups_documents_or_experts_are_neither_systems_nor_counts(
    quorate: Run, tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    label, item = rng.integers(0, 2, 200), np.arange(200)
    about = {"document": item // 5, "year": 2000 + item % 2}
    gold = [int(each) if k % 10 < 5 else None for k, each in enumerate(label)]
    systems = {name: label + rng.normal(size=200) for name in "ab"}
    pl.DataFrame({"item": item, **systems, **about, "gold": gold}).write_csv(tmp_path / "scores.csv")
    pl.DataFrame({"item": item, "positive": 2 * label + 1, "total": [4] * 200}).write_csv(tmp_path / "votes.csv")
    named = ["--expert-column", "gold", "--cluster", "document", "--by", "year", "--metric", "auc", "--method", "gt"]
    found = json.loads(
        quorate("estimate", "votes.csv", "--scores", "scores.csv", *named, "--json", cwd=tmp_path).stdout
    )
    assert {row["system"] for row in found["estimates"]} == {"a", "b"}
    counts = {"item": item, "no": 3 - 2 * label, "yes": 2 * label + 1, "year": about["year"]}
    pl.DataFrame(counts).write_csv(tmp_path / "counts.csv")
    words = np.array(["no", "yes"])[label[:100]]
    pl.DataFrame({"item": item[:100], "label": words}).write_csv(tmp_path / "experts.csv")
    asked = ["--by", "year", "--metric", "prevalence", "--method", "gt", "--json"]
    found = json.loads(quorate("estimate", "counts.csv", "experts.csv", *asked, cwd=tmp_path).stdout)
    assert found["classes"] == ["no", "yes"]
