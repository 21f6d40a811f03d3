"""What a path may name besides a file: a folder or pattern of Parquet files, or a table or query of a database."""

import glob
from pathlib import Path

DATABASES = ("duckdb", "sqlite")


def split_database(source: str | Path) -> tuple[str, Path, str] | None:
    """Return kind, file and table or query of ``duckdb:FILE?table`` and ``sqlite:FILE?SELECT ...``; None for others."""
    kind, colon, rest = str(source).partition(":")
    if not colon or kind not in DATABASES:
        return None
    file, _, query = rest.partition("?")
    return kind, Path(file), query.strip()


def parquet_files(source: str | Path) -> list[Path] | None:
    """Return the Parquet files of a folder, at any depth, or of a pattern, sorted; None for what is neither."""
    text = str(source)
    try:
        if Path(text).is_dir():
            found = Path(text).rglob("*.parquet")
        elif any(letter in text for letter in "*?[") and not Path(text).exists():
            found = (Path(each) for each in glob.iglob(text, recursive=True))
        else:
            return None
        return sorted(path for path in found if path.name[0] not in "._" and path.is_file())
    except (OSError, ValueError):  # a name no file can have
        return None


def named_files(source: str) -> list[str]:
    """Return the files that a source reads."""
    database = split_database(source)
    if database is not None:
        return [str(database[1])]
    files = parquet_files(source)
    return [source] if files is None else [str(path) for path in files]
