"""Plots become pictures in a real browser."""

import shutil

import pytest

import quorate
from quorate.report import to_image


def test_a_plot_becomes_a_picture() -> None:
    pytest.importorskip("kaleido", reason="pictures need kaleido: pip install '.[images]'")
    if shutil.which("chromium") is None and shutil.which("google-chrome") is None:
        pytest.skip("no chromium on the path: apt-get install chromium")
    found = quorate.describe("example:support")
    assert to_image(found, "png").startswith(b"\x89PNG")
    assert b"<svg" in to_image(found, "svg")[:200]
