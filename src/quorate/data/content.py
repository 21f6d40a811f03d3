"""The bytes of a file, a pipe or a device, read no further than memory allows."""

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from stat import S_ISREG
from threading import Lock, Thread
from typing import BinaryIO

from quorate._errors import InputError
from quorate.data.steady import steady_file
from quorate.data.text_encoding import wide_encoding

CHUNK = 1 << 20
MOST_STREAM = 1 << 29
"""Bytes taken from a pipe or a device, or out of a gzip file: nobody can say before how many are to come."""
MOST_JSON = 1 << 28
"""Bytes of JSON read at once; of an object per line there may be more."""
PATIENCE = 10.0
GZIP = b"\x1f\x8b"
BINARY = {b"PK\x03\x04": "an Excel workbook or zip archive", b"%PDF": "a PDF", b"\x89PNG": "a picture"}
PARQUET = b"PAR1"


def read_content(name: str, path: Path | None, *, patience: float = PATIENCE) -> bytes:
    """Return the bytes of a file, unpacked if they are gzipped; of standard input if no path is given.

    `patience` is how many seconds somebody has to begin to write to a pipe that has a name.
    """
    if path is None:
        try:
            with steady_file("standard input", sys.stdin.buffer):
                return _read_all("standard input", sys.stdin.buffer)
        except OSError as error:
            raise InputError(f"standard input cannot be read ({error.strerror}); name a file instead.") from None
    try:
        if path.is_dir():
            raise InputError(f"{path} is a directory; name a file in it.")
        with _open_pipe(path, patience) if path.is_fifo() else path.open("rb") as file, steady_file(name, file):
            return _read_all(name, file)
    except FileNotFoundError:
        raise InputError(f"There is no file {path}; check the path.") from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise InputError(f"{path} cannot be read ({why}); check its name and permissions.") from None


def _open_pipe(path: Path, patience: float) -> BinaryIO:
    """Open a pipe that has a name; where nobody writes to it, opening waits for ever, so a thread does and is left."""
    opened: SimpleQueue[int | OSError] = SimpleQueue()

    def wait() -> None:
        try:
            opened.put(os.open(path, os.O_RDONLY))
        except OSError as error:
            opened.put(error)

    Thread(target=wait, daemon=True).start()
    try:
        pipe = opened.get(timeout=patience)
    except Empty:
        raise InputError(f"{path} is a pipe that nobody writes to; start what writes to it, or name a file.") from None
    if isinstance(pipe, OSError):
        raise pipe
    return os.fdopen(pipe, "rb")


def refuse_binary(name: str, data: bytes) -> None:
    """Refuse what is no text; a Parquet file is not asked."""
    kind = next((kind for magic, kind in BINARY.items() if data.startswith(magic)), None)
    if kind is None and b"\0" in data and wide_encoding(data) is None:
        kind = "a binary file"
    if kind:
        raise InputError(f"{name} is {kind}, not a table quorate can read; save it as CSV (UTF-8) or Parquet.")


def _read_all(name: str, file: BinaryIO) -> bytes:
    reader = file if isinstance(file, io.BufferedReader) else io.BufferedReader(io.BytesIO(file.read(MOST_STREAM)))
    if reader.peek(2)[:2] != GZIP:
        size = _file_size(reader)
        return _bounded(name, reader, "save it to a file first") if size is None else _whole(name, reader, size)
    try:
        with gzip.GzipFile(fileobj=reader) as unpacked:
            return _bounded(name, unpacked, "unpack it first, or save it as Parquet")
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise InputError(f"{name} is a damaged gzip file; write or download it again.") from None


def _file_size(reader: io.BufferedReader) -> int | None:
    """Return how many bytes are left to read, None for what is no file, or one of a system that does not say."""
    try:
        stat = os.fstat(reader.fileno())
        return max(stat.st_size - reader.tell(), 0) or None if S_ISREG(stat.st_mode) else None
    except (OSError, ValueError):
        return None


def _whole(name: str, reader: io.BufferedReader, size: int) -> bytes:
    """Read a file whose size is known, if it fits into half of the memory; its beginning is looked at first."""
    most = memory() // 2
    if size > most:
        raise InputError(f"{name} has {_gigabytes(size)}, more than half of the memory here; read a part of it.")
    if size > CHUNK:
        _refuse_binary_start(name, reader.peek(CHUNK))
    return reader.read(size)


def _bounded(name: str, source: BinaryIO | gzip.GzipFile, advice: str) -> bytes:
    """Read to the end, or refuse what has none in sight."""
    content, first = io.BytesIO(), True
    while chunk := source.read(CHUNK):
        if first:
            _refuse_binary_start(name, chunk)
            first = False
        content.write(chunk)
        if content.tell() > MOST_STREAM:
            raise InputError(f"{name} has more than {_gigabytes(MOST_STREAM)}, and no end in sight; {advice}.")
    return content.getvalue()


def _refuse_binary_start(name: str, start: bytes) -> None:
    if not start.startswith(PARQUET):
        refuse_binary(name, start)


_QUIET = Lock()


@contextmanager
def unheard() -> Iterator[None]:
    """Keep from standard error what a compiled reader says there when it breaks down; the refusal is ours.

    The stream is one for all threads: while one keeps it, the others read without.
    """
    if not _QUIET.acquire(blocking=False):
        yield
        return
    try:
        with _closed_stderr():
            yield
    finally:
        _QUIET.release()


@contextmanager
def _closed_stderr() -> Iterator[None]:
    try:
        sys.stderr.flush()
        kept, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except (AttributeError, OSError, ValueError):  # there is no such stream
        yield
        return
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(null)


def memory() -> int:
    """Return the bytes of memory of this machine; a usual number where it does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 1 << 33


def _gigabytes(size: int) -> str:
    return f"{size / 2**30:,.1f} GB"
