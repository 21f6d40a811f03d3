"""The rules of the house, read from the source: which room may import which, and how things are called.

Each rule names what breaks it; small houses that break one rule each show that it would.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from quorate._question import QUESTIONS, ROOMS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "quorate"
FLOW = (
    {"data"},
    {"agreement"},
    {"metrics"},
    {"populations"},
    {"inference"},
    {"results"},
    {"converting", "describing", "fitting", "simulating", "comparing", "planning", "estimating", "auditing"},
    {"reproducing"},
    {"report"},
    {"cli"},
    {"app"},
)
"""Rooms from the foundations up; those that stand side by side never import each other."""
LONGEST = 60
"""Lines of a function, without signature and docstring."""

Tree = Mapping[str, ast.Module]
"""Parsed files by their path, without the suffix."""

pytestmark = pytest.mark.skipif(not SOURCE.exists(), reason="the rules are read from the repository")


def texts(folder: Path) -> dict[str, str]:
    """The files of a folder by their path, without the suffix."""
    return {path.relative_to(folder).with_suffix("").as_posix(): path.read_text() for path in folder.rglob("*.py")}


@cache
def parsed(folder: Path, word: str = "") -> Tree:
    """The files of a folder that hold a word."""
    return {path: ast.parse(text) for path, text in texts(folder).items() if word in text}


def tree(**files: str) -> Tree:
    """A house of a few files, for negative controls; two underscores stand for a slash."""
    return {name.replace("__", "/"): ast.parse(text) for name, text in files.items()}


@cache
def nodes(module: ast.Module) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(module))


def floor(path: str) -> int:
    """How high a file stands: 0 for the files below all rooms."""
    room, inside, _ = path.partition("/")
    return 0 if room.startswith("_") or not inside else next(n for n, rooms in enumerate(FLOW, 1) if room in rooms)


def imports(path: str, module: ast.Module) -> Iterator[str]:
    """Every file or room of the house that a file imports."""
    for node in nodes(module):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{each.name}" for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = path.split("/")[: -node.level]
            names = [".".join(["quorate", *home, *filter(None, [node.module]), each.name]) for each in node.names]
        else:
            continue
        yield from (name.removeprefix("quorate.").replace(".", "/") for name in names if name.startswith("quorate."))


def against_the_flow(house: Tree) -> set[str]:
    """Imports of a room above, or beside; only the front doors may import what they like."""
    broken = set()
    for path, module in house.items():
        room = path.partition("/")[0]
        for name in imports(path, module) if room not in ("__init__", "__main__") else ():
            there = name.partition("/")[0]
            if there != room and floor(name) >= max(floor(path), 1):
                broken.add(f"{path} imports {there}")
    return broken


def names_used_twice(house: Tree) -> set[str]:
    """Classes that share a name with another class."""
    homes = defaultdict(list)
    for path, module in house.items():
        for node in nodes(module):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path)
    return {name for name, paths in homes.items() if len(paths) > 1}


def called_like_a_verb(house: Tree) -> set[str]:
    """Files and rooms that would hide a function of the public interface."""
    return {path for path in house if set(path.split("/")) & set(ROOMS)}


def without_a_counterpart(tests: Iterable[str], house: Iterable[str]) -> set[str]:
    """Unit tests that belong to no file of the source: test_<module>.py or test_<module>_<aspect>.py."""
    modules = {path.lstrip("_") for path in house}
    return {path for path in tests if "test_" in path and not any(_tests(path, module) for module in modules)}


def _tests(path: str, module: str) -> bool:
    tested = f"/{path}".replace("/test_", "/")[1:]
    return tested == module or (tested.startswith(f"{module}_") and "/" not in tested.removeprefix(module))


def duck_tests(house: Tree) -> set[str]:
    """Files that ask whether something has an attribute; a property is a field, a protocol says what there is."""
    return {
        path
        for path, module in house.items()
        for node in nodes(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hasattr"
    }


def patched(tests: Tree) -> set[str]:
    """Tests that replace something of quorate while it runs: what they need to choose should be an argument."""
    return {path for path, module in tests.items() for node in nodes(module) if _patches(node, module)}


def _patches(node: ast.AST, module: ast.Module) -> bool:
    if not (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("setattr", "delattr")
    ):
        return False
    target = node.args[0]
    if isinstance(target, ast.Constant):
        return str(target.value).startswith("quorate")
    while isinstance(target, ast.Attribute):
        target = target.value
    return isinstance(target, ast.Name) and target.id in _ours(module)


def _ours(module: ast.Module) -> set[str]:
    """The names a file has from quorate, or from other tests."""
    return {
        each.asname or each.name.partition(".")[0]
        for node in nodes(module)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for each in node.names
        if (each.name if isinstance(node, ast.Import) else node.module or "").partition(".")[0] in ("quorate", "tests")
    }


def too_long(house: Tree) -> set[str]:
    """Functions nobody can read at one glance."""
    return {
        f"{path}.{node.name}"
        for path, module in house.items()
        for node in nodes(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _length(node) > LONGEST
    }


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_imports_follow_the_flow() -> None:
    assert against_the_flow(parsed(SOURCE)) == set()


def test_no_two_classes_share_a_name() -> None:
    assert names_used_twice(parsed(SOURCE)) == set()


def test_no_file_is_called_like_a_verb() -> None:
    assert called_like_a_verb(parsed(SOURCE)) == set()


def test_unit_tests_mirror_the_source() -> None:
    assert without_a_counterpart(texts(ROOT / "tests" / "unit"), texts(SOURCE)) == set()


def test_nothing_is_asked_for_its_attributes() -> None:
    assert duck_tests(parsed(SOURCE)) == set()


def test_no_type_is_ignored() -> None:
    mark = "type: " + "ignore"
    assert {
        f"{folder}/{path}"
        for folder in ("src", "tests", "benchmarks", "examples")
        for path, text in texts(ROOT / folder).items()
        if mark in text
    } == set()


def test_no_test_changes_quorate_while_it_runs() -> None:
    assert patched(parsed(ROOT / "tests", "setattr(")) == set()


def test_no_function_is_too_long() -> None:
    assert too_long(parsed(SOURCE)) == set()


def test_help_imports_nothing_heavy() -> None:
    """Help answers at once, so the commands and their questions import no arrays, no tables and no plots."""
    code = f"""
import sys
from quorate.cli import main
for words in [[], *([verb] for verb in {list(QUESTIONS)})]:
    try:
        main([*words, "--help"])
    except SystemExit as end:
        assert end.code == 0
print(sorted({{"numpy", "polars", "scipy", "plotly", "narwhals", "jinja2", "joblib"}} & set(sys.modules)))
"""
    run = [sys.executable, "-c", code]
    done = subprocess.run(
        run, capture_output=True, text=True, timeout=600, check=True, env={"PYTHONPATH": str(SOURCE.parent)}
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_listing_imports_no_reader_and_nothing_it_does_not_print() -> None:
    """`quorate --help` costs what it did before logs of other tools were read; the verbs themselves need more."""
    code = """
import sys
from quorate.__main__ import main
sys.argv = ["quorate", *sys.argv[1:]]
try:
    main()
finally:
    names = ("subprocess", "shutil", "importlib.resources", "cyclopts.completion", "quorate.data")
    print([name for name in names if name in sys.modules])
"""
    said = []
    for words in (["--help"], ["describe", "example:support", "--quiet"]):
        run, env = [sys.executable, "-c", code, *words], {"PYTHONPATH": str(SOURCE.parent)}
        done = subprocess.run(run, capture_output=True, text=True, timeout=600, check=True, env=env)
        said.append(done.stdout.splitlines()[-1])
    assert said[0] == "[]"
    assert "quorate.data" in said[1]  # a control


def test_every_file_of_the_walk_through_the_house_exists() -> None:
    named = re.findall(r"`([a-z_*/]+(?:\.(?:py|toml|sh)|/))`", (ROOT / "docs" / "design.md").read_text())
    assert len(named) > 80
    assert [
        each
        for each in named
        if not any(next(folder.glob(f"{way}{each}"), None) for folder, way in ((SOURCE, "**/"), (ROOT, "")))
    ] == []


def test_what_breaks_a_rule_would_be_seen() -> None:
    """Negative control: small houses, each of which breaks one rule, beside one that does not."""
    assert against_the_flow(tree(data__a="from quorate.metrics import x")) == {"data/a imports metrics"}
    assert against_the_flow(tree(planning__a="import quorate.fitting.b")) == {"planning/a imports fitting"}
    assert against_the_flow(tree(planning__laws__a="from ...cli import x")) == {"planning/laws/a imports cli"}
    assert against_the_flow(tree(_text="from quorate.data.b import x")) == {"_text imports data"}
    assert against_the_flow(tree(planning__a="from quorate.planning.b import x\nfrom quorate import _text")) == set()
    assert names_used_twice(tree(a="class A: ...", b="def f():\n  class A: ...")) == {"A"}
    assert called_like_a_verb(tree(cli__plan="", cli__planning="", audit__a="", planning__sweep="")) == {
        *("cli/plan", "audit/a", "planning/sweep")
    }
    assert without_a_counterpart(["data/test_a_b", "test_b", "test_a"], ["data/a", "_b"]) == {"test_a"}
    assert duck_tests(tree(a="hasattr(x, 'name')", b="x.name")) == {"a"}
    assert patched(
        tree(a="from quorate.data import b\nm.setattr(b.c, 'D', 0)", b="import sys\nm.setattr(sys, 'x', 0)")
    ) == {"a"}
    assert patched(tree(a="m.setattr('quorate.data.B', 0)")) == {"a"}
    body = "\n  f()" * LONGEST
    assert too_long(tree(a=f"def long():\n  'Doc'{body}\n  f()\ndef short():\n  '''A\n\n  B'''{body}")) == {"a.long"}


def test_a_command_loads_no_compiler_unless_somebody_calls_it() -> None:
    code = """
import sys
import quorate.__main__ as entry
try:
    entry.main()
except SystemExit as end:
    assert end.code == 0
import numpy
assert "scipy.special" in sys.modules
print("numpy.f2py.f2py2e" in sys.modules, numpy.f2py.get_include()[-3:], "numpy.f2py.f2py2e" in sys.modules)
"""
    run = [sys.executable, "-c", code, "plan", "--preset", "dices", "--difference", "0.05", "--quiet"]
    done = subprocess.run(
        run, capture_output=True, text=True, timeout=600, check=True, env={"PYTHONPATH": str(SOURCE.parent)}
    )
    assert done.stdout.splitlines()[-1] == "False src True"
