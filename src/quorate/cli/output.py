"""The one way results reach the terminal or a file; no file that was read is ever written over.

Nothing heavy is imported here at start: ``quorate --help`` reads every command's file.
"""

import json
import os
import shlex
import sys
import tempfile
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Group, Parameter

from quorate._errors import InputError
from quorate._text import printable
from quorate.results.files import check_output

if TYPE_CHECKING:
    from quorate.results.result import Result

OUTPUT = Group.create_ordered("Output")
TABLES = (".csv", ".parquet", ".json")
PICTURES = (".png", ".svg")
COMMAND: ContextVar[tuple[str, ...]] = ContextVar("COMMAND", default=())
"""The words that were typed after the program's name; a report says how to make it again."""


def _writable(hint: object, path: Path | None) -> None:
    """Refuse a file that could not be written before anything is worked out."""
    if path is None:
        return
    if path.is_dir():
        raise ValueError("it is a directory")
    if path.suffix.lower() not in (".html", *TABLES, *PICTURES):
        raise ValueError("end its name in .html for a report, .csv, .parquet or .json for the table, .png or .svg")
    if not path.parent.is_dir():
        raise ValueError("its directory does not exist")


def _place(hint: object, path: Path | None) -> None:
    """Refuse what is neither a directory nor a page."""
    if path is None or path.is_dir():
        return
    if path.suffix.lower() == ".html":
        _writable(hint, path)
    elif path.suffix.lower() in (*TABLES, *PICTURES):
        raise ValueError("several tables are written: name a directory for them, or a file .html for the report alone")


@Parameter(name="*", group=OUTPUT)
@dataclass(frozen=True)
class OutputOptions:
    """Where the result goes.

    Parameters
    ----------
    json
        Print one JSON object instead of text.
    output
        Write a report (.html), the table (.csv, .parquet or .json) or the first plot (.png or .svg) to this file.
    quiet
        Say nothing on stderr but errors.
    """

    json: bool = False
    output: Annotated[Path | None, Parameter(name=["--output", "-o"], validator=_writable)] = None
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"])] = False


@Parameter(name="*", group=OUTPUT)
@dataclass(frozen=True)
class DirectoryOptions(OutputOptions):
    """Where several files go.

    Parameters
    ----------
    output
        Directory for the tables and a report, or a file .html for the report alone.
    """

    output: Annotated[Path | None, Parameter(name=["--output", "-o"], validator=_place)] = None


def say(line: str, options: OutputOptions) -> None:
    """Talk to the person at the terminal: stderr, unless quiet."""
    if not options.quiet:
        print(line, file=sys.stderr)


def working(what: str, options: OutputOptions) -> AbstractContextManager[object]:
    """Show on a terminal that work is going on, and what; say nothing elsewhere."""
    if options.quiet or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.text import Text

    return Console(stderr=True).status(Text(printable(what, 60)))


def show(result: "Result", options: OutputOptions) -> None:
    """Write the file that was asked for, then print text for people or JSON for scripts."""
    if result.load_report:
        say("\n".join(result.load_report) + "\n", options)
    if options.output is not None:
        write(result, options.output)
    if options.json:
        plain = "utf" not in (sys.stdout.encoding or "").lower()
        print(json.dumps(result.to_dict(), ensure_ascii=plain, allow_nan=False))
        return
    print(result)
    if options.output is not None:
        say(f"\nwritten: {options.output}", options)


def write(result: "Result", path: Path) -> None:
    """Write the report, table or plot, or nothing: a file appears only when it is complete."""
    check_output(path, result.inputs)
    try:
        handle, partial = tempfile.mkstemp(dir=path.parent, suffix=path.suffix)
        os.close(handle)
        try:
            _write_as(result, Path(partial), path.suffix.lower())
            Path(partial).chmod(0o666 & ~_umask())
            Path(partial).replace(path)
        finally:
            Path(partial).unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"Cannot write {path} ({error.strerror}); choose another place with -o.") from None


def _umask() -> int:
    """Return what new files may not allow; mkstemp gives them to nobody but their owner."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write_as(result: "Result", path: Path, suffix: str) -> None:
    if suffix == ".json":
        text = json.dumps(result.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8")
    elif suffix == ".html":
        from quorate.report import to_html

        path.write_text(to_html(result, shlex.join(["quorate", *COMMAND.get()])), encoding="utf-8")
    elif suffix in PICTURES:
        from quorate.report import to_image

        path.write_bytes(to_image(result, suffix[1:]))
    elif suffix == ".csv":
        result.to_frame().write_csv(path)
    else:
        result.to_frame().write_parquet(path)
