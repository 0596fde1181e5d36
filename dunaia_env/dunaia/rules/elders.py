"""Calling elders and assembling artefacts (rules, section 4)."""

from __future__ import annotations

from dunaia_env.dunaia.components import ALL_COLOURS, PILE_PRICE
from dunaia_env.dunaia.rules.buildings import (
    has_colour,
    has_construction,
    has_empty_square,
    price,
)
from dunaia_env.dunaia.rules.dunaias import plugged_chips
from dunaia_env.dunaia.rules.flowers import gain_flowers
from dunaia_env.dunaia.state import (
    COLOURS,
    ELDER,
    ELDER_ADVANCE,
    ELDER_COLOUR,
    ELDER_FLOWERS,
    ELDER_MOVES,
    ELDER_SEARCH,
    ELDER_SPACES,
    LEVELS,
    NONE,
    SQUARES,
)
from dunaia_env.support.compile_cache import kernel

CHIPS_OF_A_CALL = 3


@kernel
def can_call(s, t, space):
    """Whether the deciding player can pay the elder of a space and its power or its fragment can do something."""
    player = s.players[s.seat]
    first, second = int(t.elder_costs[space, 0]), int(t.elder_costs[space, 1])
    if player.chips[first - 1] == 0 or player.chips[second - 1] == 0 or plugged_chips(player) < CHIPS_OF_A_CALL:
        return False
    return can_take_fragment(s, player, space) or is_power_useful(s, t, player, int(s.elders[space]))


@kernel
def is_power_useful(s, t, player, elder):
    """Whether an elder's power can do anything for a player now."""
    if elder == ELDER_ADVANCE:
        return has_construction(player)
    if elder == ELDER_SEARCH:
        return can_search(s, t, player)
    if elder == ELDER_COLOUR:
        return can_colour(s, t, player)
    return True


@kernel
def can_search(s, t, player):
    """Whether a player has a token, an empty square and the pile price of some tile in a pile."""
    if player.tokens == 0 or not has_empty_square(player):
        return False
    for level in range(LEVELS):
        # A pile with a tile below has a visible top.
        if s.pile_top[level] != NONE and price(t, player, level, PILE_PRICE) <= player.flowers:
            return True
    return False


@kernel
def is_in_pile(s, level, tile):
    """Whether a tile lies in a level's pile, as its visible top or below it."""
    return s.below_top[tile] == 1 or s.pile_top[level] == tile


@kernel
def can_colour_square(s, t, player, square, colour):
    """Whether a marker of a colour is left and the building on a square, finished or not, lacks that colour."""
    if s.common_markers[colour] == 0 or player.tile[square] == NONE:
        return False
    return not has_colour(t, player, square, colour)


@kernel
def can_colour(s, t, player):
    """Whether any marker can be put on any own building."""
    for square in range(SQUARES):
        if player.tile[square] == NONE or t.colours[player.tile[square]] == ALL_COLOURS:
            continue
        for colour in range(COLOURS):
            if can_colour_square(s, t, player, square, colour):
                return True
    return False


@kernel
def call_elder(s, t, space):
    """Call an elder: the two printed chips go back to the reserve, the third is to be discarded."""
    player = s.players[s.seat]
    s.window = s.decision
    s.source = ELDER
    s.elder_space = space
    for i in range(CHIPS_OF_A_CALL - 1):
        player.chips[int(t.elder_costs[space, i]) - 1] = 0
    s.discards_left = 1


@kernel
def perform_power(s, t):
    """Begin the power of the paid elder. Search and colour are asked for where they can do something."""
    player = s.players[s.seat]
    elder = int(s.elders[s.elder_space])
    if elder == ELDER_FLOWERS:
        gain_flowers(player, int(t.elder_flowers))
    elif elder == ELDER_MOVES:
        s.moves_left = t.elder_moves
    elif elder == ELDER_ADVANCE:
        s.advances_left = t.elder_advances


@kernel
def take_from_pile(s, t, tile):
    """Take the tile found by the Search elder out of its pile."""
    level = int(t.level[tile])
    if s.pile_top[level] == tile:
        s.pile_top[level] = NONE
    else:
        s.below_top[tile] = 0
    s.found = tile


@kernel
def place_marker(s, square, colour):
    """Put a colour marker on an own building."""
    player = s.players[s.seat]
    player.markers[square] = int(player.markers[square]) | (1 << colour)
    s.common_markers[colour] = int(s.common_markers[colour]) - 1


@kernel
def can_take_fragment(s, player, space):
    """Whether a fragment of a space's type is left and missing in the player's unfinished artefact."""
    return s.common_fragments[space] > 0 and player.fragments[space] == 0


@kernel
def take_fragment(s):
    """Take the fragment beside the called elder if possible; all types together are a complete artefact."""
    space = int(s.elder_space)
    s.elder_space = NONE
    player = s.players[s.seat]
    if not can_take_fragment(s, player, space):
        return
    s.common_fragments[space] = int(s.common_fragments[space]) - 1
    player.fragments[space] = 1
    for other in range(ELDER_SPACES):
        if player.fragments[other] == 0:
            return
    for other in range(ELDER_SPACES):
        player.fragments[other] = 0
    player.artefacts = int(player.artefacts) + 1
