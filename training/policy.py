"""The policy over the legal actions, as the loss needs it, and the drawing of actions from it."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dunaia_env.support.compile_cache import kernel


def masked_policy(logits: Tensor, action_masks: Tensor) -> tuple[Tensor, Tensor]:
    """Log-probabilities and probabilities ``(B, actions)``; illegal actions have the probability 0.

    Logits are clamped at 80 below the highest one, because smaller exponentials underflow, which is very slow.
    """
    legal = action_masks != 0
    logits = torch.where(legal, logits, -1e9)
    logits = (logits - logits.detach().amax(dim=1, keepdim=True)).clamp(min=-80.0)
    weights = logits.exp() * legal
    total = weights.sum(dim=1, keepdim=True)
    return logits - total.log(), weights / total


class Policy:
    """The policy in B decisions.

    Args:
        logits: float32 ``(B, actions)``.
        action_masks: int8 ``(B, actions)``, 1 for a legal action.
        actions: int64 ``(B,)``, the chosen actions.

    Attributes:
        chosen_logprobs: float32 ``(B,)``, the log-probabilities of the chosen actions.
    """

    def __init__(self, logits: Tensor, action_masks: Tensor, actions: Tensor) -> None:
        self._logprobs, self._probabilities = masked_policy(logits, action_masks)
        self.chosen_logprobs = self._logprobs.gather(1, actions[:, None]).squeeze(1)

    def entropy(self, weights: Tensor) -> Tensor:
        """The sum of the policy's entropies, weighted by ``weights``, float32 ``(B,)``."""
        return -(self._probabilities * self._logprobs).sum(dim=1) @ weights

    def cross_entropy(self, targets: Tensor, weights: Tensor) -> Tensor:
        """The weighted sum of the cross-entropies from target policies, float32 ``(B, actions)``, to the policy."""
        return -(targets * self._logprobs).sum(dim=1) @ weights

    def divergence(self, logprobs: Tensor, weights: Tensor) -> Tensor:
        """The weighted sum of the divergences KL(policy || other) to other policies.

        Args:
            logprobs: float32 ``(B, actions)`` or ``(B, 1)``, log-probabilities of the other policies, finite also where
                an action is illegal.
            weights: float32 ``(B,)``.
        """
        return (self._probabilities * (self._logprobs - logprobs)).sum(dim=1) @ weights


@kernel
def sample_actions(
    logits: NDArray[np.float32],
    action_masks: NDArray[np.int8],
    uniforms: NDArray[np.float32],
    actions: NDArray[np.int32],
    logprobs: NDArray[np.float32],
    start: int,
    stop: int,
) -> None:
    """Draw a legal action for some of the rows from the softmax over the legal actions.

    Args:
        logits: float32 ``(N, actions)``.
        action_masks: int8 ``(N, actions)``, 1 for a legal action; at least one in each row.
        uniforms: float32 ``(N,)`` in [0, 1), one random number for each row.
        actions: int32 ``(N,)``; the actions are written here.
        logprobs: float32 ``(N,)``; their log-probabilities are written here.
        start: the first of the rows.
        stop: the number after the last of the rows.
    """
    legal = np.empty(action_masks.shape[1], np.int32)
    weights = np.empty(action_masks.shape[1])
    for row in range(start, stop):
        count, top = 0, -np.inf
        for action in range(action_masks.shape[1]):
            if action_masks[row, action]:
                legal[count] = action
                count += 1
                if logits[row, action] > top:
                    top = logits[row, action]
        total = 0.0
        for index in range(count):
            weights[index] = np.exp(logits[row, legal[index]] - top)
            total += weights[index]
        left = uniforms[row] * total
        for index in range(count):
            actions[row] = legal[index]
            left -= weights[index]
            if left < 0.0:
                break
        logprobs[row] = logits[row, actions[row]] - top - np.log(total)
