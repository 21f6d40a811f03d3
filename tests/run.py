"""The command line as the tests run it: a process for each command, forked from one that has everything imported.

A command then costs what it does, not half a second of imports. Starting from nothing is tested by itself.
"""

import importlib
import multiprocessing
import os
import pkgutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

__all__ = ["Run", "forked", "import_all", "ready_page", "ready_parser", "starter"]

Run: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]
"""Takes the words after the program's name; the fixture `quorate` is one."""
PIPE = 1 << 15
"""Bytes of standard input that surely fit into a pipe; more come from a file."""
PATIENCE = 600  # seconds


def import_all() -> None:
    """Import all of quorate, but start no thread: a fork would not have it."""
    import quorate

    for module in pkgutil.walk_packages(quorate.__path__, "quorate."):
        if not module.name.endswith(("nuts", "__main__")):
            importlib.import_module(module.name)
    ready_parser()
    ready_page()


def ready_parser() -> None:
    """Work out the options of every verb before the fork, which takes longer than to parse a command line.

    Words that were parsed stay in them, so each is used once; a second command line of a process works out its own.
    """
    from cyclopts import App

    from quorate._question import QUESTIONS
    from quorate.cli import make_app

    assemble, app = App.assemble_argument_collection, make_app(listing=False)
    ready = {app[verb].default_command: app[verb].assemble_argument_collection() for verb in QUESTIONS}

    def ready_or_new(self: App, **asked: Any) -> Any:
        made = None if asked else ready.pop(self.default_command, None)
        return assemble(self, **asked) if made is None else made

    patch.object(App, "assemble_argument_collection", ready_or_new).start()


def ready_page() -> None:
    """Draw one page before the fork: what draws is imported on the way, and plotly is packed once for all."""
    from quorate import plan
    from quorate.report import to_html

    to_html(plan(alpha=[1, 2], difference=0.1, items=400, raters=3))


def starter() -> ForkServerContext:
    """Return what forks commands from a process with everything imported."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.preloaded"])
    return context


def forked(
    start: ForkServerContext, words: Sequence[str], stdin: bytes, cwd: Path | None, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command in a fork, and return its exit code and what it wrote."""
    with tempfile.TemporaryDirectory(prefix="quorate-run-") as folder:
        (Path(folder) / "stdin").write_bytes(stdin)
        given = list(words), folder, str(cwd or Path.cwd()), stdin, dict(env)
        process = start.Process(target=_be_the_command, args=given)
        process.start()
        process.join(PATIENCE)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"quorate {' '.join(words)} took more than {PATIENCE} s")
        told = [(Path(folder) / name).read_bytes().decode() for name in ("stdout", "stderr")]
        return subprocess.CompletedProcess(["quorate", *words], process.exitcode, *told)


def _be_the_command(words: list[str], folder: str, cwd: str, stdin: bytes, env: dict[str, str]) -> None:
    code = 99
    try:
        os.environ |= {"COLUMNS": "200", "PYTHONPATH": str(Path(__file__).parents[1] / "src"), **env}
        _redirect(folder, stdin)
        os.chdir(cwd)
        sys.argv = ["quorate", *words]
        warnings.simplefilter("error")
        from quorate.cli import main

        try:
            main(words)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 98
        sys.stdout.flush()
    finally:
        os._exit(code)


def _redirect(folder: str, stdin: bytes) -> None:
    if len(stdin) <= PIPE:
        here, there = os.pipe()
        os.write(there, stdin)
        os.close(there)
    else:
        here = os.open(f"{folder}/stdin", os.O_RDONLY)
    opened = [here, *(os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT) for name in ("stdout", "stderr"))]
    for number, handle in enumerate(opened):
        os.dup2(handle, number)
        os.close(handle)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, encoding="utf-8", closefd=False) for number, mode in enumerate("rww")
    )
