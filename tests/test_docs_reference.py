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


def test_a_usage_names_its_command_once(hooks: ModuleType) -> None:
    text = hooks.commands()
    assert "quorate plan [RATINGS [ANSWERS]] [OPTIONS]" in text
    assert re.findall(r"^quorate (\w+) \1\b", text, re.MULTILINE) == []


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ('<span title="x">option</span>(None, cli=<span>str</span>)', ", default: <code>None</code>"),
        ("option(('auto',), parse=words)", ", default: <code>('auto',)</code>"),
        ("option(&#39;auto&#39;)", ", default: <code>'auto'</code>"),
        ("<span>source</span>()", ""),
        ("source(None, flag=&#39;--from&#39;)", ", default: <code>None</code>"),
        ("sources()", ", default: <code>()</code>"),
        ("dict()", ", default: <code>dict()</code>"),
        ("0.95", ", default: <code>0.95</code>"),
    ],
)
def test_the_reference_of_python_shows_what_holds_if_nothing_is_said(
    declared: str, said: str, hooks: ModuleType
) -> None:
    assert hooks.on_page_content(f"(<code>Any</code>, default: <code>{declared}</code>)") == f"(<code>Any</code>{said})"


def test_every_source_is_listed(hooks: ModuleType) -> None:
    bibliography = (ROOT / "docs" / "references.bib").read_text()
    keys = re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE)
    text = hooks.sources(bibliography)
    assert [key for key in keys if f"**[{key}]**" not in text] == []
    assert "[nobody2000]" not in text
