"""The discs and traitors of other seats, and the first answer about treason."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import actions, components, decisions
from dunaia_env.dune.rules import battle_results
from dunaia_env.dune.rules.common import seats
from dunaia_env.dune.samples import battles, draws
from dunaia_env.dune.state import AGGRESSOR, BATTLE_PHASE, DEFENDER, DISCS, DISCS_OF_A_SEAT, HARKONNEN, NONE, TLEILAX
from dunaia_env.support.compile_cache import kernel

_ALL_DISCS = (1 << DISCS) - 1
_DISCS_OF_FIRST = (1 << components.DISCS_OF_A_FACTION) - 1


@kernel
def answer_treason(state, seed, seat):
    """Sample the first answer about treason while the second is awaited; later, who could have called a traitor."""
    if state.phase != BATTLE_PHASE or state.plans_shown == 0:
        return
    if state.decision == decisions.TREASON:
        if seats.is_allied(state, np.int64(state.seat), battles.battler_of(state, AGGRESSOR)):
            return
        asked = battle_results.accuser(state, AGGRESSOR)
        if asked != seat:
            state.plans[AGGRESSOR].treason = (
                NONE if asked == NONE else draws.below(seed, draws.OTHERS, draws.TREASON, 2)
            )
        return
    for side in range(2):
        if state.plans[side].treason != 1:
            state.plans[side].treason = NONE if battle_results.accuser(state, side) == NONE else 0


@kernel
def count_bits(bits):
    """The number of bits in a set."""
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count


@kernel
def bit_at(bits, place):
    """The bit at a place, counted from the lowest, of a set of bits."""
    for _ in range(place):
        bits &= bits - 1
    return bits & -bits


@kernel
def _answered(state, other, answer):
    """The leaders that a truthtrance has shown to be traitors of a seat (``answer`` 1) or not to be (0)."""
    leaders = 0
    for number in range(int(state.num_truths)):
        truth = state.truths[number]
        leader = int(truth[2]) - actions.LEADER_FIRST
        if truth[1] == other and truth[3] == answer and 0 <= leader < DISCS:
            leaders |= 1 << leader
    return leaders


@kernel
def _called(state, seat, other):
    """The leader whom another seat has called its traitor in this battle, as bits, as far as a seat can tell."""
    if state.phase != BATTLE_PHASE or state.plans_shown == 0 or state.decision == decisions.TREASON:
        return 0
    leaders = 0
    harkonnen = seats.seat_with_power(state, HARKONNEN)
    for side in range(2):
        leader = int(state.plans[DEFENDER if side == AGGRESSOR else AGGRESSOR].leader)
        if state.plans[side].treason != 1 or leader < 0 or leader >= DISCS:
            continue
        bit, battler = 1 << leader, battles.battler_of(state, side)
        holder = battler
        if harkonnen != NONE and seats.is_allied(state, harkonnen, battler):
            is_own = seat == battler and int(state.players[seat].traitors) & bit != 0
            is_not_harkonnens = seat == harkonnen and int(state.players[seat].traitors) & bit == 0
            if not is_own and not is_not_harkonnens and _answered(state, harkonnen, 0) & bit == 0:
                holder = harkonnen
        if holder == other:
            leaders |= bit
    return leaders


@kernel
def _certain(state, seat, other):
    """The leaders that a seat knows to be traitors of another seat."""
    if state.players[other].faction == TLEILAX:
        return 0
    return (_answered(state, other, 1) | _called(state, seat, other)) & ~int(state.players[seat].discs)


@kernel
def _playing(state):
    """The discs of the factions at the table."""
    discs = 0
    for seat in range(int(state.num_players)):
        if state.players[seat].faction < TLEILAX:
            discs |= _DISCS_OF_FIRST << components.DISCS_OF_A_FACTION * int(state.players[seat].faction)
    return discs


@kernel
def deal_discs(state, seed, seat):
    """Deal the discs of other seats and choose their traitors."""
    players, harkonnen = int(state.num_players), seats.seat_with_power(state, HARKONNEN)
    playing = _playing(state)
    free = _ALL_DISCS & ~int(state.players[seat].discs)
    for other in range(players):
        if other != seat:
            free &= ~_certain(state, seat, other)
    # Harkonnen comes first: an answer forbids it a disc; other seats may draw the disc and just not choose it.
    first = 0 if harkonnen == NONE else harkonnen
    index = 0
    for _ in range(draws.MOST_TRIES):
        left, agrees = free, True
        for place in range(players):
            other = (first + place) % players
            player = state.players[other]
            if other == seat or player.faction == TLEILAX:
                continue
            certain, denied = _certain(state, seat, other), _answered(state, other, 0)
            discs = certain
            for _ in range(DISCS_OF_A_SEAT - count_bits(certain)):
                allowed = left & ~denied if other == harkonnen else left
                disc = bit_at(allowed, draws.below(seed, draws.DISC_DEALS, index, count_bits(allowed)))
                index += 1
                left &= ~disc
                discs |= disc
            counting = discs & playing & ~(_DISCS_OF_FIRST << components.DISCS_OF_A_FACTION * int(player.faction))
            traitors = counting
            if state.decision == decisions.TRAITOR and other >= state.seat:
                traitors = 0
            elif other != harkonnen and counting != 0:
                traitors = bit_at(counting, draws.below(seed, draws.DISC_DEALS, index, count_bits(counting)))
                index += 1
                agrees = agrees and traitors & denied == 0 and certain & ~traitors == 0
            player.discs = discs
            player.traitors = traitors
        if agrees:
            return
