"""The reference that is made from the code names every command, option and source."""

import importlib.util
import re
from pathlib import Path

import pytest

from quorate.results.questions import QUESTIONS

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the pages come with the repository")


@pytest.fixture(scope="module")
def hooks():
    pytest.importorskip("mkdocs", reason="the pages are built with mkdocs: make docs")
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "tools" / "hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_command_has_its_part(hooks):
    parts = re.findall(r"^## quorate (\w+)$", hooks.commands(), re.MULTILINE)
    assert sorted(parts) == sorted(QUESTIONS)


def test_options_and_examples_are_there(hooks):
    text = hooks.commands()
    assert "`--difference FLOAT`" in text
    assert "```sh\nquorate describe ratings.csv\n" in text


def test_every_source_is_listed(hooks):
    bibliography = (ROOT / "docs" / "references.bib").read_text()
    keys = re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE)
    text = hooks.sources(bibliography)
    assert [key for key in keys if f"**[{key}]**" not in text] == []
    assert "[nobody2000]" not in text
