"""Excel workbooks, made by hand of their parts."""

import zipfile
from pathlib import Path

import pytest

from quorate._errors import InputError
from quorate.data.read_ratings import read_ratings
from tests.spreadsheets import workbook

pytest.importorskip("fastexcel", reason="workbooks are read with the extra excel")


def test_the_first_sheet_is_a_table(tmp_path: Path) -> None:
    rows = [["item", "rater", "response"], ["q1", "ann", "4"], ["q1", "bo", "5"], ["q2", "ann", "3"]]
    ratings = read_ratings(workbook(tmp_path / "ratings.xlsx", rows))
    assert (ratings.n_items, ratings.n_raters, ratings.scale.categories) == (2, 2, ("3", "4", "5"))


def test_the_sheet_with_a_table_is_read_below_its_title_and_that_is_said(tmp_path: Path) -> None:
    marks = [["q1", "ann", "4"], ["", "bo", "5"], ["q2", "ann", "3"], ["", "bo", "4"]]
    rows = [["Pilot study"], ["item", "rater", "response"], *marks]
    ratings = read_ratings(workbook(tmp_path / "two.xlsx", [["see the next sheet"]], rows))
    assert (ratings.n_items, ratings.n_raters, ratings.n_responses) == (2, 2, 4)  # q1 stands once for two rows
    notes = " ".join(ratings.notes)
    assert "above the header: Pilot study" in notes
    assert "the sheet 'S2' is read, not S1" in notes


def test_an_empty_workbook_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="empty"):
        read_ratings(workbook(tmp_path / "none.xlsx", []))


def test_a_zip_that_is_neither_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "hello")
    with pytest.raises(InputError, match="a zip archive, but no log"):
        read_ratings(path)


@pytest.mark.parametrize("far", ["XFD1048576", "xfd1048576"])
def test_a_cell_far_from_the_others_is_refused_before_the_sheet_is_filled_up_to_it(tmp_path: Path, far: str) -> None:
    path = workbook(tmp_path / "b.xlsx", [["item", "rater", "response"], ["q", "r", "yes"]])
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(
                name, content.replace("</row></sheetData>", f'<c r = "{far}"><v>1</v></c></row></sheetData>')
            )
    with pytest.raises(InputError, match="1,048,576 rows and 16,384 columns"):
        read_ratings(str(path))
