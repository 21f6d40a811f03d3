"""Files appear whole or not at all, several of them together."""

from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import polars as pl
import pytest

from quorate._errors import InputError
from quorate.results.files import write_csv, write_together


@pytest.mark.parametrize("there", [True, False])
def test_files_have_no_names_until_all_are_written(there: bool, tmp_path: Path) -> None:
    """What a kill in mid-writing would leave is what lies there while the last file is written: nothing."""
    folder = tmp_path / "study"
    seen: list[Path] = []
    if there:
        folder.mkdir()

    def look(file: BinaryIO) -> None:
        file.write(b"last")
        seen.extend(path for path in tmp_path.rglob("*") if path != folder)

    write_together(folder, {"a.csv": lambda file: file.write(b"first"), "b.csv": look})
    assert seen == []
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"a.csv": b"first", "b.csv": b"last"}
    assert list(tmp_path.iterdir()) == [folder]


def test_a_file_that_fails_leaves_none(tmp_path: Path) -> None:
    def fail(file: BinaryIO) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match=r"Cannot write .*study .No space left"):
        write_together(tmp_path / "study", {"a.csv": lambda file: file.write(b"first"), "b.csv": fail})
    assert list(tmp_path.iterdir()) == []


def test_formulas_get_an_apostrophe_in_cells_and_headers_alike() -> None:
    table = pl.DataFrame({"=1+1": ["@x", "-2"], "-1": ["\t=1", "a"], "n": [-1, 2]})
    safe, kept = BytesIO(), BytesIO()
    write_csv(table, safe)
    write_csv(table, kept, keep_formulas=True)
    assert safe.getvalue().decode() == "'=1+1,-1,n\n'@x,'\t=1,-1\n-2,a,2\n"
    assert kept.getvalue().decode() == "=1+1,-1,n\n@x,\t=1,-1\n-2,a,2\n"
