"""`quorate plan` as a process: text, JSON, files, exit codes, and one clear sentence for what cannot be done."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import polars as pl
import pytest

from quorate.cli import main
from quorate.data.inputs import example_path
from tests.run import Run

DICES = ("--preset", "dices", "--difference", "0.05")
PILOT = ("--from", "example:support", "--with", "example:support-answers")


@pytest.fixture
def run(quorate: Run) -> Run:
    return partial(quorate, "plan")


def test_text_says_the_plan_first(run: Run) -> None:
    done = run(*DICES)
    assert (done.returncode, done.stderr) == (0, "")
    first = done.stdout.splitlines()[0]
    assert first.startswith("Buy 1,")
    assert "one rater each" in first
    for part in ("What to buy", "buy nothing", "undecided", "By raters per item", "Power with one rater per item", "█"):
        assert part in done.stdout
    assert "nan" not in done.stdout


def test_json_is_one_object(run: Run) -> None:
    done = run(*DICES, "--json", "--seed", "3", "--items", "200,300", "--raters", "1-3")
    content = json.loads(done.stdout)
    assert (done.returncode, content["schema"], content["seed"]) == (0, "quorate.plan/1", 3)
    assert [(row["n_items"], row["n_raters"]) for row in content["grid"]] == [
        (n, k) for k in (1, 2, 3) for n in (200, 300)
    ]
    assert content["warnings"] == [w for w in content["warnings"] if w.endswith(".")]
    assert content["settings"]["goal"] == "power=0.8"


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_written_grid_has_the_columns_of_a_sweep(tmp_path: Path, suffix: str, run: Run) -> None:
    path = tmp_path / f"grid.{suffix}"
    done = run(*DICES, "-o", path, "--quiet")
    assert done.returncode == 0
    frame = pl.read_csv(path) if suffix == "csv" else pl.read_parquet(path)
    sweep = {"metric", "effect", "responses", "n_items", "n_raters", "expected_p", "expected_p_error", "difference"}
    assert sweep | {"ci_width", "power"} <= set(frame.columns)
    assert (frame["responses"] == frame["n_items"] * frame["n_raters"]).all()
    by_size = frame.filter(pl.col("n_raters") == 1).sort("n_items")["power"]
    assert by_size.is_sorted()


def test_a_pilot_with_answers(run: Run) -> None:
    done = run(*PILOT, "--difference", "0.05", "--systems", "atlas,birch", "--json")
    content = json.loads(done.stdout)
    assert content["effect"] is None
    assert content["best"]["difference"] == pytest.approx(0.05)
    assert {"between", "within", "items_low", "items_high", "assurance", "replay"} <= set(content["pilot"])
    assert "120 items" in done.stderr  # the load report


def test_a_pilot_is_read_like_a_comparison(tmp_path: Path, run: Run) -> None:
    """Both files are reported, columns of the ratings are tried in the answers, and a third system may have gaps."""
    ratings, answers = tmp_path / "ratings.csv", tmp_path / "answers.csv"
    keyed = pl.read_csv(example_path("support")).rename({"item": "unnamed"}).with_columns(part=pl.lit(1))
    keyed.write_csv(ratings)
    said = pl.read_csv(example_path("support-answers")).rename({"item": "unnamed"}).with_columns(part=pl.lit(1))
    gaps = said.filter(pl.col("system") == "atlas").head(5).with_columns(system=pl.lit("cedar"))
    pl.concat([said, gaps]).write_csv(answers)
    options = ("--from", ratings, "--with", answers, "--item-column", "unnamed,part", "--systems", "atlas,birch")
    done = run(*options, "--difference", "0.05")
    assert done.returncode == 0, done.stderr
    assert f"{answers}: 2 systems on 120 items: atlas, birch" in done.stderr


def test_a_pilot_without_answers_is_fitted(run: Run) -> None:
    done = run("--from", "example:support", "--difference", "0.05", "--json")
    content = json.loads(done.stdout)
    assert content["best"]["n_raters"] == 1
    assert 0 < content["effect"] < 1
    assert "Dirichlet" in done.stderr


def test_a_pool_of_people_from_a_pilot(run: Run) -> None:
    done = run(*PILOT, "--difference", "0.05", "--pool", "6", "--max-per-rater", "150", "--json")
    content = json.loads(done.stdout)
    assert done.returncode == 0
    assert content["people"]["max_per_rater"] == 150
    assert content["best"]["responses"] <= 150 * content["people"]["used"]
    assert len(content["by_pool"]) >= 4
    assert "people" in content["sentence"]
    text = run(*PILOT, "--difference", "0.05", "--pool", "6", "--quiet")
    assert "By number of people" in text.stdout
    assert "raters count as random" in text.stdout.splitlines()[1]
    assert text.stderr == ""


def test_a_unit_of_items_forgets_the_raters(run: Run) -> None:
    found = json.loads(run(*PILOT, "--difference", "0.05", "--unit", "items", "--json").stdout)
    assert found["people"] is None
    assert found["settings"]["unit"] == "items"


SHARED = ("--preset", "shared-raters", "--difference", "0.05")
NOBODY = [
    (("--pool", "0"), "--pool 0 is too few"),
    (("--pool", "1"), "--pool 1 is too few"),
    (("--pool", "-3"), "--pool -3 is too few"),
    (("--pool", "0", "--max-per-rater", "9"), "--pool 0 is too few"),
    (("--pool", "9", "--max-per-rater", "0"), "--max-per-rater 0 must be at least 1"),
    (("--pool", "9", "--max-per-rater", "-1"), "--max-per-rater -1 must be at least 1"),
]
"""Nothing is not the same as not said, whatever is planned from."""
NOUGHT = [
    (("--budget", "0"), "--budget 0 buys nothing"),
    (("--budget", "inf"), "finite"),
    (("--items", "0"), "--items must be whole numbers from 1 up"),
    (("--items", "0-3"), "--items must be whole numbers from 1 up"),
    (("--raters", "0"), "--raters must be whole numbers from 1 up"),
    (("--min-items", "0"), "--min-items 0 must be at least 1"),
    (("--have", "0,0"), "--have must be whole numbers from 1 up"),
    (("--have", "0,3"), "--have must be whole numbers from 1 up"),
    (("--rating-price", "0"), "must cost something"),
    (("--at-raters", "0"), "--at-raters 0 must be at least 1"),
    (("--answers", "0"), "at least 1"),
    (("--precision", "0"), "--precision 0 must lie between 0 and 1"),
    (("--score", "0"), "--score 0 is out of reach"),
    (("--score", "nan"), "--score nan is not a score"),
    (("--systems-agree", "0"), "--systems-agree 0 is out of reach"),
    (("--confidence", "0"), "--confidence 0 is not between 0 and 1"),
    (("--goal", "power=0"), "is not a goal"),
    (("--goal", "width=0"), "is not a goal"),
    (("--goal", "width=inf"), "is not a goal"),
    (("--goal", ""), "is not a goal"),
    (("--workers", "0"), "--workers 0 must be at least 1"),
    (("--systems", "atlas,birch"), "--with ANSWERS"),
]

BAD = [
    ((), "name a file of ratings, or one population"),
    (("--preset", "dices"), "Say what must be seen"),
    (("--preset", "dice", "--difference", "0.1"), "did you mean dices"),
    (("--preset", "dices", "--alpha", "1,2", "--effect", "0.1"), "name one population, not 2"),
    (("--preset", "dices", "--difference", "0.5"), "at most 0.178"),
    (("--preset", "dices", "--difference", "0"), "nothing to see"),
    (("--preset", "dices", "--effect", "2"), "between 0 and 1"),
    ((*DICES, "--effect", "0.2"), "not both"),
    ((*DICES, "--goal", "fame=1"), "is not a goal"),
    ((*DICES, "--budget", "0.2"), "buys nothing"),
    ((*DICES, "--items", "ten"), "--items ten is not a number"),
    ((*DICES, "--raters", "3-x"), "--raters 3-x is not a number"),
    ((*DICES, "--raters", "5-1"), "--raters"),
    ((*DICES, "--have", "200"), "--have 200 is not N,K"),
    ((*DICES, "--answers", "many"), "--answers"),
    ((*DICES, "--metric", "beauty"), "unknown metric"),
    ((*DICES, "--score", "0.9"), "out of reach"),
    ((*DICES, "--systems-agree", "0.1"), "out of reach"),
    ((*DICES, "--confidence", "95"), "0.95"),
    ((*DICES, "--margin", "0"), "above 0"),
    ((*DICES, "--margin", "1e300"), "at most 1e+50"),
    ((*DICES, "--item-price", "-1"), "negative"),
    ((*DICES, "-o", "plan.xlsx"), ".csv, .parquet"),
    ((*DICES, "--with", "example:support-answers"), "--with"),
    (("--from", "nowhere.csv", "--difference", "0.1"), "nowhere.csv"),
    ((*PILOT,), "With a pilot say --difference"),
    ((*PILOT, *DICES), "name no other population"),
    ((*PILOT, "--difference", "0.1", "--system-column", "model"), "model"),
    ((*PILOT, "--difference", "0.1", "--systems", "atlas,nobody"), "no system 'nobody'"),
    ((*PILOT, "--difference", "0.1", "--answers", "5"), "--answers has no meaning"),
    (("--grid", "nowhere.toml"), "nowhere.toml"),
    (("--grid", "forest", "--preset", "dices"), "--preset is for one plan"),
    (("--grid", "forest", "--confidence", "0.9"), "--confidence is for one plan"),
    ((*DICES, "--pool", "9"), "give --rater-share"),
    ((*DICES, "--rater-share", "0.1"), "--rater-share needs --pool"),
    ((*DICES, "--pool", "9", "--rater-share", "10"), "not a share"),
    ((*DICES, "--max-per-rater", "9"), "--max-per-rater needs --pool"),
    ((*DICES, "--unit", "documents"), "is not known"),
    ((*PILOT, "--difference", "0.1", "--pool", "1"), "too few"),
    ((*PILOT, "--difference", "0.1", "--pool", "9", "--unit", "items"), "leave it or --pool out"),
    ((*PILOT, "--difference", "0.1", "--pool", "9", "--rater-share", "0"), "--rater-share has no meaning"),
    ((*PILOT, "--difference", "0.1", "--pool", "9", "--raters", "10"), "cannot come from 9 people"),
]

BAD += [((*start, *zero), says) for start in (DICES, (*PILOT, "--difference", "0.1"), SHARED) for zero, says in NOBODY]
BAD += [((*DICES, *zero), says) for zero, says in NOUGHT]


@pytest.mark.parametrize(("arguments", "says"), BAD[::7])
def test_what_cannot_be_done_is_one_sentence_and_exit_code_2(
    arguments: tuple[str, ...], says: str, tmp_path: Path, run: Run
) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("arguments", "says"), BAD)
def test_the_same_without_a_process_each(
    arguments: tuple[str, ...],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["plan", *arguments])
    told = capsys.readouterr()
    assert stop.value.code == 2
    assert told.out == ""
    assert says in told.err
    assert len(told.err.strip().splitlines()[-1]) < 400  # one sentence, the load report may stand before it
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("arguments", "says"), NOBODY)
def test_nobody_of_a_resampled_table(
    arguments: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "crossed.csv"
    cells = [f"{item},{rater},{'yes' if (item * rater) % 3 else 'no'}" for item in range(12) for rater in range(10)]
    path.write_text("item,rater,response\n" + "\n".join(cells) + "\n")
    with pytest.raises(SystemExit) as stop:
        main(["plan", "--resample", str(path), "--resample-unit", "items+raters", "--effect", "0.3", *arguments])
    assert stop.value.code == 2
    assert says in capsys.readouterr().err


def test_a_free_item_is_no_mistake(run: Run) -> None:
    free, plain = run(*DICES, "--item-price", "0", "--expert-price", "0", "--json"), run(*DICES, "--json")
    assert json.loads(free.stdout)["best"] == json.loads(plain.stdout)["best"]


def test_a_misfit_is_a_warning_of_the_plan(tmp_path: Path, run: Run) -> None:
    votes = [f"{item},{'no' if item % 2 or rater % 2 else 'yes'}" for item in range(300) for rater in range(8)]
    path = tmp_path / "split.csv"
    path.write_text("item,response\n" + "\n".join(votes) + "\n")
    ask = ("--from", path, "--effect", "0.3", "--items", "50", "--raters", "1")
    content = json.loads(run(*ask, "--json").stdout)
    assert any("consider --resample" in warning for warning in content["warnings"])
    assert content["settings"]["from_ratings"] == str(path)
    assert content["settings"]["population"]["kind"] == "dirichlet"
    assert "Warning: " in run(*ask).stdout


def test_answers_are_read_as_compare_reads_them(tmp_path: Path, run: Run) -> None:
    """Two columns name an item, one answer is to nobody's item, and a third system has gaps."""
    ratings, answers = tmp_path / "ratings.csv", tmp_path / "answers.csv"
    cells = [(doc, part) for doc in range(20) for part in ("a", "b")]
    votes = [f"{d},{p},r{r},{'yes' if (d + r) % 3 else 'no'}" for d, p in cells for r in range(3)]
    ratings.write_text("doc,part,rater,response\n" + "\n".join(votes) + "\n")
    given = [f"{d},{p},{s},{'yes' if s == 'good' else 'no'}" for d, p in cells for s in ("good", "poor")]
    late = [f"{d},{p},late,no" for d, p in cells[:5]]
    answers.write_text("doc,part,system,response\n" + "\n".join([*given, *late, "99,a,good,yes"]) + "\n")
    files = ("--from", ratings, "--with", answers, "--item-column", "doc,part", "--difference", "0.3")
    done = run(*files, "--systems", "good,poor", "--json")
    assert done.returncode == 0, done.stderr
    assert "answers.csv: 2 systems on 40 items: good, poor" in done.stderr
    assert "1 answer to items nobody rated dropped" in done.stderr
    settings = json.loads(done.stdout)["settings"]
    assert (settings["from_ratings"], settings["with_answers"]) == (str(ratings), str(answers))
    assert settings["systems"] == ["good", "poor"]
    assert run(*files).returncode == 2


def test_a_grid_is_the_same_to_the_last_bit_done_here_and_by_workers(tmp_path: Path) -> None:
    """Linear algebra on several threads would sum in another order than on the one of a worker."""
    grid = tmp_path / "grid.toml"
    grid.write_text(
        'populations = ["dices"]\nmetrics = ["kl"]\neffects = [0.1]\nresponses = [5000]\nraters = [20, 80]\n'
        'answers = "raters"\n'
    )
    environment = {name: value for name, value in os.environ.items() if "NUM_THREADS" not in name}
    written = []
    for workers in "12":
        path = tmp_path / f"{workers}.csv"
        command = [sys.executable, "-m", "quorate", "plan", "--grid", str(grid), "--workers", workers]
        environment["QUORATE_CACHE"] = str(tmp_path / workers)
        subprocess.run([*command, "-o", str(path)], env=environment, check=True, capture_output=True)
        written.append(path.read_text())
    assert written[0] == written[1]
