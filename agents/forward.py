"""A network's forward pass row by row: each row's output is bit for bit the same, whatever batch the row is part of.

A BLAS library's matrix product rounds differently for batches of different sizes, and the last bit decides between two
actions of equal value. Here every sum is computed in the order of its terms, on every machine. Zeros are skipped: about
340 of the 2,064 entries of an observation are not zero, and about half of the entries of a hidden layer. A single
decision takes a quarter of the time of full matrix products, which read all weights; a large batch takes about the same
time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.support.compile_cache import any_order_kernel, kernel

Floats = NDArray[np.float32]


class Forward:
    """Computes the policy head and all outputs of the value head of a network; no row depends on the others.

    Args:
        layers: float32 matrix ``(inputs, outputs)`` and bias of each hidden layer, the policy head and the value head.
    """

    def __init__(self, layers: Sequence[tuple[Floats, Floats]]) -> None:
        self._sizes = np.array([len(layers[0][0]), *(len(bias) for _, bias in layers)], np.int64)
        self._weights = np.concatenate([part.ravel() for layer in layers for part in layer], dtype=np.float32)
        self._num_actions = int(self._sizes[-2])
        self._num_values = int(self._sizes[-1])

    def __call__(self, observations: NDArray[np.int8]) -> tuple[Floats, Floats]:
        """Policy logits ``(N, actions)`` and values ``(N, outputs)`` of observations ``(N, at least input_size)``."""
        logits = np.empty((len(observations), self._num_actions), np.float32)
        values = np.empty((len(observations), self._num_values), np.float32)
        compute_rows(observations, self._weights, self._sizes, logits, values)
        return logits, values


@kernel
def compute_rows(observations: Any, weights: Any, sizes: Any, logits: Any, values: Any) -> None:
    """Write the logits and the values of each observation.

    Args:
        observations: int8 ``(N, at least sizes[0])``.
        weights: float32, the matrix ``(inputs, outputs)`` and the bias of each hidden layer, the policy head and the
            value head, flattened.
        sizes: int64, the number of inputs and the number of outputs of each layer.
        logits: float32 ``(N, sizes[-2])``.
        values: float32 ``(N, sizes[-1])``.
    """
    widest = sizes.max()
    hidden = len(sizes) - 3
    x = np.empty(widest, np.float32)
    y = np.empty(widest, np.float32)
    indices = np.empty(widest, np.int64)
    for row in range(observations.shape[0]):
        for i in range(sizes[0]):
            x[i] = observations[row, i]
        count = compact_nonzero(x, sizes[0], indices)
        offset = 0
        for layer in range(hidden):
            out = y[: sizes[layer + 1]]
            offset = apply_layer(x, indices, count, weights, offset, sizes[layer], out)
            for i in range(len(out)):
                x[i] = max(out[i], np.float32(0))
            count = compact_nonzero(x, len(out), indices)
        offset = apply_layer(x, indices, count, weights, offset, sizes[hidden], logits[row])
        apply_layer(x, indices, count, weights, offset, sizes[hidden], values[row])


@any_order_kernel
def estimate_rows(
    sums: Any,
    seats: Any,
    action_masks: Any,
    weights: Any,
    sizes: Any,
    policy_weights: Any,
    policy_bias: Any,
    logits: Any,
    heads: Any,
    first_row: int,
    last_row: int,
) -> None:
    """Write the logits of legal actions and the outputs of the other heads, from sums of the first layer.

    Args (N rows, S seats):
        sums: float32 ``(N, S, units)``, the first layer's output of each seat before its activation
            (`dunaia_env.harness.compiled.differences.update_sums`).
        seats: int8 ``(N,)``, the deciding seats; rows with a negative seat are skipped.
        action_masks: int8 ``(N, actions)``, 1 for a legal action.
        weights: float32, the matrix ``(inputs, outputs)`` and the bias of each further hidden layer and of the other
            heads, flattened.
        sizes: int64, the units of the first layer and the number of outputs of each of these layers.
        policy_weights, policy_bias: float32 ``(actions, inputs)`` and ``(actions,)``.
        logits: float32 ``(N, actions)``; those of illegal actions are left as they are.
        heads: float32 ``(N, sizes[-1])``.
        first_row, last_row: the rows to do are ``first_row <= row < last_row``.
    """
    widest = sizes.max()
    hidden = len(sizes) - 2
    x = np.empty(widest, np.float32)
    y = np.empty(widest, np.float32)
    indices = np.empty(widest, np.int64)
    for row in range(first_row, last_row):
        seat = seats[row]
        if seat < 0:
            continue
        total = sums[row, seat]
        for i in range(len(total)):
            x[i] = max(total[i], np.float32(0))
        last = len(total)
        count = 0
        offset = 0
        for layer in range(hidden):
            count = compact_nonzero(x, last, indices)
            last = sizes[layer + 1]
            out = y[:last]
            offset = apply_layer(x, indices, count, weights, offset, sizes[layer], out)
            for i in range(last):
                x[i] = max(out[i], np.float32(0))
        reached = x[:last]
        for action in range(action_masks.shape[1]):
            if action_masks[row, action]:
                weight, logit = policy_weights[action], policy_bias[action]
                for unit in range(last):
                    logit += reached[unit] * weight[unit]
                logits[row, action] = logit
        count = compact_nonzero(x, last, indices)
        apply_layer(x, indices, count, weights, offset, last, heads[row])


@kernel
def compact_nonzero(x: Any, size: Any, indices: Any) -> Any:
    """Move the nonzero numbers of ``x[:size]`` to its front, write their former indices, and return their count."""
    count = 0
    for i in range(size):
        x[count] = x[i]
        indices[count] = i
        # Without a branch, which the processor could not predict.
        count += int(x[i] != 0)
    return count


@kernel
def apply_layer(x: Any, indices: Any, count: Any, weights: Any, offset: Any, inputs: Any, out: Any) -> Any:
    """Write a layer's outputs for the inputs ``x[:count]`` with some indices; all other inputs are zero.

    The layer's weights begin at ``weights[offset]``; returns the offset of the next layer.
    """
    outputs = len(out)
    bias = offset + inputs * outputs
    matrix = weights[offset:bias].reshape((inputs, outputs))
    out[:] = weights[bias : bias + outputs]
    k = 0
    # Eight terms at a time, added in order, so that the sums are read and written less often.
    while k + 8 <= count:
        a, b, c, d = x[k], x[k + 1], x[k + 2], x[k + 3]
        e, f, g, h = x[k + 4], x[k + 5], x[k + 6], x[k + 7]
        row_a, row_b, row_c, row_d = indices[k], indices[k + 1], indices[k + 2], indices[k + 3]
        row_e, row_f, row_g, row_h = indices[k + 4], indices[k + 5], indices[k + 6], indices[k + 7]
        for i in range(outputs):
            total = out[i] + a * matrix[row_a, i] + b * matrix[row_b, i] + c * matrix[row_c, i] + d * matrix[row_d, i]
            total = total + e * matrix[row_e, i] + f * matrix[row_f, i] + g * matrix[row_g, i]
            out[i] = total + h * matrix[row_h, i]
        k += 8
    while k < count:
        row = indices[k]
        for i in range(outputs):
            out[i] = out[i] + x[k] * matrix[row, i]
        k += 1
    return bias + outputs
