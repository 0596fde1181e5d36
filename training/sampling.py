"""Drawing actions from a masked policy, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.support.compile_cache import kernel


@kernel
def sample_actions(
    logits: NDArray[np.float32],
    action_masks: NDArray[np.int8],
    uniforms: NDArray[np.float32],
    actions: NDArray[np.int32],
    logprobs: NDArray[np.float32],
) -> None:
    """Draw a legal action for each row from the softmax over the legal actions.

    Args:
        logits: float32 ``(N, actions)``.
        action_masks: int8 ``(N, actions)``, 1 for a legal action; at least one in each row.
        uniforms: float32 ``(N,)`` in [0, 1), one random number for each row.
        actions: int32 ``(N,)``; the actions are written here.
        logprobs: float32 ``(N,)``; their log-probabilities are written here.
    """
    for row in range(len(actions)):
        top = -np.inf
        for action in range(action_masks.shape[1]):
            if action_masks[row, action] and logits[row, action] > top:
                top = logits[row, action]
        total = 0.0
        for action in range(action_masks.shape[1]):
            if action_masks[row, action]:
                total += np.exp(logits[row, action] - top)
        left = uniforms[row] * total
        for action in range(action_masks.shape[1]):
            if action_masks[row, action]:
                actions[row] = action
                left -= np.exp(logits[row, action] - top)
                if left < 0.0:
                    break
        logprobs[row] = logits[row, actions[row]] - top - np.log(total)
