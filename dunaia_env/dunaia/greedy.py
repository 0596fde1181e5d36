"""The greedy player: tries each legal action of one decision and takes the one after which it evaluates itself best."""

from __future__ import annotations

import numpy as np

from dunaia_env.chance import CHANCE_SIZE, MODE, SEED, STREAM
from dunaia_env.compile_cache import kernel
from dunaia_env.dunaia.actions import NUM_ACTIONS
from dunaia_env.dunaia.components import COMPONENTS_DTYPE
from dunaia_env.dunaia.evaluation import evaluate
from dunaia_env.dunaia.rules.play import play
from dunaia_env.dunaia.state import STATE_DTYPE, STATE_SIZE
from dunaia_env.lane import LANE_DTYPE


@kernel
def best_action(state, components, weights, seed, legal, count, trial, trial_legal):
    """The legal action with the best evaluation after it and its forced decisions; the first among equals.

    Tiles and dice that the action reveals are drawn from the player's own ``seed``, never from the game's. ``trial``
    and ``trial_legal`` are room to work in.
    """
    t = components.view(COMPONENTS_DTYPE)[0]
    seat = int(state.view(STATE_DTYPE)[0].seat)
    chance = np.zeros(CHANCE_SIZE, np.int64)
    chance[MODE] = STREAM
    chance[SEED] = seed
    best = int(legal[0])
    best_value = -np.inf
    for k in range(count):
        trial[:] = state
        s = trial.view(STATE_DTYPE)[0]
        play(s, t, chance, int(legal[k]), trial_legal)
        value = evaluate(s, t, seat, weights)
        if value > best_value:
            best_value = value
            best = int(legal[k])
    return best


@kernel
def choose_greedy_one(state, components, weights, seed, legal, count):
    """`best_action` of one state, whose ``count`` legal actions stand in ``legal``."""
    trial = np.empty(STATE_SIZE, np.uint8)
    trial_legal = np.empty(NUM_ACTIONS, np.int16)
    return best_action(state, components, weights, seed, legal, count, trial, trial_legal)


@kernel
def choose_greedy(states, lanes, components, weights, seed, legal, selected, actions):
    """`best_action` for each selected lane, into ``actions`` (int32)."""
    trial = np.empty(STATE_SIZE, np.uint8)
    trial_legal = np.empty(NUM_ACTIONS, np.int16)
    for k in range(selected.shape[0]):
        i = selected[k]
        count = int(lanes[i].view(LANE_DTYPE)[0].legal_count)
        if count > 0:
            actions[k] = best_action(states[i], components, weights, seed, legal[i], count, trial, trial_legal)
