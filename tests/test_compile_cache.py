"""Compiled code: never stale, kept where it belongs, and equal to what Python computes."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dunaia_env import compile_cache
from dunaia_env.opponents import load
from dunaia_env.replay import record_game, to_text

NEEDS_COMPILATION = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="compilation is switched off"
)

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "dunaia_env"


def run(script: str, folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own, with the package beside it in ``folder``; it must succeed."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "XDG_", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=folder,
        env={**clean, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with a copy of the package."""
    shutil.copytree(PACKAGE, tmp_path / "copy" / "dunaia_env", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "copy"


# A kernel that is compiled fast and whose result depends on a helper in another file (chance.random_below).
ONE_KERNEL = """
import sys
import numpy as np
from dunaia_env import compile_cache, dunaia
from dunaia_env.lane import LANE_DTYPE, LANE_SIZE

assert compile_cache.__file__.startswith(sys.argv[1]), compile_cache.__file__
lanes = np.zeros((1, LANE_SIZE), np.uint8)
lanes.view(LANE_DTYPE)[0, 0].legal_count = 5
legal, actions = np.arange(5, dtype=np.int16)[None] + 100, np.zeros(1, np.int32)
kernel = dunaia.choose_random
kernel(lanes, legal, 0, np.zeros(1, np.int64), actions)
print(compile_cache.FOLDER, actions[0], sum(kernel.stats.cache_hits.values()))
"""
HELPER = "return (random_words(seed, purpose, index, part)[0] * np.int64(n)) >> 32"


def edit_helper(package: Path) -> None:
    path = package / "dunaia_env" / "chance.py"
    text = path.read_text(encoding="utf-8")
    assert text.count(HELPER) == 1
    path.write_text(text.replace(HELPER, "return np.int64(n) - np.int64(1)"), encoding="utf-8")


def test_an_edit_in_a_helper_of_another_file_is_noticed(package: Path, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    folder, before, hits = run(ONE_KERNEL, package, str(package), XDG_CACHE_HOME=cache).stdout.split()
    assert hits == "0"
    assert Path(folder).parent == tmp_path / "cache" / "dunaia_env"
    again = run(ONE_KERNEL, package, str(package), XDG_CACHE_HOME=cache).stdout.split()
    assert again == [folder, before, "1"]
    assert before != "104"
    edit_helper(package)
    other, after, hits = run(ONE_KERNEL, package, str(package), XDG_CACHE_HOME=cache).stdout.split()
    assert (after, hits) == ("104", "0")
    assert other != folder


@pytest.mark.slow
def test_without_a_folder_of_its_own_the_edit_goes_unnoticed(package: Path, tmp_path: Path) -> None:
    """What the folders are for. If numba learns to notice, they can go."""
    cache = str(tmp_path / "cache")
    folder, before, _ = run(ONE_KERNEL, package, str(package), NUMBA_CACHE_DIR=cache).stdout.split()
    assert folder == cache
    edit_helper(package)
    assert run(ONE_KERNEL, package, str(package), NUMBA_CACHE_DIR=cache).stdout.split() == [folder, before, "1"]


WHERE = """
import numba
before = numba.config.CACHE_DIR
import dunaia_env
from dunaia_env import compile_cache
assert numba.config.CACHE_DIR == before
locations = {kernel._cache.cache_path for kernel in (dunaia_env.dunaia.play_action, dunaia_env.chance.draw)}
print(compile_cache.FOLDER, *locations)
"""


def test_a_users_own_cache_folder_is_respected(tmp_path: Path) -> None:
    own = tmp_path / "own"
    folder, *locations = run(WHERE, ROOT, NUMBA_CACHE_DIR=str(own)).stdout.split()
    assert Path(folder) == own
    assert all(Path(location).is_relative_to(own) for location in locations)


def test_the_default_folder_is_named_by_the_sources(tmp_path: Path) -> None:
    folder, *locations = run(WHERE, ROOT, XDG_CACHE_HOME=str(tmp_path)).stdout.split()
    assert Path(folder) == tmp_path / "dunaia_env" / compile_cache.engine_hash()
    assert len(locations) == 2
    assert all(Path(location).is_relative_to(folder) for location in locations)


def test_a_home_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder, *_ = run(WHERE, ROOT, XDG_CACHE_HOME=str(tmp_path / "file"), TMPDIR=str(tmp_path)).stdout.split()
    assert Path(folder).parent.parent == tmp_path
    assert Path(folder).name == compile_cache.engine_hash()
    assert Path(folder).is_dir()


def test_the_folder_falls_back_step_by_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    refused: list[Path] = []
    allowed = 2

    def writable(folder: Path) -> bool:
        refused.append(folder)
        return len(refused) > allowed

    monkeypatch.setattr(compile_cache, "_writable", writable)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = compile_cache.cache_folder()
    assert len(refused) == 2
    assert folder.parent == tmp_path
    assert folder.is_dir()
    assert folder.name != compile_cache.engine_hash()


def test_the_hash_changes_with_every_engine_source_and_with_nothing_else(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_cache, "_PACKAGE", package / "dunaia_env")
    sources = compile_cache.engine_sources()
    original = compile_cache.engine_hash()
    names = {path.relative_to(package / "dunaia_env").as_posix() for path in sources}
    assert {"chance.py", "lane.py", "dunaia/kernels.py", "dunaia/rules/play.py", "dunaia/greedy.py"} <= names
    hashes = {original}
    for path in sources:
        content = path.read_bytes()
        path.write_bytes(content + b"\n")
        hashes.add(compile_cache.engine_hash())
        path.write_bytes(content)
    assert len(hashes) == 1 + len(sources)
    assert compile_cache.engine_hash() == original
    for path in (package / "dunaia_env").rglob("*.py"):
        if path not in sources:
            path.write_bytes(path.read_bytes() + b"\n")
    (package / "dunaia_env" / "dunaia" / "components.toml").write_text("", encoding="utf-8")
    assert compile_cache.engine_hash() == original
    (package / "dunaia_env" / "dunaia" / "rules" / "play.py").rename(package / "dunaia_env" / "dunaia" / "p.py")
    assert compile_cache.engine_hash() != original


@pytest.mark.parametrize("attribute", ["__version__"])
def test_the_hash_changes_with_the_versions_that_compile(monkeypatch: pytest.MonkeyPatch, attribute: str) -> None:
    hashes = {compile_cache.engine_hash()}
    for module in ("numba", "np"):
        with monkeypatch.context() as patch:
            patch.setattr(f"dunaia_env.compile_cache.{module}.{attribute}", "0.0.1")
            hashes.add(compile_cache.engine_hash())
    assert len(hashes) == 3


def compiled_functions(path: Path) -> Iterator[tuple[str, Any]]:
    """The functions of a file that numba compiles, with their decorator."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for decorator in getattr(node, "decorator_list", []):
            if re.search(r"\b(n?jit|vectorize|guvectorize|jitclass|stencil|cfunc|overload)\b", ast.unparse(decorator)):
                yield node.name, decorator


def test_nothing_is_compiled_outside_the_hashed_files() -> None:
    sources = set(compile_cache.engine_sources())
    assert sum(len(list(compiled_functions(path))) for path in sources) > 100
    for path in sorted(PACKAGE.rglob("*.py")):
        if path not in sources:
            assert list(compiled_functions(path)) == [], path
            assert "import njit" not in path.read_text(encoding="utf-8"), path


def test_every_kernel_is_cached_and_lets_other_threads_run() -> None:
    for path in compile_cache.engine_sources():
        for name, decorator in compiled_functions(path):
            assert ast.unparse(decorator) == "njit(cache=True, nogil=True)", (path, name)


@NEEDS_COMPILATION
def test_the_first_compilation_is_announced_and_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compile_cache, "FOLDER", tmp_path)
    assert not compile_cache.is_compiled()
    with compile_cache.announced_compilation():
        begun = capsys.readouterr()
        assert re.fullmatch(rf"dunaia_env: compiling the game once .* s\), kept in {tmp_path}\n", begun.err)
        assert not compile_cache.is_compiled()
    done = capsys.readouterr()
    assert re.fullmatch(r"dunaia_env: compiled in \d+ s\n", done.err)
    assert begun.out == done.out == ""
    assert compile_cache.is_compiled()


@NEEDS_COMPILATION
def test_a_compilation_that_was_broken_off_is_not_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_cache, "FOLDER", tmp_path)
    with pytest.raises(KeyboardInterrupt), compile_cache.announced_compilation():
        raise KeyboardInterrupt
    assert not compile_cache.is_compiled()


@NEEDS_COMPILATION
def test_another_copy_of_the_package_is_compiled_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba keeps machine code by the path of its source."""
    monkeypatch.setattr(compile_cache, "FOLDER", tmp_path)
    with compile_cache.announced_compilation():
        pass
    assert compile_cache.is_compiled()
    shutil.copytree(PACKAGE, tmp_path / "dunaia_env", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compile_cache, "_PACKAGE", tmp_path / "dunaia_env")
    assert not compile_cache.is_compiled()


WARM_UP = "import runpy; runpy.run_module('dunaia_env.warmup', run_name='__main__')"
PLAY = """
import sys
from dunaia_env import GameState, Lanes, dunaia_v0
from dunaia_env.opponents import load
lanes = Lanes(3, num_players=[2, 3, 4], elites=[False, True])
lanes.reset(0)
for _ in range(50):
    lanes.step(lanes.random_actions(0))
state = GameState.new(0)
state.apply(load("greedy").act(state), 0)
env = dunaia_v0.env()
env.reset(seed=1)
env.observe("player_1")
from dunaia_env import dunaia
for kernel in vars(dunaia).values():
    for hits in [getattr(kernel, "stats", None)]:
        assert hits is None or not hits.cache_misses, (kernel, hits)
"""


@pytest.mark.slow
def test_the_game_is_compiled_once_and_then_taken_from_the_cache(package: Path, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    first = run(WARM_UP, package, XDG_CACHE_HOME=cache)
    lines = first.stderr.splitlines()
    assert lines[0].startswith("dunaia_env: compiling the game once for this machine")
    assert re.fullmatch(r"dunaia_env: compiled in \d+ s", lines[1])
    second = run(WARM_UP, package, XDG_CACHE_HOME=cache)
    assert second.stderr == ""
    assert second.stdout.startswith("already compiled in ")
    # What was compiled ahead is all that play needs.
    assert run(PLAY, package, XDG_CACHE_HOME=cache).stderr == ""


RECORD = """
import sys, warnings
warnings.simplefilter("error")
from dunaia_env.opponents import load
from dunaia_env.replay import record_game, to_text
for players, elites, seed, rounds in eval(sys.argv[1]):
    agents = [load("random"), load("greedy")]
    recorded = record_game(seed, agents, num_players=players, elites=elites, max_rounds=rounds, trace=True)
    sys.stdout.write(to_text(recorded))
"""
Games = list[tuple[int, bool, int, int]]


def texts_of(games: Games) -> str:
    texts = []
    for players, elites, seed, rounds in games:
        agents = [load("random"), load("greedy")]
        texts.append(
            to_text(record_game(seed, agents, num_players=players, elites=elites, max_rounds=rounds, trace=True))
        )
    return "".join(texts)


@pytest.mark.parametrize(
    "games",
    [
        pytest.param([(3, True, 5, 6)], id="short"),
        pytest.param(
            [(players, elites, 6, 25) for players in (2, 3, 4) for elites in (False, True)],
            id="long",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_without_compilation_the_same_games_are_played(games: Games) -> None:
    done = run(RECORD, ROOT, repr(games), NUMBA_DISABLE_JIT="1")
    assert done.stdout == texts_of(games)
    assert done.stderr == ""


BOUNDS = """
import numpy as np
from dunaia_env import Lanes
from dunaia_env.opponents import load
agent = load("greedy")
lanes = Lanes(12, num_players=[2, 3, 4], elites=[False, True])
lanes.reset(0)
for _ in range(1500):
    actions = lanes.random_actions(0)
    actions[::2] = agent.act_batch(lanes, np.arange(0, 12, 2))
    lanes.step(actions)
lanes.restore(lanes.snapshot())
from dunaia_env.dunaia import kernels
from dunaia_env.dunaia.components import load as components
print(kernels.random_games(components().buffer, 1, 200, 4, True, 100))
from dunaia_env.dunaia import search
from dunaia_env.dunaia.luck import write_luck
from dunaia_env.dunaia.weights import load_weights
lanes = Lanes(6, num_players=[2, 3, 4], elites=[False, True], max_rounds=6, autoreset=False)
lanes.reset(1)
names = ("mcts:90", "mcts:6,playout=random", "mcts:4,playout=greedy,cutoff=9", "mcts:40,warmth=0", "flat:1")
agents = [load(name) for name in names]
step = 0
while (active := np.flatnonzero(lanes.seats >= 0)).size:
    actions = agents[step % len(agents)].act_batch(lanes, active)
    lanes.call_kernel(write_luck, load_weights(), 3, active, actions, np.zeros((len(active), 4)))
    if step % 7 == 0:
        state = lanes.get_state(int(active[-1]))
        position = np.frombuffer(state.to_bytes(), np.uint8)
        settings = np.array([0.3, 0.5 * (step % 2), 0.0, step % 3 % 2, step % 4, step % 2])
        for room in (1, 40, 400):
            tree = np.zeros(room * search.NODE_SIZE, np.uint8)
            used = search.grow_tree(position, state.components.buffer, load_weights(), settings, 3, 0, 60, tree, 1)
            assert used <= room and tree.view(search.NODE_DTYPE)["visits"][0] == 60
    lanes.step(actions, active)
    step += 1
print(step)
"""


@pytest.mark.slow
def test_no_index_is_out_of_bounds(tmp_path: Path) -> None:
    done = run(BOUNDS, ROOT, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))
    decisions, searched = map(int, done.stdout.split())
    assert decisions > 10_000
    assert searched > 50
