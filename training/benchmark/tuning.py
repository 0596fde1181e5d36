"""Choose the options of algorithms by random search: ``python -m training.benchmark.tuning --task dunaia-elites-2``.

Every algorithm gets the same procedure: its default options and random ones from its ``SPACE`` are each trained with a
tenth of the budget, and judged by the task's scale; the best few are trained again with another seed, and the best mean
of both places wins (Bergstra, Bengio 2012, with a second stage). The seeds are used for nothing else. The results are
stored in ``training/benchmark/tuned.json``, where those of other tasks and algorithms stay.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from rich.console import Console

from dunaia_env.harness import commands
from dunaia_env.statistics.intervals import round_portably
from dunaia_env.statistics.workers import play_all
from dunaia_env.support import atomic, terminal, typed_json
from training.benchmark.algorithms import ALGORITHMS, load, options_of
from training.benchmark.results import SCALE, Setting, score
from training.benchmark.scale import references_of
from training.benchmark.tasks import NamedTask, find_task
from training.benchmark.trainings import LEAST_INTERVAL, Budget, train

FORMAT, VERSION = "dunaia-benchmark-tuning", 1
STORED = Path(__file__).with_name("tuned.json")
MOST_BYTES = 1 << 22
# Seed of the first trial, which no comparison uses.
FIRST_SEED = 1_000


class TuningError(ValueError):
    """A file of tuned options that cannot be used; the message says why."""


@dataclass(frozen=True)
class Options:
    """Choose the options of learning algorithms by random search."""

    task: str = "dunaia-elites-2"
    """The task."""
    algorithms: tuple[str, ...] = tuple(ALGORITHMS)
    """The algorithms."""
    trials: int = 12
    """Number of trials of each algorithm, the first one with its default options."""
    finalists: int = 3
    """Number of best trials that are trained again with another seed."""
    budget: str = "1e5"
    """Budget of each training, as for training.benchmark."""
    games: int = 100
    """Games against each reference after a training; rounded up to whole blocks."""
    jobs: int = 0
    """Number of workers; 0 for one on each core."""
    out: Path = STORED
    """File of the results."""


@dataclass(frozen=True)
class Trial:
    """Options that were tried, and the places on the scale that trainings with them reached."""

    options: dict[str, Any]
    places: tuple[float, ...]

    @property
    def place(self) -> float:
        """The mean place."""
        return float(np.mean(self.places))


@dataclass(frozen=True)
class Tuning:
    """The tuning of an algorithm on a task.

    Attributes:
        algorithm: the algorithm.
        task: title of the task.
        game: name of its game.
        budget: budget of each training.
        options: the options that were best.
        trials: all trials, the best first.
    """

    algorithm: str
    task: str
    game: str
    budget: str
    options: dict[str, Any]
    trials: tuple[Trial, ...]


def draw_options(name: str, trial: int) -> dict[str, Any]:
    """The options of a trial: the algorithm's defaults for trial 0, otherwise random values of its ``SPACE``."""
    options, space = options_of(name), dict(getattr(load(name), "SPACE", {}))
    if trial:
        random = np.random.default_rng([FIRST_SEED, trial])
        options |= {option: values[random.integers(len(values))] for option, values in space.items()}
    return options


def setting_of(task: NamedTask, budget: str, games: int) -> Setting:
    """The setting of the trainings."""
    found = Budget.read(budget)
    if not found.minutes and found.decisions < LEAST_INTERVAL:
        raise ValueError(f"budget: expected at least {LEAST_INTERVAL:,} decisions, got {found.decisions:,}")
    return Setting(
        players=task.players,
        game=task.game,
        game_options=task.game_options(),
        decisions=found.decisions,
        minutes=found.minutes,
        evaluations=1,
        games=games,
        opponents=task.references,
        threads=1,
        task=task.title,
    )


def place_trial(setting: Setting, part: tuple[str, int, int]) -> tuple[tuple[str, int, int], float]:
    """Train an algorithm with the options of a trial and a seed, and place its player: ``(name, trial, seed)``."""
    name, trial, seed = part
    run = train(name, seed, setting, options=draw_options(name, trial))
    return part, float(round_portably(score(run, SCALE), 3))


def tune(options: Options, report: Console) -> list[Tuning]:
    """The tuning of each algorithm, in the order of the options."""
    task = find_task(options.task)
    references_of(task)
    setting = setting_of(task, options.budget, options.games)
    play = partial(place_trial, setting)
    # Trials with the same options as an earlier one would say nothing new.
    trials = {name: _different(name, options.trials) for name in options.algorithms}
    first = [(name, trial, FIRST_SEED) for name, numbers in trials.items() for trial in numbers]
    places: dict[tuple[str, int], list[float]] = {}

    def run(parts: list[tuple[str, int, int]]) -> None:
        for (name, trial, seed), place in play_all(play, parts, jobs=options.jobs):
            places.setdefault((name, trial), []).append(place)
            report.print(f"{name}, trial {trial}, seed {seed}: {place:.1f}", markup=False)

    run(first)
    best = {
        name: sorted(numbers, key=lambda trial: -places[name, trial][0])[: options.finalists]
        for name, numbers in trials.items()
    }
    run([(name, trial, FIRST_SEED + 1) for name, numbers in best.items() for trial in numbers])
    found = []
    for name, numbers in trials.items():
        tried = [Trial(draw_options(name, trial), tuple(places[name, trial])) for trial in numbers]
        # A finalist has two places; one lucky place of another trial does not count as much.
        ranked = sorted(tried, key=lambda one: (-len(one.places), -one.place))
        found.append(Tuning(name, task.title, task.game, options.budget, ranked[0].options, tuple(ranked)))
    return found


def _different(name: str, trials: int) -> list[int]:
    """The numbers of trials whose options no earlier one has."""
    seen: list[dict[str, Any]] = []
    numbers = []
    for trial in range(trials):
        options = draw_options(name, trial)
        if options not in seen:
            seen.append(options)
            numbers.append(trial)
    return numbers


def write_tunings(path: Path, found: list[Tuning]) -> None:
    """Write the tunings of several algorithms atomically."""
    content = {"format": FORMAT, "version": VERSION, "tunings": [asdict(tuning) for tuning in found]}
    atomic.write_text(path, json.dumps(content, indent=1) + "\n")


def read_tunings(path: Path = STORED) -> list[Tuning]:
    """The stored tunings; raises `TuningError` for any other file."""
    try:
        content, _ = typed_json.read_versioned(path, FORMAT, VERSION, most=MOST_BYTES)
        return [typed_json.build(Tuning, tuning) for tuning in content["tunings"]]
    except (KeyError, TypeError, ValueError) as error:
        raise TuningError(f"{path}: {error}") from error


@cache
def _read_once(path: Path) -> tuple[Tuning, ...]:
    return tuple(read_tunings(path))


def tuned_options(name: str, task: NamedTask, path: Path = STORED) -> dict[str, Any]:
    """The options found for an algorithm on a task, or on another task of its game; its defaults if there are none.

    Raises `TuningError` for a file that does not hold tunings.
    """
    same_game = [tuning for tuning in _read_once(path) if (tuning.algorithm, tuning.game) == (name, task.game)]
    same_task = [tuning for tuning in same_game if tuning.task == task.title]
    found = (same_task or same_game)[:1]
    return options_of(name, found[0].options if found else None)


def main(options: Options) -> list[Tuning]:
    """Tune, store and print the options."""
    commands.check_numbers(options, positive=("trials", "finalists", "games"), not_negative=("jobs",))
    for name in options.algorithms:
        load(name)
    console = Console(highlight=False, soft_wrap=True)
    found = tune(options, console)
    known = read_tunings(options.out) if options.out.exists() else []
    new = {(tuning.algorithm, tuning.task) for tuning in found}
    kept = [tuning for tuning in known if (tuning.algorithm, tuning.task) not in new]
    write_tunings(options.out, sorted([*kept, *found], key=lambda tuning: (tuning.task, tuning.algorithm)))
    for tuning in found:
        usual = next(trial for trial in tuning.trials if trial.options == options_of(tuning.algorithm))
        places = f"{tuning.trials[0].place:.1f}, with its defaults {usual.place:.1f}"
        console.print(f"{tuning.algorithm}: {places}: {tuning.options}", markup=False)
    return found


def _run() -> int:
    options = tyro.cli(Options, prog="python -m training.benchmark.tuning")
    return commands.run_command("benchmark.tuning", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run, has_workers=True))
