"""The observation of a player: one row of int8 numbers, described by a table of named pieces.

The observation is egocentric: the observer's own seat comes first, the other seats follow in turn order, and absent
players are zero. It holds everything that is public and nothing that is hidden. Tiles, including the tiles in the
piles, appear as the values printed on them. The printed numbers on which decisions depend (prices, points, numbers of
characters) appear too, so a player can tell a changed component file from the shipped one. Counts saturate at 127. A
piece divided by its scale is about 0..1.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import ARTEFACT_POINTS, COMPACT_ROW, EFFECTS, FULL_ROW, PRINTED_CHIP, TILE_COLUMNS
from dunaia_env.dunaia.rules import buildings, scoring
from dunaia_env.dunaia.state import COLOURS, ELDER_SPACES, ELDERS, FACES, LEVELS, NONE, SIDES, SQUARES, TILES
from dunaia_env.harness.compiled.encoding import ObservationLayout, PieceRow
from dunaia_env.support.compile_cache import kernel

MOST = 127
OFFER_COUNT = layout.FOUND_OFFER + 1
# Windows are the decisions 1..5 (CHOOSE_DIE to END_TURN).
WINDOWS = 5
PROPHECY_FIELDS = 7
CHARACTER_NUMBERS = 6


_COMMON: tuple[PieceRow, ...] = (
    ("decision", (layout.OVER,), 1, "one-hot: the decision asked for"),
    ("players", (layout.MAX_PLAYERS - layout.MIN_PLAYERS + 1,), 1, "one-hot: 2, 3 or 4 players"),
    ("seat", (layout.MAX_PLAYERS,), 1, "one-hot: the observer's seat; seat 0 plays first in a round"),
    ("deciding", (layout.MAX_PLAYERS,), 1, "one-hot: who decides, counted from the observer; zero when over"),
    ("round", (1,), 30, "round, from 1"),
    ("rounds_left", (1,), 100, "rounds that max_rounds still allows after this one"),
    ("ending", (2,), 1, "the end is triggered; this is the final round"),
    ("neutral_dice", (FACES,), 3, "neutral dice in the pool by face"),
    ("die", (FACES,), 1, "one-hot: face of the die in hand"),
    ("woken", (FACES,), 1, "one-hot: Dunaia woken this turn"),
    (
        "source",
        (layout.POWER,),
        1,
        "one-hot: the choice belongs to waking, recycling, an elder, a character's power",
    ),
    ("window", (WINDOWS,), 1, "one-hot: the window in which the elder was called or the power used"),
    ("elder_space", (ELDER_SPACES,), 1, "one-hot: space of the elder being called"),
    ("second_square", (SQUARES,), 1, "one-hot: square whose waking effect is still to come"),
    ("woken_moved", (1,), 1, "the first waking effect has moved the woken Dunaia"),
    ("left", (4,), 3, "moves, chips, discards, advances still to be made"),
    ("elders", (ELDER_SPACES, ELDERS), 1, "one-hot for each space: flowers, moves, advance, search, colour"),
    ("elder_costs", (ELDER_SPACES, FACES), 1, "the two chips printed at each elder space"),
    ("common_fragments", (ELDER_SPACES,), 12, "fragments left of each type"),
    ("common_markers", (COLOURS,), 3, "colour markers left"),
    (
        "prophecies",
        (layout.PROPHECIES_IN_PLAY, PROPHECY_FIELDS),
        4,
        "for each: buildings, flowers, artefacts needed; line, all levels, corners; points",
    ),
    (
        "prophecy_owners",
        (layout.PROPHECIES_IN_PLAY, layout.MAX_PLAYERS),
        1,
        "one-hot for each: owner from the observer, zero if none",
    ),
    ("pile_sizes", (LEVELS,), 14, "tiles below the visible top of each pile"),
    ("characters_available", (layout.CHARACTERS,), 1, "characters that can still be drafted"),
    # Printed values, which stay the same for the whole game.
    ("printed_chips", (SQUARES,), 1, "squares with a printed chip; the others have a flower"),
    ("dice_rolled", (1,), 5, "neutral dice of a roll"),
    ("prices", (LEVELS, 2), 4, "for each level: price of the displayed tile, price of the pile's tiles"),
    ("elder_gains", (3,), 2, "flowers, moves, advances that the elders give"),
    ("artefact_points", (ARTEFACT_POINTS + 1,), 14, "points for 0, 1, ... 5 artefacts; for each further one"),
    ("flowers_per_point", (1,), 3, "flowers that count one point at the end"),
    ("level_points", (LEVELS,), 3, "points for a completed building of each level"),
    (
        "character_numbers",
        (CHARACTER_NUMBERS,),
        2,
        "merchant's discount; foreman's cost, advances; mystic's chips, flowers, moves; zero without characters",
    ),
    # The tiles in the piles, with a column for each tile in the order of the action `search`.
    ("piles.top", (TILES,), 1, "the visible top of its pile"),
    ("piles.colours", (COLOURS, TILES), 1, "printed colours"),
    ("piles.effect", (EFFECTS, TILES), 3, "flowers, chips, moves, advances of its recycling or waking effect"),
    ("piles.arrows", (SIDES, TILES), 60, "for each side the arrow's code, see `seat_1.square_0.arrows`"),
    ("piles.steps", (1, TILES), 4, "advances to completion"),
)
_OFFER: tuple[PieceRow, ...] = (
    ("price", (1,), 4, "flowers the observer would pay"),
    ("level", (LEVELS,), 1, "one-hot: level; zero where there is no tile"),
    ("colours", (COLOURS,), 1, "printed colours"),
    ("effect", (EFFECTS,), 3, "flowers, chips, moves, advances of its recycling or waking effect"),
    ("arrows", (SIDES, COLOURS), 2, "for each side the arrow's amount in its colour's place"),
    ("arrow_gains", (SIDES,), 4, "for each side the arrow's gain: 1 flowers, 2 chips, 3 moves, 5 points"),
    ("steps", (1,), 4, "advances to completion"),
)
_OWN_SQUARE: tuple[PieceRow, ...] = (
    ("level", (LEVELS,), 1, "one-hot: level of the building; zero for an empty square"),
    ("colours", (COLOURS,), 1, "its colours, printed and by marker"),
    ("effect", (EFFECTS,), 3, "flowers, chips, moves, advances of its recycling or waking effect"),
    ("arrows", (SIDES, COLOURS), 2, "for each side the arrow's amount in its colour's place"),
    ("arrow_gains", (SIDES,), 4, "for each side the arrow's gain: 1 flowers, 2 chips, 3 moves, 5 points"),
    ("built", (1,), 1, "completed"),
    ("steps_left", (1,), 4, "advances to completion"),
    ("occupied", (1,), 1, "a die lies on it"),
    ("gains_now", (4,), 3, "completed: flowers, chips, moves of waking it now, points of its arrows now"),
)
_PLAYER: tuple[PieceRow, ...] = (
    ("flowers", (1,), 12, "flowers"),
    ("chips", (FACES,), 1, "plugged chips"),
    ("tokens", (1,), 3, "construction tokens in hand"),
    ("dunaias", (layout.DUNAIAS, SQUARES), 1, "the two squares beside each Dunaia"),
    ("own_die", (FACES,), 1, "one-hot: face of the own die in the pool"),
    ("fragments", (ELDER_SPACES,), 1, "fragments of the unfinished artefact"),
    ("artefacts", (1,), 4, "complete artefacts"),
    ("character", (layout.CHARACTERS,), 1, "one-hot: elite character"),
    ("power_used", (1,), 1, "the once-per-turn power was used this turn"),
    ("score", (1,), 20, "points if the game ended now"),
    ("completed", (1,), 9, "completed buildings"),
)
_COMPACT_TILE: tuple[PieceRow, ...] = (
    ("level", (1,), 3, "level, 0 where there is no tile"),
    ("colours", (COLOURS,), 1, "its colours, printed and by marker"),
    ("effect", (1,), 40, "10 * gain (0 flowers, 1 chips, 2 moves, 3 advances) + amount; 0 none"),
    (
        "arrows",
        (SIDES,),
        60,
        "for each side 1 + colour + 4 * (gain code + 4 * (amount - 1)); gain code 3 is points; 0 none",
    ),
)
_OTHER_SQUARE = (
    *_COMPACT_TILE,
    ("built", (1,), 1, "completed"),
    ("steps_left", (1,), 4, "advances to completion"),
    ("occupied", (1,), 1, "a die lies on it"),
)
_RESERVED = (*_COMPACT_TILE, ("steps", (1,), 4, "advances to completion"))


def _blocks() -> Iterator[tuple[str, tuple[PieceRow, ...]]]:
    yield "", _COMMON
    for offer in range(OFFER_COUNT):
        yield f"offer_{offer}.", _OFFER
    for square in range(SQUARES):
        yield f"own.square_{square}.", _OWN_SQUARE
    yield "own.", _PLAYER
    for offset in range(1, layout.MAX_PLAYERS):
        yield f"seat_{offset}.", _PLAYER
        for square in range(SQUARES):
            yield f"seat_{offset}.square_{square}.", _OTHER_SQUARE
        yield f"seat_{offset}.reserved.", _RESERVED


OBSERVATION_LAYOUT = ObservationLayout(_blocks())
OBSERVATION_SIZE: int = OBSERVATION_LAYOUT.size
OBSERVATION_SCALE = OBSERVATION_LAYOUT.scale
OBSERVATION_HASH: str = OBSERVATION_LAYOUT.hash
PIECES = OBSERVATION_LAYOUT.pieces
pieces_of = OBSERVATION_LAYOUT.pieces_of
_first = OBSERVATION_LAYOUT.first

OFFERS_FIRST = _first("offer_0.price")
OTHERS_FIRST = _first("seat_1.flowers")
OTHER_SIZE = _first("seat_2.flowers") - OTHERS_FIRST


def used_size(num_players: int) -> int:
    """Number of leading entries that can differ from zero at a table of ``num_players``; the rest is always zero."""
    return OTHERS_FIRST + (num_players - 1) * OTHER_SIZE


DECISION, PLAYERS, SEAT, DECIDING = _first("decision"), _first("players"), _first("seat"), _first("deciding")
ROUND, ROUNDS_LEFT, ENDING = _first("round"), _first("rounds_left"), _first("ending")
NEUTRAL_DICE, DIE, WOKEN = _first("neutral_dice"), _first("die"), _first("woken")
SOURCE, WINDOW, ELDER_SPACE = _first("source"), _first("window"), _first("elder_space")
SECOND_SQUARE, WOKEN_MOVED, LEFT = _first("second_square"), _first("woken_moved"), _first("left")
ELDERS_FIRST, ELDER_COSTS = _first("elders"), _first("elder_costs")
COMMON_FRAGMENTS, COMMON_MARKERS = _first("common_fragments"), _first("common_markers")
PROPHECIES_FIRST, PROPHECY_OWNERS = _first("prophecies"), _first("prophecy_owners")
PILE_SIZES, CHARACTERS_AVAILABLE = _first("pile_sizes"), _first("characters_available")
PRINTED_CHIPS, DICE_ROLLED, PRICES = _first("printed_chips"), _first("dice_rolled"), _first("prices")
ELDER_GAINS, ARTEFACT_POINTS_FIRST = _first("elder_gains"), _first("artefact_points")
FLOWERS_PER_POINT, LEVEL_POINTS = _first("flowers_per_point"), _first("level_points")
CHARACTER_NUMBERS_FIRST = _first("character_numbers")
WORDS = TILES // 8
PILE_TOPS, PILE_COLUMNS = _first("piles.top"), _first("piles.colours")


@kernel
def saturated(value):
    """A count as the observation shows it: at most 127."""
    return min(value, MOST)


@kernel
def observe(state, components, observer, out):
    """Write what the player at seat ``observer`` sees into ``out`` (int8, ``OBSERVATION_SIZE``)."""
    out[:] = 0
    write_common(state, components, observer, out)
    write_printed(state, components, out)
    write_piles(state, components, out)
    player = state.players[observer]
    at = OFFERS_FIRST
    for offer in range(OFFER_COUNT):
        tile = buildings.offered_tile(state, player, offer)
        if tile != NONE:
            out[at] = saturated(buildings.offer_price(components, player, offer, tile))
        write_tile(components, tile, 0, out, at + 1)
        at += 1 + FULL_ROW
        out[at] = components.steps_needed[tile + 1]
        at += 1
    village = buildings.completed_colours(components, player)
    for square in range(SQUARES):
        at = write_own_square(components, player, square, village, out, at)
    at = write_player(state, components, observer, out, at)
    players = int(state.num_players)
    for offset in range(1, players):
        seat = (observer + offset) % players
        other = state.players[seat]
        at = write_player(state, components, seat, out, at)
        for square in range(SQUARES):
            at = write_other_square(components, other, square, out, at)
        reserved = int(other.reserved)
        write_compact_tile(components, reserved, 0, out, at)
        out[at + COMPACT_ROW] = components.steps_needed[reserved + 1]
        at += COMPACT_ROW + 1


@kernel
def write_common(state, components, observer, out):
    """Write the pieces that belong to no player."""
    players = int(state.num_players)
    if state.decision != layout.OVER:
        out[DECISION + int(state.decision)] = 1
        out[DECIDING + (int(state.seat) - observer) % players] = 1
    out[PLAYERS + players - layout.MIN_PLAYERS] = 1
    out[SEAT + observer] = 1
    out[ROUND] = saturated(int(state.round_number))
    out[ROUNDS_LEFT] = saturated(int(state.max_rounds) - int(state.round_number))
    if state.final_round != 0:
        out[ENDING] = 1
        if state.round_number == state.final_round:
            out[ENDING + 1] = 1
    for face in range(FACES):
        out[NEUTRAL_DICE + face] = state.neutral_dice[face]
    if state.die != 0:
        out[DIE + int(state.die) - 1] = 1
    if state.woken != 0:
        out[WOKEN + int(state.woken) - 1] = 1
    if state.source != 0:
        out[SOURCE + int(state.source) - 1] = 1
    if state.window != 0:
        out[WINDOW + int(state.window) - 1] = 1
    if state.elder_space != NONE:
        out[ELDER_SPACE + int(state.elder_space)] = 1
    if state.second_square != NONE:
        out[SECOND_SQUARE + int(state.second_square)] = 1
    out[WOKEN_MOVED] = state.woken_moved
    out[LEFT] = state.moves_left
    out[LEFT + 1] = state.chips_left
    out[LEFT + 2] = state.discards_left
    out[LEFT + 3] = state.advances_left
    for space in range(ELDER_SPACES):
        out[ELDERS_FIRST + ELDERS * space + int(state.elders[space])] = 1
        for i in range(2):
            out[ELDER_COSTS + FACES * space + int(components.elder_costs[space, i]) - 1] = 1
        out[COMMON_FRAGMENTS + space] = state.common_fragments[space]
    for colour in range(COLOURS):
        out[COMMON_MARKERS + colour] = state.common_markers[colour]
    for i in range(layout.PROPHECIES_IN_PLAY):
        prophecy = int(state.prophecies[i])
        at = PROPHECIES_FIRST + PROPHECY_FIELDS * i
        out[at] = components.prophecy_buildings[prophecy]
        out[at + 1] = components.prophecy_flowers[prophecy]
        out[at + 2] = components.prophecy_artefacts[prophecy]
        shape = int(components.prophecy_shape[prophecy])
        if shape > 0:
            out[at + 2 + shape] = 1
        out[at + 6] = components.prophecy_points[prophecy]
        if state.prophecy_owners[i] != NONE:
            out[PROPHECY_OWNERS + layout.MAX_PLAYERS * i + (int(state.prophecy_owners[i]) - observer) % players] = 1
    for level in range(LEVELS):
        out[PILE_SIZES + level] = buildings.tiles_below(state, level)
    for character in range(layout.CHARACTERS):
        out[CHARACTERS_AVAILABLE + character] = state.characters_available[character]


@kernel
def write_printed(state, components, out):
    """Write the printed numbers that hold for the whole game."""
    for square in range(SQUARES):
        out[PRINTED_CHIPS + square] = int(components.printed[square] == PRINTED_CHIP)
    out[DICE_ROLLED] = components.neutral_dice[int(state.num_players)]
    for level in range(LEVELS):
        out[PRICES + 2 * level] = components.prices[level, 0]
        out[PRICES + 2 * level + 1] = components.prices[level, 1]
        out[LEVEL_POINTS + level] = components.level_points[level]
    out[ELDER_GAINS] = components.elder_flowers
    out[ELDER_GAINS + 1] = components.elder_moves
    out[ELDER_GAINS + 2] = components.elder_advances
    for i in range(ARTEFACT_POINTS):
        out[ARTEFACT_POINTS_FIRST + i] = components.artefact_points[i]
    out[ARTEFACT_POINTS_FIRST + ARTEFACT_POINTS] = components.further_artefact_points
    out[FLOWERS_PER_POINT] = components.flowers_per_point
    with_characters = False
    for character in range(layout.CHARACTERS):
        with_characters |= state.characters_available[character] == 1
    for player in range(layout.MAX_PLAYERS):
        with_characters |= state.players[player].character != NONE
    if with_characters:
        out[CHARACTER_NUMBERS_FIRST] = components.merchant_discount
        out[CHARACTER_NUMBERS_FIRST + 1] = components.foreman_cost
        out[CHARACTER_NUMBERS_FIRST + 2] = components.foreman_advances
        out[CHARACTER_NUMBERS_FIRST + 3] = components.mystic_chips
        out[CHARACTER_NUMBERS_FIRST + 4] = components.mystic_flowers
        out[CHARACTER_NUMBERS_FIRST + 5] = components.mystic_moves


@kernel
def write_piles(state, components, out):
    """Write the values printed on the tiles in the piles, with a column for each tile."""
    # Eight tiles are copied at a time, as the bytes of a word, which is much faster than one tile at a time.
    columns = components.tile_columns.reshape(TILE_COLUMNS * TILES).view(np.uint64)
    below = state.below_top.view(np.uint64)
    shown = out[PILE_COLUMNS : PILE_COLUMNS + TILE_COLUMNS * TILES].view(np.uint64)
    for word in range(WORDS):
        mask = below[word] * np.uint64(255)
        for i in range(TILE_COLUMNS):
            shown[WORDS * i + word] = columns[WORDS * i + word] & mask
    for level in range(LEVELS):
        top = int(state.pile_top[level])
        if top != NONE:
            out[PILE_TOPS + top] = 1
            for i in range(TILE_COLUMNS):
                out[PILE_COLUMNS + TILES * i + top] = components.tile_columns[i, top]


@kernel
def write_tile(components, tile, markers, out, at):
    """Write a tile as a full row: level, colours with markers, effect, arrows and their gains; zeros for no tile."""
    # With unsigned indices, numba does not test for negative indices, and copies whole words.
    row, place = np.uintp(tile + 1), np.uintp(at)
    for i in range(FULL_ROW):
        out[place + np.uintp(i)] = components.full_row[row, np.uintp(i)]
    if markers != 0:
        for colour in range(COLOURS):
            out[at + LEVELS + colour] |= (markers >> colour) & 1


@kernel
def write_own_square(components, player, square, village, out, at):
    """Write a square of the observer's village, whose completed colours are ``village``; returns the index after it."""
    write_tile(components, int(player.tile[square]), int(player.markers[square]), out, at)
    at = write_status(components, player, square, out, at + FULL_ROW)
    write_gains_now(components, player, square, village, out, at)
    return at + EFFECTS


@kernel
def write_status(components, player, square, out, at):
    """Write the progress of the building on a square and whether a die lies on it; returns the index after it."""
    out[at] = player.built[square]
    out[at + 1] = int(components.steps_needed[int(player.tile[square]) + 1]) - int(player.steps[square])
    out[at + 2] = player.occupied[square]
    return at + 3


@kernel
def write_gains_now(components, player, square, village, out, at):
    """Write the gains of a completed building now: flowers, chips and moves at level 2, points of arrows at level 3."""
    tile = int(player.tile[square])
    sides = 0
    for side in range(SIDES):
        sides |= int(buildings.arrow_counts(components, tile, square, side, village)) << side
    # Row 0 (no tile) serves for uncompleted buildings too, which saves a branch.
    row, place = np.uintp((tile + 1) * int(player.built[square])), np.uintp(at)
    for i in range(EFFECTS):
        out[place + np.uintp(i)] = components.gains_now[row, np.uintp(sides), np.uintp(i)]


@kernel
def write_compact_tile(components, tile, markers, out, at):
    """Write a tile as a compact row: level, colours with markers, effect code, arrow codes; zeros for no tile."""
    # With unsigned indices, numba does not test for negative indices, and copies whole words.
    row, place = np.uintp(tile + 1), np.uintp(at)
    for i in range(COMPACT_ROW):
        out[place + np.uintp(i)] = components.compact_row[row, np.uintp(i)]
    if markers != 0:
        for colour in range(COLOURS):
            out[at + 1 + colour] |= (markers >> colour) & 1


@kernel
def write_other_square(components, player, square, out, at):
    """Write a square of another player's village; returns the index after it."""
    write_compact_tile(components, int(player.tile[square]), int(player.markers[square]), out, at)
    return write_status(components, player, square, out, at + COMPACT_ROW)


@kernel
def write_player(state, components, seat, out, at):
    """Write a player's pieces other than the squares; returns the index after them."""
    player = state.players[seat]
    out[at] = saturated(int(player.flowers))
    at += 1
    for chip in range(FACES):
        out[at + chip] = player.chips[chip]
    at += FACES
    out[at] = player.tokens
    at += 1
    for i in range(layout.DUNAIAS):
        edge = player.dunaias[i]
        out[at + layout.EDGE_SQUARES[edge, 0]] = 1
        out[at + layout.EDGE_SQUARES[edge, 1]] = 1
        at += SQUARES
    if state.own_dice[seat] != 0:
        out[at + int(state.own_dice[seat]) - 1] = 1
    at += FACES
    for i in range(ELDER_SPACES):
        out[at + i] = player.fragments[i]
    at += ELDER_SPACES
    out[at] = saturated(int(player.artefacts))
    at += 1
    if player.character != NONE:
        out[at + int(player.character)] = 1
    at += layout.CHARACTERS
    out[at] = player.power_used
    out[at + 1] = saturated(scoring.score(state, components, seat))
    out[at + 2] = buildings.completed_buildings(player)
    return at + 3
