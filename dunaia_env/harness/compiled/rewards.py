"""Rewards at the end of a game, one per seat, zero-sum over the players; and the reward of an illegal action."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.support.compile_cache import kernel
from dunaia_env.support.messages import shorten

SCORE_SCALE = 20.0
REWARDS = ("win", "rank", "score")
_WIN, _RANK = 0, 1

# Reward of the seat whose illegal action ends the game; the others get 0.
ILLEGAL_PENALTY = -1.0
ILLEGAL_POLICIES = ("terminate", "raise")


def check_reward(name: str) -> str:
    """Return the name of a reward; raise `ValueError` unless it is one of `REWARDS`."""
    if not isinstance(name, str) or name not in REWARDS:
        raise ValueError(f"reward: expected one of {', '.join(REWARDS)}, got {shorten(name)}")
    return name


def check_illegal(policy: str) -> str:
    """Return the name of a policy for illegal actions; raise `ValueError` unless it is one of `ILLEGAL_POLICIES`."""
    if not isinstance(policy, str) or policy not in ILLEGAL_POLICIES:
        raise ValueError(f"illegal: expected one of {', '.join(ILLEGAL_POLICIES)}, got {shorten(policy)}")
    return policy


def win_shares(ranks: NDArray[np.integer]) -> NDArray[np.float32]:
    """Each seat's share of the win, which the players of rank 1 split.

    Args:
        ranks: shape ``(..., seats)``, from 1; 0 for an absent seat.

    Returns:
        float32 of the shape of ``ranks``; each row sums to 1.
    """
    return exact_shares(ranks).astype(np.float32)


def exact_shares(ranks: NDArray[np.integer]) -> NDArray[np.float64]:
    """`win_shares` in float64, so that thirds are not rounded to float32."""
    winners = ranks == 1
    shares: NDArray[np.float64] = winners / winners.sum(axis=-1, keepdims=True)
    return shares


def final_rewards(
    name: str, scores: NDArray[np.integer], ranks: NDArray[np.integer], num_players: NDArray[np.integer]
) -> NDArray[np.float32]:
    """Rewards of finished games.

    - ``win``: ``n / (n - 1) * (share - 1 / n)`` for n players, with the share of the win; so 1 for a sole winner and
      ``-1 / (n - 1)`` for a loser.
    - ``rank``: evenly spaced from 1 for the first to -1 for the last place; tied players get the mean of their places.
    - ``score``: the margin over the mean score of the other seats, divided by 20.

    Args:
        name: one of `REWARDS`.
        scores: shape ``(games, seats)``; 0 for an absent seat.
        ranks: shape ``(games, seats)``, from 1; 0 for an absent seat.
        num_players: shape ``(games,)``.

    Returns:
        float32 ``(games, seats)``; zero for an absent seat, each row sums to zero.
    """
    return exact_rewards(name, scores, ranks, num_players).astype(np.float32)


def exact_rewards(
    name: str, scores: NDArray[np.integer], ranks: NDArray[np.integer], num_players: NDArray[np.integer]
) -> NDArray[np.float64]:
    """`final_rewards` in float64, whose rows sum to zero more exactly than in float32."""
    rewards = np.zeros(np.shape(ranks))
    given = (np.ascontiguousarray(numbers, np.int64) for numbers in (scores, ranks, num_players))
    write_rewards(REWARDS.index(name), *given, rewards)
    return rewards


@kernel
def write_rewards(kind, scores, ranks, num_players, rewards):
    """Write `exact_rewards` of int64 arrays into ``rewards``, zeros on entry; ``kind`` is an index in `REWARDS`."""
    for game in range(ranks.shape[0]):
        for seat in range(num_players[game]):
            rewards[game, seat] = reward_of(kind, scores[game], ranks[game], int(num_players[game]), seat)


@kernel
def reward_of(kind, scores, ranks, players, seat):
    """The reward of a seat that is present; see `final_rewards`."""
    if kind == _WIN:
        winners = 0
        for other in range(players):
            winners += 1 if ranks[other] == 1 else 0
        share = 1.0 / winners if ranks[seat] == 1 else 0.0
        return players / (players - 1) * (share - 1 / players)
    if kind == _RANK:
        equal = 0
        for other in range(players):
            equal += 1 if ranks[other] == ranks[seat] else 0
        return 1 - 2 * (ranks[seat] - 1 + (equal - 1) / 2) / (players - 1)
    total = 0
    for other in range(players):
        total += int(scores[other])
    points = int(scores[seat])
    return (points - (total - points) / (players - 1)) / SCORE_SCALE
