"""The share of MaskablePPO's `learn` time that is spent in the environment.

``python -m benchmarks.sb3 [--json FILE] [--seconds 5.0] [--repeats 5]``. Three ways to learn are measured in turn, each
with 256 games side by side and torch on one thread:

- default: sb3-contrib's MlpPolicy with its default options, against random opponents;
- script: the network and options of `training.sb3_maskable`, against random opponents;
- script_pool: as script, but against the pool of `training.sb3_maskable` at the end of a training.

The time in the environment and the time outside it both grow in proportion to the number of decisions, so the share is
the same in short and in long rollouts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from rich.console import Console
from rich.table import Table
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

from benchmarks import measuring
from benchmarks.measuring import DECISIONS, Row
from dunaia_env.envs.sb3 import DunaiaVecEnv
from dunaia_env.harness import opponents
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.support.machine import machine
from dunaia_env.support.terminal import run_main
from training import sb3_maskable

GAMES = 256
STEPS = 16
SHARE = "part of the time"
VERSIONED = ("dunaia-env", "numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")


@dataclass(frozen=True)
class Arguments(measuring.Arguments):
    """Measure the share of MaskablePPO's time that is spent in the environment."""

    seconds: float = 5.0
    """Least length of one repeat in seconds; a repeat has at least one rollout."""


class TimedVecEnv(DunaiaVecEnv):
    """A vector environment that adds up the seconds that are spent in it, opponents included."""

    seconds = 0.0

    def _timed(self, method: Callable[..., Any], *given: Any, **named: Any) -> Any:
        begin = time.perf_counter()
        try:
            return method(*given, **named)
        finally:
            self.seconds += time.perf_counter() - begin

    def reset(self) -> Any:
        """As `DunaiaVecEnv.reset`."""
        return self._timed(super().reset)

    def step_async(self, actions: Any) -> None:
        """As `DunaiaVecEnv.step_async`."""
        self._timed(super().step_async, actions)

    def step_wait(self) -> Any:
        """As `DunaiaVecEnv.step_wait`."""
        return self._timed(super().step_wait)

    def env_method(self, method_name: str, *method_args: Any, **named: Any) -> list[Any]:
        """As `DunaiaVecEnv.env_method`, which returns the masks."""
        methods: list[Any] = self._timed(super().env_method, method_name, *method_args, **named)
        return methods

    def has_attr(self, attr_name: str) -> bool:
        """As `DunaiaVecEnv.has_attr`, which each rollout calls once."""
        return bool(self._timed(super().has_attr, attr_name))


class Learning(NamedTuple):
    """A model, and the games that it learns from."""

    model: MaskablePPO
    games: TimedVecEnv


class Cost(NamedTuple):
    """Result of one repeat: decisions of the learner per second, and the share of the time spent in the games."""

    speed: float
    share: float


def default_learning() -> Learning:
    """MaskablePPO with the defaults of sb3-contrib, except for shorter rollouts."""
    options: dict[str, Any] = {**DEFAULT_GAME.default_options(full=True)}
    games = TimedVecEnv(GAMES, opponents="random", seed=0, **options)
    return Learning(MaskablePPO("MlpPolicy", games, n_steps=STEPS, seed=0, device="cpu"), games)


def script_learning(with_pool: bool) -> Learning:
    """MaskablePPO as `training.sb3_maskable` sets it up."""
    arguments = sb3_maskable.Arguments(games=GAMES, steps=STEPS)
    pool = opponents.Pool(opponents.load(name) for name in (arguments.opponents if with_pool else ("random",)))
    opponent = pool if with_pool else "random"
    games = TimedVecEnv(GAMES, opponents=opponent, seed=0, **arguments.game_options)
    model = sb3_maskable.make_model(arguments, VecMonitor(games))
    for _ in range(arguments.most_snapshots if with_pool else 0):
        pool.add(sb3_maskable.player(model, arguments, temperature=1.0))
    return Learning(model, games)


def cost(learning: Learning, seconds: float) -> Cost:
    """Learn for at least ``seconds`` seconds and at least one rollout."""
    model, games = learning
    games.seconds, decisions, passed = 0.0, 0, 0.0
    begin = time.perf_counter()
    while passed < seconds:
        # Without a new count of its steps, the model continues the games that it was in.
        model.learn(GAMES * STEPS, reset_num_timesteps=False)
        decisions += GAMES * STEPS
        passed = time.perf_counter() - begin
    return Cost(decisions / passed, games.seconds / passed)


def measure(arguments: Arguments) -> list[Row]:
    """All rows."""
    torch.set_num_threads(1)
    ways = {
        "default": default_learning(),
        "script": script_learning(with_pool=False),
        "script_pool": script_learning(with_pool=True),
    }
    costs: dict[str, list[Cost]] = {name: [] for name in ways}
    # The first turn is not counted: after it, games that all began together have spread over all stages of a game.
    turns = [(turn, name) for turn in range(arguments.repeats + 1) for name in ways]
    for turn, name in measuring.progress(turns, lambda item: f"{item[0]}/{arguments.repeats} {item[1]}"):
        found = cost(ways[name], arguments.seconds)
        if turn > 0:
            costs[name].append(found)
    rows = []
    for name, found_costs in costs.items():
        for unit, values in (
            (DECISIONS, [cost.speed for cost in found_costs]),
            (SHARE, [cost.share for cost in found_costs]),
        ):
            field = "learn" if unit == DECISIONS else "games"
            rows.append(Row(name=f"sb3_{name}_{field}", unit=unit, batch=GAMES, threads=1, **measuring.middle(values)))
    return rows


def main() -> None:
    """Measure, print and write."""
    arguments = measuring.parse(Arguments, "benchmarks.sb3")
    rows = measure(arguments)
    versions = measuring.versions(VERSIONED)
    table = Table(title=f"{machine()['processor']}, {GAMES} games, one thread")
    for heading in ("name", "median", "unit", "lowest", "highest"):
        table.add_column(heading)
    for row in rows:
        values = (row.value, row.lowest, row.highest)
        numbers = [f"{number:,.0f}" if row.unit == DECISIONS else f"{100 * number:.2f} %" for number in values]
        table.add_row(row.name, numbers[0], row.unit, *numbers[1:])
    Console(width=100).print(table)
    print("versions: " + ", ".join(f"{name} {number}" for name, number in versions.items()))
    if arguments.json is not None:
        measuring.write_results(arguments.json, rows, versions)


if __name__ == "__main__":
    sys.exit(run_main(main))
