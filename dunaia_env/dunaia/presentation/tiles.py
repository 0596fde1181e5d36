"""Tiles and the squares of a village, drawn in a box of 100 units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from dunaia_env.dunaia.components import GAIN_POINTS, PRINTED_FLOWER, Components
from dunaia_env.dunaia.presentation import icons, palette
from dunaia_env.dunaia.presentation.labels import Labels
from dunaia_env.dunaia.presentation.palette import MANY, PAINTS, Paint, paint_of
from dunaia_env.dunaia.presentation.wording import facts
from dunaia_env.dunaia.state import COLOURS, NONE, SIDES
from dunaia_env.support.svg import BOLD, circle, path, placed, rect, stroke, text, width_of

SIZE: Final = 100
ROMAN: Final = ("I", "II", "III")
# Arrows point out of the tile: for each side, the form of the arrow and the place of the text on it.
_ARROW_FORMS = (
    "M23 22V6L50 -6L77 6V22Z",
    "M78 26H94L106 50L94 74H78Z",
    "M23 78V94L50 106L77 94V78Z",
    "M22 26H6L-6 50L6 74H22Z",
)
_QUARTERS = (
    "M50 50V0H11A11 11 0 0 0 0 11V50Z",
    "M50 50V0H89A11 11 0 0 1 100 11V50Z",
    "M50 50V100H11A11 11 0 0 1 0 89V50Z",
    "M50 50V100H89A11 11 0 0 0 100 89V50Z",
)
_MOST_SEGMENTS = 8
# Where texts would have to be larger than this in the tile's box, the smaller ones are left out; pages show what is
# written on the tile that is pointed at.
_LARGEST_SMALL_TEXT = 20.0


class Face(NamedTuple):
    """The values printed on a tile, as plain numbers: level from 0, colours as a set, steps, effect, arrows by side.

    An arrow is a tuple of colour, gain and amount, or None if the side has no arrow. ``effect`` is -1 if the tile has
    no effect.
    """

    tile: int
    level: int
    colours: int
    steps: int
    effect: int
    amount: int
    arrows: tuple[tuple[int, int, int] | None, ...]
    points: int


class Printed(NamedTuple):
    """The values printed on the components, as plain numbers, which are read faster than the record.

    Attributes:
        faces: the faces of all tiles.
        values: further fields of the record, by name, as lists and numbers.
    """

    faces: tuple[Face, ...]
    values: Mapping[str, Any]


_VALUES = (
    "printed",
    "prices",
    "elder_costs",
    "elder_flowers",
    "elder_moves",
    "elder_advances",
    "flowers_per_point",
    "merchant_discount",
    "foreman_cost",
    "foreman_advances",
    "mystic_chips",
    "mystic_flowers",
    "mystic_moves",
    "prophecy_buildings",
    "prophecy_flowers",
    "prophecy_artefacts",
    "prophecy_shape",
    "prophecy_points",
)


@lru_cache(maxsize=64)
def printed(components: Components) -> Printed:
    """The values printed on the components."""
    record = components.record[0]
    levels, colours, steps = record.level.tolist(), record.colours.tolist(), record.steps.tolist()
    effects, amounts = record.effect.tolist(), record.amount.tolist()
    level_points = record.level_points.tolist()
    arrows = zip(record.arrow_colour.tolist(), record.arrow_gain.tolist(), record.arrow_amount.tolist(), strict=True)
    faces = tuple(
        Face(
            tile,
            levels[tile],
            colours[tile],
            steps[tile],
            effects[tile],
            amounts[tile],
            tuple((c, g, a) if c != NONE else None for c, g, a in zip(*sides, strict=True)),
            level_points[levels[tile]],
        )
        for tile, sides in enumerate(arrows)
    )
    return Printed(faces, {name: record[name].tolist() for name in _VALUES})


def _body(colours: int, paint: Paint) -> str:
    """The coloured background of a completed tile; it is striped if the tile counts as several colours."""
    shadow = rect(0, 3, SIZE, SIZE, palette.SHADOW, radius=11, more='fill-opacity=".28"')
    if paint is not MANY:
        return (
            shadow
            + rect(0, 0, SIZE, SIZE, paint.main, radius=11)
            + rect(2, 2, SIZE - 4, SIZE - 4, "none", radius=9.5, more=stroke(palette.WHITE, 1.6, opacity=0.35))
        )
    shown = [PAINTS[colour].main for colour in range(COLOURS) if colours >> colour & 1]
    if len(shown) == COLOURS:
        stripes = "".join(path(shape, fill) for shape, fill in zip(_QUARTERS, shown, strict=True))
    elif shown:
        width = SIZE / len(shown)
        stripes = rect(0, 0, SIZE, SIZE, shown[0], radius=11) + rect(width, 0, SIZE - width, SIZE, shown[-1], radius=11)
        stripes += "".join(
            rect(width * k, 0, width, SIZE, fill) for k, fill in enumerate(shown) if 0 < k < len(shown) - 1
        )
        stripes += rect(width, 0, 12, SIZE, shown[1 % len(shown)])
    else:
        stripes = rect(0, 0, SIZE, SIZE, paint.main, radius=11)
    return shadow + stripes + rect(22, 20, 56, 60, paint.main, radius=10, more=stroke(palette.WHITE, 1.6, opacity=0.6))


@lru_cache(maxsize=1024)
def _arrow(side: int, colour: int, kind: int, amount: int, least: float, counts: bool) -> str:
    """An arrow: the form of its colour, its gain, and a bright rim if it counts now."""
    paint = PAINTS[colour]
    rim = stroke(palette.STAMP, 6) if counts else stroke(palette.CARD, 2)
    body = path(_ARROW_FORMS[side], paint.main, rim)
    if counts:
        body += path(_ARROW_FORMS[side], paint.main, stroke(palette.LIT, 3.4))
    plus = f"+{amount}" if least <= _LARGEST_SMALL_TEXT else ""
    size = max(13.5, least)
    icon = icons.gain(kind, paint.ink, paint.main)
    form = icons.colour_mark(colour, paint.ink, paint.main)
    if side % 2:
        x = 90.0 if side == 1 else 10.0
        if plus:
            body += text(x, 50 + 0.36 * size, plus, size, paint.ink, weight=BOLD, anchor="middle")
        return body + placed(x, 35.5, form, 0.46) + placed(x, 66, icon, 0.56)
    y = 11.0 if side == 0 else 90.5
    wide = width_of(plus, size, BOLD) if plus else 3
    left = 50 - (11 + 1.5 + wide + 1.5 + 13) / 2
    if plus:
        body += text(left + 12.5, y + 0.36 * size, plus, size, paint.ink, weight=BOLD)
    return body + placed(left + 5.5, y, form, 0.44) + placed(left + 14 + wide + 6.5, y, icon, 0.54)


@lru_cache(maxsize=1024)
def _effect(kind: int, amount: int, ink: str, inside: str, middle: float, height: float) -> str:
    """The large sign of a tile's effect, centred on a point."""
    size = 34.0
    wide = width_of(str(amount), size, BOLD)
    x = middle - (wide + 3 + 27) / 2
    return text(x, height + 12, str(amount), size, ink, weight=BOLD) + placed(
        x + wide + 3 + 13.5, height, icons.gain(kind, ink, inside), 1.12
    )


@lru_cache(maxsize=512)
def _progress(steps: int, needed: int, paint: Paint) -> str:
    """The progress of the construction, with one segment for each step."""
    x, y, width, height = 24.0, 64, 52.0, 9
    if needed > _MOST_SEGMENTS:
        done = width * steps / needed
        bar = rect(x, y, width, height, palette.PAPER, radius=3, more=stroke(paint.dark, 1.4))
        bar += rect(x, y, done, height, paint.dark, radius=3) if steps else ""
        return bar
    gap = 3.0
    each = (width - gap * (needed - 1)) / needed
    return "".join(
        rect(
            x + k * (each + gap),
            y,
            each,
            height,
            paint.dark if k < steps else palette.PAPER,
            radius=2.5,
            more=stroke(paint.dark, 1.4),
        )
        for k in range(needed)
    )


@lru_cache(maxsize=2048)
def drawing(
    face: Face,
    scale: float,
    steps: int | None = None,
    markers: tuple[int, ...] = (),
    die: bool = False,
    counting: int = 0,
) -> str:
    """The drawing of a tile.

    Args:
        face: the values printed on the tile.
        scale: the size at which the tile is drawn, as a part of `SIZE`; it decides how large the texts must be.
        steps: number of advances made; None for a tile that is completed or not in a village.
        markers: the colours of the markers on the tile.
        die: whether a die lies on the tile.
        counting: the set of the sides whose arrows count now.
    """
    paint = paint_of(face.colours)
    building = steps is not None
    ink = paint.dark if building else paint.ink
    inside = paint.tint if building else paint.main
    if building:
        body = rect(0, 0, SIZE, SIZE, paint.tint, radius=11) + rect(
            1.5, 1.5, SIZE - 3, SIZE - 3, "none", radius=10, more=stroke(paint.dark, 2.6, dashes="7 5")
        )
    else:
        body = _body(face.colours, paint)
    least = palette.LEAST_TEXT / scale
    body += _level(face, ink, building, least)
    for side in range(SIDES):
        arrow = face.arrows[side]
        if arrow is not None:
            colour, kind, amount = arrow
            body += _arrow(side, colour, kind, amount, least, bool(counting >> side & 1))
    effect, amount = (GAIN_POINTS, face.points) if face.effect == NONE else (face.effect, face.amount)
    north, east, south, west = (arrow is not None for arrow in face.arrows)
    crowded = paint is MANY and (north or east or south or west)
    middle = 50 + 6 * (west - east) * (not crowded)
    height = 44 + 2 * north if building else 50 + 4 * (north - south)
    if crowded:
        height = 36 if building else 43
    body += _badges(face, paint, 55 if building else 66)
    body += _effect(effect, amount, ink, inside, middle, height)
    if building:
        body += _progress(steps or 0, face.steps, paint)
        body += placed(13.5, 86.5, icons.cone(palette.CONE, palette.WHITE), 0.84)
    body += _markers(markers, south, die)
    if die:
        body += placed(84, 84, icons.lying_die(), 1.5)
    return body


def _level(face: Face, ink: str, building: bool, least: float) -> str:
    if least > _LARGEST_SMALL_TEXT:
        return ""
    size = max(17, least)
    many = paint_of(face.colours) is MANY and not building
    plate = rect(2, 2, 20, 21, MANY.main, radius=6) if many else ""
    return plate + text(12, 11.5 + 0.36 * size, ROMAN[face.level], size, ink, weight=BOLD, anchor="middle")


def _badges(face: Face, paint: Paint, height: float) -> str:
    """The form of each colour: one stands in the corner, several at the sides, or in a row beside arrows."""
    shown = [colour for colour in range(COLOURS) if face.colours >> colour & 1]
    if len(shown) == 1:
        return placed(86, 14.5, icons.colour_mark(shown[0], palette.WHITE, paint.dark), 0.92)
    places, size = [(86.0, 14.5), (12.0, 50.0), (88.0, 50.0), (50.0, 90.0)], 0.8
    if any(face.arrows):
        places, size = [(50 + 13.5 * (k - (len(shown) - 1) / 2), height) for k in range(len(shown))], 0.56
    return "".join(
        placed(*place, icons.colour_mark(colour, palette.WHITE, PAINTS[colour].dark), size)
        for place, colour in zip(places, shown, strict=False)
    )


def _markers(markers: Sequence[int], south: bool, die: bool) -> str:
    """The colour markers at the lower rim of a tile: beside the die, beside the arrow, or from the right."""
    places, size = [(89, 88), (72, 88), (55, 88)], 0.78
    if die:
        places = [(12, 88), (29, 88), (46, 88)]
    elif south:
        places, size = [(91, 90), (79, 91), (11, 88)], 0.68
    return "".join(placed(*place, marker(colour), size) for place, colour in zip(places, markers, strict=False))


@lru_cache(maxsize=16)
def marker(colour: int) -> str:
    """A colour marker: a disc with the form of its colour."""
    paint = PAINTS[colour]
    return circle(0, 0, 13, paint.main, stroke(palette.WHITE, 2.4)) + placed(
        0, 0, icons.colour_mark(colour, palette.WHITE, paint.dark), 0.74
    )


@lru_cache(maxsize=32)
def empty_square(kind: int, index: int, scale: float) -> str:
    """A square without a building: the flower or chip printed on it, and its number."""
    icon = (
        icons.flower(palette.PRINTED, palette.SOCKET)
        if kind == PRINTED_FLOWER
        else icons.chip(palette.PRINTED, palette.SOCKET)
    )
    return (
        rect(0, 0, SIZE, SIZE, palette.SOCKET, radius=11)
        + rect(1, 1, SIZE - 2, SIZE - 2, "none", radius=10, more=stroke(palette.SLOT, 2))
        + placed(50, 51, icon, 1.5)
        + text(8, 20, str(index), palette.LEAST_TEXT / scale, palette.SOFT)
    )


def square(index: int, player: Mapping[str, Any], values: Printed, scale: float, components: Components) -> str:
    """A square of a player's village, with the building on it, to be drawn at a scale."""
    building = player["squares"][index]
    if building is None:
        return empty_square(values.values["printed"][index], index, scale)
    return drawing(
        values.faces[building["tile"]],
        scale,
        None if building["built"] else building["steps"],
        tuple(building["colours"]),
        bool(building["die"]),
        sum(1 << side for side in facts.active_sides(player, index, components)) if building["built"] else 0,
    )


def name_of(face: Face, labels: Labels) -> str:
    """A tile in a few words, for people who cannot see it."""
    colours = ", ".join(labels.colours[colour] for colour in range(COLOURS) if face.colours >> colour & 1)
    return f"{labels.building}, {labels.level.format(face.level + 1)}, {colours}"


def square_name(building: Mapping[str, Any] | None, faces: Sequence[Face], labels: Labels) -> str:
    """The building on a square, in a few words."""
    if building is None:
        return labels.empty
    face = faces[building["tile"]]
    progress = labels.completed if building["built"] else labels.steps.format(building["steps"], face.steps)
    return f"{name_of(face, labels)}, {progress}"
