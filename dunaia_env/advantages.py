"""What the decisions of each seat were worth: the step of self-play that single-agent code gets wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def seat_advantages(
    values: NDArray[np.float32],
    rewards: NDArray[np.float32],
    terminations: NDArray[np.bool_],
    seats: NDArray[np.integer[Any]],
    next_values: NDArray[np.float32],
    next_seats: NDArray[np.integer[Any]],
    discount: float,
    gae_lambda: float,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Generalised advantages along each seat's own chain of decisions.

    A transition of a seat begins with its decision and ends when the same seat decides again or the game ends. It
    carries the rewards that the seat got in between, whoever acted. A seat that has decided but not again when the
    rollout ends has an *open* transition: nothing is known yet of what came of it, and the value of a position in which
    another seat decides is not this seat's to use. It is reported as not finished, to be carried into the next rollout
    or left out; the decisions before it in its chain rest on its own value estimate, which is sound.

    The estimator is that of Schulman et al., "High-dimensional continuous control using generalized advantage
    estimation", 2016, along each chain.

    Args (T rows in time order, N lanes, S seats):
        values: ``(T, N)``, the deciding seat's estimate.
        rewards: ``(T, N, S)``, what each seat got from the decision of that row.
        terminations: ``(T, N)``, whether that decision ended the lane's game; the next row is then another game.
        seats: ``(T, N)``, who decided; -1 for a row that is empty.
        next_values, next_seats: ``(N,)``, estimate and seat of the decision that follows the last row.
        discount: per decision of the same seat.
        gae_lambda: 0..1.

    Returns:
        advantages float32 ``(T, N)``, zero where not finished, and finished bool ``(T, N)``.
    """
    rows, lanes, num_seats = rewards.shape
    advantages = np.zeros((rows, lanes), np.float32)
    finished = np.zeros((rows, lanes), np.bool_)
    for lane in range(lanes):
        # Of each seat's next decision, seen from the row at hand: is it known, its estimate, its advantage.
        known = np.zeros(num_seats, np.bool_)
        next_value = np.zeros(num_seats, np.float64)
        next_advantage = np.zeros(num_seats, np.float64)
        gained = np.zeros(num_seats, np.float64)
        if next_seats[lane] >= 0:
            known[next_seats[lane]] = True
            next_value[next_seats[lane]] = next_values[lane]
        for row in range(rows - 1, -1, -1):
            if terminations[row, lane]:
                known[:] = True
                next_value[:] = 0.0
                next_advantage[:] = 0.0
                gained[:] = 0.0
            for seat in range(num_seats):
                gained[seat] += rewards[row, lane, seat]
            seat = seats[row, lane]
            if seat < 0:
                continue
            if known[seat]:
                surprise = gained[seat] + discount * next_value[seat] - values[row, lane]
                next_advantage[seat] = surprise + discount * gae_lambda * next_advantage[seat]
                advantages[row, lane] = next_advantage[seat]
                finished[row, lane] = True
            known[seat] = True
            next_value[seat] = values[row, lane]
            gained[seat] = 0.0
    return advantages, finished
