"""Double DQN with λ-returns: one network decides for every seat and learns from all of their decisions."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.network import Network, NetworkAgent
from training.benchmark.algorithms import Task
from training.benchmark.algorithms.replay import Floats, ReplayLearner
from training.facts import Estimates
from training.ppo import PolicyNetwork
from training.running import checkpoint

LAYERS, WIDTH = 2, 256  # as in the other algorithms' networks
# Positions that are evaluated at once.
CHUNK = 2048


def action_values(network: PolicyNetwork, observations: Tensor, action_masks: Tensor) -> Tensor:
    """The values of the actions, float32 ``(B, actions)``; minus infinity for an illegal one.

    The value head gives the mean over the legal actions, and the policy head the differences from it: the dueling
    architecture of Wang et al. (2016). So the best action is the one with the highest output of the policy head.

    Args:
        network: the network.
        observations: int8 ``(B, inputs)``.
        action_masks: int8 ``(B, actions)``, 1 for a legal action, of which each row has at least one.
    """
    estimates: Estimates = network(observations)
    legal = action_masks != 0
    mean = (estimates.logits * legal).sum(dim=1, keepdim=True) / legal.sum(dim=1, keepdim=True)
    values: Tensor = estimates.values + estimates.logits - mean
    return values.masked_fill(~legal, -torch.inf)


def double_values(chooser: Tensor, judge: Tensor) -> Tensor:
    """The judge's value of the chooser's best action in each row, ``(B,)``, from action values ``(B, actions)``.

    The highest of several noisy values is too high on average. It is not if another network, with other noise, judges
    the choice (van Hasselt, Guez and Silver, 2016).
    """
    return judge.gather(1, chooser.argmax(dim=1, keepdim=True)).squeeze(1)


class DQN(ReplayLearner):
    """Double dueling DQN with λ-returns from a replay memory, self-play on every seat.

    A λ-return mixes the values of the best actions at the same seat's next decisions with the outcome of the game, and
    is not cut where a random action was taken (Peng and Williams, 1996).

    Args:
        task: what to learn.
    """

    OPTIONS: ClassVar[dict[str, Any]] = {
        "lanes": 64,
        "steps": 64,
        "memory": 16_384,
        "batch": 512,
        "replays": 2.0,
        "learning_rate": 5e-4,
        "trace_decay": 0.9,
        "exploration": (1.0, 0.05),
        "exploration_part": 0.3,
        "margin": 1.0,
    }
    SPACE: ClassVar[dict[str, tuple[Any, ...]]] = {
        "learning_rate": (2.5e-4, 5e-4, 1e-3),
        "trace_decay": (0.8, 0.9, 0.95),
        "replays": (1.0, 2.0, 4.0),
        "margin": (0.0, 0.5, 1.0),
    }

    network: PolicyNetwork

    def __init__(self, task: Task) -> None:
        actions, widths = task.game.num_actions, [WIDTH] * LAYERS

        def network(scale: Tensor) -> PolicyNetwork:
            return PolicyNetwork(scale, actions, 1, widths=widths, seed=task.seed)

        super().__init__(task, {**self.OPTIONS, **task.options}, actions, network)
        self._target = network(self.network.input_scale)  # the network as it was one rollout ago

    def play(self) -> None:
        """Make one decision in each lane, and remember it."""
        lanes = self.lanes
        seen = {
            "observations": lanes.observations[:, : self.inputs].copy(),
            "action_masks": lanes.action_masks.copy(),
            "seats": lanes.seats.copy(),
        }
        with torch.no_grad():
            values = action_values(self.network, *map(torch.from_numpy, (seen["observations"], seen["action_masks"])))
        actions = self.explored(values.argmax(dim=1).numpy())
        lanes.step(actions)  # also begins the next game where one has ended
        self.memory.add(**seen, actions=actions, rewards=self.rewards(), terminations=lanes.terminations)

    def returns(self) -> tuple[Floats, NDArray[np.bool_]]:
        """The λ-returns of the decisions in memory; then the target network becomes a copy of the present one."""
        memory, order, lanes = self.memory, self.memory.order, self.lanes
        actions = memory.action_masks.shape[2]
        values = self._values(
            memory.observations[order].reshape(-1, self.inputs), memory.action_masks[order].reshape(-1, actions)
        )
        following = self._values(lanes.observations[:, : self.inputs], lanes.action_masks)
        found = memory.returns(values.reshape(len(order), -1), self.options["trace_decay"], following, lanes.seats)
        self._target.load_state_dict(self.network.state_dict())
        return found

    def _values(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> Floats:
        """The values of positions, float32 ``(B,)``: of their best actions, see `double_values`."""
        parts = (torch.split(torch.from_numpy(array), CHUNK) for array in (observations, action_masks))
        networks = self.network, self._target
        with torch.no_grad():
            both = ([action_values(network, *part) for network in networks] for part in zip(*parts, strict=True))
            return torch.cat([double_values(*values) for values in both]).numpy()

    def predict(self, rows: NDArray[np.int64], lanes: NDArray[np.int64]) -> Tensor:
        """See `ReplayLearner.predict`."""
        memory = self.memory
        columns = (column[rows, lanes] for column in (memory.observations, memory.action_masks, memory.actions))
        observations, masks, actions = map(torch.from_numpy, columns)
        return action_values(self.network, observations, masks).gather(1, actions[:, None]).squeeze(1)

    def player(self) -> NetworkAgent:
        """A player that takes the action of the highest value."""
        arrays = {name: tensor.detach().numpy().copy() for name, tensor in self.network.state_dict().items()}
        version = str(self.decisions)
        header = checkpoint.game_hashes(self.task.game, self.lanes.components_of(0)) | {
            "name": "dqn",
            "version": version,
            "players": [self.task.players],
            "decisions": self.decisions,
        }
        return NetworkAgent(Network(arrays, header), name="dqn", version=version, game=self.task.game)
