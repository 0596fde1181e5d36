"""The small drawings of the picture, around the origin in a box of 24 units: seats, emblems, spice, storm, cards."""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin
from typing import Final

from dunaia_env.dune.presentation import palette
from dunaia_env.support import svg
from dunaia_env.support.svg import BOLD, circle, number, path, placed, rect, stroke


def star_path(count: int, outer: float, inner: float, turn: float = -90) -> str:
    """The path of a star with ``count`` points; with equal radii, of a regular polygon with ``2 * count`` corners."""
    corners = []
    for index in range(2 * count):
        radius = inner if index % 2 else outer
        angle = (turn + index * 180 / count) * pi / 180
        corners.append(f"{number(radius * cos(angle))} {number(radius * sin(angle))}")
    return f"M{'L'.join(corners)}Z"


# The forms of the six seats: circle, square, triangle, star, diamond, cross.
SEAT_FORMS: Final = (
    "M-8 0A8 8 0 1 1 8 0A8 8 0 1 1 -8 0Z",
    "M-7 -7H7V7H-7Z",
    "M0 -8.5L8.8 7H-8.8Z",
    star_path(5, 10, 4.4),
    "M0 -9.6L7.8 0L0 9.6L-7.8 0Z",
    "M-3 -8.5H3V-3H8.5V3H3V8.5H-3V3H-8.5V-3H-3Z",
)


@lru_cache(maxsize=64)
def seat_mark(seat: int, fill: str = "") -> str:
    """The form of a seat, in the seat's colour or another one."""
    return path(SEAT_FORMS[seat], fill or palette.SEATS[seat])


@lru_cache(maxsize=64)
def seat_disc(seat: int) -> str:
    """A white disc with the form of a seat."""
    return circle(0, 0, 12.5, palette.WHITE) + placed(0, 0, seat_mark(seat), 0.95)


@lru_cache(maxsize=1024)
def token(seat: int, count: int, least: float = 0) -> str:
    """Tokens of a seat, in a disc of radius 12: its form above their number, or at the rim beside a large number.

    ``least`` is the least size of the number.
    """
    shown = str(count)
    size = 12.5 if len(shown) < 2 else 11.5
    disc = circle(0.6, 1.2, 12, palette.SHADOW, 'fill-opacity=".35"')
    disc += circle(0, 0, 11.3, palette.SEATS[seat], stroke(palette.WHITE, 1.5))
    if least <= size:
        return (
            disc
            + placed(0, -5.4, seat_mark(seat, palette.WHITE), 0.36)
            + svg.text(0, 7.9, shown, size, palette.WHITE, weight=BOLD, anchor="middle")
        )
    return (
        disc
        + placed(-9, -8.5, circle(0, 0, 12.5, palette.WHITE) + seat_mark(seat), 0.4)
        + svg.text(0, 0.36 * least, shown, least, palette.WHITE, weight=BOLD, anchor="middle")
    )


@lru_cache(maxsize=256)
def spice(amount: int | None = None, least: float = 0) -> str:
    """A heap of spice, with its amount in letters of a least size."""
    line = stroke(palette.SPICE_DARK, 1.4)
    if amount is None:
        body = path("M-11 6C-9 -1 -5 -3 -3 -8C-1.5 -11 2 -11 3.5 -7.5C5 -3 9.5 -1 11 6C11.5 9 -11.5 9 -11 6Z",
                    palette.SPICE, line)  # fmt: skip
        return body + "".join(circle(x, y, 1.1, palette.SPICE_DARK) for x, y in ((-4, 3), (1, -3), (4.5, 4), (-0.5, 5)))
    size = max(11.5, least)
    body = path("M-13 8C-13.5 0 -10 -5 -6 -8C-3 -11.5 3 -11.5 6 -8C10 -5 13.5 0 13 8C13 11 -13 11 -13 8Z",
                palette.SPICE, line)  # fmt: skip
    return body + svg.text(0, 2 + 0.36 * size, str(amount), size, palette.SPICE_DARK, weight=BOLD, anchor="middle")


GROUNDS: Final = ("rock", "stronghold")  # the types of ground with a sign of their own


@lru_cache(maxsize=8)
def ground(kind: str) -> str:
    """The sign of a type of ground, in a disc: peaks for rock, battlements for a stronghold."""
    disc = circle(0, 0, 12.5, palette.SIGN)
    if kind == "stronghold":
        return disc + placed(0, 0, fortress(palette.WHITE), 0.8)
    return disc + path("M-10 7L-3.5 -6L0 0.5L3 -3L10 7Z", palette.WHITE)


@lru_cache(maxsize=8)
def storm(ink: str) -> str:
    """A whirl: the storm."""
    arms = ""
    for arm in range(3):
        bends = ((3, 0.0), (9, 0.5), (10, 1.5))
        points = [f"{number(r * cos(2 * pi * arm / 3 + a))} {number(r * sin(2 * pi * arm / 3 + a))}" for r, a in bends]
        arms += f"M{points[0]}Q{points[1]} {points[2]}"
    return path(arms, "none", stroke(ink, 2.8)) + circle(0, 0, 2.2, ink)


@lru_cache(maxsize=8)
def fortress(ink: str) -> str:
    """Battlements."""
    return path("M-9 9V-8H-5V-4H-2V-8H2V-4H5V-8H9V9H3V4A3 3 0 0 0 -3 4V9Z", ink)


@lru_cache(maxsize=8)
def card_back(ink: str, ground: str) -> str:
    """The back of a card."""
    return rect(-7, -10, 14, 20, ink, radius=2.5) + path("M0 -5.5L4 0L0 5.5L-4 0Z", ground)


@lru_cache(maxsize=8)
def troops(ink: str) -> str:
    """Tokens beside and on each other."""
    return circle(-5, 5, 5.2, ink) + circle(6, 5, 5.2, ink) + circle(0.5, -5, 5.2, ink)


@lru_cache(maxsize=8)
def crown(fill: str) -> str:
    """A crown: the winner."""
    return path("M-11 8L-12 -6L-5 -0.5L0 -9L5 -0.5L12 -6L11 8Z", fill, stroke(palette.GOLD_DARK, 1.2))


@lru_cache(maxsize=8)
def chain(ink: str) -> str:
    """Two links of a chain: an alliance."""
    line = stroke(ink, 2.6)
    return rect(-11, -4.5, 13, 9, "none", radius=4.5, more=line) + rect(-2, -4.5, 13, 9, "none", radius=4.5, more=line)


def _hawk(ink: str, ground: str) -> str:
    wings = (
        "M0 10L-3.5 3C-7.5 4 -10.5 1 -12 -6.5C-8.5 -4.5 -5 -4 -2.2 -4.4L0 -9.5"
        "L2.2 -4.4C5 -4 8.5 -4.5 12 -6.5C10.5 1 7.5 4 3.5 3Z"
    )
    return path(wings, ink) + path("M0 -5.5V1", "none", stroke(ground, 1.3))


def _horns(ink: str, ground: str) -> str:
    skull = (
        "M-5 -3C-9.5 -3.5 -11 -7 -10.5 -10.5C-8.5 -7.5 -6 -6.8 -3 -7"
        "H3C6 -6.8 8.5 -7.5 10.5 -10.5C11 -7 9.5 -3.5 5 -3L4 5L0 11L-4 5Z"
    )
    return path(skull, ink) + path("M-3.2 -2L-0.9 0M3.2 -2L0.9 0", "none", stroke(ground, 1.5))


def _throne(ink: str, ground: str) -> str:
    return (
        path("M-9 9L-11 -5L-5.5 0L0 -10L5.5 0L11 -5L9 9Z", ink)
        + circle(0, 3.5, 2.4, ground)
        + path("M-6.5 7H6.5", "none", stroke(ground, 1.2))
    )


def _knife(ink: str, ground: str) -> str:
    return (
        path("M8.5 -11C9.5 -3 4.5 3 -2 6.5L-4 4.5C0.5 -1 4 -5.5 8.5 -11Z", ink)
        + path("M-6 1.5L1 8.5M-4 6L-9.5 11", "none", stroke(ink, 2.8))
        + path("M6 -6C5 -2 2 1.5 -1 4", "none", stroke(ground, 1))
    )


def _orbit(ink: str, ground: str) -> str:
    loop = "M0 0C-3 -6 -11 -6 -11 0C-11 6 -3 6 0 0C3 -6 11 -6 11 0C11 6 3 6 0 0Z"
    return (
        path(loop, "none", stroke(ink, 2.8))
        + circle(0, -8.5, 2, ink)
        + circle(0, 8.5, 2, ink)
        + circle(0, 0, 1.2, ground)
    )


def _hourglass(ink: str, ground: str) -> str:
    glass = (
        "M-7.5 -9H7.5C7.5 -3.5 2.5 -2 1.2 0C2.5 2 7.5 3.5 7.5 9H-7.5C-7.5 3.5 -2.5 2 -1.2 0C-2.5 -2 -7.5 -3.5 -7.5 -9Z"
    )
    return (
        path(glass, ink)
        + path("M-9 -10.4H9M-9 10.4H9", "none", stroke(ink, 2.2))
        + path("M0 2.5L4.2 7.4H-4.2Z", ground)
    )  # fmt: skip


def _mask(ink: str, ground: str) -> str:
    return (
        path("M0 -10.5C6 -10.5 9 -8.5 9 -4C9 4 5 10.5 0 10.5Z", ink)
        + path("M0 -10.5C-6 -10.5 -9 -8.5 -9 -4C-9 4 -5 10.5 0 10.5Z", ground, stroke(ink, 1.5))
        + path("M2.5 -2.5H6", "none", stroke(ground, 2))
        + path("M-6 -2.5H-2.5", "none", stroke(ink, 2))
    )


_EMBLEMS = (_hawk, _horns, _throne, _knife, _orbit, _hourglass, _mask)


@lru_cache(maxsize=64)
def emblem(faction: int, ink: str, ground: str) -> str:
    """The sign of a faction: hawk, horned skull, crown, knife, orbit, hourglass, double mask."""
    return _EMBLEMS[faction](ink, ground)


@lru_cache(maxsize=256)
def leader(strength: str, fill: str) -> str:
    """The disc of a leader with its strength."""
    return (
        circle(0.5, 1, 12.4, palette.SHADOW, 'fill-opacity=".3"')
        + circle(0, 0, 12, fill, stroke(palette.WHITE, 1.2))
        + circle(0, 0, 9.6, "none", stroke(palette.WHITE, 0.8, opacity=0.55))
        + svg.text(0, 5, strength, 14, palette.WHITE, weight=BOLD, anchor="middle")
    )


@lru_cache(maxsize=64)
def leader_slot(strength: str) -> str:
    """The empty place of a leader who lies in the tanks."""
    return circle(0, 0, 11.4, palette.SOCKET, stroke(palette.LINE, 1.5, dashes="3 3")) + svg.text(
        0, 5, strength, 13, palette.SOFT, anchor="middle"
    )
