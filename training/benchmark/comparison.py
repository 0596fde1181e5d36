"""Compare learning algorithms: ``python -m training.benchmark --task dunaia-elites-2 --budget 1e6``.

Each algorithm is trained with each seed and the same budget in a process of its own, on one thread unless --threads
says otherwise. Its player is evaluated before training, after parts of the budget that double, and at the end, in the
same seat-balanced games against fixed references. A finished training is stored as one JSON file beside the file of its
player, so that ``python -m training.benchmark.verify`` can play its games again; ``--resume`` runs the missing
trainings. The results are learning curves, interquartile means with intervals (`training.benchmark.aggregates`),
probabilities of improvement, and what was used: time, core seconds, memory, parameters.

Your own algorithm is a class like `training.benchmark.algorithms.Algorithm`, named ``package.module:Attribute`` or
``file.py:Attribute``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

from rich.console import Console

from dunaia_env.harness import opponents
from dunaia_env.harness.commands import parse_command
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, name_of
from dunaia_env.harness.state import prepare
from training.benchmark.algorithms import ALGORITHMS, load, options_of
from training.benchmark.players import MODEL_SUFFIX, OTHER_SUFFIX
from training.benchmark.results import (
    PLOT_FILE,
    RESULTS_FILE,
    TABLE_FILE,
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
from training.benchmark.trainings import LEAST_INTERVAL, Budget, check_different, check_seeds, train
from training.benchmark.tuning import STORED, tuned_options
from training.running.checkpoint import lock_run

RUNS_FOLDER = "runs"
# torch reads this variable when it is imported; NumPy uses one thread anyway, see `training`.
_THREADS = "OMP_NUM_THREADS"


@dataclass(frozen=True)
class Options:
    """Train and compare learning algorithms on the same number of the learner's decisions."""

    out: Path = Path("runs/benchmark")
    """Folder of the results."""
    algorithms: tuple[str, ...] = tuple(ALGORITHMS)
    """Names of the project's algorithms; package.module:Attribute or file.py:Attribute for one of your own."""
    budget: str = "1e6"
    """Budget of each training: a number of the learner's own decisions, such as 1e6 (in self-play, the decisions of
    every seat), or a time, such as 10min."""
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    """Seeds; each algorithm is trained once with each of them. With fewer than three, the intervals say little."""
    players: int = 2
    """Number of players at a table."""
    game: str = DEFAULT_GAME.name
    """The game: its name, or a module with a game of your own."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game by name, except the number of players. An option that is not given has its value in the full
    game."""
    evaluations: int = 6
    """Number of evaluations: after the whole budget, half of it, a quarter, ..., besides the one before training."""
    games: int = 100
    """Least number of games against each reference in each evaluation; rounded up to whole blocks."""
    opponents: tuple[str, ...] = ("random", "greedy")
    """The references, by name as in the arena; copies of a reference fill the table."""
    threads: int = 1
    """Number of threads of each training; it is fixed because times are compared."""
    jobs: int = 1
    """Number of trainings at the same time. They slow each other down unless there are as many idle cores."""
    task: str | None = None
    """A named task, which sets the game, its options, the number of players and the references."""
    tuned: Path | None = STORED
    """File of training.benchmark.tuning, from which the algorithms of a named task have the options that were found for
    its game; None for their defaults."""
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
    budget, least = Budget.read(options.budget), LEAST_INTERVAL << (options.evaluations - 1)
    if not budget.minutes and budget.decisions < least:
        needed = f"at least {LEAST_INTERVAL:,} decisions before the first evaluation, {least:,} in all"
        raise ValueError(f"budget: expected {needed}, got {budget.decisions:,}")
    for name in ("algorithms", "seeds", "opponents"):
        check_different(name, getattr(options, name))
    check_seeds(options.seeds)
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
        decisions=budget.decisions,
        minutes=budget.minutes,
        evaluations=options.evaluations,
        games=options.games,
        opponents=options.opponents,
        threads=options.threads,
        task=title,
    )


def run_path(out: Path, name: str, seed: int) -> Path:
    """The file of a training."""
    return out / RUNS_FOLDER / f"{re.sub(r'[^A-Za-z0-9_.]+', '-', name)}-seed{seed}.json"


def _options_of(name: str, setting: Setting, tuned: Path | None) -> dict[str, Any]:
    """The options with which an algorithm is trained."""
    return tuned_options(name, find_task(setting.task), tuned) if tuned and setting.task else options_of(name)


def _train_and_write(name: str, seed: int, setting: Setting, path: Path, tuned: Path | None) -> None:
    """Run one training, in a process of its own."""
    console = Console(highlight=False, soft_wrap=True)
    own = _options_of(name, setting, tuned)
    write_run(path, train(name, seed, setting, console, options=own, path=path))


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
            own = _options_of(name, setting, options.tuned)
            if (run.algorithm, run.seed, run.setting, run.options) != (name, seed, setting, own):
                raise ResultsError(f"{path}: {_difference(run, name, setting, own)}; choose another --out")
            found[name, seed] = run
    return found


def _difference(run: Run, name: str, setting: Setting, own: Mapping[str, Any]) -> str:
    """The difference between a stored training and the requested one, whose algorithm has its own options."""
    stored = {"algorithm": run.algorithm, **run.setting.content(), "options": run.options}
    wanted = {"algorithm": name, **setting.content(), "options": own}
    parts = [f"{key} was {stored.get(key)!r}, now {wanted[key]!r}" for key in wanted if stored.get(key) != wanted[key]]
    return ", ".join(parts) or "another seed"


def run_all(options: Options, setting: Setting, console: Console) -> list[str]:
    """Run the missing trainings; returns a line for each one that failed."""
    done = finished(options, setting, console)
    # All algorithms with the first seed come first, so that a slow phase of the machine affects several algorithms.
    missing = [(name, seed) for seed in options.seeds for name in options.algorithms if (name, seed) not in done]
    console.print(f"{len(done)} trainings are finished, {len(missing)} to go; results in {options.out}", markup=False)
    if missing:
        prepare(find_game(setting.game))
    failures = []
    with (
        _environment(options.threads),
        ProcessPoolExecutor(options.jobs, get_context("spawn"), max_tasks_per_child=1) as pool,
    ):
        futures: dict[Future[None], tuple[str, int]] = {
            pool.submit(_train_and_write, name, seed, setting, run_path(options.out, name, seed), options.tuned): (
                name,
                seed,
            )
            for name, seed in missing
        }
        try:
            for future in as_completed(futures):
                if error := future.exception():
                    name, seed = futures[future]
                    failures.append(f"{name}, seed {seed}: {type(error).__name__}: {error}")
                    if error.__cause__:  # the traceback in the process of the training, as text
                        console.print(str(error.__cause__).strip('"\n'), markup=False)
                    console.print(failures[-1], style="red", markup=False)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for training in active_children():  # a training may take hours
                training.terminate()
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
        console.print(f"Saved in {options.out}: {files}, and each training in {RUNS_FOLDER}/", markup=False)
    return runs


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, train, compare. Returns the exit status."""
    options = parse_command(Options, full=True, program="dunaia benchmark", arguments=arguments)
    console = Console(highlight=False, soft_wrap=True)
    try:
        if options.list:
            console.print(table_of(TASKS.values()))
            return 0
        setting = check(options)
        runs = [run_path(options.out, name, seed) for name in options.algorithms for seed in options.seeds]
        stored = [path.with_suffix(suffix) for path in runs for suffix in (".json", MODEL_SUFFIX, OTHER_SUFFIX)]
        files = [RESULTS_FILE, TABLE_FILE, PLOT_FILE, *(str(path.relative_to(options.out)) for path in stored)]
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
