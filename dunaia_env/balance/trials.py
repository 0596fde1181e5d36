"""Trials: conditions that are played side by side on common blocks, with changed components or rules."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dunaia_env.balance import design, playing
from dunaia_env.balance.games import Games, joined
from dunaia_env.harness import opponents, registry
from dunaia_env.harness.game import Game
from dunaia_env.statistics.workers import check_backend
from dunaia_env.support.messages import reason

_MOST_GROWTH = 4.0


@dataclass(frozen=True)
class Trial:
    """A condition, and the loaded components with which it is played."""

    condition: design.Condition
    components: Any


def growth_of(half_width: float, precision: float) -> float:
    """By which factor to multiply the number of blocks next, so that intervals become as narrow as requested.

    A little more than the square root law asks for, because the estimate of the half-width is noisy.
    """
    return min(_MOST_GROWTH, max(1.1, 1.05 * (half_width / precision) ** 2))


@dataclass
class Laboratory:
    """Plays trials and counts the games.

    Attributes:
        game: the game.
        seed: the seed from which the game seed of each block follows.
        jobs: number of workers; 0 for one on each core.
        backend: joblib backend of the workers.
        title: title of the progress bar.
        games: number of games that were played.
        seconds: time that playing took, in seconds.
    """

    game: Game
    seed: int = 0
    jobs: int = 0
    backend: str = "loky"
    title: str = "balance"
    games: int = field(default=0, init=False)
    seconds: float = field(default=0.0, init=False)

    def play(self, trials: Sequence[Trial], first: int, last: int) -> list[Games]:
        """Play the blocks ``first`` to ``last - 1`` of some trials; returns the games of each trial.

        Raises the first exception of a worker.
        """
        check_backend(self.backend)
        begin = time.perf_counter()
        name = registry.name_of(self.game)
        works = [playing.Work(name, trial.condition, trial.components, self.seed, first, last) for trial in trials]
        parts: list[list[Games]] = [[] for _ in trials]
        for chunk in playing.play_works(self.game, works, jobs=self.jobs, backend=self.backend, title=self.title):
            parts[chunk.number].append(chunk.games)
        self.games += sum(len(games) for part in parts for games in part)
        self.seconds += time.perf_counter() - begin
        return [joined(part) for part in parts]


@dataclass(frozen=True, kw_only=True)
class PlayOptions:
    """The options that all commands that play trials have in common."""

    seed: int = 0
    """Seed from which the seeds of all games follow."""
    game: str = registry.DEFAULT_GAME.name
    """The game to play."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game."""
    jobs: int = 0
    """Number of workers; 0 for one on each core."""
    backend: str = "loky"
    """Joblib backend that runs the workers: loky, threading, multiprocessing, dask, ray or another one that joblib
    knows."""

    def laboratory(self, game: Game, title: str) -> Laboratory:
        """The laboratory that plays the trials."""
        return Laboratory(game, seed=self.seed, jobs=self.jobs, backend=self.backend, title=title)

    def options_of(self, game: Game) -> dict[str, Any]:
        """The options of the game, except those that say who has which role: the kind of games decides these."""
        named = game.require("roles").decided
        return {name: value for name, value in self.game_options.items() if name not in named}


@dataclass(frozen=True, kw_only=True)
class TrialOptions(PlayOptions):
    """The options of a command that plays trials with one agent at one table."""

    players: int = 2
    """Number of players at the table."""
    agent: str = "champion"
    """Agent that decides for every seat. A trained player is refused for components that it does not know; greedy plays
    with all of them."""


def check_agent(agent: str, game: Game, components: Sequence[Any], *, option: str = "--agent") -> None:
    """Raise `ValueError` for an agent that cannot be loaded, or that cannot play with one of the components.

    Args:
        agent: name of the agent.
        game: the game.
        components: the loaded components.
        option: the option of the command that names the agent, for the message.
    """
    opponents.load(agent, game=game, components=game.load(None))
    for loaded in components:
        try:
            opponents.load(agent, game=game, components=loaded)
        except ValueError as error:
            raise ValueError(
                f"{reason(error)}. The agent {agent!r} does not know the components {loaded.source!r}; {option} greedy"
                " plays every component file"
            ) from error
