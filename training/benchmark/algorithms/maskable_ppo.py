"""sb3-contrib's MaskablePPO as `training.sb3_maskable` trains it: one seat against a pool of its own copies."""

from __future__ import annotations

from rich.progress import Progress

from agents.network import NetworkAgent
from dunaia_env.harness import opponents
from dunaia_env.harness.registry import name_of
from training import sb3_maskable
from training.benchmark.algorithms import Task

STEPS, MOST_GAMES, MINIBATCHES = 64, 256, 8


class MaskablePPO:
    """MaskablePPO of sb3-contrib, one seat against random and copies of itself.

    Args:
        task: what to learn.
    """

    def __init__(self, task: Task) -> None:
        games = task.games(STEPS, MOST_GAMES)
        self._arguments = arguments = sb3_maskable.Arguments(
            decisions=task.decisions,
            seed=task.seed,
            players=task.players,
            game=name_of(task.game),
            game_options=task.game_options,
            games=games,
            steps=STEPS,
            batch_size=games * STEPS // MINIBATCHES,
            evaluation_rollouts=0,
        )
        pool = opponents.Pool(opponents.load(name, game=task.game) for name in arguments.opponents)
        self._model = sb3_maskable.make_model(arguments, sb3_maskable.make_games(arguments, games, pool, task.seed))
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
