"""No file decides which code is imported: every reader of every format is given the name of a foreign module."""

from __future__ import annotations

import ast
import json
import lzma
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.network import NetworkAgent
from dunaia_env import opponents, replay
from dunaia_env.arena import tournament
from dunaia_env.arena.report import write_report
from dunaia_env.arena.run_files import append_games, read_run, write_run
from dunaia_env.arena.stored_runs import add_run, read_stored
from dunaia_env.arena.tournament import run_arena
from dunaia_env.balance import __main__ as balance, robustness
from dunaia_env.balance.plans import Plan, StudyOptions, make_plan, read_plan, write_plan
from dunaia_env.balance.questions import screening
from dunaia_env.balance.questions.causes import read_causes
from dunaia_env.balance.robustness import OneFile
from dunaia_env.balance.study import run_study
from dunaia_env.harness.registry import DEFAULT_GAME, game_of_file
from dunaia_env.support.array_files import write_arrays
from tests.arena_runs import imagined_games, run_of
from tests.table_server import person, running
from tests.test_agents_network import random_network
from tests.test_arena import Table
from tests.toy_game import GAME as TOY

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
GAME, AGENT = "foreign_code.evil", "foreign_code.evil:Agent"
# What the module does when it is imported. Child processes find it in the current folder.
EVIL = "from pathlib import Path\nPath(__file__).with_name('imported').touch()\nGAME = Agent = None\n"


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder from elsewhere that holds the module itself; it is the current folder, as with ``python -m``."""
    package = tmp_path / "foreign_code"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "evil.py").write_text(EVIL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def is_imported(folder: Path) -> bool:
    return (folder / "foreign_code" / "imported").exists() or "foreign_code" in sys.modules


def test_the_module_would_be_seen(foreign: Path) -> None:
    assert not is_imported(foreign)
    with pytest.raises(ValueError, match="has no name, version, reset, act and act_batch"):
        opponents.load(AGENT)
    assert is_imported(foreign)
    for name in ("foreign_code.evil", "foreign_code"):
        del sys.modules[name]


# The readers. Each writes a file with the name and reads it, as the command that reads such files does.


def replays(folder: Path, **header: Any) -> None:
    played = replay.record_game(1, [opponents.RandomAgent()], max_rounds=1)
    replay.write(replace(played, header=played.header | header), folder / "replay.jsonl")
    replay.read(folder / "replay.jsonl")


def arena_run(folder: Path, label: str = "random") -> None:
    run = run_of(["greedy", label], [Table(2, (0, 1), 60)], mode="table")
    folder.mkdir(parents=True, exist_ok=True)
    write_run(folder, run)
    append_games(folder, imagined_games(run, [0.0, 0.0]))


def run_game(folder: Path) -> None:
    arena_run(folder)
    content = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(content | {"game": GAME}))
    read_run(folder)


def reported_agent(folder: Path) -> None:
    arena_run(folder, AGENT)
    write_report(folder)


def stored_agent(folder: Path) -> None:
    arena_run(folder / "run", AGENT)
    add_run(folder / "run", "name", folder=folder / "board")


def leaderboard_agent(folder: Path) -> None:
    arena_run(folder / "board" / "one", AGENT)
    games = (folder / "board" / "one" / "games.jsonl").read_bytes()
    (folder / "board" / "one" / "games.jsonl.xz").write_bytes(lzma.compress(games))
    read_stored(folder / "board")


def continued_arena(folder: Path) -> None:
    arena_run(folder, AGENT)
    run_arena(tournament.Options(agents=("greedy", "random"), out=folder, games=2, jobs=1))


def plan_with(**changes: Any) -> Plan:
    return replace(make_plan(StudyOptions(strengths=("random", "greedy"), pilot=2)), **changes)


def study(folder: Path, **changes: Any) -> None:
    write_plan(folder, plan_with(**changes))
    balance.main(balance.Options(out=folder, report_only=True))


def continued_study(folder: Path) -> None:
    write_plan(folder, plan_with(others=(AGENT,), versions=plan_with().versions | {AGENT: "x 1"}))
    run_study(folder, plan_with(), jobs=1)


def causes(folder: Path) -> None:
    content = {
        "format": "dunaia-balance-causes",
        "version": 2,
        "subjects": [],
        "rounds": 1.0,
        "uses": None,
        "game": GAME,
        "agent": AGENT,
        "players": 2,
        "kind": "assigned",
        "subject": "mystic",
        "share": {"value": 0.5, "low": None, "high": None},
        "fair": 0.5,
        "causes": [],
        "sentences": ["x"],
        "blocks": 1,
        "games": 1,
        "seed": 0,
    }
    (folder / "causes.json").write_text(json.dumps(content))
    read_causes([folder], DEFAULT_GAME.require("roles"))


def robustness_run(folder: Path) -> None:
    roles = DEFAULT_GAME.require("roles")
    files = [OneFile("", str(number), {}, {}, {}, {}) for number in range(2)]
    plan = robustness.Plan(GAME, AGENT, 2, ("assigned",), 2, 0, {})
    names = tuple(f"assigned:{name}" for name in roles.names)
    files = [replace(one, effects=dict.fromkeys(names, 0.0), errors=dict.fromkeys(names, 1.0)) for one in files]
    robustness._write(folder, robustness.Robustness(plan, tuple(files), names, ()))
    screening._read_run(folder / "robustness.json", roles.names)


def model(folder: Path, **header: Any) -> str:
    path = folder / "model.safetensors"
    random_network(game=GAME, **header).save(path)
    return str(path)


def played_model(folder: Path) -> None:
    NetworkAgent.load(model(folder))


def specialists(folder: Path) -> None:
    pytest.importorskip("torch")
    from rich.console import Console

    from training.studies.specialists import Options, measure

    measure(Options(model=model(folder), out=folder / "out"), Console(quiet=True))


def published_model(folder: Path) -> None:
    pytest.importorskip("torch")
    from training.models import publish

    given = dict.fromkeys((*publish._KEPT, *publish._ADDED), 0) | {"components": None, "game": GAME, "results": []}
    network = random_network()
    header = given | network.header | {"format": "dunaia-network", "schema": 1}
    write_arrays(folder / "model.safetensors", network.arrays, header)
    publish.publish(publish.Options(model=folder / "model.safetensors", name="other", out=folder))


def own_network(folder: Path, **arguments: Any) -> None:
    pytest.importorskip("torch")
    from training.arguments import Arguments, header_of
    from training.examples.own_network import make_network
    from training.models.own_networks import MODEL_FORMAT, MODEL_SCHEMA, TorchAgent

    network = random_network(arguments=header_of(Arguments(layers=1, width=8)) | arguments)
    write_arrays(folder / "x.safetensors", {}, network.header | {"format": MODEL_FORMAT, "schema": MODEL_SCHEMA})
    TorchAgent.load(folder / "x.safetensors", make_network)


def checkpoint(folder: Path, *words: str, **changes: Any) -> Any:
    """Read the arguments with which a run continues, as ``training.ppo --resume`` does."""
    pytest.importorskip("torch")
    from tests.prepared_trainers import prepared_trainer
    from training import __main__ as command
    from training.running import checkpoint

    trainer = prepared_trainer(game=TOY.module, lanes=8, steps=4, layers=1, width=8, minibatches=2, opponents=())
    trainer.save(folder)
    groups, header = checkpoint.load(folder / checkpoint.FILE)
    header["arguments"] |= changes
    checkpoint.save(folder / checkpoint.FILE, groups, header)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["ppo", "--resume", "--run", str(folder), "--game", TOY.module, *words])
        return command.parse_arguments()


def benchmark(folder: Path, **setting: Any) -> None:
    pytest.importorskip("torch")
    from tests.test_benchmark_rl import hand_made
    from training.benchmark.results import read_run, write_run

    write_run(folder / "run.json", hand_made(AGENT, 0, 0.1, 0.2))
    content = json.loads((folder / "run.json").read_text())
    content["setting"] |= setting
    (folder / "run.json").write_text(json.dumps(content))
    read_run(folder / "run.json")


READERS: dict[str, tuple[Callable[[Path], Any], str]] = {
    # With the part of the refusal that names the field; empty where the name is only shown.
    "a replay's game": (
        lambda folder: replays(folder, game=GAME),
        r"game: expected one of dunaia, dune, dunaia_assigned, got 'foreign_code\.evil'",
    ),
    "a replay's agents": (lambda folder: replays(folder, agents=[AGENT, AGENT]), ""),
    "a run's game": (run_game, r"game: expected .*, got 'foreign_code\.evil'"),
    "a run's agent in a report": (reported_agent, ""),
    "a run's agent, stored": (stored_agent, "does not belong to the project"),
    "a run's agent on the leaderboard": (leaderboard_agent, "does not belong to the project"),
    "a run's agent, continued": (continued_arena, "holds another run"),
    "a study's game": (lambda folder: study(folder, game=GAME), r"game: expected .*, got 'foreign_code\.evil'"),
    "a study's strengths": (
        lambda folder: study(folder, strengths=("greedy", AGENT)),
        r"strengths\[1\]: expected .*, got 'foreign_code",
    ),
    "a study's others": (lambda folder: study(folder, others=(AGENT,)), r"others\[0\]: expected .*, got 'foreign_code"),
    "a study's specialists": (
        lambda folder: study(folder, specialists=(f"mystic={AGENT}",), opponent="greedy"),
        r"specialists\[0\]: expected .*, got 'foreign_code",
    ),
    "a study's responses": (
        lambda folder: study(folder, responses=(f"mystic={AGENT}",), opponent="greedy"),
        r"responses\[0\]: expected .*, got 'foreign_code",
    ),
    "a study's opponent": (lambda folder: study(folder, opponent=AGENT), "opponent: expected .*, got 'foreign_code"),
    "a study, continued": (continued_study, r"others\[0\]: expected .*, got 'foreign_code"),
    "causes": (causes, ""),
    "robustness": (robustness_run, ""),
    "a model's game": (played_model, ""),
    "a model's game, for specialists": (specialists, r"game: expected .*, got 'foreign_code\.evil'"),
    "a model's game, published": (published_model, r"game: expected .*, got 'foreign_code\.evil'"),
    "an own network's game": (
        lambda folder: own_network(folder, game=GAME),
        r"game: expected .*, got 'foreign_code\.evil'",
    ),
    "an own network's function": (lambda folder: own_network(folder, network=AGENT), "does not fit the network"),
    "a checkpoint's game": (
        lambda folder: checkpoint(folder, game=GAME),
        r"game: expected .*, got 'foreign_code\.evil'",
    ),
    "a checkpoint's network": (
        lambda folder: checkpoint(folder, network=AGENT),
        "network of the checkpoint: expected .*, got 'foreign",
    ),
    "a checkpoint's opponents": (lambda folder: checkpoint(folder, opponents=["random", AGENT]), "opponents of the"),
    "a checkpoint's teacher": (
        lambda folder: checkpoint(folder, imitate=AGENT),
        "imitate of the checkpoint: expected .*, got 'foreign",
    ),
    "a benchmark's game": (lambda folder: benchmark(folder, game=GAME), r"game: expected .*, got 'foreign_code\.evil'"),
    "a benchmark's algorithm and opponents": (lambda folder: benchmark(folder, opponents=[AGENT]), ""),
}


@pytest.mark.long
@pytest.mark.parametrize("reader", READERS)
def test_no_reader_imports_what_a_file_names(foreign: Path, reader: str) -> None:
    read, refusal = READERS[reader]
    folder = foreign / "data"
    folder.mkdir()
    if refusal:
        with pytest.raises(ValueError, match=refusal):
            read(folder)
    else:
        read(folder)
    assert not is_imported(foreign)


@pytest.mark.parametrize("field", ["game", "agent"])
def test_no_table_imports_what_its_file_names(foreign: Path, field: str, caplog: pytest.LogCaptureFixture) -> None:
    with running(foreign / "data") as client:
        client.open([person("Ada"), {"kind": "agent", "agent": "random"}])
    (path,) = (foreign / "data" / "tables").glob("*/table.json")
    content = json.loads(path.read_text())
    if field == "game":
        content["game"] = GAME
    else:
        content["seats"][0] |= {"kind": "agent", "name": AGENT, "digest": ""}
    path.write_text(json.dumps(content))
    with running(foreign / "data") as client:
        assert client.get("/api/games").status == 200
    wanted = (
        "game foreign_code.evil is not offered"
        if field == "game"
        else r"seats\[0\]\.name: expected .*, got 'foreign_code"
    )
    assert re.search(wanted, caplog.text)
    assert not is_imported(foreign)


def test_what_the_command_line_names_is_taken(foreign: Path) -> None:
    write_plan(foreign, plan_with(others=(AGENT,), versions=plan_with().versions | {AGENT: "x 1"}))
    assert read_plan(foreign, named={AGENT}).others == (AGENT,)
    assert not is_imported(foreign)


def test_what_the_command_line_names_is_taken_from_a_checkpoint(foreign: Path) -> None:
    words = ["--opponents", "random", AGENT]
    assert checkpoint(foreign, *words, opponents=["random", AGENT]).opponents == ("random", AGENT)
    assert checkpoint(foreign, f"--imitate={AGENT}", imitate=AGENT).imitate == AGENT
    assert not is_imported(foreign)


@pytest.mark.parametrize("name", [None, 3, ["dunaia"], {}, "os", "os.path", "x" * 10**6])
def test_the_name_of_a_game_may_be_anything(name: object) -> None:
    with pytest.raises(ValueError, match=r"^(game: expected |os\.path: expected a module )"):
        game_of_file(name)


# Where modules are imported by name. A place of this list gets names from the code itself, from the command line, or
# from a file by way of `dunaia_env.harness.registry.check_name_in_file`.
IMPORTING = {
    "dunaia_env/__main__.py": "commands of the code's own table",
    "dunaia_env/__init__.py": "names of the package's own table",
    "dunaia_env/statistics/workers.py": "names of backends in the code",
    "dunaia_env/dune/rules/dispatch.py": "kernels that are put together from the code's own table",
    "dunaia_env/harness/game.py": "games",
    "dunaia_env/harness/opponents.py": "agents",
    "dunaia_env/support/system.py": "modules that some systems lack, named in the code",
    "dunaia_env/support/modules.py": "agents, algorithms and networks of the command line",
    "training/models/export.py": "names of libraries in the code",
    "training/ppo.py": "the command line, named in the code",
}


def test_modules_are_imported_by_name_in_known_places_only() -> None:
    found = set()
    for package in ("dunaia_env", "agents", "training"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
                alone = isinstance(node, ast.Name) and name in ("exec", "eval", "__import__")
                if alone or name in ("import_module", "run_module", "load_module"):
                    found.add(path.relative_to(ROOT).as_posix())
    assert found == set(IMPORTING)
