"""The command ``dunaia`` and what importing the library costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import dunaia_env
from dunaia_env import __main__ as commands

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dunaia_env", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


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
    done = run(name, "--help")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage:")


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


def test_what_is_no_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["\x1b[2Jplay"]) == 2
    assert capsys.readouterr().err == ("dunaia: '\\x1b[2Jplay': no command; the commands are play, replay, warmup\n")


def test_help_loads_no_compiled_code() -> None:
    code = "import sys, dunaia_env.__main__ as m; m.main(['--help']); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True).returncode == 0


def test_every_public_name_is_there() -> None:
    for name in dunaia_env.__all__:
        assert getattr(dunaia_env, name) is not None
        assert name in dir(dunaia_env)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = dunaia_env.nonsense
