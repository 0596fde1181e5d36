"""Karama: the question whether somebody stops a power, and spending the card.

The question goes to every seat that might hold the card. A seat that does not hold one has only `pass`.
"""

from __future__ import annotations

from dunaia_env.dune import decisions
from dunaia_env.dune.actions import PASS, USE_KARAMA
from dunaia_env.dune.rules.common import asking, cards, seats, steps
from dunaia_env.dune.state import BUY, GUILD, HALVE, KARAMA_CARD, NONE, SHIPPED, STOP, WORTHLESS, WORTHLESS_USED
from dunaia_env.support.compile_cache import kernel


@kernel
def next_opponent(state, after):
    """The next seat in turn order that may stop the power in question if it holds a Karama; -1 if there is none."""
    if state.power == SHIPPED:
        return seats.seat_with_power(state, GUILD) if after == NONE else NONE
    seat = seats.next_in_turn_order(state, after)
    while seat != NONE and seats.is_allied(state, int(state.user), seat):
        seat = seats.next_in_turn_order(state, seat)
    return seat


@kernel
def can_stop(state, seat):
    """Whether a seat holds a card that stops the power in question; a shipment is stopped by a real Karama only."""
    if state.power == SHIPPED:
        return state.players[seat].hand[KARAMA_CARD] > 0
    return cards.holds_karama(state, seat)


@kernel
def ask_whether_stopped(state, power, user):
    """Ask the other seats whether they stop a power of ``user``; `POWER_STOPPED` or `POWER_WORKS` follows."""
    state.power = power
    state.user = user
    return ask_opponent(state, NONE)


@kernel
def ask_opponent(state, after):
    """Ask the next opponent after a seat; if there is none, the power works."""
    opponent = next_opponent(state, after)
    if opponent == NONE:
        return steps.POWER_WORKS
    return asking.ask(state, opponent, decisions.KARAMA)


@kernel
def spend_karama(state, seat, point):
    """Discard a Karama of a seat. Returns whether it was a worthless card, whose use is then in question.

    ``point`` is the resume point for this question, see `dunaia_env.dune.state`. A real Karama takes effect now.
    """
    if not cards.spends_worthless(state, seat):
        cards.discard(state, seat, KARAMA_CARD)
        return False
    cards.discard(state, seat, WORTHLESS)
    if point == STOP:
        asking.push(state, point, NONE, seat, int(state.power), int(state.user))
    else:
        asking.push(state, point, NONE, seat, NONE, NONE)
    return True


@kernel
def list_karama(state, components, actions):
    """KARAMA: list `pass` and, if the seat holds the card, stopping the power."""
    actions[0] = PASS
    if not can_stop(state, int(state.seat)):
        return 1
    actions[1] = USE_KARAMA
    return 2


@kernel
def answer_karama(state, components, chance, action):
    """KARAMA: the power is stopped, or the next opponent is asked."""
    seat = int(state.seat)
    if action == PASS:
        return ask_opponent(state, seat)
    if spend_karama(state, seat, STOP):
        return ask_whether_stopped(state, WORTHLESS_USED, seat)
    return steps.POWER_STOPPED


@kernel
def after_worthless(state, stopped):
    """Bene Gesserit's worthless card works as a Karama, unless this use was stopped; then she is asked again."""
    frame = state.stack[int(state.depth) - 1]
    point, seat = int(frame.point), int(frame.seat)
    power, user = int(frame.power), int(frame.user)
    asking.drop(state)
    if point == BUY:
        state.seat = seat
        return asking.ask(state, seat, decisions.BID) if stopped else steps.TAKE_FOR_NOTHING
    if point == HALVE:
        state.seat = seat
        return asking.ask(state, seat, decisions.SHIP) if stopped else steps.SHIP_AT_HALF_PRICE
    state.power = power
    state.user = user
    if not stopped:
        return steps.POWER_STOPPED
    return asking.ask(state, seat, decisions.KARAMA)
