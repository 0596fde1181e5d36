"""Applying an action: what it does and which decision comes next (rules, sections 3, 4, 5 and 8)."""

from __future__ import annotations

from dunaia_env.dunaia import actions as verbs, state as layout
from dunaia_env.dunaia.rules import buildings, dunaias, elders, legal, prophecies, recycling, setup, turn, waking
from dunaia_env.dunaia.rules.characters import begin_mystic_power, move_woken, reserve, use_power
from dunaia_env.support.compile_cache import kernel


@kernel
def settle(state, components, chance, actions):
    """Apply forced decisions, which have exactly one legal action, until a player has a choice.

    Writes the legal actions of that choice into ``actions``, int16 ``(NUM_ACTIONS,)``, and returns their number: 0 when
    the game is over.
    """
    count = legal.legal_actions(state, components, actions)
    while count == 1:
        apply_action(state, components, chance, int(actions[0]))
        count = legal.legal_actions(state, components, actions)
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
        use_power(state, components)
        if state.discards_left > 0:
            state.decision = layout.DISCARD
        else:
            continue_effect(state, components)
    elif verb == verbs.RESERVE_FIRST:
        reserve(state, chance, first)
    elif verb == verbs.PASS:
        apply_pass(state, components, chance)


@kernel
def apply_move(state, components, dunaia, edge):
    """Move a Dunaia: by recycling, by the shepherd's power, or as one of the moves of an effect."""
    if state.decision == layout.END_TURN:
        move_woken(state, dunaia, edge)
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
        begin_mystic_power(state, components)
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
