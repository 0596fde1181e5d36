"""Reads SVG documents: the pieces in them, and where their texts stand."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import NamedTuple

from dunaia_env.support.svg import width_of

SVG = "{http://www.w3.org/2000/svg}"
_PLACE = re.compile(r"translate\((\S+) (\S+)\)(?: scale\((\S+)\))?$")


class Box(NamedTuple):
    """A rectangle in units of the document."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: Box, slack: float) -> bool:
        return (
            self.left - slack <= other.left
            and self.top - slack <= other.top
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )

    def meets(self, other: Box, slack: float) -> bool:
        return (
            self.left + slack < other.right
            and other.left + slack < self.right
            and self.top + slack < other.bottom
            and other.top + slack < self.bottom
        )


class Text(NamedTuple):
    """A text with the box of its letters (of capitals' height), its fill, and the piece that it belongs to."""

    content: str
    box: Box
    fill: str
    piece: str | None


class Piece(NamedTuple):
    """A piece with its label and the box of its transparent area."""

    name: str
    label: str
    area: Box


class Drawn(NamedTuple):
    """What is in a document."""

    size: Box
    pieces: tuple[Piece, ...]
    texts: tuple[Text, ...]


def read(svg: str) -> Drawn:
    """A document's pieces and texts in the order in which they are drawn."""
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    size = Box(*map(float, root.attrib["viewBox"].split()))
    found = list(_walk(root, 0.0, 0.0, 1.0, None))
    pieces = tuple(item for item in found if isinstance(item, Piece))
    return Drawn(size, pieces, tuple(item for item in found if isinstance(item, Text)))


def _walk(node: ET.Element, x: float, y: float, scale: float, piece: str | None) -> Iterator[Piece | Text]:
    place = _PLACE.match(node.attrib.get("transform", ""))
    if place:
        x, y = x + float(place[1]) * scale, y + float(place[2]) * scale
        scale *= float(place[3] or 1)
    if "data-piece" in node.attrib:
        piece = node.attrib["data-piece"]
        area = node[0]
        assert area.attrib["fill"] == "none", f"{piece} begins without a transparent area"
        assert area.attrib["pointer-events"] == "all"
        assert node.attrib["role"] == "img"
        yield Piece(piece, node.attrib["aria-label"], _area(area, x, y, scale))
    if node.tag == f"{SVG}text":
        yield _text(node, x, y, scale, piece)
    for child in node:
        yield from _walk(child, x, y, scale, piece)


def _area(node: ET.Element, x: float, y: float, scale: float) -> Box:
    values = {
        key: float(node.attrib[key]) for key in ("x", "y", "width", "height", "cx", "cy", "r") if key in node.attrib
    }
    if node.tag == f"{SVG}circle":
        left, top = values["cx"] - values["r"], values["cy"] - values["r"]
        wide = high = 2 * values["r"]
    elif node.tag == f"{SVG}polygon":
        corners = [tuple(map(float, corner.split(","))) for corner in node.attrib["points"].split()]
        left, top = (min(axis) for axis in zip(*corners, strict=True))
        wide, high = (max(axis) - min(axis) for axis in zip(*corners, strict=True))
    else:
        left, top, wide, high = values["x"], values["y"], values["width"], values["height"]
    return Box(x + left * scale, y + top * scale, x + (left + wide) * scale, y + (top + high) * scale)


def _text(node: ET.Element, x: float, y: float, scale: float, piece: str | None) -> Text:
    content = node.text or ""
    size = float(node.attrib["font-size"])
    wide = width_of(content, size, int(node.attrib["font-weight"]))
    left = float(node.attrib["x"])
    left -= {"start": 0.0, "middle": wide / 2, "end": wide}[node.attrib.get("text-anchor", "start")]
    base = float(node.attrib["y"])
    box = Box(x + left * scale, y + (base - 0.72 * size) * scale, x + (left + wide) * scale, y + base * scale)
    return Text(content, box, node.attrib["fill"], piece)
