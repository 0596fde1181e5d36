"""Learning from fewer of the decisions about which the network is certain.

In most decisions of a trained network one action has nearly all of the probability. Such decisions teach little about
the policy, and hardly more about the value than the decisions around them, but they cost as much as any other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CERTAIN = 0.95  # least probability of a certain action


class Thinned(NamedTuple):
    """Which decisions are learned from, bool ``(T, N)``, and their weights, float32 ``(T, N)``."""

    learned: NDArray[np.bool_]
    weights: NDArray[np.float32]


def thin_out(
    finished: NDArray[np.bool_],
    logprobs: NDArray[np.float32],
    share: float,
    num_lanes: int,
    own_lanes: slice,
    random: np.random.Generator,
) -> Thinned:
    """Draw a share of the certain decisions, and keep all others.

    A certain decision that is drawn has the weight 1 / share, because it also stands for those that are not drawn: the
    expected gradient stays the same (importance sampling). All other decisions have the weight 1.

    Args:
        finished: bool ``(T, N)``, the decisions that can be learned from.
        logprobs: float32 ``(T, N)``, the log-probabilities of the actions taken.
        share: share of the certain decisions to draw, above 0 and up to 1.
        num_lanes: number of lanes of all processes.
        own_lanes: this process's lanes among them.
        random: draws the decisions; nothing is drawn for a share of 1.
    """
    if share == 1:
        return Thinned(finished, np.ones(finished.shape, np.float32))
    drawn = random.random((len(finished), num_lanes), np.float32)[:, own_lanes] < share
    certain = logprobs >= np.log(np.float32(CERTAIN))
    return Thinned(finished & (drawn | ~certain), np.where(certain, np.float32(1 / share), np.float32(1)))
