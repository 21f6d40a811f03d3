"""Files that stay as they are while they are read: what was read of two versions belongs to neither, and is refused."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO, TypeAlias

import polars as pl

from quorate._errors import InputError
from quorate._paths import named_files, split_database
from quorate._question import split_name
from quorate._text import printable

State: TypeAlias = tuple[int, ...] | None
"""What tells that a file was written to or replaced: its place on the disk, its size, when it was last written."""
BESIDE = ("-wal", ".wal", "-journal")
"""Where a database keeps what is not in its file yet: SQLite, DuckDB."""


@contextmanager
def steady(*sources: Any) -> Iterator[None]:
    """Refuse what is read inside if a file of these sources is written to, replaced or removed meanwhile.

    Whatever else went wrong is the work of that change. Data in memory, pipes and devices are not looked at.
    """
    with _steady(lambda: {name: _state(name) for source in sources for name in _files(source)}):
        yield


@contextmanager
def steady_file(name: str, file: BinaryIO) -> Iterator[None]:
    """Refuse what is read inside from an open file if it is written to meanwhile."""
    with _steady(lambda: {name: _state(file)}):
        yield


@contextmanager
def _steady(look: Callable[[], Mapping[str, State]]) -> Iterator[None]:
    before = look()
    try:
        yield
    except (Exception, pl.exceptions.PanicException):  # a panic of the reader is no Exception
        _refuse_changed(before, look())
        raise
    _refuse_changed(before, look())


def _refuse_changed(before: Mapping[str, State], after: Mapping[str, State]) -> None:
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    if changed:
        raise InputError(f"{printable(changed[0])} changed while it was read; run this again when it is complete.")


def _files(source: Any) -> list[str]:
    """Return the files of a source, and those a database has beside it; data in memory have none."""
    if isinstance(source, list | tuple):
        return [name for each in source for name in _files(each)]
    if not isinstance(source, str | Path):
        return []
    named = split_name(source)[1]
    files = named_files(named)
    return files if split_database(named) is None else [*files, *(f"{files[0]}{ending}" for ending in BESIDE)]


def _state(file: str | BinaryIO) -> State:
    """Return the state of a file that is named or open; of what is none, or not there, None."""
    try:
        stat = os.stat(file if isinstance(file, str) else file.fileno())
    except (OSError, ValueError):
        return None
    return (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns) if S_ISREG(stat.st_mode) else None
