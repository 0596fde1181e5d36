"""Writes components as the text of a component file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dunaia_env.dunaia.components import (
    FIRST_TILE,
    GAIN_NAMES,
    PRINTED_NAMES,
    PROPHECIES_IN_GROUP,
    SHAPE_NAMES,
    Components,
)
from dunaia_env.dunaia.state import COLOUR_NAMES, EDGE_SQUARES, LEVELS, MAX_PLAYERS, MIN_PLAYERS, NONE, SIDE_NAMES
from dunaia_env.support.messages import MOST_OF_A_TEXT, printable


def toml_of(components: Components) -> str:
    """The text of a component file with these values; `components.parse` of it gives the same hash."""
    values: Any = components.record[0]
    lines = [f"# {printable(components.source, MOST_OF_A_TEXT)}: components {components.hash}", ""]
    for name, status in components.statuses.items():
        lines += [f"[{name}]", f'status = "{status}"', *_GROUPS[name](values), ""]
    return "\n".join(lines)


def _names(names: Iterable[str]) -> str:
    return f"[{', '.join(_quoted(name) for name in names)}]"


def _quoted(name: str) -> str:
    return f'"{name}"'


def _table(pairs: Iterable[tuple[str, object]]) -> str:
    entries = ", ".join(f"{key} = {value}" for key, value in pairs)
    return f"{{ {entries} }}" if entries else "{}"


def _village(values: Any) -> list[str]:
    printed = _names(PRINTED_NAMES[icon] for icon in values.printed)
    return [f"start_edges = {EDGE_SQUARES[values.start_edges].tolist()}", f"printed = {printed}"]


def _start(values: Any) -> list[str]:
    flowers = values.start_flowers.tolist()
    return [f"flowers = {flowers if len(set(flowers)) > 1 else flowers[0]}", f"tokens = {values.start_tokens}"]


def _dice(values: Any) -> list[str]:
    dice = _table((str(players), values.neutral_dice[players]) for players in range(MIN_PLAYERS, MAX_PLAYERS + 1))
    return [f"neutral = {dice}"]


def _by_level(values: Iterable[object]) -> list[str]:
    return [f"level_{level} = {value}" for level, value in enumerate(values, 1)]


def _prices(values: Any) -> list[str]:
    return _by_level(values.prices.tolist())


def _construction(values: Any) -> list[str]:
    return _by_level(values.steps_to_complete)


def _elders(values: Any) -> list[str]:
    amounts = [f"{key} = {values[f'elder_{key}']}" for key in ("flowers", "moves", "advances")]
    return [f"costs = {values.elder_costs.tolist()}", *amounts]


def _fragments(values: Any) -> list[str]:
    return [f"of_each_type = {values.fragments_of_each_type}"]


def _markers(values: Any) -> list[str]:
    return [f"of_each_colour = {values.markers_of_each_colour}"]


def _artefacts(values: Any) -> list[str]:
    return [f"points = {values.artefact_points.tolist()}", f"further = {values.further_artefact_points}"]


def _scoring(values: Any) -> list[str]:
    return [f"flowers_per_point = {values.flowers_per_point}", f"level_points = {values.level_points.tolist()}"]


def _characters(values: Any) -> list[str]:
    keys = {"merchant": ("discount",), "foreman": ("cost", "advances"), "mystic": ("chips", "flowers", "moves")}
    return [f"{name} = {_table((key, values[f'{name}_{key}']) for key in of)}" for name, of in keys.items()]


def _prophecies(values: Any) -> list[str]:
    lines = []
    for number, name in enumerate(("group_a", "group_b", "group_c")):
        lines.append(f"{name} = [")
        for prophecy in range(PROPHECIES_IN_GROUP * number, PROPHECIES_IN_GROUP * (number + 1)):
            pairs: list[tuple[str, object]] = [
                (key, values[f"prophecy_{key}"][prophecy])
                for key in ("buildings", "flowers", "artefacts")
                if values[f"prophecy_{key}"][prophecy]
            ]
            if values.prophecy_shape[prophecy]:
                pairs.append(("shape", _quoted(SHAPE_NAMES[values.prophecy_shape[prophecy]])))
            lines.append(f"    {_table([*pairs, ('points', values.prophecy_points[prophecy])])},")
        lines.append("]")
    return lines


def _tiles(values: Any, level: int) -> list[str]:
    tiles = range(FIRST_TILE[level], FIRST_TILE[level + 1])
    return ["tiles = [", *(f"    {_tile(values, tile, level)}," for tile in tiles), "]"]


def _tile(values: Any, tile: int, level: int) -> str:
    colours = [name for colour, name in enumerate(COLOUR_NAMES) if int(values.colours[tile]) >> colour & 1]
    pairs: list[tuple[str, object]] = [("id", tile), ("colours", _names(colours))]
    if values.steps[tile] != values.steps_to_complete[level]:
        pairs.append(("steps", values.steps[tile]))
    if values.effect[tile] != NONE:
        pairs += [("effect", _quoted(GAIN_NAMES[values.effect[tile]])), ("amount", values.amount[tile])]
    if level:
        arrows = _table(
            (name, _arrow(values, tile, side, level))
            for side, name in enumerate(SIDE_NAMES)
            if values.arrow_colour[tile, side] != NONE
        )
        pairs.append(("arrows", arrows))
    return _table(pairs)


def _arrow(values: Any, tile: int, side: int, level: int) -> str:
    pairs: list[tuple[str, object]] = [("colour", _quoted(COLOUR_NAMES[values.arrow_colour[tile, side]]))]
    if level < LEVELS - 1:
        pairs.append(("gain", _quoted(GAIN_NAMES[values.arrow_gain[tile, side]])))
    return _table([*pairs, ("amount", values.arrow_amount[tile, side])])


_GROUPS = {
    "village": _village,
    "start": _start,
    "dice": _dice,
    "prices": _prices,
    "construction": _construction,
    "elders": _elders,
    "fragments": _fragments,
    "markers": _markers,
    "artefacts": _artefacts,
    "scoring": _scoring,
    "characters": _characters,
    "prophecies": _prophecies,
    "level_1": lambda values: _tiles(values, 0),
    "level_2": lambda values: _tiles(values, 1),
    "level_3": lambda values: _tiles(values, 2),
}
