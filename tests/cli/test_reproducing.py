"""`quorate reproduce` as a user types it."""

import json
from functools import partial
from pathlib import Path

import pytest

from tests.run import Run


@pytest.fixture
def run(quorate: Run, tmp_path: Path) -> Run:
    return partial(quorate, "reproduce", QUORATE_CACHE=str(tmp_path))


def test_without_data_nothing_is_expected_and_nothing_fails(tmp_path: Path, run: Run) -> None:
    done = run("multilevel", "--quick", "--json")
    assert done.returncode == 0
    result = json.loads(done.stdout)
    assert result["expected"] == result["matched"] == 0
    assert {cell["verdict"] for cell in result["cells"]} == {"not reproducible"}
    assert all(cell["reason"] for cell in result["cells"])


def test_a_table_is_written_and_the_text_counts(tmp_path: Path, run: Run) -> None:
    done = run("multilevel", "-o", tmp_path / "cells.csv")
    assert done.stdout.startswith("0 of 0 published figures expected to match do")
    assert (tmp_path / "cells.csv").read_text().startswith("paper,table,row,column,published,ours")


def test_a_killed_run_goes_on_with_the_same_bytes(tmp_path: Path, run: Run) -> None:
    arguments = ("multilevel", "--quick", "--json")
    first = run(*arguments).stdout
    journal = next(tmp_path.glob("reproduce-*.jsonl"))
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:3]) + lines[3][:20])  # as a kill would leave it
    assert run(*arguments, "--resume").stdout == first


def test_no_data_set_is_written_over(tmp_path: Path, run: Run) -> None:
    ratings = tmp_path / "csc_devtest" / "annotations.csv"
    ratings.parent.mkdir()
    ratings.write_text("item,rater,response\n")
    done = run("multilevel", "--data", tmp_path, "-o", ratings)
    assert done.returncode == 2
    assert ratings.read_text() == "item,rater,response\n"


def test_bad_input_is_one_sentence(tmp_path: Path, run: Run) -> None:
    for arguments in (("wood",), ("forest", "--data", tmp_path / "nowhere"), ("forest", "--workers", 0)):
        done = run(*arguments)
        assert done.returncode == 2
        assert len(done.stderr.strip().splitlines()) == 1
        assert done.stdout == ""
