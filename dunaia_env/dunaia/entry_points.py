"""The functions that the harness calls for rules, observation and evaluation, each compiled once.

`dunaia_env.harness.compiled.entry_points`, which calls them, describes their arguments.
"""

from __future__ import annotations

import numpy as np

from dunaia_env.dunaia import actions, endgame, evaluation, observation
from dunaia_env.dunaia.components import COMPONENTS_DTYPE
from dunaia_env.dunaia.rules import scoring, setup
from dunaia_env.dunaia.rules.play import apply_action, legal_actions, settle
from dunaia_env.dunaia.state import MAX_PLAYERS, PLAYERS_AT, SEAT_AT, STATE_DTYPE, STATE_SIZE
from dunaia_env.dunaia.weights import PARAMETER_COUNT, VALUES_OF_A_PHASE
from dunaia_env.harness.compiled import entry_points as harness
from dunaia_env.harness.compiled.chance import CHANCE_SIZE
from dunaia_env.harness.compiled.entry_points import ENDING_SIZE, MOST_OPTIONS, NO_ACTION, ROUNDS, STOPPED, array_at
from dunaia_env.support.compile_cache import c_function

# Indices of the options. The plain game has no option for the characters; their number is 0 there.
NUM_PLAYERS, ELITES, MAX_ROUNDS, CHARACTERS = 0, 1, 2, 3


@c_function("voidptr, voidptr, voidptr, voidptr")
def begin(state_at, components_at, chance, options):
    """Set up a game, without applying forced decisions."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    chosen = array_at(options, MOST_OPTIONS, np.int64)
    draws = array_at(chance, CHANCE_SIZE, np.int64)
    players, rounds, characters = int(chosen[NUM_PLAYERS]), int(chosen[MAX_ROUNDS]), int(chosen[CHARACTERS])
    setup.set_up(state, components, draws, players, chosen[ELITES] == 1, rounds, characters)
    return 0


@c_function("voidptr, voidptr, voidptr, int64, voidptr")
def play(state_at, components_at, chance, action, legal):
    """Apply an action (or `NO_ACTION`) and the forced decisions that follow."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    draws = array_at(chance, CHANCE_SIZE, np.int64)
    if action != NO_ACTION:
        apply_action(state, components, draws, action)
    return settle(state, components, draws, array_at(legal, actions.NUM_ACTIONS, np.int16))


@c_function("voidptr, voidptr, voidptr")
def list_legal(state_at, components_at, legal):
    """Write the legal actions of a state, in table order; returns their number."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    return legal_actions(state, components, array_at(legal, actions.NUM_ACTIONS, np.int16))


@c_function("voidptr, voidptr, int64, voidptr")
def write_observation(state_at, components_at, seat, out):
    """Write the observation of a seat."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    observation.observe(state, components, seat, array_at(out, observation.OBSERVATION_SIZE, np.int8))
    return 0


@c_function("voidptr, voidptr, voidptr, voidptr, voidptr")
def write_results(state_at, components_at, scores, ranks, ending):
    """Write scores and ranks as if the game ended now, and the length of the game."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    points, places = array_at(scores, MAX_PLAYERS, np.int32), array_at(ranks, MAX_PLAYERS, np.int8)
    for seat in range(MAX_PLAYERS):
        points[seat] = scoring.score(state, components, seat) if seat < state.num_players else 0
        places[seat] = scoring.rank(state, components, seat) if seat < state.num_players else 0
    length = array_at(ending, ENDING_SIZE, np.int32)
    length[ROUNDS] = state.round_number
    length[STOPPED] = state.stopped
    return 0


@c_function("voidptr")
def simplify(state_at):
    """Set what can no longer matter to one value each."""
    endgame.simplify(array_at(state_at, 1, STATE_DTYPE)[0])
    return 0


@c_function("voidptr, voidptr, voidptr, int64, voidptr")
def write_value(state_at, components_at, weights, seat, value):
    """Write the evaluation of a seat's position."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    array_at(value, 1, np.float64)[0] = evaluation.evaluate(
        state, components, seat, array_at(weights, PARAMETER_COUNT, np.float64)
    )
    return 0


@c_function("voidptr, voidptr, voidptr, voidptr")
def write_shares(state_at, components_at, weights, shares):
    """Write each seat's expected share of the win."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    expected = array_at(shares, MAX_PLAYERS, np.float64)
    evaluation.write_win_shares(state, components, array_at(weights, PARAMETER_COUNT, np.float64), expected)
    return 0


@c_function("voidptr, voidptr, int64, voidptr")
def write_features(state_at, components_at, seat, features):
    """Write the features of a seat's logit; returns the phase of the race."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    return evaluation.write_value_features(state, components, seat, array_at(features, VALUES_OF_A_PHASE, np.float64))


ENTRY_POINTS = harness.EntryPoints(
    {
        harness.BEGIN: begin,
        harness.PLAY: play,
        harness.LEGAL: list_legal,
        harness.OBSERVE: write_observation,
        harness.RESULTS: write_results,
        harness.SIMPLIFY: simplify,
        harness.VALUE: write_value,
        harness.SHARES: write_shares,
        harness.FEATURES: write_features,
    },
    {
        harness.SEAT_AT: SEAT_AT,
        harness.PLAYERS_AT: PLAYERS_AT,
        harness.STATE_SIZE: STATE_SIZE,
        harness.NUM_ACTIONS: actions.NUM_ACTIONS,
        harness.OBSERVATION_SIZE: observation.OBSERVATION_SIZE,
        harness.SEATS: MAX_PLAYERS,
    },
)
