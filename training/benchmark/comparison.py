"""Compare learning algorithms on the same number of decisions: ``python -m training.benchmark --task dunaia-elites-2``.

Each algorithm is trained with each seed in a process of its own, on one thread unless --threads says otherwise. Its
player is evaluated before training, at equal intervals and at the end, in the same seat-balanced games against fixed
references. A finished training is stored as one JSON file; ``--resume`` runs the missing trainings. The results are
learning curves, interquartile means with intervals (`training.benchmark.aggregates`), probabilities of improvement,
and times.

Your own algorithm is a class like `training.benchmark.algorithms.Algorithm`, named ``package.module:Attribute`` or
``file.py:Attribute``.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.console import Console

from dunaia_env.arena.match import blocks_for, play_match
from dunaia_env.harness import opponents
from dunaia_env.harness.commands import parse_command
from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, name_of
from dunaia_env.harness.state import prepare
from dunaia_env.support.machine import git_commit, library_versions, machine
from training.benchmark.algorithms import ALGORITHMS, Algorithm, Task, description, load
from training.benchmark.results import (
    PLOT_FILE,
    RESULTS_FILE,
    TABLE_FILE,
    Point,
    ResultsError,
    Run,
    Setting,
    markdown,
    read_run,
    write_results,
    write_run,
)
from training.benchmark.scale import references_of
from training.benchmark.tasks import TASKS, find_task, table_of
from training.running.checkpoint import lock_run

RUNS_FOLDER = "runs"
# Seed of every evaluation.
EVALUATION_SEED = 1_000_000
# Least number of decisions between two evaluations. With fewer, rollouts would be too short for some algorithms to
# learn anything.
LEAST_INTERVAL = 1024
LIBRARIES = ("stable-baselines3", "sb3-contrib")
# torch reads this variable when it is imported; NumPy uses one thread anyway, see `training`.
_THREADS = "OMP_NUM_THREADS"


@dataclass(frozen=True)
class Options:
    """Train and compare learning algorithms on the same number of the learner's decisions."""

    out: Path = Path("runs/benchmark")
    """Folder of the results."""
    algorithms: tuple[str, ...] = tuple(ALGORITHMS)
    """Names of the project's algorithms; package.module:Attribute or file.py:Attribute for one of your own."""
    decisions: int = 1_048_576
    """Budget of each training: the learner's own decisions; in self-play, the decisions of every seat."""
    seeds: tuple[int, ...] = (0, 1, 2)
    """Seeds; each algorithm is trained once with each of them. With fewer than three, the intervals say little."""
    players: int = 2
    """Number of players at a table."""
    game: str = DEFAULT_GAME.name
    """The game: its name, or a module with a game of your own."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game by name, except the number of players. An option that is not given has its value in the full
    game."""
    evaluations: int = 8
    """Number of evaluations at equal intervals, in addition to the one before training."""
    games: int = 200
    """Least number of games against each reference in each evaluation; rounded up to whole blocks."""
    opponents: tuple[str, ...] = ("random", "greedy")
    """The references, by name as in the arena; copies of a reference fill the table."""
    threads: int = 1
    """Number of threads of each training; it is fixed because times are compared."""
    jobs: int = 1
    """Number of trainings at the same time. They slow each other down unless there are as many idle cores."""
    task: str | None = None
    """A named task, which sets the game, its options, the number of players and the references."""
    list: bool = False
    """Print the named tasks, and train nothing."""
    resume: bool = False
    """Continue in a folder that holds results; finished trainings are kept."""


def with_task(options: Options) -> tuple[Options, str]:
    """The options with those that a named task sets, and the task's title, empty for no task.

    Raises `ValueError` for an unknown task, for one without stored references, and for an option that the task sets.
    """
    if options.task is None:
        return options, ""
    task, default = find_task(options.task), Options()
    references_of(task)
    fixed: dict[str, Any] = {
        "game": task.game,
        "players": task.players,
        "game_options": task.game_options(),
        "opponents": task.references,
    }
    usual = {"game_options": find_game(options.game).default_options(full=True)}
    for name, value in fixed.items():
        if getattr(options, name) not in (value, getattr(default, name), usual.get(name)):
            raise ValueError(f"{name}: expected what {task.title} sets, {value!r}, got {getattr(options, name)!r}")
    return replace(options, **fixed), task.title


def check(options: Options) -> Setting:
    """The setting of all trainings; raises `ValueError` naming an invalid option and what is allowed."""
    options, title = with_task(options)
    for name in ("evaluations", "games", "threads", "jobs"):
        if getattr(options, name) < 1:
            raise ValueError(f"{name}: expected at least 1, got {getattr(options, name)}")
    game = find_game(options.game)
    game.option(NUM_PLAYERS).check(options.players)
    least = LEAST_INTERVAL * options.evaluations
    if options.decisions < least:
        needed = f"at least {LEAST_INTERVAL:,} for each evaluation, {least:,} in all"
        raise ValueError(f"decisions: expected {needed}, got {options.decisions:,}")
    for name in ("algorithms", "seeds", "opponents"):
        given = getattr(options, name)
        if not given or len(set(given)) != len(given):
            raise ValueError(
                f"{name}: expected at least one, and none twice, got {' '.join(map(str, given)) or 'none'}"
            )
    wrong = [seed for seed in options.seeds if not 0 <= seed < 2**32]
    if wrong:
        raise ValueError(f"seeds: expected numbers in 0..{2**32 - 1}, got {wrong[0]}")
    for name in options.algorithms:
        load(name)
    for name in options.opponents:
        opponents.load(name, game=game)
    return Setting(
        players=options.players,
        game=name_of(game),
        game_options={
            name: game.option(name).check(value)
            for name, value in {**game.default_options(full=True), **options.game_options}.items()
        },
        decisions=options.decisions,
        evaluations=options.evaluations,
        games=options.games,
        opponents=options.opponents,
        threads=options.threads,
        task=title,
    )


def measure(player: Agent, setting: Setting) -> dict[str, float]:
    """A player's win share against copies of each reference, in the same games for every player."""
    shares, game = {}, find_game(setting.game)
    for name in setting.opponents:
        match = play_match(
            [player, opponents.load(name, game=game)],
            blocks=blocks_for(setting.games, 2, setting.players),
            num_players=setting.players,
            seed=EVALUATION_SEED,
            threads=setting.threads,
            game=game,
            **setting.game_options,
        )
        shares[name] = float(match.shares[:, 0].mean())
    return shares


def train(name: str, seed: int, setting: Setting, console: Console | None = None) -> Run:
    """Train an algorithm with a seed and evaluate it along the way; exceptions of the algorithm are not caught."""
    make = load(name)
    task = Task(
        players=setting.players,
        game=find_game(setting.game),
        game_options=setting.game_options,
        decisions=setting.decisions,
        evaluations=setting.evaluations,
        seed=seed,
        threads=setting.threads,
    )
    # A short training comes first, so that the time does not include compilation and loading at first use.
    make(replace(task, decisions=LEAST_INTERVAL, evaluations=1)).train(LEAST_INTERVAL)
    algorithm, seconds = make(task), 0.0
    points = [Point(algorithm.decisions, seconds, measure(algorithm.player(), setting))]
    for part in range(1, setting.evaluations + 1):
        until = setting.decisions * part // setting.evaluations
        begin = time.perf_counter()
        algorithm.train(until)
        seconds += time.perf_counter() - begin
        _check_progress(algorithm, until)
        points.append(Point(algorithm.decisions, seconds, measure(algorithm.player(), setting)))
        if console:
            standings = ", ".join(f"{opponent} {100 * share:.0f} %" for opponent, share in points[-1].shares.items())
            console.print(f"{name}, seed {seed}: {algorithm.decisions:>11,} decisions  {seconds:6.0f} s  {standings}")
    return Run(
        algorithm=name,
        description=description(name),
        seed=seed,
        setting=setting,
        points=tuple(points),
        machine=machine(),
        versions=library_versions(*LIBRARIES),
        commit=git_commit(),
    )


def _check_progress(algorithm: Algorithm, until: int) -> None:
    if algorithm.decisions < until:
        raise ValueError(f"expected at least {until:,} decisions, stopped after {algorithm.decisions:,}")


def run_path(out: Path, name: str, seed: int) -> Path:
    """The file of a training."""
    return out / RUNS_FOLDER / f"{re.sub(r'[^A-Za-z0-9_.]+', '-', name)}-seed{seed}.json"


def _train_and_write(name: str, seed: int, setting: Setting, out: Path) -> None:
    """Run one training, in a process of its own."""
    console = Console(highlight=False, soft_wrap=True)
    write_run(run_path(out, name, seed), train(name, seed, setting, console))


@contextmanager
def _environment(threads: int) -> Iterator[None]:
    """Set the number of threads of processes that are started in this context."""
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = str(threads)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before


def finished(options: Options, setting: Setting, console: Console) -> dict[tuple[str, int], Run]:
    """The trainings that the folder already contains, by algorithm and seed; damaged files are ignored.

    Raises `ResultsError` for a training with another setting, or for any training without ``--resume``.
    """
    found = {}
    for name in options.algorithms:
        for seed in options.seeds:
            path = run_path(options.out, name, seed)
            if not path.exists():
                continue
            if not options.resume:
                raise ResultsError(f"{options.out}: holds results; continue with --resume or choose another --out")
            try:
                run = read_run(path)
            except ResultsError as error:
                console.print(f"{error}: trained anew")
                continue
            if (run.algorithm, run.seed, run.setting) != (name, seed, setting):
                raise ResultsError(f"{path}: {_difference(run, name, setting)}; choose another --out")
            found[name, seed] = run
    return found


def _difference(run: Run, name: str, setting: Setting) -> str:
    """The difference between a stored training and the requested one."""
    stored = {"algorithm": run.algorithm, **run.setting.content()}
    wanted = {"algorithm": name, **setting.content()}
    parts = [f"{key} was {stored.get(key)!r}, now {wanted[key]!r}" for key in wanted if stored.get(key) != wanted[key]]
    return ", ".join(parts) or "another seed"


def run_all(options: Options, setting: Setting, console: Console) -> list[str]:
    """Run the missing trainings; returns a line for each one that failed."""
    done = finished(options, setting, console)
    # All algorithms with the first seed come first, so that a slow phase of the machine affects several algorithms.
    missing = [(name, seed) for seed in options.seeds for name in options.algorithms if (name, seed) not in done]
    console.print(f"{len(done)} trainings are finished, {len(missing)} to go; results in {options.out}")
    if missing:
        prepare(find_game(setting.game))
    failures = []
    with (
        _environment(options.threads),
        ProcessPoolExecutor(options.jobs, get_context("spawn"), max_tasks_per_child=1) as pool,
    ):
        futures: dict[Future[None], tuple[str, int]] = {
            pool.submit(_train_and_write, name, seed, setting, options.out): (name, seed) for name, seed in missing
        }
        try:
            for future in as_completed(futures):
                if error := future.exception():
                    name, seed = futures[future]
                    failures.append(f"{name}, seed {seed}: {type(error).__name__}: {error}")
                    console.print(failures[-1], style="red", markup=False)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failures


def report(options: Options, setting: Setting, console: Console) -> list[Run]:
    """Write the results of the finished trainings; returns them, in the order of the options."""
    done = finished(replace(options, resume=True), setting, console)
    runs = [done[name, seed] for name in options.algorithms for seed in options.seeds if (name, seed) in done]
    if runs:
        write_results(options.out, runs)
        console.print(markdown(runs), markup=False)
        files = ", ".join((RESULTS_FILE, TABLE_FILE, PLOT_FILE))
        console.print(f"Saved in {options.out}: {files}, and each training in {RUNS_FOLDER}/")
    return runs


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, train, compare. Returns the exit status."""
    options = parse_command(Options, full=True, program="python -m training.benchmark", arguments=arguments)
    console = Console(highlight=False, soft_wrap=True)
    try:
        if options.list:
            console.print(table_of(TASKS.values()))
            return 0
        setting = check(options)
        runs = [run_path(options.out, name, seed) for name in options.algorithms for seed in options.seeds]
        files = [RESULTS_FILE, TABLE_FILE, PLOT_FILE, *(str(path.relative_to(options.out)) for path in runs)]
        with lock_run(options.out, files):
            failures = run_all(options, setting, console)
            report(options, setting, console)
    except KeyboardInterrupt:
        console.print("Interrupted: finished trainings are kept. Go on with the same command and --resume")
        return 130
    except (ValueError, OSError) as error:
        console.print(f"training.benchmark: {error}", style="red", markup=False)
        return 2
    if failures:
        console.print(f"{len(failures)} failed; train them anew with --resume", style="red")
        return 1
    return 0
