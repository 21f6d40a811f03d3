"""What the package says of itself: floors that are tried, and a source archive that can be tested."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOWEST = ROOT / "constraints-lowest.txt"

pytestmark = pytest.mark.skipif(not LOWEST.exists(), reason="read from the repository")


def test_the_lowest_versions_are_those_that_are_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    floors = dict(each.split(">=") for each in project["dependencies"])
    tried = dict(line.split("==") for line in LOWEST.read_text().splitlines() if not line.startswith("#"))
    assert set(floors) == set(tried)
    for name, floor in floors.items():
        assert f"{tried[name]}.".startswith(f"{floor}."), name


def test_the_source_archive_holds_what_its_tests_need() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    held = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {"src", "tests", "conftest.py", "constraints.txt", "README.md", "docs", "examples"} <= set(held)
