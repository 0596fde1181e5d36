"""What is printed on the components: read from a TOML file, checked, and laid out as one record for the rules.

The rules contain no printed number. Every kernel is given the record, so that a changed file needs no recompilation
and games with different components can run side by side.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia.state import (
    COLOUR_NAMES,
    COLOURS,
    DUNAIAS,
    EDGE_SQUARES,
    ELDER_SPACES,
    FACES,
    LEVELS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    MOST_ON_AN_EDGE,
    NONE,
    SIDE_NAMES,
    SIDES,
    SQUARES,
    TILES,
)
from dunaia_env.support.messages import MOST_OF_A_TEXT, MOST_OF_A_VALUE, printable, shorten
from dunaia_env.support.reading import ReadingError, parse_toml, read_text

MOST_BYTES = 1 << 18  # the project's own file has 10 KB

# What an effect or an arrow gives.
GAIN_FLOWERS, GAIN_CHIPS, GAIN_MOVES, GAIN_ADVANCES, GAIN_POINTS = 0, 1, 2, 3, 4
GAIN_NAMES = ("flowers", "chips", "moves", "advances", "points")

# What an empty square gives.
PRINTED_FLOWER, PRINTED_CHIP = 0, 1
PRINTED_NAMES = ("flower", "chip")

# Arrangements of completed buildings that a prophecy may ask for.
NO_SHAPE, LINE, LEVELS_SHAPE, CORNERS = 0, 1, 2, 3
SHAPE_NAMES = ("none", "line", "levels", "corners")

TILES_OF_LEVEL = (16, 12, 12)
FIRST_TILE = (0, 16, 28, 40)
PROPHECY_GROUPS = 3
PROPHECIES_IN_GROUP = 3
PROPHECIES = PROPHECY_GROUPS * PROPHECIES_IN_GROUP
ARTEFACT_POINTS = 6
ALL_COLOURS = (1 << COLOURS) - 1
MOST_GAIN = 9
MOST_ARROW_GAIN = 7

DISPLAY_PRICE, PILE_PRICE = 0, 1

# A tile in an observation.
# In full: level one-hot, colours, flowers, chips, moves and advances of its effect, for each side the arrow's amount in
# its colour's place, for each side the arrow's gain + 1.
# In few numbers: level from 1, colours, 10 * gain + amount of its effect, for each side
# 1 + colour + 4 * (gain code + 4 * (amount - 1)), where points have gain code 3.
EFFECTS = 4
FULL_ROW = LEVELS + COLOURS + EFFECTS + SIDES * COLOURS + SIDES
COMPACT_ROW = 1 + COLOURS + 1 + SIDES
# In a column of the piles: colours, flowers, chips, moves and advances of its effect, arrows as in few numbers, steps.
TILE_COLUMNS = COLOURS + EFFECTS + SIDES + 1
EFFECT_CODE = 10
ARROW_GAIN_CODES = 4

COMPONENTS_DTYPE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("start_edges", np.int8, (DUNAIAS,)),
                ("printed", np.int8, (SQUARES,)),
                ("start_flowers", np.int8),
                ("start_tokens", np.int8),
                ("neutral_dice", np.int8, (MAX_PLAYERS + 1,)),  # by number of players
                ("prices", np.int8, (LEVELS, 2)),  # displayed, pile
                ("steps_to_complete", np.int8, (LEVELS,)),
                ("elder_costs", np.int8, (ELDER_SPACES, 2)),  # chip values 1..6
                ("elder_flowers", np.int8),
                ("elder_moves", np.int8),
                ("elder_advances", np.int8),
                ("fragments_of_each_type", np.int8),
                ("markers_of_each_colour", np.int8),
                ("artefact_points", np.int8, (ARTEFACT_POINTS,)),
                ("further_artefact_points", np.int8),
                ("flowers_per_point", np.int8),
                ("level_points", np.int8, (LEVELS,)),
                ("merchant_discount", np.int8),
                ("foreman_cost", np.int8),
                ("foreman_advances", np.int8),
                ("mystic_chips", np.int8),
                ("mystic_flowers", np.int8),
                ("mystic_moves", np.int8),
                ("prophecy_buildings", np.int8, (PROPHECIES,)),
                ("prophecy_flowers", np.int8, (PROPHECIES,)),
                ("prophecy_artefacts", np.int8, (PROPHECIES,)),
                ("prophecy_shape", np.int8, (PROPHECIES,)),
                ("prophecy_points", np.int8, (PROPHECIES,)),
                ("level", np.int8, (TILES,)),  # 0, 1, 2 for level 1, 2, 3
                ("colours", np.int8, (TILES,)),  # printed colours, a set
                ("effect", np.int8, (TILES,)),  # a gain, -1 none
                ("amount", np.int8, (TILES,)),
                ("arrow_colour", np.int8, (TILES, SIDES)),  # -1 no arrow
                ("arrow_gain", np.int8, (TILES, SIDES)),
                ("arrow_amount", np.int8, (TILES, SIDES)),
                # Derived from the above, for speed; rows of what an observation shows: 0 no tile, i + 1 tile i.
                ("arrow_colours", np.int8, (TILES, SIDES)),  # the arrow's colour as a set, empty for no arrow
                ("full_row", np.int8, (TILES + 1, FULL_ROW)),
                ("compact_row", np.int8, (TILES + 1, COMPACT_ROW)),
                ("tile_columns", np.int8, (TILE_COLUMNS, TILES)),
                ("steps_needed", np.int8, (TILES + 1,)),
                ("gains_now", np.int8, (TILES + 1, 1 << SIDES, EFFECTS)),  # by set of the sides whose arrows count
            ],
            align=True,
        ),
    )
)

DERIVED_FIELDS = {"arrow_colours", "full_row", "compact_row", "tile_columns", "steps_needed", "gains_now"}

STATUSES = ("documented", "inferred", "assumed")


class ComponentsError(ValueError):
    """A component file that cannot be used. The message names the file, the key, the value and what is allowed."""


@dataclass(frozen=True, eq=False)
class Components:
    """The values printed on the components.

    Attributes:
        record: the values as a one-element array of `COMPONENTS_DTYPE`, read-only.
        buffer: the same bytes as uint8, which kernels take.
        hash: 16 hexadecimal digits that name the values.
        statuses: group name to "documented", "inferred" or "assumed".
        source: where the values were read.
    """

    record: NDArray[np.void]
    buffer: NDArray[np.uint8]
    hash: str
    statuses: dict[str, str]
    source: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Components) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __deepcopy__(self, memo: dict[int, Any]) -> Components:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_record, (self.buffer.tobytes(), self.statuses, self.source)


def load(source: str | os.PathLike[str] | Components | None = None) -> Components:
    """Components from a TOML file; the project's own for None; components themselves are passed through.

    Raises `ComponentsError` for a file that cannot be read or holds a wrong, missing or unknown entry.
    """
    if isinstance(source, Components):
        return source
    if source is None:
        return _own_components()
    path = os.fspath(source) if isinstance(source, str | os.PathLike) else source
    if not isinstance(path, str):
        raise ComponentsError(f"components: {shorten(source)}; the path of a TOML file, Components or None is needed")
    try:
        text = read_text(path, MOST_BYTES)
    except ReadingError as error:
        raise ComponentsError(f"components {_shown(path)}: {error}") from error
    return parse(text, path)


@lru_cache(maxsize=1)
def _own_components() -> Components:
    file = resources.files(__package__).joinpath("components.toml")
    return parse(file.read_text(encoding="utf-8"), "components.toml")


def parse(text: str, source: str) -> Components:
    """Components from the text of a TOML file; ``source`` names it in errors.

    Raises `ComponentsError` for a text that is no TOML, or that holds a wrong, missing or unknown entry.
    """
    try:
        content = parse_toml(text)
    except ReadingError as error:
        raise ComponentsError(f"components {_shown(source)}: {error}") from error
    root = _Group(content, source, "")
    record = np.zeros(1, COMPONENTS_DTYPE)
    statuses: dict[str, str] = {}
    tables = record[0]
    for name, read in _READERS.items():
        with root.group(name) as group:
            statuses[name] = group.choice("status", STATUSES)
            group.optional_text("note")
            read(group, tables)
    root.finish()
    for tile in range(TILES):
        colours = tables.arrow_colour[tile].tolist()
        tables.arrow_colours[tile] = [0 if colour == NONE else 1 << colour for colour in colours]
        tables.full_row[tile + 1] = _full_row(tables, tile)
        tables.compact_row[tile + 1] = _compact_row(tables, tile)
        tables.gains_now[tile + 1] = [_gains_now(tables, tile, sides) for sides in range(1 << SIDES)]
        tables.steps_needed[tile + 1] = tables.steps_to_complete[tables.level[tile]]
    tables.tile_columns[:] = _tile_columns(tables)
    return _from_record(record.tobytes(), statuses, source)


def _tile_columns(tables: Any) -> NDArray[np.int8]:
    """What a column of the piles shows of each tile, from the rows in full and in few numbers."""
    first = LEVELS + COLOURS + EFFECTS
    columns: NDArray[np.int8] = np.concatenate(
        [tables.full_row[1:, LEVELS:first], tables.compact_row[1:, -SIDES:], tables.steps_needed[1:, None]], axis=1
    ).T
    return columns


def _shown(source: str) -> str:
    return printable(source, MOST_OF_A_TEXT)


def _from_record(content: bytes, statuses: dict[str, str], source: str) -> Components:
    record = np.frombuffer(content, COMPONENTS_DTYPE)
    fields = set(record.dtype.names or ()) - DERIVED_FIELDS
    values = {name: record[name][0].tolist() for name in sorted(fields)}
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]
    return Components(record, np.frombuffer(content, np.uint8), digest, statuses, source)


def _full_row(tables: Any, tile: int) -> list[int]:
    level, colours = [0] * LEVELS, int(tables.colours[tile])
    level[tables.level[tile]] = 1
    effect = [0] * EFFECTS
    if tables.effect[tile] != NONE:
        effect[tables.effect[tile]] = int(tables.amount[tile])
    arrows, gains = [0] * (SIDES * COLOURS), [0] * SIDES
    for side in range(SIDES):
        colour = int(tables.arrow_colour[tile, side])
        if colour != NONE:
            arrows[COLOURS * side + colour] = int(tables.arrow_amount[tile, side])
            gains[side] = int(tables.arrow_gain[tile, side]) + 1
    return level + [colours >> colour & 1 for colour in range(COLOURS)] + effect + arrows + gains


def _compact_row(tables: Any, tile: int) -> list[int]:
    colours = int(tables.colours[tile])
    effect = 0
    if tables.effect[tile] != NONE:
        effect = EFFECT_CODE * int(tables.effect[tile]) + int(tables.amount[tile])
    arrows = [0] * SIDES
    for side in range(SIDES):
        colour = int(tables.arrow_colour[tile, side])
        if colour != NONE:
            gain = min(int(tables.arrow_gain[tile, side]), ARROW_GAIN_CODES - 1)
            arrows[side] = 1 + colour + COLOURS * (gain + ARROW_GAIN_CODES * (int(tables.arrow_amount[tile, side]) - 1))
    return [
        int(tables.level[tile]) + 1,
        *(colours >> colour & 1 for colour in range(COLOURS)),
        effect,
        *arrows,
    ]


def _gains_now(tables: Any, tile: int, sides: int) -> list[int]:
    """Flowers, chips, moves of waking a level 2 tile, or points of a level 3 tile, when a set of its arrows counts."""
    gains = [0] * EFFECTS
    if tables.level[tile] > 0:
        if tables.effect[tile] != NONE:
            gains[tables.effect[tile]] = int(tables.amount[tile])
        for side in range(SIDES):
            if sides >> side & 1:
                # Points take the place after the moves: advances are no waking gain.
                gains[min(int(tables.arrow_gain[tile, side]), EFFECTS - 1)] += int(tables.arrow_amount[tile, side])
    return gains


class _Group:
    """Reads a TOML table key by key; raises `ComponentsError` for a missing, wrong or unknown key."""

    def __init__(self, content: object, source: str, path: str) -> None:
        self._source = source
        self._path = path
        if not isinstance(content, dict):
            raise self._error("", content, "a table")
        self._left: dict[str, Any] = dict(content)

    def _error(self, key: str, value: object, allowed: str) -> ComponentsError:
        place = printable(self._join(key) or "file", MOST_OF_A_VALUE)
        return ComponentsError(f"components {_shown(self._source)}: {place} = {shorten(value)}; {allowed} is needed")

    def _join(self, key: str) -> str:
        return ".".join(part for part in (self._path, key) if part)

    def _take(self, key: str) -> Any:
        if key not in self._left:
            raise ComponentsError(f"components {_shown(self._source)}: {self._join(key)} is missing")
        return self._left.pop(key)

    def has(self, key: str) -> bool:
        return key in self._left

    @contextmanager
    def group(self, key: str) -> Iterator[_Group]:
        group = _Group(self._take(key), self._source, self._join(key))
        yield group
        group.finish()

    def groups(self, key: str, count: int) -> Iterator[_Group]:
        entries = self._take(key)
        if not isinstance(entries, list) or len(entries) != count:
            found = len(entries) if isinstance(entries, list) else entries
            raise self._error(key, found, f"a list of {count} tables")
        for index, entry in enumerate(entries):
            group = _Group(entry, self._source, f"{self._path}.{key}[{index}]")
            yield group
            group.finish()

    def finish(self) -> None:
        for key, value in self._left.items():
            raise self._error(key, value, "no such key; its removal")

    def number(self, key: str, low: int, high: int, default: int | None = None) -> int:
        if default is not None and key not in self._left:
            return default
        return self._check_number(key, self._take(key), low, high)

    def _check_number(self, key: str, value: object, low: int, high: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self._error(key, value, f"an integer in {low}..{high}")
        return value

    def numbers(self, key: str, count: int, low: int, high: int) -> list[int]:
        values = self._take(key)
        if not isinstance(values, list) or len(values) != count:
            raise self._error(key, values, f"a list of {count} integers in {low}..{high}")
        return [self._check_number(f"{key}[{index}]", value, low, high) for index, value in enumerate(values)]

    def pairs(self, key: str, count: int, low: int, high: int) -> list[list[int]]:
        entries = self._take(key)
        well_formed = isinstance(entries, list) and len(entries) == count
        if not well_formed or not all(isinstance(entry, list) and len(entry) == 2 for entry in entries):
            raise self._error(key, entries, f"a list of {count} pairs of integers in {low}..{high}")
        return [
            [self._check_number(f"{key}[{index}]", value, low, high) for value in entry]
            for index, entry in enumerate(entries)
        ]

    def choice(self, key: str, allowed: Sequence[str]) -> str:
        return self._check_choice(key, self._take(key), allowed)

    def _check_choice(self, key: str, value: object, allowed: Sequence[str]) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise self._error(key, value, f"one of {', '.join(allowed)}")
        return value

    def choices(self, key: str, allowed: Sequence[str], least: int, most: int) -> list[str]:
        values = self._take(key)
        if not isinstance(values, list) or not least <= len(values) <= most:
            raise self._error(key, values, f"a list of {least} to {most} of {', '.join(allowed)}")
        return [self._check_choice(f"{key}[{index}]", value, allowed) for index, value in enumerate(values)]

    def distinct_choices(self, key: str, allowed: Sequence[str]) -> list[str]:
        values = self.choices(key, allowed, 1, len(allowed))
        if len(set(values)) != len(values):
            raise self._error(key, values, "each entry once")
        return values

    def optional_text(self, key: str) -> None:
        value = self._left.pop(key, "")
        if not isinstance(value, str):
            raise self._error(key, value, "a text")

    def fail(self, key: str, value: object, allowed: str) -> ComponentsError:
        return self._error(key, value, allowed)


def _read_village(group: _Group, tables: Any) -> None:
    edges = [tuple(edge) for edge in EDGE_SQUARES.tolist()]
    numbers = []
    for index, squares in enumerate(group.pairs("start_edges", DUNAIAS, 0, SQUARES - 1)):
        pair = tuple(sorted(squares))
        if pair not in edges:
            raise group.fail(f"start_edges[{index}]", squares, "a pair of neighbouring squares")
        numbers.append(edges.index(pair))
    crowded = [edges[number] for number in numbers if numbers.count(number) > MOST_ON_AN_EDGE]
    if crowded:
        raise group.fail("start_edges", list(crowded[0]), f"at most {MOST_ON_AN_EDGE} Dunaias on one edge")
    tables.start_edges[:] = numbers
    printed = group.choices("printed", PRINTED_NAMES, SQUARES, SQUARES)
    tables.printed[:] = [PRINTED_NAMES.index(name) for name in printed]


def _read_start(group: _Group, tables: Any) -> None:
    tables.start_flowers = group.number("flowers", 0, 100)
    tables.start_tokens = group.number("tokens", 1, SQUARES)


def _read_dice(group: _Group, tables: Any) -> None:
    with group.group("neutral") as neutral:
        for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
            dice = neutral.number(str(players), 1, 12)
            if (dice + players) % players != 1:
                raise neutral.fail(str(players), dice, f"a number that leaves 1 when divided by {players}")
            tables.neutral_dice[players] = dice


def _read_prices(group: _Group, tables: Any) -> None:
    for level in range(LEVELS):
        tables.prices[level] = group.numbers(f"level_{level + 1}", 2, 0, 100)


def _read_construction(group: _Group, tables: Any) -> None:
    for level in range(LEVELS):
        tables.steps_to_complete[level] = group.number(f"level_{level + 1}", 1, 20)


def _read_elders(group: _Group, tables: Any) -> None:
    costs = group.pairs("costs", ELDER_SPACES, 1, FACES)
    for index, cost in enumerate(costs):
        if cost[0] == cost[1]:
            raise group.fail(f"costs[{index}]", cost, "two different chips")
    tables.elder_costs[:] = costs
    tables.elder_flowers = group.number("flowers", 1, 100)
    tables.elder_moves = group.number("moves", 1, MOST_GAIN)
    tables.elder_advances = group.number("advances", 1, MOST_GAIN)


def _read_fragments(group: _Group, tables: Any) -> None:
    tables.fragments_of_each_type = group.number("of_each_type", 0, 100)


def _read_markers(group: _Group, tables: Any) -> None:
    tables.markers_of_each_colour = group.number("of_each_colour", 0, 100)


def _read_artefacts(group: _Group, tables: Any) -> None:
    tables.artefact_points[:] = group.numbers("points", ARTEFACT_POINTS, 0, 100)
    tables.further_artefact_points = group.number("further", 0, 100)


def _read_scoring(group: _Group, tables: Any) -> None:
    tables.flowers_per_point = group.number("flowers_per_point", 1, 100)
    tables.level_points[:] = group.numbers("level_points", LEVELS, 0, 100)


def _read_characters(group: _Group, tables: Any) -> None:
    with group.group("merchant") as merchant:
        tables.merchant_discount = merchant.number("discount", 0, 100)
    with group.group("foreman") as foreman:
        tables.foreman_cost = foreman.number("cost", 0, 100)
        tables.foreman_advances = foreman.number("advances", 1, MOST_GAIN)
    with group.group("mystic") as mystic:
        tables.mystic_chips = mystic.number("chips", 1, FACES)
        tables.mystic_flowers = mystic.number("flowers", 0, 100)
        tables.mystic_moves = mystic.number("moves", 0, MOST_GAIN)


def _read_prophecies(group: _Group, tables: Any) -> None:
    number = 0
    for name in ("group_a", "group_b", "group_c"):
        for prophecy in group.groups(name, PROPHECIES_IN_GROUP):
            tables.prophecy_buildings[number] = prophecy.number("buildings", 1, SQUARES, default=0)
            tables.prophecy_flowers[number] = prophecy.number("flowers", 1, 100, default=0)
            tables.prophecy_artefacts[number] = prophecy.number("artefacts", 1, 100, default=0)
            shape = prophecy.choice("shape", SHAPE_NAMES[1:]) if prophecy.has("shape") else SHAPE_NAMES[NO_SHAPE]
            tables.prophecy_shape[number] = SHAPE_NAMES.index(shape)
            tables.prophecy_points[number] = prophecy.number("points", 0, 100)
            number += 1


def _read_tiles(group: _Group, tables: Any, level: int, effects: Sequence[str], gains: Sequence[str]) -> None:
    first, end = FIRST_TILE[level], FIRST_TILE[level + 1]
    seen = set()
    for tile in group.groups("tiles", TILES_OF_LEVEL[level]):
        number = tile.number("id", first, end - 1)
        if number in seen:
            raise tile.fail("id", number, "each id once")
        seen.add(number)
        tables.level[number] = level
        colours = [COLOUR_NAMES.index(name) for name in tile.distinct_choices("colours", COLOUR_NAMES)]
        tables.colours[number] = sum(1 << colour for colour in colours)
        tables.effect[number] = GAIN_NAMES.index(tile.choice("effect", effects)) if effects else NONE
        tables.amount[number] = tile.number("amount", 1, MOST_GAIN) if effects else 0
        tables.arrow_colour[number] = NONE
        if gains:
            with tile.group("arrows") as arrows:
                for side, name in enumerate(SIDE_NAMES):
                    if arrows.has(name):
                        with arrows.group(name) as arrow:
                            _read_arrow(arrow, tables, number, side, gains)


def _read_arrow(arrow: _Group, tables: Any, tile: int, side: int, gains: Sequence[str]) -> None:
    tables.arrow_colour[tile, side] = COLOUR_NAMES.index(arrow.choice("colour", COLOUR_NAMES))
    gain = gains[0] if len(gains) == 1 else arrow.choice("gain", gains)
    tables.arrow_gain[tile, side] = GAIN_NAMES.index(gain)
    tables.arrow_amount[tile, side] = arrow.number("amount", 1, MOST_ARROW_GAIN)


def _read_level_1(group: _Group, tables: Any) -> None:
    _read_tiles(group, tables, 0, ("flowers", "moves", "advances", "chips"), ())


def _read_level_2(group: _Group, tables: Any) -> None:
    _read_tiles(group, tables, 1, ("flowers", "chips", "moves"), ("flowers", "chips", "moves"))


def _read_level_3(group: _Group, tables: Any) -> None:
    _read_tiles(group, tables, 2, (), ("points",))


_READERS = {
    "village": _read_village,
    "start": _read_start,
    "dice": _read_dice,
    "prices": _read_prices,
    "construction": _read_construction,
    "elders": _read_elders,
    "fragments": _read_fragments,
    "markers": _read_markers,
    "artefacts": _read_artefacts,
    "scoring": _read_scoring,
    "characters": _read_characters,
    "prophecies": _read_prophecies,
    "level_1": _read_level_1,
    "level_2": _read_level_2,
    "level_3": _read_level_3,
}
