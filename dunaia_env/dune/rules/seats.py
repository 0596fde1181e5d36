"""Seats, their order, sides and factions (rules, section 1)."""

from __future__ import annotations

from dunaia_env.dune.state import NONE, SECTORS
from dunaia_env.support.compile_cache import kernel


@kernel
def right_of(state, seat, places):
    """The seat so many places to the right."""
    return (int(seat) + int(places)) % int(state.num_players)


@kernel
def offset_of(state, asker, seat):
    """How many places a seat is to the right of the asker."""
    return (int(seat) - int(asker)) % int(state.num_players)


@kernel
def first_player(state):
    """The seat whose dot comes first strictly after the storm."""
    first, least = 0, SECTORS
    for seat in range(int(state.num_players)):
        distance = (int(state.players[seat].dot_sector) - int(state.storm) - 1) % SECTORS
        if distance < least:
            first, least = seat, distance
    return first


@kernel
def next_in_turn_order(state, seat):
    """The seat after this one in turn order; -1 after the last. The first for -1."""
    first = first_player(state)
    if seat == NONE:
        return first
    following = right_of(state, seat, 1)
    return NONE if following == first else following


@kernel
def seat_of_faction(state, faction):
    """The seat of a faction; -1 if it is not at the table."""
    for seat in range(int(state.num_players)):
        if state.players[seat].faction == faction:
            return seat
    return NONE


@kernel
def seat_with_power(state, faction):
    """The seat of a faction that plays with its power; -1 if there is none."""
    if state.powers == 0:
        return NONE
    return seat_of_faction(state, faction)


@kernel
def has_power(state, seat, faction):
    """Whether a seat is that faction and plays with its power."""
    return state.powers != 0 and state.players[seat].faction == faction


@kernel
def is_allied(state, seat, other):
    """Whether two seats are of one side; a seat and itself are, -1 is of no side."""
    if seat == NONE or other == NONE:
        return False
    return seat == other or (state.alliance[seat] != NONE and state.alliance[seat] == state.alliance[other])


@kernel
def has_allies(state, seat):
    """Whether a seat is in an alliance."""
    return state.alliance[seat] != NONE


@kernel
def size_of_side(state, seat):
    """The number of members of a seat's side, itself included."""
    size = 0
    for other in range(int(state.num_players)):
        if is_allied(state, seat, other):
            size += 1
    return size
