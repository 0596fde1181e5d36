"""The wheel: what it holds, and a game played from it in an environment of its own."""

from __future__ import annotations

import ast
import json
import os
import re
import site
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.test_layers import imports, python_files

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
# Programs, plugins and what others load by name: requirements that no file imports.
NEVER_IMPORTED = {
    "build",  # makes the wheel, below
    "coverage",
    "dm-tree",  # imported by OpenSpiel's NFSP
    "furo",  # with the next ones, builds the documentation
    "myst-nb",
    "sphinx",
    "sphinx-copybutton",
    "hatchling",  # imported by the build hook, outside of the packages
    "ipykernel",  # runs the notebooks for nbclient
    "mypy",
    "onnx",  # imported by its name in training.models.export
    "onnxruntime",  # likewise
    "pytest-cov",
    "pytest-xdist",
    "ruff",
}

PLAY = """
import sys
from pathlib import Path

import numpy as np

import dunaia_env
import dunaia_env.agents
from dunaia_env import dunaia_v0

place = Path(dunaia_env.__file__).resolve()
assert Path(sys.prefix).resolve() in place.parents, f"{place} is not the installed one"
assert dunaia_env.__version__ == sys.argv[1], dunaia_env.__version__

random = np.random.default_rng(7)
env = dunaia_v0.env(num_players=3)
env.reset(seed=7)
returns = dict.fromkeys(env.possible_agents, 0.0)
decisions = 0
for agent in env.agent_iter():
    observation, reward, termination, truncation, _ = env.last()
    if termination or truncation:
        returns[agent] += reward
        env.step(None)
    else:
        decisions += 1
        env.step(int(random.choice(np.flatnonzero(observation["action_mask"]))))

assert len(returns) == 3 and decisions > 0, (returns, decisions)
assert abs(sum(returns.values())) < 1e-6 and any(returns.values()), returns

# A trained player that lies where the wheel's own do is found by its name.
from dunaia_env import GameState, dunaia
from dunaia_env.harness import opponents
from dunaia_env.agents.network import Network

folder = opponents.models_folder()
assert folder == place.parent / "agents" / "models", folder
shapes = {"hidden.0": (dunaia.OBSERVATION_SIZE, 8), "policy": (8, dunaia.NUM_ACTIONS), "value": (8, 1)}
arrays = {"input_scale": dunaia.OBSERVATION_SCALE}
for name, (inputs, outputs) in shapes.items():
    arrays[f"{name}.weight"] = random.normal(size=(outputs, inputs)).astype(np.float32)
    arrays[f"{name}.bias"] = np.zeros(outputs, np.float32)
hashes = {"action_hash": dunaia.ACTION_HASH, "observation_hash": dunaia.OBSERVATION_HASH}
Network(arrays, hashes | {"components_hash": dunaia.load().hash}).save(folder / "mine.safetensors")
state = GameState.new(7)
assert opponents.load("mine:temperature=2").act(state) in state.legal_actions()
assert opponents.load("mine+8").act(state) in state.legal_actions()

assert "torch" not in sys.modules, "dunaia_env imported torch"
for foreign in ("agents", "training", "tests"):
    try:
        __import__(foreign)
    except ModuleNotFoundError:
        continue
    raise AssertionError(f"the wheel installs a top-level package {foreign}")
print("played", decisions)
"""


def run(*command: str | Path, cwd: Path, path: str = "") -> str:
    """Run a program and return what it printed; a failure shows both of its outputs.

    What the caller's environment says about Python does not reach the program; ``path`` is its ``PYTHONPATH``.
    """
    clean = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    clean |= {"PYTHONPATH": path} if path else {}
    done = subprocess.run(command, cwd=cwd, env=clean, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_every_requirement_is_used() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {
        canonicalize_name(Requirement(text).name): place
        for place, texts in {"dependencies": project["dependencies"], **project["optional-dependencies"]}.items()
        for text in texts
    }
    packages = packages_distributions()
    modules = {name.split(".")[0] for path in python_files(ROOT) for name, _ in imports(ROOT, path, late=True)}
    imported = {canonicalize_name(name) for module in modules for name in packages.get(module, [module])}
    unused = {name: place for name, place in asked.items() if name not in imported | NEVER_IMPORTED}
    assert not unused, f"nothing imports {unused}"
    assert set(asked) - imported >= NEVER_IMPORTED


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that holds the wheel and what it cannot do without."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "-c", ROOT / "constraints.txt", wheel, cwd=folder)
    return python


@pytest.mark.slow
def test_wheel_holds_the_library_and_agents_inside_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names}
    version = wheel.name.split("-")[1]
    assert top == {"dunaia_env", f"dunaia_env-{version}.dist-info"}
    needed = {
        "__init__.py",
        "py.typed",
        "dunaia_v0.py",
        "dunaia/components.toml",
        "dune/components.toml",
        "dunaia/family/family.toml",
        "agents/network.py",
        "training/ppo.py",
        "training/benchmark/references.json",
        "training/studies/held_out/half_artefacts.toml",
    }
    needed |= {"arena/templates/report.html"}
    needed |= {f"agents/models/{path.name}" for path in (ROOT / "agents" / "models").glob("*.*")}
    assert {f"dunaia_env/{name}" for name in needed} <= set(names)
    assert not [name for name in names if "__pycache__" in name or name.startswith("dunaia_env/training/unfinished")]


@pytest.mark.slow
def test_modules_of_the_wheel_call_each_other_by_their_names_there(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    inside = [name for name in archive.namelist() if name.startswith(("dunaia_env/agents/", "dunaia_env/training/"))]
    sources = {name: archive.read(name).decode("utf-8") for name in inside if name.endswith(".py")}
    assert len(sources) > 50
    for name, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                modules.append(node.module)
            assert not [module for module in modules if module.split(".")[0] in ("agents", "training")], name
        assert not re.search(r"python -m (agents|training)\b", source), name


@pytest.mark.slow
def test_a_game_is_played_from_the_wheel_in_a_clean_environment(wheel: Path, python: Path, tmp_path: Path) -> None:
    script = tmp_path / "play.py"
    script.write_text(PLAY, encoding="utf-8")
    assert "played" in run(python, script, wheel.name.split("-")[1], cwd=tmp_path)
    command = python.with_name("dunaia")
    assert run(command, "--help", cwd=tmp_path).startswith("usage: dunaia COMMAND")
    run(command, "replay", "record", "--agents", "champion", "greedy", "--seed", "7", "--out", "games", cwd=tmp_path)
    assert run(command, "replay", "verify", *(tmp_path / "games").iterdir(), cwd=tmp_path)


OWN_NETWORK = """
import torch
from torch import nn

from dunaia_env.training.facts import Estimates


class Small(nn.Module):
    def __init__(self, facts):
        super().__init__()
        self.hidden = nn.Linear(len(facts.input_scale), 8)
        self.policy = nn.Linear(8, facts.num_actions)
        self.value, self.score = nn.Linear(8, facts.seats), nn.Linear(8, facts.seats)

    def forward(self, observations):
        hidden = torch.relu(self.hidden(observations.float()))
        return Estimates(self.policy(hidden).float(), self.value(hidden).float(), self.score(hidden).float())


def make_network(facts, arguments):
    return Small(facts)
"""

OWN_AGENT = """
class Last:
    name, version = "last", "1"

    def reset(self, seed):
        pass

    def act(self, view):
        return view.legal_actions()[-1]

    def act_batch(self, lanes, selected):
        return [self.act(lanes.get_state(int(lane)).view()) for lane in selected]
"""


@pytest.mark.slow
def test_the_arena_runs_from_the_wheel_in_a_clean_environment(wheel: Path, python: Path, tmp_path: Path) -> None:
    run(python, "-m", "pip", "install", "-c", ROOT / "constraints.txt", f"{wheel}[arena]", cwd=tmp_path)
    (tmp_path / "own_agent.py").write_text(OWN_AGENT, encoding="utf-8")
    command, agents = python.with_name("dunaia"), ("random", "greedy", "own_agent:Last")
    options = ("--games", "4", "--elites", "--max-rounds", "4", "--jobs", "2")
    printed = run(command, "arena", "--agents", *agents, *options, "--out", "run", cwd=tmp_path)
    assert printed.count("2 players, 4 games in 2 blocks") == 3
    assert "lost by faults" not in printed
    plan = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert [entrant["name"] for entrant in plan["entrants"]] == ["random", "greedy", "last"]
    assert (plan["elites"], plan["max_rounds"], plan["commit"]) == (True, 4, "unknown")
    assert "</html>" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    replays = sorted((tmp_path / "run" / "replays").glob("*.jsonl"))
    assert len(replays) == 6
    assert run(command, "replay", "verify", *replays, cwd=tmp_path).count("decisions, as recorded") == 6
    assert "12 games, 6 of 6 blocks complete." in run(command, "report", "run", cwd=tmp_path)
    printed = run(command, "match", "--agents", "random", "greedy", "--games", "2", "--max-rounds", "4", cwd=tmp_path)
    assert "2 players, 2 games in 1 blocks" in printed
    assert "No run is stored yet." in leaderboard_of(command, tmp_path)


def leaderboard_of(command: Path, folder: Path) -> str:
    """The page that an installed library writes in a folder without stored runs."""
    run(command, "leaderboard", "write", cwd=folder)
    return (folder / "LEADERBOARD.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_players_are_trained_published_and_compared_from_the_wheel(python: Path, tmp_path: Path) -> None:
    command = python.with_name("dunaia")
    # torch and what else training needs are those of the tests. Of dunaia_env, this folder has no files.
    (packages,) = site.getsitepackages()
    (tmp_path / "own_network.py").write_text(OWN_NETWORK, encoding="utf-8")

    def dunaia(*words: str) -> str:
        return run(command, *words, cwd=tmp_path, path=packages)

    small = ("--lanes", "8", "--steps", "16", "--minibatches", "1", "--threads", "1", "--final-games", "2")
    for name, network in (("first", ("--width", "8")), ("own", ("--network", "own_network.py:make_network"))):
        dunaia("train", *small, *network, "--decisions", "256", "--run", f"runs/{name}")
        assert (tmp_path / "runs" / name / "model.safetensors").exists()
    dunaia("train", "--resume", "--run", "runs/first", "--decisions", "512")
    model = "runs/first/model.safetensors"
    dunaia("match", "--agents", model, "random", "--games", "2", "--max-rounds", "3")
    dunaia("publish", "--run", "runs/first", "--name", "mine", "--out", "players")
    assert (tmp_path / "players" / "mine.md").exists()
    algorithms = ("--algorithms", "a2c", "td_afterstates", "--seeds", "0", "--budget", "1024")
    games = ("--games", "2", "--evaluations", "1", "--max-rounds", "3")
    dunaia("benchmark", *algorithms, *games, "--out", "runs/benchmark")
    assert (tmp_path / "runs" / "benchmark" / "runs" / "td_afterstates-seed0.json").exists()
