"""A rollout: what happened in the lanes. NumPy and numba, no torch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dunaia_env.support.compile_cache import kernel

# What `dunaia_env.harness.compiled.advantages` returns.
Advantages = tuple[NDArray[np.float32], NDArray[np.bool_]]


@kernel
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


class Following(NamedTuple):
    """The decisions that follow a rollout's last row, which nobody has made yet.

    Attributes:
        values, scores: float32 ``(N, S)``, what the network expects, see `training.policy.Estimates`.
        seats: int8 ``(N,)``, whose they are; -1 for nobody who learns.
    """

    values: NDArray[np.float32]
    scores: NDArray[np.float32]
    seats: NDArray[np.int8]


class Rollout:
    """What happened in the lanes, one row per decision.

    The first S rows are kept for the transitions that the rollout before left open, row s for those of seat s. As
    advantages follow each seat's own chain, the order among these rows does not matter, and nothing else in the code
    has to know about them: every decision is learned from in the rollout in which its outcome becomes known.

    Attributes (T rows, N lanes, S seats):
        observations, masks, actions, log_probabilities: what was seen and chosen, and how likely the choice was.
        values, scores: ``(T, N, S)``, what the network expected for each seat from the deciding one on, see
            `training.policy.Estimates`.
        seats: ``(T, N)``, who decided; -1 for nobody whose decision is to be learned from.
        rewards, points: ``(T, N, S)``, what each seat got, and its final score where the decision ended a game.
        terminations: ``(T, N)``, whether it did.
        improved: float16 ``(T, N, actions)``, the policies that searches found, zeros where the network decided;
            without searches ``(T, N, 0)``.
    """

    def __init__(
        self, steps: int, lanes: int, input_size: int, num_actions: int, seats: int, *, searched: bool = False
    ) -> None:
        shape = (seats + steps, lanes)
        self.head = seats
        self.observations = np.zeros((*shape, input_size), np.int8)
        self.masks = np.zeros((*shape, num_actions), np.int8)
        self.actions = np.zeros(shape, np.int32)
        self.log_probabilities = np.zeros(shape, np.float32)
        self.values = np.zeros((*shape, seats), np.float32)
        self.scores = np.zeros((*shape, seats), np.float32)
        self.seats = np.full(shape, -1, np.int8)
        self.rewards = np.zeros((*shape, seats), np.float32)
        self.points = np.zeros((*shape, seats), np.float32)
        self.terminations = np.zeros(shape, np.bool_)
        self.improved = np.zeros((*shape, num_actions if searched else 0), np.float16)

    def _decided(self) -> dict[str, NDArray[Any]]:
        """The arrays that describe a decision, by name."""
        names = ("observations", "masks", "actions", "log_probabilities", "values", "scores", "seats", "improved")
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
        """The inverse of `carried`; a run may go on with or without searches."""
        for name, array in self._decided().items():
            if array[: self.head].shape == carried[name].shape:
                array[: self.head] = carried[name]
