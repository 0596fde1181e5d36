"""What the value learners share: a memory of the latest decisions, returns along each seat's chain, and the loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dunaia_env import Lanes
from dunaia_env.harness.compiled.advantages import table_advantages
from dunaia_env.harness.compiled.rewards import final_rewards
from dunaia_env.harness.seeds import batch_seed
from training.benchmark.algorithms import Task

Floats = NDArray[np.float32]

# Largest norm of the gradient; a larger gradient is scaled down to it.
MOST_GRADIENT = 1.0


class Memory:
    """The last R decisions of each of N lanes, with S players and I inputs. The oldest row makes room for a new one.

    Args:
        rows, lanes, players, inputs: R, N, S and I.
        actions: number of actions; 0 for a learner that needs neither actions nor masks.

    Attributes:
        observations: int8 ``(R, N, I)``, what the deciding seat saw.
        action_masks: int8 ``(R, N, actions)``, 1 for a legal action.
        actions: int64 ``(R, N)``, the chosen actions.
        seats: int8 ``(R, N)``, the deciding seats.
        rewards: float32 ``(R, N, S)``, each seat's reward from the decision.
        terminations: bool ``(R, N)``, whether the decision ended the game.
    """

    def __init__(self, rows: int, lanes: int, players: int, inputs: int, actions: int = 0) -> None:
        shape = rows, lanes
        self.observations = np.zeros((*shape, inputs), np.int8)
        self.action_masks = np.zeros((*shape, actions), np.int8)
        self.actions = np.zeros(shape, np.int64)
        self.seats = np.zeros(shape, np.int8)
        self.rewards = np.zeros((*shape, players), np.float32)
        self.terminations = np.zeros(shape, np.bool_)
        self._added = 0

    def add(self, **columns: NDArray[Any]) -> None:
        """Add one decision of each lane: a row of each of the attributes that the learner uses."""
        row = self._added % len(self.seats)
        for name, values in columns.items():
            getattr(self, name)[row] = values
        self._added += 1

    @property
    def order(self) -> NDArray[np.int64]:
        """The rows that are filled, int64 ``(F,)``, from the oldest to the newest."""
        rows = len(self.seats)
        return np.arange(max(0, self._added - rows), self._added) % rows

    def returns(
        self,
        values: Floats,
        trace_decay: float,
        next_values: Floats | None = None,
        next_seats: NDArray[np.int8] | None = None,
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """The λ-return of each decision for the seat that made it, along this seat's own decisions.

        Args:
            values: float32 ``(F, N)``, what the deciding seats expect, in the order of `order`.
            trace_decay: λ, 0..1: 0 looks one decision of the same seat ahead, 1 to the end of the game.
            next_values: float32 ``(N,)``, the same for the decisions after the newest row; None if they are not known.
            next_seats: int8 ``(N,)``, the seats that make these decisions.

        Returns:
            The returns, float32 ``(F, N)``, and whether they are known, bool ``(F, N)``: the outcome of a seat's newest
            decision may lie in the future.
        """
        order, lanes, players = self.order, *self.rewards.shape[1:]
        advantages, known = table_advantages(
            values[:, :, None],
            self.rewards[order],
            self.terminations[order],
            self.seats[order],
            np.full(lanes, players, np.int8),
            np.zeros((lanes, 1), np.float32) if next_values is None else next_values[:, None],
            np.full(lanes, -1, np.int8) if next_seats is None else next_seats,
            1.0,
            trace_decay,
        )
        return values + advantages[:, :, 0], known


class ReplayLearner(ABC):
    """Self-play of one network on every seat, which learns returns from a `Memory` after each rollout.

    The returns of all decisions in memory are computed anew before each round of learning (Daley and Amato,
    "Reconciling λ-returns with experience replay", 2019). The learning rate falls to zero over the budget.

    Args:
        task: what to learn.
        options: ``lanes`` (most games at once), ``steps`` (decisions of each lane in a rollout), ``memory`` (decisions
            in memory), ``batch`` (of an update), ``replays`` (how often a decision is learned from, on average),
            ``learning_rate``, ``trace_decay`` (λ), ``exploration`` (the first and the last probability of a random
            action), ``exploration_part`` (the part of the budget in which it falls) and ``margin`` (weight of an
            additional reward: the margin of the scores, see `dunaia_env.harness.compiled.rewards.final_rewards`).
        actions: see `Memory`.
        network: makes the network from the scale of its inputs, float32 ``(inputs,)``.
    """

    def __init__(
        self, task: Task, options: Mapping[str, Any], actions: int, network: Callable[[Tensor], nn.Module]
    ) -> None:
        self.task, self.options = task, options
        count = task.games(options["steps"], options["lanes"])
        self.random = np.random.default_rng(task.seed)
        self.lanes = Lanes(
            count,
            game=task.game,
            components=task.components(count),
            num_players=task.players,
            threads=task.threads,
            **task.game_options,
        )
        self.lanes.reset(batch_seed(task.seed, "training"))
        self.inputs = int(task.game.used_size(task.players))
        rows = max(options["steps"], min(options["memory"], task.decisions) // count)
        self.memory = Memory(rows, count, task.players, self.inputs, actions)
        self.network = network(torch.from_numpy(np.array(task.game.observation_scale[: self.inputs], np.float32)))
        self.optimizer = torch.optim.Adam(self.network.parameters(), options["learning_rate"], eps=1e-5, fused=True)
        self._decisions = 0

    @property
    def decisions(self) -> int:
        """Decisions of all seats: every one is learned from."""
        return self._decisions

    def train(self, until: int) -> None:
        """See `training.benchmark.algorithms.Algorithm`."""
        while self._decisions < until:
            self.begin_rollout()
            for _ in range(self.options["steps"]):
                self.play()
                self._decisions += self.lanes.num_lanes
            self._learn()

    def begin_rollout(self) -> None:  # noqa: B027 (nothing to prepare by default)
        """Prepare to play with the present network."""

    @property
    def exploration(self) -> float:
        """The present probability of a random action."""
        first, last = self.options["exploration"]
        done = self._decisions / (self.options["exploration_part"] * self.task.decisions)
        return float(max(last, first + (last - first) * done))

    def explored(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions, each replaced by a random legal one with the probability `exploration`; int64 ``(N,)``."""
        masks = self.lanes.action_masks
        anything = (self.random.random(masks.shape) * masks).argmax(axis=1)
        return np.where(self.random.random(len(actions)) < self.exploration, anything, actions)

    def rewards(self) -> Floats:
        """Each seat's reward from the last step, float32 ``(N, S)``: the game's, and what the margin adds to it."""
        lanes, players = self.lanes, self.task.players
        rewards, ends = lanes.rewards[:, :players].copy(), np.flatnonzero(lanes.terminations)
        final = lanes.final_scores[ends], lanes.final_ranks[ends], lanes.num_players[ends]
        rewards[ends] += self.options["margin"] * final_rewards("score", *final)[:, :players]
        return rewards

    @abstractmethod
    def play(self) -> None:
        """Make one decision in each lane, and remember it."""

    @abstractmethod
    def returns(self) -> tuple[Floats, NDArray[np.bool_]]:
        """The target of each decision in memory, and whether to learn from it; see `Memory.returns`."""

    @abstractmethod
    def predict(self, rows: NDArray[np.int64], lanes: NDArray[np.int64]) -> Tensor:
        """The network's estimates of the returns of some decisions in memory, float32 ``(B,)``."""

    def _learn(self) -> None:
        """Learn from randomly drawn decisions in memory."""
        returns, used = self.returns()
        rows, lanes = np.nonzero(used)
        if not len(rows):
            return
        targets, rows = torch.from_numpy(returns[rows, lanes]), self.memory.order[rows]
        left = max(0.0, 1 - self._decisions / self.task.decisions)
        self.optimizer.param_groups[0]["lr"] = self.options["learning_rate"] * left
        batch, rollout = self.options["batch"], self.options["steps"] * self.lanes.num_lanes
        for _ in range(max(1, round(self.options["replays"] * rollout / batch))):
            picked = self.random.integers(len(rows), size=batch)
            loss = nn.functional.smooth_l1_loss(self.predict(rows[picked], lanes[picked]), targets[picked])
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(self.network.parameters(), MOST_GRADIENT)
            self.optimizer.step()
