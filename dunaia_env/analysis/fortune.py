"""Luck: what the outcomes of chance were worth, compared with all outcomes that were possible.

An outcome shows its effect only when it is used. So the adviser plays on for some turns, for all seats and with the
same draws, after the actual outcome and after the other outcomes. It then estimates the positions that are reached.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dunaia_env.analysis.advisers import Adviser
from dunaia_env.analysis.outcomes import outcomes, sample_seed
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.state import GameState

Floats = NDArray[np.float64]

# Number of turns that are played on, and how often they are repeated with other draws; docs/results/table.md has the
# measurements.
TURNS, CONTINUATIONS = 4, 2
# Largest number of outcomes that are listed; if there are more, this many are sampled.
OUTCOMES = 12
# Keeps the draws of the turns that are played on apart from those of sampled outcomes.
_FIRST_LATER = 1 << 20


def luck_of(adviser: Adviser, states: Sequence[GameState], chosen: Sequence[int]) -> Floats:
    """The luck of each seat in the chance outcomes after each action.

    Luck is the value of the actual outcome minus the mean over all outcomes, or over samples that are independent of
    it. It is 0 for an action that draws nothing, sums to 0 over the seats, and has mean 0 however good or bad the
    adviser is.

    Args:
        adviser: the adviser that plays on and estimates positions.
        states: the states in which the actions were chosen, in order, and the state after the last action.
        chosen: the actions.

    Returns:
        float64 ``(len(chosen), players)``, in win probability.
    """
    begun: list[GameState] = []
    later: list[int] = []
    rows: list[int] = []
    weights: list[float] = []
    for row, action in enumerate(chosen):
        possible = outcomes(states[row], action, most=OUTCOMES, samples=OUTCOMES)
        if len(possible) < 2:
            continue
        compared = [(states[row + 1], 1.0), *((outcome.state, -outcome.probability) for outcome in possible)]
        for number in range(CONTINUATIONS):
            begun += [state.clone() for state, _ in compared]
            weights += [weight / CONTINUATIONS for _, weight in compared]
            later += [sample_seed(states[row], _FIRST_LATER + number)] * len(compared)
            rows += [row] * len(compared)
    luck = np.zeros((len(chosen), states[0].num_players))
    if begun:
        _play_on(adviser, begun, [Stream(seed) for seed in later])
        np.add.at(luck, rows, adviser.shares(begun) * np.array(weights)[:, None])
    return luck


def _play_on(adviser: Adviser, states: Sequence[GameState], chances: Sequence[Stream]) -> None:
    """Let the adviser play `TURNS` turns in each state, or to the end of its game, with the draws of that state."""
    left = [TURNS] * len(states)
    while playing := [index for index, state in enumerate(states) if left[index] > 0 and not state.is_over]:
        actions = adviser.choose([states[index] for index in playing])
        for index, action in zip(playing, actions, strict=True):
            seat = states[index].seat
            states[index].apply_legal(action, chances[index])
            left[index] -= states[index].seat != seat
