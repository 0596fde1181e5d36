"""Reads and checks a family file: the fixed values and the ranges.

The file has the same groups as a component file. An integer in it is a fixed value; a text such as "1..4" is a range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dunaia_env.dunaia import components as printed
from dunaia_env.dunaia.state import COLOURS, FACES, LEVELS, MAX_PLAYERS, MIN_PLAYERS, SIDES, SQUARES
from dunaia_env.support.groups import Group

Span = tuple[int, int]

MOST = 100
PROPHECY_GROUP_NAMES = ("group_a", "group_b", "group_c")
# Words for a part that either is the same as in the project's own components, or is anything that a rule allows.
SHIPPED, DIFFERENT, EACH_CHIP_ONCE, ALL_BUT_THE_LAST = "shipped", "different", "each chip once", "all but the last"


class FamilyError(ValueError):
    """A family file that cannot be used. The message names the file, the key, the value and what is allowed."""


class Number(NamedTuple):
    """A value of a component file and its range.

    Attributes:
        path: key of the value in the file, such as ``prices.level_1[0]``.
        field: field of the components' record.
        at: place in the field; empty for a field with a single number.
        span: the ends of the range.
        names: the names that the file has in place of numbers; empty if it has numbers.
    """

    path: str
    field: str
    at: tuple[int, ...]
    span: Span
    names: tuple[str, ...] = ()


class TileRanges(NamedTuple):
    """The ranges of the tiles of a level.

    Attributes:
        level: the level, 0..2.
        multicoloured: number of tiles that have every colour.
        of_each_colour: number of tiles of each single colour.
        of_each_effect: number of tiles with each effect; any number if the tiles of the level have no effect.
        amounts: amount of an effect, by gain.
        arrows: number of arrows of a tile with a single colour.
        arrows_of_multicoloured: number of arrows of a multicoloured tile.
        arrow_amounts: amount of an arrow, by gain.
        most: largest amount that a tile with all its arrows gives, by gain.
    """

    level: int
    multicoloured: Span
    of_each_colour: Span
    of_each_effect: Span
    amounts: dict[int, Span]
    arrows: Span = (0, 0)
    arrows_of_multicoloured: Span = (0, 0)
    arrow_amounts: Mapping[int, Span] = {}
    most: Mapping[int, int] = {}

    def arrows_of(self, is_multicoloured: bool) -> Span:
        """The range for the number of arrows of a tile."""
        return self.arrows_of_multicoloured if is_multicoloured else self.arrows


class FamilyGroup(NamedTuple):
    """A group of values; a member has either the project's own values of the group or new ones.

    Attributes:
        name: name of the group in component files.
        vary: percentage of members in which it varies, unless the member varies only a few groups or all groups.
        why: the reasons for the ranges.
        numbers: the values that have a range of their own.
        ascending: ranges of places in ``numbers`` whose values do not decrease.
        more: further entries of the group by key: a percentage, a range or a word.
        tiles: the ranges of the group's tiles; None for a group without tiles.
    """

    name: str
    vary: int
    why: str
    numbers: tuple[Number, ...]
    ascending: tuple[range, ...]
    more: dict[str, Any]
    tiles: TileRanges | None


class Members(NamedTuple):
    """How members of a family are drawn.

    Attributes:
        few: percentage of members in which only a few groups vary.
        most_few: largest number of groups that vary in such a member.
        all: percentage of members in which every group varies, in all its values.
        kept: percentages of values that stay as they are in a varying group; one of them is drawn for each group.
    """

    few: int
    most_few: int
    all: int
    kept: tuple[int, ...]


class Ranges(NamedTuple):
    """The content of a family file."""

    members: Members
    groups: tuple[FamilyGroup, ...]


class _Parts:
    """The parts of a group while it is read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.numbers: list[Number] = []
        self.ascending: list[range] = []
        self.more: dict[str, Any] = {}
        self.tiles: TileRanges | None = None

    def add(
        self, group: Group, key: str, field: str, low: int, high: int, path: str = "", at: int | None = None
    ) -> None:
        """Read the range of one number."""
        index = () if at is None else (at,)
        self.numbers.append(Number(f"{path or self.name}.{key}", field, index, group.span(key, low, high)))

    def add_list(self, group: Group, key: str, field: str, count: int, high: int, at: tuple[int, ...] = ()) -> None:
        """Read the ranges of a list of numbers."""
        for place, span in enumerate(group.spans(key, count, 0, high)):
            self.numbers.append(Number(f"{self.name}.{key}[{place}]", field, (*at, place), span))

    def keep_ascending(self, group: Group, key: str, places: Sequence[int] | range) -> None:
        """Require that numbers do not decrease; raises `FamilyError` if the ends of their ranges decrease."""
        chosen = range(places[0], places[-1] + 1, places[1] - places[0])
        ends = [self.numbers[place].span for place in chosen]
        if ends != sorted(ends, key=lambda span: span[1]) or ends != sorted(ends, key=lambda span: span[0]):
            raise group.fail(key, [list(span) for span in ends], "ranges whose ends do not decrease, as values")
        self.ascending.append(chosen)


def read_family(content: object, file: str) -> Ranges:
    """Read the ranges from a family file's content; error messages begin with ``file`` (kind and name).

    Raises `FamilyError` for a wrong, missing or unknown entry.
    """
    root = Group(content, file, FamilyError)
    with root.group("members") as table:
        few, most_few = table.number("few", 0, 100), table.number("most_few", 1, len(_READERS))
        every = table.number("all", 0, 100 - few)
        kept = table.take_list("kept")
        checked = tuple(table.check_number(f"kept[{place}]", value, 0, 100) for place, value in enumerate(kept))
        if not checked:
            raise table.fail("kept", kept, "at least one integer in 0..100")
    groups = []
    for name, read in _READERS.items():
        parts = _Parts(name)
        with root.group(name) as table:
            vary, why = table.number("vary", 0, 100), table.text("why")
            read(table, parts)
        groups.append(
            FamilyGroup(name, vary, why, tuple(parts.numbers), tuple(parts.ascending), parts.more, parts.tiles)
        )
    root.finish()
    if few and not any(group.vary for group in groups):
        raise FamilyError(f"{file}: members.few: expected 0, or a group with `vary` above 0, got {few}")
    return Ranges(Members(few, most_few, every, checked), tuple(groups))


def _read_village(group: Group, parts: _Parts) -> None:
    parts.more["start_edges"] = group.choice("start_edges", (DIFFERENT, SHIPPED))
    parts.more["printed_chips"] = group.span("printed_chips", 0, SQUARES)


def _read_start(group: Group, parts: _Parts) -> None:
    span = group.span("flowers", 0, printed.MOST_START_FLOWERS)
    parts.numbers += [Number(f"start.flowers[{seat}]", "start_flowers", (seat,), span) for seat in range(MAX_PLAYERS)]
    parts.more["by_seat"] = group.number("by_seat", 0, 100)
    parts.add(group, "tokens", "start_tokens", 1, SQUARES)


def _read_dice(group: Group, parts: _Parts) -> None:
    with group.group("neutral") as neutral:
        for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
            dice = neutral.number(str(players), 1, 12)
            parts.numbers.append(Number(f"dice.neutral.{players}", "neutral_dice", (players,), (dice, dice)))


def _read_prices(group: Group, parts: _Parts) -> None:
    for level in range(LEVELS):
        key = f"level_{level + 1}"
        parts.add_list(group, key, "prices", 2, MOST, (level,))
        parts.keep_ascending(group, key, range(2 * level, 2 * level + 2))


def _read_construction(group: Group, parts: _Parts) -> None:
    for level in range(LEVELS):
        parts.add(group, f"level_{level + 1}", "steps_to_complete", 1, printed.MOST_STEPS, at=level)
    parts.more["by_tile"] = group.number("by_tile", 0, 100)


def _read_elders(group: Group, parts: _Parts) -> None:
    parts.more["costs"] = group.choice("costs", (EACH_CHIP_ONCE, ALL_BUT_THE_LAST, SHIPPED))
    parts.add(group, "flowers", "elder_flowers", 1, MOST)
    parts.add(group, "moves", "elder_moves", 1, printed.MOST_GAIN)
    parts.add(group, "advances", "elder_advances", 1, printed.MOST_GAIN)


def _read_fragments(group: Group, parts: _Parts) -> None:
    parts.add(group, "of_each_type", "fragments_of_each_type", 0, MOST)


def _read_markers(group: Group, parts: _Parts) -> None:
    parts.add(group, "of_each_colour", "markers_of_each_colour", 0, MOST)


def _read_artefacts(group: Group, parts: _Parts) -> None:
    parts.add_list(group, "points", "artefact_points", printed.ARTEFACT_POINTS, MOST)
    parts.keep_ascending(group, "points", range(printed.ARTEFACT_POINTS))
    parts.add(group, "further", "further_artefact_points", 0, MOST)


def _read_scoring(group: Group, parts: _Parts) -> None:
    parts.add(group, "flowers_per_point", "flowers_per_point", 1, MOST)
    parts.add_list(group, "level_points", "level_points", LEVELS, MOST)
    parts.keep_ascending(group, "level_points", range(1, 1 + LEVELS))


def _read_characters(group: Group, parts: _Parts) -> None:
    limits = {
        "merchant": {"discount": (0, MOST)},
        "foreman": {"cost": (0, MOST), "advances": (1, printed.MOST_GAIN)},
        "mystic": {"chips": (1, FACES), "flowers": (0, MOST), "moves": (0, printed.MOST_GAIN)},
    }
    for name, keys in limits.items():
        with group.group(name) as character:
            for key, (low, high) in keys.items():
                parts.add(character, key, f"{name}_{key}", low, high, f"characters.{name}")


def _read_prophecies(group: Group, parts: _Parts) -> None:
    conditions = {"buildings": SQUARES, "flowers": MOST, "artefacts": MOST}
    size = len(conditions) + 2
    for number, name in enumerate(PROPHECY_GROUP_NAMES):
        for place, prophecy in enumerate(group.groups(name, printed.PROPHECIES_IN_GROUP)):
            path, at = f"prophecies.{name}[{place}]", printed.PROPHECIES_IN_GROUP * number + place
            for key, high in conditions.items():
                if prophecy.has(key):
                    parts.add(prophecy, key, f"prophecy_{key}", 1, high, path, at)
                else:
                    parts.numbers.append(Number(f"{path}.{key}", f"prophecy_{key}", (at,), (0, 0)))
            shape = 0
            if prophecy.has("shape"):
                shape = printed.SHAPE_NAMES.index(prophecy.choice("shape", printed.SHAPE_NAMES[1:]))
            parts.numbers.append(Number(f"{path}.shape", "prophecy_shape", (at,), (shape, shape), printed.SHAPE_NAMES))
            parts.add(prophecy, "points", "prophecy_points", 0, MOST, path, at)
        # Only in group A, which asks for buildings, a higher number is harder whatever else changes.
        if number == 0:
            parts.keep_ascending(group, name, range(0, printed.PROPHECIES_IN_GROUP * size, size))
            parts.keep_ascending(group, name, range(size - 1, printed.PROPHECIES_IN_GROUP * size, size))


def _read_amounts(group: Group, key: str, gains: Sequence[int], high: int) -> dict[int, Span]:
    with group.group(key) as table:
        return {gain: table.span(printed.GAIN_NAMES[gain], 1, high) for gain in gains}


def _read_most(group: Group, tiles: TileRanges) -> dict[int, int]:
    """Read the largest amount of each gain; any effect with the fewest and smallest arrows must stay within it."""
    fewest = max(tiles.arrows[0], tiles.arrows_of_multicoloured[0])
    most = {}
    with group.group("most") as table:
        for gain, span in tiles.arrow_amounts.items():
            least = tiles.amounts.get(gain, (0, 0))[1] + fewest * span[0]
            most[gain] = table.number(printed.GAIN_NAMES[gain], least, MOST)
    return most


def _check_counts(group: Group, key: str, span: Span, kinds: int, total: Span) -> None:
    if kinds * span[0] > total[0] or kinds * span[1] < total[1]:
        raise group.fail(key, f"{span[0]}..{span[1]}", f"a range in which {kinds} kinds make {total[1]} tiles")


def _read_level_1(group: Group, parts: _Parts) -> None:
    count = printed.TILES_OF_LEVEL[0]
    colours, effects = group.span("of_each_colour", 0, count), group.span("of_each_effect", 0, count)
    gains = (printed.GAIN_FLOWERS, printed.GAIN_MOVES, printed.GAIN_ADVANCES, printed.GAIN_CHIPS)
    _check_counts(group, "of_each_colour", colours, COLOURS, (count, count))
    _check_counts(group, "of_each_effect", effects, len(gains), (count, count))
    parts.tiles = TileRanges(0, (0, 0), colours, effects, _read_amounts(group, "amounts", gains, printed.MOST_GAIN))


def _read_level_2(group: Group, parts: _Parts) -> None:
    count = printed.TILES_OF_LEVEL[1]
    colours, effects = group.span("of_each_colour", 0, count), group.span("of_each_effect", 0, count)
    gains = (printed.GAIN_FLOWERS, printed.GAIN_CHIPS, printed.GAIN_MOVES)
    _check_counts(group, "of_each_colour", colours, COLOURS, (count, count))
    _check_counts(group, "of_each_effect", effects, len(gains), (count, count))
    amounts = _read_amounts(group, "amounts", gains, printed.MOST_GAIN)
    arrows, arrow_amounts = (
        group.span("arrows", 0, SIDES),
        _read_amounts(group, "arrow_amounts", gains, printed.MOST_ARROW_GAIN),
    )
    tiles = TileRanges(1, (0, 0), colours, effects, amounts, arrows, arrow_amounts=arrow_amounts)
    parts.tiles = tiles._replace(most=_read_most(group, tiles))


def _read_level_3(group: Group, parts: _Parts) -> None:
    count = printed.TILES_OF_LEVEL[2]
    every, colours = group.span("multicoloured", 0, count), group.span("of_each_colour", 0, count)
    _check_counts(group, "of_each_colour", colours, COLOURS, (count - every[1], count - every[0]))
    arrows, of_every = group.span("arrows", 0, SIDES), group.span("arrows_of_multicoloured", 0, SIDES)
    arrow_amounts = _read_amounts(group, "arrow_amounts", (printed.GAIN_POINTS,), printed.MOST_ARROW_GAIN)
    tiles = TileRanges(2, every, colours, (0, count), {}, arrows, of_every, arrow_amounts)
    parts.tiles = tiles._replace(most=_read_most(group, tiles))


def tiles_of(level: int) -> range:
    """The tiles of a level 0..2."""
    return range(printed.FIRST_TILE[level], printed.FIRST_TILE[level + 1])


_READERS: dict[str, Callable[[Group, _Parts], None]] = {
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
