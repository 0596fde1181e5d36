"""Lines of text for a terminal: cut, broken and put side by side."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.text import Text

_CUT = ".."  # where a line was cut; in every encoding
_CONSOLE = Console(file=io.StringIO(), force_jupyter=False)  # which breaking lines asks for


def fitted(text: Text, width: int, *, pad: bool = False) -> Text:
    """A copy of a line that is at most a number of columns wide, or exactly so with padding; a cut one says so."""
    line = text.copy()
    if line.cell_len > width:
        line.truncate(max(width - len(_CUT), 0))
        line.append(_CUT[:width])
    if pad:
        line.append(" " * (width - line.cell_len))
    return line


def wrapped(text: Text, width: int, *, indent: int = 0) -> list[Text]:
    """A text broken into lines of at most a number of columns; all but the first are indented."""
    found: list[Text] = []
    for line in text.split("\n"):
        parts = _broken(line, width)
        if len(parts) > 1 and indent:
            begun = len(parts[0].plain.rstrip())
            rest = line[len(line.plain) - len(line.plain[begun:].lstrip()) :]
            parts = [parts[0], *(Text(" " * indent).append_text(part) for part in _broken(rest, width - indent))]
        found += parts
    return found


def _broken(line: Text, width: int) -> list[Text]:
    return list(line.wrap(_CONSOLE, width)) or [Text()]


def lines_of(parts: Iterable[RenderableType], console: Console, width: int) -> list[Text]:
    """What a console would print, as lines of text with their styles."""
    options = console.options.update(width=width, height=None)
    lines = []
    for part in parts:
        for segments in console.render_lines(part, options, pad=False):
            line = Text.assemble(*((segment.text, segment.style or "") for segment in segments if not segment.control))
            line.rstrip()
            lines.append(line)
    return lines


def beside(blocks: Sequence[tuple[Sequence[Text], int]], gap: int = 2) -> list[Text]:
    """Blocks of lines side by side, each cut to a number of columns."""
    rows = max((len(lines) for lines, _ in blocks), default=0)
    found = []
    for row in range(rows):
        line = Text()
        for number, (lines, width) in enumerate(blocks):
            part = lines[row] if row < len(lines) else Text()
            line.append_text(Text(" " * gap if number else ""))
            line.append_text(fitted(part, width, pad=number < len(blocks) - 1))
        line.rstrip()
        found.append(line)
    return found


def shortened(lines: Sequence[Text], rows: int, more: str) -> list[Text]:
    """At most a number of lines; the last one says what is missing if there are more."""
    if len(lines) <= rows:
        return list(lines)
    kept = max(rows - 1, 0)
    return [*lines[:kept], Text(more.format(len(lines) - kept), "dim")][:rows]


def in_columns(items: Sequence[str], width: int) -> Iterator[str]:
    """Lines of items in columns, row by row."""
    cell = max(map(cell_len, items)) + 3
    columns = max((width + 3) // cell, 1)
    for start in range(0, len(items), columns):
        row = items[start : start + columns]
        yield "".join(f"{item}{'':{cell - cell_len(item)}}" for item in row).rstrip()
