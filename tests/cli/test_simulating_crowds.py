"""`quorate simulate` of a crowd as a process: its files are what `estimate` reads."""

import json
from pathlib import Path

import polars as pl
import pytest

from tests.run import Run

FILES = ("votes.csv", "experts.csv", "scores.csv", "truth.csv")


@pytest.mark.parametrize(("crowd", "systems"), [("maven", 1), ("irt", 2), ("copula-skewed", 1)])
def test_estimate_reads_what_simulate_writes(quorate: Run, crowd: str, systems: int, tmp_path: Path) -> None:
    sizes = ["--items", 1000, "--raters", 5, "--expert-share", 0.2]
    drawn = quorate("simulate", "--preset", crowd, *sizes, "-o", tmp_path, "--json")
    assert drawn.returncode == 0, drawn.stderr
    content = json.loads(drawn.stdout)
    assert (content["items"], content["votes"], content["experts"], content["systems"]) == (1000, 5000, 200, systems)
    assert all(name in drawn.stderr for name in FILES)
    files = [word for name in FILES for word in (f"--{name.removesuffix('.csv')}", tmp_path / name)]
    judged = quorate("estimate", *files, "--metric", "auc", "--method", "gt,oracle", "--draws", 50, "--json")
    assert judged.returncode == 0, judged.stderr
    found = json.loads(judged.stdout)
    assert found["n_experts"]["positive"] + found["n_experts"]["negative"] == 200
    assert {row["method"] for row in found["estimates"]} == {"gt", "oracle"}


def test_experts_say_the_truth_and_a_seed_gives_the_same_files(quorate: Run, tmp_path: Path) -> None:
    for name in ("one", "two"):
        arguments = ["--preset", "IRT", "--items", 200, "--raters", 3, "--seed", 4, "-o", tmp_path / name]
        assert quorate("simulate", *arguments).returncode == 0
    tables = {name: pl.read_csv(tmp_path / "one" / name) for name in FILES}
    assert all(tables[name].equals(pl.read_csv(tmp_path / "two" / name)) for name in FILES)
    both = tables["experts.csv"].join(tables["truth.csv"], on="item")
    assert both.height == 10  # the default share, 5 %
    assert (both["label"] == both["label_right"]).all()
    assert tables["votes.csv"].group_by("item").agg(pl.col("rater").n_unique())["rater"].unique().to_list() == [3]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("simulate", "--preset", "irt", "--effect", "0.3"), "leave out answers, effects and null"),
        (("simulate", "--preset", "dices", "--expert-share", "0.3"), "experts belong to crowds"),
        (("simulate", "--preset", "irt", "--pool", "12"), "--pool is not for irt"),
        (("simulate", "--preset", "maven", "--win-rate", "0.7"), "--win-rate is not for maven"),
        (("simulate", "--preset", "preference", "--pair-share", "0.5"), "say how many with --n-systems"),
        (("simulate", "--preset", "irt", "--expert-share", "3"), "a share between 0 and 1"),
        (("simulate", "--preset", "irt", "--alpha", "1,2"), "name one population, not 2"),
        (("simulate", "--preset", "copula-cube"), "for simulate alone"),
        (("audit", "--preset", "irt"), "for simulate alone"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(
    quorate: Run, arguments: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    where = ["-o", tmp_path / "study"] if arguments[0] == "simulate" else []
    done = quorate(*arguments, "--items", 20, "--raters", 2, *where)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "study").exists()
