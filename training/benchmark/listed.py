"""Games of which all decisions are listed: how their actions are numbered, and policies over these actions.

A *policy* is the probability of each action in its decision, float64 ``(A,)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Decisions(Protocol):
    """The N decisions of a game, positions or information states, and their A legal actions."""

    @property
    def first_actions(self) -> Integers:
        """int64 ``(N + 1,)``; decision n has the actions numbered from its entry up to the next one."""

    @property
    def actions(self) -> NDArray[np.int16]:
        """int16 ``(A,)``, the legal actions of each decision, ascending."""

    def __len__(self) -> int: ...


def starts_of(counts: Sequence[int]) -> Integers:
    """Where runs of so many entries begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def normalised(decisions: Decisions, weights: Floats) -> Floats:
    """The policy with probabilities in proportion to weights, float64 ``(A,)``; uniform where all weights are 0."""
    numbers = np.diff(decisions.first_actions)
    totals = np.add.reduceat(weights, decisions.first_actions[:-1])
    shares = np.where(np.repeat(totals > 0, numbers), weights, 1.0)
    policy: Floats = shares / np.repeat(np.where(totals > 0, totals, numbers), numbers)
    return policy


def uniform_policy(decisions: Decisions) -> Floats:
    """The policy that takes each legal action with the same probability."""
    return normalised(decisions, np.ones(len(decisions.actions)))


def policy_of_logits(decisions: Decisions, logits: NDArray[np.floating], temperature: float = 1.0) -> Floats:
    """The policy of a network: the softmax over the legal actions of logits ``(N, num_actions)``.

    Args:
        decisions: the decisions.
        logits: the network's outputs for what is observed there.
        temperature: above 0; logits are divided by it.
    """
    rows = np.repeat(np.arange(len(decisions)), np.diff(decisions.first_actions))
    own = logits[rows, decisions.actions].astype(np.float64)
    highest = np.maximum.reduceat(own, decisions.first_actions[:-1])
    return normalised(decisions, np.exp((own - highest[rows]) / temperature))


def check_policy(decisions: Decisions, policy: Floats, *, called: str) -> None:
    """Raise `ValueError` unless the probabilities of each decision's actions are at least 0 and sum to 1.

    Args:
        decisions: the decisions.
        policy: the policy.
        called: what a decision is called in the message.
    """
    if policy.shape != decisions.actions.shape:
        raise ValueError(f"policy: expected shape {decisions.actions.shape}, got {policy.shape}")
    sums = np.add.reduceat(policy, decisions.first_actions[:-1])
    if not (policy >= 0).all() or not np.allclose(sums, 1.0, rtol=0, atol=1e-6):
        wrong = int(np.abs(sums - 1).argmax())
        raise ValueError(f"policy: expected probabilities that sum to 1, got {sums[wrong]} in {called} {wrong}")
