"""Results whose names try to break out of a page, and honest ones."""

import html
from html.parser import HTMLParser

import pytest

import quorate

EVIL = {
    "item": "<img src=x onerror=alert(1)>",
    "rater": "</script><script>alert('rater')</script>",
    "system": "<b onclick=alert(2)>A</b>",
    "category": "<svg/onload=alert(3)>&amp;",
    "group": "<a href='javascript:alert(4)'>g</a>",
}


class Seen(HTMLParser):
    """What a browser would make of a page: its elements, their attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text, self.scripts, self.within = [], [], "", [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        self.within.append(tag)
        if tag == "script":
            self.scripts.append(dict(attrs).get("type"))

    def handle_endtag(self, tag):
        if tag in self.within:
            while self.within.pop() != tag:
                pass

    def handle_data(self, data):
        if not {"script", "style"} & set(self.within):
            self.text += data


@pytest.fixture(scope="session")
def seen():
    return Seen


@pytest.fixture(scope="session")
def evil():
    return EVIL


@pytest.fixture(scope="session")
def evil_data():
    """Ratings and answers of 40 items whose every name holds HTML."""
    items = [f"{EVIL['item']}{i}" for i in range(40)]
    yes, no = EVIL["category"], "no"
    ratings = {
        "item": [item for item in items for _ in range(3)],
        "rater": [f"{EVIL['rater']}{j}" for _ in items for j in range(3)],
        "response": [yes if (i * 7 + j * 3) % 5 < 2 + j else no for i in range(40) for j in range(3)],
        "topic": [f"{EVIL['group']}{i % 2}" for i in range(40) for _ in range(3)],
    }
    systems = [f"{EVIL['system']}{s}" for s in range(3)]
    answers = {
        "item": items * 3,
        "system": [system for system in systems for _ in items],
        "response": [yes if (i * 7) % 5 < 2 + s else no for s in range(3) for i in range(40)],
    }
    return ratings, answers


@pytest.fixture(scope="session")
def support():
    """The comparison of the bundled example."""
    return quorate.compare("example:support", "example:support-answers", by="channel", margin=0.05)


@pytest.fixture(scope="session")
def planned():
    """A plan from a preset."""
    return quorate.plan("dices", difference=0.05)


@pytest.fixture(scope="session")
def unescaped():
    return html.unescape
