"""`convert`: the table, the fields behind its columns, and what was left out."""

import json
from pathlib import Path

import polars as pl
import pytest

from quorate._errors import InputError
from quorate.cli import main
from quorate.converting.verb import convert


def test_what_is_written_is_read_back_as_it_was(logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "long.csv"
    with pytest.raises(SystemExit) as end:
        main(["convert", str(logs / "new.eval"), str(logs / "old.eval"), "--score", "match", "-o", str(out), "--json"])
    assert end.value.code == 0
    told = json.loads(capsys.readouterr().out)
    assert told["mapping"] == {
        "item": "id",
        "rater": None,
        "response": "scores.match.value",
        "system": "eval.model",
        "run": "epoch",
    }
    assert told["rows"] == 23
    assert {"reason": "the sample failed with an error; it is not scored 0", "rows": 1} in told["dropped"]
    again = convert(out)
    assert again.to_frame().select(told["columns"]).equals(pl.read_csv(out, infer_schema=False))
    assert again.log.kind == "scores"


def test_an_input_is_never_written_over(logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "new.json"
    log.write_bytes((logs / "new.json").read_bytes())
    for words in ([str(log)], [f"x={log}"], [str(tmp_path)]):
        with pytest.raises(SystemExit) as end:
            main(["convert", *words, "--score", "match", "-o", str(log)])
        assert end.value.code == 2
        assert "it is an input" in capsys.readouterr().err
    assert log.read_bytes() == (logs / "new.json").read_bytes()


def test_tables_keep_their_systems_and_runs() -> None:
    made = convert({"task": ["1", "1"], "model": ["a", "b"], "trial": [1, 1], "grade": [3, None], "topic": ["x", "x"]})
    assert made.to_frame().row(0, named=True) == {"item": "1", "response": "3", "topic": "x", "system": "a", "run": "1"}
    assert made.content()["dropped"][0].rows == 1


def test_nothing_to_convert_is_refused() -> None:
    with pytest.raises(InputError, match="name a log"):
        convert()


def test_a_spreadsheet_is_written_with_points_and_without_words_for_missing_numbers(tmp_path: Path) -> None:
    sheet = tmp_path / "noten.csv"
    sheet.write_text("Projekt;;\n\nNr;Anna;Ben\nq1;1,5;k.A.\nq2;2,5;3,0\nq3;n/a;2,0\n", encoding="utf-8-sig")
    made = convert(sheet, layout="wide", item_column="Nr")
    rows = [("q1", "Anna", "1.5"), ("q2", "Anna", "2.5"), ("q2", "Ben", "3.0"), ("q3", "Ben", "2.0")]
    assert made.to_frame().rows() == rows
    assert [(each.reason, each.rows) for each in made.dropped] == [("no response", 2)]
    assert "numbers have a decimal comma (--decimal)" in made.log.notes
