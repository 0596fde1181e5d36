"""Compiled code: never stale, kept where it belongs, and equal to what Python computes."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from dunaia_env.harness import state
from dunaia_env.harness.compiled.lane import LANE_SIZE, choose_random
from dunaia_env.harness.opponents import load
from dunaia_env.replay import record_game, to_text
from dunaia_env.support import compile_cache
from tests.test_layers import exists, imports, module_of

NEEDS_COMPILATION = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="compilation is switched off"
)

# A helper process that does nothing.
NO_HELP = (sys.executable, "-c", "")

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "dunaia_env"


@pytest.fixture(autouse=True)
def variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test makes the cache write into the environment is taken back: set first, it is known to pytest."""
    before = os.environ.get(compile_cache.CACHE_VARIABLE)
    monkeypatch.setenv(compile_cache.CACHE_VARIABLE, before or "")
    if before is None:
        monkeypatch.delenv(compile_cache.CACHE_VARIABLE)


def run(script: str, folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own, with the package beside it in ``folder``; it must succeed."""
    ours = ("DUNAIA_", "NUMBA_", "XDG_", "PYTHON")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
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
from dunaia_env.support import compile_cache
from tests.test_layers import imports
from dunaia_env.harness.compiled.lane import LANE_DTYPE, LANE_SIZE, choose_random

assert compile_cache.__file__.startswith(sys.argv[1]), compile_cache.__file__
lanes = np.zeros((1, LANE_SIZE), np.uint8)
lanes.view(LANE_DTYPE)[0, 0].legal_count = 5
legal, actions = np.arange(5, dtype=np.int16)[None] + 100, np.zeros(1, np.int32)
kernel = choose_random
kernel(lanes, legal, 0, np.zeros(1, np.int64), actions)
print(compile_cache.FOLDER, actions[0], sum(kernel.stats.cache_hits.values()))
"""
HELPER = "return (random_words(seed, purpose, index, part)[0] * np.int64(n)) >> 32"


def edit_helper(package: Path) -> None:
    path = package / "dunaia_env" / "harness" / "compiled" / "chance.py"
    text = path.read_text(encoding="utf-8")
    assert text.count(HELPER) == 1
    path.write_text(text.replace(HELPER, "return np.int64(n) - np.int64(1)"), encoding="utf-8")


@pytest.mark.once
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


# A kernel that names a constant of another file through its module.
NAMED_CONSTANT = """
from dunaia_env.harness.compiled import numbers
from dunaia_env.support.compile_cache import kernel


@kernel
def number():
    return numbers.NUMBER
"""
PRINT_NUMBER = """
from dunaia_env.harness.compiled.naming import number
from dunaia_env.support.compile_cache import FOLDER

print(FOLDER, number(), sum(number.stats.cache_hits.values()))
"""


@NEEDS_COMPILATION
@pytest.mark.long
def test_an_edit_of_a_constant_that_is_named_through_its_module_is_noticed(package: Path, tmp_path: Path) -> None:
    folder = package / "dunaia_env" / "harness" / "compiled"
    (folder / "naming.py").write_text(NAMED_CONSTANT, encoding="utf-8")
    seen = []
    for number in ("4", "4", "5"):
        (folder / "numbers.py").write_text(f"NUMBER = {number}", encoding="utf-8")
        seen.append(run(PRINT_NUMBER, package, XDG_CACHE_HOME=str(tmp_path / "cache")).stdout.split())
    assert [rest for _, *rest in seen] == [["4", "0"], ["4", "1"], ["5", "0"]]
    assert seen[0][0] == seen[1][0] != seen[2][0]


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
from dunaia_env.support import compile_cache
from tests.test_layers import imports
from dunaia_env.harness.compiled.entry_points import play
from dunaia_env.dunaia.rules.scoring import score
assert numba.config.CACHE_DIR == before
locations = {kernel._cache.cache_path for kernel in (play, score)}
print(compile_cache.FOLDER, *locations)
"""


def test_a_users_own_cache_folder_is_respected(tmp_path: Path) -> None:
    own = tmp_path / "own"
    folder, *locations = run(WHERE, ROOT, NUMBA_CACHE_DIR=str(own)).stdout.split()
    assert Path(folder) == own
    assert all(Path(location).is_relative_to(own) for location in locations)


@pytest.mark.once
def test_the_default_folder_is_named_by_the_sources(tmp_path: Path) -> None:
    folder, *locations = run(WHERE, ROOT, XDG_CACHE_HOME=str(tmp_path)).stdout.split()
    assert Path(folder) == tmp_path / "dunaia_env" / compile_cache.engine_hash()
    assert len(locations) == 2
    assert all(Path(location).is_relative_to(folder) for location in locations)


@pytest.mark.once
def test_without_a_home_the_cache_lies_in_the_virtual_environment(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "prefix").mkdir()
    script = f"import sys; sys.prefix = {str(tmp_path / 'prefix')!r}" + WHERE
    folder, *locations = run(script, ROOT, XDG_CACHE_HOME=str(tmp_path / "file")).stdout.split()
    assert Path(folder) == tmp_path / "prefix" / "cache" / "dunaia_env" / compile_cache.engine_hash()
    assert all(Path(location).is_relative_to(folder) for location in locations)


NOWHERE = "import sys; sys.prefix = sys.base_prefix" + WHERE
CHILD = """
import os, subprocess, sys
child = "from dunaia_env.support import compile_cache; print(compile_cache.FOLDER)"
print(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True).stdout.strip())
print(oct(compile_cache.FOLDER.parent.stat().st_mode))
"""


@pytest.mark.once
def test_without_any_place_a_private_folder_serves_the_process_and_its_children(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folders = set()
    for _ in range(2):
        done = run(NOWHERE + CHILD, ROOT, XDG_CACHE_HOME=str(tmp_path / "file"), TMPDIR=str(tmp_path))
        folder, first, second, of_child, mode = done.stdout.split()
        assert Path(folder).parent.parent == tmp_path
        assert of_child == folder
        assert int(mode, 8) & 0o077 == 0
        assert all(Path(location).is_relative_to(folder) for location in (first, second))
        folders.add(Path(folder).parent)
    assert len(folders) == 2, "the name can be foreseen"
    assert not any(folder.exists() for folder in folders), "the folder outlives its process"


@pytest.mark.once
@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({"HOME": "/dev/null/home"}, id="a home that is none"),
        pytest.param({"XDG_CACHE_HOME": "cache"}, id="a relative folder"),
        pytest.param({"HOME": ""}, id="no home"),
    ],
)
def test_an_unusual_home_is_no_obstacle(tmp_path: Path, environment: dict[str, str]) -> None:
    # Neither HOME nor an entry in the table of users: what a container with an unknown user has.
    unknown = "import os, pwd\n" if environment.get("HOME") == "" else ""
    if unknown:
        unknown += "os.environ.pop('HOME')\ndef unknown(user): raise KeyError(user)\npwd.getpwuid = unknown\n"
    done = run(unknown + WHERE, ROOT, **({"HOME": str(tmp_path)} | environment))
    folder, *locations = done.stdout.split()
    assert Path(folder).is_absolute()
    assert Path(folder).is_dir() or "dunaia_env-" in folder
    assert not (ROOT / "cache").exists()
    assert all(Path(location).is_relative_to(folder) for location in locations)


def test_a_relative_folder_is_no_place_for_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What older versions of platformdirs answer without a home: a path that begins with ``~``."""
    for name in ("NUMBA_CACHE_DIR", compile_cache.CACHE_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "environment"))
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: Path("~/.cache/dunaia_env"))
    assert compile_cache.cache_folder().is_relative_to(tmp_path / "environment")
    assert not (tmp_path / "~").exists()


ON_UNIX = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no such owners here")


@ON_UNIX
@pytest.mark.parametrize("level", ["place", "folder"])
@pytest.mark.parametrize("fault", ["writable by the group", "writable by all", "of another user", "a link", "a file"])
def test_a_folder_that_others_could_have_filled_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str, fault: str
) -> None:
    for name in ("NUMBA_CACHE_DIR", compile_cache.CACHE_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    good = compile_cache.cache_folder()
    assert good == tmp_path / "cache" / "dunaia_env" / compile_cache.engine_hash()
    assert good.stat().st_mode & 0o777 == good.parent.stat().st_mode & 0o777 == 0o700
    prepared = good if level == "folder" else good.parent
    if fault.startswith("writable"):
        prepared.chmod(0o770 if "group" in fault else 0o707)
    elif fault == "of another user":
        own = os.lstat

        def lstat(path: Path) -> Any:
            found = own(path)
            return os.stat_result([*found[:4], found.st_uid + 1, *found[5:]]) if Path(path) == prepared else found

        monkeypatch.setattr(Path, "lstat", lstat)
    else:
        prepared.rename(tmp_path / "elsewhere")
        if fault == "a link":
            prepared.symlink_to(tmp_path / "elsewhere")
        else:
            prepared.touch()
    folder = compile_cache.cache_folder()
    assert not folder.is_relative_to(tmp_path / "cache")
    assert folder.parent.parent == tmp_path
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    assert os.environ[compile_cache.CACHE_VARIABLE] == str(folder.parent)


FOREIGN = """
import os, pickle, sys
from functools import partial
from pathlib import Path
class Attack:
    def __reduce__(self):
        return os.mkdir, (sys.argv[1],)
for index in Path(sys.argv[2]).rglob("*.nbi"):
    index.write_bytes(pickle.dumps(Attack()))
"""


@ON_UNIX
@NEEDS_COMPILATION
@pytest.mark.long
def test_foreign_code_in_a_prepared_folder_does_not_run(package: Path, tmp_path: Path) -> None:
    cache, opened = tmp_path / "cache", tmp_path / "opened"
    run(ONE_KERNEL, package, str(package), XDG_CACHE_HOME=str(cache))
    run(FOREIGN, package, str(opened), str(cache))
    (cache / "dunaia_env").chmod(0o777)
    run(ONE_KERNEL, package, str(package), XDG_CACHE_HOME=str(cache), TMPDIR=str(tmp_path))
    assert not opened.exists()
    # What the test would see if the folder were trusted.
    (cache / "dunaia_env").chmod(0o700)
    run(ONE_KERNEL, package, str(package), XDG_CACHE_HOME=str(cache))
    assert opened.exists()


FULL = """
import builtins
real = builtins.open
def full(file, mode="r", *rest, **more):
    if str(file).startswith(sys.argv[2]) and "w" in mode:
        raise OSError(28, "No space left on device")
    return real(file, mode, *rest, **more)
import sys
builtins.open = full
"""


@pytest.mark.long
@NEEDS_COMPILATION
@pytest.mark.parametrize("fault", ["a full disk", "half a file", "an empty file"])
def test_machine_code_that_cannot_be_kept_or_read_costs_a_compilation(
    package: Path, tmp_path: Path, fault: str
) -> None:
    cache = tmp_path / "cache"
    first = run(ONE_KERNEL, package, str(package), XDG_CACHE_HOME=str(cache))
    for file in [*cache.rglob("*.nbi"), *cache.rglob("*.nbc")]:
        if fault == "a full disk":
            file.unlink()
        else:
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2 if fault == "half a file" else 0])
    script = (FULL if fault == "a full disk" else "") + ONE_KERNEL
    again = run(script, package, str(package), str(cache), XDG_CACHE_HOME=str(cache))
    assert again.stdout.split()[:2] == first.stdout.split()[:2]
    if fault == "a full disk":
        assert len(again.stderr.splitlines()) == 1
        assert "cannot be cached" in again.stderr
        assert "No space left on device" in again.stderr


def test_the_hash_changes_with_every_engine_source_and_with_nothing_else(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_cache, "_PACKAGE", package / "dunaia_env")
    sources = compile_cache.engine_sources()
    original = compile_cache.engine_hash()
    names = {path.relative_to(package / "dunaia_env").as_posix() for path in sources}
    assert {
        "harness/compiled/chance.py",
        "harness/compiled/lane.py",
        "dunaia/entry_points.py",
        "dunaia/rules/play.py",
    } <= names
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


@pytest.mark.once
def test_the_hash_changes_with_what_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = {compile_cache.engine_hash()}
    others = {
        "numba.__version__": "0.0.1",
        "np.__version__": "0.0.1",
        "numba.config.BOUNDSCHECK": 1,
        "numba.config.OPT": 0,
        "llvmlite.binding.get_host_cpu_name": lambda: "pentium",
    }
    for name, other in others.items():
        with monkeypatch.context() as patch:
            patch.setattr(f"dunaia_env.support.compile_cache.{name}", other)
            hashes.add(compile_cache.engine_hash())
    assert len(hashes) == 1 + len(others)


DECORATORS = "kernel|any_order_kernel|c_function|intrinsic|n?jit|vectorize|guvectorize|jitclass|stencil|cfunc"


def compiled_functions(path: Path) -> Iterator[tuple[str, Any]]:
    """The functions of a file that numba compiles, with their decorator."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for decorator in getattr(node, "decorator_list", []):
            if re.search(rf"\b({DECORATORS})\b", ast.unparse(decorator)):
                yield node.name, decorator


def test_nothing_is_compiled_outside_the_hashed_files() -> None:
    sources = set(compile_cache.engine_sources())
    assert sum(len(list(compiled_functions(path))) for path in sources) > 100
    for path in sorted(PACKAGE.rglob("*.py")):
        if path not in sources:
            assert list(compiled_functions(path)) == [], path
            assert path.name == "compile_cache.py" or "njit" not in path.read_text(encoding="utf-8"), path


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.id for top in nodes for node in ast.walk(top) if isinstance(node, ast.Name)}


def modules_of_kernels(root: Path, path: Path) -> set[str]:
    """The modules of the project from which a file's kernels, and the constants that they name, take anything."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    compiled = {name for name, _ in compiled_functions(path)}
    used = names_in(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in compiled)
    assigned = {
        name: names_in([node.value])
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
        for name in names_in(node.targets if isinstance(node, ast.Assign) else [node.target])
    }
    todo = list(used)
    while todo:
        more = assigned.get(todo.pop(), set()) - used
        used |= more
        todo += more
    modules = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("dunaia_env"):
            for name in node.names:
                if (name.asname or name.name) in used:
                    whole = f"{node.module}.{name.name}"
                    modules.add(whole if exists(root, whole) else str(node.module))
    return modules


# What they take from here is the decorator, and a hash of the record that they share with Python.
NOT_COMPILED = {"dunaia_env.support.compile_cache", "dunaia_env.support.hashing"}


@pytest.mark.once
def test_kernels_name_nothing_outside_the_hashed_files() -> None:
    """Otherwise an edit of a constant would leave machine code with the old value in use."""
    sources = compile_cache.engine_sources()
    hashed = {module_of(ROOT, path) for path in sources}
    for path in sources:
        assert modules_of_kernels(ROOT, path) - hashed <= NOT_COMPILED, path


@pytest.mark.parametrize(
    "text",
    [
        "from dunaia_env.harness import {0}\n@kernel\ndef f():\n    return {0}.WORTH",
        "from dunaia_env.harness.{0} import WORTH\n@kernel\ndef f():\n    return WORTH",
        "from dunaia_env.harness import {0} as other\nA = 2 * other.WORTH\nB = A + 1\n@kernel\ndef f():\n    return B",
    ],
)
def test_what_kernels_name_elsewhere_is_found(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kernels.py"
    path.write_text(text.format("weights"), encoding="utf-8")
    assert modules_of_kernels(ROOT, path) == {"dunaia_env.harness.weights"}


# Files of a game that no kernel needs although they are hashed: they decide what positions and options are valid.
RULES_WITHOUT_A_KERNEL = {
    *("__init__", "assigned", "bounds", "changes", "component_writing", "consistency", "events", "family", "file"),
    *(
        "membership",
        "menus",
        "narrowing",
        "notation",
        "options",
        "roles",
        "sampling",
        "states",
        "views",
        "with_tleilax",
    ),
}


@pytest.mark.once
def test_rewording_compiles_nothing() -> None:
    sources = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in compile_cache.engine_sources()}
    todo = [path for path in sources.values() if next(compiled_functions(path), None)]
    needed = set(todo)
    while todo:
        named = {sources[module] for module, _ in imports(ROOT, todo.pop(), late=True) if module in sources} - needed
        needed |= named
        todo += named
    for game in ("dunaia", "dune"):
        unneeded = {path.stem for path in sources.values() if PACKAGE / game in path.parents and path not in needed}
        assert unneeded <= RULES_WITHOUT_A_KERNEL
        assert not any(module.startswith(f"dunaia_env.{game}.presentation") for module in sources)


def test_every_kernel_is_cached_and_lets_other_threads_run() -> None:
    for path in compile_cache.engine_sources():
        for name, decorator in compiled_functions(path):
            assert re.fullmatch(r"(any_order_)?kernel|intrinsic|c_function\(.*\)", ast.unparse(decorator)), (path, name)


@NEEDS_COMPILATION
def test_the_first_compilation_is_announced_and_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compile_cache, "FOLDER", tmp_path)
    monkeypatch.setattr(compile_cache, "_NAMED", {})
    assert not compile_cache.is_compiled("game")
    made: list[int] = []

    def call() -> None:
        assert not compile_cache.is_compiled("game")
        made.append(len(made))

    compile_cache.compile_now("game", "the game", [call, call], NO_HELP)
    shown = capsys.readouterr()
    begun, done = shown.err.splitlines()
    assert begun == f"dunaia_env: compiling the game, once for this machine; cached in {tmp_path}"
    assert re.fullmatch(r"dunaia_env: compiled in \d+ s", done)
    assert shown.out == ""
    assert made == [0, 1]
    assert compile_cache.is_compiled("game")


@NEEDS_COMPILATION
def test_a_compilation_that_was_broken_off_is_not_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_cache, "FOLDER", tmp_path)

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compile_cache.compile_now("game", "the game", [interrupt], NO_HELP)
    assert not compile_cache.is_compiled("game")


@NEEDS_COMPILATION
def test_a_compilation_that_could_not_be_kept_is_not_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_cache, "FOLDER", tmp_path)
    monkeypatch.setattr(compile_cache, "_failures", ["No space left on device"])
    compile_cache.compile_now("game", "the game", [], NO_HELP)
    assert not compile_cache.is_compiled("game")


@NEEDS_COMPILATION
def test_another_copy_of_the_package_is_compiled_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba keeps machine code by the path of its source."""
    monkeypatch.setattr(compile_cache, "FOLDER", tmp_path)
    compile_cache.compile_now("game", "the game", [], NO_HELP)
    assert compile_cache.is_compiled("game")
    shutil.copytree(PACKAGE, tmp_path / "dunaia_env", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compile_cache, "_PACKAGE", tmp_path / "dunaia_env")
    assert not compile_cache.is_compiled("game")


@pytest.mark.skipif(
    not (numba.config.DISABLE_JIT or numba.config.BOUNDSCHECK), reason="`make plain` and `make bounds` check indices"
)
def test_an_index_out_of_bounds_is_an_error() -> None:
    """So no code without checks was taken from a cache: numba itself does not tell it from code with checks."""
    lanes, legal = np.zeros((1, LANE_SIZE), np.uint8), np.zeros((1, 5), np.int16)
    with pytest.raises(IndexError):
        choose_random(lanes, legal, 0, np.ones(1, np.int64), np.zeros(1, np.int32))


WARM_UP = "import runpy; runpy.run_module('dunaia_env.warmup', run_name='__main__')"
PLAY = """
import sys
from dunaia_env import GameState, Lanes, dunaia_v0
from dunaia_env.harness.opponents import load
lanes = Lanes(3, num_players=[2, 3, 4], elites=[False, True])
lanes.reset(0)
for _ in range(50):
    lanes.step(lanes.random_actions(0))
state = GameState.new(0)
state.apply(load("greedy").act(state), 0)
env = dunaia_v0.env()
env.reset(seed=1)
env.observe("player_1")
from dunaia_env.harness.compiled import entry_points, greedy, lane
for module in (entry_points, greedy, lane):
    for kernel in vars(module).values():
        for hits in [getattr(kernel, "stats", None)]:
            assert hits is None or not hits.cache_misses, (kernel, hits)
"""


@pytest.mark.slow
def test_the_game_is_compiled_once_and_then_taken_from_the_cache(package: Path, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    first = run(WARM_UP, package, XDG_CACHE_HOME=cache)
    lines = first.stderr.splitlines()
    assert lines[0].startswith("dunaia_env: compiling the game, once for this machine")
    assert re.fullmatch(r"dunaia_env: compiled in \d+ s", lines[1])
    second = run(WARM_UP, package, XDG_CACHE_HOME=cache)
    assert second.stderr == ""
    assert second.stdout.startswith("already compiled in ")
    # What was compiled ahead is all that play needs.
    assert run(PLAY, package, XDG_CACHE_HOME=cache).stderr == ""


RECORD = """
import sys, warnings
warnings.simplefilter("error")
from dunaia_env.harness.opponents import load
from dunaia_env.replay import record_game, to_text
for players, elites, seed, rounds in eval(sys.argv[1]):
    agents = [load(name) for name in sys.argv[2:]]
    recorded = record_game(seed, agents, num_players=players, elites=elites, max_rounds=rounds, trace=True)
    sys.stdout.write(to_text(recorded))
"""
Games = list[tuple[int, bool, int, int]]


def texts_of(games: Games, *names: str) -> str:
    texts = []
    for players, elites, seed, rounds in games:
        agents = [load(name) for name in names]
        texts.append(
            to_text(record_game(seed, agents, num_players=players, elites=elites, max_rounds=rounds, trace=True))
        )
    return "".join(texts)


@pytest.mark.once
@pytest.mark.long
@pytest.mark.parametrize(
    "games",
    [
        pytest.param([(3, True, 5, 6)], id="short"),
        pytest.param(
            [(players, elites, 6, 10) for players in (2, 3, 4) for elites in (False, True)],
            id="long",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_without_compilation_the_same_games_are_played(games: Games) -> None:
    done = run(RECORD, ROOT, repr(games), "random", "greedy", NUMBA_DISABLE_JIT="1")
    assert done.stdout == texts_of(games, "random", "greedy")
    assert done.stderr == ""


WITHOUT_LINKING = """
from dunaia_env.harness.compiled import lane
from dunaia_env.support.linking import Kernel
assert not any(isinstance(kernel, Kernel) for kernel in vars(lane).values())
"""


@pytest.mark.slow
def test_plain_numba_plays_the_same_games(tmp_path: Path) -> None:
    games: Games = [(players, elites, 6, 25) for players in (2, 3, 4) for elites in (False, True)]
    script = RECORD + WITHOUT_LINKING
    done = run(script, ROOT, repr(games), "random", DUNAIA_ENV_PLAIN_NUMBA="1", DUNAIA_ENV_CACHE_DIR=str(tmp_path))
    assert "compiled in" in done.stderr
    assert done.stdout == texts_of(games, "random")


BOUNDS = """
import numpy as np
from dunaia_env import Lanes
from dunaia_env.harness.opponents import load
agent = load("greedy")
lanes = Lanes(12, num_players=[2, 3, 4], elites=[False, True])
lanes.reset(0)
for _ in range(1500):
    actions = lanes.random_actions(0)
    actions[::2] = agent.act_batch(lanes, np.arange(0, 12, 2))
    lanes.step(actions)
lanes.restore(lanes.snapshot())
from dunaia_env.harness.state import prepare
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.harness.compiled import search
from dunaia_env.harness.compiled.random_play import random_games
table = prepare(DEFAULT_GAME, evaluation=True)
options = np.array([4, 1, 100, 0, 0, 0, 0, 0])
print(random_games(table, DEFAULT_GAME.load(None).buffer, 1, 200, options))
from dunaia_env.harness.compiled.luck import write_luck
from dunaia_env.dunaia.weights import load_weights
lanes = Lanes(6, num_players=[2, 3, 4], elites=[False, True], max_rounds=6, autoreset=False)
lanes.reset(1)
names = ("mcts:90", "mcts:6,playout=random", "mcts:4,playout=greedy,cutoff=9", "mcts:40,prior_temperature=0", "flat:1")
agents = [load(name) for name in names]
step = 0
while (active := np.flatnonzero(lanes.seats >= 0)).size:
    actions = agents[step % len(agents)].act_batch(lanes, active)
    lanes.call_kernel(write_luck, load_weights(), 3, active, actions, np.zeros((len(active), 4)))
    if step % 7 == 0:
        state = lanes.get_state(int(active[-1]))
        position = np.frombuffer(state.to_bytes(), np.uint8).copy()
        settings = np.array([0.3, 0.5 * (step % 2), 0.0, step % 3 % 2, step % 4, step % 2])
        for room in (1, 40, 400):
            tree = np.zeros(room * search.NODE_SIZE, np.uint8)
            rules, weights = state.components.buffer, load_weights()
            used = search.grow_tree(table, position, rules, weights, settings, 3, 0, 60, tree, 1)
            assert used <= room and tree.view(search.NODE_DTYPE)["visits"][0] == 60
    lanes.step(actions, active)
    step += 1
print(step)
"""


@pytest.mark.slow
def test_no_index_is_out_of_bounds() -> None:
    done = run(BOUNDS, ROOT, NUMBA_BOUNDSCHECK="1")
    # An entry point cannot raise: what happens in it is printed.
    assert "IndexError" not in done.stderr
    decisions, searched = map(int, done.stdout.split())
    assert decisions > 10_000
    assert searched > 50


@NEEDS_COMPILATION
@pytest.mark.once
def test_the_helper_imports_nothing_from_the_folder_it_is_started_in(tmp_path: Path) -> None:
    for name in ("numba", "numpy", "dunaia_env", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open('imported-{name}', 'w')", encoding="utf-8")
    done = subprocess.run(state._helper("play", state.DEFAULT_GAME), cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert not list(tmp_path.glob("imported-*"))


def test_a_second_process_compiles_from_the_last_step(monkeypatch: pytest.MonkeyPatch) -> None:
    run_steps: list[int] = []
    steps = [partial(run_steps.append, number) for number in range(3)]
    monkeypatch.setattr(state.warm_up, "steps_of", lambda *arguments: steps)
    state.help_compiling("play", state.DEFAULT_GAME.module)
    assert run_steps == [2, 1, 0]
