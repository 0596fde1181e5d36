"""The cover of the game and the drawings of its primer."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dunaia_env.dune.presentation import icons, palette, planet
from dunaia_env.dune.presentation.surroundings import card
from dunaia_env.support import svg
from dunaia_env.support.svg import BOLD, circle, placed, rect, text

_WIDTH: Final = 320
_HEIGHT: Final = 96
_SHIELD = 3  # the kind of card


def _document(body: str) -> str:
    return svg.document(_WIDTH, _HEIGHT, "", rect(0, 0, _WIDTH, _HEIGHT, palette.SKY, radius=12) + body)


@lru_cache(maxsize=1)
def cover() -> str:
    """The upper part of the planet with tokens and spice."""
    middle = planet.SIZE / 2
    body = rect(0, 0, planet.SIZE, planet.SIZE, palette.SKY) + placed(middle, middle, planet.ground())
    tokens = ((0, 12, 58, -250), (1, 8, -62, -240), (2, 5, -230, -60), (3, 9, 230, -150), (4, 3, 40, -20))
    body += "".join(placed(middle + x, middle + y, icons.token(seat, count), 2.2) for seat, count, x, y in tokens)
    body += placed(middle + 190, middle - 20, icons.spice(), 2.6) + placed(
        middle - 150, middle - 150, icons.spice(), 2.6
    )
    return svg.document(planet.SIZE, 537, "", placed(0, -8, body))


def _storm() -> str:
    sand = svg.path("M0 96V70Q80 46 160 68T320 60V96Z", palette.SANDS[0])
    return (
        sand + placed(120, 42, icons.storm(palette.SPICE), 2.4) + placed(200, 42, icons.storm(palette.SPICE_DARK), 1.6)
    )


def _spice() -> str:
    sand = svg.path("M0 96V70Q80 46 160 68T320 60V96Z", palette.SANDS[1])
    return (
        sand
        + placed(110, 54, icons.spice(), 2.2)
        + placed(170, 62, icons.spice(), 1.5)
        + placed(220, 58, icons.spice(), 1.9)
    )


def _bidding() -> str:
    back = icons.card_back(palette.HIDDEN, palette.GOLD_PALE)
    return "".join(placed(60 + 50 * place, 48, back, 2.6) for place in range(3)) + placed(250, 48, icons.spice(), 2)


def _revival() -> str:
    return placed(90, 48, icons.token(5, 3), 2.2) + _arrow(150) + placed(230, 48, circle(0, 0, 14, palette.WHITE)
        + placed(0, 0, icons.troops(palette.SEATS[5])), 1.7)  # fmt: skip


def _arrow(x: float) -> str:
    shape = f"M{svg.number(x - 20)} 48H{svg.number(x + 20)}M{svg.number(x + 10)} 38L{svg.number(x + 20)} 48"
    return svg.path(f"{shape}L{svg.number(x + 10)} 58", "none", svg.stroke(palette.STAR, 4))


def _movement() -> str:
    rock = svg.path("M190 96V52Q240 26 320 44V96Z", palette.ROCKS[0])
    return rock + placed(80, 48, icons.token(0, 6), 2.2) + _arrow(150) + placed(250, 58, icons.token(0, 6), 2.2)


def _battle() -> str:
    body = placed(54, 48, icons.leader("5", palette.SEATS[0]), 2) + placed(112, 48, card(0), 1.9)
    body += text(160, 60, "×", 34, palette.STAR, weight=BOLD, anchor="middle")
    return body + placed(208, 48, card(_SHIELD), 1.9) + placed(266, 48, icons.leader("4", palette.SEATS[1]), 2)


def _harvest() -> str:
    sand = svg.path("M0 96V60Q160 36 320 60V96Z", palette.SANDS[2])
    return sand + placed(130, 52, icons.token(4, 4), 2.1) + placed(190, 54, icons.spice(), 2.1)


def _victory() -> str:
    fortress = circle(0, 0, 12.5, palette.STRONGHOLD) + placed(0, 0, icons.fortress(palette.WHITE), 0.8)
    return "".join(placed(60 + 62 * place, 50, fortress, 2) for place in range(3)) + placed(
        256, 48, icons.crown(palette.GOLD), 2
    )


# The drawings of the primer by the keys of its lessons.
LESSONS: Final = {
    "storm": _storm,
    "spice": _spice,
    "bidding": _bidding,
    "revival": _revival,
    "movement": _movement,
    "battle": _battle,
    "harvest": _harvest,
    "victory": _victory,
}


@lru_cache(maxsize=16)
def drawing(lesson: str) -> str:
    """The drawing of a lesson as an SVG document."""
    return _document(LESSONS[lesson]())
