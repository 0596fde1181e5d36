"""The arena on another game than the library's own: six seats, hidden hands, options of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dunaia_env import GameState, replay
from dunaia_env.arena import leaderboard, match, report
from dunaia_env.arena.notable import write_notable
from dunaia_env.arena.records import RUN_FILE, RecordsError, Table, checked_options, options_of
from dunaia_env.arena.run_files import flattened, read_run
from dunaia_env.arena.stored_runs import LeaderboardError, add_run, read_stored
from dunaia_env.arena.tournament import ArenaError, Options, main, run_arena
from dunaia_env.games import GAMES
from dunaia_env.harness.commands import parse_command
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import Option
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from tests.arena_runs import imagined_games, real_games, run_of
from tests.hostile_agents import First

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
NAME = "tests.toy_game"
BIDS: Game = find_game(NAME)
AGENTS = ("random", "greedy", "tests.test_arena_games:Curious")
SHORT = {"hand": 2, "laps": 4}


class Curious(First):
    """Takes the first legal action, and is at fault if it gets more than its seat knows."""

    name = "curious"

    def act(self, view: Any) -> int:
        try:
            view.state.to_dict()
        except ValueError:
            return int(view.legal_actions()[0])
        raise AssertionError("an agent of the user sees what is hidden")


def options(out: Path, **more: Any) -> Options:
    common: dict[str, Any] = {"agents": AGENTS, "players": (3, 6), "games": 4, "jobs": 1, "games_at_once": 4}
    return Options(out=out, game=NAME, game_options=SHORT, **common | more)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "bids"
    main(replace(options(folder), players=(3,)), command="the command")
    return folder


def test_the_plan_names_the_game_and_its_options(played: Path) -> None:
    run = read_run(played)
    assert (run.game, run.options) == (NAME, {"hand": 2, "open_bids": False, "laps": 4})
    content = json.loads((played / RUN_FILE).read_text())
    assert list(content)[4:12] == ["mode", "game", "seeding", "open_bids", "seed", "hand", "laps", "components"]
    assert (content["game"], content["open_bids"], content["hand"]) == (NAME, False, 2)
    assert run.valuer == "evaluation"


def test_the_default_game_is_not_named() -> None:
    content = flattened(run_of(["a", "b"], [Table(2, (0, 1), 1)]))
    assert list(content)[2:7] == ["mode", "seeding", "elites", "seed", "max_rounds"]


def test_games_are_those_of_the_game(played: Path) -> None:
    games = run_arena(replace(options(played), players=(3,)))
    assert len(games) == 6
    for game in games:
        state = GameState.new(game.seed, game=BIDS, num_players=3, **SHORT)
        for action in game.actions:
            state.apply(action, game.seed)
        assert state.is_over
        assert (tuple(state.scores()), tuple(state.ranks())) == (game.scores, game.ranks)
        assert (game.rounds, game.faults) == (state.ending()[0], ())
        assert sum(game.luck) == pytest.approx(0, abs=1e-9)
    assert any(any(game.luck) for game in games)


def test_the_report_tells_of_the_game_and_replays_it(played: Path) -> None:
    page = (played / "report.md").read_text(encoding="utf-8")
    assert page.startswith("# Arena: Sealed bids, 3 agents at tables of 3 players, hand 2, without open_bids, laps 4\n")
    for row in ("| game | Sealed bids |", "| hand | 2 |", r"| open\_bids | no |", "| laps | 4 |"):
        assert row in page
    content = json.loads((played / "report.json").read_text())
    assert (content["run"]["game"], content["run"]["hand"]) == (NAME, 2)
    assert [one["problem"] for one in content["replays"]] == [""] * 6
    for one in content["replays"]:
        found = replay.read(played / one["path"], game=BIDS)
        assert replay.verify(found) == len(found.decisions)
        assert found.result["scores"] == one["scores"]


def test_replays_are_of_the_game_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(["random", "random:1"], [Table(2, (0, 1), 1)], game=NAME, options=SHORT)
    games, record_game = real_games(run), replay.record_game
    asked: list[Game] = []

    def note_the_game(seed: int, agents: Any, *, game: Game, **more: Any) -> replay.Replay:
        asked.append(game)
        return record_game(seed, agents, game=BIDS, **more)

    monkeypatch.setattr(replay, "record_game", note_the_game)
    assert [found.problem for found in write_notable(tmp_path, run, games)] == ["", ""]
    assert asked == [BIDS, BIDS]


@pytest.mark.long
def test_a_file_alone_does_not_decide_which_code_is_run(played: Path, tmp_path: Path) -> None:
    def command(*more: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "dunaia_env.arena.report", str(played), *more]
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)

    refused = command()
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        f"report: {played / RUN_FILE}: not the plan of a run: game: expected one of dunaia, "
    )
    assert command("--game", NAME).returncode == 0
    assert command("--game", "chess").stderr == (
        "report: game: expected one of dunaia, dune, dunaia_assigned, or a module such as my_package.game,"
        " got 'chess'\n"
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"game_options": {"hand": 15}}, r"hand: expected an integer in 2\.\.14, got 15"),
        (
            {"game_options": {"elites": True}},
            "elites: not an option of a run of sealed_bids; the options are hand, open_b",
        ),
        ({"game_options": {"num_players": 3}}, "num_players: not an option of a run of sealed_bids"),
        ({"players": (7,)}, r"num_players: expected an integer in 2\.\.6, got 7"),
        ({"game": "chess"}, "game: expected one of dunaia.*, got 'chess'"),
        ({"agents": ("random", "champion")}, "agent 'champion' cannot be loaded: "),
    ],
)
def test_what_the_game_does_not_allow_is_refused(tmp_path: Path, more: dict[str, Any], message: str) -> None:
    with pytest.raises(ArenaError, match=message):
        run_arena(replace(options(tmp_path / "run"), **more))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"game_options": {"hand": 3, "laps": 4}}, "holds another run: hand: 2 stored, 3 requested"),
        ({"game_options": {**SHORT, "open_bids": True}}, "holds another run: open_bids: False stored, True requested"),
        (
            {"game": "dunaia", "game_options": {}, "agents": ("random", "greedy")},
            "game: 'tests.toy_game' stored, 'dunaia' requested",
        ),
    ],
)
def test_a_run_is_not_gone_on_with_as_another_one(played: Path, more: dict[str, Any], message: str) -> None:
    with pytest.raises(ArenaError, match=message):
        run_arena(replace(options(played), players=(3,), **more))


def test_an_option_is_not_called_like_a_field_of_a_plan() -> None:
    game = replace(BIDS, options=(*BIDS.options, Option("mode", 0, "clashes")))
    with pytest.raises(RecordsError, match=r"sealed_bids: its option 'mode' has the name of a field of run\.json"):
        options_of(game)
    assert checked_options(BIDS, {"hand": 4}) == {"hand": 4, "open_bids": False, "laps": 100}


def test_the_command_line_takes_the_options_of_the_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--agents", "random", "greedy", "--games", "4", "--game", NAME, "--hand", "2", "--open-bids"]
    asked = parse_command(Options, arguments=[*words, "--out", str(tmp_path)])
    assert (asked.game, asked.game_options) == (NAME, {"hand": 2, "open_bids": True, "laps": 100})
    found = match.main(parse_command(match.Options, arguments=[*words, "--players", "5"]))
    assert found.games == 5
    printed = capsys.readouterr().out
    assert "5 players, 5 games in 1 blocks" in printed
    assert "A fair share is 20.0 %." in printed


def test_the_leaderboard_keeps_games_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dunaia_env.arena.summary.ENOUGH_GAMES", 1)
    board = tmp_path / "board"

    def add(name: str, run: Any) -> None:
        from dunaia_env.arena.run_files import append_games, write_run

        folder = tmp_path / name
        folder.mkdir()
        write_run(folder, run)
        append_games(folder, imagined_games(run, [0.0, 1.0]))
        add_run(folder, name, folder=board)

    fields: dict[str, Any] = {"commit": "0" * 40, "valuer": ""}
    bids = run_of(["random", "greedy"], [Table(2, (0, 1), 10)], game=NAME, options={"hand": 2}, **fields)
    with pytest.raises(
        LeaderboardError, match=f"game: expected one of the library's, dunaia, dune, dunaia_assigned, got '{NAME}'"
    ):
        add("foreign", bids)
    monkeypatch.setitem(GAMES, "sealed_bids", NAME)
    add("bids", replace(bids, game="sealed_bids"))
    add("own", run_of(["random", "greedy"], [Table(2, (0, 1), 10)], **fields))
    add("long", run_of(["random", "greedy"], [Table(2, (0, 1), 10)], options={"max_rounds": 200}, **fields))
    stored = read_stored(board)
    page = leaderboard.leaderboard(stored)
    assert [line for line in page.splitlines() if line.startswith("## ")][1:4] == [
        "## Dunaïa, 2 players, without elite characters",
        "## Dunaïa, 2 players, without elite characters, round limit 200",
        "## Sealed bids, 2 players, hand 2, without open_bids",
    ]
    assert [len(leaderboard.pool(stored, leaderboard.categories_of(one.run)[0])[1]) for one in stored] == [20] * 3
    assert DEFAULT_GAME.title == "Dunaïa"


def test_the_report_of_a_run_can_be_written_again(played: Path) -> None:
    names = ("report.json", "report.md", "report.html")
    before = [(played / name).read_bytes() for name in names]
    assert report.main(report.Options(played, game=NAME)) == 0
    assert [(played / name).read_bytes() for name in names] == before
