"""Learning algorithms behind one interface, so that `training.benchmark` can compare them, and how to add one.

An algorithm is a class or a function that takes a `Task` and returns an `Algorithm`. Its name is
``package.module:Attribute`` or ``file.py:Attribute``; those of the project have short names (`ALGORITHMS`). The first
line of its docstring is its description. These attributes are optional:

- ``OPTIONS``, its options with their defaults, by name; `Task.options` holds all of them when it is made.
- ``SPACE``, the values among which `training.benchmark.tuning` chooses, by option.
- ``load_player(path, task)``, a static method that reads a player which `Player.save` has written. Players that are
  a `agents.network.NetworkAgent` need neither.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from dunaia_env.harness.families import Family
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import Agent
from dunaia_env.support.modules import load_attribute
from training.family import files_of


@dataclass(frozen=True)
class Task:
    """What an algorithm has to learn, and its budget.

    Attributes:
        players: number of players at the table.
        game: the game to learn.
        game_options: options of the game by name, except the number of players.
        decisions: budget of the whole training; schedules may depend on it.
        evaluations: number of times that the player is measured: after the whole budget, half of it, a quarter, ...
        seed: seed of the initial weights, the games and every random choice; the same seed and number of threads should
            give the same player.
        threads: number of threads that may compute.
        options: the algorithm's own options, by name.
        family: family of component files whose members are played; the game's own components if absent.
    """

    players: int
    game: Game
    game_options: Mapping[str, Any]
    decisions: int
    evaluations: int
    seed: int
    threads: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    family: Family | None = None

    @property
    def interval(self) -> int:
        """The least number of decisions between two evaluations, rounded down."""
        return self.decisions >> (self.evaluations - 1)

    def components(self, lanes: int) -> list[Any] | None:
        """The component file of each of several lanes; None if all play the game's own."""
        if self.family is None:
            return None
        return files_of(None, self.family, np.ones(lanes, np.bool_), self.seed, range(lanes))

    def games(self, steps: int, most: int) -> int:
        """Number of games at once, up to ``most``, with which a rollout of ``steps`` steps fits into an interval."""
        return max(1, min(most, self.interval // steps))


class Algorithm(Protocol):
    """A training of one learner.

    Attributes:
        decisions: number of the learner's own decisions so far that it could learn from. In self-play, the decisions of
            every learning seat count; those of opponents and past players, and those inside a search, do not.
    """

    @property
    def decisions(self) -> int:
        """See the class."""
        ...

    def train(self, until: int) -> None:
        """Train until at least ``until`` decisions have been made in all; a rollout that has begun may be finished."""
        ...

    def player(self) -> Agent:
        """The present player, ready to play matches. Further training must not change it."""
        ...


class Player(Agent, Protocol):
    """A player that can be written as a file, so that its results can be checked later."""

    def save(self, path: Path) -> None:
        """Write the player; ``load_player`` of its algorithm reads the file."""
        ...


MakeAlgorithm = Callable[[Task], Algorithm]

ALGORITHMS = {
    "ppo": "training.benchmark.algorithms.self_play:PPO",
    "a2c": "training.benchmark.algorithms.self_play:A2C",
    "mirror_descent": "training.benchmark.algorithms.mirror_descent:MirrorDescent",
    "expert_iteration": "training.benchmark.algorithms.self_play:ExpertIteration",
    "maskable_ppo": "training.benchmark.algorithms.maskable_ppo:MaskablePPO",
    "dqn": "training.benchmark.algorithms.dqn:DQN",
    "td_afterstates": "training.benchmark.algorithms.td_afterstates:TDAfterstates",
}


def load(name: str) -> MakeAlgorithm:
    """The class or function that a name stands for; raises `ValueError` naming what cannot be loaded and why."""
    if name not in ALGORITHMS and ":" not in name:
        raise ValueError(
            f"algorithm {name!r}: expected one of {', '.join(ALGORITHMS)}, package.module:Attribute"
            " or file.py:Attribute"
        )
    try:
        found: Any = load_attribute(ALGORITHMS.get(name, name))
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"algorithm {name!r}: cannot be loaded ({error})") from error
    if not callable(found):
        raise ValueError(f"algorithm {name!r}: expected a class or function of a Task, got {type(found).__name__}")
    made: MakeAlgorithm = found
    return made


def options_of(name: str, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """All options of an algorithm by name: its defaults, and what is given; raises `ValueError` for an unknown one."""
    options = dict(getattr(load(name), "OPTIONS", {}))
    for option in given or {}:
        if option not in options:
            raise ValueError(f"{name}: expected one of the options {', '.join(options) or '(none)'}, got {option!r}")
    # Lists, as files hold them, so that stored and given options can be compared.
    options |= dict(given or {})
    return {option: list(value) if isinstance(value, tuple) else value for option, value in options.items()}


def description(name: str) -> str:
    """The first line of an algorithm's docstring, without its full stop; empty if it has none."""
    text = inspect.getdoc(load(name)) or ""
    return text.partition("\n")[0].removesuffix(".")
