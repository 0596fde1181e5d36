"""The trained player: the same numbers as torch without torch, and never an illegal action."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.guided import GuidedAgent
from agents.network import Network, NetworkAgent, choose
from dunaia_env.dunaia import ACTION_HASH, NUM_ACTIONS, OBSERVATION_HASH, OBSERVATION_SCALE, load, used_size
from dunaia_env.harness import opponents
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.state import GameState
from dunaia_env.support.array_files import ArrayFileError, write_arrays

FORMAT = {"format": "dunaia-network", "schema": 1}


def random_network(seed: int = 0, width: int = 16, layers: int = 2, **header: Any) -> Network:
    random = np.random.default_rng(seed)
    sizes = [used_size(2)] + [width] * layers
    shapes = {f"hidden.{i}": (sizes[i + 1], sizes[i]) for i in range(layers)}
    shapes |= {"policy": (NUM_ACTIONS, width), "value": (1, width)}
    arrays = {"input_scale": OBSERVATION_SCALE[: used_size(2)].copy()}
    for name, shape in shapes.items():
        arrays[f"{name}.weight"] = (random.normal(size=shape) / np.sqrt(shape[1])).astype(np.float32)
        arrays[f"{name}.bias"] = random.normal(size=shape[0]).astype(np.float32)
    given = {
        "action_hash": ACTION_HASH,
        "observation_hash": OBSERVATION_HASH,
        "components_hash": load(None).hash,
        "players": [2],
        "name": "small",
        "version": "7",
    }
    return Network(arrays, given | header)


def lanes_in_play(number: int = 16, steps: int = 40) -> Lanes:
    lanes = Lanes(number, elites=True)
    lanes.reset(3)
    for _ in range(steps):
        lanes.step(lanes.random_actions(1))
    return lanes


@pytest.mark.compiled
def test_equals_torch() -> None:
    torch = pytest.importorskip("torch")
    from training.ppo import PolicyNetwork

    model = PolicyNetwork(torch.from_numpy(OBSERVATION_SCALE[: used_size(2)]), NUM_ACTIONS, 2, widths=[96, 64], seed=5)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, 0, 0.1, generator=torch.Generator().manual_seed(1))
    network = Network({name: tensor.numpy() for name, tensor in model.state_dict().items()})
    observations = lanes_in_play().observations
    with torch.no_grad():
        logits, values, _ = model(torch.from_numpy(observations[:, : network.input_size].copy()))
    np.testing.assert_allclose(network.evaluate(observations)[0], logits.numpy(), rtol=0, atol=1e-5)
    np.testing.assert_allclose(network.evaluate(observations)[1], values.numpy()[:, 0], rtol=0, atol=1e-5)


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize("temperature", [0.0, 1.0, 100.0])
def test_whole_games_without_an_illegal_action(temperature: float) -> None:
    agent = NetworkAgent(random_network(), temperature=temperature)
    agent.reset(5)
    lanes = Lanes(8, elites=True, max_rounds=10, autoreset=False)
    lanes.reset(0)
    while (active := np.flatnonzero(lanes.seats >= 0)).size:
        actions = np.zeros(8, np.int32)
        actions[active] = agent.act_batch(lanes, active)
        lanes.step(actions)  # raises at an illegal one


@pytest.mark.compiled
def test_one_game_and_a_batch_agree() -> None:
    lanes = lanes_in_play()
    agent = NetworkAgent(random_network())
    batch = agent.act_batch(lanes, np.arange(16))
    assert [agent.act(lanes.get_state(lane)) for lane in range(16)] == batch.tolist()
    assert len(set(batch.tolist())) > 1


@pytest.mark.compiled
def test_drawn_actions_are_named_by_seed_and_game() -> None:
    lanes, agent = lanes_in_play(), NetworkAgent(random_network(), temperature=3.0)
    agent.reset(1)
    first = agent.act_batch(lanes, np.arange(16))
    np.testing.assert_array_equal(agent.act_batch(lanes, np.arange(16)[::-1]), first[::-1])
    agent.reset(2)
    assert (agent.act_batch(lanes, np.arange(16)) != first).any()
    state = GameState.new(5)
    choices = []
    for _ in range(2):
        agent.reset(1)
        choices.append([agent.act(state) for _ in range(20)])
    assert choices[0] == choices[1]
    assert len(set(choices[0])) > 1


def test_choose_follows_the_softmax() -> None:
    number = 20_000
    logits = np.tile(np.log(np.array([1, 9, 3], np.float32)), (number, 1))
    masks = np.tile(np.array([1, 0, 1], np.int8), (number, 1))
    uniforms = np.random.default_rng(0).random(number)
    assert (choose(logits, masks, 1.0, uniforms) == 2).mean() == pytest.approx(0.75, abs=0.01)
    assert (choose(logits, masks, 0.5, uniforms) == 2).mean() == pytest.approx(0.9, abs=0.01)
    assert (choose(logits, masks, 0.0, uniforms) == 2).all()


ODD = [np.nan, np.inf, -np.inf, 65504.0, -65504.0, 3e38, -3e38, 1e-45, 0.0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("temperature", [0.0, 5e-324, 0.5, 1e308])
def test_choose_takes_a_legal_action_whatever_the_logits(dtype: Any, temperature: float) -> None:
    random = np.random.default_rng(1)
    number = 2000
    with np.errstate(over="ignore"):
        logits = random.choice(ODD, (number, 6)).astype(dtype)
    logits[: len(ODD)] = logits[: len(ODD), :1]  # rows of one number only
    masks = (random.random((number, 6)) < 0.3).astype(np.int8)
    masks[np.arange(number), random.integers(6, size=number)] = 1
    uniforms = random.choice([0.0, 0.5, 1 - 2**-53], number)
    chosen = choose(logits, masks, temperature, uniforms)
    assert masks[np.arange(number), chosen].all()


def test_of_legal_actions_without_a_number_the_lowest_is_chosen_and_any_number_is_better() -> None:
    masks = np.array([[0, 1, 1, 1]], np.int8)
    assert choose(np.array([[9, np.nan, np.nan, np.nan]], np.float32), masks, 0.0, np.zeros(1)) == 1
    assert choose(np.array([[9, np.nan, -1e38, np.nan]], np.float32), masks, 0.0, np.zeros(1)) == 2
    assert choose(np.array([[np.nan, -np.inf, np.inf, 1]], np.float32), masks, 1.0, np.full(1, 0.99)) == 2


def scaled_network(factor: float, dtype: Any = np.float32) -> Network:
    """Outputs as large as the factor, of weights with both signs."""
    plain = random_network()
    arrays = {name: array.astype(dtype) for name, array in plain.arrays.items()}
    with np.errstate(over="ignore"):
        arrays["policy.weight"] = (plain.arrays["policy.weight"] * np.float32(factor)).astype(dtype)
    return Network(arrays, plain.header)


@pytest.mark.parametrize(
    ("name", "value"),
    [("policy.weight", -3e38), ("policy.bias", 2e38), ("value.weight", 3e38), ("hidden.0.weight", 3e38)],
)
def test_weights_beyond_the_range_of_numbers_are_refused(tmp_path: Path, name: str, value: float) -> None:
    network = random_network()
    network.arrays[name][:] = value
    network.save(tmp_path / "x")
    layer = name.rpartition(".")[0]
    with pytest.raises(
        ArrayFileError, match=rf"x: the weights do not make a network \({layer}: expected weights with which no output"
    ):
        NetworkAgent.load(tmp_path / "x")


def test_a_scale_that_makes_weights_too_large_is_refused(tmp_path: Path) -> None:
    network = random_network()
    network.arrays["input_scale"][7] = 1e-42
    network.save(tmp_path / "x")
    with pytest.raises(ArrayFileError, match=r"hidden.0: expected weights with which no output exceeds 1e\+38"):
        NetworkAgent.load(tmp_path / "x")


@pytest.mark.parametrize("value", [np.nan, 3e38])
def test_a_score_head_that_is_no_layer_is_refused(tmp_path: Path, value: float) -> None:
    network = random_network()
    network.arrays["score.weight"] = np.full((2, 16), value, np.float32)
    network.arrays["score.bias"] = np.zeros(2, np.float32)
    network.save(tmp_path / "x")
    with pytest.raises(ArrayFileError, match=r"the weights do not make a network \(score"):
        NetworkAgent.load(tmp_path / "x")


@pytest.mark.compiled
@pytest.mark.parametrize(("factor", "dtype"), [(1e33, np.float32), (1e4, np.float16)])
@pytest.mark.parametrize("temperature", [0.0, 0.1])
def test_games_with_the_largest_weights_are_legal(factor: float, dtype: Any, temperature: float) -> None:
    agent = NetworkAgent(scaled_network(factor, dtype), temperature=temperature)
    lanes = Lanes(4, elites=True, max_rounds=5, autoreset=False)
    lanes.reset(0)
    assert np.abs(agent.forward(lanes.observations)[0]).max() > factor
    while (active := np.flatnonzero(lanes.seats >= 0)).size:
        actions = np.zeros(4, np.int32)
        actions[active] = agent.act_batch(lanes, active)
        lanes.step(actions)  # raises at an illegal one
    state = GameState.new(3, elites=True)
    guided = GuidedAgent(agent, 16)
    for seed in range(20):
        found = guided.search(state)
        assert np.isfinite(found.policy).all()
        assert np.isfinite(found.value).all()
        state.apply(guided.act(state), seed)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"name": 5}, "name: expected a text of 1 to 100 printable characters, got 5"),
        ({"name": "x" * 5_000_000}, r"name: expected a text of .*, got 'x+\.\.\.x+'"),
        ({"version": "\x1b[2J"}, r"version: expected a text of 1 to 100 printable characters, got '\\x1b\[2J'"),
        ({"players": [2, 9]}, r"players: expected numbers in 2..4, got \[2, 9\]"),
        ({"elites": None}, "elites: expected true or false, got None"),
        ({"elites": [1]}, "elites: expected true or false, got 1"),
        ({"elites": []}, "elites: expected at least one, got none"),
        ({"players": []}, r"players: expected a list of numbers of players, got \[\]"),
        ({"players": list(range(100_000))}, r"players: expected numbers in 2..4, got \[0, 1, .*\.\.\.\]"),
        ({"action_hash": "x" * 5_000_000}, r"action_hash 'x+\.\.\.x+' \(here '\w+'\)"),
    ],
)
def test_odd_headers_are_refused_in_a_short_sentence(tmp_path: Path, header: dict[str, Any], message: str) -> None:
    write_arrays(tmp_path / "x", random_network().arrays, random_network().header | header | FORMAT)
    with pytest.raises(ArrayFileError, match=message) as refused:
        NetworkAgent.load(tmp_path / "x")
    assert len(str(refused.value)) < 300 + len(str(tmp_path))
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "change", [{"format": "x" * 5_000_000}, {"schema": 10**4000}, {"schema": 1.5}, {"schema": "1"}]
)
def test_odd_kinds_are_refused_in_a_short_sentence(tmp_path: Path, change: dict[str, Any]) -> None:
    write_arrays(tmp_path / "x", random_network().arrays, random_network().header | FORMAT | change)
    with pytest.raises(ArrayFileError, match=r"format|schema") as refused:
        NetworkAgent.load(tmp_path / "x")
    assert len(str(refused.value)) < 300 + len(str(tmp_path))


def test_bytes_after_the_last_array_are_refused(tmp_path: Path) -> None:
    random_network().save(tmp_path / "x")
    with (tmp_path / "x").open("ab") as file:
        file.write(bytes(2000))
    with pytest.raises(ArrayFileError, match="damaged"):
        NetworkAgent.load(tmp_path / "x")


def test_file_and_load(tmp_path: Path) -> None:
    network = random_network()
    network.save(tmp_path / "small.safetensors")
    agent = opponents.load(tmp_path / "small.safetensors")
    assert (agent.name, agent.version) == ("small", "7")
    observations = lanes_in_play().observations
    assert isinstance(agent, NetworkAgent)
    np.testing.assert_array_equal(agent.network.evaluate(observations)[0], network.evaluate(observations)[0])
    assert agent.value(GameState.new(1)) == pytest.approx(
        float(network.evaluate(GameState.new(1).observation()[None])[1][0])
    )


@pytest.mark.parametrize("name", ["action_hash", "observation_hash", "components_hash"])
def test_another_version_of_the_game(tmp_path: Path, name: str) -> None:
    random_network(**{name: "other"}).save(tmp_path / "x")
    with pytest.raises(ArrayFileError, match=f"made for another game, or another version of the game: {name} 'other'"):
        NetworkAgent.load(tmp_path / "x")


def test_other_components_can_be_allowed(tmp_path: Path) -> None:
    random_network(components_hash="other").save(tmp_path / "x")
    assert NetworkAgent.load(tmp_path / "x", any_components=True).name == "small"


def test_more_players_than_it_was_trained_for() -> None:
    with pytest.raises(ValueError, match="num_players: 3; the network 'network' was trained for at most 2"):
        NetworkAgent(random_network()).act(GameState.new(1, num_players=3))


def test_weights_that_make_no_network(tmp_path: Path) -> None:
    write_arrays(tmp_path / "x", {"policy.weight": np.zeros((2, 2), np.float32)}, FORMAT)
    with pytest.raises(ArrayFileError, match="the weights do not make a network"):
        Network.load(tmp_path / "x")


def test_a_file_without_header(tmp_path: Path) -> None:
    text = json.dumps({}).encode()
    (tmp_path / "x").write_bytes(len(text).to_bytes(8, "little") + text)
    with pytest.raises(ArrayFileError, match="damaged, or not a file of this project"):
        Network.load(tmp_path / "x")


def test_a_negative_temperature() -> None:
    with pytest.raises(ValueError, match="temperature: expected a finite number of at least 0, got -1"):
        NetworkAgent(random_network(), temperature=-1)
