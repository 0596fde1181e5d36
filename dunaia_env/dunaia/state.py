"""The state of a game: one record.

The village of a player, squares (left) and the numbers of the edges on which Dunaias stand (right)::

    0 1 2      0 -0- 1 -1- 2
    3 4 5      6     7     8
    6 7 8      3 -2- 4 -3- 5
               9    10    11
               6 -4- 7 -5- 8

A state waits for one decision of one player, or the game is over. It holds no random generator and no future draws: a
pile is the set of the tiles below its visible top.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled.lane import layout_hash

MIN_PLAYERS = 2
MAX_PLAYERS = 4
SQUARES = 9
DUNAIAS = 6
EDGES = 12
MOST_ON_AN_EDGE = 3
LEVELS = 3
OFFERS = 6
RESERVED_OFFER = 6
FOUND_OFFER = 7
FACES = 6
ELDER_SPACES = 3
PROPHECIES_IN_PLAY = 3
TILES = 40
NONE = -1
MOST_FLOWERS = 32767  # in a hand; the largest number that the field can hold

# Colours; a set of colours is a bit mask.
GREEN, YELLOW, PURPLE, RED = 0, 1, 2, 3
COLOURS = 4
COLOUR_NAMES = ("green", "yellow", "purple", "red")

# Elite characters.
MERCHANT, TRICKSTER, FOREMAN, MYSTIC, SHEPHERD, ARCHITECT = 0, 1, 2, 3, 4, 5
CHARACTERS = 6
CHARACTER_NAMES = ("merchant", "trickster", "foreman", "mystic", "shepherd", "architect")
# How players get their characters; any other number assigns them by its digits.
DRAFTED, DEALT = 0, 9

# Elders.
ELDER_FLOWERS, ELDER_MOVES, ELDER_ADVANCE, ELDER_SEARCH, ELDER_COLOUR = 0, 1, 2, 3, 4
ELDERS = 5
ELDER_NAMES = ("flowers", "moves", "advance", "search", "colour")

# Decisions.
DRAFT, CHOOSE_DIE, AWAKEN, RECYCLE, BEFORE_PROPHECY, END_TURN = 0, 1, 2, 3, 4, 5
MOVE, PLUG, DISCARD, ADVANCE, SEARCH, PLACE, COLOUR, OVER = 6, 7, 8, 9, 10, 11, 12, 13
DECISION_NAMES = (
    "DRAFT",
    "CHOOSE_DIE",
    "AWAKEN",
    "RECYCLE",
    "BEFORE_PROPHECY",
    "END_TURN",
    "MOVE",
    "PLUG",
    "DISCARD",
    "ADVANCE",
    "SEARCH",
    "PLACE",
    "COLOUR",
    "OVER",
)

# Sources of the decision in progress.
NO_SOURCE, WAKING, RECYCLING, ELDER, POWER = 0, 1, 2, 3, 4
SOURCE_NAMES = ("none", "waking", "recycling", "elder", "power")

EDGE_SQUARES: NDArray[np.int64] = np.array(
    [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (1, 4), (2, 5), (3, 6), (4, 7), (5, 8)], np.int64
)

# Sides of a tile: north, east, south, west. The neighbour of each square on each side; -1 for off the board.
SIDES = 4
SIDE_NAMES = ("north", "east", "south", "west")
NEIGHBOURS: NDArray[np.int64] = np.array(
    [
        [
            square - 3 if square >= 3 else NONE,
            square + 1 if square % 3 < 2 else NONE,
            square + 3 if square < 6 else NONE,
            square - 1 if square % 3 > 0 else NONE,
        ]
        for square in range(SQUARES)
    ],
    np.int64,
)
# The square to which the arrow on each side of a square's tile points; `SQUARES` for off the board.
POINTED_SQUARES: NDArray[np.int64] = np.where(NEIGHBOURS == NONE, SQUARES, NEIGHBOURS)


def _record(fields: list[tuple[object, ...]]) -> np.dtype[np.record]:
    # With np.record, `state.seat` reads the same with and without compilation.
    return np.dtype((np.record, np.dtype(fields, align=True)))  # type: ignore[return-value]


PLAYER_DTYPE = _record(
    [
        ("flowers", np.int16),
        ("artefacts", np.int16),  # complete artefacts
        ("tokens", np.int8),  # construction tokens in hand, 0..3
        ("character", np.int8),  # 0..5, -1 none
        ("reserved", np.int8),  # tile held by the architect, -1 none
        ("power_used", np.int8),  # 1 if the once-per-turn power was used this turn
        ("chips", np.int8, (FACES,)),  # 1 plugged, 0 in reserve
        ("dunaias", np.int8, (DUNAIAS,)),  # edge of Dunaia d + 1
        ("fragments", np.int8, (ELDER_SPACES,)),  # 1 if the type is in the unfinished artefact
        ("tile", np.int8, (SQUARES,)),  # -1 empty square
        ("steps", np.int8, (SQUARES,)),  # advances made
        ("built", np.int8, (SQUARES,)),  # 1 completed
        ("markers", np.int8, (SQUARES,)),  # set of the colours of markers
        ("occupied", np.int8, (SQUARES,)),  # 1 if a die lies on the building
    ]
)

# The nested players come first, so that they have the alignment of the record.
STATE_DTYPE = _record(
    [
        ("players", PLAYER_DTYPE, (MAX_PLAYERS,)),
        ("round_number", np.int16),  # from 1
        ("final_round", np.int16),  # 0 until the end is triggered
        ("max_rounds", np.int16),
        ("num_players", np.int8),
        ("seat", np.int8),  # the deciding seat; -1 when over
        ("decision", np.int8),
        ("stopped", np.int8),  # 1 if max_rounds stopped the game
        # Dice
        ("neutral_dice", np.int8, (FACES,)),  # neutral dice in the pool by face
        ("own_dice", np.int8, (MAX_PLAYERS,)),  # face of each player's own die in the pool, 0 if it is not there
        ("die", np.int8),  # face of the die in hand, 0 none
        ("woken", np.int8),  # Dunaia 1..6 woken this turn, 0 none
        # The decision in progress
        ("source", np.int8),
        ("window", np.int8),  # the decision asked again after a call or a power
        ("elder_space", np.int8),  # space of the elder being called, -1 none
        ("second_square", np.int8),  # square whose waking effect is still to come, -1 none
        ("woken_moved", np.int8),  # 1 if the first waking effect moved the woken Dunaia
        ("moves_left", np.int8),
        ("chips_left", np.int8),
        ("discards_left", np.int8),
        ("advances_left", np.int8),
        ("found", np.int8),  # tile found by the Search elder, -1 none
        # The common board
        ("display", np.int8, (LEVELS,)),  # -1 empty
        ("pile_top", np.int8, (LEVELS,)),  # -1 empty
        ("below_top", np.int8, (TILES,)),  # 1 for each tile below the visible top of its pile
        ("elders", np.int8, (ELDER_SPACES,)),
        ("common_fragments", np.int8, (ELDER_SPACES,)),
        ("common_markers", np.int8, (COLOURS,)),
        ("prophecies", np.int8, (PROPHECIES_IN_PLAY,)),
        ("prophecy_owners", np.int8, (PROPHECIES_IN_PLAY,)),  # -1 unclaimed
        ("characters_available", np.int8, (CHARACTERS,)),  # 1 while it can be drafted
    ]
)

STATE_SIZE = STATE_DTYPE.itemsize
STATE_HASH = layout_hash(STATE_DTYPE)
# Offsets of the deciding seat and the number of players in the bytes of a state.
SEAT_AT: int = STATE_DTYPE.fields["seat"][1]  # type: ignore[index]
PLAYERS_AT: int = STATE_DTYPE.fields["num_players"][1]  # type: ignore[index]
