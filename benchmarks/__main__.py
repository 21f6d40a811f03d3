"""`python -m benchmarks [NAME …]`: measure and print one table; exit 1 if a promise is broken."""

import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks import Case, Cost, measure
from quorate._text import number, table

HEADER = ("verb", "case", "ours s", "reference s", "ratio", "peak MiB", "promise")


def main(names: Sequence[str]) -> int:
    """Run the named files, or all, and return the exit code."""
    files = Path(__file__).parent.glob("[a-z]*.py")
    known = sorted(path.stem for path in files if "def cases(" in path.read_text())  # others gather evidence
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"there is no benchmark {unknown[0]}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="quorate-bench-") as folder:
        rows = [row for name in names or known for row in _rows_of(name, Path(folder))]
    print(table(rows, HEADER))
    return int(any("broken" in row[-1] for row in rows))


def _rows_of(name: str, folder: Path) -> list[list[str]]:
    rows = []
    for case in import_module(f"benchmarks.{name}").cases(folder):
        print(f"{case.verb}: {case.name} …", file=sys.stderr, flush=True)
        ours = measure(case.ours, case.repeats)
        reference = None if case.reference is None else measure(case.reference, case.repeats)
        rows.append(_row(case, ours, reference))
    return rows


def _row(case: Case, ours: Cost, reference: Cost | None) -> list[str]:
    plain = None if reference is None else reference.seconds
    return [
        case.verb,
        case.name,
        number(ours.seconds, 2),
        number(plain, 2),
        number(None if plain is None else ours.seconds / plain, 2),
        number(ours.mebibytes, 0),
        _promise(case, ours, plain),
    ]


def _promise(case: Case, ours: Cost, plain: float | None) -> str:
    """Say what was promised and whether it was kept."""
    promised = {
        "≤ {} s": (ours.seconds, case.most_seconds),
        "≤ {} s more": (ours.seconds - (plain or 0.0), case.most_extra_seconds),
        "≤ {} MiB": (ours.mebibytes, case.most_mebibytes),
    }
    said = [
        words.format(f"{limit:,g}") + (" kept" if value <= limit else " broken")
        for words, (value, limit) in promised.items()
        if limit is not None
    ]
    return ", ".join(said) or "–"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
