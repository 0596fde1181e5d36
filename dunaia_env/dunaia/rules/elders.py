"""Calling elders and assembling artefacts."""

from __future__ import annotations

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import ALL_COLOURS, PILE_PRICE
from dunaia_env.dunaia.rules import buildings, dunaias, flowers
from dunaia_env.dunaia.state import NONE
from dunaia_env.support.compile_cache import kernel

CHIPS_OF_A_CALL = 3


@kernel
def can_call(state, components, space):
    """Whether the deciding player can pay an elder whose effect or fragment would change something."""
    player = state.players[state.seat]
    first, second = int(components.elder_costs[space, 0]), int(components.elder_costs[space, 1])
    if player.chips[first - 1] == 0 or player.chips[second - 1] == 0 or dunaias.plugged_chips(player) < CHIPS_OF_A_CALL:
        return False
    return can_take_fragment(state, player, space) or is_effect_useful(
        state, components, player, int(state.elders[space])
    )


@kernel
def is_effect_useful(state, components, player, elder):
    """Whether an elder's effect would change something for a player now."""
    if elder == layout.ELDER_ADVANCE:
        return buildings.has_construction(player)
    if elder == layout.ELDER_SEARCH:
        return can_search(state, components, player)
    if elder == layout.ELDER_COLOUR:
        return can_colour(state, components, player)
    return True


@kernel
def can_search(state, components, player):
    """Whether a player has a token, an empty square, and enough flowers for a tile of some pile."""
    if player.tokens == 0 or not buildings.has_empty_square(player):
        return False
    for level in range(layout.LEVELS):
        # A pile that has tiles below has a visible top.
        if state.pile_top[level] != NONE and buildings.price(components, player, level, PILE_PRICE) <= player.flowers:
            return True
    return False


@kernel
def is_in_pile(state, level, tile):
    """Whether a tile lies in a level's pile, as its visible top or below it."""
    return state.below_top[tile] == 1 or state.pile_top[level] == tile


@kernel
def can_colour_square(state, components, player, square, colour):
    """Whether a marker of a colour is left and the building on a square, finished or not, lacks that colour."""
    if state.common_markers[colour] == 0 or player.tile[square] == NONE:
        return False
    return not buildings.has_colour(components, player, square, colour)


@kernel
def can_colour(state, components, player):
    """Whether a marker can be put on one of a player's buildings."""
    for square in range(layout.SQUARES):
        if player.tile[square] == NONE or components.colours[player.tile[square]] == ALL_COLOURS:
            continue
        for colour in range(layout.COLOURS):
            if can_colour_square(state, components, player, square, colour):
                return True
    return False


@kernel
def call_elder(state, components, space):
    """Call an elder: the two printed chips go back to the reserve; the player then chooses the third."""
    player = state.players[state.seat]
    state.window = state.decision
    state.source = layout.ELDER
    state.elder_space = space
    for i in range(CHIPS_OF_A_CALL - 1):
        player.chips[int(components.elder_costs[space, i]) - 1] = 0
    state.discards_left = 1


@kernel
def begin_elder_effect(state, components):
    """Begin the effect of the paid elder. `play.apply_discard` asks for a search or a colour that changes something."""
    player = state.players[state.seat]
    elder = int(state.elders[state.elder_space])
    if elder == layout.ELDER_FLOWERS:
        flowers.gain_flowers(player, int(components.elder_flowers))
    elif elder == layout.ELDER_MOVES:
        state.moves_left = components.elder_moves
    elif elder == layout.ELDER_ADVANCE:
        state.advances_left = components.elder_advances


@kernel
def take_from_pile(state, components, tile):
    """Take the tile found by the Search elder out of its pile."""
    level = int(components.level[tile])
    if state.pile_top[level] == tile:
        state.pile_top[level] = NONE
    else:
        state.below_top[tile] = 0
    state.found = tile


@kernel
def place_marker(state, square, colour):
    """Put a colour marker on one of the deciding player's buildings."""
    player = state.players[state.seat]
    player.markers[square] = int(player.markers[square]) | (1 << colour)
    state.common_markers[colour] = int(state.common_markers[colour]) - 1


@kernel
def can_take_fragment(state, player, space):
    """Whether a fragment of a space's type is left, and the player's unfinished artefact lacks it."""
    return state.common_fragments[space] > 0 and player.fragments[space] == 0


@kernel
def take_fragment(state):
    """Take the fragment beside the called elder if possible; one of each type completes an artefact."""
    space = int(state.elder_space)
    state.elder_space = NONE
    player = state.players[state.seat]
    if not can_take_fragment(state, player, space):
        return
    state.common_fragments[space] = int(state.common_fragments[space]) - 1
    player.fragments[space] = 1
    for other in range(layout.ELDER_SPACES):
        if player.fragments[other] == 0:
            return
    for other in range(layout.ELDER_SPACES):
        player.fragments[other] = 0
    player.artefacts = int(player.artefacts) + 1
