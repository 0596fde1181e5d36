"""Dunaia's position on few rows: offers, elders and prophecies in short, small villages, a row for each player."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rich.text import Text

from dunaia_env.dunaia.components import GAIN_NAMES, PRINTED_NAMES, Components
from dunaia_env.dunaia.presentation.wording import english, facts
from dunaia_env.dunaia.state import (
    CHARACTER_NAMES,
    COLOUR_NAMES,
    EDGE_SQUARES,
    ELDER_ADVANCE,
    ELDER_COLOUR,
    ELDER_FLOWERS,
    ELDER_MOVES,
    ELDER_SEARCH,
    FACES,
    LEVELS,
    NONE,
    SIDES,
)

from .board import COLUMNS, SMALL, STYLES, Glyphs, Size, counted, mask_style, place_between, pool_text, price, village
from .text import beside, fitted, shortened, wrapped

Content = Mapping[str, Any]

_CELL = 9
_GAP = 4  # with the power of the shepherd four Dunaias can stand there
_COMPACT = Size(_CELL - 2, _GAP, spelled=False)  # of a village without frames, whose squares are as wide as with them
COMPACT_WIDTH = COLUMNS * _CELL + (COLUMNS - 1) * _GAP
_BETWEEN = 2  # columns between blocks
_MOST_BETWEEN_NUMBERS = 3  # columns between those of the players' table
LEGEND = (
    "An offer has its price (5f: 5 flowers), its level, colour and gain, and its arrows by colour (g: green). A"
    " prophecy has its points, who has taken it, and its condition. A square has its level and colours, then the steps"
    " done (2/3) or done, and what it gives: f flowers, c chips, m moves, a advances, p points. Digits between squares"
    " are Dunaias (24: Dunaias 2 and 4)."
)


class _Table(NamedTuple):
    """What the parts of a drawing need."""

    content: Content
    seat: int
    names: Sequence[str]
    components: Components
    glyphs: Glyphs


def scene(
    content: Content,
    seat: int,
    names: Sequence[str],
    components: Components,
    *,
    width: int,
    rows: int,
    glyphs: Glyphs,
) -> list[Text]:
    """A position for a seat, on at most a number of rows.

    Args:
        content: the state dictionary.
        seat: the seat whose prices and village are shown.
        names: the names of the seats.
        components: the game's components.
        width: number of columns.
        rows: number of rows, at least 16; with more of them the villages are larger, and there are more of them.
        glyphs: the characters of the drawing.
    """
    table = _Table(content, seat, names, components, glyphs)
    offers, players = _offers(table, width), _players(table, width)
    left = rows - len(offers) - len(players)
    large = village(content["players"][seat], components, glyphs, SMALL)
    own, own_width = (large, SMALL.width) if len(large) <= left else (compact_village(table, seat), COMPACT_WIDTH)
    blocks = [(own, own_width), *_beside_the_village(table, len(own), width - own_width - _BETWEEN)]
    return [*offers, *beside(blocks, _BETWEEN), *players][:rows]


def _beside_the_village(table: _Table, rows: int, width: int) -> Iterator[tuple[list[Text], int]]:
    """Columns of the texts of the common board and of the other villages, as many as fit."""
    column = min(width, max(COMPACT_WIDTH, 52))
    texts = [*_dice(table), *_elders(table), *_prophecies(table), *_extras(table)]
    lines = [line for text in texts for line in wrapped(text, column, indent=2)]
    if len(lines) > rows:
        lines = shortened([fitted(text, column) for text in texts], rows, "and {} lines more: b")
    for other in ((table.seat + step) % len(table.names) for step in range(1, len(table.names))):
        title = Text(f"Village of {table.names[other]}", "bold")
        drawn = [fitted(title, COMPACT_WIDTH), *compact_village(table, other)]
        if len(lines) + len(drawn) > rows:
            if len(drawn) > rows or width - column - _BETWEEN < COMPACT_WIDTH:
                break
            yield lines, column
            width -= column + _BETWEEN
            lines, column = [], COMPACT_WIDTH
        lines += drawn
    yield lines, column


# The common board


def _gain(amount: int, gain: int) -> str:
    return f"{amount}{GAIN_NAMES[gain][0]}"


def _offers(table: _Table, width: int) -> list[Text]:
    """The offers of each level on one row: what is shown, and the top of the pile."""
    rows = []
    half = (width - _BETWEEN) // 2
    for level in range(LEVELS):
        cells = [_offer(table, level, place) for place in range(2)]
        below = f" ({len(table.content['piles'][level])} below)"
        if cells[1].cell_len + len(below) <= half:
            cells[1].append(below, "dim")
        rows += beside([([cell], half) for cell in cells], _BETWEEN)
    return rows


def _offer(table: _Table, level: int, place: int) -> Text:
    content, components = table.content, table.components
    tile = content[("display", "pile_top")[place]][level]
    line = Text(f"[{2 * level + place}] ", "bold")
    if tile == NONE:
        return line.append("none left", "dim")
    cost = price(level, place, content["players"][table.seat], components)
    return line.append(f"{cost}f ").append_text(_tile(tile, table))


def _tile(tile: int, table: _Table) -> Text:
    """A tile in short: level, colours, what it gives, and its arrows by the initial of their colour (``g↑→1f``)."""
    values = table.components.record[0]
    names = "+".join(name for colour, name in enumerate(COLOUR_NAMES) if int(values.colours[tile]) >> colour & 1)
    mask = int(values.colours[tile])
    whole = "multicoloured" if names.count("+") == len(COLOUR_NAMES) - 1 else names
    line = Text.assemble(f"L{values.level[tile] + 1} ", (whole, mask_style(mask)))
    if values.effect[tile] != NONE:
        line.append(f" {counted(int(values.amount[tile]), GAIN_NAMES[values.effect[tile]])}")
    if values.level[tile] == LEVELS - 1:
        line.append(f" {counted(int(values.level_points[LEVELS - 1]), 'points')}")
    for colour, name in enumerate(COLOUR_NAMES):
        arrows = dict[str, str]()
        for side in range(SIDES):
            if values.arrow_colour[tile, side] == colour:
                gain = _gain(values.arrow_amount[tile, side], values.arrow_gain[tile, side])
                arrows[gain] = arrows.get(gain, "") + table.glyphs.arrows[side]
        if arrows:
            parts = " ".join(f"{sides}{gain}" for gain, sides in arrows.items())
            line.append(", ").append(f"{name[0]}{parts}", STYLES[name])
    return line


def _dice(table: _Table) -> Iterator[Text]:
    content = table.content
    own = " ".join(str(face or ".") for face in content["dice"]["own"])
    line = Text.assemble(("Dice ", "bold"), (pool_text(content), "bold"), f", own by player {own}")
    if content["die"]:
        line.append(", in hand ").append(str(content["die"]), "bold")
    yield line


def _elders(table: _Table) -> Iterator[Text]:
    for space, elder in enumerate(table.content["elders"]):
        first, second = table.components.record[0].elder_costs[space].tolist()
        left = table.content["fragments"][space]
        power = _elder(elder, table.components)
        yield Text.assemble(
            (f"Elder {space}", "bold"), f", chips {first} {second} any: {power}", (f", {left} left", "dim")
        )


def _elder(elder: int, components: Components) -> str:
    """The power of an elder in one or two words."""
    values = components.record[0]
    return {
        ELDER_FLOWERS: counted(int(values.elder_flowers), "flowers"),
        ELDER_MOVES: counted(int(values.elder_moves), "moves"),
        ELDER_ADVANCE: counted(int(values.elder_advances), "advances"),
        ELDER_SEARCH: "any tile",
        ELDER_COLOUR: "colour",
    }[elder]


def _prophecies(table: _Table) -> Iterator[Text]:
    for prophecy in table.content["prophecies"]:
        owner = prophecy["owner"]
        points = int(table.components.record[0].prophecy_points[prophecy["id"]])
        condition = english.WORDS.prophecy_condition(prophecy["id"], table.components)
        text = f" {'free' if owner == NONE else f'player {owner}'}: {condition}"
        yield Text.assemble((_gain(points, GAIN_NAMES.index("points")), "bold"), (text, "" if owner == NONE else "dim"))


def _extras(table: _Table) -> Iterator[Text]:
    """What is there in some games and moments only."""
    content = table.content
    if content["characters_available"]:
        free = ", ".join(CHARACTER_NAMES[character] for character in content["characters_available"])
        yield Text.assemble(("Characters ", "bold"), free)
    for seat, player in enumerate(content["players"]):
        if player["reserved"] != NONE:
            whose = "you" if seat == table.seat else f"player {seat}"
            yield Text(f"Reserved by {whose}: ").append_text(_tile(player["reserved"], table))
    if ELDER_COLOUR in content["elders"]:
        left = zip(COLOUR_NAMES, content["colour_markers"], strict=True)
        yield Text(f"Markers: {' '.join(f'{count} {name}' for name, count in left)}")


# Villages


def compact_village(table: _Table, seat: int) -> list[Text]:
    """A village without frames: two rows for each square, with the numbers of the Dunaias in the gaps between them."""
    player = table.content["players"][seat]
    edges = {tuple(squares): number for number, squares in enumerate(EDGE_SQUARES.tolist())}
    lines = []
    for row in range(COLUMNS):
        squares = [COLUMNS * row + column for column in range(COLUMNS)]
        for number, parts in enumerate(zip(*(_square(table, player, square) for square in squares), strict=True)):
            line = Text()
            for column, part in enumerate(parts):
                if column:
                    edge = edges[squares[column - 1], squares[column]]
                    line.append_text(_between(table, player, edge, _GAP) if number == 0 else Text(" " * _GAP))
                line.append_text(fitted(part, _CELL, pad=True))
            lines.append(line)
        if row < COLUMNS - 1:
            below = [_between(table, player, edges[square, square + COLUMNS], _CELL) for square in squares]
            lines.append(Text(" " * _GAP).join(below))
    return lines


def _between(table: _Table, player: Content, edge: int, width: int) -> Text:
    return place_between(player, edge, width, table.glyphs, _COMPACT)


def _square(table: _Table, player: Content, square: int) -> tuple[Text, Text]:
    """The two rows of a square: number, level and colours; progress and what it gives."""
    values, building = table.components.record[0], player["squares"][square]
    if building is None:
        return Text(f"{square}", "bold"), Text(f"({PRINTED_NAMES[values.printed[square]]})", "dim")
    tile = building["tile"]
    initials = [name[0] for colour, name in enumerate(COLOUR_NAMES) if int(values.colours[tile]) >> colour & 1]
    head = Text.assemble((f"{square}", "bold"), f" L{values.level[tile] + 1} ")
    head.append("".join(initials), f"bold {mask_style(int(values.colours[tile]))}")
    for colour in building["colours"]:
        name = COLOUR_NAMES[colour]
        head.append(name[0], f"bold {STYLES[name]}")
    if not building["built"]:
        return head, Text(f"{building['steps']}/{values.steps[tile]} {_gives(table, player, square)}".rstrip())
    gives = _gives(table, player, square)
    status = "die" if building["die"] else "done"
    # Where three gains leave no room for the word, the die is still said.
    text = f"{status} {gives}".rstrip()
    if len(text) > _CELL and not building["die"]:
        text = gives
    return head, Text(text, "bold")


def _gives(table: _Table, player: Content, square: int) -> str:
    """What a building gives: if it is completed, with its active arrows."""
    values, building = table.components.record[0], player["squares"][square]
    tile = building["tile"]
    level = int(values.level[tile])
    gains = dict(facts.gains_now(player, square, table.components)) if building["built"] else {}
    if level == LEVELS - 1:
        points = GAIN_NAMES.index("points")
        gains[points] = gains.get(points, 0) + int(values.level_points[level])
    elif not gains and values.effect[tile] != NONE:
        gains = {int(values.effect[tile]): int(values.amount[tile])}
    return "".join(_gain(amount, gain) for gain, amount in sorted(gains.items()) if amount)


# Players


def _players(table: _Table, width: int) -> list[Text]:
    """A heading, and a row for each player."""
    headings = ("points", "flowers", "chips", "tokens", "artefacts", "fragments")
    widths = [max(len(heading), FACES if heading == "chips" else 0) for heading in headings]
    names = [_name(table, seat) for seat in range(len(table.names))]
    room = min(max(name.cell_len for name in names), width - sum(widths) - len(widths))
    gap = min((width - room - sum(widths)) // len(widths), _MOST_BETWEEN_NUMBERS)
    heads = [f"{'':{gap}}{heading:>{size}}" for heading, size in zip(headings, widths, strict=True)]
    rows = [Text("".join([f"{'player':<{room}}", *heads]), "bold underline")]
    for name, seat, player in zip(names, range(len(names)), table.content["players"], strict=True):
        cells = (
            str(table.content["scores"][seat]),
            str(player["flowers"]),
            "".join(str(chip) if chip in player["chips"] else "." for chip in range(1, FACES + 1)),
            str(player["tokens"]),
            str(player["artefacts"]),
            " ".join(map(str, player["fragments"])) or "none",
        )
        row = fitted(name, room, pad=True)
        for cell, size in zip(cells, widths, strict=True):
            row.append(f"{'':{gap}}{cell:>{size}}")
        rows.append(fitted(row, width))
    return rows


def _name(table: _Table, seat: int) -> Text:
    """The name of a player, with the character."""
    player, name = table.content["players"][seat], Text(table.names[seat], "bold" if seat == table.seat else "")
    if player["character"] != NONE:
        name.append(f", {CHARACTER_NAMES[player['character']]}{' (used)' if player['power_used'] else ''}")
    return name
