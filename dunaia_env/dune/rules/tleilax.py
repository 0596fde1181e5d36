"""The Bene Tleilax sell leaders back."""

from __future__ import annotations

from dunaia_env.dune import decisions
from dunaia_env.dune.actions import LEADER_FIRST, NUMBER_FIRST, PASS, YES
from dunaia_env.dune.rules import karama, storm
from dunaia_env.dune.rules.common import asking, leaders, seats, spice, steps
from dunaia_env.dune.state import LEADERS, NONE, TAMPERED, TLEILAX
from dunaia_env.support.compile_cache import kernel

_MOST_CHANGE = 2


@kernel
def list_buy_back(state, components, actions):
    """BUY_BACK: list `pass` and the seat's own dead leaders."""
    seat = int(state.seat)
    actions[0] = PASS
    count = 1
    for leader in range(LEADERS):
        if state.owner[leader] == seat and state.alive[leader] == 0:
            actions[count] = LEADER_FIRST + leader
            count += 1
    return count


@kernel
def answer_buy_back(state, components, chance, action):
    """BUY_BACK: ask the Bene Tleilax for a price; if the seat names no leader, they can only refuse."""
    state.leader = NONE if action == PASS else action - LEADER_FIRST
    return asking.ask(state, seats.seat_with_power(state, TLEILAX), decisions.PRICE)


@kernel
def list_price(state, components, actions):
    """PRICE: list a refusal and the possible prices."""
    actions[0] = PASS
    if state.leader == NONE:
        return 1
    return storm.list_numbers(actions, 1, 0, int(components.most_price))


@kernel
def answer_price(state, components, chance, action):
    """PRICE: ask the owner whether it accepts; after a refusal it has only `pass`."""
    if action == PASS:
        state.leader = NONE
    else:
        state.price = action - NUMBER_FIRST
    return asking.ask(state, int(state.stack[int(state.depth) - 1].seat), decisions.ACCEPT)


@kernel
def list_accept(state, components, actions):
    """ACCEPT: list `pass` and, if there is a price that the seat can pay, `yes`."""
    actions[0] = PASS
    if state.price == NONE or state.players[int(state.seat)].spice < state.price:
        return 1
    actions[1] = YES
    return 2


@kernel
def answer_accept(state, components, chance, action):
    """ACCEPT: if the owner accepts, the price is paid and the leader comes back."""
    price = int(state.price)
    state.price = NONE
    if action == PASS:
        state.leader = NONE
        return steps.RESUME
    tleilax = seats.seat_with_power(state, TLEILAX)
    spice.spend(state, int(state.seat), price)
    spice.gain(state, tleilax, price)
    leaders.raise_leader(state, int(state.leader), 0)
    return karama.ask_whether_stopped(state, TAMPERED, tleilax)


@kernel
def after_tampered(state, components, chance, stopped):
    """The Bene Tleilax may change the leader's strength, unless stopped."""
    if stopped:
        state.leader = NONE
        return steps.RESUME
    return asking.ask(state, seats.seat_with_power(state, TLEILAX), decisions.TAMPER)


@kernel
def list_tamper(state, components, actions):
    """TAMPER: list the changes: weaker, unchanged, stronger."""
    return storm.list_numbers(actions, 0, 0, _MOST_CHANGE)


@kernel
def answer_tamper(state, components, chance, action):
    """TAMPER: the change stays secret until it counts."""
    leader = int(state.leader)
    state.change[leader] = action - NUMBER_FIRST - 1
    state.change_shown[leader] = 0
    state.leader = NONE
    return steps.RESUME
