"""The app in a real browser, from an empty start to a downloaded report; what is wrong stands beside its field."""

import os
import shlex
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from quorate.app.server import Server
from quorate.app.service import guard_of, listen
from quorate.data.inputs import example_path

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="the browser tests need playwright: pip install '.[browser]'"
)
CHROMIUM = os.environ.get("QUORATE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path: apt-get install chromium")

TOKEN = "the-secret-of-tests"
SLOW = 60_000
ODD = "Who;Comment No;How bad?\n" + "".join(
    f"{who};c{i};{['fine', 'rude'][(i % 3 > 0) ^ ((i * 5 + j * 3) % 7 == 0)]}\n"
    for i in range(60)
    for j, who in enumerate("abc")
)
STICKS_OUT = """() => [...document.querySelectorAll('main *')].filter(each =>
    each.getBoundingClientRect().right > innerWidth + 1 && !each.closest('.scroll, pre, .plot')
    ).map(each => each.outerHTML)"""
DRAWN = "() => [...document.querySelectorAll('.plot')].every(place => place.dataset.drawn)"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The app on a free port of this machine, in a thread."""
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server = Server(max_upload=1 << 20, workers=1)
    config = uvicorn.Config(guard_of(server, "127.0.0.1", port, TOKEN), log_level="error", lifespan="off")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join(timeout=10)
    server.close()


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        opened = context.new_page()
        opened.set_default_timeout(SLOW)
        opened.goto(f"{address}/?token={TOKEN}")
        yield opened
        browser.close()


@pytest.fixture
def complaints(page: Any, address: str) -> Iterator[list[str]]:
    """What the browser complains about, and what is asked of others than us; there must be nothing."""
    heard: list[str] = []

    def asked(request: Any) -> None:
        heard.extend([] if request.url.startswith((address, "data:", "blob:")) else [request.url])

    def said(message: Any) -> None:
        heard.append(message.text)

    page.on("console", said)
    page.on("request", asked)
    yield heard
    page.remove_listener("console", said)
    page.remove_listener("request", asked)
    assert heard == []


def answered(page: Any) -> None:
    page.locator("#answer[data-state=done][aria-busy=false]").wait_for()
    end = time.monotonic() + 30
    while not page.evaluate(DRAWN) and time.monotonic() < end:
        time.sleep(0.05)


def fits(page: Any) -> None:
    """Wide and narrow, light and dark, nothing sticks out."""
    for width, scheme in ((1280, "dark"), (390, "light")):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(STICKS_OUT) == []
    page.set_viewport_size({"width": 1280, "height": 900})


def report(page: Any) -> str:
    """Download the report, and return what is in it."""
    with page.expect_download() as download:
        page.get_by_role("link", name="Report").click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def copied(page: Any) -> list[str]:
    page.get_by_role("button", name="Copy command").click()
    page.get_by_text("Copied.").wait_for()
    return shlex.split(page.evaluate("navigator.clipboard.readText()"))


def test_a_file_with_odd_columns_becomes_a_plan_and_a_report(
    page: Any, address: str, complaints: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "what they said.csv"
    file.write_text(ODD)
    page.goto(f"{address}/")
    fits(page)
    page.locator("#drop-file").set_input_files(file)
    page.wait_for_url("**/data?*")
    page.get_by_text("has no item").first.wait_for()
    for label, column in (("Item column", "Comment No"), ("Rater column", "Who"), ("Response column", "How bad?")):
        page.get_by_label(label).select_option(column)
        page.wait_for_url(f"**{label.lower().replace(' ', '_')}=*")
    page.get_by_text("180 responses on 60 items by 3 raters").wait_for()
    fits(page)
    page.get_by_role("link", name="Plan a study like this").click()
    answered(page)
    before = page.locator(".headline").inner_text()
    page.get_by_label("Difference that must be seen, slider").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**difference=0.06*")
    page.locator(".facts dd", has_text="0.060").wait_for()
    answered(page)
    after = page.locator(".headline").inner_text()
    assert after != before
    fits(page)
    assert copied(page)[:4] == ["quorate", "plan", "--from", "what they said.csv"]
    assert after in report(page)
    page.reload()
    answered(page)
    assert page.locator(".headline").inner_text() == after


CHOOSES_WHILE_WAITING = """async ([first, second]) => {
    const fetched = window.fetch, choose = ([id, value]) => {
        document.getElementById(id).value = value;
        document.getElementById(id).dispatchEvent(new Event('change', { bubbles: true }));
    };
    let asked, answer;
    const sent = new Promise(done => { asked = done; }), held = new Promise(done => { answer = done; });
    window.fetch = async (...words) => { const news = await fetched(...words); asked(); await held; return news; };
    choose(first);
    await sent;
    choose(second);
    answer();
}"""


def test_an_answer_that_comes_late_does_not_undo_a_choice(page: Any, address: str, tmp_path: Path) -> None:
    file = tmp_path / "late.csv"
    file.write_text(ODD)
    page.goto(f"{address}/")
    page.locator("#drop-file").set_input_files(file)
    page.wait_for_url("**/data?*")
    page.get_by_text("has no item").first.wait_for()
    page.evaluate(CHOOSES_WHILE_WAITING, [["f-item_column", "Comment No"], ["f-rater_column", "Who"]])
    page.wait_for_url("**rater_column=Who*")
    page.get_by_label("Response column").select_option("How bad?")
    page.get_by_text("180 responses on 60 items by 3 raters").wait_for()


def test_two_files_are_compared(page: Any, address: str, complaints: list[str]) -> None:
    page.goto(f"{address}/compare")
    for field, name in (("ratings", "support"), ("answers", "support-answers")):
        page.locator(f"[data-upload={field}]").set_input_files(example_path(name))
        page.locator(f"#f-{field} option:checked", has_text=f"{name}.csv").wait_for(state="attached")
    page.get_by_role("button", name="Compare").click()
    answered(page)
    fits(page)
    assert page.locator(".headline").inner_text() == "atlas is better than birch"
    assert copied(page) == ["quorate", "compare", "support.csv", "support-answers.csv"]
    assert "atlas is better than birch" in report(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Figure").click()
    assert Path(download.value.path()).read_text(encoding="utf-8").startswith("<svg")


def test_votes_experts_and_scores_become_an_estimate(page: Any, address: str, complaints: list[str]) -> None:
    page.goto(f"{address}/estimate")
    for field, name in (("votes", "moderation"), ("experts", "moderation-experts"), ("scores", "moderation-scores")):
        page.locator(f"[data-upload={field}]").set_input_files(example_path(name))
        page.locator(f"#f-{field} option:checked", has_text=f"{name}.csv").wait_for(state="attached")
    page.get_by_label("Metric", exact=True).fill("auc")
    page.keyboard.press("Enter")
    answered(page)
    fits(page)
    assert page.locator(".headline").inner_text().startswith("AUC 0.8")
    assert "28 more expert labels" in page.locator(".rest").inner_text()
    assert "AUC 0.8" in report(page)


def test_a_wrong_file_is_said_beside_its_field(page: Any, address: str, tmp_path: Path) -> None:
    file = tmp_path / "minutes.csv"
    file.write_text("Dear all\nplease find attached\n")
    page.goto(f"{address}/describe")
    page.locator("[data-upload=ratings]").set_input_files(file)
    problem = page.locator(".field .problem", has_text="minutes.csv")
    problem.wait_for()
    assert "--item-column" in problem.inner_text()
    large = tmp_path / "large.csv"
    large.write_bytes(b"x" * ((1 << 20) + 1))
    page.locator("[data-upload=ratings]").set_input_files(large)
    page.locator("#problem-ratings", has_text="larger than 1 MB").wait_for()


def test_other_sites_cannot_frame_it(page: Any, address: str, tmp_path: Path) -> None:
    """A page of another site that frames the app sees nothing of it, and cannot send it a form."""
    evil = tmp_path / "evil.html"
    evil.write_text(
        f"<iframe src='{address}/' id='f'></iframe><form action='{address}/files' method='post' enctype='text/plain'>"
        "<input name='x' value='y'></form>"
    )
    other = page.context.new_page()
    other.goto(evil.as_uri())
    assert "enough items" not in other.frames[-1].content()
    other.evaluate("document.forms[0].submit()")
    other.get_by_text("This page is private").wait_for()
    other.close()
