"""The parts of a report: cells, tables, figures and sections, and how they become Markdown, HTML and JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from dunaia_env.render.html import font_faces
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support.messages import visible


@dataclass(frozen=True)
class TableCell:
    """A cell of a report's table.

    Attributes:
        text: the main text.
        detail: an addition in smaller type, such as the ends of an interval; empty for none.
        colour: background colour from -1 (bad) over 0 (even) to 1 (good); None for none.
    """

    text: str
    detail: str = ""
    colour: float | None = None


@dataclass(frozen=True)
class ReportTable:
    """A table of a report.

    Attributes:
        title: the table's title; empty for none.
        columns: the titles of the columns.
        rows: the cells of each row.
        notes: paragraphs below the table.
        texts: whether the cells are texts, aligned to the left, rather than numbers, aligned to the right.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    notes: tuple[str, ...] = ()
    texts: bool = False


@dataclass(frozen=True)
class Figure:
    """The picture of a position.

    Attributes:
        title: title of the figure.
        caption: what the picture shows.
        path: path of the picture, relative to the report; Markdown refers to it.
        svg: the picture as an element of a page.
    """

    title: str
    caption: str
    path: str
    svg: str


@dataclass(frozen=True)
class Section:
    """A section of a report; its contents are shown in the order of the attributes, but code follows the paragraphs.

    Attributes:
        title: the section's title.
        paragraphs: the text.
        tables: the tables.
        pictures: caption and SVG element of each plot; left out in Markdown.
        links: name, path and description of each link.
        code: a block of shell commands; empty for none.
        folded: whether the tables of the HTML page are hidden until the reader unfolds them.
        figures: pictures of positions.
        chapter: title of the chapter that begins with this section; empty if none does.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    pictures: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, str, str], ...] = ()
    code: str = ""
    folded: bool = False
    figures: tuple[Figure, ...] = ()
    chapter: str = ""


def number_text(value: float, digits: int) -> str:
    """A number as text, with a typographic minus sign, though not for zero; a dash if it is not finite."""
    return "–" if not math.isfinite(value) else f"{value:z.{digits}f}".replace("-", "−")


def interval(estimate: Estimate, digits: int, scale: float = 1.0, unit: str = "") -> TableCell:
    """A cell with a number, and the ends of its interval as the detail."""
    value, low, high = (number_text(scale * number, digits) for number in estimate)
    return TableCell(f"{value}{unit}", "" if low == "–" else f"{low} to {high}")


def table_row(*contents: TableCell | str) -> tuple[TableCell, ...]:
    """The cells of a row, from cells and texts."""
    return tuple(TableCell(content) if isinstance(content, str) else content for content in contents)


def sections_to_markdown(shown: Sequence[Section]) -> list[str]:
    """The lines of sections in Markdown, without their plots and with links to their figures."""
    lines = []
    level = "###" if any(section.chapter for section in shown) else "##"
    for section in shown:
        if section.chapter:
            lines += [f"## {escaped(section.chapter)}", ""]
        if not (section.paragraphs or section.tables):
            continue
        lines += [f"{level} {section.title}", ""]
        for paragraph in section.paragraphs:
            lines += [escaped(paragraph), ""]
        if section.code:
            # The fence is longer than any in the code, because a command may contain backquotes.
            fence = "`" * (1 + max([2, *(len(run) for run in re.findall("`+", section.code))]))
            lines += [f"{fence}sh", visible(section.code), fence, ""]
        for table in section.tables:
            if table.title:
                lines += [f"{level}# {escaped(table.title)}", ""]
            lines += [_line(table.columns), "|" + "---|" * len(table.columns)]
            lines += [_line([_cell_text(cell) for cell in row]) for row in table.rows]
            lines.append("")
            for note in table.notes:
                lines += [escaped(note), ""]
        for name, path, _ in section.links:
            lines.append(f"- [{name}]({path})")
        if section.links:
            lines.append("")
        for figure in section.figures:
            lines += [f"{level}# {escaped(figure.title)}", "", f"![{escaped(figure.caption)}]({figure.path})", ""]
            lines += [escaped(figure.caption), ""]
    return lines


def escaped(text: str) -> str:
    """A text on one line with Markdown's special characters escaped, and with hidden characters made `visible`."""
    line = visible(" ".join(text.splitlines()))
    return "".join("\\" + character if character in "\\|*_`<[" else character for character in line)


def _cell_text(cell: TableCell) -> str:
    return f"{cell.text} ({cell.detail})" if cell.detail else cell.text


def _line(texts: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return "| " + " | ".join(escaped(text) for text in texts) + " |"


def _is_coloured(cell: TableCell) -> bool:
    return cell.colour is not None and math.isfinite(cell.colour)


def _background(cell: TableCell) -> str:
    """The background colour of a coloured cell, as CSS."""
    colour = cell.colour or 0.0
    return f"rgba(var(--{'good' if colour >= 0 else 'bad'}), {min(abs(colour), 1) * 0.6:.2f})"


def _pieces(text: str) -> list[str]:
    """The pieces of a text, made `visible`, between which a line may be broken, at the punctuation of long names."""
    return re.split(r"(?<=[,/:.=_-])(?=[A-Za-z])", visible(text))


def _shown(value: object) -> object:
    return visible(value) if type(value) is str else value  # markup is a subclass


@cache
def templates(package: str) -> Environment:
    """The templates of a package, with the filters that reports need; texts are escaped and made `visible`."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        finalize=_shown,
    )
    environment.filters |= {"background": _background, "pieces": _pieces}
    environment.tests["coloured"] = _is_coloured
    environment.globals["font_faces"] = font_faces
    return environment


_DIGITS = 7  # significant digits of a number in report.json


def to_json_data(value: Any) -> Any:
    """Convert dataclasses, named tuples, arrays and containers to JSON data; a number that is not finite is None."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: to_json_data(one) for name, one in value._asdict().items()}
    if isinstance(value, np.ndarray):
        return to_json_data(value.tolist())
    if is_dataclass(value):
        return {field.name: to_json_data(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json_data(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_json_data(element) for element in value]
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    return value
