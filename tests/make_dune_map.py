"""Makes the map of Dune that the picture draws: ``python -m tests.make_dune_map``, some 40 seconds; look at it then.

``python -m tests.make_dune_map names`` keeps the areas and finds new places for names, tokens and the marks of the
ground.

The components print territories, cells and borders. The map has one junction wherever three or more areas meet, so the
borders say how the junctions are joined; only their places are left to choose. Junctions between two sectors lie on the
straight line between them. All others, and the distances on the lines, are moved until the areas have good sizes and
compact forms. Then the borders become winding lines, and names, tokens and the marks of the ground find their places.
"""

from __future__ import annotations

import json
import sys
from itertools import combinations, pairwise
from math import atan2, ceil, cos, hypot, log, pi, sin
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from dunaia_env.dune.board import TYPE_NAMES
from dunaia_env.dune.components import load
from dunaia_env.dune.presentation.planet import load_planet
from dunaia_env.dune.presentation.wording.french_names import TERRITORIES, bare

from .dune_map_places import RADIUS, Array, label, marks, mask_of, noise, slots

TARGET = Path(__file__).resolve().parent.parent / "dunaia_env" / "dune" / "presentation" / "map.json"
SINK = 66.0
SECTORS = 18
STEP = 2 * pi / SECTORS
# Areas that lie in one sector in only one territory need room for a name; those round the sink are narrow.
WEIGHTS = {"stronghold": 1.0, "rock": 1.0, "sand": 1.0}
INNER = 0.5


class Junction(NamedTuple):
    """Where areas meet; ``line`` is the number of the sector line, ``radius`` is fixed on the rim and at the sink."""

    areas: tuple[int, ...]
    line: int | None
    radius: float | None


class Board:
    """The board file, with the outside as a further area, and the junctions that follow from it."""

    def __init__(self, board: dict[str, Any]) -> None:
        self.board = board
        self.territory = [cell[0] for cell in board["cells"]]
        self.sector = [cell[1] for cell in board["cells"]]
        self.cells = len(self.territory)
        self.sink = self.sector.index(None)
        self.outside = self.cells
        graph = nx.Graph([tuple(pair) for pair in board["cell_adjacency"]])
        graph.add_edges_from((cell, self.outside) for cell in RIM)
        planar, embedding = nx.check_planarity(graph)
        assert planar
        order = list(embedding.neighbors_cw_order(self.sink))
        turns = sum((self.sector[b] - self.sector[a]) % SECTORS == 1 for a, b in pairwise(order))
        if turns > SECTORS / 2:  # clockwise here means that sectors rise clockwise: the mirror image is wanted
            mirrored = nx.PlanarEmbedding()
            mirrored.set_data({node: list(reversed(list(embedding.neighbors_cw_order(node)))) for node in embedding})
            embedding = mirrored
        faces, seen = [], set()
        for edge in embedding.edges:
            if edge not in seen:
                faces.append(tuple(embedding.traverse_face(*edge, mark_half_edges=seen)))
        self.junctions = [self._junction(face) for face in faces]
        left: dict[tuple[int, int], int] = {}
        for number, face in enumerate(faces):
            for place, area in enumerate(face):
                left[area, face[(place + 1) % len(face)]] = number
        # Each border once: the areas and the junctions at its ends.
        self.borders = [(a, b, left[a, b], left[b, a]) for a, b in graph.edges]
        self.rings = []
        for cell in range(self.cells):
            ring = [left[cell, other] for other in embedding.neighbors_cw_order(cell)]
            self.rings.append(ring)

    def _junction(self, face: tuple[int, ...]) -> Junction:
        sectors = sorted({self.sector[area] for area in face if area not in (self.outside, self.sink)})
        radius = RADIUS if self.outside in face else None
        if self.sink in face:
            radius = SINK + 5 * noise(*face)
        if len(sectors) == 1:
            return Junction(face, None, radius)
        assert len(sectors) == 2, face
        low, high = sectors
        assert high - low in (1, SECTORS - 1), face
        return Junction(face, high if high - low == 1 else 0, radius)


# The areas at the edge of the world; which they are follows from the borders on both sides of each sector line.
RIM = (46, 47, 17, 18, 12, 13, 67, 68, 69, 59, 53, 54, 32, 66, 3, 48, 49, 50, 6, 7, 61, 62, 4, 5, 31, 70, 71, 33, 35,
       37, 36)  # fmt: skip


def line_angle(line: int) -> float:
    return 1.5 * pi + STEP * (line - 1)


def direction(angle: float) -> tuple[float, float]:
    """A step at an angle counter-clockwise from the right; the picture's y grows downwards."""
    return cos(angle), -sin(angle)


def sector_of(x: float, y: float) -> float:
    """The sector at a point, with its fraction."""
    return ((atan2(-y, x) - line_angle(0)) % (2 * pi)) / STEP


def targets(board: Board) -> Array:
    """How large each area shall be."""
    territories = board.board["territories"]
    wedge = (pi * RADIUS**2 - pi * SINK**2) / SECTORS
    weights = np.array([WEIGHTS.get(territories[t]["type"], 1.0) for t in board.territory])
    for a, b in board.board["cell_adjacency"]:
        if board.sink in (a, b):
            weights[a + b - board.sink] *= INNER
    for cell, factor in FACTORS.items():
        weights[cell] *= factor
    sizes = np.zeros(board.cells)
    for sector in range(SECTORS):
        inside = [cell for cell in range(board.cells) if board.sector[cell] == sector]
        sizes[inside] = wedge * weights[inside] / weights[inside].sum()
    return sizes


# Areas that need more or less room than others of their sector.
FACTORS: dict[int, float] = {
    37: 2.2,
    8: 1.9,
    65: 1.8,
    79: 1.9,
    0: 1.2,
    60: 1.3,
    66: 1.15,
    43: 0.8,
    78: 0.8,
    38: 0.85,
    3: 1.1,
    42: 1.6,
    84: 1.2,
    85: 1.2,
    2: 1.3,
}


def settle(board: Board) -> Array:
    """The places of the junctions."""
    count = len(board.junctions)
    near: list[list[int]] = [[] for _ in range(count)]
    for _, _, first, second in board.borders:
        near[first].append(second)
        near[second].append(first)
    angle, radius = np.zeros(count), np.full(count, (RADIUS + SINK) / 2)
    _spread(board, angle, radius)
    place = np.array([direction(a) for a in angle]) * radius[:, None]
    for _ in range(4000):  # every junction to the middle of its neighbours, as far as it may go
        middle = np.array([place[others].mean(axis=0) for others in near])
        for number, junction in enumerate(board.junctions):
            if junction.line is not None:
                away = np.array(direction(line_angle(junction.line)))
                place[number] = away * (junction.radius or middle[number] @ away)
            elif junction.radius is not None:
                if len(near[number]) > 0 and junction.radius != RADIUS:
                    place[number] = middle[number] * junction.radius / hypot(*middle[number])
            else:
                place[number] = middle[number]
    areas = [_area(place[ring]) for ring in board.rings]
    print("least area of the start", sorted((round(a), c) for c, a in enumerate(areas))[:8])
    return _relax(board, place)


def _walls(board: Board) -> tuple[NDArray[np.int64], Array]:
    """The junctions inside of a sector, and the directions away from its two lines, each line for itself."""
    numbers, ways = [], []
    for number, junction in enumerate(board.junctions):
        if junction.line is None:
            cell = next(area for area in junction.areas if area not in (board.outside, board.sink))
            sector = board.sector[cell]
            for angle in (line_angle(sector) + pi / 2, line_angle(sector + 1) - pi / 2):
                numbers.append(number)
                ways.append(direction(angle))
    return np.array(numbers), np.array(ways)


def _area(points: Array) -> float:
    after = np.roll(points, -1, axis=0)
    return 0.5 * float((points[:, 0] * after[:, 1] - after[:, 0] * points[:, 1]).sum())


def _spread(board: Board, angle: Array, radius: Array) -> None:
    """First places of the junctions on the rim, in order, and of those on lines."""
    between: dict[int, list[int]] = {}
    for number, junction in enumerate(board.junctions):
        if junction.radius is not None:
            radius[number] = junction.radius
        if junction.line is not None:
            angle[number] = line_angle(junction.line)
        else:
            cell = next(a for a in junction.areas if a not in (board.outside, board.sink))
            angle[number] = line_angle(board.sector[cell]) + STEP / 2
            if junction.radius is not None:
                between.setdefault(2 * board.sector[cell] + (junction.radius == RADIUS), []).append(number)
    for numbers in between.values():
        ordered = sorted(numbers, key=lambda n: _place_on_rim(board, n))
        for place, number in enumerate(ordered):
            angle[number] += STEP * ((place + 1) / (len(ordered) + 1) - 0.5)


def _place_on_rim(board: Board, number: int) -> float:
    areas = [RIM.index(area) for area in board.junctions[number].areas if area in RIM]
    return sum(areas)


def _relax(board: Board, start: Array) -> Array:
    """Move the junctions until areas have their sizes and are compact."""
    free: list[tuple[int, Array]] = []  # a junction, and where a unit of a variable takes it
    for number, junction in enumerate(board.junctions):
        if junction.line is not None:
            if junction.radius is None:
                free.append((number, np.array(direction(line_angle(junction.line)))))
        elif junction.radius is None:
            free.extend(((number, np.array([1.0, 0.0])), (number, np.array([0.0, 1.0]))))
        else:  # along the rim or the sink, nearly
            x, y = start[number] / hypot(*start[number])
            free.append((number, np.array([-y, x])))
    owners = np.array([number for number, _ in free])
    ways = np.array([way for _, way in free])
    wanted = targets(board)
    cells = [cell for cell in range(board.cells) if cell != board.sink]
    rings = [np.array(board.rings[cell]) for cell in cells]
    ends = np.array([(first, second) for _, _, first, second in board.borders])

    walled, walls = _walls(board)

    def places(values: Array) -> Array:
        place = start.copy()
        np.add.at(place, owners, ways * values[:, None])
        return place

    def energy(values: Array) -> tuple[float, Array]:
        place = places(values)
        slope = np.zeros_like(place)
        total = 0.0
        for cell, ring in zip(cells, rings, strict=True):
            points = place[ring]
            after, before = np.roll(points, -1, axis=0), np.roll(points, 1, axis=0)
            area = 0.5 * float((points[:, 0] * after[:, 1] - after[:, 0] * points[:, 1]).sum())
            steps = after - points
            lengths = np.sqrt((steps**2).sum(axis=1)) + 1e-9
            around = float(lengths.sum())
            units = steps / lengths[:, None]
            of_area = 0.5 * np.stack([after[:, 1] - before[:, 1], before[:, 0] - after[:, 0]], axis=1)
            of_around = np.roll(units, 1, axis=0) - units
            if area < 4:
                return 1e9 - area, slope[owners].sum(axis=1) * 0
            share = log(area / wanted[cell])
            total += 4 * share**2
            slope[ring] += 8 * share / area * of_area
            compact = around**2 / (4 * pi * area)
            total += 1.6 * compact
            slope[ring] += 1.6 * (2 * compact / around * of_around - compact / area * of_area)
        steps = place[ends[:, 0]] - place[ends[:, 1]]
        lengths = np.sqrt((steps**2).sum(axis=1)) + 1e-9
        short = np.maximum(1 - lengths / 24, 0)
        total += 3.0 * float((short**2).sum())
        pull = (-6.0 * short / 24 / lengths)[:, None] * steps
        np.add.at(slope, ends[:, 0], pull)
        np.add.at(slope, ends[:, 1], -pull)
        depth = (place[walled] * walls).sum(axis=1)  # how far from the lines of its sector
        near = np.maximum(1 - depth / 16, 0)
        total += 12 * float((near**2).sum())
        np.add.at(slope, walled, (-24 * near / 16)[:, None] * walls)
        return total, (slope[owners] * ways).sum(axis=1)

    values = minimize(
        energy, np.zeros(len(free)), jac=True, method="L-BFGS-B", options={"maxiter": 4000, "maxfun": 9000}
    ).x
    place = places(values)
    for number, junction in enumerate(board.junctions):
        if junction.line is None and junction.radius is not None:
            place[number] *= junction.radius / hypot(*place[number])
    return place


def arcs(board: Board, place: Array) -> list[list[tuple[float, float]]]:
    """The winding line of each border, from its first junction to its second."""
    found = []
    tangents = _tangents(board, place)
    for number, (a, b, first, second) in enumerate(board.borders):
        start, end = place[first], place[second]
        if board.outside in (a, b):
            found.append(_round(start, end))
        elif board.sink not in (a, b) and board.sector[a] != board.sector[b]:
            found.append([tuple(start), tuple(end)])
        else:
            found.append(_winding(start, end, tangents.get((number, first)), tangents.get((number, second)), number))
    return [[(round(float(x), 1), round(float(y), 1)) for x, y in arc] for arc in found]


def _round(start: Array, end: Array) -> list[tuple[float, float]]:
    first = atan2(-start[1], start[0])
    turn = (atan2(-end[1], end[0]) - first + pi) % (2 * pi) - pi
    steps = max(ceil(abs(turn) * RADIUS / 14), 2)
    inner = [(RADIUS * x, RADIUS * y) for x, y in (direction(first + turn * k / steps) for k in range(1, steps))]
    return [tuple(start), *inner, tuple(end)]


def _tangents(board: Board, place: Array) -> dict[tuple[int, int], Array]:
    """Where the border of two territories crosses a sector line: its common direction on both sides, away from it."""
    found = {}
    at: dict[int, list[int]] = {}
    for number, (a, b, first, second) in enumerate(board.borders):
        if board.outside in (a, b) or (board.sink not in (a, b) and board.sector[a] != board.sector[b]):
            continue
        for end in (first, second):
            at.setdefault(end, []).append(number)
    for junction, numbers in at.items():
        for one, other in combinations(numbers, 2):
            pairs = [frozenset(board.territory[area] for area in board.borders[n][:2]) for n in (one, other)]
            if pairs[0] != pairs[1]:
                continue
            ways = []
            for n in (one, other):
                first, second = board.borders[n][2:]
                way = place[second if first == junction else first] - place[junction]
                ways.append(way / hypot(*way))
            common = ways[0] - ways[1]
            if hypot(*common) > 0.3:
                common /= hypot(*common)
                found[one, junction], found[other, junction] = common, -common
    return found


def _winding(
    start: Array, end: Array, leaving: Array | None, arriving: Array | None, seed: int
) -> list[tuple[float, float]]:
    chord = end - start
    length = hypot(*chord)
    out = chord if leaving is None else leaving * length
    into = chord if arriving is None else -arriving * length
    steps = max(ceil(length / 6.5), 2)
    normal = np.array([-chord[1], chord[0]]) / length
    points = [tuple(start)]
    swing = min(0.075 * length, 4.2)
    phases = [pi * noise(seed, k) for k in range(3)]
    for k in range(1, steps):
        t = k / steps
        base = (
            (2 * t**3 - 3 * t**2 + 1) * start
            + (t**3 - 2 * t**2 + t) * out
            + (-2 * t**3 + 3 * t**2) * end
            + (t**3 - t**2) * into
        )
        wave = sum(
            amount * sin(turns * t * 2 * pi * length / 60 + phase)
            for amount, turns, phase in zip((0.6, 0.45, 0.3), (0.9, 1.9, 3.3), phases, strict=True)
        )
        point = base + normal * swing * wave * min(1.0, 5 * t * (1 - t))
        points.append((float(point[0]), float(point[1])))
    points.append(tuple(end))
    return points


def polygon(board: Board, lines: list[list[tuple[float, float]]], cell: int) -> list[tuple[float, float]]:
    """The outline of a cell, counter-clockwise or clockwise, each point once."""
    between = {}
    for number, (a, b, first, second) in enumerate(board.borders):
        if cell in (a, b):
            between[first, second] = lines[number]
            between[second, first] = lines[number][::-1]
    ring = board.rings[cell]
    points: list[tuple[float, float]] = []
    for place, junction in enumerate(ring):
        points += between[junction, ring[(place + 1) % len(ring)]][:-1]
    return points


def printed() -> dict[str, Any]:
    """The territories, cells and borders that the components print."""
    components = load()
    record, names = components.record[0], components.names
    cells = [
        [int(t), int(s) if s >= 0 else None] for t, s in zip(record["territory_of"], record["sector"], strict=True)
    ]
    near = np.argwhere(np.triu(record["borders"]) == 1)
    territories = [
        {
            "id": number,
            "name": name,
            "french": bare(TERRITORIES[name]),
            "type": TYPE_NAMES[record["type"][number]],
            "cells": [cell for cell, (territory, _) in enumerate(cells) if territory == number],
        }
        for number, name in enumerate(names.territories)
    ]
    return {"territories": territories, "cells": cells, "cell_adjacency": near.tolist()}


def main() -> None:
    """Write the map."""
    board = Board(printed())
    place = settle(board)
    lines = arcs(board, place)
    outlines = [polygon(board, lines, cell) for cell in range(board.cells)]
    masks = [mask_of(points) for points in outlines]
    number = {(first, second): k for k, (_, _, first, second) in enumerate(board.borders)}
    rings = []
    for cell in range(board.cells):
        ring = board.rings[cell]
        steps = [(junction, ring[(k + 1) % len(ring)]) for k, junction in enumerate(ring)]
        rings.append([number[step] + 1 if step in number else -number[step[1], step[0]] - 1 for step in steps])
    content = {
        "radius": RADIUS,
        "territories": [
            {"name": t["name"], "french": t["french"], "type": t["type"], "cells": t["cells"]}
            for t in board.board["territories"]
        ],
        "sectors": board.sector,
        "borders": [[min(a, b), None if board.outside in (a, b) else max(a, b)] for a, b, _, _ in board.borders],
        "arcs": [[value for point in arc for value in point] for arc in lines],
        "outlines": rings,
        **places(board.board, masks),
    }
    write(content)


def places(board: dict[str, Any], masks: list[NDArray[np.bool_]]) -> dict[str, Any]:
    """Where names, tokens and the marks of the ground stand."""
    labels = [label(board, territory["id"], masks) for territory in board["territories"]]
    tokens = [slots(mask, [labels[board["cells"][cell][0]]]) for cell, mask in enumerate(masks)]
    print("smallest tokens", sorted((spots[0][0], spots[1][0], cell) for cell, spots in enumerate(tokens))[:12])
    drawn = marks(board, masks, labels)
    return {
        "labels": [
            {"at": [box.x, box.y], "box": [box.width, box.height], "size": box.size, "lines": box.lines}
            for box in labels
        ],
        "tokens": tokens,
        "marks": {kind: [v for point in points for v in point] for kind, points in drawn.items()},
    }


def name_again() -> None:
    """Write the map with new places in the areas that it has."""
    content = json.loads(TARGET.read_text(encoding="utf-8"))
    masks = [mask_of(list(points)) for points in load_planet().outlines]
    write(content | places(printed(), masks))


def write(content: dict[str, Any]) -> None:
    """Write the map's file."""
    body = ",\n".join(f" {json.dumps(key)}: {_rows(value)}" for key, value in content.items())
    TARGET.write_text("{\n" + body + "\n}\n", encoding="utf-8")
    print(TARGET.stat().st_size, "bytes")


def _rows(value: Any) -> str:
    """JSON with an entry of a list on a line."""
    if isinstance(value, list) and value and isinstance(value[0], list | dict):
        return "[\n" + ",\n".join("  " + json.dumps(entry, ensure_ascii=False) for entry in value) + "\n ]"
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    name_again() if sys.argv[1:] == ["names"] else main()
