"""The policy over the legal actions, as the loss needs it."""

from __future__ import annotations

import torch
from torch import Tensor


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
