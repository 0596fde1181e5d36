"""The arena: plans, games that do not depend on who plays them when, faults that stop nothing, runs that go on."""

from __future__ import annotations

import errno
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dunaia_env import GameState
from dunaia_env.arena import match, playing, run_files, subprocess_agent, tournament
from dunaia_env.arena.match import play_match
from dunaia_env.arena.plan import make_chunks, plan_tables
from dunaia_env.arena.playing import (
    Chunk,
    Conditions,
    Decisions,
    InProcessDecider,
    ScheduledGame,
    play_chunk,
    play_games,
    ranks_with_faults,
    runs_in_subprocess,
)
from dunaia_env.arena.records import GAMES_FILE, RUN_FILE, Entrant, Fault, Game, RecordsError, Table, seat_orders
from dunaia_env.arena.run_files import append_games, exclusive_folder, read_games, read_run
from dunaia_env.arena.seeding import schedule
from dunaia_env.arena.statistics import block_win_shares
from dunaia_env.arena.tournament import ArenaError, Options, main, run_arena
from dunaia_env.harness import opponents
from dunaia_env.harness.opponents import GameLeftError, GreedyAgent
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.harness.seeds import block_seed
from dunaia_env.statistics import workers
from dunaia_env.support.locking import LOCK_FILE
from tests.clocks import HANGS, set_clock

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
HOSTILE = "tests.hostile_agents:"
REPORTS = ("report.json", "report.html", "report.md")


def options(out: Path, *agents: str, **more: Any) -> Options:
    """A short run in this process."""
    own = {name: more.pop(name) for name in ("elites", "max_rounds") if name in more}
    return Options(
        agents=agents,
        out=out,
        game_options={"max_rounds": 3, **own},
        **{"games": 8, "jobs": 1, "games_at_once": 3, "time_limit": HANGS, "luck": False, "common_seeds": True, **more},
    )


def timeless(games: Sequence[Game]) -> list[Game]:
    return [replace(game, seconds=()) for game in sorted(games, key=lambda game: game.key)]


def conditions_for(*labels: str, **more: Any) -> Conditions:
    values = {"game": "dunaia", "options": {"max_rounds": 3}, "time_limit": HANGS}
    values["components"] = DEFAULT_GAME.load(None)
    versions = {"greedy": GreedyAgent.version}
    entrants = tuple(
        Entrant(label, label.partition(":")[2].lower() or label, versions.get(label, "1")) for label in labels
    )
    return Conditions(entrants=entrants, **{**values, **more})


# --- plans


def test_round_robin_seats_every_combination() -> None:
    tables = plan_tables(3, [2, 3, 4], "round-robin", 100)
    assert [table.entrants for table in tables] == [
        *[(0, 1), (0, 2), (1, 2)],
        (0, 1, 2),
        *[(0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2)],
    ]
    # 2, 6 and 12 orders of seats.
    assert [table.blocks for table in tables] == [50, 50, 50, 17, 9, 9, 9]


def test_one_against_all_seats_copies() -> None:
    tables = plan_tables(3, [2, 4], "one-against-all", 10)
    assert [table.entrants for table in tables] == [(0, 1), (0, 2), (0, 1, 1, 1), (0, 2, 2, 2)]
    assert [table.blocks for table in tables] == [5, 5, 3, 3]


def test_a_table_seats_the_agents_as_listed(tmp_path: Path) -> None:
    labels, tables = tournament.check_plan(options(tmp_path, "greedy", "random", "greedy", mode="table", games=4))
    assert labels == ("greedy", "random")
    assert tables == (Table(3, (0, 0, 1), 2),)


def test_seat_orders_are_different() -> None:
    assert seat_orders((0, 0, 1)) == ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    assert len(seat_orders((0, 1, 2, 3))) == 24


@pytest.mark.parametrize(
    ("agents", "more", "message"),
    [
        (("random",), {}, "agents: expected at least 2, got 1"),
        (("random", "greedy", "random"), {}, "agents: random named twice; repeated names are allowed only"),
        (("random", "greedy"), {"players": (5,)}, r"num_players: expected an integer in 2\.\.4, got 5"),
        (("random", "greedy"), {"max_rounds": 0}, "max_rounds: expected an integer in.*, got 0"),
        (("random", "greedy"), {"games": 0}, "games: expected more than 0, got 0"),
        *(
            (
                ("random", "greedy"),
                {"time_limit": seconds},
                re.escape(f"time_limit: expected more than 0 and at most 1e+06 s, got {seconds}"),
            )
            for seconds in (0, -1.5, 1e300)
        ),
        (("random", "greedy"), {"time_limit": float("nan")}, "time_limit: expected a finite number, got nan"),
        (("random", "greedy"), {"time_limit": float("inf")}, "time_limit: expected a finite number, got inf"),
        (("random", "greedy"), {"games_at_once": -5}, r"games_at_once: expected 0\.\.100000, got -5"),
        (("random", "greedy"), {"games_at_once": 10**9}, r"games_at_once: expected 0\.\.100000, got 1000000000"),
        (("random", "greedy"), {"jobs": -5}, "jobs: expected at least 0, got -5"),
        (("random", "greedy"), {"games": 99_999_999_999}, "games: more than 10,000,000 at all tables together"),
        (tuple(f"flat:{number}" for number in range(1, 200)), {"players": (4,)}, "games: more than 10,000,000 at all"),
        (("random", "greedy"), {"mode": "table", "games": 10**12}, "games: more than 10,000,000 at all tables"),
        (("random", "greedy"), {"sprt": (float("nan"), 0.6)}, "sprt: expected a finite number, got nan"),
        (
            ("random", "greedy"),
            {"sprt": (0.6, 0.5)},
            "sprt: expected two shares 0 <= first < second.*, got 0.6 and 0.5",
        ),
        (("random", "greedy"), {"sprt": (0.5, float("inf"))}, "sprt: expected a finite number, got inf"),
        (("random", "greedy"), {"mode": "table", "players": (3,)}, "expected 2, one for each agent in table mode"),
        (("random",), {"mode": "table"}, r"num_players: expected an integer in 2\.\.4, got 1"),
        (
            ("random", "greedy"),
            {"players": (2, 3), "sprt": (0.5, 0.6)},
            "sprt: expected exactly one table in the plan, got 3",
        ),
        (("random", "greedy"), {"backend": "abacus"}, "backend: expected a backend that joblib knows, got 'abacus'"),
        (("random", "unknown"), {}, "agent 'unknown' cannot be loaded: .*expected one of random, greedy, "),
        (("random", HOSTILE + "RaisesInInit"), {}, "RaisesInInit' cannot be loaded: RuntimeError: cannot be made"),
        (("random", "tests.no_such_module:Agent"), {}, "No module named 'tests.no_such_module'"),
        (
            ("random", HOSTILE + "LongName"),
            {},
            "cannot be loaded: its name has 5,000,000 characters; at most 200 are",
        ),
        (("random", "x" * 5000), {}, r"agent 'xxx.{40,120}xxx' cannot be loaded: ValueError: agent 'xxx"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    tmp_path: Path, agents: tuple[str, ...], more: dict[str, Any], message: str
) -> None:
    with pytest.raises(ArenaError, match=message):
        run_arena(options(tmp_path / "run", *agents, **more))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("backend", ["ray", "dask"])
def test_a_cluster_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    for module in ("ray", "ray.util.joblib", "distributed"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ArenaError, match=f"backend: '{backend}' needs a package that is not installed"):
        run_arena(options(tmp_path, "random", "greedy", backend=backend))


def test_agents_of_the_user_are_told_from_the_projects_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponents, "names", lambda: ("random", "greedy", "mcts"))
    assert [runs_in_subprocess(label) for label in ("random", "mcts:200,playout=greedy", "C:/a/model.safetensors")] == [
        False
    ] * 3
    assert not runs_in_subprocess("C:/a/model.safetensors+64,candidates=4")
    assert runs_in_subprocess("package.module:Agent")


def test_chunks_begin_at_the_same_games_whatever_is_finished(tmp_path: Path) -> None:
    run_arena(options(tmp_path, "random", "greedy", players=(2, 3), games=5))
    run = read_run(tmp_path)
    chunks = list(make_chunks(run, set()))
    # Six games of two players, then two tables of three orders and two blocks.
    assert [(chunk.table, len(chunk.games)) for chunk in chunks] == [(0, 3), (0, 3), (1, 3), (1, 3), (2, 3), (2, 3)]
    assert chunks[1].games == (
        schedule(run, 0, 1, 1, secret=""),
        schedule(run, 0, 2, 0, secret=""),
        schedule(run, 0, 2, 1, secret=""),
    )
    assert list(make_chunks(run, {(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)})) == chunks[1:]


# --- games


def test_games_are_those_of_a_match(tmp_path: Path) -> None:
    games = run_arena(
        options(tmp_path, "greedy", "random", players=(3,), games=30, seed=5, elites=True, mode="one-against-all")
    )
    played = play_match(
        [opponents.load("greedy"), opponents.load("random")],
        blocks=10,
        num_players=3,
        elites=True,
        seed=5,
        max_rounds=3,
    )
    assert block_win_shares(games, 0).tolist() == played.shares[:, 0].tolist()
    assert block_win_shares(games, 1).tolist() == played.shares[:, 1].tolist()
    assert played.decisions == np.mean([len(game.actions) for game in games])
    assert played.stopped == sum(game.stopped for game in games) == 30


def test_records_say_what_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, playing, step=1.0)
    games = run_arena(options(tmp_path, "greedy", HOSTILE + "First", games=2, max_rounds=100))
    assert games == sorted(read_games(tmp_path), key=lambda game: game.key)
    assert {game.seed for game in games} == {block_seed(0, 0)}
    for game in games:
        state = GameState.new(game.seed)
        seats = [0, 0]
        for action in game.actions:
            seats[state.seat] += 1
            state.apply(action, game.seed)
        assert state.is_over
        assert (tuple(state.scores()), tuple(state.ranks())) == (game.scores, game.ranks)
        assert tuple(seats) == game.decisions
        assert game.seconds == tuple(map(float, seats))  # a second for each decision
        assert (game.luck, game.faults, game.stopped) == ((0.0,) * 2, (), False)


@pytest.mark.long
def test_nothing_depends_on_chunks_or_workers(tmp_path: Path) -> None:
    agents = "random", "greedy", HOSTILE + "Remembers"
    results = []
    for number, more in enumerate([{"games_at_once": 4}, {"games_at_once": 1}, {"games_at_once": 2, "jobs": 2}]):
        games = run_arena(options(tmp_path / str(number), *agents, games=6, players=(3,), max_rounds=2, **more))
        results.append(timeless(games))
    assert len(results[0]) == 6
    assert results[1:] == results[:1] * 2
    assert not any(game.faults for game in results[0])


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["threading", "multiprocessing"])
def test_other_backends(tmp_path: Path, backend: str) -> None:
    expected = run_arena(options(tmp_path / "one", "random", "greedy", games=20))
    games = run_arena(options(tmp_path / "two", "random", "greedy", games=20, jobs=2, backend=backend))
    assert timeless(games) == timeless(expected)


class Slow:
    """Decides in a minute, by its own account."""

    def decide(self, lanes: Any, selected: NDArray[np.int64]) -> Decisions:
        return Decisions(np.zeros(1, np.int32), 60.0)

    def close(self) -> None:
        pass


def test_games_at_once_are_measured_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, playing, step=1e-6)
    run_arena(options(tmp_path, "random", "greedy", games=100, games_at_once=0))
    # A quarter of the games at most, for one worker.
    assert read_run(tmp_path).games_at_once == 25
    with monkeypatch.context() as patch:
        measuring = SimpleNamespace(**vars(playing) | {"make_decider": lambda *_, **__: Slow()})
        patch.setattr(tournament, "playing", measuring)
        run_arena(options(tmp_path, "random", "greedy", games=102, games_at_once=0))
        assert read_run(tmp_path).games_at_once == 25
        assert tournament.measure_games_at_once(conditions_for("random"), [Table(2, (0, 0), 1000)], 1) == 1
    assert tournament.measure_games_at_once(conditions_for("random"), [Table(2, (0, 0), 5000)], 1) == 256
    set_clock(monkeypatch, playing, step=tournament.CHUNK_SECONDS / (2 * tournament.TYPICAL_DECISIONS) / 15.5)
    assert tournament.measure_games_at_once(conditions_for("random"), [Table(2, (0, 0), 5000)], 1) == 15


# --- faults


def test_ranks_with_faults() -> None:
    assert ranks_with_faults([1, 2, 3, 4], [False] * 4) == (1, 2, 3, 4)
    assert ranks_with_faults([1, 2, 2, 4], [True, False, False, False]) == (4, 1, 1, 3)
    assert ranks_with_faults([2, 1, 3, 4], [True, False, True, False]) == (3, 1, 3, 2)
    assert ranks_with_faults([1, 2], [True, True]) == (1, 1)


class Script:
    """An agent of the project with a fault in it: gives what ``answer`` makes of the legal actions."""

    name, version = "script", "1"

    def __init__(self, answer: Callable[[NDArray[np.int32]], Any]) -> None:
        self.answer = answer
        self.seeds: list[int] = []

    def reset(self, seed: int) -> None:
        self.seeds.append(seed)

    def act(self, state: Any) -> int:
        raise AssertionError("the arena asks agents of the project about many lanes at once")

    def act_batch(self, lanes: Any, selected: NDArray[np.int64]) -> Any:
        return self.answer(lanes.random_actions(7, selected))


def with_one_illegal(actions: NDArray[np.int32]) -> NDArray[np.int32]:
    actions[0] = 30_000
    return actions


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (lambda actions: 1 // 0, ZeroDivisionError, "integer division or modulo by zero"),
        (lambda actions: actions[:-1], RuntimeError, r"agent 'script': expected 4 actions, got int32 of shape \(3,\)"),
        (
            lambda actions: actions.astype(float),
            RuntimeError,
            "agent 'script': expected 4 actions, got float64 of shape",
        ),
        (lambda actions: actions - 10_000, RuntimeError, "agent 'script': action -.* is not legal for seat 1"),
        (with_one_illegal, RuntimeError, "agent 'script': action 30000 is not legal for seat 1"),
    ],
)
def test_a_fault_of_an_agent_of_the_project_is_raised(answer: Any, error: type[Exception], message: str) -> None:
    conditions = conditions_for("random", "script")
    deciders = {0: playing.make_decider(0, conditions, seed=0), 1: InProcessDecider(Script(answer), 3)}
    scheduled = [ScheduledGame(block, 0, block, (0, 1, 0), (0, 1, 0)) for block in range(4)]
    with pytest.raises(error, match=message):
        play_games(playing.make_lanes(4, 3, conditions), scheduled, deciders)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_an_agent_of_the_project_stops_keeps_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    asked = options(tmp_path, "random", "greedy", games=20, jobs=jobs, backend="threading")
    decide, unlucky = GreedyAgent.act_batch, block_seed(asked.seed, 6)

    def act_batch(agent: GreedyAgent, lanes: Any, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        if unlucky in lanes.game_seeds[selected]:
            raise ValueError("the agent is at fault")
        return decide(agent, lanes, selected)

    with monkeypatch.context() as patch:
        patch.setattr(GreedyAgent, "act_batch", act_batch)
        with pytest.raises(ValueError, match=r"^the agent is at fault$"):
            main(asked)
    kept = read_games(tmp_path)
    assert kept
    assert not any(game.seed == unlucky or game.faults for game in kept)
    lines = (tmp_path / GAMES_FILE).read_bytes()
    games = run_arena(asked)
    assert (tmp_path / GAMES_FILE).read_bytes().startswith(lines)
    assert timeless(games) == timeless(run_arena(replace(asked, out=tmp_path / "whole")))


def test_an_agent_is_reset_once_with_its_seed() -> None:
    script = Script(lambda actions: actions)
    lanes = playing.make_lanes(2, 2, conditions_for("random"))
    scheduled = [ScheduledGame(block, 0, block, (0, 0), (9, 9)) for block in range(2)]
    assert not any(game.faults for game in play_games(lanes, scheduled, {0: InProcessDecider(script, 9)}))
    assert script.seeds == [9]


@pytest.mark.long
def test_three_faults_lose_the_rest_of_a_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = []

    class Counted(playing.SubprocessAgent):
        def __init__(self, *arguments: Any, **more: Any) -> None:
            starts.append(arguments)
            super().__init__(*arguments, **more)

    monkeypatch.setattr(playing, "SubprocessAgent", Counted)
    conditions = conditions_for("greedy", HOSTILE + "Text")
    scheduled = tuple(ScheduledGame(block, 0, block, (0, 1), (0, 1)) for block in range(6))
    games = play_chunk(conditions, Chunk(0, scheduled))
    assert len(starts) == playing.MOST_FAULTS == 3
    detail = "'pass' instead of an action number"
    unasked = f"not asked after 3 faults in these games; the last one: {detail}"
    assert [game.faults[0].detail for game in games] == [detail] * 3 + [unasked] * 3
    assert {game.faults[0].kind for game in games} == {"garbage"}
    assert {game.ranks for game in games} == {(1, 2)}
    assert all(len(game.faults) == 1 for game in games)


def check_hostile(tmp_path: Path, kinds: dict[str, str], count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play `count` games at once with each kind of agent; each game with a fault starts a process."""

    class Limited(playing.SubprocessAgent):
        """Has little time only if it never answers."""

        def __init__(self, label: str, *, time_limit: float, **more: Any) -> None:
            short = kinds.get(label.removeprefix(HOSTILE)) == "time-out"
            super().__init__(label, time_limit=0.5 if short else time_limit, **more)

    monkeypatch.setattr(playing, "SubprocessAgent", Limited)
    monkeypatch.setattr(subprocess_agent, "END_SECONDS", 0.5 if "Closes" in kinds else HANGS)
    agents = ["greedy", HOSTILE + "First", *(HOSTILE + name for name in kinds)]
    common: dict[str, Any] = {"mode": "one-against-all", "games": count, "games_at_once": count, "max_rounds": 4}
    games = run_arena(options(tmp_path / "run", *agents, **common))
    expected = run_arena(options(tmp_path / "good", *agents[:2], **common))
    assert timeless(games[:count]) == timeless(expected)
    assert not any(game.faults for game in expected)
    for number, kind in enumerate(kinds.values(), start=2):
        own = [game for game in games if number in game.seating]
        assert len(own) == count
        for game in own:
            seat = game.seating.index(number)
            assert [(fault.seat, fault.kind) for fault in game.faults] == [(seat, kind)]
            assert game.ranks[seat] == 2
            assert game.ranks[1 - seat] == 1


@pytest.mark.long
def test_hostile_agents_break_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_hostile(tmp_path, {"Swallows": "time-out", "Exits": "crash"}, 6, monkeypatch)


@pytest.mark.slow
def test_more_hostile_agents_break_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {
        "Raises": "exception",
        "RaisesInReset": "exception",
        "RaisesAlways": "exception",
        "ExitsPolitely": "exception",
        "Text": "garbage",
        "Thing": "garbage",
        "Unspeakable": "garbage",
        "Illegal": "illegal",
        "Negative": "illegal",
        "Huge": "illegal",
        "Loops": "time-out",
        "Sleeps": "time-out",
        "SleepsInReset": "time-out",
        "Dies": "crash",
        "Allocates": "exception",
        "Meddles": "crash",
        "Closes": "crash",
    }
    check_hostile(tmp_path, kinds, 2, monkeypatch)


@pytest.mark.long
def test_copies_of_an_agent_have_faults_of_their_own(tmp_path: Path) -> None:
    agents = "greedy", HOSTILE + "Exits", HOSTILE + "Exits"
    games = run_arena(options(tmp_path, *agents, mode="table", games=1))
    assert len(games) == 3
    for game in games:
        assert sorted(game.ranks) == [1, 2, 2]
        assert game.ranks[game.seating.index(0)] == 1
        assert sorted(fault.seat for fault in game.faults) == [seat for seat in range(3) if game.seating[seat] == 1]


# --- going on


def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    asked = options(tmp_path, "random", "greedy", games=20, players=(2, 3))
    expected = timeless(run_arena(asked))
    lines = (tmp_path / GAMES_FILE).read_bytes().splitlines(keepends=True)
    # Whole chunks, part of one, and half a line.
    (tmp_path / GAMES_FILE).write_bytes(b"".join([*lines[9:11], *lines[:7], lines[30][:50]]))
    assert timeless(run_arena(asked)) == expected
    assert timeless(read_games(tmp_path)) == expected


def test_a_complete_run_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = options(tmp_path, "random", "greedy")
    expected = run_arena(asked)
    written = (tmp_path / GAMES_FILE).read_bytes(), (tmp_path / RUN_FILE).read_bytes()
    monkeypatch.setattr(playing, "play_chunk", lambda *_: pytest.fail("a game was played"))
    assert run_arena(asked) == expected
    assert ((tmp_path / GAMES_FILE).read_bytes(), (tmp_path / RUN_FILE).read_bytes()) == written


def test_a_run_can_be_made_longer_but_not_shorter(tmp_path: Path) -> None:
    run_arena(options(tmp_path / "run", "random", "greedy", games=7))
    games = run_arena(options(tmp_path / "run", "random", "greedy", games=20, games_at_once=0))
    assert timeless(games) == timeless(run_arena(options(tmp_path / "whole", "random", "greedy", games=20)))
    assert read_run(tmp_path / "run").tables == (Table(2, (0, 1), 10),)
    with pytest.raises(ArenaError, match="holds another run: games: 10 blocks stored, only 4 requested"):
        run_arena(options(tmp_path / "run", "random", "greedy", games=8))


@pytest.mark.parametrize(
    ("agents", "more", "message"),
    [
        (
            ("random", HOSTILE + "First"),
            {},
            "agents: random greedy stored, random tests.hostile_agents:First requested",
        ),
        (("random", "greedy"), {"seed": 1}, "seed: 0 stored, 1 requested"),
        (
            ("random", "greedy"),
            {"elites": True, "max_rounds": 4},
            "elites: .* requested; max_rounds: 3 stored, 4 requested",
        ),
        (("random", "greedy"), {"players": (3,)}, "tables: 0-1 stored, 0-0-1 0-1-1 requested"),
        (("random", "greedy"), {"mode": "table"}, "mode: 'round-robin' stored, 'table' requested"),
        (("random", "greedy"), {"time_limit": 3.0}, "time_limit: 900.0 stored, 3.0 requested"),
        (("random", "greedy"), {"games_at_once": 4}, "games_at_once: 3 stored, 4 requested"),
    ],
)
def test_another_run_is_refused(tmp_path: Path, agents: tuple[str, ...], more: dict[str, Any], message: str) -> None:
    run_arena(options(tmp_path, "random", "greedy", games=2))
    with pytest.raises(ArenaError, match=f"holds another run: {message}"):
        run_arena(options(tmp_path, *agents, **{"games": 2, **more}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"components": "0" * 16}, "components: '0000000000000000' stored"),
        ({"package": "0.0.1"}, "package: '0.0.1' stored"),
        (
            {"entrants": [{"label": label, "name": label, "version": "0"} for label in ("random", "greedy")]},
            "agent random: random 0 stored, random 1 now; agent greedy: greedy 0 stored, greedy 2 now",
        ),
    ],
)
def test_another_version_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    asked = options(tmp_path, "random", "greedy", games=2)
    run_arena(asked)
    content = json.loads((tmp_path / RUN_FILE).read_text())
    (tmp_path / RUN_FILE).write_text(json.dumps({**content, **change}))
    with pytest.raises(ArenaError, match=f"holds another run: {message}"):
        run_arena(asked)


def test_games_without_a_plan_or_beyond_it_are_refused(tmp_path: Path) -> None:
    asked = options(tmp_path, "random", "greedy", games=2)
    (game, _) = run_arena(asked)
    with (tmp_path / GAMES_FILE).open("a") as file:
        file.write(json.dumps(asdict(replace(game, block=5))) + "\n")
    with pytest.raises(RecordsError, match=r"game \(0, 5, 0\) is not in the plan"):
        run_arena(asked)
    (tmp_path / RUN_FILE).unlink()
    with pytest.raises(
        ArenaError, match=r"expected both games\.jsonl and run\.json, or neither, got only games\.jsonl"
    ):
        run_arena(asked)


def test_a_run_is_played_by_one_arena_at_a_time(tmp_path: Path) -> None:
    with exclusive_folder(tmp_path), pytest.raises(RecordsError, match="another process is writing there"):
        run_arena(options(tmp_path, "random", "greedy"))
    run_arena(options(tmp_path, "random", "greedy"))


# The kernel refuses what would make any file longer, in the midst of a line, as a full disk does.
FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from dunaia_env.arena.tournament import Options, main
agents, out, most = ("random", "greedy"), Path(sys.argv[1]), int(sys.argv[2])
asked = Options(agents, out, games=40, jobs=1, game_options={"max_rounds": 3}, games_at_once=4, luck=False)
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
main(asked)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="has no limits of resources")
def test_a_full_disk_is_a_sentence_and_loses_nothing(tmp_path: Path) -> None:
    def start(most: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "run"), str(most)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    first = start(5000)
    kept = read_games(tmp_path / "run")
    assert (first.returncode, len(kept) % 4) == (2, 0)
    assert 0 < len(kept) < 40
    refused = "cannot be written (File too large); what was finished before is kept\n"
    assert first.stderr == f"arena: {tmp_path / 'run' / GAMES_FILE}: {refused}"
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [LOCK_FILE, GAMES_FILE, RUN_FILE]
    assert read_games(tmp_path / "run") == kept
    # The rest, but a report that cannot be written.
    (tmp_path / "run" / "report.json").mkdir()
    second = start(10**8)
    assert (second.returncode, len(read_games(tmp_path / "run"))) == (2, 40)
    assert second.stderr.startswith("arena: the games are finished, but the report cannot be written (")
    assert read_games(tmp_path / "run")[: len(kept)] == kept


def test_a_line_that_a_full_disk_cut_is_taken_back_or_cut_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = options(tmp_path, "random", "greedy")
    expected = run_arena(asked)
    path = tmp_path / GAMES_FILE
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]))

    class Full(io.FileIO):
        def write(self, content: Any) -> int:
            if self.seek(0, os.SEEK_END) > len(lines[0]) * 4:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return super().write(content[:100])

    opened = Path.open
    monkeypatch.setattr(
        Path, "open", lambda place, mode, *more, **most: Full(place, "a") if mode == "ab" else opened(place, mode)
    )
    with pytest.raises(RecordsError, match=r"games\.jsonl: cannot be written \(No space left on device\)"):
        append_games(tmp_path, expected[3:])
    assert path.read_bytes() == b"".join(lines[:3])
    # A disk that does not even take the half line back leaves it to the next start.
    monkeypatch.setattr(Full, "truncate", Full.write)
    with pytest.raises(RecordsError):
        append_games(tmp_path, expected[3:])
    monkeypatch.undo()
    assert not path.read_bytes().endswith(b"\n")
    assert timeless(run_arena(asked)) == timeless(expected)
    assert path.read_bytes().startswith(b"".join(lines[:3]))


def test_what_killed_writers_left_is_removed_by_the_next_run(tmp_path: Path) -> None:
    asked = options(tmp_path, "random", "greedy", games=2)
    run_arena(asked)
    left = [tmp_path / f".{name}.abcd0123.part" for name in (RUN_FILE, GAMES_FILE)]
    for path in left:
        path.write_text("half")
    (tmp_path / ".mine.part").write_text("not the arena's")
    run_arena(asked)
    assert sorted(path.name for path in tmp_path.iterdir()) == [LOCK_FILE, ".mine.part", GAMES_FILE, RUN_FILE]


@pytest.mark.parametrize("place", ["file", "file/folder"])
def test_a_folder_that_cannot_be_is_named(tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("a text")
    with pytest.raises(SystemExit, match=r"^2$"):
        main(options(tmp_path / place, "random", "greedy"))
    printed = capsys.readouterr().err
    assert printed.startswith(f"arena: {tmp_path / place}: cannot be created (")
    assert printed.count("\n") == 1


def test_a_worker_with_another_version_of_an_agent_is_refused() -> None:
    conditions = conditions_for("random")
    other = replace(conditions, entrants=(Entrant("random", "random", "of yesterday"),))
    with pytest.raises(RuntimeError, match="expected random of yesterday, got random 1 in a worker"):
        play_chunk(other, Chunk(0, (ScheduledGame(0, 0, 0, (0, 0), (0, 0)),)))


KILLED = """
import sys
from pathlib import Path
from dunaia_env.arena.tournament import Options, run_arena
out, games, jobs, at_once, *agents = sys.argv[1:]
common = {"game_options": {"max_rounds": 3}, "time_limit": 900.0, "luck": False, "common_seeds": True}
run_arena(Options(agents, Path(out), games=int(games), jobs=int(jobs), games_at_once=int(at_once), **common))
"""
# So many kills at random moments; the environment may ask for more.
KILLS = int(os.environ.get("DUNAIA_ARENA_KILLS", "3"))


def start_killed(folder: Path, *options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", KILLED, str(folder), *map(str, options)]
    return subprocess.Popen(command, cwd=ROOT, start_new_session=True)


def whole_lines(folder: Path) -> bytes:
    path = folder / GAMES_FILE
    content = path.read_bytes() if path.exists() else b""
    return content[: content.rfind(b"\n") + 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kills", "games", "at_once", "agents"),
    [(KILLS, 120 * KILLS, 1, ("random", "greedy")), (2, 16, 2, ("greedy", HOSTILE + "Remembers"))],
)
def test_a_killed_run_loses_and_repeats_nothing(
    tmp_path: Path, kills: int, games: int, at_once: int, agents: tuple[str, ...]
) -> None:
    moments = random.Random(kills)
    with start_killed(tmp_path / "whole", games, 1, at_once, *agents) as process:
        assert process.wait() == 0
    expected = read_games(tmp_path / "whole")
    assert len(expected) == games
    size = len(whole_lines(tmp_path / "whole"))
    folder = tmp_path / "killed"
    kept: list[bytes] = [b""]
    for kill in range(kills):
        with start_killed(folder, games, 2, at_once, *agents) as process:
            # Now at some moment while it starts, now while it plays and writes: when so many more bytes are there.
            starts = kill % 3 == 0
            wanted = len(kept[-1]) + (0 if starts else moments.randrange(1, size // (2 * kills)))
            for _ in range(moments.randrange(400) if starts else int(100 * HANGS)):
                if len(whole_lines(folder)) > wanted or process.poll() is not None:
                    break
                time.sleep(0.01)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        if process.returncode == 0:  # a very fast machine has played all games before it was seen
            break
        assert process.returncode == -signal.SIGKILL
        kept.append(whole_lines(folder))
        # What was written once stays, byte for byte.
        assert kept[-1].startswith(kept[-2])
    assert len(kept) > 1
    print(f"{len(kept) - 1} kills at {[lines.count(bytes([10])) for lines in kept[1:]]} of {games} games")
    with start_killed(folder, games, 2, at_once, *agents) as process:
        assert process.wait() == 0
    assert whole_lines(folder).startswith(kept[-1])
    assert timeless(read_games(folder)) == timeless(expected)
    assert sorted(path.name for path in folder.iterdir()) == [LOCK_FILE, GAMES_FILE, RUN_FILE]


# --- sequential tests and luck


class Counts:
    """Decides after a number of blocks and keeps what it was given."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.shares: list[float] = []

    def add(self, share: float) -> str:
        self.shares.append(share)
        return "accept" if len(self.shares) >= self.most else "go on"


def test_a_sequential_test_sees_blocks_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_arena(options(tmp_path / "whole", "greedy", "random", games=60, max_rounds=5))

    def backwards(play: Callable[[Chunk], list[Game]], parts: Iterator[Chunk], **_: Any) -> Iterator[list[Game]]:
        taken = [chunk for chunk, _ in zip(parts, range(14), strict=False)]
        for chunk in [*reversed(taken), *parts]:
            yield play(chunk)

    tests = [Counts(12), Counts(12), Counts(12)]
    asked = options(tmp_path / "in order", "greedy", "random", games=60, max_rounds=5)
    handed_out = []
    monkeypatch.setattr(playing, "play_chunk", lambda *given: handed_out.append(given) or play_chunk(*given))
    results = [run_arena(asked, test=tests[0])]
    # Twelve blocks of two games in chunks of three.
    assert len(handed_out) == 8
    monkeypatch.setattr(workers, "distribute", backwards)
    results.append(run_arena(replace(asked, out=tmp_path / "backwards"), test=tests[1]))
    # Going on with a decided run decides again and plays nothing.
    monkeypatch.setattr(playing, "play_chunk", lambda *_: pytest.fail("a game was played"))
    results.append(run_arena(asked, test=tests[2]))
    for result, test in zip(results, tests, strict=True):
        assert timeless(result) == timeless(whole)[:24]
        assert test.shares == block_win_shares(whole, 0)[:12].tolist()
    for folder in (asked.out, tmp_path / "backwards"):
        assert read_run(folder).tables == (Table(2, (0, 1), 12),)
        assert timeless(read_games(folder)) == timeless(whole)[:24]


def test_a_sequential_test_that_does_not_decide_ends_with_the_plan(tmp_path: Path) -> None:
    test = Counts(1000)
    assert len(run_arena(options(tmp_path, "greedy", "random"), test=test)) == 8
    assert len(test.shares) == 4


class SeatsAndBlocks:
    """A valuer that counts: each step gives the deciding seat one."""

    name = "counter"

    def __init__(self, game: Any) -> None:
        assert game is DEFAULT_GAME

    def luck(self, lanes: Any, actions: NDArray[np.int32], selected: NDArray[np.int64]) -> NDArray[np.float64]:
        assert lanes.action_masks[selected, actions].all()
        luck = np.zeros((len(selected), int(lanes.num_players[0])))
        luck[np.arange(len(selected)), lanes.seats[selected]] = 1
        return luck


def test_luck_is_summed_over_the_steps(tmp_path: Path) -> None:
    asked = options(tmp_path, "greedy", "random", players=(3,), luck=True)
    games = run_arena(asked, load_valuer=SeatsAndBlocks)
    assert all(game.luck == game.decisions for game in games)
    assert read_run(tmp_path).valuer == "counter"
    with pytest.raises(ArenaError, match="valuer: 'counter' stored, '' requested"):
        run_arena(replace(asked, luck=False))


# --- the command


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    reports = []
    report = SimpleNamespace(write_report=lambda folder, components: reports.append((folder, components)))
    monkeypatch.setattr(tournament, "report", report)
    monkeypatch.setattr(workers, "SECONDS_BETWEEN_LINES", 0)
    asked = options(tmp_path, "greedy", "random", games=4, games_at_once=2, max_rounds=100)
    games = main(asked, command="the command")
    printed = capsys.readouterr()
    assert len(games) == 4
    assert "2 players, 4 games in 2 blocks" in printed.out
    assert "100.0 % (15.8 to 100.0)" in printed.out
    assert f"Report: {tmp_path / 'report.html'}" in printed.out.replace("\n", "")
    assert printed.err.splitlines()[0].startswith("arena: 2 of 4 games, about ")
    assert reports == [(tmp_path, None)]
    assert read_run(tmp_path).command == "the command"
    with pytest.raises(SystemExit, match=r"^2$"):
        main(replace(asked, seed=3))
    printed = capsys.readouterr()
    assert printed.err == f"arena: {tmp_path}: holds another run: seed: 0 stored, 3 requested\n"


def test_what_agents_say_is_shown_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(options(tmp_path, HOSTILE + "Colourful", "greedy", games=2))
    printed = capsys.readouterr()
    (entrant, _) = read_run(tmp_path).entrants
    assert entrant.name == r"[red]evil\x1b[2J\x1b]0;owned\x07\u202eeman\n|`<b>"
    assert entrant.version == r"1\r2"
    (fault, _) = (game.faults[0] for game in read_games(tmp_path))
    assert fault.detail == r"ValueError: \x1b[31m[bold]no\x00 way"
    texts = [printed.out, printed.err, *((tmp_path / name).read_text() for name in REPORTS)]
    for text in texts:
        assert all(sign.isprintable() or sign in "\n\u00a0" for sign in text)
    assert json.loads(texts[2])["faults"][0]["example"] == fault.detail


def test_a_person_who_leaves_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def leave(agent: GreedyAgent, lanes: Any, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        raise GameLeftError("You left the game.", can_ask=True)

    monkeypatch.setattr(GreedyAgent, "act_batch", leave)
    with pytest.raises(SystemExit, match=r"^2$"):
        main(options(tmp_path, "greedy", "random"))
    assert capsys.readouterr().err == "arena: You left the game. Games that were finished before are kept.\n"


def test_a_name_is_no_markup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"greedy": "[red]greedy[/red] :boom:", "random": "[/]"}
    monkeypatch.setattr(
        run_files,
        "read_run",
        lambda folder: replace(
            found := read_run(folder),
            entrants=tuple(replace(entrant, label=names[entrant.label]) for entrant in found.entrants),
        ),
    )
    monkeypatch.setattr(tournament, "report", SimpleNamespace(write_report=lambda folder, components: None))
    main(options(tmp_path, "greedy", "random", games=60, sprt=(0.5, 0.55)))
    printed = capsys.readouterr().out
    assert "[/]" in printed
    assert printed.replace("…", "").count("[red]greedy[/red]") == 2


def test_the_command_with_a_sequential_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tournament, "report", SimpleNamespace(write_report=lambda folder, components: None))
    monkeypatch.setattr(tournament, "sequential", SimpleNamespace(SequentialTest=lambda *_: Counts(5)))
    asked = options(tmp_path, "greedy", "random", games=60, sprt=(0.5, 0.55))
    assert len(main(asked)) == 10
    assert "Sequential test of greedy, a share of 0.55 against 0.5: accept." in capsys.readouterr().out


def test_what_a_match_and_the_arena_call_shares_is_the_same() -> None:
    game = Game(0, 0, 0, 0, (0, 1, 1), (9, 9, 3), (1, 1, 3), 1, True, (1,) * 3, (0.0,) * 3, (0.0,) * 3, (), ())
    other = replace(game, order=1, seating=(1, 0, 1), faults=(Fault(2, 0, "crash", ""),))
    assert block_win_shares([game, other], 0).tolist() == [0.5]
    assert block_win_shares([game, other], 1).tolist() == [0.25]
    assert match.win_share_interval(block_win_shares([game, other], 0)).value == 0.5
