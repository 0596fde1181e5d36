"""Phase 4: prophecies (rules, sections 3 and 9)."""

from __future__ import annotations

from dunaia_env.dunaia.components import CORNERS, LEVELS_SHAPE, LINE
from dunaia_env.dunaia.rules.buildings import completed_buildings, trigger_end
from dunaia_env.dunaia.state import LEVELS, NONE, PROPHECIES_IN_PLAY, SQUARES
from dunaia_env.support.compile_cache import kernel


@kernel
def has_line(player):
    """Whether a row or a column of the village is completed."""
    built = player.built
    for i in range(3):
        if built[3 * i] == 1 and built[3 * i + 1] == 1 and built[3 * i + 2] == 1:
            return True
        if built[i] == 1 and built[i + 3] == 1 and built[i + 6] == 1:
            return True
    return False


@kernel
def has_all_levels(components, player):
    """Whether a building of each level is completed."""
    for level in range(LEVELS):
        found = False
        for square in range(SQUARES):
            if player.built[square] == 1 and components.level[player.tile[square]] == level:
                found = True
        if not found:
            return False
    return True


@kernel
def has_corners(player):
    """Whether the four corners of the village are completed."""
    built = player.built
    return built[0] == 1 and built[2] == 1 and built[6] == 1 and built[8] == 1


@kernel
def holds(components, player, prophecy):
    """Whether a player meets the condition of a prophecy; every number is a minimum."""
    if completed_buildings(player) < components.prophecy_buildings[prophecy]:
        return False
    if (
        player.flowers < components.prophecy_flowers[prophecy]
        or player.artefacts < components.prophecy_artefacts[prophecy]
    ):
        return False
    shape = components.prophecy_shape[prophecy]
    if shape == LINE:
        return has_line(player)
    if shape == LEVELS_SHAPE:
        return has_all_levels(components, player)
    if shape == CORNERS:
        return has_corners(player)
    return True


@kernel
def unclaimed_prophecies(state):
    """Number of prophecies that nobody has taken."""
    unclaimed = 0
    for i in range(PROPHECIES_IN_PLAY):
        if state.prophecy_owners[i] == NONE:
            unclaimed += 1
    return unclaimed


@kernel
def claim_prophecies(state, components):
    """Give the deciding player every unclaimed prophecy whose condition holds; the last one triggers the end."""
    player = state.players[state.seat]
    for i in range(PROPHECIES_IN_PLAY):
        if state.prophecy_owners[i] == NONE and holds(components, player, state.prophecies[i]):
            state.prophecy_owners[i] = state.seat
    if unclaimed_prophecies(state) == 0:
        trigger_end(state)
