"""`quorate describe` as a real process: what stands on stdout, what on stderr, and what is written."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from tests.run import Run


def test_text_for_people_and_the_load_report_beside_it(quorate: Run) -> None:
    done = quorate("describe", "example:support")
    assert done.returncode == 0
    assert done.stdout.startswith("120 items, 5 responses each, from 14 raters;\nraters disagree a lot ")
    assert "Most disputed items" in done.stdout
    assert done.stderr.startswith("example:support: ")
    assert "--item-column" in done.stderr


def test_ratings_of_several_systems_are_told_apart_on_request_and_otherwise_said(quorate: Run, tmp_path: Path) -> None:
    file = tmp_path / "rated.csv"
    rows = [f"{item},{who},{model},{3 + (model == 'x')}" for item in "12" for who in "ab" for model in "xy"]
    file.write_text("\n".join(["item,rater,model,score", *rows]) + "\n")
    assert "--rated-system model tells them apart" in quorate("describe", str(file)).stdout
    assert "--rated-system" not in quorate("describe", str(file), "--rated-system", "model").stdout


def test_json_is_one_object_and_nothing_else_on_stdout(quorate: Run) -> None:
    done = quorate("describe", "example:support", "--json", "--seed", "3")
    answer = json.loads(done.stdout)
    assert (answer["schema"], answer["seed"]) == ("quorate.describe/1", 3)
    assert done.stderr.startswith("example:support: ")


def test_quiet_says_nothing_on_stderr(quorate: Run) -> None:
    assert quorate("describe", "example:support", "--quiet").stderr == ""


def test_the_same_seed_gives_the_same_bytes(quorate: Run) -> None:
    first, second = (quorate("describe", "example:support", "--json", "-q").stdout for _ in range(2))
    assert first == second


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
def test_the_table_is_written_where_asked(suffix: str, quorate: Run, tmp_path: Path) -> None:
    path = tmp_path / f"items.{suffix}"
    done = quorate("describe", "example:support", "-o", path)
    assert done.returncode == 0
    assert f"written: {path}" in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()
    if suffix == "json":
        assert json.loads(path.read_text())["items"] > 0
        return
    frame = pl.read_csv(path) if suffix == "csv" else pl.read_parquet(path)
    assert frame.columns[:3] == ["item", "responses", "disagreement"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_standard_input_and_all_reading_options(quorate: Run) -> None:
    table = b"doc,part,who,mood\nd1,1,x,low\nd1,1,y,high\nd1,2,x,mid\nd1,2,x,low\n"
    done = quorate(
        "describe", "-", "--item-column", "doc,part", "--rater-column", "who", "--response-column", "mood",
        "--order", "low,mid", "--order", "high", "--duplicates", "last", "--json", "--top", "1",
        stdin=table,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert (answer["items"], answer["raters"], answer["responses"], answer["repeated_pairs"]) == (2, 2, 3, 0)
    assert answer["scale"] == {"kind": "ordinal", "categories": ["low", "mid", "high"], "guessed": False}
    assert answer["settings"]["ratings"] == "-"
    assert len(answer["disputed"]) == 1


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    rows = "".join(f"q{k},r{j},{(k * j) % 3}\n" for k in range(20) for j in range(4))
    (tmp_path / "r.csv").write_text("item,rater,response\n" + rows)
    command = f"{sys.executable} -m quorate describe -q --top 20 {tmp_path / 'r.csv'} | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=600, check=False)
    assert done.stdout.startswith(b"20 items")
    assert done.stderr == b""


def test_a_terminal_sees_that_work_is_going_on_and_a_file_does_not(quorate: Run) -> None:
    """On a terminal stderr shows what is being done; the report stays readable, and stdout is untouched."""
    master, slave = os.openpty()
    run = [sys.executable, "-m", "quorate", "describe", "example:support", "--json"]
    seen: list[bytes] = []
    reader = threading.Thread(target=lambda: seen.extend(_shown(master)))
    reader.start()
    done = subprocess.run(run, stdout=subprocess.PIPE, stderr=slave, timeout=600, check=True)
    os.close(slave)
    reader.join(timeout=600)
    os.close(master)
    shown = b"".join(seen).decode()
    assert "describing example:support" in shown
    assert "600 responses on 120 items" in shown
    assert json.loads(done.stdout)["items"] == 120
    assert "describing" not in quorate("describe", "example:support").stderr


def _shown(terminal: int) -> Iterator[bytes]:
    """What comes to a terminal until its other side is closed; it holds only a little at a time."""
    while True:
        try:
            yield os.read(terminal, 4096)
        except OSError:
            return


def test_a_terminal_that_knows_no_unicode_still_gets_an_answer(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("item,rater,response\nä€,x,ja\nä€,y,nein\n", encoding="utf-8")
    here = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    run = [sys.executable, "-m", "quorate", "describe", str(tmp_path / "r.csv")]
    text = subprocess.run(run, capture_output=True, env=here, timeout=600, check=False)
    assert (text.returncode, b"Traceback" in text.stderr) == (0, False)
    answer = json.loads(subprocess.run([*run, "--json"], capture_output=True, env=here, check=True).stdout)
    assert answer["disputed"][0]["item"] == "ä€"


@pytest.mark.parametrize("words", [["--help"], ["describe", "--help"], ["--version"], []])
def test_help_and_version_exit_well(words: list[str], quorate: Run) -> None:
    done = quorate(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_help_names_every_verb_with_its_question_and_shows_examples(quorate: Run) -> None:
    listing, verb = quorate("--help").stdout, quorate("describe", "--help").stdout
    assert re.search(r"describe +What have I got", listing)
    assert "quorate describe ratings.csv --scale ordinal" in verb
