"""Whether components are inside a family: whether every value is in its range, and values fit each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from types import SimpleNamespace

from dunaia_env.dunaia.changes import REMOVED, values_of
from dunaia_env.dunaia.components import ALL_COLOURS, FIRST_TILE, GAIN_NAMES, PRINTED_CHIP, Components, fields_of
from dunaia_env.dunaia.family.file import (
    ALL_BUT_THE_LAST,
    SHIPPED,
    FamilyGroup,
    Number,
    Ranges,
    Span,
    TileRanges,
    tiles_of,
)
from dunaia_env.dunaia.state import COLOUR_NAMES, COLOURS, EDGE_SQUARES, ELDER_SPACES, LEVELS, NONE, SIDE_NAMES, SIDES


def first_outside(ranges: Ranges, base: Components, components: Components) -> str:
    """The first value of components outside its range, as a clause with the range; empty if all values are inside."""
    own, tables = fields_of(base.record), fields_of(components.record)
    changed = _changed_values(base, components)
    for group in ranges.groups:
        faults = _faults(group, own, tables)
        for fault in faults if group.vary else itertools.chain(faults, _changes(group, changed)):
            return f"{fault} in the family"
    return ""


def _changed_values(base: Components, components: Components) -> dict[str, str]:
    """Values that are not those of ``base``, with these, by path."""
    if base.record.tobytes() == components.record.tobytes():
        return {}
    own, found = values_of(base), values_of(components)
    return {
        path: f"{found.get(path, REMOVED)}; {own.get(path, REMOVED)}"
        for path in {**own, **found}
        if own.get(path) != found.get(path)
    }


def _changes(group: FamilyGroup, changed: Mapping[str, str]) -> Iterator[str]:
    """The changed values of a group that does not vary."""
    return (f"{path} = {values}" for path, values in changed.items() if _group_of(path) == group.name)


def _group_of(path: str) -> str:
    """The group with which a value varies: the steps of all tiles vary with the construction."""
    return "construction" if path.endswith(".steps") else path.split(".")[0]


def _faults(group: FamilyGroup, base: SimpleNamespace, tables: SimpleNamespace) -> Iterator[str]:
    for number in group.numbers:
        value = _value(tables, number)
        if not _is_in(value, number.span):
            yield f"{number.path} = {_shown(value, number.names)}; {_allowed(number.span, number.names)}"
    for places in group.ascending:
        chosen = [group.numbers[place] for place in places]
        for lower, higher in pairwise(chosen):
            least, value = _value(tables, lower), _value(tables, higher)
            if value < least:
                yield f"{higher.path} = {value}; at least {lower.path} = {least}"
    if group.name == "village":
        yield from _village_faults(group, base, tables)
    elif group.name == "construction":
        for level in range(LEVELS):
            for tile in tiles_of(level):
                if not _is_in(steps := int(tables.steps[tile]), group.numbers[level].span):
                    yield f"{_path(tile)}.steps = {steps}; {_allowed(group.numbers[level].span)}"
    elif group.name == "elders":
        yield from _elder_faults(group, base, tables)
    if group.tiles:
        yield from _tile_faults(group.tiles, tables)


def _value(tables: SimpleNamespace, number: Number) -> int:
    return int(vars(tables)[number.field][number.at])


def _is_in(value: int, span: Span) -> bool:
    return span[0] <= value <= span[1]


def _shown(value: int, names: Sequence[str]) -> str:
    return repr(names[value]) if names else str(value)


def _allowed(span: Span, names: Sequence[str] = ()) -> str:
    return _shown(span[0], names) if span[0] == span[1] else f"{span[0]}..{span[1]}"


def _path(tile: int) -> str:
    level = next(level for level in range(LEVELS) if tile < FIRST_TILE[level + 1])
    return f"level_{level + 1}.tiles[{tile - FIRST_TILE[level]}]"


def _village_faults(group: FamilyGroup, base: SimpleNamespace, tables: SimpleNamespace) -> Iterator[str]:
    edges, own = tables.start_edges.tolist(), base.start_edges.tolist()
    for place, edge in enumerate(edges):
        squares = EDGE_SQUARES[edge].tolist()
        if group.more["start_edges"] == SHIPPED and edge != own[place]:
            yield f"village.start_edges[{place}] = {squares}; {EDGE_SQUARES[own[place]].tolist()}"
        elif edge in edges[:place]:
            yield f"village.start_edges[{place}] = {squares}; each edge at most once"
    chips = int((tables.printed == PRINTED_CHIP).sum())
    if not _is_in(chips, group.more["printed_chips"]):
        yield f"village.printed = {chips} chips; {_allowed(group.more['printed_chips'])} of them"


def _elder_faults(group: FamilyGroup, base: SimpleNamespace, tables: SimpleNamespace) -> Iterator[str]:
    costs, own = tables.elder_costs.tolist(), base.elder_costs.tolist()
    for space in range(ELDER_SPACES):
        is_last = space == ELDER_SPACES - 1
        if group.more["costs"] == SHIPPED or (is_last and group.more["costs"] == ALL_BUT_THE_LAST):
            if sorted(costs[space]) != sorted(own[space]):
                yield f"elders.costs[{space}] = {costs[space]}; {own[space]}"
        elif set(costs[space]) & {chip for cost in costs[:space] for chip in cost}:
            yield f"elders.costs[{space}] = {costs[space]}; each chip at one space only"


def _tile_faults(ranges: TileRanges, tables: SimpleNamespace) -> Iterator[str]:
    tiles = tiles_of(ranges.level)
    for tile in tiles:
        yield from _faults_of_a_tile(ranges, tables, tile)
    place = f"level_{ranges.level + 1}.tiles"
    colours = tables.colours[tiles.start : tiles.stop]
    effects = tables.effect[tiles.start : tiles.stop]
    counts = [("multicoloured", int((colours == ALL_COLOURS).sum()), ranges.multicoloured)]
    counts += [
        (COLOUR_NAMES[colour], int((colours == 1 << colour).sum()), ranges.of_each_colour) for colour in range(COLOURS)
    ]
    counts += [
        (f"with the effect {GAIN_NAMES[gain]}", int((effects == gain).sum()), ranges.of_each_effect)
        for gain in ranges.amounts
    ]
    for kind, count, span in counts:
        if not _is_in(count, span):
            yield f"{place} = {count} {kind}; {_allowed(span)} of them"


def _faults_of_a_tile(ranges: TileRanges, tables: SimpleNamespace, tile: int) -> Iterator[str]:
    path, colours, effect = _path(tile), int(tables.colours[tile]), int(tables.effect[tile])
    every = colours == ALL_COLOURS
    if not every and colours.bit_count() != 1:
        names = [COLOUR_NAMES[colour] for colour in range(COLOURS) if colours >> colour & 1]
        yield f"{path}.colours = {names}; one colour or all"
    total = dict.fromkeys(ranges.most, 0)
    if effect != NONE:
        amount = int(tables.amount[tile])
        if not _is_in(amount, ranges.amounts[effect]):
            yield f"{path}.amount = {amount}; {_allowed(ranges.amounts[effect])} {GAIN_NAMES[effect]}"
        if effect in total:
            total[effect] = amount
    sides = [side for side in range(SIDES) if tables.arrow_colour[tile, side] != NONE]
    if not _is_in(len(sides), ranges.arrows_of(every)):
        yield f"{path}.arrows = {len(sides)} arrows; {_allowed(ranges.arrows_of(every))} of them"
    for side in sides:
        gain, amount = int(tables.arrow_gain[tile, side]), int(tables.arrow_amount[tile, side])
        total[gain] += amount
        if not _is_in(amount, ranges.arrow_amounts[gain]):
            arrow = f"{path}.arrows.{SIDE_NAMES[side]}.amount = {amount}"
            yield f"{arrow}; {_allowed(ranges.arrow_amounts[gain])} {GAIN_NAMES[gain]}"
    for gain, amount in total.items():
        if amount > ranges.most[gain]:
            yield f"{path} = {amount} {GAIN_NAMES[gain]} with all its arrows; at most {ranges.most[gain]}"
