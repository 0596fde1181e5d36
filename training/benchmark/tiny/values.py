"""Exact values of a game of which all positions are listed, and exact measures of a player.

A *value* is seat 0's expected share of the win. It follows from one pass over the positions, from the last level to
the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from training.benchmark.listed import Floats, check_policy, normalised
from training.benchmark.tiny.positions import END_SHARES, Positions

# A policy, or None for the best reply to the other seat's.
Plan = Floats | None

# Values that differ by less are equal; the rest is rounding.
ROUNDING = 1e-9


class Values(NamedTuple):
    """The values of all positions, float64 ``(P,)``, and of all actions, float64 ``(A,)``."""

    positions: Floats
    actions: Floats

    def of_game(self, positions: Positions) -> float:
        """The value before the set-up."""
        return float(self.positions @ positions.begins)


def values_of(positions: Positions, plans: tuple[Plan, Plan]) -> Values:
    """The values if each seat follows its plan; with None for both seats, both decide perfectly."""
    number = len(positions)
    values, actions = np.concatenate([np.zeros(number), END_SHARES]), np.zeros(len(positions.actions))
    for level in reversed(range(len(positions.levels) - 1)):
        first, end = positions.levels[level : level + 2]
        place = positions.first_actions[first : end + 1]
        here = slice(place[0], place[-1])
        outcomes = positions.first_outcomes[place[0] : place[-1] + 1]
        there = slice(outcomes[0], outcomes[-1])
        weighted = positions.probabilities[there] * values[positions.after[there]]
        actions[here] = np.add.reduceat(weighted, outcomes[:-1] - outcomes[0])
        for seat, (plan, best) in enumerate(zip(plans, (np.maximum, np.minimum), strict=True)):
            own = positions.seats[first:end] == seat
            if plan is None:
                found = best.reduceat(actions[here], place[:-1] - place[0])
            else:
                found = np.add.reduceat(actions[here] * plan[here], place[:-1] - place[0])
            values[first:end][own] = found[own]
    return Values(values[:number], actions)


def visits_of(positions: Positions, plans: tuple[Floats, Floats]) -> Floats:
    """The probability that a game with these policies reaches each position, float64 ``(P,)``."""
    visits = np.concatenate([positions.begins, np.zeros(len(END_SHARES))])
    policy = np.where(positions.deciding == 0, *plans)
    for first, end in zip(positions.levels[:-1], positions.levels[1:], strict=True):
        place = positions.first_actions[first : end + 1]
        here = slice(place[0], place[-1])
        chosen = np.repeat(visits[first:end], np.diff(place)) * policy[here]
        outcomes = positions.first_outcomes[place[0] : place[-1] + 1]
        there = slice(outcomes[0], outcomes[-1])
        reached = np.repeat(chosen, np.diff(outcomes)) * positions.probabilities[there]
        np.add.at(visits, positions.after[there], reached)
    return visits[: len(positions)]


@dataclass(frozen=True)
class Measures:
    """What is known exactly about a player, in shares of the win.

    Attributes:
        first: its share in seat 0 against an optimal player.
        second: its share in seat 1 against an optimal player.
        itself: the share of seat 0 if it plays against itself.
        regret: what one of its decisions loses, the mean over the decisions of games against itself.
        exploitability: what the best reply to it wins more than an optimal player deserves, the mean over both seats.
    """

    first: float
    second: float
    itself: float
    regret: float
    exploitability: float


@dataclass(frozen=True)
class Solution:
    """A game that is solved from its first decision.

    Attributes:
        positions: all its positions.
        values: their values if both seats decide perfectly, and those of all actions.
    """

    positions: Positions
    values: Values

    @property
    def value(self) -> float:
        """The value of the game."""
        return self.values.of_game(self.positions)

    @cached_property
    def regrets(self) -> Floats:
        """What each action loses, float64 ``(A,)``: the value of the best action minus its own, for who decides."""
        best = np.repeat(self.values.positions, np.diff(self.positions.first_actions))
        lost = np.where(self.positions.deciding == 0, 1.0, -1.0) * (best - self.values.actions)
        return np.where(lost < ROUNDING, 0.0, lost)

    @cached_property
    def optimal(self) -> Floats:
        """The policy of the optimal player: one of the actions that lose nothing, each with the same probability."""
        return normalised(self.positions, (self.regrets == 0).astype(np.float64))

    def measure(self, policy: Floats) -> Measures:
        """Exact measures of the player with a policy; raises `ValueError` for what is no policy."""
        check_policy(self.positions, policy, called="position")

        def value(first: Plan, second: Plan) -> float:
            return values_of(self.positions, (first, second)).of_game(self.positions)

        visits = visits_of(self.positions, (policy, policy))
        lost = np.add.reduceat(self.regrets * policy, self.positions.first_actions[:-1])
        return Measures(
            first=value(policy, self.optimal),
            second=1 - value(self.optimal, policy),
            itself=value(policy, policy),
            regret=float(visits @ lost / visits.sum()),
            exploitability=(value(None, policy) - value(policy, None)) / 2,
        )


def solve(positions: Positions) -> Solution:
    """Solve a game of which all positions are listed."""
    return Solution(positions, values_of(positions, (None, None)))


def policy_of_choices(positions: Positions, choices: NDArray[np.integer]) -> Floats:
    """The policy that takes one action in each position, given as ``(P,)``; raises `ValueError` for an illegal one."""
    chosen = positions.actions == np.repeat(choices, np.diff(positions.first_actions))
    missing = ~np.logical_or.reduceat(chosen, positions.first_actions[:-1])
    if missing.any():
        position = int(missing.argmax())
        raise ValueError(f"choices: expected a legal action in position {position}, got {choices[position]}")
    policy: Floats = np.where(chosen, 1.0, 0.0)
    return policy
