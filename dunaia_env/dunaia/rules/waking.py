"""Phase 2: waking a Dunaia (rules, section 3)."""

from __future__ import annotations

from dunaia_env.dunaia.components import GAIN_CHIPS, GAIN_FLOWERS, GAIN_MOVES, PRINTED_FLOWER
from dunaia_env.dunaia.rules.buildings import advance_building, arrow_gain, completed_colours
from dunaia_env.dunaia.rules.flowers import gain_flowers
from dunaia_env.dunaia.state import (
    EDGE_SQUARES,
    NONE,
    SIDES,
    WAKING,
)
from dunaia_env.support.compile_cache import kernel

LEVEL_2 = 1


@kernel
def awaken(s, t, square):
    """Wake the Dunaia of the die's face; the effect of ``square`` resolves first, the other beside it second."""
    s.woken = s.die
    edge = s.players[s.seat].dunaias[int(s.die) - 1]
    first, second = EDGE_SQUARES[edge, 0], EDGE_SQUARES[edge, 1]
    s.second_square = second if square == first else first
    s.woken_moved = 0
    s.source = WAKING
    wake_square(s, t, square)


@kernel
def wake_square(s, t, square):
    """Begin the waking effect of a square; chips and moves it gives are left to be decided."""
    player = s.players[s.seat]
    tile = int(player.tile[square])
    if tile == NONE:
        if t.printed[square] == PRINTED_FLOWER:
            gain_flowers(player, 1)
        else:
            player.chips[int(s.woken) - 1] = 1
    elif player.built[square] == 0:
        advance_building(s, t, square)
    elif t.level[tile] == LEVEL_2:
        village = completed_colours(t, player)
        gain_flowers(player, waking_gain(t, tile, square, GAIN_FLOWERS, village))
        s.chips_left = waking_gain(t, tile, square, GAIN_CHIPS, village)
        s.moves_left = waking_gain(t, tile, square, GAIN_MOVES, village)


@kernel
def waking_gain(t, tile, square, gain, village):
    """How much of a gain a completed level 2 tile on a square gives now: its base and its satisfied arrows.

    ``village`` are the `completed_colours`.
    """
    amount = int(t.amount[tile]) if t.effect[tile] == gain else 0
    for side in range(SIDES):
        if t.arrow_gain[tile, side] == gain:
            amount += arrow_gain(t, tile, square, side, village)
    return amount


@kernel
def wake_second_square(s, t):
    """Begin the second waking effect, unless the first one moved the woken Dunaia; says whether it was begun."""
    square = int(s.second_square)
    s.second_square = NONE
    if square == NONE or s.woken_moved == 1:
        s.woken_moved = 0
        return False
    wake_square(s, t, square)
    return True
