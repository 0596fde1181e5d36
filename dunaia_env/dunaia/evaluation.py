"""A hand-written evaluation: how promising a position is for one player, in points, and what share of a win that makes.

It is a weighted sum of the features below. The features look at the player's own position and at what the decision in
progress still promises, so that comparing the states after each legal action of one decision is meaningful. Points that
are won already count whole; everything that has yet to become points counts less when few turns are left for it.

The weights stand in ``evaluation.toml``.
"""

from __future__ import annotations

import math

import numpy as np

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
from dunaia_env.dunaia.rules.prophecies import unclaimed_prophecies
from dunaia_env.dunaia.rules.scoring import artefact_points, rank, score
from dunaia_env.dunaia.rules.turn import is_die_available
from dunaia_env.dunaia.rules.waking import waking_gain
from dunaia_env.dunaia.state import (
    CHOOSE_DIE,
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
    TRICKSTER,
)
from dunaia_env.dunaia.weights import (
    ARROWS,
    BEST_DIE,
    CALLS,
    CHIPS,
    DICE_LEFT,
    DIE_IN_HAND,
    FINISHED,
    FIRST_CHARACTER,
    FIRST_VALUE,
    FLOWERS,
    FRAGMENT_CALLS,
    FRAGMENTS,
    LAST_TURN,
    MORE_FLOWERS,
    NEXT_ARTEFACT,
    NO_TURN_LEFT,
    ONE_TURN_LEFT,
    PENDING_ADVANCES,
    PENDING_CHIPS,
    PENDING_DISCARDS,
    PENDING_FRAGMENT,
    PENDING_MOVES,
    PENDING_POWER,
    POINTS,
    PROGRESS,
    PROPHECIES,
    RECYCLING_BUILDINGS,
    RESERVED,
    SECOND_SQUARE,
    STARTED,
    TERM_COUNT,
    THREE_PROPHECIES,
    TURN_TO_COME,
    VALUES_OF_A_PHASE,
    WAKING,
    WAKING_GAINS,
)
from dunaia_env.support.compile_cache import kernel

FIRST_FLOWERS = 6
ADVANCE_WORTH = 1.5


@kernel
def write_win_shares(s, t, weights, shares):
    """Write the share of a win that each player can expect into ``shares`` (float64, one entry a seat).

    A finished game's shares are its result. Otherwise they are ``exp(promise)``, normalised, where a player's promise
    is the weighted sum of the features with the weights of the player's phase (a multinomial logit).
    """
    if s.seat == NONE:
        write_result(s, t, shares)
        return
    players = int(s.num_players)
    features = np.empty(VALUES_OF_A_PHASE, np.float64)
    best = -np.inf
    for seat in range(players):
        features[:] = 0.0
        first = FIRST_VALUE + VALUES_OF_A_PHASE * write_value_features(s, t, seat, features)
        shares[seat] = 0.0
        for i in range(VALUES_OF_A_PHASE):
            shares[seat] += weights[first + i] * features[i]
        best = max(best, shares[seat])
    total = 0.0
    for seat in range(players):
        shares[seat] = math.exp(shares[seat] - best)
        total += shares[seat]
    for seat in range(players):
        shares[seat] /= total


@kernel
def write_result(s, t, shares):
    """Write each player's share of the win of a finished game into ``shares``, as `write_win_shares` does."""
    winners = 0
    for seat in range(int(s.num_players)):
        shares[seat] = 1.0 if rank(s, t, seat) == 1 else 0.0
        winners += int(shares[seat])
    for seat in range(int(s.num_players)):
        shares[seat] /= winners


@kernel
def write_value_features(s, t, seat, features):
    """Write what a player's promise is made of into ``features`` (float64, zeros on entry); returns the phase."""
    features[TERM_COUNT] = 1.0
    phase = phase_of(s, seat)
    if phase == FINISHED:
        features[POINTS] = score(s, t, seat)
    else:
        write_features(s, t, seat, features)
    return phase


@kernel
def phase_of(s, seat):
    """The number of the phase of the race that a player is in, see `weights.PHASES`."""
    if s.final_round == 0 and s.round_number < s.max_rounds:
        return THREE_PROPHECIES + PROPHECIES_IN_PLAY - max(unclaimed_prophecies(s), 1)
    if turns_left(s, seat) > 0:
        return TURN_TO_COME
    return LAST_TURN if s.seat == seat else FINISHED


@kernel
def evaluate(s, t, seat, weights):
    """The evaluation of a player's position, in points; ``weights`` float64 ``(PARAMETER_COUNT,)``."""
    features = np.zeros(TERM_COUNT, np.float64)
    write_features(s, t, seat, features)
    hopes = 0.0
    for i in range(TERM_COUNT):
        if i != POINTS:
            hopes += weights[i] * features[i]
    return weights[POINTS] * features[POINTS] + hopes * worth_of_hopes(s, seat, weights)


@kernel
def turns_left(s, seat):
    """Number of turns that a player will still begin; a large number while the end is not in sight."""
    if s.seat == NONE:
        return 0
    last = int(s.max_rounds)
    if s.final_round > 0:
        last = min(last, int(s.final_round))
    return last - int(s.round_number) + (1 if seat > s.seat else 0)


@kernel
def worth_of_hopes(s, seat, weights):
    """The part 0..1 that remains of everything that has yet to become points."""
    left = turns_left(s, seat)
    if left >= 2:
        return 1.0
    if left == 1:
        return weights[ONE_TURN_LEFT]
    return weights[NO_TURN_LEFT] if s.seat == seat else 0.0


@kernel
def write_features(s, t, seat, features):
    """Write the features of a player's position into ``features`` (float64, zeros on entry)."""
    player = s.players[seat]
    flowers = int(player.flowers)
    features[POINTS] = score(s, t, seat)
    if turns_left(s, seat) >= 1:
        features[POINTS] += (flowers % int(t.flowers_per_point)) / t.flowers_per_point
    features[FLOWERS] = min(flowers, FIRST_FLOWERS)
    features[MORE_FLOWERS] = max(flowers - FIRST_FLOWERS, 0)
    features[CHIPS] = plugged_chips(player)
    for space in range(ELDER_SPACES):
        features[FRAGMENTS] += player.fragments[space]
        first, second = int(t.elder_costs[space, 0]), int(t.elder_costs[space, 1])
        if player.chips[first - 1] == 1 and player.chips[second - 1] == 1 and features[CHIPS] >= CHIPS_OF_A_CALL:
            features[CALLS] += 1
            if can_take_fragment(s, player, space):
                features[FRAGMENT_CALLS] += 1
    artefacts = int(player.artefacts)
    complete = artefact_points(t, artefacts + 1) - artefact_points(t, artefacts)
    features[NEXT_ARTEFACT] = complete * features[FRAGMENTS] / ELDER_SPACES
    village = completed_colours(t, player)
    for square in range(SQUARES):
        if player.tile[square] != NONE:
            write_building(t, player, square, village, features)
    write_dice(s, t, seat, village, features)
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


@kernel
def write_dice(s, t, seat, village, features):
    """What waking is worth to a player: at each Dunaia, by the die to be chosen, and by the dice left in the pool."""
    player = s.players[seat]
    chooses = s.seat == seat and s.decision == CHOOSE_DIE
    best = 0.0
    left = 0.0
    dice = 0
    for i in range(DUNAIAS):
        edge = player.dunaias[i]
        worth = square_worth(t, player, EDGE_SQUARES[edge, 0], village)
        worth += square_worth(t, player, EDGE_SQUARES[edge, 1], village)
        features[WAKING] += worth
        count = int(s.neutral_dice[i]) + (1 if s.own_dice[seat] == i + 1 else 0)
        left += count * worth
        dice += count
        if chooses:
            flipped = player.character == TRICKSTER and is_die_available(s, FACES - i)
            if is_die_available(s, i + 1) or flipped:
                best = max(best, worth)
    if chooses:
        features[BEST_DIE] = best
        # The chosen die is no longer left.
        left -= best
        dice -= 1
    if dice > 0:
        features[DICE_LEFT] = left / dice


@kernel
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


@kernel
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


@kernel
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


@kernel
def square_part(player, square):
    """How far a square is built: 1 completed, a third under construction."""
    if player.tile[square] == NONE:
        return 0.0
    return 1.0 if player.built[square] == 1 else 1 / 3


@kernel
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


@kernel
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
