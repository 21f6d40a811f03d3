"""The one way results reach the terminal or a file; no file that was read is ever written over.

Nothing heavy is imported here at start: ``quorate --help`` reads every command's file.
"""

import json
import os
import re
import shlex
import sys
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

from cyclopts import Group, Parameter

from quorate._text import printable
from quorate.cli.streams import put, tell
from quorate.results.files import check_output, write_csv, write_parquet, written_whole

if TYPE_CHECKING:
    from quorate.results.result import Result

OUTPUT = Group("Output", sort_key=5)
FILE: dict[str, Any] = {"metavar": "FILE"} if "metavar" in signature(Parameter).parameters else {}
"""What help calls a file that is written; older parsers name no kinds."""
TABLES = (".csv", ".parquet", ".json")
UNSEEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Controls, of direction too, that are legal in JSON and would reach a terminal."""
PICTURES = (".png", ".svg", ".pdf")
TEXTS = (".md", ".tex")
COMMAND: ContextVar[tuple[str, ...]] = ContextVar("COMMAND", default=())
"""The words that were typed after the program's name; a report says how to make it again."""


def _writable(hint: object, path: Path | None) -> None:
    """Refuse a file that could not be written before anything is worked out."""
    if path is None:
        return
    if _is_directory(path):
        raise ValueError("it is a directory")
    if path.suffix.lower() not in (".html", *TABLES, *TEXTS, *PICTURES):
        raise ValueError(
            "end its name in .html for a report, .csv, .parquet or .json for the table, .md or .tex for text to paste, "
            ".png, .svg or .pdf for the plot"
        )
    if not os.path.isdir(path.parent):
        raise ValueError("its directory does not exist")


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as error:
        raise ValueError(f"no file can be called so ({error.strerror})") from None


def _place(hint: object, path: Path | None) -> None:
    """Refuse what is neither a directory nor a page."""
    if path is None or _is_directory(path):
        return
    if path.suffix.lower() == ".html":
        _writable(hint, path)
    elif path.suffix.lower() in (*TABLES, *TEXTS, *PICTURES):
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
        Write a report (.html), the table (.csv, .parquet, .json), text (.md, .tex) or the plot (.png, .svg, .pdf).
    quiet
        Say nothing on stderr but errors.
    keep_formulas
        In a .csv file, leave text that a spreadsheet would take for a formula as it is.
    """

    json: Annotated[bool, Parameter(show_default=False)] = False
    output: Annotated[Path | None, Parameter(name=["--output", "-o"], validator=_writable, **FILE)] = None
    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"], show_default=False)] = False
    keep_formulas: Annotated[bool, Parameter(show_default=False)] = False


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
        tell(line)


def working(what: str, options: OutputOptions) -> AbstractContextManager[object]:
    """Show on a terminal that work is going on, and what; say nothing elsewhere."""
    if options.quiet or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.text import Text

    return Console(stderr=True).status(Text(printable(what, 60)))


def show(result: "Result", options: OutputOptions) -> int:
    """Write the file that was asked for, then print text for people or JSON for scripts.

    Returns 0, or 2 if stdout could not take the answer.
    """
    for line in (*result.load_report, "") if result.load_report else ():
        say(line, options)
    if options.output is not None:
        write(result, options.output, keep_formulas=options.keep_formulas)
    if options.json:
        plain = "utf" not in (sys.stdout.encoding or "").lower()
        printed = put(to_json(result, plain=plain))
    else:
        printed = put(str(result))
        if options.output is not None:
            say("", options)
            say(f"written: {options.output}", options)
    return 0 if printed else 2


def to_json(result: "Result", *, plain: bool = False, indent: int | None = None) -> str:
    """Write a result as JSON, in which characters nobody sees, or half of one, stand as their codes."""
    text = json.dumps(result.to_dict(), ensure_ascii=plain, indent=indent, allow_nan=False)
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def write(result: "Result", path: Path, *, keep_formulas: bool = False) -> None:
    """Write the report, table or plot, or nothing: a file appears only when it is complete."""
    check_output(path, result.inputs)
    with written_whole(path) as file:
        _write_as(result, file, path.suffix.lower(), keep_formulas)


def write_page(result: "Result", file: BinaryIO) -> None:
    """Write the report, which says by which command it was made."""
    from quorate.report import to_html

    page = to_html(result, shlex.join(["quorate", *COMMAND.get()]))
    file.write(page.encode(errors="backslashreplace"))


def _write_as(result: "Result", file: BinaryIO, suffix: str, keep_formulas: bool) -> None:
    if suffix == ".json":
        file.write(f"{to_json(result, indent=2)}\n".encode())
    elif suffix == ".html":
        write_page(result, file)
    elif suffix in TEXTS:
        text = result.to_markdown() if suffix == ".md" else result.to_latex()
        file.write(f"{text}\n".encode(errors="backslashreplace"))
    elif suffix in PICTURES:
        from quorate.report import to_image

        file.write(to_image(result, suffix[1:]))
    elif suffix == ".csv":
        write_csv(result.to_frame(), file, keep_formulas=keep_formulas)
    else:
        write_parquet(result.to_frame(), file)
