"""Facts about the pieces of a position, as numbers: prices, gains, progress. The wordings put them into words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import (
    ALL_COLOURS,
    CORNERS,
    DERIVED_FIELDS,
    DISPLAY_PRICE,
    FIRST_TILE,
    GAIN_POINTS,
    LEVELS_SHAPE,
    LINE,
    PILE_PRICE,
    PRINTED_CHIP,
    Components,
)
from dunaia_env.dunaia.rules.buildings import plain_price
from dunaia_env.dunaia.rules.elders import CHIPS_OF_A_CALL
from dunaia_env.dunaia.state import NONE

Content = Mapping[str, Any]

RECYCLING_LEVEL, WAKING_LEVEL, POINTS_LEVEL = range(layout.LEVELS)
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8))
_CORNERS = (0, 2, 6, 8)
WINDOWS = ("CHOOSE_DIE", "AWAKEN", "RECYCLE", "BEFORE_PROPHECY", "END_TURN")
# The decisions in which each character's power is of use.
_WHERE_OF_USE = {
    layout.MERCHANT: ("RECYCLE", "SEARCH", "PLACE"),
    layout.TRICKSTER: ("CHOOSE_DIE",),
    layout.FOREMAN: WINDOWS,
    layout.MYSTIC: WINDOWS,
    layout.SHEPHERD: ("END_TURN",),
    layout.ARCHITECT: ("END_TURN",),
}
SQUARES_OF_EDGE: list[tuple[int, int]] = [(first, second) for first, second in layout.EDGE_SQUARES.tolist()]


@lru_cache(maxsize=64)
def values(components: Components) -> SimpleNamespace:
    """The printed values as plain numbers and lists, by the names of their fields."""
    record = components.record
    names = set(record.dtype.names or ()) - DERIVED_FIELDS
    return SimpleNamespace(**{name: record[name][0].tolist() for name in names})


def level_of(tile: int) -> int:
    """The level of a tile, 0..2."""
    return next(level for level in range(layout.LEVELS) if tile < FIRST_TILE[level + 1])


class Arrows(NamedTuple):
    """Arrows of a tile that differ only in their sides.

    Attributes:
        sides: the sides of the arrows, 0..3, ascending.
        colour: the colour that a building must have to satisfy them.
        gain: the gain that each arrow adds.
        amount: the amount that each arrow adds.
    """

    sides: tuple[int, ...]
    colour: int
    gain: int
    amount: int


def arrows(tile: int, components: Components) -> list[Arrows]:
    """The arrows of a tile, grouped by colour, gain and amount."""
    printed = values(components)
    sides: dict[tuple[int, int, int], list[int]] = {}
    for side in range(layout.SIDES):
        colour = printed.arrow_colour[tile][side]
        if colour != NONE:
            alike = (colour, printed.arrow_gain[tile][side], printed.arrow_amount[tile][side])
            sides.setdefault(alike, []).append(side)
    return [Arrows(tuple(where), *alike) for alike, where in sides.items()]


def own_steps(tile: int, components: Components) -> int:
    """The advances that complete a tile, if they differ from the usual number of its level; 0 otherwise."""
    printed = values(components)
    steps: int = printed.steps[tile]
    return 0 if steps == printed.steps_to_complete[printed.level[tile]] else steps


def colours_of(mask: int) -> list[int]:
    """The colours in a set, given as a bit mask."""
    return [colour for colour in range(layout.COLOURS) if mask >> colour & 1]


def colours_of_building(building: Content, components: Components) -> int:
    """The colours of a building, printed or by markers, as a bit mask."""
    mask: int = values(components).colours[building["tile"]]
    for colour in building["colours"]:
        mask |= 1 << colour
    return mask


def active_sides(player: Content, square: int, components: Components) -> list[int]:
    """The sides of the building on a square whose arrow points to a completed building of the arrow's colour."""
    printed = values(components)
    tile = player["squares"][square]["tile"]
    sides = []
    for side in range(layout.SIDES):
        colour, beside = printed.arrow_colour[tile][side], int(layout.NEIGHBOURS[square, side])
        other = player["squares"][beside] if beside != NONE else None
        if colour != NONE and other and other["built"] and colours_of_building(other, components) >> colour & 1:
            sides.append(side)
    return sides


def gains_now(player: Content, square: int, components: Components) -> dict[int, int]:
    """The amount of each gain that the building on a square gives now, by its effect and its active arrows.

    A level 3 building gives the points of its arrows here, without its own points.
    """
    printed = values(components)
    tile = player["squares"][square]["tile"]
    gains: dict[int, int] = {}
    if printed.effect[tile] != NONE:
        gains[printed.effect[tile]] = printed.amount[tile]
    for side in active_sides(player, square, components):
        gain = printed.arrow_gain[tile][side]
        gains[gain] = gains.get(gain, 0) + printed.arrow_amount[tile][side]
    return {gain: gains[gain] for gain in sorted(gains) if gains[gain]}


def points_now(player: Content, square: int, components: Components) -> int:
    """The points that the completed building on a square is worth, including the points of its arrows."""
    printed = values(components)
    level = printed.level[player["squares"][square]["tile"]]
    points: int = printed.level_points[level]
    return points + (gains_now(player, square, components).get(GAIN_POINTS, 0) if level == POINTS_LEVEL else 0)


class Waking(NamedTuple):
    """What waking a Dunaia beside a square does.

    Attributes:
        kind: "flower", "chip" (a printed chip), "plugged" (a printed chip that is plugged already), "advance",
            "complete", "gains" or "nothing".
        steps: the building's steps after an advance.
        needed: for an advance, the steps that complete the building.
        gains: the amount of each gain that a completed building gives.
    """

    kind: str
    steps: int = 0
    needed: int = 0
    gains: Mapping[int, int] = {}


def waking(player: Content, square: int, dunaia: int, components: Components) -> Waking:
    """What waking one of a player's Dunaias beside a square would do now."""
    printed = values(components)
    building = player["squares"][square]
    if building is None:
        if printed.printed[square] != PRINTED_CHIP:
            return Waking("flower")
        return Waking("plugged" if dunaia in player["chips"] else "chip")
    tile = building["tile"]
    if not building["built"]:
        steps, needed = building["steps"] + 1, printed.steps[tile]
        return Waking("complete" if steps == needed else "advance", steps, needed)
    gains = gains_now(player, square, components) if printed.level[tile] == WAKING_LEVEL else {}
    return Waking("gains", gains=gains) if gains else Waking("nothing")


def offered_tile(content: Content, seat: int, offer: int) -> int:
    """The tile that a seat is offered: 0..5 on the common board, 6 reserved, 7 found; `NONE` if there is none."""
    if offer == layout.RESERVED_OFFER:
        return int(content["players"][seat]["reserved"])
    if offer == layout.FOUND_OFFER:
        return int(content["pending"].get("found", NONE))
    return int(content["display" if offer % 2 == 0 else "pile_top"][offer // 2])


def price(player: Content, tile: int, offer: int, components: Components) -> int:
    """The flowers that a player pays for the tile of an offer, see `offered_tile`; a tile in a pile counts as found."""
    record, level = components.record[0], values(components).level[tile]
    places = [DISPLAY_PRICE, PILE_PRICE] if offer == layout.RESERVED_OFFER else [DISPLAY_PRICE]
    if offer == layout.FOUND_OFFER or (offer < layout.RESERVED_OFFER and offer % 2):
        places = [PILE_PRICE]
    character = SimpleNamespace(character=player["character"])
    return min(plain_price(record, character, level, place) for place in places)


def obstacles(player: Content, cost: int) -> list[str]:
    """What keeps a player from buying a tile that costs ``cost`` flowers: "tokens", "squares", "flowers"."""
    found = [] if player["tokens"] else ["tokens"]
    if all(player["squares"]):
        found.append("squares")
    if player["flowers"] < cost:
        found.append("flowers")
    return found


class Call(NamedTuple):
    """The conditions under which a player can call an elder.

    Attributes:
        missing: the printed chips that are not plugged.
        third: whether a third chip is plugged besides the printed chips.
        power: whether the elder's power would do something.
        fragment: "free" if the fragment would be taken, "held" if the unfinished artefact has it already, "gone" if no
            fragment is left.
    """

    missing: tuple[int, ...]
    third: bool
    power: bool
    fragment: str

    @property
    def possible(self) -> bool:
        """Whether the call is legal between the phases of the player's turn."""
        return not self.missing and self.third and (self.power or self.fragment == "free")


def call(content: Content, seat: int, space: int, components: Components) -> Call:
    """The conditions under which a player can call the elder on a space."""
    player = content["players"][seat]
    costs = values(components).elder_costs[space]
    fragment = "held" if space in player["fragments"] else "free" if content["fragments"][space] else "gone"
    return Call(
        missing=tuple(chip for chip in costs if chip not in player["chips"]),
        third=len({*player["chips"]} - {*costs}) >= CHIPS_OF_A_CALL - len(costs),
        power=_is_of_use(content, player, content["elders"][space], components),
        fragment=fragment,
    )


def _is_of_use(content: Content, player: Content, elder: int, components: Components) -> bool:
    buildings = [building for building in player["squares"] if building]
    if elder == layout.ELDER_ADVANCE:
        return any(not building["built"] for building in buildings)
    if elder == layout.ELDER_SEARCH:
        tops = [tile for tile in content["pile_top"] if tile != NONE]
        return any(not obstacles(player, price(player, tile, layout.FOUND_OFFER, components)) for tile in tops)
    if elder == layout.ELDER_COLOUR:
        left = sum(1 << colour for colour, count in enumerate(content["colour_markers"]) if count)
        return any(left & ~colours_of_building(building, components) & ALL_COLOURS for building in buildings)
    return True


class Progress(NamedTuple):
    """A player's progress in one of the conditions of a prophecy.

    Attributes:
        kind: "buildings", "flowers", "artefacts", "line", "levels" or "corners".
        has: the number that the player has.
        needs: the number that the condition needs.
    """

    kind: str
    has: int
    needs: int


def progress(player: Content, prophecy: int, components: Components) -> list[Progress]:
    """A player's progress in each condition of a prophecy."""
    printed = values(components)
    built = [square for square, building in enumerate(player["squares"]) if building and building["built"]]
    counted = {
        "buildings": (len(built), printed.prophecy_buildings[prophecy]),
        "flowers": (player["flowers"], printed.prophecy_flowers[prophecy]),
        "artefacts": (player["artefacts"], printed.prophecy_artefacts[prophecy]),
    }
    found = [Progress(kind, has, needs) for kind, (has, needs) in counted.items() if needs]
    shape = printed.prophecy_shape[prophecy]
    if shape == LINE:
        best = max(sum(square in built for square in line) for line in _LINES)
        found.append(Progress("line", best, len(_LINES[0])))
    elif shape == LEVELS_SHAPE:
        levels = {printed.level[player["squares"][square]["tile"]] for square in built}
        found.append(Progress("levels", len(levels), layout.LEVELS))
    elif shape == CORNERS:
        found.append(Progress("corners", sum(square in built for square in _CORNERS), len(_CORNERS)))
    return found


def meets(player: Content, prophecy: int, components: Components) -> bool:
    """Whether a player meets the whole condition of a prophecy."""
    return all(part.has >= part.needs for part in progress(player, prophecy, components))


def artefact_points(artefacts: int, components: Components) -> int:
    """The points that a number of complete artefacts is worth."""
    printed = values(components)
    last = len(printed.artefact_points) - 1
    points: int = printed.artefact_points[min(artefacts, last)]
    further: int = printed.further_artefact_points
    return points + max(artefacts - last, 0) * further


def score_parts(content: Content, seat: int, components: Components) -> dict[str, int]:
    """The points of a player by source; their sum is the player's score."""
    printed, player = values(components), content["players"][seat]
    completed = [square for square, building in enumerate(player["squares"]) if building and building["built"]]
    return {
        "buildings": sum(
            printed.level_points[printed.level[player["squares"][square]["tile"]]] for square in completed
        ),
        "arrows": sum(gains_now(player, square, components).get(GAIN_POINTS, 0) for square in completed),
        "prophecies": sum(
            printed.prophecy_points[prophecy["id"]] for prophecy in content["prophecies"] if prophecy["owner"] == seat
        ),
        "artefacts": artefact_points(player["artefacts"], components),
        "flowers": player["flowers"] // printed.flowers_per_point,
    }


def at_edge(player: Content, edge: int) -> list[int]:
    """The Dunaias that stand on an edge, ascending."""
    return [number for number, at in enumerate(player["dunaias"], 1) if at == edge]


def beside(player: Content, square: int) -> list[int]:
    """The Dunaias that stand beside a square, ascending."""
    return [number for number, at in enumerate(player["dunaias"], 1) if square in SQUARES_OF_EDGE[at]]


def own_die_in_hand(content: Content) -> bool:
    """Whether the die in hand is the deciding player's own die."""
    # A player takes it in the last turn before the next roll, which brings it back into the pool.
    return bool(content["die"]) and not content["dice"]["own"][content["seat"]]


def left(content: Content) -> dict[str, int]:
    """The numbers of moves, chips, discards and advances left to choose, by name, and the die in hand."""
    pending = {name: content["pending"].get(name, 0) for name in ("moves", "chips", "discards", "advances")}
    return {"die": content["die"], **pending}


def helping_character(content: Content) -> int:
    """The deciding player's character if its power is unused and of use in this decision; otherwise `NONE`."""
    if content["seat"] == NONE:
        return NONE
    player = content["players"][content["seat"]]
    character: int = player["character"]
    if character == NONE or player["power_used"] or content["decision"] not in _WHERE_OF_USE[character]:
        return NONE
    return character


def owner_of_character(content: Content, character: int) -> int:
    """The seat that plays a character; `NONE` if nobody does."""
    for seat, player in enumerate(content["players"]):
        if player["character"] == character:
            return seat
    return NONE


def elders_that_need(chip: int, components: Components) -> list[int]:
    """The elder spaces whose cost includes a chip."""
    costs = values(components).elder_costs
    return [space for space in range(layout.ELDER_SPACES) if chip in costs[space]]


def constructions(player: Content) -> int:
    """The number of a player's buildings under construction."""
    return sum(
        1 for square in range(layout.SQUARES) if player["squares"][square] and not player["squares"][square]["built"]
    )
