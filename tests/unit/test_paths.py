"""What a path may name: folders, patterns, databases."""

from pathlib import Path

import pytest

from quorate._errors import InputError
from quorate._paths import named_files, parquet_files, split_database


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("duckdb:a/b.db?votes", ("duckdb", Path("a/b.db"), "votes")),
        ("sqlite:b.db?SELECT a FROM b WHERE c = '?'", ("sqlite", Path("b.db"), "SELECT a FROM b WHERE c = '?'")),
        ("duckdb:b.db", ("duckdb", Path("b.db"), "")),
        ("example:support", None),
        ("C:ratings.csv", None),
        ("ratings.csv", None),
    ],
)
def test_databases_are_told_from_files(source: str, parts: tuple[str, Path, str] | None) -> None:
    assert split_database(source) == parts


def test_folders_and_patterns_name_their_parquet_files(tmp_path: Path) -> None:
    names = ["a.parquet", "year=1/b.parquet", "year=1/_c.parquet", "year=1/.d.parquet", "e.csv"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    kept = [tmp_path / name for name in names[:2]]
    assert parquet_files(tmp_path) == kept
    assert parquet_files(f"{tmp_path}/**/*.parquet") == kept
    assert parquet_files(f"{tmp_path}/*.parquet") == kept[:1]
    assert parquet_files(tmp_path / "e.csv") is None
    assert parquet_files(tmp_path / "none.csv") is None
    assert parquet_files(f"{tmp_path}/*.txt") == []
    assert parquet_files("a\0*") in (None, [])
    assert named_files(str(tmp_path)) == [str(path) for path in kept]
    assert named_files("duckdb:x.db?t") == ["x.db"]
    assert named_files("x.csv") == ["x.csv"]


def test_links_that_lead_in_circles_are_not_followed(tmp_path: Path) -> None:
    """Two links to the folder itself: followed, there would be 2^40 ways through it."""
    for name in ("a", "b"):
        (tmp_path / name).symlink_to(".")
    (tmp_path / "c.parquet").touch()
    assert parquet_files(tmp_path) == parquet_files(f"{tmp_path}/**/*.parquet") == [tmp_path / "c.parquet"]


def test_a_folder_that_holds_half_a_disk_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").touch()
    (tmp_path / "b.csv").touch()
    assert parquet_files(tmp_path) == [tmp_path / "a.parquet"]
    with pytest.raises(InputError, match="holds more than 1 files and folders; name a smaller one"):
        parquet_files(tmp_path, most=1)
