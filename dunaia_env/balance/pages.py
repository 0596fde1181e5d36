"""A page of the balance laboratory: a picture, what it says in short, and sections, as HTML and Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from dunaia_env.reports import parts


@dataclass(frozen=True)
class Page:
    """What the HTML page and the Markdown file show.

    Attributes:
        title: title of the page.
        state: a sentence about what was played.
        picture: the picture at the top, an SVG element; empty for none. Left out in Markdown.
        caption: title of the picture.
        legend: what its signs mean.
        findings: what was found, each in a sentence.
        sections: the sections.
        folded: whether the tables of all sections but the first are hidden until the reader unfolds them.
    """

    title: str
    state: str
    picture: str
    caption: str
    legend: str
    findings: tuple[str, ...]
    sections: tuple[parts.Section, ...]
    folded: bool = True


def to_html(page: Page) -> str:
    """The page as one self-contained HTML file."""
    return parts.templates("dunaia_env.balance").get_template("report.html").render(shown=page)


def to_markdown(page: Page) -> str:
    """The page as Markdown, without its plots."""
    lines = [f"# {parts.escaped(page.title)}", "", parts.escaped(page.state), ""]
    lines += [f"- {parts.escaped(finding)}" for finding in page.findings] + [""] * bool(page.findings)
    return "\n".join([*lines, *parts.sections_to_markdown(page.sections)]).rstrip() + "\n"
