"""The first layer in fixed point: the same numbers whatever was computed before, alone, in a batch and in a search."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from agents import forward as module
from agents.forward import FixedPointForward, Forward
from agents.guided import GuidedAgent
from agents.model import FIRST_LAYER, FIXED_POINT, FLOATING_POINT
from agents.network import Network, NetworkAgent, load_model
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.state import GameState
from dunaia_env.support.array_files import ArrayFileError
from tests.test_agents_network import random_network

LANES, STEPS = 5, 30


def network(**header: str) -> Network:
    return random_network(seed=3, width=24, **{FIRST_LAYER: FIXED_POINT} | header)


def played() -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """What the deciding seats see in some games, step by step, and a slot for each lane and seat."""
    lanes = Lanes(LANES, elites=True)
    lanes.reset(4)
    observations, slots = [], []
    for step in range(STEPS):
        observations.append(lanes.observations.copy())
        slots.append(np.arange(LANES) * 2 + lanes.seats)
        lanes.step(lanes.random_actions(step))
    return np.array(observations), np.array(slots, np.int64)


def test_sums_are_those_of_integers() -> None:
    """An independent computation with Python's integers."""
    observations, slots = played()
    layers = network().layers()
    outputs = FixedPointForward(layers)
    (weights, bias), *others = layers
    factor = 2.0**outputs.digits
    assert np.abs(weights).max() * factor < 2**31
    whole = np.rint(weights.astype(np.float64) * factor).astype(np.int64).astype(object)
    base = np.rint(bias.astype(np.float64) * factor).astype(np.int64).astype(object)
    for step in range(0, STEPS, 9):
        inputs = observations[step, :, : len(weights)].astype(np.int64).astype(object)
        sums = (inputs @ whole + base).astype(np.float64)
        hidden = np.maximum(sums, 0).astype(np.float32) / np.float32(factor)
        x = hidden
        for matrix, shift in others[:-2]:
            x = np.maximum(x.astype(np.float64) @ matrix + shift, 0)
        logits, values = outputs(observations[step], slots[step])
        np.testing.assert_allclose(logits, x @ others[-2][0] + others[-2][1], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(values, x @ others[-1][0] + others[-1][1], rtol=1e-4, atol=1e-5)


def test_the_network_is_the_same_as_in_floating_point() -> None:
    observations, slots = played()
    ours, plain = FixedPointForward(network().layers()), Forward(network().layers())
    for step in range(STEPS):
        for found, expected in zip(ours(observations[step], slots[step]), plain(observations[step]), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("most_bytes", [module.MOST_BYTES, 10_000, 1])
def test_outputs_do_not_depend_on_what_was_computed_before(most_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not on the batch, the slots, the memory, other games in between, nor on a copy that remembers nothing."""
    monkeypatch.setattr(module, "MOST_BYTES", most_bytes)
    observations, slots = played()
    whole = FixedPointForward(network().layers())
    random = np.random.default_rng(0)
    for step in range(STEPS):
        logits, values = whole(observations[step], slots[step])
        fresh = FixedPointForward(network().layers())
        others = [
            fresh(observations[step]),
            whole(observations[step], random.integers(0, 40, LANES)),
            whole(observations[step]),
            copy.deepcopy(whole)(observations[step], slots[step]),
            pickle.loads(pickle.dumps(whole))(observations[step], slots[step]),
        ]
        for other_logits, other_values in others:
            np.testing.assert_array_equal(other_logits, logits)
            np.testing.assert_array_equal(other_values, values)
        lane = step % LANES
        alone = whole(observations[step, lane : lane + 1], slots[step, lane : lane + 1])
        np.testing.assert_array_equal(alone[0][0], logits[lane])
        whole(random.integers(-128, 128, observations[0].shape).astype(np.int8), slots[step])
    assert len(pickle.dumps(whole)) == len(pickle.dumps(FixedPointForward(network().layers())))


def test_threads_have_memories_of_their_own() -> None:
    observations, slots = played()
    outputs = FixedPointForward(network().layers())
    expected = [outputs(observations[step], slots[step])[0] for step in range(STEPS)]
    with ThreadPoolExecutor(4) as pool:
        steps = list(range(STEPS)) * 4
        for step, found in zip(
            steps, pool.map(lambda step: outputs(observations[step], slots[step])[0], steps), strict=True
        ):
            np.testing.assert_array_equal(found, expected[step])


@pytest.mark.parametrize("extreme", [-128, 127])
@pytest.mark.parametrize("factor", [1e-6, 1.0, 1e30])
def test_no_observation_overflows(extreme: int, factor: float) -> None:
    """With all weights and biases as large as the largest, which differ in size by whatever factor."""
    layers = network().layers()
    for array in layers[0]:
        array[:] = np.float32(factor)
    layers[0][1][:] *= np.float32(-1 if extreme < 0 else 1)
    outputs = FixedPointForward([*layers[:1], (np.full_like(layers[1][0], 1e-6), layers[1][1]), *layers[2:]])
    row = np.full((1, len(layers[0][0])), extreme, np.int8)
    expected = np.maximum(np.float32(extreme * factor) * len(row[0]) + layers[0][1], 0).astype(np.float64)
    hidden = np.maximum(expected.sum() * 1e-6 + layers[1][1].astype(np.float64), 0)
    for _ in range(2):
        logits, _ = outputs(row)
        np.testing.assert_allclose(
            logits[0], hidden @ layers[2][0] + layers[2][1], rtol=1e-3, atol=1e-3 * max(factor, 1)
        )
        outputs(-row - 1)


def test_a_layer_of_zeros_has_outputs() -> None:
    layers = network().layers()
    for array in layers[0]:
        array[:] = 0
    logits, _ = FixedPointForward(layers)(np.ones((1, len(layers[0][0])), np.int8))
    np.testing.assert_array_equal(logits, Forward(layers)(np.ones((1, len(layers[0][0])), np.int8))[0])


def test_the_header_says_how_a_network_computes(tmp_path: Path) -> None:
    plain = random_network(seed=3, width=24)
    assert type(plain.outputs()) is Forward
    assert type(random_network(**{FIRST_LAYER: FLOATING_POINT}).outputs()) is Forward
    fixed = network()
    assert type(fixed.outputs()) is FixedPointForward
    fixed.save(tmp_path / "fixed")
    assert type(load_model(tmp_path / "fixed").outputs()) is FixedPointForward
    odd = Network(plain.arrays, plain.header)
    odd.header[FIRST_LAYER] = "roman"
    odd.save(tmp_path / "odd")
    expected = r"first_layer: expected 'floating_point' or 'fixed_point', got 'roman'"
    with pytest.raises(ArrayFileError, match=expected):
        load_model(tmp_path / "odd")


@pytest.mark.compiled
def test_games_and_searches_do_not_depend_on_the_batch() -> None:
    agent = NetworkAgent(network())
    lanes = Lanes(4, elites=True, max_rounds=4, autoreset=False)
    lanes.reset(0)
    while (active := np.flatnonzero(lanes.seats >= 0)).size:
        actions = np.zeros(4, np.int32)
        actions[active] = agent.act_batch(lanes, active)
        for lane in active:
            assert NetworkAgent(network()).act(lanes.get_state(int(lane))) == actions[lane]
        lanes.step(actions)
    state = GameState.new(3, elites=True)
    guided, other = GuidedAgent(agent, 24), GuidedAgent(NetworkAgent(network()), 24)
    for seed in range(12):
        together = guided.search_many([state, GameState.new(seed, elites=True)])[0]
        alone = other.search(state)
        np.testing.assert_array_equal(together.visits, alone.visits)
        np.testing.assert_array_equal(together.scores, alone.scores)
        state.apply(guided.act(state), seed)


@pytest.mark.parametrize("temperature", [0.0, 2.0])
def test_an_agent_by_differences_is_the_same_agent(temperature: float) -> None:
    network = random_network(seed=3, width=24, players=[2, 3])
    agent = NetworkAgent(network, name="own", version="7", temperature=temperature)
    quick = agent.by_differences()
    assert type(agent.forward) is Forward
    assert type(quick.forward) is FixedPointForward
    assert (quick.name, quick.version, quick.temperature, quick.game) == ("own", "7", temperature, agent.game)
    assert quick.network.header["players"] == [2, 3]
    lanes = Lanes(LANES, elites=True)
    lanes.reset(4)
    for one in (agent, quick):
        one.reset(9)
    for _ in range(STEPS):
        everyone = np.arange(LANES)
        actions = agent.act_batch(lanes, everyone)
        np.testing.assert_array_equal(quick.act_batch(lanes, everyone), actions)
        lanes.step(actions)
