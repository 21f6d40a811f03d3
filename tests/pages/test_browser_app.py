"""The app in a real browser, from an empty start to a downloaded report; what is wrong stands beside its field."""

import hashlib
import io
import json
import multiprocessing
import os
import re
import shlex
import shutil
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from quorate.app.server import Server
from quorate.app.service import guard_of, listen
from quorate.cli import main
from quorate.data.inputs import example_path

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="the browser tests need playwright: pip install '.[browser]'"
)
CHROMIUM = os.environ.get("QUORATE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path: apt-get install chromium")

TOKEN = "the-secret-of-tests"
SLOW = 240_000
ODD = "Who;Comment No;How bad?\n" + "".join(
    f"{who};c{i};{['fine', 'rude'][(i % 3 > 0) ^ ((i * 5 + j * 3) % 7 == 0)]}\n"
    for i in range(60)
    for j, who in enumerate("abc")
)
RATED = "item,rater,system,score\n" + "".join(
    f"q{i},{rater},{system},{1 + (i * 7 + j * 3) % 4 + (system == 'new') * (i % 3 > 0)}\n"
    for i in range(40)
    for j, rater in enumerate("abcd")
    for system in ("new", "old")
)
LOGS = Path(__file__).parents[1] / "formats" / "data"
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
    page.wait_for_function(DRAWN)


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


def copied_python(page: Any) -> str:
    page.get_by_role("button", name="Copy Python").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('import quorate')")
    return str(page.evaluate("navigator.clipboard.readText()"))


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


def given(page: Any, field: str, file: Path) -> None:
    """Give a field a file, and see it chosen."""
    page.locator(f"[data-upload={field}]").set_input_files(file)
    page.locator(f"#f-{field} option:checked", has_text=file.name).wait_for(state="attached")


def letters(text: str) -> str:
    """A text without the marks between its words: a page sets the headline apart where a terminal has a colon."""
    return re.sub(r"\W", "", text).lower()


def says_what_its_command_prints(page: Any, files: Sequence[Path], folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Run the copied command where the files are, and compare what it says with the page and its report."""
    for file in files:
        if file.parent != folder:
            shutil.copy(file, folder / file.name)
    patch.chdir(folder)
    out = io.StringIO()
    with redirect_stdout(out), pytest.raises(SystemExit) as end:
        main([*copied(page)[1:], "--json"])
    assert end.value.code == 0
    printed = json.loads(out.getvalue())
    ran: dict[str, Any] = {}
    with redirect_stdout(io.StringIO()):
        exec(compile(copied_python(page), "copied", "exec"), ran)
    assert json.loads(json.dumps(ran["result"].to_dict())) == printed
    assert letters(page.locator(".verdict").inner_text()) == letters(printed["sentence"])
    shown = letters(page.locator("#answer").inner_text())
    assert all(letters(warning) in shown for warning in printed["warnings"])
    assert page.locator(".headline").inner_text() in report(page)


def test_two_logs_are_compared(
    page: Any, address: str, complaints: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.goto(f"{address}/")
    page.get_by_role("link", name="Is system A really better").click()
    logs = [LOGS / "new.eval", LOGS / "old.eval"]
    for field, log in zip(("ratings", "answers"), logs, strict=True):
        given(page, field, log)
    page.get_by_role("button", name="Compare", exact=True).click()
    page.locator("#problem-score", has_text="several scores: judge.grade, judge.tone, match").wait_for()
    page.locator("#f-score").fill("match")
    page.keyboard.press("Enter")
    answered(page)
    fits(page)
    assert page.locator(".headline").inner_text().startswith("mockllm/new scores 0.333 higher than mockllm/old (")
    says_what_its_command_prints(page, logs, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("name", "link", "button", "headline"),
    [
        ("preferences.csv", "Compare systems on it", "Compare", "atlas or birch"),
        ("rated.csv", "Compare systems on it", "Compare", "so new is better"),
        ("support.csv", "Describe these ratings", None, "120 items, 5 responses each, from 14 raters"),
    ],
)
def test_a_dropped_file_becomes_an_answer_and_a_report(
    name: str, link: str, button: str | None, headline: str,
    page: Any, address: str, complaints: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    file = tmp_path / name
    file.write_text(RATED if name == "rated.csv" else example_path(file.stem).read_text())
    page.goto(f"{address}/")
    page.locator("#drop-file").set_input_files(file)
    page.wait_for_url("**/data?*")
    page.get_by_role("link", name=link).click()
    if button is not None:
        page.get_by_role("button", name=button, exact=True).click()
    if name == "rated.csv":
        page.locator("#problem-rated_system", has_text="--rated-system system if outputs were rated").wait_for()
        page.locator("#f-rated_system").fill("system")
        page.keyboard.press("Enter")
    answered(page)
    fits(page)
    assert headline in page.locator(".headline").inner_text()
    says_what_its_command_prints(page, [file], tmp_path, monkeypatch)


def test_an_audit_is_filled_in_by_keys_alone(
    page: Any, address: str, complaints: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.goto(f"{address}/audit")
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.name ?? ''")
        seen.append(page.evaluate(SEEN_IN_FOCUS))
        if name == "preset":
            page.keyboard.type("dices")
        page.keyboard.type({"items": "40", "raters": "3", "replicates": "100"}.get(name, ""))
        if name == "replicates":
            break
    page.keyboard.press("Enter")
    answered(page)
    assert all(seen)
    says_what_its_command_prints(page, [], tmp_path, monkeypatch)


SEEN_IN_FOCUS = """() => {
    const place = document.activeElement.closest('.pick') ?? document.activeElement;
    return getComputedStyle(place).outlineStyle !== 'none';
}"""
NEEDS_A_NAME = ("button", "checkbox", "combobox", "link", "listbox", "progressbar", "region", "slider", "textbox")


@pytest.mark.parametrize(
    "screen",
    [
        "", "data?ratings=example:support", "plan?preset=dices&difference=0.05", "plan?preset=dices&difference=much",
        "compare?ratings=example:preferences&go=1", "estimate", "audit", "describe?ratings=example:support", "nowhere",
    ],
)  # fmt: skip
def test_a_screen_reader_finds_names_and_an_order(screen: str, page: Any, address: str) -> None:
    page.goto(f"{address}/{screen}")
    page.locator("#answer:not([data-state=waiting]):not([data-state=working])").or_(
        page.locator("body:not(:has(#answer))")
    ).first.wait_for()
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    shown = [node for node in nodes if not node["ignored"]]
    names = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in shown]
    assert [role for role, name in names if role in NEEDS_A_NAME and not name.strip()] == []
    levels = [
        each["value"]["value"]
        for node in shown if node["role"]["value"] == "heading"
        for each in node["properties"] if each["name"] == "level"
    ]  # fmt: skip
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.title().endswith("quorate")
    alerts = page.locator("[role=alert]:not(:empty)")
    assert alerts.count() == ("much" in screen)


def test_what_changed_is_said_in_one_line(page: Any, address: str) -> None:
    page.goto(f"{address}/plan?preset=dices&difference=0.05")
    answered(page)
    page.get_by_label("Price of an item", exact=True).fill("3")
    page.wait_for_url("**item_price=3*")
    answered(page)
    assert page.locator("#heard").inner_text() == page.locator(".headline").inner_text()
    assert page.locator("#answer [aria-live], #answer[aria-live]").count() == 0


DRAGS_UNTIL_IT_FOLLOWS = """async () => {
    const slider = document.querySelector('[data-slides=rating_price]');
    const said = () => document.querySelector('.headline').textContent;
    const before = said();
    for (let step = 0, end = Date.now() + 200000; said() === before && Date.now() < end; step += 1) {
        slider.value = 0.5 + 0.05 * (step % 80);
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise(done => setTimeout(done, 15));
    }
    return said() !== before;
}"""


def test_the_answer_follows_while_a_slider_is_dragged(page: Any, address: str) -> None:
    page.goto(f"{address}/plan?preset=dices&difference=0.05&item_price=2")
    answered(page)
    assert page.evaluate(DRAGS_UNTIL_IT_FOLLOWS)  # there is no pause in the dragging
    answered(page)
    assert f"rating_price={page.locator('#f-rating_price').input_value()}" in page.url


def test_a_page_prints_its_answer_alone(page: Any, address: str) -> None:
    page.goto(f"{address}/plan?preset=dices&difference=0.05&item_price=2")
    answered(page)
    page.emulate_media(media="print")
    for hidden in (".bar", "form.question", ".actions", ".screen-head"):
        assert not page.locator(hidden).is_visible()
    assert page.locator(".headline").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".method pre").inner_text() == "quorate plan --preset dices --difference 0.05 --item-price 2"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert not page.locator(".method pre").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


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
    assert page.locator(".headline").inner_text() == (
        "atlas scores 0.088 higher than birch (95 % interval 0.036 to 0.148), so atlas is better"
    )
    assert copied(page) == ["quorate", "compare", "support.csv", "support-answers.csv"]
    assert "so atlas is better" in report(page)
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


DROPS = """files => {
    const data = new DataTransfer();
    for (const [name, text] of files) data.items.add(new File([text], name));
    document.getElementById('answer').dispatchEvent(
        new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
}"""


def test_a_colleague_with_the_same_files_gets_the_same_page(page: Any, address: str, complaints: list[str]) -> None:
    """The address names both files by their content; dropped together, in any order, each finds its field."""
    text = {}
    for name in ("support", "support-answers"):
        header, *rows = example_path(name).read_text().splitlines()
        text[name] = "\n".join([header, *reversed(rows)])
    named = [f"{hashlib.blake2b(each.encode(), digest_size=16).hexdigest()}:{name}.csv" for name, each in text.items()]
    page.goto(f"{address}/compare?ratings={named[0]}&answers={named[1]}&margin=0.05&go=1")
    page.get_by_text("Drop the same file here, and you get the same page").first.wait_for()
    page.evaluate(DROPS, [[f"{name}.csv", each] for name, each in reversed(text.items())])
    answered(page)
    assert page.locator(".headline").inner_text().startswith("atlas scores 0.088 higher than birch")
    assert copied(page) == ["quorate", "compare", "support.csv", "support-answers.csv", "--margin", "0.05"]


LONG = "audit?preset=dices&items=200&raters=5&null=sharp&replicates=200000&go=1"
LEFT = re.compile(r"Working, .* about .* left")


def test_long_work_is_seen_from_two_tabs_survives_a_reload_and_can_be_cancelled(page: Any, address: str) -> None:
    page.goto(f"{address}/{LONG}")
    page.locator(".progress p", has_text=LEFT).wait_for()
    done = page.locator("progress").evaluate("bar => bar.value / bar.max")
    assert 0 < done < 1
    other = page.context.new_page()
    other.set_default_timeout(SLOW)
    other.goto(page.url)
    page.reload()
    for tab in (page, other):
        tab.locator(".progress p", has_text=LEFT).wait_for()
        assert tab.locator("progress").evaluate("bar => bar.value / bar.max") >= done
    other.get_by_role("button", name="Cancel").click()
    for tab in (page, other):
        tab.locator("#answer[data-state=cancelled][aria-busy=false]").wait_for()
        tab.get_by_text("Ask again when you like.").first.wait_for()
    other.close()


def test_a_killed_process_is_said_and_the_next_question_works(page: Any, address: str) -> None:
    page.goto(f"{address}/{LONG}&seed=1")
    page.locator(".progress p", has_text=LEFT).wait_for()
    [worker] = multiprocessing.active_children()
    os.kill(worker.pid or 0, signal.SIGKILL)
    page.get_by_text("The process that worked on it was killed").first.wait_for()
    assert page.locator("#heard").inner_text().startswith("There is no answer")
    page.locator("#f-replicates").fill("100")
    page.keyboard.press("Enter")
    answered(page)


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
