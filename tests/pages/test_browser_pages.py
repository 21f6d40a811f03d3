"""Every page in a real browser, wide and narrow, light and dark: plots drawn, nothing sticks out, nothing complains."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import quorate
from quorate.planning.grid_sweep import sweep
from quorate.planning.grids import Grid
from quorate.report import to_html, to_page
from quorate.reproducing.cell import Cell
from quorate.reproducing.result import Reproduction
from quorate.results.result import Result

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="the browser tests need playwright: pip install '.[browser]'"
)
CHROMIUM = os.environ.get("QUORATE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path: apt-get install chromium")

WIDE, NARROW = 1280, 390
DRAWN = "[...document.querySelectorAll('.plot')].every(place => place.dataset.drawn)"
FITS = """() => [...document.querySelectorAll('.plot')].every(place =>
    place.querySelector('svg').clientWidth == place.clientWidth)"""
STICKS_OUT = """() => [...document.querySelectorAll('main *')].filter(each =>
    each.getBoundingClientRect().right > innerWidth + 1 && !each.closest('.scroll, pre')).map(each => each.outerHTML)"""
HIDDEN = """() => [...document.querySelectorAll('.scroll')].filter(place =>
    place.scrollWidth > place.clientWidth + 1).map(place => place.innerText)"""
CUT_OFF = """() => [...document.querySelectorAll('.plot .main-svg text')].filter(text => {
    const box = text.getBoundingClientRect(), card = text.closest('figure').getBoundingClientRect();
    return box.width && (box.left < card.left - 1 || box.right > card.right + 1);
}).map(text => text.textContent)"""
BROKEN = """() => [...document.querySelectorAll('.wide td')].filter(cell => [...cell.childNodes].some(node =>
    [...node.textContent.matchAll(/[^\\s-]+/g)].some(word => {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        return new Set([...range.getClientRects()].map(each => Math.round(each.top))).size > 1;
    }))).map(cell => cell.textContent)"""
INK = "() => getComputedStyle(document.querySelector('.plot .main-svg text')).fill"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    pilot = quorate.read_systems("example:support-answers", quorate.read_ratings("example:support"))
    files = ("example:moderation", "example:moderation-experts", "example:moderation-scores")
    dices = {"dices": (5.22, 0.86, 2.75)}
    return {
        "plan": quorate.plan(pilot=pilot, difference=0.05),
        "compare": quorate.compare("example:support", "example:support-answers", by="channel", margin=0.05),
        "leaderboard": leaderboard(),
        "describe": quorate.describe("example:support"),
        "estimate": quorate.estimate(*files, method=["maven", "gt"], draws=100),
        "audit": quorate.audit(
            "dices", items=30, raters=3, test=["default", "published:bootstrap:all"], replicates=100
        ),
        "fit": quorate.fit("example:support"),
        "sweep": sweep(Grid(dices, ("agreement",), (0.3,), ((600, 600, 1), (600, 300, 2)), answers=1)),
        "presets": quorate.presets(),
        "one size": quorate.plan("dices", difference=0.05, items=[200], raters=[3]),
        "simulate": quorate.simulate("irt", items=100, raters=3),
        "reproduce": Reproduction(cells=(Cell("forest", "Table 2", "dices", "p of wins", 0.03, 0.031),)),
    }


def leaderboard() -> Result:
    """Five systems, one with a long name and one with a name that is HTML."""
    names = ["alpha-large-instruct-v2-preview", "beta", "gamma", "delta", "<img src=x onerror=console.error(1)>"]
    ratings = {
        "item": [f"i{i}" for i in range(60) for _ in range(3)],
        "response": [["no", "yes"][(i * 7 + j) % 3 > 0] for i in range(60) for j in range(3)],
    }
    answers = {
        "item": [f"i{i}" for _ in names for i in range(60)],
        "system": [name for name in names for _ in range(60)],
        "response": [["no", "yes"][(i * (s + 3)) % 4 > s % 2] for s in range(5) for i in range(60)],
    }
    return quorate.compare(ratings, answers)


VERBS = ["plan", "compare", "leaderboard", "describe", "estimate", "audit", "fit", "sweep", "presets", "reproduce"]
VERBS += ["one size", "simulate"]


def n_plots(result: Result) -> int:
    return sum(len(section.plots) for section in to_page(result).sections)


def outside(address: str) -> list[str]:
    """An address a page must not ask for."""
    return [] if address.startswith(("file:", "data:", "blob:")) else [address]


def opened(browser: Any, path: Path, width: int, scheme: str, **more: Any) -> tuple[Any, list[str]]:
    """Open a page and wait for its plots; return it with everything the browser complained about."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme, **more)
    page.set_default_timeout(120_000)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.extend(outside(request.url)))
    page.goto(path.as_uri())
    page.wait_for_function(DRAWN)
    return page, complaints


@pytest.mark.parametrize("verb", VERBS)
def test_page_in_a_browser(verb: str, browser: Any, results: dict[str, Result], tmp_path: Path) -> None:
    path, plots = tmp_path / "report.html", n_plots(results[verb])
    path.write_text(to_html(results[verb], "quorate " + "--a-very-long-option=value " * 20), encoding="utf-8")
    page, complaints = opened(browser, path, WIDE, "light")
    for width, scheme in ((WIDE, "light"), (WIDE, "dark"), (NARROW, "dark"), (NARROW, "light")):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(FITS)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(STICKS_OUT) == []
        assert page.evaluate(CUT_OFF) == []
        if plots:
            assert page.evaluate(INK) == ("rgb(29, 36, 48)" if scheme == "light" else "rgb(232, 235, 239)")
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate(HIDDEN) == []  # on a phone no cell of a table waits at the side
    assert complaints == []
    assert page.locator(".plot .main-svg .subplot").count() >= plots
    assert page.locator("img").count() == 0
    page.close()


def test_digits_in_a_map_are_dark_on_a_dark_page_too(browser: Any, results: dict[str, Result], tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(to_html(results["plan"]), encoding="utf-8")
    page, _ = opened(browser, path, WIDE, "dark")
    inks = page.evaluate(
        "[...document.querySelectorAll('.heatmap-label text')].map(each => getComputedStyle(each).fill)"
    )
    assert set(inks) == {"rgb(27, 36, 48)"}
    page.close()


def test_without_javascript_the_numbers_are_there(browser: Any, results: dict[str, Result], tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(to_html(results["plan"]), encoding="utf-8")
    page = browser.new_page(java_script_enabled=False)
    page.goto(path.as_uri())
    plots = n_plots(results["plan"])
    assert page.locator(".plot noscript").count() == page.locator("figure details table").count() == plots > 1
    page.close()


def test_a_keyboard_reaches_the_tables_and_opens_the_numbers(
    browser: Any, results: dict[str, Result], tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(to_html(results["plan"]), encoding="utf-8")
    page, _ = opened(browser, path, WIDE, "light")
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details[open]").count() == 1
    assert page.locator(".plot[role=img][aria-label]").count() == n_plots(results["plan"])
    page.close()


def test_it_prints_on_paper(browser: Any, results: dict[str, Result], tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(to_html(results["plan"]), encoding="utf-8")
    page, _ = opened(browser, path, WIDE, "dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf().startswith(b"%PDF")
    heights = page.evaluate("[...document.querySelectorAll('.plot')].map(each => each.clientHeight)")
    assert all(100 < height < 500 for height in heights)  # drawings shrink to the paper, without a gap around them
    page.close()


def test_no_header_stands_alone_at_the_foot_of_a_sheet(
    browser: Any, results: dict[str, Result], tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(to_html(results["plan"], "quorate plan"), encoding="utf-8")
    page, _ = opened(browser, path, WIDE, "light")
    page.emulate_media(media="print")
    kept = (
        """([where, property]) => [...document.querySelectorAll(where)].map(each => getComputedStyle(each)[property])"""
    )
    assert set(page.evaluate(kept, ["main h2, main thead, main tbody > tr:first-child", "breakAfter"])) == {"avoid"}
    assert set(page.evaluate(kept, ["footer, .small pre", "breakBefore"])) == {"avoid"}
    assert set(page.evaluate(kept, [".scroll .strong, main p", "breakInside"])) == {"avoid"}
    assert page.evaluate(kept, ["section > .scroll table", "breakInside"])[0] == "avoid"  # what to buy, on one sheet
    page.close()


def test_a_headline_breaks_no_name_and_no_interval(browser: Any, results: dict[str, Result], tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(to_html(results["leaderboard"]), encoding="utf-8")
    page, _ = opened(browser, path, WIDE, "light")
    words = page.locator(".headline .word")
    assert "alpha-large-instruct-v2-preview" in " ".join(words.all_inner_texts())
    for width in range(700, WIDE, 20):
        page.set_viewport_size({"width": width, "height": 900})
        assert set(words.evaluate_all("all => all.map(each => each.getClientRects().length)")) == {1}
        assert max(words.evaluate_all("all => all.map(each => each.clientHeight)")) < 50
    page.close()


def test_long_names_leave_room_for_the_plot_on_a_phone(browser: Any, tmp_path: Path) -> None:
    """They stand on two lines; numbers of the axis neither turn nor run into its title."""
    names = [
        "\u05de\u05d5\u05d3\u05dc \u05de\u05d5\u05d3\u05dc",
        "organisation name/with a model",
        "<b>bold</b> \"q\" 'x'",
    ]
    table = {
        "item": [f"i{i}" for i in range(30) for _ in names for _ in range(3)],
        "model": [name for _ in range(30) for name in names for _ in range(3)],
        "rater": [f"r{r}" for _ in range(30) for _ in names for r in range(3)],
        "score": [1 + (i * (n + 2) + r) % 5 for i in range(30) for n in range(3) for r in range(3)],
    }
    path = tmp_path / "report.html"
    path.write_text(to_html(quorate.compare(table, rated_system="model")), encoding="utf-8")
    page, complaints = opened(browser, path, NARROW, "dark")
    shares = page.evaluate("""[...document.querySelectorAll('.plot')].map(place =>
        place.querySelector('.gridlayer').getBoundingClientRect().width / place.clientWidth)""")
    assert min(shares) > 0.4
    assert page.evaluate(CUT_OFF) == []
    ticks = page.locator(".xtick text").evaluate_all("all => all.map(each => each.getAttribute('transform'))")
    assert not any("rotate" in (each or "") for each in ticks)
    said = page.locator(".ytick text").evaluate_all("all => all.map(each => each.textContent)")
    assert any("\u2068" in each for each in said)
    assert not any("&" in each for each in said)
    assert complaints == []
    page.close()


@pytest.mark.parametrize("case", ["estimate", "metrics", "judges", "fit", "plan"])
def test_no_number_is_broken_in_two_on_a_phone(
    case: str, browser: Any, results: dict[str, Result], tmp_path: Path
) -> None:
    """Half of 0.9900 on the next line reads as another number; a title without a value as a value."""
    support = ("example:support", "example:support-answers")
    made: dict[str, Callable[[], Result]] = {
        "estimate": lambda: results["estimate"],
        "plan": lambda: results["plan"],
        "metrics": lambda: quorate.compare(*support, metric=["agreement", "jensen_shannon", "wins"]),
        "judges": lambda: quorate.compare("example:claims", "example:claims-judges", baseline="raters"),
        "fit": lambda: quorate.fit("example:summaries", family="normal"),
    }
    path = tmp_path / "report.html"
    path.write_text(to_html(made[case]()), encoding="utf-8")
    page, _ = opened(browser, path, NARROW, "light")
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate(BROKEN) == []
    assert page.locator(".wide td:empty:visible").count() == 0
    page.evaluate("document.querySelectorAll('.wide td').forEach(each => each.style.width = '3rem')")
    assert page.evaluate(BROKEN)  # in cells too narrow it would be seen
    page.close()


def test_a_broken_page_would_be_seen(browser: Any, tmp_path: Path) -> None:
    """Negative control: a page that complains and sticks out is caught by the same looks."""
    path = tmp_path / "broken.html"
    hidden = "<div class='scroll' style='overflow: auto'><p style='width: 5000px'>y</p></div>"
    path.write_text(f"<main><p style='width: 5000px'>x</p>{hidden}</main><script>nothing.here</script>")
    page, complaints = opened(browser, path, NARROW, "light")
    assert len(complaints) == 1
    assert page.evaluate("document.documentElement.scrollWidth") > NARROW
    assert len(page.evaluate(STICKS_OUT)) == 1
    assert len(page.evaluate(HIDDEN)) == 1
    page.close()
