"""Where names, tokens and the marks of the ground stand on the map of Dune; see `tests.make_dune_map`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, pairwise, product
from math import ceil, hypot
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy.ndimage import distance_transform_edt

from dunaia_env.dune.presentation.palette import LEAST_TEXT
from dunaia_env.support.svg import BOLD, width_of

RADIUS = 386.0
LARGEST_TOKEN = 15.5
LEAST_TOKEN = 12.0  # of a cell's only token, beside its territory's name
MOST_TOKENS = 7

Array = NDArray[np.float64]


def noise(*numbers: int) -> float:
    """A number in -1..1 that looks random and is always the same."""
    value = 0
    for number in numbers:
        value = (value * 1_000_003 + number * 7919 + 12345) & 0xFFFFFFFF
        value ^= value >> 15
        value = (value * 2246822519) & 0xFFFFFFFF
        value ^= value >> 13
    return value / 0x7FFFFFFF - 1


SCALE = 1  # pixels per unit, where places are looked for
SIDE = int(2 * (RADIUS + 6))


def mask_of(points: list[tuple[float, float]]) -> NDArray[np.bool_]:
    """The inside of an outline as pixels."""
    image = Image.new("1", (SIDE * SCALE, SIDE * SCALE))
    shifted = [((x + SIDE / 2) * SCALE, (y + SIDE / 2) * SCALE) for x, y in points]
    ImageDraw.Draw(image).polygon(shifted, fill=1)
    return np.array(image, bool)


TEXT_SIZES = (14.5, 14.0, LEAST_TEXT)
# What stands on the map where a whole name has no room; pages show the whole name of what is pointed at.
SHORT_NAMES = {
    "Sietch de la Chaîne de Habbanya": ("Sietch de Habbanya", "Habbanya"),
    "Habbanya Sietch": ("Habbanya",),
    "Hole in the Rock": ("Hole",),
    "Trou dans le Roc": ("Trou",),
    "Rim Wall West": ("Rim Wall", "Rim"),
    "Mur Ouest": ("Mur O.", "Mur"),
    "Sihaya Ridge": ("Sihaya", "Sih."),
    "Crête de Sihaya": ("Sihaya", "Sih."),
    "Sietch Tabr": ("Tabr",),
    "Wind Pass North": ("Wind Pass N.",),
    "Passe du Vent-Nord": ("Passe du Vent-N.", "Vent-Nord"),
}


def splits(name: str, *, sign: bool) -> Iterator[tuple[str, ...]]:
    """A name on one, two or three lines; with a sign also with an empty first line, on which the sign stands alone."""
    words = re.findall(r"[^ -]+-?", name)
    for cuts in range(min(len(words), 4)):
        for places in combinations(range(1, len(words)), cuts):
            bounds = (0, *places, len(words))
            lines = tuple(
                "".join(word if word.endswith("-") else f"{word} " for word in words[low:high]).strip()
                for low, high in pairwise(bounds)
            )
            yield lines
            if sign:
                yield ("", *lines)


class Label(NamedTuple):
    """Where a name stands: the middle of its box, its size, its lines in each language."""

    x: float
    y: float
    width: float
    height: float
    size: float
    lines: dict[str, tuple[str, ...]]


def label(board: dict[str, Any], territory: int, masks: list[NDArray[np.bool_]]) -> Label:
    """The best place for a territory's name, which leaves room for tokens in each of its cells."""
    entry = board["territories"][territory]
    lettered = entry["type"] in ("rock", "stronghold")
    inside = np.logical_or.reduce([masks[cell] for cell in entry["cells"]])
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    top, left = rows[0] - 2, columns[0] - 2
    crop = np.s_[top : rows[-1] + 3, left : columns[-1] + 3]
    inside = inside[crop]
    for _ in range(2):  # close the seams between cells
        grown = inside.copy()
        grown[1:-1, 1:-1] |= (inside[:-2, 1:-1] & inside[2:, 1:-1]) | (inside[1:-1, :-2] & inside[1:-1, 2:])
        inside = grown
    parts = [masks[cell][crop] for cell in entry["cells"]]
    blocked = np.pad(np.cumsum(np.cumsum(~inside, axis=0), axis=1), ((1, 0), (1, 0)))
    best: tuple[float, Label] | None = None
    for shortened in range(3):  # the whole name, then shorter ones
        english, french = (_shortened(entry[key], shortened) for key in ("name", "french"))
        for size in TEXT_SIZES:
            for lines in product(splits(english, sign=lettered), splits(french, sign=lettered)):
                named = dict(zip(("en", "fr"), lines, strict=True))
                found = _fit(inside, blocked, parts, named, size, lettered)
                if found is not None:
                    score, x, y, wide, high = found
                    score += 2 * size
                    if best is None or score > best[0]:
                        at = ((x + left) / SCALE - SIDE / 2, (y + top) / SCALE - SIDE / 2)
                        best = score, Label(*(round(value, 1) for value in (*at, wide, high)), size, named)
            if best is not None and best[0] > 3 * LEAST_TOKEN + 2 * size:
                break
        if best is not None and best[0] > 3 * LEAST_TOKEN + 2 * LEAST_TEXT:
            break
    assert best is not None, entry["name"]
    print(f"{entry['name']:20} {best[0]:6.1f} size {best[1].size} {best[1].lines}")
    return best[1]


def _shortened(name: str, times: int) -> str:
    """A name, or the shorter one that stands for it after so many attempts."""
    return (name, *SHORT_NAMES.get(name, ()))[: times + 1][-1]


def extent(lines: dict[str, tuple[str, ...]], size: float, lettered: bool) -> tuple[float, float]:
    """Width and height of a name's box."""
    wide = max(
        width_of(line, size, BOLD) + (size * 1.25 if lettered and place == 0 else 0)
        for words in lines.values()
        for place, line in enumerate(words)
    )
    return wide + 3, max(len(words) for words in lines.values()) * size * 1.02 + 2


def _fit(
    inside: NDArray[np.bool_],
    blocked: NDArray[np.int64],
    parts: list[NDArray[np.bool_]],
    lines: dict[str, tuple[str, ...]],
    size: float,
    lettered: bool,
) -> tuple[float, float, float, float, float] | None:
    wide, high = extent(lines, size, lettered)
    w, h = int(wide * SCALE), int(high * SCALE)
    if h + 1 >= blocked.shape[0] or w + 1 >= blocked.shape[1]:
        return None
    outside = blocked[h:, w:] - blocked[:-h, w:] - blocked[h:, :-w] + blocked[:-h, :-w]
    rows, columns = np.nonzero(outside == 0)
    if not len(rows):
        return None
    deep = distance_transform_edt(inside)
    best = None
    step = max(len(rows) // 30, 1)
    for row, column in list(zip(rows, columns, strict=True))[::step]:
        worst = 99.0
        for part in parts:
            left = part.copy()
            left[row : row + h, column : column + w] = False
            worst = min(worst, float(distance_transform_edt(left).max()) / SCALE)
        margin = float(deep[row : row + h : h - 1 or 1, column : column + w : w - 1 or 1].min()) / SCALE
        score = 3 * min(worst, LARGEST_TOKEN + 1) + min(margin, 3)
        if best is None or score > best[0]:
            best = score, column + w / 2, row + h / 2, wide, high
    return best


def slots(mask: NDArray[np.bool_], boxes: list[Label]) -> list[list[float]]:
    """For one token, two tokens and so on: the radius and the middles of discs beside each other in a cell."""
    free = mask.copy()
    for box in boxes:
        x, y = (box.x + SIDE / 2) * SCALE, (box.y + SIDE / 2) * SCALE
        w, h = box.width * SCALE / 2, box.height * SCALE / 2
        free[int(y - h) : ceil(y + h), int(x - w) : ceil(x + w)] = False
    deep = distance_transform_edt(free) / SCALE - 0.6
    rows, columns = np.nonzero(deep > 4)
    points = np.stack([columns / SCALE - SIDE / 2, rows / SCALE - SIDE / 2], axis=1)
    depths = deep[rows, columns]
    found = []
    for count in range(1, MOST_TOKENS + 1):
        radius = LARGEST_TOKEN
        chosen: list[int] = []
        while radius > 3:
            chosen = _packed(points, depths, radius, count)
            if len(chosen) == count:
                break
            radius -= 0.25
        assert len(chosen) == count
        middles = points[chosen]
        # Left to right, then downwards: seats in order.
        ordered = middles[np.lexsort((middles[:, 1], middles[:, 0] // (radius + 1)))]
        found.append([round(radius, 2), *(round(float(v), 1) for v in ordered.ravel())])
    return found


def _packed(points: Array, depths: Array, radius: float, count: int) -> list[int]:
    """Places of that many discs, near each other."""
    allowed = np.flatnonzero(depths >= radius)
    if not len(allowed):
        return []
    if count == 1:
        return [int(np.argmax(depths))]
    best: list[int] = []
    starts = allowed[:: max(len(allowed) // 12, 1)]
    for start in starts:
        chosen = [int(start)]
        left = allowed
        while len(chosen) < count:
            away = np.hypot(*(points[left] - points[chosen[-1]]).T)
            left = left[away >= 2 * radius + 1]
            if not len(left):
                break
            middle = points[chosen].mean(axis=0)
            chosen.append(int(left[np.argmin(np.hypot(*(points[left] - middle).T))]))
        if len(chosen) > len(best):
            best = chosen
        if len(best) == count:
            break
    return best


def marks(board: dict[str, Any], masks: list[NDArray[np.bool_]], labels: list[Label]) -> dict[str, list[list[float]]]:
    """Places of the small signs of the ground: dunes in sand, peaks in rock."""
    found: dict[str, list[list[float]]] = {"sand": [], "rock": []}
    for cell, mask in enumerate(masks):
        territory = board["cells"][cell][0]
        kind = board["territories"][territory]["type"]
        if kind not in found:
            continue
        free = mask.copy()
        box = labels[territory]
        x, y = (box.x + SIDE / 2) * SCALE, (box.y + SIDE / 2) * SCALE
        w, h = box.width * SCALE / 2 + 4 * SCALE, box.height * SCALE / 2 + 4
        free[int(y - h) : ceil(y + h), int(x - w) : ceil(x + w)] = False
        deep = distance_transform_edt(free) / SCALE
        rows, columns = np.nonzero(deep > 6.5)
        apart = 15.0 if kind == "sand" else 12.0
        kept: list[tuple[float, float]] = []
        order = sorted(range(0, len(rows), 3), key=lambda k: noise(cell, k))
        for k in order:
            point = columns[k] / SCALE - SIDE / 2, rows[k] / SCALE - SIDE / 2
            if all(hypot(point[0] - a, point[1] - b) > apart for a, b in kept):
                kept.append(point)
        found[kind] += [[round(float(a), 1), round(float(b), 1)] for a, b in sorted(kept)]
    return found
