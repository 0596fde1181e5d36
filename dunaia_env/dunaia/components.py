"""The values printed on the components: how they are read, checked and laid out for the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.state import COLOURS, LEVELS, MAX_PLAYERS, NONE, SIDES, TILES
from dunaia_env.harness.components import ComponentFiles, PrintedComponents, read_groups, values_of
from dunaia_env.support.groups import Group
from dunaia_env.support.hashing import hash_of

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
MOST_STEPS = 20
MOST_START_FLOWERS = 100

DISPLAY_PRICE, PILE_PRICE = 0, 1

# The ways to write a tile in an observation.
# Full row: level one-hot, colours, flowers, chips, moves and advances of its effect, for each side the arrow's amount
# in its colour's place, for each side the arrow's gain + 1.
# Compact row: level from 1, colours, 10 * gain + amount of its effect, for each side the arrow's code
# 1 + colour + 4 * (gain code + 4 * (amount - 1)), where points have gain code 3.
EFFECTS = 4
FULL_ROW = LEVELS + COLOURS + EFFECTS + SIDES * COLOURS + SIDES
COMPACT_ROW = 1 + COLOURS + 1 + SIDES
# Column of the piles: colours, flowers, chips, moves and advances of its effect, the arrows' codes, steps.
TILE_COLUMNS = COLOURS + EFFECTS + SIDES + 1
EFFECT_CODE = 10
ARROW_GAIN_CODES = 4

COMPONENTS_DTYPE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("start_edges", np.int8, (layout.DUNAIAS,)),
                ("printed", np.int8, (layout.SQUARES,)),
                ("start_flowers", np.int8, (MAX_PLAYERS,)),  # by seat
                ("start_tokens", np.int8),
                ("neutral_dice", np.int8, (MAX_PLAYERS + 1,)),  # by number of players
                ("prices", np.int8, (LEVELS, 2)),  # displayed, pile
                ("steps_to_complete", np.int8, (LEVELS,)),
                ("elder_costs", np.int8, (layout.ELDER_SPACES, 2)),  # chip values 1..6
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
                ("steps", np.int8, (TILES,)),  # advances to completion: the tile's own number or that of its level
                ("effect", np.int8, (TILES,)),  # a gain, -1 none
                ("amount", np.int8, (TILES,)),
                ("arrow_colour", np.int8, (TILES, SIDES)),  # -1 no arrow
                ("arrow_gain", np.int8, (TILES, SIDES)),
                ("arrow_amount", np.int8, (TILES, SIDES)),
                # Derived from the fields above, for speed. Rows for observations: 0 is no tile, i + 1 is tile i.
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


@dataclass(frozen=True, eq=False)
class Components(PrintedComponents):
    """The values printed on the components of Dunaïa.

    Attributes:
        record: the values as a one-element array of `COMPONENTS_DTYPE`, read-only.
        buffer: the same bytes as uint8, which kernels take.
        hash: 16 hexadecimal digits that identify the values.
        statuses: the status of each group by its name: "documented", "inferred" or "assumed".
        source: where the values were read from.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_record, (self.buffer.tobytes(), self.statuses, self.source)


def from_content(content: dict[str, Any], source: str) -> Components:
    """Read components from the content of a TOML file; ``source`` names the file in errors.

    Raises `ComponentsError` for a wrong, missing or unknown entry.
    """
    record = np.zeros(1, COMPONENTS_DTYPE)
    _, statuses, _ = read_groups(content, source, STATUSES, _READERS, record[0])
    return components_of(record, statuses, source)


_FILES = ComponentFiles(Components, __package__, from_content)
load = _FILES.load
parse = _FILES.parse


def _from_record(content: bytes, statuses: dict[str, str], source: str) -> Components:
    record = np.frombuffer(content, COMPONENTS_DTYPE)
    digest = _digest(record)
    return Components(record, np.frombuffer(content, np.uint8), digest, statuses, source)


def _digest(record: NDArray[np.void]) -> str:
    values = values_of(record, DERIVED_FIELDS)
    # Values that a file may leave out count only if they differ from the default.
    tables: Any = record[0]
    if len(set(values["start_flowers"])) == 1:
        values["start_flowers"] = values["start_flowers"][0]
    if (tables.steps == tables.steps_to_complete[tables.level]).all():
        del values["steps"]
    return hash_of(values)


def fields_of(record: NDArray[np.void]) -> SimpleNamespace:
    """Views of all fields of a one-element array of `COMPONENTS_DTYPE`, without the axis of length one.

    Reading and writing them takes a fraction of the time that the record's own attributes take.
    """
    return SimpleNamespace(**{name: record[name].reshape(record[name].shape[1:]) for name in record.dtype.names or ()})


def components_of(record: NDArray[np.void], statuses: dict[str, str], source: str) -> Components:
    """Components with the values of a one-element array of `COMPONENTS_DTYPE`, whose derived fields are filled in here.

    The values must be values that `parse` accepts; they are not checked again.
    """
    _derive(fields_of(record))
    return _from_record(record.tobytes(), statuses, source)


def _derive(tables: Any) -> None:
    tiles = np.arange(TILES)
    printed = tables.arrow_colour != NONE
    tables.arrow_colours[:] = np.where(printed, 1 << np.maximum(tables.arrow_colour, 0), 0)
    tables.steps_needed[1:] = tables.steps
    colours = tables.colours[:, None] >> np.arange(COLOURS) & 1
    effects = np.zeros((TILES, EFFECTS), np.int8)
    acts = tables.effect != NONE
    effects[tiles[acts], tables.effect[acts]] = tables.amount[acts]
    arrows = np.where(printed[..., None] & (tables.arrow_colour[..., None] == np.arange(COLOURS)), 1, 0)
    arrows *= tables.arrow_amount[..., None]
    tables.full_row[1:] = np.concatenate(
        [
            tables.level[:, None] == np.arange(LEVELS),
            colours,
            effects,
            arrows.reshape(TILES, SIDES * COLOURS),
            np.where(printed, tables.arrow_gain + 1, 0),
        ],
        axis=1,
    )
    gain = np.minimum(tables.arrow_gain, ARROW_GAIN_CODES - 1)
    codes = np.where(
        printed, 1 + tables.arrow_colour + COLOURS * (gain + ARROW_GAIN_CODES * (tables.arrow_amount - 1)), 0
    )
    effect = np.where(acts, EFFECT_CODE * tables.effect + tables.amount, 0)
    tables.compact_row[1:] = np.concatenate([tables.level[:, None] + 1, colours, effect[:, None], codes], axis=1)
    tables.tile_columns[:] = np.concatenate([colours, effects, codes, tables.steps[:, None]], axis=1).T
    # For each set of counting arrows: flowers, chips and moves of a level 2 tile, or points of a level 3 tile's arrows.
    # The points stand after the moves, in the place of advances, which are no waking gain.
    shown = printed & (tables.level > 0)[:, None]
    gains = np.where(shown, tables.arrow_amount, 0)[..., None] * (gain[..., None] == np.arange(EFFECTS))
    sets = np.arange(1 << SIDES)[:, None] >> np.arange(SIDES) & 1
    base = np.where((tables.level > 0)[:, None], effects, 0)
    tables.gains_now[1:] = base[:, None] + np.einsum("bs,tsg->tbg", sets, gains)


def _read_village(group: Group, tables: Any) -> None:
    edges = [tuple(edge) for edge in layout.EDGE_SQUARES.tolist()]
    numbers = []
    for index, squares in enumerate(group.pairs("start_edges", layout.DUNAIAS, 0, layout.SQUARES - 1)):
        pair = tuple(sorted(squares))
        if pair not in edges:
            raise group.fail(f"start_edges[{index}]", squares, "a pair of neighbouring squares")
        numbers.append(edges.index(pair))
    crowded = [edges[number] for number in numbers if numbers.count(number) > layout.MOST_ON_AN_EDGE]
    if crowded:
        raise group.fail("start_edges", list(crowded[0]), f"at most {layout.MOST_ON_AN_EDGE} Dunaias on one edge")
    tables.start_edges[:] = numbers
    printed = group.choices("printed", PRINTED_NAMES, layout.SQUARES, layout.SQUARES)
    tables.printed[:] = [PRINTED_NAMES.index(name) for name in printed]


def _read_start(group: Group, tables: Any) -> None:
    if group.is_list("flowers"):
        tables.start_flowers[:] = group.numbers("flowers", MAX_PLAYERS, 0, MOST_START_FLOWERS)
    else:
        tables.start_flowers[:] = group.number("flowers", 0, MOST_START_FLOWERS)
    tables.start_tokens = group.number("tokens", 1, layout.SQUARES)


def _read_dice(group: Group, tables: Any) -> None:
    with group.group("neutral") as neutral:
        for players in range(layout.MIN_PLAYERS, MAX_PLAYERS + 1):
            dice = neutral.number(str(players), 1, 12)
            if (dice + players) % players != 1:
                raise neutral.fail(str(players), dice, f"a number that leaves 1 when divided by {players}")
            tables.neutral_dice[players] = dice


def _read_prices(group: Group, tables: Any) -> None:
    for level in range(LEVELS):
        tables.prices[level] = group.numbers(f"level_{level + 1}", 2, 0, 100)


def _read_construction(group: Group, tables: Any) -> None:
    for level in range(LEVELS):
        tables.steps_to_complete[level] = group.number(f"level_{level + 1}", 1, MOST_STEPS)


def _read_elders(group: Group, tables: Any) -> None:
    costs = group.pairs("costs", layout.ELDER_SPACES, 1, layout.FACES)
    for index, cost in enumerate(costs):
        if cost[0] == cost[1]:
            raise group.fail(f"costs[{index}]", cost, "two different chips")
    tables.elder_costs[:] = costs
    tables.elder_flowers = group.number("flowers", 1, 100)
    tables.elder_moves = group.number("moves", 1, MOST_GAIN)
    tables.elder_advances = group.number("advances", 1, MOST_GAIN)


def _read_fragments(group: Group, tables: Any) -> None:
    tables.fragments_of_each_type = group.number("of_each_type", 0, 100)


def _read_markers(group: Group, tables: Any) -> None:
    tables.markers_of_each_colour = group.number("of_each_colour", 0, 100)


def _read_artefacts(group: Group, tables: Any) -> None:
    tables.artefact_points[:] = group.numbers("points", ARTEFACT_POINTS, 0, 100)
    tables.further_artefact_points = group.number("further", 0, 100)


def _read_scoring(group: Group, tables: Any) -> None:
    tables.flowers_per_point = group.number("flowers_per_point", 1, 100)
    tables.level_points[:] = group.numbers("level_points", LEVELS, 0, 100)


def _read_characters(group: Group, tables: Any) -> None:
    with group.group("merchant") as merchant:
        tables.merchant_discount = merchant.number("discount", 0, 100)
    with group.group("foreman") as foreman:
        tables.foreman_cost = foreman.number("cost", 0, 100)
        tables.foreman_advances = foreman.number("advances", 1, MOST_GAIN)
    with group.group("mystic") as mystic:
        tables.mystic_chips = mystic.number("chips", 1, layout.FACES)
        tables.mystic_flowers = mystic.number("flowers", 0, 100)
        tables.mystic_moves = mystic.number("moves", 0, MOST_GAIN)


def _read_prophecies(group: Group, tables: Any) -> None:
    number = 0
    for name in ("group_a", "group_b", "group_c"):
        for prophecy in group.groups(name, PROPHECIES_IN_GROUP):
            tables.prophecy_buildings[number] = prophecy.number("buildings", 1, layout.SQUARES, default=0)
            tables.prophecy_flowers[number] = prophecy.number("flowers", 1, 100, default=0)
            tables.prophecy_artefacts[number] = prophecy.number("artefacts", 1, 100, default=0)
            shape = prophecy.choice("shape", SHAPE_NAMES[1:]) if prophecy.has("shape") else SHAPE_NAMES[NO_SHAPE]
            tables.prophecy_shape[number] = SHAPE_NAMES.index(shape)
            tables.prophecy_points[number] = prophecy.number("points", 0, 100)
            number += 1


def _read_tiles(group: Group, tables: Any, level: int, effects: Sequence[str], gains: Sequence[str]) -> None:
    first, end = FIRST_TILE[level], FIRST_TILE[level + 1]
    seen = set()
    for tile in group.groups("tiles", TILES_OF_LEVEL[level]):
        number = tile.number("id", first, end - 1)
        if number in seen:
            raise tile.fail("id", number, "each id once")
        seen.add(number)
        tables.level[number] = level
        colours = [layout.COLOUR_NAMES.index(name) for name in tile.distinct_choices("colours", layout.COLOUR_NAMES)]
        tables.colours[number] = sum(1 << colour for colour in colours)
        tables.steps[number] = tile.number("steps", 1, MOST_STEPS, default=int(tables.steps_to_complete[level]))
        tables.effect[number] = GAIN_NAMES.index(tile.choice("effect", effects)) if effects else NONE
        tables.amount[number] = tile.number("amount", 1, MOST_GAIN) if effects else 0
        tables.arrow_colour[number] = NONE
        if gains:
            with tile.group("arrows") as arrows:
                for side, name in enumerate(layout.SIDE_NAMES):
                    if arrows.has(name):
                        with arrows.group(name) as arrow:
                            _read_arrow(arrow, tables, number, side, gains)


def _read_arrow(arrow: Group, tables: Any, tile: int, side: int, gains: Sequence[str]) -> None:
    tables.arrow_colour[tile, side] = layout.COLOUR_NAMES.index(arrow.choice("colour", layout.COLOUR_NAMES))
    gain = gains[0] if len(gains) == 1 else arrow.choice("gain", gains)
    tables.arrow_gain[tile, side] = GAIN_NAMES.index(gain)
    tables.arrow_amount[tile, side] = arrow.number("amount", 1, MOST_ARROW_GAIN)


def _read_level_1(group: Group, tables: Any) -> None:
    _read_tiles(group, tables, 0, ("flowers", "moves", "advances", "chips"), ())


def _read_level_2(group: Group, tables: Any) -> None:
    _read_tiles(group, tables, 1, ("flowers", "chips", "moves"), ("flowers", "chips", "moves"))


def _read_level_3(group: Group, tables: Any) -> None:
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
