"""Greedy play by a game's evaluation.

If the game's evaluation is of positions, each legal action is tried, and the action with the best position after it for
the deciding seat is taken. If the evaluation is of actions, the most preferred action is taken.
"""

from __future__ import annotations

import numpy as np

from dunaia_env.harness.compiled import entry_points
from dunaia_env.harness.compiled.chance import SEED
from dunaia_env.harness.compiled.lane import LANE_DTYPE, new_stream
from dunaia_env.support.compile_cache import kernel


@kernel
def best_action(game, state, components, weights, seed, legal, count, trial, trial_legal):
    """The legal action with the best evaluation; ties go to the first.

    What the action reveals and what others hide is drawn from the agent's own ``seed``, never from the game's.
    ``trial`` and ``trial_legal`` are scratch space.
    """
    seat = entry_points.seat_of(game, state)
    chance = new_stream()
    chance[SEED] = seed
    best = int(legal[0])
    best_value = -np.inf
    if game[entry_points.PREFERENCES] != 0:
        preferences = np.zeros(count, np.float64)
        entry_points.copy_state(trial, state)
        # Everything that the seat does not know is sampled, so that no preference can depend on it.
        entry_points.resample(game, trial, components, chance, seat)
        entry_points.write_preferences(game, trial, components, weights, legal, count, preferences)
        for k in range(count):
            if preferences[k] > best_value:
                best_value = preferences[k]
                best = int(legal[k])
        return best
    value = np.zeros(1, np.float64)
    for k in range(count):
        entry_points.copy_state(trial, state)
        entry_points.resample(game, trial, components, chance, seat)
        entry_points.play(game, trial, components, chance, int(legal[k]), trial_legal)
        entry_points.write_value(game, trial, components, weights, seat, value)
        if value[0] > best_value:
            best_value = value[0]
            best = int(legal[k])
    return best


@kernel
def choose_greedy_one(game, state, components, weights, seed, legal, count):
    """`best_action` for one state, whose ``count`` legal actions are in ``legal``."""
    trial = np.empty(game[entry_points.STATE_SIZE], np.uint8)
    trial_legal = np.empty(game[entry_points.NUM_ACTIONS], np.int16)
    return best_action(game, state, components, weights, seed, legal, count, trial, trial_legal)


@kernel
def choose_greedy(game, states, lanes, components, weights, seed, legal, selected, actions):
    """`best_action` for each selected lane, into ``actions`` (int32)."""
    trial = np.empty(game[entry_points.STATE_SIZE], np.uint8)
    trial_legal = np.empty(game[entry_points.NUM_ACTIONS], np.int16)
    for k in range(selected.shape[0]):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        count = int(lane.legal_count)
        if count > 0:
            own = components[lane.components_row]
            actions[k] = best_action(game, states[i], own, weights, seed, legal[i], count, trial, trial_legal)
