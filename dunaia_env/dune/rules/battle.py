"""Battles: their place, the opponent and the Voice."""

from __future__ import annotations

from dunaia_env.dune import decisions
from dunaia_env.dune.actions import CELL_FIRST, MUST_FIRST, PASS, SEAT_FIRST, SEE_FIRST
from dunaia_env.dune.rules import karama, plans, treachery
from dunaia_env.dune.rules.common import asking, fields, seats, steps, windows
from dunaia_env.dune.state import BATTLE_PHASE, BENE_GESSERIT, CELLS, NONE, VOICED
from dunaia_env.support.compile_cache import kernel


@kernel
def begin_battles(state, components, chance):
    """Begin the phase: each seat is the aggressor of its battles, in turn order."""
    state.phase = BATTLE_PHASE
    state.actor = seats.next_in_turn_order(state, NONE)
    return ask_next_battle(state, components)


@kernel
def next_battle(state, components, chance):
    """Go on to the aggressor's next battle: in the same field while a battle is due there."""
    if fields.has_battle(state, components, int(state.actor), int(state.field)):
        return asking.ask(state, int(state.actor), decisions.OPPONENT)
    state.field = NONE
    return ask_next_battle(state, components)


@kernel
def ask_next_battle(state, components):
    """Ask the aggressor for its next field; without a battle left, the next seat with a battle is the aggressor."""
    while state.actor != NONE:
        seat = int(state.actor)
        for cell in range(CELLS):
            if fields.field_of(state, components, cell) == cell and fields.has_battle(state, components, seat, cell):
                return asking.ask(state, seat, decisions.BATTLE)
        state.actor = seats.next_in_turn_order(state, seat)
    return steps.BEGIN_HARVEST


@kernel
def list_battle(state, components, actions):
    """BATTLE: list the fields in which the aggressor has a battle due."""
    count = 0
    for cell in range(CELLS):
        if fields.field_of(state, components, cell) == cell and fields.has_battle(
            state, components, int(state.seat), cell
        ):
            actions[count] = CELL_FIRST + cell
            count += 1
    return count


@kernel
def answer_battle(state, components, chance, action):
    """BATTLE: the opponent follows."""
    state.field = action - CELL_FIRST
    return asking.ask(state, int(state.seat), decisions.OPPONENT)


@kernel
def list_opponent(state, components, actions):
    """OPPONENT: list the enemies in the field."""
    seat = int(state.seat)
    count = 0
    for places in range(1, int(state.num_players)):
        if fields.is_battle_due(state, components, seat, seats.right_of(state, seat, places), int(state.field)):
            actions[count] = SEAT_FIRST + places - 1
            count += 1
    return count


@kernel
def answer_opponent(state, components, chance, action):
    """OPPONENT: the battle begins with a window."""
    state.defender = seats.right_of(state, int(state.seat), action - SEAT_FIRST + 1)
    return windows.open_window(state, decisions.BATTLE_CARDS)


@kernel
def list_battle_cards(state, components, actions):
    """BATTLE_CARDS: list `pass`, a truthtrance, and a ghola for a leader."""
    actions[0] = PASS
    return treachery.list_playable(state, components, actions, 1, int(state.seat), decisions.BATTLE_CARDS)


@kernel
def answer_battle_cards(state, components, chance, action):
    """BATTLE_CARDS: play a card, or nothing more."""
    if action == PASS:
        return windows.pass_window(state)
    return treachery.play_card(state, action)


@kernel
def begin_voice(state, components, chance):
    """Bene Gesserit may give an order if she or her ally is a battler; otherwise the plans follow."""
    sister = seats.seat_with_power(state, BENE_GESSERIT)
    if seats.is_allied(state, sister, int(state.actor)) or seats.is_allied(state, sister, int(state.defender)):
        return asking.ask(state, sister, decisions.VOICE)
    return plans.begin_plans(state, components)


@kernel
def list_voice(state, components, actions):
    """VOICE: list `pass` and the fourteen orders."""
    actions[0] = PASS
    count = 1
    for order in range(MUST_FIRST, SEE_FIRST):
        actions[count] = order
        count += 1
    return count


@kernel
def answer_voice(state, components, chance, action):
    """VOICE: the order is public and can be stopped."""
    if action == PASS:
        return plans.begin_plans(state, components)
    state.voice = action
    return karama.ask_whether_stopped(state, VOICED, int(state.seat))


@kernel
def after_voiced(state, components, chance, stopped):
    """The plans follow; a stopped order is void."""
    if stopped:
        state.voice = NONE
    return plans.begin_plans(state, components)
