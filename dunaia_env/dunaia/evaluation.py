"""A hand-written evaluation: the value of a position for one player, in points, and the players' expected win shares.

The value is a weighted sum of features. They describe the player's own position and what the decision in progress can
still bring, so that the states after the legal actions of a decision can be compared. Points already won count in full;
everything that has yet to become points counts less when few turns are left.

The weights are in ``evaluation.toml``.
"""

from __future__ import annotations

import math

import numpy as np

from dunaia_env.dunaia import components as printed, state as layout, weights as terms
from dunaia_env.dunaia.rules import buildings, dunaias, elders, prophecies, scoring, turn, waking
from dunaia_env.dunaia.state import NONE
from dunaia_env.support.compile_cache import kernel

FIRST_FLOWERS = 6
ADVANCE_VALUE = 1.5


@kernel
def write_win_shares(state, components, weights, shares):
    """Write each player's expected share of the win into ``shares`` (float64, one entry per seat).

    The shares of a finished game are its result. Otherwise they are the softmax of the players' logits. A player's
    logit is the weighted sum of the features with the weights of the player's phase (multinomial logit).
    """
    if state.seat == NONE:
        write_result(state, components, shares)
        return
    players = int(state.num_players)
    features = np.empty(terms.VALUES_OF_A_PHASE, np.float64)
    best = -np.inf
    for seat in range(players):
        features[:] = 0.0
        first = terms.FIRST_VALUE + terms.VALUES_OF_A_PHASE * write_value_features(state, components, seat, features)
        shares[seat] = 0.0
        for i in range(terms.VALUES_OF_A_PHASE):
            shares[seat] += weights[first + i] * features[i]
        best = max(best, shares[seat])
    total = 0.0
    for seat in range(players):
        shares[seat] = math.exp(shares[seat] - best)
        total += shares[seat]
    for seat in range(players):
        shares[seat] /= total


@kernel
def write_result(state, components, shares):
    """Write each player's share of the win of a finished game into ``shares``, as `write_win_shares` does."""
    winners = 0
    for seat in range(int(state.num_players)):
        shares[seat] = 1.0 if scoring.rank(state, components, seat) == 1 else 0.0
        winners += int(shares[seat])
    for seat in range(int(state.num_players)):
        shares[seat] /= winners


@kernel
def write_value_features(state, components, seat, features):
    """Write the features of a player's logit into ``features`` (float64, zeros on entry); returns the phase."""
    features[terms.TERM_COUNT] = 1.0
    phase = phase_of(state, seat)
    if phase == terms.FINISHED:
        features[terms.POINTS] = scoring.score(state, components, seat)
    else:
        write_features(state, components, seat, features)
    return phase


@kernel
def phase_of(state, seat):
    """The number of the phase of the race that a player is in, see `weights.PHASES`."""
    if state.final_round == 0 and state.round_number < state.max_rounds:
        return terms.THREE_PROPHECIES + layout.PROPHECIES_IN_PLAY - max(prophecies.unclaimed_prophecies(state), 1)
    if turns_left(state, seat) > 0:
        return terms.TURN_TO_COME
    return terms.LAST_TURN if state.seat == seat else terms.FINISHED


@kernel
def evaluate(state, components, seat, weights):
    """The evaluation of a player's position, in points; ``weights`` float64 ``(PARAMETER_COUNT,)``."""
    features = np.zeros(terms.TERM_COUNT, np.float64)
    write_features(state, components, seat, features)
    potential = 0.0
    for i in range(terms.TERM_COUNT):
        if i != terms.POINTS:
            potential += weights[i] * features[i]
    return weights[terms.POINTS] * features[terms.POINTS] + potential * potential_weight(state, seat, weights)


@kernel
def turns_left(state, seat):
    """Number of turns that a player will still begin; a large number while the end is not in sight."""
    if state.seat == NONE:
        return 0
    last = int(state.max_rounds)
    if state.final_round > 0:
        last = min(last, int(state.final_round))
    return last - int(state.round_number) + (1 if seat > state.seat else 0)


@kernel
def potential_weight(state, seat, weights):
    """The weight 0..1 of everything that has yet to become points."""
    left = turns_left(state, seat)
    if left >= 2:
        return 1.0
    if left == 1:
        return weights[terms.ONE_TURN_LEFT]
    return weights[terms.NO_TURN_LEFT] if state.seat == seat else 0.0


@kernel
def write_features(state, components, seat, features):
    """Write the features of a player's position into ``features`` (float64, zeros on entry)."""
    player = state.players[seat]
    flowers = int(player.flowers)
    features[terms.POINTS] = scoring.score(state, components, seat)
    if turns_left(state, seat) >= 1:
        features[terms.POINTS] += (flowers % int(components.flowers_per_point)) / components.flowers_per_point
    features[terms.FLOWERS] = min(flowers, FIRST_FLOWERS)
    features[terms.MORE_FLOWERS] = max(flowers - FIRST_FLOWERS, 0)
    features[terms.CHIPS] = dunaias.plugged_chips(player)
    for space in range(layout.ELDER_SPACES):
        features[terms.FRAGMENTS] += player.fragments[space]
        first, second = int(components.elder_costs[space, 0]), int(components.elder_costs[space, 1])
        if (
            player.chips[first - 1] == 1
            and player.chips[second - 1] == 1
            and features[terms.CHIPS] >= elders.CHIPS_OF_A_CALL
        ):
            features[terms.CALLS] += 1
            if elders.can_take_fragment(state, player, space):
                features[terms.FRAGMENT_CALLS] += 1
    artefacts = int(player.artefacts)
    complete = scoring.artefact_points(components, artefacts + 1) - scoring.artefact_points(components, artefacts)
    features[terms.NEXT_ARTEFACT] = complete * features[terms.FRAGMENTS] / layout.ELDER_SPACES
    village = buildings.completed_colours(components, player)
    for square in range(layout.SQUARES):
        if player.tile[square] != NONE:
            write_building(components, player, square, village, features)
    write_dice(state, components, seat, village, features)
    for i in range(layout.PROPHECIES_IN_PLAY):
        if state.prophecy_owners[i] == NONE:
            prophecy = int(state.prophecies[i])
            met = fraction_met(components, player, prophecy)
            features[terms.PROPHECIES] += met * met * int(components.prophecy_points[prophecy])
    if player.reserved != NONE:
        features[terms.RESERVED] = 1
    if player.character != NONE:
        features[terms.FIRST_CHARACTER + int(player.character)] = 1
    if state.seat == seat:
        write_pending(state, components, player, village, features)


@kernel
def write_dice(state, components, seat, village, features):
    """Write what waking is worth to a player: by all Dunaias, by the die to choose, by the other dice in the pool."""
    player = state.players[seat]
    chooses = state.seat == seat and state.decision == layout.CHOOSE_DIE
    best = 0.0
    left = 0.0
    dice = 0
    for i in range(layout.DUNAIAS):
        edge = player.dunaias[i]
        value = square_value(components, player, layout.EDGE_SQUARES[edge, 0], village)
        value += square_value(components, player, layout.EDGE_SQUARES[edge, 1], village)
        features[terms.WAKING] += value
        count = int(state.neutral_dice[i]) + (1 if state.own_dice[seat] == i + 1 else 0)
        left += count * value
        dice += count
        if chooses:
            flipped = player.character == layout.TRICKSTER and turn.is_die_available(state, layout.FACES - i)
            if turn.is_die_available(state, i + 1) or flipped:
                best = max(best, value)
    if chooses:
        features[terms.BEST_DIE] = best
        # The chosen die is not among the dice left.
        left -= best
        dice -= 1
    if dice > 0:
        features[terms.DICE_LEFT] = left / dice


@kernel
def write_building(components, player, square, village, features):
    """Add the contribution of one building to the features."""
    tile = int(player.tile[square])
    level = int(components.level[tile])
    if player.built[square] == 0:
        features[terms.STARTED] += components.level_points[level]
        features[terms.PROGRESS] += player.steps[square]
    elif level == 0:
        features[terms.RECYCLING_BUILDINGS] += 1
    elif level == 1:
        for gain in (printed.GAIN_FLOWERS, printed.GAIN_CHIPS, printed.GAIN_MOVES):
            features[terms.WAKING_GAINS] += waking.waking_gain(components, tile, square, gain, village)
    if level == layout.LEVELS - 1:
        for side in range(layout.SIDES):
            colour = int(components.arrow_colour[tile, side])
            neighbour = layout.NEIGHBOURS[square, side]
            if colour != NONE and neighbour != NONE and player.tile[neighbour] != NONE:
                unfinished = player.built[square] == 0 or player.built[neighbour] == 0
                if unfinished and buildings.has_colour(components, player, neighbour, colour):
                    features[terms.ARROWS] += components.arrow_amount[tile, side]


@kernel
def square_value(components, player, square, village):
    """The approximate worth of waking beside a square, in flowers."""
    tile = int(player.tile[square])
    if tile == NONE:
        return 1.0
    if player.built[square] == 0:
        return ADVANCE_VALUE
    value = 0.0
    if components.level[tile] == 1:
        for gain in (printed.GAIN_FLOWERS, printed.GAIN_CHIPS, printed.GAIN_MOVES):
            value += waking.waking_gain(components, tile, square, gain, village)
    return value


@kernel
def fraction_met(components, player, prophecy):
    """The fraction 0..1 of a prophecy that a player has met, as the mean over its conditions."""
    met = 0.0
    conditions = 0
    if components.prophecy_buildings[prophecy] > 0:
        met += min(buildings.completed_buildings(player) / components.prophecy_buildings[prophecy], 1.0)
        conditions += 1
    if components.prophecy_flowers[prophecy] > 0:
        met += min(player.flowers / components.prophecy_flowers[prophecy], 1.0)
        conditions += 1
    if components.prophecy_artefacts[prophecy] > 0:
        fragments = 0
        for space in range(layout.ELDER_SPACES):
            fragments += int(player.fragments[space])
        artefacts = player.artefacts + fragments / layout.ELDER_SPACES
        met += min(artefacts / components.prophecy_artefacts[prophecy], 1.0)
        conditions += 1
    shape = int(components.prophecy_shape[prophecy])
    if shape != printed.NO_SHAPE:
        met += shape_fraction(components, player, shape)
        conditions += 1
    return met / max(conditions, 1)


@kernel
def fraction_built(player, square):
    """The built fraction of a square: 0 when empty, 1/3 under construction, 1 when completed."""
    if player.tile[square] == NONE:
        return 0.0
    return 1.0 if player.built[square] == 1 else 1 / 3


@kernel
def shape_fraction(components, player, shape):
    """The built fraction 0..1 of a shape: of the best line, of all levels or of the corners."""
    if shape == printed.LINE:
        best = 0.0
        for i in range(3):
            row = fraction_built(player, 3 * i) + fraction_built(player, 3 * i + 1) + fraction_built(player, 3 * i + 2)
            column = fraction_built(player, i) + fraction_built(player, i + 3) + fraction_built(player, i + 6)
            best = max(best, row, column)
        return best / 3
    if shape == printed.LEVELS_SHAPE:
        met = 0.0
        for level in range(layout.LEVELS):
            best = 0.0
            for square in range(layout.SQUARES):
                if player.tile[square] != NONE and components.level[player.tile[square]] == level:
                    best = max(best, fraction_built(player, square))
            met += best
        return met / layout.LEVELS
    return (
        fraction_built(player, 0) + fraction_built(player, 2) + fraction_built(player, 6) + fraction_built(player, 8)
    ) / 4


@kernel
def write_pending(state, components, player, village, features):
    """Write what the decision in progress can still bring to the deciding player."""
    if state.die != 0 and state.woken == 0:
        edge = player.dunaias[int(state.die) - 1]
        for i in range(2):
            square = layout.EDGE_SQUARES[edge, i]
            features[terms.DIE_IN_HAND] += square_value(components, player, square, village)
            # A chip that is plugged already is not gained again.
            if (
                player.tile[square] == NONE
                and components.printed[square] != printed.PRINTED_FLOWER
                and player.chips[int(state.die) - 1] == 1
            ):
                features[terms.DIE_IN_HAND] -= 1
    if state.second_square != NONE and state.woken_moved == 0:
        features[terms.SECOND_SQUARE] = square_value(components, player, int(state.second_square), village)
    features[terms.PENDING_CHIPS] = min(int(state.chips_left), layout.FACES - dunaias.plugged_chips(player))
    features[terms.PENDING_MOVES] = state.moves_left
    features[terms.PENDING_ADVANCES] = state.advances_left
    features[terms.PENDING_DISCARDS] = state.discards_left
    if state.source == layout.ELDER:
        if elders.can_take_fragment(state, player, int(state.elder_space)):
            features[terms.PENDING_FRAGMENT] = 1
        elder = state.elders[state.elder_space]
        if state.discards_left > 0 or elder in (layout.ELDER_SEARCH, layout.ELDER_COLOUR):
            features[terms.PENDING_POWER] = 1.25 if elder == layout.ELDER_FLOWERS else 1
    elif state.source == layout.POWER and player.character == layout.MYSTIC and state.discards_left > 0:
        features[terms.PENDING_POWER] = 1.25
