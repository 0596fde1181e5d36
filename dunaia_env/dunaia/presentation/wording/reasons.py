"""Why an action is illegal, in words (rules, sections 3 to 5 and 8).

`rules.legal` decides what is legal; the functions here explain why another action is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.actions import ACTION_TABLE, ARGUMENTS, VERB_OF
from dunaia_env.dunaia.components import DISPLAY_PRICE, FIRST_TILE, PILE_PRICE, Components
from dunaia_env.dunaia.entry_points import ENTRY_POINTS
from dunaia_env.dunaia.rules.buildings import plain_price
from dunaia_env.dunaia.rules.elders import CHIPS_OF_A_CALL
from dunaia_env.dunaia.state import NONE

_WINDOWS = ("CHOOSE_DIE", "AWAKEN", "RECYCLE", "BEFORE_PROPHECY", "END_TURN")
# The decisions in which each verb can be legal.
_DECISIONS_OF = {
    "draft": ("DRAFT",),
    "take": ("CHOOSE_DIE",),
    "take_flipped": ("CHOOSE_DIE",),
    "awaken": ("AWAKEN",),
    "flower": ("RECYCLE",),
    "use": ("RECYCLE",),
    "start": ("RECYCLE", "PLACE"),
    "move": ("RECYCLE", "MOVE", "END_TURN"),
    "plug": ("RECYCLE", "PLUG"),
    "discard": ("DISCARD",),
    "advance": ("ADVANCE",),
    "call": _WINDOWS,
    "search": ("SEARCH",),
    "colour": ("COLOUR",),
    "power": _WINDOWS,
    "reserve": ("END_TURN",),
    "pass": ("BEFORE_PROPHECY", "END_TURN", "MOVE", "ADVANCE", "SEARCH", "COLOUR"),
}


def why_illegal(state: NDArray[np.uint8], components: Components, action: int) -> str:
    """Why an action (0..NUM_ACTIONS-1) is not legal in a state (its bytes), as a clause; empty for a legal one."""
    if action in ENTRY_POINTS.legal_actions(state, components.buffer):
        return ""
    record, values = state.view(layout.STATE_DTYPE)[0], components.record[0]
    decision, verb = layout.DECISION_NAMES[record.decision], ACTION_TABLE[VERB_OF[action]].name
    if decision == "OVER":
        return "the game is over"
    if decision not in _DECISIONS_OF[verb]:
        return f"{verb!r} belongs to {' and '.join(_DECISIONS_OF[verb])}"
    first, second = ARGUMENTS[action].tolist()
    return _REASONS[verb](record, values, record.players[record.seat], first, second)


def _flowers(count: int) -> str:
    return f"{count} flower is in hand" if count == 1 else f"{count} flowers are in hand"


def _numbers(values: Any) -> str:
    return ", ".join(map(str, values)) or "none"


def _draft(state: Any, components: Any, player: Any, character: int, _: int) -> str:
    left = [layout.CHARACTER_NAMES[other] for other in np.flatnonzero(state.characters_available)]
    return f"the {layout.CHARACTER_NAMES[character]} is not available; still available: {_numbers(left)}"


def _take(state: Any, components: Any, player: Any, face: int, _: int) -> str:
    neutral = [other + 1 for other in np.flatnonzero(state.neutral_dice).tolist()]
    if neutral:
        return f"no neutral die shows {face + 1}; they show {_numbers(neutral)}"
    return f"no neutral die is left, and the own one shows {int(state.own_dice[state.seat])}"


def _take_flipped(state: Any, components: Any, player: Any, face: int, _: int) -> str:
    if player.character != layout.TRICKSTER:
        return "only the trickster flips a die"
    return _take(state, components, player, face, 0)


def _awaken(state: Any, components: Any, player: Any, square: int, _: int) -> str:
    squares = layout.EDGE_SQUARES[player.dunaias[state.die - 1]].tolist()
    return f"Dunaia {int(state.die)} stands between the squares {squares[0]} and {squares[1]}"


def _use(state: Any, components: Any, player: Any, offset: int, square: int) -> str:
    if offset >= state.num_players:
        return f"the table has {int(state.num_players)} players"
    host = state.players[(state.seat + offset) % state.num_players]
    tile = int(host.tile[square])
    if tile == NONE:
        return f"square {square} is empty"
    if components.level[tile] != 0:
        level = int(components.level[tile]) + 1
        return f"the building on square {square} has level {level}; only those of level 1 are used"
    if not host.built[square]:
        return f"the building on square {square} is not completed"
    if host.occupied[square]:
        return f"a die lies on the building on square {square}"
    return "another player's building costs 1 flower, and none is in hand"


def _start(state: Any, components: Any, player: Any, offer: int, square: int) -> str:
    searched = layout.DECISION_NAMES[state.decision] == "PLACE"
    if searched != (offer == layout.FOUND_OFFER):
        return f"the tile found is offer {layout.FOUND_OFFER}, and only it is placed after a search"
    if player.tokens == 0:
        return "no construction token is in hand"
    if offer == layout.RESERVED_OFFER:
        tile, places = int(player.reserved), [DISPLAY_PRICE, PILE_PRICE]
    elif offer == layout.FOUND_OFFER:
        tile, places = int(state.found), [PILE_PRICE]
    elif offer % 2 == 0:
        tile, places = int(state.display[offer // 2]), [DISPLAY_PRICE]
    else:
        tile, places = int(state.pile_top[offer // 2]), [PILE_PRICE]
    if tile == NONE:
        return f"offer {offer} has no tile"
    cost = min(plain_price(components, player, int(components.level[tile]), place) for place in places)
    if cost > player.flowers:
        return f"{_flowers(int(player.flowers))}, the tile costs {cost}"
    return f"square {square} is not empty"


def _move(state: Any, components: Any, player: Any, dunaia: int, edge: int) -> str:
    if layout.DECISION_NAMES[state.decision] == "END_TURN":
        if player.character != layout.SHEPHERD:
            return "only the shepherd moves a Dunaia at the end of the turn"
        if player.power_used:
            return "the shepherd has moved a Dunaia in this turn"
        if dunaia + 1 != state.woken:
            return f"the shepherd moves the Dunaia that was woken, {int(state.woken)}"
    if player.dunaias[dunaia] == edge:
        return f"Dunaia {dunaia + 1} stands on edge {edge}"
    return f"{layout.MOST_ON_AN_EDGE} Dunaias stand on edge {edge}, and there is no room for more"


def _plug(state: Any, components: Any, player: Any, chip: int, _: int) -> str:
    return f"chip {chip + 1} is plugged"


def _discard(state: Any, components: Any, player: Any, chip: int, _: int) -> str:
    plugged = [other + 1 for other in np.flatnonzero(player.chips).tolist()]
    return f"chip {chip + 1} is not plugged; plugged are {_numbers(plugged)}"


def _under_construction(player: Any) -> list[int]:
    squares: list[int] = np.flatnonzero((player.tile != NONE) & (player.built == 0)).tolist()
    return squares


def _advance(state: Any, components: Any, player: Any, square: int, _: int) -> str:
    return f"under construction are the squares {_numbers(_under_construction(player))}"


def _call(state: Any, components: Any, player: Any, space: int, _: int) -> str:
    plugged = [other + 1 for other in np.flatnonzero(player.chips).tolist()]
    costs = components.elder_costs[space].tolist()
    if not {*costs} <= {*plugged} or len(plugged) < CHIPS_OF_A_CALL:
        return f"the call costs the chips {_numbers(costs)} and a third one; plugged are {_numbers(plugged)}"
    return f"neither the power of this elder ({layout.ELDER_NAMES[state.elders[space]]}) nor a fragment would be of use"


def _search(state: Any, components: Any, player: Any, tile: int, _: int) -> str:
    level = next(level for level in range(layout.LEVELS) if tile < FIRST_TILE[level + 1])
    if not state.below_top[tile] and state.pile_top[level] != tile:
        return f"tile {tile} is in no pile"
    return f"{_flowers(int(player.flowers))}, the tile costs {plain_price(components, player, level, PILE_PRICE)}"


def _colour(state: Any, components: Any, player: Any, colour: int, square: int) -> str:
    name = layout.COLOUR_NAMES[colour]
    if not state.common_markers[colour]:
        return f"no {name} marker is left"
    if player.tile[square] == NONE:
        return f"square {square} is empty"
    return f"the building on square {square} is {name}"


def _power(state: Any, components: Any, player: Any, _: int, __: int) -> str:
    if player.character not in (layout.FOREMAN, layout.MYSTIC):
        return "only the foreman and the mystic have a power to be used between phases"
    if player.power_used:
        return f"the {layout.CHARACTER_NAMES[player.character]}'s power was used in this turn"
    if player.character == layout.MYSTIC:
        plugged = int(player.chips.sum())
        return f"the mystic's power costs {int(components.mystic_chips)} chips; {plugged} of {layout.FACES} are plugged"
    if player.flowers < components.foreman_cost:
        return f"{_flowers(int(player.flowers))}, the foreman's power costs {int(components.foreman_cost)}"
    return "no building is under construction"


def _reserve(state: Any, components: Any, player: Any, offer: int, _: int) -> str:
    if player.character != layout.ARCHITECT:
        return "only the architect reserves a tile"
    if player.power_used:
        return "the architect has reserved a tile in this turn"
    if player.reserved != NONE:
        return f"the architect holds tile {int(player.reserved)} in reserve"
    return f"offer {offer} has no tile"


def _pass(state: Any, components: Any, player: Any, _: int, __: int) -> str:
    return f"an advance from {layout.SOURCE_NAMES[state.source]} has to be made"


_REASONS: dict[str, Callable[[Any, Any, Any, int, int], str]] = {
    "draft": _draft,
    "take": _take,
    "take_flipped": _take_flipped,
    "awaken": _awaken,
    "use": _use,
    "start": _start,
    "move": _move,
    "plug": _plug,
    "discard": _discard,
    "advance": _advance,
    "call": _call,
    "search": _search,
    "colour": _colour,
    "power": _power,
    "reserve": _reserve,
    "pass": _pass,
}
