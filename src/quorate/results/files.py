"""The guard over inputs: no file that was read is ever written over."""

from collections.abc import Sequence
from pathlib import Path

from quorate._errors import InputError


def check_output(path: Path | None, inputs: Sequence[str], flag: str = "-o") -> None:
    """Refuse to write over a file that is read, be it relative, linked or standard input."""
    if path is None or not path.exists():
        return
    for name in inputs:
        if _same_file(path, name):
            raise InputError(f"Cannot write {path}: it is an input and stays as it is; name another with {flag}.")


def _same_file(path: Path, name: str) -> bool:
    if name.startswith("example:"):
        from quorate.data.inputs import example_path

        return path.samefile(example_path(name.removeprefix("example:")))
    try:
        return path.samefile("/dev/stdin" if name == "-" else name)
    except OSError:  # it is not there, and so is not written over
        return False
