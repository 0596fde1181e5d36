"""Tianshou's DQN with action masks: one seat against a pool of its own copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Discrete
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.network import Network, NetworkAgent
from dunaia_env.harness import opponents
from dunaia_env.harness.learner import LearnerLanes
from dunaia_env.harness.seeds import batch_seed
from training.benchmark.algorithms import Task
from training.ppo import PolicyNetwork
from training.running import checkpoint

try:
    from tianshou.algorithm.modelfree import dqn as tianshou
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Batch, VectorReplayBuffer
    from tianshou.utils.torch_utils import policy_within_training_step
except ImportError as error:
    raise ImportError('dqn needs Tianshou: pip install "dunaia-env[benchmark]", or tianshou') from error

MOST_GAMES = 64
LAYERS, WIDTH = 2, 256  # as in the other algorithms' networks
LEARNING_RATE = 5e-4
# Decisions in the replay buffer, decisions in the batch of an update, and decisions before the first update. An update
# follows each step of all games.
MEMORY, BATCH, FIRST_UPDATE = 100_000, 256, 2_000
# Steps of a return before it bootstraps from a value. A seat has 100 to 200 decisions in a game, and only the last one
# is rewarded. In one training of 131,072 decisions each, 20 steps gave 51 % against random, and 100 steps 60 %.
LOOK_AHEAD = 100
UPDATES_PER_TARGET = 250
# The exploration rate falls from 1 to LAST_EXPLORATION within this part of the budget.
EXPLORATION_PART, LAST_EXPLORATION = 0.25, 0.05
# Decisions between two copies of the learner that join the pool, as many as for MaskablePPO, and the largest number of
# copies in the pool.
DECISIONS_PER_COPY, MOST_COPIES = 5 * 16_384, 8


class QNetwork(nn.Module):
    """The network of the other algorithms, whose policy head gives the values of the actions."""

    def __init__(self, network: PolicyNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, observations: NDArray[np.int8], state: Any = None, info: Any = None) -> tuple[Tensor, Any]:
        """Action values ``(N, actions)`` of observations, and the recurrent state, which is not used."""
        return self.network(torch.from_numpy(np.asarray(observations))).logits, state


class DQN:
    """DQN of Tianshou (double, masked, 100-step returns), one seat against random and copies of itself.

    Args:
        task: what to learn.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        count = task.games(1, MOST_GAMES)
        self._random = np.random.default_rng(task.seed)
        self._pool = opponents.Pool([opponents.load("random", game=task.game)])
        self._copies: list[int] = []
        self._games = LearnerLanes(
            count,
            opponents=self._pool,
            num_players=task.players,
            game=task.game,
            illegal="raise",
            threads=task.threads,
            **task.game_options,
        )
        self._lanes = self._games.lanes
        self._games.reset(batch_seed(task.seed, "training"))
        game = self._lanes.game
        self._inputs = int(game.used_size(task.players))
        scale = torch.from_numpy(np.array(game.observation_scale[: self._inputs], np.float32))
        actions = self._lanes.num_actions
        self._network = PolicyNetwork(scale, actions, 1, widths=[WIDTH] * LAYERS, seed=task.seed)
        policy = tianshou.DiscreteQLearningPolicy(model=QNetwork(self._network), action_space=Discrete(actions))
        self._algorithm = tianshou.DQN(
            policy=policy,
            optim=AdamOptimizerFactory(lr=LEARNING_RATE),
            gamma=1.0,
            n_step_return_horizon=LOOK_AHEAD,
            target_update_freq=UPDATES_PER_TARGET,
            is_double=True,
        )
        self._memory = VectorReplayBuffer(min(MEMORY, task.decisions), count)
        # Without this, the replay buffers of all runs would draw the same decisions.
        self._memory._random_state.seed(task.seed)
        self._decisions = 0

    @property
    def decisions(self) -> int:
        """Decisions of the learner's seat; those of its copies are not learned from."""
        return self._decisions

    def train(self, until: int) -> None:
        """See `training.benchmark.algorithms.Algorithm`."""
        while self._decisions < until:
            self._play()
            if len(self._memory) >= min(FIRST_UPDATE, self._task.interval // 2):
                with policy_within_training_step(self._algorithm.policy):
                    self._algorithm.update(buffer=self._memory, sample_size=BATCH)
            if self._decisions // DECISIONS_PER_COPY > (self._decisions - self._count) // DECISIONS_PER_COPY:
                self._copies.append(self._pool.add(self.player()))
                if len(self._copies) > MOST_COPIES:
                    self._pool.remove(self._copies.pop(0))

    @property
    def _count(self) -> int:
        return int(self._lanes.num_lanes)

    def _seen(self) -> Batch:
        """The learner's observations and masks in the form that Tianshou expects."""
        lanes = self._lanes
        return Batch(obs=lanes.observations[:, : self._inputs].copy(), mask=lanes.action_masks.copy())

    def _play(self) -> None:
        """Make one decision in each game, and store it in the replay buffer."""
        games, seen = self._games, self._seen()
        with torch.no_grad():
            actions = np.array(self._algorithm.policy(Batch(obs=seen, info=Batch())).act, np.int64)
        part = self._decisions / (EXPLORATION_PART * self._task.decisions)
        explored = self._random.random(self._count) < max(LAST_EXPLORATION, 1 - (1 - LAST_EXPLORATION) * part)
        anything = (self._random.random(seen.mask.shape) * seen.mask).argmax(axis=1)
        actions[explored] = anything[explored]
        games.step(actions)
        ends, rewards = games.terminations.copy(), games.rewards.copy()
        # After the end of a game the observation is the first of the next game; its value is not used.
        games.begin(np.flatnonzero(ends))
        decided = Batch(
            obs=seen,
            act=actions,
            rew=rewards,
            terminated=ends,
            truncated=np.zeros_like(ends),
            obs_next=self._seen(),
            info=Batch(),
        )
        self._memory.add(decided, buffer_ids=np.arange(self._count))
        self._decisions += self._count

    def player(self) -> NetworkAgent:
        """A player that takes the action of the highest value."""
        arrays = {name: tensor.detach().numpy().copy() for name, tensor in self._network.state_dict().items()}
        version = str(self._decisions)
        header = checkpoint.game_hashes(self._lanes.game, self._lanes.components_of(0)) | {
            "name": "dqn",
            "version": version,
            "players": [self._task.players],
            "decisions": self._decisions,
        }
        return NetworkAgent(Network(arrays, header), name="dqn", version=version, game=self._task.game)
