"""The suite of endgames: its file, what is measured with it, and how it is made."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dunaia_env.analysis.exact import solve
from dunaia_env.harness.opponents import RandomAgent, View
from dunaia_env.harness.state import GameState
from training.benchmark.endgames import __main__ as command, making, positions, suite
from training.benchmark.endgames.suite import EndgamesError, Suite, check, measure, read_suite, write_suite

pytestmark = pytest.mark.compiled

# Endgames of the shipped suite that the fast tests use.
SOME = 12


@pytest.fixture(scope="module")
def shipped() -> Suite:
    return read_suite()


@pytest.fixture
def some(shipped: Suite) -> Suite:
    return replace(shipped, endgames=shipped.endgames[:: len(shipped.endgames) // SOME][:SOME])


class Perfect(RandomAgent):
    """Takes the best action, or with ``worst`` the worst one."""

    name = "perfect"

    def __init__(self, worst: bool = False) -> None:
        super().__init__()
        self.worst = worst

    def act(self, view: View | GameState) -> int:
        solution = solve(GameState.from_dict(view.to_dict()))
        assert solution is not None
        return max(solution.values, key=solution.regret) if self.worst else solution.best[-1]


def test_something_is_at_stake_in_every_shipped_endgame(shipped: Suite) -> None:
    assert len(shipped.endgames) == 1000
    for endgame in shipped.endgames:
        assert max(endgame.values) - min(endgame.values) >= positions.LEAST_AT_STAKE
        assert all(0 <= value <= 1 for value in endgame.values)
        assert set(endgame.players) <= set(positions.AGENTS)
    assert len({json.dumps(endgame.state, sort_keys=True) for endgame in shipped.endgames}) == 1000
    decisions = {endgame.state["decision"] for endgame in shipped.endgames}
    assert {"CHOOSE_DIE", "AWAKEN", "RECYCLE", "MOVE"} <= decisions


def test_some_shipped_endgames_have_their_values(shipped: Suite, some: Suite) -> None:
    for number in range(len(some.endgames)):
        check(some, number)


@pytest.mark.slow
def test_all_shipped_endgames_have_their_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(command.Options(verify=True)) == []
    assert "1,000 endgames have the stored values" in capsys.readouterr().out


def test_a_changed_value_is_noticed(some: Suite) -> None:
    wrong = tuple(1 - value for value in some.endgames[0].values)
    changed = replace(some, endgames=(replace(some.endgames[0], values=wrong), *some.endgames[1:]))
    with pytest.raises(EndgamesError, match=r"endgame 0, .*: expected [\d.]+, got [\d.]+"):
        check(changed, 0)
    with pytest.raises(EndgamesError, match="endgame 1: more than 1 positions"):
        check(replace(some, endgames=some.endgames[:1] * 2), 1, most_positions=1)


def test_perfect_players_lose_nothing_and_others_do(some: Suite) -> None:
    perfect, worst = measure(Perfect(), some), measure(Perfect(worst=True), some)
    assert (perfect.regret.value, perfect.best.value) == (0.0, 1.0)
    lost = [max(endgame.values) - min(endgame.values) for endgame in some.endgames]
    assert worst.regret.value == pytest.approx(sum(lost) / SOME)
    assert worst.best.value == 0.0
    chance = measure(RandomAgent(), some, seed=3)
    assert chance == measure(RandomAgent(), some, seed=3)
    expected = [sum(max(one.values) - value for value in one.values) / len(one.values) for one in some.endgames]
    found = [measure(RandomAgent(), some, seed=seed).regret.value for seed in range(40)]
    assert sum(found) / len(found) == pytest.approx(sum(expected) / SOME, abs=0.06)


def test_a_suite_is_the_same_after_writing_and_reading(some: Suite, tmp_path: Path) -> None:
    write_suite(tmp_path / "some.jsonl", some)
    assert read_suite(tmp_path / "some.jsonl") == some


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda lines: [], "line 1: expected the header of dunaia-endgames, version 1"),
        (lambda lines: [lines[0] | {"version": 2}, *lines[1:]], "line 1: expected the header"),
        (lambda lines: [lines[0] | {"game": "go"}, *lines[1:]], "line 1: game"),
        (lambda lines: [lines[0] | {"components": "x"}, *lines[1:]], "line 1: components: expected .*, got 'x'"),
        (lambda lines: [*lines[:2], lines[2] | {"values": [0.5]}], "line 3: values: expected one for each of"),
        (lambda lines: [*lines[:2], lines[2] | {"state": {}}], "line 3: "),
        (lambda lines: [*lines[:2], {"state": lines[2]["state"]}], "line 3: "),
    ],
)
def test_faulty_files_are_refused(some: Suite, tmp_path: Path, change: object, fault: str) -> None:
    path = tmp_path / "some.jsonl"
    write_suite(path, some)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    changed = change(lines)  # type: ignore[operator]
    path.write_text("".join(json.dumps(line) + "\n" for line in changed), encoding="utf-8")
    with pytest.raises(EndgamesError, match=fault):
        read_suite(path)


def test_made_endgames_have_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "AGENTS", ("greedy", "easy"))
    made = making.make(making.Options(out=Path("unused"), endgames=2, jobs=1))
    assert len(made.endgames) == 2
    for number in range(2):
        check(made, number)


@pytest.mark.slow
def test_the_shipped_suite_is_made_by_its_command_whatever_the_workers(shipped: Suite) -> None:
    for jobs in (1, 2):
        made = making.make(making.Options(out=Path("unused"), endgames=3, jobs=jobs))
        assert made.endgames == shipped.endgames[:3]


def test_the_command_measures_agents(some: Suite, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_suite(tmp_path / "some.jsonl", some)
    options = command.Options(
        agents=("random", "greedy"), file=tmp_path / "some.jsonl", json=tmp_path / "results.json", jobs=1
    )
    results = command.main(options)
    assert [one.agent for one in results] == ["random", "greedy"]
    assert "12 endgames of dunaia" in capsys.readouterr().out
    count, stored = suite.read_results(tmp_path / "results.json")
    assert count == SOME
    assert {one.agent: one for one in stored} == {one.agent: one for one in results}
    (tmp_path / "results.json").write_text("{}")
    with pytest.raises(EndgamesError, match="expected format and version"):
        suite.read_results(tmp_path / "results.json")
