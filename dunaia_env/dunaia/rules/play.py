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
from dunaia_env.dunaia.rules.characters import move_woken, perform_mystic_power, reserve, use_power
from dunaia_env.dunaia.rules.dunaias import move_dunaia, plugged_chips
from dunaia_env.dunaia.rules.elders import (
    call_elder,
    can_colour,
    can_search,
    perform_power,
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
def settle(s, t, chance, actions):
    """Apply forced decisions (those with exactly one legal action) until a choice is to be made.

    Writes the legal actions of that choice into ``actions`` (int16, room for all) and returns how many they are; 0 when
    the game is over.
    """
    count = legal_actions(s, t, actions)
    while count == 1:
        apply_action(s, t, chance, int(actions[0]))
        count = legal_actions(s, t, actions)
    return count


@kernel
def apply_action(s, t, chance, action):
    """Do what an action says and move on to the next decision."""
    if action < TAKE_FIRST:
        draft_character(s, action - DRAFT_FIRST)
    elif action < TAKE_FLIPPED_FIRST:
        choose_die(s, action - TAKE_FIRST + 1, False)
    elif action < AWAKEN_FIRST:
        choose_die(s, action - TAKE_FLIPPED_FIRST + 1, True)
    elif action < FLOWER:
        awaken(s, t, action - AWAKEN_FIRST)
        continue_effect(s, t)
    elif action < USE_FIRST:
        recycle_on_flower_space(s)
        s.decision = BEFORE_PROPHECY
    elif action < START_FIRST:
        offset, square = divmod(action - USE_FIRST, SQUARES)
        recycle_on_building(s, t, (int(s.seat) + offset) % int(s.num_players), square)
        continue_effect(s, t)
    elif action < MOVE_FIRST:
        offer, square = divmod(action - START_FIRST, SQUARES)
        start_building(s, t, chance, offer, square)
        if offer == FOUND_OFFER:
            continue_effect(s, t)
        else:
            s.die = 0
            s.decision = BEFORE_PROPHECY
    elif action < PLUG_FIRST:
        index, edge = divmod(action - MOVE_FIRST, EDGES)
        apply_move(s, t, index + 1, edge)
    elif action < DISCARD_FIRST:
        apply_plug(s, t, action - PLUG_FIRST)
    elif action < ADVANCE_FIRST:
        apply_discard(s, t, action - DISCARD_FIRST)
    elif action < CALL_FIRST:
        advance_building(s, t, action - ADVANCE_FIRST)
        s.advances_left = int(s.advances_left) - 1
        continue_effect(s, t)
    elif action < SEARCH_FIRST:
        call_elder(s, t, action - CALL_FIRST)
        s.decision = DISCARD
    elif action < COLOUR_FIRST:
        take_from_pile(s, t, action - SEARCH_FIRST)
        s.decision = PLACE
    elif action < USE_POWER:
        colour, square = divmod(action - COLOUR_FIRST, SQUARES)
        place_marker(s, square, colour)
        continue_effect(s, t)
    elif action < RESERVE_FIRST:
        use_power(s, t)
        if s.discards_left > 0:
            s.decision = DISCARD
        else:
            continue_effect(s, t)
    elif action < PASS:
        reserve(s, chance, action - RESERVE_FIRST)
    else:
        apply_pass(s, t, chance)


@kernel
def apply_move(s, t, dunaia, edge):
    """Move a Dunaia: as recycling, as the shepherd's power, or as one of the moves of an effect."""
    if s.decision == END_TURN:
        move_woken(s, dunaia, edge)
        return
    move_dunaia(s, dunaia, edge)
    if s.decision == RECYCLE:
        s.die = 0
        s.decision = BEFORE_PROPHECY
    else:
        s.moves_left = int(s.moves_left) - 1
        continue_effect(s, t)


@kernel
def apply_plug(s, t, chip):
    """Plug a chip (0..5): as recycling, or as one of the chips of an effect."""
    s.players[s.seat].chips[chip] = 1
    if s.decision == RECYCLE:
        s.die = 0
        s.decision = BEFORE_PROPHECY
    else:
        s.chips_left = int(s.chips_left) - 1
        continue_effect(s, t)


@kernel
def apply_discard(s, t, chip):
    """Pay with a chip (0..5); the last one paid starts what was paid for."""
    s.players[s.seat].chips[chip] = 0
    s.discards_left = int(s.discards_left) - 1
    if s.discards_left > 0:
        return
    if s.source == POWER:
        perform_mystic_power(s, t)
        continue_effect(s, t)
        return
    player = s.players[s.seat]
    elder = s.elders[s.elder_space]
    if elder == ELDER_SEARCH and can_search(s, t, player):
        s.decision = SEARCH
    elif elder == ELDER_COLOUR and can_colour(s, t, player):
        s.decision = COLOUR
    else:
        perform_power(s, t)
        continue_effect(s, t)


@kernel
def apply_pass(s, t, chance):
    """Leave a window, stop moving, or decline an elder's optional power."""
    if s.decision == BEFORE_PROPHECY:
        claim_prophecies(s, t)
        s.decision = END_TURN
    elif s.decision == END_TURN:
        end_turn(s, t, chance)
    else:
        s.moves_left = 0
        s.advances_left = 0
        continue_effect(s, t)


@kernel
def continue_effect(s, t):
    """Ask for the next choice of the effect in progress: chips, then moves, then advances; or go on after it.

    Choices that have become empty end silently.
    """
    player = s.players[s.seat]
    while True:
        if s.chips_left > 0:
            if plugged_chips(player) < FACES:
                s.decision = PLUG
                return
            s.chips_left = 0
        if s.moves_left > 0:
            s.decision = MOVE
            return
        if s.advances_left > 0:
            if has_construction(player):
                s.decision = ADVANCE
                return
            s.advances_left = 0
        if s.source != WAKING or not wake_second_square(s, t):
            break
    finish_effect(s)


@kernel
def finish_effect(s):
    """The effect is over: the next phase, or the window in which an elder was called or a power used."""
    source = s.source
    if source == ELDER:
        take_fragment(s)
    if source == WAKING:
        s.decision = RECYCLE
    elif source == RECYCLING:
        s.decision = BEFORE_PROPHECY
    else:
        s.decision = s.window
        s.window = 0
    s.source = NO_SOURCE
