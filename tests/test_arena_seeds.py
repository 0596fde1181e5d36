"""Seeds of competitive games: agents cannot learn them, different numbers name different games, stored runs stay."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.arena import records
from dunaia_env.arena.leaderboard import differences, play_again
from dunaia_env.arena.match import play_match
from dunaia_env.arena.plan import make_chunks
from dunaia_env.arena.playing import ScheduledGame
from dunaia_env.arena.records import RUN_FILE, Game, RecordsError, Run, Table
from dunaia_env.arena.run_files import read_games, read_run
from dunaia_env.arena.seeding import seeding_for
from dunaia_env.arena.stored_runs import FOLDER, read_stored
from dunaia_env.arena.tournament import ArenaError, Options, run_arena
from dunaia_env.balance.plans import StudyOptions, make_plan, read_plan, write_plan
from dunaia_env.harness.compiled.chance import MAX_SEED
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.harness.seeds import block_seed, derived_seed, describe_seeds
from tests.arena_runs import run_of
from tests.spying_agent import FINDINGS, OPTIONS

pytestmark = pytest.mark.once

SPY = "tests.spying_agent:Spy"
PRESETS = {"dunaia": None, "dune": "duel"}


def options_of(game: str) -> dict[str, Any]:
    """Options of a short game, without the number of players."""
    preset = PRESETS[game]
    chosen = {"max_rounds": 1} if preset is None else dict(find_game(game).preset(preset))
    return {name: value for name, value in chosen.items() if name != NUM_PLAYERS}


def play_spied(folder: Path, patch: pytest.MonkeyPatch, game: str, **more: Any) -> list[dict[str, Any]]:
    """What the spy found in its eight games at two tables, in the first seat in every second one."""
    findings = folder / "findings"
    patch.setenv(FINDINGS, str(findings))
    patch.setenv(OPTIONS, json.dumps({NUM_PLAYERS: 2, **options_of(game)}))
    games = run_arena(spied_options(folder / "run", game, **more))
    assert len(games) == 12
    assert not any(one.faults for one in games)
    return [json.loads(line) for line in findings.read_text().splitlines()]


def spied_options(out: Path, game: str, **more: Any) -> Options:
    common: dict[str, Any] = {"jobs": 1, "games_at_once": 6, "luck": False}
    return Options(
        agents=("random", "greedy", SPY), out=out, games=4, game=game, game_options=options_of(game), **(common | more)
    )


@pytest.mark.parametrize("game", ["dunaia", pytest.param("dune", marks=pytest.mark.slow)])
@pytest.mark.long
def test_no_agent_learns_the_seed_of_its_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    # The spy is able to find seeds that can be guessed, and to recognise a deal that it has seen.
    found = play_spied(tmp_path / "common", monkeypatch, game, common_seeds=True)
    assert len(found) == 8
    assert sum(one["knows_the_seed"] for one in found) >= 4
    assert len({one["beginning"] for one in found}) < 8
    found = play_spied(tmp_path / "secret", monkeypatch, game)
    assert not any(one["knows_the_seed"] for one in found)
    assert len({one["beginning"] for one in found}) == len(found) == 8


@pytest.mark.slow
def test_secret_seeds_are_recorded_and_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play_spied(tmp_path, monkeypatch, "dunaia")
    run = read_run(tmp_path / "run")
    games = read_games(tmp_path / "run", run)
    assert run.seeding == "secret"
    assert len({game.seed for game in games}) == len(games)
    # Agents of the project are reset once, user agents before each game; a seat's seed is that of its agent.
    pairs = {pair for game in games for pair in zip(game.seating, game.agent_seeds, strict=True)}
    assert sorted(entrant for entrant, _ in pairs) == [0, 1] + [2] * 8
    for game in games:
        assert not list(differences(run, game, play_again(run, game, components=DEFAULT_GAME.load(None))))


@pytest.mark.slow
def test_a_continued_run_has_new_secret_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play_spied(tmp_path, monkeypatch, "dunaia")
    before = read_games(tmp_path / "run")
    after = run_arena(replace(spied_options(tmp_path / "run", "dunaia"), games=6))
    assert set(before) < set(after)
    assert len({game.seed for game in after}) == len(after) == 18
    with pytest.raises(ArenaError, match="seeding: 'secret' stored, 'hashed' requested"):
        run_arena(replace(spied_options(tmp_path / "run", "dunaia", common_seeds=True), games=6))


def test_nothing_on_the_disk_tells_seeds_before_a_game_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_spied(tmp_path, monkeypatch, "dunaia")
    plan = (tmp_path / "run" / RUN_FILE).read_text()
    assert "secret" in plan
    for game in read_games(tmp_path / "run"):
        assert str(game.seed) not in plan
        assert not any(str(seed) in plan for seed in game.agent_seeds)


def test_seeds_are_secret_where_user_agents_play() -> None:
    assert seeding_for(["greedy", "mcts:100"], None) == "hashed"
    assert seeding_for(["greedy", SPY], None) == "secret"
    assert seeding_for(["greedy", SPY], True) == "hashed"
    assert seeding_for(["greedy"], False) == "secret"


def seeds_of(games: Sequence[ScheduledGame]) -> set[int]:
    return {game.seed for game in games} | {seed for game in games for seed in game.agent_seeds}


def test_different_seeds_name_different_games() -> None:
    drawn = [[block_seed(seed, block) for block in range(500)] for seed in (0, 1, 2, 500, 2**53)]
    assert len(set(chain.from_iterable(drawn))) == 5 * 500
    assert all(0 <= seed <= MAX_SEED for seed in chain.from_iterable(drawn))
    # No seed follows from the one before it, as it does in a sequence with a constant step.
    assert len({second - first for first, second in pairwise(drawn[0])}) == 499
    table = Table(2, (0, 1), 50)
    runs = [run_of(["greedy", "random"], [table], seed=seed) for seed in (0, 1)]
    plans = [[game for chunk in make_chunks(run, set()) for game in chunk.games] for run in runs]
    assert not seeds_of(plans[0]) & seeds_of(plans[1])


def test_seeds_are_these() -> None:
    # Stored runs depend on these values.
    assert (block_seed(0, 0), block_seed(0, 1), block_seed(1, 0)) == (
        7180740044501759574,
        3062271786865443941,
        410898393312522403,
    )
    assert block_seed(7, 3, "consecutive") == 10
    assert derived_seed("00ff", "agent", 1, 2, bits=32) == 1868983308
    with pytest.raises(ValueError, match=r"seed: expected .*, got 9223372036854775808"):
        block_seed(MAX_SEED, 1, "consecutive")


@pytest.mark.parametrize(
    ("seeding", "text"),
    [
        ("consecutive", "5 to 14"),
        ("hashed", "hashes of 5 and the block"),
        ("secret", "secret until a game is finished; its record holds them"),
    ],
)
def test_reports_say_where_seeds_come_from(seeding: Any, text: str) -> None:
    assert describe_seeds(5, 10, seeding) == text


def test_matches_of_different_seeds_share_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[set[int]] = []
    reset = Lanes.reset

    def remember(lanes: Lanes, seed: Any) -> None:
        played.append(set(np.asarray(seed).tolist()))
        reset(lanes, seed)

    monkeypatch.setattr(Lanes, "reset", remember)
    for seed in (0, 1):
        play_match([RandomAgent(), RandomAgent()], blocks=20, seed=seed, max_rounds=1)
    assert [len(seeds) for seeds in played] == [20, 20]
    assert not played[0] & played[1]


# --- files of former versions


@pytest.mark.slow
def test_stored_runs_of_version_1_keep_their_seeds() -> None:
    stored = read_stored(FOLDER)
    assert stored
    for one in stored:
        assert one.run.seeding == "consecutive"
        assert all(game.seed == one.run.seed + game.block and not game.agent_seeds for game in one.games)


def test_a_study_of_an_earlier_version_keeps_its_seeds(tmp_path: Path) -> None:
    plan = make_plan(StudyOptions(strengths=("random",), players=(2,)))
    write_plan(tmp_path, plan)
    assert read_plan(tmp_path).seeding == "hashed"
    content = json.loads((tmp_path / "study.json").read_text())
    del content["seeding"]
    (tmp_path / "study.json").write_text(json.dumps(content | {"version": 3}))
    assert read_plan(tmp_path) == replace(plan, seeding="consecutive")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 12}, "seed 12 and seating"),
        ({"agent_seeds": [1, 2]}, "agent_seeds"),
    ],
)
def test_records_with_other_seeds_than_the_plan_are_refused(change: dict[str, Any], message: str) -> None:
    run = run_of(["greedy", "random"], [Table(2, (0, 1), 1)])
    with pytest.raises(RecordsError, match=message):
        records.check_game(run, changed(run, change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"agent_seeds": ()}, "agent_seeds has 0 seats, not 2"),
        ({"agent_seeds": (1, 2**32)}, "agent_seeds"),
        ({"seed": -1}, "seed: expected 0..9223372036854775807, got -1"),
    ],
)
def test_records_of_secret_seeds_are_checked(change: dict[str, Any], message: str) -> None:
    run = run_of(["greedy", "random"], [Table(2, (0, 1), 1)], seeding="secret")
    with pytest.raises(RecordsError, match=message):
        records.check_game(run, changed(run, {"agent_seeds": (1, 2)} | change))


def changed(run: Run, change: dict[str, Any]) -> Game:
    """A game that the plan could have, with some fields changed."""
    game = Game(
        table=0,
        block=0,
        order=0,
        seed=block_seed(run.seed, 0),
        seating=(0, 1),
        scores=(5, 3),
        ranks=(1, 2),
        rounds=1,
        stopped=False,
        decisions=(1, 1),
        seconds=(0.1, 0.1),
        luck=(0.0, 0.0),
        faults=(),
        actions=(0, 0),
    )
    return Game(**(asdict(game) | {"faults": ()} | change))
