"""Tokens on the board, in the reserve and in the tanks (rules, sections 1 and 8)."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune.rules.common.seats import has_power, is_allied
from dunaia_env.dune.state import NONE, TERRITORIES, TLEILAX
from dunaia_env.support.compile_cache import kernel

_ONE = np.uint64(1)


@kernel
def is_stormy(state, components, cell):
    """Whether a cell is in the storm's sector."""
    return components.sector[cell] == state.storm


@kernel
def occupies(state, components, seat, territory):
    """Whether a seat has tokens in a territory, in any cell."""
    first = int(components.first_cell[territory])
    forces = state.players[seat].forces
    for cell in range(first, first + int(components.num_cells[territory])):
        if forces[cell] != 0:
            return True
    return False


@kernel
def occupies_ornithopters(state, components, seat):
    """Whether a seat occupies one of the two territories with ornithopters."""
    for k in range(components.ornithopters.shape[0]):
        if occupies(state, components, seat, int(components.ornithopters[k])):
            return True
    return False


@kernel
def may_be_entered(state, components, seat, territory):
    """Whether a seat may enter a territory: no stronghold with two others, no ally's territory but the Polar Sink."""
    others = 0
    ally = False
    for other in range(int(state.num_players)):
        if other != seat and occupies(state, components, other, territory):
            others += 1
            ally = ally or is_allied(state, seat, other)
    if others >= 2 and components.stronghold_of[territory] != NONE:
        return False
    return not ally or territory == components.polar_sink


@kernel
def enterable_territories(state, components, seat):
    """The territories that a seat may enter, as bits (uint64)."""
    found = np.uint64(0)
    for territory in range(TERRITORIES):
        if may_be_entered(state, components, seat, territory):
            found |= _ONE << np.uint64(territory)
    return found


@kernel
def has_free_tokens(state, components, seat, territory):
    """Whether a seat has tokens in a territory outside the storm's sector."""
    first = int(components.first_cell[territory])
    for cell in range(first, first + int(components.num_cells[territory])):
        if state.players[seat].forces[cell] != 0 and not is_stormy(state, components, cell):
            return True
    return False


@kernel
def land(state, seat, cell, tokens):
    """Put tokens of the reserve on the board."""
    player = state.players[seat]
    player.reserve -= tokens
    player.forces[cell] += tokens


@kernel
def kill_tokens(state, seat, cell, tokens):
    """Send tokens of a cell to the tanks; the tanks of the Bene Tleilax are their reserve."""
    player = state.players[seat]
    player.forces[cell] -= tokens
    if has_power(state, seat, TLEILAX):
        player.reserve += tokens
    else:
        player.tanks += tokens


@kernel
def kill_all_tokens(state, seat, cell):
    """Send all tokens of a seat in a cell to the tanks."""
    tokens = int(state.players[seat].forces[cell])
    if tokens != 0:
        kill_tokens(state, seat, cell, tokens)


@kernel
def revive_tokens(state, seat, tokens):
    """Bring tokens from the tanks to the reserve."""
    player = state.players[seat]
    player.tanks -= tokens
    player.reserve += tokens


@kernel
def sweep_spice(state, cell):
    """Return the spice of a cell to the bank."""
    state.spice[cell] = 0
