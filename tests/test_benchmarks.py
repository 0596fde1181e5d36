"""The benchmarks count what was decided, name what they left out, and write what the documentation reads."""

from __future__ import annotations

import itertools
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import decisions, dune, engine, measuring, peers
from benchmarks.measuring import Count, Row
from benchmarks.peers import DOORS, ENTRIES, OWN, Entry, Play, Skipped
from docs import measured, report_parts
from dunaia_env import GameState, Lanes
from dunaia_env.harness.state import View
from tests.clocks import Clock, set_clock

pytestmark = pytest.mark.once

QUICK = measuring.Arguments(seconds=0.01, repeats=2)
FREE = Play(lambda: Count(3, 1), 0, 0)


def entry(door: str, project: str) -> Entry:
    return next(entry for entry in ENTRIES if (entry.door, entry.project) == (door, project))


def absent(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)


# Measuring


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return set_clock(monkeypatch, measuring)


def test_a_rate_is_what_was_done_divided_by_the_time_that_passed(clock: Clock) -> None:
    def work() -> Count:
        clock.now += 0.5
        return Count(30, 2)

    assert measuring.per_second(work, 1.2) == (60, 4)
    assert clock.now == 1.5


def test_works_are_measured_in_turn_and_the_first_turn_is_not_counted(clock: Clock) -> None:
    order: list[str] = []

    def works(name: str) -> Any:
        def work() -> Count:
            order.append(name)
            clock.now += 1
            return Count(len(order), 0)

        return work

    rates = measuring.in_turn({"a": works("a"), "b": works("b")}, 1, 2)
    assert order == ["a", "b", "a", "b", "a", "b"]
    assert {name: [rate.decisions for rate in some] for name, some in rates.items()} == {"a": [3, 5], "b": [4, 6]}


def test_a_row_holds_the_median_and_the_ends() -> None:
    assert measuring.middle([5, 1, 2]) == {"value": 2, "lowest": 1, "highest": 5}


@pytest.mark.parametrize("options", [["--repeats", "0"], ["--seconds", "0"]])
def test_options_out_of_range_are_refused(monkeypatch: pytest.MonkeyPatch, options: list[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmark", *options])
    with pytest.raises(SystemExit, match="repeats: expected at least 1"):
        measuring.parse(measuring.Arguments, "benchmarks")


# Counting


class ShortGames:
    """An AEC environment of two agents whose games last five decisions; three of its actions are legal."""

    decisions = resets = 0

    def reset(self, seed: int | None = None) -> None:
        self.left, self.agents = 5, ["a", "b"]
        self.resets += 1

    def last(self) -> tuple[dict[str, Any], int, bool, bool, dict[str, Any]]:
        mask = np.array([0, 1, 0, 1, 1], np.int8) if self.left else np.zeros(5, np.int8)
        return {"action_mask": mask}, 0, not self.left, False, {}

    def step(self, action: int | None) -> None:
        if action is None:
            self.agents = self.agents[1:]
        else:
            assert action in (1, 3, 4)
            self.left -= 1
            self.decisions += 1


def test_an_aec_loop_counts_decisions_but_not_the_steps_of_agents_that_are_done() -> None:
    environment = ShortGames()
    work = engine.aec_work(environment)
    decisions, resets = environment.decisions, environment.resets
    count = work()
    assert count == (environment.decisions - decisions, environment.resets - resets)
    assert count.decisions + 2 * count.games == pytest.approx(500, abs=2)


def test_lanes_count_a_decision_for_each_lane_and_the_games_that_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {"steps": 0, "ended": 0}

    class Watched(Lanes):
        def step(self, actions: Any) -> None:
            super().step(actions)
            seen["steps"] += 1
            seen["ended"] += int(self.terminations.sum())

    monkeypatch.setattr(engine, "Lanes", Watched)
    monkeypatch.setattr(engine, "LANES", 16)
    work = engine.lanes_work(1)
    begin = dict(seen)
    counts = [work() for _ in range(30)]
    assert sum(count.decisions for count in counts) == 16 * (seen["steps"] - begin["steps"])
    assert sum(count.games for count in counts) == seen["ended"] - begin["ended"] > 0


@pytest.mark.parametrize("observed", [True, False])
def test_a_game_state_counts_what_was_applied(monkeypatch: pytest.MonkeyPatch, observed: bool) -> None:
    calls = {"apply_legal": 0, "observation": 0, "action_mask": 0}

    def watch(name: str) -> None:
        original = getattr(GameState, name)

        def counted(self: GameState, *arguments: Any) -> Any:
            calls[name] += 1
            return original(self, *arguments)

        monkeypatch.setattr(GameState, name, counted)

    for name in calls:
        watch(name)
    play = peers.state(observed)
    begin = dict(calls)
    count = play.work()
    done = {name: calls[name] - begin[name] for name in calls}
    assert count == (done["apply_legal"], 1)
    assert count.decisions > 10
    assert done["observation"] == done["action_mask"] == (count.decisions if observed else 0)
    assert (play.observation > 0) is (play.mask > 0) is observed


class DiceRace:
    """A state as OpenSpiel's: a roll, then a decision, four times."""

    def __init__(self, log: list[str]) -> None:
        self.log = log
        self.moves = 0

    def is_terminal(self) -> bool:
        return self.moves == 8

    def is_chance_node(self) -> bool:
        return self.moves % 2 == 0

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(10, 0.5), (11, 0.5)]

    def legal_actions(self) -> list[int]:
        return [0, 2]

    def current_player(self) -> int:
        return 0

    def apply_action(self, action: int) -> None:
        assert action in ([10, 11] if self.is_chance_node() else [0, 2])
        self.log.append("chance" if self.is_chance_node() else "decision")
        self.moves += 1


@pytest.mark.parametrize("observed", [True, False])
def test_open_spiels_chance_nodes_are_not_decisions(monkeypatch: pytest.MonkeyPatch, observed: bool) -> None:
    log: list[str] = []
    observations: list[int] = []
    game = SimpleNamespace(new_initial_state=lambda: DiceRace(log), num_distinct_actions=lambda: 3)
    observation = SimpleNamespace(set_from=lambda state, player: observations.append(player), tensor=np.zeros(7))
    modules = {
        "pyspiel": {"load_game": lambda name: game},
        "open_spiel": {},
        "open_spiel.python": {},
        "open_spiel.python.observation": {"make_observation": lambda game: observation},
    }
    for name, content in modules.items():
        module = ModuleType(name)
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, module)
    play = peers.open_spiel("race", observed)
    log.clear(), observations.clear()
    assert play.work() == (4, 1)
    assert log == ["chance", "decision"] * 4
    assert len(observations) == (4 if observed else 0)
    assert (play.observation, play.mask) == ((7, 3) if observed else (0, 0))


@pytest.mark.parametrize(("number", "outcome"), [(0.0, 5), (0.24, 5), (0.25, 6), (0.49, 6), (0.5, 7), (0.999, 7)])
def test_outcomes_are_drawn_by_their_probabilities(number: float, outcome: int) -> None:
    assert peers.drawn([(5, 0.25), (6, 0.25), (7, 0.5)], number) == outcome


def test_probabilities_that_do_not_quite_sum_to_one_still_give_an_outcome() -> None:
    assert peers.drawn([(5, 0.3), (6, 0.3), (7, 0.3)], 0.95) == 7


def test_a_mask_has_only_the_legal_actions_of_the_last_list() -> None:
    mask = np.ones(4, np.int8)
    peers.mark(mask, [0, 3])
    assert mask.tolist() == [1, 0, 0, 1]


def test_catanatrons_actions_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Game:
        def __init__(self, players: list[object], seed: int) -> None:
            assert len(players) == 2
            self.state = SimpleNamespace(actions=[])

        def play(self) -> None:
            self.state.actions += ["roll", "end turn", "roll"]

    module = ModuleType("catanatron")
    module.__dict__.update(Game=Game, RandomPlayer=str, Color=SimpleNamespace(RED="red", BLUE="blue"))
    monkeypatch.setitem(sys.modules, "catanatron", module)
    assert peers.catanatron().work() == (3, 1)


def test_one_seat_counts_its_own_decisions_and_the_games() -> None:
    class Environment:
        action_space = SimpleNamespace(n=9)
        left = 0

        def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
            assert self.left == 0
            self.left = 4
            return np.zeros((2, 3)), {"legal": [4, 5]}

        def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            assert action in (4, 5)
            self.left -= 1
            return np.zeros((2, 3)), 0.0, self.left == 0, False, {"legal": [4, 5]}

    play = peers.one_seat(Environment(), 6, lambda info: info["legal"])
    assert (play.observation, play.mask) == (6, 9)
    assert play.work() == (100, 25)


# Projects that are missing


def test_a_project_that_is_missing_or_broken_is_named_and_the_rest_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken() -> Play:
        raise AttributeError("no attribute\nof this name")

    for module in ("jax", "catanatron"):
        absent(monkeypatch, module)
    missing = [entry("batch", "Pgx"), entry("state_bare", "Catanatron")]
    others = [Entry("state", OWN, "x", lambda: FREE), Entry("state", "Other", "y", broken)]
    rows, skipped = peers.measure(QUICK, [*missing, *others])
    assert [row.name for row in rows] == ["state/dunaia_env/x"]
    assert [(one.door, one.project) for one in skipped] == [
        *(("batch", "Pgx"), ("state_bare", "Catanatron"), ("state", "Other"))
    ]
    assert all("not installed" in one.reason for one in skipped[:2])
    assert skipped[2].reason == "AttributeError: no attribute"


def test_an_error_in_dunaia_env_is_not_hidden() -> None:
    def broken() -> Play:
        raise ImportError("gone")

    with pytest.raises(ImportError, match="gone"):
        peers.measure(QUICK, [Entry("batch", OWN, "x", broken)])


def test_what_was_skipped_is_named_once_for_each_project_and_reason() -> None:
    skipped = [
        Skipped("batch", "Pgx", "chess", "not installed"),
        Skipped("batch", "Pgx", "go", "not installed"),
        Skipped("state", "OpenSpiel", "go", "broken"),
        Skipped("state_bare", "OpenSpiel", "go", "broken"),
    ]
    assert peers.left_out(skipped) == ["Pgx: chess, go (not installed)", "OpenSpiel: go (broken)"]


# Rows and results


def test_every_row_has_a_name_of_its_own_and_a_door() -> None:
    assert len({entry.name for entry in ENTRIES}) == len(ENTRIES)
    assert {entry.door for entry in ENTRIES} == set(DOORS)


def test_rows_are_compared_with_dunaia_envs() -> None:
    row = peers.PeerRow("n", 50, "decisions/s", 8, 1, 40, 60, "batch", OWN, "g", 2.5, 0, 7)
    texts = peers.cells([row, replace(row, project="Other", value=10, observation=1000)])
    assert dict(zip(peers.HEADS, texts[1], strict=True)) == {
        "project": "Other",
        "game": "g",
        "decisions/s": "10",
        "lowest to highest": "40 to 60",
        "against dunaia_env": "0.2",
        "games/s": "2.5",
        "observation": "1,000",
        "mask": "7",
        "games at once": "8",
        "threads": "1",
    }
    assert [text[4] for text in peers.cells([replace(row, project="Other")])] == ["-"]


def test_dune_is_compared_with_connect_four() -> None:
    row = peers.PeerRow("n", 5000, "decisions/s", 8, 1, 40, 60, dune.BARE, OWN, "duel", 2.5, 0, 7)
    peer = replace(row, game=dune.PEER, project="PettingZoo", door=dune.AEC, value=100)
    assert dune.cells([peer, row]) == [
        (dune.PEER, dune.AEC, "100", "1.0", "-"),
        ("duel", dune.BARE, "5,000", "50.0", "40"),
    ]
    assert dune.cells([row]) == [("duel", dune.BARE, "5,000", "-", "40")]


@pytest.mark.compiled
def test_dunes_rows_are_of_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "LANES", 4)
    monkeypatch.setattr(engine, "GAMES", 2)
    rows = [entry for entry in dune.ENTRIES if entry.game == "full, 6 players"]
    counts = {entry.door: entry.prepare().work() for entry in rows}
    assert counts[dune.OBSERVED].decisions == 20 * 4
    assert counts[dune.BARE].games == 2
    assert counts[dune.BARE].decisions > 200
    assert counts[dune.AEC].decisions > 400


def own_rows() -> list[Entry]:
    return [entry for entry in ENTRIES if entry.project == OWN]


def test_the_command_writes_what_the_documentation_reads(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    absent(monkeypatch, "jax")
    path = tmp_path / "peers.json"
    monkeypatch.setattr(sys, "argv", ["peers", "--json", str(path), "--seconds", "0.01", "--repeats", "1"])
    monkeypatch.setattr(peers, "ENTRIES", (*own_rows(), entry("batch", "Pgx")))
    peers.main()
    printed = capsys.readouterr().out
    assert "skipped: Pgx: backgammon (not installed: " in printed

    results = json.loads(path.read_text(encoding="utf-8"))
    assert set(results) == {"machine", "versions", "rows", "skipped"}
    assert len(results["rows"]) == len(own_rows())
    for row in results["rows"]:
        assert 0 < row["lowest"] <= row["value"] <= row["highest"]
    monkeypatch.setattr(measured, "PEERS", path)
    page = measured.peers()
    for row in results["rows"]:
        assert f"### {DOORS[row['door']].title}\n" in page
        assert f"| {row['value']:,.0f} |" in page
    assert "Not measured: Pgx: backgammon (not installed: " in page


def test_decisions_are_counted_from_what_each_seat_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int, list[int]]] = []

    class Last:
        """Takes the last legal action, and keeps what it saw."""

        name, version = "last", "1"

        def reset(self, seed: int) -> None: ...

        def act(self, view: View) -> int:
            seen.append((view.seat, len(view.legal_actions()), view.observation().tolist()))
            return view.legal_actions()[-1]

    monkeypatch.setattr(decisions, "load", lambda name, game: Last())
    counts = decisions.count("dune", "plain", {"preset": "plain", "num_players": 3, "max_turns": 3}, games=1)
    changed = []
    for seat in range(3):
        rows = [row for other, _, row in seen if other == seat]
        changed += [sum(a != b for a, b in zip(*pair, strict=True)) for pair in itertools.pairwise(rows)]
    assert counts.decisions == len(seen) > 20
    assert counts.legal == round(sum(legal for _, legal, _ in seen) / len(seen), 2)
    assert counts.nonzero == round(sum(len(row) - row.count(0) for _, _, row in seen) / len(seen), 2)
    assert counts.changed == round(sum(changed) / len(changed), 2)


def test_stored_counts_are_those_of_the_tables() -> None:
    rows = json.loads(report_parts.DECISIONS.read_text(encoding="utf-8"))["rows"]
    assert rows == [asdict(decisions.Counts(**row)) for row in rows]
    assert [(row["game"], row["table"]) for row in rows] == [table[:2] for table in decisions.TABLES]


@pytest.mark.parametrize("path", [measured.RESULTS, measured.PEERS], ids=lambda path: path.name)
def test_stored_results_have_the_form_of_the_code(path: Path) -> None:
    results = json.loads(path.read_text(encoding="utf-8"))
    kind: Any = Row if path == measured.RESULTS else peers.PeerRow
    assert results["rows"] == [asdict(kind(**row)) for row in results["rows"]]
    assert results["machine"].keys() == measuring.machine().keys()


# The projects themselves, where they are installed


@pytest.mark.parametrize(
    ("module", "door", "project"),
    [
        ("pyspiel", "state", "OpenSpiel"),
        ("pyspiel", "state_bare", "OpenSpiel"),
        ("pgx", "batch", "Pgx"),
        ("pygame", "aec_wrapped", "PettingZoo"),
        ("pygame", "aec_raw", "PettingZoo"),
    ],
)
def test_games_of_connect_four_last_7_to_42_decisions(
    monkeypatch: pytest.MonkeyPatch, module: str, door: str, project: str
) -> None:
    pytest.importorskip(module)
    monkeypatch.setattr(peers, "PGX_BATCHES", (16,))
    name = f"{door}/{project}/connect four"
    (row,), skipped = peers.measure(QUICK, [entry for entry in ENTRIES if entry.name == name])
    assert not skipped
    assert 7 <= row.value / row.games_per_second <= 42
