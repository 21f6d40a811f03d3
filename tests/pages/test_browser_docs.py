"""The built pages, opened from a folder: search, light and dark, and the planning page."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import quorate

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
SITE = Path(__file__).parents[2] / "site"
CHROMIUM = os.environ.get("QUORATE_CHROMIUM") or shutil.which("chromium")

pytestmark = [
    pytest.mark.skipif(not (SITE / "search" / "folder_index.js").exists(), reason="the pages are not built: make docs"),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is on the path; QUORATE_CHROMIUM names another"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as engine:
        opened = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


def opened(browser: Any, **look: Any) -> Any:
    """A page that waits as long as a busy machine needs."""
    page = browser.new_page(**look)
    page.set_default_timeout(240_000)
    return page


def test_search_works_from_a_folder_and_nothing_comes_from_elsewhere(browser: Any) -> None:
    asked: list[str] = []
    page = opened(browser)
    page.on("request", lambda request: asked.append(request.url))
    page.goto((SITE / "index.html").as_uri())
    page.fill(".folder-search input", "krippendorff alpha")
    page.wait_for_selector(".folder-search li")
    page.locator(".folder-search a").first.click()
    page.wait_for_load_state()
    assert "krippendorff" in page.inner_text("body").lower()
    assert all(url.startswith(("file:", "data:")) for url in asked)
    assert page.locator("input[placeholder=Search]:visible").count() == 1
    page.close()


def test_pages_follow_the_readers_screen(browser: Any) -> None:
    page = opened(browser)
    for scheme, name in (("light", "default"), ("dark", "slate"), ("light", "default")):
        page.emulate_media(color_scheme=scheme)
        page.goto((SITE / "how-to" / "plan.html").as_uri())
        page.locator(f"body[data-md-color-scheme={name}]").wait_for()
    page.emulate_media(color_scheme="dark")  # without another visit
    page.locator("body[data-md-color-scheme=slate]").wait_for()
    page.close()


def test_no_option_is_broken_at_its_hyphens_on_a_phone(browser: Any) -> None:
    page = opened(browser, viewport={"width": 390, "height": 900})
    for name in ("how-to/plan", "planner"):
        page.goto((SITE / f"{name}.html").as_uri())
        page.locator(".whole").first.wait_for()
        options = page.locator(".whole").evaluate_all("all => all.map(e => [e.textContent, e.getClientRects().length])")
        assert any(text.startswith("--") for text, _ in options)
        assert {lines for _, lines in options} == {1}
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_the_planning_page_answers_as_it_is_filled_in(browser: Any) -> None:
    wrong: list[str] = []
    page = opened(browser, viewport={"width": 390, "height": 900})
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((SITE / "planner.html").as_uri())
    said = page.locator("#planner-answer")
    said.get_by_text(quorate.plan(preset="dices", difference=0.05, item_price=2).sentence().head).wait_for()
    page.select_option("[name=preset]", "variance")
    page.fill("[name=var-rest]", "0.3")
    parts = {"item": 0.04, "rater": 0.01, "rest": 0.3}
    planned = quorate.plan(variance=parts, difference=0.05, item_price=2)
    said.get_by_text(planned.sentence().head).wait_for()
    command = said.locator("pre").inner_text()
    assert command == "quorate plan --variance item=0.04,rater=0.01,rest=0.3 --difference 0.05 --item-price 2"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    table = page.locator(".planner-table")  # cost and power stand there without scrolling
    assert table.evaluate("each => each.scrollWidth <= each.clientWidth")
    page.fill("[name=item-price]", "-1")
    said.get_by_text("Prices must not be negative").wait_for()
    assert wrong == []
    page.close()
