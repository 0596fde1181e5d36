"""A network's forward pass row by row: a row's numbers are the same to the last bit, whatever stands beside it.

A matrix product by a BLAS library rounds differently in batches of different sizes, and where two actions are worth the
same the last bit decides. Here every sum is made in the order of its terms, on every machine. Zeros are left out: of
the 1,497 entries of an observation some 200 are not, and of a hidden layer about half. A decision alone takes a quarter
of the time that products of whole matrices take, which read all weights for it; a large batch takes about the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.support.compile_cache import kernel

Floats = NDArray[np.float32]


class Forward:
    """Computes a network with all outputs of its value head; no result depends on the batch.

    Args:
        layers: matrix ``(inputs, outputs)`` and bias of each hidden layer, the policy and the value, float32.
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
    """Write logits and values of each observation.

    Args:
        observations: int8 ``(N, at least sizes[0])``.
        weights: float32, of each layer the matrix ``(inputs, outputs)`` and the bias: hidden ones, policy, value.
        sizes: int64: inputs, then outputs of each layer.
        logits: float32 ``(N, sizes[-2])``.
        values: float32 ``(N, sizes[-1])``.
    """
    widest = sizes.max()
    hidden = len(sizes) - 3
    x = np.empty(widest, np.float32)
    y = np.empty(widest, np.float32)
    places = np.empty(widest, np.int64)
    for row in range(observations.shape[0]):
        for i in range(sizes[0]):
            x[i] = observations[row, i]
        count = keep_nonzero(x, sizes[0], places)
        at = 0
        for layer in range(hidden):
            out = y[: sizes[layer + 1]]
            at = add_layer(x, places, count, weights, at, sizes[layer], out)
            for i in range(len(out)):
                x[i] = max(out[i], np.float32(0))
            count = keep_nonzero(x, len(out), places)
        at = add_layer(x, places, count, weights, at, sizes[hidden], logits[row])
        add_layer(x, places, count, weights, at, sizes[hidden], values[row])


@kernel
def keep_nonzero(x: Any, size: Any, places: Any) -> Any:
    """Move the numbers of ``x[:size]`` that are not zero to its front; writes where they stood, returns how many."""
    count = 0
    for i in range(size):
        x[count] = x[i]
        places[count] = i
        # Without a branch, because which ones are zero cannot be predicted.
        count += int(x[i] != 0)
    return count


@kernel
def add_layer(x: Any, places: Any, count: Any, weights: Any, at: Any, inputs: Any, out: Any) -> Any:
    """Write a layer's outputs for the inputs ``x[:count]`` at their places, the others being zero.

    The layer's weights begin at ``weights[at]``; returns where the next layer's do.
    """
    outputs = len(out)
    bias = at + inputs * outputs
    matrix = weights[at:bias].reshape((inputs, outputs))
    out[:] = weights[bias : bias + outputs]
    k = 0
    # Eight terms at a time, added in their order: the sums are read and written less often.
    while k + 8 <= count:
        a, b, c, d = x[k], x[k + 1], x[k + 2], x[k + 3]
        e, f, g, h = x[k + 4], x[k + 5], x[k + 6], x[k + 7]
        row_a, row_b, row_c, row_d = places[k], places[k + 1], places[k + 2], places[k + 3]
        row_e, row_f, row_g, row_h = places[k + 4], places[k + 5], places[k + 6], places[k + 7]
        for i in range(outputs):
            total = out[i] + a * matrix[row_a, i] + b * matrix[row_b, i] + c * matrix[row_c, i] + d * matrix[row_d, i]
            total = total + e * matrix[row_e, i] + f * matrix[row_f, i] + g * matrix[row_g, i]
            out[i] = total + h * matrix[row_h, i]
        k += 8
    while k < count:
        row = places[k]
        for i in range(outputs):
            out[i] = out[i] + x[k] * matrix[row, i]
        k += 1
    return bias + outputs
