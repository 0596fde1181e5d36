"""The arena: resumable tournaments between agents, on all cores or on a cluster.

Each table of a run plays a number of blocks; a block is one game seed played in every different seat order. Workers
play chunks of games (`playing`). Every finished chunk is written to disk at once (`records`), so a run that was killed
continues with the same command. No result depends on the number of workers or on their speed.
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from dunaia_env.arena import luck, match, playing, records, report, run_files, seeding, statistics, subprocess_agent
from dunaia_env.arena.plan import Mode, differences, make_chunks, make_table, plan_tables
from dunaia_env.harness import commands, opponents, registry, seeds, state
from dunaia_env.harness.game import Game as PlayedGame
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.statistics import sequential, workers
from dunaia_env.support import machine, messages, typed_json
from dunaia_env.support.version import __version__

# Short enough that a kill loses little and that workers finish together; long enough to outweigh a worker's start.
CHUNK_SECONDS = 20.0
MOST_GAMES_AT_ONCE = 256
# Every worker gets at least this many chunks; otherwise workers that finish early would idle.
LEAST_CHUNKS_A_WORKER = 4
# A guess of a seat's decisions in a game; only the length of the chunks depends on it.
TYPICAL_DECISIONS = 150


class ArenaError(ValueError):
    """A run that cannot be begun or continued; the message says why."""


class SequentialTest(Protocol):
    """Decides block by block, as `dunaia_env.statistics.sequential.SequentialTest` does."""

    def add(self, share: float) -> str:
        """Add the mean win share of the next block; returns ``go on`` until there is a decision."""
        ...


@dataclass(frozen=True)
class Options:
    """Play a tournament in seat-balanced blocks. The same command continues a run that was stopped."""

    agents: tuple[str, ...]
    """Names such as greedy, mcts:1000 or champion, model files (*.safetensors), package.module:Attribute, or
    file.py:Attribute; agents of the last two kinds play in child processes."""
    out: Path
    """Folder of the run."""
    players: tuple[int, ...] | None = None
    """Numbers of players at a table; with several numbers, there are tables of each size. The default is 2; in table
    mode it is the number of agents."""
    games: int = 1000
    """Minimum number of games at each table; rounded up to whole blocks."""
    seed: int = 0
    """Seed from which the seeds of all games follow, if these are common."""
    common_seeds: bool | None = None
    """Whether the games of a block have one seed that follows from --seed, so that they can be played again; otherwise
    each game has a seed of its own that no agent can guess. By default, seeds are common unless an agent plays in a
    child process."""
    game: str = registry.DEFAULT_GAME.name
    """The game to play."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game."""
    mode: Mode = "round-robin"
    """round-robin: every combination of different agents, with copies if there are fewer agents than seats;
    one-against-all: the first agent against copies of each other agent; table: one table of the agents as listed, one
    for each seat."""
    jobs: int = 0
    """Number of workers; 0 for one on each core."""
    backend: str = "loky"
    """Joblib backend that runs the workers: loky, threading, multiprocessing, dask, ray or another one that joblib
    knows."""
    time_limit: float = 10.0
    """Seconds that a user agent may think about one decision."""
    components: Path | None = None
    """Component file; the game's own by default."""
    sprt: tuple[float, float] | None = None
    """Two win shares: stop as soon as a sequential test decides which of them fits the first agent better (one table
    only)."""
    games_at_once: int = 0
    """Number of games that a worker plays together; 0 to measure how many take about 20 seconds."""
    luck: bool = True
    """Measure the luck of each seat, for luck-adjusted results, if the game has an evaluation."""


def check_plan(options: Options) -> tuple[tuple[str, ...], tuple[records.Table, ...]]:
    """The different agents of the options and the tables; raises `ArenaError` or `ValueError` for invalid options."""
    commands.check_numbers(options, positive=("games",), not_negative=("jobs", "seed"))
    labels = tuple(dict.fromkeys(options.agents))
    game = registry.find_game(options.game)
    records.check_time_limit(options.time_limit)
    records.check_games_at_once(options.games_at_once, least=0)
    if options.mode == "table":
        seats = game.option(NUM_PLAYERS).check(len(options.agents))
        if options.players not in (None, (seats,)):
            raise ArenaError(f"players: expected {seats}, one for each agent in table mode, got {options.players}")
        tables = records.collect_tables([make_table([labels.index(label) for label in options.agents], options.games)])
    else:
        repeated = [label for label, count in Counter(options.agents).items() if count > 1]
        if repeated:
            raise ArenaError(
                f"agents: {', '.join(repeated)} named twice; repeated names are allowed only in table mode"
            )
        if len(labels) < 2:
            raise ArenaError(f"agents: expected at least 2, got {len(labels)}")
        players = tuple(dict.fromkeys(options.players or (2,)))
        tables = plan_tables(
            len(labels), [game.option(NUM_PLAYERS).check(count) for count in players], options.mode, options.games
        )
    records.checked_options(game, options.game_options)
    records.check_seeds(options.seed, tables)
    records.check_sprt(options.sprt, tables)
    return labels, tables


def identify(label: str, *, game: PlayedGame, components: Any, time_limit: float) -> records.Entrant:
    """Load an agent to learn its name and version; raises `ArenaError` if that fails."""
    try:
        if playing.runs_in_subprocess(label):
            with subprocess_agent.SubprocessAgent(
                label, game=game, components=components, time_limit=time_limit
            ) as agent:
                entrant = records.Entrant(label, agent.name, agent.version)
        else:
            entrant = records.Entrant(
                label, *subprocess_agent.name_and_version(opponents.load(label, game=game, components=components))
            )
        records.check_entrant(entrant)
    except subprocess_agent.AgentError as error:
        raise ArenaError(f"agent {messages.shorten(label)} cannot be loaded: {error.detail}") from error
    except Exception as error:
        raise ArenaError(
            f"agent {messages.shorten(label)} cannot be loaded: {subprocess_agent.describe_exception(error)}"
        ) from error
    return entrant


def measure_games_at_once(conditions: playing.Conditions, tables: Sequence[records.Table], jobs: int) -> int:
    """How many games of the slowest table take about `CHUNK_SECONDS`, estimated from one decision of each agent.

    An agent with a fault here counts as taking no time, because it will lose its games soon.
    """
    seconds = {}
    for number in sorted({entrant for table in tables for entrant in table.entrants}):
        decider = playing.make_decider(number, conditions, seed=0)
        players = next(table.players for table in tables if number in table.entrants)
        lanes = playing.make_lanes(1, players, conditions)
        lanes.reset()  # a game that is not played: an agent must not see a position of the run before its games
        # The first decision loads compiled code.
        decisions = [decider.decide(lanes, np.arange(1)) for _ in range(2)]
        seconds[number] = 0.0 if any(decision.errors for decision in decisions) else decisions[-1].seconds
        decider.close()
    slowest = max(sum(seconds[entrant] for entrant in table.entrants) for table in tables) * TYPICAL_DECISIONS
    even_split = -(-records.game_count(tables) // (LEAST_CHUNKS_A_WORKER * jobs))
    return max(1, min(MOST_GAMES_AT_ONCE, even_split, int(CHUNK_SECONDS / max(slowest, 1e-9))))


class _EarlyStop:
    """Gives complete blocks to a sequential test, in the order of their numbers, until the test decides.

    Attributes:
        blocks: number of blocks after which the test decided; None before.
    """

    def __init__(self, test: SequentialTest, table: records.Table) -> None:
        self._test = test
        self._orders = records.order_count(table)
        self._pending: dict[int, list[records.Game]] = {}
        self._next = 0
        self.blocks: int | None = None

    def add(self, games: Iterable[records.Game]) -> None:
        """Add finished games, in any order."""
        for game in games:
            self._pending.setdefault(game.block, []).append(game)
        while self.blocks is None and len(self._pending.get(self._next, ())) == self._orders:
            (share,) = statistics.block_win_shares(self._pending.pop(self._next), 0)
            self._next += 1
            if self._test.add(float(share)) != "go on":
                self.blocks = self._next


def run_arena(
    options: Options,
    *,
    command: str = "",
    test: SequentialTest | None = None,
    load_valuer: Callable[[PlayedGame], playing.Valuer] | None = None,
) -> list[records.Game]:
    """Play the run that the options describe, or the games of it that are missing.

    Args:
        options: the run's options; ``sprt`` and ``luck`` load the project's test and valuer unless others are given
            here.
        command: the command line that is stored with the run.
        test: a test that can stop the run early, for plans of one table.
        load_valuer: creates each worker's valuer for the game; it has to be picklable.

    Returns:
        All games of the run, sorted by table, block and order.

    Raises `ArenaError`, `RecordsError` or another `ValueError` for an invalid run, before anything is written, and
    `RecordsError` as soon as games cannot be written; games that were written before are kept. Exceptions of the
    project's agents are passed on.
    """
    try:
        labels, tables = check_plan(options)
    except ValueError as error:
        raise ArenaError(str(error)) from error
    if options.sprt is not None and test is None:
        test = sequential.SequentialTest(*options.sprt)
    if test is not None and len(tables) != 1:
        raise ArenaError(f"test: expected exactly one table in the plan, got {len(tables)}")
    game = registry.find_game(options.game)
    if options.luck and load_valuer is None and luck.can_value(game):
        load_valuer = luck.load
    try:
        workers.check_backend(options.backend)
        components = game.load(options.components)
    except ValueError as error:
        raise ArenaError(str(error)) from error
    state.prepare(game)
    entrants = tuple(
        identify(label, game=game, components=components, time_limit=options.time_limit) for label in labels
    )
    conditions = playing.Conditions(
        entrants=entrants,
        game=registry.name_of(game),
        options=records.checked_options(game, options.game_options),
        components=components,
        time_limit=options.time_limit,
        load_valuer=load_valuer,
    )
    plan = records.Run(
        entrants=entrants,
        tables=tables,
        mode=options.mode,
        game=conditions.game,
        options=conditions.options,
        seeding=seeding.seeding_for(labels, options.common_seeds),
        seed=options.seed,
        components=components.hash,
        package=__version__,
        commit=(machine.git_commit() or "unknown").replace("+changes", "-dirty"),
        command=messages.printable(command, typed_json.MOST_CHARACTERS),
        time_limit=options.time_limit,
        games_at_once=options.games_at_once,
        valuer=load_valuer(game).name if load_valuer is not None else "",
        sprt=options.sprt,
    )
    folder = options.out
    with run_files.exclusive_folder(folder):
        run, games = _begin_or_resume(folder, plan, conditions, options)
        early_stop = None if test is None else _EarlyStop(test, run.tables[0])
        if early_stop is not None:
            early_stop.add(games)
        if early_stop is None or early_stop.blocks is None:
            games += _play_missing(folder, run, games, conditions, options, early_stop)
        if early_stop is not None and early_stop.blocks is not None:
            games = _keep_blocks(folder, run, games, early_stop.blocks)
    return sorted(games, key=lambda game: game.key)


def _begin_or_resume(
    folder: Path, plan: records.Run, conditions: playing.Conditions, options: Options
) -> tuple[records.Run, list[records.Game]]:
    """Write the plan of a new run, or read a stored one; returns the run's plan and its finished games."""
    if not (folder / records.RUN_FILE).exists():
        if (folder / records.GAMES_FILE).exists():
            raise ArenaError(
                f"{folder}: expected both {records.GAMES_FILE} and {records.RUN_FILE}, or neither,"
                f" got only {records.GAMES_FILE}"
            )
        run = plan
        if not run.games_at_once:
            import joblib

            jobs = options.jobs or joblib.cpu_count()
            run = replace(run, games_at_once=measure_games_at_once(conditions, run.tables, jobs))
        run_files.write_run(folder, run)
        return run, []
    stored = run_files.read_run(folder)
    run = replace(plan, games_at_once=plan.games_at_once or stored.games_at_once)
    if options.common_seeds in (None, stored.seeding != seeds.SECRET):
        run = replace(run, seeding=stored.seeding)
    if found := differences(stored, run):
        raise ArenaError(f"{folder}: holds another run: {'; '.join(found)}")
    if stored.commit != run.commit:
        print(f"arena: the run began at commit {stored.commit}; this is {run.commit}", file=sys.stderr)
    run = replace(stored, tables=run.tables)
    games = run_files.read_games(folder, run, repair=True)
    if run != stored:
        run_files.write_run(folder, run)
    return run, games


def _play_missing(
    folder: Path,
    run: records.Run,
    games: Sequence[records.Game],
    conditions: playing.Conditions,
    options: Options,
    early_stop: _EarlyStop | None,
) -> list[records.Game]:
    """Play and store the missing games, until all games are finished or the test has decided."""
    finished = {game.key for game in games}
    # Joblib takes chunks in another thread; it gets none after the flag is set.
    ending = threading.Event()
    missing = make_chunks(run, finished, secret=seeds.fresh_secret())
    chunks = itertools.takewhile(lambda _: not ending.is_set(), missing)
    conditions = replace(conditions, records_agent_seeds=run.seeding == seeds.SECRET)
    added: list[records.Game] = []
    error: Exception | None = None
    with workers.progress("arena", records.game_count(run.tables), len(finished)) as advance:
        for played in workers.distribute(
            partial(playing.play_chunk, conditions), chunks, jobs=options.jobs, backend=options.backend
        ):
            if isinstance(played, Exception):
                # No further chunk is started; chunks that other workers still finish are written.
                error = error or played
                ending.set()
                continue
            new = [game for game in played if game.key not in finished]
            run_files.append_games(folder, new)
            added += new
            advance(len(new))
            if early_stop is not None:
                early_stop.add(new)
                if early_stop.blocks is not None:
                    ending.set()
    if error is not None:
        raise error
    return added


def _keep_blocks(folder: Path, run: records.Run, games: Sequence[records.Game], blocks: int) -> list[records.Game]:
    """Shorten a run of one table to a number of blocks; games of later blocks are dropped."""
    kept = [game for game in games if game.block < blocks]
    if len(kept) < len(games):
        run_files.replace_games(folder, kept)
    run_files.write_run(folder, replace(run, tables=(replace(run.tables[0], blocks=blocks),)))
    return kept


def _seats(game: records.Game, entrant: int) -> list[int]:
    return [seat for seat, number in enumerate(game.seating) if number == entrant]


def main(options: Options, command: str = "") -> list[records.Game]:
    """Play the run that the options describe, print its results and write its report.

    Raises `SystemExit` of status 2, after a message on standard error, for a run that is invalid or cannot be written.
    """
    from rich.console import Console
    from rich.text import Text

    try:
        games = run_arena(options, command=command)
        run = run_files.read_run(options.out)
    except (ArenaError, records.RecordsError) as error:
        print(f"arena: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except opponents.GameLeftError as error:
        print(f"arena: {error} Games that were finished before are kept.", file=sys.stderr)
        raise SystemExit(2) from None
    console = Console()
    for number, table in enumerate(run.tables):
        own = [game for game in games if game.table == number]
        rows = [
            match.ResultRow(
                name=run.entrants[entrant].label,
                seats=table.entrants.count(entrant),
                share=match.win_share_interval(statistics.block_win_shares(own, entrant)),
                score=float(np.mean([game.scores[seat] for game in own for seat in _seats(game, entrant)])),
                lost=sum(any(game.seating[fault.seat] == entrant for fault in game.faults) for game in own),
            )
            for entrant in sorted(set(table.entrants))
        ]
        match.print_results(console, table.players, len(own), table.blocks, rows)
    if options.sprt is not None:
        test = sequential.SequentialTest(*options.sprt)
        decision = [test.add(share) for share in statistics.block_win_shares(games, 0).tolist()][-1]
        first, second = options.sprt
        verdict = f"Sequential test of {run.entrants[0].label}, a share of {second:g} against {first:g}: {decision}."
        console.print(Text(verdict))
    try:
        report.write_report(options.out, components=options.components)
    except (records.RecordsError, OSError) as error:
        print(
            f"arena: the games are finished, but the report cannot be written ({messages.reason(error)})",
            file=sys.stderr,
        )
        raise SystemExit(2) from None
    # Printed without rich, so that the path is neither wrapped nor read as markup.
    print(f"Report: {messages.printable(str(options.out / 'report.html'))}")
    return games
