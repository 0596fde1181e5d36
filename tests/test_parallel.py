"""The environment in PettingZoo's parallel API: its contract, whose action counts, rewards, copies."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo import ParallelEnv
from pettingzoo.test import parallel_api_test, parallel_seed_test

from dunaia_env import dunaia_v0
from dunaia_env.harness.compiled.rewards import final_rewards
from tests.sampling import sampled_as_plain

TABLES = [(players, elites) for players in (2, 3, 4) for elites in (False, True)]
DECISIONS = 3500  # at each number of players


def random_actions(env: Any, observations: dict[str, Any], random: np.random.Generator) -> dict[str, int]:
    """A legal action for whoever decides, any action for the others."""
    actions = {}
    for agent in env.agents:
        legal = np.flatnonzero(observations[agent]["action_mask"])
        actions[agent] = int(random.choice(legal) if legal.size else random.integers(env.action_space(agent).n))
    return actions


def play_on(env: Any, observations: dict[str, Any], seed: int) -> list[str]:
    """Play random decisions to the end; what was seen on the way."""
    random, seen = np.random.default_rng(seed), []
    while env.agents:
        observations, *others = env.step(random_actions(env, observations, random))
        seen.append(str([{agent: pieces["observation"].tobytes() for agent, pieces in observations.items()}, *others]))
    return seen


@pytest.mark.parametrize(("players", "elites"), sampled_as_plain(TABLES, 3))
def test_pettingzoos_parallel_api_test(players: int, elites: bool, capsys: pytest.CaptureFixture[str]) -> None:
    parallel_api_test(dunaia_v0.parallel_env(num_players=players, elites=elites, max_rounds=6))
    assert "Passed Parallel API test" in capsys.readouterr().out


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_pettingzoos_parallel_seed_test(players: int, elites: bool) -> None:
    parallel_seed_test(lambda: dunaia_v0.parallel_env(num_players=players, elites=elites, max_rounds=6))


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_the_same_seed_gives_the_same_game(players: int, elites: bool) -> None:
    env, twin = (dunaia_v0.parallel_env(num_players=players, elites=elites, max_rounds=4) for _ in range(2))
    assert play_on(env, env.reset(seed=42)[0], 0) == play_on(twin, twin.reset(seed=42)[0], 0)
    assert play_on(env, env.reset(seed=43)[0], 0) != play_on(twin, twin.reset(seed=42)[0], 0)


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="PettingZoo has a registry from 1.26 on")
def test_the_registry_makes_the_environment() -> None:
    env = pettingzoo.make("parallel", "dunaia/Dunaia-v0", num_players=3, elites=True)
    assert isinstance(env, ParallelEnv)
    env.reset(seed=1)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert env.unwrapped.game_state.decision == "DRAFT"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_only_the_action_of_the_deciding_agent_counts(players: int) -> None:
    env = dunaia_v0.parallel_env(num_players=players, max_rounds=5)
    twin = dunaia_v0.raw_env(num_players=players, max_rounds=5)
    observations, _ = env.reset(seed=3)
    twin.reset(seed=3)
    random = np.random.default_rng(0)
    while env.agents:
        deciding = twin.agent_selection
        for agent in env.agents:
            alone = twin.observe(agent)
            assert (observations[agent]["observation"] == alone["observation"]).all()
            assert (observations[agent]["action_mask"] == alone["action_mask"]).all()
            assert observations[agent]["action_mask"].any() == (agent == deciding)
        actions = random_actions(env, observations, random)
        action = actions[deciding]
        if random.integers(2):
            actions = {deciding: action}
        observations, _, terminations, truncations, infos = env.step(actions)
        twin.step(action)
        assert env.unwrapped.game_state == twin.game_state
        assert terminations == dict.fromkeys(terminations, twin.game_state.is_over)
        assert truncations == dict.fromkeys(terminations, False)
        assert all(infos[agent]["active_agent"] == twin.agent_selection for agent in env.agents)


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3, 4])
def test_masked_decisions_are_legal_and_rewards_are_the_final_ones(players: int) -> None:
    env = dunaia_v0.parallel_env(num_players=players, reward="rank", max_rounds=4)
    random, decisions, seed = np.random.default_rng(players), 0, 0
    while decisions < DECISIONS:
        observations, infos = env.reset(seed=seed)
        returns = dict.fromkeys(env.agents, 0.0)
        while env.agents:
            observations, rewards, _, _, infos = env.step(random_actions(env, observations, random))
            returns = {agent: returns[agent] + rewards[agent] for agent in returns}
            decisions += 1
        assert not any("illegal_action" in info for info in infos.values())
        scores, ranks = np.array([infos["player_0"]["scores"]]), np.array([infos["player_0"]["ranks"]])
        wanted = final_rewards("rank", scores, ranks, np.array([players]))[0]
        assert [returns[agent] for agent in env.possible_agents] == pytest.approx(wanted.tolist())
        seed += 1


def test_an_illegal_action_of_the_deciding_agent_ends_the_game() -> None:
    env = dunaia_v0.parallel_env(num_players=3)
    observations, _ = env.reset(seed=6)
    illegal = {agent: int(pieces["action_mask"].argmin()) for agent, pieces in observations.items()}
    _, rewards, terminations, _, infos = env.step(illegal)
    assert rewards == {"player_0": -1.0, "player_1": 0.0, "player_2": 0.0}
    assert terminations == dict.fromkeys(env.possible_agents, True)
    assert infos["player_0"]["illegal_action"] == illegal["player_0"]
    assert env.agents == []


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), TABLES)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_in_mid_game_go_on_alike(players: int, elites: bool, duplicate: Callable[[Any], Any]) -> None:
    env = dunaia_v0.parallel_env(num_players=players, elites=elites, max_rounds=6)
    observations, _ = env.reset(seed=6)
    random = np.random.default_rng(0)
    for _ in range(30):
        observations, *_ = env.step(random_actions(env, observations, random))
    before = env.unwrapped.game_state.clone()
    twin = duplicate(env)
    theirs = play_on(twin, observations, 9)
    assert env.unwrapped.game_state == before
    assert play_on(env, observations, 9) == theirs
    # The next games are alike too.
    assert play_on(env, env.reset()[0], 9) == play_on(twin, twin.reset()[0], 9)
