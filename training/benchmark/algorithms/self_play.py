"""The project's own trainer as PPO, as advantage actor-critic and as expert iteration: self-play on every seat.

All three run without torch.compile and in single precision, like the libraries that they are compared with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from dunaia_env.harness.dealing import dealt
from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.registry import name_of
from training.arguments import Arguments
from training.benchmark.algorithms import Task
from training.family import OWN
from training.trainer import Trainer

# Decisions in each minibatch of a full-size rollout.
MINIBATCH = 2048


def arguments_of(task: Task, options: Mapping[str, Any]) -> Arguments:
    """The arguments of a training on a task.

    Args:
        task: what to learn; its own options are not used.
        options: options of `training.ppo`, at least ``lanes`` and ``steps``; small budgets play fewer lanes.
    """
    games = task.games(options["steps"], options["lanes"])
    fitting = {"minibatches": max(1, games * options["steps"] // MINIBATCH), **options, "lanes": games}
    return Arguments(
        decisions=task.decisions,
        seed=task.seed,
        players=(task.players,),
        game=name_of(task.game),
        game_options=dealt(task.game, task.game_options),
        device="cpu",
        threads=task.threads,
        engine_threads=task.threads,
        precision="fp32",
        compile="off",
        family=None if task.family is None else OWN,
        family_share=1.0,
        **fitting,
    )


class SelfPlay:
    """Self-play with `training.trainer.Trainer`; subclasses differ in `OPTIONS`, which are options of `training.ppo`.

    Args:
        task: what to learn.
    """

    OPTIONS: ClassVar[dict[str, Any]] = {"lanes": 256, "steps": 64}

    def __init__(self, task: Task) -> None:
        self._trainer = self._make_trainer(task, {**self.OPTIONS, **task.options})
        self._trainer.prepare()

    def _make_trainer(self, task: Task, options: dict[str, Any]) -> Trainer:
        return Trainer(arguments_of(task, options))

    @property
    def decisions(self) -> int:
        """Decisions of all seats: every one is learned from."""
        return self._trainer.decisions

    def train(self, until: int) -> None:
        """See `training.benchmark.algorithms.Algorithm`."""
        while self.decisions < until:
            self._trainer.learn(self._trainer.collect())

    def player(self) -> Agent:
        """A player that takes the network's most likely action."""
        return self._trainer.player()


class PPO(SelfPlay):
    """PPO of this project, self-play on every seat.

    By default `training.ppo` plays four times as many games at once; the rollouts here are as large as those of
    MaskablePPO.
    """

    OPTIONS: ClassVar[dict[str, Any]] = SelfPlay.OPTIONS | {
        "learning_rate": 1e-3,
        "entropy": 0.02,
        "gae_lambda": 0.95,
        "epochs": 2,
    }
    SPACE: ClassVar[dict[str, tuple[Any, ...]]] = {
        "learning_rate": (3e-4, 1e-3, 2e-3),
        "entropy": (0.003, 0.01, 0.02),
        "gae_lambda": (0.9, 0.95, 0.98),
        "epochs": (2, 4),
        "lanes": (64, 128, 256),
    }


class A2C(SelfPlay):
    """Advantage actor-critic: PPO with short rollouts, learned from once and without clipping; self-play on every seat.

    With these options the ratio in PPO's objective is 1, so its gradient is that of advantage actor-critic. Only
    decisions whose outcome became known one rollout later are weighted by another ratio. Two other parts of PPO remain:
    Adam, and generalised advantage estimation with advantages scaled to a standard deviation of 1 (A2C was published
    with RMSProp and n-step returns).
    """

    OPTIONS: ClassVar[dict[str, Any]] = {
        "lanes": 128,
        "steps": 16,
        "epochs": 1,
        "minibatches": 1,
        "clip": 1e9,
        "learning_rate": 1e-3,
        "entropy": 0.02,
        "gae_lambda": 0.95,
    }
    SPACE: ClassVar[dict[str, tuple[Any, ...]]] = {
        "learning_rate": (3e-4, 1e-3, 3e-3),
        "entropy": (0.003, 0.01, 0.02),
        "gae_lambda": (0.9, 0.95, 0.98),
        "lanes": (32, 64, 128),
    }


class ExpertIteration(SelfPlay):
    """PPO of this project, and a search for a part of the decisions, which is imitated.

    Decisions inside a search are not counted, but their time is.
    """

    OPTIONS: ClassVar[dict[str, Any]] = SelfPlay.OPTIONS | {
        "learning_rate": 1e-3,
        "simulations": 8,
        "candidates": 4,
        "searched": 0.25,
        "imitation_weight": 1.0,
        "entropy": 0.02,
    }
    SPACE: ClassVar[dict[str, tuple[Any, ...]]] = {
        "learning_rate": (5e-4, 1e-3, 2e-3),
        "simulations": (8, 16),
        "searched": (0.25, 0.5, 1.0),
        "imitation_weight": (0.5, 1.0, 2.0),
        "entropy": (0.003, 0.01, 0.02),
    }
