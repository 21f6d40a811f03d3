"""What it costs to start: `quorate --help` beside starting Python."""

import sys
from pathlib import Path

from benchmarks import QUORATE, Case

__all__ = ["cases"]

PYTHON = (sys.executable, "-c", "pass")


def cases(folder: Path) -> list[Case]:
    starts = {"--help": ("--help",), "describe --help": ("describe", "--help"), "--version": ("--version",)}
    return [
        Case("start", f"quorate {name}", (*QUORATE, *words), PYTHON, most_extra_seconds=0.4, repeats=5)
        for name, words in starts.items()
    ]
