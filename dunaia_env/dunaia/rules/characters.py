"""Elite characters: the once-per-turn powers (rules, section 5).

The merchant's discount is part of the price (`buildings.price`), the trickster's flip part of choosing a die
(`turn.choose_die`), the reserved tile's purchase part of starting a building (`buildings.start_building`).
"""

from __future__ import annotations

from dunaia_env.dunaia.rules.buildings import has_construction, take_offer
from dunaia_env.dunaia.rules.dunaias import move_dunaia, plugged_chips
from dunaia_env.dunaia.rules.flowers import gain_flowers
from dunaia_env.dunaia.state import ARCHITECT, FOREMAN, MYSTIC, NONE, POWER, SHEPHERD
from dunaia_env.support.compile_cache import kernel


@kernel
def can_use_power(s, t):
    """Whether the deciding player may use the foreman's or the mystic's power in the present window."""
    player = s.players[s.seat]
    if player.power_used == 1:
        return False
    if player.character == FOREMAN:
        return player.flowers >= t.foreman_cost and has_construction(player)
    if player.character == MYSTIC:
        return plugged_chips(player) >= t.mystic_chips
    return False


@kernel
def use_power(s, t):
    """Pay for the foreman's or the mystic's power; what follows is left to be decided."""
    player = s.players[s.seat]
    player.power_used = 1
    s.window = s.decision
    s.source = POWER
    if player.character == FOREMAN:
        player.flowers = int(player.flowers) - int(t.foreman_cost)
        s.advances_left = t.foreman_advances
    else:
        s.discards_left = t.mystic_chips


@kernel
def perform_mystic_power(s, t):
    """The mystic's chips are paid: take the flowers; the moves are left to be decided."""
    player = s.players[s.seat]
    gain_flowers(player, int(t.mystic_flowers))
    s.moves_left = t.mystic_moves


@kernel
def can_move_woken(s):
    """Whether the deciding player is a shepherd who may still move the Dunaia woken this turn."""
    player = s.players[s.seat]
    return player.character == SHEPHERD and player.power_used == 0


@kernel
def move_woken(s, dunaia, edge):
    """The shepherd moves the Dunaia woken this turn."""
    s.players[s.seat].power_used = 1
    move_dunaia(s, dunaia, edge)


@kernel
def can_reserve(s):
    """Whether the deciding player is an architect who holds no tile and has not reserved this turn."""
    player = s.players[s.seat]
    return player.character == ARCHITECT and player.power_used == 0 and player.reserved == NONE


@kernel
def reserve(s, chance, offer):
    """The architect takes a tile of the common board in reserve; its place is refilled at once."""
    player = s.players[s.seat]
    player.power_used = 1
    player.reserved = take_offer(s, chance, offer)
