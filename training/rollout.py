"""A rollout: what happened in the lanes, and what each seat's decisions were worth. NumPy and numba, no torch."""

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
    (see `Rollout.carry`); the decisions before it in its chain rest on its own value estimate, which is sound.

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


@njit(cache=True, nogil=True)
def sample_actions(
    logits: NDArray[np.float32],
    masks: NDArray[np.int8],
    uniforms: NDArray[np.float32],
    actions: NDArray[np.int32],
    log_probabilities: NDArray[np.float32],
) -> None:
    """Draw a legal action for each row from the masked softmax; writes actions and log-probabilities, both ``(N,)``."""
    for row in range(len(actions)):
        top = -np.inf
        for action in range(masks.shape[1]):
            if masks[row, action] and logits[row, action] > top:
                top = logits[row, action]
        total = 0.0
        for action in range(masks.shape[1]):
            if masks[row, action]:
                total += np.exp(logits[row, action] - top)
        left = uniforms[row] * total
        for action in range(masks.shape[1]):
            if masks[row, action]:
                actions[row] = action
                left -= np.exp(logits[row, action] - top)
                if left < 0.0:
                    break
        log_probabilities[row] = logits[row, actions[row]] - top - np.log(total)


class Rollout:
    """What happened in the lanes, one row per decision.

    The first S rows are kept for the transitions that the rollout before left open, row s for those of seat s. As
    advantages follow each seat's own chain, the order among these rows does not matter, and nothing else in the code
    has to know about them: every decision is learned from in the rollout in which its outcome becomes known.
    """

    def __init__(self, steps: int, lanes: int, input_size: int, num_actions: int, seats: int) -> None:
        shape = (seats + steps, lanes)
        self.head = seats
        self.observations = np.zeros((*shape, input_size), np.int8)
        self.masks = np.zeros((*shape, num_actions), np.int8)
        self.actions = np.zeros(shape, np.int32)
        self.log_probabilities = np.zeros(shape, np.float32)
        self.values = np.zeros(shape, np.float32)
        self.seats = np.full(shape, -1, np.int8)
        self.rewards = np.zeros((*shape, seats), np.float32)
        self.terminations = np.zeros(shape, np.bool_)

    def _decided(self) -> dict[str, NDArray[Any]]:
        """The arrays that describe a decision, by name."""
        names = ("observations", "masks", "actions", "log_probabilities", "values", "seats")
        return {name: getattr(self, name) for name in names}

    def carry(self, finished: NDArray[np.bool_]) -> None:
        """Move the open transitions to the head. They have earned nothing yet: rewards fall at the end of a game."""
        rows, lanes = np.nonzero(~finished & (self.seats >= 0))
        seats = self.seats[rows, lanes]
        for array in self._decided().values():
            moved = array[rows, lanes]
            if array is self.seats:
                array[: self.head] = -1
            array[seats, lanes] = moved

    def carried(self) -> dict[str, NDArray[Any]]:
        """The open transitions, to be saved."""
        return {name: array[: self.head] for name, array in self._decided().items()}

    def restore(self, carried: dict[str, NDArray[Any]]) -> None:
        """The inverse of `carried`."""
        for name, array in self._decided().items():
            array[: self.head] = carried[name]
