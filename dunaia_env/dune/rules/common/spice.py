"""Gaining and paying spice: funds, pledges, debts (rules, sections 1 and 6)."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune.rules.common.seats import is_allied, right_of
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel


@kernel
def gain(state, seat, amount):
    """Give spice to a seat: creditors get it first, beginning at its right, and each gains its part in turn."""
    player = state.players[seat]
    owed = 0
    for other in range(int(state.num_players)):
        owed += int(player.debts[other])
    if owed == 0:
        player.spice += amount
    else:
        gain_in_debt(state, seat, amount)


@kernel
def gain_in_debt(state, seat, amount):
    """`gain` of a debtor: each creditor gets its part, and passes it on, before the next creditor gets its own part."""
    players = int(state.num_players)
    # Every gain within another gain lowers a debt, so at most as many gains wait as there is debt in all.
    most = 1
    for debtor in range(players):
        for creditor in range(players):
            most += int(state.players[debtor].debts[creditor])
    receivers = np.zeros(most, np.int64)
    left = np.zeros(most, np.int64)
    places = np.zeros(most, np.int64)
    receivers[0] = seat
    left[0] = amount
    places[0] = 1
    depth = 0
    while depth >= 0:
        receiver = receivers[depth]
        player = state.players[receiver]
        if left[depth] == 0 or places[depth] == players:
            player.spice += left[depth]
            depth -= 1
            continue
        creditor = right_of(state, receiver, places[depth])
        places[depth] += 1
        part = min(left[depth], int(player.debts[creditor]))
        if part > 0:
            player.debts[creditor] -= part
            left[depth] -= part
            depth += 1
            receivers[depth] = creditor
            left[depth] = part
            places[depth] = 1


@kernel
def spend(state, seat, amount):
    """Pay out of a seat's own spice to the bank."""
    state.players[seat].spice -= amount


@kernel
def funds(state, seat):
    """What a seat may spend on a bid or a shipment: its own spice and what its allies still pledge."""
    total = int(state.players[seat].spice)
    for other in range(int(state.num_players)):
        if other != seat and is_allied(state, seat, other):
            player = state.players[other]
            total += min(int(player.pledge), int(player.spice))
    return total


@kernel
def pay(state, seat, amount, receiver):
    """Pay for a bid or a shipment: first out of the seat's own spice, then the allies' pledges, beginning at its right.

    The receiver gains the amount, except for what its own pledge paid; -1 is the bank. No seat pays itself.
    """
    player = state.players[seat]
    own = min(int(amount), int(player.spice))
    player.spice -= own
    rest = int(amount) - own
    received = own
    for places in range(1, int(state.num_players)):
        ally = right_of(state, seat, places)
        if rest > 0 and is_allied(state, seat, ally):
            other = state.players[ally]
            part = min(rest, min(int(other.pledge), int(other.spice)))
            other.pledge -= part
            other.spice -= part
            rest -= part
            if ally != receiver:
                received += part
    if receiver != NONE and receiver != seat and received > 0:
        gain(state, receiver, received)
