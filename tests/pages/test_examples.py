"""The notebooks run from top to bottom, and what they show is what comes out."""

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the examples come with the repository")
NAMES = ["compare", "describe", "estimate", "fit-and-audit", "plan", "preferences"]


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    return importlib.import_module("examples.run_notebooks")


def test_all_notebooks_are_tested(runner: ModuleType) -> None:
    assert [path.stem for path in runner.notebooks()] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_notebook_shows_what_comes_out(name: str, runner: ModuleType) -> None:
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    for number, (cell, (printed, value)) in enumerate(zip(code, runner.run(cells), strict=True), start=1):
        assert cell["execution_count"] == number
        assert text(cell["outputs"], "stream") == printed
        if hasattr(value, "to_plotly_json"):
            assert cell["outputs"][-1]["data"]["image/png"].startswith("iVBOR")
        elif value is not None:
            assert text(cell["outputs"], "execute_result") == str(value)


def text(outputs: list[dict[str, Any]], kind: str) -> str:
    found = [each for each in outputs if each["output_type"] == kind]
    return "".join(line for each in found for line in each.get("text") or each["data"]["text/plain"])


def test_a_changed_output_would_be_seen(runner: ModuleType) -> None:
    """Negative control: a cell whose output was not kept differs from what comes out."""
    (printed, value), *_ = runner.run([{"cell_type": "code", "source": ["print(1 + 1)\n", "3"]}])
    assert (printed, value) == ("2\n", 3)
    assert text([{"output_type": "stream", "text": ["3\n"]}], "stream") != printed
