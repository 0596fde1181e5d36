"""Learning algorithms behind one interface, so that `training.benchmark` can compare them, and how to add one.

An algorithm is named ``package.module:Attribute``: a class, or a function, that takes a `Task` and gives an
`Algorithm`. Those of the project have short names (`ALGORITHMS`). The first line of its docstring is its description.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import Agent


@dataclass(frozen=True)
class Task:
    """What an algorithm is to learn, and with how much.

    Attributes:
        players: at the table.
        game: to be learned.
        game_options: its options but the number of players, by name.
        decisions: budget of the whole training, by which schedules may go.
        evaluations: number of equal parts of the budget after which the player is measured.
        seed: of the first weights, the games and every random choice; the same seed and number of threads should
            give the same player.
        threads: that may compute.
    """

    players: int
    game: Game
    game_options: Mapping[str, Any]
    decisions: int
    evaluations: int
    seed: int
    threads: int = 1

    @property
    def interval(self) -> int:
        """Decisions between two evaluations, rounded down."""
        return self.decisions // self.evaluations

    def games(self, steps: int, most: int) -> int:
        """Games side by side, at most so many, with which rollouts of so many steps do not outlast an interval."""
        return max(1, min(most, self.interval // steps))


class Algorithm(Protocol):
    """A training of one learner.

    Attributes:
        decisions: number of the learner's own decisions so far that were to be learned from: in self-play those of
            every seat that learns; not those of opponents or past players, nor those that a search imagines.
    """

    @property
    def decisions(self) -> int:
        """See the class."""
        ...

    def train(self, until: int) -> None:
        """Go on until at least so many decisions have been made in all; a rollout that was begun may be finished."""
        ...

    def player(self) -> Agent:
        """The present player, as it would be entered in a match. Training on must not change it."""
        ...


MakeAlgorithm = Callable[[Task], Algorithm]

ALGORITHMS = {
    "ppo": "training.algorithms.self_play:PPO",
    "a2c": "training.algorithms.self_play:A2C",
    "expert_iteration": "training.algorithms.self_play:ExpertIteration",
    "maskable_ppo": "training.algorithms.maskable_ppo:MaskablePPO",
    "dqn": "training.algorithms.dqn:DQN",
}


def load(name: str) -> MakeAlgorithm:
    """What makes the algorithm of a name; raises `ValueError` naming what cannot be loaded and why."""
    if name not in ALGORITHMS and ":" not in name:
        raise ValueError(f"algorithm {name!r}: unknown; one of {', '.join(ALGORITHMS)} or package.module:Attribute")
    module, _, attribute = ALGORITHMS.get(name, name).partition(":")
    try:
        found: Any = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"algorithm {name!r}: cannot be loaded ({error})") from error
    if not callable(found):
        raise ValueError(f"algorithm {name!r}: {type(found).__name__}; a class or function of a Task is needed")
    made: MakeAlgorithm = found
    return made


def description(name: str) -> str:
    """The first line of an algorithm's docstring, without its full stop; empty if it has none."""
    text = inspect.getdoc(load(name)) or ""
    return text.partition("\n")[0].removesuffix(".")
