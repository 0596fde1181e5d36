"""Policy distillation: a network learns to decide as a trained model does, in the positions of its own games.

A new network takes over in minutes what a model learned in hours (Rusu et al., "Policy distillation", 2016). The
student plays, so it is taught in the positions that it reaches itself (Ross, Gordon, Bagnell, "A reduction of imitation
learning and structured prediction to no-regret online learning", 2011). Values are learned from the games, as always.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from training.imitation import Imitation


class Distillation(Imitation):
    """Writes a teacher's policy for the learner's decisions in some of the lanes; the learner's actions do not change.

    Args:
        teacher: the teacher's network, on the CPU.
        inputs: number of inputs of the network.
        lanes: bool ``(N,)``, the lanes in which the teacher knows the component file.
        weight: weight of the imitation loss.
    """

    def __init__(self, teacher: nn.Module, inputs: int, lanes: NDArray[np.bool_], weight: float) -> None:
        self.weight = weight
        self._teacher = teacher.eval()
        self._inputs = inputs
        self._lanes = lanes

    def begin_rollout(self, random: np.random.Generator) -> None:
        """Do nothing: the teacher does not change."""

    def replace_actions(
        self,
        lanes: Any,
        seats: NDArray[np.int8],
        actions: NDArray[np.int32],
        teacher_policies: NDArray[np.float16],
        random: np.random.Generator,
    ) -> None:
        """Write the teacher's policies."""
        selected = np.flatnonzero(self._lanes & (seats >= 0))
        teacher_policies[:] = 0
        if len(selected):
            teacher_policies[selected] = self._policies(lanes, selected)

    @torch.no_grad()
    def _policies(self, lanes: Any, selected: NDArray[np.int64]) -> NDArray[np.float16]:
        observations = torch.from_numpy(lanes.observations[selected, : self._inputs])
        legal = torch.from_numpy(lanes.action_masks[selected] != 0)
        logits = self._teacher(observations).logits
        policies = torch.where(legal, logits, -torch.inf).softmax(dim=1)
        found: NDArray[np.float16] = policies.numpy().astype(np.float16)
        return found
