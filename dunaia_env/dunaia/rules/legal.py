"""Which actions are legal in each decision (rules, sections 8 and 9)."""

from __future__ import annotations

from dunaia_env.dunaia.actions import (
    ADVANCE_FIRST,
    AWAKEN_FIRST,
    CALL_FIRST,
    COLOUR_FIRST,
    DISCARD_FIRST,
    DRAFT_FIRST,
    FLOWER,
    MOVE_FIRST,
    PASS,
    PLUG_FIRST,
    RESERVE_FIRST,
    SEARCH_FIRST,
    START_FIRST,
    TAKE_FIRST,
    TAKE_FLIPPED_FIRST,
    USE_FIRST,
    USE_POWER,
)
from dunaia_env.dunaia.components import FIRST_TILE, PILE_PRICE
from dunaia_env.dunaia.rules.buildings import is_under_construction, offer_price, offered_tile, price
from dunaia_env.dunaia.rules.characters import can_move_woken, can_reserve, can_use_power
from dunaia_env.dunaia.rules.dunaias import can_move, crowd
from dunaia_env.dunaia.rules.elders import can_call, can_colour_square, is_in_pile
from dunaia_env.dunaia.rules.recycling import is_usable
from dunaia_env.dunaia.rules.turn import is_die_available
from dunaia_env.dunaia.state import (
    ADVANCE,
    AWAKEN,
    BEFORE_PROPHECY,
    CHARACTERS,
    CHOOSE_DIE,
    COLOUR,
    COLOURS,
    DISCARD,
    DRAFT,
    DUNAIAS,
    EDGE_SQUARES,
    EDGES,
    ELDER,
    ELDER_SPACES,
    END_TURN,
    FACES,
    FOUND_OFFER,
    LEVELS,
    MOVE,
    NONE,
    OFFERS,
    PLACE,
    PLUG,
    RECYCLE,
    RESERVED_OFFER,
    SEARCH,
    SQUARES,
    TRICKSTER,
)
from dunaia_env.support.compile_cache import kernel


@kernel
def legal_actions(state, components, actions):
    """Write the legal actions into ``actions``, in the order of the action table; returns their number, 0 when over."""
    decision = state.decision
    if decision == CHOOSE_DIE:
        count = list_dice(state, actions)
        return list_windows(state, components, actions, count)
    if decision == AWAKEN:
        count = list_squares_to_awaken(state, actions)
        return list_windows(state, components, actions, count)
    if decision == RECYCLE:
        count = list_recycling(state, components, actions)
        return list_windows(state, components, actions, count)
    if decision == BEFORE_PROPHECY:
        count = list_windows(state, components, actions, 0)
        return append(actions, count, PASS)
    if decision == END_TURN:
        count = 0
        if can_move_woken(state):
            count = list_moves(state, actions, count, int(state.woken), int(state.woken))
        count = list_windows(state, components, actions, count)
        if can_reserve(state):
            count = list_reservations(state, actions, count)
        return append(actions, count, PASS)
    if decision == MOVE:
        count = list_moves(state, actions, 0, 1, DUNAIAS)
        return append(actions, count, PASS)
    if decision == PLUG:
        return list_chips(state, actions, 0, PLUG_FIRST, 0)
    if decision == DISCARD:
        return list_chips(state, actions, 0, DISCARD_FIRST, 1)
    if decision == ADVANCE:
        count = list_constructions(state, actions)
        if state.source == ELDER:
            count = append(actions, count, PASS)
        return count
    if decision == SEARCH:
        count = list_tiles_to_find(state, components, actions)
        return append(actions, count, PASS)
    if decision == PLACE:
        return list_starts(state, components, actions, 0, FOUND_OFFER, FOUND_OFFER)
    if decision == COLOUR:
        count = list_markers(state, components, actions)
        return append(actions, count, PASS)
    if decision == DRAFT:
        return list_characters(state, actions)
    return 0


@kernel
def append(actions, count, action):
    """Add an action to the list; returns the new count."""
    actions[count] = action
    return count + 1


@kernel
def list_windows(state, components, actions, count):
    """List what every window between phases allows: calls of elders, and the foreman's or the mystic's power."""
    for space in range(ELDER_SPACES):
        if can_call(state, components, space):
            count = append(actions, count, CALL_FIRST + space)
    if can_use_power(state, components):
        count = append(actions, count, USE_POWER)
    return count


@kernel
def list_characters(state, actions):
    """List the characters still to be drafted."""
    count = 0
    for character in range(CHARACTERS):
        if state.characters_available[character] == 1:
            count = append(actions, count, DRAFT_FIRST + character)
    return count


@kernel
def list_dice(state, actions):
    """List the faces that can be chosen, and for the trickster the same faces flipped."""
    count = 0
    for face in range(1, FACES + 1):
        if is_die_available(state, face):
            count = append(actions, count, TAKE_FIRST + face - 1)
    if state.players[state.seat].character == TRICKSTER:
        for face in range(1, FACES + 1):
            if is_die_available(state, face):
                count = append(actions, count, TAKE_FLIPPED_FIRST + face - 1)
    return count


@kernel
def list_squares_to_awaken(state, actions):
    """List the two squares beside the Dunaia of the die in hand."""
    edge = state.players[state.seat].dunaias[int(state.die) - 1]
    count = append(actions, 0, AWAKEN_FIRST + EDGE_SQUARES[edge, 0])
    return append(actions, count, AWAKEN_FIRST + EDGE_SQUARES[edge, 1])


@kernel
def list_recycling(state, components, actions):
    """List every way to recycle the die in hand."""
    player = state.players[state.seat]
    count = append(actions, 0, FLOWER)
    players = int(state.num_players)
    for offset in range(players):
        owner = (int(state.seat) + offset) % players
        for square in range(SQUARES):
            if is_usable(state, components, owner, square):
                count = append(actions, count, USE_FIRST + SQUARES * offset + square)
    if player.tokens > 0:
        last = OFFERS - 1 if player.reserved == NONE else RESERVED_OFFER
        count = list_starts(state, components, actions, count, 0, last)
    count = list_moves(state, actions, count, 1, DUNAIAS)
    return list_chips(state, actions, count, PLUG_FIRST, 0)


@kernel
def list_starts(state, components, actions, count, first_offer, last_offer):
    """List the buildings that can be started: affordable tiles from a range of offers, on every empty square."""
    player = state.players[state.seat]
    for offer in range(first_offer, last_offer + 1):
        tile = offered_tile(state, player, offer)
        if tile != NONE and offer_price(components, player, offer, tile) <= player.flowers:
            for square in range(SQUARES):
                if player.tile[square] == NONE:
                    count = append(actions, count, START_FIRST + SQUARES * offer + square)
    return count


@kernel
def list_moves(state, actions, count, first, last):
    """List the moves of a range of Dunaias."""
    player = state.players[state.seat]
    there = crowd(player)
    for dunaia in range(first, last + 1):
        for edge in range(EDGES):
            if can_move(player, there, dunaia, edge):
                count = append(actions, count, MOVE_FIRST + EDGES * (dunaia - 1) + edge)
    return count


@kernel
def list_chips(state, actions, count, first_action, plugged):
    """List the chips of the deciding player that are plugged (1) or in reserve (0)."""
    player = state.players[state.seat]
    for chip in range(FACES):
        if player.chips[chip] == plugged:
            count = append(actions, count, first_action + chip)
    return count


@kernel
def list_constructions(state, actions):
    """List the deciding player's buildings under construction."""
    player = state.players[state.seat]
    count = 0
    for square in range(SQUARES):
        if is_under_construction(player, square):
            count = append(actions, count, ADVANCE_FIRST + square)
    return count


@kernel
def list_tiles_to_find(state, components, actions):
    """List the tiles in the piles, visible tops included, whose pile price the deciding player can pay."""
    player = state.players[state.seat]
    count = 0
    for level in range(LEVELS):
        if price(components, player, level, PILE_PRICE) <= player.flowers:
            for tile in range(FIRST_TILE[level], FIRST_TILE[level + 1]):
                if is_in_pile(state, level, tile):
                    count = append(actions, count, SEARCH_FIRST + tile)
    return count


@kernel
def list_markers(state, components, actions):
    """List the colour markers that can be put on the deciding player's buildings."""
    player = state.players[state.seat]
    count = 0
    for colour in range(COLOURS):
        for square in range(SQUARES):
            if can_colour_square(state, components, player, square, colour):
                count = append(actions, count, COLOUR_FIRST + SQUARES * colour + square)
    return count


@kernel
def list_reservations(state, actions, count):
    """List the tiles of the common board, which can be reserved."""
    for offer in range(OFFERS):
        if offered_tile(state, state.players[state.seat], offer) != NONE:
            count = append(actions, count, RESERVE_FIRST + offer)
    return count
