"""A hand-written evaluation: how promising a position is for one player, in points.

It is a weighted sum of the features below. The features look at the player's own position and at what the decision in
progress still promises, so that comparing the states after each legal action of one decision is meaningful.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dunaia_env.dunaia.components import (
    GAIN_CHIPS,
    GAIN_FLOWERS,
    GAIN_MOVES,
    LEVELS_SHAPE,
    LINE,
    NO_SHAPE,
    PRINTED_FLOWER,
)
from dunaia_env.dunaia.rules.buildings import completed_buildings, completed_colours, has_colour
from dunaia_env.dunaia.rules.dunaias import plugged_chips
from dunaia_env.dunaia.rules.elders import CHIPS_OF_A_CALL, can_take_fragment
from dunaia_env.dunaia.rules.scoring import score
from dunaia_env.dunaia.rules.waking import waking_gain
from dunaia_env.dunaia.state import (
    DUNAIAS,
    EDGE_SQUARES,
    ELDER,
    ELDER_COLOUR,
    ELDER_FLOWERS,
    ELDER_SEARCH,
    ELDER_SPACES,
    FACES,
    LEVELS,
    MYSTIC,
    NEIGHBOURS,
    NONE,
    POWER,
    PROPHECIES_IN_PLAY,
    SIDES,
    SQUARES,
)

FIRST_FLOWERS = 6


@dataclass(frozen=True)
class Term:
    """A feature of the evaluation: its name, its default weight in points, and what it counts."""

    name: str
    weight: float
    meaning: str


TERMS: tuple[Term, ...] = (
    Term("points", 1.0, "points if the game ended now, flowers left out"),
    Term("flowers", 0.45, "flowers up to six"),
    Term("more_flowers", 0.33, "flowers beyond six"),
    Term("chips", 0.28, "plugged chips"),
    Term("calls", 0.15, "elder spaces that could be paid now"),
    Term("fragments", 0.75, "fragments of the unfinished artefact"),
    Term("started", 0.55, "level points of the buildings under construction"),
    Term("progress", 0.4, "advances made on buildings under construction"),
    Term("recycling_buildings", 0.5, "completed level 1 buildings"),
    Term("waking_gains", 0.3, "flowers, chips and moves of waking each completed level 2 building"),
    Term(
        "arrows",
        0.5,
        "points of level 3 arrows that point to an own building of their colour, one of the two unfinished",
    ),
    Term(
        "waking",
        0.22,
        "worth of the two squares beside each Dunaia, summed: 1 flower or chip, 1.5 an advance",
    ),
    Term("die_in_hand", 0.4, "worth of the two squares beside the Dunaia of the die in hand"),
    Term("second_square", 0.4, "worth of the square whose waking effect is still to come"),
    Term("pending_chips", 0.28, "chips still to be plugged"),
    Term("pending_moves", 0.25, "moves still to be made"),
    Term("pending_advances", 0.5, "advances still to be made"),
    Term("pending_discards", -0.28, "chips still to be discarded"),
    Term("pending_fragment", 0.75, "the fragment of the elder being called"),
    Term(
        "pending_power",
        0.8,
        "the power of the elder or mystic still to be performed: flowers, search or colour",
    ),
    Term(
        "prophecies",
        0.6,
        "points of unclaimed prophecies times the square of the part of their condition met",
    ),
    Term("reserved", 0.3, "a tile in reserve"),
    Term("merchant", 1.0, "being the merchant"),
    Term("trickster", 1.0, "being the trickster"),
    Term("foreman", 1.0, "being the foreman"),
    Term("mystic", 1.0, "being the mystic"),
    Term("shepherd", 1.0, "being the shepherd"),
    Term("architect", 1.0, "being the architect"),
)
TERM_COUNT = len(TERMS)
_NUMBER = {term.name: number for number, term in enumerate(TERMS)}


def default_weights() -> NDArray[np.float64]:
    """The default weights, float64 ``(TERM_COUNT,)``, in the order of `TERMS`."""
    return np.array([term.weight for term in TERMS], np.float64)


POINTS, FLOWERS, MORE_FLOWERS = _NUMBER["points"], _NUMBER["flowers"], _NUMBER["more_flowers"]
CHIPS, CALLS, FRAGMENTS = _NUMBER["chips"], _NUMBER["calls"], _NUMBER["fragments"]
STARTED, PROGRESS, ARROWS = _NUMBER["started"], _NUMBER["progress"], _NUMBER["arrows"]
RECYCLING_BUILDINGS, WAKING_GAINS, WAKING = (
    _NUMBER["recycling_buildings"],
    _NUMBER["waking_gains"],
    _NUMBER["waking"],
)
DIE_IN_HAND, SECOND_SQUARE = _NUMBER["die_in_hand"], _NUMBER["second_square"]
PENDING_CHIPS, PENDING_MOVES = _NUMBER["pending_chips"], _NUMBER["pending_moves"]
PENDING_ADVANCES, PENDING_DISCARDS = _NUMBER["pending_advances"], _NUMBER["pending_discards"]
PENDING_FRAGMENT, PENDING_POWER = _NUMBER["pending_fragment"], _NUMBER["pending_power"]
PROPHECIES, RESERVED, FIRST_CHARACTER = _NUMBER["prophecies"], _NUMBER["reserved"], _NUMBER["merchant"]
ADVANCE_WORTH = 1.5


@njit(cache=True, nogil=True)
def evaluate(s, t, seat, weights):
    """The evaluation of a player's position, in points; ``weights`` float64 ``(TERM_COUNT,)``."""
    features = np.zeros(TERM_COUNT, np.float64)
    write_features(s, t, seat, features)
    value = 0.0
    for i in range(TERM_COUNT):
        value += weights[i] * features[i]
    return value


@njit(cache=True, nogil=True)
def write_features(s, t, seat, features):
    """Write the features of a player's position into ``features`` (float64, zeros on entry)."""
    player = s.players[seat]
    flowers = int(player.flowers)
    features[POINTS] = score(s, t, seat) - flowers // int(t.flowers_per_point)
    features[FLOWERS] = min(flowers, FIRST_FLOWERS)
    features[MORE_FLOWERS] = max(flowers - FIRST_FLOWERS, 0)
    features[CHIPS] = plugged_chips(player)
    for space in range(ELDER_SPACES):
        features[FRAGMENTS] += player.fragments[space]
        first, second = int(t.elder_costs[space, 0]), int(t.elder_costs[space, 1])
        if player.chips[first - 1] == 1 and player.chips[second - 1] == 1 and features[CHIPS] >= CHIPS_OF_A_CALL:
            features[CALLS] += 1
    village = completed_colours(t, player)
    for square in range(SQUARES):
        if player.tile[square] != NONE:
            write_building(t, player, square, village, features)
    for i in range(DUNAIAS):
        edge = player.dunaias[i]
        features[WAKING] += square_worth(t, player, EDGE_SQUARES[edge, 0], village)
        features[WAKING] += square_worth(t, player, EDGE_SQUARES[edge, 1], village)
    for i in range(PROPHECIES_IN_PLAY):
        if s.prophecy_owners[i] == NONE:
            prophecy = int(s.prophecies[i])
            met = part_met(t, player, prophecy)
            features[PROPHECIES] += met * met * int(t.prophecy_points[prophecy])
    if player.reserved != NONE:
        features[RESERVED] = 1
    if player.character != NONE:
        features[FIRST_CHARACTER + int(player.character)] = 1
    if s.seat == seat:
        write_pending(s, t, player, village, features)


@njit(cache=True, nogil=True)
def write_building(t, player, square, village, features):
    """What one building contributes."""
    tile = int(player.tile[square])
    level = int(t.level[tile])
    if player.built[square] == 0:
        features[STARTED] += t.level_points[level]
        features[PROGRESS] += player.steps[square]
    elif level == 0:
        features[RECYCLING_BUILDINGS] += 1
    elif level == 1:
        for gain in (GAIN_FLOWERS, GAIN_CHIPS, GAIN_MOVES):
            features[WAKING_GAINS] += waking_gain(t, tile, square, gain, village)
    if level == LEVELS - 1:
        for side in range(SIDES):
            colour = int(t.arrow_colour[tile, side])
            neighbour = NEIGHBOURS[square, side]
            if colour != NONE and neighbour != NONE and player.tile[neighbour] != NONE:
                unfinished = player.built[square] == 0 or player.built[neighbour] == 0
                if unfinished and has_colour(t, player, neighbour, colour):
                    features[ARROWS] += t.arrow_amount[tile, side]


@njit(cache=True, nogil=True)
def square_worth(t, player, square, village):
    """Rough worth of waking beside a square, about in flowers."""
    tile = int(player.tile[square])
    if tile == NONE:
        return 1.0
    if player.built[square] == 0:
        return ADVANCE_WORTH
    worth = 0.0
    if t.level[tile] == 1:
        for gain in (GAIN_FLOWERS, GAIN_CHIPS, GAIN_MOVES):
            worth += waking_gain(t, tile, square, gain, village)
    return worth


@njit(cache=True, nogil=True)
def part_met(t, player, prophecy):
    """The part 0..1 of a prophecy's condition that a player meets, mean over what it asks."""
    met = 0.0
    asked = 0
    if t.prophecy_buildings[prophecy] > 0:
        met += min(completed_buildings(player) / t.prophecy_buildings[prophecy], 1.0)
        asked += 1
    if t.prophecy_flowers[prophecy] > 0:
        met += min(player.flowers / t.prophecy_flowers[prophecy], 1.0)
        asked += 1
    if t.prophecy_artefacts[prophecy] > 0:
        fragments = 0
        for space in range(ELDER_SPACES):
            fragments += int(player.fragments[space])
        artefacts = player.artefacts + fragments / ELDER_SPACES
        met += min(artefacts / t.prophecy_artefacts[prophecy], 1.0)
        asked += 1
    shape = int(t.prophecy_shape[prophecy])
    if shape != NO_SHAPE:
        met += shape_met(t, player, shape)
        asked += 1
    return met / max(asked, 1)


@njit(cache=True, nogil=True)
def square_part(player, square):
    """How far a square is built: 1 completed, a third under construction."""
    if player.tile[square] == NONE:
        return 0.0
    return 1.0 if player.built[square] == 1 else 1 / 3


@njit(cache=True, nogil=True)
def shape_met(t, player, shape):
    """The part 0..1 of a line, of all levels or of the corners that is built."""
    if shape == LINE:
        best = 0.0
        for i in range(3):
            row = square_part(player, 3 * i) + square_part(player, 3 * i + 1) + square_part(player, 3 * i + 2)
            column = square_part(player, i) + square_part(player, i + 3) + square_part(player, i + 6)
            best = max(best, row, column)
        return best / 3
    if shape == LEVELS_SHAPE:
        met = 0.0
        for level in range(LEVELS):
            best = 0.0
            for square in range(SQUARES):
                if player.tile[square] != NONE and t.level[player.tile[square]] == level:
                    best = max(best, square_part(player, square))
            met += best
        return met / LEVELS
    return (square_part(player, 0) + square_part(player, 2) + square_part(player, 6) + square_part(player, 8)) / 4


@njit(cache=True, nogil=True)
def write_pending(s, t, player, village, features):
    """What the decision in progress still promises the deciding player."""
    if s.die != 0 and s.woken == 0:
        edge = player.dunaias[int(s.die) - 1]
        for i in range(2):
            square = EDGE_SQUARES[edge, i]
            features[DIE_IN_HAND] += square_worth(t, player, square, village)
            # A chip that is plugged already is not gained again.
            if (
                player.tile[square] == NONE
                and t.printed[square] != PRINTED_FLOWER
                and player.chips[int(s.die) - 1] == 1
            ):
                features[DIE_IN_HAND] -= 1
    if s.second_square != NONE and s.woken_moved == 0:
        features[SECOND_SQUARE] = square_worth(t, player, int(s.second_square), village)
    features[PENDING_CHIPS] = min(int(s.chips_left), FACES - plugged_chips(player))
    features[PENDING_MOVES] = s.moves_left
    features[PENDING_ADVANCES] = s.advances_left
    features[PENDING_DISCARDS] = s.discards_left
    if s.source == ELDER:
        if can_take_fragment(s, player, int(s.elder_space)):
            features[PENDING_FRAGMENT] = 1
        elder = s.elders[s.elder_space]
        if s.discards_left > 0 or elder in (ELDER_SEARCH, ELDER_COLOUR):
            features[PENDING_POWER] = 1.25 if elder == ELDER_FLOWERS else 1
    elif s.source == POWER and player.character == MYSTIC and s.discards_left > 0:
        features[PENDING_POWER] = 1.25
