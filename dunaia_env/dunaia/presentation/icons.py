"""The small drawings of the picture, around the origin in a box of 24 units: flowers, chips, arrows, stars, tools."""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin
from typing import Final

from dunaia_env.dunaia.components import GAIN_ADVANCES, GAIN_CHIPS, GAIN_FLOWERS, GAIN_MOVES, GAIN_POINTS
from dunaia_env.dunaia.presentation import palette
from dunaia_env.support import svg
from dunaia_env.support.svg import BOLD, circle, number, path, placed, rect, stroke


def _points(count: int, outer: float, inner: float, turn: float = -90) -> str:
    """The path of a star with ``count`` points; with equal radii, of a regular polygon with ``2 * count`` corners."""
    corners = []
    for index in range(2 * count):
        radius = inner if index % 2 else outer
        angle = (turn + index * 180 / count) * pi / 180
        corners.append(f"{number(radius * cos(angle))} {number(radius * sin(angle))}")
    return f"M{'L'.join(corners)}Z"


_STAR = _points(5, 11.5, 5)
_SUN = _points(8, 12, 9.2)
_LEAF = "M-10.5 -10.5H2A10 10 0 0 1 11 0V2A9.5 9.5 0 0 1 1.5 11H0A10.5 10.5 0 0 1 -10.5 0.5Z"
_DIAMOND = "M0 -12.5L12.5 0L0 12.5L-12.5 0Z"
_HEART = "M0 11.5C-6 7 -11.5 2.5 -11.5 -3.5C-11.5 -10.5 -3 -12.5 0 -6C3 -12.5 11.5 -10.5 11.5 -3.5C11.5 2.5 6 7 0 11.5Z"
# The forms of the four colours of buildings.
COLOUR_FORMS: Final = (_LEAF, _SUN, _DIAMOND, _HEART)
# The forms of the four seats: circle, square, triangle, star.
_SEAT_FORMS = (
    "M-8 0A8 8 0 1 1 8 0A8 8 0 1 1 -8 0Z",
    "M-7 -7H7V7H-7Z",
    "M0 -8.5L8.8 7H-8.8Z",
    _points(5, 10, 4.4),
)


@lru_cache(maxsize=256)
def flower(petal: str, heart: str) -> str:
    """A flower."""
    petals = "".join(circle(6 * sin(turn), -6 * cos(turn), 4.9, petal) for turn in (2 * pi * k / 5 for k in range(5)))
    return petals + circle(0, 0, 3.6, heart)


def _pins() -> str:
    return "".join(f"M{side} {y}H{side + 4}" for side in (-12, 8) for y in (-5, 0, 5)) + "".join(
        f"M{x} {side}V{side + 4}" for side in (-12, 8) for x in (-5, 0, 5)
    )


_PINS = _pins()


@lru_cache(maxsize=256)
def chip(body: str, inside: str) -> str:
    """A memory chip."""
    return (
        path(_PINS, "none", stroke(body, 2.2))
        + rect(-8.5, -8.5, 17, 17, body, radius=2.5)
        + rect(-4, -4, 8, 8, inside, radius=1)
    )


@lru_cache(maxsize=256)
def move(ink: str) -> str:
    """A hop from one place to another: a move."""
    return (
        circle(-8.5, 7.5, 3.2, ink)
        + path("M-8.5 2.5C-7 -9 5 -10.5 7 0.5", "none", stroke(ink, 3.4))
        + path("M1.2 -0.5H12.4L6.8 8.8Z", ink, stroke(ink, 1))
    )


@lru_cache(maxsize=256)
def hammer(ink: str) -> str:
    """A hammer: the construction advances."""
    return (
        '<g transform="rotate(-45)">'
        + rect(-2, -3, 4, 15, ink, radius=1.8)
        + path("M-9 -11H6.5C9 -10.5 10.5 -8.5 11 -5.5H4V-3H-9Z", ink, stroke(ink, 1))
        + "</g>"
    )


@lru_cache(maxsize=256)
def star(fill: str, line: str = "none") -> str:
    """A star: points."""
    return path(_STAR, fill, stroke(line, 1.2) if line != "none" else "")


@lru_cache(maxsize=8)
def tick(fill: str) -> str:
    """A tick on a disc: a condition that is met."""
    return circle(0, 0, 11, fill) + path("M-5 0.5L-1.5 4L5 -4", "none", stroke(palette.WHITE, 3))


@lru_cache(maxsize=256)
def cone(fill: str, stripe: str) -> str:
    """A traffic cone: a construction token."""
    return (
        path("M-2.2 -11H2.2L7.6 8.5H-7.6Z", fill, stroke(fill, 1.4))
        + path("M-3.6 -4H3.6L4.9 1H-4.9Z", stripe)
        + rect(-11, 7.5, 22, 4, fill, radius=1.6)
    )


@lru_cache(maxsize=256)
def magnifier(ink: str) -> str:
    """A magnifying glass."""
    return circle(-2.5, -2.5, 6.8, "none", stroke(ink, 3.2)) + path("M3 3L9.5 9.5", "none", stroke(ink, 4.2))


@lru_cache(maxsize=256)
def drop() -> str:
    """A brush stroke in all four colours: a colour marker."""
    quarters = ("M0 0V-11A11 11 0 0 1 11 0Z", "M0 0H11A11 11 0 0 1 0 11Z", "M0 0V11A11 11 0 0 1 -11 0Z")
    last = "M0 0H-11A11 11 0 0 1 0 -11Z"
    shapes = zip((*quarters, last), palette.PAINTS, strict=True)
    return "".join(path(shape, paint.main, stroke(palette.CARD, 1.4)) for shape, paint in shapes)


@lru_cache(maxsize=8)
def pile(ink: str, ground: str) -> str:
    """A pile of tiles."""
    line = stroke(ink, 1.8)
    return "".join(rect(-9 + 4 * k, 3 - 6 * k, 13, 9, ground, radius=2, more=line) for k in (1, 0))


def _sector(kind: int) -> str:
    start = (-90 + 120 * kind + 5) * pi / 180
    end = (-90 + 120 * kind + 115) * pi / 180
    middle = (start + end) / 2
    x, y = 1.6 * cos(middle), 1.6 * sin(middle)
    ends = [(11.5 * cos(angle) + x * 0.3, 11.5 * sin(angle) + y * 0.3) for angle in (start, end)]
    return (
        f"M{number(x)} {number(y)}L{number(ends[0][0])} {number(ends[0][1])}"
        f"A11.5 11.5 0 0 1 {number(ends[1][0])} {number(ends[1][1])}Z"
    )


_SECTORS = tuple(_sector(kind) for kind in range(3))


@lru_cache(maxsize=64)
def artefact(held: tuple[int, ...] = (0, 1, 2)) -> str:
    """A disc of three fragments; a missing fragment is an outline."""
    return "".join(
        path(shape, palette.GOLD, stroke(palette.GOLD_DARK, 1.3))
        if kind in held
        else path(shape, palette.SOCKET, stroke(palette.PRINTED, 1.1, dashes="2 2.4"))
        for kind, shape in enumerate(_SECTORS)
    )


@lru_cache(maxsize=64)
def crown(fill: str) -> str:
    """A crown: the winner."""
    return path("M-11 8.5L-12 -6L-5.5 0L0 -9L5.5 0L12 -6L11 8.5Z", fill, stroke(fill, 1.4))


@lru_cache(maxsize=64)
def house(fill: str) -> str:
    """A house: a building."""
    return path("M-11 0L0 -10.5L11 0H8V10H2.5V3.5H-2.5V10H-8V0Z", fill, stroke(fill, 1.2))


@lru_cache(maxsize=64)
def turn_over(ink: str) -> str:
    """Two arrows in a circle: a die is turned over."""
    return path("M-8 -2A8.2 8.2 0 0 1 7 -4.5M8 2A8.2 8.2 0 0 1 -7 4.5", "none", stroke(ink, 3)) + path(
        "M10 -10V-1.5H1.5ZM-10 10V1.5H-1.5Z", ink
    )


@lru_cache(maxsize=64)
def character(index: int, ink: str, ground: str) -> str:
    """The sign of a character: a purse, a mask, a helmet, an eye, a crook, a pair of compasses."""
    line = stroke(ink, 2.4)
    return (
        path("M-4 -6C-13 2 -10 11 0 11S13 2 4 -6Z", ink)
        + path("M-5 -10.5L-3 -6.5H3L5 -10.5Q0 -7.5 -5 -10.5Z", ink, line),
        path("M-11 -7Q0 -12 11 -7C12 4 6 10 0 11C-6 10 -12 4 -11 -7Z", ink)
        + path("M-7.5 -2.5Q-4.5 -6 -1.8 -2Q-4.5 -0.5 -7.5 -2.5ZM7.5 -2.5Q4.5 -6 1.8 -2Q4.5 -0.5 7.5 -2.5Z", ground)
        + path("M-5 4Q0 8 5 4", "none", stroke(ground, 1.8)),
        path("M-9 5C-9 -11 9 -11 9 5Z", ink) + path("M-11.5 7.5H11.5", "none", stroke(ink, 3.4)),
        path("M-12 0Q0 -12 12 0Q0 12 -12 0Z", ink) + circle(0, 0, 4.8, ground) + circle(0, 0, 2.4, ink),
        path("M-3 11.5V-4A5.2 5.2 0 1 1 7.4 -3", "none", stroke(ink, 3.2)),
        circle(0, -8.5, 3.2, ink) + path("M-1 -6L-7.5 11M1 -6L7.5 11M-5.5 3.5Q0 6.5 5.5 3.5", "none", line),
    )[index]


def gain(kind: int, ink: str, inside: str) -> str:
    """The sign of what an effect or an arrow gives."""
    if kind == GAIN_FLOWERS:
        return flower(ink, inside)
    if kind == GAIN_CHIPS:
        return chip(ink, inside)
    if kind == GAIN_MOVES:
        return move(ink)
    if kind == GAIN_ADVANCES:
        return hammer(ink)
    assert kind == GAIN_POINTS
    return star(ink)


@lru_cache(maxsize=512)
def colour_mark(colour: int, fill: str, ink: str) -> str:
    """The form of a building colour: a leaf, a sun, a diamond or a heart, which tells it from the other colours."""
    return path(COLOUR_FORMS[colour], fill, stroke(ink, 1.3))


@lru_cache(maxsize=64)
def seat_mark(seat: int) -> str:
    """A seat's form on a ground of its colour."""
    return circle(0, 0, 12, palette.SEATS[seat]) + path(_SEAT_FORMS[seat], palette.WHITE)


@lru_cache(maxsize=64)
def seat_form(seat: int, fill: str) -> str:
    """A seat's form alone."""
    return path(_SEAT_FORMS[seat], fill)


_PIPS = (
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
)


@lru_cache(maxsize=64)
def die(face: int, fill: str, seat: int | None = None) -> str:
    """A die showing a face; a seat's own die carries the seat's form."""
    body = rect(-12, -11, 24, 24, palette.SHADOW, radius=5, more='fill-opacity=".25"') + rect(
        -12, -12, 24, 24, fill, radius=5, more=stroke(palette.WHITE, 0.8, opacity=0.35)
    )
    body += "".join(circle(6 * x, 6 * y, 2.2, palette.WHITE) for x, y in _PIPS[face - 1])
    if seat is not None:
        body += placed(10.5, 10.5, circle(0, 0, 12, palette.WHITE) + seat_mark(seat), 0.5)
    return body


@lru_cache(maxsize=8)
def lying_die() -> str:
    """A die that lies on a building and blocks it, seen from above one of its corners."""
    return (
        path("M0 -12L10.5 -6V6L0 12L-10.5 6V-6Z", palette.DIE, stroke(palette.WHITE, 2))
        + path("M-10.5 -6L0 0L10.5 -6M0 0V12", "none", stroke(palette.WHITE, 1.4, opacity=0.7))
        + circle(0, -6, 1.7, palette.WHITE)
        + circle(-5.2, 3, 1.7, palette.WHITE)
        + circle(4, 5.2, 1.5, palette.WHITE)
        + circle(6.8, 0.8, 1.5, palette.WHITE)
    )


@lru_cache(maxsize=256)
def dunaia(value: int, fill: str, woken: bool) -> str:
    """A Dunaia: a robot with its number; a Dunaia woken this turn has shining eyes and a ring."""
    ring = rect(-15, -18, 30, 36, palette.GOLD_PALE, radius=10, more=stroke(palette.GOLD, 3)) if woken else ""
    eyes = palette.GOLD_PALE if woken else palette.WHITE
    return (
        ring
        + path("M0 -13V-16M-6.5 14V15.5M6.5 14V15.5M-13.5 1V6M13.5 1V6", "none", stroke(palette.METAL, 3))
        + path("M-8.5 -5V-8A8.5 6.5 0 0 1 8.5 -8V-5Z", palette.METAL, stroke(palette.WHITE, 1))
        + path("M-3.6 -8.7H-3.5M3.5 -8.7H3.6", "none", stroke(eyes, 4))
        + rect(-12, -5, 24, 19.5, fill, radius=6, more=stroke(palette.WHITE, 1.4))
        + svg.text(0, 11.2, str(value), 18.5, palette.WHITE, weight=BOLD, anchor="middle")
    )
