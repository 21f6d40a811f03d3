"""The reference that is made from the code names every command, option and source."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

from quorate._question import QUESTIONS
from quorate.cli import BESIDE

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the pages come with the repository")


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    pytest.importorskip("mkdocs", reason="the pages are built with mkdocs: make docs")
    return importlib.import_module("hooks")


def test_every_command_has_its_part(hooks: ModuleType) -> None:
    parts = re.findall(r"^## quorate (\w+)$", hooks.commands(), re.MULTILINE)
    assert sorted(parts) == sorted([*QUESTIONS, *BESIDE])


def test_options_and_examples_are_there(hooks: ModuleType) -> None:
    text = hooks.commands()
    assert "`--difference FLOAT`" in text
    assert "```sh\nquorate describe ratings.csv\n" in text


def test_every_source_is_listed(hooks: ModuleType) -> None:
    bibliography = (ROOT / "docs" / "references.bib").read_text()
    keys = re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE)
    text = hooks.sources(bibliography)
    assert [key for key in keys if f"**[{key}]**" not in text] == []
    assert "[nobody2000]" not in text
