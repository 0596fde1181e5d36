"""Compile every kernel by using it once."""

from __future__ import annotations

from collections.abc import Callable

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
from dunaia_env.lane import LANE_DTYPE, LANE_SIZE, SCORE_TYPE, choose_random, first_illegal, first_misplaced


def warm_up_calls() -> list[Callable[[], object]]:
    """Calls that play a few decisions through each kernel in turn, with the argument types of the layers above."""
    components = load().buffer
    state = np.zeros(STATE_SIZE, np.uint8)
    legal = np.zeros(NUM_ACTIONS, np.int16)
    chance = np.zeros(CHANCE_SIZE, np.int64)
    chance[SEED] = int(game_seed(0, 0, 0))
    scores, ranks = np.zeros(MAX_PLAYERS, SCORE_TYPE), np.zeros(MAX_PLAYERS, np.int8)
    states, lanes = np.zeros((1, STATE_SIZE), np.uint8), np.zeros((1, LANE_SIZE), np.uint8)
    record = lanes.view(LANE_DTYPE)[0, 0]
    record.num_players, record.max_rounds, record.restart = 2, 1, 1
    legals, masks = np.zeros((1, NUM_ACTIONS), np.int16), np.zeros((1, NUM_ACTIONS), np.int8)
    seen = np.zeros((1, OBSERVATION_SIZE), np.int8)
    selected, actions = np.zeros(1, np.int64), np.zeros(1, np.int32)
    games = states, lanes, components
    shown = legals, masks, seen, selected, 0, 1
    weights, settings = load_weights(), np.zeros(SETTINGS_SIZE)
    name, tree = name_search(state, 0), np.zeros(NODE_SIZE, np.uint8)
    values = np.zeros((1, MAX_PLAYERS))
    features = np.zeros((1, MAX_PLAYERS, VALUES_OF_A_PHASE))
    phases = np.zeros((1, MAX_PLAYERS), np.int64)
    return [
        lambda: kernels.begin_game(state, components, chance, 2, True, 1, legal),
        lambda: kernels.list_legal(state, components, legal),
        lambda: kernels.play_action(state, components, chance, int(legal[0]), legal),
        lambda: kernels.write_observation(state, components, 0, seen[0]),
        lambda: kernels.write_results(state, components, scores, ranks),
        lambda: kernels.random_game(state, components, chance, 0, legal),
        lambda: kernels.random_games(components, 0, 1, 2, False, 1),
        lambda: kernels.begin_lanes(*games, *shown),
        lambda: kernels.refresh_lanes(*games, *shown),
        lambda: choose_greedy(*games, weights, 0, legals, selected, actions),
        lambda: choose_greedy_one(states[0], components, weights, 0, legals[0], 1),
        lambda: grow_tree(state, components, weights, settings, name, 0, 1, tree, 1),
        lambda: value_actions(state, components, weights, settings, name, 1, legal, 1, values),
        lambda: win_shares(state, components, weights, values[0]),
        *guided_calls(states, components),
        lambda: write_luck(*games, weights, 1, legals, selected, actions, values),
        lambda: describe_lanes(*games, weights, 0, legals, selected, features, phases),
        lambda: choose_random(lanes, legals, 0, selected, actions),
        lambda: first_illegal(lanes, actions, legals, selected),
        lambda: first_misplaced(selected, np.zeros(1, np.bool_)),
        lambda: kernels.step_lanes(*games, actions, *shown),
    ]


def guided_calls(states: NDArray[np.uint8], components: NDArray[np.uint8]) -> list[Callable[[], object]]:
    """The calls of one simulation of a guided search, of one state that is not over."""
    settings = np.array([1.0, 2.0, 1.0, 0.0])
    roots, trees = np.zeros((1, guided.ROOT_SIZE), np.uint8), np.zeros((1, 2 * guided.NODE_SIZE), np.uint8)
    search = (states, components, settings, roots, trees, np.zeros((1, 2, NUM_ACTIONS), np.float32))
    leaves, seen = np.zeros((1, guided.LEAF_SIZE), np.int32), np.zeros((1, OBSERVATION_SIZE), np.int8)
    evaluation = np.zeros((1, NUM_ACTIONS), np.float32), np.zeros((1, 1), np.float32)
    counts, actions = np.zeros(1, np.int64), np.zeros((1, NUM_ACTIONS), np.int64)
    values, scores = np.zeros((1, NUM_ACTIONS + 1, MAX_PLAYERS)), np.zeros((1, NUM_ACTIONS))
    return [
        lambda: guided.begin(*search[:3], 0, roots, trees, leaves, seen),
        lambda: guided.back_up(*search, leaves, 1, *evaluation),
        lambda: guided.descend(*search, leaves, seen),
        lambda: guided.read_roots(*search, counts, actions, actions.copy(), values, scores, scores.copy()),
    ]
