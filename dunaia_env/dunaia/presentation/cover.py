"""The cover of the game and the drawings of its primer."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dunaia_env.dunaia.components import FIRST_TILE, PRINTED_FLOWER, load
from dunaia_env.dunaia.presentation import icons, palette, tiles
from dunaia_env.dunaia.presentation.village import chip
from dunaia_env.support import svg
from dunaia_env.support.svg import BOLD, circle, placed, rect, text

_WIDTH: Final = 320
_HEIGHT: Final = 96
_OTHER = 1 - PRINTED_FLOWER  # the other thing that is printed on squares


def _document(body: str, width: float = _WIDTH, height: float = _HEIGHT) -> str:
    ground = rect(0, 0, width, height, palette.GROUND, radius=12)
    return svg.document(width, height, "", ground + body)


def _tile(number: int, x: float, y: float, size: float, steps: int | None = None) -> str:
    face = tiles.printed(load()).faces[number]
    return placed(x, y, tiles.drawing(face, size / tiles.SIZE, steps), size / tiles.SIZE)


def _square(kind: int, x: float, y: float, size: float) -> str:
    icon = (
        icons.flower(palette.PETAL, palette.GOLD)
        if kind == PRINTED_FLOWER
        else icons.chip(palette.PRINTED, palette.SOCKET)
    )
    return rect(x, y, size, size, palette.SOCKET, radius=10) + placed(x + size / 2, y + size / 2, icon, size / 48)


def _robot(value: int, seat: int, x: float, y: float, scale: float, *, woken: bool = False) -> str:
    return placed(x, y, icons.dunaia(value, palette.SEATS[seat], woken), scale)


@lru_cache(maxsize=1)
def cover() -> str:
    """A corner of a village with buildings, robots and dice."""
    size, gap = 100.0, 30.0
    left, top = 24.0, 20.0
    body = ""
    numbers = (FIRST_TILE[0], FIRST_TILE[1] + 2, None, FIRST_TILE[2] + 3, FIRST_TILE[1] + 5)
    for place in range(6):
        x, y = left + place % 3 * (size + gap), top + place // 3 * (size + gap)
        if place == len(numbers):  # under the dice
            body += rect(x, y, size, size, palette.SOCKET, radius=10)
            continue
        number = numbers[place]
        body += _square(PRINTED_FLOWER, x, y, size) if number is None else _tile(number, x, y, size)
    body += _robot(1, 0, left + size + 15, top + 50, 1.1) + _robot(4, 0, left + 2 * size + gap + 15, top + 50, 1.1)
    body += _robot(6, 0, left + 50, top + size + 15, 1.0, woken=True) + _robot(2, 0, left + 180, top + size + 15, 1.0)
    for place, face in enumerate((3, 5)):
        body += placed(left + 290 + 44 * place, top + 180, icons.die(face, palette.DIE), 1.6)
    return _document(body, 408, 270)


def _village() -> str:
    body = "".join(_square(place % 2, 22 + 92 * place, 14, 68) for place in range(3))
    return body + _robot(3, 0, 102, 48, 0.9) + _robot(5, 0, 194, 48, 0.9)


def _die() -> str:
    dice = [icons.die(face, palette.DIE) for face in (1, 3, 6)] + [icons.die(4, palette.SEATS[0], 0)]
    return "".join(placed(70 + 60 * place, 48, drawn, 1.7) for place, drawn in enumerate(dice))


def _wake() -> str:
    body = _square(PRINTED_FLOWER, 42, 14, 68) + _square(_OTHER, 210, 14, 68)
    return body + _robot(3, 0, 160, 50, 1.5, woken=True)


def _recycle() -> str:
    signs = (
        icons.flower(palette.PETAL, palette.GOLD),
        icons.move(palette.STEEL),
        icons.chip(palette.STEEL, palette.GROUND),
        icons.house(palette.STEEL),
    )
    body = placed(50, 48, icons.die(4, palette.DIE), 1.8)
    body += svg.path("M84 48H112M104 40L112 48L104 56", "none", svg.stroke(palette.SOFT, 4))
    return body + "".join(placed(150 + 44 * place, 48, sign, 1.4) for place, sign in enumerate(signs))


def _buildings() -> str:
    return "".join(_tile(first + 1, 22 + 100 * level, 10, 76) for level, first in enumerate(FIRST_TILE[:3]))


def _elders() -> str:
    body = "".join(
        placed(60 + 52 * place, 48, chip(value, True, palette.STEEL), 1.5) for place, value in enumerate((1, 2, 5))
    )
    return body + placed(256, 48, icons.artefact((0,)), 2)


def _artefacts() -> str:
    body = "".join(placed(46 + 62 * place, 48, icons.artefact((place,)), 1.9) for place in range(3))
    body += svg.path("M208 48H236M228 40L236 48L228 56", "none", svg.stroke(palette.SOFT, 4))
    return body + placed(276, 48, icons.artefact(), 2.2)


def _colours() -> str:
    body = _tile(FIRST_TILE[0] + 2, 106, 10, 76) + _tile(FIRST_TILE[2] + 3, 18, 10, 76)
    markers = ((218, 28), (270, 28), (218, 68), (270, 68))
    return body + "".join(placed(x, y, tiles.marker(colour), 1.2) for colour, (x, y) in enumerate(markers))


def _prophecies() -> str:
    body = placed(80, 49, icons.star(palette.GOLD_PALE, palette.GOLD_DARK), 2.7)
    body += text(80, 58, "4", 24, palette.GOLD_INK, weight=BOLD, anchor="middle")
    return body + text(170, 58, "7", 30, palette.INK, weight=BOLD) + placed(212, 47, icons.house(palette.STEEL), 1.5)


def _end() -> str:
    signs = (
        icons.house(palette.STEEL),
        icons.star(palette.GOLD),
        icons.artefact(),
        icons.flower(palette.PETAL, palette.GOLD),
    )
    body = "".join(placed(50 + 54 * place, 48, sign, 1.4) for place, sign in enumerate(signs))
    return body + circle(272, 48, 26, palette.SEATS[0]) + placed(272, 48, icons.crown(palette.GOLD), 1.4)


# The drawings of the primer by the keys of its lessons.
LESSONS: Final = {
    "village": _village,
    "die": _die,
    "wake": _wake,
    "recycle": _recycle,
    "prophecies": _prophecies,
    "elders": _elders,
    "artefacts": _artefacts,
    "buildings": _buildings,
    "colours": _colours,
    "end": _end,
}


@lru_cache(maxsize=16)
def drawing(lesson: str) -> str:
    """The drawing of a lesson as an SVG document."""
    return _document(LESSONS[lesson]())
