"""Further secrets of other seats: the prediction, dials, spice, pledges, and changes of leaders."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import actions, decisions, state as layout
from dunaia_env.dune.rules.common.seats import first_player, is_allied, offset_of, seat_with_power
from dunaia_env.dune.samples.draws import CHANGES, FACTION, FIRST_DIAL, OTHERS, PLEDGES, SPICE, TURN, WEATHER, below
from dunaia_env.dune.samples.traitors import bit_at, count_bits
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel

_BY_PREDICTION = layout.HOW_NAMES.index("prediction")


@kernel
def _chosen_bit(bits, seed, index):
    """The number of a random bit of a set."""
    bit = bit_at(bits, below(seed, OTHERS, index, count_bits(bits)))
    return count_bits(bit - 1)


@kernel
def _narrow(state, target, bits, first, count):
    """The answers in a set that agree with what a seat has told, or all of them if none agrees.

    Bit i stands for the action ``first + i``, below ``count``.
    """
    left = bits
    for number in range(int(state.num_truths)):
        truth = state.truths[number]
        place = int(truth[2]) - first
        if truth[1] == target and 0 <= place < count:
            left = left & 1 << place if truth[3] == 1 else left & ~(1 << place)
    return left if left != 0 else bits


@kernel
def predict(state, seed, seat):
    """Sample the prediction."""
    sister = seat_with_power(state, layout.BENE_GESSERIT)
    if sister in (NONE, seat) or state.prediction_faction == NONE:
        return
    factions = 0
    for other in range(int(state.num_players)):
        if other != sister:
            factions |= 1 << int(state.players[other].faction)
    factions = _narrow(state, sister, factions, actions.FACTION_FIRST, layout.FACTIONS)
    state.prediction_faction = _chosen_bit(factions, seed, FACTION)
    if state.prediction_turn > 0:
        most = int(state.max_turns)
        turns = _narrow(state, sister, (1 << most) - 1, actions.TURN_FIRST, most)
        state.prediction_turn = 1 + _chosen_bit(turns, seed, TURN)
        if state.how == _BY_PREDICTION:
            state.prediction_turn = state.turn


@kernel
def dial(state, components, seed, seat):
    """Sample the numbers that move the storm."""
    dial = components.first_dial if state.turn == 1 else components.later_dial
    for wheel in range(2):
        if state.dials[wheel] != NONE and state.wheels[wheel] != seat:
            least, most = int(dial[0]), int(dial[1])
            state.dials[wheel] = least + below(seed, OTHERS, FIRST_DIAL + wheel, most - least + 1)
    if state.weather != NONE and state.weather_seat != seat:
        least, most = int(components.weather_dial[0]), int(components.weather_dial[1])
        state.weather = least + below(seed, OTHERS, WEATHER, most - least + 1)


@kernel
def _owes(state, seat):
    for other in range(int(state.num_players)):
        if state.players[seat].debts[other] != 0:
            return True
    return False


@kernel
def fill_shields(state, seed, seat):
    """Sample the spice behind closed shields."""
    if state.open_shields != 0:
        return
    for other in range(int(state.num_players)):
        if other == seat or _owes(state, other):
            continue
        player, least = state.players[other], 0
        if is_allied(state, seat, other):
            if player.spice < player.pledge:
                continue
            least = int(player.pledge)
        if state.bidder == other:
            least = max(least, int(state.bid) - _pledged_by_allies(state, other, seat))
        player.spice = least + below(seed, SPICE, other, layout.NUMBERS)


@kernel
def _pledged_by_allies(state, bidder, seat):
    """What a bidder may spend of its allies' spice, if the seat knows it as a member of the alliance; otherwise 0."""
    pledged = 0
    if is_allied(state, seat, bidder):
        for other in range(int(state.num_players)):
            if other != bidder and is_allied(state, bidder, other):
                pledged += min(int(state.players[other].pledge), int(state.players[other].spice))
    return pledged


@kernel
def _may_have_pledged(state, other):
    """Whether a seat of an alliance has been asked for its pledge this turn."""
    if state.alliance[other] == NONE:
        return False
    if state.phase == layout.BIDDING:
        if state.decision == decisions.PLEDGE:
            first = first_player(state)
            return offset_of(state, first, other) < offset_of(state, first, np.int64(state.seat))
        return state.decision == decisions.BID or state.decision == decisions.KARAMA
    return state.phase == layout.REVIVAL or state.phase == layout.MOVEMENT or state.phase == layout.BATTLE_PHASE


@kernel
def _most_pledge(state, components, other):
    return min(int(components.most_pledge), int(state.players[other].spice))


@kernel
def pledge(state, components, seed, seat):
    """Sample the pledges of seats that are not allied with a seat."""
    players, bidder = int(state.num_players), np.int64(state.bidder)
    lacking = int(state.bid) - int(state.players[bidder].spice) if bidder != NONE else 0
    for other in range(players):
        player = state.players[other]
        if is_allied(state, seat, other):
            continue
        if not _may_have_pledged(state, other):
            player.pledge = 0
            continue
        least, most = 0, _most_pledge(state, components, other)
        supports = other != bidder and is_allied(state, bidder, other)
        if supports:
            least = lacking
            for later in range(other + 1, players):
                if later != bidder and is_allied(state, bidder, later):
                    least -= _most_pledge(state, components, later)
            least = min(max(least, 0), most)
        player.pledge = least + below(seed, PLEDGES, other, most - least + 1)
        if supports:
            lacking -= int(player.pledge)


@kernel
def tamper(state, seed, seat):
    """Sample the changes of leaders."""
    tleilax = seat_with_power(state, layout.TLEILAX)
    if state.tleilax == 0 or seat == tleilax:
        return
    for leader in range(layout.FACE_DANCER):
        if state.change_shown[leader] == 0:
            change = 0
            if tleilax != NONE and state.returned[leader] != 0:
                # 0 and 3 mean no change.
                change = below(seed, CHANGES, leader, 4) % 3
            state.change[leader] = -1 if change == 2 else change
