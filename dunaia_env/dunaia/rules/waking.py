"""Phase 2: waking a Dunaia."""

from __future__ import annotations

from dunaia_env.dunaia.components import GAIN_CHIPS, GAIN_FLOWERS, GAIN_MOVES, PRINTED_FLOWER
from dunaia_env.dunaia.rules import buildings, flowers
from dunaia_env.dunaia.state import EDGE_SQUARES, NONE, SIDES, WAKING
from dunaia_env.support.compile_cache import kernel

LEVEL_2 = 1


@kernel
def awaken(state, components, square):
    """Wake the Dunaia with the die's number; the effect of ``square`` comes first, that of the other square second."""
    state.woken = state.die
    edge = state.players[state.seat].dunaias[int(state.die) - 1]
    first, second = EDGE_SQUARES[edge, 0], EDGE_SQUARES[edge, 1]
    state.second_square = second if square == first else first
    state.woken_moved = 0
    state.source = WAKING
    wake_square(state, components, square)


@kernel
def wake_square(state, components, square):
    """Begin the waking effect of a square; the player then chooses the chips and moves that it gives."""
    player = state.players[state.seat]
    tile = int(player.tile[square])
    if tile == NONE:
        if components.printed[square] == PRINTED_FLOWER:
            flowers.gain_flowers(player, 1)
        else:
            player.chips[int(state.woken) - 1] = 1
    elif player.built[square] == 0:
        buildings.advance_building(state, components, square)
    elif components.level[tile] == LEVEL_2:
        village = buildings.completed_colours(components, player)
        flowers.gain_flowers(player, waking_gain(components, tile, square, GAIN_FLOWERS, village))
        state.chips_left = waking_gain(components, tile, square, GAIN_CHIPS, village)
        state.moves_left = waking_gain(components, tile, square, GAIN_MOVES, village)


@kernel
def waking_gain(components, tile, square, gain, village):
    """The amount of a gain that a completed level 2 tile on a square gives now: by its effect and its satisfied arrows.

    ``village`` holds the `completed_colours`.
    """
    amount = int(components.amount[tile]) if components.effect[tile] == gain else 0
    for side in range(SIDES):
        if components.arrow_gain[tile, side] == gain:
            amount += buildings.arrow_gain(components, tile, square, side, village)
    return amount


@kernel
def wake_second_square(state, components):
    """Begin the second waking effect, unless the first one moved the woken Dunaia; returns whether it began."""
    square = int(state.second_square)
    state.second_square = NONE
    if square == NONE or state.woken_moved == 1:
        state.woken_moved = 0
        return False
    wake_square(state, components, square)
    return True
