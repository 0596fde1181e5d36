"""Tianshou plays the PettingZoo environment: masks, rewards, its collector, one of its learners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tianshou.algorithm import DQN
from tianshou.algorithm.algorithm_base import policy_within_training_step
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

from dunaia_env import dunaia, dunaia_v0
from dunaia_env.harness.compiled.rewards import final_rewards

pytestmark = pytest.mark.once


def make(players: int, **options: Any) -> PettingZooEnv:
    """The wrapped environment; an illegal action raises."""
    return PettingZooEnv(dunaia_v0.env(num_players=players, max_rounds=3, illegal="raise", **options))


def random_learners(env: PettingZooEnv) -> MultiAgentOffPolicyAlgorithm:
    """Tianshou's own random player on every seat."""
    players = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space) for _ in env.agents]
    return MultiAgentOffPolicyAlgorithm(algorithms=players, env=env)


@pytest.mark.parametrize("elites", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_are_played_with_masks_and_every_seat_gets_its_reward(players: int, elites: bool) -> None:
    env = make(players, elites=elites, reward="rank")
    random = np.random.default_rng(players)
    for seed in range(5):
        seen, _ = env.reset(seed=seed)
        returns, terminated = np.zeros(players), False
        while not terminated:
            assert seen["agent_id"] == env.env.agent_selection
            assert seen["obs"].shape == (dunaia.OBSERVATION_SIZE,)
            # The list of rewards is the same object in every step.
            seen, rewards, terminated, truncated, info = env.step(int(random.choice(np.flatnonzero(seen["mask"]))))
            returns += rewards
            assert truncated is False
        wanted = final_rewards("rank", np.array([info["scores"]]), np.array([info["ranks"]]), np.array([players]))[0]
        assert returns == pytest.approx(wanted)


def test_a_batch_of_environments_plays_on() -> None:
    batch = DummyVectorEnv([lambda: make(3) for _ in range(3)])
    batch.seed([7, 8, 9])
    seen, _ = batch.reset()
    random, ends = np.random.default_rng(0), 0
    for _ in range(60):
        seen, _, terminations, _, _ = batch.step([random.choice(np.flatnonzero(one["mask"])) for one in seen])
        ended = np.flatnonzero(terminations)
        ends += len(ended)
        if len(ended):
            seen[ended] = batch.reset(ended)[0]
    assert ends > 3
    batch.close()


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 3, 4])
def test_thousands_of_decisions_of_tianshous_random_players_are_legal(players: int) -> None:
    batch = DummyVectorEnv([lambda: make(players) for _ in range(4)])
    buffer = VectorReplayBuffer(20_000, 4)
    collector = Collector(random_learners(make(players)), batch, buffer)
    collector.reset()
    result = collector.collect(n_step=3500)
    assert result.n_collected_steps >= 3500
    rows, _ = buffer.sample(0)
    ends = rows[rows.terminated]
    assert len(ends) == result.n_collected_episodes > 50
    scores, ranks = np.array(ends.info.scores), np.array(ends.info.ranks)
    assert ends.rew == pytest.approx(final_rewards("win", scores, ranks, np.full(len(ends), players)))
    # The collector lists games as they end, the buffer by environment.
    assert sorted(result.returns.round(4).tolist()) == sorted(ends.rew.round(4).tolist())
    assert not rows[~rows.terminated].rew.any()
    assert (rows.obs.mask[np.arange(len(rows)), rows.act]).all()
    batch.close()


@pytest.mark.long
def test_masked_q_learners_collect_and_update() -> None:
    env = make(3)
    learners = []
    for _ in env.agents:
        net = Net(state_shape=dunaia.OBSERVATION_SIZE, action_shape=dunaia.NUM_ACTIONS, hidden_sizes=[32])
        policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.3)
        learners.append(DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), n_step_return_horizon=20))
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=learners, env=env)
    batch = DummyVectorEnv([lambda: make(3) for _ in range(4)])
    buffer = VectorReplayBuffer(2_000, 4)
    collector = Collector(algorithm, batch, buffer, exploration_noise=True)
    collector.reset()
    with policy_within_training_step(algorithm.policy):
        collector.collect(n_step=400)
        statistics = algorithm.update(buffer=buffer, sample_size=64)
    losses = statistics.get_loss_stats_dict()
    assert {name.split("/")[0] for name in losses} == set(env.agents)
    assert np.isfinite(list(losses.values())).all()
    batch.close()
