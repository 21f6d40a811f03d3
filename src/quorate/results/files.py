"""Files that results become: written whole or not at all, and never over a file that was read."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, BinaryIO

from quorate._errors import InputError
from quorate._paths import named_files

if TYPE_CHECKING:
    import polars as pl

Writer = Callable[[BinaryIO], object]
"""Writes the content of one file."""
FORMULA = r"^[=+\-@\t\r]"
"""What makes a spreadsheet take a cell for a formula, unless it is a number [owasp, CSV injection]."""


def check_output(path: Path | None, inputs: Sequence[str], flag: str = "-o") -> None:
    """Refuse to write over a file that is read, be it relative, linked or standard input."""
    if path is None or not _exists(path):
        return
    for name in inputs:
        if any(_same_file(path, file) for file in named_files(name)):
            raise InputError(f"Cannot write {path}: it is an input and stays as it is; name another with {flag}.")


@contextmanager
def written_whole(path: Path, flag: str = "-o") -> Iterator[BinaryIO]:
    """Give a file to write to, which appears under its name when it is complete; until then nobody sees it."""
    try:
        with _unseen(path.parent) as (file, place):
            yield file
            file.flush()
            place(path)
    except OSError as error:
        raise _cannot_write(path, error, flag) from None


def write_together(folder: Path, writers: Mapping[str, Writer]) -> None:
    """Write several files into a folder, all or none: a new folder appears with all of them in it.

    They have no names until all are written, so that a run which is killed meanwhile leaves nothing behind.
    """
    try:
        fresh = not folder.exists()
        folder.parent.mkdir(parents=True, exist_ok=True)
        within = folder.parent if fresh else folder
        with ExitStack() as open_files:
            unseen = {name: open_files.enter_context(_unseen(within)) for name in writers}
            for name, (file, _) in unseen.items():
                writers[name](file)
                file.flush()
            _place_all(
                folder, within / f".quorate-{token_hex(8)}", {name: place for name, (_, place) in unseen.items()}
            )
    except OSError as error:
        raise _cannot_write(folder, error, "-o") from None


def _place_all(folder: Path, hidden: Path, places: Mapping[str, Callable[[Path], None]]) -> None:
    """Give files their names in a folder that nobody sees, and then all of them their place."""
    hidden.mkdir()
    try:
        for name, place in places.items():
            place(hidden / name)
        if folder.exists():
            _move_all(hidden, folder, list(places))
        else:
            hidden.rename(folder)
    finally:
        _remove(hidden)


def write_csv(table: "pl.DataFrame", file: BinaryIO, *, keep_formulas: bool = False) -> None:
    """Write a table for people: text a spreadsheet would run as a formula gets an apostrophe before it."""
    import polars as pl

    if keep_formulas:
        table.write_csv(file)
        return
    harmless = [_harmless(column) if column.dtype == pl.String else column for column in table.iter_columns()]
    header = _harmless(pl.Series(table.columns, dtype=pl.String)).to_list()
    names = header if len(set(header)) == len(header) else table.columns
    pl.DataFrame(harmless).rename(dict(zip(table.columns, names, strict=True))).write_csv(file)


def write_parquet(table: "pl.DataFrame", file: BinaryIO) -> None:
    """Write a table as Parquet; a full disk is the error it would be for any file."""
    import polars as pl

    try:
        table.write_parquet(file)
    except pl.exceptions.PolarsError as error:
        raise OSError(str(error)) from None


def _harmless(column: "pl.Series") -> "pl.Series":
    import polars as pl

    risky = column.str.contains(FORMULA) & column.cast(pl.Float64, strict=False).is_null()
    return pl.select(pl.when(risky).then(pl.lit("'") + column).otherwise(column)).to_series().alias(column.name)


@contextmanager
def _unseen(folder: Path) -> Iterator[tuple[BinaryIO, Callable[[Path], None]]]:
    """Open a file without a name, or with a hidden one where there is no such thing, and say how to name it."""
    hidden = folder / f".quorate-{token_hex(8)}"
    try:
        handle = os.open(folder, os.O_RDWR | os.O_TMPFILE, 0o666)
    except (AttributeError, OSError):  # not on this system, or not on this disk
        handle = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)

    def place(path: Path) -> None:
        if not hidden.exists():
            os.link(f"/proc/self/fd/{handle}", hidden, src_dir_fd=handle)  # so that linkat follows the link
        hidden.replace(path)

    try:
        with os.fdopen(handle, "w+b") as file:
            yield file, place
    finally:
        hidden.unlink(missing_ok=True)


def _move_all(source: Path, folder: Path, names: Sequence[str]) -> None:
    """Move files into a folder; what stood there comes back if one cannot be moved."""
    kept = source / "kept"
    kept.mkdir()
    try:
        for name in names:
            with suppress(FileNotFoundError):
                (kept / name).hardlink_to(folder / name)
            (source / name).replace(folder / name)
    except OSError:
        for name in names:
            if (kept / name).exists():
                (kept / name).replace(folder / name)
            elif not (source / name).exists():
                (folder / name).unlink()
        raise


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _cannot_write(path: Path, error: OSError, flag: str) -> InputError:
    return InputError(f"Cannot write {path} ({error.strerror or error}); choose another place with {flag}.")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that cannot be, such as one that is too long
        return False


def _same_file(path: Path, name: str) -> bool:
    if name.startswith("example:"):
        from quorate.data.inputs import example_path

        return path.samefile(example_path(name.removeprefix("example:")))
    try:
        return path.samefile("/dev/stdin" if name == "-" else name)
    except (OSError, ValueError):  # it is not there, and so is not written over
        return False
