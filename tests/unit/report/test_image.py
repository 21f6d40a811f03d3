"""Plots as files: PNG and SVG where a browser is found, one clear sentence where it is not."""

import shutil
import sys
from pathlib import Path

import pytest

import quorate
from quorate.report import to_image
from tests.run import Run


def test_a_plot_becomes_a_picture() -> None:
    pytest.importorskip("kaleido", reason="pictures need kaleido: pip install '.[images]'")
    if shutil.which("chromium") is None and shutil.which("google-chrome") is None:
        pytest.skip("no chromium on the path: apt-get install chromium")
    found = quorate.describe("example:support")
    assert to_image(found, "png").startswith(b"\x89PNG")
    assert b"<svg" in to_image(found, "svg")[:200]


def test_without_kaleido_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kaleido", None)
    with pytest.raises(quorate.InputError, match=r"quorate\[images\]"):
        to_image(quorate.describe("example:support"), "png")


@pytest.mark.parametrize(
    ("name", "words"), [("out.gif", [".html", ".png"]), ("no/out.html", ["directory does not exist"])]
)
def test_a_file_that_cannot_be_written_is_refused_first(
    quorate: Run, tmp_path: Path, name: str, words: list[str]
) -> None:
    done = quorate("describe", "example:support", "-o", name, cwd=tmp_path)
    assert done.returncode == 2
    assert all(word in done.stderr for word in words)
    assert list(tmp_path.iterdir()) == []


def test_what_has_no_plot_says_so_and_writes_nothing(quorate: Run, tmp_path: Path) -> None:
    done = quorate("presets", "-o", "presets.png", cwd=tmp_path)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert "no plot" in done.stderr
