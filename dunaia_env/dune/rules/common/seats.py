"""Seats, their order, sides and factions."""

from __future__ import annotations

from dunaia_env.dune.state import NONE, SECTORS
from dunaia_env.support.compile_cache import kernel


@kernel
def right_of(state, seat, places):
    """The seat that sits ``places`` places to the right of a seat."""
    return (int(seat) + int(places)) % int(state.num_players)


@kernel
def offset_of(state, asker, seat):
    """How many places a seat is to the right of the asker."""
    return (int(seat) - int(asker)) % int(state.num_players)


@kernel
def first_player(state):
    """The seat whose dot comes first after the storm's sector."""
    first, least = 0, SECTORS
    for seat in range(int(state.num_players)):
        distance = (int(state.players[seat].dot_sector) - int(state.storm) - 1) % SECTORS
        if distance < least:
            first, least = seat, distance
    return first


@kernel
def next_in_turn_order(state, seat):
    """The next seat in turn order: the first player after -1, and -1 after the last seat."""
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
    """Whether a seat has a faction and plays with its power."""
    return state.powers != 0 and state.players[seat].faction == faction


@kernel
def is_allied(state, seat, other):
    """Whether two seats are on one side. A seat is on one side with itself; -1 is on no side."""
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
