"""What a path may name besides a file: a folder or pattern of Parquet files, or a table or query of a database."""

import glob
import os
from collections.abc import Iterator
from pathlib import Path

from quorate._errors import InputError

MOST_ENTRIES = 200_000
"""Files and folders that are looked at in a folder."""
DATABASES = ("duckdb", "sqlite")


def split_database(source: str | Path) -> tuple[str, Path, str] | None:
    """Return kind, file and table or query of ``duckdb:FILE?table`` and ``sqlite:FILE?SELECT ...``; None for others."""
    kind, colon, rest = str(source).partition(":")
    if not colon or kind not in DATABASES:
        return None
    file, _, query = rest.partition("?")
    return kind, Path(file), query.strip()


def parquet_files(source: str | Path, *, most: int = MOST_ENTRIES) -> list[Path] | None:
    """Return the Parquet files of a folder, at any depth, or of a pattern, sorted; None for what is neither."""
    text = str(source)
    try:
        if Path(text).is_dir():
            found: Iterator[Path] = (path for path in files_below(Path(text), most) if path.name.endswith(".parquet"))
        elif any(letter in text for letter in "*?[") and not Path(text).exists():
            found = _matching(text)
        else:
            return None
        return sorted(path for path in found if path.name[0] not in "._" and path.is_file())
    except (OSError, ValueError) as error:  # a name no file can have
        if isinstance(error, InputError):
            raise
        return None


def files_below(folder: Path, most: int = MOST_ENTRIES) -> Iterator[Path]:
    """Give the files of a folder, at any depth but not through links, and refuse one that holds half a disk."""
    seen = 0
    for place, folders, files in os.walk(folder):
        seen += len(folders) + len(files)
        if seen > most:
            raise InputError(f"{folder} holds more than {most:,} files and folders; name a smaller one.")
        yield from (Path(place, name) for name in files)


def _matching(pattern: str) -> Iterator[Path]:
    """Give what a pattern names; ** does not go through links, which may lead in circles."""
    parts = Path(pattern).parts
    if "**" not in parts:
        return (Path(each) for each in glob.iglob(pattern))
    first = next(place for place, part in enumerate(parts) if any(letter in part for letter in "*?["))
    return Path(*parts[:first]).glob(str(Path(*parts[first:])))


def named_files(source: str) -> list[str]:
    """Return the files that a source reads."""
    database = split_database(source)
    if database is not None:
        return [str(database[1])]
    files = parquet_files(source)
    return [source] if files is None else [str(path) for path in files]
