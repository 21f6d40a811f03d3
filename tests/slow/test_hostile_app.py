"""Hostile files and answers in the browser: whatever is dropped or typed, a page or a sentence comes back."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

from quorate.app.server import Server
from tests.hostile import places, tables
from tests.hostile.logs import as_log
from tests.hostile.options import ODD_WORDS, options_of
from tests.unit.app.test_server import Visitor

NAMES = (
    "r",
    "é",
    "\u202e",
    "..",
    "a/b",
    "a=b",
    "-x",
    "x" * 200,
    "<b>",
    "a\r\nb",
    "%00",
    '"',
    "example:support",
    "=1+1",
    " ",
)
SCREENS = {
    "data": "ratings",
    "describe": "ratings",
    "compare": "ratings",
    "estimate": "votes",
}
"""By the field that takes the file."""


def dropped(rng: random.Random) -> tuple[str, bytes]:
    """Return a name and the content of a file somebody drops on a page."""
    rows = rng.choice([tables.ratings, tables.wide, tables.counts, tables.outputs, tables.votes])(rng)
    rows = tables.mutated(rows, rng)
    kind = rng.random()
    if kind < 0.15:
        suffix, content = as_log(rng)
    elif kind < 0.25:
        suffix, content = ".xlsx", places.as_workbook(rows, rng)
    else:
        suffix, content = tables.as_file(rows, rng)
    return rng.choice(NAMES) + suffix, content


def asked(rng: random.Random, file: str) -> tuple[str, dict[str, str]]:
    """Return a screen and what is put into its fields, as it is meant or not."""
    screen = rng.choice(list(SCREENS))
    fields = {SCREENS[screen]: file, "go": "1"}
    for _ in range(rng.choice([0, 0, 0, 1, 3])):
        option = rng.choice(options_of(screen if screen != "data" else "describe"))
        fields[option.flag[2:].replace("-", "_")] = rng.choice(ODD_WORDS).encode("utf-8", "replace").decode()
    return screen, fields


def tried(visitor: Visitor, number: int) -> str:
    """Drop a file, ask about it; say what came of it."""
    rng = random.Random(f"app/{number}")
    reply = visitor.upload(*dropped(rng))
    if reply.status != 200:
        assert reply.status in (400, 413, 422), (number, reply)
        return "not taken"
    screen, fields = asked(rng, reply.json["identity"])
    if screen == "data":
        page = visitor.get("/data", **fields)
        assert page.status in (200, 400), (number, page)
        return "shown"
    news: Any = visitor.ask(f"/{screen}", **fields)
    assert "state" in news or "html" in news, (number, news)
    state = str(news.get("state", "shown"))
    assert state not in ("failed", "killed"), (number, screen, fields, news)
    assert "Traceback" not in str(news), (number, news)
    return state


def test_whatever_is_dropped_a_page_or_a_sentence_comes_back(tmp_path: Path) -> None:
    server = Server(max_upload=1 << 20, workers=1)
    try:
        visitor = Visitor(server)
        ends = Counter(tried(visitor, number) for number in range(120))
    finally:
        server.close()
    assert ends["done"] >= 5
    assert ends["refused"] >= 10
    assert not server.uploads.folder.exists()
