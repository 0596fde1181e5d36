"""Imports point one way, the game knows no word of reinforcement learning, files stay short."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
CODE = ("dunaia_env", "agents", "training", "benchmarks")
FIRST_PARTY = (*CODE, "tests")
GAMES = ("dunaia", "dune")

RL_WORDS = re.compile(
    r"\b(rewards?|agents?|terminations?|truncations?|gymnasium|pettingzoo|episodes?)\b", re.IGNORECASE
)
GAME_WORDS = re.compile(
    r"\b(dunaias?|dunaïa|elites?|tiles?|villages?|flowers?|elders?|chips?|prophec(?:y|ies)|dice|max_rounds)\b",
    re.IGNORECASE,
)
# Where the library says which games it has.
NAMING_THE_GAMES = (
    ("dunaia_env/__init__.py", "exports the game's package under its name"),
    ("dunaia_env/dunaia_v0.py", "is the game's environment"),
)
# Where a game is still named that should not be.
STILL_NAMING_A_GAME: tuple[tuple[str, str], ...] = ()
OWN_GENERATORS = {"BitGenerator", "Generator", "PCG64", "Philox", "SeedSequence", "default_rng"}

MOST_LINES = 600
MOST_LINES_OF_A_SHELL = 250


class Arrow(NamedTuple):
    """What the files of a pattern may import: only these modules and what is in them, or all but these."""

    files: str
    only: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    late: bool = True  # whether an import inside a function counts too


SHELLS = ("dunaia_env.envs", "dunaia_env.dunaia_v0", "dunaia_env.dune_v0", "dunaia_env.replay")
COMPILER = ("llvmlite", "numba", "numpy")
RULES = tuple(f"dunaia_env.{game}.{module}" for game in GAMES for module in ("rules", "entry_points"))
# The library's rooms from the ground up: each imports itself and what stands on lower floors.
FLOORS = (
    ("dunaia_env.support", "dunaia_env.games"),
    ("dunaia_env.harness", "dunaia_env.registration", "dunaia_env.statistics"),
    ("dunaia_env.dunaia", "dunaia_env.dune", "dunaia_env.family", "dunaia_env.replay", "dunaia_env.warmup"),
    ("dunaia_env.render",),
    ("dunaia_env.reports",),
    ("dunaia_env.analysis", "dunaia_env.arena", "dunaia_env.envs"),
    ("dunaia_env.balance", "dunaia_env.dunaia_v0", "dunaia_env.dune_v0", "dunaia_env.table"),
)
ARROWS = (
    Arrow(
        "dunaia_env/dunaia/**/*.py",
        only=(
            "dunaia_env.dunaia",
            "dunaia_env.harness.compiled.chance",
            "dunaia_env.support.compile_cache",
            "dunaia_env.harness.compiled.encoding",
            "dunaia_env.harness.compiled.entry_points",
            "dunaia_env.harness.components",
            "dunaia_env.harness.events",
            "dunaia_env.harness.game",
            "dunaia_env.harness.options",
            "dunaia_env.harness.presentation",
            "dunaia_env.harness.roles",
            "dunaia_env.harness.weights",
            "dunaia_env.harness.compiled.lane",
            "dunaia_env.support.english",
            "dunaia_env.support.french",
            "dunaia_env.support.groups",
            "dunaia_env.support.hashing",
            "dunaia_env.support.labels",
            "dunaia_env.support.messages",
            "dunaia_env.support.objects",
            "dunaia_env.support.reading",
            "dunaia_env.support.svg",
            "numpy",
        ),
    ),
    Arrow(
        "dunaia_env/dune/**/*.py",
        only=(
            "dunaia_env.dune",
            "dunaia_env.harness.compiled.chance",
            "dunaia_env.harness.compiled.encoding",
            "dunaia_env.harness.compiled.entry_points",
            "dunaia_env.harness.compiled.lane",
            "dunaia_env.harness.components",
            "dunaia_env.harness.game",
            "dunaia_env.harness.options",
            "dunaia_env.harness.presentation",
            "dunaia_env.harness.roles",
            "dunaia_env.harness.weights",
            "dunaia_env.support.compile_cache",
            "dunaia_env.support.english",
            "dunaia_env.support.french",
            "dunaia_env.support.groups",
            "dunaia_env.support.hashing",
            "dunaia_env.support.labels",
            "dunaia_env.support.messages",
            "dunaia_env.support.objects",
            "dunaia_env.support.reading",
            "dunaia_env.support.svg",
            "numpy",
        ),
    ),
    Arrow(
        "dunaia_env/harness/compiled/*.py",
        only=(
            "dunaia_env.harness.compiled",
            "dunaia_env.support.compile_cache",
            "dunaia_env.support.hashing",
            "dunaia_env.support.messages",
            *COMPILER,
        ),
    ),
    # What decides the machine code never depends on how a game is shown: see `compile_cache.engine_sources`.
    *(
        Arrow(f"dunaia_env/{game}/{files}", never=(f"dunaia_env.{game}.presentation",))
        for game in GAMES
        for files in ("[!_]*.py", "[!p]*/*.py")  # every folder but presentation/
    ),
    Arrow("dunaia_env/harness/compiled/chance.py", only=("numpy", "dunaia_env.support.compile_cache")),
    Arrow("dunaia_env/harness/state.py", never=("dunaia_env.harness.lanes", "dunaia_env.harness.opponents")),
    Arrow(
        "dunaia_env/harness/chance_nodes.py", only=("dunaia_env.harness.state", "dunaia_env.harness.compiled.chance")
    ),
    Arrow("dunaia_env/harness/lanes.py", never=("dunaia_env.harness.opponents", "dunaia_env.harness.learner")),
    Arrow("dunaia_env/harness/opponents.py", never=("dunaia_env.harness.learner",)),
    *(
        Arrow(f"dunaia_env/harness/{name}.py", never=("gymnasium", "pettingzoo"))
        for name in ("state", "lanes", "opponents", "learner")
    ),
    Arrow("dunaia_env/envs/*.py", never=("dunaia_env.envs", *RULES)),
    Arrow("dunaia_env/replay.py", never=("dunaia_env.envs", *RULES)),
    Arrow("dunaia_env/**/*.py", never=("torch", "training", "benchmarks", "tests")),
    Arrow("dunaia_env/**/*.py", never=("agents", "dunaia_env.agents"), late=False),
    Arrow("dunaia_env/statistics/*.py", never=("dunaia_env.harness", "dunaia_env.registration")),
    *(
        Arrow(files, never=("dunaia_env.envs", "dunaia_env.dunaia_v0", "dunaia_env.dune_v0", *RULES))
        for files in ("dunaia_env/reports/*.py", "dunaia_env/arena/*.py")
    ),
    Arrow(
        "agents/**/*.py",
        never=("training", "benchmarks", "tests", "dunaia_env.envs", "dunaia_env.dunaia_v0", "dunaia_env.dune_v0"),
    ),
    Arrow("agents/**/*.py", never=("torch",), late=False),
    Arrow("training/**/*.py", never=("benchmarks", "tests")),
)


def python_files(root: Path) -> list[Path]:
    return sorted(path for folder in FIRST_PARTY for path in (root / folder).rglob("*.py"))


@cache
def parse_text(text: str) -> ast.Module:
    return ast.parse(text)


def parse(path: Path) -> ast.Module:
    return parse_text(path.read_text(encoding="utf-8"))


def place(root: Path, path: Path, line: int) -> str:
    return f"{path.relative_to(root).as_posix()}:{line}"


def module_of(root: Path, path: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def is_inside(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def exists(root: Path, module: str) -> bool:
    path = root.joinpath(*module.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


def imports(root: Path, path: Path, late: bool) -> Iterator[tuple[str, int]]:
    """The modules that a file imports, absolute, with the lines; those in functions only with `late`."""
    package = path.relative_to(root).parent.parts
    todo: list[ast.AST] = [parse(path)]
    while todo:
        node = todo.pop()
        if late or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            todo += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            for name in node.names:
                yield name.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            source = ".".join([*above, *([node.module] if node.module else [])])
            for name in node.names:
                submodule = f"{source}.{name.name}"
                yield (submodule if exists(root, submodule) else source), node.lineno


def wrong_imports(root: Path) -> list[str]:
    faults = []
    for arrow in ARROWS:
        for path in sorted(root.glob(arrow.files)):
            own = module_of(root, path)
            for module, line in imports(root, path, arrow.late):
                if module == own or (arrow.only and module.split(".")[0] in sys.stdlib_module_names):
                    continue
                if arrow.only and not is_inside(module, arrow.only):
                    faults.append(f"{place(root, path, line)} imports {module}; allowed: {', '.join(arrow.only)}")
                if is_inside(module, arrow.never):
                    faults.append(f"{place(root, path, line)} imports {module}, which {arrow.files} must not")
    return faults


def absolute_imports_of_agents(root: Path) -> list[str]:
    """Files in agents/ import each other relatively, because in the wheel they are `dunaia_env.agents`."""
    faults = []
    for path in sorted((root / "agents").rglob("*.py")):
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.Import):
                names = [name.name for name in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            else:
                continue
            faults += [
                f"{place(root, path, node.lineno)} imports {name}; in agents/ it should be relative"
                for name in names
                if is_inside(name, ("agents", "dunaia_env.agents"))
            ]
    return faults


def rl_words_in_the_game(root: Path) -> list[str]:
    return [
        f"{place(root, path, number)} says {match[0]!r}; the game knows no word of reinforcement learning"
        for game in GAMES
        for path in sorted((root / "dunaia_env" / game).rglob("*"))
        if path.suffix in {".py", ".toml"}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for match in RL_WORDS.finditer(line)
    ]


def game_words_in_the_harness(root: Path) -> list[str]:
    return [
        f"{place(root, path, number)} says {match[0]!r}; the harness knows no word of a game"
        for path in sorted((root / "dunaia_env" / "harness").rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for match in GAME_WORDS.finditer(line)
    ]


def room_of(module: str) -> tuple[int, str]:
    """The floor and the room of a module of the library; (-1, "") for any other module."""
    for floor, rooms in enumerate(FLOORS):
        for room in rooms:
            if is_inside(module, (room,)):
                return floor, room
    return -1, ""


def arrows_up(root: Path) -> list[str]:
    """Imports of a room on the same floor or a higher one."""
    faults = []
    for path in sorted((root / "dunaia_env").rglob("*.py")):
        floor, room = room_of(module_of(root, path))
        for module, number in imports(root, path, late=True) if room else ():
            above, other = room_of(module)
            if other != room and above >= floor:
                faults.append(f"{place(root, path, number)} imports {module}, which is not below {room}")
    return faults


def circles(root: Path) -> list[str]:
    """The first circle of files that import one another, be it late or for types only."""
    files = {module_of(root, path): path for path in python_files(root)}
    imported = {
        name: {module for module, _ in imports(root, path, late=True) if module in files} - {name}
        for name, path in files.items()
    }
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        return [f"{' imports '.join(reversed(error.args[1]))}: a circle"]
    return []


def named_games(root: Path) -> Iterator[tuple[str, str]]:
    """What names a game in the library's files outside the games: path and fault."""
    for path in sorted((root / "dunaia_env").rglob("*.py")):
        if any((root / "dunaia_env" / game) in path.parents for game in GAMES):
            continue
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for match in GAME_WORDS.finditer(line):
                if match[0] != "dunaia":  # so are the library and its command called
                    yield name, f"{name}:{number} says {match[0]!r}; no game is named outside the games"
        for module, number in imports(root, path, late=True):
            if is_inside(module, tuple(f"dunaia_env.{game}" for game in GAMES)):
                yield name, f"{name}:{number} imports {module}; no game is named outside the games"


def games_above_the_seam(root: Path) -> list[str]:
    allowed = tuple(path for path, _ in (*NAMING_THE_GAMES, *STILL_NAMING_A_GAME))
    return [fault for path, fault in named_games(root) if not path.startswith(allowed)]


def dotted(node: ast.AST) -> str:
    """`a.b.c` of such an expression, "" of any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""


def global_randomness(root: Path) -> list[str]:
    """Uses of NumPy's one generator for all, and generators without a seed."""
    faults = []
    for path in python_files(root):
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.Attribute) and dotted(node.value) in {"np.random", "numpy.random"}:
                names = [node.attr]
            elif isinstance(node, ast.ImportFrom) and node.module == "numpy.random":
                names = [name.name for name in node.names]
            elif isinstance(node, ast.Call) and dotted(node.func).endswith("default_rng"):
                names = [] if node.args or node.keywords else ["default_rng() without a seed"]
            else:
                continue
            faults += [
                f"{place(root, path, node.lineno)} uses numpy.random.{name}; make a generator from a seed"
                for name in names
                if name not in OWN_GENERATORS
            ]
    return faults


def long_files(root: Path) -> list[str]:
    faults = []
    for path in python_files(root):
        if path.relative_to(root).parts[0] == "tests":
            continue
        lines = len(path.read_text(encoding="utf-8").splitlines())
        is_shell = path.parent == root / "dunaia_env" / "envs"
        most = MOST_LINES_OF_A_SHELL if is_shell else MOST_LINES
        if lines > most:
            faults.append(f"{path.relative_to(root).as_posix()} has {lines} lines, at most {most} are allowed here")
    return faults


Check = Callable[[Path], list[str]]
CHECKS: tuple[Check, ...] = (
    wrong_imports,
    arrows_up,
    circles,
    absolute_imports_of_agents,
    rl_words_in_the_game,
    game_words_in_the_harness,
    games_above_the_seam,
    global_randomness,
    long_files,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_project(check: Check) -> None:
    faults = check(ROOT)
    assert not faults, "\n".join(["", *faults])


@pytest.mark.parametrize("files", sorted({arrow.files for arrow in ARROWS}))
def test_every_arrow_starts_at_a_file(files: str) -> None:
    assert list(ROOT.glob(files)), f"no file is called {files}: does the arrow still say what was meant?"


def test_every_first_party_module_of_an_arrow_exists() -> None:
    named = {module for arrow in ARROWS for module in (*arrow.only, *arrow.never)}
    own = {module for module in named if module.split(".")[0] in FIRST_PARTY}
    # In the wheel the agents stand in dunaia_env.
    assert {module for module in own if not exists(ROOT, module)} <= {"dunaia_env.agents"}


def test_no_exception_of_the_seam_is_left_over() -> None:
    naming = {path for path, _ in named_games(ROOT)}
    for allowed, _ in (*NAMING_THE_GAMES, *STILL_NAMING_A_GAME):
        assert any(path.startswith(allowed) for path in naming), f"{allowed} names no game: it is no exception any more"


GAME, SHELL = "dunaia_env/dunaia/rules/turn.py", "dunaia_env/envs/aec.py"


@pytest.mark.parametrize(
    ("check", "path", "text", "fault"),
    [
        (wrong_imports, GAME, "import gymnasium", "imports gymnasium; allowed"),
        (wrong_imports, GAME, "def f():\n    from pettingzoo import AECEnv", "imports pettingzoo; allowed"),
        (
            wrong_imports,
            GAME,
            "from dunaia_env.harness.lanes import Lanes",
            "imports dunaia_env.harness.lanes; allowed",
        ),
        (wrong_imports, GAME, "from ...harness.lanes import Lanes", "imports dunaia_env.harness.lanes; allowed"),
        (wrong_imports, GAME, "from dunaia_env import Lanes", "imports dunaia_env; allowed"),
        (
            wrong_imports,
            "dunaia_env/harness/compiled/advantages.py",
            "from dunaia_env import dunaia",
            "imports dunaia_env.dunaia; allowed",
        ),
        (wrong_imports, "dunaia_env/harness/compiled/guided.py", "from dunaia_env.harness import state", "allowed: "),
        (wrong_imports, "dunaia_env/harness/state.py", "import dunaia_env.harness.lanes", "must not"),
        (wrong_imports, "dunaia_env/harness/lanes.py", "import gymnasium", "must not"),
        (wrong_imports, "dunaia_env/harness/lanes.py", "from . import opponents", "must not"),
        (
            wrong_imports,
            SHELL,
            "from dunaia_env.envs.single import x",
            "imports dunaia_env.envs.single, which",
        ),
        (wrong_imports, SHELL, "from . import single", "imports dunaia_env.envs.single, which"),
        (wrong_imports, SHELL, "from dunaia_env.dunaia.rules.turn import x", "must not"),
        (wrong_imports, "dunaia_env/replay.py", "def f():\n    import torch", "imports torch, which"),
        (wrong_imports, "dunaia_env/harness/opponents.py", "import agents.network", "imports agents.network, which"),
        (wrong_imports, "agents/network.py", "from training import ppo", "must not"),
        (
            wrong_imports,
            "agents/network.py",
            "from dunaia_env.envs import aec",
            "imports dunaia_env.envs.aec, which",
        ),
        (wrong_imports, "agents/network.py", "import torch", "imports torch, which"),
        (arrows_up, "dunaia_env/support/atomic.py", "from dunaia_env.harness import lanes", "atomic.py:1 imports"),
        (
            arrows_up,
            "dunaia_env/harness/lanes.py",
            "from dunaia_env.dunaia import GAME",
            "not below dunaia_env.harness",
        ),
        (arrows_up, "dunaia_env/envs/aec.py", "import dunaia_env.arena.plan", "not below dunaia_env.envs"),
        (arrows_up, "dunaia_env/replay.py", "import dunaia_env.arena.plan", "imports dunaia_env.arena.plan"),
        (absolute_imports_of_agents, "agents/network.py", "from agents.mcts import x", "should be relative"),
        (absolute_imports_of_agents, "agents/network.py", "import agents", "should be relative"),
        (rl_words_in_the_game, GAME, "# the Agent decides", "turn.py:1 says 'Agent'"),
        (
            rl_words_in_the_game,
            "dunaia_env/dunaia/components.toml",
            "\nrewards = 1",
            "components.toml:2 says 'rewards'",
        ),
        (game_words_in_the_harness, "dunaia_env/harness/compiled/lane.py", "# the dice", "lane.py:1 says 'dice'"),
        (game_words_in_the_harness, "dunaia_env/harness/compiled/lane.py", "\nelites = 1", "lane.py:2 says 'elites'"),
        (games_above_the_seam, "dunaia_env/replay.py", "# the dice", "replay.py:1 says 'dice'; no game"),
        (games_above_the_seam, "dunaia_env/harness/lanes.py", "\ndef f(elites): pass", "lanes.py:2 says 'elites'"),
        (games_above_the_seam, "dunaia_env/harness/commands.py", 'title = "Dunaïa"', "commands.py:1 says 'Dunaïa'"),
        (games_above_the_seam, SHELL, "from dunaia_env.dunaia import load", "aec.py:1 imports dunaia_env.dunaia;"),
        (
            games_above_the_seam,
            SHELL,
            "def f():\n    from dunaia_env import dunaia",
            "aec.py:2 imports dunaia_env.dunaia",
        ),
        (
            global_randomness,
            "training/ppo.py",
            "import numpy as np\nnp.random.seed(1)",
            "ppo.py:2 uses numpy.random.seed",
        ),
        (
            global_randomness,
            "dunaia_env/harness/lanes.py",
            "from numpy.random import randint",
            "numpy.random.randint",
        ),
        (global_randomness, "dunaia_env/harness/lanes.py", "rng = np.random.default_rng()", "without a seed"),
        (long_files, "training/ppo.py", "\n" * 601, "has 601 lines, at most 600"),
        (long_files, SHELL, "\n" * 251, "has 251 lines, at most 250"),
    ],
)
def test_checks_find_faults(tmp_path: Path, check: Check, path: str, text: str, fault: str) -> None:
    for name in (
        "dunaia_env/harness/lanes.py",
        "dunaia_env/harness/opponents.py",
        "dunaia_env/envs/single.py",
        GAME,
        SHELL,
        path,
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert check(tmp_path) == []
    (tmp_path / path).write_text(text, encoding="utf-8")
    (found,) = check(tmp_path)
    assert fault in found


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            GAME,
            "from dunaia_env.harness.compiled.chance import draw\nfrom ...support.compile_cache import kernel\n",
        ),
        (GAME, "import json  # reagents, rewarding; a truncated_agent_name"),
        ("dunaia_env/harness/opponents.py", "def load():\n    from agents import network"),
        ("dunaia_env/replay.py", 'FORMAT = "dunaia-replay"  # python -m dunaia_env.replay, or dunaia replay'),
        ("dunaia_env/games.py", 'GAMES = {"dunaia": "dunaia_env.dunaia"}'),
        ("agents/network.py", "from . import mcts\nfrom dunaia_env.harness.lanes import Lanes"),
        ("agents/network.py", "import numpy as np\nrng = np.random.default_rng(7)"),
        ("training/ppo.py", "import torch\nimport agents.network\nfrom dunaia_env import Lanes"),
    ],
)
def test_checks_let_pass(tmp_path: Path, path: str, text: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(text, encoding="utf-8")
    assert [fault for check in CHECKS for fault in check(tmp_path)] == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "agents"
    folder.mkdir()
    (folder / "search.py").write_text("def f():\n    from . import guided", encoding="utf-8")
    (folder / "guided.py").write_text("if TYPE_CHECKING:\n    from .search import Search", encoding="utf-8")
    (fault,) = circles(tmp_path)
    assert set(fault.removesuffix(": a circle").split(" imports ")) == {"agents.search", "agents.guided"}
