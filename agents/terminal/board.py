"""Text drawings of Dunaia for a terminal: the common board, the villages and the final scores.

All drawings are made from state dictionaries. Colours only repeat what the text says, so that it can be read without
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from types import SimpleNamespace
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from dunaia_env.dunaia.components import ALL_COLOURS, GAIN_NAMES, GAIN_POINTS, PRINTED_NAMES, Components
from dunaia_env.dunaia.presentation.wording import english, facts
from dunaia_env.dunaia.rules.buildings import plain_price
from dunaia_env.dunaia.state import (
    CHARACTER_NAMES,
    COLOUR_NAMES,
    COLOURS,
    EDGE_SQUARES,
    ELDER_ADVANCE,
    ELDER_COLOUR,
    ELDER_FLOWERS,
    ELDER_MOVES,
    ELDER_SEARCH,
    FACES,
    LEVELS,
    NONE,
    SIDE_NAMES,
    SIDES,
)

Content = Mapping[str, Any]

# The terminal's colour for each printed colour.
STYLES = {"green": "green", "yellow": "yellow", "purple": "magenta", "red": "red"}
_SEVERAL_COLOURS_STYLE = "cyan"
_DUNAIA_STYLE = "bold reverse"
COLUMNS = 3
_TEXT_COLUMNS = {"player", "tile", "power", "prophecy", "taken by"}
_DUNAIA_LINE = 2  # the line of a square's six lines beside which Dunaias are drawn


@dataclass(frozen=True)
class Glyphs:
    """The characters of the drawings.

    Attributes:
        frame: corners and sides of a square: top left, horizontal, top right, vertical, bottom left, bottom right.
        built_frame: corners and sides of a square with a completed building, in the same order.
        arrows: arrows to the north, east, south and west.
        place: a place between two squares where no Dunaia stands.
    """

    frame: str
    built_frame: str
    arrows: str
    place: str


BOX_GLYPHS = Glyphs("┌─┐│└┘", "╔═╗║╚╝", "↑→↓←", "○")
ASCII_GLYPHS = Glyphs("+-+|++", "#=#|##", "^>v<", "o")


@dataclass(frozen=True)
class Size:
    """The size of a drawn village.

    Attributes:
        cell: columns inside a square.
        gap: columns between squares.
        spelled: whether words are spelled out.
    """

    cell: int
    gap: int
    spelled: bool

    @property
    def width(self) -> int:
        """Number of columns of a whole village."""
        return COLUMNS * (self.cell + 2) + (COLUMNS - 1) * self.gap


LARGE = Size(20, 5, spelled=True)  # 76 columns: one fits into 80 columns
SMALL = Size(9, 3, spelled=False)  # 39 columns: two fit into 80 columns, one beside a large one into 120


def glyphs_of(console: Console) -> Glyphs:
    """The characters that a console's encoding supports."""
    return ASCII_GLYPHS if console.options.ascii_only else BOX_GLYPHS


def counted(amount: int, things: str) -> str:
    """A number with a noun in the singular or plural: ``1 chip``, ``2 chips``."""
    return f"{amount} {things.removesuffix('s') if amount == 1 else things}"


def mask_style(mask: int) -> str:
    """The style of a set of colours."""
    names = [COLOUR_NAMES[colour] for colour in range(COLOURS) if mask >> colour & 1]
    return STYLES[names[0]] if len(names) == 1 else _SEVERAL_COLOURS_STYLE


def mask_text(mask: int, room: int) -> str:
    """The names of a set of colours; their initials if the names do not fit."""
    names = [COLOUR_NAMES[colour] for colour in range(COLOURS) if mask >> colour & 1]
    words = "multicoloured" if mask == ALL_COLOURS else "+".join(names)
    return words if len(words) <= room else "".join(name[0] for name in names)


def _arrow(tile: int, side: int, components: Components, size: Size, *, symbol: str, plus: str = "+") -> Text:
    """An arrow of a tile, with its symbol on the outer side: ``green+1f``, or ``g1f`` in initials; empty for none."""
    values = components.record[0]
    colour = int(values.arrow_colour[tile, side])
    if colour == NONE:
        return Text()
    name = COLOUR_NAMES[colour]
    gain = f"{values.arrow_amount[tile, side]}{GAIN_NAMES[values.arrow_gain[tile, side]][0]}"
    text = f"{name}{plus}{gain}" if size.spelled else f"{name[0]}{gain}"
    return Text(f"{text}{symbol}" if SIDE_NAMES[side] == "east" else f"{symbol}{text}", STYLES[name])


def _arrows_beside(tile: int, components: Components, glyphs: Glyphs, size: Size) -> Text:
    """The arrows to the west and east, at the ends of a line inside a square."""
    west, east = SIDE_NAMES.index("west"), SIDE_NAMES.index("east")
    ends = [Text(), Text()]
    # If two long colour names leave no space between them, the plus is left out.
    for plus in ("+", ""):
        ends = [_arrow(tile, side, components, size, symbol=glyphs.arrows[side], plus=plus) for side in (west, east)]
        if sum(map(len, ends)) < size.cell:
            break
    return Text.assemble(ends[0], " " * max(size.cell - sum(map(len, ends)), 0), ends[1])


def _effect(player: Content, square: int, components: Components, size: Size) -> str:
    """The effect of a building; with its active arrows if the building is completed."""
    values = components.record[0]
    building = player["squares"][square]
    tile = building["tile"]
    level = int(values.level[tile])
    gains = facts.gains_now(player, square, components) if building["built"] else {}
    if level == LEVELS - 1:
        points = int(values.level_points[level])
        arrows = gains.get(GAIN_POINTS, 0)
        if size.spelled:
            return f"worth {points}+{arrows} points" if arrows else f"worth {counted(points, 'points')}"
        return counted(points + arrows, "points")
    effect = (
        counted(int(values.amount[tile]), GAIN_NAMES[values.effect[tile]])
        if values.effect[tile] != NONE
        else "no effect"
    )
    now = " ".join(f"{amount}{GAIN_NAMES[gain][0]}" for gain, amount in sorted(gains.items()))
    grown = sum(gains.values()) > int(values.amount[tile])
    if not size.spelled:
        return now if grown else effect
    use = "recycle" if level == 0 else "wake"
    whole = f"{use}: {effect} = {now}" if grown else f"{use}: {effect}"
    return whole if len(whole) <= size.cell else f"{use}: {now}"


def _status(building: Content, components: Components, size: Size) -> str:
    """The progress of a building, or whether it is completed and carries a die."""
    if building["built"]:
        if building["die"]:
            return "completed, die on it" if size.spelled else "die on it"
        return "completed"
    done = building["steps"]
    needed = int(components.record[0].steps[building["tile"]])
    bar = "#" * done + "." * (needed - done)
    return f"building {done} of {needed} {bar}" if size.spelled else f"{bar} {done}/{needed}"


def _fit(text: Text, width: int) -> Text:
    text.truncate(width, pad=True)
    return text


def _centred(text: Text, width: int, fill: str, style: str) -> Text:
    room = width - len(text)
    return Text.assemble((fill * (room // 2), style), text, (fill * (room - room // 2), style))


def _square(player: Content, square: int, components: Components, glyphs: Glyphs, size: Size) -> list[Text]:
    """The six lines of a square: its frame with the arrows to north and south, and four lines inside."""
    values = components.record[0]
    building = player["squares"][square]
    north, south = Text(), Text()
    if building is None:
        frame, style = glyphs.frame, "dim"
        inside = [Text(f"{square}", "bold"), Text(f"({PRINTED_NAMES[values.printed[square]]})"), Text(), Text()]
    else:
        tile = building["tile"]
        frame = glyphs.built_frame if building["built"] else glyphs.frame
        printed = int(values.colours[tile])
        style = mask_style(printed)
        head = Text.assemble((f"{square}", "bold"), f" L{values.level[tile] + 1} ")
        markers = [COLOUR_NAMES[colour] for colour in building["colours"]]
        room = size.cell - len(head) - (2 if size.spelled else 1) * len(markers)
        head.append(mask_text(printed, room if size.spelled else 0), f"bold {style}")
        for name in markers:
            head.append(f"+{name[0]}" if size.spelled else name[0], f"bold {STYLES[name]}")
        north, south = (
            _arrow(tile, side, components, size, symbol=glyphs.arrows[side])
            for side in (SIDE_NAMES.index("north"), SIDE_NAMES.index("south"))
        )
        inside = [
            head,
            Text(_effect(player, square, components, size)),
            _arrows_beside(tile, components, glyphs, size),
            Text(_status(building, components, size), "bold" if building["built"] else ""),
        ]
    top_left, across, top_right, upright, bottom_left, bottom_right = tuple(frame)
    return [
        Text.assemble((top_left, style), _centred(north, size.cell, across, style), (top_right, style)),
        *(Text.assemble((upright, style), _fit(line, size.cell), (upright, style)) for line in inside),
        Text.assemble((bottom_left, style), _centred(south, size.cell, across, style), (bottom_right, style)),
    ]


def place_between(player: Content, edge: int, width: int, glyphs: Glyphs, size: Size) -> Text:
    """The Dunaias at the place between two squares."""
    numbers = [str(number) for number, at in enumerate(player["dunaias"], 1) if at == edge]
    text = Text((" " if size.spelled else "").join(numbers), _DUNAIA_STYLE) if numbers else Text(glyphs.place, "dim")
    return _centred(text, width, " ", "")


def village(player: Content, components: Components, glyphs: Glyphs = BOX_GLYPHS, size: Size = LARGE) -> list[Text]:
    """The lines of a village: the 3×3 squares, with the numbers of the Dunaias in the gaps between them."""
    edges = {tuple(squares): number for number, squares in enumerate(EDGE_SQUARES.tolist())}
    lines = []
    for row in range(COLUMNS):
        squares = [COLUMNS * row + column for column in range(COLUMNS)]
        cells = [_square(player, square, components, glyphs, size) for square in squares]
        for number, parts in enumerate(zip(*cells, strict=True)):
            line = parts[0].copy()
            for column in range(1, COLUMNS):
                edge = edges[squares[column - 1], squares[column]]
                beside = number == _DUNAIA_LINE
                line.append_text(
                    place_between(player, edge, size.gap, glyphs, size) if beside else Text(" " * size.gap)
                )
                line.append_text(parts[column])
            lines.append(line)
        if row < COLUMNS - 1:
            below = [place_between(player, edges[s, s + COLUMNS], size.cell + 2, glyphs, size) for s in squares]
            lines.append(Text(" " * size.gap).join(below))
    return lines


def tile_line(tile: int, components: Components, glyphs: Glyphs) -> Text:
    """A tile on one line: level, colour, effect, and arrows by colour (``green ^1f >1m``)."""
    if tile == NONE:
        return Text("none left", "dim")
    values = components.record[0]
    mask = int(values.colours[tile])
    line = Text.assemble(f"L{values.level[tile] + 1} ", (mask_text(mask, 3 * SIDES * COLOURS), mask_style(mask)))
    if values.effect[tile] != NONE:
        line.append(f", {counted(int(values.amount[tile]), GAIN_NAMES[values.effect[tile]])}")
    for colour, name in enumerate(COLOUR_NAMES):
        arrows = [
            f"{glyphs.arrows[side]}{values.arrow_amount[tile, side]}{GAIN_NAMES[values.arrow_gain[tile, side]][0]}"
            for side in range(SIDES)
            if values.arrow_colour[tile, side] == colour
        ]
        if arrows:
            line.append(", ").append(" ".join([name, *arrows]), STYLES[name])
    return line


def elder_text(elder: int, components: Components) -> str:
    """The power of an elder in words."""
    values = components.record[0]
    return {
        ELDER_FLOWERS: f"take {counted(int(values.elder_flowers), 'flowers')}",
        ELDER_MOVES: f"up to {counted(int(values.elder_moves), 'moves')}",
        ELDER_ADVANCE: f"{counted(int(values.elder_advances), 'advances')} of a building",
        ELDER_SEARCH: "search: buy any tile of a pile",
        ELDER_COLOUR: "put a colour marker on a building",
    }[elder]


def price(level: int, place: int, player: Content, components: Components) -> int:
    """The price in flowers, for a player, of the displayed tile (place 0) or the pile's top (place 1) of a level."""
    return plain_price(components.record[0], SimpleNamespace(character=player["character"]), level, place)


def grid(*headings: str, gap: int = 2) -> Table:
    """A table without lines; if the console is too narrow, columns of texts are wrapped and others are not."""
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold underline")
    for heading in headings:
        table.add_column(Text(heading), no_wrap=heading not in _TEXT_COLUMNS)
    return table


def add_row(table: Table, *cells: str | Text) -> None:
    """Add a row of literal texts; as strings, rich would read ``[0]`` as markup and ``:1000:`` as an emoji."""
    table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells))


def pool_text(content: Content) -> str:
    """The faces of the neutral dice in the pool."""
    faces = [str(face) for face, count in enumerate(content["dice"]["neutral"], 1) for _ in range(count)]
    return " ".join(faces) or "none"


def _dice(content: Content) -> Text:
    own = " ".join(str(face or ".") for face in content["dice"]["own"])
    line = Text.assemble(("Dice  ", "bold"), "neutral: ", (pool_text(content), "bold"), f"   own, by player: {own}")
    if content["die"]:
        line.append("   in hand: ").append(str(content["die"]), "bold")
    return line


def _tiles(content: Content, seat: int, components: Components, glyphs: Glyphs) -> Table:
    table = grid("offer", "price", "tile", "below")
    for level in range(LEVELS):
        for place, where in enumerate(("display", "pile_top")):
            tile = content[where][level]
            table.add_row(
                f"[{2 * level + place}] {('shown', 'pile')[place]}",
                "" if tile == NONE else str(price(level, place, content["players"][seat], components)),
                tile_line(tile, components, glyphs),
                str(len(content["piles"][level])) if place else "",
            )
    return table


def _elders(content: Content, components: Components) -> Table:
    table = grid("elder", "chips", "power", "fragments left")
    for space, elder in enumerate(content["elders"]):
        first, second = components.record[0].elder_costs[space].tolist()
        power = elder_text(elder, components)
        if elder == ELDER_COLOUR:
            left = ", ".join(
                f"{count} {name}" for name, count in zip(COLOUR_NAMES, content["colour_markers"], strict=True)
            )
            power += f"\n  ({left})"
        add_row(table, f"[{space}]", f"{first} {second} + any", power, str(content["fragments"][space]))
    return table


def _prophecies(content: Content, names: Sequence[str], components: Components) -> Table:
    table = grid("prophecy", "taken by")
    for prophecy in content["prophecies"]:
        owner = prophecy["owner"]
        add_row(table, english.WORDS.prophecy(prophecy["id"], components), "free" if owner == NONE else names[owner])
    return table


def _players(content: Content, names: Sequence[str]) -> Table:
    table = grid("player", "points", "flowers", "chips", "tokens", "artefacts", "fragments")
    for seat, player in enumerate(content["players"]):
        name = Text(names[seat], "bold" if seat == content["seat"] else "")
        if player["character"] != NONE:
            name.append(f"\n  {CHARACTER_NAMES[player['character']]}{' (used)' if player['power_used'] else ''}")
        add_row(
            table,
            name,
            str(content["scores"][seat]),
            str(player["flowers"]),
            " ".join(str(chip) if chip in player["chips"] else "." for chip in range(1, FACES + 1)),
            str(player["tokens"]),
            str(player["artefacts"]),
            " ".join(map(str, player["fragments"])) or "none",
        )
    return table


def _reserved(content: Content, names: Sequence[str], components: Components, glyphs: Glyphs) -> Iterator[Text]:
    for name, player in zip(names, content["players"], strict=True):
        if player["reserved"] != NONE:
            yield Text(f"Reserved by {name}: ").append_text(tile_line(player["reserved"], components, glyphs))


def _titled_village(
    content: Content, seat: int, names: Sequence[str], components: Components, glyphs: Glyphs, size: Size
) -> list[Text]:
    """A village under the name of its player."""
    return [Text(f"Village of {names[seat]}", "bold"), *village(content["players"][seat], components, glyphs, size)]


def village_view(
    content: Content, seat: int, names: Sequence[str], components: Components, *, width: int, glyphs: Glyphs
) -> RenderableType:
    """The village of a seat, in the largest size for a console of a width."""
    block = _titled_village(content, seat, names, components, glyphs, own_size(width))
    return Group(*_beside([block], width))


def _beside(blocks: Iterable[list[Text]], width: int) -> Iterator[Text]:
    """Arrange blocks of lines side by side as far as the width allows, and the others below."""
    rows: list[list[list[Text]]] = []
    used = 0
    for block in blocks:
        needed = max(map(len, block))
        if rows and used + 2 + needed <= width:
            rows[-1].append(block)
            used += 2 + needed
        else:
            rows.append([block])
            used = needed
    for row in rows:
        widths = [max(map(len, block)) for block in row]
        for parts in zip_longest(*row, fillvalue=Text()):
            cells = [_fit(part.copy(), across) for part, across in zip(parts, widths, strict=True)]
            line = Text("  ").join(cells)
            line.rstrip()
            line.no_wrap, line.overflow = True, "crop"
            yield line


def own_size(width: int) -> Size:
    """The size of the observing seat's village on a console of a width."""
    return LARGE if width >= LARGE.width else SMALL


def board(
    content: Content, seat: int, names: Sequence[str], components: Components, *, width: int, glyphs: Glyphs
) -> RenderableType:
    """The whole board for a seat: the common board, the players, the seat's village, and the smaller other villages.

    Args:
        content: the state dictionary.
        seat: the seat whose prices are shown and whose village comes first.
        names: the names of the seats.
        components: the game's components.
        width: number of columns of the console.
        glyphs: the characters of the drawings.
    """
    order = [(seat + k) % len(names) for k in range(len(names))]
    sizes = [own_size(width), *([SMALL] * (len(names) - 1))]
    villages = _beside(
        (_titled_village(content, s, names, components, glyphs, size) for s, size in zip(order, sizes, strict=True)),
        width,
    )
    parts: list[RenderableType] = [_dice(content), Text()]
    if content["characters_available"]:
        free = ", ".join(CHARACTER_NAMES[character] for character in content["characters_available"])
        parts += [Text.assemble(("Characters  ", "bold"), free), Text()]
    parts += [
        _tiles(content, seat, components, glyphs),
        Text(),
        _elders(content, components),
        Text(),
        _prophecies(content, names, components),
        Text(),
        _players(content, names),
        *_reserved(content, names, components, glyphs),
        Text(),
    ]
    legend = (
        f"Digits between squares are Dunaias (24: Dunaias 2 and 4), {glyphs.place} is a place without a Dunaia."
        " Arrows give: f flowers, c chips, m moves, p points."
    )
    return Group(*parts, *villages, Text(legend, "dim"))


def score_table(content: Content, ranks: Sequence[int], names: Sequence[str], components: Components) -> Table:
    """The final scores and the sources of the points, best first."""
    parts = [facts.score_parts(content, seat, components) for seat in range(len(names))]
    # Narrow gaps, because with an agent's name wider ones would not fit into 80 columns.
    table = grid("rank", "player", *parts[0], "points", gap=1)
    for seat in sorted(range(len(names)), key=lambda seat: ranks[seat]):
        numbers = map(str, chain(parts[seat].values(), [content["scores"][seat]]))
        add_row(table, str(ranks[seat]), names[seat], *numbers)
    return table
