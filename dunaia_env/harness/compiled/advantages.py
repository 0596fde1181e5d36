"""Advantages of each seat's decisions: the step of self-play that single-agent code gets wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.support.compile_cache import kernel


@kernel
def seat_advantages(
    values: NDArray[np.float32],
    rewards: NDArray[np.float32],
    terminations: NDArray[np.bool_],
    seats: NDArray[np.integer[Any]],
    next_values: NDArray[np.float32],
    next_seats: NDArray[np.integer[Any]],
    discount: float,
    gae_lambda: float,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Generalised advantage estimates along each seat's own chain of decisions.

    A transition of a seat begins with its decision and ends when the same seat decides again or the game ends. It
    carries the rewards that the seat got in between, whoever acted. The last transition of a seat in a rollout is
    *open*, unless the game ended or the seat makes the decision after the last row: its outcome is unknown, and the
    value of a position in which another seat decides is not an estimate for this seat. It is reported as not finished,
    so that it can be carried into the next rollout or left out. The earlier decisions in the chain bootstrap from the
    value estimate of the open transition's decision.

    The estimator is that of Schulman et al., "High-dimensional continuous control using generalized advantage
    estimation", 2016, along each chain.

    Args (T rows in time order, N lanes, S seats):
        values: ``(T, N)``, the deciding seat's value estimate.
        rewards: ``(T, N, S)``, each seat's reward from the decision of that row.
        terminations: ``(T, N)``, whether that decision ended the lane's game; the next row is then another game.
        seats: ``(T, N)``, the seat that decided; -1 for an empty row.
        next_values, next_seats: ``(N,)``, value estimate and seat of the decision after the last row (bootstrap).
        discount: discount factor per decision of the same seat.
        gae_lambda: lambda of the estimator, 0..1.

    Returns:
        The advantages, float32 ``(T, N)``, zero where not finished; and whether each transition is finished, bool
        ``(T, N)``.
    """
    lanes, num_seats = rewards.shape[1:]
    advantages, finished = table_advantages(
        np.expand_dims(values, 2),
        rewards,
        terminations,
        seats,
        np.full(lanes, num_seats),
        np.expand_dims(next_values, 1),
        next_seats,
        discount,
        gae_lambda,
    )
    return advantages[:, :, 0].copy(), finished


@kernel
def table_advantages(
    values: NDArray[np.float32],
    rewards: NDArray[np.float32],
    terminations: NDArray[np.bool_],
    seats: NDArray[np.integer[Any]],
    num_players: NDArray[np.integer[Any]],
    next_values: NDArray[np.float32],
    next_seats: NDArray[np.integer[Any]],
    discount: float,
    gae_lambda: float,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """`seat_advantages` for critics that estimate every seat's return: the advantages of each estimate.

    Estimate e of a decision is for the seat e places after the deciding one. It is followed along the deciding seat's
    chain, because only along this chain are all e-th estimates for the same seat.

    Args (as for `seat_advantages`, with E estimates):
        values: ``(T, N, E)``.
        num_players: ``(N,)``, players at each lane's table; estimates of absent seats are ignored.
        next_values: ``(N, E)``.

    Returns:
        The advantages, float32 ``(T, N, E)``, zero where not finished and for absent seats; and whether each transition
        is finished, bool ``(T, N)``.
    """
    rows, lanes, estimates = values.shape
    num_seats = rewards.shape[2]
    advantages = np.zeros((rows, lanes, estimates), np.float32)
    finished = np.zeros((rows, lanes), np.bool_)
    for lane in range(lanes):
        # For each seat's next decision after the current row: whether it is known, its estimates, their advantages.
        known = np.zeros(num_seats, np.bool_)
        next_value = np.zeros((num_seats, estimates), np.float64)
        next_advantage = np.zeros((num_seats, estimates), np.float64)
        # Rewards of each seat (second index) from the current row up to the next decision of each seat (first index).
        gained = np.zeros((num_seats, num_seats), np.float64)
        players = num_players[lane]
        told = min(estimates, players)
        if next_seats[lane] >= 0:
            known[next_seats[lane]] = True
            for estimate in range(told):
                next_value[next_seats[lane], estimate] = next_values[lane, estimate]
        for row in range(rows - 1, -1, -1):
            if terminations[row, lane]:
                known[:] = True
                next_value[:] = 0.0
                next_advantage[:] = 0.0
                gained[:] = 0.0
            for seat in range(num_seats):
                for other in range(num_seats):
                    gained[seat, other] += rewards[row, lane, other]
            seat = seats[row, lane]
            if seat < 0:
                continue
            for estimate in range(told):
                value = values[row, lane, estimate]
                if known[seat]:
                    surprise = gained[seat, (seat + estimate) % players] + discount * next_value[seat, estimate] - value
                    next_advantage[seat, estimate] = surprise + discount * gae_lambda * next_advantage[seat, estimate]
                    advantages[row, lane, estimate] = next_advantage[seat, estimate]
                next_value[seat, estimate] = value
            finished[row, lane] = known[seat]
            known[seat] = True
            gained[seat] = 0.0
    return advantages, finished
