"""Imitation of a teacher's policy: the interface of teachers, and the loss by which a network imitates them.

The teacher is a search in `training.expert_iteration`, a trained model in `training.distillation` and an agent in
`training.agent_teacher`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class Imitation(ABC):
    """Writes a teacher's policies into a rollout.

    Attributes:
        weight: weight of the imitation loss.
    """

    weight: float

    @abstractmethod
    def begin_rollout(self, random: np.random.Generator) -> None:
        """Prepare for a rollout of the present network."""

    @abstractmethod
    def replace_actions(
        self,
        lanes: Any,
        seats: NDArray[np.int8],
        actions: NDArray[np.int32],
        teacher_policies: NDArray[np.float16],
        random: np.random.Generator,
    ) -> None:
        """Write the teacher's policies, and its actions if it decides in the learner's place.

        Args:
            lanes: the N games.
            seats: int8 ``(N,)``, the deciding seats; negative for decisions that are not learned from, nor taught.
            actions: int32 ``(N,)``, the learner's actions.
            teacher_policies: float16 ``(N, actions)``; zeros for decisions that are not taught.
            random: draws the lanes in which the teacher decides, if not all.
        """


def imitate(log_policy: Tensor, teacher_policies: Tensor, weights: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Cross-entropy and KL divergence from the teacher's policies to the network's, and the weights of untaught rows.

    Args:
        log_policy: float32 ``(N, actions)``, the network's log-probabilities.
        teacher_policies: float16 ``(N, actions)``, zeros in untaught rows; ``(N, 0)`` in a run without a teacher.
        weights: float32 ``(N,)``, the weights of the rows, 0 for padding.

    Returns:
        the weighted sums of both over the rows, scalars, and float32 ``(N,)``: ``weights``, but 0 in taught rows.
    """
    if not teacher_policies.shape[1]:
        zero = torch.zeros((), device=weights.device)
        return zero, zero, weights
    targets = teacher_policies.float()
    not_taught = weights * (1 - (targets.sum(dim=1) > 0).float())
    cross_entropy = -(targets * log_policy).sum(dim=1) @ weights
    with torch.no_grad():
        target_entropy = -torch.special.xlogy(targets, targets).sum(dim=1) @ weights
        divergence = cross_entropy - target_entropy
    return cross_entropy, divergence, not_taught
