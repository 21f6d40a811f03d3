"""`quorate fit` as a process: files, exit codes, JSON."""

import json
from pathlib import Path

import pytest

from quorate._random import generator
from tests.run import Run


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    rng = generator(0, "cli-fit")
    law = rng.dirichlet((2.0, 0.7, 1.2), 150)
    codes = (rng.random((150, 4, 1)) > law.cumsum(-1)[:, None]).sum(-1)
    rows = [f"i{i},r{4 * i + j},{'xyz'[c]}" for i, row in enumerate(codes) for j, c in enumerate(row)]
    path = tmp_path / "pilot.csv"
    path.write_text("\n".join(["item,rater,response", *rows]) + "\n")
    return path


def test_json_is_one_object_and_the_report_goes_to_stderr(quorate: Run, pilot: Path) -> None:
    done = quorate("fit", pilot, "--json")
    assert done.returncode == 0
    content = json.loads(done.stdout)
    assert content["schema"] == "quorate.fit/1"
    assert content["population"]["categories"] == ["x", "y", "z"]
    assert content["verdict"] == "fits"
    assert "600 responses on 150 items" in done.stderr
    assert quorate("fit", pilot, "--json").stdout == done.stdout


def test_a_written_fit_is_a_population_file(quorate: Run, pilot: Path, tmp_path: Path) -> None:
    done = quorate("fit", pilot, "--method", "ml", "-o", tmp_path / "population.json", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert "the Dirichlet most like it:\na Dirichlet with alpha" in done.stdout
    again = quorate("fit", pilot, "--evaluate", tmp_path / "population.json", "--json")
    fitted = json.loads((tmp_path / "population.json").read_text())
    held = json.loads(again.stdout)
    assert held["population"]["alpha"] == fitted["population"]["alpha"]
    assert held["log_likelihood"] == pytest.approx(fitted["log_likelihood"], rel=1e-12)


def test_evaluating_a_world_of_alike_items_warns(quorate: Run, pilot: Path) -> None:
    done = quorate("fit", pilot, "--evaluate", "2000,700,1200")
    assert done.returncode == 0
    assert "does not reproduce" in done.stdout
    assert "Warning: two answers to the same item are correlated" in done.stdout


def test_no_input_is_written_over(quorate: Run, pilot: Path, tmp_path: Path) -> None:
    population = tmp_path / "population.json"
    assert quorate("fit", pilot, "-o", population, "--quiet").returncode == 0
    for path, words in ((pilot, ()), (population, ("--evaluate", population))):
        before = path.read_text()
        done = quorate("fit", pilot, *words, "-o", path)
        assert (done.returncode, path.read_text()) == (2, before)
        assert "it is an input and stays as it is" in done.stderr


@pytest.mark.parametrize(
    ("content", "arguments", "sentence"),
    [
        ("item,response\na,x\nb,y\nc,x\n", [], "every item has one answer"),
        ("item,response\na,x\na,x\nb,x\n", [], "all answers are the same"),
        ("item,response\na,x\na,y\nb,x\n", ["--evaluate", "1,0"], "positive number, not 0"),
        ("item,response\na,x\na,y\nb,x\n", ["--evaluate", "1,2,3"], "has 3 categories, the ratings have 2"),
        ("item,response\na,x\na,y\nb,x\n", ["--evaluate", "nowhere.json"], "There is no file nowhere.json"),
        ("item,response\na,x\na,y\nb,x\n", ["--family", "normal"], "the scale is nominal"),
        ("item,response\na,x\na,y\nb,x\n", ["--method", "guess"], "method"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    quorate: Run, content: str, arguments: list[str], sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    done = quorate("fit", path, *arguments, "-o", tmp_path / "out.json", "--quiet")
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not (tmp_path / "out.json").exists()
