"""What can happen after an action: all outcomes of its draws where they are few, and otherwise a sample of them."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from dunaia_env.harness.chance_nodes import Draws
from dunaia_env.harness.compiled.chance import NeedsDraw, Stream, Tape
from dunaia_env.harness.state import GameState

# Seeds of samples have this many bytes: 48 bits.
_BYTES_OF_A_SEED = 6


class Outcome(NamedTuple):
    """A state that an action can lead to, and its probability; samples are equally likely."""

    state: GameState
    probability: float


def sample_seed(state: GameState, number: int) -> int:
    """The seed of sampled chance in a state, the same for all its actions, and unrelated to the seed of its game."""
    content = state.to_bytes() + number.to_bytes(4, "little")
    return int.from_bytes(hashlib.sha256(content).digest()[:_BYTES_OF_A_SEED], "little")


def outcomes(state: GameState, action: int, *, most: int, samples: int) -> list[Outcome]:
    """The outcomes of a legal action, with probabilities that sum to 1; an action that draws nothing has one.

    Args:
        state: the state in which the action is played; it is not changed.
        action: the action.
        most: largest number of outcomes that are listed.
        samples: number of outcomes that are sampled if there are more. Their seeds are the same for all actions of the
            state, so the actions are compared with common random numbers.
    """
    following, drawn = _applied(state, action, ())
    if following is not None:
        return [Outcome(following, 1.0)]
    return _listed(state, action, drawn, most) or _sampled(state, action, samples)


def _applied(state: GameState, action: int, draws: Draws) -> tuple[GameState | None, int]:
    """The state after an action with the given draws; or None, and the number of outcomes of the next draw."""
    following = state.clone()
    try:
        following.apply(action, Tape(draws))
    except NeedsDraw as question:
        return None, question.n
    return following, 0


def _listed(state: GameState, action: int, first: int, most: int) -> list[Outcome]:
    """All outcomes of an action whose first draw has ``first`` outcomes; empty if there are more than ``most``."""
    found: list[Outcome] = []
    todo: list[tuple[Draws, int, float]] = [((), first, 1.0)]
    while todo:
        draws, n, probability = todo.pop()
        # Each open branch ends in at least one outcome.
        if len(found) + len(todo) + n > most:
            return []
        for value in range(n):
            longer = (*draws, (n, value))
            following, needed = _applied(state, action, longer)
            if following is None:
                todo.append((longer, needed, probability / n))
            else:
                found.append(Outcome(following, probability / n))
    return found


def _sampled(state: GameState, action: int, samples: int) -> list[Outcome]:
    found = []
    for number in range(samples):
        following = state.clone()
        following.apply(action, Stream(sample_seed(state, number)))
        found.append(Outcome(following, 1 / samples))
    return found
