"""Replays of a game from outside the library, and what a file may name."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from dunaia_env import __version__, replay
from dunaia_env.harness.game import Telling
from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, name_of
from dunaia_env.replay import Replay, ReplayError, main, parse, record_game, to_text, verify
from tests.toy_game import GAME as BIDS


@pytest.fixture(scope="module")
def bids() -> Replay:
    return record_game(3, [RandomAgent()], game=BIDS, num_players=5, hand=2, laps=30, trace=True)


def changed(bids: Replay, **values: Any) -> str:
    header = {**bids.header, **values}
    return to_text(Replay(header, bids.decisions, bids.result, bids.game))


def test_the_header_names_the_game_and_its_options(bids: Replay) -> None:
    header = dict(bids.header)
    assert set(header.pop("state")) >= {"hands", "prize", "bids"}
    assert header.pop("draws")
    assert list(header.items()) == [
        ("format", "dunaia-replay"),
        ("version", 1),
        ("game", "tests.toy_game"),
        ("rules", "sealed bids to 40"),
        ("players", 5),
        ("hand", 2),
        ("open_bids", False),
        ("laps", 30),
        ("seed", 3),
        ("agents", ["random"] * 5),
        ("package", __version__),
    ]
    assert bids.options == {"num_players": 5, "hand": 2, "open_bids": False, "laps": 30}


def test_the_default_game_is_not_named() -> None:
    header = record_game(3, [RandomAgent()], max_rounds=1).header
    assert list(header) == [
        "format",
        "version",
        "rules",
        "players",
        "elites",
        "max_rounds",
        "seed",
        "agents",
        "package",
    ]
    assert (name_of(DEFAULT_GAME), name_of(BIDS)) == ("dunaia", "tests.toy_game")


def test_a_game_from_outside_is_verified(bids: Replay) -> None:
    assert verify(bids) == len(bids.decisions) > 10
    again = parse(to_text(bids), game=BIDS)
    assert again == bids
    assert verify(again) == len(bids.decisions)
    assert bids.result["truncated"] is False
    stopped = record_game(3, [RandomAgent()], game=BIDS, laps=2)
    assert (stopped.result["rounds"], stopped.result["truncated"]) == (2, True)
    assert verify(stopped) == 4


def test_options_have_the_defaults_of_their_game() -> None:
    assert record_game(3, [RandomAgent()], game=BIDS).options == {
        "num_players": 2,
        "hand": 3,
        "open_bids": False,
        "laps": 100,
    }
    with pytest.raises(TypeError, match="elites: no option of sealed_bids"):
        record_game(3, [RandomAgent()], game=BIDS, elites=True)
    with pytest.raises(ValueError, match=r"laps: expected an integer in 1\.\.1000, got 0"):
        record_game(3, [RandomAgent()], game=BIDS, laps=0)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("hand", 15, r"hand: expected an integer in 2\.\.14, got 15"),
        ("open_bids", 1, "open_bids: expected true or false, got 1"),
        ("laps", True, r"laps: expected an integer in 1\.\.1000, got True"),
        ("players", 7, r"players: expected an integer in 2\.\.6, got 7"),
        ("elites", True, "elites is unknown"),
        ("rules", "sealed bids to 9", "rules = 'sealed bids to 9'; the components have the hash 'sealed bids to 40'"),
        ("game", "dunaia", "elites is missing"),
        ("game", "chess", "game: expected one of dunaia, dune, dunaia_assigned, tests.toy_game, got 'chess'"),
        ("game", ["bids"], r"game: expected one of dunaia, dune, dunaia_assigned, tests.toy_game, got \['bids'\]"),
    ],
)
def test_a_changed_header_is_reported(bids: Replay, key: str, value: object, message: str) -> None:
    with pytest.raises(ReplayError, match=f"replay: line 1: {message}"):
        verify(parse(changed(bids, **{key: value}), game=BIDS))


def test_what_a_file_names_is_not_imported(
    bids: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trap").mkdir()
    (tmp_path / "trap" / "game.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    text = changed(bids, game="trap.game")
    with pytest.raises(
        ReplayError, match=r"line 1: game: expected one of dunaia, dune, dunaia_assigned, got 'trap\.game'"
    ):
        parse(text)
    path = tmp_path / "trap.jsonl"
    path.write_text(text, encoding="utf-8")
    assert main(["verify", str(path)]) == main(["show", str(path)]) == 1
    assert capsys.readouterr().err.count(", got 'trap.game'") == 2
    assert "trap.game" not in sys.modules


def test_a_transcript_without_words_of_its_own(bids: Replay) -> None:
    assert BIDS.telling == Telling()
    lines = list(replay.transcript(bids))
    assert lines[:2] == ["Sealed bids, 5 players, seed 3", "  player 0: random"]
    assert lines[7] == f"round 0: {[0] * 5} of 40, prize {bids.header['state']['prize']}"
    assert lines[9:11] == ["Player 0 (random)", f"  player 0: {bids.decisions[0]['action']}"]
    # A turn is a decision here.
    assert sum(line.startswith("Player ") for line in lines) == len(bids.decisions)
    assert lines[-1] == f"player 4 (random): {bids.result['scores'][4]} points, rank {bids.result['ranks'][4]}"


def test_the_commands_take_another_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = ["--game", "tests.toy_game"]
    options = ["--players", "3", "--laps", "4", "--hand", "2", "--open-bids", "--seed", "6"]
    assert main(["record", "--out", str(tmp_path), *named, *options]) == 0
    (path,) = tmp_path.iterdir()
    assert path.name == "sealed_bids-3p-open_bids-random-6.jsonl"
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert (header["players"], header["hand"], header["open_bids"], header["laps"]) == (3, 2, True, 4)
    assert main(["verify", *named, str(path)]) == 0
    assert main(["show", *named, str(path)]) == 0
    printed = capsys.readouterr().out
    assert "decisions, as recorded" in printed
    assert "Sealed bids, 3 players, seed 6" in printed
    assert main(["verify", str(path)]) == 1
    assert "game: expected one of dunaia, dune, dunaia_assigned, got 'tests.toy_game'" in capsys.readouterr().err
    with pytest.raises(SystemExit, match=r"^2$"):
        main(["record", "--out", str(tmp_path), *named, "--elites"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["record", "--out", ".", "--game", "chess"],
            "game: expected one of dunaia, dune, dunaia_assigned, or a module such as my_package.game, got 'chess'",
        ),
        (["verify", "--game", "tests.no_game", "x.jsonl"], "game: 'tests.no_game' cannot be imported"),
        (
            ["record", "--out", ".", "--game", "tests.toy_game", "--players", "7"],
            "num_players: expected an integer in 2..6, got 7",
        ),
        (
            ["record", "--out", ".", "--game", "tests.toy_game", "--laps", "0"],
            "laps: expected an integer in 1..1000, got 0",
        ),
    ],
)
def test_wrong_games_and_options_are_one_line_and_status_1(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1
    written = capsys.readouterr().err
    assert written.startswith(message)
    assert written.count("\n") == 1


def test_files_of_several_games_are_verified_at_once(tmp_path: Path, bids: Replay) -> None:
    paths = [tmp_path / "bids.jsonl", tmp_path / "own.jsonl"]
    replay.write(bids, paths[0])
    replay.write(record_game(3, [RandomAgent()], max_rounds=1), paths[1])
    assert main(["verify", "--game", "tests.toy_game", *map(str, paths)]) == 0
    assert find_game("tests.toy_game") is BIDS
