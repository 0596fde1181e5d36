"""The random and the greedy player, and how players are found by name."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env import GameState, Lanes, Stream
from dunaia_env.dunaia.weights import PARAMETER_COUNT, load_weights
from dunaia_env.harness import opponents
from dunaia_env.harness.opponents import Agent, GreedyAgent, RandomAgent, load


def lanes_of(count: int, seed: int, **options: Any) -> Lanes:
    lanes = Lanes(count, **{"num_players": [2, 3, 4], "elites": [False, True], "max_rounds": 20, **options})
    lanes.reset(seed)
    return lanes


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_named_agents_fulfil_the_protocol(name: str) -> None:
    agent = load(name)
    assert isinstance(agent, Agent)
    assert agent.name == name
    assert agent.version
    assert name in opponents.names()
    assert load(name) is not agent
    agent.reset(3)
    state = GameState.new(1, num_players=3)
    assert agent.act(state) in state.legal_actions()
    lanes = lanes_of(6, 1)
    selected = np.array([5, 0, 2])
    actions = agent.act_batch(lanes, selected)
    assert (actions.dtype, actions.shape) == (np.int32, (3,))
    assert lanes.action_masks[selected, actions].all()
    assert agent.act_batch(lanes, np.zeros(0, np.int64)).shape == (0,)


MODULE = """
from dunaia_env.harness.opponents import RandomAgent

class Mine(RandomAgent):
    name = "mine"

def make():
    return Mine(5)

mine = Mine(6)
number = 7

def broken():
    return object()
"""


@pytest.mark.parametrize("attribute", ["Mine", "make", "mine"])
def test_agents_of_other_modules_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attribute: str) -> None:
    (tmp_path / "my_agents_of_test.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    agent = load(f"my_agents_of_test:{attribute}")
    assert agent.name == "mine"
    assert agent.act(GameState.new(0)) in GameState.new(0).legal_actions()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "nobody",
            "agent 'nobody': expected one of random, greedy, mcts, ismcts, flat, terminal, champion, dune_champion, ",
        ),
        ("", "agent '': expected one of random, "),
        ("Random", "agent 'Random': expected one of random, "),
        ("no_such_module_of_test:Agent", "agent 'no_such_module_of_test:Agent': No module named"),
        ("my_agents_of_test:Nobody", "agent 'my_agents_of_test:Nobody': module .* has no attribute 'Nobody'"),
        ("my_agents_of_test:number", "has no name, version, reset, act and act_batch"),
        ("my_agents_of_test:broken", "has no name, version, reset, act and act_batch"),
        ("/no/such/model.safetensors", "/no/such/model.safetensors"),
    ],
)
def test_agents_that_cannot_be_loaded_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    (tmp_path / "my_agents_of_test.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=message):
        load(name)


# Random


def test_random_choices_are_uniform() -> None:
    state = GameState.new(1)
    legal = state.legal_actions()
    agent = RandomAgent(4)
    counts = np.bincount([agent.act(state) for _ in range(4000)], minlength=316)[legal]
    expected = 4000 / len(legal)
    assert counts.sum() == 4000
    assert ((counts - expected) ** 2 / expected).sum() < 30


def choices(agent: RandomAgent, decisions: int = 60) -> list[int]:
    state, chance = GameState.new(2), Stream(2)
    made = []
    for _ in range(decisions):
        made.append(agent.act(state))
        state.apply(made[-1], chance)
    return made


def test_random_choices_are_named_by_the_seed() -> None:
    agent = RandomAgent(9)
    first = choices(agent)
    assert choices(agent) != first  # the stream goes on
    agent.reset(9)
    assert choices(agent) == first
    assert choices(RandomAgent(9)) == first
    assert choices(RandomAgent(10)) != first


@pytest.mark.compiled
def test_random_choices_in_a_batch_depend_on_the_lane_alone() -> None:
    one, other = lanes_of(9, 5), lanes_of(4, 5)
    agent = RandomAgent(1)
    for _ in range(80):
        actions = agent.act_batch(one, np.arange(9))
        assert (agent.act_batch(other, np.arange(4)) == actions[:4]).all()
        assert (agent.act_batch(one, np.array([8, 3])) == actions[[8, 3]]).all()
        one.step(actions)
        other.step(actions[:4])


# Greedy


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [1, 3])
def test_greedy_decides_alike_alone_and_in_a_batch(threads: int) -> None:
    lanes = lanes_of(12, 3, threads=threads)
    agent = GreedyAgent()
    compared = 0
    for step in range(400):
        selected = np.flatnonzero(np.arange(12) % 2 == step % 2)
        actions = lanes.random_actions(0)
        decided = agent.act_batch(lanes, selected)
        if step % 8 == 0:
            assert decided.tolist() == [agent.act(lanes.get_state(lane)) for lane in selected]
            compared += len(selected)
        actions[selected] = decided
        lanes.step(actions)
    assert compared > 200
    lanes.close()


@pytest.mark.compiled
def test_greedy_leaves_state_and_lanes_alone() -> None:
    lanes, agent = lanes_of(5, 3), GreedyAgent()
    for _ in range(50):
        before = lanes.snapshot()
        state = lanes.get_state(2)
        copy_of_it = state.clone()
        agent.act(state)
        actions = agent.act_batch(lanes, np.arange(5))
        assert state == copy_of_it
        assert all((lanes.snapshot()[key] == value).all() for key, value in before.items())
        lanes.step(actions)


@pytest.mark.compiled
def test_greedy_does_not_know_what_comes() -> None:
    """In one state it decides alike whatever the seed of the game, and its own seed names what it imagines."""
    lanes = lanes_of(1, 8, num_players=2, elites=False)
    others = [lanes_of(1, seed, num_players=2, elites=False) for seed in (100, 200, 300)]
    agent = GreedyAgent()
    for _ in range(300):
        state = lanes.get_state(0)
        action = agent.act(state)
        for other in others:
            other.set_state(0, state)
            assert agent.act_batch(other, np.arange(1))[0] == action
        assert GameState.from_dict(state.to_dict()) == state
        assert agent.act(GameState.from_dict(state.to_dict())) == action
        lanes.step(np.array([action]))
        if lanes.terminations[0]:
            break
    assert lanes.terminations[0]


@pytest.mark.compiled
def test_greedys_seed_names_what_it_imagines() -> None:
    """Unknown tiles are drawn from the player's own seed: it may matter, but the same seed always decides alike."""
    agent, same, other = GreedyAgent(), GreedyAgent(), GreedyAgent()
    agent.reset(1)
    same.reset(1)
    other.reset(2)
    chance = Stream(0)
    state = GameState.new(chance, max_rounds=30)
    while not state.is_over:
        action = agent.act(state)
        assert same.act(state) == action
        assert other.act(state) in state.legal_actions()
        state.apply(action, chance)


def winners(players: int, games: int) -> float:
    """Share of the victories of one greedy seat among random ones, each seat in turn, two games a seed."""
    lanes = Lanes(games, num_players=players)
    lanes.reset([game // players for game in range(games)])
    mine = np.arange(games) % players
    agent, share = GreedyAgent(), np.full(games, np.nan)
    while np.isnan(share).any():
        actions = lanes.random_actions(1)
        selected = np.flatnonzero(lanes.seats == mine)
        actions[selected] = agent.act_batch(lanes, selected)
        lanes.step(actions)
        for lane in np.flatnonzero(lanes.terminations & np.isnan(share)):
            first = lanes.final_ranks[lane] == 1
            share[lane] = first[mine[lane]] / first.sum()
    return float(share.mean())


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3, 4])
def test_greedy_beats_random(players: int) -> None:
    """Far more than its share: at least 90 % of the games at every table."""
    assert winners(players, 100 if players == 2 else 96 if players == 4 else 99) >= 0.9


@pytest.mark.compiled
def test_greedys_weights_decide_and_are_checked() -> None:
    weights = load_weights()
    assert weights.shape == (PARAMETER_COUNT,)
    lanes = lanes_of(6, 2)
    for _ in range(30):
        lanes.step(GreedyAgent().act_batch(lanes, np.arange(6)))
    assert (GreedyAgent(weights).act_batch(lanes, np.arange(6)) == GreedyAgent().act_batch(lanes, np.arange(6))).all()
    # Nothing is worth anything: the first action is as good as all others.
    indifferent = GreedyAgent(np.zeros(PARAMETER_COUNT))
    assert (indifferent.act_batch(lanes, np.arange(6)) == lanes.legal_actions[:, 0]).all()
    for shape in [(PARAMETER_COUNT + 1,), (1, PARAMETER_COUNT), ()]:
        with pytest.raises(ValueError, match=re.escape(f"weights: expected shape ({PARAMETER_COUNT},), got {shape}")):
            GreedyAgent(np.zeros(shape))


@pytest.mark.compiled
def test_greedy_games_mostly_end_by_themselves() -> None:
    lanes = Lanes(90, num_players=[2, 3, 4], autoreset=False)
    lanes.reset(0)
    while (lanes.seats >= 0).any():
        lanes.step(GreedyAgent().act_batch(lanes, np.arange(90)))
    assert lanes.max_rounds_reached.mean() < 0.1
    assert np.median(lanes.final_rounds) < 45


@pytest.mark.parametrize("name", [".x:y", "numpy:zeros", "no_such_module:Agent", "numpy:pi"])
def test_what_is_no_agent_gets_one_clear_error(name: str) -> None:
    with pytest.raises(ValueError, match=f"^agent '{name}': "):
        load(name)


class Bytes(os.PathLike[bytes]):
    def __fspath__(self) -> bytes:
        return b"greedy"


NO_NAMES = [5, None, True, 2.5, b"greedy", ["greedy"], RandomAgent, RandomAgent(), 10**5000, Bytes()]


@pytest.mark.parametrize("name", NO_NAMES, ids=lambda value: type(value).__name__)
def test_what_names_no_agent_gets_one_clear_error(name: Any) -> None:
    with pytest.raises(ValueError, match=r"^agent: expected a name or the path of a \*.safetensors file, got .*$"):
        load(name)


@pytest.mark.parametrize(
    "name", ["x", "mcts:", "x" * 100 + ":Agent", "greedy:weights=", "greedy:", "easy:", "mcts:1,playout="]
)
def test_long_and_odd_names_are_cut_and_escaped(name: str) -> None:
    for rest in ("x" * 5_000_000, "\x1b[2J\n\u202e", "no\0where", "\ud800"):
        with pytest.raises(ValueError, match=r"^agent ") as caught:
            load(name + rest)
        assert len(str(caught.value)) < 1000
        assert str(caught.value).isprintable()
