"""One training of an algorithm: its budget, what it uses of the machine, and how its player is judged along the way."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.registry import find_game
from dunaia_env.support import system
from dunaia_env.support.machine import git_commit, library_versions, machine
from training.benchmark.algorithms import Algorithm, MakeAlgorithm, Task, description, load, options_of
from training.benchmark.matches import Tables
from training.benchmark.players import digest_of, load_player, parameters_of, save_player
from training.benchmark.results import Point, Run, Setting
from training.benchmark.tasks import find_task

# Seed of every evaluation.
EVALUATION_SEED = 1_000_000
# Least number of decisions between two evaluations. With fewer, rollouts would be too short for some algorithms to
# learn anything.
LEAST_INTERVAL = 1024
# Decisions of the training that comes before the one that is measured. They are no whole number of rollouts of any
# usual size, so that an algorithm whose last rollout ends short of its budget fails at once, not at the end.
WARM_UP = LEAST_INTERVAL + 1
LIBRARIES = ("stable-baselines3", "sb3-contrib")
# For a budget of time: seconds of the trial by which its number of decisions is estimated, and calls of `train` between
# two evaluations.
TRIAL_SECONDS, SLICES = 10.0, 16

Blocks = dict[str, list[float]]


def check_different(name: str, given: Sequence[Any]) -> None:
    """Raise `ValueError` unless an option has at least one value, and none twice."""
    if not given or len(set(given)) != len(given):
        raise ValueError(f"{name}: expected at least one, and none twice, got {' '.join(map(str, given)) or 'none'}")


def check_seeds(seeds: Sequence[int]) -> None:
    """Raise `ValueError` unless each number can be the seed of a training."""
    if wrong := [seed for seed in seeds if not 0 <= seed < 2**32]:
        raise ValueError(f"seeds: expected numbers in 0..{2**32 - 1}, got {wrong[0]}")


@dataclass(frozen=True)
class Budget:
    """The budget of a training: decisions of the learner, or minutes of training; the other one is 0."""

    decisions: int
    minutes: float = 0.0

    @classmethod
    def read(cls, text: str) -> Budget:
        """The budget that a text such as ``1e6`` or ``10min`` means; raises `ValueError` for another text."""
        number, minutes = text.removesuffix("min"), text.endswith("min")
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if not 0 < value < 1e12 or not (minutes or value.is_integer()):
            raise ValueError(
                f"budget: expected a number of decisions such as 1e6, or a time such as 10min, got {text!r}"
            )
        return cls(0, value) if minutes else cls(int(value))


def tables_of(setting: Setting) -> Tables:
    """The tables at which the players of a setting are judged."""
    if setting.task:
        return find_task(setting.task).tables(setting.threads)
    return Tables(find_game(setting.game), setting.players, setting.game_options, threads=setting.threads)


def measure_blocks(player: Agent, setting: Setting) -> Blocks:
    """A player's win share in each block against copies of each reference, in the same games for every player."""
    tables = tables_of(setting)
    return {
        name: tables.block_shares(player, name, setting.games, EVALUATION_SEED).tolist() for name in setting.opponents
    }


def shares_of(blocks: Blocks) -> dict[str, float]:
    """Mean win shares by reference."""
    return {name: sum(shares) / len(shares) for name, shares in blocks.items()}


def measure(player: Agent, setting: Setting) -> dict[str, float]:
    """A player's win share against copies of each reference, in the same games for every player."""
    return shares_of(measure_blocks(player, setting))


def task_of(setting: Setting, seed: int, options: Mapping[str, Any]) -> Task:
    """What an algorithm with these options has to learn in a training with a seed."""
    return Task(
        players=setting.players,
        game=find_game(setting.game),
        game_options=setting.game_options,
        decisions=setting.decisions,
        evaluations=setting.evaluations,
        seed=seed,
        threads=setting.threads,
        options=options,
        family=find_task(setting.task).load_family() if setting.task else None,
    )


def _decisions_in(make: MakeAlgorithm, task: Task, minutes: float) -> int:
    """Decisions that a training makes in some minutes, estimated by a short trial."""
    trial = make(replace(task, decisions=1 << 30))
    begin, seconds = time.perf_counter(), 0.0
    while seconds < min(TRIAL_SECONDS, 60 * minutes):
        trial.train(trial.decisions + LEAST_INTERVAL)
        seconds = time.perf_counter() - begin
    return max(int(trial.decisions / seconds * 60 * minutes), LEAST_INTERVAL << (task.evaluations - 1))


class _Clock:
    """Seconds and core seconds of training, without evaluations."""

    def __init__(self) -> None:
        self.seconds = self.core_seconds = 0.0

    def train(self, algorithm: Algorithm, until: int) -> None:
        """Train, and count the time."""
        begin, used = time.perf_counter(), time.process_time()
        with suppress(StopIteration):  # of a loop that has ended: it has made too few decisions
            algorithm.train(until)
        self.seconds += time.perf_counter() - begin
        self.core_seconds += time.process_time() - used
        if algorithm.decisions < until:
            raise ValueError(
                f"expected at least {until:,} decisions, stopped after {algorithm.decisions:,}; the last rollout may"
                " end after the budget, but not before it"
            )


def _print_point(console: Console | None, name: str, seed: int, point: Point) -> None:
    """Print a line for an evaluation."""
    if console:
        standings = ", ".join(f"{opponent} {100 * share:.0f} %" for opponent, share in point.shares.items())
        console.print(f"{name}, seed {seed}: {point.decisions:>11,} decisions  {point.seconds:6.0f} s  {standings}")


def train(
    name: str,
    seed: int,
    setting: Setting,
    console: Console | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    path: Path | None = None,
) -> Run:
    """Train an algorithm with a seed, and judge its player along the way.

    Args:
        name: name of the algorithm.
        seed: seed of the training.
        setting: see `Setting`.
        console: where a line for each evaluation is printed; nowhere if absent.
        options: options of the algorithm that differ from its defaults, by name.
        path: file of the training, beside which the player is written; it is not written if absent.

    Exceptions of the algorithm are not caught.
    """
    make, own = load(name), options_of(name, options)
    task = task_of(setting, seed, own)
    # A short training comes first, so that the time does not include compilation and loading at first use.
    _Clock().train(make(replace(task, decisions=WARM_UP, evaluations=1)), WARM_UP)
    if setting.minutes:
        task = replace(task, decisions=_decisions_in(make, task, setting.minutes))
    algorithm, clock = make(task), _Clock()
    player = algorithm.player()
    if path and (file := save_player(player, path)):
        load_player(name, file, task)  # now, because a player that cannot be read would cost the whole training
    blocks = measure_blocks(player, setting)
    points = [Point(algorithm.decisions, 0.0, 0.0, shares_of(blocks))]
    _print_point(console, name, seed, points[0])
    for part in setting.parts:
        until = int(task.decisions * part)
        if setting.minutes:
            while clock.seconds < 60 * setting.minutes * part and algorithm.decisions < task.decisions:
                clock.train(algorithm, min(algorithm.decisions + max(1, until // SLICES), task.decisions))
        else:
            clock.train(algorithm, until)
        player = algorithm.player()
        blocks = measure_blocks(player, setting)
        points.append(Point(algorithm.decisions, clock.seconds, clock.core_seconds, shares_of(blocks)))
        _print_point(console, name, seed, points[-1])
    file = save_player(player, path) if path else None
    return Run(
        algorithm=name,
        description=description(name),
        options=own,
        seed=seed,
        setting=setting,
        task_hash=find_task(setting.task).hash() if setting.task else "",
        points=tuple(points),
        blocks=blocks,
        memory=system.peak_memory(),
        parameters=parameters_of(player),
        player_file=file.name if file else None,
        player_digest=digest_of(file) if file else None,
        machine=machine(),
        versions=library_versions(*LIBRARIES),
        commit=git_commit(),
    )
