"""The functions that the harness calls, each compiled once.

`dunaia_env.harness.compiled.entry_points`, which calls them, describes their arguments.
"""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import actions, decisions
from dunaia_env.dune.components import COMPONENTS_DTYPE
from dunaia_env.dune.evaluation import preferences as evaluation
from dunaia_env.dune.evaluation.shares import write_win_shares
from dunaia_env.dune.evaluation.weights import PARAMETER_COUNT
from dunaia_env.dune.hidden.resampling import resample
from dunaia_env.dune.observation.encoding import OBSERVATION_SIZE, observe
from dunaia_env.dune.rules import harvest, setup
from dunaia_env.dune.rules.common import steps
from dunaia_env.dune.rules.legal import legal_actions
from dunaia_env.dune.rules.play import apply_action, settle
from dunaia_env.dune.state import MAX_PLAYERS, PLAYERS_AT, SEAT_AT, STATE_DTYPE, STATE_SIZE, new_state
from dunaia_env.harness.compiled import entry_points as harness
from dunaia_env.harness.compiled.chance import CHANCE_SIZE
from dunaia_env.harness.compiled.entry_points import ALONE, ENDING_SIZE, NO_ACTION, ROUNDS, STOPPED, array_at
from dunaia_env.support.compile_cache import c_function

_EMPTY = new_state()


@c_function("voidptr, voidptr, voidptr, voidptr")
def begin(state_at, components_at, chance, options):
    """Set up a game, without applying forced decisions."""
    buffer = array_at(state_at, STATE_SIZE, np.uint8)
    for place in range(STATE_SIZE):
        buffer[place] = _EMPTY[place]
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    draws = array_at(chance, CHANCE_SIZE, np.int64)
    if setup.set_up(state, components, draws, array_at(options, setup.NUM_OPTIONS, np.int64)) != steps.ASKED:
        state.decision = decisions.OVER  # nobody is asked before the first turn
    return 0


@c_function("voidptr, voidptr, voidptr, int64, voidptr")
def play(state_at, components_at, chance, action, legal):
    """Apply an action (or `NO_ACTION`) and, unless `ALONE` is added to it, the forced decisions that follow."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    draws = array_at(chance, CHANCE_SIZE, np.int64)
    forced = action < NO_ACTION + ALONE
    if not forced:
        action -= ALONE
    if action != NO_ACTION:
        step = apply_action(state, components, draws, action)
    else:
        step = steps.BEGIN_TURN if state.decision == decisions.OVER else steps.ASKED
    return settle(state, components, draws, step, array_at(legal, actions.NUM_ACTIONS, np.int16), forced)


@c_function("voidptr, voidptr, voidptr")
def list_legal(state_at, components_at, legal):
    """Write the legal actions of a state, in table order; returns their number."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    return legal_actions(state, components, array_at(legal, actions.NUM_ACTIONS, np.int16))


@c_function("voidptr, voidptr, int64, voidptr")
def write_observation(state_at, components_at, seat, out):
    """Write the observation of a seat."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    observe(state, components, seat, array_at(out, OBSERVATION_SIZE, np.int8))
    return 0


@c_function("voidptr, voidptr, voidptr, int64")
def resample_state(state_at, components_at, chance, seat):
    """Replace everything that a seat does not know by a sample."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    resample(state, components, array_at(chance, CHANCE_SIZE, np.int64), seat)
    return 0


@c_function("voidptr, voidptr, voidptr, voidptr, voidptr")
def write_results(state_at, components_at, scores, ranks, ending):
    """Write scores and ranks as if the game ended undecided now, and its length in turns."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    points, places = array_at(scores, MAX_PLAYERS, np.int32), array_at(ranks, MAX_PLAYERS, np.int8)
    for seat in range(MAX_PLAYERS):
        points[seat] = harvest.score(state, components, seat) if seat < state.num_players else 0
        places[seat] = harvest.rank(state, seat) if seat < state.num_players else 0
    length = array_at(ending, ENDING_SIZE, np.int32)
    length[ROUNDS] = state.turn
    length[STOPPED] = 0
    return 0


@c_function("voidptr, voidptr, voidptr, voidptr, int64, voidptr")
def write_preferences(state_at, components_at, weights, legal, count, preferences):
    """Write the preferences of the seat that decides among its legal actions."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    evaluation.write_preferences(
        state,
        components,
        array_at(weights, PARAMETER_COUNT, np.float64),
        array_at(legal, actions.NUM_ACTIONS, np.int16),
        count,
        array_at(preferences, actions.NUM_ACTIONS, np.float64),
    )
    return 0


@c_function("voidptr, voidptr, voidptr, voidptr")
def write_shares(state_at, components_at, weights, shares):
    """Write each seat's expected share of the win."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    expected = array_at(shares, MAX_PLAYERS, np.float64)
    write_win_shares(state, components, array_at(weights, PARAMETER_COUNT, np.float64), expected)
    return 0


ENTRY_POINTS = harness.EntryPoints(
    {
        harness.BEGIN: begin,
        harness.PLAY: play,
        harness.LEGAL: list_legal,
        harness.OBSERVE: write_observation,
        harness.RESULTS: write_results,
        harness.RESAMPLE: resample_state,
        harness.PREFERENCES: write_preferences,
        harness.SHARES: write_shares,
    },
    {
        harness.SEAT_AT: SEAT_AT,
        harness.PLAYERS_AT: PLAYERS_AT,
        harness.STATE_SIZE: STATE_SIZE,
        harness.NUM_ACTIONS: actions.NUM_ACTIONS,
        harness.OBSERVATION_SIZE: OBSERVATION_SIZE,
        harness.SEATS: MAX_PLAYERS,
    },
)
