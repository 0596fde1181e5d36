"""The panel of one player: name and score, the village with its Dunaias, and the player's holdings and chips."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from dunaia_env.dunaia.components import Components
from dunaia_env.dunaia.presentation import icons, palette, tiles
from dunaia_env.dunaia.presentation.labels import Labels
from dunaia_env.dunaia.presentation.palette import LEAST_TEXT
from dunaia_env.dunaia.presentation.tiles import Printed
from dunaia_env.dunaia.state import EDGE_SQUARES, EDGES, FACES, NONE, SQUARES
from dunaia_env.support import svg
from dunaia_env.support.svg import BOLD, area, fitted, piece, placed, rect, size_for, stroke, text, width_of

_EDGES: Final = EDGE_SQUARES.tolist()
HEADER: Final = 40
MARGIN: Final = 12
# Heights of the boxes beside a large village, with and without a reserved tile below them.
_BOX, _SPREAD_BOX = 62, 88


class Look(NamedTuple):
    """What every part of a picture needs to know.

    Attributes:
        content: the state dictionary.
        components: the components of the game.
        values: the values printed on the components.
        labels: the words of the picture's language.
        names: the names of the seats.
        winners: the seats that have won.
        met: the unclaimed prophecies whose condition the deciding player meets.
    """

    content: Mapping[str, Any]
    components: Components
    values: Printed
    labels: Labels
    names: tuple[str, ...]
    winners: frozenset[int]
    met: frozenset[int]


class Measures(NamedTuple):
    """The sizes of the parts of a panel."""

    width: int
    height: int
    tile: int
    gap: int
    upright: bool  # the player's holdings stand below the village, the chips beside it


LARGE: Final = Measures(588, 450, 104, 36, upright=False)
SMALL: Final = Measures(389, 446, 86, 31, upright=True)


def panel(seat: int, look: Look, measures: Measures) -> str:
    """A player's panel, with its upper left corner at the origin."""
    content = look.content
    decides = content["seat"] == seat
    body = card(measures.width, measures.height, palette.SEATS[seat] if decides else None)
    body += _header(seat, look, measures, decides)
    village = 3 * measures.tile + 2 * measures.gap
    top = HEADER + MARGIN
    if measures.upright:
        side = measures.width - village - 2 * MARGIN
        body += placed(MARGIN, top, _village(seat, look, measures))
        column = 40
        left = MARGIN + village + (side + MARGIN - column) / 2
        body += _chips(seat, look, left, top, column, village, columns=1)
        body += _holdings(seat, look, MARGIN, top + village + 8, measures)
    else:
        body += placed(MARGIN, top, _village(seat, look, measures))
        left = 2 * MARGIN + village + 2
        width = measures.width - left - MARGIN
        body += _holdings(seat, look, left, top, measures)
        spread = look.content["players"][seat]["reserved"] == NONE
        start, height = (2 * _SPREAD_BOX + 30, 164) if spread else (2 * _BOX + 26, 116)
        body += _chips(seat, look, left, top + start, width, height, columns=3)
    return body


def card(width: float, height: float, accent: str | None = None) -> str:
    """The background of a panel; an accent colour gives it a strong border."""
    body = rect(0, 3, width, height, palette.SHADOW, radius=14, more='fill-opacity=".22"')
    body += rect(0, 0, width, height, palette.CARD, radius=14)
    if accent:
        body += rect(-1, -1, width + 2, height + 2, "none", radius=15, more=stroke(accent, 5))
    return body


def _header(seat: int, look: Look, measures: Measures, decides: bool) -> str:
    player = look.content["players"][seat]
    width = measures.width
    colour = palette.SEATS[seat]
    fill, ink = (colour, palette.WHITE) if decides else (palette.SEAT_TINTS[seat], palette.INK)
    body = svg.path(f"M0 {HEADER}V14A14 14 0 0 1 14 0H{width - 14}A14 14 0 0 1 {width} 14V{HEADER}Z", fill)
    body += placed(24, 20, svg.circle(0, 0, 14, palette.WHITE) + icons.seat_mark(seat), 1)
    left = 46.0
    if decides:
        body += placed(left + 5, 20, svg.path("M-5 -7L7 0L-5 7Z", palette.WHITE))
        left += 18
    score = str(look.content["scores"][seat])
    right = width - 16 - width_of(score, 24, BOLD)
    drawn = text(width - 16, 28.5, score, 24, ink, weight=BOLD, anchor="end")
    drawn += placed(right - 15, 19.5, icons.star(palette.GOLD if not decides else "#ffd667", "none"), 0.95)
    shape = area(right - 31, 3, width - 16 - (right - 31) + 7, HEADER - 6, 12)
    body += piece(f"score-{seat}", look.labels.points.format(score), shape, drawn)
    right -= 36
    if seat in look.winners:
        body += placed(right - 12, 20, icons.crown(palette.GOLD), 0.95)
        right -= 34
    if player["character"] != NONE:
        sign, right = _character(seat, look, measures, right)
        body += sign
    return body + text(left, 26.5, fitted(look.names[seat], 18, right - left - 6, BOLD), 18, ink, weight=BOLD)


def _character(seat: int, look: Look, measures: Measures, right: float) -> tuple[str, float]:
    """The sign of a player's character, with its right end at ``right``, and the place of its left end."""
    player = look.content["players"][seat]
    index = player["character"]
    name = look.labels.characters[index]
    shown = "" if measures.upright else name
    wide = 26 + (width_of(shown, LEAST_TEXT) + 8 if shown else 0) + 6
    left = right - wide
    label = f"{name}, {look.labels.used}" if player["power_used"] else name
    used = player["power_used"]
    colour = palette.SOFT if used else palette.INK
    body = rect(left, 6, wide, 28, palette.SLOT if used else palette.PAPER, radius=14)
    body += placed(left + 16, 20, icons.character(index, colour, palette.SLOT if used else palette.PAPER), 0.8)
    if shown:
        body += text(left + 30, 25.6, shown, LEAST_TEXT, palette.INK)
    if used:
        body += svg.path(f"M{svg.number(left + 6)} 20H{svg.number(left + wide - 6)}", "none", stroke(colour, 2))
    return piece(f"character-{index}", label, area(left, 6, wide, 28, 14), body), left - 4


def _village(seat: int, look: Look, measures: Measures) -> str:
    player = look.content["players"][seat]
    size, gap = measures.tile, measures.gap
    pitch = size + gap
    side = 3 * size + 2 * gap
    body = rect(-5, -5, side + 10, side + 10, palette.GROUND, radius=14)
    labels = look.labels
    on_edge: list[list[int]] = [[] for _ in range(EDGES)]
    for dunaia, edge in enumerate(player["dunaias"], 1):
        on_edge[edge].append(dunaia)
    middles = []
    for edge, (first, second) in enumerate(_EDGES):
        x, y = first % 3 * pitch, first // 3 * pitch
        lies = second - first == 3
        box = (x, y + size, size, gap) if lies else (x + size, y, gap, size)
        middles.append((box[0] + box[2] / 2, box[1] + box[3] / 2, lies))
        length, breadth = size * 0.62, gap - 12
        across, along = (length, breadth) if lies else (breadth, length)
        slot = rect(
            middles[-1][0] - across / 2, middles[-1][1] - along / 2, across, along, palette.SLOT, radius=breadth / 2
        )
        name = f"{labels.edge} {first}–{second}"
        body += piece(f"edge-{seat}-{edge}", name, area(*box, 6), slot)
    scale = size / tiles.SIZE
    for index in range(SQUARES):
        x, y = index % 3 * pitch, index // 3 * pitch
        name = labels.labelled(str(index), tiles.square_name(player["squares"][index], look.values.faces, labels))
        drawn = tiles.square(index, player, look.values, scale, look.components)
        body += piece(f"square-{seat}-{index}", name, area(x, y, size, size, 11), placed(x, y, drawn, scale))
    if look.content["seat"] == seat and "second_square" in look.content["pending"]:
        index = look.content["pending"]["second_square"]
        x, y = index % 3 * pitch, index // 3 * pitch
        body += rect(x - 4, y - 4, size + 8, size + 8, "none", radius=14, more=stroke(palette.GOLD, 4, dashes="10 7"))
    woken = look.content["woken"] if look.content["seat"] == seat else 0
    for edge, standing in enumerate(on_edge):
        x, y, lies = middles[edge]
        for place, dunaia in enumerate(standing):
            apart = (place - (len(standing) - 1) / 2) * size * 0.325
            body += _dunaia(seat, dunaia, x + apart if lies else x, y if lies else y + apart, look, measures, woken)
    return body


def _dunaia(seat: int, value: int, x: float, y: float, look: Look, measures: Measures, woken: int) -> str:
    size = measures.gap * 0.5
    drawn = icons.dunaia(value, palette.SEATS[seat], value == woken)
    name = look.labels.dunaia.format(value)
    shape = area(x - size, y - size, 2 * size, 2 * size, size / 2)
    return piece(f"dunaia-{seat}-{value}", name, shape, placed(x, y + 0.5, drawn, measures.gap / 33))


def _holdings(seat: int, look: Look, left: float, top: float, measures: Measures) -> str:
    """Flowers, tokens, artefacts, fragments, and the reserved tile."""
    player = look.content["players"][seat]
    labels = look.labels
    flowers, tokens, artefacts = player["flowers"], player["tokens"], player["artefacts"]
    fragments = tuple(player["fragments"])
    parts = (
        ("flowers", labels.flowers, icons.flower(palette.PETAL, palette.GOLD), str(flowers)),
        ("tokens", labels.tokens, icons.cone(palette.CONE, palette.WHITE), str(tokens)),
        ("artefacts", labels.artefacts, icons.artefact(), str(artefacts)),
        ("fragments", labels.fragments, icons.artefact(fragments), ""),
    )
    reserved = player["reserved"]
    body = ""
    if measures.upright:
        across: float = measures.width - 2 * MARGIN
        tile = 54.0
        width = (across - (tile + 6 if reserved != NONE else 0) - 18) / 4
        boxes = [(left + k * (width + 6), top, width, 54.0) for k in range(4)]
        held = (left + across - tile, top, tile)
    else:
        across = measures.width - left - MARGIN
        width = (across - 8) / 2
        height = float(_BOX if reserved != NONE else _SPREAD_BOX)
        boxes = [(left + k % 2 * (width + 8), top + k // 2 * (height + 8), width, height) for k in range(4)]
        held = (left + (across - 90) / 2, top + 384 - 90, 90.0)
    for (kind, label, icon, count), box in zip(parts, boxes, strict=True):
        body += _holding(look, f"{kind}-{seat}", label, icon, count, box)
    if reserved != NONE:
        face = look.values.faces[reserved]
        x, y, size = held
        drawn = placed(x, y, tiles.drawing(face, size / tiles.SIZE), size / tiles.SIZE)
        label = labels.labelled(labels.reserved, tiles.name_of(face, labels))
        body += piece(f"reserved-{seat}", label, area(x, y, size, size), drawn)
        if not measures.upright:
            body += text(x + size / 2, y - 8, labels.reserved, LEAST_TEXT, palette.SOFT, anchor="middle")
    return body


def _holding(look: Look, name: str, label: str, icon: str, count: str, box: tuple[float, float, float, float]) -> str:
    x, y, width, height = box
    body = rect(x, y, width, height, palette.SOCKET, radius=9, more=stroke(palette.LINE, 1.2))
    middle = y + height / 2
    if width_of(label, LEAST_TEXT) <= width - 4:  # pages say what is pointed at
        body += text(x + width / 2, y + 17, label, LEAST_TEXT, palette.SOFT, anchor="middle")
        middle += 9
    if not count:
        scale = min(1.9, (y + height - middle - 3) / 12.5)
        return piece(name, label, area(*box, 9), body + placed(x + width / 2, middle, icon, scale))
    size = size_for(count, 24, width - 40, BOLD)
    wide = width_of(count, size, BOLD)
    start = x + (width - (28 + 4 + wide)) / 2
    body += placed(start + 14, middle, icon, 1.12)
    body += text(start + 32, middle + size * 0.352, count, size, palette.INK, weight=BOLD)
    return piece(name, look.labels.labelled(label, count), area(*box, 9), body)


def _chips(seat: int, look: Look, left: float, top: float, width: float, height: float, *, columns: int) -> str:
    """The six memory chips: plugged chips shine, chips in reserve are outlines."""
    plugged = look.content["players"][seat]["chips"]
    labels = look.labels
    rows = FACES // columns
    head = 20 if columns > 1 else 0
    body = ""
    if head:
        words = labels.plugged_count.format(len(plugged))
        body += text(left, top + 13, labels.chips, LEAST_TEXT, palette.SOFT)
        body += text(left + width, top + 13, words, LEAST_TEXT, palette.SOFT, anchor="end")
    across, down = width / columns, (height - head) / rows
    for value in range(1, FACES + 1):
        x = left + (value - 1) % columns * across + across / 2
        y = top + head + (value - 1) // columns * down + down / 2
        name = f"{labels.chip.format(value)}, {labels.plugged if value in plugged else labels.reserve}"
        drawn = chip(value, value in plugged, palette.SEATS[seat])
        shape = area(x - across / 2 + 1, y - down / 2 + 1, across - 2, down - 2)
        body += piece(f"chip-{seat}-{value}", name, shape, placed(x, y, drawn, min(across * 0.93, down, 50) / 30))
    return body


def chip(value: int | str, plugged: bool, colour: str) -> str:
    """A memory chip with its value, in a box of 28 units."""
    line = stroke(palette.GOLD_DARK if plugged else palette.PRINTED, 2)
    pins = svg.path("M-13 -5H-9M-13 0H-9M-13 5H-9M9 -5H13M9 0H13M9 5H13", "none", line)
    if plugged:
        body = rect(-10, -10, 20, 20, colour, radius=4, more=stroke(palette.GOLD, 2))
        ink = palette.WHITE
    else:
        body = rect(-10, -10, 20, 20, palette.CARD, radius=4, more=stroke(palette.PRINTED, 1.4, dashes="3 2.4"))
        ink = palette.SOFT
    return pins + body + text(0, 5.3, str(value), 15, ink, weight=BOLD, anchor="middle")
