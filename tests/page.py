"""What a browser makes of a page, and names that try to break out of it."""

from html.parser import HTMLParser

__all__ = ["EVIL", "Seen"]

EVIL = {
    "item": "<img src=x onerror=alert(1)>",
    "rater": "</script><script>alert('rater')</script>",
    "system": "<b onclick=alert(2)>A</b>",
    "category": "<svg/onload=alert(3)>&amp;",
    "group": "<a href='javascript:alert(4)'>g</a>",
}


class Seen(HTMLParser):
    """What a browser would make of a page: its elements, their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self.scripts: list[str | None] = []
        self.within: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        self.within.append(tag)
        if tag == "script":
            self.scripts.append(dict(attrs).get("type"))

    def handle_endtag(self, tag: str) -> None:
        if tag in self.within:
            while self.within.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.within):
            self.text += data
