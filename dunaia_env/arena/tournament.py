"""The arena: tournaments between agents, resumable, on every core or on a cluster.

Each table of a run is a number of blocks; a block is one game seed played in every different order of seats. Workers
play chunks of games (`playing`); every finished chunk is written down at once (`records`), so a run that was killed
goes on with the same command. No result depends on the number of workers or on who was faster.
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from dunaia_env.arena import luck, report, statistics
from dunaia_env.arena.guard import AgentError, Guard, describe_exception, introduction
from dunaia_env.arena.match import Line, print_results, win_share_interval
from dunaia_env.arena.plan import Mode, differences, make_chunks, make_table, plan_tables
from dunaia_env.arena.playing import Chunk, Conditions, Valuer, is_guarded, make_decider, make_lanes, play_chunk
from dunaia_env.arena.records import (
    GAMES_FILE,
    RUN_FILE,
    Entrant,
    Game,
    RecordsError,
    Run,
    Table,
    alone,
    append_games,
    bounded,
    check_entrant,
    check_games_at_once,
    check_seeds,
    check_sprt,
    check_time_limit,
    checked_options,
    game_count,
    order_count,
    read_games,
    read_run,
    replace_games,
    write_run,
)
from dunaia_env.arena.statistics import block_shares
from dunaia_env.harness import opponents
from dunaia_env.harness.commands import check_numbers
from dunaia_env.harness.game import NUM_PLAYERS
from dunaia_env.harness.game import Game as PlayedGame
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, name_of
from dunaia_env.harness.state import prepare
from dunaia_env.support.machine import git_commit, package_version
from dunaia_env.support.messages import printable, reason, shorten
from dunaia_env.support.typed_json import MOST_SIGNS

# Short enough that a kill costs little and workers finish together, long enough that a worker's start does not count.
CHUNK_SECONDS = 20.0
MOST_GAMES_AT_ONCE = 256
# Every worker gets so many chunks at least, or those that finish early would idle.
LEAST_CHUNKS_A_WORKER = 4
# A seat's decisions in a game, as a guess, on which nothing but the length of the chunks depends.
TYPICAL_DECISIONS = 150
SECONDS_BETWEEN_LINES = 30.0
# On these joblib starts workers on this machine.
LOCAL_BACKENDS = ("loky", "multiprocessing", "threading", "sequential")


class ArenaError(ValueError):
    """A run that cannot be begun or gone on with: the message says why."""


class SequentialTest(Protocol):
    """Decides while blocks come in, as `dunaia_env.arena.statistics.SequentialTest` does."""

    def add(self, share: float) -> str:
        """Take in the mean win share of the next block; ``go on`` until there is a decision."""
        ...


@dataclass(frozen=True)
class Options:
    """Play a tournament in seat-balanced blocks. The same command goes on with a run that was stopped."""

    agents: tuple[str, ...]
    """Names such as greedy, mcts:1000 or champion, model files (*.safetensors), or package.module:Attribute, which
    plays in a process of its own."""
    out: Path
    """Folder of the run."""
    players: tuple[int, ...] | None = None
    """Players at a table; several numbers for tables of each. 2 if absent, in table mode one for each agent."""
    games: int = 1000
    """Least number of games at each table; rounded up to whole blocks."""
    seed: int = 0
    """Game seed of the first block; the others count up from it."""
    game: str = DEFAULT_GAME.name
    """The game that they play."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Its options."""
    mode: Mode = "round-robin"
    """round-robin: every combination of different agents, with copies where there are fewer agents than seats;
    one-against-all: the first agent against copies of each other one; table: the agents as listed, one a seat."""
    jobs: int = 0
    """Workers; 0 for one on each core."""
    backend: str = "loky"
    """What joblib runs the workers with: loky, threading, multiprocessing, dask, ray or another one it knows."""
    time_limit: float = 10.0
    """Seconds an agent of the user may think about one decision."""
    components: Path | None = None
    """A component file; the project's own if absent."""
    sprt: tuple[float, float] | None = None
    """Stop as soon as the first agent's win share is known to be rather the first or the second number (one table)."""
    games_at_once: int = 0
    """Games that a worker plays in one go; 0 to measure how many take about 20 seconds."""
    luck: bool = True
    """Measure what chance gave to each seat, for luck-adjusted results, if the game has an evaluation."""


def check_plan(options: Options) -> tuple[tuple[str, ...], tuple[Table, ...]]:
    """The different agents of the options and the tables; raises `ArenaError` or `ValueError` for what cannot be."""
    check_numbers(options, positive=("games",), not_negative=("jobs", "seed"))
    labels = tuple(dict.fromkeys(options.agents))
    game = find_game(options.game)
    check_time_limit(options.time_limit)
    check_games_at_once(options.games_at_once, least=0)
    if options.mode == "table":
        seats = game.option(NUM_PLAYERS).check(len(options.agents))
        if options.players not in (None, (seats,)):
            raise ArenaError(f"players: {options.players}; a table of {seats} agents has {seats} players")
        tables = bounded([make_table([labels.index(label) for label in options.agents], options.games)])
    else:
        twice = [label for label, count in Counter(options.agents).items() if count > 1]
        if twice:
            raise ArenaError(f"agents: {', '.join(twice)} named twice; only --mode table seats copies by name")
        if len(labels) < 2:
            raise ArenaError(f"agents: {len(labels)}; at least 2 are needed")
        players = tuple(dict.fromkeys(options.players or (2,)))
        tables = plan_tables(
            len(labels), [game.option(NUM_PLAYERS).check(count) for count in players], options.mode, options.games
        )
    checked_options(game, options.game_options)
    check_seeds(options.seed, tables)
    check_sprt(options.sprt, tables)
    return labels, tables


def identify(label: str, *, game: PlayedGame, components: Any, time_limit: float) -> Entrant:
    """Load an agent to learn its name and version; raises `ArenaError` if that fails."""
    try:
        if is_guarded(label):
            with Guard(label, game=game, components=components, time_limit=time_limit) as guard:
                entrant = Entrant(label, guard.name, guard.version)
        else:
            entrant = Entrant(label, *introduction(opponents.load(label, game=game, components=components)))
        check_entrant(entrant)
    except AgentError as error:
        raise ArenaError(f"agent {shorten(label)} cannot be loaded: {error.detail}") from error
    except Exception as error:
        raise ArenaError(f"agent {shorten(label)} cannot be loaded: {describe_exception(error)}") from error
    return entrant


def measure_games_at_once(conditions: Conditions, tables: Sequence[Table], jobs: int) -> int:
    """How many games of the slowest table take about `CHUNK_SECONDS`, from one decision of each agent.

    An agent that does something wrong here counts nothing: it will lose its games soon.
    """
    seconds = {}
    for number in sorted({entrant for table in tables for entrant in table.entrants}):
        decider = make_decider(number, conditions)
        players = next(table.players for table in tables if number in table.entrants)
        lanes = make_lanes(1, players, conditions)
        lanes.reset([conditions.seed])
        # The first decision loads compiled code.
        answers = [decider.decide(lanes, np.arange(1)) for _ in range(2)]
        seconds[number] = 0.0 if any(answer.failures for answer in answers) else answers[-1].seconds
        decider.close()
    slowest = max(sum(seconds[entrant] for entrant in table.entrants) for table in tables) * TYPICAL_DECISIONS
    fair = -(-game_count(tables) // (LEAST_CHUNKS_A_WORKER * jobs))
    return max(1, min(MOST_GAMES_AT_ONCE, fair, int(CHUNK_SECONDS / max(slowest, 1e-9))))


class _Stop:
    """Gives complete blocks to a sequential test, in the order of their numbers, until it decides.

    Attributes:
        blocks: number of blocks after which it decided; None before.
    """

    def __init__(self, test: SequentialTest, table: Table) -> None:
        self._test = test
        self._orders = order_count(table)
        self._waiting: dict[int, list[Game]] = {}
        self._next = 0
        self.blocks: int | None = None

    def add(self, games: Iterable[Game]) -> None:
        for game in games:
            self._waiting.setdefault(game.block, []).append(game)
        while self.blocks is None and len(self._waiting.get(self._next, ())) == self._orders:
            (share,) = block_shares(self._waiting.pop(self._next), 0)
            self._next += 1
            if self._test.add(float(share)) != "go on":
                self.blocks = self._next


def run_arena(
    options: Options,
    *,
    command: str = "",
    test: SequentialTest | None = None,
    load_valuer: Callable[[PlayedGame], Valuer] | None = None,
) -> list[Game]:
    """Play the run that the options describe, or what is missing of it.

    Args:
        options: of the run; ``sprt`` and ``luck`` load the project's test and valuer unless others are given here.
        command: the command line to be noted.
        test: stops the run; for plans of one table.
        load_valuer: makes the valuer of each worker for the game; a function that can be pickled.

    Returns:
        All games of the run, by table, block and order.

    Raises `ArenaError`, `RecordsError` or another `ValueError` before anything is written if the run cannot be, and
    `RecordsError` as soon as it cannot be written down: what was finished before is kept. What an agent of the project
    raises is raised here.
    """
    try:
        labels, tables = check_plan(options)
    except ValueError as error:
        raise ArenaError(str(error)) from error
    if options.sprt is not None and test is None:
        test = statistics.SequentialTest(*options.sprt)
    if test is not None and len(tables) != 1:
        raise ArenaError(f"test: the plan has {len(tables)} tables; exactly one is needed")
    game = find_game(options.game)
    if options.luck and load_valuer is None and luck.can_value(game):
        load_valuer = luck.load
    _check_backend(options.backend)
    try:
        components = game.load(options.components)
    except ValueError as error:
        raise ArenaError(str(error)) from error
    prepare(game)
    entrants = tuple(
        identify(label, game=game, components=components, time_limit=options.time_limit) for label in labels
    )
    conditions = Conditions(
        entrants=entrants,
        game=name_of(game),
        options=checked_options(game, options.game_options),
        seed=options.seed,
        components=components,
        time_limit=options.time_limit,
        load_valuer=load_valuer,
    )
    asked = Run(
        entrants=entrants,
        tables=tables,
        mode=options.mode,
        game=conditions.game,
        options=conditions.options,
        seed=options.seed,
        components=components.hash,
        package=package_version(),
        commit=(git_commit() or "unknown").replace("+changes", "-dirty"),
        command=printable(command, MOST_SIGNS),
        time_limit=options.time_limit,
        games_at_once=options.games_at_once,
        valuer=load_valuer(game).name if load_valuer is not None else "",
        sprt=options.sprt,
    )
    folder = options.out
    with alone(folder):
        run, games = _begin(folder, asked, conditions, options)
        stop = None if test is None else _Stop(test, run.tables[0])
        if stop is not None:
            stop.add(games)
        if stop is None or stop.blocks is None:
            games += _play(folder, run, games, conditions, options, stop)
        if stop is not None and stop.blocks is not None:
            games = _cut(folder, run, games, stop.blocks)
    return sorted(games, key=lambda game: game.key)


def _begin(folder: Path, asked: Run, conditions: Conditions, options: Options) -> tuple[Run, list[Game]]:
    """The run's plan, written, and its finished games."""
    if not (folder / RUN_FILE).exists():
        if (folder / GAMES_FILE).exists():
            raise ArenaError(f"{folder}: has {GAMES_FILE} but no {RUN_FILE}; it is no run to go on with")
        run = asked
        if not run.games_at_once:
            import joblib

            jobs = options.jobs or joblib.cpu_count()
            run = replace(run, games_at_once=measure_games_at_once(conditions, run.tables, jobs))
        write_run(folder, run)
        return run, []
    found = read_run(folder)
    run = replace(asked, games_at_once=asked.games_at_once or found.games_at_once)
    if faults := differences(found, run):
        raise ArenaError(f"{folder}: holds another run: {'; '.join(faults)}")
    if found.commit != run.commit:
        print(f"arena: the run began at commit {found.commit}, this is {run.commit}", file=sys.stderr)
    run = replace(found, tables=run.tables)
    games = read_games(folder, run, mend=True)
    if run != found:
        write_run(folder, run)
    return run, games


def _play(
    folder: Path, run: Run, games: Sequence[Game], conditions: Conditions, options: Options, stop: _Stop | None
) -> list[Game]:
    """Play and write down what is missing, until all is there or the test has decided."""
    finished = {game.key for game in games}
    # The workers' results come back through threads: chunks are handed out until the flag is set.
    decided = threading.Event()
    chunks = itertools.takewhile(lambda _: not decided.is_set(), make_chunks(run, finished))
    added: list[Game] = []
    error: Exception | None = None
    with _progress(game_count(run.tables), len(finished)) as advance:
        for played in _distribute(conditions, chunks, options):
            if isinstance(played, Exception):
                # Ends the handing out; what the other workers still finish is written.
                error = error or played
                decided.set()
                continue
            new = [game for game in played if game.key not in finished]
            append_games(folder, new)
            added += new
            advance(len(new))
            if stop is not None:
                stop.add(new)
                if stop.blocks is not None:
                    decided.set()
    if error is not None:
        raise error
    return added


def _cut(folder: Path, run: Run, games: Sequence[Game], blocks: int) -> list[Game]:
    """End a run of one table after so many blocks; games beyond them are dropped."""
    kept = [game for game in games if game.block < blocks]
    if len(kept) < len(games):
        replace_games(folder, kept)
    write_run(folder, replace(run, tables=(replace(run.tables[0], blocks=blocks),)))
    return kept


def _check_backend(backend: str) -> None:
    """Make joblib know a backend that comes with another package; raises `ArenaError` if it cannot."""
    try:
        if backend == "ray":
            ray = import_module("ray")
            import_module("ray.util.joblib").register_ray()
            if not ray.is_initialized():
                # Which cluster, RAY_ADDRESS says; without it one is started here.
                ray.init()
        elif backend == "dask":
            # Which cluster, its own settings say, such as DASK_SCHEDULER_ADDRESS; without them one is started here.
            distributed = import_module("distributed")
            try:
                distributed.get_client()
            except ValueError:
                distributed.Client()
    except ImportError as error:
        raise ArenaError(f"backend: {backend!r} needs a package that is not installed ({error})") from error
    import joblib

    try:
        with joblib.parallel_config(backend=backend):
            pass
    except ValueError as error:
        raise ArenaError(f"backend: {backend!r} is not known to joblib ({error})") from error


def _play_chunk(conditions: Conditions, chunk: Chunk) -> list[Game] | Exception:
    """The games of a chunk, or what was raised. An error that left the worker would lose other finished chunks."""
    try:
        return play_chunk(conditions, chunk)
    except Exception as error:
        return error


def _distribute(conditions: Conditions, chunks: Iterator[Chunk], options: Options) -> Iterator[list[Game] | Exception]:
    """The games of each chunk, as the workers finish them; or the error that ended it."""
    if options.jobs == 1 and options.backend in LOCAL_BACKENDS:
        for chunk in chunks:
            yield play_chunk(conditions, chunk)
        return
    import joblib

    # A worker is one core's work: without this the libraries of every worker would use all cores.
    threads = {"inner_max_num_threads": 1} if options.backend == "loky" else {}
    tasks = (joblib.delayed(_play_chunk)(conditions, chunk) for chunk in chunks)
    with joblib.parallel_config(backend=options.backend, n_jobs=options.jobs or -1, **threads):
        workers = joblib.effective_n_jobs()
        try:
            parallel = joblib.Parallel(batch_size=1, pre_dispatch="n_jobs", return_as="generator_unordered")
        except ValueError:
            parallel = None
            in_order = joblib.Parallel(batch_size=1)
    if parallel is not None:
        yield from parallel(tasks)
        return
    # A backend that gives nothing back before all is done gets a chunk for each worker at a time; the workers stay.
    with in_order:
        while wave := list(itertools.islice(tasks, workers)):
            yield from in_order(wave)


@contextmanager
def _progress(total: int, done: int) -> Iterator[Callable[[int], None]]:
    """Show on standard error how many games are done and how long the rest will take; a line now and then in a file."""
    import time

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if console.is_terminal:
        columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console) as progress:
            task = progress.add_task("games", total=total, completed=done)
            yield lambda count: progress.advance(task, count)
        return
    begin = shown = time.monotonic()
    now_done = done

    def advance(count: int) -> None:
        nonlocal shown, now_done
        now_done += count
        now = time.monotonic()
        if now - shown >= SECONDS_BETWEEN_LINES:
            shown = now
            left = (now - begin) / (now_done - done) * (total - now_done) if now_done > done else 0.0
            print(f"arena: {now_done} of {total} games, about {left:.0f} s left", file=sys.stderr, flush=True)

    yield advance


def _seats(game: Game, entrant: int) -> list[int]:
    return [seat for seat, number in enumerate(game.seating) if number == entrant]


def main(options: Options, command: str = "") -> list[Game]:
    """Play the run that the options describe, print its results and write its report.

    Raises `SystemExit` of status 2, after a sentence on standard error, for a run that cannot be or be written.
    """
    from rich.console import Console
    from rich.text import Text

    try:
        games = run_arena(options, command=command)
        run = read_run(options.out)
    except (ArenaError, RecordsError) as error:
        print(f"arena: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except opponents.GameLeftError as error:
        print(f"arena: {error} What was finished before is kept.", file=sys.stderr)
        raise SystemExit(2) from None
    console = Console()
    for number, table in enumerate(run.tables):
        own = [game for game in games if game.table == number]
        lines = [
            Line(
                name=run.entrants[entrant].label,
                seats=table.entrants.count(entrant),
                share=win_share_interval(block_shares(own, entrant)),
                score=float(np.mean([game.scores[seat] for game in own for seat in _seats(game, entrant)])),
                lost=sum(any(game.seating[fault.seat] == entrant for fault in game.faults) for game in own),
            )
            for entrant in sorted(set(table.entrants))
        ]
        print_results(console, table.players, len(own), table.blocks, lines)
    if options.sprt is not None:
        test = statistics.SequentialTest(*options.sprt)
        decision = [test.add(share) for share in block_shares(games, 0).tolist()][-1]
        first, second = options.sprt
        about = f"Sequential test of {run.entrants[0].label}, a share of {second:g} rather than {first:g}: {decision}."
        console.print(Text(about))
    try:
        report.write_report(options.out, components=options.components)
    except (RecordsError, OSError) as error:
        print(f"arena: the games are finished, but the report cannot be written ({reason(error)})", file=sys.stderr)
        raise SystemExit(2) from None
    # Plain, so that no path is broken into lines or read as markup.
    print(f"Report: {printable(str(options.out / 'report.html'))}")
    return games
