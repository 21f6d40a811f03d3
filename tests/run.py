"""The command line as the tests run it."""

import subprocess
from collections.abc import Callable
from typing import TypeAlias

__all__ = ["Run"]

Run: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]
"""Takes the words after the program's name; the fixture `quorate` is one."""
