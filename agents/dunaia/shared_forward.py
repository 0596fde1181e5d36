"""The forward pass of the network with shared encoders, row by row as in `agents.forward`, and for the same reasons.

`training.models.networks.SharedNetwork` is the same function in torch.
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

# Numbers of units. They stand here because compiled code that is cached would not notice a change in another file.
# Units of the code of an own square or an offer, and of the vectors whose products value pairs.
ENCODED, PRODUCTS = 32, 16
# Units of the code of another player's square, and of the key of a tile that can be searched.
OTHER_ENCODED, PILE_ENCODED = 12, 16
# Sums over the tiles of a pile are divided by this number, which is about the size of a pile.
PILE_UNIT = 8.0

_SEARCHING = PIECES["decision"].first + SEARCH
_PILES, _DUNAIAS = PIECES["piles.top"].first, PIECES["own.dunaias"].first
_RESERVE_COUNT = verb("reserve").count

# Numbers of the matrices, in the order in which `SharedForward` gets them. A matrix has a row for each input, and that
# of a layer has the bias as its last row. Other players' squares are columns in `_OTHER_PLACE`, as in their codes.
_SQUARE, _SQUARE_PLACE, _OFFER, _OFFER_PLACE, _OTHER, _OTHER_PLACE, _EDGE_PLACE, _PILE_FACTOR = range(8)
_SQUARE_KEY, _SQUARE_HEADS, _OFFER_KEY, _OFFER_HEADS, _OTHER_KEY, _OTHER_HEAD, _PILE_KEY, _PILE_HEAD = range(8, 16)
_TRUNK_HEADS, _TRUNK = 16, 17
# Numbers of the tables of indices, in the order in which `SharedForward` gets them.
_SQUARE_INPUTS, _OFFER_INPUTS, _OTHER_INPUTS, _REST, _COUNTED, _PLAIN_ACTIONS = range(6)


class SharedForward:
    """Computes the policy's logits and every seat's value; no row depends on the others.

    Args:
        matrices: float32 ``(inputs, outputs)``, in the order of the constants above; the last ones are the trunk's
            layers.
        tables: int64, in the order of the constants above. First the inputs of own squares and of offers,
            ``(things, inputs)``, and of other players' squares, ``(inputs, things)``, with ``input_size`` where there
            is nothing to read. Then, each as one row, the inputs that the trunk reads directly, the rows of the piles
            that are added up, and the actions whose logits the trunk computes.
        input_size: number of inputs.
        seats: number of seats.
    """

    def __init__(self, matrices: Sequence[Floats], tables: Sequence[Integers], input_size: int, seats: int) -> None:
        self._weights, self._weights_layout = _joined(matrices)
        self._indices, self._indices_layout = _joined(tables)
        self._input_size, self._seats = input_size, seats

    def __call__(self, observations: NDArray[np.int8], slots: Integers | None = None) -> tuple[Floats, Floats]:
        """Policy logits ``(N, actions)`` and values ``(N, seats)`` of observations ``(N, at least input_size)``.

        ``slots`` is accepted as other networks accept it, and ignored.
        """
        logits = np.empty((len(observations), NUM_ACTIONS), np.float32)
        values = np.empty((len(observations), self._seats), np.float32)
        weights, indices = (self._weights, self._weights_layout), (self._indices, self._indices_layout)
        compute_shared_rows(observations, self._input_size, *weights, *indices, logits, values)
        return logits, values


def _joined(arrays: Sequence[Any]) -> tuple[Any, Integers]:
    """Arrays joined into one, and int64 ``(arrays, 3)``: each one's first index there, its rows and its columns."""
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
        weights: float32, the matrices, see `SharedForward`.
        weights_layout: int64 ``(matrices, 3)``, see `_joined`.
        indices: int64, the tables.
        indices_layout: int64 ``(tables, 3)``.
        logits: float32 ``(N, actions)``.
        values: float32 ``(N, seats)``.
    """
    trunk, trunk_heads = part(weights, weights_layout, _TRUNK), part(weights, weights_layout, _TRUNK_HEADS)
    square, square_place = part(weights, weights_layout, _SQUARE), part(weights, weights_layout, _SQUARE_PLACE)
    offer, offer_place = part(weights, weights_layout, _OFFER), part(weights, weights_layout, _OFFER_PLACE)
    other, other_place = part(weights, weights_layout, _OTHER), part(weights, weights_layout, _OTHER_PLACE)
    square_key, square_heads = part(weights, weights_layout, _SQUARE_KEY), part(weights, weights_layout, _SQUARE_HEADS)
    offer_key, offer_heads = part(weights, weights_layout, _OFFER_KEY), part(weights, weights_layout, _OFFER_HEADS)
    other_key, other_head = part(weights, weights_layout, _OTHER_KEY), part(weights, weights_layout, _OTHER_HEAD)
    pile_key, pile_head = part(weights, weights_layout, _PILE_KEY), part(weights, weights_layout, _PILE_HEAD)
    edge_place, pile_factor = part(weights, weights_layout, _EDGE_PLACE), part(weights, weights_layout, _PILE_FACTOR)[0]
    square_inputs, offer_inputs = (
        part(indices, indices_layout, _SQUARE_INPUTS),
        part(indices, indices_layout, _OFFER_INPUTS),
    )
    other_inputs, rest = part(indices, indices_layout, _OTHER_INPUTS), part(indices, indices_layout, _REST)
    counted = part(indices, indices_layout, _COUNTED)[0]
    plain_actions = part(indices, indices_layout, _PLAIN_ACTIONS)[0]
    others, seats = other_inputs.shape[1], values.shape[1]
    seen = np.zeros(input_size + 1, np.int8)  # The last entry, always 0, is read where there is nothing to read.
    x = np.empty(max(len(trunk), input_size + 1) + 8, np.float32)
    nonzero = np.empty(len(x), np.int64)
    hidden = np.empty(trunk.shape[1], np.float32)
    heads = np.empty(trunk_heads.shape[1], np.float32)
    codes = np.empty(len(trunk) - 1 - rest.shape[1], np.float32)
    offers = np.empty((len(offer_inputs), ENCODED), np.float32)
    end_of_squares = SQUARES * ENCODED
    end_of_offers = end_of_squares + 2 * ENCODED
    end_of_others = end_of_offers + others * OTHER_ENCODED
    own, of_offers = codes[:end_of_squares].reshape((SQUARES, ENCODED)), codes[end_of_squares:end_of_offers]
    of_others = codes[end_of_offers:end_of_others].reshape((OTHER_ENCODED, others))
    contents = codes[end_of_others:]
    square_keys, said_of_squares = (
        np.empty((SQUARES, ENCODED), np.float32),
        np.empty((SQUARES, square_heads.shape[1]), np.float32),
    )
    offer_keys, said_of_offers = (
        np.empty((len(offers), ENCODED), np.float32),
        np.empty((len(offers), offer_heads.shape[1]), np.float32),
    )
    use_others, tile_logits = np.empty((1, others), np.float32), np.empty((1, TILES), np.float32)
    other_inputs_seen = np.empty(other_inputs.shape, np.float32)
    other_keys = np.empty((OTHER_ENCODED, others), np.float32)
    tiles, tile_keys = np.empty((len(pile_key) - 1, TILES), np.float32), np.empty((PILE_ENCODED, TILES), np.float32)
    for row in range(observations.shape[0]):
        out = logits[row]
        for i in range(input_size):
            seen[i] = observations[row, i]
        encode(seen, square_inputs, square, square_place, x, nonzero, own)
        encode(seen, offer_inputs, offer, offer_place, x, nonzero, offers)
        for i in range(len(other_inputs)):
            for thing in range(others):
                other_inputs_seen[i, thing] = seen[other_inputs[i, thing]]
        of_others[:] = other_place
        add_columns(other, other_inputs_seen, of_others)
        rectify(of_others)
        pool(offers, of_offers)
        count_piles(seen, counted, pile_factor, contents)

        count = gather(seen, rest, 0, x, nonzero)
        count = append_nonzero(codes, rest.shape[1], x, nonzero, count)
        apply_layer(x, nonzero, count, trunk, hidden)
        for layer in range(_TRUNK + 1, len(weights_layout)):
            count = append_positive(hidden, x, nonzero)
            apply_layer(x, nonzero, count, part(weights, weights_layout, layer), hidden)
        count = append_positive(hidden, x, nonzero)
        apply_layer(x, nonzero, count, trunk_heads, heads)
        for_squares = seats
        for_offers = for_squares + ENCODED
        for_others = for_offers + ENCODED
        for_tiles = for_others + OTHER_ENCODED
        dunaias = for_tiles + PILE_ENCODED
        plain = dunaias + DUNAIAS * PRODUCTS
        values[row] = heads[:seats]
        for i in range(len(plain_actions)):
            out[plain_actions[i]] = heads[plain + i]

        # The trunk's context lets the keys of squares, offers and tiles depend on the whole position.
        apply_to_rows(own, square_key, heads[for_squares:for_offers], square_keys)
        apply_to_rows(square_keys, square_heads, square_heads[:0].ravel(), said_of_squares)
        apply_to_rows(offers, offer_key, heads[for_offers:for_others], offer_keys)
        apply_to_rows(offer_keys, offer_heads, offer_heads[:0].ravel(), said_of_offers)
        point(said_of_squares, said_of_offers, out)
        point_to_edges(said_of_squares, heads[dunaias:plain], edge_place, seen, out)
        apply_to_columns(other_key, of_others, heads[for_others:for_tiles], other_keys, other_head, use_others)
        out[USE_FIRST + SQUARES : USE_FIRST + SQUARES + others] = use_others[0]
        out[USE_FIRST + SQUARES + others : START_FIRST] = 0
        if seen[_SEARCHING] != 0:
            for i in range(len(tiles)):
                for tile in range(TILES):
                    tiles[i, tile] = seen[_PILES + i * TILES + tile]
            apply_to_columns(pile_key, tiles, heads[for_tiles:dunaias], tile_keys, pile_head, tile_logits)
            out[SEARCH_FIRST : SEARCH_FIRST + TILES] = tile_logits[0]
        else:
            out[SEARCH_FIRST : SEARCH_FIRST + TILES] = 0


@kernel
def part(joined: Any, layout: Any, number: Any) -> Any:
    """The joined array with this number, as a view with two dimensions."""
    first, rows, columns = layout[number, 0], layout[number, 1], layout[number, 2]
    return joined[first : first + rows * columns].reshape((rows, columns))


@kernel
def gather(seen: Any, inputs: Any, thing: Any, x: Any, nonzero: Any) -> Any:
    """Write the nonzero inputs of a thing to ``x`` and their places in its row of ``inputs``; return their count."""
    count = 0
    for i in range(inputs.shape[1]):
        number = seen[inputs[thing, i]]
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
    for i in range(len(out)):
        out[i] = layer[len(layer) - 1, i]
    add_products(x, nonzero, count, layer, out)


@kernel
def add_products(x: Any, nonzero: Any, count: Any, matrix: Any, out: Any) -> None:
    """Add to ``out`` the rows of a matrix at some places, each times its number in ``x[:count]``.

    ``x`` and ``nonzero`` need room for seven more entries.
    """
    outputs = len(out)
    # Eight terms at a time, added in order, so that the sums are read and written less often; zeros fill the last ones.
    for k in range(count, count + 7):
        x[k] = 0
        nonzero[k] = 0
    for k in range(0, count, 8):
        a, b, c, d = x[k], x[k + 1], x[k + 2], x[k + 3]
        e, f, g, h = x[k + 4], x[k + 5], x[k + 6], x[k + 7]
        row_a, row_b, row_c, row_d = nonzero[k], nonzero[k + 1], nonzero[k + 2], nonzero[k + 3]
        row_e, row_f, row_g, row_h = nonzero[k + 4], nonzero[k + 5], nonzero[k + 6], nonzero[k + 7]
        for i in range(outputs):
            total = out[i] + a * matrix[row_a, i] + b * matrix[row_b, i] + c * matrix[row_c, i] + d * matrix[row_d, i]
            total = total + e * matrix[row_e, i] + f * matrix[row_f, i] + g * matrix[row_g, i]
            out[i] = total + h * matrix[row_h, i]


@kernel
def encode(seen: Any, inputs: Any, matrix: Any, place: Any, x: Any, nonzero: Any, codes: Any) -> None:
    """Write the code of each thing, ``(things, units)``."""
    for thing in range(len(inputs)):
        count = gather(seen, inputs, thing, x, nonzero)
        code = codes[thing]
        for i in range(ENCODED):
            code[i] = place[thing, i]
        add_products(x, nonzero, count, matrix, code)
    rectify(codes)


@kernel
def rectify(numbers: Any) -> None:
    """Replace negative numbers by zero."""
    for i in range(len(numbers)):
        for k in range(numbers.shape[1]):
            numbers[i, k] = max(numbers[i, k], np.float32(0))


@kernel
def apply_to_rows(things: Any, layer: Any, context: Any, out: Any) -> None:
    """Write a layer's outputs for each thing; with a context, add it and replace negative outputs by zero.

    Args:
        things: float32 ``(things, 32)``.
        layer: float32 ``(33, outputs)``, the bias last.
        context: float32 ``(outputs,)``, or ``(0,)`` for none.
        out: float32 ``(things, outputs)``.
    """
    outputs = out.shape[1]
    for thing in range(len(things)):
        for i in range(outputs):
            out[thing, i] = layer[ENCODED, i]
        for k in range(0, ENCODED, 8):
            a, b, c, d = things[thing, k], things[thing, k + 1], things[thing, k + 2], things[thing, k + 3]
            e, f, g, h = things[thing, k + 4], things[thing, k + 5], things[thing, k + 6], things[thing, k + 7]
            for i in range(outputs):
                total = out[thing, i] + a * layer[k, i] + b * layer[k + 1, i] + c * layer[k + 2, i]
                total = total + d * layer[k + 3, i] + e * layer[k + 4, i] + f * layer[k + 5, i]
                out[thing, i] = total + g * layer[k + 6, i] + h * layer[k + 7, i]
        if len(context):
            for i in range(outputs):
                out[thing, i] = max(out[thing, i] + context[i], np.float32(0))


@kernel
def add_columns(matrix: Any, things: Any, out: Any) -> None:
    """Add the product of a matrix with inputs to ``out``, where each thing is a column.

    Args:
        matrix: float32 ``(at least inputs, outputs)``.
        things: float32 ``(inputs, things)``.
        out: float32 ``(outputs, things)``.
    """
    for i in range(len(out)):
        for k in range(len(things)):
            factor = matrix[k, i]
            for thing in range(things.shape[1]):
                out[i, thing] += factor * things[k, thing]


@kernel
def apply_to_columns(layer: Any, things: Any, context: Any, keys: Any, head: Any, out: Any) -> None:
    """Write the output of a head with one unit for each thing, ``(1, things)``, from its key.

    Things are columns; ``keys`` has room for ``(units, things)``.
    """
    for i in range(len(keys)):
        for thing in range(keys.shape[1]):
            keys[i, thing] = layer[len(layer) - 1, i] + context[i]
    add_columns(layer, things, keys)
    rectify(keys)
    out[:] = head[len(head) - 1, 0]
    add_columns(head, keys, out)


@kernel
def pool(offers: Any, out: Any) -> None:
    """Write the mean and the maximum of the offers' codes."""
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
                total += int(seen[first + tile])
            out[i * LEVELS + level] = np.float32(total) * factor[counted[i]] / np.float32(PILE_UNIT)


@kernel
def point(of_squares: Any, of_offers: Any, logits: Any) -> None:
    """Write the logits of all actions that name own squares and offers, from the outputs of their heads."""
    for square in range(SQUARES):
        logits[AWAKEN_FIRST + square] = of_squares[square, 0]
        logits[USE_FIRST + square] = of_squares[square, 1]
        logits[ADVANCE_FIRST + square] = of_squares[square, 2]
        for colour in range(COLOURS):
            logits[COLOUR_FIRST + colour * SQUARES + square] = of_squares[square, 4 + colour]
    for offer in range(_RESERVE_COUNT):
        logits[RESERVE_FIRST + offer] = of_offers[offer, 1]
    first = 4 + COLOURS
    for offer in range(len(of_offers)):
        for square in range(SQUARES):
            total = np.float32(0)
            for i in range(PRODUCTS):
                total += of_offers[offer, 2 + i] * of_squares[square, first + i]
            logits[START_FIRST + offer * SQUARES + square] = total + of_offers[offer, 0] + of_squares[square, 3]


@kernel
def point_to_edges(of_squares: Any, dunaias: Any, place: Any, seen: Any, logits: Any) -> None:
    """Write the logits of moving each Dunaia to each edge: by how much that edge is better than its present edge.

    Args:
        of_squares: float32, the outputs of the square heads; the last 16 of each square are added up for an edge.
        dunaias: float32 ``(6 * 16,)``, a vector for each Dunaia, with which the edges are multiplied.
        place: float32 ``(16, 12)``, a bias for each edge.
        seen: the observation.
        logits: float32 ``(actions,)``.
    """
    first = 4 + COLOURS + PRODUCTS
    logits[MOVE_FIRST : MOVE_FIRST + DUNAIAS * EDGES] = 0
    for i in range(PRODUCTS):
        for edge in range(EDGES):
            one, other = EDGE_SQUARES[edge, 0], EDGE_SQUARES[edge, 1]
            said = max(of_squares[one, first + i] + of_squares[other, first + i] + place[i, edge], np.float32(0))
            for dunaia in range(DUNAIAS):
                logits[MOVE_FIRST + dunaia * EDGES + edge] += dunaias[dunaia * PRODUCTS + i] * said
    for dunaia in range(DUNAIAS):
        present = np.float32(0)
        squares = _DUNAIAS + dunaia * SQUARES
        for edge in range(EDGES):
            # The present edge is the one between the two squares that the Dunaia stands beside.
            if int(seen[squares + EDGE_SQUARES[edge, 0]]) + int(seen[squares + EDGE_SQUARES[edge, 1]]) > 1:
                present += logits[MOVE_FIRST + dunaia * EDGES + edge]
        for edge in range(EDGES):
            logits[MOVE_FIRST + dunaia * EDGES + edge] -= present
