"""Advantages per seat, against tables worked out by hand and against the definition written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch")

from dunaia_env.harness.compiled.advantages import seat_advantages, table_advantages  # noqa: E402
from tests.toy_game import GAME  # noqa: E402
from training.facts import GameFacts  # noqa: E402
from training.policy import sample_actions  # noqa: E402
from training.ppo import Rollout  # noqa: E402


def one_lane(
    seats: list[int],
    values: list[float],
    rewards: dict[int, list[float]],
    *,
    following: tuple[int, float] = (0, 0.0),
    num_seats: int = 2,
    discount: float = 1.0,
    gae_lambda: float = 1.0,
) -> tuple[list[float], list[bool]]:
    """`seat_advantages` of one lane; `rewards` holds the rows that end a game."""
    table = np.zeros((len(seats), 1, num_seats), np.float32)
    terminations = np.zeros((len(seats), 1), np.bool_)
    for row, reward in rewards.items():
        table[row, 0], terminations[row] = reward, True
    advantages, finished = seat_advantages(
        np.array(values, np.float32)[:, None],
        table,
        terminations,
        np.array(seats, np.int8)[:, None],
        np.array([following[1]], np.float32),
        np.array([following[0]], np.int8),
        discount,
        gae_lambda,
    )
    return advantages[:, 0].tolist(), finished[:, 0].tolist()


def test_two_seats_in_turn_trusting_the_outcome() -> None:
    advantages, finished = one_lane([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], {3: [1, -1]})
    assert advantages == pytest.approx([1 - 0.1, -1 - 0.2, 1 - 0.3, -1 - 0.4])
    assert finished == [True] * 4


def test_two_seats_in_turn_trusting_the_values() -> None:
    advantages, _ = one_lane([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], {3: [1, -1]}, gae_lambda=0)
    assert advantages == pytest.approx([0.3 - 0.1, 0.4 - 0.2, 1 - 0.3, -1 - 0.4])


def test_discount_and_lambda_count_the_decisions_of_the_same_seat_alone() -> None:
    # Seat 0 decides three times, seat 1 in between as often as it likes.
    advantages, _ = one_lane([0, 1, 1, 0, 1, 0], [0.5, 0, 0, 0.25, 0, 0.5], {5: [1, -1]}, discount=0.5, gae_lambda=0.5)
    last = 1 - 0.5
    middle = (0.5 * 0.5 - 0.25) + 0.25 * last
    first = (0.5 * 0.25 - 0.5) + 0.25 * middle
    assert [advantages[0], advantages[3], advantages[5]] == pytest.approx([first, middle, last])


def test_a_seat_that_decides_several_times_in_a_row() -> None:
    advantages, finished = one_lane([0, 0, 0, 1], [0.1, 0.4, 0.2, 0.7], {3: [-1, 1]}, gae_lambda=0)
    assert advantages == pytest.approx([0.4 - 0.1, 0.2 - 0.4, -1 - 0.2, 1 - 0.7])
    assert finished == [True] * 4


def test_a_game_that_another_seat_ends_pays_every_open_transition() -> None:
    advantages, finished = one_lane(
        [0, 1, 2, 2, 1], [0.1, 0.2, 0.3, 0.4, 0.5], {4: [-0.5, 1, -0.5]}, num_seats=3, gae_lambda=0
    )
    assert advantages == pytest.approx([-0.5 - 0.1, 0.5 - 0.2, 0.4 - 0.3, -0.5 - 0.4, 1 - 0.5])
    assert finished == [True] * 5


def test_a_game_does_not_reach_into_the_one_before() -> None:
    advantages, finished = one_lane([0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4], {1: [1, -1], 3: [-1, 1]})
    assert advantages == pytest.approx([1 - 0.1, -1 - 0.2, 1 - 0.3, -1 - 0.4])
    assert finished == [True] * 4


def test_the_end_of_the_rollout() -> None:
    # Seat 0 decides next: its chain goes on with that estimate. What seat 1 did in row 1 stays open.
    advantages, finished = one_lane([1, 1, 0], [0.1, 0.2, 0.3], {}, following=(0, 0.9))
    assert advantages == pytest.approx([0.2 - 0.1, 0, 0.9 - 0.3])
    assert finished == [True, False, True]


def test_the_end_of_the_rollout_with_three_seats() -> None:
    advantages, finished = one_lane([0, 1, 2, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.5], {}, following=(2, 0.8), num_seats=3)
    assert finished == [True, True, True, False, False]
    assert advantages == pytest.approx([0.4 - 0.1, 0.5 - 0.2, 0.8 - 0.3, 0, 0])


def test_a_game_that_ends_with_the_rollout_ignores_what_follows() -> None:
    advantages, finished = one_lane([0, 1], [0.1, 0.2], {1: [1, -1]}, following=(0, 99.0))
    assert advantages == pytest.approx([0.9, -1.2])
    assert finished == [True, True]


def test_rewards_on_the_way_belong_to_the_transition_they_fall_in() -> None:
    rewards = np.zeros((3, 1, 2), np.float32)
    rewards[:, 0, 0] = [0.25, 0.5, 1.0]
    advantages, _ = seat_advantages(
        np.zeros((3, 1), np.float32),
        rewards,
        np.array([[False], [False], [True]]),
        np.array([[0], [1], [0]], np.int8),
        np.zeros(1, np.float32),
        np.zeros(1, np.int8),
        1.0,
        0.0,
    )
    assert advantages[:, 0].tolist() == [0.75, 0.0, 1.0]


def test_empty_rows_are_skipped() -> None:
    advantages, finished = one_lane([-1, 0, -1, 1], [9, 0.1, 9, 0.2], {3: [1, -1]})
    assert advantages == pytest.approx([0, 0.9, 0, -1.2])
    assert finished == [False, True, False, True]


def one_table(
    seats: list[int],
    values: list[list[float]],
    rewards: list[float],
    *,
    players: int,
    following: tuple[int, list[float]],
    ends: bool = True,
    gae_lambda: float = 1.0,
) -> tuple[NDArray[np.float32], list[bool]]:
    """`table_advantages` of one lane, which gets its rewards in the last row; discount 0.5."""
    table = np.zeros((len(seats), 1, len(rewards)), np.float32)
    table[-1, 0] = rewards
    advantages, finished = table_advantages(
        np.array(values, np.float32)[:, None],
        table,
        np.array([[False]] * (len(seats) - 1) + [[ends]]),
        np.array(seats, np.int8)[:, None],
        np.array([players], np.int8),
        np.array([following[1]], np.float32),
        np.array([following[0]], np.int8),
        0.5,
        gae_lambda,
    )
    return advantages[:, 0], finished[:, 0].tolist()


def test_estimates_are_about_the_seats_from_the_deciding_one_on() -> None:
    # Player 2 decides first, then 0, then 1 and ends the game; each estimate tells its own reward apart.
    advantages, finished = one_table([2, 0, 1], [[0.0] * 3] * 3, [1.0, 2.0, 4.0], players=3, following=(0, [9.0] * 3))
    assert finished == [True] * 3
    assert advantages.tolist() == [[4.0, 1.0, 2.0], [1.0, 2.0, 4.0], [2.0, 4.0, 1.0]]


def test_estimates_about_others_go_along_the_deciding_seats_chain() -> None:
    values = [[0.5, -0.25], [9.0, 9.0], [0.125, 0.75]]
    advantages, finished = one_table(
        [0, 1, 0], values, [0.0, 0.0], players=2, following=(0, [0.25, 1.0]), ends=False, gae_lambda=0.5
    )
    last = np.array([0.5 * 0.25 - 0.125, 0.5 * 1.0 - 0.75])
    first = np.array([0.5 * 0.125 - 0.5, 0.5 * 0.75 + 0.25]) + 0.25 * last
    assert finished == [True, False, True]
    np.testing.assert_allclose(advantages, [first, [0, 0], last], atol=1e-7)


def test_nothing_is_said_of_seats_that_are_not_there() -> None:
    advantages, _ = one_table([0, 1], [[0.5] * 4] * 2, [1.0, -1.0, 0.0, 0.0], players=2, following=(0, [9.0] * 4))
    assert advantages.tolist() == [[0.5, -1.5, 0, 0], [-1.5, 0.5, 0, 0]]


@pytest.mark.parametrize("gae_lambda", [0.0, 0.9, 1.0])
def test_own_estimates_are_those_of_seat_advantages_and_opposite_ones_stay_opposite(gae_lambda: float) -> None:
    games = random_games(60, 7, 2, 5)
    games["rewards"][:, :, 1] = -games["rewards"][:, :, 0]
    own, then = games["values"][:-1], games["values"][-1]
    rest = games["terminations"], games["seats"][:-1]
    alone, finished = seat_advantages(own, games["rewards"], *rest, then, games["seats"][-1], 0.99, gae_lambda)
    both, same = table_advantages(
        np.stack([own, -own], axis=2),
        games["rewards"],
        *rest,
        np.full(7, 2),
        np.stack([then, -then], axis=1),
        games["seats"][-1],
        0.99,
        gae_lambda,
    )
    np.testing.assert_array_equal(same, finished)
    np.testing.assert_allclose(both[:, :, 0], alone, atol=1e-6)
    np.testing.assert_allclose(both[:, :, 1], -alone, atol=1e-6)


def random_games(rows: int, lanes: int, num_seats: int, seed: int) -> dict[str, NDArray[Any]]:
    """Tables with values, rewards, terminations and seats; games begin and end anywhere."""
    random = np.random.default_rng(seed)
    terminations = random.random((rows, lanes)) < 0.08
    rewards = random.normal(size=(rows, lanes, num_seats)).astype(np.float32) * terminations[:, :, None]
    return {
        "values": random.normal(size=(rows + 1, lanes)).astype(np.float32),
        "rewards": rewards,
        "terminations": terminations,
        "seats": random.integers(num_seats, size=(rows + 1, lanes)).astype(np.int8),
    }


def by_definition(games: dict[str, NDArray[Any]], lane: int, discount: float, gae_lambda: float) -> list[float | None]:
    """Advantages of a lane, each found by looking ahead; None where the transition is open."""
    values, rewards = games["values"][:, lane].tolist(), games["rewards"][:, lane]
    terminations, seats = games["terminations"][:, lane], games["seats"][:, lane]

    def advantage(row: int) -> float | None:
        seat, gained = seats[row], 0.0
        for later in range(row, len(rewards)):
            gained += float(rewards[later, seat])
            if terminations[later]:
                return gained - values[row]
            if seats[later + 1] == seat:
                surprise = gained + discount * values[later + 1] - values[row]
                following = advantage(later + 1) if later + 1 < len(rewards) else None
                return surprise + discount * gae_lambda * (following or 0.0)
        return None

    return [advantage(row) for row in range(len(rewards))]


@pytest.mark.parametrize("num_seats", [2, 3, 4])
def test_random_games_against_the_definition(num_seats: int) -> None:
    games = random_games(60, 20, num_seats, num_seats)
    advantages, finished = seat_advantages(
        games["values"][:-1],
        games["rewards"],
        games["terminations"],
        games["seats"][:-1],
        games["values"][-1],
        games["seats"][-1],
        0.9,
        0.8,
    )
    for lane in range(20):
        expected = by_definition(games, lane, 0.9, 0.8)
        assert finished[:, lane].tolist() == [one is not None for one in expected]
        assert advantages[:, lane].tolist() == pytest.approx([one or 0.0 for one in expected], abs=1e-5)


@pytest.mark.parametrize("num_seats", [2, 3])
def test_rollouts_one_after_another_learn_from_every_decision_once(num_seats: int) -> None:
    steps, rollouts, lanes = 7, 9, 30
    games = random_games(steps * rollouts, lanes, num_seats, 10 + num_seats)
    expected = [by_definition(games, lane, 1.0, 0.0) for lane in range(lanes)]
    rollout = Rollout(steps, lanes, GameFacts(GAME, torch.ones(1), num_actions=2, seats=num_seats))
    names = np.arange(steps * rollouts * lanes, dtype=np.int32).reshape(-1, lanes)
    seen: dict[int, float] = {}
    for number in range(rollouts):
        part, now = slice(number * steps, (number + 1) * steps), slice(rollout.first_row, None)
        rollout.values[now, :, 0], rollout.seats[now] = games["values"][part], games["seats"][part]
        rollout.rewards[now], rollout.terminations[now] = games["rewards"][part], games["terminations"][part]
        rollout.actions[now] = names[part]
        advantages, finished = seat_advantages(
            rollout.values[:, :, 0],
            rollout.rewards,
            rollout.terminations,
            rollout.seats,
            games["values"][part.stop],
            games["seats"][part.stop],
            1.0,
            0.0,
        )
        for name, advantage in zip(rollout.actions[finished].tolist(), advantages[finished].tolist(), strict=True):
            assert name not in seen
            seen[name] = advantage
        rollout.carry_over(finished)
    for lane in range(lanes):
        for row, advantage in enumerate(expected[lane]):
            assert (names[row, lane] in seen) == (advantage is not None)
            if advantage is not None:
                assert seen[names[row, lane]] == pytest.approx(advantage, abs=1e-6)


def test_sampled_actions_follow_the_masked_softmax() -> None:
    number = 40_000
    logits = np.tile(np.log(np.array([1, 2, 9, 3, 4], np.float32)), (number, 1))
    masks = np.tile(np.array([1, 1, 0, 1, 0], np.int8), (number, 1))
    uniforms = np.random.default_rng(0).random(number, np.float32)
    actions, logprobs = np.zeros(number, np.int32), np.zeros(number, np.float32)
    half = number // 2
    sample_actions(logits, masks, uniforms, actions, logprobs, 0, half)
    assert not actions[half:].any()
    sample_actions(logits, masks, uniforms, actions, logprobs, half, number)
    assert np.bincount(actions, minlength=5) / number == pytest.approx(np.array([1, 2, 0, 3, 0]) / 6, abs=0.01)
    assert np.exp(logprobs) == pytest.approx(np.array([1, 2, 0, 3, 0])[actions] / 6, abs=1e-5)


def test_the_last_legal_action_is_taken_when_rounding_leaves_nothing() -> None:
    actions, logprobs = np.zeros(1, np.int32), np.zeros(1, np.float32)
    sample_actions(
        np.zeros((1, 3), np.float32), np.array([[1, 1, 0]], np.int8), np.ones(1, np.float32), actions, logprobs, 0, 1
    )
    assert actions[0] == 1
