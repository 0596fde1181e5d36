"""A network's first layer, computed from the entries in which an observation differs from the seat's last one.

A seat's consecutive observations differ in few of their entries, often in less than a tenth of those that are not zero.
With row i of a seat's chain of observations x(i) = x(i-1) + d(i), the layer's output before its activation is

    h(0) = x(0) W + b,    h(i) = h(i-1) + d(i) W,

and with the gradient g(i) of row i, and S(i) = g(i) + g(i+1) + ... to the end of the chain, the gradient of W is

    dW = x(0)^T S(0) + d(1)^T S(1) + d(2)^T S(2) + ...

by summation by parts. Both are exact, apart from rounding. The first is the accumulator of efficiently updatable neural
networks (Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for Computer Shogi", 2018).

Rows are the decisions of a rollout of T steps in N lanes, and a chain is what one seat saw in one lane, whether or not
a new game began in between. Rows that are not learned from belong to no chain; the next row then differs by more.
Entries are listed lane by lane, in time order: row ``(t, n)`` is number ``n * T + t``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dunaia_env.support.compile_cache import kernel

# Observations are compared in words of so many entries: int8 arrays whose last dimension is a multiple of it have a
# second view of int64 words.
WORD = 8
MOST_SEATS = 64


def padded(inputs: int) -> int:
    """The number of entries of an observation, rounded up to whole words."""
    return -(-inputs // WORD) * WORD


@kernel
def previous_row(seats: Any, row: int, lane: int) -> int:
    """The last row before this one in which the same seat decided in this lane; -1 if there is none."""
    previous = row - 1
    while previous >= 0 and seats[previous, lane] != seats[row, lane]:
        previous -= 1
    return previous


@kernel
def count_differences(observations: Any, words: Any, seats: Any, counts: Any, first_lane: int, last_lane: int) -> None:
    """Write how many entries of each row differ from the row before it in its chain, or from 0 without such a row.

    Args (T rows, N lanes):
        observations: int8 ``(T, N, padded inputs)``, what the deciding seat saw.
        words: the same memory, int64 ``(T, N, padded inputs / 8)``.
        seats: int8 ``(T, N)``, the deciding seat; negative for a row that belongs to no chain.
        counts: int64 ``(N * T,)``; the numbers are written here, 0 for a row that belongs to no chain.
        first_lane, last_lane: the lanes to do are ``first_lane <= lane < last_lane``.
    """
    rows, _, num_words = words.shape
    nothing, no_words = np.zeros(observations.shape[2], np.int8), np.zeros(num_words, np.int64)
    for lane in range(first_lane, last_lane):
        for row in range(rows):
            count = 0
            if seats[row, lane] >= 0:
                previous = previous_row(seats, row, lane)
                new, new_words = observations[row, lane], words[row, lane]
                old, old_words = nothing, no_words
                if previous >= 0:
                    old, old_words = observations[previous, lane], words[previous, lane]
                for word in range(num_words):
                    if new_words[word] != old_words[word]:
                        for i in range(WORD * word, WORD * word + WORD):
                            count += new[i] != old[i]
            counts[lane * rows + row] = count


@kernel
def list_entries(new: Any, new_words: Any, old: Any, old_words: Any, columns: Any, changes: Any, place: int) -> int:
    """List the entries in which two observations differ, from ``place`` on; returns the place after the last one."""
    for word in range(len(new_words)):
        if new_words[word] != old_words[word]:
            for i in range(WORD * word, WORD * word + WORD):
                if new[i] != old[i]:
                    columns[place] = i
                    changes[place] = np.int16(new[i]) - np.int16(old[i])
                    place += 1
    return place


@kernel
def list_differences(
    observations: Any, words: Any, seats: Any, ends: Any, columns: Any, changes: Any, first_lane: int, last_lane: int
) -> None:
    """List the entries of each row that differ from the row before it in its chain, or from 0 without such a row.

    Args (T rows, N lanes):
        observations, words, seats, first_lane, last_lane: see `count_differences`.
        ends: int64 ``(N * T,)``, the cumulative sum of the counts.
        columns: int16 ``(ends[-1],)``; the indices of the entries are written here.
        changes: int16 ``(ends[-1],)``; the new values minus the old ones are written here.
    """
    rows, _, num_words = words.shape
    nothing, no_words = np.zeros(observations.shape[2], np.int8), np.zeros(num_words, np.int64)
    for lane in range(first_lane, last_lane):
        for row in range(rows):
            if seats[row, lane] < 0:
                continue
            cell = lane * rows + row
            previous = previous_row(seats, row, lane)
            old, old_words = nothing, no_words
            if previous >= 0:
                old, old_words = observations[previous, lane], words[previous, lane]
            place = ends[cell - 1] if cell else 0
            list_entries(observations[row, lane], words[row, lane], old, old_words, columns, changes, place)


@kernel
def add_entries(columns: Any, changes: Any, begin: int, end: int, weights: Any, total: Any) -> None:
    """Add the rows of the weights for some entries, times their changes, to a sum.

    Args (K entries, I inputs):
        columns: int16 ``(K,)``, see `list_differences`.
        changes: int16 or float32 ``(K,)``.
        begin, end: the entries to add are ``begin <= k < end``.
        weights: float32 ``(I, units)``.
        total: float32 ``(units,)``.
    """
    k = begin
    # Four at a time, so that the sum is read and written less often.
    while k + 4 <= end:
        a, b = np.float32(changes[k]), np.float32(changes[k + 1])
        c, d = np.float32(changes[k + 2]), np.float32(changes[k + 3])
        row_a, row_b = weights[columns[k]], weights[columns[k + 1]]
        row_c, row_d = weights[columns[k + 2]], weights[columns[k + 3]]
        for unit in range(len(total)):
            total[unit] = total[unit] + a * row_a[unit] + b * row_b[unit] + c * row_c[unit] + d * row_d[unit]
        k += 4
    while k < end:
        a, row_a = np.float32(changes[k]), weights[columns[k]]
        for unit in range(len(total)):
            total[unit] += a * row_a[unit]
        k += 1


@kernel
def forward_chains(
    seats: Any, ends: Any, columns: Any, changes: Any, lanes: Any, weights: Any, bias: Any, out: Any
) -> None:
    """Write the layer's output, with ReLU, for the rows of some lanes.

    Args (T rows, N lanes):
        seats: int8 ``(T, N)``, the deciding seat; negative for a row that belongs to no chain.
        ends, columns: see `list_differences`.
        changes: float32, those of `list_differences` as the weights expect them.
        lanes: int64 ``(K,)``, the lanes, in the order of their rows in ``out``.
        weights, bias: float32 ``(I, units)`` and ``(units,)``.
        out: float32 ``(number of rows of chains, units)``; the output is written here, lane by lane in time order.
    """
    rows, units = seats.shape[0], len(bias)
    sums = np.empty((MOST_SEATS, units), np.float32)
    place = 0
    for lane in lanes:
        seen = np.int64(0)
        for row in range(rows):
            seat = np.int64(seats[row, lane])
            if seat < 0:
                continue
            total = sums[seat]
            if not seen >> seat & 1:
                seen |= np.int64(1) << seat
                total[:] = bias
            cell = lane * rows + row
            add_entries(columns, changes, ends[cell - 1] if cell else 0, ends[cell], weights, total)
            written = out[place]
            for unit in range(units):
                written[unit] = max(total[unit], np.float32(0))
            place += 1


@kernel
def backward_chains(
    seats: Any,
    ends: Any,
    columns: Any,
    changes: Any,
    lanes: Any,
    out: Any,
    gradients: Any,
    weight_gradients: Any,
    bias_gradients: Any,
) -> None:
    """Add the gradients of weights and bias that follow from those of the output of `forward_chains`.

    Args (I inputs):
        seats, ends, columns, changes, lanes, out: see `forward_chains`.
        gradients: float32, shape of ``out``: the gradients of the output.
        weight_gradients, bias_gradients: float32 ``(I, units)`` and ``(units,)``; the gradients are added here.
    """
    rows, units = seats.shape[0], len(bias_gradients)
    sums = np.empty((MOST_SEATS, units), np.float32)
    place = len(out)
    for number in range(len(lanes) - 1, -1, -1):
        lane = lanes[number]
        seen = np.int64(0)
        for row in range(rows - 1, -1, -1):
            seat = np.int64(seats[row, lane])
            if seat < 0:
                continue
            total = sums[seat]
            if not seen >> seat & 1:
                seen |= np.int64(1) << seat
                total[:] = 0
            place -= 1
            reached, given = out[place], gradients[place]
            for unit in range(units):
                total[unit] += given[unit] if reached[unit] > 0 else np.float32(0)
            cell = lane * rows + row
            for k in range(ends[cell - 1] if cell else 0, ends[cell]):
                change, changed = np.float32(changes[k]), weight_gradients[columns[k]]
                for unit in range(units):
                    changed[unit] += change * total[unit]
        # The sum of a seat's whole chain is the gradient of the bias, which its first row adds.
        for chain in range(MOST_SEATS):
            if seen >> chain & 1:
                total = sums[chain]
                for unit in range(units):
                    bias_gradients[unit] += total[unit]


@kernel
def update_sums(
    observations: Any,
    words: Any,
    seats: Any,
    latest: Any,
    latest_words: Any,
    sums: Any,
    weights: Any,
    first_lane: int,
    last_lane: int,
) -> None:
    """Bring the sums of each lane's deciding seat, the layer's output before its activation, up to its observation.

    Args (T rows, N lanes):
        observations, words: int8 ``(N, padded inputs)`` and its int64 words, what the deciding seats see.
        seats: int8 ``(N,)``, the deciding seats; lanes with a negative seat are skipped.
        latest, latest_words: int8 ``(N, S, padded inputs)`` and its int64 words, the observation of each seat to which
            its sums belong; brought up, too.
        sums: float32 ``(N, S, units)``.
        weights: float32 ``(I, units)``.
        first_lane, last_lane: the lanes to do are ``first_lane <= lane < last_lane``.
    """
    inputs = observations.shape[1]
    columns, changes = np.empty(inputs, np.int16), np.empty(inputs, np.int16)
    for lane in range(first_lane, last_lane):
        seat = seats[lane]
        if seat < 0:
            continue
        new_words, old_words = words[lane], latest_words[lane, seat]
        count = list_entries(observations[lane], new_words, latest[lane, seat], old_words, columns, changes, 0)
        old_words[:] = new_words
        add_entries(columns, changes, 0, count, weights, sums[lane, seat])
