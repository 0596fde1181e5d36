"""Luck: what the dice and tiles that an action brings are worth to each player, against what they could have been."""

from __future__ import annotations

import numpy as np
from numba import njit

from dunaia_env.chance import CHANCE_SIZE, COUNT, MODE, NEEDED, RECORDED_STREAM, SEARCH_PLAY, SEED, STREAM, random_words
from dunaia_env.dunaia.actions import NUM_ACTIONS
from dunaia_env.dunaia.components import COMPONENTS_DTYPE
from dunaia_env.dunaia.evaluation import write_win_shares
from dunaia_env.dunaia.rules.play import play
from dunaia_env.dunaia.state import MAX_PLAYERS, STATE_DTYPE, STATE_SIZE
from dunaia_env.lane import LANE_DTYPE

# Keeps the outcomes that are imagined here apart from those of a search.
_IMAGINED = 1


@njit(cache=True, nogil=True)
def write_luck(states, lanes, components, weights, samples, legal_of_lanes, selected, actions, luck):
    """Write the luck of ``actions[k]`` in the lane ``selected[k]`` into ``luck[k]`` (float64, an entry a seat).

    Luck is the win shares after the action as it will come out, less their mean over ``samples`` other outcomes drawn
    from the same distribution; zero for an action without chance. The true outcome and the others are exchangeable, so
    the luck of any play has mean zero, however good or bad the evaluation is.
    """
    t = components.view(COMPONENTS_DTYPE)[0]
    position = np.empty(STATE_SIZE, np.uint8)
    legal = np.empty(NUM_ACTIONS, np.int16)
    shares = np.zeros(MAX_PLAYERS, np.float64)
    chance = np.zeros(CHANCE_SIZE, np.int64)
    s = position.view(STATE_DTYPE)[0]
    for k in range(selected.shape[0]):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        luck[k, :] = 0.0
        position[:] = states[i]
        chance[MODE] = RECORDED_STREAM
        chance[COUNT] = 0
        chance[NEEDED] = 0
        chance[SEED] = lane.seed
        play(s, t, chance, int(actions[k]), legal)
        if chance[COUNT] == 0:
            continue
        players = int(s.num_players)
        write_win_shares(s, t, weights, shares)
        luck[k, :players] += shares[:players]
        chance[MODE] = STREAM
        for sample in range(samples):
            high, low = random_words(lane.seed, SEARCH_PLAY, int(lane.decisions) * samples + sample, _IMAGINED)
            chance[SEED] = (high << 20) ^ low
            position[:] = states[i]
            play(s, t, chance, int(actions[k]), legal)
            write_win_shares(s, t, weights, shares)
            luck[k, :players] -= shares[:players] / samples
