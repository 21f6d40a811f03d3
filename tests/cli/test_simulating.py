"""`quorate simulate` as a process: its files are what `compare` reads."""

import json
from pathlib import Path

import polars as pl
import pytest

from tests.run import Run


@pytest.mark.parametrize("answers", ["1", "3", "probabilities"])
def test_compare_reads_what_simulate_writes(quorate: Run, answers: str, tmp_path: Path) -> None:
    sizes = ["--items", "120", "--raters", "4", "--effect", "0.9", "--answers", answers, "--seed", "5"]
    drawn = quorate("simulate", "--preset", "dices", *sizes, "-o", tmp_path / "study", "--json")
    assert drawn.returncode == 0
    content = json.loads(drawn.stdout)
    assert (content["schema"], content["seed"], content["responses"]) == ("quorate.simulate/1", 5, 480)
    study = tmp_path / "study"
    judged = quorate("compare", study / "ratings.csv", study / "answers.csv", "--systems", "A,B", "--json")
    assert judged.returncode == 0
    (pair,) = json.loads(judged.stdout)["pairs"]
    assert pair["n_items"] == 120
    assert pair["difference"] > 0


def test_a_page_stands_beside_the_tables_or_alone(quorate: Run, tmp_path: Path) -> None:
    arguments = ["simulate", "--preset", "dices", "--items", "20", "--raters", "2"]
    assert quorate(*arguments, "-o", tmp_path / "study").returncode == 0
    assert quorate(*arguments, "-o", tmp_path / "alone.html").returncode == 0
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert files == ["alone.html", "study/answers.csv", "study/ratings.csv", "study/report.html"]
    for name in ("alone.html", "study/report.html"):
        assert "Drew 20 items with 2 responses each" in (tmp_path / name).read_text()


@pytest.mark.parametrize("name", ["study.csv", "nowhere/study.html"])
def test_a_place_that_cannot_hold_the_tables_is_refused(quorate: Run, name: str, tmp_path: Path) -> None:
    done = quorate("simulate", "--preset", "dices", "--items", "20", "--raters", "2", "-o", tmp_path / name)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert name in done.stderr


def test_a_fit_can_be_simulated_again(quorate: Run, tmp_path: Path) -> None:
    assert quorate("fit", "example:support", "-o", tmp_path / "p.json").returncode == 0
    arguments = ["--population", tmp_path / "p.json", "--items", "30", "--raters", "3", "--seed", "2"]
    for name in ("one", "two"):
        assert quorate("simulate", *arguments, "-o", tmp_path / name).returncode == 0
    tables = [pl.read_csv(tmp_path / name / "ratings.csv") for name in ("one", "two")]
    assert tables[0].equals(tables[1])
    assert tables[0].columns == ["item", "rater", "response"]


def test_ratings_can_be_fitted_on_the_way_and_a_poor_fit_is_told(quorate: Run, tmp_path: Path) -> None:
    # Half of the items all yes, half evenly split: no Dirichlet has both.
    rows = [f"i{i},{'yes' if i % 2 or j % 2 else 'no'}" for i in range(300) for j in range(10)]
    (tmp_path / "pilot.csv").write_text("\n".join(["item,response", *rows]) + "\n")
    done = quorate(
        "simulate", "--from", tmp_path / "pilot.csv", "--items", "9", "--raters", "5", "-o", tmp_path / "study"
    )
    assert done.returncode == 0
    assert "looks most like a Dirichlet" in done.stderr
    assert "Warning: the plurality share is distributed differently" in done.stdout
    assert pl.read_csv(tmp_path / "study" / "ratings.csv").height == 45


def test_ratings_can_be_resampled(quorate: Run, tmp_path: Path) -> None:
    rows = [f"i{i},r{j},{'yes' if (i + j) % 3 else 'no'}" for i in range(6) for j in range(4)]
    (tmp_path / "pilot.csv").write_text("\n".join(["item,rater,response", *rows]) + "\n")
    source = ["--resample", tmp_path / "pilot.csv", "--resample-unit", "S1"]
    done = quorate("simulate", *source, "--items", "9", "--raters", "5", "-o", tmp_path / "study")
    assert done.returncode == 0
    table = pl.read_csv(tmp_path / "study" / "ratings.csv")
    assert table.height == 45
    assert table["rater"].n_unique() == 5
    assert "24 responses on 6 items" in done.stderr


@pytest.mark.parametrize("name", ["ratings.csv", "answers.csv"])
def test_no_input_is_written_over(quorate: Run, name: str, tmp_path: Path) -> None:
    rows = [f"i{i},r{j},{'yes' if (i + j) % 3 else 'no'}" for i in range(6) for j in range(4)]
    pilot = "\n".join(["item,rater,response", *rows]) + "\n"
    (tmp_path / name).write_text(pilot)
    done = quorate("simulate", "--resample", tmp_path / name, "--items", "9", "--raters", "2", "-o", tmp_path)
    assert done.returncode == 2
    assert "it is an input and stays as it is" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == pilot


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--alpha", "1,0"], "positive number, not 0"),
        (["--alpha", "1,2", "--effect", "1.5"], "between 0 and 1, not 1.5"),
        (["--alpha", "1,2", "--effect=-0.1"], "between 0 and 1, not -0.1"),
        (["--alpha", "1,2", "--answers", "lots"], "--answers must be a number"),
        (["--preset", "dices", "--alpha", "1,2"], "name one population, not 2 (--preset and --alpha)"),
        ([], "or one population with one of --preset"),
        (["--preset", "uniform-normal", "--answers", "probabilities"], "no probability per category"),
        (["--population", "bad.json"], "bad.json: a dirichlet population has no 'beta'"),
        (["--population", "cut.json"], "cut.json: impossible truncation"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(
    quorate: Run, arguments: list[str], sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "bad.json").write_text('{"kind": "dirichlet", "alpha": [1, 2], "beta": 1}')
    family = {"family": "truncated-normal", "mean": 0, "sd": 0.01, "low": 5, "high": 6}
    (tmp_path / "cut.json").write_text(json.dumps({"kind": "normal", "means": family, "sds": family}))
    arguments = [str(tmp_path / word) if word.endswith(".json") else word for word in arguments]
    done = quorate("simulate", *arguments, "--items", "5", "--raters", "2", "-o", tmp_path / "study")
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "study").exists()
