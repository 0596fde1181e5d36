"""What can no longer matter near the end of a game, so that fewer positions have to be solved exactly."""

from __future__ import annotations

from dunaia_env.dunaia.state import DUNAIAS, ELDER_SPACES, FACES, NONE, SQUARES
from dunaia_env.support.compile_cache import kernel


@kernel
def simplify(state):
    """Set what can no longer matter to one value each, so that positions with the same future become equal.

    In the last round, a player whose turn is over keeps what counts: flowers, prophecies, artefacts and completed
    buildings, which later players can still use. Of the deciding player, the places of the Dunaias no longer matter
    once one of them was woken: nobody asks for them again, and a woken Dunaia can move wherever they stand.
    """
    if state.round_number != state.final_round or state.seat < 0:
        return
    for seat in range(state.seat):
        player = state.players[seat]
        player.tokens = 0
        player.reserved = NONE
        player.power_used = 0
        for face in range(FACES):
            player.chips[face] = 0
        for space in range(ELDER_SPACES):
            player.fragments[space] = 0
        for square in range(SQUARES):
            if player.built[square] == 0:
                player.tile[square] = NONE
                player.steps[square] = 0
                player.markers[square] = 0
        spread_dunaias(player)
    if state.woken != 0:
        spread_dunaias(state.players[state.seat])


@kernel
def spread_dunaias(player):
    """Put each Dunaia on an edge of its own."""
    for dunaia in range(DUNAIAS):
        player.dunaias[dunaia] = dunaia
