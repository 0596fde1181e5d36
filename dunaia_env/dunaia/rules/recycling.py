"""Phase 3: recycling the die."""

from __future__ import annotations

from dunaia_env.dunaia.components import GAIN_ADVANCES, GAIN_CHIPS, GAIN_FLOWERS, GAIN_MOVES
from dunaia_env.dunaia.rules.flowers import gain_flowers
from dunaia_env.dunaia.state import NONE, RECYCLING
from dunaia_env.support.compile_cache import kernel

LEVEL_1 = 0


@kernel
def is_usable(state, components, owner, square):
    """Whether the building on a player's square is a completed level 1 building without a die.

    Another player's building costs a flower, which the deciding player must have.
    """
    player = state.players[owner]
    tile = int(player.tile[square])
    if tile == NONE or player.built[square] == 0 or player.occupied[square] == 1 or components.level[tile] != LEVEL_1:
        return False
    return owner == state.seat or state.players[state.seat].flowers > 0


@kernel
def recycle_on_flower_space(state):
    """Recycle the die for one flower."""
    state.die = 0
    gain_flowers(state.players[state.seat], 1)


@kernel
def recycle_on_building(state, components, owner, square):
    """Put the die onto a level 1 building, pay its owner if that is another player, and begin its effect."""
    state.die = 0
    player = state.players[state.seat]
    host = state.players[owner]
    if owner != state.seat:
        player.flowers = int(player.flowers) - 1
        gain_flowers(host, 1)
    host.occupied[square] = 1
    state.source = RECYCLING
    tile = int(host.tile[square])
    effect, amount = int(components.effect[tile]), int(components.amount[tile])
    if effect == GAIN_FLOWERS:
        gain_flowers(player, amount)
    elif effect == GAIN_CHIPS:
        state.chips_left = amount
    elif effect == GAIN_MOVES:
        state.moves_left = amount
    elif effect == GAIN_ADVANCES:
        state.advances_left = amount
