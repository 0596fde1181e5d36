"""Rewards of finished games, against tables worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from dunaia_env.harness.compiled.rewards import REWARDS, check_reward, final_rewards, win_shares

THIRD = 1 / 3
TABLE = [
    # scores, ranks, shares of the victory, and the rewards win, rank, score
    ([20, 10], [1, 2], [1, 0], [1, -1], [1, -1], [0.5, -0.5]),
    ([10, 20], [2, 1], [0, 1], [-1, 1], [-1, 1], [-0.5, 0.5]),
    ([7, 7], [1, 1], [0.5, 0.5], [0, 0], [0, 0], [0, 0]),
    # A tie of points that prophecies or flowers decide.
    ([7, 7], [2, 1], [0, 1], [-1, 1], [-1, 1], [0, 0]),
    ([0, 0], [1, 2], [1, 0], [1, -1], [1, -1], [0, 0]),
    ([30, 20, 10], [1, 2, 3], [1, 0, 0], [1, -0.5, -0.5], [1, 0, -1], [0.75, 0, -0.75]),
    ([30, 30, 10], [1, 1, 3], [0.5, 0.5, 0], [0.25, 0.25, -0.5], [0.5, 0.5, -1], [0.5, 0.5, -1]),
    ([30, 10, 10], [1, 2, 2], [1, 0, 0], [1, -0.5, -0.5], [1, -0.5, -0.5], [1, -0.5, -0.5]),
    ([9, 9, 9], [1, 1, 1], [THIRD] * 3, [0, 0, 0], [0, 0, 0], [0, 0, 0]),
    (
        [10, 40, 20, 30],
        [4, 1, 3, 2],
        [0, 1, 0, 0],
        [-THIRD, 1, -THIRD, -THIRD],
        [-1, 1, -THIRD, THIRD],
        [-1, 1, -THIRD, THIRD],
    ),
    (
        [40, 40, 20, 20],
        [1, 1, 3, 3],
        [0.5, 0.5, 0, 0],
        [THIRD, THIRD, -THIRD, -THIRD],
        [2 * THIRD, 2 * THIRD, -2 * THIRD, -2 * THIRD],
        [2 * THIRD, 2 * THIRD, -2 * THIRD, -2 * THIRD],
    ),
    (
        [30, 30, 30, 10],
        [1, 1, 1, 4],
        [THIRD, THIRD, THIRD, 0],
        [THIRD / 3, THIRD / 3, THIRD / 3, -THIRD],
        [THIRD, THIRD, THIRD, -1],
        [THIRD, THIRD, THIRD, -1],
    ),
    (
        [40, 10, 10, 10],
        [1, 2, 2, 2],
        [1, 0, 0, 0],
        [1, -THIRD, -THIRD, -THIRD],
        [1, -THIRD, -THIRD, -THIRD],
        [1.5, -0.5, -0.5, -0.5],
    ),
    ([5, 5, 5, 5], [1, 1, 1, 1], [0.25] * 4, [0] * 4, [0] * 4, [0] * 4),
]


@pytest.mark.parametrize(("scores", "ranks", "shares", "win", "rank", "score"), TABLE)
def test_rewards_are_those_worked_out_by_hand(
    scores: list[int],
    ranks: list[int],
    shares: list[float],
    win: list[float],
    rank: list[float],
    score: list[float],
) -> None:
    players = np.array([len(scores)])
    given = np.array([scores], np.int16), np.array([ranks], np.int8)
    assert win_shares(given[1])[0] == pytest.approx(shares)
    for name, wanted in {"win": win, "rank": rank, "score": score}.items():
        rewards = final_rewards(name, *given, players)
        assert rewards.dtype == np.float32
        assert rewards.shape == (1, len(scores))
        assert rewards[0] == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("name", REWARDS)
def test_tables_of_different_size_stand_in_one_array(name: str) -> None:
    """Absent seats have rank 0 and get nothing, whatever their score says."""
    scores = np.zeros((len(TABLE), 4), np.int16)
    ranks = np.zeros((len(TABLE), 4), np.int8)
    players = np.array([len(row[0]) for row in TABLE], np.int8)
    for game, row in enumerate(TABLE):
        scores[game, : players[game]], ranks[game, : players[game]] = row[0], row[1]
    rewards = final_rewards(name, scores, ranks, players)
    absent = np.arange(4) >= players[:, None]
    for game, row in enumerate(TABLE):
        assert rewards[game, : players[game]] == pytest.approx(row[3 + REWARDS.index(name)], abs=1e-6)
    assert not rewards[absent].any()
    assert np.abs(rewards.sum(axis=1)).max() < 1e-6
    scores[absent] = 99
    assert (final_rewards(name, scores, ranks, players) == rewards).all()


@pytest.mark.parametrize("name", REWARDS)
def test_a_better_result_is_never_worth_less(name: str) -> None:
    random = np.random.default_rng(1)
    for players in (2, 3, 4):
        scores = random.integers(0, 12, (200, players))
        ranks = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
        rewards = final_rewards(name, scores, ranks, np.full(200, players))
        better = scores[:, :, None] > scores[:, None, :]
        assert (rewards[:, :, None] - rewards[:, None, :])[better].min() >= 0
        assert np.abs(rewards.sum(axis=1)).max() < 1e-5
        if name != "score":
            assert np.abs(rewards).max() <= 1


def test_names_are_checked() -> None:
    assert REWARDS == ("win", "rank", "score")
    for name in REWARDS:
        assert check_reward(name) == name
    for name in ("Win", "", "money"):
        with pytest.raises(ValueError, match=f"reward: expected one of win, rank, score, got '{name}'"):
            check_reward(name)
