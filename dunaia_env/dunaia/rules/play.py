"""Applying an action: what it does and which decision comes next (rules, sections 3, 4, 5 and 8)."""

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
from dunaia_env.dunaia.rules.buildings import advance_building, has_construction, start_building
from dunaia_env.dunaia.rules.characters import begin_mystic_power, move_woken, reserve, use_power
from dunaia_env.dunaia.rules.dunaias import move_dunaia, plugged_chips
from dunaia_env.dunaia.rules.elders import (
    begin_elder_effect,
    call_elder,
    can_colour,
    can_search,
    place_marker,
    take_fragment,
    take_from_pile,
)
from dunaia_env.dunaia.rules.legal import legal_actions
from dunaia_env.dunaia.rules.prophecies import claim_prophecies
from dunaia_env.dunaia.rules.recycling import recycle_on_building, recycle_on_flower_space
from dunaia_env.dunaia.rules.setup import draft_character
from dunaia_env.dunaia.rules.turn import choose_die, end_turn
from dunaia_env.dunaia.rules.waking import awaken, wake_second_square
from dunaia_env.dunaia.state import (
    ADVANCE,
    BEFORE_PROPHECY,
    COLOUR,
    DISCARD,
    EDGES,
    ELDER,
    ELDER_COLOUR,
    ELDER_SEARCH,
    END_TURN,
    FACES,
    FOUND_OFFER,
    MOVE,
    NO_SOURCE,
    PLACE,
    PLUG,
    POWER,
    RECYCLE,
    RECYCLING,
    SEARCH,
    SQUARES,
    WAKING,
)
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
    if action < TAKE_FIRST:
        draft_character(state, action - DRAFT_FIRST)
    elif action < TAKE_FLIPPED_FIRST:
        choose_die(state, action - TAKE_FIRST + 1, False)
    elif action < AWAKEN_FIRST:
        choose_die(state, action - TAKE_FLIPPED_FIRST + 1, True)
    elif action < FLOWER:
        awaken(state, components, action - AWAKEN_FIRST)
        continue_effect(state, components)
    elif action < USE_FIRST:
        recycle_on_flower_space(state)
        state.decision = BEFORE_PROPHECY
    elif action < START_FIRST:
        offset, square = divmod(action - USE_FIRST, SQUARES)
        recycle_on_building(state, components, (int(state.seat) + offset) % int(state.num_players), square)
        continue_effect(state, components)
    elif action < MOVE_FIRST:
        offer, square = divmod(action - START_FIRST, SQUARES)
        start_building(state, components, chance, offer, square)
        if offer == FOUND_OFFER:
            continue_effect(state, components)
        else:
            state.die = 0
            state.decision = BEFORE_PROPHECY
    elif action < PLUG_FIRST:
        index, edge = divmod(action - MOVE_FIRST, EDGES)
        apply_move(state, components, index + 1, edge)
    elif action < DISCARD_FIRST:
        apply_plug(state, components, action - PLUG_FIRST)
    elif action < ADVANCE_FIRST:
        apply_discard(state, components, action - DISCARD_FIRST)
    elif action < CALL_FIRST:
        advance_building(state, components, action - ADVANCE_FIRST)
        state.advances_left = int(state.advances_left) - 1
        continue_effect(state, components)
    elif action < SEARCH_FIRST:
        call_elder(state, components, action - CALL_FIRST)
        state.decision = DISCARD
    elif action < COLOUR_FIRST:
        take_from_pile(state, components, action - SEARCH_FIRST)
        state.decision = PLACE
    elif action < USE_POWER:
        colour, square = divmod(action - COLOUR_FIRST, SQUARES)
        place_marker(state, square, colour)
        continue_effect(state, components)
    elif action < RESERVE_FIRST:
        use_power(state, components)
        if state.discards_left > 0:
            state.decision = DISCARD
        else:
            continue_effect(state, components)
    elif action < PASS:
        reserve(state, chance, action - RESERVE_FIRST)
    else:
        apply_pass(state, components, chance)


@kernel
def apply_move(state, components, dunaia, edge):
    """Move a Dunaia: by recycling, by the shepherd's power, or as one of the moves of an effect."""
    if state.decision == END_TURN:
        move_woken(state, dunaia, edge)
        return
    move_dunaia(state, dunaia, edge)
    if state.decision == RECYCLE:
        state.die = 0
        state.decision = BEFORE_PROPHECY
    else:
        state.moves_left = int(state.moves_left) - 1
        continue_effect(state, components)


@kernel
def apply_plug(state, components, chip):
    """Plug a chip (0..5): by recycling, or as one of the chips of an effect."""
    state.players[state.seat].chips[chip] = 1
    if state.decision == RECYCLE:
        state.die = 0
        state.decision = BEFORE_PROPHECY
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
    if state.source == POWER:
        begin_mystic_power(state, components)
        continue_effect(state, components)
        return
    player = state.players[state.seat]
    elder = state.elders[state.elder_space]
    if elder == ELDER_SEARCH and can_search(state, components, player):
        state.decision = SEARCH
    elif elder == ELDER_COLOUR and can_colour(state, components, player):
        state.decision = COLOUR
    else:
        begin_elder_effect(state, components)
        continue_effect(state, components)


@kernel
def apply_pass(state, components, chance):
    """Leave a window, stop moving, or decline an optional effect of an elder."""
    if state.decision == BEFORE_PROPHECY:
        claim_prophecies(state, components)
        state.decision = END_TURN
    elif state.decision == END_TURN:
        end_turn(state, components, chance)
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
            if plugged_chips(player) < FACES:
                state.decision = PLUG
                return
            state.chips_left = 0
        if state.moves_left > 0:
            state.decision = MOVE
            return
        if state.advances_left > 0:
            if has_construction(player):
                state.decision = ADVANCE
                return
            state.advances_left = 0
        if state.source != WAKING or not wake_second_square(state, components):
            break
    finish_effect(state)


@kernel
def finish_effect(state):
    """End an effect: go on to the next phase, or back to the window in which the elder was called or the power used."""
    source = state.source
    if source == ELDER:
        take_fragment(state)
    if source == WAKING:
        state.decision = RECYCLE
    elif source == RECYCLING:
        state.decision = BEFORE_PROPHECY
    else:
        state.decision = state.window
        state.window = 0
    state.source = NO_SOURCE
