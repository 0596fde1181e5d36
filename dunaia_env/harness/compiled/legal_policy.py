"""A policy head that computes the logits of legal actions only, with their softmax; forward and backward.

The legal actions of all rows are one list of *entries*: those of row b are ``ends[b - 1] <= k < ends[b]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dunaia_env.support.compile_cache import any_order_kernel, kernel

# Log-probabilities are clamped so far below the highest one: smaller exponentials underflow, which is very slow.
LOWEST = np.float32(-80)


@kernel
def list_legal_actions(action_masks: Any, actions: Any, cells: Any, ends: Any, legal: Any, chosen: Any) -> None:
    """List the legal actions of some cells of a rollout, in the order of these cells.

    Args (B rows, A actions):
        action_masks: int8 ``(cells of the rollout, A)``, 1 for a legal action.
        actions: int ``(cells of the rollout,)``, the chosen actions.
        cells: int64 ``(B,)``.
        ends: int64 ``(B,)``; the end of each row's entries is written here.
        legal: int16 ``(at least the number of entries,)``; the legal actions are written here.
        chosen: int64 ``(B,)``; the entry of the chosen action is written here.
    """
    place = 0
    for row in range(len(cells)):
        mask, action_chosen = action_masks[cells[row]], actions[cells[row]]
        for action in range(len(mask)):
            # Without a branch, which the processor could not predict.
            legal[place] = action
            if action == action_chosen:
                chosen[row] = place
            place += mask[action] != 0
        ends[row] = place


@any_order_kernel
def forward_legal(
    hidden: Any, weights: Any, bias: Any, ends: Any, legal: Any, logprobs: Any, first_row: int, last_row: int
) -> None:
    """Write the log-probability of each legal action.

    Args (B rows, A actions):
        hidden: float32 ``(B, units)``, the inputs of the head.
        weights, bias: float32 ``(A, units)`` and ``(A,)``.
        ends, legal: see `list_legal_actions`.
        logprobs: float32 ``(number of entries,)``; the log-probabilities are written here.
        first_row, last_row: the rows to do are ``first_row <= row < last_row``.
    """
    for row in range(first_row, last_row):
        begin, end = ends[row - 1] if row else 0, ends[row]
        x = hidden[row]
        top = -np.float32(np.inf)
        for k in range(begin, end):
            weight, logit = weights[legal[k]], bias[legal[k]]
            for unit in range(len(x)):
                logit += x[unit] * weight[unit]
            logprobs[k] = logit
            top = max(top, logit)
        total = np.float32(0)
        for k in range(begin, end):
            logprobs[k] = max(logprobs[k] - top, LOWEST)
            total += np.exp(logprobs[k])
        shift = np.log(total)
        for k in range(begin, end):
            logprobs[k] -= shift


@any_order_kernel
def backward_legal(
    hidden: Any,
    weights: Any,
    ends: Any,
    legal: Any,
    logprobs: Any,
    gradients: Any,
    hidden_gradients: Any,
    weight_gradients: Any,
    bias_gradients: Any,
    first_row: int,
    last_row: int,
) -> None:
    """Write and add the gradients that follow from those of the log-probabilities.

    Args (B rows, A actions):
        hidden, weights, ends, legal, logprobs, first_row, last_row: see `forward_legal`.
        gradients: float32, shape of ``logprobs``: their gradients.
        hidden_gradients: float32 ``(B, units)``; the gradients of ``hidden`` are written here.
        weight_gradients, bias_gradients: float32 ``(A, units)`` and ``(A,)``; the gradients are added here.
    """
    units = hidden.shape[1]
    for row in range(first_row, last_row):
        begin, end = ends[row - 1] if row else 0, ends[row]
        total = np.float32(0)
        for k in range(begin, end):
            total += gradients[k]
        x, out = hidden[row], hidden_gradients[row]
        out[:] = 0
        for k in range(begin, end):
            action = legal[k]
            gradient = gradients[k] - np.exp(logprobs[k]) * total
            weight, of_weight = weights[action], weight_gradients[action]
            bias_gradients[action] += gradient
            for unit in range(units):
                out[unit] += gradient * weight[unit]
                of_weight[unit] += gradient * x[unit]
