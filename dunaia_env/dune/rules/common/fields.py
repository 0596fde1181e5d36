"""Fields of battle: the pieces into which the storm cuts a territory (rules, sections 1 and 9)."""

from __future__ import annotations

from dunaia_env.dune.rules.common.seats import is_allied
from dunaia_env.dune.state import DEFENDER
from dunaia_env.support.compile_cache import kernel


@kernel
def field_of(state, components, cell):
    """The field of a cell, named by its lowest cell."""
    return int(components.field_of[int(state.storm), cell])


@kernel
def tokens_in(state, components, seat, field):
    """The tokens of a seat in a field."""
    territory = int(components.territory_of[field])
    first = int(components.first_cell[territory])
    tokens = 0
    for cell in range(first, first + int(components.num_cells[territory])):
        if field_of(state, components, cell) == field:
            tokens += int(state.players[seat].forces[cell])
    return tokens


@kernel
def is_battle_due(state, components, seat, other, field):
    """Whether two seats have to fight in a field."""
    if is_allied(state, seat, other) or components.territory_of[field] == components.polar_sink:
        return False
    return tokens_in(state, components, seat, field) > 0 and tokens_in(state, components, other, field) > 0


@kernel
def has_battle(state, components, seat, field):
    """Whether a seat has to fight anybody in a field."""
    for other in range(int(state.num_players)):
        if is_battle_due(state, components, seat, other, field):
            return True
    return False


@kernel
def battler(state, side):
    """The seat on a side of the battle in progress."""
    return int(state.defender) if side == DEFENDER else int(state.actor)


@kernel
def side_of(state, seat):
    """The side of a battler."""
    return DEFENDER if seat == state.defender else 1 - DEFENDER
