"""Compile every kernel by using it once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.chance import CHANCE_SIZE, SEED, game_seed
from dunaia_env.dunaia import guided, kernels
from dunaia_env.dunaia.actions import NUM_ACTIONS
from dunaia_env.dunaia.components import load
from dunaia_env.dunaia.evaluation import describe_lanes
from dunaia_env.dunaia.greedy import choose_greedy, choose_greedy_one
from dunaia_env.dunaia.luck import write_luck
from dunaia_env.dunaia.observation import OBSERVATION_SIZE
from dunaia_env.dunaia.search import NODE_SIZE, SETTINGS_SIZE, grow_tree, name_search, value_actions, win_shares
from dunaia_env.dunaia.state import MAX_PLAYERS, STATE_SIZE
from dunaia_env.dunaia.weights import VALUES_OF_A_PHASE, load_weights
from dunaia_env.lane import LANE_DTYPE, LANE_SIZE


def warm_up() -> None:
    """Play a few decisions through each kernel, with the argument types that the layers above use."""
    components = load().buffer
    state = np.zeros(STATE_SIZE, np.uint8)
    legal = np.zeros(NUM_ACTIONS, np.int16)
    chance = np.zeros(CHANCE_SIZE, np.int64)
    chance[SEED] = int(game_seed(0, 0, 0))
    kernels.begin_game(state, components, chance, 2, True, 1, legal)
    kernels.list_legal(state, components, legal)
    kernels.play_action(state, components, chance, int(legal[0]), legal)
    kernels.write_observation(state, components, 0, np.zeros(OBSERVATION_SIZE, np.int8))
    kernels.write_results(state, components, np.zeros(MAX_PLAYERS, np.int16), np.zeros(MAX_PLAYERS, np.int8))
    kernels.random_game(state, components, chance, 0, legal)
    kernels.random_games(components, 0, 1, 2, False, 1)
    states, lanes = np.zeros((1, STATE_SIZE), np.uint8), np.zeros((1, LANE_SIZE), np.uint8)
    record = lanes.view(LANE_DTYPE)[0, 0]
    record.num_players, record.max_rounds, record.restart = 2, 1, 1
    shown = (np.zeros((1, NUM_ACTIONS), np.int16), np.zeros((1, NUM_ACTIONS), np.int8))
    seen = np.zeros((1, OBSERVATION_SIZE), np.int8)
    selected = np.zeros(1, np.int64)
    kernels.begin_lanes(states, lanes, components, *shown, seen, selected, 0, 1)
    kernels.refresh_lanes(states, lanes, components, *shown, seen, selected, 0, 1)
    actions = np.zeros(1, np.int32)
    weights = load_weights()
    choose_greedy(states, lanes, components, weights, 0, shown[0], selected, actions)
    choose_greedy_one(states[0], components, weights, 0, shown[0][0], 1)
    name, settings = name_search(state, 0), np.zeros(SETTINGS_SIZE)
    grow_tree(state, components, weights, settings, name, 0, 1, np.zeros(NODE_SIZE, np.uint8), 1)
    value_actions(state, components, weights, settings, name, 1, legal, 1, np.zeros((1, MAX_PLAYERS)))
    win_shares(state, components, weights, np.zeros(MAX_PLAYERS))
    warm_up_guided(states, components)
    write_luck(states, lanes, components, weights, 1, shown[0], selected, actions, np.zeros((1, MAX_PLAYERS)))
    features = np.zeros((1, MAX_PLAYERS, VALUES_OF_A_PHASE))
    phases = np.zeros((1, MAX_PLAYERS), np.int64)
    describe_lanes(states, lanes, components, weights, 0, shown[0], selected, features, phases)
    kernels.choose_random(lanes, shown[0], 0, selected, actions)
    kernels.first_illegal(lanes, actions, shown[1], selected)
    kernels.step_lanes(states, lanes, components, actions, *shown, seen, selected, 0, 1)


def warm_up_guided(states: NDArray[np.uint8], components: NDArray[np.uint8]) -> None:
    """One simulation of a guided search, of one state that is not over."""
    settings = np.array([1.0, 2.0, 1.0, 0.0])
    roots, trees = np.zeros((1, guided.ROOT_SIZE), np.uint8), np.zeros((1, 2 * guided.NODE_SIZE), np.uint8)
    search = (states, components, settings, roots, trees, np.zeros((1, 2, NUM_ACTIONS), np.float32))
    leaves, seen = np.zeros((1, guided.LEAF_SIZE), np.int32), np.zeros((1, OBSERVATION_SIZE), np.int8)
    guided.begin(*search[:3], 0, roots, trees, leaves, seen)
    evaluation = np.zeros((1, NUM_ACTIONS), np.float32), np.zeros((1, 1), np.float32)
    guided.back_up(*search, leaves, 1, *evaluation)
    guided.descend(*search, leaves, seen)
    counts, actions = np.zeros(1, np.int64), np.zeros((1, NUM_ACTIONS), np.int64)
    values, scores = np.zeros((1, NUM_ACTIONS + 1, MAX_PLAYERS)), np.zeros((1, NUM_ACTIONS))
    guided.read_roots(*search, counts, actions, actions.copy(), values, scores, scores.copy())
