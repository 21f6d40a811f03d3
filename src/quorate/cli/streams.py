"""Standard input, output and error, any of which may be closed, full, or read by nobody."""

import os
import re
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO

from quorate._text import printable

COMMAND_LINE = re.compile(r"^([^\S\n]*)::", re.MULTILINE)
"""A line GitHub takes for a command to the workflow."""


def open_streams() -> None:
    """Give every standard stream that is closed to the null device, so that no file takes its number.

    A terminal that is not UTF-8 shows a question mark, not an error.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def tell(line: str) -> None:
    """Say a line on stderr, made safe for a terminal; nobody need listen."""
    indent = line[: len(line) - len(line.lstrip(" "))]
    with suppress(OSError, ValueError):
        print(_inert(indent + printable(line)), file=sys.stderr, flush=True)


def tell_workflow(line: str) -> None:
    """Say a line that is a command to the workflow of GitHub."""
    with suppress(OSError, ValueError):
        print(printable(line), file=sys.stderr, flush=True)


def _inert(text: str) -> str:
    """Take from names in a file the power to command a workflow of GitHub; JSON stays what it says."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return text
    return COMMAND_LINE.sub(r"\1: :", text.replace("##[", "##\\u005b"))


def put(text: str) -> bool:
    """Print the answer; False if it could not be kept, as on a full disk.

    A reader who went away, as `| head` does, has seen enough.
    """
    try:
        print(_inert(text), flush=True)
    except BrokenPipeError:
        pass
    except OSError as error:
        tell(f"quorate: The answer cannot be printed ({error.strerror}); free some space, or write it with -o FILE.")
        return False
    return True


def settle() -> None:
    """Drop what a stream cannot take, so that leaving the program does not change its exit code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            _drop(stream)


def _drop(stream: TextIO) -> None:
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
