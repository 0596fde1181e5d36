"""Who holds what: sides, strongholds and scores of a position, given as its `dunaia_env.dune.state.Fields`."""

from __future__ import annotations

from typing import Any

import numpy as np

from dunaia_env.dune.components import Components
from dunaia_env.dune.state import FACTIONS, NONE

WON = 10  # added to the score of a winner


def members_of(state: Any, seat: int) -> list[int]:
    """The seats of a seat's side, ascending: its alliance, or itself alone."""
    alliance = int(state.alliance[seat])
    if alliance == NONE:
        return [seat]
    return [other for other in range(int(state.num_players)) if int(state.alliance[other]) == alliance]


def allied(state: Any, seat: int, other: int) -> bool:
    """Whether two different seats are of one alliance."""
    return seat != other and int(state.alliance[seat]) != NONE and state.alliance[seat] == state.alliance[other]


def seat_of_faction(state: Any, faction: int) -> int:
    """The seat of a faction; -1 if it is not at the table."""
    return homes(state)[faction]


def homes(state: Any) -> list[int]:
    """The seat of each faction; -1 for a faction that is not at the table."""
    seats = [NONE] * FACTIONS
    for seat, player in enumerate(state.players[: int(state.num_players)]):
        seats[player.faction] = seat
    return seats


def seat_with_power(state: Any, faction: int) -> int:
    """The seat of a faction that plays with its power; -1 if there is none."""
    return seat_of_faction(state, faction) if state.powers else NONE


def scores(state: Any, components: Components) -> list[int]:
    """For each seat, the number of strongholds that its side occupies, plus 10 for a winner of a game that is over."""
    values: Any = components.record[0]
    players = int(state.num_players)
    occupied = np.zeros((players, len(values.strongholds)), np.bool_)
    for index, territory in enumerate(values.strongholds):
        first = int(values.first_cell[territory])
        cells = slice(first, first + int(values.num_cells[territory]))
        occupied[:, index] = [player.forces[cells].any() for player in state.players[:players]]
    return [
        int(occupied[members_of(state, seat)].any(axis=0).sum()) + WON * (int(state.winners) >> seat & 1)
        for seat in range(players)
    ]
