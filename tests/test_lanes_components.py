"""Lanes of several component files: each plays exactly what lanes of its file alone play."""

from __future__ import annotations

import copy
import functools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dunaia_env import GameState, Lanes
from dunaia_env.arena.luck import EvaluationValuer
from dunaia_env.dunaia.components import Components, load, parse
from dunaia_env.envs.vector import DunaiaVectorEnv
from dunaia_env.harness.compiled.features import describe_lanes
from dunaia_env.harness.compiled.lane import LANE_DTYPE
from dunaia_env.harness.compiled.rewards import REWARDS
from dunaia_env.harness.lanes import stack_components
from dunaia_env.harness.opponents import GreedyAgent
from tests.test_components import changed
from tests.test_lanes import assert_same, shown

LANES = 12


@functools.cache
def files() -> tuple[Components, ...]:
    """The game's own file, one in which all are rich, and one with quick buildings and other scores."""
    rich = parse(changed("flowers = 2\ntokens", "flowers = 7\ntokens"), "rich")
    quick = parse(changed("level_points = [1, 2, 3]", "level_points = [3, 0, 9]"), "quick")
    return load(), rich, quick


def together(**options: Any) -> Lanes:
    """Lane i plays file ``i % 3``."""
    players = [2 + lane // 3 % 3 for lane in range(LANES)]
    return Lanes(LANES, components=files(), num_players=players, max_rounds=4, **options)


def apart(**options: Any) -> list[Lanes]:
    """The same lanes, those of each file by themselves."""
    players = [2 + lane % 3 for lane in range(LANES // 3)]
    return [Lanes(LANES // 3, components=file, num_players=players, max_rounds=4, **options) for file in files()]


def seeds_of(number: int) -> list[int]:
    return [100 + lane for lane in range(LANES) if lane % 3 == number]


def assert_equal(lanes: Lanes, single: list[Lanes]) -> None:
    for number, one in enumerate(single):
        own = range(number, LANES, 3)
        assert_same(shown(lanes, list(own)), shown(one))
        for place, lane in enumerate(own):
            assert lanes.components_of(lane).hash == files()[number].hash
            if one.seats[place] >= 0:
                assert lanes.get_state(lane) == one.get_state(place)


def step_all(lanes: Lanes, single: list[Lanes], steps: int, change: Callable[[Lanes], Lanes] | None = None) -> Lanes:
    ends = 0
    for step in range(steps):
        if change and step == steps // 2:
            lanes = change(lanes)
        lanes.step(lanes.random_actions(5))
        for one in single:
            one.step(one.random_actions(5))
        ends += int(lanes.terminations.sum())
        assert_equal(lanes, single)
        if not lanes.autoreset and (over := np.flatnonzero(lanes.seats < 0)).size and step % 7 == 0:
            lanes.name_next_games(over)
            lanes.begin(over)
            for number, one in enumerate(single):
                mine = over[over % 3 == number] // 3
                one.name_next_games(mine)
                one.begin(mine)
    assert ends >= LANES
    return lanes


def by_snapshot(lanes: Lanes) -> Lanes:
    """Other lanes, continued from a snapshot, which does not tell in which row a file was."""
    other = Lanes(
        LANES,
        components=lanes.components,
        num_players=lanes.num_players.tolist(),
        max_rounds=4,
        reward=lanes.reward,
        autoreset=lanes.autoreset,
    )
    snapshot = lanes.snapshot()
    rows = snapshot["lanes"].view(LANE_DTYPE)["components_row"]
    assert not rows.any()
    rows[:] = 1
    other.restore(snapshot)
    return other


def by_pickle(lanes: Lanes) -> Lanes:
    restored: Lanes = pickle.loads(pickle.dumps(lanes))
    return restored


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("autoreset", [False, True])
@pytest.mark.parametrize("reward", REWARDS)
def test_lanes_of_three_files_play_what_three_lanes_of_one_file_play(
    reward: str, autoreset: bool, threads: int
) -> None:
    lanes, single = (
        together(reward=reward, autoreset=autoreset, threads=threads),
        apart(reward=reward, autoreset=autoreset),
    )
    lanes.reset([100 + lane for lane in range(LANES)])
    for number, one in enumerate(single):
        one.reset(seeds_of(number))
    assert_equal(lanes, single)
    assert len({file.hash for file in lanes.components}) == 3
    step_all(lanes, single, 260)


@pytest.mark.compiled
@pytest.mark.parametrize("change", [Lanes.clone, copy.deepcopy, by_pickle, by_snapshot])
def test_copies_keep_each_lanes_file(change: Callable[[Lanes], Lanes]) -> None:
    lanes, single = together(), apart()
    lanes.reset([100 + lane for lane in range(LANES)])
    for number, one in enumerate(single):
        one.reset(seeds_of(number))
    changed_lanes = step_all(lanes, single, 240, change)
    assert changed_lanes is not lanes


def test_random_seats_and_states_put_into_a_lane_follow_its_file() -> None:
    lanes, single = together(autoreset=False), apart(autoreset=False)
    for one in (lanes, *single):
        one.random_seats[:, 1:] = 1
        one.random_seeds[:] = 9
    lanes.reset([100 + lane for lane in range(LANES)])
    for number, one in enumerate(single):
        one.reset(seeds_of(number))
    assert_equal(lanes, single)
    for lane in range(3):
        state = GameState.new(3, components=files()[lane], num_players=2, max_rounds=4)
        lanes.set_state(lane, state)
        single[lane].set_state(0, state)
    assert_equal(lanes, single)
    rich, seen, needed = 1, *np.zeros((2, lanes.observation_size), np.int8)
    for seat in range(2):
        lanes.write_observation(rich, seat, seen)
        single[rich].write_observation(0, seat, needed)
        assert (seen == needed).all()
        assert (seen == lanes.get_state(rich).observation(seat)).all()


@pytest.mark.compiled
def test_kernels_over_lanes_read_each_lanes_file() -> None:
    lanes, single = together(), apart()
    lanes.reset([100 + lane for lane in range(LANES)])
    for number, one in enumerate(single):
        one.reset(seeds_of(number))
    everywhere, agent, meter = np.arange(LANES), GreedyAgent(), EvaluationValuer()
    differing = 0
    for _ in range(30):
        chosen = agent.act_batch(lanes, everywhere)
        assert chosen.tolist() == [agent.act(lanes.get_state(lane)) for lane in range(LANES)]
        luck, (features, phases) = meter.luck(lanes, chosen, everywhere), features_of(lanes)
        for number, one in enumerate(single):
            mine = np.arange(LANES // 3)
            own = agent.act_batch(one, mine)
            assert (own == chosen[number::3]).all()
            assert (meter.luck(one, own, mine) == luck[number::3]).all()
            own_features, own_phases = features_of(one)
            assert (own_features == features[number::3]).all()
            assert (own_phases == phases[number::3]).all()
            one.step(own)
        differing += int((luck != 0).any())
        lanes.step(chosen)
    assert differing


def features_of(lanes: Lanes) -> tuple[Any, Any]:
    features, phases = np.zeros((lanes.num_lanes, 4, 64)), np.zeros((lanes.num_lanes, 4), np.int64)
    lanes.call_kernel(describe_lanes, np.zeros(0), 0, np.arange(lanes.num_lanes), features, phases)
    return features, phases


def test_files_are_dealt_in_turn_and_the_same_file_is_held_once() -> None:
    own, rich, _ = files()
    again = parse(changed("flowers = 2\ntokens", "flowers = 7\ntokens"), "again")
    lanes = Lanes(5, components=[own, rich, again, None])
    assert [lanes.components_of(lane) for lane in range(5)] == [own, rich, again, own, own]
    assert len(lanes.components) == 4
    assert lanes._buffers.shape == (2, len(own.buffer))
    assert lanes._record["components_row"].tolist() == [0, 1, 1, 0, 0]
    assert Lanes(2).components == (own,)
    assert Lanes(1, components=[rich, own]).components == (rich,)
    buffers, rows = stack_components([rich, own, rich])
    assert rows.tolist() == [0, 1, 0]
    assert (buffers == [rich.buffer, own.buffer]).all()


def test_wrong_files_and_lanes_are_named() -> None:
    own, rich, _ = files()
    with pytest.raises(ValueError, match="components: expected at least one entry, got an empty sequence"):
        Lanes(2, components=[])
    with pytest.raises(ValueError, match=r"components: expected the path of a TOML file.*, got 5"):
        Lanes(2, components=[own, 5])
    lanes = Lanes(2, components=[own, rich])
    for wrong in (-1, 2, 0.0, True):
        with pytest.raises(ValueError, match=r"lane: expected an integer in 0\.\.1, got .*"):
            lanes.components_of(wrong)  # type: ignore[arg-type]
    lanes.reset(1)
    with pytest.raises(ValueError, match=rf"state: expected components {rich.hash}, got {own.hash}"):
        lanes.set_state(1, GameState.new(1))
    lanes.set_state(0, GameState.new(1))


def test_a_snapshot_of_other_files_is_refused_and_changes_nothing() -> None:
    own, rich, quick = files()
    lanes, other = Lanes(3, components=[own, rich, quick]), Lanes(3, components=[own, quick, quick])
    lanes.reset(1)
    other.reset(2)
    before, snapshot = shown(other), lanes.snapshot()
    assert snapshot["components"].shape == (3, 32)
    with pytest.raises(
        ValueError, match=rf"snapshot: components of lane 1: expected '{quick.hash}', got '{rich.hash}'"
    ):
        other.restore(snapshot)
    assert_same(before, shown(other))
    snapshot["components"][0] = 255
    with pytest.raises(ValueError, match=r"snapshot: components of lane 0: expected 'a7fc2b389f9682fb', got '.*'"):
        lanes.restore(snapshot)
    del snapshot["components"]
    with pytest.raises(ValueError, match=r"snapshot: components: expected uint8 .*, got NoneType"):
        lanes.restore(snapshot)


def test_a_vector_environment_takes_a_file_for_each_game() -> None:
    own, rich, _ = files()
    env = DunaiaVectorEnv(4, components=[own, rich], opponents=None)
    _, infos = env.reset(seed=3)
    assert [env.games.lanes.components_of(game) for game in range(4)] == [own, rich, own, rich]
    assert env.games.lanes.get_state(1) == GameState.new(int(infos["seed"][1]), components=rich)
    assert env.clone().games.lanes.get_state(1).components.hash == rich.hash
