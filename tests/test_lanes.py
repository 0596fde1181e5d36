"""Many games at once: the same games whatever the batch, and exactly those of single states."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env import GameState, IllegalActionError, Lanes, Stream, dunaia
from dunaia_env.harness.compiled.chance import MAX_SEED, game_seed
from dunaia_env.harness.compiled.rewards import REWARDS, final_rewards

ARRAYS = (
    "observations",
    "action_masks",
    "legal_counts",
    "seats",
    "num_players",
    "terminations",
    "rewards",
    "final_scores",
    "final_ranks",
    "final_rounds",
    "final_decisions",
    "final_seeds",
    "max_rounds_reached",
    "decisions",
    "game_seeds",
)
# What tells about the last step; all else tells about the games.
OF_THE_STEP = ("terminations", "rewards")


def shown(lanes: Lanes, selected: Any = slice(None)) -> dict[str, Any]:
    """A copy of everything that lanes show."""
    content = {name: getattr(lanes, name)[selected].copy() for name in ARRAYS}
    legal = np.where(np.arange(lanes.num_actions) < lanes.legal_counts[:, None], lanes.legal_actions, -1)
    return {**content, "legal_actions": legal[selected]}


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    for name, value in one.items():
        assert (value == other[name]).all(), name


def make(num_lanes: int, **options: Any) -> Lanes:
    return Lanes(num_lanes, **{"num_players": [2, 3, 4], "elites": [False, True], "max_rounds": 5, **options})


def history(lanes: Lanes, seed: Any, steps: int = 260, keep: int = 6) -> list[dict[str, Any]]:
    """What the first lanes show during random play, some games long."""
    lanes.reset(seed)
    shows = [shown(lanes, slice(0, keep))]
    for _ in range(steps):
        lanes.step(lanes.random_actions(2))
        shows.append(shown(lanes, slice(0, keep)))
    return shows


def test_shapes_and_kinds_are_as_documented() -> None:
    lanes = make(5)
    lanes.reset(0)
    kinds = {
        "observations": (np.int8, (5, lanes.observation_size)),
        "action_masks": (np.int8, (5, 316)),
        "legal_actions": (np.int16, (5, 316)),
        "legal_counts": (np.int16, (5,)),
        "seats": (np.int8, (5,)),
        "num_players": (np.int8, (5,)),
        "terminations": (np.bool_, (5,)),
        "rewards": (np.float32, (5, 4)),
        "final_scores": (np.int32, (5, 4)),
        "final_ranks": (np.int8, (5, 4)),
        "final_rounds": (np.int16, (5,)),
        "final_decisions": (np.int32, (5,)),
        "final_seeds": (np.int64, (5,)),
        "max_rounds_reached": (np.bool_, (5,)),
        "decisions": (np.int32, (5,)),
        "game_seeds": (np.int64, (5,)),
    }
    for name, (dtype, shape) in kinds.items():
        array = getattr(lanes, name)
        assert (array.dtype, array.shape) == (dtype, shape), name
    assert (lanes.num_lanes, lanes.num_actions, lanes.max_players) == (5, 316, 4)
    assert lanes.num_players.tolist() == [2, 3, 4, 2, 3]


def test_arrays_are_rewritten_in_place() -> None:
    lanes = make(3)
    arrays = {name: getattr(lanes, name) for name in (*ARRAYS, "legal_actions")}
    lanes.reset(0)
    for _ in range(80):
        lanes.step(lanes.random_actions(0))
    lanes.restore(lanes.snapshot())
    for name, array in arrays.items():
        assert getattr(lanes, name) is array


@pytest.mark.compiled
def test_games_do_not_depend_on_the_size_of_the_batch() -> None:
    wanted = history(make(64), 5)
    for size in (6, 7, 13):
        for one, other in zip(wanted, history(make(size), 5), strict=True):
            assert_same(one, other)


@pytest.mark.compiled
def test_a_lane_alone_plays_the_same_games() -> None:
    wanted = history(make(7), 40, keep=7)
    for lane in range(7):
        alone = make(1, num_players=(2, 3, 4)[lane % 3], elites=bool(lane % 2))
        alone.reset(40 + lane)
        for step, show in enumerate(wanted):
            if step:
                alone.step(alone.random_actions(2))
            assert_same(shown(alone), {name: value[lane : lane + 1] for name, value in show.items()})


@pytest.mark.compiled
def test_games_do_not_depend_on_the_order_of_the_lanes() -> None:
    seeds = [11, 500, 3, MAX_SEED, 0, 77]
    wanted = history(make(6, num_players=3, elites=True), seeds)
    order = [4, 2, 0, 5, 1, 3]
    other = history(make(6, num_players=3, elites=True), [seeds[lane] for lane in order])
    for one, two in zip(wanted, other, strict=True):
        assert_same({name: value[order] for name, value in one.items()}, two)


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [2, 3, 100])
def test_games_do_not_depend_on_the_number_of_threads(threads: int) -> None:
    lanes = make(11, threads=threads)
    for one, other in zip(history(make(11), 5, keep=11), history(lanes, 5, keep=11), strict=True):
        assert_same(one, other)
    lanes.close()
    lanes.close()
    lanes.step(lanes.random_actions(0))  # threads come back when needed
    lanes.close()


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), [(2, False), (3, True), (4, True)])
def test_lanes_play_what_single_states_play(players: int, elites: bool) -> None:
    lanes = Lanes(3, num_players=players, elites=elites, max_rounds=12)
    lanes.reset(21)
    chances = [Stream(21 + lane) for lane in range(3)]
    states = [GameState.new(chance, num_players=players, elites=elites, max_rounds=12) for chance in chances]
    decisions, games = [0] * 3, [0] * 3
    for _ in range(500):
        for lane, state in enumerate(states):
            assert lanes.get_state(lane) == state
            assert lanes.seats[lane] == state.seat
            assert (lanes.observations[lane] == state.observation()).all()
            assert (lanes.action_masks[lane] == state.action_mask()).all()
            assert lanes.legal_actions[lane, : lanes.legal_counts[lane]].tolist() == state.legal_actions()
            assert lanes.decisions[lane] == decisions[lane]
            assert lanes.game_seeds[lane] == chances[lane].seed
        actions = lanes.random_actions(8)
        lanes.step(actions)
        for lane, state in enumerate(states):
            state.apply(int(actions[lane]), chances[lane])
            decisions[lane] += 1
            assert lanes.terminations[lane] == state.is_over
            if state.is_over:
                content = state.to_dict()
                assert lanes.final_scores[lane].tolist() == state.scores() + [0] * (4 - players)
                assert lanes.final_ranks[lane].tolist() == state.ranks() + [0] * (4 - players)
                assert lanes.final_rounds[lane] == content["round"]
                assert lanes.max_rounds_reached[lane] == content["truncated"]
                assert lanes.final_decisions[lane] == decisions[lane]
                assert lanes.final_seeds[lane] == chances[lane].seed
                games[lane] += 1
                decisions[lane] = 0
                chances[lane] = Stream(int(game_seed(21 + lane, 0, games[lane])))
                states[lane] = GameState.new(chances[lane], num_players=players, elites=elites, max_rounds=12)
    assert sum(games) >= 3


def test_the_seed_shown_names_the_game() -> None:
    lanes = make(3)
    lanes.reset(9)
    for _ in range(150):
        lanes.step(lanes.random_actions(0))
    assert (lanes.game_seeds[:2] > 1000).all()
    again = make(3)
    again.reset(lanes.game_seeds)
    for lane in range(3):
        new = GameState.new(
            int(lanes.game_seeds[lane]), num_players=(2, 3, 4)[lane], elites=bool(lane % 2), max_rounds=5
        )
        assert again.get_state(lane) == new
    assert (again.game_seeds == lanes.game_seeds).all()


@pytest.mark.compiled
def test_rows_with_autoreset_belong_to_the_next_game_when_a_game_ends() -> None:
    lanes = make(6)
    lanes.reset(1)
    ended = np.zeros(6, int)
    while ended.min() < 2:
        lanes.step(lanes.random_actions(0))
        for lane in np.flatnonzero(lanes.terminations):
            ended[lane] += 1
            assert lanes.decisions[lane] == 0
            assert lanes.seats[lane] >= 0
            assert lanes.game_seeds[lane] == game_seed(1 + lane, 0, ended[lane])
            assert lanes.final_seeds[lane] == game_seed(1 + lane, 0, ended[lane] - 1)
            assert lanes.get_state(lane).to_dict()["round"] == 1
            assert lanes.action_masks[lane].sum() == lanes.legal_counts[lane] >= 2
            assert lanes.rewards[lane].any() or len(set(lanes.final_ranks[lane][: lanes.num_players[lane]])) == 1
        assert not lanes.rewards[~lanes.terminations].any()


def test_without_autoreset_a_finished_lane_waits() -> None:
    lanes = make(6, autoreset=False)
    lanes.reset(1)
    over = np.zeros(6, bool)
    final: dict[int, Any] = {}
    while not over.all():
        actions = lanes.random_actions(0)
        actions[over] = -7  # ignored
        lanes.step(actions)
        assert not (lanes.terminations & over).any()
        for lane in np.flatnonzero(lanes.terminations):
            final[lane] = (lanes.final_scores[lane].copy(), lanes.final_decisions[lane], lanes.game_seeds[lane])
        over |= lanes.terminations
        assert ((lanes.seats == -1) == over).all()
        assert not lanes.action_masks[over].any()
        assert not lanes.observations[over].any()
        assert not lanes.legal_counts[over].any()
        assert not lanes.rewards[over & ~lanes.terminations].any()
    for lane, (scores, decisions, seed) in final.items():
        assert lanes.get_state(lane).is_over
        assert (lanes.final_scores[lane] == scores).all()
        assert lanes.final_decisions[lane] == decisions == lanes.decisions[lane]
        assert seed == 1 + lane
    lanes.step(np.zeros(6, int))
    assert not lanes.terminations.any()
    lanes.reset(2)
    assert (lanes.seats >= 0).all()


def test_before_the_first_reset_nobody_decides() -> None:
    lanes = make(2)
    assert lanes.seats.tolist() == [-1, -1]
    assert not lanes.action_masks.any()


@pytest.mark.compiled
@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_sum_to_zero_and_are_those_of_the_result(reward: str) -> None:
    lanes = make(12, reward=reward)
    lanes.reset(3)
    ended = 0
    while ended < 30:
        lanes.step(lanes.random_actions(0))
        assert np.abs(lanes.rewards.sum(axis=1)).max() < 1e-5
        over = np.flatnonzero(lanes.terminations)
        if len(over):
            wanted = final_rewards(reward, lanes.final_scores[over], lanes.final_ranks[over], lanes.num_players[over])
            assert (lanes.rewards[over] == wanted).all()
            absent = np.arange(4) >= lanes.num_players[:, None]
            assert not lanes.rewards[absent].any()
            ended += len(over)


def test_games_stopped_by_max_rounds_say_so() -> None:
    lanes = Lanes(4, max_rounds=2)
    lanes.reset(0)
    while not lanes.terminations.any():
        lanes.step(lanes.random_actions(0))
    ended = lanes.terminations
    assert lanes.max_rounds_reached[ended].all()
    assert (lanes.final_rounds[ended] == 2).all()


def test_an_illegal_action_names_its_lane_and_changes_nothing() -> None:
    lanes = make(5)
    lanes.reset(4)
    for _ in range(30):
        lanes.step(lanes.random_actions(0))
    before, snapshot = shown(lanes), lanes.snapshot()
    good = lanes.random_actions(0)
    illegal = int(np.flatnonzero(lanes.action_masks[3] == 0)[0])
    name = dunaia.action_text(illegal)
    for lane, action, message in [
        (3, illegal, rf"lane 3: action '{name}' \({illegal}\) is not legal for seat {lanes.seats[3]}"),
        (0, 316, "lane 0: action 316 is not legal"),
        (4, -1, "lane 4: action -1 is not legal"),
    ]:
        actions = good.copy()
        actions[lane] = action
        with pytest.raises(IllegalActionError, match=message):
            lanes.step(actions)
        assert_same(before, shown(lanes))
        for key, value in lanes.snapshot().items():
            assert (value == snapshot[key]).all()
    lanes.step(good)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_actions_beyond_32_bits_are_illegal(dtype: type) -> None:
    lanes = make(2)
    lanes.reset(4)
    actions = lanes.random_actions(0).astype(dtype)
    actions[1] += dtype(2**32)
    with pytest.raises(IllegalActionError, match="lane 1"):
        lanes.step(actions)


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.uint16])
def test_actions_may_be_of_any_integer_type(dtype: type) -> None:
    one, other = make(3), make(3)
    for lanes in (one, other):
        lanes.reset(4)
    actions = one.random_actions(0)
    one.step(actions)
    other.step(actions.astype(dtype))
    assert_same(shown(one), shown(other))
    other.step(other.random_actions(0).tolist())


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([6, 6, 6], "actions: expected (2,) of an integer type, got shape (3,) of int64"),
        (6, "actions: expected (2,) of an integer type, got shape () of int64"),
        ([[6, 6]], "actions: expected (2,) of an integer type, got shape (1, 2) of int64"),
        ([6.0, 6.0], "actions: expected (2,) of an integer type, got shape (2,) of float64"),
        ([True, True], "actions: expected (2,) of an integer type, got shape (2,) of bool"),
    ],
)
def test_actions_of_a_wrong_shape_or_kind_are_refused(actions: Any, message: str) -> None:
    lanes = Lanes(2)
    lanes.reset(0)
    with pytest.raises(ValueError, match=re.escape(message)):
        lanes.step(actions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_lanes": 0}, "num_lanes: expected at least 1.*, got 0"),
        ({"num_players": 1}, r"num_players: expected an integer in 2\.\.4, got 1"),
        ({"num_players": [2, 5]}, r"num_players: expected an integer in 2\.\.4, got 5"),
        ({"num_players": []}, "an empty sequence"),
        ({"elites": []}, "an empty sequence"),
        ({"max_rounds": 0}, r"max_rounds: expected an integer in 1\.\.1000, got 0"),
        ({"reward": "money"}, "reward: expected one of win, rank, score, got 'money'"),
        ({"threads": 0}, "threads: expected at least 1.*, got 0"),
        ({"components": "/no/such/file"}, "cannot be read"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Lanes(**{"num_lanes": 2, **options})


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (-1, "seed: expected an integer in.*, got -1"),
        (MAX_SEED + 1, "an integer in"),
        ([1], "seed: expected one for each of 2 lanes, got 1 seeds"),
        ([1, -1], "seed: expected an integer in.*, got -1"),
        ([1, 2.5], r"seed: expected an integer in.*, got 2\.5"),
        (True, "seed: expected an integer in.*, got True"),
    ],
)
def test_wrong_seeds_are_refused_and_change_nothing(seed: Any, message: str) -> None:
    lanes = Lanes(2)
    lanes.reset(7)
    before = shown(lanes)
    with pytest.raises(ValueError, match=message):
        lanes.reset(seed)
    assert_same(before, shown(lanes))


def test_the_largest_seed_is_allowed() -> None:
    lanes = Lanes(1)
    lanes.reset(MAX_SEED)
    assert lanes.get_state(0) == GameState.new(MAX_SEED)


def test_without_a_seed_the_games_differ() -> None:
    lanes = Lanes(2)
    lanes.reset()
    first = lanes.game_seeds.copy()
    lanes.reset()
    assert (lanes.game_seeds != first).all()
    assert (lanes.game_seeds < 2**53 + 2).all()


@pytest.mark.compiled
def test_random_actions_are_legal_and_named_by_seed_game_and_decision() -> None:
    one, other = make(9), make(4)
    for lanes in (one, other):
        lanes.reset(6)
    kinds = set()
    for step in range(200):
        actions = one.random_actions(step % 3)
        assert actions.dtype == np.int32
        assert (one.action_masks[np.arange(9), actions] == 1).all()
        assert (one.random_actions(step % 3) == actions).all()  # asking has no effect
        assert (other.random_actions(step % 3) == actions[:4]).all()
        assert (one.random_actions(step % 3, np.array([7, 2])) == actions[[7, 2]]).all()
        kinds.add(tuple(one.random_actions(seed)[0] for seed in range(3)))
        one.step(actions)
        other.step(actions[:4])
    assert sum(len(set(kind)) > 1 for kind in kinds) > 50
    for seed in (-1, 2**32):
        with pytest.raises(ValueError, match=rf"seed: expected an integer in 0\.\.4294967295, got {seed}"):
            one.random_actions(seed)


def test_random_actions_are_uniform() -> None:
    lanes = Lanes(1)
    lanes.reset(0)
    legal = lanes.legal_actions[0, : lanes.legal_counts[0]]
    counts = np.bincount([int(lanes.random_actions(seed)[0]) for seed in range(3000)], minlength=316)[legal]
    expected = 3000 / len(legal)
    assert counts.sum() == 3000
    assert ((counts - expected) ** 2 / expected).sum() < 30


def go_on(lanes: Lanes, steps: int = 90) -> list[dict[str, Any]]:
    shows = [shown(lanes)]
    for _ in range(steps):
        lanes.step(lanes.random_actions(5))
        shows.append(shown(lanes))
    return shows


def mid_game() -> Lanes:
    lanes = make(6, threads=2)
    lanes.reset(8)
    for _ in range(75):
        lanes.step(lanes.random_actions(0))
    return lanes


@pytest.mark.compiled
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda lanes: pickle.loads(pickle.dumps(lanes))])
def test_copies_go_on_alike_and_leave_the_original_alone(duplicate: Callable[[Lanes], Lanes]) -> None:
    lanes = mid_game()
    before = shown(lanes)
    twin = duplicate(lanes)
    assert_same(before, shown(twin))
    theirs = go_on(twin)
    assert_same(before, shown(lanes))
    for one, other in zip(go_on(lanes), theirs, strict=True):
        assert_same(one, other)


@pytest.mark.compiled
def test_a_snapshot_brings_everything_back() -> None:
    lanes = mid_game()
    snapshot = lanes.snapshot()
    first = go_on(lanes)
    lanes.restore(snapshot)
    for one, other in zip(first, go_on(lanes), strict=True):
        assert_same(one, other)
    elsewhere = make(6)
    elsewhere.reset(0)
    elsewhere.restore(snapshot)
    for one, other in zip(first, go_on(elsewhere), strict=True):
        assert_same(one, other)
    with pytest.raises(ValueError, match="snapshot: states"):
        make(5).restore(snapshot)


def test_a_snapshot_at_the_end_of_a_game_keeps_its_rewards() -> None:
    lanes = make(6)
    lanes.reset(0)
    while not lanes.terminations.any():
        lanes.step(lanes.random_actions(0))
    before, snapshot = shown(lanes), lanes.snapshot()
    go_on(lanes, 20)
    lanes.restore(snapshot)
    assert_same(before, shown(lanes))


def test_a_state_can_be_put_into_a_lane() -> None:
    chance = Stream(50)
    state = GameState.new(chance, num_players=3, max_rounds=7)
    for _ in range(40):
        state.apply(state.legal_actions()[-1], chance)
    lanes = Lanes(2, num_players=3, max_rounds=7)
    lanes.reset(50)
    other = lanes.get_state(1)
    lanes.set_state(0, state)
    assert lanes.get_state(0) == state
    assert lanes.get_state(1) == other
    assert lanes.num_players.tolist() == [3, 3]
    assert lanes.seats[0] == state.seat
    assert (lanes.observations[0] == state.observation()).all()
    assert (lanes.action_masks[0] == state.action_mask()).all()
    assert lanes.game_seeds[0] == 50
    # It goes on with the lane's own chance, here the same.
    while not lanes.terminations[0]:
        actions = lanes.random_actions(0)
        lanes.step(actions)
        state.apply(int(actions[0]), chance)
    assert state.is_over
    assert lanes.final_scores[0, :3].tolist() == state.scores()


def test_a_lanes_state_is_a_copy() -> None:
    lanes = make(2)
    lanes.reset(0)
    before = shown(lanes)
    state = lanes.get_state(0)
    state.apply(state.legal_actions()[0], 0)
    assert_same(before, shown(lanes))
    with pytest.raises(ValueError, match=r"lane: expected an integer in 0\.\.1, got 2"):
        lanes.get_state(2)


def test_players_and_variants_are_dealt_to_the_lanes_in_turn() -> None:
    lanes = Lanes(7, num_players=[4, 2], elites=[True, False, False])
    lanes.reset(0)
    for lane in range(7):
        state = lanes.get_state(lane)
        assert state.num_players == [4, 2][lane % 2]
        assert (state.decision == "DRAFT") == (lane % 3 == 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_lanes": 2.5}, r"num_lanes: expected at least 1 \(an integer\), got 2\.5"),
        ({"num_lanes": 1, "threads": 0}, r"threads: expected at least 1 \(an integer\), got 0"),
        ({"num_lanes": 1, "elites": "no"}, "elites: expected True or False, got 'no'"),
        ({"num_lanes": 1, "num_players": 2.0}, r"num_players: expected an integer in 2\.\.4, got 2\.0"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Lanes(**arguments)


def test_a_seed_that_is_no_integer_is_named() -> None:
    with pytest.raises(ValueError, match=r"seed: expected an integer in 0\.\.9223372036854775807, got 1\.5"):
        Lanes(1).reset(1.5)  # type: ignore[arg-type]


def test_a_number_of_players_may_be_a_numpy_integer() -> None:
    assert Lanes(1, num_players=np.int64(3)).num_players[0] == 3  # type: ignore[arg-type]


def test_a_state_of_another_table_or_an_ended_one_is_refused() -> None:
    lanes = Lanes(1)
    lanes.reset(1)
    with pytest.raises(ValueError, match="a game of 2 players that goes on, got 4 players"):
        lanes.set_state(0, GameState.new(1, num_players=4))
    ended = GameState.new(1, max_rounds=1)
    while not ended.is_over:
        ended.apply(ended.legal_actions()[0], 1)
    with pytest.raises(ValueError, match="a game of 2 players that goes on, got one that is over"):
        lanes.set_state(0, ended)


# A selection of the lanes


@pytest.mark.compiled
def test_only_the_selected_lanes_are_stepped() -> None:
    lanes, twin = make(6, autoreset=False), make(6, autoreset=False)
    lanes.reset(3)
    twin.reset(3)
    for step in range(200):
        selected = np.array([(step + 1) % 6, (step + 4) % 6, step % 6])
        actions = lanes.random_actions(1)
        others = np.setdiff1d(np.arange(6), selected)
        before = shown(lanes, others)
        lanes.step(actions[selected], selected)
        for name, value in shown(lanes, others).items():
            # What a step reports of the lanes it left alone: nothing.
            wanted = np.zeros_like(value) if name in OF_THE_STEP else before[name]
            assert (value == wanted).all(), name
        for lane, action in zip(selected.tolist(), actions[selected].tolist(), strict=True):
            masked = twin.random_actions(1)
            assert masked[lane] == action
            one = np.array([lane])
            twin.step(masked[one], one)
        assert_same(
            {name: value for name, value in shown(lanes).items() if name not in ("terminations", "rewards")},
            shown(twin),
        )


def test_an_action_that_is_illegal_in_a_selected_lane_names_the_lane() -> None:
    lanes = make(4)
    lanes.reset(0)
    actions = lanes.random_actions(0)
    with pytest.raises(IllegalActionError, match="lane 3: action -5"):
        lanes.step([int(actions[1]), -5], np.array([1, 3]))
    with pytest.raises(ValueError, match=r"actions: expected \(2,\) of an integer type, got shape \(4,\)"):
        lanes.step(actions, np.array([1, 3]))


def test_following_games_begin_where_they_are_asked_for() -> None:
    lanes = make(3, autoreset=False)
    lanes.reset(8)
    while (lanes.seats >= 0).any():
        lanes.step(lanes.random_actions(0))
    before = shown(lanes, [0, 2])
    lanes.name_next_games(np.array([1]))
    lanes.begin(np.array([1]))
    for name, value in shown(lanes, [0, 2]).items():
        assert (value == before[name]).all() or name in OF_THE_STEP
    seed = game_seed(9, 0, 1)
    assert lanes.game_seeds.tolist() == [8, seed, 10]
    assert lanes.get_state(1) == GameState.new(seed, num_players=3, elites=True, max_rounds=5)
    # The number of the game goes on counting.
    lanes.name_next_games(np.array([1]))
    assert lanes.game_seeds[1] == game_seed(9, 0, 2)


def test_a_stopped_lane_stays_stopped_until_the_next_game() -> None:
    lanes = make(3)
    lanes.reset(0)
    lanes.stop(np.array([1]))
    before = lanes.get_state(1)
    assert lanes.seats[1] == -1
    assert not lanes.action_masks[1].any()
    snapshot = lanes.snapshot()
    for _ in range(3):
        actions = lanes.random_actions(0)
        lanes.step(actions)
        assert not lanes.terminations[1]
    lanes.restore(snapshot)
    assert lanes.seats[1] == -1
    assert not lanes.action_masks[1].any()
    assert lanes.get_state(1) == before
    lanes.begin(np.array([1]))
    assert lanes.get_state(1) == before
    assert lanes.seats[1] >= 0


@pytest.mark.parametrize("threads", [1, 2])
def test_seats_left_to_chance_decide_as_random_actions_say(threads: int) -> None:
    """Seat 1 is played inside the step in one batch, and by `random_actions` from outside in the other."""
    inside = make(5, autoreset=False, threads=threads, max_rounds=4)
    outside = make(5, autoreset=False, max_rounds=4)
    inside.random_seats[:, 1] = 1
    inside.random_seeds[:, 1] = 77
    inside.reset(60)
    outside.reset(60)
    while (inside.seats >= 0).any():
        while len(left := np.flatnonzero(outside.seats == 1)):
            outside.step(outside.random_actions(77, left), left)
        assert (inside.seats != 1).all()
        for name, value in shown(inside).items():
            assert (value == shown(outside)[name]).all() or name in OF_THE_STEP, name
        actions = inside.random_actions(5)
        inside.step(actions)
        outside.step(actions)
    inside.close()


def test_a_state_put_into_a_lane_goes_on_past_the_seats_left_to_chance() -> None:
    lanes = Lanes(1, autoreset=False)
    lanes.random_seats[:, 1] = 1
    lanes.reset(4)
    state = GameState.new(4)
    chance = Stream(4)
    while state.seat == 0:
        state.apply(state.legal_actions()[0], chance)
    lanes.set_state(0, state)
    assert lanes.seats[0] == 0
    assert lanes.get_state(0) != state


@pytest.mark.compiled
def test_a_clone_goes_on_alike_and_alone() -> None:
    lanes = mid_game()
    twin = lanes.clone()
    theirs = go_on(twin)
    for one, other in zip(go_on(lanes), theirs, strict=True):
        assert_same(one, other)


GO_ON = """
import pickle, sys
for thing in pickle.load(open(sys.argv[1], "rb")):
    if hasattr(thing, "step"):
        thing.step(thing.random_actions(3))
        print(thing.snapshot()["states"].sum())
    else:
        thing.apply(thing.legal_actions()[0], 5)
        print(thing.to_dict())
"""


@pytest.mark.parametrize("kind", ["lanes", "state"])
def test_pickles_go_on_in_another_process(kind: str, tmp_path: Path) -> None:
    """A process that has played nothing yet knows no entry point of the game."""
    lanes, state = Lanes(4, num_players=[2, 3], elites=True), GameState.new(5, num_players=4)
    lanes.reset(1)
    (tmp_path / "pickled").write_bytes(pickle.dumps([lanes if kind == "lanes" else state]))
    command = [sys.executable, "-c", GO_ON, str(tmp_path / "pickled")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[1], check=True)
    lanes.step(lanes.random_actions(3))
    state.apply(state.legal_actions()[0], 5)
    expected = str(lanes.snapshot()["states"].sum()) if kind == "lanes" else str(state.to_dict())
    assert done.stdout.strip() == expected
