"""The built pages, opened from a folder: search finds a page, and its link leads there."""

import os
import shutil
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
SITE = Path(__file__).parents[2] / "site"
CHROMIUM = os.environ.get("QUORATE_CHROMIUM") or shutil.which("chromium")

pytestmark = [
    pytest.mark.skipif(not (SITE / "search" / "folder_index.js").exists(), reason="the pages are not built: make docs"),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is on the path; QUORATE_CHROMIUM names another"),
]


def test_search_works_from_a_folder_and_nothing_comes_from_elsewhere() -> None:
    asked: list[str] = []
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((SITE / "index.html").as_uri())
        page.fill(".folder-search input", "krippendorff alpha")
        page.wait_for_selector(".folder-search li")
        page.locator(".folder-search a").first.click()
        page.wait_for_load_state()
        text = page.inner_text("body").lower()
        browser.close()
    assert "krippendorff" in text
    assert all(url.startswith(("file:", "data:")) for url in asked)
