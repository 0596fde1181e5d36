"""End of the game and scoring."""

from __future__ import annotations

from dunaia_env.dunaia.components import ARTEFACT_POINTS
from dunaia_env.dunaia.rules.buildings import arrow_gain, completed_colours
from dunaia_env.dunaia.state import LEVELS, NONE, PROPHECIES_IN_PLAY, SIDES, SQUARES
from dunaia_env.support.compile_cache import kernel


@kernel
def artefact_points(components, artefacts):
    """Points for a number of complete artefacts."""
    last = ARTEFACT_POINTS - 1
    if artefacts <= last:
        return int(components.artefact_points[artefacts])
    return int(components.artefact_points[last]) + (artefacts - last) * int(components.further_artefact_points)


@kernel
def prophecies_held(state, seat):
    """Number of prophecies that a player has taken."""
    held = 0
    for i in range(PROPHECIES_IN_PLAY):
        if state.prophecy_owners[i] == seat:
            held += 1
    return held


@kernel
def arrow_points(components, tile, square, village):
    """Points of the satisfied arrows of a level 3 tile on a square; ``village`` holds the `completed_colours`."""
    points = 0
    for side in range(SIDES):
        points += arrow_gain(components, tile, square, side, village)
    return points


@kernel
def score(state, components, seat):
    """A player's points if the game ended now."""
    player = state.players[seat]
    points = 0
    village = completed_colours(components, player)
    for square in range(SQUARES):
        tile = int(player.tile[square])
        if tile != NONE and player.built[square] == 1:
            points += int(components.level_points[components.level[tile]])
            if components.level[tile] == LEVELS - 1:
                points += arrow_points(components, tile, square, village)
    for i in range(PROPHECIES_IN_PLAY):
        if state.prophecy_owners[i] == seat:
            points += int(components.prophecy_points[state.prophecies[i]])
    points += artefact_points(components, int(player.artefacts))
    points += int(player.flowers) // int(components.flowers_per_point)
    return points


@kernel
def is_ahead(state, components, seat, other):
    """Whether ``seat`` ranks strictly before ``other``: by points, then prophecies, then flowers."""
    difference = score(state, components, seat) - score(state, components, other)
    if difference == 0:
        difference = prophecies_held(state, seat) - prophecies_held(state, other)
    if difference == 0:
        difference = int(state.players[seat].flowers) - int(state.players[other].flowers)
    return difference > 0


@kernel
def rank(state, components, seat):
    """1 plus the number of players strictly ahead; equal players share a rank."""
    place = 1
    for other in range(int(state.num_players)):
        if other != seat and is_ahead(state, components, other, seat):
            place += 1
    return place
