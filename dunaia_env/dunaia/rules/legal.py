"""Which actions are legal in each decision (rules, sections 8 and 9)."""

from __future__ import annotations

from dunaia_env.dunaia import actions as verbs, state as layout
from dunaia_env.dunaia.components import FIRST_TILE, PILE_PRICE
from dunaia_env.dunaia.rules.buildings import is_under_construction, offer_price, offered_tile, price
from dunaia_env.dunaia.rules.characters import can_move_woken, can_reserve, can_use_power
from dunaia_env.dunaia.rules.dunaias import can_move, crowd
from dunaia_env.dunaia.rules.elders import can_call, can_colour_square, is_in_pile
from dunaia_env.dunaia.rules.recycling import is_usable
from dunaia_env.dunaia.rules.turn import is_die_available
from dunaia_env.dunaia.state import NONE
from dunaia_env.support.compile_cache import kernel


@kernel
def legal_actions(state, components, actions):
    """Write the legal actions into ``actions``, in the order of the action table; returns their number, 0 when over."""
    decision = state.decision
    if decision == layout.CHOOSE_DIE:
        count = list_dice(state, actions)
        return list_windows(state, components, actions, count)
    if decision == layout.AWAKEN:
        count = list_squares_to_awaken(state, actions)
        return list_windows(state, components, actions, count)
    if decision == layout.RECYCLE:
        count = list_recycling(state, components, actions)
        return list_windows(state, components, actions, count)
    if decision == layout.BEFORE_PROPHECY:
        count = list_windows(state, components, actions, 0)
        return append(actions, count, verbs.PASS)
    if decision == layout.END_TURN:
        count = 0
        if can_move_woken(state):
            count = list_moves(state, actions, count, int(state.woken), int(state.woken))
        count = list_windows(state, components, actions, count)
        if can_reserve(state):
            count = list_reservations(state, actions, count)
        return append(actions, count, verbs.PASS)
    if decision == layout.MOVE:
        count = list_moves(state, actions, 0, 1, layout.DUNAIAS)
        return append(actions, count, verbs.PASS)
    if decision == layout.PLUG:
        return list_chips(state, actions, 0, verbs.PLUG_FIRST, 0)
    if decision == layout.DISCARD:
        return list_chips(state, actions, 0, verbs.DISCARD_FIRST, 1)
    if decision == layout.ADVANCE:
        count = list_constructions(state, actions)
        if state.source == layout.ELDER:
            count = append(actions, count, verbs.PASS)
        return count
    if decision == layout.SEARCH:
        count = list_tiles_to_find(state, components, actions)
        return append(actions, count, verbs.PASS)
    if decision == layout.PLACE:
        return list_starts(state, components, actions, 0, layout.FOUND_OFFER, layout.FOUND_OFFER)
    if decision == layout.COLOUR:
        count = list_markers(state, components, actions)
        return append(actions, count, verbs.PASS)
    if decision == layout.DRAFT:
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
    for space in range(layout.ELDER_SPACES):
        if can_call(state, components, space):
            count = append(actions, count, verbs.CALL_FIRST + space)
    if can_use_power(state, components):
        count = append(actions, count, verbs.USE_POWER)
    return count


@kernel
def list_characters(state, actions):
    """List the characters still to be drafted."""
    count = 0
    for character in range(layout.CHARACTERS):
        if state.characters_available[character] == 1:
            count = append(actions, count, verbs.DRAFT_FIRST + character)
    return count


@kernel
def list_dice(state, actions):
    """List the faces that can be chosen, and for the trickster the same faces flipped."""
    count = 0
    for face in range(1, layout.FACES + 1):
        if is_die_available(state, face):
            count = append(actions, count, verbs.TAKE_FIRST + face - 1)
    if state.players[state.seat].character == layout.TRICKSTER:
        for face in range(1, layout.FACES + 1):
            if is_die_available(state, face):
                count = append(actions, count, verbs.TAKE_FLIPPED_FIRST + face - 1)
    return count


@kernel
def list_squares_to_awaken(state, actions):
    """List the two squares beside the Dunaia of the die in hand."""
    edge = state.players[state.seat].dunaias[int(state.die) - 1]
    count = append(actions, 0, verbs.AWAKEN_FIRST + layout.EDGE_SQUARES[edge, 0])
    return append(actions, count, verbs.AWAKEN_FIRST + layout.EDGE_SQUARES[edge, 1])


@kernel
def list_recycling(state, components, actions):
    """List every way to recycle the die in hand."""
    player = state.players[state.seat]
    count = append(actions, 0, verbs.FLOWER)
    players = int(state.num_players)
    for offset in range(players):
        owner = (int(state.seat) + offset) % players
        for square in range(layout.SQUARES):
            if is_usable(state, components, owner, square):
                count = append(actions, count, verbs.USE_FIRST + layout.SQUARES * offset + square)
    if player.tokens > 0:
        last = layout.OFFERS - 1 if player.reserved == NONE else layout.RESERVED_OFFER
        count = list_starts(state, components, actions, count, 0, last)
    count = list_moves(state, actions, count, 1, layout.DUNAIAS)
    return list_chips(state, actions, count, verbs.PLUG_FIRST, 0)


@kernel
def list_starts(state, components, actions, count, first_offer, last_offer):
    """List the buildings that can be started: affordable tiles from a range of offers, on every empty square."""
    player = state.players[state.seat]
    for offer in range(first_offer, last_offer + 1):
        tile = offered_tile(state, player, offer)
        if tile != NONE and offer_price(components, player, offer, tile) <= player.flowers:
            for square in range(layout.SQUARES):
                if player.tile[square] == NONE:
                    count = append(actions, count, verbs.START_FIRST + layout.SQUARES * offer + square)
    return count


@kernel
def list_moves(state, actions, count, first, last):
    """List the moves of a range of Dunaias."""
    player = state.players[state.seat]
    there = crowd(player)
    for dunaia in range(first, last + 1):
        for edge in range(layout.EDGES):
            if can_move(player, there, dunaia, edge):
                count = append(actions, count, verbs.MOVE_FIRST + layout.EDGES * (dunaia - 1) + edge)
    return count


@kernel
def list_chips(state, actions, count, first_action, plugged):
    """List the chips of the deciding player that are plugged (1) or in reserve (0)."""
    player = state.players[state.seat]
    for chip in range(layout.FACES):
        if player.chips[chip] == plugged:
            count = append(actions, count, first_action + chip)
    return count


@kernel
def list_constructions(state, actions):
    """List the deciding player's buildings under construction."""
    player = state.players[state.seat]
    count = 0
    for square in range(layout.SQUARES):
        if is_under_construction(player, square):
            count = append(actions, count, verbs.ADVANCE_FIRST + square)
    return count


@kernel
def list_tiles_to_find(state, components, actions):
    """List the tiles in the piles, visible tops included, whose pile price the deciding player can pay."""
    player = state.players[state.seat]
    count = 0
    for level in range(layout.LEVELS):
        if price(components, player, level, PILE_PRICE) <= player.flowers:
            for tile in range(FIRST_TILE[level], FIRST_TILE[level + 1]):
                if is_in_pile(state, level, tile):
                    count = append(actions, count, verbs.SEARCH_FIRST + tile)
    return count


@kernel
def list_markers(state, components, actions):
    """List the colour markers that can be put on the deciding player's buildings."""
    player = state.players[state.seat]
    count = 0
    for colour in range(layout.COLOURS):
        for square in range(layout.SQUARES):
            if can_colour_square(state, components, player, square, colour):
                count = append(actions, count, verbs.COLOUR_FIRST + layout.SQUARES * colour + square)
    return count


@kernel
def list_reservations(state, actions, count):
    """List the tiles of the common board, which can be reserved."""
    for offer in range(layout.OFFERS):
        if offered_tile(state, state.players[state.seat], offer) != NONE:
            count = append(actions, count, verbs.RESERVE_FIRST + offer)
    return count
