"""The task journal: finished tasks written down by their keys, so that work survives a kill.

A journal is a file of JSON lines: a header with the version and a digest of the settings, then one
``{"key", "result", "check"}`` per finished task, in any order. A line whose check does not fit, as a kill, a full disk
or a stray edit leaves it, is passed over and its task done again. A share of the tasks has a journal of its own beside
that of the whole, and all of them are read together.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from typing import Any

from quorate._errors import InputError
from quorate._version import __version__


def journal_path(verb: str, settings: Mapping[str, Any]) -> Path:
    """Return where the journal of these settings lives: in ``$QUORATE_CACHE``, or ``~/.cache/quorate``."""
    home = os.environ.get("QUORATE_CACHE") or Path.home() / ".cache" / "quorate"
    return Path(home) / f"{verb}-{_digest(_canonical(settings))}.jsonl"


def share_path(journal: Path, part: int, parts: int) -> Path:
    """Return the journal of one share of the tasks; a single share is the whole."""
    return journal if parts == 1 else journal.with_name(f"{journal.stem}.{part}-of-{parts}.jsonl")


def read_journals(journal: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the finished tasks by key, of a journal and of those of its shares."""
    return {key: result for path in (journal, *_shares(journal)) for key, result in _read(path, settings).items()}


def _shares(journal: Path) -> list[Path]:
    try:
        return sorted(journal.parent.glob(f"{journal.stem}.*-of-*.jsonl"))
    except OSError:  # what is wrong with the folder is said where the journal itself is read
        return []


def _read(journal: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the finished tasks of a journal, of lines that are whole."""
    try:
        if not journal.exists():
            return {}
        if not journal.is_file():
            raise InputError(f"{journal} is no file; move it away, or set QUORATE_CACHE to another folder.")
        header, *lines = journal.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(f"Cannot read {journal} ({error.strerror}); start anew without --resume.") from None
    _check_header(journal, header, settings)
    return dict(entry for line in lines if (entry := _entry(line)) is not None)


def _check_header(journal: Path, header: bytes, settings: Mapping[str, Any]) -> None:
    """Refuse a journal that is none, or of another version, or of other settings."""
    ours, theirs = json.loads(_header(settings)), _parsed(header)
    if not isinstance(theirs, dict) or set(theirs) != set(ours):
        raise InputError(f"{journal} is damaged, or no journal of quorate; start anew without --resume.")
    if theirs["version"] != ours["version"]:
        raise InputError(f"{journal} was begun by quorate {theirs['version']}; start anew without --resume.")
    if theirs != ours:
        raise InputError(f"{journal} belongs to other settings; start anew without --resume.")


def _entry(line: bytes) -> tuple[str, Any] | None:
    """Return key and result of a line, None if it is not as it was written."""
    entry = _parsed(line)
    if not isinstance(entry, dict) or not isinstance(key := entry.get("key"), str):
        return None
    return (key, entry["result"]) if line == _line(key, entry.get("result")).rstrip(b"\n") else None


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _header(settings: Mapping[str, Any]) -> bytes:
    header = {"journal": "quorate", "version": __version__, "settings": _digest(_canonical(settings))}
    return json.dumps(header).encode() + b"\n"


def _line(key: str, result: Any) -> bytes:
    text = json.dumps({"key": key, "result": result})
    return f'{text[:-1]}, "check": "{_digest(text)}"}}\n'.encode()


def open_journal(journal: Path, settings: Mapping[str, Any], *, fresh: bool) -> FileIO:
    """Open a journal to add to, or a fresh one, for which those of its shares go; half a line a kill left goes too."""
    try:
        journal.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            for path in (journal, *_shares(journal)):
                path.unlink(missing_ok=True)
        elif journal.exists():
            os.truncate(journal, journal.read_bytes().rfind(b"\n") + 1)
        begun = journal.exists()
        file = journal.open("ab", buffering=0)
    except OSError as error:
        raise _cannot_write(journal, error) from None
    _append(file, b"" if begun else _header(settings), journal)
    return file


def write_result(file: FileIO, key: str, result: Any, journal: Path) -> None:
    """Add a finished task to an open journal."""
    _append(file, _line(key, result), journal)


def _append(file: FileIO, line: bytes, journal: Path) -> None:
    try:
        while line:
            line = line[file.write(line) :]
    except OSError as error:
        raise _cannot_write(journal, error) from None


def _cannot_write(journal: Path, error: OSError) -> InputError:
    return InputError(
        f"Cannot write {journal} ({error.strerror}); free some space or set QUORATE_CACHE to another folder, and go on "
        "with --resume."
    )


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _canonical(settings: Mapping[str, Any]) -> str:
    return json.dumps(dict(settings), sort_keys=True, default=str)
