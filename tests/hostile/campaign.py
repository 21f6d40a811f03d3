"""Run hostile cases in forks of a process that has everything imported, and say what went wrong.

`python -m tests.hostile.campaign --seed 1 --cases 300` prints a line per finding and a summary.
"""

import argparse
import csv
import gc
import importlib
import io
import json
import os
import pickle
import random
import re
import resource
import select
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from signal import SIGKILL

from quorate._question import QUESTIONS
from quorate._text import printable
from tests.hostile.cases import Case, make_case
from tests.hostile.journals import damaged
from tests.hostile.places import lay
from tests.run import import_all

MOST_SECONDS, MOST_BYTES = 30.0, 2 << 30
PATIENCE = 20  # times as long may pass where others use the machine too
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066\u2067\ufff9]")
WRITTEN = (".html", ".md", ".tex", ".json", ".xml", ".csv")
TRACE = ("Traceback (most recent call last)", "panicked at", "Exception ignored", "Fatal Python error")
NAMED = re.compile(
    r"(?<!\w)--?[a-z]|There is no file|standard input|example:|"
    r"\.(csv|tsv|jsonl?|parquet|gz|toml|html|db|xlsx|eval|xml|md|txt)\b|'[^']*' is not a command|[A-Z]{5,} cannot be"
)


@dataclass(frozen=True)
class Finding:
    """Something a case did that none may."""

    number: int
    what: str
    words: str
    said: str


@dataclass(frozen=True)
class CaseEnd:
    """How a case ended."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    memory: int
    work: float  # seconds of processor time


LATE = re.compile(r"^ +(?:from|import) ([\w.]+)", re.MULTILINE)
"""An import within a function, or a line of words that looks like one, which then finds nothing."""
HEAVY = (
    "pandas",
    "choreographer",
    "duckdb",
    "pyarrow",
    "fastexcel",
    "dask",
    "distributed",
    "jax",
    "numpyro",
    "arviz",
    "kaleido",
    "pyspark",
    "playwright",
    "webbrowser",
    "uvicorn",
    "quorate.estimating.nuts",
)
"""What no case comes to, or what starts threads when it is imported."""


def preload() -> None:
    """Import all of quorate and what it imports when it is needed, but start no thread: a fork would not have it."""
    import_all()
    for name in sorted(
        {name for module in list(sys.modules) if module.startswith("quorate.") for name in _late_imports(module)}
    ):
        with suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # so that no case touches, and thereby copies, what all of them share


def _late_imports(module: str) -> Iterator[str]:
    """Give the modules that functions of a module import."""
    text = Path(sys.modules[module].__file__ or "").read_text()
    yield from (name for name in LATE.findall(text) if not name.startswith(HEAVY))


def run(case: Case, folder: Path) -> CaseEnd:
    """Run one case in a fork, in a folder of its own."""
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        _be_the_command(case, folder)
    code, usage = _wait(child, started)
    said = [(folder / name).read_bytes().decode(errors="replace") for name in (".stdout", ".stderr")]
    return CaseEnd(
        code, said[0], said[1], time.monotonic() - started, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime
    )


def _be_the_command(case: Case, folder: Path) -> None:
    code = 99
    try:
        gc.disable()  # a case is over before it is worth it
        os.setsid()
        os.chdir(folder)
        for number, name in enumerate((".stdin", ".stdout", ".stderr")):
            handle = os.open(name, os.O_RDWR | os.O_CREAT)
            os.dup2(handle, number)
            os.close(handle)
        os.environ |= {"QUORATE_CACHE": str(folder / ".cache"), "TMPDIR": str(folder / ".tmp"), **case.env}
        tempfile.tempdir = str(folder / ".tmp")
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (3 * int(MOST_SECONDS), 4 * int(MOST_SECONDS)))
        from quorate.cli import main

        try:
            main(case.words)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 98
        sys.stdout.flush()
    finally:
        os._exit(code)


def _wait(child: int, started: float) -> tuple[int, resource.struct_rusage]:
    handle = os.pidfd_open(child)
    left = PATIENCE * MOST_SECONDS - (time.monotonic() - started)
    if not select.select([handle], [], [], max(left, 0))[0]:
        os.killpg(child, SIGKILL)
    os.close(handle)
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), usage


def judge(number: int, case: Case, outcome: CaseEnd, folder: Path) -> Iterator[Finding]:
    """Say what a case did that none may."""
    allowed = {0, 1, 2, 3} if case.gated else {0, 2}
    said = outcome.stderr[-1500:]
    words = " ".join(map(repr, (word[:80] for word in case.words)))
    wrong = []
    if any(mark in outcome.stderr + outcome.stdout for mark in TRACE):
        wrong.append("trace")
    if outcome.code == 70:
        wrong.append(f"unexpected: {_last_trace(folder)}")
    elif outcome.code not in allowed:
        wrong.append(f"exit code {outcome.code}")
    if outcome.code == 2:
        wrong += _bad_refusal(outcome, case)
    if outcome.memory > MOST_BYTES:
        wrong.append(f"memory {outcome.memory / 2**30:.1f} GiB")
    if outcome.work > MOST_SECONDS:
        wrong.append("too long")
    if CONTROL.search(outcome.stdout + outcome.stderr):
        wrong.append("control characters")
    wrong += _bad_files(case, outcome, folder)
    if outcome.code in (0, 1, 3) and "--json" in case.words and outcome.stdout.strip() and case.words[0] in QUESTIONS:
        wrong += _bad_json(outcome.stdout)
    yield from (Finding(number, what, words, said) for what in wrong)


def _bad_refusal(outcome: CaseEnd, case: Case) -> list[str]:
    lines = [line for line in outcome.stderr.splitlines() if line.startswith("quorate: ")]
    if len(lines) != 1 or outcome.stderr.splitlines()[-1] != lines[0]:
        return ["refusal is not one line at the end"]
    named = NAMED.search(lines[0]) or any(printable(word) in lines[0] for word in case.words[1:])
    return [] if named else [f"refusal names nothing: {lines[0][:150]}"]


def _bad_files(case: Case, outcome: CaseEnd, folder: Path) -> list[str]:
    """Inputs must stay, and nothing half-written may."""
    wrong = [f"input {name!r} changed" for name, data in _inputs(case).items() if (folder / name).read_bytes() != data]
    there = (
        {path.name for path in folder.iterdir()}
        - {".stdin", ".stdout", ".stderr", ".cache", ".tmp", "odd.csv"}
        - {name.split("/")[0] for name in case.files}
    )
    if outcome.code == 2 and there - {"a"}:
        wrong.append(f"refused, but left {sorted(there)[:3]}")
    wrong += [f"left {name}" for name in there if name.startswith((".", "tmp"))]
    return wrong + [odd for name in sorted(there) for odd in _bad_outputs(folder / name, case)]


def _bad_outputs(path: Path, case: Case) -> Iterator[str]:
    """No file for people holds what a terminal, a browser or a spreadsheet would take for a command."""
    for file in [path] if path.is_file() else path.rglob("*"):
        if file.suffix not in WRITTEN or not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if file.suffix != ".csv" and (found := CONTROL.search(text)):
            yield f"{found[0]!r} in {file.name}"
        kept = "--keep-formulas" in case.words or file.name == "base.csv"  # a stored baseline, which is read again
        if file.suffix == ".csv" and not kept and any(map(_formula, _cells(text))):
            yield f"formula in {file.name}"


def _cells(text: str) -> Iterator[str]:
    return (cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row)


def _formula(cell: str) -> bool:
    """Tell whether a spreadsheet would run a cell; numbers it only reads."""
    try:
        float(cell)
    except ValueError:
        return cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    return False


def _inputs(case: Case) -> dict[str, bytes]:
    return {name: data for name, data in case.files.items() if name != "JOURNAL"}


def _bad_json(text: str) -> list[str]:
    try:
        json.loads(text, parse_constant=lambda word: 1 / 0)
    except (ValueError, ZeroDivisionError):
        return ["stdout is not JSON"]
    return []


def _last_trace(folder: Path) -> str:
    traces = sorted((folder / ".tmp").glob("quorate-error-*"))
    if not traces:
        return "no trace"
    lines = traces[-1].read_text(errors="replace").strip().splitlines()
    places = [line.strip() for line in lines if "/quorate/" in line and "File" in line]
    return f"{lines[-1][:160]} @ {places[-1].split('/quorate/')[-1] if places else '?'}"


@contextmanager
def made_cases(seed: int, numbers: list[int]) -> Iterator[Iterator[Case]]:
    """Make cases in a process of their own, where the threads that writing Parquet starts do no harm."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _make_cases(seed, numbers, writing, reading)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        yield (pickle.load(pipe) for _ in numbers)
    os.waitpid(child, 0)


def _make_cases(seed: int, numbers: list[int], writing: int, reading: int) -> None:
    try:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe, suppress(BrokenPipeError):
            for number in numbers:
                pipe.write(pickle.dumps(make_case(seed, number)))
                pipe.flush()
    except Exception:
        traceback.print_exc()  # the other end learns only that nothing more comes
    finally:
        os._exit(0)


def prepare(case: Case, folder: Path, journal: tuple[str, bytes]) -> None:
    """Lay out the files of a case."""
    for name in (".cache", ".tmp"):
        (folder / name).mkdir()
    for name, data in _inputs(case).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / ".stdin").write_bytes(case.stdin)
    lay(case.place, folder, next((name for name in _inputs(case)), ".stdin"))
    if "JOURNAL" in case.files:
        (folder / ".cache" / journal[0]).write_bytes(damaged(journal[1], random.Random(case.files["JOURNAL"])))


def good_journal(folder: Path) -> tuple[str, bytes]:
    """Return name and content of the journal that a run without accidents writes."""
    words = ["audit", "--preset", "dices", "--items", "8", "--raters", "2", "--replicates", "300"]
    folder.mkdir()
    prepare(Case(words), folder, ("", b""))
    outcome = run(Case(words), folder)
    assert outcome.code == 0, outcome
    (path,) = (folder / ".cache").iterdir()
    return path.name, path.read_bytes()


def campaign(
    seed: int, numbers: list[int], *, verbose: bool = False, slow: float = inf
) -> tuple[list[Finding], Counter[int], float, int]:
    """Run cases and return the findings, the exit codes, and the most processor time and memory."""
    home = Path(tempfile.mkdtemp(prefix="quorate-hostile-"))
    findings, codes, longest, most = [], Counter[int](), 0.0, 0
    try:
        with made_cases(seed, numbers) as cases:
            preload()
            journal = good_journal(home / "journal")
            for number, case in zip(numbers, cases, strict=True):
                folder = home / str(number)
                folder.mkdir()
                prepare(case, folder, journal)
                outcome = run(case, folder)
                found = list(judge(number, case, outcome, folder))
                findings += found
                codes[outcome.code] += 1
                longest, most = max(longest, outcome.work), max(most, outcome.memory)
                if verbose or outcome.work > slow:
                    _tell(number, case, outcome, folder)
                for each in found:
                    print(json.dumps(asdict(each)), flush=True)
                shutil.rmtree(folder)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return findings, codes, longest, most


def _tell(number: int, case: Case, outcome: CaseEnd, folder: Path) -> None:
    print(number, repr(outcome)[-200:], repr(case)[:300])
    print(*(path.read_text() for path in (folder / ".tmp").glob("quorate-error-*")))


def _work() -> float:
    """Return the processor seconds of this process and of all that it waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--slow", type=float, default=inf, help="also say which cases took so many seconds of work")
    given = parser.parse_args()
    numbers = list(range(given.first, given.first + given.cases))
    started = time.monotonic()
    findings, codes, longest, most = campaign(given.seed, numbers, verbose=given.verbose, slow=given.slow)
    print(
        f"{len(numbers)} cases in {time.monotonic() - started:.0f} s ({_work():.0f} s of work): "
        f"{len(findings)} findings; exit codes {dict(sorted(codes.items()))}; "
        f"most work {longest:.1f} s, most memory {most / 2**30:.2f} GiB"
    )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
