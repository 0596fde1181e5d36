"""The commands on systems unlike the one where the tests run, with unusual paths, and for users without a home."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from dunaia_env.__main__ import COMMANDS
from dunaia_env.support import compile_cache
from tests.clocks import HANGS
from tests.other_systems import environment
from tests.table_server import Client, agent, person

pytest.importorskip("torch")

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform != "linux", reason="open files are looked for in /proc"),
]

ROOT = Path(__file__).resolve().parent.parent
# Backslashes separate folders on Windows, brackets are markup, a percent sign and # mean something in addresses, and
# not every code page has all of the letters.
ODD = "my games\\Dunaïa 花 [b] #1 100%"

EVERY_MODULE = """
import contextlib, importlib, io, pkgutil, sys
import dunaia_env, agents, training
from dunaia_env.__main__ import COMMANDS, main
from dunaia_env.support import system
assert {system.sys.platform, system.os.name} == {"win32", "nt"}
assert not any(hasattr(system.os, name) for name in ("killpg", "geteuid", "set_blocking", "sched_getaffinity"))
found = []
for package in (dunaia_env, agents, training):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if module.name.endswith("__main__"):
            continue  # runs a command
        importlib.import_module(module.name)
        found.append(module.name)
main(["--help"])
helps = []
for name in COMMANDS:
    with contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.suppress(SystemExit):
        main([name, "--help"])
    assert shown.getvalue().startswith("usage: "), shown.getvalue()[:200]
    helps.append(name)
print(len(found), *helps, system.available_cores() > 0, system.peak_memory(), sep="\\n")
"""


def run(
    words: Sequence[str], folder: Path, given: dict[str, str], *, typed: str = "", status: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run a Python command in a folder; both must be as they say, and the command must say nothing of a failure."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=given,
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == status, f"{words}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stdout + done.stderr, f"{words}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.mark.slow
def test_every_module_and_every_help_without_what_posix_systems_have(tmp_path: Path) -> None:
    lines = run(["-c", EVERY_MODULE], tmp_path, environment()).stdout.splitlines()
    number, *helps, cores, memory = lines[lines.index(next(filter(str.isdigit, lines))) :]
    assert int(number) > 300
    assert helps == list(COMMANDS)
    assert (cores, memory) == ("True", "None")


@pytest.mark.slow
@pytest.mark.parametrize(
    "is_other",
    [
        pytest.param(True, id="without what POSIX systems have"),
        pytest.param(False, id="unknown user without a home, one core"),
    ],
)
def test_the_commands_work(is_other: bool, tmp_path: Path) -> None:
    here = tmp_path / ODD
    (here / "temporary").mkdir(parents=True)
    own = {
        "PYTHONIOENCODING": "utf-8",
        "TMPDIR": str(here / "temporary"),
        compile_cache.CACHE_VARIABLE: str(compile_cache.FOLDER.parent),
    }
    given = environment(**own)
    if not is_other:
        given = {name: value for name, value in given.items() if not name.startswith(("XDG_", "LACKING_"))}
        # The user has no entry in the list of users, one core, and a home that cannot be written.
        given |= {"UNKNOWN_USER": "1", "HOME": "/dev/null/nowhere"}

    def module(name: str, *words: str, typed: str = "", status: int = 0) -> subprocess.CompletedProcess[str]:
        return run(["-m", name, *words], here, given, typed=typed, status=status)

    training = ["training.ppo", "--game", "tests.toy_game", "--run", "a [b] run", "--lanes", "16", "--steps", "8"]
    training += ["--width", "8", "--evaluation-games", "2", "--final-games", "2", "--threads", "1"]
    said = module(*training, "--decisions", "256").stdout
    # Commands to copy.
    assert "--resume --run 'a [b] run' " in said
    assert "--agents 'a [b] run/model.safetensors' greedy" in said
    if is_other:  # replaces the files of the first training
        module(*training, "--decisions", "512", "--resume")
    assert (here / "a [b] run" / "model.safetensors").is_file()
    matched = module("dunaia_env", "match", "--agents", "random", "greedy", "--games", "4", "--max-rounds", "3")
    assert "greedy" in matched.stdout
    agents = ["--agents", "greedy", "tests.hostile_agents:First", "--games", "4", "--max-rounds", "2", "--no-luck"]
    module("dunaia_env", "arena", *agents, "--out", "an arena", "--jobs", "2")
    assert json.loads((here / "an arena" / "report.json").read_text(encoding="utf-8"))
    module("dunaia_env", "replay", "record", "--agents", "random", "--max-rounds", "2", "--out", "recorded")
    [game] = (here / "recorded").iterdir()
    assert "as recorded" in module("dunaia_env", "replay", "verify", str(game)).stdout
    played = module("dunaia_env", "play", "--seed", "1", "--save", "my game.jsonl", typed="1\n1\nq\n").stdout
    assert "use --resume 'my game.jsonl'." in played
    again = module("dunaia_env", "play", "--resume", "my game.jsonl", typed="q\nmy game.jsonl\n").stdout
    assert "use --resume 'my game.jsonl'." in again
    words = ["--games", "dunaia", "--agents", "random", "--adviser", "", "--folder", "the tables"]
    words += ["--port", "0", "--no-open"]
    command = [sys.executable, "-m", "dunaia_env.table", *words]
    with subprocess.Popen(command, cwd=here, env=given, stdout=subprocess.PIPE, text=True, encoding="utf-8") as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            found = re.match(r"http://127\.0\.0\.1:(\d+)/", line)
            assert found, line
            client = Client(int(found[1]))
            link = client.open([person("Ada"), agent()], game="dunaia").seats[0]
            assert client.get(f"/api{link}").status == 200
        finally:
            server.terminate()
        server.wait(HANGS)
    assert len(list((here / "the tables" / "tables").iterdir())) == 1
    assert not list((here / "temporary").glob("dunaia_env*"))
