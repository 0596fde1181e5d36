"""The positions after each legal action of the deciding seat, and their values by a small network, in compiled code.

An action is tried on a copy of the position as the deciding seat knows it: what the seat does not know, and what chance
brings, is drawn from the caller's own seed, the same for all actions of a decision. The afterstate is observed from the
deciding seat, whoever decides next. The first layer of the network is computed from the entries in which an afterstate
differs from the position before (Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for Computer
Shogi", 2018), so most of its work is done once for all actions.

The network is a perceptron with two hidden layers with ReLU and one output. All of it is one float32 array,
`flattened`: the numbers of units of both layers and the weight of the margin in the reward, then the matrix
``(inputs, outputs)`` and the bias of each layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled import entry_points
from dunaia_env.harness.compiled.chance import SEED
from dunaia_env.harness.compiled.differences import WORD, add_entries, list_entries
from dunaia_env.harness.compiled.lane import LANE_DTYPE, new_results, new_stream
from dunaia_env.harness.compiled.rewards import REWARDS, reward_of
from dunaia_env.support.compile_cache import kernel

Floats = NDArray[np.float32]

_HEAD = 3  # numbers before the weights
_WIN, _SCORE = REWARDS.index("win"), REWARDS.index("score")


def flattened(layers: Sequence[tuple[Floats, Floats]], margin: float) -> Floats:
    """The array of a network, from the matrix ``(inputs, outputs)`` and the bias of each of its three layers.

    ``margin`` is the weight of the reward ``score`` that is added to the reward ``win``, see
    `dunaia_env.harness.compiled.rewards.final_rewards`.
    """
    head = np.array([*(len(bias) for _, bias in layers[:-1]), margin])
    return np.concatenate([head, *(part.ravel() for layer in layers for part in layer)], dtype=np.float32)


@kernel
def network_of(parameters: Any) -> Any:
    """The three matrices and biases of a `flattened` network."""
    first, second = int(parameters[0]), int(parameters[1])
    rest = first + first * second + second + second + 1
    inputs = (len(parameters) - _HEAD - rest) // first
    sizes = (inputs, first), (first, second), (second, 1)
    place = _HEAD
    first_matrix = parameters[place : place + inputs * first].reshape(sizes[0])
    place += inputs * first
    first_bias = parameters[place : place + first]
    place += first
    second_matrix = parameters[place : place + first * second].reshape(sizes[1])
    place += first * second
    second_bias = parameters[place : place + second]
    place += second
    return first_matrix, first_bias, second_matrix, second_bias, parameters[place : place + second], parameters[-1]


@kernel
def value_of(sums: Any, second_matrix: Any, second_bias: Any, last_weights: Any, last_bias: Any, units: Any) -> Any:
    """The output of the network, float32, from the sums of its first layer; ``units`` is scratch space."""
    units[:] = second_bias
    for i in range(len(sums)):
        if sums[i] > 0:
            row = second_matrix[i]
            for unit in range(len(units)):
                units[unit] += sums[i] * row[unit]
    total = last_bias
    for unit in range(len(units)):
        total += max(units[unit], np.float32(0)) * last_weights[unit]
    return total


@kernel
def value_actions_one(
    game: Any, state: Any, components: Any, parameters: Any, seed: int, legal: Any, count: int, values: Any
) -> None:
    """Write the value of each legal action for the deciding seat; a game that ends is worth its reward.

    Args (A actions):
        game: the table of the game's entry points.
        state: uint8, the position; what the deciding seat does not know makes no difference.
        components: uint8, the components.
        parameters: the `flattened` network.
        seed: seed of what is drawn.
        legal: int16 ``(A,)``, whose first ``count`` entries are the legal actions.
        count: number of legal actions.
        values: float32 ``(A,)``; only the entries of legal actions are written.
    """
    first_matrix, first_bias, second_matrix, second_bias, last_weights, last_bias = network_of(parameters)
    seat, players = entry_points.seat_of(game, state), entry_points.players_of(game, state)
    scores, ranks, ending = new_results()
    chance = new_stream()
    chance[SEED] = seed
    entries = -(-game[entry_points.OBSERVATION_SIZE] // WORD) * WORD
    nothing, before, after = np.zeros(entries, np.int8), np.zeros(entries, np.int8), np.zeros(entries, np.int8)
    columns, changes = np.empty(entries, np.int16), np.empty(entries, np.int16)
    sums, own_sums, units = first_bias.copy(), np.empty_like(first_bias), np.empty_like(second_bias)
    known, trial = np.empty(len(state), np.uint8), np.empty(len(state), np.uint8)
    trial_legal = np.empty(len(legal), np.int16)

    entry_points.copy_state(known, state)
    entry_points.resample(game, known, components, chance, seat)
    entry_points.observe(game, known, components, seat, before)
    changed = list_entries(before, before.view(np.int64), nothing, nothing.view(np.int64), columns, changes, 0)
    add_entries(columns, changes, 0, changed, first_matrix, sums)
    for k in range(count):
        entry_points.copy_state(trial, known)
        if entry_points.play(game, trial, components, chance, int(legal[k]), trial_legal) == 0:
            entry_points.write_results(game, trial, components, scores, ranks, ending)
            margin = reward_of(_SCORE, scores, ranks, players, seat)
            values[legal[k]] = reward_of(_WIN, scores, ranks, players, seat) + parameters[2] * margin
            continue
        entry_points.observe(game, trial, components, seat, after)
        changed = list_entries(after, after.view(np.int64), before, before.view(np.int64), columns, changes, 0)
        own_sums[:] = sums
        add_entries(columns, changes, 0, changed, first_matrix, own_sums)
        values[legal[k]] = value_of(own_sums, second_matrix, second_bias, last_weights, last_bias, units)


@kernel
def value_actions(
    game: Any,
    states: Any,
    lanes: Any,
    components: Any,
    parameters: Any,
    seed: int,
    legal: Any,
    selected: Any,
    values: Any,
) -> None:
    """`value_actions_one` for each selected lane, for `Lanes.call_kernel`; ``values`` is float32 ``(K, A)``."""
    for k in range(len(selected)):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        if lane.legal_count > 0:
            own = components[lane.components_row]
            value_actions_one(game, states[i], own, parameters, seed, legal[i], int(lane.legal_count), values[k])
