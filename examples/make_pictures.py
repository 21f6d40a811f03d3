"""Take the picture of the README: the report of the demo, as a browser shows it.

Needs playwright and a Chromium on the path: ``python examples/make_pictures.py``.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

import quorate
from quorate.report import to_html

PICTURES = Path(__file__).parents[1] / "docs" / "images"
WIDTH = 1100


def main() -> None:
    """Write the pictures."""
    pilot = quorate.read_systems("example:support-answers", quorate.read_ratings("example:support"))
    pages = {"plan": to_html(quorate.plan(pilot=pilot, difference=0.05))}
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": WIDTH, "height": 1010}, color_scheme="light")
        for name, text in pages.items():
            path = Path(folder) / f"{name}.html"
            path.write_text(text, encoding="utf-8")
            view.goto(path.as_uri())
            view.wait_for_function("[...document.querySelectorAll('.plot')].every(place => place.dataset.drawn)")
            end = view.evaluate("document.querySelectorAll('section')[1].querySelector('h2').offsetTop")
            view.screenshot(path=PICTURES / f"{name}.png", clip={"x": 0, "y": 0, "width": WIDTH, "height": end - 10})
        browser.close()


if __name__ == "__main__":
    main()
