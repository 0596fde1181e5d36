"""The common board: dice, markers, offers, elders and prophecies; the panels for the draft and for a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import CORNERS, DISPLAY_PRICE, LINE, NO_SHAPE, PILE_PRICE
from dunaia_env.dunaia.presentation import icons, palette, tiles
from dunaia_env.dunaia.presentation.palette import LEAST_TEXT
from dunaia_env.dunaia.presentation.village import Look, chip
from dunaia_env.dunaia.presentation.wording.facts import own_die_in_hand
from dunaia_env.dunaia.state import NONE
from dunaia_env.support import svg
from dunaia_env.support.svg import (
    BOLD,
    area,
    circle,
    fitted,
    halved,
    path,
    piece,
    placed,
    rect,
    size_for,
    stroke,
    text,
    width_of,
)

WIDTH: Final = 564
DICE_HEIGHT: Final = 86
OFFERS_HEIGHT: Final = 142
ELDERS_HEIGHT: Final = 96
PROPHECIES_HEIGHT: Final = 96
ROW_HEAD: Final = 20
_LEAST_DIE = 24
_ROOM_BESIDE_A_PILE = 54  # for a price beside the number of tiles below


def _heading(words: str, x: float = 0) -> str:
    return text(x, 13, words, LEAST_TEXT, palette.SOFT)


def dice(look: Look) -> str:
    """The dice in the pool, the die and the tile in hand, and the colour markers left."""
    content, labels = look.content, look.labels
    neutral, own = content["dice"]["neutral"], content["dice"]["own"]
    body = _heading(labels.dice)
    groups: list[tuple[str, str, int, int, int | None]] = [
        (f"die-{face}", labels.die.format(face), face, count, None) for face, count in enumerate(neutral, 1) if count
    ]
    groups += [
        (f"own-die-{seat}", labels.labelled(look.names[seat], labels.own_die.format(face)), face, 1, seat)
        for seat, face in enumerate(own)
        if face
    ]
    markers_left, hand_left = WIDTH - 124, WIDTH - 124 - 128
    count = sum(group[3] for group in groups)
    room = hand_left - 12 - 8 * max(len(groups) - 1, 0)
    size = min(38.0, room / max(count, 1) - 3)
    crowded = size < _LEAST_DIE  # then one die stands for all that show its face, with their number
    if crowded:
        size = min(38.0, (room - 26 * sum(group[3] > 1 for group in groups)) / len(groups))
    turns = _turns(look)
    x = 0.0
    for name, label, face, number, seat in groups:
        shown = 1 if crowded else number
        wide = shown * (size + 3) - 3
        fill = palette.DIE if seat is None else palette.SEATS[seat]
        drawn = "".join(
            placed(x + size / 2 + k * (size + 3), 42, icons.die(face, fill, seat), size / 25) for k in range(shown)
        )
        if shown < number:
            drawn += text(x + size + 2, 47.5, f"×{number}", LEAST_TEXT, palette.INK, weight=BOLD)
            wide += 24
        named = label if number == 1 else f"{number} × {label}"
        body += piece(name, named, area(x - 2, 42 - size / 2 - 2, wide + 4, size + 4), drawn)
        if name in turns:
            body += _turn(turns[name], labels.flip.format(face), x + wide / 2, 42 + size / 2 + 13)
        x += wide + 8
    return body + _hand(look, hand_left) + _markers(look, markers_left)


def _turns(look: Look) -> dict[str, str]:
    """The pieces of the dice that a trickster may turn over, each with the piece that turns it."""
    content = look.content
    if content["decision"] != "CHOOSE_DIE" or content["players"][content["seat"]]["character"] != layout.TRICKSTER:
        return {}
    neutral, own = content["dice"]["neutral"], content["dice"]["own"]
    turns = {f"die-{face}": f"flip-{face}" for face, count in enumerate(neutral, 1) if count}
    seat = content["seat"]
    if not turns and own[seat]:
        turns = {f"own-die-{seat}": f"flip-own-{seat}"}
    return turns


def _turn(name: str, label: str, x: float, y: float) -> str:
    body = circle(x, y, 10.5, palette.CARD, stroke(palette.INK, 1.6)) + placed(x, y, icons.turn_over(palette.INK), 0.6)
    return piece(name, label, f'circle cx="{svg.number(x)}" cy="{svg.number(y)}" r="12"', body)


def _hand(look: Look, left: float) -> str:
    """The die that was chosen, and the tile that was found and must be placed."""
    content, labels = look.content, look.labels
    body = rect(left, 0, 116, DICE_HEIGHT - 8, palette.SOCKET, radius=10, more=stroke(palette.LINE, 1.2))
    body += text(left + 10, 16, labels.hand, LEAST_TEXT, palette.SOFT)
    found = content["pending"].get("found", NONE)
    x = left + 58.0
    if found != NONE:
        face = look.values.faces[found]
        drawn = placed(left + 58, 20, tiles.drawing(face, 0.5), 0.5)
        body += piece("found", tiles.name_of(face, labels), area(left + 58, 20, 50, 50), drawn)
        x = left + 28.0
    if content["die"]:
        owner = content["seat"] if own_die_in_hand(content) else None
        drawn = icons.die(content["die"], palette.DIE if owner is None else palette.SEATS[owner], owner)
        label = (labels.die if owner is None else labels.own_die).format(content["die"])
        body += piece("hand-die", label, area(x - 21, 26, 42, 42), placed(x, 47, drawn, 1.5))
    elif found == NONE:
        body += rect(x - 17, 30, 34, 34, "none", radius=8, more=stroke(palette.LINE, 1.6, dashes="4 4"))
    return body


def _markers(look: Look, left: float) -> str:
    labels = look.labels
    body = _heading(labels.markers, left)
    for colour, count in enumerate(look.content["colour_markers"]):
        x, y = left + colour % 2 * 62, 20.0 + colour // 2 * 31
        drawn = placed(x + 15, y + 14.5, tiles.marker(colour), 0.98)
        if not count:
            drawn = f'<g opacity=".4">{drawn}</g>'
        shown = f"×{count}"
        ink = palette.INK if count else palette.SOFT
        drawn += text(x + 31, y + 20, shown, size_for(shown, LEAST_TEXT, 30, BOLD), ink, weight=BOLD)
        label = labels.labelled(f"{labels.markers}, {labels.colours[colour]}", count)
        body += piece(f"marker-{colour}", label, area(x, y, 60, 29, 14), drawn)
    return body


class _Price(NamedTuple):
    """The flowers that the deciding player pays for a tile, and the printed price."""

    paid: int
    printed: int


def _price_of(look: Look, level: int, place: int) -> _Price:
    """The price of a level at `DISPLAY_PRICE` or `PILE_PRICE`; if nobody decides, the printed price is paid."""
    seat, values = look.content["seat"], look.values.values
    is_merchant = seat != NONE and look.content["players"][seat]["character"] == layout.MERCHANT
    printed = values["prices"][level][place]
    return _Price(max(printed - values["merchant_discount"], 0) if is_merchant else printed, printed)


def offers(look: Look) -> str:
    """The six tiles on offer, with the deciding player's prices and the number of tiles below each pile's top."""
    content, labels = look.content, look.labels
    body = _heading(labels.offers)
    size, cell = 84, WIDTH / 6
    for level in range(layout.LEVELS):
        below = len(content["piles"][level])
        for kind, tile in ((DISPLAY_PRICE, content["display"][level]), (PILE_PRICE, content["pile_top"][level])):
            index = 2 * level + kind
            x, y = index * cell + (3 if kind == DISPLAY_PRICE else 1), 22.0
            if tile == NONE:
                body += rect(x, y, size, size, "none", radius=9, more=stroke(palette.LINE, 2, dashes="5 5"))
                continue
            face = look.values.faces[tile]
            drawn = ""
            if kind == PILE_PRICE:
                drawn = "".join(
                    rect(
                        x + 2.5 * k,
                        y - 2.5 * k,
                        size,
                        size,
                        palette.STEEL_PALE,
                        radius=9,
                        more=stroke(palette.CARD, 1.5),
                    )
                    for k in range(min(below, 2), 0, -1)
                )
            drawn += placed(x, y, tiles.drawing(face, size / tiles.SIZE), size / tiles.SIZE)
            price = _price_of(look, level, kind)
            room = _ROOM_BESIDE_A_PILE if kind == PILE_PRICE else cell - 4
            drawn += _price(x + size / 2 - (22 if kind == PILE_PRICE else 0), y + size + 17, price, room)
            if kind == PILE_PRICE:
                drawn += placed(x + size / 2 + 15, y + size + 17, icons.pile(palette.SOFT, palette.CARD), 0.8)
                drawn += text(x + size / 2 + 23, y + size + 22.6, str(below), LEAST_TEXT, palette.SOFT, weight=BOLD)
            label = f"{tiles.name_of(face, labels)}, {labels.labelled(labels.flowers, price.paid)}"
            if kind == PILE_PRICE:
                label += f" ({labels.pile}, {labels.below.format(below)})"
            body += piece(f"offer-{index}", label, area(x, y, size, size + 31), drawn)
    return body


def _price(x: float, y: float, price: _Price, room: float) -> str:
    """A price in flowers, centred on a point; where there is room, a printed price that differs stands before it."""
    shown, printed = str(price.paid), str(price.printed)
    alone = width_of(shown, 16, BOLD) + 19
    before = width_of(printed, LEAST_TEXT, BOLD) + 5 if price.paid != price.printed else 0
    if before + alone + 10 > room:
        before = 0
    wide = before + alone
    left = -wide / 2
    body = rect(left - 5, -11, wide + 10, 22, palette.PAPER, radius=11, more=stroke(palette.LINE, 1.4))
    if before:
        body += text(left, 5.6, printed, LEAST_TEXT, palette.SOFT, weight=BOLD)
        body += path(
            f"M{svg.number(left - 2)} 2.4L{svg.number(left + before - 4)} -2.4", "none", stroke(palette.SOFT, 1.4)
        )
    body += text(left + before, 5.6, shown, 16, palette.INK, weight=BOLD)
    body += placed(wide / 2 - 8, 0, icons.flower(palette.PETAL, palette.GOLD), 0.68)
    return placed(x, y, body)


def _cells(count: int) -> list[tuple[float, float]]:
    """Left edge and width of each card in a row."""
    gap = 8.0
    width = (WIDTH - gap * (count - 1)) / count
    return [(k * (width + gap), width) for k in range(count)]


def elders(look: Look, height: float = 68) -> str:
    """The three elders, the chips that they cost, and the fragments beside them."""
    content, labels, values = look.content, look.labels, look.values.values
    body = _heading(labels.elders)
    calling = content["pending"].get("elder_space", NONE)
    for space, (x, width) in enumerate(_cells(layout.ELDER_SPACES)):
        elder = content["elders"][space]
        y = float(ROW_HEAD)
        rim = stroke(palette.GOLD_DARK, 3) if space == calling else stroke(palette.LINE, 1.2)
        drawn = rect(x, y, width, height, palette.PAPER, radius=10, more=rim)
        middle = y + height / 2
        drawn += circle(x + 28, middle, 20, palette.STEEL) + placed(x + 28, middle, _power_icon(elder), 1.15)
        amount = _power_amount(elder, values)
        title = labels.elder_names[elder] + (f" ×{amount}" if amount else "")
        drawn += text(x + 56, middle - 12, fitted(title, 16, width - 60, BOLD), 16, palette.INK, weight=BOLD)
        first, second = values["elder_costs"][space]
        for place, value in enumerate((first, second, "?")):
            drawn += placed(x + 69 + 31 * place, middle + 12, chip(value, value != "?", palette.STEEL), 1.06)
        drawn += placed(x + width - 17, middle + 6, icons.artefact((space,)), 0.9)
        left = content["fragments"][space]
        drawn += text(x + width - 18, middle + 30, f"×{left}", LEAST_TEXT, palette.INK, weight=BOLD, anchor="middle")
        shown = f"{labels.chips} {first}, {second}, ?"
        label = f"{labels.labelled(labels.elder, title)}, {shown}, {labels.labelled(labels.fragments, left)}"
        body += piece(f"elder-{space}", label, area(x, y, width, height, 10), drawn)
    return body


def _power_icon(elder: int) -> str:
    if elder == layout.ELDER_FLOWERS:
        return icons.flower(palette.WHITE, palette.GOLD)
    if elder == layout.ELDER_MOVES:
        return icons.move(palette.WHITE)
    if elder == layout.ELDER_ADVANCE:
        return icons.hammer(palette.WHITE)
    return icons.magnifier(palette.WHITE) if elder == layout.ELDER_SEARCH else icons.drop()


def _power_amount(elder: int, values: Mapping[str, Any]) -> int:
    fields = {
        layout.ELDER_FLOWERS: "elder_flowers",
        layout.ELDER_MOVES: "elder_moves",
        layout.ELDER_ADVANCE: "elder_advances",
    }
    return int(values[fields[elder]]) if elder in fields else 0


def prophecies(look: Look, height: float = 68) -> str:
    """The three prophecies with their conditions, points and owners."""
    content, labels, values = look.content, look.labels, look.values.values
    body = _heading(labels.prophecies)
    for (x, width), prophecy in zip(_cells(layout.PROPHECIES_IN_PLAY), content["prophecies"], strict=True):
        index, owner = prophecy["id"], prophecy["owner"]
        y = float(ROW_HEAD)
        fill, rim = (palette.PAPER, stroke(palette.LINE, 1.2))
        met = index in look.met
        if met:
            rim = stroke(palette.SEATS[content["seat"]], 2.4, dashes="7 5")
        if owner != NONE:
            fill, rim = palette.SEAT_TINTS[owner], stroke(palette.SEATS[owner], 2.4)
        drawn = rect(x, y, width, height, fill, radius=10, more=rim)
        points = values["prophecy_points"][index]
        drawn += placed(x + 29, y + height / 2 + 1, icons.star(palette.GOLD_PALE, palette.GOLD_DARK), 2.05)
        drawn += text(x + 29, y + height / 2 + 7.5, str(points), 19, palette.GOLD_INK, weight=BOLD, anchor="middle")
        drawn += _condition(index, values, x + 58, y + height / 2, width - 66 - (24 if owner != NONE or met else 0))
        if met:
            drawn += placed(x + width - 20, y + height / 2, icons.tick(palette.SEATS[content["seat"]]), 1.1)
        if owner != NONE:
            drawn += placed(x + width - 20, y + height / 2, icons.seat_mark(owner), 1.1)
        whose = f"{labels.owner} {look.names[owner]}" if owner != NONE else labels.free
        if met:
            whose += f", {labels.met.format(look.names[content['seat']])}"
        label = labels.labelled(labels.prophecy, f"{labels.points.format(points)}, {whose}")
        body += piece(f"prophecy-{index}", label, area(x, y, width, height, 10), drawn)
    return body


def _condition(index: int, values: Mapping[str, Any], x: float, y: float, width: float) -> str:
    """The condition of a prophecy, as numbers with icons and as a small village."""
    wants = [
        (values["prophecy_buildings"][index], icons.house(palette.STEEL)),
        (values["prophecy_flowers"][index], icons.flower(palette.PETAL, palette.GOLD)),
        (values["prophecy_artefacts"][index], icons.artefact()),
    ]
    shown = [(count, icon) for count, icon in wants if count]
    shape = values["prophecy_shape"][index]
    pieces = len(shown) + (shape != NO_SHAPE)
    each = width / max(pieces, 1)
    scale = min(1.0, each / 52)
    body = ""
    for place, (count, icon) in enumerate(shown):
        middle = x + each * (place + 0.5)
        wide = width_of(str(count), 24 * scale, BOLD)
        start = middle - (wide + 28 * scale) / 2
        body += text(start, y + 8.4 * scale, str(count), 24 * scale, palette.INK, weight=BOLD)
        body += placed(start + wide + 15 * scale, y, icon, 1.05 * scale)
    if shape != NO_SHAPE:
        body += placed(x + each * (pieces - 0.5), y, _shape(shape), scale)
    return body


def _shape(shape: int) -> str:
    """A small village in which the squares of the shape are filled in; for the levels, the three levels."""
    if shape in (LINE, CORNERS):
        filled = (3, 4, 5) if shape == LINE else (0, 2, 6, 8)
        return "".join(
            rect(
                -24 + 17 * (square % 3),
                -24 + 17 * (square // 3),
                14,
                14,
                palette.STEEL if square in filled else palette.SOCKET,
                radius=3,
                more=stroke(palette.STEEL if square in filled else palette.LINE, 1.2),
            )
            for square in range(9)
        )
    return "".join(
        rect(-43 + 29 * level, -13, 26, 26, palette.STEEL, radius=5)
        + text(-30 + 29 * level, 7, tiles.ROMAN[level], 19, palette.WHITE, weight=BOLD, anchor="middle")
        for level in range(layout.LEVELS)
    )


def findable(look: Look) -> list[tuple[int, _Price, list[int]]]:
    """The tiles that a search can find because the player can pay for them: level, price and tiles of each pile."""
    content = look.content
    player = content["players"][content["seat"]]
    piles = []
    for level in range(layout.LEVELS):
        price = _price_of(look, level, PILE_PRICE)
        if price.paid <= player["flowers"]:
            top = content["pile_top"][level]
            held = sorted([*content["piles"][level], *([top] if top != NONE else [])])
            if held:
                piles.append((level, price, held))
    return piles


def search(look: Look, width: float, height: float) -> str:
    """A panel of the given size with the tiles that can be found; it covers a part of the board."""
    piles = findable(look)
    labels = look.labels
    body = rect(0, 0, width, height, palette.CARD, radius=12, more=stroke(palette.SEATS[look.content["seat"]], 3))
    head = 38 if height > 300 else 14  # a low panel has no heading
    if head > 14:
        body += text(14, 25, labels.found_tiles, LEAST_TEXT, palette.INK, weight=BOLD)
    prices = {level: price for level, price, _ in piles}
    rows_of: list[list[tuple[int, int]]] = []
    left = 66  # the price stands before each pile
    room_x, room_y = width - left - 6, height - head - 2
    size = 92.0
    while True:
        across = max(int(room_x // (size + 8)), 1)
        rows_of = [
            [(level, tile) for tile in held[start : start + across]]
            for level, _, held in piles
            for start in range(0, len(held), across)
        ]
        if len(rows_of) * (size + 8) <= room_y or size <= 24:
            break
        size -= 2
    charged = NONE
    for row, entries in enumerate(rows_of):
        level = entries[0][0]
        if level != charged:
            body += _price(35, head + row * (size + 8) + size / 2, prices[level], 66)
            charged = level
        for column, (level, tile) in enumerate(entries):
            x, y = left + column * (size + 8), head + row * (size + 8)
            face = look.values.faces[tile]
            drawn = placed(x, y, tiles.drawing(face, size / tiles.SIZE), size / tiles.SIZE)
            body += piece(f"pile-{level}-{tile}", tiles.name_of(face, labels), area(x, y, size, size), drawn)
    return body


def draft(look: Look, width: float, height: float) -> str:
    """A panel of the given size with the characters that can be chosen; it covers a part of the board."""
    content, labels = look.content, look.labels
    seat = content["seat"]
    available: Sequence[int] = content["characters_available"]
    body = rect(
        0,
        0,
        width,
        height,
        palette.CARD,
        radius=12,
        more=stroke(palette.SEATS[seat] if seat != NONE else palette.LINE, 3),
    )
    body += text(14, 25, labels.choose_character, 16, palette.INK, weight=BOLD)
    each = (height - 40) / max(len(available), 1)
    tall = min(each - 5, 96)
    for place, index in enumerate(available):
        y = 35 + place * each
        drawn = rect(10, y, width - 20, tall, palette.PAPER, radius=10, more=stroke(palette.LINE, 1.4))
        drawn += circle(38, y + tall / 2, 22, palette.STEEL) + placed(
            38, y + tall / 2, icons.character(index, palette.WHITE, palette.STEEL), 1.05
        )
        power = power_text(index, look)
        lines = halved(power, LEAST_TEXT, width - 20 - 60)
        base = y + tall / 2 + 6 - 8.5 * len(lines)
        drawn += text(68, base, labels.characters[index], 17, palette.INK, weight=BOLD)
        for row, line in enumerate(lines):
            shown = fitted(line, LEAST_TEXT, width - 20 - 60)
            drawn += text(68, base + 17 * (row + 1), shown, LEAST_TEXT, palette.SOFT)
        label = labels.labelled(labels.characters[index], power)
        body += piece(f"character-{index}", label, area(10, y, width - 20, tall, 10), drawn)
    return body


def power_text(index: int, look: Look) -> str:
    """What a character can do, in a few words."""
    values = look.values.values
    numbers = {
        layout.MERCHANT: (values["merchant_discount"],),
        layout.FOREMAN: (values["foreman_cost"], values["foreman_advances"]),
        layout.MYSTIC: (values["mystic_chips"], values["mystic_flowers"], values["mystic_moves"]),
    }
    return look.labels.powers[index].format(*numbers.get(index, ()))
