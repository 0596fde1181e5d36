"""Moving Dunaias and plugging chips."""

from __future__ import annotations

from dunaia_env.dunaia.state import DUNAIAS, FACES, MOST_ON_AN_EDGE, NONE
from dunaia_env.support.compile_cache import kernel

# Bits of one edge in a `crowd`.
_CROWD_BITS = 3


@kernel
def crowd(player):
    """How many Dunaias stand on each of a player's edges, in one number: three bits for each edge, edge 0 lowest."""
    there = 0
    for i in range(DUNAIAS):
        there += 1 << (_CROWD_BITS * int(player.dunaias[i]))
    return there


@kernel
def can_move(player, there, dunaia, edge):
    """Whether a Dunaia (1..6) may move to an edge: not its own, and one with room; ``there`` is the `crowd`."""
    on_edge = (there >> (_CROWD_BITS * edge)) & ((1 << _CROWD_BITS) - 1)
    return player.dunaias[dunaia - 1] != edge and on_edge < MOST_ON_AN_EDGE


@kernel
def move_dunaia(state, dunaia, edge):
    """Move a Dunaia of the deciding player. If the first waking effect moves the woken one, the second is cancelled."""
    state.players[state.seat].dunaias[dunaia - 1] = edge
    if state.second_square != NONE and dunaia == state.woken:
        state.woken_moved = 1


@kernel
def plugged_chips(player):
    """Number of plugged chips of a player."""
    plugged = 0
    for i in range(FACES):
        plugged += int(player.chips[i])
    return plugged
