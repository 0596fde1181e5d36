"""Luck: the value of the outcomes of chance after an action, minus the mean value of other possible outcomes."""

from __future__ import annotations

import numpy as np

from dunaia_env.harness.compiled import entry_points, greedy
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
from dunaia_env.harness.compiled.entry_points import MOST_SEATS
from dunaia_env.harness.compiled.lane import LANE_DTYPE
from dunaia_env.support.compile_cache import kernel

# Number of outcomes that are drawn besides the true one. Their mean adds a quarter of the variance of one outcome.
SAMPLES = 4
# Parts of the keys of chance. They keep the outcomes that are drawn here, and the draws after them, apart from those of
# a search.
_IMAGINED, _LATER = 1, 2


@kernel
def write_luck(game, states, lanes, components, weights, turns, legal_of_lanes, selected, actions, luck):
    """Write the luck of ``actions[k]`` in the lane ``selected[k]`` into ``luck[k]`` (float64, one entry per seat).

    The value of an outcome is the players' win shares ``turns`` turns of greedy play later, when its effect shows.
    Chance in these turns is the same for all outcomes and independent of chance in the game. Luck is the value of the
    true outcome minus the mean value of `SAMPLES` other outcomes drawn from the same distribution. It is zero for an
    action without chance. The true outcome and the others are exchangeable, so luck has mean zero under any play,
    however good or bad the evaluation is.
    """
    position = np.empty(game[entry_points.STATE_SIZE], np.uint8)
    trial = np.empty(game[entry_points.STATE_SIZE], np.uint8)
    legal = np.empty(game[entry_points.NUM_ACTIONS], np.int16)
    trial_legal = np.empty(game[entry_points.NUM_ACTIONS], np.int16)
    shares = np.zeros(MOST_SEATS, np.float64)
    chance = np.zeros(CHANCE_SIZE, np.int64)
    for k in range(selected.shape[0]):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        own = components[lane.components_row]
        luck[k, :] = 0.0
        later = hashed_seed(lane.seed, SEARCH_PLAY, int(lane.decisions), _LATER)
        for sample in range(SAMPLES + 1):
            # The first sample is the true outcome. It shows whether the action draws anything.
            true = sample == 0
            chance[MODE] = RECORDED_STREAM if true else STREAM
            chance[COUNT] = 0
            chance[NEEDED] = 0
            chance[SEED] = lane.seed
            if not true:
                chance[SEED] = hashed_seed(lane.seed, SEARCH_PLAY, int(lane.decisions) * SAMPLES + sample, _IMAGINED)
            entry_points.copy_state(position, states[i])
            count = entry_points.play(game, position, own, chance, int(actions[k]), legal)
            if true and chance[COUNT] == 0:
                break
            chance[MODE] = STREAM
            chance[SEED] = later
            play_turns(game, position, own, weights, chance, legal, count, trial, trial_legal, turns)
            entry_points.write_shares(game, position, own, weights, shares)
            for seat in range(entry_points.players_of(game, position)):
                luck[k, seat] += shares[seat] if true else -shares[seat] / SAMPLES


@kernel
def play_turns(game, position, components, weights, chance, legal, count, trial, trial_legal, turns):
    """Let greedy players continue until ``turns`` turns have ended or the game is over."""
    seat = entry_points.seat_of(game, position)
    while count > 0 and turns > 0:
        # Not the seed of these turns, with which greedy would know their draws in advance.
        action = greedy.best_action(
            game, position, components, weights, chance[SEED] ^ 1, legal, count, trial, trial_legal
        )
        count = entry_points.play(game, position, components, chance, action, legal)
        if entry_points.seat_of(game, position) != seat:
            seat = entry_points.seat_of(game, position)
            turns -= 1
