"""The command ``dunaia`` and what importing the library costs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import dunaia_env
from dunaia_env import __main__ as commands
from dunaia_env.harness.commands import named_game, option_words, parse_command, with_game_options
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from tests.test_packaging import OWN_AGENT

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dunaia_env", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_every_command(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(arguments) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("usage: dunaia COMMAND")
    for name, command in commands.COMMANDS.items():
        assert f"  {name} " in printed
        assert command.help in printed


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_every_command_has_a_module_with_help(name: str) -> None:
    done = run(name, "--help", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(("usage: dunaia ", "usage: python -m "))
    assert done.stdout.isascii()
    if "--jobs" in done.stdout:  # worker processes, which end with the command
        source = ROOT / f"{commands.module_of(commands.COMMANDS[name]).replace('.', '/')}.py"
        assert "has_workers=True" in source.read_text(encoding="utf-8")


def test_a_command_does_what_its_module_does() -> None:
    done = run("replay", "show", "tests/playthroughs/nothing.jsonl")
    alone = subprocess.run(
        [sys.executable, "-m", "dunaia_env.replay", "show", "tests/playthroughs/nothing.jsonl"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (alone.returncode, alone.stdout, alone.stderr)
    assert done.returncode != 0


def test_the_installed_command_finds_a_module_in_the_current_folder(tmp_path: Path) -> None:
    """Python puts the folder of an installed command at the front of the path, and not the current one."""
    (tmp_path / "bin").mkdir()
    command, module = tmp_path / "bin" / "command.py", tmp_path / "module_of_a_user.py"
    command.write_text("import sys\nfrom dunaia_env.__main__ import main\nsys.exit(main())\n", encoding="utf-8")
    module.write_text(OWN_AGENT, encoding="utf-8")
    words = ["match", "--agents", "module_of_a_user:Last", "random", "--games", "2", "--max-rounds", "2"]
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(command), *words], cwd=tmp_path, env=path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "last" in done.stdout


def test_what_is_no_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["\x1b[2Jplay"]) == 2
    names = (
        "play, table, analysis, render, train, publish, benchmark, arena, match, ladder, leaderboard, report, balance,"
        " whatif, suggest, compare, causes, robustness, replay, family, warmup"
    )
    assert capsys.readouterr().err == (f"dunaia: '\\x1b[2Jplay': unknown command; the commands are {names}\n")


def test_help_loads_no_compiled_code() -> None:
    code = "import sys, dunaia_env.__main__ as m; m.main(['--help']); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True).returncode == 0


def test_every_public_name_is_there() -> None:
    for name in dunaia_env.__all__:
        assert getattr(dunaia_env, name) is not None
        assert name in dir(dunaia_env)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = dunaia_env.nonsense


@dataclass(frozen=True)
class Asked:
    """A command."""

    seed: int = 0
    """Of the games."""
    game: str = "dunaia"
    """The game."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game."""

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError("seed: expected at least 0")


def test_a_command_takes_the_options_of_its_game() -> None:
    asked = parse_command(Asked, arguments=["--seed", "3", "--elites"])
    assert asked == Asked(3, "dunaia", {"elites": True, "max_rounds": 100})
    other = parse_command(Asked, arguments=["--game", "tests.toy_game", "--laps", "3"])
    assert type(other) is Asked
    assert other.game_options["laps"] == 3
    assert set(other.game_options) == {option.name for option in find_game("tests.toy_game").options} - {"num_players"}


def test_options_that_are_dealt_are_lists() -> None:
    asked = parse_command(Asked, dealt=True, arguments=["--elites", "True", "False"])
    assert asked.game_options == {"elites": (True, False), "max_rounds": (100,)}


def test_options_of_a_game_check_themselves_as_the_command_does() -> None:
    made = with_game_options(Asked, DEFAULT_GAME)
    assert made().game_options == {"elites": False, "max_rounds": 100}  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="seed: expected at least 0"):
        made(seed=-1)  # type: ignore[call-arg]


def test_defaults_can_be_those_of_the_full_game_or_of_another_command_line() -> None:
    assert parse_command(Asked, full=True, arguments=[]).game_options == {"elites": True, "max_rounds": 100}
    before = Asked(3, "dunaia", {"elites": True, "max_rounds": 7})
    assert parse_command(Asked, default=before, arguments=[]) == before
    words = ["--no-elites", "--seed", "4"]
    assert parse_command(Asked, default=before, arguments=words) == Asked(
        4, "dunaia", {"elites": False, "max_rounds": 7}
    )
    other = parse_command(Asked, default=before, arguments=["--game", "tests.toy_game"])
    assert other == Asked(3, "tests.toy_game", {"hand": 3, "open_bids": False, "laps": 100})
    chosen = {"hand": 4, "open_bids": True, "laps": 3}
    own = parse_command(Asked, default=Asked(1, "tests.toy_game", chosen), arguments=["--seed", "2"])
    assert own == Asked(2, "tests.toy_game", chosen)


@dataclass(frozen=True)
class Taken(Asked):
    """A command with an option that is called like one of a game."""

    laps: int = 1
    """Of something else."""


def test_an_option_with_the_name_of_the_commands_own_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse_command(Taken, arguments=[]).laps == 1
    with pytest.raises(SystemExit, match=r"^2$"):
        parse_command(Taken, program="taken", arguments=["--game", "tests.toy_game"])
    assert capsys.readouterr().err == (
        "taken: laps: expected a name that is no option of the command itself, got this one from sealed_bids\n"
    )


def test_options_as_words_of_a_command_line() -> None:
    assert option_words(DEFAULT_GAME, {"elites": False, "max_rounds": 100}) == []
    for options in ({"elites": True, "max_rounds": 50}, {"elites": False, "max_rounds": 7}):
        words = option_words(DEFAULT_GAME, options)
        assert parse_command(Asked, arguments=words).game_options == options
    bids = find_game("tests.toy_game")
    named = ["--game", "tests.toy_game"]
    assert option_words(bids, {"hand": 9, "open_bids": False, "laps": 100}) == [*named, "--hand", "9"]
    assert option_words(bids, {"hand": 3, "open_bids": True, "laps": 7}) == [*named, "--open-bids", "--laps", "7"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "chess",
            r"game: expected one of dunaia, dune, dunaia_assigned, or a module such as my_package\.game, got 'chess'",
        ),
        ("tests.no_game", r"game: 'tests\.no_game' cannot be imported"),
        ("tests.test_commands", "tests.test_commands: expected a module with a `Game` called GAME"),
    ],
)
def test_what_is_no_game_is_refused(name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match=message):
        named_game(["--seed", "1", f"--game={name}"])
    with pytest.raises(SystemExit, match=r"^2$"):
        parse_command(Asked, program="asked", arguments=["--game", name])
    assert capsys.readouterr().err.startswith("asked: ")
