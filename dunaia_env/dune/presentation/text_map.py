"""The planet in characters: a map for terminals, with the tokens, the spice and the storm on it.

The map has the outlines of the picture. What lies on the board is written into its cell, around the names of the
territories, which stand at the same places in all positions unless a cell needs their room.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, combinations, pairwise, product
from math import inf, sqrt
from string import ascii_uppercase
from typing import Any, Final, NamedTuple

from dunaia_env.dune.board import ROCK, STRONGHOLD
from dunaia_env.dune.components import Components
from dunaia_env.dune.presentation.planet import at, load_planet
from dunaia_env.dune.presentation.wording import english, french
from dunaia_env.dune.presentation.wording.facts import Facts, shown_sector
from dunaia_env.dune.presentation.wording.map_words import MAP_WORDS, MapWords
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.presentation.wording.words import capital
from dunaia_env.dune.state import CELLS, FACTIONS, NONE, SECTORS, TERRITORIES

Content = Mapping[str, Any]
Rows = tuple[tuple[int, ...], ...]
Block = tuple[str, ...]  # lines of text, each centred
Costs = tuple[tuple[float, ...], ...]  # of the characters in each row, added up from the left

_LANGUAGES: Final = {"en": english.WORDS, "fr": french.WORDS}
WIDTH: Final = 80
_SIDE: Final = 4  # columns left and right of the map, for the numbers of the sectors
# A character is about twice as high as it is wide. One more column and row hold the western and the northern border.
_ACROSS: Final = WIDTH - 2 * _SIDE - 1
_DOWN: Final = (_ACROSS + 1) // 2
_COLUMNS, _ROWS = _ACROSS + 1, _DOWN + 1

_WEST_EAST, _SOUTH = "|", "_"  # borders to the neighbour on the right and to the one below
_SECTOR, _ROCK, _RUBBLE, SPICE, STORM, _DUST = ".", "^", "x", "$", "@", "~"
_GROUND: Final = _SOUTH + _SECTOR + _ROCK + _RUBBLE + _DUST  # signs that leave a blank beside a text
_RIM: Final = 1.03  # where the numbers of the sectors stand, in radii of the planet
_BETWEEN: Final = 3  # columns between the names of two seats

# Where texts stand best is a matter of costs: those of the characters that they cover and of the way to their place.
_WAY: Final = 0.3  # of each column, and of each half row
_LINE: Final = 0.5  # of each line of a text
_BESIDE: Final = 2.0  # of a line that only one column separates from another text
_ON_A_BORDER, _ON_A_SLOT, _NEAR, _OVER_THE_RIM, _FAR = 0.8, 1.5, 3.0, 4.5, 6.0
_SHORTENED, _LETTER_LOST = 3.0, 2.5
_LETTERS: Final = (7, 6, 5, 4, 3, 2, 1)  # that may be left of the words of a name
_WORDS: Final = 4  # of a name that are written
_SLOT: Final = 3  # columns of a letter and a number, for which names leave room in each cell
_REACH_OF_A_NAME, _REACH_OF_A_SLOT, _REACH = (6, 14), (2, 4), (4, 9)  # rows and columns away from the place
_MOST: Final = 2.6  # mean cost of a text's characters, beyond which it would seem to lie in another cell


class _Written(NamedTuple):
    """A line of text on the map, at the row and column of its first character."""

    row: int
    column: int
    text: str


# The ground


@lru_cache(maxsize=1)
def _cells() -> Rows:
    """The cell at the middle of each character, row by row; `NONE` outside the planet."""
    planet = load_planet()
    grid = [[NONE] * _COLUMNS for _ in range(_ROWS)]
    for row in range(1, _ROWS):
        y = ((2 * row - 1) / _DOWN - 1) * planet.radius
        for cell, outline in enumerate(planet.outlines):
            crossings = sorted(
                a + (y - b) * (c - a) / (d - b)
                for (a, b), (c, d) in zip(outline, (*outline[1:], outline[0]), strict=True)
                if (b <= y) != (d <= y)
            )
            for left, right in zip(crossings[::2], crossings[1::2], strict=True):
                for column in range(1, _COLUMNS):
                    if left <= ((2 * column - 1) / _ACROSS - 1) * planet.radius < right:
                        grid[row][column] = cell
    return tuple(map(tuple, grid))


@lru_cache(maxsize=1)
def _territories() -> Rows:
    """The territory at the middle of each character; `NONE` outside the planet."""
    owners = load_planet().owners
    return tuple(tuple(owners[cell] if cell != NONE else NONE for cell in row) for row in _cells())


def _sizes(rows: Rows, count: int) -> list[int]:
    """The number of characters of each cell or territory."""
    return [sum(row.count(number) for row in rows) for number in range(count)]


@lru_cache(maxsize=1)
def _borders() -> tuple[str, ...]:
    """The borders between territories, and between sectors within a territory, row by row; blanks elsewhere."""
    sectors, cells, owners = load_planet().sectors, _cells(), _territories()

    def sign(row: int, column: int) -> str:
        here = owners[row][column]
        if here != (owners[row][column + 1] if column + 1 < _COLUMNS else NONE):
            return _WEST_EAST
        if here != (owners[row + 1][column] if row + 1 < _ROWS else NONE):
            return _SOUTH
        if here == NONE:
            return " "
        sector, right, below = (sectors[cells[r][c]] for r, c in ((row, column), (row, column + 1), (row + 1, column)))
        # With a dot in each column, a border from west to east would be too thick.
        return _SECTOR if sector != right or (sector != below and column % 2) else " "

    return tuple("".join(sign(row, column) for column in range(_COLUMNS)) for row in range(_ROWS))


def _place(x: float, y: float) -> tuple[float, float]:
    """The row and the column of a point of the picture."""
    radius = load_planet().radius
    return (y / radius + 1) * _DOWN / 2 + 0.5, (x / radius + 1) * _ACROSS / 2 + 0.5


def _rim() -> list[tuple[int, float]]:
    """The row and the column of each sector's number at the rim of the planet."""
    radius = load_planet().radius * _RIM
    places = (_place(*at(sector + 0.5, radius)) for sector in range(SECTORS))
    return [(round(row), column) for row, column in places]


# Where texts stand


def _splits(parts: Sequence[str]) -> Iterator[Block]:
    """The ways to write parts one after another on one line or several."""
    for cuts in range(len(parts)):
        for chosen in combinations(range(1, len(parts)), cuts):
            yield tuple(" ".join(parts[low:high]) for low, high in pairwise((0, *chosen, len(parts))))


def _sums(costs: Sequence[float]) -> tuple[float, ...]:
    return tuple(accumulate(costs, initial=0.0))


class _Sheet:
    """The texts on the map, and where there is room for others.

    Args:
        texts: texts that are on the map already.
        margin: columns that are kept free on both sides of each text that is written, besides the one between all
            texts.
    """

    def __init__(self, texts: Sequence[_Written] = (), margin: int = 0) -> None:
        self.texts = list(texts)
        self._margin = margin
        self._taken = [[0.0] * _COLUMNS for _ in range(_ROWS)]
        self._sums = [_sums(row) for row in self._taken]
        for text in texts:
            self._take(text, 0)

    def _take(self, text: _Written, margin: int) -> None:
        row = self._taken[text.row]
        for column in range(max(text.column - margin, 0), min(text.column + len(text.text) + margin, _COLUMNS)):
            row[column] = 1.0
        self._sums[text.row] = _sums(row)

    def _is_free(self, line: _Written, margin: int) -> bool:
        sums = self._sums[line.row]
        return sums[min(line.column + len(line.text) + margin, _COLUMNS)] == sums[max(line.column - margin, 0)]

    def write(
        self,
        blocks: Sequence[tuple[float, Block]],
        place: tuple[float, float],
        reach: tuple[int, int],
        costs: Costs,
        most: float = inf,
    ) -> bool:
        """Write the block of lines that costs least, where it costs least; False if there is no room for any.

        Args:
            blocks: the blocks with their own costs, in ascending order.
            place: the row and the column for the middle of the block.
            reach: how many rows and columns it may stand away from there.
            costs: the costs of all characters of the map.
            most: the highest mean cost of the characters of each word.
        """
        best, found = inf, list[_Written]()
        for own, block in blocks:
            if own >= best:
                break
            for row, column, way in _places(block, place, reach):
                cost, lines = own + way, _centred(block, row, column)
                for line in lines:
                    cost += _cost_of(line, costs) + (0.0 if self._is_free(line, 2) else _BESIDE)
                    if cost >= best or not self._is_free(line, 1):
                        break
                else:
                    if all(_cost_of(word, costs) <= most * len(word.text) for line in lines for word in _words(line)):
                        best, found = cost, lines
        for line in found:
            self._take(line, self._margin)
        self.texts += found
        return bool(found)


def _places(block: Block, place: tuple[float, float], reach: tuple[int, int]) -> Iterator[tuple[int, int, float]]:
    """The rows and columns at which a block may begin within a reach, with the cost of the way there."""
    top, left = place[0] - (len(block) - 1) / 2, place[1] - (max(map(len, block)) - 1) / 2
    rows = range(max(round(top) - reach[0], 0), min(round(top) + reach[0], _ROWS - len(block)) + 1)
    columns = range(max(round(left) - reach[1], 0), min(round(left) + reach[1], _COLUMNS - max(map(len, block))) + 1)
    for row, column in product(rows, columns):
        yield row, column, _WAY * sqrt(4 * (row - top) ** 2 + (column - left) ** 2)


def _cost_of(text: _Written, costs: Costs) -> float:
    sums = costs[text.row]
    return sums[text.column + len(text.text)] - sums[text.column]


def _words(line: _Written) -> Iterator[_Written]:
    for word in re.finditer(r"\S+", line.text):
        yield _Written(line.row, line.column + word.start(), word[0])


def _centred(block: Block, row: int, column: int) -> list[_Written]:
    """The lines of a block whose upper left corner stands at a row and a column."""
    wide = max(map(len, block))
    return [_Written(row + number, column + (wide - len(line)) // 2, line) for number, line in enumerate(block)]


# Names


@lru_cache(maxsize=CELLS)
def _costs_in(cell: int) -> Costs:
    """What characters cost a text that belongs into a cell."""
    numbered = {row for row, _ in _rim()}

    def cost(row: int, column: int) -> float:
        here = _cells()[row][column]
        if here == cell:
            return _ON_A_BORDER if _borders()[row][column] in (_WEST_EAST, _SOUTH) else 0.0
        # Beside the number of a sector there is no room.
        return _OVER_THE_RIM if here == NONE and row not in numbered else _FAR

    return tuple(_sums([cost(row, column) for column in range(_COLUMNS)]) for row in range(_ROWS))


def _place_in(cell: int) -> tuple[float, float]:
    """The place of the only disc in a cell."""
    _, (middle,) = load_planet().tokens[cell][0]
    return _place(*middle)


@lru_cache(maxsize=1)
def _slots() -> frozenset[tuple[int, int]]:
    """The rows and columns that names leave free if they can, so that each cell has room for tokens."""
    sheet, sizes = _Sheet(), _sizes(_cells(), CELLS)
    for cell in sorted(range(CELLS), key=sizes.__getitem__):
        sheet.write([(0.0, (" " * _SLOT,))], _place_in(cell), _REACH_OF_A_SLOT, _costs_in(cell))
    return frozenset((text.row, text.column + step) for text in sheet.texts for step in range(_SLOT))


def _costs_of_a_name(territory: int) -> Costs:
    """What characters cost the name of a territory."""
    owners, borders, slots = _territories(), _borders(), _slots()

    def cost(row: int, column: int) -> float:
        here = owners[row][column]
        slot = _ON_A_SLOT if (row, column) in slots else 0.0
        if here != territory:
            return slot + (_FAR if here == NONE else _NEAR)
        return slot + (_ON_A_BORDER if borders[row][column] in (_WEST_EAST, _SOUTH) else 0.0)

    return tuple(_sums([cost(row, column) for column in range(_COLUMNS)]) for row in range(_ROWS))


def _forms(name: str) -> list[tuple[float, Block]]:
    """The ways to write a name, with their costs: its words on one line or several, whole or shortened."""
    parts, found = name.split()[:_WORDS], dict[Block, float]()
    for most in (len(name), *_LETTERS):
        shortened = [part[:most] for part in parts]
        lost = sum(map(len, parts)) - sum(map(len, shortened))
        for block in _splits(shortened):
            found.setdefault(block, _LINE * len(block) + (_SHORTENED + _LETTER_LOST * lost if lost else 0.0))
    return sorted((cost, block) for block, cost in found.items())


def _write_name(sheet: _Sheet, territory: int, name: str) -> None:
    label = load_planet().territories[territory].label
    sheet.write(_forms(name), _place(label.x, label.y), _REACH_OF_A_NAME, _costs_of_a_name(territory))


@lru_cache(maxsize=8)
def _names(names: tuple[str, ...]) -> Mapping[int, tuple[_Written, ...]]:
    """The names on an empty map, by territory; those of small territories choose their places first."""
    sheet, sizes, found = _Sheet(), _sizes(_territories(), TERRITORIES), dict[int, tuple[_Written, ...]]()
    for territory in sorted(range(TERRITORIES), key=sizes.__getitem__):
        before = len(sheet.texts)
        _write_name(sheet, territory, names[territory])
        found[territory] = tuple(sheet.texts[before:])
    return found


# The position


def text_map(content: Content, components: Components, *, language: str = "en") -> str:
    """The board of a position as a map in characters, with its signs explained in its corners and the seats below.

    All characters are ASCII, but for those of names. What lies on the board is open: a view has the map of its state.

    Args:
        content: a state dictionary or a view.
        components: the components of the game.
        language: code of the language of the words.

    Returns:
        Lines of at most `WIDTH` characters; an empty text if the territories of the components have other cells than
        those of the map.
    """
    teller, said = Teller(_LANGUAGES[language], Facts(content, components)), MAP_WORDS[language]
    facts = teller.facts
    if tuple(facts.printed.territory_of) != load_planet().owners:
        return ""
    letters = faction_letters(teller)
    names = tuple(short_name(territory, teller, said) for territory in range(TERRITORIES))
    texts, left = _written(names, _contents(facts, letters))
    rows = list(_ground(facts))
    for text in texts:
        end = text.column + len(text.text)
        rows[text.row][text.column : end] = text.text
        for column in {text.column - 1, end} & {*range(_COLUMNS)}:
            if rows[text.row][column] in _GROUND:
                rows[text.row][column] = " "
    without_room = [said.no_room.format(", ".join(left[cell]), teller.cell(cell)) for cell in sorted(left)]
    return "\n".join([*_framed(rows, teller, letters, said), *_seats(teller, letters, said), *without_room])


def faction_letters(teller: Teller) -> tuple[str, ...]:
    """A capital for each faction, by number, from its name; no two factions have the same."""
    letters = list[str]()
    for faction in range(FACTIONS):
        name = str(teller.faction(faction))
        # The first capital, because the name may begin with an article.
        wished = (*filter(str.isupper, name), *filter(str.isalpha, name.upper()), *ascii_uppercase)
        letters.append(next(letter for letter in wished if letter not in letters))
    return tuple(letters)


def short_name(territory: int, teller: Teller, said: MapWords) -> str:
    """The name of a territory without its small words; that of a stronghold in capitals."""
    whole = f"{teller.territory(territory):bare}".split()
    name = " ".join([part for part in whole if part not in said.left_out] or whole)
    return name.upper() if teller.facts.printed.type[territory] == STRONGHOLD else name


def _contents(facts: Facts, letters: Sequence[str]) -> dict[int, Block]:
    """The texts of what lies in each cell: the tokens of each seat, then the spice."""
    found: dict[int, Block] = {}
    for seat, player in enumerate(facts.players):
        for cell, tokens in player["forces"]:
            found[cell] = (*found.get(cell, ()), f"{letters[facts.faction(seat)]}{tokens}")
    for cell, amount in facts.content["spice"]:
        found[cell] = (*found.get(cell, ()), f"{SPICE}{amount}")
    return found


def _written(names: tuple[str, ...], contents: Mapping[int, Block]) -> tuple[list[_Written], dict[int, Block]]:
    """The texts on the map, and by cell the contents for which there is no room.

    A name gives up its usual place only if the contents of its territory would not have room otherwise.
    """
    usual, sizes, moved = _names(names), _sizes(_cells(), CELLS), set[int]()
    while True:
        sheet = _Sheet([text for place in usual if place not in moved for text in usual[place]], margin=1)
        left = {cell: _write_contents(sheet, cell, contents[cell]) for cell in sorted(contents, key=sizes.__getitem__)}
        crowded = {load_planet().owners[cell] for cell in left if left[cell]}
        if crowded <= moved:
            break
        moved |= crowded
    for territory in sorted(moved):
        _write_name(sheet, territory, names[territory])
    return sheet.texts, {cell: texts for cell, texts in left.items() if texts}


def _write_contents(sheet: _Sheet, cell: int, texts: Block) -> Block:
    """Write texts into a cell, together or one by one; returns those for which there is no room."""

    def has_written(*parts: str) -> bool:
        blocks = sorted((_LINE * len(block), block) for block in _splits(parts))
        return sheet.write(blocks, _place_in(cell), _REACH, _costs_in(cell), _MOST)

    return () if has_written(*texts) else tuple(text for text in texts if not has_written(text))


def _ground(facts: Facts) -> Iterator[list[str]]:
    """The borders, and between them the dust of the storm, the rock and the rubble of the Shield Wall, row by row."""
    for row, (cells, borders) in enumerate(zip(_cells(), _borders(), strict=True)):
        yield [
            border if cell == NONE or border in (_WEST_EAST, _SOUTH) else _sign(cell, border, column + 2 * row, facts)
            for column, (cell, border) in enumerate(zip(cells, borders, strict=True))
        ]


def _sign(cell: int, border: str, step: int, facts: Facts) -> str:
    """The sign of the ground in a cell, or of the border of its sector; ``step`` spreads the signs evenly."""
    if facts.is_stormy(cell) and step % 2:
        return _DUST
    territory = facts.territory(cell)
    if border == _SECTOR or step % 4 or facts.printed.type[territory] != ROCK:
        return border
    return _RUBBLE if territory == facts.printed.shield_wall and not facts.content["shield_wall"] else _ROCK


def _is_written(sign: str) -> bool:
    """Whether a sign is a part of a text, beside which a number needs a blank."""
    return sign == SPICE or sign.isalnum()


def _framed(rows: Sequence[Sequence[str]], teller: Teller, letters: Sequence[str], said: MapWords) -> list[str]:
    """The rows of the planet with the numbers of the sectors around them and the legend in the corners."""
    facts, beside = teller.facts, [" "] * _SIDE
    lines = [[" "] * WIDTH, *([*beside, *row, *beside] for row in rows), [" "] * WIDTH]
    for sector, (row, column) in enumerate(_rim()):
        dots = [letters[player["faction"]] for player in facts.players if player["dot"] == sector]
        text = "".join([STORM if facts.content["storm"] == sector else "", str(shown_sector(sector)), *dots])
        line = lines[row + 1]
        drawn = [place for place, sign in enumerate(line) if sign != " "]
        if not 0 < row < _ROWS:
            start = round(_SIDE + column - len(text) / 2)
        elif column < _COLUMNS / 2:
            start = max(drawn[0] - len(text) - _is_written(line[drawn[0]]), 0)
        else:
            start = min(drawn[-1] + 1 + _is_written(line[drawn[-1]]), WIDTH - len(text))
        line[start : start + len(text)] = text
    for number, (left, right) in _legend(teller, letters, said).items():
        line = lines[number]
        line[: len(left)] = left
        line[WIDTH - len(right) :] = right
    return ["".join(line).rstrip() for line in lines]


def _legend(teller: Teller, letters: Sequence[str], said: MapWords) -> dict[int, tuple[str, str]]:
    """What the signs mean, for the left and the right corner of some lines."""
    facts = teller.facts
    letter, dot = letters[facts.faction(0)], facts.players[0]["dot"]
    destroyed = said.rubble.format(_RUBBLE, f"{teller.territory(facts.printed.shield_wall):bare}")
    return {
        0: (said.strongholds, said.tokens.format(letter, teller.who(0))),
        1: (said.rock.format(_ROCK), said.spice.format(SPICE)),
        2: ("", said.storm.format(STORM, _DUST)),
        -2: (said.sectors.format(_SECTOR), ""),
        -1: ("" if facts.content["shield_wall"] else destroyed, said.dot.format(shown_sector(dot), letter)),
    }


def _seats(teller: Teller, letters: Sequence[str], said: MapWords) -> list[str]:
    """The factions at the table with their letters, as many in a line as fit."""
    lines = [""]
    for seat in range(len(teller.facts.players)):
        text = said.seat.format(letters[teller.facts.faction(seat)], capital(str(teller.who(seat))), seat)
        if lines[-1] and len(lines[-1]) + _BETWEEN + len(text) > WIDTH:
            lines.append("")
        lines[-1] += f"{' ' * _BETWEEN if lines[-1] else ''}{text}"
    return lines
