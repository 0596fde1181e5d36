"""Windows: seats are asked in turn order, each one as long as it plays something.

A seat that can play nothing has only `pass`, which the engine applies by itself.
"""

from __future__ import annotations

from dunaia_env.dune import decisions
from dunaia_env.dune.rules.common import asking, seats, steps
from dunaia_env.dune.state import NONE, WINDOW
from dunaia_env.support.compile_cache import kernel


@kernel
def open_window(state, decision):
    """Open a window: begin with the first player or, in a battle, with the aggressor."""
    first = int(state.actor) if decision == decisions.BATTLE_CARDS else seats.next_in_turn_order(state, NONE)
    return asking.ask(state, first, decision)


@kernel
def after_window(decision):
    """The step that follows when a window has closed."""
    if decision == decisions.WEATHER:
        return steps.AFTER_WEATHER
    if decision == decisions.ATOMICS:
        return steps.MOVE_STORM
    if decision == decisions.BLOW_CARDS:
        return steps.AFTER_BLOW_CARDS
    if decision == decisions.HARVESTER:
        return steps.BEGIN_BIDDING
    if decision == decisions.NEXUS_CARDS:
        return steps.BEGIN_LEAVING
    if decision == decisions.BIDDING_CARDS:
        return steps.BEGIN_RANSOMS
    if decision == decisions.REVIVAL_CARDS:
        return steps.BEGIN_REVIVING
    return steps.BEGIN_VOICE


@kernel
def pass_window(state):
    """The asked seat plays nothing more: the next seat is asked, or the window closes."""
    seat, decision = int(state.seat), int(state.decision)
    if decision == decisions.BATTLE_CARDS:
        following = int(state.defender) if seat == state.actor else NONE
    else:
        following = seats.next_in_turn_order(state, seat)
    if following == NONE:
        return after_window(decision)
    return asking.ask(state, following, decision)


@kernel
def keep_window(state):
    """Put the window on the stack while the card or power that the asked seat played takes effect."""
    asking.push(state, WINDOW, int(state.decision), int(state.seat), NONE, NONE)


@kernel
def return_to_window(state):
    """The card or power that was played has had its effect: the same seat is asked again."""
    frame = state.stack[int(state.depth) - 1]
    decision, seat = int(frame.decision), int(frame.seat)
    asking.drop(state)
    return asking.ask(state, seat, decision)
