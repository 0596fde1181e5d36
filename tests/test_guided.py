"""The search guided by a network: who gets the simulations, what they are worth, and the same move in every batch."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.forward import Forward
from agents.guided import GuidedAgent
from agents.network import Network, NetworkAgent
from dunaia_env import GameState, Lanes, Stream
from dunaia_env.dunaia import (
    ACTION_HASH,
    NUM_ACTIONS,
    OBSERVATION_HASH,
    OBSERVATION_SCALE,
    OBSERVATION_SIZE,
    load,
)
from dunaia_env.harness import opponents
from dunaia_env.harness.compiled import guided as kernels
from dunaia_env.harness.compiled.rewards import win_shares
from dunaia_env.harness.game import game_named
from dunaia_env.harness.opponents import Agent
from tests.sampling import sampled
from tests.test_components import changed, write
from tests.test_search import last_turns

ROOT = Path(__file__).resolve().parent.parent
TABLES = [(2, False), (3, True), (4, False), (4, True)]


@functools.cache
def random_network(outputs: int = 1, seed: int = 0, width: int = 16, size: float = 1.0) -> Network:
    """A network of any number of players; ``size`` is that of the weights of both heads."""
    random = np.random.default_rng(seed)
    shapes = {"hidden.0": (width, OBSERVATION_SIZE), "hidden.1": (width, width)}
    shapes |= {"policy": (NUM_ACTIONS, width), "value": (outputs, width)}
    arrays: dict[str, NDArray[Any]] = {"input_scale": OBSERVATION_SCALE}
    for name, shape in shapes.items():
        factor = 1.0 if name.startswith("hidden") else size
        arrays[f"{name}.weight"] = (factor * random.normal(size=shape) / np.sqrt(shape[1])).astype(np.float32)
        arrays[f"{name}.bias"] = (factor * random.normal(size=shape[0])).astype(np.float32)
    hashes = {"action_hash": ACTION_HASH, "observation_hash": OBSERVATION_HASH, "components_hash": load(None).hash}
    header = hashes | {"players": [2, 3, 4], "name": "small", "version": "7"}
    # An opening is worth nothing to anybody, and what differs from it three times as much as by the weights drawn.
    arrays["value.weight"] *= np.float32(3)
    _, values = Forward(Network(arrays).layers())(GameState.new(1).observation()[None])
    arrays["value.bias"] = arrays["value.bias"] - values[0]
    return Network(arrays, header)


def agent_of(simulations: int, outputs: int = 1, **options: Any) -> GuidedAgent:
    return GuidedAgent(NetworkAgent(random_network(outputs), name="small", version="7"), simulations, **options)


def states_of(players: int, elites: bool, number: int = 12) -> list[GameState]:
    lanes = Lanes(number, num_players=players, elites=elites)
    lanes.reset(3)
    for _ in range(40):
        lanes.step(lanes.random_actions(1))
    return [lanes.get_state(lane) for lane in range(number)]


@pytest.mark.compiled
@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_the_move_depends_on_the_seed_and_the_position_alone(players: int, elites: bool, noise: bool) -> None:
    lanes = Lanes(9, num_players=players, elites=elites)
    lanes.reset([3, 4, 3, 5, 6, 7, 8, 9, 10])
    for _ in range(40):
        lanes.step(lanes.random_actions(1))
    agent = agent_of(24, players, noise=noise)
    assert isinstance(agent, Agent)
    agent.reset(7)
    found = [agent.search(lanes.get_state(lane)) for lane in range(9)]
    alone = [agent.act(lanes.get_state(lane)) for lane in range(9)]
    assert all(lanes.action_masks[lane, action] for lane, action in enumerate(alone))
    assert agent.act_batch(lanes, np.arange(9)).tolist() == alone
    assert agent.act_batch(lanes, np.array([6, 1])).tolist() == [alone[6], alone[1]]
    together = agent.search_many([lanes.get_state(lane) for lane in range(9)])
    for one, other in zip(found, together, strict=True):
        np.testing.assert_array_equal(one.policy, other.policy)
        np.testing.assert_array_equal(one.values, other.values)
    nobody = agent.act_batch(lanes, np.zeros(0, np.int64))
    assert (nobody.shape, nobody.dtype) == ((0,), np.int32)


@pytest.mark.compiled
def test_batches_that_do_not_fit_are_searched_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    states = states_of(2, True)
    agent = agent_of(8)
    whole = [found.policy.tolist() for found in agent.search_many(states)]
    monkeypatch.setattr("agents.guided.NODES_AT_ONCE", 5 * 9)
    assert [found.policy.tolist() for found in agent.search_many(states)] == whole
    monkeypatch.setattr("agents.guided.NODES_AT_ONCE", 1)
    assert [found.policy.tolist() for found in agent.search_many(states)] == whole


@pytest.mark.compiled
def test_another_seed_imagines_other_dice_and_tiles() -> None:
    agent, values = agent_of(200), []
    for seed in (7, 8, 7):
        agent.reset(seed)
        values.append([found.value.tolist() for found in agent.search_many(states_of(2, True))])
    assert values[0] == values[2] != values[1]


@pytest.mark.compiled
@pytest.mark.parametrize("outputs", [1, 4])
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_results_of_a_search(players: int, elites: bool, outputs: int) -> None:
    agent = agent_of(40, outputs)
    for state in states_of(players, elites, 4):
        before = state.to_bytes()
        found = agent.search(state)
        assert state.to_bytes() == before
        assert found.actions.tolist() == state.legal_actions()
        assert found.visits.sum() == 40
        assert found.values.shape == (len(found.actions), players)
        visited = found.visits > 0
        np.testing.assert_allclose(found.values[visited].sum(axis=1), 1)
        assert np.isnan(found.values[~visited]).all()
        assert ((found.values[visited] >= 0) & (found.values[visited] <= 1)).all()
        assert (found.value.shape, found.value.sum()) == ((players,), pytest.approx(1))
        assert (found.policy.dtype, found.policy.sum()) == (np.float64, pytest.approx(1))
        assert 1 < found.nodes <= 41
        best = found.ranking(state.seat)[0]
        assert agent.act(state) == found.actions[best]
        most = found.visits == found.visits.max()
        assert (found.visits[best], found.scores[best]) == (found.visits.max(), found.scores[most].max())
        hints = agent.hints(state)
        assert hints[0][0] == found.actions[best]
        assert "of 40 simulations, win share" in hints[0][1]
        assert agent.win_shares(state).tolist() == found.value.tolist()


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_one_simulation_leaves_the_choice_to_the_network(players: int, elites: bool) -> None:
    agent = agent_of(1)
    for state in states_of(players, elites):
        assert agent.act(state) == agent.player.act(state)
        assert sorted(agent.search(state).visits.tolist()) == [0] * (len(state.legal_actions()) - 1) + [1]


@pytest.mark.compiled
def test_whole_games_without_an_illegal_action() -> None:
    agent = agent_of(6, 4)
    lanes = Lanes(6, num_players=[2, 3, 4], elites=[True, False], max_rounds=6, autoreset=False)
    lanes.reset(0)
    while (active := np.flatnonzero(lanes.seats >= 0)).size:
        lanes.step(agent.act_batch(lanes, active), active)  # raises at an illegal one
    assert (lanes.final_rounds > 0).all()


@pytest.mark.compiled
@pytest.mark.parametrize("players", sampled([2, 3], 2))
@pytest.mark.long
def test_the_last_turn_is_played_best(players: int) -> None:
    """With weights so small that the network knows next to nothing, the results of the simulations decide."""
    positions = last_turns(players)
    assert len(positions) >= 4
    agent = GuidedAgent(NetworkAgent(random_network(size=0.1)), 4000, candidates=NUM_ACTIONS, value_scale=0.1)
    values = [exact[agent.act(state)] - max(exact.values()) for state, exact in positions]
    assert values == [0.0] * len(positions)


@pytest.mark.long
@pytest.mark.compiled
def test_finished_games_have_the_value_of_their_result() -> None:
    agent, compared = agent_of(50, candidates=NUM_ACTIONS), set()
    for players in (2, 3):
        for state, _ in last_turns(players):
            found = agent.search(state)
            for action, visits, values in zip(found.actions.tolist(), found.visits, found.values, strict=True):
                after = state.clone()
                after.apply(action, Stream(0))
                if after.is_over and visits > 0:
                    exact = win_shares(np.array([after.ranks()]))[0]
                    np.testing.assert_allclose(values, exact, atol=1e-12)
                    compared.add(tuple(exact.tolist()))
    assert len(compared) > 1


# Who gets the simulations


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("simulations", "candidates", "expected"),
    [
        (64, 16, [15] * 2 + [7] * 2 + [3] * 4 + [1] * 8),  # 16 once, 8 twice, 4 four times, 2 eight times
        (16, 16, [1] * 16),
        (8, 4, [3, 3, 1, 1]),  # 4 once, 2 twice
        (7, 3, [3, 3, 1]),  # 3 once, 2 twice: the last two stay
        (6, 3, [3, 2, 1]),  # the budget ends in the middle of a round
        (5, 2, [3, 2]),
        (3, 16, [1, 1, 1]),  # no more candidates than simulations
    ],
)
def test_sequential_halving(simulations: int, candidates: int, expected: list[int]) -> None:
    state = next(state for state in states_of(2, True, 40) if len(state.legal_actions()) >= 16)
    visits = agent_of(simulations, candidates=candidates).search(state).visits
    assert sorted(visits[visits > 0].tolist(), reverse=True) == expected


@pytest.mark.compiled
def test_candidates_are_the_likeliest_actions_and_the_better_ones_stay() -> None:
    long, short = (agent_of(number, candidates=4, value_scale=10.0) for number in (8, 4))
    changed_by_values = 0
    for state in (state for state in states_of(2, True, 40) if len(state.legal_actions()) >= 8):
        logits, _ = long.player.network.evaluate(state.observation()[None])
        likeliest = np.argsort(-logits[0, state.legal_actions()])[:4]
        found, once = long.search(state), short.search(state)
        assert set(np.flatnonzero(found.visits)) == set(np.flatnonzero(once.visits)) == set(likeliest)
        kept = set(likeliest[np.argsort(-once.scores[likeliest])[:2]])
        assert set(np.flatnonzero(found.visits == 3)) == kept
        changed_by_values += kept != set(likeliest[:2])
    assert changed_by_values > 0


def tree_by_hand() -> Any:
    """A root and two of its three legal actions, 3, 5 and 9: tried twice and once."""
    nodes = np.zeros(3 * kernels.NODE_SIZE, np.uint8).view(kernels.NODE_DTYPE)
    nodes["network_values"][0, :2] = 0.5
    nodes["visits"] = [4, 2, 1]
    nodes["values"][1, :2] = [1.2, 0.8]
    nodes["values"][2, :2] = [0.3, 0.7]
    return nodes


def test_the_improved_policy_by_hand() -> None:
    nodes = tree_by_hand()
    logits = np.zeros((3, NUM_ACTIONS), np.float32)
    logits[0, 5] = np.log(2)
    legal, children = np.array([3, 5, 9], np.int16), np.array([1, 2, 0], np.int32)
    settings = np.zeros(kernels.SETTINGS_SIZE)
    settings[kernels.VALUE_SCALE] = 0.1
    policy = np.zeros(3)
    kernels.write_prior(logits, 0, legal, 3, policy)
    np.testing.assert_allclose(policy, [0.25, 0.5, 0.25])
    # (0.5 + 3 visits * (0.25 * 0.6 + 0.5 * 0.3) / 0.75) / 4
    assert kernels.mixed_value(nodes, 0, 0, 3, children, policy) == pytest.approx(0.425)
    assert kernels.mixed_value(nodes, 0, 1, 3, children, policy) == pytest.approx(0.575)
    kernels.write_improved_policy(nodes, logits, 0, 0, settings, legal, 3, children, policy)
    # (50 + 2 visits) * 0.1 = 5.2 for a share of the win
    weights = np.array([np.exp(5.2 * 0.6), 2 * np.exp(5.2 * 0.3), np.exp(5.2 * 0.425)])
    np.testing.assert_allclose(policy, weights / weights.sum(), rtol=1e-6)
    # From 0.55, 0.23 and 0.22 the parts of the visits, 2/4, 1/4 and none, are subtracted: the third is furthest below.
    np.testing.assert_allclose(policy, [0.55, 0.23, 0.22], atol=0.005)
    assert kernels.select_action(nodes, logits, 0, 0, settings, legal, 3, children, policy) == 2
    children[:] = 0
    kernels.write_improved_policy(nodes, logits, 0, 0, settings, legal, 3, children, policy)
    np.testing.assert_allclose(policy, [0.25, 0.5, 0.25], rtol=1e-6)


@pytest.mark.compiled
def test_the_improved_policy_of_a_search() -> None:
    agent = agent_of(32, value_scale=0.05)
    for state in states_of(3, True):
        found = agent.search(state)
        logits, outputs = agent.player.network.evaluate(state.observation()[None])
        legal = logits[0, found.actions].astype(np.float64)
        prior = np.exp(legal - legal.max())
        prior /= prior.sum()
        tried = found.visits > 0
        own = np.clip(outputs[0] * 2 / 3 + 1 / 3, 0, 1)
        seen = prior[tried] @ found.values[tried, state.seat] / prior[tried].sum()
        values = np.where(tried, found.values[:, state.seat], (own + 32 * seen) / 33)
        scores = legal + (50 + found.visits.max()) * 0.05 * values
        np.testing.assert_allclose(found.scores, scores, atol=1e-4)
        policy = np.exp(scores - scores.max())
        np.testing.assert_allclose(found.policy, policy / policy.sum(), atol=1e-4)
        assert found.value[state.seat] == pytest.approx(found.policy @ values, abs=1e-5)


@pytest.mark.compiled
def test_noise_draws_from_the_policy() -> None:
    """Gumbel noise on the logits: with one simulation a move is a draw from the network's own policy."""
    state = states_of(2, True, 1)[0]
    agent, number = agent_of(1, noise=True), 3000
    chosen = []
    for seed in range(number):
        agent.reset(seed)
        chosen.append(agent.act(state))
    logits, _ = agent.player.network.evaluate(state.observation()[None])
    legal = state.legal_actions()
    weights = np.exp(logits[0, legal].astype(np.float64))
    expected = number * weights / weights.sum()
    counts = np.bincount(chosen, minlength=NUM_ACTIONS)[legal]
    common = expected > 5
    assert common.sum() > 4
    deviation = ((counts - expected)[common] ** 2 / expected[common]).sum()
    assert deviation < common.sum() + 4 * np.sqrt(2 * common.sum())
    # The improved policy is free of it.
    agent.reset(1)
    quiet = agent_of(1).search(state)
    assert agent.search(state).visits.sum() == 1
    np.testing.assert_allclose(np.log(quiet.policy).argmax(), quiet.scores.argmax())


# What a position is worth


@pytest.mark.parametrize(
    ("values", "seat", "players", "shares"),
    [
        ([0.5], 0, 2, [0.75, 0.25]),
        ([0.5], 1, 2, [0.25, 0.75]),
        ([-3.0], 0, 2, [0, 1]),
        ([0.25], 1, 3, [0.25, 0.5, 0.25]),
        ([-1 / 3], 3, 4, [1 / 3, 1 / 3, 1 / 3, 0]),
        ([0.5, -0.5], 1, 2, [0.25, 0.75]),
        ([1.0, 1.0], 0, 2, [0.5, 0.5]),
        ([1.0, -0.5, -0.5, 9.0], 2, 3, [0, 0, 1]),
        ([0.0, -1 / 3, 1 / 3, 0.0], 1, 4, [0.25, 0.25, 0, 0.5]),
        ([-9.0, -9.0, -9.0], 0, 3, [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_values_become_shares_of_the_win(values: list[float], seat: int, players: int, shares: list[float]) -> None:
    found = np.zeros(4)
    kernels.write_shares(np.array(values, np.float32), seat, players, found)
    np.testing.assert_allclose(found[:players], shares, atol=1e-6)


@pytest.mark.compiled
def test_the_forward_pass_equals_the_network_and_no_row_depends_on_others() -> None:
    network = random_network(3)
    observations = np.stack([state.observation() for state in states_of(4, True, 8)])
    forward = Forward(network.layers())
    logits, values = forward(observations)
    assert values.shape == (8, 3)
    expected = network.evaluate(observations)
    np.testing.assert_allclose(logits, expected[0], atol=1e-5)
    np.testing.assert_allclose(values[:, 0], expected[1], atol=1e-5)
    for row in range(8):
        alone = forward(observations[row : row + 1])
        np.testing.assert_array_equal(alone[0][0], logits[row])
        np.testing.assert_array_equal(alone[1][0], values[row])


# By name


@pytest.mark.compiled
def test_load_by_name(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    random_network().save(file)
    agent = opponents.load(f"{file}+64")
    assert isinstance(agent, GuidedAgent)
    assert (agent.name, agent.version) == ("small+64", f"7+{kernels.VERSION}")
    agent = opponents.load(f"{file}+12,candidates=5,value_scale=0.5")
    assert agent.name == "small+12,candidates=5,value_scale=0.5"
    same = GuidedAgent(NetworkAgent(random_network()), 12, candidates=5, value_scale=0.5)
    states = states_of(2, True, 4)
    assert [agent.act(state) for state in states] == [same.act(state) for state in states]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("+0", "simulations: expected an integer in 1..100000, got 0"),
        ("+1.5", "simulations: expected an integer, got '1.5'"),
        ("+", "simulations: expected an integer, got ''"),
        ("+many", "simulations: expected an integer, got 'many'"),
        ("+candidates=4", "simulations is missing; simulations, candidates, value_scale are the options"),
        ("+8,candidates=1", "candidates: expected an integer in 2..316, got 1"),
        ("+8,candidates=317", "candidates: expected an integer in 2..316, got 317"),
        ("+8,value_scale=-1", "value_scale: expected a number of at least 0, got -1.0"),
        ("+8,value_scale=nan", "value_scale: expected a number of at least 0, got nan"),
        ("+8,noise=1", "option 'noise=1'; simulations, candidates, value_scale, once each, are allowed"),
        ("+8,player=x", "option 'player=x'; simulations, candidates"),
        ("+8,9", "option '9'; "),
    ],
)
def test_wrong_options_are_named(tmp_path: Path, options: str, message: str) -> None:
    random_network().save(tmp_path / "model.safetensors")
    name = f"{tmp_path}/model.safetensors{options}"
    with pytest.raises(ValueError, match="agent ") as caught:
        opponents.load(name)
    assert str(caught.value).startswith(f"agent {name!r}: ")
    assert message in str(caught.value)


def test_what_cannot_be_searched_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no/model\.safetensors: cannot be read"):
        opponents.load(f"{tmp_path}/no/model.safetensors+8")
    agent = agent_of(5)
    with pytest.raises(ValueError, match=r"small\+5: plays dunaia only"):
        agent.act(GameState.new(1, game=game_named("tests.toy_game")))
    state, chance = GameState.new(1, max_rounds=1), Stream(1)
    while not state.is_over:
        state.apply(state.legal_actions()[0], chance)
    with pytest.raises(ValueError, match=r"small\+5: expected a state with a decision, got the end of a game"):
        agent.search(state)
    few = Network(random_network().arrays, random_network().header | {"players": [2]})
    with pytest.raises(ValueError, match="num_players: 3; the network 'small' was trained for at most 2"):
        GuidedAgent(NetworkAgent(few, name="small"), 5).act(GameState.new(1, num_players=3))


@pytest.mark.compiled
def test_each_position_is_searched_with_its_own_components(tmp_path: Path) -> None:
    file = load(write(tmp_path, changed("level_1 = [1, 2]", "level_1 = [0, 0]")))
    lanes = Lanes(6, components=[None, file], num_players=[2, 2, 3, 3])
    lanes.reset(4)
    for _ in range(20):
        lanes.step(lanes.random_actions(1))
    states, agent = [lanes.get_state(lane) for lane in range(6)], agent_of(12)
    alone = [agent.search(state) for state in states]
    for found, one in zip(agent.search_many(states), alone, strict=True):
        assert all(np.array_equal(getattr(found, name), getattr(one, name), equal_nan=True) for name in vars(one))
    assert agent.act_batch(lanes, np.arange(6)).tolist() == [agent.act(state) for state in states]
    positions = lanes.snapshot()["states"]
    own = agent.search_positions(positions, [state.components for state in states])
    same = agent.search_positions(positions, [load(None)] * 6)
    assert (own.values[0::2] == same.values[0::2]).all()
    assert (own.values[1::2] != same.values[1::2]).any(axis=(1, 2)).all()
    with pytest.raises(ValueError, match=r"small\+12: expected components of 6 positions, got 1"):
        agent.search_positions(positions, [load(None)])


WITHOUT_COMPILATION = """
import json
from agents.guided import GuidedAgent
from agents.network import NetworkAgent
from dunaia_env import GameState, Stream
from tests.test_guided import random_network
chance = Stream(2)
state = GameState.new(chance, num_players=3, elites=True)
for action in range(12):
    state.apply(state.legal_actions()[-1], chance)
found = GuidedAgent(NetworkAgent(random_network(2, width=4)), 12, candidates=4, noise=True).search(state)
print(json.dumps([found.visits.tolist(), found.policy.tolist(), found.value.tolist(), found.scores.tolist()]))
"""


@pytest.mark.long
@pytest.mark.compiled
def test_without_compilation_the_same_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = []
    for switch in ("0", "1"):
        monkeypatch.setenv("NUMBA_DISABLE_JIT", switch)
        done = subprocess.run([sys.executable, "-c", WITHOUT_COMPILATION], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        outputs.append(json.loads(done.stdout))
    compiled, plain = outputs
    assert compiled[0] == plain[0]
    for one, other in zip(compiled[1:], plain[1:], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
