"""Named tasks of the benchmark and their scale: hashes, strengths, places and their intervals."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from dunaia_env import Lanes, dunaia_v0, dune_v0
from dunaia_env.harness import opponents
from tests.test_benchmark_rl import hand_made
from training.benchmark import comparison, place as placing, references, results, scale
from training.benchmark.aggregates import probability_of_improvement
from training.benchmark.results import (
    SCALE,
    Point,
    Setting,
    markdown,
    plot,
    read_results,
    summarise,
    write_results,
)
from training.benchmark.scale import (
    References,
    ScaleError,
    expected_shares,
    fit_references,
    place_of,
    read_references,
    stored_references,
    strength_of,
    write_references,
)
from training.benchmark.tasks import REFERENCES, TASKS, NamedTask, find_task

pytestmark = pytest.mark.once

# What an algorithm meets in each task. A change here needs a new version of the task.
HASHES = {
    "dunaia-2-v1": "c65627dc190c",
    "dunaia-elites-2-v1": "ac3922646e95",
    "dunaia-elites-3-v1": "fc822ccc3f36",
    "dunaia-elites-4-v1": "dfcaed81de6c",
    "dunaia-family-v1": "d3255f4301d2",
    "dune-duel-v1": "5d6233e57a62",
    "dune-plain-6-v1": "503a7f2ff2d1",
}
STRENGTHS = np.array([0.0, 3.0, 5.5, 6.0, 7.0, 8.0])
PLANTED = References("planted-v1", "0" * 12, dict(zip(REFERENCES, STRENGTHS.tolist(), strict=True)), 1000, {})


def test_tasks_are_what_their_hashes_say() -> None:
    assert {task.title: task.hash() for task in TASKS.values()} == HASHES


def test_whatever_an_algorithm_meets_changes_the_hash() -> None:
    task = TASKS["dunaia-elites-2"]
    others = [
        replace(task, players=3),
        replace(task, options={"elites": False}),
        replace(task, options={"max_rounds": 50}),
        replace(task, references=REFERENCES[:3]),
        replace(task, game="dune", preset="duel"),
    ]
    hashes = [one.hash() for one in (task, *others)]
    assert len(set(hashes)) == len(hashes)
    assert replace(task, about="in other words", version=2).hash() == hashes[0]


@pytest.mark.parametrize("name", list(TASKS))
def test_tasks_are_the_same_in_every_interface(name: str) -> None:
    task, modules = TASKS[name], {"dunaia": dunaia_v0, "dune": dune_v0}
    table = {"num_players": task.players, **task.game_options()}
    lanes = Lanes(1, game=task.load_game(), **table)
    lanes.reset(7)
    env = modules[task.game].env(**table)
    env.reset(seed=7)
    for step in range(40):
        seen = env.observe(env.agent_selection)
        assert env.agents.index(env.agent_selection) == lanes.seats[0]
        assert (seen["observation"] == lanes.observations[0]).all()
        assert (seen["action_mask"] == lanes.action_masks[0]).all()
        (action,) = lanes.random_actions(step)
        env.step(int(action))
        lanes.step([action])
    # A vector environment shows the learner's seat, which random players bring to its decision.
    title = f"dunaia_env:dunaia/{task.game.capitalize()}-v0"
    games = gymnasium.make_vec(title, num_envs=2, opponents="random", **table)
    shown, _ = games.reset(seed=7)
    assert shown["observation"].shape == (2, lanes.observations.shape[1])
    assert shown["action_mask"].shape == (2, lanes.num_actions)
    assert (games.unwrapped.games.lanes.num_players == task.players).all()
    games.close()


def test_tasks_are_found_by_name_and_title() -> None:
    assert find_task("dune-duel") is find_task("dune-duel-v1") is TASKS["dune-duel"]
    options = TASKS["dune-duel"].game_options()
    preset = dict(TASKS["dune-duel"].load_game().preset("duel"))
    assert preset.pop("num_players") == TASKS["dune-duel"].players
    assert {name: options[name] for name in preset} == preset
    assert "num_players" not in options
    with pytest.raises(ValueError, match=r"task: expected one of dunaia-2-v1, .*, got 'dunaia-5'"):
        find_task("dunaia-5")


def matches(strengths: NDArray[np.float64], players: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Expected shares and numbers of games of all pairs."""
    shares = expected_shares(strengths[:, None], strengths[None, :], players)
    games = np.full(shares.shape, 500.0)
    np.fill_diagonal(games, 0)
    return shares, np.triu(games) if players == 2 else games


@pytest.mark.parametrize("players", [2, 3, 6])
def test_strengths_are_recovered(players: int) -> None:
    close = STRENGTHS / 3
    assert fit_references(*matches(close, players), players) == pytest.approx(close, abs=0.03)
    for strength in (-1.0, 0.5, 2.2):
        shares = expected_shares(strength, close, players)
        assert float(strength_of(shares, close, players, 1e9)) == pytest.approx(strength, abs=1e-6)


def test_the_ends_of_the_scale_are_random_and_the_champion() -> None:
    assert (PLANTED.scaled(0.0), PLANTED.scaled(8.0), PLANTED.scaled(4.0)) == (0, 100, 50)
    never = place_of({name: np.zeros(200) for name in REFERENCES}, PLANTED, 2)
    assert never.scale.value < 0
    always = place_of({name: np.ones(200) for name in REFERENCES}, PLANTED, 2)
    assert always.scale.value > 100


def drawn_blocks(strength: float, random: np.random.Generator, blocks: int) -> dict[str, NDArray[np.float64]]:
    """Win shares in blocks of two games against each reference."""
    chances = expected_shares(strength, STRENGTHS, 2)
    return {name: random.binomial(2, chance, blocks) / 2 for name, chance in zip(REFERENCES, chances, strict=True)}


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random, held = np.random.default_rng(5), 0
    for seed in range(100):
        strength = float(random.uniform(1.0, 8.0))
        found = place_of(drawn_blocks(strength, random, 200), PLANTED, 2, seed=seed)
        held += found.scale.low <= PLANTED.scaled(strength) <= found.scale.high
    assert 88 <= held <= 100


def test_residuals_show_against_whom_the_place_is_wrong() -> None:
    random = np.random.default_rng(6)
    blocks = drawn_blocks(6.0, random, 2000)
    plain = place_of(blocks, PLANTED, 2)
    assert max(map(abs, plain.residuals.values())) < 0.04
    # This player beats greedy far more often than its other results say.
    odd = place_of(blocks | {"greedy": np.ones(2000)}, PLANTED, 2)
    assert odd.residuals["greedy"] > 0.25
    assert max(odd.residuals, key=lambda name: odd.residuals[name]) == "greedy"


def test_stored_references_belong_to_the_tasks() -> None:
    stored = read_references()
    assert set(stored) == set(HASHES)
    for title, found in stored.items():
        assert found.hash == HASHES[title]
        assert tuple(found.strengths) == find_task(title).references
        assert found.scaled(found.strengths["random"]) == 0
        assert found.scaled(found.strengths["champion"]) == 100
        assert min(found.strengths, key=lambda name: found.strengths[name]) == "random"


@pytest.mark.compiled
@pytest.mark.slow
def test_references_stand_where_their_own_matches_say() -> None:
    task = TASKS["dunaia-elites-2"]
    own = stored_references(task.title)
    for name in ("medium", "greedy", "champion"):
        found = scale.place(opponents.load(name), task, 400)
        assert found.scale.low - 5 <= own.scaled(own.strengths[name]) <= found.scale.high + 5, name


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[NamedTask]:
    """A small task with planted references."""
    task = NamedTask("planted", 1, "a test", "dunaia", 2, options={"elites": False, "max_rounds": 40})
    small = replace(task, references=("random", "greedy", "champion"))
    strengths = {"random": 0.0, "greedy": 1.0, "champion": 2.0}
    path = tmp_path / "references.json"
    write_references(path, [References("planted-v1", small.hash(), strengths, 10, {})])
    monkeypatch.setitem(TASKS, "planted", small)
    monkeypatch.setattr(scale, "STORED", path)
    monkeypatch.setattr(scale.read_references, "__defaults__", (path,))
    stored_references.cache_clear()
    yield small
    stored_references.cache_clear()


@pytest.mark.long
def test_a_training_on_a_task_is_judged_by_its_scale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = TASKS["dunaia-2"]
    words = ["--task", "dunaia-2", "--algorithms", "tests.test_benchmark_rl:Improving", "--budget", "2048"]
    more = ["--evaluations", "2", "--games", "4", "--seeds", "0", "1", "--out", str(tmp_path / "runs")]
    assert comparison.main([*words, *more]) == 0
    printed = capsys.readouterr().out
    assert "Task `dunaia-2-v1`: 2 players" in printed
    assert "scale: random 0, champion 100" in printed
    runs = read_results(tmp_path / "runs" / "benchmark.json")
    assert {(run.setting.task, run.task_hash) for run in runs} == {("dunaia-2-v1", task.hash())}
    assert set(runs[0].points[0].shares) == set(task.references)
    (row,) = summarise(runs)
    assert list(row.shares) == [SCALE, *task.references]
    # Random first, then greedy: the place rises.
    first, last = (results.score(runs[0], SCALE, point) for point in (0, -1))
    assert first < last


def test_what_a_task_sets_cannot_be_set_otherwise(planted: NamedTask, capsys: pytest.CaptureFixture[str]) -> None:
    for words, fault in (
        (["--players", "3"], "players: expected what planted-v1 sets, 2, got 3"),
        (["--opponents", "easy"], "opponents: expected what planted-v1 sets"),
        (["--max-rounds", "7"], "game_options: expected what planted-v1 sets"),
    ):
        assert comparison.main(["--task", "planted", *words]) == 2
        assert fault in capsys.readouterr().out.replace("\n", " ")
    assert comparison.main(["--task", "chess"]) == 2
    assert "task: expected one of dunaia-2-v1" in capsys.readouterr().out


def test_the_tasks_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert comparison.main(["--list"]) == 0
    printed = capsys.readouterr().out
    for title in HASHES:
        assert title in printed


def test_references_of_other_rules_are_refused(planted: NamedTask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TASKS, "planted", replace(planted, players=3))
    with pytest.raises(ScaleError, match=r"planted-v1: expected references with the hash \w{12}, got \w{12}"):
        scale.references_of(TASKS["planted"])
    with pytest.raises(ScaleError, match=r"task other-v1: expected one whose references are stored \(planted-v1\)"):
        stored_references("other-v1")


def test_files_of_references_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    path = tmp_path / "references.json"
    for content in ("{", "{}", json.dumps({"format": scale.FORMAT, "version": 9, "tasks": []})):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(ScaleError, match=r"references\.json: "):
            read_references(path)


@pytest.mark.compiled
def test_the_commands_measure_references_and_place_players(
    planted: NamedTask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "measured.json"
    references.main(references.Options(("planted",), games=20, out=out))
    measured = read_references(out)["planted-v1"]
    assert measured.hash == planted.hash()
    assert measured.strengths["random"] < measured.strengths["champion"]
    for first, second in itertools.permutations(planted.references, 2):
        assert measured.residuals[first][second] == pytest.approx(-measured.residuals[second][first])
    found = placing.main(placing.Options(("random", "greedy"), task="planted", games=8, jobs=1))
    assert list(found) == ["random", "greedy"]
    assert found["random"].scale.value < found["greedy"].scale.value
    assert "planted-v1: random is 0, the champion 100" in capsys.readouterr().out


def test_a_picture_of_the_scale_is_drawn(planted: NamedTask, tmp_path: Path) -> None:
    setting = Setting(
        players=2,
        game="dunaia",
        game_options=planted.game_options(),
        decisions=2048,
        evaluations=1,
        games=100,
        opponents=planted.references,
        threads=1,
        task=planted.title,
    )
    shares = [dict(zip(planted.references, values, strict=True)) for values in ((0.5, 0.2, 0.1), (0.8, 0.5, 0.2))]
    points = tuple(Point(1024 * number, float(number), float(number), one) for number, one in enumerate(shares))
    assert setting.scores == (SCALE,)
    assert replace(setting, task="").scores == planted.references
    runs = [replace(hand_made("one", seed, 0.1, 0.2), setting=setting, points=points) for seed in range(2)]
    assert plot(runs).startswith(b"\x89PNG")
    write_results(tmp_path, runs)
    assert read_results(tmp_path / results.RESULTS_FILE) == runs
    assert "| `one` |" in markdown(runs)


def test_fifty_rating_points_are_found_and_nothing_is_found_where_nothing_is() -> None:
    # Ratings of five trainings of two algorithms, which differ by 15 points between seeds.
    random, studies = np.random.default_rng(8), 150
    found = dict.fromkeys((0.0, 50.0), 0)
    for better in found:
        for seed in range(studies):
            first, second = random.normal(better, 15, (1, 5)), random.normal(0, 15, (1, 5))
            estimate = probability_of_improvement(first, second, samples=500, seed=seed)
            found[better] += bool(estimate.low > 0.5 or estimate.high < 0.5)
    assert found[50.0] >= 0.9 * studies
    assert found[0.0] <= 0.05 * studies + 4
