"""`quorate audit` as a user types it."""

import json
from functools import partial
from pathlib import Path

import pytest

from tests.run import Run


@pytest.fixture
def run(quorate: Run, tmp_path: Path) -> Run:
    return partial(quorate, "audit", QUORATE_CACHE=str(tmp_path))


BASE = ("--preset", "dices", "--items", 20, "--raters", 2, "--metric", "agreement", "--replicates", 250)


def test_text_says_whether_the_promise_is_kept(tmp_path: Path, run: Run) -> None:
    done = run(*BASE, "--null", "sharp")
    assert done.returncode == 0
    assert " of studies without a difference show one by the default test, as promised: " in done.stdout.splitlines()[0]


def test_json_is_one_object_and_tests_take_commas(tmp_path: Path, run: Run) -> None:
    done = run(*BASE, "--null", "sharp", "--test", "default,welch", "--json")
    assert [row["test"] for row in json.loads(done.stdout)["rows"]] == ["default", "welch"]


def test_a_table_is_written(tmp_path: Path, run: Run) -> None:
    out = tmp_path / "audit.csv"
    assert run(*BASE, "--effect", 0.5, "-o", out).returncode == 0
    assert out.read_text().startswith("test,rejection_rate")


def test_resume_gives_the_same_bytes(tmp_path: Path, run: Run) -> None:
    first = run(*BASE, "--null", "sharp", "--json").stdout
    assert run(*BASE, "--null", "sharp", "--json", "--resume").stdout == first


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--items", 20), "--raters needs a value"),
        ((*BASE, "--null", "odd"), "odd"),
        ((*BASE, "--test", "magic"), "magic"),
        ((*BASE, "--effect", 7), "between 0 and 1"),
        ((*BASE, "--unit", "moons"), "--unit moons is not known"),
        (("--items", 20, "--raters", 2), "one population with one of --preset"),
        ((*BASE[:-2], "--replicates", 0), "at least 1"),
    ],
)
def test_bad_usage_is_one_sentence(arguments: tuple[object, ...], sentence: str, tmp_path: Path, run: Run) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert sentence in done.stderr
    assert done.stdout == ""
