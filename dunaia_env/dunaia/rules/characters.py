"""Elite characters: the once-per-turn powers.

Other parts of the powers are in other files: the merchant's discount in `buildings.price`, the trickster's flip in
`turn.choose_die`, the purchase of a reserved tile in `buildings.start_building`, and the payment of the mystic's chips,
one by one, in `play.apply_discard`.
"""

from __future__ import annotations

from dunaia_env.dunaia.rules import buildings, dunaias, flowers
from dunaia_env.dunaia.state import ARCHITECT, FOREMAN, MYSTIC, NONE, POWER, SHEPHERD
from dunaia_env.support.compile_cache import kernel


@kernel
def can_use_power(state, components):
    """Whether the deciding player may use the foreman's or the mystic's power in the present window."""
    player = state.players[state.seat]
    if player.power_used == 1:
        return False
    if player.character == FOREMAN:
        return player.flowers >= components.foreman_cost and buildings.has_construction(player)
    if player.character == MYSTIC:
        return dunaias.plugged_chips(player) >= components.mystic_chips
    return False


@kernel
def use_power(state, components):
    """Pay for the foreman's or the mystic's power; the deciding player chooses what follows."""
    player = state.players[state.seat]
    player.power_used = 1
    state.window = state.decision
    state.source = POWER
    if player.character == FOREMAN:
        player.flowers = int(player.flowers) - int(components.foreman_cost)
        state.advances_left = components.foreman_advances
    else:
        state.discards_left = components.mystic_chips


@kernel
def begin_mystic_power(state, components):
    """Give the mystic the flowers for the paid chips; the deciding player then chooses the moves."""
    player = state.players[state.seat]
    flowers.gain_flowers(player, int(components.mystic_flowers))
    state.moves_left = components.mystic_moves


@kernel
def can_move_woken(state):
    """Whether the deciding player is a shepherd who may still move the Dunaia woken this turn."""
    player = state.players[state.seat]
    return player.character == SHEPHERD and player.power_used == 0


@kernel
def move_woken(state, dunaia, edge):
    """Move the Dunaia woken this turn (the shepherd)."""
    state.players[state.seat].power_used = 1
    dunaias.move_dunaia(state, dunaia, edge)


@kernel
def can_reserve(state):
    """Whether the deciding player is an architect who holds no tile and has not reserved this turn."""
    player = state.players[state.seat]
    return player.character == ARCHITECT and player.power_used == 0 and player.reserved == NONE


@kernel
def reserve(state, chance, offer):
    """Reserve a tile of the common board (the architect); its place is refilled at once."""
    player = state.players[state.seat]
    player.power_used = 1
    player.reserved = buildings.take_offer(state, chance, offer)
