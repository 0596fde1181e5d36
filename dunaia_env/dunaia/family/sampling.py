"""Draws members of a family: the project's own components, with values drawn from the family's ranges.

A draw depends only on the member's seed and the name of the draw. So it is the same on every machine and does not
depend on which other values vary.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TypeVar

import numpy as np

from dunaia_env.dunaia import components
from dunaia_env.dunaia.family import file as family_file
from dunaia_env.dunaia.family.file import FamilyGroup, Members, Number, Ranges, Span, TileRanges
from dunaia_env.dunaia.state import COLOURS, DUNAIAS, EDGES, LEVELS, NONE, SIDES, SQUARES

T = TypeVar("T")

_BYTES = 8


class Draws:
    """Draws that follow from a seed and the name of the draw."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def below(self, name: str, n: int) -> int:
        """One of 0..n-1, all equally likely."""
        digest = hashlib.sha256(f"{self._seed} {name}".encode()).digest()
        return int.from_bytes(digest[:_BYTES], "big") * n >> 8 * _BYTES

    def within(self, name: str, span: Span) -> int:
        """An integer in a range, both ends included."""
        return span[0] + self.below(name, span[1] - span[0] + 1)

    def chance(self, name: str, percentage: int) -> bool:
        """Whether something with a probability of ``percentage`` percent happens."""
        return self.below(name, 100) < percentage

    def shuffled(self, name: str, values: Sequence[T]) -> list[T]:
        """The values in random order."""
        mixed = list(values)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(f"{name} {last}", last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def counts(self, name: str, total: int, kinds: int, span: Span) -> list[int]:
        """Divide ``total`` among kinds, with each count in a range; often one kind gets the least or the most."""
        counts = [0] * kinds
        extreme = self.below(f"{name} extreme", 4)  # the first kind has the fewest, the most, or any number
        left = total
        for place, kind in enumerate(self.shuffled(f"{name} order", range(kinds))):
            others = kinds - place - 1
            least, most = max(span[0], left - others * span[1]), min(span[1], left - others * span[0])
            if place == 0 and extreme < 2:
                counts[kind] = (least, most)[extreme]
            else:
                counts[kind] = self.within(f"{name} {kind}", (least, most))
            left -= counts[kind]
        return counts


def sample(ranges: Ranges, base: components.Components, seed: int) -> components.Components:
    """The member that a seed draws; ``base`` gives the values that do not vary."""
    draws = Draws(seed)
    record = base.record.copy()
    members = ranges.members
    kind = draws.below("members", 100)
    in_all = members.few <= kind < members.few + members.all
    if kind < members.few:
        varied = _few(ranges.groups, members, draws)
    else:
        varied = [
            group
            for group in ranges.groups
            if draws.chance(f"{group.name} varies", 100 if in_all and group.vary else group.vary)
        ]
    tables, own = components.fields_of(record), components.fields_of(base.record)
    for group in varied:
        kept = 0 if in_all else members.kept[draws.below(f"{group.name} kept", len(members.kept))]
        _Variation(tables, own, group, draws, kept).apply()
    statuses = base.statuses | {group.name: "assumed" for group in varied}
    return components.components_of(record, statuses, f"family member {seed}")


def _few(groups: Sequence[FamilyGroup], members: Members, draws: Draws) -> list[FamilyGroup]:
    """The groups that vary in a member in which only a few groups vary."""
    left = list(groups)
    chosen = set()
    for place in range(draws.within("members.most_few", (1, members.most_few))):
        total = sum(group.vary for group in left)
        if total == 0:
            break
        ticket = draws.below(f"members.few {place}", total)
        for group in left:
            ticket -= group.vary
            if ticket < 0:
                chosen.add(group.name)
                left.remove(group)
                break
    return [group for group in groups if group.name in chosen]


class _Variation:
    """Writes one group's new values into ``tables``; ``kept`` percent of the values stay as they are in ``base``."""

    def __init__(
        self, tables: SimpleNamespace, base: SimpleNamespace, group: FamilyGroup, draws: Draws, kept: int
    ) -> None:
        self._tables = tables
        self._base = base
        self._group = group
        self._draws = draws
        self._kept = kept

    def apply(self) -> None:
        """Write the new values."""
        for number in self._group.numbers:
            if not self._keeps(number.path):
                self._write(number, self._draws.within(number.path, number.span))
        for places in self._group.ascending:
            least = 0
            for number in (self._group.numbers[place] for place in places):
                least = max(least, int(vars(self._tables)[number.field][number.at]))
                self._write(number, least)
        special = {
            "village": self._vary_village,
            "start": self._vary_start,
            "construction": self._vary_construction,
            "elders": self._vary_elders,
        }
        if self._group.name in special:
            special[self._group.name]()
        if self._group.tiles:
            self._vary_tiles(self._group.tiles)

    def _keeps(self, name: str) -> bool:
        return self._draws.chance(f"{name} kept", self._kept)

    def _write(self, number: Number, value: int) -> None:
        vars(self._tables)[number.field][number.at] = value

    def _vary_village(self) -> None:
        if self._group.more["start_edges"] == family_file.DIFFERENT and not self._keeps("village.start_edges"):
            edges = self._draws.shuffled("village.start_edges", range(EDGES))
            self._tables.start_edges[:] = edges[:DUNAIAS]
        if not self._keeps("village.printed"):
            chips = self._draws.within("village.printed", self._group.more["printed_chips"])
            printed = [components.PRINTED_CHIP] * chips + [components.PRINTED_FLOWER] * (SQUARES - chips)
            self._tables.printed[:] = self._draws.shuffled("village.printed", printed)

    def _vary_start(self) -> None:
        if not self._draws.chance("start.by_seat", self._group.more["by_seat"]):
            self._tables.start_flowers[:] = self._tables.start_flowers[0]

    def _vary_construction(self) -> None:
        by_tile = self._draws.chance("construction.by_tile", self._group.more["by_tile"])
        for level in range(LEVELS):
            number = self._group.numbers[level]
            steps = int(self._tables.steps_to_complete[level])
            for tile in family_file.tiles_of(level):
                name = f"steps {tile}"
                varies = by_tile and not self._keeps(name)
                self._tables.steps[tile] = self._draws.within(name, number.span) if varies else steps

    def _vary_elders(self) -> None:
        costs, chosen = self._tables.elder_costs, self._group.more["costs"]
        if chosen == family_file.SHIPPED or self._keeps("elders.costs"):
            return
        if chosen == family_file.ALL_BUT_THE_LAST:
            costs = costs[:-1]
        chips = self._draws.shuffled("elders.costs", np.sort(costs.ravel()).tolist())
        costs[:] = np.sort(np.reshape(chips, costs.shape))

    def _vary_tiles(self, ranges: TileRanges) -> None:
        tables, draws, name = self._tables, self._draws, self._group.name
        tiles = family_file.tiles_of(ranges.level)
        if not self._keeps(f"{name} colours"):
            every = draws.within(f"{name} multicoloured", ranges.multicoloured)
            counts = draws.counts(f"{name} colours", len(tiles) - every, COLOURS, ranges.of_each_colour)
            sets = [1 << colour for colour in range(COLOURS) for _ in range(counts[colour])] + [
                components.ALL_COLOURS
            ] * every
            # Multicoloured tiles come last, as in the project's own components.
            mixed = draws.shuffled(f"{name} colours", sets[: len(tiles) - every])
            tables.colours[tiles.start : tiles.stop] = mixed + sets[len(tiles) - every :]
        gains = list(ranges.amounts)
        if gains and not self._keeps(f"{name} effects"):
            counts = draws.counts(f"{name} effects", len(tiles), len(gains), ranges.of_each_effect)
            effects = [gain for gain, count in zip(gains, counts, strict=True) for _ in range(count)]
            tables.effect[tiles.start : tiles.stop] = draws.shuffled(f"{name} effects", effects)
        self._vary_amounts(ranges)
        if ranges.arrow_amounts:
            self._vary_arrows(ranges)
            for tile in tiles:
                self._cap(ranges, tile)

    def _vary_amounts(self, ranges: TileRanges) -> None:
        tables, base, draws = self._tables, self._base, self._draws
        by_tile = draws.chance(f"{self._group.name} amounts by tile", 30)
        for gain, span in ranges.amounts.items():
            name = f"{self._group.name} amount {gain}"
            own = [tile for tile in family_file.tiles_of(ranges.level) if base.effect[tile] == gain]
            usual = int(base.amount[own[0]]) if own else span[0]
            if not self._keeps(name):
                usual = draws.within(name, span)
            for tile in family_file.tiles_of(ranges.level):
                if tables.effect[tile] == gain:
                    tables.amount[tile] = draws.within(f"{name} {tile}", span) if by_tile else usual

    def _vary_arrows(self, ranges: TileRanges) -> None:
        """Draw new arrows, or copy them from the project's own tiles with the same effect, fitted to the colour."""
        name = self._group.name
        kept = self._keeps(f"{name} arrows")
        alike = self._draws.chance(f"{name} arrows alike", 50)
        colouring = self._draws.below(f"{name} arrow colours", 3)
        for place, tile in enumerate(family_file.tiles_of(ranges.level)):
            if kept:
                self._copy_arrows(ranges, tile, place)
            else:
                # Either tiles with the same effect have the same arrows, or each tile has its own arrows.
                kind = f"effect {self._tables.effect[tile]}" if alike else f"tile {tile}"
                self._draw_arrows(ranges, tile, f"{name} arrows of {kind}", colouring)

    def _draw_arrows(self, ranges: TileRanges, tile: int, name: str, colouring: int) -> None:
        tables, draws = self._tables, self._draws
        colours, effect = int(tables.colours[tile]), int(tables.effect[tile])
        every = colours == components.ALL_COLOURS
        count = draws.within(f"{name} {every}", ranges.arrows_of(every))
        sides = draws.shuffled(name, range(SIDES))[:count]
        gains = list(ranges.arrow_amounts)
        for side in range(SIDES):
            if side not in sides:
                tables.arrow_colour[tile, side], tables.arrow_gain[tile, side] = NONE, 0
                tables.arrow_amount[tile, side] = 0
                continue
            # The arrow has the tile's own colour, another colour at one fixed distance from it, or any colour.
            own = draws.below(f"{name} own {side}", COLOURS) if every else colours.bit_length() - 1
            away = (0, 1 + draws.below(f"{name} away", COLOURS - 1), draws.below(f"{name} any {side}", COLOURS))
            usual = (
                effect if effect in gains else gains[0],
                components.GAIN_FLOWERS if components.GAIN_FLOWERS in gains else gains[0],
            )
            gain = (*usual, *gains)[draws.below(f"{name} gain {side}", len(usual) + len(gains))]
            tables.arrow_colour[tile, side] = (own + away[colouring]) % COLOURS
            tables.arrow_gain[tile, side] = gain
            tables.arrow_amount[tile, side] = draws.within(f"{name} amount {side}", ranges.arrow_amounts[gain])

    def _copy_arrows(self, ranges: TileRanges, tile: int, place: int) -> None:
        tables, base = self._tables, self._base
        colours, tiles = int(tables.colours[tile]), family_file.tiles_of(ranges.level)
        alike = [
            other
            for other in tiles
            if base.effect[other] == tables.effect[tile]
            and (base.colours[other] == components.ALL_COLOURS) == (colours == components.ALL_COLOURS)
        ]
        own = [other for other in alike if base.colours[other] == colours] or alike
        source = tile if tile in own else own[place % len(own)] if own else tile
        turn = (colours.bit_length() - int(base.colours[source]).bit_length()) % COLOURS
        for side in range(SIDES):
            colour = int(base.arrow_colour[source, side])
            tables.arrow_colour[tile, side] = NONE if colour == NONE else (colour + turn) % COLOURS
            tables.arrow_gain[tile, side] = base.arrow_gain[source, side]
            tables.arrow_amount[tile, side] = base.arrow_amount[source, side]

    def _cap(self, ranges: TileRanges, tile: int) -> None:
        """Make arrows smaller and remove some, until a tile has no more arrows and gives no more than it may."""
        tables = self._tables
        least, most_arrows = ranges.arrows_of(tables.colours[tile] == components.ALL_COLOURS)
        for gain, most in ranges.most.items():
            total = int(tables.amount[tile]) if tables.effect[tile] == gain else 0
            sides = [
                s for s in range(SIDES) if tables.arrow_colour[tile, s] != NONE and tables.arrow_gain[tile, s] == gain
            ]
            total += sum(int(tables.arrow_amount[tile, side]) for side in sides)
            low = ranges.arrow_amounts[gain][0]
            for side in sides[::-1]:
                cut = min(max(total - most, 0), int(tables.arrow_amount[tile, side]) - low)
                tables.arrow_amount[tile, side] -= cut
                total -= cut
            for side in sides[::-1]:
                count = int((tables.arrow_colour[tile] != NONE).sum())
                if (total > most and count > least) or count > most_arrows:
                    total -= int(tables.arrow_amount[tile, side])
                    tables.arrow_colour[tile, side], tables.arrow_gain[tile, side] = NONE, 0
                    tables.arrow_amount[tile, side] = 0
