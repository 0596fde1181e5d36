"""Luck: what the outcomes that an action brings are worth to each player, against what they could have been."""

from __future__ import annotations

import numpy as np

from dunaia_env.harness.compiled.chance import (
    CHANCE_SIZE,
    COUNT,
    MODE,
    NEEDED,
    RECORDED_STREAM,
    SEARCH_PLAY,
    SEED,
    STREAM,
    hashed_seed,
)
from dunaia_env.harness.compiled.entry_points import (
    MOST_SEATS,
    NUM_ACTIONS,
    STATE_SIZE,
    play,
    players_of,
    seat_of,
    write_shares,
)
from dunaia_env.harness.compiled.greedy import best_action
from dunaia_env.harness.compiled.lane import LANE_DTYPE
from dunaia_env.support.compile_cache import kernel

# Imagined outcomes beside the true one: their mean adds a quarter of the variance of one outcome.
SAMPLES = 4
# Keep the outcomes that are imagined here, and what comes after them, apart from those of a search.
_IMAGINED, _LATER = 1, 2


@kernel
def write_luck(game, states, lanes, components, weights, turns, legal_of_lanes, selected, actions, luck):
    """Write the luck of ``actions[k]`` in the lane ``selected[k]`` into ``luck[k]`` (float64, an entry a seat).

    An outcome is worth the win shares after so many turns more of greedy players, in which it can show; chance in
    these turns is the same for all outcomes and none of the game's. Luck is the worth of what will come
    out, less its mean over `SAMPLES` other outcomes drawn from the same distribution; zero for an action without
    chance. The true outcome and the others are exchangeable, so the luck of any play has mean zero, however good or bad
    the evaluation is.
    """
    position = np.empty(game[STATE_SIZE], np.uint8)
    trial = np.empty(game[STATE_SIZE], np.uint8)
    legal = np.empty(game[NUM_ACTIONS], np.int16)
    trial_legal = np.empty(game[NUM_ACTIONS], np.int16)
    shares = np.zeros(MOST_SEATS, np.float64)
    chance = np.zeros(CHANCE_SIZE, np.int64)
    for k in range(selected.shape[0]):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        luck[k, :] = 0.0
        later = hashed_seed(lane.seed, SEARCH_PLAY, int(lane.decisions), _LATER)
        for sample in range(SAMPLES + 1):
            # The first is what will come out; it says whether there is any chance.
            true = sample == 0
            chance[MODE] = RECORDED_STREAM if true else STREAM
            chance[COUNT] = 0
            chance[NEEDED] = 0
            chance[SEED] = lane.seed
            if not true:
                chance[SEED] = hashed_seed(lane.seed, SEARCH_PLAY, int(lane.decisions) * SAMPLES + sample, _IMAGINED)
            position[:] = states[i]
            count = play(game, position, components, chance, int(actions[k]), legal)
            if true and chance[COUNT] == 0:
                break
            chance[MODE] = STREAM
            chance[SEED] = later
            play_turns(game, position, components, weights, chance, legal, count, trial, trial_legal, turns)
            write_shares(game, position, components, weights, shares)
            for seat in range(players_of(game, position)):
                luck[k, seat] += shares[seat] if true else -shares[seat] / SAMPLES


@kernel
def play_turns(game, position, components, weights, chance, legal, count, trial, trial_legal, turns):
    """Let greedy players play on until so many turns have ended, or the game."""
    seat = seat_of(game, position)
    while count > 0 and turns > 0:
        # Not the seed of what comes, or they would see it.
        action = best_action(game, position, components, weights, chance[SEED] ^ 1, legal, count, trial, trial_legal)
        count = play(game, position, components, chance, action, legal)
        if seat_of(game, position) != seat:
            seat = seat_of(game, position)
            turns -= 1
