"""A network's forward pass row by row: each row's output is bit for bit the same, whatever batch the row is part of.

A BLAS library's matrix product rounds differently for batches of different sizes, and the last bit decides between two
actions of equal value. Here every sum is computed in the order of its terms, on every machine. Zeros are skipped: about
340 of the 2,064 entries of an observation are not zero, and about half of the entries of a hidden layer. A single
decision takes a quarter of the time of full matrix products, which read all weights; a large batch takes about the same
time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.support.compile_cache import any_order_kernel, kernel

from .model import Floats

# Observations are compared in words of so many entries.
WORD = 8
# With so few changes, a sum does not begin anew.
FEW_CHANGES = 100
# The largest number of binary digits after the point, and how much larger than all weights a bias may be before it
# takes digits from them.
MOST_DIGITS, LARGEST_BIAS = 30, 2.0**20
# A memory keeps at most so many bytes.
MOST_BYTES = 2**27


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

    def __call__(self, observations: NDArray[np.int8], slots: NDArray[np.int64] | None = None) -> tuple[Floats, Floats]:
        """Policy logits ``(N, actions)`` and values ``(N, outputs)`` of observations ``(N, at least input_size)``.

        ``slots`` is accepted for `FixedPointForward` and ignored.
        """
        logits = np.empty((len(observations), self._num_actions), np.float32)
        values = np.empty((len(observations), self._num_values), np.float32)
        compute_rows(observations, self._weights, self._sizes, logits, values)
        return logits, values


class FixedPointForward:
    """Computes the same as `Forward`, with the sums of the first layer in fixed point.

    Sums of integers do not depend on the order of their terms. So the first layer of an observation can be computed
    from that of an earlier one, by the entries in which they differ, and is still bit for bit the same: the accumulator
    of efficiently updatable neural networks (Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for
    Computer Shogi", 2018).

    Args:
        layers: see `Forward`.

    Attributes:
        digits: number of binary digits after the point, to which weights and biases are rounded.
    """

    def __init__(self, layers: Sequence[tuple[Floats, Floats]]) -> None:
        (weights, bias), *others = layers
        self._sizes = np.array([len(bias), *(len(further) for _, further in others)], np.int64)
        self._weights = np.concatenate([part.ravel() for layer in others for part in layer], dtype=np.float32)
        self._num_actions, self._num_values = (int(size) for size in self._sizes[-2:])
        largest = max(float(np.abs(weights).max()), float(np.abs(bias).max()) / LARGEST_BIAS)
        # No weight reaches 2**31, so sums of int8 inputs stay far below 2**63.
        self.digits = min(MOST_DIGITS, MOST_DIGITS - math.frexp(largest)[1])
        self._first = np.rint(np.ldexp(weights.astype(np.float64), self.digits)).astype(np.int32)
        self._bias = np.rint(np.ldexp(bias.astype(np.float64), self.digits)).astype(np.int64)
        self._unit = np.float32(math.ldexp(1.0, -self.digits))
        self._free: list[_Memory] = []

    def __getstate__(self) -> dict[str, Any]:
        """All but what was remembered."""
        return self.__dict__ | {"_free": []}

    def __call__(self, observations: NDArray[np.int8], slots: NDArray[np.int64] | None = None) -> tuple[Floats, Floats]:
        """Policy logits ``(N, actions)`` and values ``(N, outputs)`` of observations ``(N, at least input_size)``.

        Args:
            observations: int8.
            slots: int64 ``(N,)``, at least 0: rows with the same slot, in this call and in later ones, are likely to
                resemble each other, such as what a seat sees in a game. One for all rows for None. The results do not
                depend on it.
        """
        logits = np.empty((len(observations), self._num_actions), np.float32)
        values = np.empty((len(observations), self._num_values), np.float32)
        if slots is None:
            slots = np.zeros(len(observations), np.int64)
        # Each call has a memory of its own, also in several threads.
        try:
            memory = self._free.pop()
        except IndexError:
            memory = _Memory(self._bias, len(self._first))
        latest, sums = memory.reach(int(slots.max(initial=0)) + 1)
        network = self._first, self._bias, self._unit, self._weights, self._sizes
        compute_rows_by_differences(observations, slots, latest, sums, *network, logits, values)
        self._free.append(memory)
        return logits, values


class _Memory:
    """The latest observation of each slot and its sums of the first layer.

    Args:
        bias: int64 ``(units,)``, the sums of an observation of zeros.
        inputs: number of inputs.
    """

    def __init__(self, bias: NDArray[np.int64], inputs: int) -> None:
        self._bias = bias
        self._most_slots = max(MOST_BYTES // (inputs + bias.nbytes), 1)
        self._latest = np.zeros((0, inputs), np.int8)
        self._sums = np.zeros((0, len(bias)), np.int64)

    def reach(self, slots: int) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
        """Observations, int8 ``(at least 1, inputs)``, and sums, int64 ``(as many, units)``, for a number of slots.

        There are fewer where so many would take too much memory; slots then share them.
        """
        more = min(slots, self._most_slots) - len(self._latest)
        if more > 0:
            self._latest = np.concatenate([self._latest, np.zeros((more, self._latest.shape[1]), np.int8)])
            self._sums = np.concatenate([self._sums, np.tile(self._bias, (more, 1))])
        return self._latest, self._sums


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
    x = np.empty(widest, np.float32)
    y = np.empty(widest, np.float32)
    indices = np.empty(widest, np.int64)
    for row in range(observations.shape[0]):
        count = compact_nonzero(observations[row], sizes[0], x, indices)
        apply_layers(x, indices, count, y, weights, sizes, logits[row], values[row])


@kernel
def compute_rows_by_differences(
    observations: Any,
    slots: Any,
    latest: Any,
    sums: Any,
    first: Any,
    bias: Any,
    unit: Any,
    weights: Any,
    sizes: Any,
    logits: Any,
    values: Any,
) -> None:
    """Write the logits and the values of each observation, with the sums of the first layer in fixed point.

    Args (N rows):
        observations: int8 ``(N, at least inputs)``.
        slots: int64 ``(N,)``, numbers of rows of ``latest``; beyond the last row they begin anew.
        latest: int8 ``(slots, inputs)``, the observations to which the sums belong.
        sums: int64 ``(slots, units)``, the sums of the first layer, in units of ``unit``; brought up with ``latest``.
        first, bias: int32 ``(inputs, units)`` and int64 ``(units,)``, the first layer.
        unit: float32, what 1 stands for in the first layer and its sums.
        weights, sizes: see `compute_rows`, without the first layer; ``sizes[0]`` is the number of its units.
        logits, values: see `compute_rows`.
    """
    widest = sizes.max()
    x = np.empty(widest, np.float32)
    y = np.empty(widest, np.float32)
    indices = np.empty(widest, np.int64)
    columns = np.empty(latest.shape[1], np.int64)
    changes = np.empty(latest.shape[1], np.int32)
    for row in range(observations.shape[0]):
        slot = slots[row] % latest.shape[0]
        total = sums[slot]
        update_sum(observations[row], latest[slot], first, bias, columns, changes, total)
        count = compact_positive(total, unit, x, indices)
        apply_layers(x, indices, count, y, weights, sizes, logits[row], values[row])


@kernel
def update_sum(new: Any, latest: Any, first: Any, bias: Any, columns: Any, changes: Any, total: Any) -> None:
    """Bring a sum up from the latest observation to a new one.

    Args (one row):
        new: int8 ``(at least inputs,)``.
        latest: int8 ``(inputs,)``; becomes the new one.
        first, bias: see `compute_rows_by_differences`.
        columns, changes: int64 and int32 ``(inputs,)``, to work with.
        total: int64 ``(units,)``.
    """
    inputs = len(latest)
    in_words = inputs // WORD * WORD
    new_words, latest_words = new[:in_words].view(np.int64), latest[:in_words].view(np.int64)
    count = 0
    for word in range(len(new_words)):
        if new_words[word] != latest_words[word]:
            count = list_changes(new, latest, WORD * word, WORD * word + WORD, columns, changes, count)
    count = list_changes(new, latest, in_words, inputs, columns, changes, count)
    if count > FEW_CHANGES and np.count_nonzero(latest) < count:
        total[:] = bias
        count = compact_nonzero(latest, inputs, changes, columns)
    add_changes(columns, changes, count, first, total)


@kernel
def list_changes(new: Any, latest: Any, begin: int, end: int, columns: Any, changes: Any, count: int) -> int:
    """List the entries ``begin <= i < end`` that differ, replace the latest ones, and return the new count."""
    for i in range(begin, end):
        columns[count] = i
        changes[count] = np.int32(new[i]) - np.int32(latest[i])
        count += int(new[i] != latest[i])
        latest[i] = new[i]
    return count


@kernel
def add_changes(columns: Any, changes: Any, count: int, first: Any, total: Any) -> None:
    """Add rows of the first layer, times changes, to a sum.

    Args:
        columns: int64 ``(at least count,)``, the rows.
        changes: int32 ``(at least count,)``.
        count: number of changes.
        first: int32 ``(inputs, units)``.
        total: int64 ``(units,)``.
    """
    k = 0
    # Four at a time, so that the sum is read and written less often.
    while k + 4 <= count:
        a, b = np.int64(changes[k]), np.int64(changes[k + 1])
        c, d = np.int64(changes[k + 2]), np.int64(changes[k + 3])
        row_a, row_b, row_c, row_d = (
            first[columns[k]],
            first[columns[k + 1]],
            first[columns[k + 2]],
            first[columns[k + 3]],
        )
        for i in range(len(total)):
            total[i] += a * row_a[i] + b * row_b[i] + c * row_c[i] + d * row_d[i]
        k += 4
    while k < count:
        row = first[columns[k]]
        for i in range(len(total)):
            total[i] += np.int64(changes[k]) * row[i]
        k += 1


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
        last = len(total)
        for i in range(last):
            y[i] = max(total[i], np.float32(0))
        count = 0
        offset = 0
        for layer in range(hidden):
            count = compact_nonzero(y, last, x, indices)
            last = sizes[layer + 1]
            out = y[:last]
            offset = apply_layer(x, indices, count, weights, offset, sizes[layer], out)
            for i in range(last):
                out[i] = max(out[i], np.float32(0))
        reached = y[:last]
        for action in range(action_masks.shape[1]):
            if action_masks[row, action]:
                weight, logit = policy_weights[action], policy_bias[action]
                for unit in range(last):
                    logit += reached[unit] * weight[unit]
                logits[row, action] = logit
        count = compact_nonzero(reached, last, x, indices)
        apply_layer(x, indices, count, weights, offset, last, heads[row])


@kernel
def compact_nonzero(values: Any, size: Any, x: Any, indices: Any) -> Any:
    """Write the nonzero numbers of ``values[:size]`` to the front of ``x`` and their indices; return their count.

    ``x`` is other memory: reading what has just been written elsewhere would hold up the processor.
    """
    count = 0
    for i in range(size):
        x[count] = values[i]
        indices[count] = i
        # Without a branch, which the processor could not predict.
        count += int(values[i] != 0)
    return count


@kernel
def compact_positive(values: Any, unit: Any, x: Any, indices: Any) -> Any:
    """Write the positive numbers, times a unit, to the front of ``x`` and their indices; see `compact_nonzero`."""
    count = 0
    for i in range(len(values)):
        x[count] = np.float32(values[i]) * unit
        indices[count] = i
        count += int(values[i] > 0)
    return count


@kernel
def apply_layers(x: Any, indices: Any, count: Any, y: Any, weights: Any, sizes: Any, logits: Any, values: Any) -> None:
    """Write the logits and the values of one row, from the inputs ``x[:count]`` with some indices of the first layer.

    ``y`` has room for the outputs of a layer; ``x`` and ``indices`` are used up. See `compute_rows` for the others.
    """
    hidden = len(sizes) - 3
    offset = 0
    for layer in range(hidden):
        out = y[: sizes[layer + 1]]
        offset = apply_layer(x, indices, count, weights, offset, sizes[layer], out)
        count = compact_positive(out, np.float32(1), x, indices)
    offset = apply_layer(x, indices, count, weights, offset, sizes[hidden], logits)
    apply_layer(x, indices, count, weights, offset, sizes[hidden], values)


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
