"""The comparison of learning algorithms: statistics, adapters, trainings, what is stored and what the docs show."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from scipy.stats import trim_mean

from docs import measured
from dunaia_env import Lanes
from dunaia_env.harness import opponents
from dunaia_env.harness.registry import DEFAULT_GAME
from tests.clocks import set_clock
from training.benchmark import comparison, trainings
from training.benchmark.aggregates import interquartile_estimate, interquartile_mean, probability_of_improvement
from training.benchmark.algorithms import ALGORITHMS, Task, description, load
from training.benchmark.comparison import Options, check, finished, main, run_path
from training.benchmark.results import (
    Point,
    ResultsError,
    Run,
    Setting,
    curve,
    improvements,
    markdown,
    read_results,
    read_run,
    summarise,
    write_results,
    write_run,
)
from training.benchmark.tasks import find_task
from training.benchmark.trainings import Budget, measure, train

pytestmark = pytest.mark.once

SETTING = Setting(
    players=2,
    game="dunaia",
    game_options={"elites": False, "max_rounds": 100},
    decisions=2048,
    evaluations=2,
    games=4,
    opponents=("random", "greedy"),
    threads=1,
)
HERE = "tests.test_benchmark_rl"


class Improving:
    """Plays at random for half of its budget, greedily afterwards."""

    tasks: list[Task] = []  # noqa: RUF012 (shared on purpose)

    def __init__(self, task: Task) -> None:
        self.task, self.decisions = task, 0
        self.tasks.append(task)

    def train(self, until: int) -> None:
        self.decisions = until + 3

    def player(self) -> opponents.Agent:
        return opponents.load("random" if self.decisions <= self.task.decisions // 2 + 3 else "greedy")


class Stopping(Improving):
    """Stops after a while."""

    def train(self, until: int) -> None:
        self.decisions = min(until, 1500)


class Rounding(Improving):
    """Has a loop that rounds the number of its rollouts down, as CleanRL's programs do."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.loop = iter(range(512, task.decisions + 1, 512))

    def train(self, until: int) -> None:
        while self.decisions < until:
            self.decisions = next(self.loop)


NOT_CALLABLE = 7


def test_the_interquartile_mean_by_hand() -> None:
    assert interquartile_mean(np.array([9.0, 1.0, 2.0, 4.0])) == 3.0
    assert interquartile_mean(np.array([5.0, 0.0, 1.0])) == pytest.approx((0.25 * 0 + 1 + 0.25 * 5) / 1.5)
    assert interquartile_mean(np.array([0.0, 1.0, 2.0, 4.0, 99.0])) == pytest.approx((0.75 + 2 + 0.75 * 4) / 2.5)
    assert interquartile_mean(np.array([[2.0, 4.0], [7.0, 7.0]])).tolist() == [3.0, 7.0]
    assert interquartile_mean(np.array([3.5])) == 3.5
    values = np.random.default_rng(0).random((3, 12))
    assert interquartile_mean(values) == pytest.approx(trim_mean(values, 0.25, axis=1))


def test_the_estimate_is_the_mean_of_the_references_and_draws_their_scores_together() -> None:
    # What one reference says more of a seed, the other says less: however seeds are drawn, the mean is the same.
    assert interquartile_estimate(np.array([[0.0, 1.0, 0.5], [1.0, 0.0, 0.5]])) == pytest.approx((0.5, 0.5, 0.5))
    # Of two seeds, the ends of the widened interval are those of drawing one of them twice.
    assert interquartile_estimate(np.array([[0.2, 0.6], [0.3, 0.5]])) == pytest.approx((0.4, 0.25, 0.55))
    value, low, high = interquartile_estimate(np.array([[0.4], [0.8]]))
    assert value == pytest.approx(0.6)
    assert np.isnan([low, high]).all()


def test_the_interval_of_many_seeds_holds_the_truth_as_often_as_it_says() -> None:
    # The interquartile mean of uniform numbers is 1/2, by symmetry.
    random = np.random.default_rng(3)
    held = 0
    for seed in range(200):
        _, low, high = interquartile_estimate(random.random((1, 12)), samples=500, seed=seed)
        held += low <= 0.5 <= high
    assert 180 <= held <= 198


def test_the_probability_of_improvement_by_hand() -> None:
    first, second = np.array([[1.0, 2.0]]), np.array([[0.0, 2.0]])
    assert probability_of_improvement(first, second).value == pytest.approx((1 + 0 + 1 + 0.5) / 4)
    assert probability_of_improvement(second, first).value == pytest.approx(1 - 0.625)
    both = np.array([[1.0, 2.0], [5.0, 6.0]]), np.array([[0.0, 2.0], [5.5, 7.0]])
    assert probability_of_improvement(*both).value == pytest.approx((0.625 + 0.25) / 2)
    assert probability_of_improvement(np.array([[3.0, 4.0]]), first) == (1, 1, 1)
    # Seeds of both are drawn, each by themselves.
    same = np.array([[0.0, 1.0]])
    assert probability_of_improvement(same, same) == (0.5, 0, 1)
    fixed = np.array([[0.5, 0.5]])
    assert probability_of_improvement(fixed, same) == (0.5, 0, 1)
    assert probability_of_improvement(same, fixed) == (0.5, 0, 1)
    assert np.isnan(probability_of_improvement(first, np.array([[1.0]])).low)


@pytest.fixture
def forgotten() -> Iterator[None]:
    Improving.tasks.clear()
    yield
    Improving.tasks.clear()


def test_a_training_is_measured_before_between_and_at_the_end(forgotten: None, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, trainings, step=1.0)
    printed = StringIO()
    run = train(f"{HERE}:Improving", 5, SETTING, Console(file=printed, width=200))
    assert re.findall(r"seed 5: +([\d,]+) decisions", printed.getvalue()) == ["0", "1,027", "2,051"]
    assert [point.decisions for point in run.points] == [0, 1027, 2051]
    # The same games whoever plays: an unchanged player has the same result, and greedy that of greedy.
    assert run.points[0].shares == run.points[1].shares == measure(opponents.load("random"), SETTING)
    assert run.points[2].shares == measure(opponents.load("greedy"), SETTING)
    assert run.points[2].shares["greedy"] > run.points[1].shares["greedy"] == 0
    assert [point.seconds for point in run.points] == [0, 1, 2]
    assert run.points[0].core_seconds == 0 <= run.points[1].core_seconds <= run.points[2].core_seconds
    assert {name: sum(shares) / len(shares) for name, shares in run.blocks.items()} == run.points[2].shares
    assert (run.options, run.task_hash, run.player_file, run.parameters) == ({}, "", None, None)
    assert run.memory is None or run.memory > 1 << 20
    # First a short one that is not counted.
    assert [(task.decisions, task.evaluations) for task in Improving.tasks] == [(1025, 1), (2048, 2)]
    told = [(task.players, task.game, task.game_options, task.seed, task.threads) for task in Improving.tasks]
    assert told == [(2, DEFAULT_GAME, SETTING.game_options, 5, 1)] * 2
    assert run.description == "Plays at random for half of its budget, greedily afterwards"
    assert (run.algorithm, run.seed, run.setting) == (f"{HERE}:Improving", 5, SETTING)
    assert run.machine["cores"]
    assert {"python", "torch", "sb3-contrib"} <= run.versions.keys()


def test_an_algorithm_that_stops_early_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"expected at least 2,048 decisions, stopped after 1,500"):
        train(f"{HERE}:Stopping", 0, SETTING)


def test_rollouts_that_end_short_of_the_budget_are_an_error_before_the_training(forgotten: None) -> None:
    # Although a whole number of them would fit into this budget.
    with pytest.raises(ValueError, match=r"expected at least 1,025 decisions, stopped after 1,024; the last rollout"):
        train(f"{HERE}:Rounding", 0, SETTING)
    assert len(Improving.tasks) == 1


def tiny(name: str, seed: int = 3, players: int = 2) -> Any:
    """One of the project's algorithms with a small budget."""
    return load(name)(Task(players, DEFAULT_GAME, {"elites": True}, decisions=2048, evaluations=2, seed=seed))


def weights(player: Any) -> Any:
    """The arrays of a player's network by name."""
    return getattr(player, "network", player).arrays


@pytest.mark.long
@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_each_algorithm_trains_repeats_and_gives_a_player(name: str) -> None:
    algorithm = tiny(name)
    assert algorithm.decisions == 0
    first = algorithm.player()
    before = {key: array.copy() for key, array in weights(first).items()}
    algorithm.train(1024)
    assert algorithm.decisions == 1024
    assert all((weights(first)[key] == array).all() for key, array in before.items())
    assert any((weights(algorithm.player())[key] != array).any() for key, array in before.items())
    algorithm.train(2048)
    assert algorithm.decisions == 2048
    # Only now: libraries draw from a stream that all their models share, and begin it anew with each of them.
    again = tiny(name)
    again.train(1024)
    again.train(2048)
    player, other = algorithm.player(), again.player()
    assert isinstance(player, opponents.Agent)
    assert all((weights(other)[key] == array).all() for key, array in weights(player).items())
    assert set(measure(player, replace(SETTING, game_options={"elites": True}, games=2))) == {"random", "greedy"}
    with pytest.raises(ValueError, match="num_players: 3"):
        player.act_batch(lanes_of(3), np.arange(2))
    assert description(name)


def lanes_of(players: int) -> Lanes:
    """Two games."""
    lanes = Lanes(2, num_players=players)
    lanes.reset(0)
    return lanes


def test_the_parts_of_a_budget_double() -> None:
    assert replace(SETTING, evaluations=4).parts == (1 / 8, 1 / 4, 1 / 2, 1)
    task = Task(2, DEFAULT_GAME, {}, decisions=8192, evaluations=4, seed=0)
    assert task.interval == 1024


def test_rollouts_fit_between_the_evaluations_of_the_default_budget() -> None:
    options = Options(Path())
    task = Task(2, DEFAULT_GAME, {}, Budget.read(options.budget).decisions, options.evaluations, seed=0)
    assert task.interval == 1_000_000 // 32
    for steps, most, games in ((64, 256, 256), (16, 128, 128), (1, 64, 64)):
        assert task.games(steps, most) == games
    assert replace(task, decisions=32 * 1024).games(64, 256) == 16
    assert replace(task, decisions=8).games(64, 256) == 1


def test_a2c_learns_once_from_everything_without_clipping() -> None:
    algorithm = tiny("a2c")
    trainer = algorithm._trainer
    updates = 0
    update = trainer.compute.update

    def counted(*given: Any) -> None:
        nonlocal updates
        updates += 1
        update(*given)

    trainer.compute.update = counted
    algorithm.train(2048)
    assert updates == trainer.updates == 2
    assert trainer.metrics["losses/clip_fraction"] == 0


def test_the_learning_rate_of_maskable_ppo_falls_over_the_whole_budget() -> None:
    algorithm = tiny("maskable_ppo")
    rates = []
    for until in (1024, 2048):
        algorithm.train(until)
        rates.append(algorithm._model.policy.optimizer.param_groups[0]["lr"])
    assert rates == pytest.approx([0.0005, 0.0])


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("--budget 32000", "budget: expected at least 1,024 decisions before the first evaluation, 32,768 in all, got"),
        ("--budget ten", "budget: expected a number of decisions such as 1e6, or a time such as 10min, got 'ten'"),
        ("--budget 0min", "budget: expected a number of decisions such as 1e6, or a time such as 10min, got '0min'"),
        ("--budget 1.5", "budget: expected a number of decisions such as 1e6, or a time such as 10min, got '1.5'"),
        ("--evaluations 0", "evaluations: expected at least 1, got 0"),
        ("--games 0", "games: expected at least 1, got 0"),
        ("--jobs 0", "jobs: expected at least 1, got 0"),
        ("--players 5", "num_players: expected an integer in 2..4, got 5"),
        ("--seeds 1 1", "seeds: expected at least one, and none twice, got 1 1"),
        ("--seeds -1", "seeds: expected numbers in 0..4294967295, got -1"),
        ("--opponents nobody", "agent 'nobody': expected one of random, "),
        ("--algorithms nothing", "algorithm 'nothing': expected one of ppo, a2c, "),
        ("--algorithms ppo ppo", "algorithms: expected at least one, and none twice, got ppo ppo"),
        (f"--algorithms {HERE}:Missing", f"algorithm '{HERE}:Missing': cannot be loaded ("),
        (
            f"--algorithms {HERE}:NOT_CALLABLE",
            f"algorithm '{HERE}:NOT_CALLABLE': expected a class or function of a Task, got int",
        ),
    ],
)
def test_options_that_cannot_be_are_named_in_one_line(
    words: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--out", str(tmp_path / "out"), *words.split()]) == 2
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"training.benchmark: {fault}")
    assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_trainings_are_stored_kept_and_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    improving, stopping = f"{HERE}:Improving", f"{HERE}:Stopping"
    words = ["--out", str(out), "--budget", "2048", "--evaluations", "2", "--games", "2", "--seeds", "0"]
    assert main([*words, "--algorithms", improving, stopping]) == 1
    printed = capsys.readouterr().out
    assert f"{stopping}, seed 0: ValueError: expected at least 2,048 decisions, stopped after 1,500" in printed
    assert "Traceback (most recent call last):" in printed
    assert "1 failed; train them anew with --resume" in printed
    path = run_path(out, improving, 0)
    assert [file.name for file in (out / "runs").iterdir()] == [path.name]
    assert [run.algorithm for run in read_results(out / "benchmark.json")] == [improving]
    assert improving in (out / "benchmark.md").read_text()
    assert (out / "benchmark.png").read_bytes().startswith(b"\x89PNG")

    stored = path.read_bytes()
    assert main([*words, "--algorithms", improving]) == 2
    assert "holds results; continue with --resume or choose another --out" in capsys.readouterr().out
    assert main([*words, "--algorithms", improving, "--resume"]) == 0
    assert "1 trainings are finished, 0 to go" in capsys.readouterr().out
    assert path.read_bytes() == stored

    path.write_bytes(stored[: len(stored) // 2])
    assert main([*words, "--algorithms", improving, "--resume"]) == 0
    printed = capsys.readouterr().out
    assert "not JSON" in printed
    assert "0 trainings are finished, 1 to go" in printed
    assert read_run(path).points[-1].shares == json.loads(stored)["points"][-1]["shares"]


def hand_made(algorithm: str, seed: int, *shares: float, opponents: tuple[str, ...] = ("random", "greedy")) -> Run:
    """A run whose win share against every opponent took these values."""
    setting = replace(SETTING, decisions=2000, evaluations=len(shares) - 1, opponents=opponents)
    points = tuple(
        Point(1000 * step, 10.0 * step * (seed + 1), 15.0 * step * (seed + 1), dict.fromkeys(opponents, share))
        for step, share in enumerate(shares)
    )
    machine = {"processor": "P", "cores": 2, "system": "S"}
    return Run(
        algorithm=algorithm,
        description=f"About {algorithm}",
        options={"learning_rate": 0.1},
        seed=seed,
        setting=setting,
        task_hash="",
        points=points,
        blocks={},
        memory=3 << 20,
        parameters=1234,
        player_file=None,
        player_digest=None,
        machine=machine,
        versions={"python": "3"},
        commit=None,
    )


RUNS = [
    *(hand_made("one", seed, 0.1, 0.3, share) for seed, share in enumerate((0.2, 0.5, 0.6))),
    *(hand_made("two", seed, 0.1, 0.2, share) for seed, share in enumerate((0.1, 0.3, 0.2))),
]


def test_results_are_summarised() -> None:
    one, two = summarise(RUNS)
    assert (one.algorithm, one.description, one.seeds, one.decisions) == ("one", "About one", 3, 2000)
    assert (one.seconds, one.core_seconds, one.speed) == (40.0, 60.0, 50.0)
    assert (one.memory, one.parameters) == (3 << 20, 1234)
    expected = (0.25 * 0.2 + 0.5 + 0.25 * 0.6) / 1.5, 0.2, 0.6
    assert list(one.shares) == ["random", "greedy", "all"]
    for estimate in one.shares.values():
        assert estimate == pytest.approx(expected)
    assert two.shares["random"].value == pytest.approx(0.2)
    found = improvements(RUNS)
    assert found["one", "two"].value == pytest.approx((1.5 + 3 + 3) / 9)
    assert found["two", "one"].value == pytest.approx(1 - 7.5 / 9)
    assert [estimate.value for estimate in curve(RUNS[:3], "random")] == pytest.approx([0.1, 0.3, expected[0]])
    (alone,) = summarise([hand_made("one", 0, 0.1, 0.4, opponents=("greedy",))])
    assert list(alone.shares) == ["greedy"]


def test_results_become_a_table() -> None:
    text = markdown(RUNS)
    assert "2 players without elite characters, 2,000 decisions of the learner, seeds 0, 1, 2, 1 thread each" in text
    assert "P, 2 cores, S; python 3.\n" in text
    heads = (
        "| algorithm | against random | against greedy | mean | seeds | decisions | seconds | core seconds"
        " | decisions/s | memory, MiB | parameters |\n"
    )
    share = "46.7 % (20.0 to 60.0)"
    assert (
        f"{heads}{'|---' * 11}|\n| `one` | {share} | {share} | {share} | 3 | 2,000 | 40 | 60 | 50 | 3 | 1,234 |" in text
    )
    assert "| `two` | 16.7 % (" in text
    assert "- `two`: About two; learning_rate 0.1.\n" in text
    assert "How likely" not in markdown(RUNS[:3])


def test_results_are_written_and_read(tmp_path: Path) -> None:
    write_results(tmp_path, RUNS)
    assert read_results(tmp_path / "benchmark.json") == RUNS
    summary = json.loads((tmp_path / "benchmark.json").read_text())["summary"]
    assert summary[0]["shares"]["random"]["high"] == pytest.approx(0.6)
    write_run(tmp_path / "run.json", RUNS[0])
    assert read_run(tmp_path / "run.json") == RUNS[0]
    content = json.loads((tmp_path / "run.json").read_text())
    assert content["setting"]["elites"] is False
    # Older files name no game, and only the options that there were.
    del content["setting"]["game"], content["setting"]["max_rounds"]
    (tmp_path / "run.json").write_text(json.dumps(content))
    assert read_run(tmp_path / "run.json") == RUNS[0]
    content["setting"]["elites"] = "no"
    (tmp_path / "run.json").write_text(json.dumps(content))
    with pytest.raises(ResultsError, match="elites: expected true or false, got 'no'"):
        read_run(tmp_path / "run.json")


def test_files_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    for content, fault in (
        ("{", "not JSON"),
        ("[]", "expected a table of fields, got"),
        (
            '{"format": "dunaia-learning", "version": 2}',
            r"expected format and version \('dunaia-learning-run', 2\), got \('dunaia-learning', 2\)",
        ),
        (
            '{"format": "dunaia-learning-run", "version": 1}',
            r"expected format and version .*, got \('dunaia-learning-run', 1\)",
        ),
        ('{"format": "dunaia-learning-run", "version": 2}', "a training is incomplete"),
    ):
        path.write_text(content)
        with pytest.raises(ResultsError, match=f"run.json: {fault}"):
            read_run(path)
    write_run(path, replace(RUNS[0], points=RUNS[0].points[:2]))
    with pytest.raises(ResultsError, match="expected 3 points, got 2"):
        read_run(path)


def test_a_training_of_another_setting_is_not_gone_on_with(tmp_path: Path) -> None:
    name = f"{HERE}:Improving"
    few: dict[str, Any] = {"budget": "2048", "evaluations": 2, "games": 4}
    options = Options(tmp_path, algorithms=(name,), seeds=(0,), game_options={"elites": False}, **few)
    setting = check(options)
    assert setting == SETTING
    run = replace(hand_made(name, 0, 0.1, 0.2, 0.3), setting=SETTING, options={})
    write_run(run_path(tmp_path, name, 0), run)
    assert finished(replace(options, resume=True), setting, Console()) == {(name, 0): run}
    changes: dict[str, dict[str, Any]] = {
        "players was 2, now 3": {"players": 3},
        "elites was False, now True": {"game_options": {}},
        "max_rounds was 100, now 9": {"game_options": {"elites": False, "max_rounds": 9}},
    }
    write_run(run_path(tmp_path, name, 0), replace(run, options={"learning_rate": 0.1}))
    with pytest.raises(ResultsError, match=r"options was \{'learning_rate': 0\.1\}, now \{\}; choose another --out"):
        finished(replace(options, resume=True), setting, Console())
    write_run(run_path(tmp_path, name, 0), run)
    for told, change in changes.items():
        other = replace(options, resume=True, **change)
        with pytest.raises(ResultsError, match=f"seed0.json: {told}; choose another --out"):
            finished(other, check(other), Console())


def test_the_docs_show_what_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "BENCHMARK", tmp_path)
    stored = {}
    # In the order of the tasks and of the budgets, not of the names of the files.
    for name, title, decisions in (("c", "dunaia-2-v1", 10), ("a", "dunaia-2-v1", 20), ("b", "dune-duel-v1", 5)):
        task = find_task(title)
        setting = replace(SETTING, task=title, decisions=decisions, evaluations=1, opponents=task.references)
        shares = dict.fromkeys(task.references, 0.25)
        points = tuple(replace(point, shares=shares) for point in RUNS[0].points[:2])
        runs = [replace(run, setting=setting, points=points) for run in (RUNS if name == "a" else RUNS[:3])]
        write_results(tmp_path, runs)
        (tmp_path / "benchmark.json").rename(tmp_path / f"{name}.json")
        stored[name] = runs
    text = measured.learning()
    parts = [
        f"### {run.setting.task}, {run.setting.budget}\n\n"
        f"![learning curves with intervals]({tmp_path.name}/{name}.png)\n\n"
        for name, (run, *_) in stored.items()
    ]
    places = [text.index(part + markdown(stored[name])) for name, part in zip(stored, parts, strict=True)]
    assert places == sorted(places)
    heads, _, one, two = measured.leaderboard().splitlines()
    assert heads.index("`dunaia-2-v1`, 10 ") < heads.index("`dunaia-2-v1`, 20 ") < heads.index("`dune-duel-v1`, 5 ")
    assert re.fullmatch(r"\| `one` (\| -?\d+ \(-?\d+ to -?\d+\), 3 seeds ){3}\|", one)
    assert re.fullmatch(r"\| `two` \|  \| -?\d+ \(-?\d+ to -?\d+\), 3 seeds \|  \|", two)


def test_threads_are_told_to_the_processes_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    for before in (None, "7"):
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        if before:
            monkeypatch.setenv("OMP_NUM_THREADS", before)
        with comparison._environment(3):
            assert comparison.os.environ["OMP_NUM_THREADS"] == "3"
        assert comparison.os.environ.get("OMP_NUM_THREADS") == before
