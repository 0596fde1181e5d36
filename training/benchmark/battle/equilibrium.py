"""Values, best replies and the equilibrium of a game whose courses are all listed, and exact measures of a player.

A *policy* is the probability of each action in its information state, float64 ``(A,)``, for both seats at once. What a
policy *gains* is the expected difference of the points: those of seat 0 minus those of seat 1 for seat 0, the reverse
for seat 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from training.benchmark.battle.tree import Tree
from training.benchmark.listed import Floats, check_policy, normalised

SIGNS = (1.0, -1.0)


def most_likely(tree: Tree, policy: Floats) -> Floats:
    """The predictable player that always takes a policy's most likely action; among equals, the first one."""
    numbers = np.diff(tree.first_actions)
    highest = np.repeat(np.maximum.reduceat(policy, tree.first_actions[:-1]), numbers)
    best = np.flatnonzero(policy == highest)
    _, places = np.unique(np.repeat(np.arange(len(tree)), numbers)[best], return_index=True)
    taken = np.zeros(len(policy))
    taken[best[places]] = 1.0
    return taken


def combined(tree: Tree, first: Floats, second: Floats) -> Floats:
    """The policy that plays seat 0 like one policy and seat 1 like another."""
    return np.where(tree.deciding == 0, first, second)


def reach_of(tree: Tree, policy: Floats) -> Floats:
    """How likely each seat's own actions lead to an action and take it, float64 ``(A + 1,)``; 1 for no action."""
    reach = np.ones(len(tree.actions) + 1)
    for first, end in zip(tree.levels[:-1], tree.levels[1:], strict=True):
        starts = tree.first_actions[first : end + 1]
        here = slice(starts[0], starts[-1])
        reach[here] = policy[here] * np.repeat(reach[tree.parents[first:end]], np.diff(starts))
    return reach


def gain_of(tree: Tree, policy: Floats) -> float:
    """What seat 0 gains if both seats follow a policy."""
    reach = reach_of(tree, policy)
    return float((tree.probabilities * tree.gains) @ reach[tree.sequences].prod(axis=1))


def worths_of(tree: Tree, policy: Floats, seat: int, *, best: bool) -> tuple[Floats, Floats]:
    """What the actions and the information states of a seat are worth to it, if the other seat follows a policy.

    Both are weighted by the probability that chance and the other seat lead there.

    Args:
        tree: the tree.
        policy: the policy of the other seat and, unless ``best``, of the seat itself.
        seat: the seat.
        best: whether the seat replies as well as possible.

    Returns:
        float64 ``(A + 1,)``, of which the last entry is what the seat gains in the game, and float64 ``(I,)``; 0 for
        what belongs to the other seat.
    """
    number = len(tree.actions)
    other = reach_of(tree, policy)[tree.sequences[:, 1 - seat]]
    weights = SIGNS[seat] * tree.probabilities * tree.gains * other
    actions: Floats = np.bincount(tree.sequences[:, seat], weights, number + 1).astype(np.float64)
    states = np.zeros(len(tree))
    for level in reversed(range(len(tree.levels) - 1)):
        first, end = tree.levels[level : level + 2]
        starts = tree.first_actions[first : end + 1]
        here, places = slice(starts[0], starts[-1]), starts[:-1] - starts[0]
        if best:
            states[first:end] = np.maximum.reduceat(actions[here], places)
        else:
            states[first:end] = np.add.reduceat(actions[here] * policy[here], places)
        np.add.at(actions, tree.parents[first:end], states[first:end])
    return actions, states


def best_gain(tree: Tree, policy: Floats, seat: int) -> float:
    """What a seat gains by its best reply to the other seat's policy."""
    return float(worths_of(tree, policy, seat, best=True)[0][-1])


class CounterfactualRegret:
    """CFR+: regret matching in each information state, whose average policy approaches an equilibrium.

    The seats are updated in turn, regrets never fall below 0, and the average weighs iteration t by t (Tammelin, Burch,
    Johanson and Bowling 2015, "Solving heads-up limit Texas Hold'em").

    Args:
        tree: the tree of the game.

    Attributes:
        iterations: number of iterations so far.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.iterations = 0
        self._regrets, self._sums = np.zeros((2, len(tree.actions)))

    def iterate(self, iterations: int) -> None:
        """Update both seats so many times."""
        tree = self.tree
        numbers = np.diff(tree.first_actions)
        for _ in range(iterations):
            self.iterations += 1
            for seat in (0, 1):
                own = tree.deciding == seat
                policy = normalised(tree, self._regrets)
                actions, states = worths_of(tree, policy, seat, best=False)
                regrets = self._regrets + actions[:-1] - np.repeat(states, numbers)
                self._regrets = np.where(own, np.maximum(regrets, 0), self._regrets)
                reach = reach_of(tree, normalised(tree, self._regrets))[:-1]
                self._sums += np.where(own, self.iterations * reach, 0)

    @property
    def average(self) -> Floats:
        """The average policy."""
        return normalised(self.tree, self._sums)


@dataclass(frozen=True)
class Measures:
    """What is known exactly about a player, in points of difference.

    Attributes:
        first: what it gains in seat 0 against the optimal player.
        second: what it gains in seat 1 against the optimal player.
        first_least: what it gains in seat 0 against the best reply to it.
        second_least: what it gains in seat 1 against the best reply to it.
        exploitability: what the best replies gain more than an optimal player deserves, the mean over both seats.
    """

    first: float
    second: float
    first_least: float
    second_least: float
    exploitability: float


@dataclass(frozen=True)
class Solution:
    """A game with an equilibrium of it, up to a known error.

    Attributes:
        tree: the tree of the game.
        optimal: the policy of the optimal player.
    """

    tree: Tree
    optimal: Floats

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Between these numbers lies what seat 0 gains in every equilibrium: the optimal player guarantees both."""
        return -best_gain(self.tree, self.optimal, 1), best_gain(self.tree, self.optimal, 0)

    @property
    def value(self) -> float:
        """What seat 0 gains in an equilibrium: the middle of the bounds."""
        return sum(self.bounds) / 2

    def measure(self, policy: Floats) -> Measures:
        """Exact measures of the player with a policy; raises `ValueError` for what is no policy."""
        tree = self.tree
        check_policy(tree, policy, called="state")
        replies = best_gain(tree, policy, 0), best_gain(tree, policy, 1)
        return Measures(
            first=gain_of(tree, combined(tree, policy, self.optimal)),
            second=-gain_of(tree, combined(tree, self.optimal, policy)),
            first_least=-replies[1],
            second_least=-replies[0],
            exploitability=sum(replies) / 2,
        )


def solve(tree: Tree, *, iterations: int = 2000) -> Solution:
    """Approach an equilibrium by so many iterations of CFR+."""
    learner = CounterfactualRegret(tree)
    learner.iterate(iterations)
    return Solution(tree, learner.average)
