"""The choices of a decision on a fixed number of rows: in columns, by groups, or on pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from .choices import Choices
from .text import in_columns, wrapped

LEAST_ROWS = 3  # of a page: the common beginning of a group, on up to two rows, and a row of its ends
_MOST_OF_A_HEADING = 2
_LEAST_GROUPS = 2  # of a summary
_GAP = 2


class Listing(NamedTuple):
    """A page of choices.

    Attributes:
        lines: the rows of the page.
        note: how to see the choices that the page does not list; empty if it lists all of them.
        pages: the number of pages.
    """

    lines: list[Text]
    note: str = ""
    pages: int = 1


class _Block(NamedTuple):
    """Rows that belong together, under the rows of what they have in common, of which there may be none."""

    heading: list[Text]
    lines: list[Text]


def lay_out(choices: Choices, indices: Sequence[int], width: int, rows: int, page: int = 0) -> Listing:
    """The choices with some indices, in the most explicit form that fits.

    Args:
        choices: the choices of the decision.
        indices: the indices of those to list, ascending.
        width: number of columns.
        rows: number of rows, at least `LEAST_ROWS`.
        page: which page to show if there are several; numbers beyond the last begin again with the first.
    """
    for lines in (_with_texts(choices, indices, width), _numbered(choices, indices, width)):
        if lines and len(lines) <= rows:
            return Listing(lines)
    blocks = _blocks(choices, indices, width)
    pages = _on_pages(blocks, rows)
    if len(pages) == 1:
        return Listing(pages[0])
    for groups in (choices.groups(indices), choices.verbs(indices)):
        summary = _summary(choices, list(groups), width)
        if summary.lines and len(summary.lines) <= rows:
            return summary
    number = page % len(pages)
    return Listing(pages[number], f"page {number + 1} of {len(pages)}, n: the next one, c: all", len(pages))


def pages(choices: Choices, indices: Sequence[int], width: int, rows: int) -> list[list[Text]]:
    """All choices with some indices, on pages of a number of rows."""
    return _on_pages(_blocks(choices, indices, width), rows)


def wanted(choices: Choices, indices: Sequence[int], width: int) -> int:
    """The number of rows on which all choices can be listed."""
    whole = [_numbered(choices, indices, width), _with_texts(choices, indices, width)]
    grouped = sum(len(block.lines) + len(block.heading) for block in _blocks(choices, indices, width))
    return min([len(lines) for lines in whole if lines] + [grouped])


def _with_texts(choices: Choices, indices: Sequence[int], width: int) -> list[Text]:
    """A row for each choice, with the text that can be typed for it; empty if that is too wide."""
    longest = max(cell_len(choices.sentences[index]) for index in indices)
    digits = len(str(indices[-1] + 1))
    if digits + longest + max(len(choices.texts[index]) for index in indices) + 2 * _GAP > width:
        return []
    return [
        Text.assemble(
            (f"{index + 1:>{digits}}", "bold"),
            f"{'':{_GAP}}{choices.sentences[index]}",
            " " * (longest - cell_len(choices.sentences[index]) + _GAP),
            (choices.texts[index], "dim"),
        )
        for index in indices
    ]


def _numbered(choices: Choices, indices: Sequence[int], width: int) -> list[Text]:
    """All choices with their whole sentences, in columns."""
    return _columns([(str(index + 1), choices.sentences[index]) for index in indices], width)


def _columns(items: Sequence[tuple[str, str]], width: int) -> list[Text]:
    """Numbers with texts in columns; texts that are wider than a row are broken."""
    digits = max(len(number) for number, _ in items)
    lines: list[Text] = []
    texts = [f"{number:>{digits}}{'':{_GAP}}{text}" for number, text in items]
    if max(map(cell_len, texts)) <= width:
        lines += map(Text, in_columns(texts, width))
    else:
        for text in texts:
            lines += wrapped(Text(text), width, indent=digits + _GAP)
    for line in lines:
        line.highlight_regex(r"(?:(?<=^)|(?<=   )) *\d+(?:-\d+)?(?=  \S)", "bold")
    return lines


def _blocks(choices: Choices, indices: Sequence[int], width: int) -> list[_Block]:
    """The choices by what they have in common."""
    blocks: list[_Block] = []
    singles: list[int] = []
    for group in choices.groups(indices):
        start, ends = choices.split_sentences(group)
        if len(group) == 1 or not start:
            singles += group
            continue
        if singles:
            blocks.append(_Block([], _numbered(choices, singles, width)))
            singles = []
        numbered = [(str(index + 1), end) for index, end in zip(group, ends, strict=True)]
        heading = wrapped(Text(f"{start} ..."), width, indent=_GAP)[:_MOST_OF_A_HEADING]
        blocks.append(_Block(heading, _columns(numbered, width)))
    if singles:
        blocks.append(_Block([], _numbered(choices, singles, width)))
    return blocks


def _on_pages(blocks: Sequence[_Block], rows: int) -> list[list[Text]]:
    """The blocks on pages of a number of rows; what is continued begins with its heading again."""
    pages: list[list[Text]] = [[]]
    for heading, lines in blocks:
        at = 0
        while at < len(lines):
            if len(pages[-1]) + len(heading) + 1 > rows:
                pages.append([])
            pages[-1] += heading
            taken = rows - len(pages[-1])
            pages[-1] += lines[at : at + taken]
            at += taken
    return pages


def _summary(choices: Choices, groups: Sequence[Sequence[int]], width: int) -> Listing:
    """A number for each single choice and a range for each group; without lines if there are not several groups."""
    largest = max(groups, key=len)
    if sum(len(group) > 1 for group in groups) < _LEAST_GROUPS:
        return Listing([])
    items = [
        (str(group[0] + 1), choices.sentences[group[0]])
        if len(group) == 1
        else (f"{group[0] + 1}-{group[-1] + 1}", f"{choices.split_sentences(group)[0]} ...")
        for group in groups
    ]
    return Listing(_columns(items, width), f"{largest[0] + 1}-{largest[-1] + 1} lists that group, c: all")
