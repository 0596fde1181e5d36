"""End of the game and scoring (rules, section 7)."""

from __future__ import annotations

from dunaia_env.dunaia.components import ARTEFACT_POINTS
from dunaia_env.dunaia.rules.buildings import arrow_gain, completed_colours
from dunaia_env.dunaia.state import LEVELS, NONE, PROPHECIES_IN_PLAY, SIDES, SQUARES
from dunaia_env.support.compile_cache import kernel


@kernel
def artefact_points(t, artefacts):
    """Points for a number of complete artefacts."""
    last = ARTEFACT_POINTS - 1
    if artefacts <= last:
        return int(t.artefact_points[artefacts])
    return int(t.artefact_points[last]) + (artefacts - last) * int(t.further_artefact_points)


@kernel
def prophecies_held(s, seat):
    """Number of prophecies a player has taken."""
    held = 0
    for i in range(PROPHECIES_IN_PLAY):
        if s.prophecy_owners[i] == seat:
            held += 1
    return held


@kernel
def arrow_points(t, tile, square, village):
    """Points of the satisfied arrows of a level 3 tile on a square; ``village`` are the `completed_colours`."""
    points = 0
    for side in range(SIDES):
        points += arrow_gain(t, tile, square, side, village)
    return points


@kernel
def score(s, t, seat):
    """A player's points if the game ended now."""
    player = s.players[seat]
    points = 0
    village = completed_colours(t, player)
    for square in range(SQUARES):
        tile = int(player.tile[square])
        if tile != NONE and player.built[square] == 1:
            points += int(t.level_points[t.level[tile]])
            if t.level[tile] == LEVELS - 1:
                points += arrow_points(t, tile, square, village)
    for i in range(PROPHECIES_IN_PLAY):
        if s.prophecy_owners[i] == seat:
            points += int(t.prophecy_points[s.prophecies[i]])
    points += artefact_points(t, int(player.artefacts))
    points += int(player.flowers) // int(t.flowers_per_point)
    return points


@kernel
def is_ahead(s, t, seat, other):
    """Whether ``seat`` stands strictly before ``other``: points, then prophecies, then flowers."""
    difference = score(s, t, seat) - score(s, t, other)
    if difference == 0:
        difference = prophecies_held(s, seat) - prophecies_held(s, other)
    if difference == 0:
        difference = int(s.players[seat].flowers) - int(s.players[other].flowers)
    return difference > 0


@kernel
def rank(s, t, seat):
    """1 plus the number of players strictly ahead; equal players share a rank."""
    place = 1
    for other in range(int(s.num_players)):
        if other != seat and is_ahead(s, t, other, seat):
            place += 1
    return place
