"""Pages of reports, read as a browser would."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path


class Page(HTMLParser):
    """Opened and closed elements match; texts, and addresses that elements refer to, are kept."""

    EMPTY = frozenset({"meta", "wbr", "br", "link", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.identifiers: list[str] = []
        self.references: list[str] = []
        self.elements: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        for name, value in attrs:
            if name == "id":
                self.identifiers.append(str(value))
            if name in ("href", "src", "xlink:href"):
                self.references.append(str(value))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read_page(folder: Path) -> Page:
    page = Page()
    page.feed((folder / "report.html").read_text(encoding="utf-8"))
    assert not page.open
    return page
