"""Trainings of the benchmark: budgets of time, files that can be checked, the family task, and tuning."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import torch

from agents.model import FIRST_LAYER, FIXED_POINT
from agents.network import Network, NetworkAgent
from dunaia_env import Lanes
from dunaia_env.harness import opponents
from dunaia_env.harness.registry import DEFAULT_GAME
from tests.clocks import HANGS, set_clock, until
from tests.test_benchmark_rl import HERE as OTHER, SETTING, Improving
from training.benchmark import place, trainings, tuning, verify
from training.benchmark.algorithms import Task, load, options_of
from training.benchmark.players import load_player, parameters_of, save_player
from training.benchmark.results import ResultsError, read_run, write_run
from training.benchmark.tasks import TASKS, NamedTask, find_task
from training.benchmark.trainings import Budget, measure_blocks, task_of, train
from training.benchmark.tuning import Trial, Tuning, TuningError, draw_options, read_tunings, write_tunings
from training.benchmark.verify import VerificationError
from training.family import OWN, load_family
from training.running import checkpoint

pytestmark = pytest.mark.once
HERE = "tests.test_benchmark_runs"


def small_network(seed: int) -> NetworkAgent:
    """A player with random weights."""
    random, inputs = np.random.default_rng(seed), DEFAULT_GAME.used_size(2)
    shapes = {
        "input_scale": (inputs,),
        "hidden.0.weight": (8, inputs),
        "hidden.0.bias": (8,),
        "policy.weight": (DEFAULT_GAME.num_actions, 8),
        "policy.bias": (DEFAULT_GAME.num_actions,),
        "value.weight": (2, 8),
        "value.bias": (2,),
    }
    arrays = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    arrays["input_scale"][:] = 1
    header = checkpoint.game_hashes(DEFAULT_GAME, None) | {"players": [2], FIRST_LAYER: FIXED_POINT}
    return NetworkAgent(Network(arrays, header))


class Guessing:
    """Plays a network that it never trains."""

    OPTIONS: ClassVar[dict[str, Any]] = {"seed": 3, "unused": 1}
    SPACE: ClassVar[dict[str, tuple[Any, ...]]] = {"seed": (1, 2, 3)}

    def __init__(self, task: Task) -> None:
        self.decisions, self.options = 0, task.options

    def train(self, until: int) -> None:
        self.decisions = until

    def player(self) -> opponents.Agent:
        return small_network(self.options["seed"])


class Remembering:
    """Has a player of its own, which writes and reads itself."""

    class Player(opponents.RandomAgent):
        parameters = 5

        def save(self, path: Path) -> None:
            path.write_text("random", encoding="utf-8")

    def __init__(self, task: Task) -> None:
        self.decisions = 0

    def train(self, until: int) -> None:
        self.decisions = until

    def player(self) -> Player:
        return self.Player()

    @staticmethod
    def load_player(path: Path, task: Task) -> Player:
        assert path.read_text(encoding="utf-8") == "random"
        return Remembering.Player()


class Endless(Guessing):
    """Writes the number of its process into the current folder, and trains for ever."""

    def train(self, until: int) -> None:
        Path("process").write_text(f"{os.getpid()}\n", encoding="utf-8")
        time.sleep(HANGS)


@pytest.mark.parametrize(
    ("text", "budget"), [("1e6", Budget(1_000_000)), ("4096", Budget(4096)), ("10min", Budget(0, 10.0))]
)
def test_a_budget_is_decisions_or_minutes(text: str, budget: Budget) -> None:
    assert Budget.read(text) == budget


def test_a_budget_of_time_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    # Every reading of the clock is a second later, so that each call of `train` takes one second.
    set_clock(monkeypatch, trainings, step=1.0)
    setting = replace(SETTING, decisions=0, minutes=0.1, opponents=("random",))
    run = train(f"{OTHER}:Improving", 0, setting)
    assert [point.seconds for point in run.points] == [0, 3, 6]
    # A trial of six seconds, in each of which 1,027 decisions were made; they end a training that is faster.
    assert Improving.tasks[-1].decisions == 6 * 1027
    longer = train(f"{OTHER}:Improving", 0, replace(setting, minutes=1.0))
    assert [point.seconds for point in longer.points] == [0, 30, 31]
    assert longer.points[-1].decisions >= Improving.tasks[-1].decisions == 60 * 1027
    assert setting.budget == "0.1 minutes"


@pytest.mark.compiled
def test_trainings_end_with_the_command(tmp_path: Path) -> None:
    words = ["--algorithms", f"{HERE}:Endless", "--seeds", "0", "--opponents", "random", "--out", "runs"]
    command = subprocess.Popen(
        [sys.executable, "-m", "training.benchmark", *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        stdout=subprocess.DEVNULL,
    )
    file = tmp_path / "process"
    process = int(until(lambda: file.exists() and file.read_text(encoding="utf-8").strip()))
    command.send_signal(signal.SIGTERM)
    assert command.wait(HANGS) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_options_are_the_defaults_and_what_is_given() -> None:
    assert options_of(f"{HERE}:Guessing") == {"seed": 3, "unused": 1}
    assert options_of(f"{HERE}:Guessing", {"seed": 7}) == {"seed": 7, "unused": 1}
    with pytest.raises(ValueError, match="expected one of the options seed, unused, got 'sed'"):
        options_of(f"{HERE}:Guessing", {"sed": 7})
    with pytest.raises(ValueError, match=r"expected one of the options \(none\), got 'sed'"):
        options_of(f"{OTHER}:Improving", {"sed": 7})


def trained(folder: Path, name: str = "Guessing") -> Path:
    """A training with the file of its player; returns the training's file."""
    path = folder / "one.json"
    write_run(path, train(f"{HERE}:{name}", 0, replace(SETTING, games=8), path=path))
    return path


def test_a_training_is_verified_by_its_own_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, named = trained(tmp_path), (f"{HERE}:Guessing",)
    run = read_run(path)
    assert run.parameters == sum(array.size for name, array in small_network(3).network.arrays.items())
    (found,) = verify.main(verify.Options((path,), games=4, algorithms=named))
    assert (found.blocks, found.different) == (2 * 2, 0)
    assert "4 games against each of 2 references as stored" in capsys.readouterr().out
    # With more games than were played, all of them are played again.
    assert verify.verify(path, 100, named).blocks == 2 * 4
    with pytest.raises(ValueError, match=r"algorithm: expected one of ppo, .*: no file decides which code is imported"):
        verify.verify(path, 4)


def test_results_that_are_not_those_of_the_player_are_refused(tmp_path: Path) -> None:
    path, named = trained(tmp_path), (f"{HERE}:Guessing",)
    run, model = read_run(path), tmp_path / "one.safetensors"
    good = {name: [1.0] * len(shares) for name, shares in run.blocks.items()}
    better = replace(run.points[-1], shares=dict.fromkeys(good, 1.0))
    wrong: list[tuple[Any, str]] = [
        (replace(run, blocks=good), "expected the mean of the blocks against random, 1.0000, as the last share"),
        (replace(run, blocks=good, points=(*run.points[:-1], better)), "expected the stored results in 8 blocks, got"),
        (replace(run, player_digest="0" * 64), f"one.safetensors: expected the file with the digest {'0' * 64}, got"),
        (replace(run, player_file=None), "expected a training whose player was written, got one without a file"),
    ]
    for other, fault in wrong:
        write_run(path, other)
        with pytest.raises(VerificationError, match=fault):
            verify.verify(path, 8, named)
    write_run(path, run)
    model.unlink()
    with pytest.raises(VerificationError, match="expected the file of the player, got nothing"):
        verify.verify(path, 8, named)


def test_a_task_that_has_changed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = trained(tmp_path)
    setting = replace(read_run(path).setting, task="dunaia-2-v1")
    write_run(path, replace(read_run(path), setting=setting, task_hash="0" * 12))
    with pytest.raises(VerificationError, match=r"expected the hash \w{12} of the task dunaia-2-v1, got 0{12}"):
        verify.verify(path, 4, (f"{HERE}:Guessing",))


def test_a_player_of_ones_own_writes_and_reads_itself(tmp_path: Path) -> None:
    # In a folder that does not exist yet.
    name, path = f"{HERE}:Remembering", tmp_path / "runs" / "one.json"
    task = task_of(SETTING, 0, {})
    player = Remembering(task).player()
    assert save_player(player, path) == path.with_suffix(".player")
    assert parameters_of(player) == 5
    assert isinstance(load_player(name, path.with_suffix(".player"), task), Remembering.Player)
    assert save_player(opponents.load("greedy"), path) is None
    assert verify.verify(trained(tmp_path, "Remembering"), 4, (name,)).different == 0


class Forgetting(Remembering):
    """Has a player that cannot be read."""

    trained = 0

    def train(self, until: int) -> None:
        Forgetting.trained += until > trainings.WARM_UP
        super().train(until)

    @staticmethod
    def load_player(path: Path, task: Task) -> Remembering.Player:
        raise ValueError("forgotten")


def test_a_player_that_cannot_be_read_costs_no_training(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="forgotten"):
        train(f"{HERE}:Forgetting", 0, SETTING, path=tmp_path / "one.json")
    assert Forgetting.trained == 0


def test_the_player_of_a_training_is_placed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, path = f"{HERE}:Remembering", trained(tmp_path, "Remembering")
    monkeypatch.setattr(place, "place", lambda player, task, games: (type(player), task.name, games))
    found = place.place_named("dunaia-2", 7, (name,), str(path))
    assert found == (str(path), (Remembering.Player, "dunaia-2", 7))
    assert place.place_named("dunaia-2", 7, (), "greedy") == ("greedy", (str, "dunaia-2", 7))
    with pytest.raises(ValueError, match="no file decides which code is imported"):
        place.load_any(str(path), TASKS["dunaia-2"], ())
    (tmp_path / "one.player").unlink()
    with pytest.raises(VerificationError, match=r"one\.player: expected the file of the player, got nothing"):
        place.load_any(str(path), TASKS["dunaia-2"], (name,))


def test_the_family_task_trains_on_members_and_judges_on_files_held_out() -> None:
    named = TASKS["dunaia-family"]
    setting = replace(SETTING, task=named.title, game_options=named.game_options(), opponents=("random",), games=10)
    task = task_of(setting, 5, {})
    members = task.components(6)
    assert members is not None
    hashes = [member.hash for member in members]
    assert len(set(hashes)) == 6
    assert [member.hash for member in task.components(6) or []] == hashes
    assert [member.hash for member in replace(task, seed=6).components(6) or []] != hashes
    family, files = load_family(DEFAULT_GAME, OWN), named.files()
    assert not any(family.outside(member) for member in members)
    assert len({file.hash for file in files}) == 5
    assert not {file.hash for file in files} & set(hashes)
    assert replace(task, family=None).components(6) is None
    assert find_task("dunaia-elites-2").files() == [None]
    # Two blocks with each file, and those of another file are other games.
    blocks = np.array(measure_blocks(opponents.load("random"), setting)["random"])
    assert len(blocks) == 5
    more = np.array(measure_blocks(opponents.load("random"), replace(setting, games=20))["random"])
    assert (more.reshape(5, -1)[:, 0] == blocks).all()


@pytest.mark.long
@pytest.mark.parametrize("name", ["ppo", "maskable_ppo", "dqn", "td_afterstates"])
def test_algorithms_play_members_of_the_family(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    named, found = TASKS["dunaia-family"], set()
    original = Lanes.__init__

    def noted(self: Lanes, count: int, **options: Any) -> None:
        original(self, count, **options)
        found.update(self.components_of(lane).hash for lane in range(count))

    monkeypatch.setattr(Lanes, "__init__", noted)
    setting = replace(SETTING, task=named.title, game_options=named.game_options(), opponents=("random",), games=10)
    task = replace(task_of(setting, 1, options_of(name)), decisions=1024, evaluations=1)
    algorithm = load(name)(task)
    monkeypatch.undo()
    assert len(found) > 4
    assert DEFAULT_GAME.load(None).hash not in found
    algorithm.train(1024)
    file = save_player(algorithm.player(), tmp_path / "one.json")
    assert file is not None
    player = load_player(name, file, task)
    assert measure_blocks(player, setting) == measure_blocks(algorithm.player(), setting)


def example_of_the_page(name: str, folder: Path) -> str:
    """The name of an algorithm that stands on the page, which is written to a file."""
    page = (Path(__file__).parent.parent / "docs" / "benchmark.md").read_text(encoding="utf-8")
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if f"class {name}:" in block]
    file = folder / f"{folder.name}.py"  # because no two modules may have the same name
    file.write_text(code, encoding="utf-8")
    return f"{file}:{name}"


def test_the_example_of_the_page_is_an_algorithm(tmp_path: Path) -> None:
    run = train(example_of_the_page("Nothing", tmp_path), 0, replace(SETTING, opponents=("random",)))
    assert [point.decisions for point in run.points] == [0, 1024, 2048]
    assert run.options == {"lanes": 64}


@pytest.mark.parametrize("task", ["dunaia-2", "dunaia-family"])
def test_the_single_agent_of_the_page_learns_and_is_verified(task: str, tmp_path: Path) -> None:
    named, path = TASKS[task], tmp_path / "one.json"
    name = example_of_the_page("ActorCritic", tmp_path)
    setting = replace(SETTING, task=named.title, game_options=named.game_options(), opponents=("random",), games=10)
    run = train(name, 3, setting, path=path)
    write_run(path, run)
    assert [point.decisions for point in run.points] == [0, 1024, 2048]
    assert run.parameters == DEFAULT_GAME.observation_size * 64 + 64 + 65 * DEFAULT_GAME.num_actions
    assert verify.verify(path, 10, (name,)).different == 0
    algorithm = load(name)(task_of(run.setting, 3, options_of(name)))
    before = algorithm.player().policy[0].weight.clone()
    algorithm.train(16)
    assert not torch.equal(algorithm.player().policy[0].weight, before)


def test_trials_begin_with_the_defaults_and_draw_from_the_space() -> None:
    name = f"{HERE}:Guessing"
    assert draw_options(name, 0) == {"seed": 3, "unused": 1}
    drawn = [draw_options(name, trial) for trial in range(1, 20)]
    assert {options["seed"] for options in drawn} == {1, 2, 3}
    assert {options["unused"] for options in drawn} == {1}
    assert drawn == [draw_options(name, trial) for trial in range(1, 20)]


def test_the_best_finalist_of_a_tuning_is_stored_and_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, path = f"{HERE}:Guessing", tmp_path / "tuned.json"
    # Seed 1 is best at first, and falls behind seed 2 in the second training.
    places = {(1, 1000): 30.0, (1, 1001): 0.0, (2, 1000): 20.0, (2, 1001): 20.0, (3, 1000): 10.0}

    def play_all(play: Any, parts: Any, **_: Any) -> Any:
        for part in parts:
            yield part, places[draw_options(part[0], part[1])["seed"], part[2]]

    monkeypatch.setattr(tuning, "play_all", play_all)
    (found,) = tuning.main(tuning.Options(algorithms=(name,), trials=12, finalists=2, out=path))
    assert found.options == {"seed": 2, "unused": 1}
    assert [trial.places for trial in found.trials] == [(20.0, 20.0), (30.0, 0.0), (10.0,)]
    assert "20.0, with its defaults 10.0" in capsys.readouterr().out
    assert read_tunings(path) == [found]
    # A tuning of another algorithm stays; one of the same algorithm and task is replaced.
    other = Tuning("ppo", "dune-duel-v1", "dune", "1e5", options_of("ppo"), (Trial(options_of("ppo"), (1.0,)),))
    write_tunings(path, [found, other])
    tuning.main(tuning.Options(algorithms=(name,), trials=12, finalists=1, out=path))
    kept = {(one.algorithm, one.task): one.options for one in read_tunings(path)}
    assert kept[name, "dunaia-elites-2-v1"]["seed"] == 1
    assert kept["ppo", "dune-duel-v1"] == options_of("ppo")

    assert tuning.tuned_options(name, TASKS["dunaia-elites-3"], path) == {"seed": 1, "unused": 1}
    assert tuning.tuned_options(name, TASKS["dune-duel"], path) == {"seed": 3, "unused": 1}
    assert tuning.tuned_options(name, TASKS["dunaia-elites-3"]) == {"seed": 3, "unused": 1}


def test_stored_tunings_are_of_options_that_there_are() -> None:
    for one in read_tunings():
        assert one.options == options_of(one.algorithm, one.options)
        assert one.task == find_task(one.task).title
        assert one.options == one.trials[0].options


def test_files_that_are_no_tunings_are_named(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    for content in ("{", "{}", json.dumps({"format": tuning.FORMAT, "version": 9, "tunings": []})):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(TuningError, match=r"tuned\.json: "):
            read_tunings(path)


@pytest.mark.long
def test_a_trial_is_a_training_with_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    small = NamedTask("dunaia-2", 1, "", "dunaia", 2, options={"elites": False})
    setting = replace(tuning.setting_of(small, "1024", 2), opponents=("random", "greedy"))
    part, place = tuning.place_trial(setting, (f"{HERE}:Guessing", 0, 1000))
    assert part == (f"{HERE}:Guessing", 0, 1000)
    assert place == tuning.place_trial(setting, part)[1]
    with pytest.raises(ValueError, match="budget: expected at least 1,024 decisions, got 10"):
        tuning.setting_of(small, "10", 2)


def test_a_damaged_training_is_not_verified(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text("{", encoding="utf-8")
    with pytest.raises(ResultsError, match=r"one\.json: not JSON"):
        verify.verify(tmp_path / "one.json", 4)
