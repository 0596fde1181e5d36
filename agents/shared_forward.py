"""The forward pass of the network with shared encoders, row by row as in `agents.forward`, and for the same reasons.

`training.networks.SharedNetwork` is the same function in torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia.actions import (
    ADVANCE_FIRST,
    AWAKEN_FIRST,
    COLOUR_FIRST,
    MOVE_FIRST,
    NUM_ACTIONS,
    RESERVE_FIRST,
    SEARCH_FIRST,
    START_FIRST,
    USE_FIRST,
    verb,
)
from dunaia_env.dunaia.components import FIRST_TILE
from dunaia_env.dunaia.observation import PIECES
from dunaia_env.dunaia.state import COLOURS, DUNAIAS, EDGE_SQUARES, EDGES, LEVELS, SEARCH, SQUARES, TILES
from dunaia_env.support.compile_cache import kernel

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

# Numbers of units; here, because compiled code that is cached would not notice a change in another file.
# Of what an encoder says of an own square or offer, and of the products that value pairs.
ENCODED, PRODUCTS = 32, 16
# Of what an encoder says of another player's square, and of a tile that can be searched.
OTHER_ENCODED, PILE_ENCODED = 12, 16
# A pile has about so many tiles: sums over them are divided by it.
PILE_UNIT = 8.0

_SEARCHING = PIECES["decision"].first + SEARCH
_PILES, _DUNAIAS = PIECES["piles.top"].first, PIECES["own.dunaias"].first
_RESERVE_COUNT = verb("reserve").count

# The matrices in the order in which `SharedForward` gets them. Each has a row for each input; one that is a layer has
# its bias as the last row.
_SQUARE, _SQUARE_PLACE, _OFFER, _OFFER_PLACE, _OTHER, _OTHER_PLACE, _EDGE_PLACE, _PILE_FACTOR = range(8)
_SQUARE_KEY, _SQUARE_HEADS, _OFFER_KEY, _OFFER_HEADS, _OTHER_KEY, _OTHER_HEAD, _PILE_KEY, _PILE_HEAD = range(8, 16)
_TRUNK_HEADS, _TRUNK = 16, 17
# The tables of indices, likewise.
_SQUARE_INPUTS, _OFFER_INPUTS, _OTHER_INPUTS, _REST, _COUNTED, _PLAIN_ACTIONS = range(6)


class SharedForward:
    """Computes the policy's logits and every seat's value; no row depends on the others.

    Args:
        matrices: float32 ``(inputs, outputs)``, in the order that stands above; the last ones are the trunk's layers.
        tables: int64 ``(things, inputs)``, in the order that stands above: the inputs of own squares, offers and other
            players' squares, the number of inputs where there is nothing to read; those that the trunk reads directly;
            the rows of the piles that are added up; the actions that have a logit of the trunk.
        input_size: number of inputs.
        seats: number of seats.
    """

    def __init__(self, matrices: Sequence[Floats], tables: Sequence[Integers], input_size: int, seats: int) -> None:
        self._weights, self._weights_layout = _joined(matrices)
        self._indices, self._indices_layout = _joined(tables)
        self._input_size, self._seats = input_size, seats

    def __call__(self, observations: NDArray[np.int8]) -> tuple[Floats, Floats]:
        """Policy logits ``(N, actions)`` and values ``(N, seats)`` of observations ``(N, at least input_size)``."""
        logits = np.empty((len(observations), NUM_ACTIONS), np.float32)
        values = np.empty((len(observations), self._seats), np.float32)
        weights, indices = (self._weights, self._weights_layout), (self._indices, self._indices_layout)
        compute_shared_rows(observations, self._input_size, *weights, *indices, logits, values)
        return logits, values


def _joined(arrays: Sequence[Any]) -> tuple[Any, Integers]:
    """Arrays as a single one, and for each its place there, its number of rows and its number of columns."""
    firsts = np.cumsum([0, *(array.size for array in arrays[:-1])])
    layout = np.array([[first, *array.shape] for first, array in zip(firsts, arrays, strict=True)], np.int64)
    return np.concatenate([array.ravel() for array in arrays]), layout


@kernel
def compute_shared_rows(
    observations: Any,
    input_size: Any,
    weights: Any,
    weights_layout: Any,
    indices: Any,
    indices_layout: Any,
    logits: Any,
    values: Any,
) -> None:
    """Write the logits and the values of each observation.

    Args:
        observations: int8 ``(N, at least input_size)``.
        input_size: number of inputs.
        weights, weights_layout: float32 and int64 ``(matrices, 3)``, see `_joined` and `SharedForward`.
        indices, indices_layout: int64 and int64 ``(tables, 3)``, likewise.
        logits: float32 ``(N, actions)``.
        values: float32 ``(N, seats)``.
    """
    trunk = part(weights, weights_layout, _TRUNK)
    trunk_heads = part(weights, weights_layout, _TRUNK_HEADS)
    rest = part(indices, indices_layout, _REST)[0]
    plain_actions = part(indices, indices_layout, _PLAIN_ACTIONS)[0]
    others = indices_layout[_OTHER_INPUTS, 1]
    seats = values.shape[1]
    seen = np.zeros(input_size + 1, np.int8)  # The last one is read where there is nothing to read.
    x = np.empty(max(len(trunk), input_size + 1), np.float32)
    nonzero = np.empty(len(x), np.int64)
    hidden = np.empty(trunk.shape[1], np.float32)
    heads = np.empty(trunk_heads.shape[1], np.float32)
    codes = np.empty(len(trunk) - 1 - len(rest), np.float32)
    offers = np.empty((indices_layout[_OFFER_INPUTS, 1], ENCODED), np.float32)
    end_of_squares = SQUARES * ENCODED
    end_of_offers = end_of_squares + 2 * ENCODED
    end_of_others = end_of_offers + others * OTHER_ENCODED
    own, of_offers = codes[:end_of_squares].reshape((SQUARES, ENCODED)), codes[end_of_squares:end_of_offers]
    of_others = codes[end_of_offers:end_of_others].reshape((others, OTHER_ENCODED))
    for row in range(observations.shape[0]):
        seen[:input_size] = observations[row, :input_size]
        encode(
            seen,
            part(indices, indices_layout, _SQUARE_INPUTS),
            part(weights, weights_layout, _SQUARE),
            part(weights, weights_layout, _SQUARE_PLACE),
            x,
            nonzero,
            own,
        )
        encode(
            seen,
            part(indices, indices_layout, _OFFER_INPUTS),
            part(weights, weights_layout, _OFFER),
            part(weights, weights_layout, _OFFER_PLACE),
            x,
            nonzero,
            offers,
        )
        encode(
            seen,
            part(indices, indices_layout, _OTHER_INPUTS),
            part(weights, weights_layout, _OTHER),
            part(weights, weights_layout, _OTHER_PLACE),
            x,
            nonzero,
            of_others,
        )
        pool(offers, of_offers)
        count_piles(
            seen,
            part(indices, indices_layout, _COUNTED)[0],
            part(weights, weights_layout, _PILE_FACTOR)[0],
            codes[end_of_others:],
        )

        count = gather(seen, rest, x, nonzero)
        count = append_nonzero(codes, len(rest), x, nonzero, count)
        apply_layer(x, nonzero, count, trunk, hidden)
        for layer in range(_TRUNK + 1, len(weights_layout)):
            count = append_positive(hidden, x, nonzero)
            apply_layer(x, nonzero, count, part(weights, weights_layout, layer), hidden)
        count = append_positive(hidden, x, nonzero)
        apply_layer(x, nonzero, count, trunk_heads, heads)
        values[row] = heads[:seats]
        for_squares = seats
        for_offers = for_squares + ENCODED
        for_others = for_offers + ENCODED
        for_tiles = for_others + OTHER_ENCODED
        dunaias = for_tiles + PILE_ENCODED
        plain = dunaias + DUNAIAS * PRODUCTS
        out = logits[row]
        for i in range(len(plain_actions)):
            out[plain_actions[i]] = heads[plain + i]
        point(
            own,
            offers,
            heads[for_squares:for_offers],
            heads[for_offers:for_others],
            heads[dunaias:plain],
            seen,
            weights,
            weights_layout,
            x,
            nonzero,
            out,
        )
        point_to_others(of_others, heads[for_others:for_tiles], weights, weights_layout, x, nonzero, out)
        if seen[_SEARCHING] != 0:
            point_to_tiles(seen, heads[for_tiles:dunaias], weights, weights_layout, x, nonzero, out)
        else:
            out[SEARCH_FIRST : SEARCH_FIRST + TILES] = 0


@kernel
def part(joined: Any, layout: Any, number: Any) -> Any:
    """The array with a number, a view with two dimensions."""
    first, rows, columns = layout[number, 0], layout[number, 1], layout[number, 2]
    return joined[first : first + rows * columns].reshape((rows, columns))


@kernel
def gather(seen: Any, inputs: Any, x: Any, nonzero: Any) -> Any:
    """Write the nonzero ones of some inputs to ``x`` and their places among these inputs, and return their count."""
    count = 0
    for i in range(len(inputs)):
        number = seen[inputs[i]]
        x[count] = number
        nonzero[count] = i
        # Without a branch, which the processor could not predict.
        count += int(number != 0)
    return count


@kernel
def append_nonzero(numbers: Any, first: Any, x: Any, nonzero: Any, count: Any) -> Any:
    """Append the nonzero numbers to ``x[:count]``, and their places counted from ``first``; return the new count."""
    for i in range(len(numbers)):
        x[count] = numbers[i]
        nonzero[count] = first + i
        count += int(numbers[i] != 0)
    return count


@kernel
def append_positive(numbers: Any, x: Any, nonzero: Any) -> Any:
    """Write the positive numbers to ``x`` and their places, and return their count."""
    count = 0
    for i in range(len(numbers)):
        x[count] = numbers[i]
        nonzero[count] = i
        count += int(numbers[i] > 0)
    return count


@kernel
def apply_layer(x: Any, nonzero: Any, count: Any, layer: Any, out: Any) -> None:
    """Write a layer's outputs for the inputs ``x[:count]`` at some places; the last row of the layer is its bias."""
    out[:] = layer[len(layer) - 1]
    add_products(x, nonzero, count, layer, out)


@kernel
def add_products(x: Any, nonzero: Any, count: Any, matrix: Any, out: Any) -> None:
    """Add to ``out`` the rows of a matrix at some places, each times its number in ``x[:count]``."""
    outputs = len(out)
    k = 0
    # Eight terms at a time, added in order, so that the sums are read and written less often.
    while k + 8 <= count:
        a, b, c, d = x[k], x[k + 1], x[k + 2], x[k + 3]
        e, f, g, h = x[k + 4], x[k + 5], x[k + 6], x[k + 7]
        row_a, row_b, row_c, row_d = nonzero[k], nonzero[k + 1], nonzero[k + 2], nonzero[k + 3]
        row_e, row_f, row_g, row_h = nonzero[k + 4], nonzero[k + 5], nonzero[k + 6], nonzero[k + 7]
        for i in range(outputs):
            total = out[i] + a * matrix[row_a, i] + b * matrix[row_b, i] + c * matrix[row_c, i] + d * matrix[row_d, i]
            total = total + e * matrix[row_e, i] + f * matrix[row_f, i] + g * matrix[row_g, i]
            out[i] = total + h * matrix[row_h, i]
        k += 8
    while k < count:
        row = nonzero[k]
        for i in range(outputs):
            out[i] = out[i] + x[k] * matrix[row, i]
        k += 1


@kernel
def encode(seen: Any, inputs: Any, matrix: Any, place: Any, x: Any, nonzero: Any, codes: Any) -> None:
    """Write what an encoder says of each thing, ``(things, units)``."""
    for thing in range(len(inputs)):
        code = codes[thing]
        code[:] = place[thing]
        count = gather(seen, inputs[thing], x, nonzero)
        add_products(x, nonzero, count, matrix, code)
        for i in range(len(code)):
            code[i] = max(code[i], np.float32(0))


@kernel
def pool(offers: Any, out: Any) -> None:
    """Write the mean and the maximum of what is said of the offers."""
    for i in range(ENCODED):
        total, most = offers[0, i], offers[0, i]
        for offer in range(1, len(offers)):
            total += offers[offer, i]
            most = max(most, offers[offer, i])
        out[i] = total / np.float32(len(offers))
        out[ENCODED + i] = most


@kernel
def count_piles(seen: Any, counted: Any, factor: Any, out: Any) -> None:
    """Write the sums of some inputs over the tiles of each pile, each times its factor."""
    for i in range(len(counted)):
        first = _PILES + counted[i] * TILES
        for level in range(LEVELS):
            total = 0
            for tile in range(FIRST_TILE[level], FIRST_TILE[level + 1]):
                total += seen[first + tile]
            out[i * LEVELS + level] = np.float32(total) * factor[counted[i]] / np.float32(PILE_UNIT)


@kernel
def key_of(code: Any, layer: Any, context: Any, x: Any, nonzero: Any, out: Any) -> Any:
    """Write a thing's key, seen in the light of the whole position; ``x`` and ``nonzero`` then hold it, with a count.

    ``out`` has room for the key.
    """
    count = append_nonzero(code, 0, x, nonzero, 0)
    apply_layer(x, nonzero, count, layer, out)
    for i in range(len(out)):
        out[i] += context[i]
    return append_positive(out, x, nonzero)


@kernel
def point(
    own: Any,
    offers: Any,
    for_squares: Any,
    for_offers: Any,
    dunaias: Any,
    seen: Any,
    weights: Any,
    layout: Any,
    x: Any,
    nonzero: Any,
    logits: Any,
) -> None:
    """Write the logits of all actions that name own squares, offers and edges."""
    key = np.empty(ENCODED, np.float32)
    said = np.empty(4 + COLOURS + 2 * PRODUCTS, np.float32)
    of_offer = np.empty(2 + PRODUCTS, np.float32)
    start = np.empty(SQUARES, np.float32)
    start_squares = np.empty((PRODUCTS, SQUARES), np.float32)
    beside = np.empty((PRODUCTS, SQUARES), np.float32)
    pairs = np.empty(SQUARES, np.float32)
    for square in range(SQUARES):
        layer = part(weights, layout, _SQUARE_KEY)
        count = key_of(own[square], layer, for_squares, x, nonzero, key)
        apply_layer(x, nonzero, count, part(weights, layout, _SQUARE_HEADS), said)
        logits[AWAKEN_FIRST + square] = said[0]
        logits[USE_FIRST + square] = said[1]
        logits[ADVANCE_FIRST + square] = said[2]
        start[square] = said[3]
        for colour in range(COLOURS):
            logits[COLOUR_FIRST + colour * SQUARES + square] = said[4 + colour]
        for i in range(PRODUCTS):
            start_squares[i, square] = said[4 + COLOURS + i]
            beside[i, square] = said[4 + COLOURS + PRODUCTS + i]
    for offer in range(len(offers)):
        layer = part(weights, layout, _OFFER_KEY)
        count = key_of(offers[offer], layer, for_offers, x, nonzero, key)
        apply_layer(x, nonzero, count, part(weights, layout, _OFFER_HEADS), of_offer)
        if offer < _RESERVE_COUNT:
            logits[RESERVE_FIRST + offer] = of_offer[1]
        pairs[:] = 0
        for i in range(PRODUCTS):
            for square in range(SQUARES):
                pairs[square] += of_offer[2 + i] * start_squares[i, square]
        for square in range(SQUARES):
            logits[START_FIRST + offer * SQUARES + square] = pairs[square] + of_offer[0] + start[square]
    place = part(weights, layout, _EDGE_PLACE)
    edges = np.empty((PRODUCTS, EDGES), np.float32)
    for i in range(PRODUCTS):
        for edge in range(EDGES):
            both = beside[i, EDGE_SQUARES[edge, 0]] + beside[i, EDGE_SQUARES[edge, 1]]
            edges[i, edge] = max(both + place[i, edge], np.float32(0))
    for dunaia in range(DUNAIAS):
        of_edges = logits[MOVE_FIRST + dunaia * EDGES : MOVE_FIRST + (dunaia + 1) * EDGES]
        of_edges[:] = 0
        for i in range(PRODUCTS):
            for edge in range(EDGES):
                of_edges[edge] += dunaias[dunaia * PRODUCTS + i] * edges[i, edge]
        present = np.float32(0)
        squares = seen[_DUNAIAS + dunaia * SQUARES : _DUNAIAS + (dunaia + 1) * SQUARES]
        for edge in range(EDGES):
            # The edge beside which both of the Dunaia's squares lie.
            if int(squares[EDGE_SQUARES[edge, 0]]) + int(squares[EDGE_SQUARES[edge, 1]]) > 1:
                present += of_edges[edge]
        for edge in range(EDGES):
            of_edges[edge] -= present


@kernel
def point_to_others(codes: Any, context: Any, weights: Any, layout: Any, x: Any, nonzero: Any, logits: Any) -> None:
    """Write the logits of using each square of another player; zeros for players who are not there."""
    layer, head = part(weights, layout, _OTHER_KEY), part(weights, layout, _OTHER_HEAD)
    key, out = np.empty(OTHER_ENCODED, np.float32), np.empty(1, np.float32)
    first = USE_FIRST + SQUARES
    for thing in range(len(codes)):
        count = key_of(codes[thing], layer, context, x, nonzero, key)
        apply_layer(x, nonzero, count, head, out)
        logits[first + thing] = out[0]
    logits[first + len(codes) : START_FIRST] = 0


@kernel
def point_to_tiles(seen: Any, context: Any, weights: Any, layout: Any, x: Any, nonzero: Any, logits: Any) -> None:
    """Write the logits of searching each tile in the piles."""
    layer, head = part(weights, layout, _PILE_KEY), part(weights, layout, _PILE_HEAD)
    key, out = np.empty(PILE_ENCODED, np.float32), np.empty(1, np.float32)
    inputs = np.empty(len(layer) - 1, np.float32)
    for tile in range(TILES):
        for i in range(len(inputs)):
            inputs[i] = seen[_PILES + i * TILES + tile]
        count = key_of(inputs, layer, context, x, nonzero, key)
        apply_layer(x, nonzero, count, head, out)
        logits[SEARCH_FIRST + tile] = out[0]
