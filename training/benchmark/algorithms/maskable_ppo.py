"""sb3-contrib's MaskablePPO as `training.sb3_maskable` trains it: one seat against a pool of its own copies."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.progress import Progress

from agents.network import NetworkAgent
from dunaia_env.harness import opponents
from dunaia_env.harness.registry import name_of
from training import sb3_maskable
from training.benchmark.algorithms import Task

MINIBATCHES = 8


class MaskablePPO:
    """MaskablePPO of sb3-contrib, one seat against random and copies of itself.

    Args:
        task: what to learn.
    """

    OPTIONS: ClassVar[dict[str, Any]] = {
        "games": 256,
        "steps": 64,
        "epochs": 3,
        "learning_rate": 1e-3,
        "entropy": 0.01,
        "gae_lambda": 0.95,
        "snapshot_rollouts": 5,
    }
    SPACE: ClassVar[dict[str, tuple[Any, ...]]] = {
        "games": (64, 128, 256),
        "epochs": (3, 6),
        "learning_rate": (3e-4, 1e-3, 2e-3),
        "entropy": (0.003, 0.01, 0.02),
        "gae_lambda": (0.9, 0.95, 0.98),
        "snapshot_rollouts": (1, 5),
    }

    def __init__(self, task: Task) -> None:
        options = {**self.OPTIONS, **task.options}
        games = task.games(options["steps"], options.pop("games"))
        self._arguments = arguments = sb3_maskable.Arguments(
            decisions=task.decisions,
            seed=task.seed,
            players=task.players,
            game=name_of(task.game),
            game_options=task.game_options,
            games=games,
            batch_size=games * options["steps"] // MINIBATCHES,
            evaluation_rollouts=0,
            **options,
        )
        pool = opponents.Pool(opponents.load(name, game=task.game) for name in arguments.opponents)
        tables = sb3_maskable.make_games(arguments, games, pool, task.seed, task.components(games))
        self._model = sb3_maskable.make_model(arguments, tables)
        # `learn` is called for each part of the budget, and would let the learning rate fall to zero in each part.
        self._model.lr_schedule = lambda _: arguments.learning_rate * max(0.0, 1 - self.decisions / task.decisions)
        self._league = sb3_maskable.League(arguments, pool, Progress(disable=True))

    @property
    def decisions(self) -> int:
        """Decisions of the learner's seat; those of its copies are not learned from."""
        return int(self._model.num_timesteps)

    def train(self, until: int) -> None:
        """See `training.benchmark.algorithms.Algorithm`."""
        if self.decisions < until:
            self._model.learn(until - self.decisions, callback=self._league, reset_num_timesteps=False)

    def player(self) -> NetworkAgent:
        """A player that takes the network's most likely action."""
        return sb3_maskable.player(self._model, self._arguments)
