"""What a player may do in each decision, what it does, and which decision is next (rules, sections 3 to 5, 8 and 9)."""

from __future__ import annotations

from dunaia_env.dunaia import actions as verbs, state as layout
from dunaia_env.dunaia.components import FIRST_TILE, PILE_PRICE
from dunaia_env.dunaia.rules import buildings, characters, dunaias, elders, prophecies, recycling, setup, turn, waking
from dunaia_env.dunaia.state import NONE
from dunaia_env.support.compile_cache import kernel


@kernel
def settle(state, components, chance, actions):
    """Apply forced decisions, which have exactly one legal action, until a player has a choice.

    Writes the legal actions of that choice into ``actions``, int16 ``(NUM_ACTIONS,)``, and returns their number: 0 when
    the game is over.
    """
    count = legal_actions(state, components, actions)
    while count == 1:
        apply_action(state, components, chance, int(actions[0]))
        count = legal_actions(state, components, actions)
    return count


@kernel
def apply_action(state, components, chance, action):
    """Apply an action and go on to the next decision."""
    verb, first, second = int(verbs.FIRST_OF[action]), int(verbs.ARGUMENTS[action, 0]), int(verbs.ARGUMENTS[action, 1])
    if verb == verbs.DRAFT_FIRST:
        setup.draft_character(state, first)
    elif verb == verbs.TAKE_FIRST:
        turn.choose_die(state, first + 1, False)
    elif verb == verbs.TAKE_FLIPPED_FIRST:
        turn.choose_die(state, first + 1, True)
    elif verb == verbs.AWAKEN_FIRST:
        waking.awaken(state, components, first)
        continue_effect(state, components)
    elif verb == verbs.FLOWER:
        recycling.recycle_on_flower_space(state)
        state.decision = layout.BEFORE_PROPHECY
    elif verb == verbs.USE_FIRST:
        recycling.recycle_on_building(state, components, (int(state.seat) + first) % int(state.num_players), second)
        continue_effect(state, components)
    elif verb == verbs.START_FIRST:
        buildings.start_building(state, components, chance, first, second)
        if first == layout.FOUND_OFFER:
            continue_effect(state, components)
        else:
            state.die = 0
            state.decision = layout.BEFORE_PROPHECY
    elif verb == verbs.MOVE_FIRST:
        apply_move(state, components, first + 1, second)
    elif verb == verbs.PLUG_FIRST:
        apply_plug(state, components, first)
    elif verb == verbs.DISCARD_FIRST:
        apply_discard(state, components, first)
    elif verb == verbs.ADVANCE_FIRST:
        buildings.advance_building(state, components, first)
        state.advances_left = int(state.advances_left) - 1
        continue_effect(state, components)
    elif verb == verbs.CALL_FIRST:
        elders.call_elder(state, components, first)
        state.decision = layout.DISCARD
    elif verb == verbs.SEARCH_FIRST:
        elders.take_from_pile(state, components, first)
        state.decision = layout.PLACE
    elif verb == verbs.COLOUR_FIRST:
        elders.place_marker(state, second, first)
        continue_effect(state, components)
    elif verb == verbs.USE_POWER:
        characters.use_power(state, components)
        if state.discards_left > 0:
            state.decision = layout.DISCARD
        else:
            continue_effect(state, components)
    elif verb == verbs.RESERVE_FIRST:
        characters.reserve(state, chance, first)
    elif verb == verbs.PASS:
        apply_pass(state, components, chance)


@kernel
def apply_move(state, components, dunaia, edge):
    """Move a Dunaia: by recycling, by the shepherd's power, or as one of the moves of an effect."""
    if state.decision == layout.END_TURN:
        characters.move_woken(state, dunaia, edge)
        return
    dunaias.move_dunaia(state, dunaia, edge)
    if state.decision == layout.RECYCLE:
        state.die = 0
        state.decision = layout.BEFORE_PROPHECY
    else:
        state.moves_left = int(state.moves_left) - 1
        continue_effect(state, components)


@kernel
def apply_plug(state, components, chip):
    """Plug a chip (0..5): by recycling, or as one of the chips of an effect."""
    state.players[state.seat].chips[chip] = 1
    if state.decision == layout.RECYCLE:
        state.die = 0
        state.decision = layout.BEFORE_PROPHECY
    else:
        state.chips_left = int(state.chips_left) - 1
        continue_effect(state, components)


@kernel
def apply_discard(state, components, chip):
    """Pay with a chip (0..5); the last payment starts the elder's effect or the mystic's power."""
    state.players[state.seat].chips[chip] = 0
    state.discards_left = int(state.discards_left) - 1
    if state.discards_left > 0:
        return
    if state.source == layout.POWER:
        characters.begin_mystic_power(state, components)
        continue_effect(state, components)
        return
    player = state.players[state.seat]
    elder = state.elders[state.elder_space]
    if elder == layout.ELDER_SEARCH and elders.can_search(state, components, player):
        state.decision = layout.SEARCH
    elif elder == layout.ELDER_COLOUR and elders.can_colour(state, components, player):
        state.decision = layout.COLOUR
    else:
        elders.begin_elder_effect(state, components)
        continue_effect(state, components)


@kernel
def apply_pass(state, components, chance):
    """Leave a window, stop moving, or decline an optional effect of an elder."""
    if state.decision == layout.BEFORE_PROPHECY:
        prophecies.claim_prophecies(state, components)
        state.decision = layout.END_TURN
    elif state.decision == layout.END_TURN:
        turn.end_turn(state, components, chance)
    else:
        state.moves_left = 0
        state.advances_left = 0
        continue_effect(state, components)


@kernel
def continue_effect(state, components):
    """Ask for the next choice of the effect in progress (chips, then moves, then advances), or end the effect.

    Choices without a legal option are skipped.
    """
    player = state.players[state.seat]
    while True:
        if state.chips_left > 0:
            if dunaias.plugged_chips(player) < layout.FACES:
                state.decision = layout.PLUG
                return
            state.chips_left = 0
        if state.moves_left > 0:
            state.decision = layout.MOVE
            return
        if state.advances_left > 0:
            if buildings.has_construction(player):
                state.decision = layout.ADVANCE
                return
            state.advances_left = 0
        if state.source != layout.WAKING or not waking.wake_second_square(state, components):
            break
    finish_effect(state)


@kernel
def finish_effect(state):
    """End an effect: go on to the next phase, or back to the window in which the elder was called or the power used."""
    source = state.source
    if source == layout.ELDER:
        elders.take_fragment(state)
    if source == layout.WAKING:
        state.decision = layout.RECYCLE
    elif source == layout.RECYCLING:
        state.decision = layout.BEFORE_PROPHECY
    else:
        state.decision = state.window
        state.window = 0
    state.source = layout.NO_SOURCE


# What is legal, decision by decision.


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
        if characters.can_move_woken(state):
            count = list_moves(state, actions, count, int(state.woken), int(state.woken))
        count = list_windows(state, components, actions, count)
        if characters.can_reserve(state):
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
        if elders.can_call(state, components, space):
            count = append(actions, count, verbs.CALL_FIRST + space)
    if characters.can_use_power(state, components):
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
        if turn.is_die_available(state, face):
            count = append(actions, count, verbs.TAKE_FIRST + face - 1)
    if state.players[state.seat].character == layout.TRICKSTER:
        for face in range(1, layout.FACES + 1):
            if turn.is_die_available(state, face):
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
            if recycling.is_usable(state, components, owner, square):
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
        tile = buildings.offered_tile(state, player, offer)
        if tile != NONE and buildings.offer_price(components, player, offer, tile) <= player.flowers:
            for square in range(layout.SQUARES):
                if player.tile[square] == NONE:
                    count = append(actions, count, verbs.START_FIRST + layout.SQUARES * offer + square)
    return count


@kernel
def list_moves(state, actions, count, first, last):
    """List the moves of a range of Dunaias."""
    player = state.players[state.seat]
    there = dunaias.crowd(player)
    for dunaia in range(first, last + 1):
        for edge in range(layout.EDGES):
            if dunaias.can_move(player, there, dunaia, edge):
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
        if buildings.is_under_construction(player, square):
            count = append(actions, count, verbs.ADVANCE_FIRST + square)
    return count


@kernel
def list_tiles_to_find(state, components, actions):
    """List the tiles in the piles, visible tops included, whose pile price the deciding player can pay."""
    player = state.players[state.seat]
    count = 0
    for level in range(layout.LEVELS):
        if buildings.price(components, player, level, PILE_PRICE) <= player.flowers:
            for tile in range(FIRST_TILE[level], FIRST_TILE[level + 1]):
                if elders.is_in_pile(state, level, tile):
                    count = append(actions, count, verbs.SEARCH_FIRST + tile)
    return count


@kernel
def list_markers(state, components, actions):
    """List the colour markers that can be put on the deciding player's buildings."""
    player = state.players[state.seat]
    count = 0
    for colour in range(layout.COLOURS):
        for square in range(layout.SQUARES):
            if elders.can_colour_square(state, components, player, square, colour):
                count = append(actions, count, verbs.COLOUR_FIRST + layout.SQUARES * colour + square)
    return count


@kernel
def list_reservations(state, actions, count):
    """List the tiles of the common board, which can be reserved."""
    for offer in range(layout.OFFERS):
        if buildings.offered_tile(state, state.players[state.seat], offer) != NONE:
            count = append(actions, count, verbs.RESERVE_FIRST + offer)
    return count
