"""RLlib plays and learns the PettingZoo environment. Run by `tests.compat.run` in an environment of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from dunaia_env import dunaia_v0
from dunaia_env.harness.compiled.rewards import final_rewards

# Before ray is imported: no statistics are sent, no token is written into the home folder.
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "OMP_NUM_THREADS": "1"}

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.connectors.env_to_module import FlattenObservations
from ray.rllib.env.wrappers import pettingzoo_env
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

DECISIONS = 1800  # at each table
PAGE = Path(__file__).parents[2] / "docs" / "interfaces.md"


class Watched(PettingZooEnv):
    """Counts decisions and games in all environments of the process, and notes which decisions were illegal."""

    decisions, games = 0, 0
    illegal: list[int]

    def step(self, action: dict[str, Any]) -> Any:
        result = super().step(action)
        Watched.decisions += 1
        Watched.games += result[2]["__all__"]
        if any("illegal_action" in info for info in result[4].values()):
            Watched.illegal.append(Watched.decisions)
        return result


@pytest.mark.parametrize("elites", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_masked_decisions_are_legal_and_rewards_are_the_final_ones(players: int, elites: bool) -> None:
    env = PettingZooEnv(dunaia_v0.env(num_players=players, elites=elites, reward="rank", max_rounds=3))
    random, decisions, seed = np.random.default_rng(players), 0, 0
    while decisions < DECISIONS:
        seen, _ = env.reset(seed=seed)
        returns, over = dict.fromkeys(env.possible_agents, 0.0), False
        while not over:
            ((agent, pieces),) = seen.items()
            action = int(random.choice(np.flatnonzero(pieces["action_mask"])))
            seen, rewards, terminations, truncations, infos = env.step({agent: action})
            returns = {name: value + rewards.get(name, 0.0) for name, value in returns.items()}
            over = terminations["__all__"]
            assert not any(truncations.values())
            decisions += 1
        # At the end everybody observes and is told the result.
        assert set(seen) == set(env.possible_agents)
        assert not any("illegal_action" in info for info in infos.values())
        scores, ranks = np.array([infos["player_0"]["scores"]]), np.array([infos["player_0"]["ranks"]])
        wanted = final_rewards("rank", scores, ranks, np.array([players]))[0]
        assert [returns[f"player_{seat}"] for seat in range(players)] == pytest.approx(wanted.tolist())
        seed += 1


@pytest.fixture
def cluster() -> Iterator[None]:
    with TemporaryDirectory(prefix="ray-") as folder:
        ray.init(num_cpus=1, include_dashboard=False, object_store_memory=100 * 2**20, _temp_dir=folder)
        yield
        ray.shutdown()
        assert not (Path.home() / ".ray").exists()


@pytest.mark.parametrize("vectorize_mode", ["sync", "async"])
def test_remote_workers_make_the_gymnasium_environment_by_name(cluster: None, vectorize_mode: str) -> None:
    """The workers have imported nothing of the library before."""
    config = (
        PPOConfig()
        .environment("dunaia_env:dunaia/Dunaia-v0", env_config={"max_rounds": 3})
        .env_runners(
            num_env_runners=1,
            num_envs_per_env_runner=2,
            gym_env_vectorize_mode=vectorize_mode,
            env_to_module_connector=lambda *_, **__: FlattenObservations(),
            rollout_fragment_length=40,
        )
        .training(train_batch_size_per_learner=80, minibatch_size=40, num_epochs=1)
    )
    algorithm = config.build_algo()
    assert algorithm.env_runner_group.num_remote_env_runners() == 1
    result = algorithm.train()
    algorithm.stop()
    assert result["env_runners"]["num_env_steps_sampled"] >= 80


def test_the_documented_ppo_learns_without_an_illegal_action(cluster: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pettingzoo_env, "PettingZooEnv", Watched)
    Watched.decisions, Watched.games, Watched.illegal = 0, 0, []
    names: dict[str, Any] = {}
    exec(re.search(r"```python rllib\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1], names)
    result = names["algorithm"].train()
    losses = result["learners"]["shared"]
    assert np.isfinite([losses["total_loss"], losses["policy_loss"], losses["vf_loss"]]).all()
    # Every seat's return is part of its episodes: with zero-sum rewards they cancel out.
    returns = result["env_runners"]["agent_episode_returns_mean"]
    assert set(returns) == {"player_0", "player_1", "player_2"}
    assert sum(returns.values()) == pytest.approx(0, abs=1e-6)
    assert any(returns.values())
    names["algorithm"].stop()
    assert Watched.decisions > 2000
    assert Watched.games > 50
    # RLlib tries an environment that it made with an action that no mask was applied to.
    assert Watched.illegal in ([], [1])
