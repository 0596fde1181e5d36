"""What lanes refuse: nothing that is handed to a public entrance lets a kernel read or write beyond its arrays."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dunaia_env import GameState, Lanes
from dunaia_env.harness.compiled.entry_points import MOST_OPTIONS
from dunaia_env.harness.compiled.lane import LANE_DTYPE
from dunaia_env.harness.opponents import load
from tests.clocks import HANGS

LANES = 5
FORKS = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here"
)
HUGE = 10**6


def begun(**options: Any) -> Lanes:
    lanes = Lanes(LANES, **({"num_players": [2, 3, 4], "elites": [False, True]} | options))
    lanes.reset(0)
    return lanes


def content_of(lanes: Lanes) -> dict[str, NDArray[Any]]:
    shown = {"masks": lanes.action_masks, "observations": lanes.observations, "legal": lanes.legal_actions}
    return lanes.snapshot() | {name: array.copy() for name, array in shown.items()}


ENTRANCES: dict[str, Callable[[Lanes, Any], object]] = {
    "step": lambda lanes, selected: lanes.step(np.zeros(len(selected), np.int64), selected),
    "begin": lambda lanes, selected: lanes.begin(selected),
    "name_next_games": lambda lanes, selected: lanes.name_next_games(selected),
    "stop": lambda lanes, selected: lanes.stop(selected),
    "random_actions": lambda lanes, selected: lanes.random_actions(0, selected),
    "call_kernel": lambda lanes, selected: lanes.call_kernel(lambda *_: None, np.zeros(1), 0, selected),
    "greedy": lambda lanes, selected: load("greedy").act_batch(lanes, selected),
}
TWICE_IS_WRONG = {"step", "begin", "name_next_games"}


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize(
    ("selected", "message"),
    [
        ([HUGE], f"selected: expected (different )?lanes in 0..4, got {HUGE} at 0"),
        ([0, LANES], "selected: expected (different )?lanes in 0..4, got 5 at 1"),
        ([0, 1, -1], "selected: expected (different )?lanes in 0..4, got -1 at 2"),
        (np.array([2**64 - 1], np.uint64), f"selected: .*, got {2**64 - 1} at 0"),
        ([0.5], r"selected: expected a list of lanes \(integers\), got shape \(1,\) of float64"),
        ([True, False], r"selected: expected a list of lanes.*, got shape \(2,\) of bool"),
        ([[0, 1]], r"selected: expected a list of lanes.*, got shape \(1, 2\) of int64"),
        (["0"], r"selected: expected a list of lanes.*, got shape \(1,\) of <U1"),
    ],
)
def test_lanes_that_do_not_exist_cannot_be_selected(entrance: str, selected: Any, message: str) -> None:
    lanes = begun()
    before = content_of(lanes)
    with pytest.raises(ValueError, match=message):
        ENTRANCES[entrance](lanes, selected)
    after = content_of(lanes)
    assert all((after[name] == value).all() for name, value in before.items())


@pytest.mark.parametrize("entrance", sorted(TWICE_IS_WRONG))
def test_a_lane_is_not_moved_twice_at_once(entrance: str) -> None:
    lanes = begun()
    before = content_of(lanes)
    with pytest.raises(ValueError, match=r"selected: expected different lanes in 0\.\.4, got 0 at 2"):
        ENTRANCES[entrance](lanes, [0, 3, 0])
    after = content_of(lanes)
    assert all((after[name] == value).all() for name, value in before.items())


def test_an_empty_selection_is_none() -> None:
    lanes = begun()
    before = content_of(lanes)
    lanes.step([], [])
    assert all((content_of(lanes)[name] == value).all() for name, value in before.items())


@pytest.mark.parametrize("selected", [(3, 1), np.array([3, 9, 1])[::2], np.array([3, 1], np.uint8)])
def test_a_selection_may_be_any_sequence_of_integers(selected: Any) -> None:
    lanes, other = begun(), begun()
    actions = lanes.random_actions(0)[[3, 1]]
    lanes.step(actions, selected)
    other.step(actions, np.array([3, 1]))
    assert all((content_of(other)[name] == value).all() for name, value in content_of(lanes).items())


@pytest.mark.parametrize("kind", ["b", "B", "h", "H", "i", "I", "l", "L", "q", "Q"])
def test_actions_may_be_of_any_integer_type(kind: str) -> None:
    lanes, other = begun(elites=False), begun(elites=False)
    actions = lanes.random_actions(0)
    assert actions.max() < 127
    lanes.step(actions.astype(kind))
    other.step(actions)
    assert all((content_of(other)[name] == value).all() for name, value in content_of(lanes).items())


@pytest.mark.parametrize(
    "action", [-1, -128, 2**31, -(2**31), 2**32, 2**32 + 6, 2**63 - 1, -(2**63), 2**63, 2**63 + 6, 2**64 - 1, HUGE]
)
def test_an_action_beyond_the_table_is_illegal(action: int) -> None:
    lanes = begun()
    actions = np.array([action] * LANES, np.uint64 if action >= 2**63 else np.int64)
    before = content_of(lanes)
    with pytest.raises(ValueError, match=rf"lane 0: action {action} is not legal"):
        lanes.step(actions)
    assert all((content_of(lanes)[name] == value).all() for name, value in before.items())


def test_what_decides_about_legality_cannot_be_written() -> None:
    lanes = begun()
    illegal = int(np.flatnonzero(lanes.action_masks[0] == 0)[0])
    lanes.action_masks[:] = 1  # the caller's copy of what is legal, to be written as one likes
    with pytest.raises(ValueError, match="lane 0"):
        lanes.step([illegal], [0])
    for name in ("seats", "num_players", "legal_counts", "legal_actions", "decisions", "game_seeds", "terminations"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(lanes, name)[:] = 0
    for name in ("random_seats", "random_seeds"):
        getattr(lanes, name)[:] = 0


@pytest.mark.parametrize(
    ("lane", "seat", "out", "message"),
    [
        (HUGE, 0, np.int8, f"lane: expected an integer in 0..4, got {HUGE}"),
        (-1, 0, np.int8, r"lane: expected an integer in 0\.\.4, got -1"),
        (0.0, 0, np.int8, r"lane: expected an integer in 0\.\.4, got 0\.0"),
        (True, 0, np.int8, r"lane: expected an integer in 0\.\.4, got True"),
        (0, 2, np.int8, "seat: expected an integer in 0..1, got 2"),
        (0, HUGE, np.int8, f"seat: .*, got {HUGE}"),
        (0, -1, np.int8, r"seat: expected an integer in 0\.\.1, got -1"),
        (0, 0, np.int16, r"out: expected int8 \(\d+,\), got int16 \(\d+,\)"),
        (0, 0, None, r"out: expected int8 \(\d+,\), got int8 \(10,\)"),
    ],
)
def test_an_observation_is_written_for_a_seat_into_room_for_it(lane: Any, seat: int, out: Any, message: str) -> None:
    lanes = begun()
    array = np.zeros(10, np.int8) if out is None else np.zeros(lanes.observation_size, out)
    with pytest.raises(ValueError, match=message):
        lanes.write_observation(lane, seat, array)


@pytest.mark.parametrize("seed", [-1, 2**32, 0.5, True, "1", None])
def test_random_actions_need_a_seed(seed: Any) -> None:
    with pytest.raises(ValueError, match=f"seed: expected an integer in 0..4294967295, got {seed!r}"):
        begun().random_actions(seed)


def test_rows_of_a_kernel_are_as_many_as_the_lanes() -> None:
    with pytest.raises(ValueError, match="rows: expected 2, one for each selected lane, got 3"):
        begun().call_kernel(lambda *_: None, np.zeros(1), 0, [0, 1], np.zeros(3))


def spoilt(name: str, change: Callable[[NDArray[Any]], object]) -> Callable[[dict[str, NDArray[Any]]], object]:
    return lambda snapshot: change(snapshot[name])


def record(field: str, value: int) -> Callable[[dict[str, NDArray[Any]]], object]:
    return spoilt("lanes", lambda lanes: lanes.view(LANE_DTYPE)[1, 0].__setattr__(field, value))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda snapshot: snapshot.pop("states"), "snapshot: states: expected uint8 .*, got NoneType"),
        (
            lambda snapshot: snapshot.update(states=snapshot["states"][:3]),
            r"snapshot: states: expected uint8 \(5.*, got uint8 \(3, \d+\)",
        ),
        (lambda snapshot: snapshot.update(lanes=snapshot["lanes"].astype(np.int8)), "snapshot: lanes: .*, got int8"),
        (lambda snapshot: snapshot.update(rewards=np.zeros(1)), "snapshot: rewards: .*, got float64"),
        (spoilt("states", lambda states: states[2].fill(127)), "snapshot: lane 2: "),
        (spoilt("states", lambda states: states[2].fill(0)), "snapshot: lane 2: "),
        (
            spoilt("states", lambda states: states.__setitem__(0, states[1])),
            "snapshot: lane 0 has seat . and 2 players",
        ),
        (record("num_players", 100), "snapshot: num_players of lane 1: expected 3, got 100"),
        (
            record("options", [3, 0, 100, *[0] * (MOST_OPTIONS - 3)]),
            r"snapshot: options of lane 1: expected \[3, 1, 100, .*, got \[3, 0, .*",
        ),
        (record("restart", 0), "snapshot: restart of lane 1: expected 1, got 0"),
        (record("seat", 3), "snapshot: lane 1 has seat 3 and 3 players"),
        (record("seed", -1), r"snapshot: seed of lane 1: expected 0\.\.\d+, got -1"),
        (record("ended", 2), r"snapshot: ended of lane 1: expected 0\.\.1, got 2"),
    ],
)
def test_a_snapshot_that_is_none_is_refused_and_changes_nothing(change: Any, message: str) -> None:
    lanes = begun()
    before, snapshot = content_of(lanes), lanes.snapshot()
    change(snapshot)
    with pytest.raises(ValueError, match=message):
        lanes.restore(snapshot)
    assert all((content_of(lanes)[name] == value).all() for name, value in before.items())


def test_a_snapshot_taken_before_the_first_game_is_one() -> None:
    lanes = Lanes(2)
    snapshot = lanes.snapshot()
    lanes.reset(0)
    lanes.restore(snapshot)
    assert (lanes.seats == -1).all()
    assert not lanes.action_masks.any()


def test_pickles_of_another_layout_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    lanes, state = begun(), GameState.new(0)
    written, of_state = pickle.dumps(lanes), pickle.dumps(state)
    assert (content_of(pickle.loads(written))["states"] == content_of(lanes)["states"]).all()
    assert pickle.loads(of_state) == state
    monkeypatch.setitem(vars(lanes.game), "state_hash", "0" * 16)
    with pytest.raises(ValueError, match=r"lanes: expected state and lane layouts .*, got \('[0-9a-f]{16}', '"):
        pickle.loads(written)
    with pytest.raises(ValueError, match=r"state: expected layout 0{16}, got [0-9a-f]{16}"):
        pickle.loads(of_state)


@contextmanager
def a_thread_at_work(lanes: Lanes) -> Iterator[None]:
    """Keep a thread inside a call of the lanes."""
    entered, leave = threading.Event(), threading.Event()

    def wait(*_: Any) -> None:
        entered.set()
        assert leave.wait(HANGS)

    working = threading.Thread(target=lanes.call_kernel, args=(wait, np.zeros(1), 0, [0]))
    working.start()
    try:
        assert entered.wait(HANGS)
        yield
    finally:
        leave.set()
        working.join()


def test_a_second_thread_is_refused() -> None:
    lanes = begun()
    before = lanes.action_masks.copy()
    with a_thread_at_work(lanes):
        for refused in (
            lambda: lanes.step(lanes.legal_actions[:, 0]),
            lambda: lanes.begin(),
            lambda: lanes.random_actions(0),
            lambda: lanes.get_state(0),
            lambda: lanes.snapshot(),
            lambda: copy.deepcopy(lanes),
        ):
            with pytest.raises(RuntimeError, match="another thread is using them; give each thread lanes of its own"):
                refused()
    assert (lanes.action_masks == before).all()
    lanes.step(lanes.random_actions(0))


def played_on(lanes: Lanes) -> bytes:
    for _ in range(3):
        lanes.step(lanes.random_actions(0))
    return content_of(lanes)["states"].tobytes()


def in_a_forked_child(lanes: Lanes) -> bytes:
    context = multiprocessing.get_context("fork")
    answers, of_child = context.Pipe(duplex=False)
    child = context.Process(target=lambda: of_child.send_bytes(played_on(lanes)), daemon=True)
    child.start()
    try:
        assert answers.poll(HANGS), "the child hangs"
        return answers.recv_bytes()
    finally:
        child.kill()


@FORKS
def test_a_forked_child_plays_on_with_threads_of_its_own() -> None:
    lanes = begun(threads=2)
    for _ in range(3):
        lanes.step(lanes.random_actions(0))
    assert lanes._threads._executor is not None
    assert in_a_forked_child(lanes) == played_on(lanes)


@FORKS
def test_a_child_made_while_a_thread_is_at_work_uses_its_lanes() -> None:
    lanes = begun()
    with a_thread_at_work(lanes):
        assert in_a_forked_child(lanes)


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.fill(0),
        lambda state: state.fill(127),
        lambda state: state.fill(255),
        lambda state: np.random.default_rng(0).shuffle(state),
    ],
)
def test_bytes_that_are_no_state_are_refused(change: Any) -> None:
    state = np.frombuffer(GameState.new(0).to_bytes(), np.uint8).copy()
    assert GameState(state).to_bytes() == state.tobytes()
    change(state)
    with pytest.raises(ValueError, match=r"\S"):
        GameState(state)


def test_every_changed_byte_of_a_state_is_noticed_or_makes_another_state() -> None:
    original = GameState.new(4, num_players=3, elites=True)
    content = np.frombuffer(original.to_bytes(), np.uint8)
    noticed = 0
    for place in range(len(content)):
        changed = content.copy()
        changed[place] ^= 1 << (place % 8)
        try:
            state = GameState(changed)
        except ValueError:
            noticed += 1
        else:
            assert GameState.from_dict(state.to_dict()).to_bytes() == state.to_bytes()
            assert state.legal_actions()
    assert noticed > 0.9 * len(content)


@pytest.mark.parametrize("elites", ["no", 1, 0, None, 2.0])
def test_elites_is_a_bool(elites: Any) -> None:
    message = re.escape(f"elites: expected True or False, got {elites!r}")
    for make in (lambda: Lanes(1, elites=elites), lambda: GameState.new(0, elites=elites)):
        with pytest.raises(ValueError, match=message):
            make()
