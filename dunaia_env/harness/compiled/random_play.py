"""Whole games of uniformly random decisions: the speed of the rules alone."""

from __future__ import annotations

import numpy as np

from dunaia_env.harness.compiled import entry_points, lane
from dunaia_env.harness.compiled.chance import RANDOM_PLAY, SEED, game_seed, random_below
from dunaia_env.support.compile_cache import kernel


@kernel
def random_game(game, state, components, chance, seed, legal):
    """Play a game to its end with uniformly random decisions; returns their number."""
    count = entry_points.list_legal(game, state, components, legal)
    decisions = 0
    while count > 0:
        choice = random_below(seed, RANDOM_PLAY, decisions, 0, count)
        count = entry_points.play(game, state, components, chance, int(legal[choice]), legal)
        decisions += 1
    return decisions


@kernel
def random_games(game, components, seed, games, options):
    """Play games with random decisions from set-up to end, without observations; returns the number of decisions."""
    state = np.zeros(game[entry_points.STATE_SIZE], np.uint8)
    legal = np.zeros(game[entry_points.NUM_ACTIONS], np.int16)
    chance = lane.new_stream()
    decisions = 0
    for number in range(games):
        chance[SEED] = game_seed(seed, 0, number)
        entry_points.begin(game, state, components, chance, options, legal)
        decisions += random_game(game, state, components, chance, chance[SEED], legal)
    return decisions
