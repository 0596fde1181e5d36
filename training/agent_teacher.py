"""Learning from an agent at first: a new network begins by imitating an agent, and then continues by itself.

Self-play from scratch spends most of a short budget on games in which nobody knows how to end the game. A hand-written
agent is a weak player, but it ends its games. At first the agent decides in all lanes, then in fewer and fewer of them,
so that the network is also taught in the positions that it reaches itself (Ross, Gordon, Bagnell, "A reduction of
imitation learning and structured prediction to no-regret online learning", 2011). Values are learned from the games, as
always.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.opponents import Agent
from training.imitation import Imitation


class AgentTeacher(Imitation):
    """Writes an agent's choice as the policy of each of the learner's decisions, and plays it in some of the lanes.

    Args:
        agent: the teacher.
        share_left: returns the share of the lanes in which the agent decides: 1 at first, falling as the lessons go on,
            and at most 0 when they are over.
        own_lanes: this process's lanes among those of all processes.
        num_lanes: number of lanes of all processes.
        weight: weight of the imitation loss.
    """

    def __init__(
        self, agent: Agent, share_left: Callable[[], float], *, own_lanes: slice, num_lanes: int, weight: float
    ) -> None:
        self.weight = weight
        self._agent = agent
        self._share_left = share_left
        self._places = np.arange(num_lanes)[own_lanes] / num_lanes
        self._share = 1.0

    def begin_rollout(self, random: np.random.Generator) -> None:
        """Set the share of the lanes in which the agent decides during the rollout."""
        self._share = self._share_left()

    def replace_actions(
        self,
        lanes: Any,
        seats: NDArray[np.int8],
        actions: NDArray[np.int32],
        teacher_policies: NDArray[np.float16],
        random: np.random.Generator,
    ) -> None:
        """Write the agent's choices as policies, and in its lanes as actions; no choices once the lessons are over."""
        teacher_policies[:] = 0
        if self._share <= 0:
            return
        selected = np.flatnonzero(seats >= 0)
        chosen = self._agent.act_batch(lanes, selected)
        teacher_policies[selected, chosen] = 1
        # Always the first lanes, so that the agent plays whole games in them.
        decides = self._places[selected] < self._share
        actions[selected[decides]] = chosen[decides]
