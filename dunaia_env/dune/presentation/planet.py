"""The planet: its map, read from ``map.json``, and the tokens, the spice and the storm on it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import cos, hypot, pi, sin
from pathlib import Path
from typing import Final, NamedTuple

from dunaia_env.dune.presentation import icons, palette
from dunaia_env.dune.presentation.look import Look
from dunaia_env.dune.presentation.wording.facts import shown_sector
from dunaia_env.dune.state import NONE, SECTORS
from dunaia_env.support.svg import (
    BOLD,
    area,
    circle,
    growing,
    halved,
    number,
    path,
    piece,
    placed,
    rect,
    stroke,
    text,
    width_of,
)

SIZE: Final = 812
_MIDDLE = SIZE / 2
_RIM = 17.0  # the ring round the map, with the numbers of the sectors
_SINK_RADIUS = 70.0  # approximate
_SHIELD_WALL = 31
_LEAST_RADIUS = 10.0  # of tokens and spice, so that their numbers fit in them
_NOTE = 14  # the size of the texts in the corners
_REACH = 6  # the most sectors that two dials of at most 3 move the storm
_MAP = Path(__file__).resolve().parent / "map.json"

Point = tuple[float, float]


class Label(NamedTuple):
    """The place of a territory's name: middle and size of its box, size of the letters, and lines by language."""

    x: float
    y: float
    width: float
    height: float
    size: float
    lines: Mapping[str, tuple[str, ...]]


class Territory(NamedTuple):
    """A territory as it is drawn; ``type`` is sand, rock, stronghold or polar_sink."""

    name: str
    french: str
    type: str
    cells: tuple[int, ...]
    label: Label


class Planet(NamedTuple):
    """The map in units of the picture, with its middle at the origin.

    Attributes:
        radius: radius of the map.
        territories: the territories, by id.
        owners: the territory of each cell.
        sectors: the sector of each cell, None for the Polar Sink.
        outlines: the outline of each cell, a ring of points; neighbours share their points.
        borders: each border once: the cell, the other cell or None for the edge of the map, and the line.
        tokens: the places for discs in each cell, for one disc, two discs and so on: their radius and their middles.
        marks: the places of the small signs of the ground, by type.
    """

    radius: float
    territories: tuple[Territory, ...]
    owners: tuple[int, ...]
    sectors: tuple[int | None, ...]
    outlines: tuple[tuple[Point, ...], ...]
    borders: tuple[tuple[int, int | None, tuple[Point, ...]], ...]
    tokens: tuple[tuple[tuple[float, tuple[Point, ...]], ...], ...]
    marks: Mapping[str, tuple[Point, ...]]

    def name(self, territory: int, language: str) -> str:
        """The name of a territory in a language."""
        entry = self.territories[territory]
        return entry.french if language == "fr" else entry.name


def _pairs(values: Sequence[float]) -> tuple[Point, ...]:
    return tuple(zip(values[::2], values[1::2], strict=True))


@lru_cache(maxsize=1)
def load_planet() -> Planet:
    """Load the map of the picture."""
    stored = json.loads(_MAP.read_text(encoding="utf-8"))
    territories, owners = [], [0] * len(stored["sectors"])
    for index, (entry, label) in enumerate(zip(stored["territories"], stored["labels"], strict=True)):
        lines = {language: tuple(words) for language, words in label["lines"].items()}
        (x, y), (width, height) = label["at"], label["box"]
        box = Label(x, y, width, height, label["size"], lines)
        territories.append(Territory(entry["name"], entry["french"], entry["type"], tuple(entry["cells"]), box))
        for cell in entry["cells"]:
            owners[cell] = index
    arcs = [_pairs(values) for values in stored["arcs"]]
    outlines = []
    for ring in stored["outlines"]:
        points: list[Point] = []
        for step in ring:
            points += (arcs[step - 1] if step > 0 else arcs[-step - 1][::-1])[:-1]
        outlines.append(tuple(points))
    borders = tuple((first, other, arc) for (first, other), arc in zip(stored["borders"], arcs, strict=True))
    tokens = tuple(tuple((values[0], _pairs(values[1:])) for values in cell) for cell in stored["tokens"])
    marks = {kind: _pairs(values) for kind, values in stored["marks"].items()}
    return Planet(
        stored["radius"], tuple(territories), tuple(owners), tuple(stored["sectors"]), tuple(outlines), borders, tokens,
        marks,
    )  # fmt: skip


def line_angle(line: float) -> float:
    """The angle at which a sector begins, counter-clockwise from the right."""
    return 1.5 * pi + 2 * pi / SECTORS * (line - 1)


def at(line: float, radius: float) -> Point:
    """The point at a sector (a fraction is a part of its width) and a distance from the middle."""
    angle = line_angle(line)
    return radius * cos(angle), -radius * sin(angle)


def _line(points: Sequence[Point], *, closed: bool = False) -> str:
    """A path of relative steps from point to point."""
    (x, y), *others = points
    parts = [f"M{number(x)} {number(y)}"]
    for a, b in others:
        parts.append(f"l{number(round(a - x, 1))} {number(round(b - y, 1))}")
        x, y = a, b
    return "".join(parts).replace(" -", "-") + ("Z" if closed else "")


@lru_cache(maxsize=1)
def ground() -> str:
    """The parts of the map that are the same in every game."""
    planet = load_planet()
    body = circle(0, 0, planet.radius + _RIM, palette.RIM, stroke(palette.GOLD_DARK, 2))
    for index, territory in enumerate(planet.territories):
        shape = "".join(_line(planet.outlines[cell], closed=True) for cell in territory.cells)
        fill = _fill(territory.type, index)
        body += path(shape, fill, stroke(fill, 0.8))
    for kind, points in planet.marks.items():
        if kind == "sand":
            shape = "".join(f"M{number(x - 4.5)} {number(y + 1)}q3-3.6 6-1.4q1.6 1.2 3.6.4" for x, y in points)
            body += path(shape, "none", stroke(palette.DUNE, 1.1))
        else:
            shape = "".join(f"M{number(x - 4)} {number(y + 2.6)}l3-5.6l1.8 3l1-1.4l2.4 4" for x, y in points)
            body += path(shape, "none", stroke(palette.PEAK, 1.1))
    inner = "".join(
        _line(line)
        for first, other, line in planet.borders
        if other is not None and planet.owners[first] == planet.owners[other]
    )
    outer = "".join(
        _line(line)
        for first, other, line in planet.borders
        if other is not None and planet.owners[first] != planet.owners[other]
    )
    spokes = "".join(_line([at(line, planet.radius), at(line, planet.radius + _RIM)]) for line in range(SECTORS))
    body += path(inner, "none", stroke(palette.SECTOR, 0.9, dashes="1 3"))
    body += path(outer, "none", stroke(palette.BORDER, 1.5))
    body += path(spokes, "none", stroke(palette.RIM_INK, 0.8, opacity=0.5))
    body += circle(0, 0, planet.radius, "none", stroke(palette.BORDER, 2.4))
    strongholds = [territory.cells[0] for territory in planet.territories if territory.type == "stronghold"]
    shape = "".join(_line(planet.outlines[cell], closed=True) for cell in strongholds)
    return body + path(shape, "none", stroke(palette.STRONGHOLD_LINE, 2.4))


def _fill(kind: str, index: int) -> str:
    if kind == "sand":
        return palette.SANDS[index * 7 % len(palette.SANDS)]
    if kind == "rock":
        return palette.ROCKS[index % len(palette.ROCKS)]
    return palette.STRONGHOLD if kind == "stronghold" else palette.SINK


@lru_cache(maxsize=1)
def _sky() -> str:
    """Stars in the corners."""
    body = ""
    for k in range(260):
        x, y = k * 0.618034 % 1 * SIZE, k * 0.754878 % 1 * SIZE
        written = abs(x - _MIDDLE) > _MIDDLE - 150 and abs(y - _MIDDLE) > _MIDDLE - 90
        if hypot(x - _MIDDLE, y - _MIDDLE) > 418 and not written:
            body += circle(round(x, 1), round(y, 1), (0.6, 0.9, 1.3)[k % 3], palette.STAR, 'fill-opacity=".7"')
    return body


def planet(look: Look) -> str:
    """The board, with its upper left corner at the origin."""
    body = rect(0, 0, SIZE, SIZE, palette.SKY, radius=16) + _sky()
    drawn = ground() + _wall(look) + _storm(look) + _field(look) + _rim(look)
    held = _held(look)
    cells = "".join(_cell(look, cell, held.get(cell, [])) for cell in range(len(load_planet().owners)))
    occupied = {load_planet().owners[cell] for cell in held}
    names = "".join(_name(look, index, index in occupied) for index in range(len(load_planet().territories)))
    return body + placed(_MIDDLE, _MIDDLE, drawn + cells + names) + _corners(look)


def _held(look: Look) -> dict[int, list[tuple[int | None, int]]]:
    """The contents of each cell: seats with their tokens, then None with the spice."""
    held: dict[int, list[tuple[int | None, int]]] = {}
    for seat, player in enumerate(look.players):
        for cell, count in player.get("forces") or ():
            held.setdefault(cell, []).append((seat, count))
    for cell, amount in look.get("spice") or ():
        held.setdefault(cell, []).append((None, amount))
    return held


def _cell(look: Look, cell: int, held: list[tuple[int | None, int]]) -> str:
    planet, labels = load_planet(), look.labels
    territory, sector = planet.owners[cell], planet.sectors[cell]
    name = planet.name(territory, labels.language)
    label = name if sector is None else labels.cell.format(name, shown_sector(sector))
    body = ""
    if held:
        spots = planet.tokens[cell]
        radius, middles = spots[min(len(held), len(spots)) - 1]
        for (seat, count), (x, y) in zip(held, middles, strict=False):
            scale = round(max(radius, _LEAST_RADIUS) / (12.2 if seat is None else 12.8), 2)
            least = palette.LEAST_TEXT / scale
            drawn = icons.spice(count, least) if seat is None else icons.token(seat, count, least)
            body += growing(x, y, placed(x, y, drawn, scale))
            if seat is None:
                label += f", {labels.labelled(labels.spice, count)}"
            else:
                label += f", {labels.tokens.format(count, look.names[seat])}"
    corners = " ".join(f"{number(x)},{number(y)}" for x, y in planet.outlines[cell])
    return piece(f"cell-{cell}", label, f'polygon points="{corners}"', body)


def _name(look: Look, index: int, occupied: bool) -> str:
    """The name of a territory, after or below the sign of its type; sand has no sign.

    A small map names the strongholds and the territories that are occupied.
    """
    planet, labels = load_planet(), look.labels
    territory = planet.territories[index]
    box = territory.label
    lines = box.lines[labels.language]
    sign = territory.type if territory.type in icons.GROUNDS else None
    size = box.size
    high = size * 1.02
    top = box.y - len(lines) * high / 2
    body = ""
    for place, line in enumerate(lines):
        shift = 0.0
        base = top + high * (place + 0.5) + size * 0.36
        if sign and place == 0:
            shift = size * 0.62 if line else 0
            left = box.x + shift - (width_of(line, size, BOLD) / 2 + size * 0.66 if line else 0)
            body += placed(left, base - size * 0.36, icons.ground(sign), size / 24)
        if line:
            body += text(box.x + shift, base, line, size, palette.EARTH, weight=BOLD, anchor="middle")
    name = planet.name(index, labels.language)
    label = f"{name}, {labels.types[territory.type]}" if territory.type != "polar_sink" else name
    if occupied or territory.type == "stronghold":
        body = growing(box.x, box.y, body)
    shape = area(box.x - box.width / 2, box.y - box.height / 2, box.width, box.height, 4)
    return piece(f"territory-{index}", label, shape, body)


def _wall(look: Look) -> str:
    """Cracks through the Shield Wall, once it is destroyed."""
    if look.get("shield_wall") is not False:
        return ""
    planet = load_planet()
    body = ""
    for cell in planet.territories[_SHIELD_WALL].cells:
        points = planet.outlines[cell]
        shape = _line(points, closed=True)
        body += path(shape, palette.SANDS[2], stroke(palette.STORM, 2.2, dashes="5 4"))
        for _, (x, y) in zip(range(3), planet.tokens[cell][2][1], strict=False):
            body += path(
                f"M{number(x - 9)} {number(y - 8)}l6 5l-3 4l9 2l-3 5l8 3",
                "none",
                stroke(palette.STORM, 1.4, opacity=0.55),
            )
    return body  # fmt: skip


def _wedge(sector: int, inner: float, outer: float) -> str:
    (a, b), (c, d) = at(sector, inner), at(sector + 1, inner)
    (e, f), (g, h) = at(sector, outer), at(sector + 1, outer)
    return (
        f"M{number(e)} {number(f)}A{number(outer)} {number(outer)} 0 0 0 {number(g)} {number(h)}"
        f"L{number(c)} {number(d)}A{number(inner)} {number(inner)} 0 0 1 {number(a)} {number(b)}Z"
    )


def _storm(look: Look) -> str:
    """The sector of the storm, the dust in it, and its two border lines."""
    sector = look.get("storm")
    if sector is None or sector == NONE:
        return ""
    planet = load_planet()
    cells = [cell for cell, place in enumerate(planet.sectors) if place == sector]
    shape = "".join(_line(planet.outlines[cell], closed=True) for cell in cells)
    body = path(shape, palette.STORM, 'fill-opacity=".2"')
    dust = ""
    for k in range(34):
        radius = 84 + (planet.radius - 92) * (k * 0.618034 % 1)
        inside = 0.06 + 0.72 * (k * 0.754878 % 1)
        start, end = at(sector + inside, radius), at(sector + min(inside + 12 / radius * 2.9, 0.97), radius)
        dust += f"M{number(start[0])} {number(start[1])}"
        dust += f"A{number(radius)} {number(radius)} 0 0 0 {number(end[0])} {number(end[1])}"
    body += path(dust, "none", stroke(palette.STORM, 1.5, opacity=0.42))
    lines = "".join(_line([at(line, _SINK_RADIUS), at(line, planet.radius)]) for line in (sector, sector + 1))
    return body + path(lines, "none", stroke(palette.STORM, 2.6))


def _field(look: Look) -> str:
    """The border of the field in which a battle is fought."""
    outlines = load_planet().outlines
    shape = "".join(_line(outlines[cell], closed=True) for cell in look.field())
    return path(shape, palette.GOLD, 'fill-opacity=".25" ' + stroke(palette.FIELD, 3.4, dashes="7 5")) if shape else ""


def _rim(look: Look) -> str:
    """The ring round the map: the numbers of the sectors, the dots of the seats, the storm and its way."""
    planet, labels = load_planet(), look.labels
    middle = planet.radius + _RIM / 2
    sector = look.get("storm")
    body = ""
    storm = sector is not None and sector != NONE
    if storm:
        body += path(_wedge(sector, planet.radius, planet.radius + _RIM), palette.STORM)
        reach = _REACH if (look.get("turn") or 0) > 1 else SECTORS - 1
        for step in range(1, reach + 1):
            x, y = at(sector + step + 0.1, middle)
            turn = 90 - line_angle(sector + step + 0.1) * 180 / pi
            faint = 1 - 0.13 * step if reach == _REACH else 0.4
            body += (
                f'<g transform="translate({number(x)} {number(y)}) rotate({number(turn)})" opacity="{number(faint)}">'
                + path("M3.4 -4.6L-3.4 0L3.4 4.6", "none", stroke(palette.SPICE, 2.4))
                + "</g>"
            )
    for place in range(SECTORS):
        x, y = at(place + 0.27, middle)
        size = palette.LEAST_TEXT
        shown = str(shown_sector(place))
        drawn = text(x, y + 0.36 * size, shown, size, palette.RIM_INK, weight=BOLD, anchor="middle")
        body += growing(x, y, drawn)
    if storm:
        x, y = at(sector + 0.76, middle)
        drawn = circle(0, 0, 10.5, palette.STORM, stroke(palette.SPICE, 1.6)) + placed(
            0, 0, icons.storm(palette.SPICE), 0.7
        )
        label = f"{labels.storm}, {labels.sector.format(shown_sector(sector))}"
        body += piece("storm", label, f'circle cx="{number(x)}" cy="{number(y)}" r="11"', placed(x, y, drawn))
    for seat, player in enumerate(look.players):
        dot = player.get("dot")
        if dot is not None and dot != NONE:
            x, y = at(dot + 0.5, middle)
            body += placed(x, y, circle(0, 0, 10, palette.SEATS[seat], stroke(palette.WHITE, 1.6))
                           + placed(0, 0, icons.seat_mark(seat, palette.WHITE), 0.62))  # fmt: skip
    return body


def _corners(look: Look) -> str:
    """The texts in the corners of the board: the turn, the last spice blow, the ground, the storm and the wall."""
    labels = look.labels
    edge = 16.0
    far = SIZE - edge
    turn = look.get("turn") or 0
    most = (look.get("options") or {}).get("max_turns")
    body = text(edge, 30, labels.turn.format("").strip(), _NOTE, palette.SKY_SOFT)
    body += text(edge, 66, str(turn), 36, palette.STAR, weight=BOLD)
    if most:
        body += text(
            edge + width_of(str(turn), 36, BOLD) + 6, 66, labels.of_turns.format(most), _NOTE, palette.SKY_SOFT
        )
    body = growing(edge, edge, body)
    drawn = text(far, 30, labels.last_blow, _NOTE, palette.SKY_SOFT, anchor="end")
    blow = look.get("last_blow")
    shown = labels.nothing if blow is None or blow == NONE else load_planet().name(blow, labels.language)
    lines = halved(shown, 15, 124, BOLD)
    for place, line in enumerate(lines):
        drawn += text(far, 48 + 16 * place, line, 15, palette.STAR, weight=BOLD, anchor="end")
    drawn += placed(far - 11, 52 + 16 * len(lines), icons.spice(), 0.9)
    body += growing(far, edge, drawn)
    return body + growing(edge, SIZE, _legend(look, edge)) + growing(far, far, _weather(look, far))


def _legend(look: Look, edge: float) -> str:
    labels = look.labels
    body = ""
    for place, kind in enumerate(("sand", "rock", "stronghold")):
        y = SIZE - 66 + 23 * place
        body += rect(edge, y, 26, 17, _fill(kind, 0), radius=4, more=stroke(palette.SKY_SOFT, 1))
        if kind == "sand":
            body += path(f"M{number(edge + 5)} {number(y + 10)}q5-5 9-2q3 2 7 .6", "none", stroke(palette.DUNE, 1.4))
        else:
            body += placed(edge + 13, y + 8.5, icons.ground(kind), 0.6)
        body += text(edge + 33, y + 13.4, labels.types[kind], _NOTE, palette.STAR)
    return body


def _weather(look: Look, far: float) -> str:
    labels = look.labels
    sector = look.get("storm")
    body = ""
    if sector is not None and sector != NONE:
        body += text(far, SIZE - 66, labels.storm, _NOTE, palette.SKY_SOFT, anchor="end")
        where = labels.storm_at.format(shown_sector(sector))
        body += text(far, SIZE - 50, where, 15, palette.STAR, weight=BOLD, anchor="end")
    wall = look.get("shield_wall")
    if wall is not None:
        body += text(far, SIZE - 30, labels.shield_wall, _NOTE, palette.SKY_SOFT, anchor="end")
        shown = labels.wall_stands if wall else labels.wall_gone
        body += text(far, SIZE - 14, shown, 15, palette.STAR if wall else palette.SPICE, weight=BOLD, anchor="end")
    return body
